// scale: f32 kernels of the operator: parameters per channel or per row.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/ops/scale.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::scale, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node) || node.in[1].desc.shape != node.in[2].desc.shape) return {};
    const tensor_desc& x = node.in[0].desc;
    const int parts = parts_for(x.elements());
    const int axis = normalise_axis(unpack<ops::scale::attrs>(node.attrs).axis, x.rank());
    const bool is_channelwise = x.shape.elements(axis + node.in[1].desc.rank()) == 1;
    if (is_channelwise) return {.run = &run_channels, .parts = parts, .name = "scale channels"};
    return {.run = &run_rows, .parts = parts, .name = "scale rows"};
  }

 private:
  static affine_parameters parameters(const kernel_call& call) {
    return {floats_in(call, 1), floats_in(call, 2), call.in[1].elements(),
            range_of(unpack<ops::scale::attrs>(call.attrs).fused)};
  }
  static void run_channels(const kernel_call& call) {
    const interval range = share_of_floats(call.out[0].elements(), part_of(call));
    affine_channels(floats_in(call, 0), range, parameters(call), floats_out(call));
  }
  static void run_rows(const kernel_call& call) {
    const interval range = share_of_floats(call.out[0].elements(), part_of(call));
    const shape_t& x = call.in[0].shape();
    const int axis = normalise_axis(unpack<ops::scale::attrs>(call.attrs).axis, x.rank);
    affine_rows(floats_in(call, 0), range, x.elements(axis + call.in[1].rank()), parameters(call), floats_out(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
