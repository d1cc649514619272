// depthwise_conv2d: f32 and int8 kernels of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/convolution.hpp>
#include <nnrt/kernels/bind/detail/int8.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::depthwise_conv2d::code> {
  using type = ops::depthwise_conv2d;
};

template <class Isa>
struct binding<ops::depthwise_conv2d, family::f32, Isa> : depthwise_binding<ops::depthwise_conv2d, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    return binding::choose(node);
  }
};

template <class Isa>
struct binding<ops::depthwise_conv2d, family::int8, Isa> : int8_depthwise_binding<ops::depthwise_conv2d, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!is_int8_layer(node, node.in[1].desc.shape.elements(1))) return {};
    return binding::choose(node);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
