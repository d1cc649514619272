// hdi_field: what an operator says of its node in HDI, where a member is not simply the attribute of the same name.
// Flow: operators' headers list their fields; hdi/operators.hpp makes nodes of attributes, and attributes of nodes, by
// them.
#pragma once

#include <nnrt/core/config.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// How one member of an operator's HDI node comes about. Members without a row are filled by the attribute whose name
/// is theirs in snake_case (keepDims by keep_dims), activationType by `fused`, padMode and padList by `pad`.
struct hdi_field {
  /// Where the member's value comes from.
  enum class source {
    attribute,  // another attribute than that of its name
    number,     // it is always the same
    extents,    // of an operand; readers compare
    presence,   // whether an operand is given
    use,        // whether an attribute is anything else than `number`
  };
  static constexpr std::int64_t as_it_is = std::numeric_limits<std::int64_t>::min();

  std::string_view member;  // as HDI spells it; empty: no member holds the attribute
  std::string_view attribute;
  source from = source::attribute;
  std::int64_t number = 0;
  int operand = 0, axis = 0;         // of extents: the first
  bool tells_apart = false;          // several operators share the node type: this member says which it is
  std::int64_t upstream = as_it_is;  // what the shipped implementation writes instead
  bool upstream_repeats = false;     // it writes the first row of the list in place of the others
  std::string_view text = {};        // of `number`, where the member is a text
  // of a list: nothing where nobody said anything, which is what the attribute is made with
  bool is_omitted = false;

  static constexpr hdi_field named(std::string_view member, std::string_view attribute) { return {member, attribute}; }
  /// An attribute that HDI does not know.
  static constexpr hdi_field unknown(std::string_view attribute) { return {{}, attribute}; }
  static constexpr hdi_field always(std::string_view member, std::int64_t number) {
    return {member, {}, source::number, number};
  }
  static constexpr hdi_field always(std::string_view member, std::string_view text) {
    hdi_field f{member, {}, source::number};
    f.text = text;
    return f;
  }
  /// `number` is what this operator is known by among those of its node type.
  static constexpr hdi_field choice(std::string_view member, std::int64_t number) {
    return {member, {}, source::number, number, 0, 0, true};
  }
  /// One extent of an operand or, where the member is a list, those of both axes from `axis` on.
  static constexpr hdi_field extent(std::string_view member, int operand, int axis) {
    return {member, {}, source::extents, 0, operand, axis};
  }
  static constexpr hdi_field is_given(std::string_view member, int operand) {
    return {member, {}, source::presence, 0, operand};
  }
  static constexpr hdi_field is_used(std::string_view member, std::string_view attribute, std::int64_t unused) {
    return {member, attribute, source::use, unused};
  }
  constexpr hdi_field telling_apart() const {
    hdi_field f = *this;
    f.tells_apart = true;
    return f;
  }
  constexpr hdi_field upstream_writes(std::int64_t constant) const {
    hdi_field f = *this;
    f.upstream = constant;
    return f;
  }
  constexpr hdi_field upstream_repeating() const {
    hdi_field f = *this;
    f.upstream_repeats = true;
    return f;
  }
  /// For attributes that nobody says as they are made; others that a model leaves out cannot be told from those that it
  /// says.
  constexpr hdi_field upstream_omitting() const {
    hdi_field f = *this;
    f.is_omitted = true;
    return f;
  }
};

/// The fields of an activation without attributes: HDI has one node type for all of them.
constexpr std::array<hdi_field, 5> hdi_activation(std::int64_t number) {
  return {hdi_field::choice("activationType", number), hdi_field::always("alpha", 0), hdi_field::always("minVal", 0),
          hdi_field::always("maxVal", 0), hdi_field::always("approximate", 0)};
}

/// The fields of a reduction with all attributes, likewise.
constexpr std::array<hdi_field, 2> hdi_reduction(std::int64_t mode) {
  return {hdi_field::choice("mode", mode), hdi_field::named("coeff", "coefficient")};
}

}}  // namespace nnrt::NNRT_ISA
