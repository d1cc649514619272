// arena_layout: offsets in one arena for blocks of memory, each in use from one step to another.
// Flow: plan_memory.hpp makes the blocks; the addresses of operands follow from their offsets.
//
// The problem is dynamic storage allocation with known lifetimes, which is NP-hard. There are two greedy orders:
//
// * By size: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020, "greedy by size". It
//   wastes least, and compares all pairs of blocks whose lifetimes overlap.
// * By time: best fit with merged gaps, in O(n log n).
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/sort_ids.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

inline constexpr std::int64_t arena_alignment = 64;

constexpr std::int64_t aligned(std::int64_t bytes) { return nnrt::detail::rounded_up(bytes, arena_alignment); }

/// A piece of the arena, and the first and last step (both included) in which it is in use.
struct block {
  std::int64_t bytes = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int64_t offset = 0;   // in the arena, once placed
  std::int32_t parent = -1;  // the block that contains this one; -1: none
  std::int64_t offset_in_parent = 0;
};

namespace detail {

/// Lists of blocks, linked through one pool.
class block_lists {
 public:
  constexpr explicit block_lists(std::size_t lists) { first_.assign(lists, -1); }
  constexpr void add(std::size_t list, std::int32_t block) {
    links_.push_back({block, first_[list]});
    first_[list] = static_cast<std::int32_t>(links_.size()) - 1;
  }
  template <class F> constexpr void for_each(std::size_t list, F f) const {
    for (std::int32_t i = first_[list]; i >= 0; i = links_[static_cast<std::size_t>(i)].next)
      f(links_[static_cast<std::size_t>(i)].block);
  }

 private:
  struct link {
    std::int32_t block = -1;
    std::int32_t next = -1;
  };
  pool<std::int32_t> first_;
  pool<link> links_;
};

/// Finds blocks by the steps in which they are in use. With few steps, each step has a list of its blocks. With many
/// steps, a block is in the list of its first step, and in lists for groups of 1, 4, 16, … steps. Its lifetime is split
/// into as few groups as possible. Insertion and search visit O(log steps) lists.
class lifetime_index {
 public:
  constexpr lifetime_index(const block* blocks, std::int32_t steps)
      : blocks_(blocks),
        runs_(static_cast<std::size_t>(steps) + 1),
        begin_(is_short() ? 0 : runs_),
        in_use_(lists_for(runs_)) {}

  constexpr void add(std::int32_t id, const block& b) {
    if (!is_short()) return add_to_runs(id, b);
    for (std::int32_t t = b.first; t <= b.last; ++t) in_use_.add(static_cast<std::size_t>(t), id);
  }
  /// Calls f with each block whose lifetime overlaps with that of b.
  template <class F> constexpr void for_each_beside(const block& b, F f) const {
    if (!is_short()) return for_each_in_runs(b, f);
    for (std::int32_t t = b.first; t <= b.last; ++t)
      in_use_.for_each(static_cast<std::size_t>(t), [&](std::int32_t other) {
        if (t == b.first || blocks_[other].first == t) f(other);
      });
  }

 private:
  constexpr bool is_short() const { return runs_ <= 64; }
  static constexpr std::size_t lists_for(std::size_t runs) {
    std::size_t lists = runs;
    for (; lists > 64 && runs != 1; lists += runs) runs = runs / 4 + 1;
    return lists;
  }
  constexpr void add_to_runs(std::int32_t id, const block& b) {
    begin_.add(static_cast<std::size_t>(b.first), id);
    std::size_t level = 0, runs = runs_;
    for (auto from = static_cast<std::size_t>(b.first), to = static_cast<std::size_t>(b.last) + 1; from < to;
         from /= 4, to /= 4) {
      for (; from < to && from % 4 != 0; ++from) in_use_.add(level + from, id);
      for (; from < to && to % 4 != 0; --to) in_use_.add(level + to - 1, id);
      level += runs, runs = runs / 4 + 1;
    }
  }
  template <class F> constexpr void for_each_in_runs(const block& b, F f) const {
    std::size_t level = 0, runs = runs_, at = static_cast<std::size_t>(b.first);
    in_use_.for_each(at, f);
    while (runs != 1) {
      level += runs, runs = runs / 4 + 1, at /= 4;
      in_use_.for_each(level + at, f);
    }
    for (std::int32_t t = b.first + 1; t <= b.last; ++t) begin_.for_each(static_cast<std::size_t>(t), f);
  }

  const block* blocks_;
  std::size_t runs_;  // number of steps, including the one after the last
  block_lists begin_;
  block_lists in_use_;  // of single steps, then of groups of 4 steps, …
};

/// Places the largest block first, each into the smallest gap between the blocks whose lifetimes overlap with its own.
struct placing_by_size {
  block* blocks;  // all blocks; a pointer: operator[] is half of the compile time of these loops
  std::size_t count;
  lifetime_index placed;
  pool<std::int32_t> beside;     // blocks whose lifetimes overlap with the block that is placed next
  pool<std::int32_t> by_offset;  // placed blocks sorted by offset, without `newest`
  pool<std::int32_t> newest;
  pool<char> is_beside;   // empty if there are few blocks
  std::int64_t work = 0;  // blocks and steps visited

  constexpr placing_by_size(pool<block>& all, std::int32_t steps)
      : blocks(all.data()), count(all.size()), placed(blocks, steps) {}

  /// For few blocks, all of which are placed. Returns the arena's size.
  constexpr std::int64_t run(pool<std::int32_t> order) {
    return run(static_cast<pool<std::int32_t>&&>(order), INT64_MAX, {});
  }
  /// For many blocks. Returns -1, with some offsets set, if it exceeds max_work or the deadline.
  constexpr std::int64_t run_within(pool<std::int32_t> order, std::int64_t max_work, const deadline_watch& watch) {
    is_beside.assign(count, 0);
    return run(static_cast<pool<std::int32_t>&&>(order), max_work, watch);
  }

 private:
  constexpr std::int64_t run(pool<std::int32_t> order, std::int64_t max_work, const deadline_watch& watch) {
    nnrt::detail::sort_ids(order, [&](std::int32_t a, std::int32_t b) {
      const std::int64_t x = blocks[a].bytes, y = blocks[b].bytes;
      return x != y ? x > y : a < b;
    });
    std::int64_t arena_bytes = 0;
    for (const std::int32_t id : order) {
      block& b = blocks[id];
      beside.clear();
      placed.for_each_beside(b, [&](std::int32_t other) { beside.push_back(other); });
      if (is_beside.empty()) {
        sort_by_offset(beside);
      } else {
        work += b.last - b.first + static_cast<std::int64_t>(beside.size());
        if (work > max_work || watch.is_over()) return -1;
        sort_beside();
      }
      b.offset = smallest_gap(aligned(b.bytes));
      arena_bytes = std::max(arena_bytes, b.offset + aligned(b.bytes));
      placed.add(id, b);
      if (!is_beside.empty()) newest.push_back(id);
    }
    return arena_bytes;
  }
  /// Offset of the smallest gap of at least `bytes` between the blocks with overlapping lifetimes; if there is none,
  /// the end of the last block.
  constexpr std::int64_t smallest_gap(std::int64_t bytes) {
    std::int64_t end = 0, best = -1, best_gap = 0;
    for (const std::int32_t id : beside) {
      const block& other = blocks[id];
      const std::int64_t gap = other.offset - end;
      if (gap >= bytes && (best < 0 || gap < best_gap)) best = end, best_gap = gap;
      end = std::max(end, other.offset + aligned(other.bytes));
    }
    return best < 0 ? end : best;
  }
  constexpr void sort_by_offset(pool<std::int32_t>& list) {
    nnrt::detail::sort_ids(list, [&](std::int32_t x, std::int32_t y) { return blocks[x].offset < blocks[y].offset; });
  }
  /// Sorts those blocks by offset. If they are a large part of the placed blocks, filtering the sorted list of all is
  /// faster.
  constexpr void sort_beside() {
    if (beside.size() <= (by_offset.size() + newest.size()) / 8) return sort_by_offset(beside);
    merge_newest();
    work += static_cast<std::int64_t>(by_offset.size());
    for (const std::int32_t id : beside) is_beside[static_cast<std::size_t>(id)] = 1;
    beside.clear();
    for (const std::int32_t id : by_offset)
      if (nnrt::detail::taken(is_beside[static_cast<std::size_t>(id)]) != 0) beside.push_back(id);
  }
  constexpr void merge_newest() {
    sort_by_offset(newest);
    std::size_t from = by_offset.size();
    by_offset.insert(newest.begin(), newest.end());
    for (std::size_t to = by_offset.size(); !newest.empty();) {
      if (from > 0 && blocks[by_offset[from - 1]].offset > blocks[newest.back()].offset)
        by_offset[--to] = by_offset[--from];
      else by_offset[--to] = newest.back(), newest.pop_back();
    }
  }
};

/// An arena in which segments are taken and freed in order of time. Free segments merge with free neighbours, and a new
/// block takes the smallest free segment that has room (best fit).
class segmented_arena {
 public:
  /// Takes a segment of `bytes`; returns its index.
  constexpr std::int32_t take(std::int64_t bytes) {
    std::int32_t found = smallest_with(bytes);
    if (found < 0 && last_ >= 0 && at(last_).is_free)
      remove(found = last_), bytes_ = at(found).offset, at(found).bytes = bytes, bytes_ += bytes;
    else if (found < 0) found = add(bytes_, bytes, last_, -1), bytes_ += bytes;
    else remove(found);
    if (at(found).bytes > bytes) {
      insert(add(at(found).offset + bytes, at(found).bytes - bytes, found, at(found).next));
      at(found).bytes = bytes;
    }
    at(found).is_free = false;
    return found;
  }
  constexpr void free(std::int32_t s) {
    if (const std::int32_t next = at(s).next; next >= 0 && at(next).is_free) remove(next), absorb(s, next);
    if (const std::int32_t before = at(s).before; before >= 0 && at(before).is_free)
      remove(before), absorb(before, s), s = before;
    insert(s);
  }
  constexpr std::int64_t offset_of(std::int32_t s) const { return segments_[static_cast<std::size_t>(s)].offset; }
  constexpr std::int64_t bytes() const { return bytes_; }

 private:
  /// A segment, linked with its neighbours in the arena. A free one is also a node of a treap, ordered by bytes, then
  /// offset.
  struct segment {
    std::int64_t offset = 0, bytes = 0;
    std::int32_t before = -1, next = -1;
    std::int32_t left = -1, right = -1;
    std::uint32_t priority = 0;
    bool is_free = false;
  };
  constexpr segment& at(std::int32_t s) { return segments_[static_cast<std::size_t>(s)]; }

  constexpr std::int32_t add(std::int64_t offset, std::int64_t bytes, std::int32_t before, std::int32_t next) {
    const auto s = static_cast<std::int32_t>(segments_.size());
    segments_.push_back({.offset = offset,
                         .bytes = bytes,
                         .before = before,
                         .next = next,
                         .priority = (static_cast<std::uint32_t>(s) + 1) * 0x9e3779b1U});
    (next >= 0 ? at(next).before : last_) = s;
    if (before >= 0) at(before).next = s;
    return s;
  }
  /// Merges the second of two neighbours into the first.
  constexpr void absorb(std::int32_t into, std::int32_t s) {
    at(into).bytes += at(s).bytes;
    at(into).next = at(s).next;
    (at(s).next >= 0 ? at(at(s).next).before : last_) = into;
  }

  constexpr bool is_less(std::int32_t a, std::int32_t b) {
    return at(a).bytes != at(b).bytes ? at(a).bytes < at(b).bytes : at(a).offset < at(b).offset;
  }
  constexpr std::int32_t smallest_with(std::int64_t bytes) {
    std::int32_t found = -1;
    for (std::int32_t s = root_; s >= 0;)
      if (at(s).bytes >= bytes) found = s, s = at(s).left;
      else s = at(s).right;
    return found;
  }
  constexpr void insert(std::int32_t s) {
    at(s).is_free = true;
    std::int32_t* place = &root_;
    while (*place >= 0 && at(*place).priority >= at(s).priority)
      place = is_less(s, *place) ? &at(*place).left : &at(*place).right;
    const std::int32_t under = *place;
    *place = s;
    split(under, s, at(s).left, at(s).right);
  }
  /// Splits a tree into the nodes less than s and those greater than s.
  constexpr void split(std::int32_t tree, std::int32_t s, std::int32_t& less, std::int32_t& more) {
    std::int32_t *to_less = &less, *to_more = &more;
    while (tree >= 0) {
      const std::int32_t root = tree;
      if (is_less(root, s)) *to_less = root, to_less = &at(root).right, tree = *to_less;
      else *to_more = root, to_more = &at(root).left, tree = *to_more;
    }
    *to_less = *to_more = -1;
  }
  constexpr void remove(std::int32_t s) {
    std::int32_t* place = &root_;
    while (*place != s) place = is_less(s, *place) ? &at(*place).left : &at(*place).right;
    std::int32_t less = at(s).left, more = at(s).right;
    while (less >= 0 && more >= 0) {
      const bool is_less_above = at(less).priority >= at(more).priority;
      *place = is_less_above ? less : more;
      place = is_less_above ? &at(less).right : &at(more).left;
      (is_less_above ? less : more) = *place;
    }
    *place = less >= 0 ? less : more;
  }

  pool<segment> segments_;
  std::int32_t root_ = -1;  // of the treap
  std::int32_t last_ = -1;  // segment of the arena
  std::int64_t bytes_ = 0;
};

/// Places blocks in the order of their first steps; blocks of one step largest first. is_backward: in the order of
/// their last steps, from the end. Sets offsets, indexed by block, and returns the arena's size. After the deadline,
/// the remaining blocks are not placed.
constexpr std::int64_t place_by_time(const pool<block>& blocks, pool<std::int32_t> order, bool is_backward,
                                     pool<std::int64_t>& offsets, const deadline_watch& watch = {}) {
  const auto at = [&](std::int32_t id) -> const block& { return blocks[static_cast<std::size_t>(id)]; };
  const auto begin = [&](std::int32_t id) { return is_backward ? -at(id).last : at(id).first; };
  const auto end = [&](std::int32_t id) { return is_backward ? -at(id).first : at(id).last; };
  pool<std::int32_t> by_end = order;
  nnrt::detail::sort_ids(order, [&](std::int32_t a, std::int32_t b) {
    if (begin(a) != begin(b)) return begin(a) < begin(b);
    return at(a).bytes != at(b).bytes ? at(a).bytes > at(b).bytes : a < b;
  });
  nnrt::detail::sort_ids(by_end,
                         [&](std::int32_t a, std::int32_t b) { return end(a) != end(b) ? end(a) < end(b) : a < b; });
  segmented_arena arena;
  pool<std::int32_t> segment_of;
  segment_of.assign(blocks.size(), -1);
  offsets.assign(blocks.size(), 0);
  std::size_t ended = 0;
  for (const std::int32_t id : order) {
    if (watch.is_over()) break;
    for (; end(by_end[ended]) < begin(id); ++ended) arena.free(segment_of[static_cast<std::size_t>(by_end[ended])]);
    const std::int32_t segment = segment_of[static_cast<std::size_t>(id)] = arena.take(aligned(at(id).bytes));
    offsets[static_cast<std::size_t>(id)] = arena.offset_of(segment);
  }
  return arena.bytes();
}

/// The largest sum, over the steps, of the bytes of blocks in use.
constexpr std::int64_t max_bytes_in_use(const pool<block>& blocks, const pool<std::int32_t>& ids, std::int32_t steps) {
  pool<std::int64_t> change;  // of the sum, from the preceding step to each step
  change.assign(static_cast<std::size_t>(steps) + 2, 0);
  for (const std::int32_t id : ids) {
    const block& b = blocks.data()[id];
    const std::int64_t bytes = aligned(b.bytes);
    change.data()[b.first] += bytes;
    change.data()[b.last + 1] -= bytes;
  }
  std::int64_t sum = 0, most = 0;
  for (const std::int64_t c : change) most = std::max(most, sum += c);
  return most;
}

/// Sets the offsets of these blocks and returns the arena's size; 0 after the deadline. Few blocks are placed by size.
/// Many are placed by time in both directions, then by size within max_work; the smallest arena wins.
constexpr std::int64_t place(pool<block>& blocks, pool<std::int32_t>&& ids, std::int32_t steps,
                             std::int64_t lower_bound, const deadline_watch& watch) {
  constexpr std::size_t few = 512;
  constexpr std::int64_t max_work = std::int64_t{1} << 23;  // about 50 ms
  if (ids.size() <= few) return placing_by_size(blocks, steps).run(static_cast<pool<std::int32_t>&&>(ids));
  pool<std::int64_t> offsets, others;
  std::int64_t least = place_by_time(blocks, ids, false, offsets, watch);
  if (least > lower_bound && !watch.is_over()) {
    const std::int64_t backward = place_by_time(blocks, ids, true, others, watch);
    if (backward < least) least = backward, offsets = static_cast<pool<std::int64_t>&&>(others);
  }
  if (least > lower_bound && !watch.is_over()) {
    const std::int64_t by_size = placing_by_size(blocks, steps).run_within(ids, max_work, watch);
    if (by_size >= 0 && by_size <= least) return by_size;
  }
  for (const std::int32_t id : ids) blocks[static_cast<std::size_t>(id)].offset = offsets[static_cast<std::size_t>(id)];
  return watch.is_over() ? 0 : least;
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::passes
