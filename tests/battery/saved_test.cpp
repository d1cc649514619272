// saved_test: a network of any operator comes back from a saved model as it was, and computes the same.
// Flow: random_node makes nodes from the tables of each operator in the catalogue; no operator is named here.
#include "battery/each_node.hpp"
#include "battery/one_node.hpp"

#include "support/same_graph.hpp"

#include <nnrt/io/saved_model.hpp>

#include <doctest/doctest.h>

using namespace nnrt_test;

namespace {

const std::size_t nodes_for_each_dtype = nodes_of_run(8);

void check_round_trip(const model& network) {
  const saved_model saved{
      .network = network, .name = "node", .architecture = {}, .places = {}, .inputs = {}, .made_by = {}};
  const auto bytes = models_to_bytes({&saved, 1});
  if (!bytes) MESSAGE(bytes.error().message());
  REQUIRE(bytes.has_value());
  const auto loaded = model::load(std::span<const std::byte>(*bytes));
  if (!loaded) MESSAGE(loaded.error().message());
  REQUIRE(loaded.has_value());
  CHECK(difference_of(network.graph, loaded->graph) == "");
}

}  // namespace

TEST_CASE("battery: a saved network of any operator, dtype and attributes is loaded as it was") {
  for_each_node(nodes_for_each_dtype, [](const random_node& node, dice&) {
    for (const bool hides_extents : {false, true})
      if (const auto network = network_of(node, hides_extents)) check_round_trip(*network);
  });
}
