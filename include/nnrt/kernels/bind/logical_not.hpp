// logical_not: kernel of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/ops/logical_not.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::logical_not, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements() / 4), .name = "unary boolean"};
  }
  static void run(const kernel_call& call) {
    const interval mine = share(call.out[0].elements(), part_of(call));
    const bool* const x = call.in[0].data.get<bool>();
    bool* const y = call.out[0].data.get<bool>();
    for (std::int64_t i = mine.begin; i < mine.end; ++i) y[i] = !x[i];
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
