// find_stripes: finds consecutive nodes that run in stripes of rows, or whose rows threads share out together.
// Flow: make_plan() calls it after kernels are chosen and before memory is placed; run_stripes.hpp executes the result.
// Tensors between the nodes of a stripe stay in the cache.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/passes/plan_memory.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Options for running networks in stripes of rows (depth-first execution).
struct stripe_options {
  bool enabled = true;
  std::int64_t rows = 0;  // of a stripe, for all nodes that can; 0: where it is faster, as many as fit
};

namespace detail {

/// Usable bytes of a core's L2. Tensors of this size or larger leave the cache before they are read again; a stripe of
/// a group uses at most this. Measured with 1 MiB; 384 KiB to 768 KiB are within 2 %.
inline constexpr std::int64_t l2_bytes = 512 * 1024;

/// Maximum size of weights that every thread reads in full when threads share out rows. They stay in each thread's
/// cache, whereas images that other threads made are transferred in every run.
inline constexpr std::int64_t max_joined_weights = l2_bytes / 4;

inline constexpr std::int32_t max_stripe_steps = 8;    // of one group
inline constexpr std::size_t max_stripe_operands = 6;  // of one step, inputs and outputs together

/// A node that has a step, as the search reads it.
struct stripe_candidate {
  std::int32_t node = 0;
  row_window rows;                // empty: it cannot run by rows
  std::int64_t packed_bytes = 0;  // of weights
  int parts = 1;                  // of its step
  bool has_group = false;
};

/// Whether each row of a step's result depends only on the same row of its operand.
constexpr bool keeps_rows(const row_window& rows) {
  return rows && rows.stride == 1 && rows.taps == 1 && rows.pad == 0;
}

/// A group: candidates first … last run in stripes.
struct found_group {
  std::int32_t first = 0, last = 0;
  std::int64_t rows = 0;  // of the last result in one stripe; 0: threads share them out together
};

/// Bytes of the arena in use between two nodes.
struct arena_use {
  pool<std::int64_t> begun, ended;  // bytes of blocks that began, and that ended, before each node
  std::int64_t most = 0;            // at one node

  constexpr arena_use(const pool<passes::block>& blocks, std::size_t nodes) {
    begun.assign(nodes + 2, 0);
    ended.assign(nodes + 2, 0);
    for (const passes::block& b : blocks) {
      if (b.parent != ir::none) continue;
      begun[static_cast<std::size_t>(b.first) + 1] += passes::aligned(b.bytes);
      ended[static_cast<std::size_t>(b.last) + 1] += passes::aligned(b.bytes);
    }
    for (std::size_t i = 0; i <= nodes; ++i) {
      begun[i + 1] += begun[i];
      ended[i + 1] += ended[i];
      if (i < nodes) most = std::max(most, between(static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)));
    }
  }
  constexpr std::int64_t between(std::int32_t first, std::int32_t last) const {
    return begun[static_cast<std::size_t>(last) + 1] - ended[static_cast<std::size_t>(first)];
  }
};

/// Finds groups in chains of candidates, each the only reader of the preceding one.
struct stripe_finder {
  const ir::graph& g;
  const passes::memory_plan& memory;
  array_ref<const stripe_candidate> candidates;  // every node that has a step, in order
  stripe_options options;
  pool<std::int32_t> reads;  // of values: by nodes, outputs and states

  constexpr stripe_finder(const ir::graph& graph, const passes::memory_plan& plan,
                          array_ref<const stripe_candidate> all, stripe_options chosen)
      : g(graph), memory(plan), candidates(all), options(chosen) {
    reads.assign(g.values.size(), 0);
    for (const ir::node& n : g.nodes)
      for (const std::int32_t id : g.inputs_of(n))
        if (id != ir::none) ++reads[static_cast<std::size_t>(id)];
    for (const ir::output& out : g.outputs) ++reads[static_cast<std::size_t>(out.value)];
    for (const ir::state& s : g.states) ++reads[static_cast<std::size_t>(s.next)];
  }

  constexpr const stripe_candidate& at(std::int32_t c) const { return candidates[static_cast<std::size_t>(c)]; }
  constexpr const ir::node& node_of(std::int32_t c) const { return g.nodes[static_cast<std::size_t>(at(c).node)]; }
  constexpr std::int32_t result_of(std::int32_t c) const { return g.outputs_of(node_of(c))[0]; }
  constexpr const tensor_desc& desc_of(std::int32_t c) const { return g.at(result_of(c)).desc; }
  constexpr std::int64_t row_bytes(std::int32_t c) const {
    return desc_of(c).shape.elements(2) * size_of(desc_of(c).type);
  }
  /// The outermost block of a value.
  constexpr std::int32_t block_of(std::int32_t id) const { return memory.resolve(memory.at(id)).block; }
  /// Whether candidate c, not the last of a group, has its result in the memory of the group's result.
  constexpr bool is_in_place(std::int32_t c, std::int32_t last) const {
    return block_of(result_of(c)) == block_of(result_of(last));
  }

  /// Rows of candidate c - 1 that a stripe of `rows` rows of candidate c needs.
  constexpr std::int64_t rows_before(std::int32_t c, std::int64_t rows) const {
    return std::min((rows - 1) * at(c).rows.stride + at(c).rows.taps, desc_of(c - 1).shape[1]);
  }

  constexpr pool<found_group> find() const {
    pool<found_group> found;
    const auto count = static_cast<std::int32_t>(candidates.size());
    for (std::int32_t first = 0, last = 0; first < count; first = ++last) {
      if (!can_run_in_stripes(first)) continue;
      while (last + 1 < count && pays(last) && can_run_in_stripes(last + 1) && is_linked(last)) ++last;
      add_groups(first, last, found);
    }
    return found;
  }

  /// Finds groups of steps that threads share out together, among candidates without a group; runs after stripes have
  /// shrunk the tensors of other groups. A group is as long as the arena does not grow, although the operands of its
  /// first step are kept until its last.
  constexpr pool<found_group> find_joined() const {
    pool<found_group> found;
    const auto count = static_cast<std::int32_t>(candidates.size());
    const arena_use bytes(memory.blocks, g.nodes.size());
    for (std::int32_t first = 0, last = 0; first < count; first = ++last) {
      if (at(first).has_group || !can_run_in_stripes(first)) continue;
      while (last + 1 < count && last - first + 1 < max_stripe_steps && is_joined(last)) ++last;
      while (last > first && !(is_closed(first, last) && bytes.between(at(first).node, at(last).node) <= bytes.most))
        --last;
      if (last > first) found.push_back({first, last, 0});
    }
    return found;
  }

 private:
  constexpr bool can_run_in_stripes(std::int32_t c) const {
    return at(c).rows && node_of(c).outputs.count == 1 && desc_of(c).rank() == 4 &&
           node_of(c).inputs.count + 2 <= std::int32_t{max_stripe_operands};
  }
  constexpr bool pays(std::int32_t c) const { return options.rows > 0 || desc_of(c).bytes() >= l2_bytes; }
  /// Whether candidate c + 1 reads the result of c by rows, and is its only reader.
  constexpr bool is_linked(std::int32_t c) const {
    const std::int32_t between = result_of(c);
    const passes::location where = memory.at(between);
    if (reads[static_cast<std::size_t>(between)] != 1 || where.block == ir::none || where.offset != 0) return false;
    const passes::block& b = memory.blocks[static_cast<std::size_t>(where.block)];
    if (b.parent != ir::none || b.bytes != g.at(between).desc.bytes()) return false;
    const auto in = g.inputs_of(node_of(c + 1));
    for (std::size_t k = 0; k < in.size(); ++k)
      if (in[k] == between) return names_operand(at(c + 1).rows.images, k);
    return false;
  }

  /// Whether candidate c + 1 makes each row from the same row of c only, so that a thread needs no other thread's rows.
  /// The threads' shares must be nearly equal.
  constexpr bool is_joined(std::int32_t c) const {
    // only then it is an image: other tensors may have no axis 1
    if (!keeps_rows(at(c + 1).rows) || !can_run_in_stripes(c + 1)) return false;
    const std::int64_t height = desc_of(c + 1).shape[1];
    return is_linked(c) && desc_of(c).bytes() < l2_bytes && at(c).packed_bytes <= max_joined_weights &&
           at(c + 1).packed_bytes <= max_joined_weights && (height % 2 == 0 || height > 8) &&
           (at(c).parts > 1 || at(c + 1).parts > 1) && !at(c + 1).has_group;
  }
  /// Makes one group of a chain if a stripe of it fits into the cache. Otherwise cuts the chain after the smallest
  /// tensor.
  constexpr void add_groups(std::int32_t first, std::int32_t last, pool<found_group>& found) const {
    if (first == last) return;
    const chain_cuts cuts(*this, first, last);
    pool<chain_part> rest;  // a stack with the first part on top
    rest.push_back({first, last, cuts.root});
    while (!rest.empty()) {
      const chain_part part = rest.back();
      rest.pop_back();
      if (part.first == part.last) continue;
      const bool is_short = part.last - part.first < max_stripe_steps;
      if (const std::int64_t rows = is_short ? rows_for(part.first, part.last) : 0;
          rows > 0 && is_closed(part.first, part.last)) {
        found.push_back({part.first, part.last, rows});
        continue;
      }
      rest.push_back({part.cut + 1, part.last, cuts.in_second(part.cut)});
      rest.push_back({part.first, part.cut, cuts.in_first(part.cut)});
    }
  }
  /// Candidates first … last of a chain, and the candidate with the smallest result, after which it is cut.
  struct chain_part {
    std::int32_t first = 0, last = 0, cut = -1;
  };
  /// Where a chain and its parts are cut: a Cartesian tree of the bytes of each candidate's result, smallest on top. It
  /// is linear in the chain's length, whereas a search in each part would be quadratic.
  struct chain_cuts {
    std::int32_t begin;
    std::int32_t root = -1;
    pool<std::int32_t> first_child, second_child;

    constexpr chain_cuts(const stripe_finder& finder, std::int32_t first, std::int32_t last) : begin(first) {
      first_child.assign(static_cast<std::size_t>(last - first), -1);
      second_child = first_child;
      pool<std::int32_t> right_edge;  // of the tree so far
      for (std::int32_t c = first; c < last; ++c) {
        std::int32_t above = -1;  // the subtree that c replaces
        while (!right_edge.empty() && finder.desc_of(right_edge.back()).bytes() > finder.desc_of(c).bytes())
          above = right_edge.back(), right_edge.pop_back();
        first_child[static_cast<std::size_t>(c - begin)] = above;
        (right_edge.empty() ? root : second_child[static_cast<std::size_t>(right_edge.back() - begin)]) = c;
        right_edge.push_back(c);
      }
    }
    constexpr std::int32_t in_first(std::int32_t cut) const {
      return first_child[static_cast<std::size_t>(cut - begin)];
    }
    constexpr std::int32_t in_second(std::int32_t cut) const {
      return second_child[static_cast<std::size_t>(cut - begin)];
    }
  };
  /// Rows of a stripe: the largest even number that fits, since kernels make two rows at once. 0: not even two fit.
  constexpr std::int64_t rows_for(std::int32_t first, std::int32_t last) const {
    const std::int64_t height = desc_of(last).shape[1];
    if (options.rows > 0) return std::min(options.rows, height);
    std::int64_t pairs = 0, too_many = height / 2 + 1;
    while (pairs + 1 < too_many) {
      const std::int64_t middle = (pairs + too_many) / 2;
      (working_set(first, last, 2 * middle) <= l2_bytes ? pairs : too_many) = middle;
    }
    return 2 * pairs;
  }
  /// Bytes of results and weights that a stripe reads or writes.
  constexpr std::int64_t working_set(std::int32_t first, std::int32_t last, std::int64_t rows) const {
    std::int64_t bytes = 0;
    for (std::int32_t c = last; c >= first; --c) {
      bytes += rows * row_bytes(c) + at(c).packed_bytes;
      if (c > first) rows = rows_before(c, rows);
    }
    return bytes;
  }
  /// Whether no step outside of the group uses the tensors between its steps, and no operand from outside shares memory
  /// with its result. Then the tensors can shrink, and the result can be written while operands are read.
  constexpr bool is_closed(std::int32_t first, std::int32_t last) const {
    for (std::int32_t c = first; c <= last; ++c) {
      const passes::block& b = memory.blocks[static_cast<std::size_t>(block_of(result_of(c)))];
      if (c < last && !is_in_place(c, last) && (b.first < at(first).node || b.last > at(last).node)) return false;
      for (const std::int32_t id : g.inputs_of(node_of(c)))
        if (id != ir::none && (c == first || id != result_of(c - 1)) && block_of(id) == block_of(result_of(last)))
          return false;
    }
    return true;
  }
};

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
