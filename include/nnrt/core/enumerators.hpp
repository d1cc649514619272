// enumerators: whether a number has an enumerator, so that tables by enumeration can assert that they are complete.
// Flow: tables indexed by an enumeration assert `covers`; core/rule_names.hpp extracts names from the same text.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// "… [with auto ...Enumerators = {nnrt::…::rule::name, nnrt::…::rule::other, (nnrt::…::rule)2, …}; …]", clang: "…
/// [Enumerators = <…>]".
template <auto... Enumerators> constexpr std::string_view text_of_enumerators() { return __PRETTY_FUNCTION__; }

/// Whether an enumerator has this number. A number without one is printed as a cast, "(nnrt::…::rule)14".
template <class Enum, int Number>
inline constexpr bool has_enumerator = [] {
  const std::string_view text = text_of_enumerators<static_cast<Enum>(Number)>();
  const char next = text[text.rfind(')') + 1];
  return next < '0' || next > '9';
}();

/// Whether an enumeration that starts at 0 has exactly Count enumerators. Tables with an entry for each assert it.
template <class Enum, std::size_t Count>
inline constexpr bool covers =
    has_enumerator<Enum, static_cast<int>(Count) - 1> && !has_enumerator<Enum, static_cast<int>(Count)>;

}}}  // namespace nnrt::NNRT_ISA::detail
