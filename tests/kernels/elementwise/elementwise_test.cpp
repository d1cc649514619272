#include <nnrt/kernels/elementwise/elementwise.hpp>

#include <doctest/doctest.h>
#include <vector>

using namespace nnrt;
using kernels::broadcast_loops;
using kernels::loops_of;

namespace {

std::vector<float> counted(std::int64_t n) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i + 1));
  return values;
}

}  // namespace

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
  CHECK(nnrt::range_of(activation::none).lo == -std::numeric_limits<float>::infinity());
  CHECK(nnrt::range_of(activation::none).hi == std::numeric_limits<float>::infinity());
  CHECK(nnrt::range_of(activation::relu).lo == 0.0F);
  CHECK(nnrt::range_of(activation::relu).hi == std::numeric_limits<float>::infinity());
  CHECK(nnrt::range_of(activation::relu6).lo == 0.0F);
  CHECK(nnrt::range_of(activation::relu6).hi == 6.0F);
}
