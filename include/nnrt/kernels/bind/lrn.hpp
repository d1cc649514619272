// lrn: f32 kernel of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/reduce/lrn.hpp>
#include <nnrt/ops/lrn.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::lrn, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    const auto attrs = unpack<ops::lrn::attrs>(node.attrs);
    if (!all_of_type(node, f32) || !has_work(node) || attrs.depth_radius > largest_radius) return {};
    if (!(attrs.bias >= 0 && attrs.alpha >= 0) || attrs.beta == 0) return {};  // negative bases, and 0^0
    constexpr std::int64_t cost = 40;                                          // cost of an element in additions
    return {.run = &run, .parts = parts_for(node.out[0].elements() * cost), .name = "lrn"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::lrn::attrs>(call.attrs);
    const shape_t& x = call.in[0].shape();
    const std::int64_t channels = x[-1];
    local_response<Isa>(floats_in(call, 0), x.elements() / channels, channels,
                        {attrs.depth_radius, attrs.bias, attrs.alpha, attrs.beta}, floats_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
