// expect: graph_rejected<.*unstack::rule::axis_must_be_an_axis_of_the_input.*actual<3>.*expected<2>
// An axis after the last.
#include <nnrt/ops/unstack.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 0;
#else
inline constexpr int number = 3;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<1, 3, 4>>("x");
  b.output("y", unstack(x, nnrt::axis<number>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
