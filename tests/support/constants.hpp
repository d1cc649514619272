// constants: how tests read the integers that a keyword became in a graph.
#pragma once

#include <nnrt/ir/graph.hpp>

#include <vector>

namespace nnrt_test {

/// The elements of a constant of dtype i64.
inline std::vector<std::int64_t> integers_of(const nnrt::ir::graph& g, std::int32_t id) {
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < g.at(id).desc.elements(); ++i) list.push_back(g.element<std::int64_t>(g.at(id), i));
  return list;
}

}  // namespace nnrt_test
