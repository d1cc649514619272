// verdict: result of an operator's rules for a node - its output descs, or the broken rule with the two values.
// Flow: infer() returns it; the DSL turns it into a compile error, dynamic front ends into an error with the same text.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/core/pool.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA {

/// Number of an operator: NNRt's OH_NN_OperationType if it has one, else 1000 or more.
enum class op_code : std::int32_t {};

/// Rules that follow from an operator's table of operands; checked before its own rules.
enum class signature_rule {
  required_operand_must_be_given,
  operands_must_not_exceed_the_signature,
  operand_type_must_be_accepted_by_the_operator,
  operand_must_be_a_constant,
  extents_must_not_be_negative,
  tensor_must_not_exceed_the_size_limit,
  attributes_must_be_well_formed,
  output_count_must_match,
  declared_output_type_must_match,
  declared_output_rank_must_match,
  declared_output_extent_must_match,
  quantised_type_must_be_an_integer,
  scale_must_be_positive_and_finite,
  zero_point_must_be_a_number_of_the_type,
  quantised_axis_must_be_an_axis,
  quantised_operand_must_have_one_scale,
  quantised_operands_must_be_accepted_by_the_operator,
  quantisation_of_operands_must_be_the_same,
  declared_output_quantisation_must_match,
  rounding_must_be_one_of_the_operator,
};

/// Declared for every enumeration of rules shared by operators: compilers' messages then also name the operator.
void shared_by_operators(signature_rule);

/// Unit of a verdict's two values; `real` means the bits of a float.
enum class unit { number, type, layout, real };

/// A broken rule of an operator, or the output descs.
struct verdict {
  op_code op{};
  int rule = -1;  // index in Op::rule or signature_rule; -1: no rule is broken
  bool by_signature = false;
  unit counted = unit::number;
  std::int64_t actual = 0;  // in the rule's unit: a rank, a channel count, pixels, a dtype
  std::int64_t expected = 0;
  pool<tensor_desc> outputs;

  constexpr explicit operator bool() const { return rule < 0; }
  constexpr const tensor_desc& output(int i) const { return outputs[static_cast<std::size_t>(i)]; }
};

/// A rule of any operator or of the signature, without its type: functions below are compiled once, not for each
/// operator.
struct rule_id {
  int index;
  bool by_signature;

  template <class Rule>
    requires(__is_enum(Rule))
  constexpr rule_id(Rule rule) : index(static_cast<int>(rule)), by_signature(std::is_same_v<Rule, signature_rule>) {}
};

namespace detail {
constexpr verdict broken_rule(rule_id rule, unit counted, std::int64_t got, std::int64_t expected) {
  verdict v;
  v.rule = rule.index;
  v.by_signature = rule.by_signature;
  v.counted = counted;
  v.actual = got;
  v.expected = expected;
  return v;
}
}  // namespace detail

/// Success if both values are equal, else the broken rule with both.
constexpr verdict require(rule_id rule, std::int64_t got, std::int64_t expected) {
  return got == expected ? verdict{} : detail::broken_rule(rule, unit::number, got, expected);
}
constexpr verdict require(rule_id rule, dtype got, dtype expected) {
  return got == expected ? verdict{}
                         : detail::broken_rule(rule, unit::type, static_cast<int>(got), static_cast<int>(expected));
}
constexpr verdict require(rule_id rule, format got, format expected) {
  return got == expected ? verdict{}
                         : detail::broken_rule(rule, unit::layout, static_cast<int>(got), static_cast<int>(expected));
}
/// Both NCHW or neither: as in NNRt, formats without an order are treated like NHWC.
constexpr verdict require_same_order(rule_id rule, format got, format expected) {
  return (got == nchw) == (expected == nchw) ? verdict{} : require(rule, got, expected);
}
constexpr verdict require_at_least(rule_id rule, std::int64_t got, std::int64_t least) {
  return got >= least ? verdict{} : detail::broken_rule(rule, unit::number, got, least);
}
constexpr verdict require_at_most(rule_id rule, std::int64_t got, std::int64_t most) {
  return got <= most ? verdict{} : detail::broken_rule(rule, unit::number, got, most);
}
/// Requires least <= got <= most; the broken bound is the expected value.
constexpr verdict require_between(rule_id rule, std::int64_t got, std::int64_t least, std::int64_t most) {
  return got < least ? detail::broken_rule(rule, unit::number, got, least) : require_at_most(rule, got, most);
}
/// Requires equal extents; unknown ones (-1) are accepted.
constexpr verdict require_same_extent(rule_id rule, std::int64_t got, std::int64_t expected) {
  return got < 0 || expected < 0 ? verdict{} : require(rule, got, expected);
}
/// Requires equal real numbers, such as scales.
constexpr verdict require_real(rule_id rule, float got, float expected) {
  return got == expected ? verdict{}
                         : detail::broken_rule(rule, unit::real, std::bit_cast<std::int32_t>(got),
                                               std::bit_cast<std::int32_t>(expected));
}
/// Requires least <= got <= most for real numbers; the broken bound is the expected value. NaN is refused.
constexpr verdict require_real_between(rule_id rule, float got, float least, float most) {
  return got <= most && got >= least ? verdict{} : require_real(rule, got, got > most ? most : least);
}
/// For rules about an operand that must, or must not, be given.
constexpr verdict refuse(rule_id rule, std::int64_t got, std::int64_t expected) {
  return detail::broken_rule(rule, unit::number, got, expected);
}

/// Success with these outputs.
template <class... Desc> constexpr verdict ok(const Desc&... desc) {
  verdict v;
  v.outputs.reserve(sizeof...(Desc));
  (v.outputs.push_back(desc), ...);
  return v;
}

/// An operand for rules: its desc and, for a constant integer operand, its values.
struct operand {
  tensor_desc desc;
  array_ref<const std::int64_t> values;  // of a constant integer operand; empty if unknown
  bool constant = false;                 // a constant or a weight: known before the network runs
  // a constant computed from shapes that are still unknown; extents that depend on it are -1
  bool awaited = false;

  /// False for an optional operand that is missing.
  constexpr explicit operator bool() const { return desc.type != dtype::none; }
  /// Whether the integer values are known, including an empty list.
  constexpr bool has_values() const { return constant && std::int64_t(values.size()) == desc.elements(); }
};

}}  // namespace nnrt::NNRT_ISA
