// expect: graph_rejected<.*flatten::rule::axis_must_be_between_minus_rank_and_rank.*actual<4>.*expected<3>
// An axis after the last.
#include <nnrt/ops/flatten.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 3;
#else
inline constexpr int number = 4;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3, 4>>("x");
  b.output("y", flatten(x, nnrt::axis<number>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
