// expect: graph_rejected<.*::rule::padded_image_must_be_divisible_by_the_block.*actual<7L?>.*expected<2L?>
// Seven rows in blocks of two.
#include <nnrt/ops/space_to_batch_nd.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 7, 8, 1>>("x");
#ifdef NNRT_FIXED
  g.output("y", space_to_batch_nd(x, nnrt::block<2, 2>, nnrt::paddings<1, 0, 0, 0>));
#else
  g.output("y", space_to_batch_nd(x, nnrt::block<2, 2>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
