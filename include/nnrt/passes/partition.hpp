// partition: which nodes of a graph run together - segments of one place each, in an order that needs no segment twice.
// Flow: a policy says of each node where it runs; reports, pictures and the quantising pass go by the segments.
#pragma once

#include <nnrt/ir/graph.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// The place of nodes that belong to no segment: they run once before the network does.
inline constexpr int no_place = -1;

/// For each node its segment. Segments are counted in the order in which they can run; all nodes of one have the same
/// place.
struct segmentation {
  pool<std::int32_t> segment_of;  // by node; -1: none
  pool<int> place_of_segment;
};

/// Cuts a graph into segments of nodes with one place, as few on each way through the graph as can be. places: by node,
/// 0 or 1, or no_place. A node's level is that of what it reads, one more where the place changes; nodes of one level
/// are one segment, so no segment waits for another that waits for it.
constexpr segmentation cut_into_segments(const ir::graph& g, array_ref<const int> places) {
  pool<std::int32_t> level_of_value, level;
  level_of_value.assign(g.values.size(), -1);
  std::int32_t most = -1;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    std::int32_t at = -1;
    if (places[i] != no_place) {
      at = 0;
      for (const std::int32_t id : g.inputs_of(g.nodes[i]))
        if (id != ir::none && level_of_value[static_cast<std::size_t>(id)] > at)
          at = level_of_value[static_cast<std::size_t>(id)];
      if (at % 2 != places[i]) ++at;
      for (const std::int32_t id : g.outputs_of(g.nodes[i])) level_of_value[static_cast<std::size_t>(id)] = at;
    }
    level.push_back(at);
    if (at > most) most = at;
  }
  segmentation made;
  pool<std::int32_t> number;  // levels without nodes have none
  number.assign(static_cast<std::size_t>(most + 1), -1);
  for (const std::int32_t at : level)
    if (at >= 0) number[static_cast<std::size_t>(at)] = 0;
  for (std::size_t at = 0; at < number.size(); ++at) {
    if (number[at] < 0) continue;
    number[at] = static_cast<std::int32_t>(made.place_of_segment.size());
    made.place_of_segment.push_back(static_cast<int>(at % 2));
  }
  for (const std::int32_t at : level) made.segment_of.push_back(at < 0 ? -1 : number[static_cast<std::size_t>(at)]);
  return made;
}

}}}  // namespace nnrt::NNRT_ISA::passes
