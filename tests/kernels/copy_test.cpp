#include <nnrt/kernels/copy.hpp>

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
