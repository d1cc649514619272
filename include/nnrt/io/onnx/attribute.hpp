// attribute: an attribute of a node of an .onnx file.
// Flow: node_reader.hpp lists the attributes of a node once; readers of operators ask for them by name.
#pragma once

#include <nnrt/core/pool.hpp>
#include <nnrt/io/onnx/schema.hpp>
#include <nnrt/io/protobuf.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// Kinds of attributes (AttributeProto.type).
enum class attribute_kind : std::int8_t {
  undefined,
  real,
  integer,
  text,
  tensor,
  graph,
  reals,
  integers,
  texts,
  tensors,
  graphs,
  sparse_tensor,
  sparse_tensors,
  type,
  types,
};

/// An attribute as places in the file. Files of IR versions before 3 have no kinds; then it follows from the one field
/// that is present.
struct attribute {
  byte_range message, name, reference;  // reference: the name of an attribute of the function
  attribute_kind kind = attribute_kind::undefined;
  std::int64_t integer = 0;
  float real = 0;
  byte_range bytes;  // of a text, tensor or graph

  constexpr std::string_view name_in(const file_bytes& file) const { return file.bytes(name.at, name.size); }
  constexpr std::string_view text_in(const file_bytes& file) const { return file.bytes(bytes.at, bytes.size); }
  constexpr pool<std::int64_t> integers_in(const file_bytes& file) const {
    pool<std::int64_t> made;
    for (repeated_numbers<std::int64_t> numbers(file, message, schema::attribute::ints); numbers.next();)
      made.push_back(numbers.value());
    return made;
  }
  constexpr pool<float> reals_in(const file_bytes& file) const {
    pool<float> made;
    for (repeated_numbers<float> numbers(file, message, schema::attribute::floats); numbers.next();)
      made.push_back(numbers.value());
    return made;
  }
  /// The texts of a list.
  constexpr pool<byte_range> texts_in(const file_bytes& file) const {
    pool<byte_range> made;
    for (message_fields field(file, message); field.next();)
      if (field.number() == schema::attribute::strings) made.push_back(field.place());
    return made;
  }
};

/// Reads an attribute. `is_valid` becomes false after malformed fields.
[[gnu::cold]] constexpr attribute read_attribute(const file_bytes& file, const byte_range& message, bool& is_valid) {
  attribute made;
  made.message = message;
  attribute_kind found = attribute_kind::undefined;
  message_fields field(file, message);
  while (field.next()) {
    switch (field.number()) {
      case schema::attribute::name: made.name = field.place(); break;
      case schema::attribute::ref_attr_name: made.reference = field.place(); break;
      case schema::attribute::type: made.kind = static_cast<attribute_kind>(field.integer() & 127U); break;
      case schema::attribute::i:
        found = attribute_kind::integer, made.integer = static_cast<std::int64_t>(field.integer());
        break;
      case schema::attribute::f:
        found = attribute_kind::real;
        if (field.type() == wire::four_bytes) made.real = field.as<float>();
        else is_valid = false;
        break;
      case schema::attribute::s: found = attribute_kind::text, made.bytes = field.place(); break;
      case schema::attribute::t: found = attribute_kind::tensor, made.bytes = field.place(); break;
      case schema::attribute::g: found = attribute_kind::graph, made.bytes = field.place(); break;
      case schema::attribute::floats: found = attribute_kind::reals; break;
      case schema::attribute::ints: found = attribute_kind::integers; break;
      case schema::attribute::strings: found = attribute_kind::texts; break;
      case schema::attribute::tensors: found = attribute_kind::tensors; break;
      case schema::attribute::graphs: found = attribute_kind::graphs; break;
      case schema::attribute::sparse_tensor: found = attribute_kind::sparse_tensor, made.bytes = field.place(); break;
      case schema::attribute::tp: found = attribute_kind::type, made.bytes = field.place(); break;
    }
  }
  if (made.kind == attribute_kind::undefined) made.kind = found;
  is_valid = is_valid && field.is_valid();
  return made;
}

}}}  // namespace nnrt::NNRT_ISA::onnx
