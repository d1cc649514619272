// expect: graph_rejected<.*l2_normalize::rule::axes_must_differ.*actual<2>.*expected<1>
// One axis by two names.
#include <nnrt/ops/l2_normalize.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = -2;
#else
inline constexpr int number = -1;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", l2_normalize(x, nnrt::axes<1, number>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
