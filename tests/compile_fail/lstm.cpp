// expect: graph_rejected<.*lstm::rule::extents_must_be_those_of_the_other_operands.*actual<15L?>.*expected<16L?>
// Four gates of four states are sixteen rows.
#include <nnrt/ops/lstm.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int rows = 16;
#else
inline constexpr int rows = 15;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<5, 3, 7>>("x");
  auto w_ih = b.weight<nnrt::f32, nnrt::shape<1, rows, 7>>("w_ih");
  auto states = lstm(x, w_ih, b.weight<nnrt::f32, nnrt::shape<1, 16, 4>>("w_hh"));  // here
  b.output("y", get<0>(states));
};

int main() {
  nnrt::builder b;
  network(b);
}
