#include <nnrt/kernels/bind/instance_norm.hpp>
#include <nnrt/kernels/bind/l2_normalize.hpp>
#include <nnrt/kernels/bind/lrn.hpp>
#include <nnrt/kernels/bind/reduce_l2.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

TEST_CASE("instance_norm: images of every size around whole vectors") {
  ops::instance_norm::attrs attrs;
  attrs.epsilon = 1e-5F;
  for (std::int64_t n = 1; n <= 5 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<ops::instance_norm>(attrs, {floats({2, 3, n}, 3), floats({3}, 4), floats({3}, 5)}, {5e-6, 5e-6});
  }
  check_kernel<ops::instance_norm>(attrs, {floats({3, 5, 7, 9}, 3), floats({5}, 4), floats({5}, 5)}, {5e-6, 5e-6});
  check_kernel<ops::instance_norm>(attrs, {floats({4, 3}, 3), floats({3}, 4), floats({3}, 5)}, {5e-6, 5e-6});
}

TEST_CASE("instance_norm: a NaN spoils its channel of its image alone, and so does no variance without epsilon") {
  std::vector<float> x = random_floats(120, 3);
  x[25] = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 60; i < 80; ++i) x[i] = 2;
  check_kernel<ops::instance_norm>({}, {floats({2, 3, 20}, x), floats({3}, 4), floats({3}, 5)}, {5e-6, 5e-6});
}

// Sums of most numbers, over how many they are, are not quite the number.
TEST_CASE("instance_norm: numbers that are all alike have no variance, whatever they and however many they are") {
  for (const std::int64_t n : {9, 36, 196, 784, 12544})
    for (const float number : {0.1F, 0.3F, -0.7F, 1.1F, 2.3F, 5.7F, 1e-20F, -3e12F}) {
      CAPTURE(n);
      CAPTURE(number);
      const std::vector<float> x(static_cast<std::size_t>(n), number);
      check_kernel<ops::instance_norm>({}, {floats({1, 1, n}, x), floats({1}, 4), floats({1}, 5)}, {5e-6, 5e-6});
    }
}

namespace {

ops::l2_normalize::attrs along(std::initializer_list<std::int64_t> axes, activation fused = activation::none,
                               float epsilon = 1e-6F) {
  ops::l2_normalize::attrs attrs;
  attrs.axis = axes, attrs.fused = fused, attrs.epsilon = epsilon;
  return attrs;
}
constexpr tolerance some_ulp{1e-30, 8e-7};

}  // namespace

TEST_CASE("l2_normalize: rows and columns of every length around whole vectors") {
  for (std::int64_t n = 1; n <= 5 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<ops::l2_normalize>(along({-1}), {floats({3, n}, 3)}, some_ulp);
    check_kernel<ops::l2_normalize>(along({1}), {floats({2, 5, n}, 3)}, some_ulp);
  }
  check_kernel<ops::l2_normalize>(along({0}), {floats({7, 700})}, some_ulp);
}

TEST_CASE("l2_normalize: any axes side by side, all of them when none is named; others are left to the reference") {
  for (const ops::l2_normalize::attrs& attrs :
       {along({}), along({0}), along({2, 1}), along({-1, -2}), along({0, 1, 2, 3}), along({3}, activation::relu),
        along({1}, activation::relu6)})
    check_kernel<ops::l2_normalize>(attrs, {floats({2, 3, 5, 17}, 4)}, some_ulp);
  CHECK(has_no_kernel<ops::l2_normalize>(along({0, 2}), {floats({2, 3, 5})}));
}

TEST_CASE("l2_normalize: numbers whose squares no float holds, zeros, and what is no number") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> rows[] = {
      {3e25F, -4e25F, 0.0F}, {1e-17F, 2e-17F, -2e-17F}, {3e-20F, 4e-20F, 0.0F},  {0.0F, -0.0F, 0.0F},
      {nan, 1.0F, 2.0F},     {infinity, 1.0F, 2.0F},    {1e-13F, 1e-13F, 1e13F},
  };
  for (const std::vector<float>& row : rows)
    for (const float epsilon : {1e-6F, 1e-37F}) {
      CAPTURE(row[0]);
      CAPTURE(epsilon);
      check_kernel<ops::l2_normalize>(along({0}, activation::none, epsilon), {floats({3}, row)}, some_ulp);
      check_kernel<ops::l2_normalize>(along({0}, activation::none, epsilon),
                                      {floats({3, 2}, {row[0], 1.0F, row[1], 1.0F, row[2], 1.0F})}, some_ulp);
    }
}

TEST_CASE(
    "reduce_l2: any axes side by side, rows and columns of every length around whole vectors, with a coefficient") {
  for (std::int64_t n = 1; n <= 5 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<ops::reduce_l2>({}, {floats({3, n}, 3), integers_of({1})}, some_ulp);
    check_kernel<ops::reduce_l2>({}, {floats({2, 5, n}, 3), integers_of({1})}, some_ulp);
  }
  ops::reduce_l2::attrs attrs;
  attrs.keep_dims = true, attrs.reduce_to_end = true, attrs.coefficient = 2.5F;
  for (const std::int64_t axis : {0, 1, 2})
    check_kernel<ops::reduce_l2>(attrs, {floats({3, 5, 70}, 5), integers_of({axis})}, some_ulp);
  check_kernel<ops::reduce_l2>({}, {floats({7, 700}), integers_of({0})}, some_ulp);
  CHECK(has_no_kernel<ops::reduce_l2>({}, {floats({2, 3, 5}), integers_of({0, 2})}));
}

TEST_CASE("reduce_l2: squares that no float holds, and what is no number") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& row : {std::vector<float>{3e25F, -4e25F, 0.0F},
                                        {3e-30F, 4e-30F, 0.0F},
                                        {0.0F, 0.0F, 0.0F},
                                        {nan, 1.0F, 2.0F},
                                        {infinity, 1.0F, 2.0F}}) {
    CAPTURE(row[0]);
    check_kernel<ops::reduce_l2>({}, {floats({3}, row), integers_of({0})}, {0, 8e-7});
    check_kernel<ops::reduce_l2>({}, {floats({3, 2}, {row[0], 1.0F, row[1], 1.0F, row[2], 1.0F}), integers_of({0})},
                                 {0, 8e-7});
  }
}

namespace {

ops::lrn::attrs response(std::int64_t radius, float bias, float alpha, float beta) {
  ops::lrn::attrs attrs;
  attrs.depth_radius = radius, attrs.bias = bias, attrs.alpha = alpha, attrs.beta = beta;
  return attrs;
}

}  // namespace

TEST_CASE("lrn: any number of channels, and windows that reach beyond them") {
  for (std::int64_t c = 1; c <= 3 * kernels::f32_lanes + 1; ++c)
    for (const std::int64_t radius : {0, 1, 2, 5, 64}) {
      CAPTURE(c);
      CAPTURE(radius);
      check_kernel<ops::lrn>(response(radius, 1, 1e-2F, 0.75F), {floats({2, 3, c}, 3)}, {1e-30, 2e-6});
    }
  check_kernel<ops::lrn>(response(2, 2, 1e-4F, 0.75F), {floats({1, 2, 3, 600}, 3)}, {1e-30, 2e-6});
  check_kernel<ops::lrn>(response(3, 0.5F, 2, -0.5F), {floats({5, 19}, 3)}, {1e-30, 2e-6});
}

TEST_CASE("lrn: sums that are 0, and what is no number") {
  std::vector<float> x = with_special_values(random_floats(60, 3));
  check_kernel<ops::lrn>(response(1, 0, 1, 0.5F), {floats({3, 20}, x)}, {1e-30, 2e-6});
  check_kernel<ops::lrn>(response(1, 0, 1, 0.5F), {floats({1, 4}, {0.0F, 0.0F, 0.0F, 1.0F})}, {1e-30, 2e-6});
}

TEST_CASE("lrn: numbers whose squares no float holds") {
  std::vector<float> x = random_floats(60, 3);
  x[3] = 3e19F, x[17] = 1e-23F, x[18] = -1e-20F, x[30] = -1e38F, x[59] = 1e-40F;
  for (const float bias : {0.0F, 1.0F})
    for (const std::int64_t radius : {0, 1})
      check_kernel<ops::lrn>(response(radius, bias, 1, 0.5F), {floats({3, 20}, x)}, {1e-44, 2e-6});
}

TEST_CASE("lrn: powers of negative numbers, 0 to the power of 0, and wide windows are left to the reference") {
  for (const ops::lrn::attrs& attrs :
       {response(1, -1, 1, 0.5F), response(1, 1, -1, 0.5F), response(1, 1, 1, 0), response(65, 1, 1, 0.5F)})
    CHECK(has_no_kernel<ops::lrn>(attrs, {floats({2, 5})}));
}
