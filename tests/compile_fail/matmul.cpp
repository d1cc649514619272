// expect: graph_rejected<.*matmul::rule::inner_extents_must_be_equal.*actual<4.*expected<3
// The columns of a are the rows of b; here b needs transpose_b.
#include <nnrt/ops/matmul.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  auto w = b.weight<nnrt::f32, nnrt::shape<4, 3>>("w");
#ifdef NNRT_FIXED
  b.output("y", matmul(x, w, nnrt::transpose_b));
#else
  b.output("y", matmul(x, w));  // here
#endif
};

int main() {
  nnrt::builder b;
  network(b);
}
