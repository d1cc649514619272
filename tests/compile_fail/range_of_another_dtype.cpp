// range_of_another_dtype: an array of other elements than the input has, given to an executor.
// expect: range_must_have_the_dtype_of_its_tensor
// expect: named<'x', '1'>
// expect: actual<.*f64>
// expect: expected<.*f32>
#include <nnrt/exec/executor.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

#include <array>

constexpr auto network = [](nnrt::builder& g) {
  g.output("y", nnrt::relu(g.input<nnrt::f32, nnrt::shape<2, 3>>("x1")));
};

void run(nnrt::executor<nnrt::graph<network>>& with) {
#ifdef NNRT_FIXED
  with(std::array<float, 6>{});
#else
  with(std::array<double, 6>{});
#endif
}
