// accelerated_argument: a pointer in place of a range, given to an executor of quantised values; its calls have the
// rules of other executors.
// expect: argument_must_be_a_contiguous_range
// expect: named<'x', '1'>
#include <nnrt/exec/accelerated.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/policy/bayes.hpp>

constexpr auto network = [](nnrt::builder& g) {
  g.output("y", nnrt::relu(g.input<nnrt::f32, nnrt::shape<1, 2, 3, 1>>("x1")));
};

void run(nnrt::executor<nnrt::graph<network>, nnrt::bpu<nnrt::bayes>>& with, const float* x) {
#ifdef NNRT_FIXED
  with(std::span<const float, 6>(x, 6));
#else
  with(x);
#endif
}
