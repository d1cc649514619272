// each_node: random nodes of every operator and dtype, one after the other, for what all of them must hold to.
// Flow: the tests of this folder call it; random_node makes the nodes.
#pragma once

#include "battery/random_node.hpp"

#include "support/sanitized.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <tuple>

namespace nnrt_test {

/// How many nodes a test tries: those of every day, or as many as the environment variable NNRT_NODES says, as at
/// night.
inline std::size_t nodes_of_run(std::size_t everyday) {
  const char* const wanted = std::getenv("NNRT_NODES");
  return cases<std::size_t>(wanted == nullptr ? everyday : std::strtoull(wanted, nullptr, 10), 2);
}

/// Nodes, and the dice that made them.
struct nodes_and_dice {
  std::vector<random_node> nodes;
  dice random;
};

/// `count` accepted nodes of the operator and dtype or fewer, then one that has a tensor of rank 8 and one that has a
/// tensor without elements, where the rules accept such. Made once: of some operators it takes a hundred thousand
/// attempts.
inline const nodes_and_dice& nodes_for(const operator_info& op, dtype computed, std::size_t count) {
  static std::map<std::tuple<const operator_info*, dtype, std::size_t>, nodes_and_dice> made;
  const auto [at, is_new] = made.try_emplace(
      {&op, computed, count},
      nodes_and_dice{
          {}, dice(seed_of_run() + static_cast<std::uint64_t>(op.code) * 100 + static_cast<std::uint64_t>(computed))});
  auto& [nodes, random] = at->second;
  if (!is_new) return at->second;
  nodes = random_nodes(op, computed, count, random);
  CHECK(nodes.size() == count);
  for (const shape_wish wish : {shape_wish::max_rank, shape_wish::empty})
    for (random_node& node : random_nodes(op, computed, 1, random, wish)) nodes.push_back(std::move(node));
  return at->second;
}

/// Calls f with copies of nodes_for() every operator and dtype, and the dice that made them.
template <class F> void for_each_node(std::size_t count, F f) {
  const std::uint64_t seed = seed_of_run();
  CAPTURE(seed);
  for (const operator_info* op : catalogue())
    for (int number = 1; number < dtype_count; ++number) {
      const auto computed = static_cast<dtype>(number);
      if (!op->computes_on.contains(computed)) continue;
      const std::string_view dtype_name = name_of(computed);
      CAPTURE(op->name);
      CAPTURE(dtype_name);
      nodes_and_dice made = nodes_for(*op, computed, count);
      for (random_node& node : made.nodes) {
        const std::string text = node.text();
        CAPTURE(text);
        f(node, made.random);
      }
    }
}

}  // namespace nnrt_test
