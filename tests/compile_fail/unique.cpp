// expect: graph_rejected<.*unique::rule::input_rank_must_be_1.*actual<2L?>.*expected<1L?>
// Elements of a list are compared, not rows of a matrix.
#include <nnrt/ops/unique.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
using extents = nnrt::shape_constant<6>;
#else
using extents = nnrt::shape_constant<2, 3>;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto found = unique(b.input<nnrt::i32, extents{}>("x"));  // here
  b.output("y", get<0>(found));
};

int main() {
  nnrt::builder b;
  network(b);
}
