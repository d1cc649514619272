// node_def_test: nodes of TensorFlow graphs in the options of Flex operators, as its converter writes them, and
// damaged.
#include <nnrt/io/tflite/flexbuffer.hpp>
#include <nnrt/io/tflite/node_def.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "../../support/flex_node.hpp"

namespace {

using namespace nnrt;
using namespace tflite_test;
using tflite::node_def;

// As the converter of TensorFlow 2.18 writes it for a Keras LSTM.
constexpr std::string_view converted(
    "\x11TensorListSetItem\0\x69\x12\x11TensorListSetItem\x1a\0\x1a\0\x1a\0*\x13\x0a\x0d"
    "element_dtype\x12\x02\x30\x01*\x23\x0a\x1d"
    "resize_if_index_out_of_bounds"
    "\x12\x02\x28\0\x32\x14\x0a\x12lstm/while/SetItem\0\x02\x7e\x6c\x14\x14\x04\x28\x01",
    134);
constexpr node_def found{tflite::listed_texts(converted)[1]};
static_assert(tflite::listed_texts(converted)[0] == "TensorListSetItem" && found.op() == "TensorListSetItem");
static_assert(found["element_dtype"] == 1 && found["resize_if_index_out_of_bounds"] == 0 && !found["num_elements"]);

TEST_CASE("node_def: attributes are integers of any size, booleans and element types, by their names") {
  const std::string message =
      node_message("Op", {{"all", 3, -1}, {"many", 3, 300}, {"is", 5, 1}, {"type", 6, 19}, {"text", 2, 0}});
  const node_def node(message);
  CHECK(node.op() == "Op");
  CHECK(node["all"] == -1);
  CHECK(node["many"] == 300);
  CHECK(node["is"] == 1);
  CHECK(node["type"] == 19);
  CHECK_FALSE(node["text"]);
  CHECK_FALSE(node["al"]);
  CHECK(tflite::dtype_of_tensorflow(*node["type"]) == f16);
  CHECK(tflite::dtype_of_tensorflow(7) == dtype::none);
  CHECK(tflite::dtype_of_tensorflow(-1) == dtype::none);
}

TEST_CASE("node_def: a message that is cut or changed has what stands before the fault, or nothing") {
  const std::string message = node_message("TensorListReserve", {{"num_elements", 3, 5}});
  for (std::size_t size = 0; size <= message.size(); ++size) {
    CAPTURE(size);
    const std::string cut = message.substr(0, size);  // a copy, so that sanitizers see where it ends
    const node_def node(cut);
    CHECK((node.op() == "TensorListReserve" || node.op().empty()));
    CHECK((!node["num_elements"] || node["num_elements"] == 5));
  }
  for (std::size_t i = 0; i < message.size(); ++i)
    for (int change = 1; change < 256; ++change) {
      std::string changed = message;
      changed[i] = static_cast<char>(changed[i] ^ change);
      CHECK(node_def(changed).op().size() <= message.size());
    }
}

TEST_CASE("node_def: lists of texts are found in any width, and no others") {
  for (const std::size_t length : {3U, 300U, 70000U}) {
    CAPTURE(length);
    const std::string message(length, 'm');
    const auto bytes = flex_options("name", message);
    const tflite::listed_texts texts(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    CHECK(texts[0] == "name");
    CHECK(texts[1] == message);
    CHECK(texts[2].empty());
  }
  flexbuffers::Builder b;
  b.Vector([&] { b.Int(5), b.String("x"); });
  b.Finish();
  const std::vector<std::uint8_t> mixed = b.GetBuffer();
  const tflite::listed_texts texts(std::string_view(reinterpret_cast<const char*>(mixed.data()), mixed.size()));
  CHECK(texts[0].empty());
  CHECK(texts[1] == "x");
  CHECK(tflite::listed_texts({})[0].empty());
  CHECK(tflite::named_numbers(converted)["element_dtype"] == std::nullopt);
  for (std::size_t size = 0; size < converted.size(); ++size) {
    const std::string cut(converted.substr(converted.size() - size));
    CHECK(tflite::listed_texts(cut)[0].size() <= size);
  }
}

}  // namespace
