// expect: graph_rejected<.*scatter_nd::rule::tuples_must_not_be_longer_than_the_output_rank.*actual<3>.*expected<2>
// Three indices for a place of a matrix.
#include <nnrt/ops/scatter_nd.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int length = 2;
#else
inline constexpr int length = 3;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto indices = b.input<nnrt::i32, nnrt::shape<4, length>>("indices");
  auto updates = b.input<nnrt::f32, nnrt::shape<4>>("updates");
  b.output("y", scatter_nd(indices, updates, nnrt::shape<2, 3>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
