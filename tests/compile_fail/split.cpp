// expect: graph_rejected<.*split::rule::extent_must_be_divisible_by_the_number_of_parts.*actual<8L?>.*expected<3L?>
// Eight columns in three equal parts.
#include <nnrt/ops/split.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<4, 8>>("x");
#ifdef NNRT_FIXED
  auto [a, b, c] = split<3>(x, nnrt::sizes<2, 2, 4>, nnrt::axis<-1>);
#else
  auto [a, b, c] = split<3>(x, nnrt::axis<-1>);  // here
#endif
  g.output("a", a), g.output("b", b), g.output("c", c);
};

int main() {
  nnrt::builder g;
  network(g);
}
