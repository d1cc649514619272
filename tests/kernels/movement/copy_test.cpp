#include <nnrt/kernels/movement/copy.hpp>

#include <doctest/doctest.h>
#include <vector>

using namespace nnrt;
using kernels::box_loops;
using kernels::loops_of;

namespace {

constexpr box_loops cut(shape_t extents, shape_t from, shape_t to, std::int64_t bytes) {
  return loops_of(extents, row_major_strides(from), row_major_strides(to), bytes);
}

// A whole tensor is one row; a cut along the innermost axis leaves rows, one further out longer rows.
static_assert(cut({2, 3, 4}, {2, 3, 4}, {2, 3, 4}, 4).count == 0 &&
              cut({2, 3, 4}, {2, 3, 4}, {2, 3, 4}, 4).row_bytes == 96);
static_assert(cut({2, 3, 2}, {2, 3, 4}, {2, 3, 2}, 4).count == 1 &&
              cut({2, 3, 2}, {2, 3, 4}, {2, 3, 2}, 4).row_bytes == 8);
static_assert(cut({2, 2, 4}, {2, 3, 4}, {2, 2, 4}, 1).rows() == 2 &&
              cut({2, 2, 4}, {2, 3, 4}, {2, 2, 4}, 1).row_bytes == 8);
static_assert(cut({}, {}, {}, 8).bytes() == 8);
static_assert(cut({3, 1}, {3, 5}, {3, 1}, 2).rows() == 3 && cut({3, 1}, {3, 5}, {3, 1}, 2).row_bytes == 2);

}  // namespace

TEST_CASE("copy_box: each part writes its own bytes, all parts together the box and nothing else") {
  for (const std::int64_t bytes : {1, 2, 4, 8})
    for (const std::int64_t width : {1, 2, 3, 4, 7}) {
      const shape_t from{3, 5, 7}, to{3, 4, width + 1}, box{3, 4, width};
      const box_loops loops = loops_of(box, row_major_strides(from), row_major_strides(to), bytes);
      std::vector<std::byte> source(static_cast<std::size_t>(from.elements() * bytes));
      for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 251);
      const std::vector<std::byte> untouched(static_cast<std::size_t>(to.elements() * bytes), std::byte{0xee});
      std::vector<std::byte> expected = untouched;
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 4; ++j)
          std::memcpy(expected.data() + (i * 4 + j) * (width + 1) * bytes, source.data() + (i * 5 + j) * 7 * bytes,
                      static_cast<std::size_t>(width * bytes));
      for (const std::int64_t parts : {1, 2, 3, 5, 64}) {
        CAPTURE(bytes);
        CAPTURE(width);
        CAPTURE(parts);
        std::vector<std::byte> target = untouched;
        for (std::int64_t part = parts; part-- > 0;)
          kernels::copy_box(loops, source.data(), target.data(), {part, parts});
        CHECK(target == expected);
      }
    }
}

TEST_CASE("copy_box: an axis is repeated by a step of 0 and walked backwards by a negative one") {
  const std::vector<std::byte> source = {std::byte{1}, std::byte{2}, std::byte{3}};
  std::vector<std::byte> twice(6), backwards(3);
  box_loops tiled;
  tiled.add_axis(2, 0, 3);
  tiled.add_axis(3, 1, 1);
  tiled.close(1);
  CHECK(tiled.rows() == 2);
  kernels::copy_box(tiled, source.data(), twice.data());
  CHECK(twice == std::vector<std::byte>{source[0], source[1], source[2], source[0], source[1], source[2]});
  kernels::copy_box(loops_of({3}, {-1}, {1}, 1), source.data() + 2, backwards.data());
  CHECK(backwards == std::vector<std::byte>{source[2], source[1], source[0]});
}

TEST_CASE("fill_numbers: every byte is that of the number, and none after the last") {
  for (const std::int64_t size : {1, 2, 4, 8})
    for (const std::int64_t count : {0, 1, 2, 3, 7, 511, 512, 513, 5000})
      for (const bool all_alike : {false, true}) {
        CAPTURE(size);
        CAPTURE(count);
        std::byte number[8] = {};
        for (std::size_t i = 0; i < 8; ++i) number[i] = std::byte(all_alike ? 7 : i + 1);
        std::vector<std::byte> filled(static_cast<std::size_t>(size * count) + 1, std::byte{0xee});
        kernels::fill_numbers({number, size}, size * count, filled.data());
        bool is_right = filled.back() == std::byte{0xee};
        for (std::size_t i = 0; i + 1 < filled.size(); ++i)
          is_right = is_right && filled[i] == number[i % static_cast<std::size_t>(size)];
        CHECK(is_right);
      }
}
