#include <nnrt/kernels/bind/batch_norm.hpp>
#include <nnrt/kernels/bind/binary.hpp>
#include <nnrt/kernels/bind/layer_norm.hpp>
#include <nnrt/kernels/bind/scale.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

std::vector<float> positive(std::int64_t n, std::uint32_t seed) {
  std::vector<float> values = random_floats(n, seed);
  for (float& value : values) value = value * value + 0.01F;
  return values;
}

}  // namespace

TEST_CASE_TEMPLATE("bias_add and prelu: any number of channels", Op, ops::bias_add, ops::prelu) {
  for (std::int64_t c = 1; c <= 3 * kernels::f32_lanes + 1; ++c) {
    CAPTURE(c);
    check_kernel<Op>({}, {floats({2, 3, 3, c}, 3), constant(floats({c}, 4))});
    check_kernel<Op>({}, {floats({5, c}, with_special_values(random_floats(5 * c, 3))), constant(floats({c}, 4))});
  }
}

TEST_CASE("prelu: one slope serves all channels") {
  check_kernel<ops::prelu>({}, {floats({2, 5, 7, 19}, 3), constant(floats({1}, 4))});
}

namespace {

ops::scale::attrs scaling(std::int64_t axis, activation fused = activation::none) {
  ops::scale::attrs a;
  a.axis = axis, a.fused = fused;
  return a;
}

}  // namespace

TEST_CASE("scale: any number of channels, short rows and long ones, cut anywhere") {
  for (std::int64_t c = 1; c <= 4 * kernels::f32_lanes + 1; ++c) {
    CAPTURE(c);
    for (const bool special : {false, true}) {
      std::vector<float> x = random_floats(70 * c, 3);
      if (special) x = with_special_values(x);
      check_kernel<ops::scale>(scaling(-1), {floats({2, 35, c}, x), constant(floats({c}, 4)), constant(floats({c}, 5))},
                               {2e-6, 1e-6});
    }
  }
  check_kernel<ops::scale>(scaling(-1), {floats({700, 100}, 3), floats({100}, 4), floats({100}, 5)}, {2e-6, 1e-6});
  check_kernel<ops::scale>(scaling(-1), {floats({9000, 3}, 3), floats({3}, 4), floats({3}, 5)}, {2e-6, 1e-6});
}

TEST_CASE("scale: parameters along any axes, one for all of them included") {
  struct row {
    std::int64_t axis;
    shape_t parameters;
    std::string_view name;
  };
  const row table[] = {
      {-1, {19}, "scale channels"}, {2, {5, 19}, "scale channels"}, {0, {3, 4, 5, 19}, "scale channels"},
      {1, {4}, "scale rows"},       {0, {3}, "scale rows"},         {1, {4, 5}, "scale rows"},
      {-1, {}, "scale rows"},       {0, {}, "scale rows"},
  };
  for (const row& r : table) {
    CAPTURE(r.name);
    CAPTURE(r.axis);
    const auto operands = [&] {
      return std::vector{floats({3, 4, 5, 19}, 3), floats(r.parameters, 4), floats(r.parameters, 5)};
    };
    CHECK(node_under_test<ops::scale>(scaling(r.axis), operands()).choose().name == r.name);
    check_kernel<ops::scale>(scaling(r.axis), operands(), {2e-6, 1e-6});
  }
  for (std::int64_t row = 1; row <= 2 * kernels::f32_lanes + 1; ++row)
    check_kernel<ops::scale>(scaling(0), {floats({7, row}, 3), floats({7}, 4), floats({7}, 5)}, {2e-6, 1e-6});
}

TEST_CASE("scale: the activation is applied last") {
  for (const activation fused : {activation::relu, activation::relu6}) {
    const std::vector<float> x = with_special_values(random_floats(8 * 37, 1, 9.0F));
    check_kernel<ops::scale>(scaling(-1, fused), {floats({8, 37}, x), floats({37}, 2), floats({37}, 3)}, {2e-6, 1e-6});
    check_kernel<ops::scale>(scaling(0, fused), {floats({8, 37}, x), floats({8}, 2), floats({8}, 3)}, {2e-6, 1e-6});
  }
}

TEST_CASE("scale: other dtypes, and parameters unlike each other, are left to the reference") {
  CHECK(has_no_kernel<ops::scale>(scaling(-1), {pattern(i32, {2, 4}), pattern(i32, {4}), pattern(i32, {4})}));
  CHECK(has_no_kernel<ops::scale>(scaling(-1), {floats({2, 4}), floats({4}), floats({})}));
}

TEST_CASE("batch_norm: any number of channels, parameters packed beforehand") {
  for (std::int64_t c = 1; c <= 3 * kernels::f32_lanes + 1; ++c) {
    CAPTURE(c);
    for (const bool special : {false, true}) {
      std::vector<float> x = random_floats(12 * c, 3);
      if (special) x = with_special_values(x);
      check_kernel<ops::batch_norm>({},
                                    {floats({2, 3, 2, c}, x), constant(floats({c}, 4)), constant(floats({c}, 5)),
                                     constant(floats({c}, 6)), constant(floats({c}, positive(c, 7)))},
                                    {2e-6, 1e-6});
    }
  }
}

TEST_CASE("layer_norm: rows of every length around whole vectors") {
  for (std::int64_t n = 1; n <= 5 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<ops::layer_norm>({}, {floats({3, n}, 3), floats({n}, 4), floats({n}, 5)}, {5e-6, 5e-6});
  }
}

TEST_CASE("layer_norm: gamma and beta may have fewer or more axes than the block") {
  struct row {
    std::int64_t norm, param;
    shape_t gamma, beta;
  };
  const row table[] = {
      {1, 1, {4, 5, 6}, {4, 5, 6}}, {2, 2, {5, 6}, {5, 6}},    {-1, -1, {6}, {6}},        {1, 3, {6}, {6}},
      {1, 3, {4, 5, 6}, {6}},       {2, 1, {4, 5, 6}, {5, 6}}, {3, 0, {3, 4, 5, 6}, {6}},
  };
  for (const row& r : table) {
    CAPTURE(r.norm);
    CAPTURE(r.param);
    ops::layer_norm::attrs attrs;
    attrs.begin_norm_axis = r.norm;
    attrs.begin_param_axis = r.param;
    check_kernel<ops::layer_norm>(attrs, {floats({3, 4, 5, 6}, 3), floats(r.gamma, 4), floats(r.beta, 5)},
                                  {5e-6, 5e-6});
  }
}

TEST_CASE("layer_norm: a NaN spoils its row alone") {
  std::vector<float> x = random_floats(60, 3);
  x[25] = std::numeric_limits<float>::quiet_NaN();
  x[45] = std::numeric_limits<float>::infinity();
  check_kernel<ops::layer_norm>({}, {floats({3, 20}, x), floats({20}, 4), floats({20}, 5)}, {5e-6, 5e-6});
}
