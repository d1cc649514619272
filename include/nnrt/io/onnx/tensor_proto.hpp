// tensor_proto: a constant tensor of an .onnx file - desc, place and elements.
// Flow: graph_reader.hpp makes constants and weights of initializers and of tensors in attributes.
#pragma once

#include <nnrt/core/boolean_bytes.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/onnx/schema.hpp>
#include <nnrt/io/protobuf.hpp>

#include <bit>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// A tensor of a file. Borrows nothing; places are offsets in the file.
struct tensor_proto {
  byte_range message, name;
  tensor_desc desc;               // in the graph: bfloat16 is f32, 4-bit integers are 8-bit ones
  std::int64_t element_type = 0;  // in the file
  bool is_raw = false;            // elements are the bytes of `raw`, little-endian
  byte_range raw;
  bool is_external = false;  // elements are in another file
  byte_range location;       // its path, relative to the model's folder
  std::uint64_t offset = 0;
  std::int64_t length = -1;  // -1: up to the end of the file

  /// True when the bytes of the file are the elements in the graph's form.
  constexpr bool is_in_form() const { return is_raw && is_in_form_outside(); }
  constexpr bool is_in_form_outside() const {
    return schema::element_type_of(element_type).bits == 8 * static_cast<int>(size_of(desc.type));
  }
  /// Bytes of the elements in the file, packed.
  constexpr std::int64_t stored_bytes() const {
    const std::int64_t bits = desc.elements() * schema::element_type_of(element_type).bits;
    return (bits + 7) / 8;
  }
};

namespace detail {

[[gnu::cold]] constexpr error tensor_error(const file_view& file, const tensor_proto& t, error_code code, pieces why) {
  pool<char> text;
  append(text, {"tensor ", piece::in_quotes(file.bytes(t.name.at, t.name.size)), ": "});
  append(text, why);
  return {code, text};
}

/// Reads the decimal number of a key of external data.
constexpr bool read_decimal(std::string_view text, std::uint64_t& number) {
  number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || number > (~std::uint64_t{0} - 9) / 10) return false;
    number = 10 * number + static_cast<std::uint64_t>(c - '0');
  }
  return !text.empty();
}

[[gnu::cold]] constexpr result<void> read_external(const file_view& file, const byte_range& message, tensor_proto& t) {
  std::string_view key;
  byte_range value;
  for (message_fields part(file, message); part.next();) {
    if (part.number() == schema::entry::key) key = part.bytes();
    if (part.number() == schema::entry::value) value = part.place();
  }
  const std::string_view text = file.bytes(value.at, value.size);
  std::uint64_t number = 0;
  if (key == "location") t.location = value;
  if (key != "offset" && key != "length") return {};
  if (!read_decimal(text, number) || number > std::uint64_t{1} << 62U)
    return fail(tensor_error(file, t, error_code::invalid_file,
                             {"external data: ", key, ": got ", piece::in_quotes(text), ", expected a number"}));
  if (key == "offset") t.offset = number;
  else t.length = static_cast<std::int64_t>(number);
  return {};
}

/// The bytes of a typed field that is one packed list: they are as those of raw_data would be. Empty for other fields.
[[gnu::cold]] constexpr byte_range find_packed(const file_view& file, const byte_range& message,
                                               schema::number number) {
  byte_range found;
  for (message_fields field(file, message); field.next();) {
    if (field.number() != number) continue;
    if (!found.empty() || field.type() != wire::counted_bytes) return {};
    found = field.place();
  }
  return found;
}

/// Reads all fields but the extents. Refuses malformed fields and segments.
[[gnu::cold]] constexpr result<tensor_proto> read_fields(const file_view& file, const byte_range& message) {
  tensor_proto t;
  t.message = message;
  bool is_segment = false;
  message_fields field(file, message);
  while (field.next()) {
    switch (field.number()) {
      case schema::tensor::name: t.name = field.place(); break;
      case schema::tensor::data_type: t.element_type = static_cast<std::int64_t>(field.integer()); break;
      case schema::tensor::raw_data: t.is_raw = true, t.raw = field.place(); break;
      case schema::tensor::segment: is_segment = true; break;
      case schema::tensor::data_location: t.is_external = field.integer() == 1; break;
      case schema::tensor::external_data:
        if (auto ok = read_external(file, field.place(), t); !ok) return fail(std::move(ok.error()));
        break;
    }
  }
  if (!field.is_valid())
    return fail(tensor_error(file, t, error_code::invalid_file, {"byte ", field.at(), ": no valid field of a tensor"}));
  if (is_segment) return fail(tensor_error(file, t, error_code::not_supported, {"is one segment of a tensor"}));
  return t;
}
/// Reads the extents of a tensor.
[[gnu::cold]] constexpr result<shape_t> read_shape(const file_view& file, const tensor_proto& t) {
  const auto refusal = [&](error_code code, pieces why) { return fail(tensor_error(file, t, code, why)); };
  shape_t shape;
  repeated_numbers<std::int64_t> dims(file, t.message, schema::tensor::dims);
  std::size_t rank = 0;
  while (dims.next()) {
    ++rank;
    if (dims.value() < 0 || dims.value() > max_elements)
      return refusal(error_code::invalid_file, {"extents: got ", dims.value(), ", expected 0 to ", max_elements});
    if (rank <= max_rank) shape.push_back(dims.value());
  }
  if (!dims.is_valid()) return refusal(error_code::invalid_file, {"extents: no valid list of numbers"});
  if (rank > max_rank) return refusal(error_code::not_supported, {"got ", rank, " axes, expected at most ", max_rank});
  if (shape.elements() < 0 || shape.elements() > max_elements)
    return refusal(error_code::invalid_file, {"got ", shape, ", more elements than memory can hold"});
  return shape;
}
/// Finds the place of the elements in the file, or checks that of external data.
[[gnu::cold]] constexpr result<void> find_elements(const file_view& file, tensor_proto& t, std::string_view type) {
  const auto refusal = [&](pieces why) { return fail(tensor_error(file, t, error_code::invalid_file, why)); };
  if (t.is_external) {
    if (t.location.empty()) return refusal({"external data: got no location"});
    if (t.length >= 0 && t.length != t.stored_bytes())
      return refusal({"external data: got ", t.length, " bytes, expected ", t.stored_bytes(), " for ",
                      piece(t.desc.type, t.desc.shape)});
    return {};
  }
  if (!t.is_raw && (t.element_type == 1 || t.element_type == 11)) {
    const bool is_float = t.element_type == 1;
    t.raw = find_packed(file, t.message, is_float ? schema::tensor::float_data : schema::tensor::double_data);
    t.is_raw = static_cast<std::int64_t>(t.raw.size) == t.stored_bytes() && !t.raw.empty();
  }
  if (t.is_raw && static_cast<std::int64_t>(t.raw.size) != t.stored_bytes())
    return refusal({"got ", t.raw.size, " bytes, expected ", t.stored_bytes(), " for ", type, " ", t.desc.shape});
  return {};
}

}  // namespace detail

/// Reads the desc of a tensor and the place of its elements. Errors: invalid_file (malformed fields, extents that are
/// negative or too large, another number of bytes than the elements take), not_supported (element types that nnrt does
/// not have, more axes than it has, segments).
[[gnu::cold]] constexpr result<tensor_proto> read_tensor(const file_view& file, const byte_range& message) {
  auto t = detail::read_fields(file, message);
  if (!t) return t;
  const schema::element_type type = schema::element_type_of(t->element_type);
  if (type.type == dtype::none)
    return fail(detail::tensor_error(file, *t, error_code::not_supported,
                                     {"elements of type ", type.name, " (", t->element_type, ")"}));
  const auto shape = detail::read_shape(file, *t);
  if (!shape) return fail(shape.error());
  t->desc = {type.type, default_format(shape->rank), *shape};
  if (auto ok = detail::find_elements(file, *t, type.name); !ok) return fail(std::move(ok.error()));
  return t;
}

namespace detail {

/// Appends an element to `to`, in the graph's form.
template <class T> constexpr void append_element(pool<std::byte>& to, T element) {
  struct raw_bytes {
    std::byte bytes[sizeof(T)];
  };
  for (const std::byte byte : std::bit_cast<raw_bytes>(element).bytes) to.push_back(byte);
}
/// The float with these bits of bfloat16 in its upper half.
constexpr float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16U); }

/// Half a byte as an 8-bit integer: bits 0 to 3 for `low`.
constexpr std::uint8_t half_of(std::uint8_t byte, bool low, bool is_signed) {
  const unsigned half = low ? byte & 15U : byte >> 4U;
  return static_cast<std::uint8_t>(is_signed && half > 7 ? half | 0xF0U : half);
}

/// Appends the elements of `stored`, packed little-endian bytes of the file's type.
[[gnu::cold]] constexpr void append_raw(const file_bytes& file, const byte_range& stored, const tensor_proto& t,
                                        pool<std::byte>& to) {
  const auto count = static_cast<std::size_t>(t.desc.elements());
  if (t.element_type == schema::of_bfloat16) {
    for (std::size_t i = 0; i < count; ++i)
      append_element(to, from_bfloat16(file.number<std::uint16_t>(stored.at + 2 * i)));
  } else if (t.element_type == schema::of_uint4 || t.element_type == schema::of_int4) {
    for (std::size_t i = 0; i < count; ++i)
      to.push_back(static_cast<std::byte>(
          half_of(file.number<std::uint8_t>(stored.at + i / 2), i % 2 == 0, t.element_type == schema::of_int4)));
  } else {
    const std::string_view bytes = file.bytes(stored.at, stored.size);
    for (const char byte : bytes) to.push_back(static_cast<std::byte>(byte));
  }
}

/// Appends the numbers of a typed field, at most `most`; returns their count, or -1 after invalid bytes.
template <class Number, class Append>
[[gnu::cold]] constexpr std::int64_t append_typed(const file_bytes& file, const byte_range& message,
                                                  schema::number field, std::int64_t most, Append append) {
  std::int64_t count = 0;
  repeated_numbers<Number> numbers(file, message, field);
  while (numbers.next())
    if (count++ < most) append(numbers.value());
  return numbers.is_valid() ? count : -1;
}

/// Appends the elements of the typed fields. Returns their number, or -1 after invalid bytes.
[[gnu::cold]] constexpr std::int64_t append_typed_elements(const file_bytes& file, const tensor_proto& t,
                                                           pool<std::byte>& to) {
  const std::int64_t most = t.desc.elements();
  const auto as = [&]<class T>(T) { return [&](auto number) { append_element(to, static_cast<T>(number)); }; };
  const auto integers = [&](schema::number field, auto append) {
    return append_typed<std::int64_t>(file, t.message, field, most, append);
  };
  switch (t.element_type) {
    case 1: return append_typed<float>(file, t.message, schema::tensor::float_data, most, as(float{}));
    case 11: return append_typed<double>(file, t.message, schema::tensor::double_data, most, as(double{}));
    case 7: return integers(schema::tensor::int64_data, as(std::int64_t{}));
    case 12: return integers(schema::tensor::uint64_data, as(std::uint32_t{}));
    case 13: return integers(schema::tensor::uint64_data, as(std::uint64_t{}));
    case 9:
      return integers(schema::tensor::int32_data, [&](std::int64_t n) { to.push_back(std::byte(n != 0 ? 1 : 0)); });
    case schema::of_bfloat16:
      return integers(schema::tensor::int32_data,
                      [&](std::int64_t n) { append_element(to, from_bfloat16(static_cast<std::uint16_t>(n))); });
    case schema::of_uint4:
    case schema::of_int4: {
      // each number of the list is a byte with two elements
      const bool is_signed = t.element_type == schema::of_int4;
      std::int64_t made = 0;
      const std::int64_t bytes =
          append_typed<std::int64_t>(file, t.message, schema::tensor::int32_data, (most + 1) / 2, [&](std::int64_t n) {
            for (const bool low : {true, false})
              if (made < most) {
                to.push_back(static_cast<std::byte>(half_of(static_cast<std::uint8_t>(n), low, is_signed)));
                ++made;
              }
          });
      return bytes == (most + 1) / 2 ? most : bytes;
    }
  }
  switch (size_of(t.desc.type)) {
    case 1: return integers(schema::tensor::int32_data, as(std::uint8_t{}));
    case 2: return integers(schema::tensor::int32_data, as(std::uint16_t{}));
    default: return integers(schema::tensor::int32_data, as(std::uint32_t{}));
  }
}

}  // namespace detail

/// Appends all elements in the graph's form, `t.desc.bytes()` bytes. Not for external data. Error: invalid_file
/// (another number of elements, booleans that are neither 0 nor 1).
[[gnu::cold]] constexpr result<void> append_elements(const file_view& file, const tensor_proto& t,
                                                     pool<std::byte>& to) {
  const std::size_t before = to.size();
  if (t.is_raw) {
    detail::append_raw(file, t.raw, t, to);
  } else {
    const std::int64_t count = detail::append_typed_elements(file, t, to);
    if (count != t.desc.elements())
      return fail(detail::tensor_error(
          file, t, error_code::invalid_file,
          {"got ", count < 0 ? 0 : count, " elements, expected ", t.desc.elements(), " for ", t.desc.shape}));
  }
  if (t.desc.type != boolean) return {};
  const array_ref<const std::byte> made(to.data() + before, to.size() - before);
  if (const std::size_t i = first_no_boolean(made); i != made.size())
    return fail(detail::tensor_error(file, t, error_code::invalid_file,
                                     {"got a boolean that is neither 0 nor 1 at element ", i}));
  return {};
}

}}}  // namespace nnrt::NNRT_ISA::onnx
