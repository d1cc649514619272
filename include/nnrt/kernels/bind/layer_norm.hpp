// layer_norm: f32 kernel of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/reduce/layer_norm.hpp>
#include <nnrt/ops/layer_norm.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::layer_norm, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    constexpr std::int64_t cost = 3;  // passes over the elements
    return {.run = &run, .parts = parts_for(node.out[0].elements() * cost), .name = "layer norm rows"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::layer_norm::attrs>(call.attrs);
    const shape_t& x = call.in[0].shape();
    const int axis = normalise_axis(attrs.begin_norm_axis, x.rank);
    layer_norm({.x = floats_in(call, 0),
                .y = floats_out(call),
                .rows = x.elements(0, axis),
                .n = x.elements(axis),
                .epsilon = attrs.epsilon},
               parameters(call, 1), parameters(call, 2), part_of(call));
  }

 private:
  static repeated_parameters parameters(const kernel_call& call, std::size_t i) {
    return {floats_in(call, i), call.in[i].elements()};
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
