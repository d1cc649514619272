// quantised_test: whatever compiles can be stored and restored, and computes the same bits then.
// Flow: random_node makes nodes from the tables of each operator in the catalogue; no operator is named here.
#include "battery/each_node.hpp"
#include "battery/one_node.hpp"

#include <nnrt/dynamic.hpp>
#include <nnrt/exec/stored_program.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace nnrt_test;

namespace {

const std::size_t nodes_for_each_dtype = nodes_of_run(8);

/// The bytes of all outputs, or that the run found fault with its values.
node_result run_of(const program& compiled, const random_node& node, bool hides_extents) {
  session run(compiled);
  const std::vector<const random_operand*> fed = fed_operands(node);
  std::vector<shape_t> shapes;
  for (const random_operand* x : fed) shapes.push_back(x->desc.shape);
  if (hides_extents) REQUIRE(run.resize(shapes).has_value());
  for (std::size_t i = 0; i < fed.size(); ++i) std::ranges::copy(fed[i]->bytes, run.input_bytes(i).begin());
  node_result made;
  if (const auto ran = run.run(); !ran) {
    made.fault.rule = 0;
    return made;
  }
  for (std::size_t i = 0; i < node.out.size(); ++i) {
    const auto bytes = run.output_bytes(i);
    made.bytes.emplace_back(bytes.begin(), bytes.end());
  }
  return made;
}

}  // namespace

TEST_CASE("battery: a program of any operator, dtype and attributes is stored, restored, and computes the same bits") {
  for_each_node(nodes_for_each_dtype, [](const random_node& node, dice&) {
    for (const bool hides_extents : {false, true}) {
      const auto network = network_of(node, hides_extents);
      if (!network) continue;
      CAPTURE(hides_extents);
      const auto compiled = compile(*network);
      REQUIRE(compiled.has_value());
      const auto bytes = store_program(*compiled);
      if (!bytes) MESSAGE(bytes.error().message());
      REQUIRE(bytes.has_value());
      const auto restored = restore_program(shared_bytes::copy_of(*bytes));
      if (!restored) MESSAGE(restored.error().message());
      REQUIRE(restored.has_value());
      const node_result expected = run_of(*compiled, node, hides_extents), got = run_of(*restored, node, hides_extents);
      CHECK(got.fault.rule == expected.fault.rule);
      CHECK(got.bytes == expected.bytes);
    }
  });
}
