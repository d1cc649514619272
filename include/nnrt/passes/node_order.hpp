// node_order: sorts nodes topologically.
// Flow: c_api/model.hpp and hdi/read_model.hpp, whose models may have any order, add nodes to a graph in this order.
#pragma once

#include <nnrt/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// The maker of a value that no node makes.
inline constexpr std::size_t never_made = static_cast<std::size_t>(-1);

/// Sorts nodes so that each follows the makers of its operands. Among ready nodes the first in the given order comes
/// first, so a valid order is unchanged. makers_of(node, give) calls give(maker) for each value that a node reads and
/// another node must make. Nodes that wait for never_made, for themselves or for each other are left out.
template <class MakersOf> std::vector<std::size_t> node_order(std::size_t nodes, MakersOf makers_of) {
  std::vector<std::size_t> order, ready, awaited(nodes, 0);  // ready: a heap, the first node on top
  std::vector<std::vector<std::size_t>> readers(nodes);
  for (std::size_t n = 0; n < nodes; ++n)
    makers_of(n, [&](std::size_t maker) {
      ++awaited[n];
      if (maker != never_made) readers[maker].push_back(n);
    });
  const auto later = [](std::size_t a, std::size_t b) { return a > b; };
  for (std::size_t n = 0; n < nodes; ++n)
    if (awaited[n] == 0) ready.push_back(n);  // ascending, so it is a heap
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    order.push_back(ready.back());
    ready.pop_back();
    for (const std::size_t n : readers[order.back()])
      if (--awaited[n] == 0) ready.push_back(n), std::push_heap(ready.begin(), ready.end(), later);
  }
  return order;
}

}}}  // namespace nnrt::NNRT_ISA::passes
