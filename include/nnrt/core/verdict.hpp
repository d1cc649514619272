// verdict: what an operator's rules say of one node - its output descs, or the one broken rule with the two values
// involved.
// Flow: infer() returns it; the DSL turns it into a compile error, dynamic front ends into an error with the same
// words.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/core/pool.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA {

/// The number of an operator: NNRt's OH_NN_OperationType where it has one, else 1000 and up.
enum class op_code : std::int32_t {};

/// Rules that follow from an operator's table of operands; they are checked before its own.
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

/// Declared beside every enumeration of rules that several operators share: the compiler's complaint names the
/// operator, too.
void shared_by_operators(signature_rule);

/// What the two values of a verdict count; a real one stands there as the bits of a float.
enum class unit { number, type, layout, real };

/// One broken rule of one operator, or the output descs when nothing is broken.
struct verdict {
  op_code op{};
  int rule = -1;  // index into Op::rule, or into signature_rule; -1: nothing is broken
  bool by_signature = false;
  unit counted = unit::number;
  std::int64_t actual = 0;  // in the rule's own unit: a rank, a channel count, pixels, a dtype
  std::int64_t expected = 0;
  pool<tensor_desc> outputs;

  constexpr explicit operator bool() const { return rule < 0; }
  constexpr const tensor_desc& output(int i) const { return outputs[static_cast<std::size_t>(i)]; }
};

/// A rule of any operator, or of the signature, without its type: what follows is compiled once, and not for each
/// operator again.
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

/// A true verdict when both values are equal, else the broken rule with both.
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
/// NCHW beside NCHW, or any others: a format that names no order goes with NHWC, as NNRt has it.
constexpr verdict require_same_order(rule_id rule, format got, format expected) {
  return (got == nchw) == (expected == nchw) ? verdict{} : require(rule, got, expected);
}
constexpr verdict require_at_least(rule_id rule, std::int64_t got, std::int64_t least) {
  return got >= least ? verdict{} : detail::broken_rule(rule, unit::number, got, least);
}
constexpr verdict require_at_most(rule_id rule, std::int64_t got, std::int64_t most) {
  return got <= most ? verdict{} : detail::broken_rule(rule, unit::number, got, most);
}
/// least <= got <= most; the bound that is broken is the expected value.
constexpr verdict require_between(rule_id rule, std::int64_t got, std::int64_t least, std::int64_t most) {
  return got < least ? detail::broken_rule(rule, unit::number, got, least) : require_at_most(rule, got, most);
}
/// Equal extents, or one of them not known yet (-1).
constexpr verdict require_same_extent(rule_id rule, std::int64_t got, std::int64_t expected) {
  return got < 0 || expected < 0 ? verdict{} : require(rule, got, expected);
}
/// The same for real numbers, such as scales.
constexpr verdict require_real(rule_id rule, float got, float expected) {
  return got == expected ? verdict{}
                         : detail::broken_rule(rule, unit::real, std::bit_cast<std::int32_t>(got),
                                               std::bit_cast<std::int32_t>(expected));
}
/// least <= got <= most; the bound that is broken is the expected value. Not a number lies outside.
constexpr verdict require_real_between(rule_id rule, float got, float least, float most) {
  return got <= most && got >= least ? verdict{} : require_real(rule, got, got > most ? most : least);
}
/// For rules about an operand that must, or must not, be there.
constexpr verdict refuse(rule_id rule, std::int64_t got, std::int64_t expected) {
  return detail::broken_rule(rule, unit::number, got, expected);
}

/// Nothing is broken, and these are the outputs.
template <class... Desc> constexpr verdict ok(const Desc&... desc) {
  verdict v;
  v.outputs.reserve(sizeof...(Desc));
  (v.outputs.push_back(desc), ...);
  return v;
}

/// One operand as rules see it: its desc and, of a constant integer operand, its values.
struct operand {
  tensor_desc desc;
  array_ref<const std::int64_t> values;  // integers of a constant; empty when unknown
  bool constant = false;                 // a constant or a weight: known before the network runs
  // a constant whose values follow from shapes that are still unknown: extents that it gives are -1
  bool awaited = false;

  /// Whether there is such an operand at all: optional ones may be missing.
  constexpr explicit operator bool() const { return desc.type != dtype::none; }
  /// Whether the integer values are known (an empty list of a constant is known, too).
  constexpr bool has_values() const { return constant && std::int64_t(values.size()) == desc.elements(); }
};

}}  // namespace nnrt::NNRT_ISA
