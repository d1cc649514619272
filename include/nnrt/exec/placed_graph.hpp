// placed_graph: kernels and memory of a large static graph as a constant, so that its steps are another evaluation.
// Flow: static_graph.hpp plans graphs with it; clang allows an evaluation a million steps, and planning three hundred
// nodes takes more.
#pragma once

#include <nnrt/exec/frozen_members.hpp>
#include <nnrt/exec/make_plan.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

using placed_lists = members<&placed_nodes::blocks, &placed_nodes::of, &placed_nodes::elided, &placed_nodes::known,
                             &placed_nodes::nodes, &placed_nodes::kept_of, &placed_nodes::stripes,
                             &placed_nodes::windows, &placed_nodes::copies, &placed_nodes::state_updates>;
using placed_numbers = members<&placed_nodes::state_blocks, &placed_nodes::arena_bytes, &placed_nodes::lower_bound,
                               &placed_nodes::part_scratch_bytes>;
using placed_sizes = list_sizes<placed_lists::count>;

/// Estimated sizes for a graph.
constexpr placed_sizes room_to_place(const graph_sizes& n) {
  return {{n.values + 2 * n.nodes + n.outputs + 2 * n.states, n.values, n.nodes, n.values, n.nodes, n.values,
           n.nodes / 2, n.nodes, n.outputs, 2 * n.states}};
}

/// Kernels and memory as arrays.
template <placed_sizes Room> struct frozen_placing {
  placed_sizes used;
  frozen_lists<placed_lists, Room> lists;
  frozen_numbers<placed_numbers> numbers;

  constexpr explicit frozen_placing(const placed_nodes& p)
      : used(sizes_of_lists(p, placed_lists())), lists(p), numbers(p) {}

  constexpr bool holds_all() const { return used.fit(Room); }
  constexpr placed_nodes thaw() const {
    placed_nodes made;
    lists.thaw(made, used);
    numbers.thaw(made);
    return made;
  }
};

}}}  // namespace nnrt::NNRT_ISA::detail
