// node_def: reads the operator and attributes of a TensorFlow node from the options of a Flex operator.
// Flow: readers of Flex operators make a node_def from the second text of a node's custom_options.
#pragma once

#include <nnrt/core/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Iterates over the fields of a message in the Protocol Buffers format. A field is a key, which is 8 * field number +
/// wire type, and a value.
class message_fields {
 public:
  constexpr explicit message_fields(std::string_view message) : rest_(message) {}

  /// Reads the next field. Returns false at the end, and at bytes that are no valid field.
  constexpr bool next() {
    enum class wire_type { integer, of_8_bytes, counted_bytes, begin_of_group, end_of_group, of_4_bytes };
    std::uint64_t key = 0;
    if (!read(key)) return false;
    number_ = key >> 3U, integer_ = 0, bytes_ = {};
    switch (static_cast<wire_type>(key & 7U)) {
      case wire_type::integer: return read(integer_);
      case wire_type::of_8_bytes: return take(8);
      case wire_type::of_4_bytes: return take(4);
      case wire_type::counted_bytes: {
        std::uint64_t size = 0;
        return read(size) && take(size);
      }
      case wire_type::begin_of_group:
      case wire_type::end_of_group: break;  // deprecated; TensorFlow writes none
    }
    return false;
  }
  constexpr std::uint64_t number() const { return number_; }
  constexpr std::uint64_t integer() const { return integer_; }
  constexpr std::string_view bytes() const { return bytes_; }

 private:
  /// Reads a varint: seven bits in each byte, lowest first; the last byte is below 128.
  constexpr bool read(std::uint64_t& number) {
    number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_[0]);
      rest_.remove_prefix(1);
      number |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return true;
    }
    return false;
  }
  constexpr bool take(std::uint64_t size) {
    if (size > rest_.size()) return false;
    bytes_ = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return true;
  }

  std::string_view rest_, bytes_;
  std::uint64_t number_ = 0, integer_ = 0;
};

}  // namespace detail

/// A node of a TensorFlow graph (message NodeDef), from an untrusted file. Invalid bytes give an empty name and no
/// attributes.
class node_def {
 public:
  constexpr explicit node_def(std::string_view message) : message_(message) {}

  /// The operator's name.
  constexpr std::string_view op() const {
    constexpr std::uint64_t op_field = 2;
    for (detail::message_fields field(message_); field.next();)
      if (field.number() == op_field) return field.bytes();
    return {};
  }
  /// An attribute that is an integer, a boolean or an element type; none when it is missing or of another kind.
  constexpr std::optional<std::int64_t> operator[](std::string_view name) const {
    constexpr std::uint64_t attribute_field = 5, key_field = 1, value_field = 2;
    for (detail::message_fields field(message_); field.next();) {
      if (field.number() != attribute_field) continue;
      std::string_view key, value;
      for (detail::message_fields part(field.bytes()); part.next();) {
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
    for (detail::message_fields field(value); field.next();)
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
