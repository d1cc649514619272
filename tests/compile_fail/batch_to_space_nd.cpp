// expect: graph_rejected<.*batch_to_space_nd::rule::batch_must_be_divisible_by_the_block.*actual<6L?>.*expected<4L?>
// Six images do not fill blocks of four.
#include <nnrt/ops/batch_to_space_nd.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<6, 8, 8, 1>>("x");
#ifdef NNRT_FIXED
  g.output("y", batch_to_space_nd(x, nnrt::block<2, 3>));
#else
  g.output("y", batch_to_space_nd(x, nnrt::block<2, 2>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
