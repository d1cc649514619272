#include <nnrt/kernels/bind/binary.hpp>
#include <nnrt/kernels/bind/unary.hpp>
#include <support/functions.hpp>

#include <cmath>
#include <limits>

using namespace nnrt_test;

namespace {

/// The ends of the numbers that there are, halves and whole numbers with their neighbours, where fractions end, where
/// angles get too large for vectors, where the logarithm's halves meet.
std::vector<float> edges() {
  std::vector<float> values{3.4e38F, 1.2e-38F, 1.1e-38F, 1e-45F, 88.7F, 88.8F, 104.0F, 0.65F, 1e-5F, 1e19F, 0.0F};
  for (const float at :
       {0.5F, 1.0F, 1.5F, 2.0F, 2.5F, 3.0F, 4194303.5F, 8388607.5F, 8388608.0F, 8388609.0F, 16777216.0F, 8192.0F,
        0.70710677F, 1.41421354F, 1.5707964F, 3.1415927F, 4.712389F, 6.2831855F, 0.78539816F})
    for (const float next : {at, 0.0F, 1e38F}) values.push_back(std::nextafter(at, next));
  const std::size_t n = values.size();
  for (std::size_t i = 0; i < n; ++i) values.push_back(-values[i]);
  return values;
}

template <class Op> void check_function(const typename Op::attrs& attrs, tolerance allowed) {
  nnrt_test::check_function<Op>(attrs, allowed, {0.01F, 1.0F, 12.0F, 120.0F, 5e3F, 1e6F}, edges());
}

}  // namespace

TEST_CASE_TEMPLATE("functions of one operand: these have the reference's numbers, rounded once", Op, ops::abs, ops::neg,
                   ops::square, ops::reciprocal, ops::floor, ops::ceil, ops::round) {
  check_function<Op>({}, {0, 0});
}

TEST_CASE("roundings: zeros keep the sign of what became zero") {
  for (const float x : {-0.0F, -0.25F, -0.5F, 0.25F, 0.0F}) {
    CAPTURE(x);
    float rounded = 1, above = 1;
    kernels::store_one(&rounded, kernels::rounded(kernels::f32_vec(x)));
    kernels::store_one(&above, kernels::ceil_lanes{}(kernels::f32_vec(-std::fabs(x))));
    CHECK(std::signbit(rounded) == std::signbit(x));
    CHECK(std::signbit(above));
  }
}

TEST_CASE("leaky_relu and clip: with any slope and between any bounds") {
  for (const float slope : {0.0F, 0.1F, -2.0F, 1.5F}) {
    ops::leaky_relu::attrs attrs;
    attrs.negative_slope = slope;
    check_function<ops::leaky_relu>(attrs, {0, 0});
  }
  ops::clip::attrs inside, above;
  inside.min = -1.25F, inside.max = 2, above.min = 0.5F;
  check_function<ops::clip>(inside, {0, 0});
  check_function<ops::clip>(above, {0, 0});
  check_function<ops::clip>({}, {0, 0});
}

TEST_CASE_TEMPLATE("functions of one operand: these are the reference within some ulp", Op, ops::exp, ops::log,
                   ops::swish, ops::hard_sigmoid) {
  check_function<Op>({}, {2e-7, 5e-7});
}

TEST_CASE_TEMPLATE("angles of any size: within two ulp of 1", Op, ops::sin, ops::cos) {
  check_function<Op>({}, {2.4e-7, 0});
}

TEST_CASE("erf: within 3 ulp, near zero too, where it is no more than a multiple") {
  check_function<ops::erf>({}, {0, 4e-7});
}

TEST_CASE("logarithms: numbers close to 1 keep their relative accuracy") {
  std::vector<float> beside;
  for (int i = -500; i <= 500; ++i) beside.push_back(1.0F + static_cast<float>(i) * 0x1p-20F);
  check_kernel<ops::log>({}, {floats({1001}, beside)}, {0, 4e-7});
}

TEST_CASE("exp: other bases, factors and summands are left to the reference") {
  ops::exp::attrs attrs;
  attrs.scale = 2;
  CHECK(has_no_kernel<ops::exp>(attrs, {floats({40}, 3)}));
}

TEST_CASE_TEMPLATE("functions of stored bytes: a table of what the reference gives", Op, ops::abs, ops::neg,
                   ops::square, ops::reciprocal, ops::floor, ops::ceil, ops::round, ops::leaky_relu, ops::clip,
                   ops::exp, ops::log, ops::swish, ops::hard_sigmoid, ops::sin, ops::cos, ops::erf) {
  for (const dtype type : {i8, u8})
    for (const shape_t& shape : {shape_t{1}, shape_t{511}, shape_t{3, 5, 7, 11}}) {
      CAPTURE(shape.elements());
      const std::int32_t shift = type == u8 ? 128 : 0;
      check_kernel<Op>({}, {quantised_pattern(type, shape, 10 + shift)}, {}, {wish(quant{0.03F, -20 + shift})});
    }
}

TEST_CASE_TEMPLATE(
    "comparisons and minimum: the kernel is the reference under broadcasts, at every length, for each dtype", Op,
    ops::less, ops::greater, ops::greater_equal, ops::equal, ops::not_equal, ops::minimum, ops::mod) {
  struct shapes {
    shape_t a, b;
  };
  for (const shapes& row : {shapes{{5}, {5}},
                            {{7, 19}, {}},
                            {{1, 1}, {33}},
                            {{2, 5, 3, 16}, {16}},
                            {{31}, {4, 3, 31}},
                            {{2, 5, 1, 16}, {1, 5, 3, 16}},
                            {{90, 40, 41}, {90, 1, 1}}}) {
    CAPTURE(row.a.elements());
    check_kernel<Op>({}, {floats(row.a, 3), floats(row.b, 4)});
    check_kernel<Op>({}, {pattern(i32, row.a), pattern(i32, row.b)});
  }
  for (std::int64_t n = 1; n <= 2 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    const given_operand a = floats({n}, with_special_values(random_floats(n, 3)));
    check_kernel<Op>({}, {a, floats({n}, with_special_values(random_floats(n, 4)))});
    check_kernel<Op>({}, {a, a});
  }
}

TEST_CASE("minimum: stored bytes are brought to the scale of the result") {
  for (const dtype type : {i8, u8}) {
    const std::int32_t shift = type == u8 ? 128 : 0;
    const std::vector<tensor_desc> wanted{wish(quant{0.03F, 5 + shift})};
    check_kernel<ops::minimum>(
        {}, {quantised_pattern(type, {3, 5, 33}, shift), quantised_pattern(type, {33}, 7 + shift)}, {}, wanted);
    check_kernel<ops::minimum>({}, {quantised_pattern(type, {70}, shift), quantised_pattern(type, {70}, 7 + shift)}, {},
                               wanted);
  }
}
