// quantised_comparison: comparisons of two tensors, possibly quantised - rules about scales, and TFLite's arithmetic.
// Flow: used by infer and reference of less_equal, less, equal and similar operators.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/detail/binary.hpp>
#include <nnrt/ops/detail/quantised.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Rules of all operators that compare two tensors.
enum class comparison_rule {
  types_must_have_a_common_type,
  extents_must_be_equal_or_1,
  operands_must_both_be_quantised_or_both_plain,
  quantised_types_must_be_i8_u8_or_i16,
  quantised_types_must_be_equal,
  quantised_operands_must_have_one_scale,
};
void shared_by_operators(comparison_rule);

/// Result of a comparison: booleans of the broadcast shape. The dtypes must be comparable; both or neither are
/// quantised, with one dtype.
constexpr verdict infer_comparison(array_ref<const operand> in) {
  const tensor_desc &a = in[0].desc, &b = in[1].desc;
  if (common_type(a.type, b.type) == dtype::none)
    return require(comparison_rule::types_must_have_a_common_type, b.type, a.type);
  if (a.quantised || b.quantised) {
    constexpr auto both_or_none = comparison_rule::operands_must_both_be_quantised_or_both_plain;
    if (auto v = require(both_or_none, b.quantised ? 1 : 0, a.quantised ? 1 : 0); !v) return v;
    if (!types::stored.contains(a.type))
      return require(comparison_rule::quantised_types_must_be_i8_u8_or_i16, a.type, i8);
    if (auto v = require(comparison_rule::quantised_types_must_be_equal, b.type, a.type); !v) return v;
    for (const tensor_desc* x : {&a, &b})
      if (auto v = require_one_scale(comparison_rule::quantised_operands_must_have_one_scale, *x); !v) return v;
  }
  return infer_broadcast<comparison_rule>(in, boolean);
}

/// Common part of operators that compare two tensors; each has its element().
struct comparison {
  static constexpr operand_spec inputs[] = {{"a", types::any}, {"b", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::logical}};
  static constexpr operator_traits traits{.typed_in_common = types::any,
                                          .quantised = quantised_values::computed,
                                          .in_files = file_order::broadcast,
                                          .axes = axis_role::elementwise};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  static constexpr auto macs = no_macs;

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return infer_comparison(in);
  }
};

/// Converts quantised values of an operand to multiples of 1/256 of their real values, in fixed point.
template <class T> struct quantised_multiples {
  std::int32_t zero;
  fixed_point factor;
  static constexpr int left_shift = 8;

  /// For comparison with another operand. A common power of two is omitted: the smaller numbers then are below 2^55,
  /// and larger ones that saturate are beyond them in any case.
  constexpr quantised_multiples(const view& x, const view& other)
      : zero(x.desc->quantised.zero_point), factor(factor_of(x)) {
    constexpr int whole = 31;  // with such exponents products are integers
    const int common = std::min(factor_of(other).exponent, factor.exponent);
    if (common > whole) factor.exponent -= common - whole;
  }
  constexpr std::int64_t operator()(T x) const {
    return rounding::double_rounding::scale_exactly((x - zero) * (1 << left_shift), factor);
  }

 private:
  static constexpr fixed_point factor_of(const view& x) { return fixed_point_of(double{x.desc->quantised.scale}); }
};

/// y = Op::element(a, b); for quantised values it compares multiples of 1/256 of their real values. Source: the
/// reference kernels of TFLite's comparisons, which have 8 bits.
template <class Op, class T> constexpr void compare(arguments in, results out) {
  if constexpr (can_be_quantised<T>) {
    if (in[0].desc->quantised) {
      const quantised_multiples<T> of_a(in[0], in[1]), of_b(in[1], in[0]);
      return for_each_pair<T, bool>(in, out,
                                    [&](T a, T b) { return Op::template element<std::int64_t>({}, of_a(a), of_b(b)); });
    }
  }
  for_each_pair<T, bool>(in, out, [](T a, T b) { return Op::template element<T>({}, a, b); });
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
