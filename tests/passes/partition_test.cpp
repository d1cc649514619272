#include <nnrt/passes/partition.hpp>

#include <nnrt/ops/add.hpp>
#include <nnrt/ops/relu.hpp>

#include <doctest/doctest.h>
#include <support/single_node.hpp>

#include <initializer_list>

using namespace nnrt_test;

namespace {

/// A graph in which node i reads the nodes of its row; -1 stands for the input.
struct drawing {
  ir::graph g;
  pool<std::int32_t> made;

  constexpr explicit drawing(std::initializer_list<std::initializer_list<int>> reads) {
    const std::int32_t x = add(g, of({2}));
    for (const std::initializer_list<int>& r : reads) {
      const auto id = [&](int from) { return from < 0 ? x : made[static_cast<std::size_t>(from)]; };
      made.push_back(r.size() == 1 ? append<ops::relu>(g, {}, {id(*r.begin())})
                                   : append<ops::add>(g, {}, {id(*r.begin()), id(*(r.begin() + 1))}));
    }
  }
};

constexpr bool is_cut_into(const drawing& d, std::initializer_list<int> places,
                           std::initializer_list<std::int32_t> segments) {
  const pool<int> by_node(places);
  const passes::segmentation cut = passes::cut_into_segments(d.g, by_node);
  std::size_t i = 0;
  for (const std::int32_t expected : segments) {
    if (cut.segment_of[i] != expected) return false;
    if (expected >= 0 && cut.place_of_segment[static_cast<std::size_t>(expected)] != by_node[i]) return false;
    ++i;
  }
  return true;
}

// A chain is cut where the place changes.
static_assert(is_cut_into(drawing({{-1}, {0}, {1}, {2}}), {0, 0, 1, 0}, {0, 0, 1, 2}));
static_assert(is_cut_into(drawing({{-1}, {0}}), {1, 1}, {0, 0}));
// Two ways that meet: what both sides do in one place is one segment.
static_assert(is_cut_into(drawing({{-1}, {-1}, {0, 1}}), {0, 0, 0}, {0, 0, 0}));
// The way through the processor does not make a circle: node 2 waits for node 1, so it is in another segment than node
// 0.
static_assert(is_cut_into(drawing({{-1}, {0}, {0, 1}}), {0, 1, 0}, {0, 1, 2}));
// Branches on the processor run in one go.
static_assert(is_cut_into(drawing({{-1}, {0}, {0}, {1, 2}}), {0, 1, 1, 0}, {0, 1, 1, 2}));
// Nodes that run before the network are in no segment.
static_assert(is_cut_into(drawing({{-1}, {0}, {1}}), {passes::no_place, 0, 1}, {-1, 0, 1}));

}  // namespace

TEST_CASE("cut_into_segments: no segment waits for one that waits for it") {
  // All 2^6 ways to place six nodes of a graph with shortcuts.
  const drawing d({{-1}, {0}, {0, 1}, {1}, {2, 3}, {0, 4}});
  for (int ways = 0; ways < 64; ++ways) {
    pool<int> places;
    for (int i = 0; i < 6; ++i) places.push_back(ways >> i & 1);
    const passes::segmentation cut = passes::cut_into_segments(d.g, places);
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(cut.place_of_segment[static_cast<std::size_t>(cut.segment_of[i])] == places[i]);
      for (const std::int32_t id : d.g.inputs_of(d.g.nodes[i]))
        for (std::size_t from = 0; from < i; ++from)
          if (d.made[from] == id) CHECK(cut.segment_of[from] <= cut.segment_of[i]);
    }
  }
}
