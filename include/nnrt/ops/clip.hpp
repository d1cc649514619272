// clip: clamps numbers to a range.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Clamping to a range, element by element.
///
///   x: any shape      y: the same shape, min(max(x, min), max)
///
/// min is minus infinity and max infinity by default (0 and 0 in NNRt). NaN gives NaN. Plain integers are clamped to
/// the least and the largest integer between both.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: real numbers. Source: NNRt OH_NN_OPS_CLIP.
struct clip : detail::number_function {
  static constexpr op_code code{76};
  static constexpr std::string_view name = "clip";
  static constexpr foreign_numbers foreign{.nnrt = 76, .hdi = 30};
  static constexpr nnrt_parameter parameters[] = {nnrt_parameter{"max", 103, f32}.otherwise(0),
                                                  nnrt_parameter{"min", 104, f32}.otherwise(0)};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, max), (float, min));
    constexpr attrs() : max(math::infinity<float>), min(-math::infinity<float>) {}
  };
  enum class rule {
    max_must_not_be_below_min,
    quantised_type_must_be_i8_u8_or_i16,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    if (!(a.max >= a.min)) return require_real(Rule::max_must_not_be_below_min, a.max, a.min);
    const tensor_desc& x = in[0].desc;
    if (!x.quantised) return ok(x);
    if (!types::stored.contains(x.type)) return require(Rule::quantised_type_must_be_i8_u8_or_i16, x.type, i8);
    return detail::infer_quantised<Rule>(x, wanted);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (std::is_integral_v<T>)
      if (!in[0].desc->quantised) return clip_integers<T>(a, in, out);
    if constexpr (!std::is_integral_v<T> || can_be_quantised<T>)
      detail::compute_real<T>(in, out, [low = double{a.min}, high = double{a.max}](double x) {
        return x < low ? low : x > high ? high : x;
      });
  }

 private:
  template <class T> static constexpr void clip_integers(const attrs& a, arguments in, results out) {
    const T low = math::convert<T>(whole(a.min, -1)), high = math::convert<T>(whole(a.max, 1));
    detail::for_each_element<T>(in, out, [&](T x) { return x < low ? low : x > high ? high : x; });
  }
  /// The nearest integer inside a bound: at least min, or at most max. Infinite bounds are unchanged.
  static constexpr double whole(float bound, int side) {
    if (math::is_inf(bound)) return double{bound};
    return side < 0 ? math::ceil(double{bound}) : math::floor(double{bound});
  }
};

}  // namespace ops

/// `clip(x, at_least<-1>, at_most<1>)`, or with one bound.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto clip(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::clip>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
