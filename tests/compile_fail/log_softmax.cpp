// expect: graph_rejected<.*log_softmax::rule::axis_must_be_an_axis_of_the_input.*actual<2>.*expected<1>
// An axis after the last.
#include <nnrt/ops/log_softmax.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 1;
#else
inline constexpr int number = 2;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", log_softmax(x, nnrt::axis<number>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
