// unary: bindings of operators y = f(x), one row per operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/quantised.hpp>
#include <nnrt/kernels/bind/detail/unary.hpp>
#include <nnrt/kernels/elementwise/functions.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/ceil.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/cos.hpp>
#include <nnrt/ops/erf.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/gelu.hpp>
#include <nnrt/ops/hard_sigmoid.hpp>
#include <nnrt/ops/hswish.hpp>
#include <nnrt/ops/leaky_relu.hpp>
#include <nnrt/ops/log.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/reciprocal.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/round.hpp>
#include <nnrt/ops/rsqrt.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/ops/sin.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/square.hpp>
#include <nnrt/ops/swish.hpp>
#include <nnrt/ops/tanh.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Vector functions that depend on the operator's attributes.
struct relu_of {
  static clamp_lanes of(array_ref<const word>) { return {range_of(activation::relu)}; }
};
struct relu6_of {
  static clamp_lanes of(array_ref<const word>) { return {range_of(activation::relu6)}; }
};
struct clip_of {
  static clamp_lanes of(array_ref<const word> attrs) {
    const auto range = unpack<ops::clip::attrs>(attrs);
    return {{range.min, range.max}};
  }
};
struct leaky_relu_of {
  static leaky_relu_lanes of(array_ref<const word> attrs) {
    return {unpack<ops::leaky_relu::attrs>(attrs).negative_slope};
  }
};

}  // namespace detail

// Columns: operator, vector function, cost of an element in additions.
template <class Isa> struct binding<ops::abs, family::f32, Isa> : map_binding<ops::abs, Isa, abs_lanes, 1> {};
template <class Isa> struct binding<ops::ceil, family::f32, Isa> : map_binding<ops::ceil, Isa, ceil_lanes, 2> {};
template <class Isa> struct binding<ops::clip, family::f32, Isa> : map_binding<ops::clip, Isa, detail::clip_of, 1> {};
template <class Isa> struct binding<ops::cos, family::f32, Isa> : map_binding<ops::cos, Isa, sine_lanes<1>, 8> {};
template <class Isa> struct binding<ops::erf, family::f32, Isa> : map_binding<ops::erf, Isa, erf_lanes, 6> {};
template <class Isa> struct binding<ops::floor, family::f32, Isa> : map_binding<ops::floor, Isa, floor_lanes, 2> {};
template <class Isa>
struct binding<ops::hard_sigmoid, family::f32, Isa> : map_binding<ops::hard_sigmoid, Isa, hard_sigmoid_lanes, 1> {};
template <class Isa> struct binding<ops::hswish, family::f32, Isa> : map_binding<ops::hswish, Isa, hswish_lanes, 1> {};
template <class Isa>
struct binding<ops::leaky_relu, family::f32, Isa> : map_binding<ops::leaky_relu, Isa, detail::leaky_relu_of, 1> {};
template <class Isa> struct binding<ops::log, family::f32, Isa> : map_binding<ops::log, Isa, log_lanes, 6> {};
template <class Isa> struct binding<ops::neg, family::f32, Isa> : map_binding<ops::neg, Isa, neg_lanes, 1> {};
template <class Isa>
struct binding<ops::reciprocal, family::f32, Isa> : map_binding<ops::reciprocal, Isa, reciprocal_lanes, 3> {};
template <class Isa> struct binding<ops::relu, family::f32, Isa> : map_binding<ops::relu, Isa, detail::relu_of, 1> {};
template <class Isa>
struct binding<ops::relu6, family::f32, Isa> : map_binding<ops::relu6, Isa, detail::relu6_of, 1> {};
template <class Isa> struct binding<ops::round, family::f32, Isa> : map_binding<ops::round, Isa, round_lanes, 2> {};
template <class Isa> struct binding<ops::rsqrt, family::f32, Isa> : map_binding<ops::rsqrt, Isa, rsqrt_lanes, 4> {};
template <class Isa>
struct binding<ops::sigmoid, family::f32, Isa> : map_binding<ops::sigmoid, Isa, sigmoid_lanes, 4> {};
template <class Isa> struct binding<ops::sin, family::f32, Isa> : map_binding<ops::sin, Isa, sine_lanes<0>, 8> {};
template <class Isa> struct binding<ops::sqrt, family::f32, Isa> : map_binding<ops::sqrt, Isa, sqrt_lanes, 3> {};
template <class Isa> struct binding<ops::square, family::f32, Isa> : map_binding<ops::square, Isa, square_lanes, 1> {};
template <class Isa> struct binding<ops::swish, family::f32, Isa> : map_binding<ops::swish, Isa, swish_lanes, 8> {};
template <class Isa> struct binding<ops::tanh, family::f32, Isa> : map_binding<ops::tanh, Isa, tanh_lanes, 4> {};

/// The kernel computes e^x. Another base, scale or shift would lose precision, so the reference runs.
template <class Isa> struct binding<ops::exp, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice table = table_binding<ops::exp, Isa>::select(node)) return table;
    const auto attrs = unpack<ops::exp::attrs>(node.attrs);
    if (attrs.base != -1 || attrs.scale != 1 || attrs.shift != 0) return {};
    return float_map_binding<Isa, exp_lanes, 6>::select(node);
  }
};

template <class Isa> struct binding<ops::gelu, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice table = table_binding<ops::gelu, Isa>::select(node)) return table;
    if (unpack<ops::gelu::attrs>(node.attrs).approximate)
      return float_map_binding<Isa, gelu_tanh_lanes, 5>::select(node);
    return float_map_binding<Isa, gelu_lanes, 6>::select(node);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
