// record: how HDI's structures are defined - members with their names and types, for Boost.Hana and for the byte form.
// Flow: hdi/types.hpp and hdi/nodes.hpp define every structure with these macros; hdi/wire.hpp walks them.
#pragma once

#include <nnrt/core/attributes.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

/// The types of a structure's members, behind one `void`.
template <class... Types> struct member_types;

/// A structure of HDI: its members are reflected, their names and types known.
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

/// Whether a type goes over as the bytes that it has in memory: numbers, and structures of nothing else.
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

/// A structure of numbers alone: NNRT_HDI_PLAIN(QuantParam, (std::int32_t, numBits), …). Its byte form is its memory, a
/// multiple of 8 bytes.
#define NNRT_HDI_PLAIN(RECORD, ...)       \
  struct alignas(8) RECORD {              \
    NNRT_HDI_MEMBERS(RECORD, __VA_ARGS__) \
  };                                      \
  static_assert(::nnrt::hdi::is_plain<RECORD>);

/// A structure with lists, texts or file descriptors, here or further inside. Its byte form is that of its members, one
/// after the other.
#define NNRT_HDI_RECORD(RECORD, ...)      \
  struct RECORD {                         \
    NNRT_HDI_MEMBERS(RECORD, __VA_ARGS__) \
  };                                      \
  static_assert(!::nnrt::hdi::is_plain<RECORD>);
