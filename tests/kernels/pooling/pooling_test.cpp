#include <nnrt/kernels/pooling/pooling.hpp>

#include <doctest/doctest.h>
#include <vector>

using namespace nnrt;

namespace {

constexpr kernels::pooled_axis along(std::int64_t input, std::int64_t kernel, std::int64_t stride, std::int64_t before,
                                     std::int64_t after) {
  return kernels::pooled_axis::of(
      {.input = input, .kernel = kernel, .stride = stride, .before = before, .after = after});
}

constexpr bool covers(std::int64_t i, std::int64_t begin, std::int64_t end) {
  const kernels::interval pixels = along(5, 3, 2, 1, 1).pixels_of(i);
  return pixels.begin == begin && pixels.end == end;
}
static_assert(covers(0, 0, 2) && covers(1, 1, 4) && covers(2, 3, 5));

template <class Fold>
std::vector<float> pooled(const kernels::pooling_shape& s, const std::vector<float>& x, std::int64_t parts) {
  std::vector<float> y(static_cast<std::size_t>(s.n * s.h.outputs * s.w.outputs * s.c), -7.0F);
  for (std::int64_t part = 0; part < parts; ++part)
    kernels::pool_windows<Fold>(s, x.data(), {}, y.data(), {part, parts});
  std::vector<float> one_by_one(y.size(), -8.0F);
  kernels::pool_windows<Fold, 1>(s, x.data(), {}, one_by_one.data());
  CHECK(one_by_one == y);
  return y;
}

}  // namespace

TEST_CASE("pools: the padding neither wins nor counts") {
  const std::vector<float> x = {-1, -2, -3, -4, -5, -6, -7, -8, -9};
  const kernels::pooling_shape s{1, 1, along(3, 2, 2, 1, 0), along(3, 2, 2, 1, 0)};
  CHECK(pooled<kernels::maximum_fold>(s, x, 1) == std::vector<float>{-1, -2, -4, -5});
  CHECK(pooled<kernels::mean_fold>(s, x, 1) == std::vector<float>{-1, -2.5F, -5.5F, -7});
}

TEST_CASE("pools: parts are shares of the pixels, or of the channels where there are more of them") {
  std::vector<float> x(static_cast<std::size_t>(2 * 4 * 4 * 200));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 31 % 101);
  const kernels::pooling_shape whole{2, 200, along(4, 4, 1, 0, 0), along(4, 4, 1, 0, 0)},
      many{2, 200, along(4, 2, 1, 0, 0), along(4, 2, 1, 0, 0)};
  for (const std::int64_t parts : {2, 3, 7, 64}) {
    CHECK(pooled<kernels::mean_fold>(whole, x, parts) == pooled<kernels::mean_fold>(whole, x, 1));
    CHECK(pooled<kernels::maximum_fold>(many, x, parts) == pooled<kernels::maximum_fold>(many, x, 1));
  }
}
