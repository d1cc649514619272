// less_equal: whether a <= b, element by element.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/stored_number.hpp>
#include <nnrt/ops/detail/binary.hpp>
#include <nnrt/ops/detail/quantised.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Comparison of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do      y: the common shape, of booleans: whether a <= b
///
/// Elements are compared in the dtype of higher precision of the two: floats before integers before booleans, of which
/// false is the smaller one. Nothing is less than, or equal to, a NaN.
///
/// Quantised: a and b both i8, u8 or i16, with one scale each; the real numbers are brought to multiples of 1/256, in
/// fixed point, and those are compared: what is closer than that may count as equal.
///
/// Broken rules: see `rule`; extents are counted from the innermost, scales are counted. Source: NNRt
/// OH_NN_OPS_LESS_EQUAL; quantised: the reference kernels of TFLite's LESS_EQUAL, which has 8 bits.
struct less_equal {
  static constexpr op_code code{18};
  static constexpr std::string_view name = "less_equal";
  static constexpr operand_spec inputs[] = {{"a", types::any}, {"b", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::logical}};
  static constexpr operator_traits traits{.typed_in_common = types::any, .quantised = stored_numbers::computed};
  static constexpr foreign_numbers foreign{.nnrt = 18, .hdi = 78};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {
    types_must_have_a_common_type,
    extents_must_be_equal_or_1,
    operands_must_both_be_quantised_or_both_plain,
    quantised_types_must_be_i8_u8_or_i16,
    quantised_types_must_be_equal,
    quantised_operands_must_have_one_scale,
  };

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc &a = in[0].desc, &b = in[1].desc;
    if (common_type(a.type, b.type) == dtype::none)
      return require(rule::types_must_have_a_common_type, b.type, a.type);
    if (a.quantised || b.quantised)
      if (auto v = check_stored(a, b); !v) return v;
    return detail::infer_broadcast<rule>(in, boolean);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr bool element(const attrs&, T a, T b) { return a <= b; }
  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    if constexpr (can_be_stored<T>)
      if (in[0].desc->quantised) return detail::for_each_pair<T, bool>(in, out, stored_at_most<T>(in));
    detail::for_each_pair<T, bool>(in, out, [&](T a, T b) { return element(attributes, a, b); });
  }

 private:
  static constexpr verdict check_stored(const tensor_desc& a, const tensor_desc& b) {
    constexpr rule both_or_none = rule::operands_must_both_be_quantised_or_both_plain;
    if (auto v = require(both_or_none, b.quantised ? 1 : 0, a.quantised ? 1 : 0); !v) return v;
    if (!types::stored.contains(a.type)) return require(rule::quantised_types_must_be_i8_u8_or_i16, a.type, i8);
    if (auto v = require(rule::quantised_types_must_be_equal, b.type, a.type); !v) return v;
    if (auto v = detail::require_one_scale(rule::quantised_operands_must_have_one_scale, a); !v) return v;
    return detail::require_one_scale(rule::quantised_operands_must_have_one_scale, b);
  }

  /// The function of two stored numbers.
  template <class T> struct stored_at_most {
    std::int32_t zero_a, zero_b;
    fixed_point factor_a, factor_b;
    static constexpr int left_shift = 8;

    constexpr explicit stored_at_most(arguments in)
        : zero_a(in[0].desc->quantised.zero_point),
          zero_b(in[1].desc->quantised.zero_point),
          factor_a(fixed_point_of(double{in[0].desc->quantised.scale})),
          factor_b(fixed_point_of(double{in[1].desc->quantised.scale})) {}
    constexpr bool operator()(T a, T b) const { return brought(a - zero_a, factor_a) <= brought(b - zero_b, factor_b); }

    static constexpr std::int32_t brought(std::int32_t x, fixed_point factor) {
      return rounding::twice::scale(x * (1 << left_shift), factor);
    }
  };
};

}  // namespace ops

/// less_equal(a, b), where one of the two may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto less_equal(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::less_equal>(a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
