// diagnose: a broken rule in words - what, where, got and expected - for graphs that arrive at run time.
// Flow: compile() and readers turn verdicts into errors; the compiler prints the same rule and values for static graphs.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/ir/graph.hpp>

#include <string>

namespace nnrt::inline NNRT_ISA {

namespace detail {

/// "input channels must equal weight channels times group" for the enumerator input_channels_must_….
[[gnu::cold]] inline std::string words_of(std::string_view enumerator) {
  std::string words(enumerator);
  for (char& c : words)
    if (c == '_') c = ' ';
  return words;
}

[[gnu::cold]] inline std::string value_text(unit counted, std::int64_t value) {
  if (counted == unit::type && value >= 0 && value < dtype_count) return std::string(name_of(static_cast<dtype>(value)));
  if (counted == unit::layout && value >= 0 && value <= static_cast<int>(format::nd)) return std::string(name_of(static_cast<format>(value)));
  if (counted == unit::real) return text_of(std::bit_cast<float>(static_cast<std::int32_t>(value)));
  return std::to_string(value);
}

/// All dtypes of the first operand of which a verdict names only one.
[[gnu::cold]] inline std::string accepted_text(const verdict& v, const operator_info& op) {
  const auto got = static_cast<dtype>(v.actual), named = static_cast<dtype>(v.expected);
  for (const operand_spec& spec : op.inputs) {
    if (spec.accepts.contains(got) || !spec.accepts.contains(named)) continue;
    std::string all;
    for (int i = 1; i < dtype_count; ++i)
      if (const auto one = static_cast<dtype>(i); spec.accepts.contains(one)) append(all, {all.empty() ? "" : ", ", name_of(one)});
    return all.size() == name_of(named).size() ? all : "one of " + all;
  }
  return value_text(v.counted, v.expected);
}

}  // namespace detail

/// `conv2d "stem": input channels must equal weight channels times group (got 3, expected 4)`.
[[gnu::cold]] inline std::string to_string(const verdict& v, const operator_info& op, std::string_view node_name) {
  const std::string_view rule = (v.by_signature ? rule_names<signature_rule>() : op.rules)[static_cast<std::size_t>(v.rule)];
  std::string text(op.name);
  if (!node_name.empty()) append(text, {" ", piece::in_quotes(node_name)});
  text += ": ";
  text += !rule.empty() ? detail::words_of(rule) : "rule " + std::to_string(v.rule) + " is broken";
  const bool is_of_types = v.by_signature && v.rule == static_cast<int>(signature_rule::operand_type_must_be_accepted_by_the_operator);
  return text + " (got " + detail::value_text(v.counted, v.actual) + ", expected " + (is_of_types ? detail::accepted_text(v, op) : detail::value_text(v.counted, v.expected)) + ")";
}

}  // namespace nnrt::inline NNRT_ISA
