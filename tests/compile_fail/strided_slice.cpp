// expect: graph_rejected<.*strided_slice::rule::stride_must_not_be_0.*actual<0L?>.*expected<1L?>
// Steps that lead nowhere.
#include <nnrt/ops/strided_slice.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<4>>("x");
#ifdef NNRT_FIXED
  g.output("y", strided_slice(x, nnrt::begin<0>, nnrt::end<4>, nnrt::strides<2>));
#else
  g.output("y", strided_slice(x, nnrt::begin<0>, nnrt::end<4>, nnrt::strides<0>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
