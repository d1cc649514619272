// resize: places of pixels that are counted in steps of a binary fraction, as resizers of accelerators count them.
#include <nnrt/core/resize.hpp>

#include <doctest/doctest.h>

using namespace nnrt;

// The outermost pixels lie on each other; the step is rounded to the nearest.
static_assert(resizing_step(5, 5, 16) == 65536 && resizing_step(9, 5, 16) == 131072 &&
              resizing_step(5, 9, 16) == 32768);
static_assert(resizing_step(96, 16, 16) == (95 * 65536 + 7) / 15 && resizing_step(255, 128, 8) == 512 &&
              resizing_step(7, 1, 8) == 0);

TEST_CASE("resize: a place between two pixels, on one, and after the last") {
  struct row {
    std::int64_t step, input, i, first, second, between;
  };
  static constexpr row table[] = {{384, 9, 1, 1, 2, 128}, {384, 9, 2, 3, 4, 0}, {384, 9, 0, 0, 1, 0},
                                  {512, 5, 2, 4, 4, 0},   {513, 5, 2, 4, 4, 0}, {0, 1, 3, 0, 0, 0}};
  for (const row& r : table) {
    CAPTURE(r.i);
    const auto got = pixels_around_by_step(r.step, 8, r.input, r.i);
    CHECK((got.first == r.first && got.second == r.second && got.between == r.between));
  }
}
