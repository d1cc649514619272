#include <nnrt/kernels/bind/log_softmax.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

constexpr tolerance allowed{2e-7, 4e-7};

ops::log_softmax::attrs along(std::int64_t axis) {
  ops::log_softmax::attrs attrs;
  attrs.axis = axis;
  return attrs;
}

}  // namespace

TEST_CASE("log_softmax: rows and columns of every length around whole vectors") {
  for (std::int64_t n = 1; n <= 6 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<ops::log_softmax>({}, {floats({3, n}, random_floats(3 * n, 5, 20.0F))}, allowed);
    check_kernel<ops::log_softmax>(along(1), {floats({2, 5, n}, random_floats(10 * n, 6, 20.0F))}, allowed);
  }
  check_kernel<ops::log_softmax>({}, {floats({1000})}, allowed);
  check_kernel<ops::log_softmax>(along(0), {floats({7, 700})}, allowed);
}

TEST_CASE("log_softmax: along any axis") {
  for (std::int64_t axis = -4; axis < 4; ++axis) {
    CAPTURE(axis);
    check_kernel<ops::log_softmax>(along(axis), {floats({2, 3, 5, 17}, 4)}, allowed);
  }
  CHECK(node_under_test<ops::log_softmax>(along(1), {floats({2, 3, 5})}).choose().name == "log softmax columns");
  CHECK(node_under_test<ops::log_softmax>(along(2), {floats({2, 3, 5})}).choose().name == "log softmax rows");
}

TEST_CASE("log_softmax: large, equal, infinite and missing numbers") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> rows[] = {
      {1e30F, -1e30F, 0.0F}, {-3e38F, -3e38F, -3e38F}, {-infinity, 1.0F, 2.0F},           {infinity, 1.0F, 2.0F},
      {nan, 1.0F, 2.0F},     {1.0F, 2.0F, nan},        {-infinity, -infinity, -infinity}, {0.0F, -87.0F, -103.0F},
      {50.0F, 50.5F, 20.0F},
  };
  for (const std::vector<float>& row : rows) {
    CAPTURE(row[0]);
    check_kernel<ops::log_softmax>({}, {floats({3}, row)}, allowed);
    check_kernel<ops::log_softmax>(along(0), {floats({3, 2}, {row[0], row[0], row[1], row[1], row[2], row[2]})},
                                   allowed);
  }
}

TEST_CASE("log_softmax: other dtypes are left to the reference") {
  CHECK(has_no_kernel<ops::log_softmax>({}, {elements<double>({7}, 3)}));
}
