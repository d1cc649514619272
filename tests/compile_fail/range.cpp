// expect: graph_rejected<.*range::rule::delta_must_not_be_zero.*actual<0>.*expected<1>
// Steps of nothing lead nowhere.
#include <nnrt/ops/range.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 2;
#else
inline constexpr int number = 0;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<1>>("x");
  b.output("y", range(x, nnrt::limit<7>, nnrt::delta<number>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
