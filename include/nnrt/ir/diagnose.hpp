// diagnose: a broken rule in words - what, where, got and expected - for graphs that arrive at run time.
// Flow: compile() and readers turn verdicts into errors; for static graphs the compiler prints rule and values.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/ir/graph.hpp>

#include <string>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// "input channels must equal weight channels times group" for the enumerator input_channels_must_….
[[gnu::cold]] constexpr pool<char> words_of(std::string_view enumerator) {
  pool<char> words;
  for (const char c : enumerator) words.push_back(c == '_' ? ' ' : c);
  return words;
}

[[gnu::cold]] constexpr pool<char> value_letters(unit counted, std::int64_t value) {
  const bool is_type = counted == unit::type && value >= 0 && value < dtype_count;
  const bool is_layout = counted == unit::layout && value >= 0 && value <= static_cast<int>(format::nd);
  if (is_type) return letters({name_of(static_cast<dtype>(value))});
  if (is_layout) return letters({name_of(static_cast<format>(value))});
  if (counted == unit::real) return letters({std::bit_cast<float>(static_cast<std::int32_t>(value))});
  return letters({value});
}
[[gnu::cold]] inline std::string value_text(unit counted, std::int64_t value) {
  return string_of(value_letters(counted, value));
}

/// All dtypes that the operator accepts for this operand; the verdict names only one of them.
[[gnu::cold]] constexpr pool<char> accepted_letters(const verdict& v, const operator_info& op) {
  const auto got = static_cast<dtype>(v.actual), named = static_cast<dtype>(v.expected);
  for (const operand_spec& spec : op.inputs) {
    if (spec.accepts.contains(got) || !spec.accepts.contains(named)) continue;
    pool<char> all;
    for (int i = 1; i < dtype_count; ++i)
      if (const auto one = static_cast<dtype>(i); spec.accepts.contains(one))
        append(all, {all.empty() ? "" : ", ", name_of(one)});
    if (all.size() == name_of(named).size()) return all;  // not with ?: - g++ 12 destroys the chosen operand twice
    return letters({"one of ", all});
  }
  return value_letters(v.counted, v.expected);
}

}  // namespace detail

/// `conv2d "stem": input channels must equal weight channels times group (got 3, expected 4)`.
[[gnu::cold]] constexpr pool<char> letters_of(const verdict& v, const operator_info& op, std::string_view node_name) {
  const std::string_view rule =
      (v.by_signature ? rule_names<signature_rule>() : op.rules)[static_cast<std::size_t>(v.rule)];
  pool<char> text;
  append(text, {op.name});
  if (!node_name.empty()) append(text, {" ", piece::in_quotes(node_name)});
  if (!rule.empty()) append(text, {": ", detail::words_of(rule)});
  else append(text, {": rule ", v.rule, " is broken"});
  const bool is_of_types =
      v.by_signature && v.rule == static_cast<int>(signature_rule::operand_type_must_be_accepted_by_the_operator);
  append(text, {" (got ", detail::value_letters(v.counted, v.actual), ", expected "});
  if (is_of_types) append(text, {detail::accepted_letters(v, op), ")"});
  else append(text, {detail::value_letters(v.counted, v.expected), ")"});
  return text;
}
[[gnu::cold]] inline std::string to_string(const verdict& v, const operator_info& op, std::string_view node_name) {
  return string_of(letters_of(v, op, node_name));
}

}}  // namespace nnrt::NNRT_ISA
