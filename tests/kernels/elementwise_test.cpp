#include <nnrt/kernels/elementwise.hpp>

#include <doctest/doctest.h>
#include <vector>

using namespace nnrt;
using kernels::broadcast_loops;
using kernels::loops_of;

namespace {

struct row {
  shape_t a, b, y;
  int count;                // of loops
  std::int64_t extents[4];  // outermost first
  std::int64_t a_steps[4], b_steps[4];
};

// What the comment of broadcast_loops promises, worked out by hand.
constexpr row table[] = {
    {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}, 1, {24}, {1}, {1}},
    {{2, 3, 4}, {}, {2, 3, 4}, 1, {24}, {1}, {0}},
    {{2, 3, 4}, {4}, {2, 3, 4}, 2, {6, 4}, {4, 1}, {0, 1}},
    {{2, 3, 4}, {3, 4}, {2, 3, 4}, 2, {2, 12}, {12, 1}, {0, 1}},
    {{2, 3, 4}, {2, 1, 1}, {2, 3, 4}, 2, {2, 12}, {12, 1}, {1, 0}},
    {{2, 3, 4}, {2, 1, 4}, {2, 3, 4}, 3, {2, 3, 4}, {12, 4, 1}, {4, 0, 1}},
    {{5, 1}, {1, 7}, {5, 7}, 2, {5, 7}, {1, 0}, {0, 1}},
    {{1, 5, 1, 7}, {1, 1, 1, 7}, {1, 5, 1, 7}, 2, {5, 7}, {7, 1}, {0, 1}},
    {{1, 1}, {1}, {1, 1}, 1, {1}, {0}, {0}},
};

constexpr bool is_as_stated(const row& r) {
  const broadcast_loops loops = loops_of(r.a, r.b, r.y);
  if (loops.count != r.count) return false;
  for (int i = 0; i < r.count; ++i)
    if (loops.extents[i] != r.extents[i] || loops.a_steps[i] != r.a_steps[i] || loops.b_steps[i] != r.b_steps[i])
      return false;
  return true;
}
static_assert([] {
  for (const row& r : table)
    if (!is_as_stated(r)) return false;
  return true;
}());

std::vector<float> counted(std::int64_t n) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i + 1));
  return values;
}

}  // namespace

TEST_CASE("loops_of: axes that both operands walk alike are one loop") {
  for (const row& r : table) {
    CAPTURE(r.a.rank);
    CAPTURE(r.count);
    CHECK(is_as_stated(r));
  }
}

TEST_CASE("zip_broadcast: any stretch of the result can be computed alone, and nothing else is written") {
  const shape_t shapes[][2] = {
      {{4, 3, 5}, {5}}, {{4, 3, 5}, {4, 1, 5}}, {{4, 1, 1}, {3, 5}}, {{3, 5}, {4, 3, 5}}, {{4, 3, 5}, {4, 3, 1}}};
  const std::vector<float> x = counted(60);
  for (const auto& pair : shapes) {
    const shape_t y{4, 3, 5};
    const broadcast_loops loops = loops_of(pair[0], pair[1], y);
    std::vector<float> whole(60, -1.0F);
    kernels::zip_broadcast(loops, x.data(), x.data(), whole.data(), {0, 60}, kernels::subtract_lanes{});
    for (std::int64_t begin = 0; begin <= 60; ++begin)
      for (std::int64_t end = begin; end <= 60; ++end) {
        std::vector<float> stretch(60, -1.0F), expected(60, -1.0F);
        kernels::zip_broadcast(loops, x.data(), x.data(), stretch.data(), {begin, end}, kernels::subtract_lanes{});
        std::copy(whole.begin() + begin, whole.begin() + end, expected.begin() + begin);
        if (stretch != expected) {
          CAPTURE(begin);
          CAPTURE(end);
          FAIL_CHECK("a stretch differs from the whole");
        }
      }
  }
}

TEST_CASE("range_of: what fused activations limit to") {
  CHECK(kernels::range_of(activation::none).lo == -std::numeric_limits<float>::infinity());
  CHECK(kernels::range_of(activation::none).hi == std::numeric_limits<float>::infinity());
  CHECK(kernels::range_of(activation::relu).lo == 0.0F);
  CHECK(kernels::range_of(activation::relu).hi == std::numeric_limits<float>::infinity());
  CHECK(kernels::range_of(activation::relu6).lo == 0.0F);
  CHECK(kernels::range_of(activation::relu6).hi == 6.0F);
}
