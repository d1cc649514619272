// cast: the elements as another dtype.
// Flow: front ends call infer(); the DSL's cast<f16>(x) makes the type a constant; kernels/select.hpp binds casts from
// and to f32.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/type_numbers.hpp>
#include <nnrt/ops/detail/unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Conversion of each element to the dtype given by `type`.
///
///   x: any shape, any dtype
///   type: one integer, a constant: number of a dtype, as in OH_NN_DataType, or as in HDI 3.2
///   y: the same shape, of that dtype
///
/// Floats are truncated to integers and saturated, NaN gives 0; narrower integers get the low bits; values other than 0
/// are true. Quantised tensors are refused: see quant_dtype_cast. Broken rules: see `rule`. Source: NNRt
/// OH_NN_OPS_CAST, with open cases decided by this library.
struct cast {
  static constexpr op_code code{6};
  static constexpr std::string_view name = "cast";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"type", types::integer, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{.nnrt = 6, .hdi = 28};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule { type_must_be_one_number, type_must_be_known_to_the_rules, type_must_be_the_number_of_a_dtype };

  /// NNRt reads the type when the operation is added.
  static constexpr nnrt_fault nnrt_refuses(const attrs&, array_ref<const operand> in, array_ref<const nnrt_given>) {
    if (!in[1].has_values() || in[1].values.size() == 0) return {"known integers of type", 0, 1};
    if (const std::int64_t number = in[1].values[0]; number < 0 || number >= dtype_count)
      return {"type", number, number < 0 ? 0 : dtype_count - 1};
    return {};
  }

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const operand& type = in[1];
    if (auto v = require(Rule::type_must_be_one_number, type.desc.elements(), 1); !v) return v;
    if (!type.has_values()) return refuse(Rule::type_must_be_known_to_the_rules, 0, 1);
    const std::int64_t number = type.values[0];
    const dtype named = detail::numbered_type(number);
    if (named == dtype::none)
      return require_between(Rule::type_must_be_the_number_of_a_dtype, number, 1, dtype_count - 1);
    return ok(tensor_desc{named, in[0].desc.layout, in[0].desc.shape});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    with_element<types::any>(out[0].type(), [&]<class To>(To) {
      detail::for_each_element<T, To>(in, out, [](T x) { return math::convert<To>(x); });
    });
  }
};

}  // namespace ops

/// `cast<f16>(x)`: x as another dtype.
template <dtype To, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto cast(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::cast>(x, keyword::one_integer<keyword::type_slot, static_cast<int>(To)>{}, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
