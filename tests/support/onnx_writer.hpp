// onnx_writer: writes .onnx files for tests - messages in the format of Protocol Buffers, field by field.
// Flow: tests make a model() of a graph of nodes, tensors and declarations; fields out of order and damaged are theirs.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnx_test {

/// A message as bytes; each call appends a field.
struct message {
  std::string bytes;

  message& raw_varint(std::uint64_t number) {
    for (; number >= 128; number >>= 7) bytes += static_cast<char>((number & 127) | 128);
    bytes += static_cast<char>(number);
    return *this;
  }
  message& integer(std::uint64_t field, std::int64_t number) {
    return raw_varint(field << 3).raw_varint(static_cast<std::uint64_t>(number));
  }
  message& text(std::uint64_t field, std::string_view value) {
    raw_varint((field << 3) | 2).raw_varint(value.size());
    bytes += value;
    return *this;
  }
  message& part(std::uint64_t field, const message& value) { return text(field, value.bytes); }
  message& real(std::uint64_t field, float number) {
    raw_varint((field << 3) | 5);
    char raw[4];
    std::memcpy(raw, &number, 4);
    bytes.append(raw, 4);
    return *this;
  }
  /// A packed list of varints.
  message& integers(std::uint64_t field, const std::vector<std::int64_t>& list) {
    message packed;
    for (const std::int64_t number : list) packed.raw_varint(static_cast<std::uint64_t>(number));
    return text(field, packed.bytes);
  }
};

template <class T> std::string raw(const std::vector<T>& elements) {
  std::string made(elements.size() * sizeof(T), '\0');
  std::memcpy(made.data(), elements.data(), made.size());
  return made;
}

enum element_type {
  of_float = 1,
  of_uint8 = 2,
  of_int8 = 3,
  of_int32 = 6,
  of_int64 = 7,
  of_boolean = 9,
  of_bfloat16 = 16,
  of_int4 = 22
};

/// A tensor with its elements as raw bytes.
inline message tensor_of(std::string_view name, int type, const std::vector<std::int64_t>& dims,
                         std::string_view bytes) {
  message made;
  made.integers(1, dims).integer(2, type).text(8, name).text(9, bytes);
  return made;
}
inline message floats(std::string_view name, const std::vector<std::int64_t>& dims,
                      const std::vector<float>& elements) {
  return tensor_of(name, of_float, dims, raw(elements));
}
inline message longs(std::string_view name, const std::vector<std::int64_t>& dims,
                     const std::vector<std::int64_t>& elements) {
  return tensor_of(name, of_int64, dims, raw(elements));
}

/// Attributes.
inline message attribute(std::string_view name, std::int64_t number) {
  message made;
  return made.text(1, name).integer(3, number).integer(20, 2);
}
inline message attribute(std::string_view name, float number) {
  message made;
  return made.text(1, name).real(2, number).integer(20, 1);
}
inline message attribute(std::string_view name, const std::vector<std::int64_t>& list) {
  message made;
  return made.text(1, name).integers(8, list).integer(20, 7);
}
inline message text_attribute(std::string_view name, std::string_view value) {
  message made;
  return made.text(1, name).text(4, value).integer(20, 3);
}
inline message graph_attribute(std::string_view name, const message& graph) {
  message made;
  return made.text(1, name).part(6, graph).integer(20, 5);
}
inline message reference(std::string_view name, std::string_view of_function, int type) {
  message made;
  return made.text(1, name).integer(20, type).text(21, of_function);
}

using names = std::vector<std::string>;

inline message node(std::string_view type, const names& inputs, const names& outputs,
                    const std::vector<message>& attributes = {}, std::string_view domain = {}) {
  message made;
  for (const std::string& one : inputs) made.text(1, one);
  for (const std::string& one : outputs) made.text(2, one);
  made.text(4, type);
  for (const message& one : attributes) made.part(5, one);
  if (!domain.empty()) made.text(7, domain);
  return made;
}

/// A declaration; an extent of -1 is unknown, and -2 is the parameter "n".
inline message declaration(std::string_view name, int type, const std::vector<std::int64_t>& dims) {
  message shape;
  for (const std::int64_t extent : dims) {
    message dim;
    if (extent >= 0) dim.integer(1, extent);
    if (extent == -2) dim.text(2, "n");
    shape.part(1, dim);
  }
  message tensor, of_type, made;
  tensor.integer(1, type).part(2, shape);
  of_type.part(1, tensor);
  return made.text(1, name).part(2, of_type);
}

struct parts {
  std::vector<message> nodes, initializers, inputs, outputs;
};
inline message graph(const parts& p) {
  message made;
  for (const message& one : p.nodes) made.part(1, one);
  made.text(2, "main");
  for (const message& one : p.initializers) made.part(5, one);
  for (const message& one : p.inputs) made.part(11, one);
  for (const message& one : p.outputs) made.part(12, one);
  return made;
}

inline message opset(std::string_view domain, std::int64_t version) {
  message made;
  return made.text(1, domain).integer(2, version);
}
/// A whole file. `functions` are FunctionProtos.
inline std::string model(const parts& p, const std::vector<message>& opsets,
                         const std::vector<message>& functions = {}) {
  message made;
  made.integer(1, 8).text(2, "tests");
  for (const message& one : opsets) made.part(8, one);
  made.part(7, graph(p));
  for (const message& one : functions) made.part(25, one);
  return made.bytes;
}
inline std::string model(const parts& p, std::int64_t version = 13, const std::vector<message>& functions = {}) {
  return model(p, std::vector<message>{opset("", version)}, functions);
}

inline std::span<const std::byte> bytes_of(const std::string& file) { return std::as_bytes(std::span(file)); }

}  // namespace onnx_test
