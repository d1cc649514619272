// expect: graph_rejected<.*fixed_signal::rule::operands_must_be_those_of_the_function.*actual<1L?>.*expected<0L?>
// What scales a signal has no further operand. The operator has no function for users: readers of files make its nodes.
#include <nnrt/ops/fixed_signal.hpp>

#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  using nnrt::i16, nnrt::shape;
  auto x = g.input<i16, shape<16>>("x");
  [[maybe_unused]] auto window = g.input<i16, shape<16>>("window");
#ifdef NNRT_FIXED
  auto y = nnrt::dsl::apply<nnrt::ops::fixed_signal>(x);
  g.output("y", get<0>(y));
  g.output("bits", get<1>(y));
#else
  nnrt::dsl::apply<nnrt::ops::fixed_signal>(x, window);  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
