// argument_count: neither as many arguments as a network has inputs, nor as many as it has inputs and outputs.
// expect: arguments_must_be_as_many_as_inputs_or_inputs_and_outputs
// expect: actual<3
// expect: expected<1
// expect: expected<2
#include <nnrt/exec/executor.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

#include <array>

constexpr auto network = [](nnrt::builder& g) {
  g.output("y", nnrt::relu(g.input<nnrt::f32, nnrt::shape<2, 3>>("x1")));
};

void run(nnrt::executor<nnrt::graph<network>>& with, std::array<float, 6>& x) {
#ifdef NNRT_FIXED
  with(x, x);
#else
  with(x, x, x);
#endif
}
