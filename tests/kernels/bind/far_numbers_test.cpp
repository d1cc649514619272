// far_numbers: kernels that add up numbers whose sum, or whose squares, no f32 holds, while the result is one.
// Flow: each is held against its operator's reference, together with rows of ordinary numbers, for any number of parts.
#include <nnrt/kernels/bind/batch_norm.hpp>
#include <nnrt/kernels/bind/instance_norm.hpp>
#include <nnrt/kernels/bind/l2_normalize.hpp>
#include <nnrt/kernels/bind/layer_norm.hpp>
#include <nnrt/kernels/bind/lrn.hpp>
#include <nnrt/kernels/bind/pools.hpp>
#include <nnrt/kernels/bind/reduce_l2.hpp>
#include <nnrt/kernels/bind/reduce_mean.hpp>
#include <nnrt/kernels/bind/reductions.hpp>
#include <nnrt/kernels/bind/softmax.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

/// Three rows of n: numbers of this size and both signs, ordinary ones, and the first number alone.
std::vector<float> rows_of(std::int64_t n, float size) {
  std::vector<float> x = random_floats(3 * n, 3);
  for (std::int64_t i = 0; i < n; ++i) {
    x[static_cast<std::size_t>(i)] = (i % 2 == 0 ? size : -size) * (i < 2 ? 1.0F : 0.75F);
    x[static_cast<std::size_t>(2 * n + i)] = size;
  }
  return x;
}
/// The numbers of rows_of(), one row next to the other.
std::vector<float> columns_of(std::int64_t n, float size) {
  const std::vector<float> rows = rows_of(n, size);
  std::vector<float> x(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    x[i % static_cast<std::size_t>(n) * 3 + i / static_cast<std::size_t>(n)] = rows[i];
  return x;
}
constexpr float sizes[] = {1e19F, 1e30F, 3.4e38F};
const std::int64_t lengths[] = {2, 4, kernels::f32_lanes, 5 * kernels::f32_lanes + 3};

/// f(size, n), with both in the message of what fails.
template <class F> void for_each_size(F f) {
  for (const float size : sizes)
    for (const std::int64_t n : lengths) {
      CAPTURE(size);
      CAPTURE(n);
      f(size, n);
    }
}

}  // namespace

TEST_CASE("layer_norm and instance_norm: a variance beyond f32") {
  for_each_size([](float size, std::int64_t n) {
    check_kernel<ops::layer_norm>({}, {floats({3, n}, rows_of(n, size)), floats({n}, 4), floats({n}, 5)}, {5e-6, 5e-6});
    ops::instance_norm::attrs attrs;
    attrs.epsilon = 1e-5F;
    check_kernel<ops::instance_norm>(attrs, {floats({1, 3, n}, rows_of(n, size)), floats({3}, 4), floats({3}, 5)},
                                     {5e-6, 5e-6});
  });
}

TEST_CASE("layer_norm: a variance below f32, without epsilon") {
  ops::layer_norm::attrs attrs;
  attrs.epsilon = 0;
  check_kernel<ops::layer_norm>(attrs, {floats({3, 6}, rows_of(6, 1e-30F)), floats({6}, 4), floats({6}, 5)},
                                {5e-6, 5e-6});
}

TEST_CASE("l2_normalize and reduce_l2: a length, or its square, beyond f32") {
  for_each_size([](float size, std::int64_t n) {
    ops::l2_normalize::attrs last, first;
    last.axis = {-1}, first.axis = {0};
    check_kernel<ops::l2_normalize>(last, {floats({3, n}, rows_of(n, size))}, {1e-30, 2e-6});
    check_kernel<ops::l2_normalize>(first, {floats({n, 3}, columns_of(n, size))}, {1e-30, 2e-6});
    ops::reduce_l2::attrs quarter;
    quarter.reduce_to_end = true, quarter.coefficient = 1e-3F;
    check_kernel<ops::reduce_l2>(quarter, {floats({3, n}, rows_of(n, size)), integers_of({1})}, {1e-30, 2e-6});
  });
}

TEST_CASE("lrn: squares beyond f32") {
  for_each_size([](float size, std::int64_t n) {
    ops::lrn::attrs attrs;
    attrs.depth_radius = 2, attrs.bias = 1, attrs.alpha = 1e-3F, attrs.beta = 0.75F;
    check_kernel<ops::lrn>(attrs, {floats({3, n}, rows_of(n, size))}, {1e-30, 5e-6});
  });
}

TEST_CASE("reduce_mean, reduce_sum and avg_pool: a sum beyond f32 on the way to a result that is none") {
  for_each_size([](float size, std::int64_t n) {
    check_kernel<ops::reduce_mean>({}, {floats({3, n}, rows_of(n, size)), integers_of({1})},
                                   {1e-6 * double{size} * static_cast<double>(n), 4e-6});
    check_kernel<ops::reduce_mean>({}, {floats({n, 3}, columns_of(n, size)), integers_of({0})},
                                   {1e-6 * double{size} * static_cast<double>(n), 4e-6});
    ops::reduce_sum::attrs part;
    part.reduce_to_end = true, part.coefficient = 1e-3F;
    check_kernel<ops::reduce_sum>(part, {floats({3, n}, rows_of(n, size)), integers_of({1})},
                                  {1e-6 * double{size} * static_cast<double>(n), 4e-6});
    ops::avg_pool::attrs pool;
    pool.kernel = {1, n};
    for (const std::int64_t channels : {1, 5, 70}) {
      std::vector<float> x = random_floats(n * channels, 7);
      for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i * channels + channels / 2)] = size;
      check_kernel<ops::avg_pool>(pool, {floats({1, 1, n, channels}, x)}, {4e-6, 4e-6});
    }
  });
}

TEST_CASE("reduce_prod: a product beyond f32 on the way to one that is none") {
  const std::vector<float> x{1e30F, 1e30F, 1e-30F, 1e-30F, 3, 2, -1, 0.5F, 3e38F, 4, 0.25F, 0.5F};
  check_kernel<ops::reduce_prod>({}, {floats({3, 4}, x), integers_of({1})}, {1e-30, 4e-6});
  check_kernel<ops::reduce_prod>({}, {floats({4, 3}, x), integers_of({0})}, {1e-30, 4e-6});
}

TEST_CASE("softmax: differences beyond f32") {
  for_each_size([](float size, std::int64_t n) {
    check_kernel<ops::softmax>({}, {floats({3, n}, rows_of(n, size))}, {2e-6, 2e-6});
  });
}

TEST_CASE("batch_norm: a distance from the mean beyond f32") {
  const std::vector<float> x{3.4e38F, 1, -2, -3.4e38F, 1.5F, 3.4e38F}, scale{1e-30F, 2, 3}, offset{1, 2, 3},
      mean{-3.4e38F, 0.5F, -3.4e38F}, variance{1, 2, 1e30F};
  check_kernel<ops::batch_norm>(
      {}, {floats({2, 3}, x), floats({3}, scale), floats({3}, offset), floats({3}, mean), floats({3}, variance)},
      {1e-30, 2e-6});
}
