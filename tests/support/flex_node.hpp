// flex_node: options of Flex operators as TensorFlow Lite's converter writes them: an operator's name and its node.
#pragma once

#include <flatbuffers/flexbuffers.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tflite_test {

/// An attribute of a node: an integer is field 3 of its value, a boolean field 5, an element type field 6.
struct node_attribute {
  std::string name;
  int field;
  std::int64_t value;
};
inline node_attribute element_dtype(int number) { return {"element_dtype", 6, number}; }
inline constexpr int float_elements = 1, integer_elements = 3;  // TensorFlow's DataType

inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 128; number >>= 7U) bytes += static_cast<char>(number % 128 + 128);
  return bytes + static_cast<char>(number);
}
/// A field of a message: an integer, or bytes after their count.
inline std::string message_field(int number, std::int64_t integer) {
  return varint(static_cast<std::uint64_t>(number) * 8) + varint(static_cast<std::uint64_t>(integer));
}
inline std::string message_field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) * 8 + 2) + varint(bytes.size()) + bytes;
}

/// A message NodeDef: name, operator, operands that are said elsewhere, attributes, and where the node comes from.
inline std::string node_message(const std::string& op, const std::vector<node_attribute>& attributes,
                                const std::string& origin = "lstm/while/TensorArrayV2") {
  std::string message = message_field(1, "") + message_field(2, op) + message_field(3, "") + message_field(3, "");
  for (const node_attribute& a : attributes)
    message += message_field(5, message_field(1, a.name) + message_field(2, message_field(a.field, a.value)));
  return message + message_field(6, message_field(1, origin));
}

/// Both texts as a list.
inline std::vector<std::uint8_t> flex_options(const std::string& op, const std::string& message) {
  flexbuffers::Builder b;
  b.Vector([&] {
    b.String(op);
    b.String(message);
  });
  b.Finish();
  return b.GetBuffer();
}
inline std::vector<std::uint8_t> flex_options(const std::string& op, const std::vector<node_attribute>& attributes) {
  return flex_options(op, node_message(op, attributes));
}

}  // namespace tflite_test
