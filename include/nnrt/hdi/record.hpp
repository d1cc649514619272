// record: macros that define HDI's structures with reflected members, for Boost.Hana and for serialisation.
// Flow: hdi/types.hpp and hdi/nodes.hpp define every structure with them; hdi/wire.hpp iterates over the members.
#pragma once

#include <nnrt/core/attributes.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

/// Types of a structure's members, after one `void`.
template <class... Types> struct member_types;

/// A structure of HDI with reflected names and types of members.
template <class T>
concept record = requires {
  T::member_names;
  typename T::members;
};

namespace detail {

template <class T> struct plainness {
  static constexpr bool value = std::is_arithmetic_v<T> || std::is_enum_v<T>;
};
template <class... Types> struct plainness<member_types<void, Types...>> {
  static constexpr bool value = (plainness<Types>::value && ...);
};
template <record T> struct plainness<T> : plainness<typename T::members> {};

}  // namespace detail

/// Whether a type is serialised as its memory: numbers, and structures that hold only numbers.
template <class T> inline constexpr bool is_plain = detail::plainness<T>::value;

/// Whether a structure has a member of this name.
template <record T> constexpr bool has_member(std::string_view name) {
  for (const std::string_view member : T::member_names)
    if (member == name && !name.empty()) return true;
  return false;
}

}}}  // namespace nnrt::NNRT_ISA::hdi

#define NNRT_HDI_NAME(TYPE, NAME) #NAME,
#define NNRT_HDI_TYPE(TYPE, NAME) , TYPE
#define NNRT_HDI_EQUAL(TYPE, NAME) &&a.NAME == b.NAME
#define NNRT_HDI_MEMBERS(RECORD, ...)                                                                \
  NNRT_ATTRIBUTES(RECORD, __VA_ARGS__);                                                              \
  static constexpr std::string_view member_names[] = {NNRT_FOR_EACH(NNRT_HDI_NAME, __VA_ARGS__) ""}; \
  using members = ::nnrt::hdi::member_types<void NNRT_FOR_EACH(NNRT_HDI_TYPE, __VA_ARGS__)>;         \
  friend bool operator==([[maybe_unused]] const RECORD& a, [[maybe_unused]] const RECORD& b) {       \
    return true NNRT_FOR_EACH(NNRT_HDI_EQUAL, __VA_ARGS__);                                          \
  }

/// Defines a structure that holds only numbers: NNRT_HDI_PLAIN(QuantParam, (std::int32_t, numBits), …). It is
/// serialised as its memory, a multiple of 8 bytes.
#define NNRT_HDI_PLAIN(RECORD, ...)       \
  struct alignas(8) RECORD {              \
    NNRT_HDI_MEMBERS(RECORD, __VA_ARGS__) \
  };                                      \
  static_assert(::nnrt::hdi::is_plain<RECORD>);

/// Defines a structure that holds lists, texts or file descriptors, directly or nested. Its members are serialised in
/// order.
#define NNRT_HDI_RECORD(RECORD, ...)      \
  struct RECORD {                         \
    NNRT_HDI_MEMBERS(RECORD, __VA_ARGS__) \
  };                                      \
  static_assert(!::nnrt::hdi::is_plain<RECORD>);
