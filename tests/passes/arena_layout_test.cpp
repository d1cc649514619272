// arena_layout_test: blocks that are in use at one time share no bytes, whichever order they are placed in, and little
// is wasted.
#include <nnrt/passes/arena_layout.hpp>

#include <doctest/doctest.h>

#include "support/dice.hpp"

#include <algorithm>
#include <vector>

namespace {

using namespace nnrt_test;
namespace layout = passes::detail;

/// Blocks of one kind, by chance.
struct block_row {
  const char* what;
  passes::block (*made)(dice& random, int i, int count);
  double max_of_bound;  // largest arena, of the lower bound, for 2,000 blocks
};
passes::block block_of(std::int64_t bytes, std::int64_t first, std::int64_t last) {
  return {bytes, static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
}
const block_row rows[] = {
    {"equal, half of them at once", [](dice&, int i, int count) { return block_of(64, i / 2, count / 2 + i / 2); },
     1.0},
    {"any size, any time",
     [](dice& random, int, int count) {
       const std::int64_t a = random.between(0, count), b = random.between(0, count);
       return block_of(random.between(1, 65536), std::min(a, b), std::max(a, b));
     },
     1.06},
    {"any size, one after the other",
     [](dice& random, int i, int count) {
       return block_of(random.between(1, 65536), i, std::min<std::int64_t>(count, i + random.between(1, 20)));
     },
     1.25},
    {"powers of two, a few for long",
     [](dice& random, int i, int count) {
       return block_of(
           std::int64_t{64} << random.between(0, 11), i,
           std::min<std::int64_t>(count, i + (random.once_in(10) ? random.between(1, count) : random.between(1, 5))));
     },
     1.1},
    {"one within the other",
     [](dice& random, int i, int count) {
       return i < count / 2 ? block_of(random.between(1, 65536), i, count - 1 - i)
                            : block_of(random.between(1, 65536), count - 1, count);
     },
     1.01},
};

pool<passes::block> blocks_of(const block_row& row, std::uint64_t seed, int count) {
  dice random(seed);
  pool<passes::block> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back(row.made(random, i, count));
  return blocks;
}
pool<std::int32_t> ids_of(const pool<passes::block>& blocks) {
  pool<std::int32_t> ids;
  for (std::size_t i = 0; i < blocks.size(); ++i) ids.push_back(static_cast<std::int32_t>(i));
  return ids;
}
/// Whether no two blocks are in the same place at the same time, and all lie within `arena_bytes`, where they may
/// begin.
bool is_sound(const pool<passes::block>& blocks, std::int64_t arena_bytes) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const passes::block& a = blocks[i];
    if (a.offset < 0 || a.offset % passes::arena_alignment != 0 || a.offset + a.bytes > arena_bytes) return false;
    for (std::size_t k = 0; k < i; ++k)
      if (const passes::block& b = blocks[k];
          a.first <= b.last && b.first <= a.last && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes)
        return false;
  }
  return true;
}
/// The smallest gap that fits among the blocks of the lifetime, looked for in the plainest way.
std::int64_t arena_by_size_plainly(pool<passes::block>& blocks) {
  std::vector<std::size_t> order, placed;
  for (std::size_t i = 0; i < blocks.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  std::int64_t arena_bytes = 0;
  for (const std::size_t i : order) {
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;
    for (const std::size_t k : placed)
      if (blocks[k].first <= blocks[i].last && blocks[i].first <= blocks[k].last)
        taken.emplace_back(blocks[k].offset, blocks[k].offset + passes::aligned(blocks[k].bytes));
    std::sort(taken.begin(), taken.end());
    std::int64_t end = 0, best = -1, best_gap = 0;
    for (const auto& [begin, its_end] : taken) {
      const std::int64_t gap = begin - end;
      if (gap >= passes::aligned(blocks[i].bytes) && (best < 0 || gap < best_gap)) best = end, best_gap = gap;
      end = std::max(end, its_end);
    }
    blocks[i].offset = best < 0 ? end : best;
    arena_bytes = std::max(arena_bytes, blocks[i].offset + passes::aligned(blocks[i].bytes));
    placed.push_back(i);
  }
  return arena_bytes;
}

TEST_CASE("arena_layout: few blocks lie where the largest first, each in the smallest gap, puts them") {
  for (const block_row& row : rows)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(row.what);
      CAPTURE(seed);
      pool<passes::block> blocks = blocks_of(row, seed, 20 + 24 * static_cast<int>(seed)), plainly = blocks;
      const auto steps = static_cast<std::int32_t>(blocks.size());
      const std::int64_t bound = layout::max_bytes_in_use(blocks, ids_of(blocks), steps);
      CHECK(layout::place(blocks, ids_of(blocks), steps, bound, {}) == arena_by_size_plainly(plainly));
      bool same = true;
      for (std::size_t i = 0; i < blocks.size(); ++i) same = same && blocks[i].offset == plainly[i].offset;
      CHECK(same);
    }
}

TEST_CASE("arena_layout: many blocks are placed by size without loss, or by time where that is no worse") {
  for (const block_row& row : rows) {
    CAPTURE(row.what);
    pool<passes::block> blocks = blocks_of(row, 7, 2000), plainly = blocks;
    const std::int64_t bound = layout::max_bytes_in_use(blocks, ids_of(blocks), 2000);
    const std::int64_t arena = layout::place(blocks, ids_of(blocks), 2000, bound, {});
    CHECK(is_sound(blocks, arena));
    CHECK(arena <= arena_by_size_plainly(plainly));
    CHECK(static_cast<double>(arena) <= row.max_of_bound * static_cast<double>(bound));
  }
}

TEST_CASE("arena_layout: each order by itself gives sound layouts, of few blocks and of many") {
  for (const block_row& row : rows)
    for (const int count : {1, 2, 17, 600, 1500}) {
      CAPTURE(row.what);
      CAPTURE(count);
      pool<passes::block> blocks = blocks_of(row, 3, count);
      pool<std::int64_t> offsets;
      for (const bool is_backward : {false, true}) {
        const std::int64_t arena = layout::place_by_time(blocks, ids_of(blocks), is_backward, offsets);
        for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].offset = offsets[i];
        CHECK(is_sound(blocks, arena));
      }
      const std::int64_t within =
          layout::placing_by_size(blocks, count).run_within(ids_of(blocks), std::int64_t{1} << 40, {});
      CHECK(is_sound(blocks, within));
      CHECK(layout::placing_by_size(blocks, count).run(ids_of(blocks)) == within);
    }
}

TEST_CASE("arena_layout: placing by size gives up when it is too much work, or the deadline is over") {
  pool<passes::block> blocks = blocks_of(rows[1], 1, 700);
  CHECK(layout::placing_by_size(blocks, 700).run_within(ids_of(blocks), 1000, {}) == -1);
  CHECK(layout::placing_by_size(blocks, 700)
            .run_within(ids_of(blocks), INT64_MAX, deadline_watch(steady_now() - 1, 350)) == -1);
  CHECK(layout::placing_by_size(blocks, 700)
            .run_within(ids_of(blocks), INT64_MAX, deadline_watch(steady_now() + 3'600'000'000'000)) > 0);
}

TEST_CASE("arena_layout: a deadline ends the placing of many blocks in each of its orders") {
  for (const int round : {1, 1000, 3000, 5000}) {  // forward, backward, by size
    CAPTURE(round);
    pool<passes::block> blocks = blocks_of(rows[1], 1, 2000);
    const std::int64_t bound = layout::max_bytes_in_use(blocks, ids_of(blocks), 2000);
    CHECK(layout::place(blocks, ids_of(blocks), 2000, bound, deadline_watch(steady_now() - 1, round)) == 0);
    CHECK(layout::place(blocks, ids_of(blocks), 2000, bound, deadline_watch(steady_now() + 3'600'000'000'000)) >=
          bound);
  }
}

constexpr bool is_placed_by_the_compiler() {
  pool<passes::block> blocks;
  for (std::int32_t i = 0; i < 24; ++i) blocks.push_back({100 + 64 * (i % 5), i / 2, i / 2 + i % 7});
  pool<std::int32_t> ids;
  for (std::int32_t i = 0; i < 24; ++i) ids.push_back(i);
  pool<std::int64_t> offsets;
  const std::int64_t bound = layout::max_bytes_in_use(blocks, ids, 24);
  const std::int64_t by_time = layout::place_by_time(blocks, ids, false, offsets);
  return layout::place(blocks, pool<std::int32_t>(ids), 24, bound, {}) >= bound && by_time >= bound;
}
static_assert(is_placed_by_the_compiler());

}  // namespace
