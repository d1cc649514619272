// expect: graph_rejected<.*gather_nd::rule::tuples_must_not_be_longer_than_the_input_rank.*actual<3>.*expected<2>
// Three indices for a matrix.
#include <nnrt/ops/gather_nd.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 2;
#else
inline constexpr int number = 3;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", gather_nd(x, b.input<nnrt::i32, nnrt::shape<4, number>>("indices")));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
