// onnx_document_test: what io/onnx/ parses of .onnx files is what protobuf's own classes for ONNX read.
// Flow: ONNX's backend tests and the models of NNRT_MODELS_DIR, unchanged and as protobuf writes them again, are parsed
// by both and compared field by field, graphs within graphs and elements of tensors included.
#include <doctest/doctest.h>
#include <onnx/onnx_pb.h>
#include <nnrt/io/onnx/attribute.hpp>
#include <nnrt/io/onnx/document.hpp>
#include <nnrt/io/onnx/tensor_proto.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace ours = nnrt::onnx;
namespace fs = std::filesystem;

/// Compares what both read of one file.
struct comparison {
  nnrt::file_view file;
  std::size_t nodes = 0, attributes = 0, elements = 0;

  std::string text(const nnrt::byte_range& place) const { return std::string(file.bytes(place.at, place.size)); }
  std::string name(const ours::graph_document& g, std::int32_t index) const {
    return index == ours::no_name ? std::string() : text(g.names[static_cast<std::size_t>(index)]);
  }

  void compare(const ours::opset& got, const onnx::OperatorSetIdProto& expected) const {
    CHECK(text(got.domain) == expected.domain());
    CHECK(got.version == expected.version());
  }

  void compare(const nnrt::byte_range& message, const onnx::TensorProto& expected) {
    const auto got = ours::read_tensor(file, message);
    const nnrt::dtype type = ours::schema::element_type_of(expected.data_type()).type;
    if (type == nnrt::dtype::none || expected.data_location() == onnx::TensorProto::EXTERNAL) return;
    CAPTURE(expected.name());
    REQUIRE(got);
    CHECK(text(got->name) == expected.name());
    CHECK(got->desc.type == type);
    REQUIRE(got->desc.rank() == expected.dims_size());
    for (int i = 0; i < expected.dims_size(); ++i) CHECK(got->desc.shape[i] == expected.dims(i));
    nnrt::pool<std::byte> bytes;
    REQUIRE(ours::append_elements(file, *got, bytes));
    CHECK(static_cast<std::int64_t>(bytes.size()) == got->desc.bytes());
    elements += static_cast<std::size_t>(got->desc.elements());
    if (expected.data_type() == onnx::TensorProto::BFLOAT16) return;  // widened, see narrow_floats_test
    const auto is_at = [&](int i, auto number) {
      return std::memcmp(bytes.data() + static_cast<std::size_t>(i) * sizeof number, &number, sizeof number) == 0;
    };
    bool fits = true;
    if (!expected.raw_data().empty()) fits = std::memcmp(expected.raw_data().data(), bytes.data(), bytes.size()) == 0;
    for (int i = 0; i < expected.float_data_size(); ++i) fits = fits && is_at(i, expected.float_data(i));
    for (int i = 0; i < expected.double_data_size(); ++i) fits = fits && is_at(i, expected.double_data(i));
    for (int i = 0; i < expected.int64_data_size(); ++i) fits = fits && is_at(i, expected.int64_data(i));
    for (int i = 0; i < expected.int32_data_size(); ++i) {
      const std::int32_t number = expected.int32_data(i);
      const std::int64_t size = nnrt::size_of(type);
      fits = fits && (size == 1   ? is_at(i, static_cast<std::int8_t>(number))
                      : size == 2 ? is_at(i, static_cast<std::int16_t>(number))
                                  : is_at(i, number));
    }
    for (int i = 0; i < expected.uint64_data_size(); ++i)
      fits = fits && (type == nnrt::u32 ? is_at(i, static_cast<std::uint32_t>(expected.uint64_data(i)))
                                        : is_at(i, expected.uint64_data(i)));
    CHECK(fits);
  }

  void compare(const ours::attribute& got, const onnx::AttributeProto& expected) {
    ++attributes;
    CAPTURE(expected.name());
    CHECK(text(got.name) == expected.name());
    CHECK(text(got.reference) == expected.ref_attr_name());
    CHECK(static_cast<int>(got.kind) == static_cast<int>(expected.type()));
    CHECK(got.integer == expected.i());
    CHECK(got.real == expected.f());
    if (got.kind == ours::attribute_kind::text) CHECK(text(got.bytes) == expected.s());
    if (got.kind == ours::attribute_kind::tensor) compare(got.bytes, expected.t());
    if (got.kind == ours::attribute_kind::graph) compare_graph(got.bytes, expected.g());
    const nnrt::pool<std::int64_t> integers = got.integers_in(file);
    CHECK(std::equal(integers.begin(), integers.end(), expected.ints().begin(), expected.ints().end()));
    const nnrt::pool<float> reals = got.reals_in(file);
    CHECK(std::equal(reals.begin(), reals.end(), expected.floats().begin(), expected.floats().end()));
    const nnrt::pool<nnrt::byte_range> texts = got.texts_in(file);
    CHECK(std::equal(texts.begin(), texts.end(), expected.strings().begin(), expected.strings().end(),
                     [&](const nnrt::byte_range& a, const std::string& b) { return text(a) == b; }));
  }

  void compare(const ours::graph_document& g, const ours::node_entry& got, const onnx::NodeProto& expected) {
    ++nodes;
    CAPTURE(expected.op_type());
    CHECK(text(got.op_type) == expected.op_type());
    CHECK(text(got.domain) == expected.domain());
    CHECK(text(got.name) == expected.name());
    const auto is_name = [&](std::int32_t a, const std::string& b) { return name(g, a) == b; };
    const auto inputs = g.inputs_of(got), outputs = g.outputs_of(got);
    CHECK(std::equal(inputs.begin(), inputs.end(), expected.input().begin(), expected.input().end(), is_name));
    CHECK(std::equal(outputs.begin(), outputs.end(), expected.output().begin(), expected.output().end(), is_name));
    int i = 0;
    for (nnrt::message_fields field(file, got.message); field.next();) {
      if (field.number() != ours::schema::node::attribute) continue;
      bool is_valid = true;
      REQUIRE(i < expected.attribute_size());
      compare(ours::read_attribute(file, field.place(), is_valid), expected.attribute(i++));
      CHECK(is_valid);
    }
    CHECK(i == expected.attribute_size());
  }

  /// Nodes of these files are in order, so that sorting moves none.
  template <class Graph> void compare_nodes(const ours::graph_document& got, const Graph& expected) {
    REQUIRE(static_cast<int>(got.nodes.size()) == expected.node_size());
    for (int i = 0; i < expected.node_size(); ++i)
      compare(got, got.nodes[static_cast<std::size_t>(i)], expected.node(i));
  }
  template <class Entries>
  void compare_names(const ours::graph_document& g, nnrt::array_ref<const ours::named_entry> got,
                     const Entries& expected) const {
    CHECK(std::equal(got.begin(), got.end(), expected.begin(), expected.end(),
                     [&](const ours::named_entry& a, const auto& b) { return name(g, a.name) == b.name(); }));
  }
  void compare_graph(const nnrt::byte_range& message, const onnx::GraphProto& expected) {
    const auto parsed = ours::parse_graph(file, message);
    REQUIRE(parsed);
    const ours::graph_document got = parsed->view();
    compare_nodes(got, expected);
    compare_names(got, got.inputs, expected.input());
    compare_names(got, got.outputs, expected.output());
    compare_names(got, got.initializers, expected.initializer());
    CHECK(got.has_sparse == (expected.sparse_initializer_size() > 0));
    for (int i = 0; i < expected.initializer_size(); ++i)
      compare(got.initializers[static_cast<std::size_t>(i)].message, expected.initializer(i));
  }
  void compare_function(const ours::function_entry& got, const onnx::FunctionProto& expected) {
    CHECK(text(got.name) == expected.name());
    CHECK(text(got.domain) == expected.domain());
    const auto parsed = ours::parse_graph(file, got.message, true);
    REQUIRE(parsed);
    const ours::graph_document body = parsed->view();
    compare_nodes(body, expected);
    const auto is_name = [&](const ours::named_entry& a, const std::string& b) { return name(body, a.name) == b; };
    CHECK(
        std::equal(body.inputs.begin(), body.inputs.end(), expected.input().begin(), expected.input().end(), is_name));
    CHECK(std::equal(body.outputs.begin(), body.outputs.end(), expected.output().begin(), expected.output().end(),
                     is_name));
    REQUIRE(static_cast<int>(body.opsets.size()) == expected.opset_import_size());
    for (int i = 0; i < expected.opset_import_size(); ++i)
      compare(body.opsets[static_cast<std::size_t>(i)], expected.opset_import(i));
  }
  void compare(const onnx::ModelProto& expected) {
    const auto got = ours::parse_document(file);
    REQUIRE(got);
    CHECK(got->ir_version == expected.ir_version());
    REQUIRE(static_cast<int>(got->opsets.size()) == expected.opset_import_size());
    for (int i = 0; i < expected.opset_import_size(); ++i)
      compare(got->opsets[static_cast<std::size_t>(i)], expected.opset_import(i));
    REQUIRE(static_cast<int>(got->functions.size()) == expected.functions_size());
    for (int i = 0; i < expected.functions_size(); ++i)
      compare_function(got->functions[static_cast<std::size_t>(i)], expected.functions(i));
    compare_graph(got->graph, expected.graph());
  }
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("io/onnx reads of a file what protobuf reads of it") {
  std::size_t files = 0, nodes = 0, attributes = 0, elements = 0;
  for (const fs::path& folder : {fs::path(NNRT_ONNX_TEST_DATA), fs::path(NNRT_MODELS_DIR)}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".onnx") continue;
      const std::string path = entry.path();
      CAPTURE(path);
      const std::string bytes = read_file(path);
      onnx::ModelProto expected;
      REQUIRE(expected.ParseFromString(bytes));
      for (const std::string& file : {bytes, expected.SerializeAsString()}) {
        comparison both{nnrt::file_view(file)};
        both.compare(expected);
        nodes += both.nodes, attributes += both.attributes, elements += both.elements;
      }
      ++files;
    }
  }
  std::printf("%zu files: %zu nodes, %zu attributes, %zu elements\n", files, nodes, attributes, elements);
  // of Debian's libonnx-testdata 1.12 alone
  CHECK(files >= 1000);
  CHECK(nodes >= 5000);
}
