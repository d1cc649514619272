// expect: graph_rejected<.*constant_of_shape::rule::shape_must_be_a_list.*actual<2L?>.*expected<1L?>
// A shape is a list of extents.
#include <nnrt/ops/constant_of_shape.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
using list = nnrt::shape_constant<2>;
#else
using list = nnrt::shape_constant<1, 2>;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto extents = b.input<nnrt::i64, list{}>("extents");
  b.output("y", constant_of_shape(extents, nnrt::with_value<1>, nnrt::into<nnrt::shape<4, 5>>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
