// range_of_another_size: an array that has not as many elements as the input, given to an executor.
// expect: range_must_have_as_many_elements_as_its_tensor
// expect: named<'x', '1'>
// expect: actual<5
// expect: expected<6
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
  with(std::array<float, 5>{});
#endif
}
