// instance_norm: f32 kernel of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/reduce/layer_norm.hpp>
#include <nnrt/ops/instance_norm.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::instance_norm, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    constexpr std::int64_t cost = 3;  // passes over the elements
    return {.run = &run, .parts = parts_for(node.out[0].elements() * cost), .name = "instance norm rows"};
  }
  static void run(const kernel_call& call) {
    const shape_t& x = call.in[0].shape();
    instance_norm<Isa>({.x = floats_in(call, 0),
                        .y = floats_out(call),
                        .rows = x.elements(0, 2),
                        .n = x.elements(2),
                        .epsilon = unpack<ops::instance_norm::attrs>(call.attrs).epsilon},
                       floats_in(call, 1), floats_in(call, 2), x[1], part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
