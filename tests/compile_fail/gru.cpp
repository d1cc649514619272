// expect: graph_rejected<.*gru::rule::extents_must_be_those_of_the_other_operands.*actual<11L?>.*expected<12L?>
// Three gates of four states are twelve rows.
#include <nnrt/ops/gru.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int rows = 12;
#else
inline constexpr int rows = 11;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<5, 3, 7>>("x");
  auto w_ih = b.weight<nnrt::f32, nnrt::shape<1, rows, 7>>("w_ih");
  auto states = gru(x, w_ih, b.weight<nnrt::f32, nnrt::shape<1, 12, 4>>("w_hh"));  // here
  b.output("y", get<0>(states));
};

int main() {
  nnrt::builder b;
  network(b);
}
