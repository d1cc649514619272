// onnx_schemas_test: the operators of io/onnx/ agree with ONNX's schemas: numbers of operands, defaults of attributes.
// Flow: the table is compared with the library's schemas; nodes of its backend tests are read again with all defaults.
#include <doctest/doctest.h>
#include <onnx/defs/schema.h>
#include <nnrt/onnx.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace {

namespace ours = nnrt::onnx;
namespace fs = std::filesystem;

/// Adds all attributes that a node does not have and whose schema has a default. Returns their number.
std::size_t state_defaults(onnx::NodeProto& node, int version) {
  std::size_t added = 0;
  const onnx::OpSchema* const schema = onnx::OpSchemaRegistry::Schema(node.op_type(), version, node.domain());
  if (schema == nullptr) return 0;
  for (const auto& [name, attribute] : schema->attributes()) {
    const auto is_it = [&](const onnx::AttributeProto& own) { return own.name() == name; };
    const auto& own = node.attribute();
    if (!attribute.default_value.has_name() || std::any_of(own.begin(), own.end(), is_it)) continue;
    *node.add_attribute() = attribute.default_value;
    ++added;
  }
  return added;
}

std::string outcome_of(const std::string& bytes) {
  const auto read = ours::parse(std::as_bytes(std::span(bytes)));
  if (!read) return read.error().message();
  std::string operators;
  for (const nnrt::ir::node& n : read->graph.nodes) operators += std::string(n.op->name) + " ";
  return operators;
}

}  // namespace

TEST_CASE("io/onnx: operators take as many inputs and outputs as ONNX's schemas say") {
  std::size_t compared = 0;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!schema.domain().empty()) continue;
    const ours::operator_row* const row = ours::detail::find_row(ours::operator_table, schema.Name());
    if (row == nullptr || schema.Name() == "Tile") continue;  // Tile of opset 1 had another meaning
    CAPTURE(schema.Name());
    CAPTURE(schema.SinceVersion());
    ++compared;
    CHECK(static_cast<int>(row->min_inputs) <= schema.min_input());
    const auto most = [](std::size_t number) {
      return number == ours::any_number ? std::numeric_limits<int>::max() : static_cast<int>(number);
    };
    CHECK(most(row->max_inputs) >= schema.max_input());
    CHECK(most(row->max_outputs) >= schema.max_output());
  }
  CHECK(compared >= 300);
}

TEST_CASE("io/onnx: attributes that state their defaults change nothing") {
  std::size_t added = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(NNRT_ONNX_TEST_DATA) / "node")) {
    const std::string path = entry.path() / "model.onnx";
    CAPTURE(path);
    onnx::ModelProto model;
    std::ifstream file(path, std::ios::binary);
    REQUIRE(model.ParseFromIstream(&file));
    const std::string before = outcome_of(model.SerializeAsString());
    int version = 1;
    for (const auto& imported : model.opset_import())
      if (imported.domain().empty()) version = static_cast<int>(imported.version());
    for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) added += state_defaults(node, version);
    CHECK(outcome_of(model.SerializeAsString()) == before);
  }
  std::printf("%zu attributes stated\n", added);
  CHECK(added >= 600);
}
