// expect: graph_rejected<.*tile::rule::multiples_must_have_a_number_for_each_axis.*actual<1L?>.*expected<2L?>
// A multiple for the first axis alone.
#include <nnrt/ops/tile.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<4, 8>>("x");
#ifdef NNRT_FIXED
  g.output("y", tile(x, nnrt::multiples<2, 1>));
#else
  g.output("y", tile(x, nnrt::multiples<2>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
