// rule_names: names of the enumerators of an operator's rules.
// Flow: operator_info holds an operator's list; diagnose.hpp and fault.hpp use it in messages.
#pragma once

#include <nnrt/core/enumerators.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// The text of the enumerators 0 … Count - 1, and of casts for numbers without an enumerator.
template <class Rule, int Count>
inline constexpr std::string_view enumerators_of = []<int... I>(std::integer_sequence<int, I...>) {
  return text_of_enumerators<static_cast<Rule>(I)...>();
}(std::make_integer_sequence<int, Count>());

}  // namespace detail

/// Names of an enumeration of rules, in order. They are extracted from one text on demand, which few programs need.
class rule_list {
  // First: in constant evaluation clang does not find a member template declared after its use.
  /// Calls found(name) for each enumerator while it returns true, up to the first number without one, which is a cast:
  /// "(…::rule)2".
  template <class F> constexpr void for_each(F found) const {
    if (text_.empty()) return;
    const char* first = text_.data() + text_.find(" = ") + 3;
    bool is_cast = false;
    for (const char *at = first, *end = text_.data() + text_.size(); at != end; ++at) {
      if (*at == ':') first = at + 1, is_cast = false;
      if (*at == '(' || *at == ')') is_cast = true;
      if (*at != ',') continue;
      if (is_cast || !found(std::string_view(first, static_cast<std::size_t>(at - first)))) return;
      first = at + 2;
    }
  }

 public:
  constexpr rule_list() = default;
  constexpr explicit rule_list(std::string_view text) : text_(text) {}

  constexpr std::size_t size() const {
    std::size_t n = 0;
    for_each([&](std::string_view) { return ++n, true; });
    return n;
  }
  constexpr bool empty() const { return size() == 0; }
  /// Empty for a number without an enumerator.
  constexpr std::string_view operator[](std::size_t i) const {
    std::string_view wanted;
    for_each([&](std::string_view name) { return i-- == 0 ? (wanted = name, false) : true; });
    return wanted;
  }

 private:
  std::string_view text_;
};

/// Names of an enumeration that starts at 0. Compilers print 16 enumerators at a quarter of the cost of 64; no operator
/// has 64.
template <class Rule> constexpr rule_list rule_names() {
  constexpr int few = 16, more_than_any_has = 64;
  // The last enumerator of a text is not listed, see for_each.
  if constexpr (!detail::has_enumerator<Rule, few - 2>) return rule_list(detail::enumerators_of<Rule, few>);
  else return rule_list(detail::enumerators_of<Rule, more_than_any_has>);
}

}}  // namespace nnrt::NNRT_ISA
