// expect: graph_rejected<.*top_k::rule::k_must_not_exceed_the_extent.*actual<5L?>.*expected<4L?>
// The five best of four classes.
#include <nnrt/ops/top_k.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<8, 4>>("x");
#ifdef NNRT_FIXED
  auto [top, index] = top_k(x, nnrt::k<5>, nnrt::axis<0>);
#else
  auto [top, index] = top_k(x, nnrt::k<5>);  // here
#endif
  g.output("top", top), g.output("index", index);
};

int main() {
  nnrt::builder g;
  network(g);
}
