// hdi_field: how a member of an operator's HDI node is filled, if not from the attribute of the same name.
// Flow: operators' headers list their fields; hdi/operators.hpp converts attributes to nodes and back with them.
#pragma once

#include <nnrt/core/config.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Rule for a member of an operator's HDI node. Members without a rule are filled from the attribute with their name in
/// snake_case (keepDims from keep_dims), activationType from `fused`, padMode and padList from `pad`.
struct hdi_field {
  /// Source of the member's value.
  enum class source {
    attribute,  // an attribute with another name
    number,     // a constant
    extents,    // extents of an operand; readers compare them
    presence,   // whether an operand is given
    use,        // whether an attribute differs from `number`
  };
  static constexpr std::int64_t as_it_is = std::numeric_limits<std::int64_t>::min();

  std::string_view member;  // as in HDI; empty: no member holds the attribute
  std::string_view attribute;
  source from = source::attribute;
  std::int64_t number = 0;
  int operand = 0, axis = 0;         // of extents: the first axis
  bool tells_apart = false;          // several operators share the node type; this member identifies the operator
  std::int64_t upstream = as_it_is;  // what the shipped implementation writes instead
  bool upstream_repeats = false;     // the shipped implementation writes the first row of a list for all rows
  std::string_view text = {};        // the constant, if the member is a text
  // of a list: the shipped implementation omits it if the attribute has its default
  bool is_omitted = false;

  static constexpr hdi_field named(std::string_view member, std::string_view attribute) { return {member, attribute}; }
  /// An attribute that HDI does not have.
  static constexpr hdi_field unknown(std::string_view attribute) { return {{}, attribute}; }
  static constexpr hdi_field always(std::string_view member, std::int64_t number) {
    return {member, {}, source::number, number};
  }
  static constexpr hdi_field always(std::string_view member, std::string_view text) {
    hdi_field f{member, {}, source::number};
    f.text = text;
    return f;
  }
  /// `number` identifies this operator among those of its node type.
  static constexpr hdi_field choice(std::string_view member, std::int64_t number) {
    return {member, {}, source::number, number, 0, 0, true};
  }
  /// An extent of an operand; for a list, the extents of `axis` and `axis` + 1.
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
  /// For attributes that programs never set to their default: omitted and default values cannot be told apart.
  constexpr hdi_field upstream_omitting() const {
    hdi_field f = *this;
    f.is_omitted = true;
    return f;
  }
};

/// Fields of an activation without attributes; HDI has one node type for all activations.
constexpr std::array<hdi_field, 5> hdi_activation(std::int64_t number) {
  return {hdi_field::choice("activationType", number), hdi_field::always("alpha", 0), hdi_field::always("minVal", 0),
          hdi_field::always("maxVal", 0), hdi_field::always("approximate", 0)};
}

/// Fields of a reduction; HDI has one node type for all reductions.
constexpr std::array<hdi_field, 2> hdi_reduction(std::int64_t mode) {
  return {hdi_field::choice("mode", mode), hdi_field::named("coeff", "coefficient")};
}

}}  // namespace nnrt::NNRT_ISA
