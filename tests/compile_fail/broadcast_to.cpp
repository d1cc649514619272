// expect: graph_rejected<.*broadcast_to::rule::extents_must_be_equal_or_1.*actual<3>.*expected<4>
// Three columns cannot become four.
#include <nnrt/ops/broadcast_to.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 3;
#else
inline constexpr int number = 4;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", broadcast_to(x, nnrt::shape<5, 2, number>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
