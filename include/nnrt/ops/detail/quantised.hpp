// quantised: common parts of operators that compute with quantised integers - rules about scales, requantisation of
// sums.
// Flow: used by their infer() and reference(); core/requantise.hpp has the arithmetic, which kernels use as well.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/requantise.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Requires one scale for the tensor; the rule's value is the number of scales, the channels of a per-channel one.
constexpr verdict require_one_scale(rule_id rule, const tensor_desc& desc) {
  if (desc.quantised.mode == quantisation::kind::per_tensor) return {};
  // A declared desc may have no shape, and a boolean's desc any axis: neither is checked before.
  const int axis = desc.quantised ? desc.quantised.axis : -1;
  return refuse(rule, axis >= 0 && axis < desc.rank() ? desc.shape[axis] : 0, 1);
}

/// The declaration of output 0; an empty desc if nothing is declared.
constexpr tensor_desc wish_of(array_ref<const tensor_desc> wanted) {
  return wanted.empty() ? tensor_desc{} : wanted[0];
}

/// The 8-bit integers that layers compute with as quantised values.
inline constexpr dtype_set bytes = types_of(i8, u8);
template <class T> inline constexpr bool is_byte = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>;

/// All integers that layers compute with as quantised activations. i16 has i8 weights.
inline constexpr dtype_set layered = bytes | types_of(i16);
template <class T> inline constexpr bool is_layered = layered.contains(dtype_for<T>());
/// Integers that layers compute with without a scale: sums wrap around in the dtype's width.
inline constexpr dtype_set plain_layered = types_of(i32, i64);
/// Type of layers' sums: integers without a scale wrap around.
template <class T>
using layer_sum_t = std::conditional_t<std::is_integral_v<T> && !is_layered<T>, std::uint64_t, math::compute_t<T>>;
/// Refuses scales of i32 and i64 in a layer.
constexpr verdict refuse_scales_of_plain(rule_id rule, const tensor_desc& desc) {
  return plain_layered.contains(desc.type) && desc.quantised ? require(rule, desc.type, i8) : verdict{};
}

template <class T> using weight_t = std::conditional_t<std::is_same_v<T, std::int16_t>, std::int8_t, T>;

template <class Rule> constexpr verdict check_weight_type(const tensor_desc& x, const tensor_desc& w) {
  if (x.type == i16) return require(Rule::weight_type_of_an_i16_input_must_be_i8, w.type, i8);
  return require(Rule::weight_type_must_equal_input_type, w.type, x.type);
}

/// Checks a quantised layer: x and y with one scale each, the weight with one for the tensor or for each output
/// channel. Floating point passes.
template <class Rule>
constexpr verdict check_quantised_layer(const tensor_desc& x, const tensor_desc& w,
                                        array_ref<const tensor_desc> wanted) {
  if (!layered.contains(x.type)) return {};
  if (auto v = require_one_scale(Rule::quantised_input_must_have_one_scale, x); !v) return v;
  if (auto v = require_one_scale(Rule::quantised_output_must_have_one_scale, wish_of(wanted)); !v) return v;
  if (w.quantised.mode != quantisation::kind::per_channel)
    return require_one_scale(Rule::quantised_weight_must_have_a_scale, w);
  return require(Rule::weight_scales_must_run_along_the_output_channels, w.quantised.axis, 0);
}

/// Sets y's quantisation as declared, if it holds quantised values; rules have checked it.
constexpr tensor_desc layer_result(tensor_desc y, array_ref<const tensor_desc> wanted) {
  if (layered.contains(y.type)) y.quantised = wanted[0].quantised;
  return y;
}

/// Checks the bias of a quantised layer: 32 bits (for i16 64, or 32), scale of the input times scale of the weight,
/// whatever its desc says.
template <class Rule> constexpr verdict check_bias_type(const tensor_desc& x, const tensor_desc& bias) {
  if (x.type == i16 && bias.type == i32) return {};
  if (x.type == i16) return require(Rule::bias_type_of_an_i16_input_must_be_i64_or_i32, bias.type, i64);
  if (bytes.contains(x.type)) return require(Rule::bias_type_of_a_quantised_input_must_be_i32, bias.type, i32);
  return require(Rule::bias_type_must_equal_input_type, bias.type, x.type);
}

/// Start of the sums of output channel o: the optional operand 2, the bias. 64-bit ones are saturated to 62 bits, far
/// beyond scale_wide()'s range, so that sums do not overflow.
template <class T> constexpr math::compute_t<T> bias_of(arguments in, std::int64_t o) {
  using bias_t = std::conditional_t<is_layered<T>, std::int32_t, T>;
  if (in.size() < 3 || !in[2]) return math::compute_t<T>{0};
  if constexpr (std::is_same_v<T, std::int16_t>) {
    constexpr std::int64_t most = std::int64_t{1} << 61U;
    if (in[2].type() == i64) return nnrt::detail::clamped(in[2].as<const std::int64_t>()[o], -most, most);
  }
  return static_cast<math::compute_t<T>>(in[2].as<const bias_t>()[o]);
}

/// Width of i16 layers' sums without a bias: 32 or 64 bits. Operators differ in TFLite.
enum class biasless_sums { narrow, wide };

/// Whether a layer keeps its sums in 64 bits: only for i16, by its bias of 64 or 32 bits.
template <class T> constexpr bool has_wide_sums(arguments in, biasless_sums without) {
  return std::is_same_v<T, std::int16_t> &&
         (in.size() > 2 && in[2] ? in[2].type() != i32 : without == biasless_sums::wide);
}

/// Zero point of an operand; 0 for floating point, which changes nothing.
template <class T> constexpr math::compute_t<T> zero_of(const view& x) {
  return static_cast<math::compute_t<T>>(is_layered<T> ? x.desc->quantised.zero_point : 0);
}

/// Scale of output channel o of a weight.
constexpr float channel_scale(const view& weight, std::int64_t o) {
  return o < std::int64_t(weight.scales.size()) ? weight.scales[static_cast<std::size_t>(o)]
                                                : weight.desc->quantised.scale;
}

/// A product or quotient of scales rounded to float, as in TFLite; in double if it exceeds float's range.
constexpr double rounded_scale(double exact) {
  return exact <= double{std::numeric_limits<float>::max()} ? double{static_cast<float>(exact)} : exact;
}
/// A product or quotient of two floats, rounded to float.
constexpr double float_times(double a, double b) { return rounded_scale(a * b); }
constexpr double float_over(double a, double b) { return rounded_scale(a / b); }
/// Scale of sums of products, as in TFLite: for tensors with one scale each rounded to float, for a tensor and an
/// output channel exact. The factors differ in their last bits.
constexpr double product_of_tensor_scales(float a, float b) { return rounded_scale(double{a} * double{b}); }
constexpr double product_of_channel_scales(float a, float b) { return double{a} * double{b}; }

/// Factor from a scale to y's, in float as in TFLite's elementwise operators.
constexpr fixed_point factor_to(const quantisation& y, double scale) {
  return fixed_point_of(rounded_scale(scale / double{y.scale}));
}

/// Makes elements of y from sums: applies the activation to floats. Sums of quantised values are scaled from `scale` to
/// y's scale, in 32 bits or, for wide sums, in 64, rounded by Rounding unless y's quantisation says otherwise; the
/// activation clamps quantised values.
template <class T, class Rounding> class epilogue {
 public:
  using element = T;
  constexpr epilogue(const view& y, activation fused, double scale = 0, bool is_wide = false)
      : fused_(fused), is_wide_(is_wide) {
    if constexpr (is_layered<T>) {
      const quantisation& q = y.desc->quantised;
      factor_ = fixed_point_of(scale / double{q.scale});
      zero_point_ = q.zero_point;
      is_to_even_ = is_half_to_even(q.rounding);
      range_ = quantised_range_of<T>(q, fused);
    }
  }
  constexpr T operator()(math::compute_t<T> sum) const {
    if constexpr (is_layered<T>)
      if (is_to_even_) return to_even(sum);
    if constexpr (std::is_same_v<T, std::int16_t>)
      if (is_wide_) return requantise_wide<T, Rounding>(sum, factor_, zero_point_, range_);
    if constexpr (is_layered<T>) return requantise<T, Rounding>(sum, factor_, zero_point_, range_);
    else if constexpr (std::is_integral_v<T>) return activate(static_cast<T>(sum), fused_);
    else return static_cast<T>(activate(sum, fused_));
  }

 private:
  constexpr T to_even(std::int64_t sum) const {
    using to_even_once = rounding::zero_point_then_half_to_even;
    if (is_wide_) return requantise_wide<T, to_even_once>(sum, factor_, zero_point_, range_);
    return requantise<T, to_even_once>(sum, factor_, zero_point_, range_);
  }

  activation fused_;
  bool is_wide_, is_to_even_ = false;
  fixed_point factor_;
  std::int32_t zero_point_ = 0;
  quantised_range range_;
};

/// Result of a layer that keeps its accumulators: i32, declared with a scale for each output channel or none.
template <class Rule>
constexpr verdict infer_kept_sums(const tensor_desc& scaled, array_ref<const tensor_desc> wanted) {
  tensor_desc y = scaled.with_type(i32);
  y.quantised = wish_of(wanted).quantised;
  if (!y.quantised) return ok(y);
  if (y.quantised.mode != quantisation::kind::per_channel)
    return refuse(Rule::sums_must_have_a_scale_for_each_output_channel_or_none, 1, y.shape[-1]);
  if (auto v = require(Rule::scales_of_sums_must_run_along_the_output_channels, y.quantised.axis, y.rank() - 1); !v)
    return v;
  return ok(y);
}

/// Epilogue that keeps sums, saturated at 32 bits.
struct kept_sums {
  using element = std::int32_t;
  constexpr kept_sums(const view&, activation, double, bool) {}
  constexpr std::int32_t operator()(std::int64_t sum) const { return nnrt::detail::saturated_i32(sum); }
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
