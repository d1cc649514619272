// squared_difference: (a - b)^2 with broadcasting.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Square of the difference of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do      y: the common shape, (a - b) * (a - b)
///
/// y has the dtype of higher precision of the two: floats before integers before booleans, which count as 0 and 1.
/// Integers wrap around.
///
/// Quantised: a and b i8, u8 or i16 with one scale each, y with the scale that `into<quant{…}>` gives; both are shifted
/// left by 7 bits, brought to twice the larger scale and subtracted; the square is brought to the scale of y.
///
/// Broken rules: see `rule`; extents are counted from the innermost, scales are counted. Source: NNRt
/// OH_NN_OPS_SQUARED_DIFFERENCE; quantised: the reference kernel of TFLite's SQUARED_DIFFERENCE, which has i8.
struct squared_difference {
  static constexpr op_code code{34};
  static constexpr std::string_view name = "squared_difference";
  static constexpr operand_spec inputs[] = {{"a", detail::arithmetic}, {"b", detail::arithmetic}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .typed_in_common = types::number,
                                          .quantised = quantised_values::computed,
                                          .in_files = file_order::broadcast};
  static constexpr error_bound errors[] = {{types_of(f32), 2}, {types_of(f16), 0.51}, {types_of(f64), 2}};
  static constexpr foreign_numbers foreign{.nnrt = 34, .hdi = 149, .tells_quantisation = 0};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {
    types_must_have_a_common_type,
    operands_must_not_both_be_boolean,
    extents_must_be_equal_or_1,
    operands_must_both_be_quantised_or_both_plain,
    quantised_types_must_be_i8_u8_or_i16,
    quantised_types_must_be_equal,
    quantised_operands_must_have_one_scale,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    return detail::infer_quantised_arithmetic<Rule>(in, wanted);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs&, T a, T b) {
    using wide = detail::wrapping_t<T>;
    const wide difference = static_cast<wide>(a) - static_cast<wide>(b);
    return static_cast<T>(difference * difference);
  }
  /// The function of two quantised values.
  template <class T> static constexpr auto stored(const detail::quantised_pair& of) {
    return detail::quantised_squared_difference<T>(of);
  }

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::compute_pairs<squared_difference, T>(attributes, in, out);
  }
};

}  // namespace ops

/// squared_difference(a, b), where one of the two may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
  requires dsl::operand_pair<A, B>
constexpr auto squared_difference(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::squared_difference>(a, b, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
