// quantised_reals: operators on quantised values that compute in real numbers and quantise the results.
// Flow: used by infer and reference of functions such as exp and log, and of scale, batch_norm, layer_norm and pow, on
// quantised tensors.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Clamps to float's finite range; NaN gives NaN.
constexpr float finite(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(x > most ? most : x < -most ? -most : x);
}

/// Checks parameters of a quantised input: f32, or the input's dtype with one scale each; x and y have one scale.
template <class Rule>
constexpr verdict check_quantised_parameters(array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
  const tensor_desc& x = in[0].desc;
  if (auto v = require_one_scale(Rule::quantised_input_must_have_one_scale, x); !v) return v;
  for (const operand& parameter : in.subspan(1)) {
    const tensor_desc& p = parameter.desc;
    if (p.type == f32) continue;
    if (auto v = require(Rule::parameter_types_of_a_quantised_input_must_be_its_type_or_f32, p.type, x.type); !v)
      return v;
    if (auto v = require_one_scale(Rule::quantised_parameters_must_have_one_scale, p); !v) return v;
  }
  return require_one_scale(Rule::quantised_output_must_have_one_scale, wish_of(wanted));
}

/// check_quantised_parameters() for inputs that may be floats, whose parameters have their dtype. (Shapes are checked
/// elsewhere.)
template <class Rule>
constexpr verdict check_parameter_types(array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
  const tensor_desc& x = in[0].desc;
  if (!types::floating.contains(x.type)) return check_quantised_parameters<Rule>(in, wanted);
  for (const operand& parameter : in.subspan(1))
    if (auto v = require(Rule::parameter_types_must_equal_input_type, parameter.desc.type, x.type); !v) return v;
  return {};
}

/// An output like x; quantised as declared if x is.
constexpr tensor_desc like_input(tensor_desc x, array_ref<const tensor_desc> wanted) {
  if (x.quantised) x.quantised = wanted[0].quantised;
  return x;
}

/// The elements of an operand as real numbers: quantised values of type T, or floats.
template <class T> class reals_of {
 public:
  constexpr explicit reals_of(const view& operand) : q_(operand.desc->quantised), is_plain_(operand.type() == f32) {
    if (is_plain_) plain_ = operand.as<const float>();
    else quantised_ = operand.as<const T>();
  }
  constexpr std::int64_t elements() const { return is_plain_ ? plain_.elements() : quantised_.elements(); }
  constexpr double operator[](std::int64_t i) const {
    return double{is_plain_ ? plain_[i] : finite(double{real_of(quantised_[i], q_)})};
  }

 private:
  quantisation q_;
  bool is_plain_;
  tensor_view<const T> quantised_;
  tensor_view<const float> plain_;
};

/// Quantises real numbers to y: rounded to float, times 1 / scale in float, rounded half away from zero, and clamped by
/// the activation, as by for_each_quantised().
template <class T> class storing {
 public:
  constexpr explicit storing(const view& y, activation fused = activation::none)
      : q_(y.desc->quantised), steps_(float_quotient(1.0F, q_.scale)), range_(quantised_range_of<T>(q_, fused)) {}
  constexpr T operator()(double real) const {
    const T nearest = quantised_at<T>(double{float_product(finite(real), steps_)}, q_);
    return static_cast<T>(nnrt::detail::clamped(nearest, range_.low, range_.high));
  }

 private:
  quantisation q_;
  float steps_;
  quantised_range range_;
};

/// y = f(x), where f takes and returns a double. Quantised values are dequantised; the result is rounded to float and
/// to the nearest quantised value.
template <class T, class F> constexpr void compute_real(arguments in, results out, F f) {
  if constexpr (can_be_quantised<T>) for_each_quantised<T>(in, out, [&](float x) { return finite(f(double{x})); });
  else for_each_real<T>(in, out, f);
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
