// each_node: random nodes of every operator and dtype, one after the other, for what all of them must hold to.
// Flow: the tests of this folder call it; random_node makes the nodes.
#pragma once

#include "battery/random_node.hpp"

#include <doctest/doctest.h>

namespace nnrt_test {

/// Calls f with `count` accepted nodes of every operator and dtype, and the dice that made them; where there are fewer,
/// that fails. Then with one that has a tensor of rank 8 and one that has a tensor without elements, where the rules accept such.
template <class F> void for_each_node(std::size_t count, F f) {
  const std::uint64_t seed = seed_of_run();
  CAPTURE(seed);
  for (const operator_info* op : catalogue())
    for (int number = 1; number < dtype_count; ++number) {
      const auto computed = static_cast<dtype>(number);
      if (!op->computes_on.contains(computed)) continue;
      dice random(seed + static_cast<std::uint64_t>(op->code) * 100 + static_cast<std::uint64_t>(number));
      std::vector<random_node> nodes = random_nodes(*op, computed, count, random);
      const std::string_view dtype_name = name_of(computed);
      CAPTURE(op->name);
      CAPTURE(dtype_name);
      CHECK(nodes.size() == count);
      for (const shape_wish wish : {shape_wish::max_rank, shape_wish::empty})
        for (random_node& node : random_nodes(*op, computed, 1, random, wish)) nodes.push_back(std::move(node));
      for (random_node& node : nodes) {
        const std::string text = node.text();
        CAPTURE(text);
        f(node, random);
      }
    }
}

}  // namespace nnrt_test
