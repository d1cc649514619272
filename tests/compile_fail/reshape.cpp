// expect: graph_rejected<.*reshape::rule::number_of_elements_must_be_kept.*actual<60L?>.*expected<96L?>
// A shape with fewer elements than the tensor has.
#include <nnrt/ops/reshape.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<2, 48>>("x");
#ifdef NNRT_FIXED
  g.output("y", reshape(x, nnrt::shape<4, 24>));
#else
  g.output("y", reshape(x, nnrt::shape<4, 15>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
