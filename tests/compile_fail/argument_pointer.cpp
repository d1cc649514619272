// argument_pointer: a pointer in place of a range, given to an executor.
// expect: argument_must_be_a_contiguous_range
// expect: named<'x', '1'>
#include <nnrt/exec/executor.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

#include <array>

constexpr auto network = [](nnrt::builder& g) {
  g.output("y", nnrt::relu(g.input<nnrt::f32, nnrt::shape<2, 3>>("x1")));
};

void run(nnrt::executor<nnrt::graph<network>>& with, const float* x) {
#ifdef NNRT_FIXED
  with(std::span<const float, 6>(x, 6));
#else
  with(x);
#endif
}
