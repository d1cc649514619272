// convert: converts operators' attributes to members of HDI's structures and back, one overload for each pair of types.
// Flow: hdi/operators.hpp matches members with attributes by name, and converts each pair here.
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/core/rule_names.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/hdi/nodes.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi::detail {

/// An attribute that is a list: int_list, or a list of real numbers.
template <class T>
concept attribute_list = requires(T list) {
  list.items[0];
  list.count;
};
/// A type that holds one number.
template <class T>
concept scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Why a member is invalid; empty: it is valid.
using fault = std::string;

// --- attributes to members -----------------------------------------------------

inline constexpr ActivationType activation_types[] = {ACTIVATION_TYPE_NO_ACTIVATION, ACTIVATION_TYPE_RELU,
                                                      ACTIVATION_TYPE_RELU6};
static_assert(nnrt::detail::covers<activation, std::size(activation_types)>);

template <scalar M, scalar A> void put(M& member, const A& attribute) {
  if constexpr (std::is_same_v<A, activation>) member = static_cast<M>(activation_types[static_cast<int>(attribute)]);
  else member = static_cast<M>(attribute);
}
inline void put(longs& member, const extent2& lengths) { member = {lengths.h, lengths.w}; }
inline void put(PadMode& member, const pads& border) { member = static_cast<PadMode>(border.mode); }
/// Lengths have no meaning with an automatic mode; they are written only if they are set.
inline void put(longs& member, const pads& border) {
  const bool has_lengths = border.top != 0 || border.bottom != 0 || border.left != 0 || border.right != 0;
  member.clear();
  if (border.mode == pad_mode::explicit_pads || has_lengths)
    member = {border.top, border.bottom, border.left, border.right};
}
template <class E, attribute_list A> void put(std::vector<E>& member, const A& list) {
  member.assign(list.items, list.items + list.count);
}
/// One row for each axis: padding at the start and at the end.
template <attribute_list A> void put(rows_of_longs& member, const A& list) {
  member.clear();
  for (int i = 0; i + 1 < list.count; i += 2) member.push_back({list.items[i], list.items[i + 1]});
}
inline void put(std::vector<float>& member, float number) { member = {number}; }
/// Channel order of depth_to_space: "CRD" or "DCR".
inline void put(std::string& member, bool is_crd) { member = is_crd ? "CRD" : "DCR"; }

// --- members to attributes ------------------------------------------------------

/// Number of values of a boolean or an enumeration; values start at 0.
template <class E> constexpr std::int64_t choices_of() {
  if constexpr (std::is_same_v<E, bool>) return 2;
  else return static_cast<std::int64_t>(rule_names<E>().size());
}

template <scalar A, scalar M> fault get(A& attribute, const M& member) {
  if constexpr (std::is_same_v<A, activation>) {
    for (int i = 0; i < 3; ++i)
      if (activation_types[i] == static_cast<ActivationType>(member))
        return attribute = static_cast<activation>(i), fault();
    return joined({"got activation ", static_cast<std::int64_t>(member), ", expected 0, 1 (relu) or 3 (relu6)"});
  } else {
    if constexpr (std::is_enum_v<A> || (std::is_same_v<A, bool> && !std::is_same_v<M, bool>)) {
      const auto number = static_cast<std::int64_t>(member);
      if (number < 0 || number >= choices_of<A>())
        return joined({"got ", number, ", expected 0 to ", choices_of<A>() - 1});
    }
    attribute = static_cast<A>(member);
    return {};
  }
}
/// An empty list leaves the default.
inline fault get(extent2& lengths, const longs& member) {
  if (member.size() > 2) return joined({"has ", member.size(), " numbers, expected at most 2"});
  if (!member.empty()) lengths = {member.front(), member.back()};
  return {};
}
inline fault get(pads& border, const PadMode& member) { return get(border.mode, member); }
inline fault get(pads& border, const longs& member) {
  if (member.empty()) return {};
  if (member.size() != 4) return joined({"has ", member.size(), " numbers, expected 4"});
  border.top = member[0], border.bottom = member[1], border.left = member[2], border.right = member[3];
  return {};
}
template <attribute_list A, class E> fault get(A& list, const std::vector<E>& member) {
  constexpr std::size_t most = std::extent_v<decltype(A::items)>;
  if (member.size() > most) return joined({"has ", member.size(), " numbers, expected at most ", most});
  list.count = 0;
  for (const E& number : member) list.items[list.count++] = number;
  return {};
}
template <attribute_list A> fault get(A& list, const rows_of_longs& member) {
  constexpr std::size_t most = std::extent_v<decltype(A::items)> / 2;
  if (member.size() > most) return joined({"has ", member.size(), " rows, expected at most ", most});
  list.count = 0;
  for (std::size_t i = 0; i < member.size(); ++i) {
    if (member[i].size() != 2) return joined({"row ", i, " has ", member[i].size(), " numbers, expected 2"});
    for (const std::int64_t number : member[i]) list.items[list.count++] = number;
  }
  return {};
}
inline fault get(float& number, const std::vector<float>& member) {
  if (member.size() > 1) return joined({"has ", member.size(), " numbers, expected at most 1"});
  if (!member.empty()) number = member[0];
  return {};
}
inline fault get(bool& is_crd, const std::string& member) {
  if (!member.empty() && member != "DCR" && member != "CRD")
    return joined({"got ", piece::in_quotes(member), ", expected \"DCR\" or \"CRD\""});
  is_crd = member == "CRD";
  return {};
}

template <class M, class A>
concept holds = requires(M& member, A& attribute) {
  put(member, attribute);
  get(attribute, member);
};

}}}  // namespace nnrt::NNRT_ISA::hdi::detail
