// quant_dtype_cast: quantises, dequantises, and rescales quantised values.
// Flow: front ends call infer(); readers of models map QUANTIZE and DEQUANTIZE to it; kernels/select.hpp binds it to
// int8/casts.hpp.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>
#include <nnrt/ops/detail/type_numbers.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Converts real numbers between dtypes and quantisations.
///
///   x: any shape; f16, f32, f64, or quantised i8, u8, i16, i32
///   y: the same shape; one of these dtypes; integers are quantised with the scale given by `into<quant{…}>`
///
///   float to integer:    round(x / scale of y) + zero point of y, half away from zero, clamped; NaN gives the zero
///                        point
///   integer to float:    scale of x * (x - zero point of x)
///   integer to integer:  (x - zero point of x) * (scale of x / scale of y), in fixed point, + zero point of y, clamped
///
/// `src_t` and `dst_t` are the numbers of both dtypes: OH_NN_DataType's or HDI's. x may have one scale for each index
/// along `axis`, which counts from the end when negative; y has one scale.
///
/// Broken rules: see `rule`; values: axes, numbers of scales. Source: NNRt OH_NN_OPS_QUANT_DTYPE_CAST; the arithmetic:
/// the reference kernels of TFLite's QUANTIZE and DEQUANTIZE.
struct quant_dtype_cast {
  static constexpr op_code code{52};
  static constexpr std::string_view name = "quant_dtype_cast";
  static constexpr operand_spec inputs[] = {{"x", types::floating | types::quantised}};
  static constexpr operand_spec outputs[] = {{"y", types::floating | types::quantised}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{
      .nnrt = 52, .hdi = 113, .hdi_also = 999, .tells_quantisation = 0, .nnrt_name = "QuantDTypeCast"};
  static constexpr nnrt_parameter parameters[] = {nnrt_parameter{"src_t", 72, i64, -1}.required(),
                                                  nnrt_parameter{"dst_t", 73, i64, -1}.required(),
                                                  {"axis", 126, i64, -1}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, src_t), (std::int64_t, dst_t), (std::int64_t, axis));
    constexpr attrs() : src_t(0), dst_t(0), axis(0) {}
  };

  enum class rule {
    src_t_must_be_the_number_of_the_input_type,
    dst_t_must_be_the_number_of_a_type_that_is_accepted,
    one_of_the_types_must_be_an_integer,
    quantised_input_must_have_a_scale,
    axis_must_be_the_quantised_axis,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    const dtype to = detail::numbered_type(a.dst_t);
    if (detail::numbered_type(a.src_t) != x.type)
      return refuse(Rule::src_t_must_be_the_number_of_the_input_type, a.src_t, static_cast<int>(x.type));
    if (!outputs[0].accepts.contains(to))
      return refuse(Rule::dst_t_must_be_the_number_of_a_type_that_is_accepted, a.dst_t, static_cast<int>(i8));
    const bool from_real = types::floating.contains(x.type), to_real = types::floating.contains(to);
    if (from_real && to_real) return require(Rule::one_of_the_types_must_be_an_integer, to, i8);
    if (!from_real && !x.quantised) return refuse(Rule::quantised_input_must_have_a_scale, 0, 1);
    if (x.quantised.mode == quantisation::kind::per_channel)
      if (auto v =
              require(Rule::axis_must_be_the_quantised_axis, a.axis < 0 ? a.axis + x.rank() : a.axis, x.quantised.axis);
          !v)
        return v;
    tensor_desc y{to, x.layout, x.shape};
    if (to_real) return ok(y);
    if (auto v = detail::require_one_scale(Rule::quantised_output_must_have_one_scale, detail::wish_of(wanted)); !v)
      return v;
    y.quantised = wanted[0].quantised;
    return ok(y);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    with_element<types::floating | types::quantised>(out[0].type(), [&]<class To>(To) {
      constexpr bool from_real = types::floating.contains(dtype_for<T>()),
                     to_real = types::floating.contains(dtype_for<To>());
      const quantisation& to = out[0].desc->quantised;
      if constexpr (from_real && !to_real)
        detail::for_each_element<T, To>(in, out, [&](T x) { return quantised_as<To>(x, to); });
      else if constexpr (to_real && !from_real)
        for_each_channel<T, To>(in, out, [](const quantisation& q) { return real_number<T, To>{q}; });
      else if constexpr (!to_real)
        for_each_channel<T, To>(in, out, [&](const quantisation& q) { return rescaled<T, To>(q, to); });
    });
  }

 private:
  /// Dequantises a value: rounded to float, unless To is double.
  template <class T, class To> struct real_number {
    quantisation from;
    constexpr To operator()(T x) const {
      if constexpr (std::is_same_v<To, double>)
        return math::product(static_cast<double>(std::int64_t{x} - from.zero_point), double{from.scale});
      else return math::convert<To>(real_of(x, from));
    }
  };
  /// Rescales a quantised value.
  template <class T, class To> struct rescaled {
    std::int64_t zero;
    fixed_point factor;
    quantisation to;
    constexpr rescaled(const quantisation& from, const quantisation& y)
        : zero(from.zero_point), factor(fixed_point_of(double{from.scale} / double{y.scale})), to(y) {}
    constexpr To operator()(T x) const {
      using limits = std::numeric_limits<To>;
      return requantise_exactly<To>(x - zero, factor, to, {limits::min(), limits::max()});
    }
  };
  /// y = f(x), where function_of(quantisation) returns f for each index along the quantised axis, or one f for the
  /// tensor.
  template <class T, class To, class FunctionOf>
  static constexpr void for_each_channel(arguments in, results out, FunctionOf function_of) {
    const quantisation& q = in[0].desc->quantised;
    if (q.mode != quantisation::kind::per_channel) return detail::for_each_element<T, To>(in, out, function_of(q));
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<To>();
    const std::int64_t channels = x.extent(q.axis), inner = x.shape.elements(q.axis + 1);
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const auto f = function_of(quantisation(quant{
          detail::channel_scale(in[0], c), at < in[0].zero_points.size() ? in[0].zero_points[at] : q.zero_point}));
      for (std::int64_t outer = 0; outer < x.shape.elements(0, q.axis); ++outer)
        for (std::int64_t i = (outer * channels + c) * inner, end = i + inner; i < end; ++i) y[i] = f(x[i]);
    }
  }
};

}  // namespace ops

/// `quant_dtype_cast<i8>(x, into<quant{…}>)`, `quant_dtype_cast<f32>(x)`, with `axis<…>` where x has several scales.
template <dtype To, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto quant_dtype_cast(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::quant_dtype_cast>(x, keyword::value<keyword::src_t_slot, static_cast<int>(X.type)>{},
                                           keyword::value<keyword::dst_t_slot, static_cast<int>(To)>{}, keywords...);
}
/// `quantise(x, into<quant{…}>)` to i8, `quantise<u8>(…)`, …: quantises x with this scale.
template <dtype To = i8, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto quantise(tensor<X> x, Keywords... keywords) {
  return quant_dtype_cast<To>(x, keywords...);
}
/// dequantise(x) to f32, `dequantise<f16>(x)`, …: the real numbers of x.
template <dtype To = f32, tensor_desc X> constexpr auto dequantise(tensor<X> x) {
  return quant_dtype_cast<To>(x, keyword::one_integer<keyword::axis_slot, X.quantised.axis>{});
}

}}  // namespace nnrt::NNRT_ISA
