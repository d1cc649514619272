// partition: splits the nodes of a graph into segments, each of which runs in one place, in execution order.
// Flow: a policy gives the place of each node; reports, pictures and the quantising pass use the segments.
#pragma once

#include <nnrt/ir/graph.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// The place of nodes outside of all segments: they run once, before the network does.
inline constexpr int no_place = -1;

/// The segment of each node. Segments are numbered in execution order; all nodes of a segment have the same place.
struct segmentation {
  pool<std::int32_t> segment_of;  // by node; -1: none
  pool<int> place_of_segment;
};

/// Cuts a graph into segments of nodes with one place, with as few segments as possible on each path. places: by node,
/// 0 or 1, or no_place. A node's level is the highest level of its operands, plus one if the place changes. Nodes of
/// one level are one segment, so no two segments wait for each other.
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
  number.assign(static_cast<std::size_t>(most) + 1, -1);
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
