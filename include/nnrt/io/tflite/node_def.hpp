// node_def: reads the operator and attributes of a TensorFlow node from the options of a Flex operator.
// Flow: readers of Flex operators make a node_def from the second text of a node's custom_options.
#pragma once

#include <nnrt/core/dtype.hpp>
#include <nnrt/io/protobuf.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// A node of a TensorFlow graph (message NodeDef), from an untrusted file. Invalid bytes give an empty name and no
/// attributes.
class node_def {
 public:
  constexpr explicit node_def(std::string_view message) : message_(message) {}

  /// The operator's name.
  constexpr std::string_view op() const {
    constexpr std::uint64_t op_field = 2;
    for (message_fields field(message_); field.next();)
      if (field.number() == op_field) return field.bytes();
    return {};
  }
  /// An attribute that is an integer, a boolean or an element type; none when it is missing or of another kind.
  constexpr std::optional<std::int64_t> operator[](std::string_view name) const {
    constexpr std::uint64_t attribute_field = 5, key_field = 1, value_field = 2;
    for (message_fields field(message_); field.next();) {
      if (field.number() != attribute_field) continue;
      std::string_view key, value;
      for (message_fields part(field.bytes()); part.next();) {
        if (part.number() == key_field) key = part.bytes();
        if (part.number() == value_field) value = part.bytes();
      }
      if (key == name) return number_of(value);
    }
    return std::nullopt;
  }

 private:
  static constexpr std::optional<std::int64_t> number_of(std::string_view value) {
    constexpr std::uint64_t integer_field = 3, truth_field = 5, type_field = 6;
    for (message_fields field(value); field.next();)
      if (field.number() == integer_field || field.number() == truth_field || field.number() == type_field)
        return static_cast<std::int64_t>(field.integer());
    return std::nullopt;
  }

  std::string_view message_;
};

/// nnrt's dtype for an element type of TensorFlow (DataType); `none` when there is none.
constexpr dtype dtype_of_tensorflow(std::int64_t number) {
  constexpr dtype none = dtype::none;
  constexpr dtype types[] = {none, f32,  f64,  i32,  u8,   i16, i8,   none, none, i64,  boolean, none,
                             none, none, none, none, none, u16, none, f16,  none, none, u32,     u64};
  return number >= 0 && number < 24 ? types[number] : none;
}
static_assert(dtype_of_tensorflow(10) == boolean && dtype_of_tensorflow(19) == f16 && dtype_of_tensorflow(23) == u64);

}}}  // namespace nnrt::NNRT_ISA::tflite
