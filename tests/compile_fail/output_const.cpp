// output_const: a range that nobody may write to, for a result.
// expect: range_of_an_output_must_not_be_const
// expect: named<'y'>
#include <nnrt/exec/executor.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

#include <array>

constexpr auto network = [](nnrt::builder& g) {
  g.output("y", nnrt::relu(g.input<nnrt::f32, nnrt::shape<2, 3>>("x1")));
};

#ifdef NNRT_FIXED
using result = std::array<float, 6>;
#else
using result = const std::array<float, 6>;
#endif
void run(nnrt::executor<nnrt::graph<network>>& with, const std::array<float, 6>& x, result& y) { with(x, y); }
