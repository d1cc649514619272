// dynamic_range: rows keep what 8 bits with one scale for each row can say.
#include <nnrt/ops/dynamic_range.hpp>
#include <support/refused.hpp>
#include <support/unary.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace nnrt_test;
using op = ops::dynamic_range;
using rule = op::rule;

constexpr op::attrs along(std::int64_t axis, bool symmetric = true) {
  op::attrs a;
  a.axis = axis, a.symmetric = symmetric;
  return a;
}

static_assert(refuses_other_operands<op>());

TEST_CASE("dynamic_range: the axis must be one of the input's, at compile time and at run time") {
  NNRT_CHECK_REFUSED(
      op, {"after the last", along(2), {computed(f32_of({3, 4}))}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(
      op,
      {"before the first", along(-3), {computed(f32_of({3, 4}))}, {}, rule::axis_must_be_an_axis_of_the_input, -3, 1});
  NNRT_CHECK_REFUSED(
      op, {"of a number", along(0), {computed(f32_of({}))}, {}, rule::axis_must_be_an_axis_of_the_input, 0, -1});
}

template <class T> std::vector<T> rounded(const op::attrs& a, const shape_t& shape, std::vector<T> x) {
  filled<T> from(shape, x), to(shape);
  const view in[] = {from.as_view()}, out[] = {to.as_view()};
  op::reference<T>(a, in, out);
  return to.elements;
}

TEST_CASE("dynamic_range: symmetric rows are multiples of their largest magnitude over 127") {
  // The largest is 12.7 or 254, so steps are 0.1 or 2.
  const std::vector<double> got = rounded<double>(along(1), {2, 4}, {12.7, -0.04, 0.06, -6.349, 254, 1, -0.99, -253});
  const double expected[] = {12.7, 0, 0.1, -6.3, 254, 2, 0, -254};
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]));
}

TEST_CASE("dynamic_range: other rows have 255 steps from the least to the largest number, and 0 among them") {
  // From -0.5 to 2.05 steps are 0.01 and 0 is at -78; a range without 0 is widened to it: from 0 to 255 steps are 1.
  const std::vector<double> got = rounded<double>(along(-1, false), {2, 3}, {-0.5, 2.05, 0.314, 255, 99.6, 3.2});
  const double expected[] = {-0.5, 2.05, 0.31, 255, 100, 3};
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]));
}

TEST_CASE("dynamic_range: the axis says which numbers share a scale") {
  const std::vector<float> x{127, 0.4F, 1270, 6};
  CHECK(rounded<float>(along(1), {2, 2}, x) == std::vector<float>{127, 0, 1270, 10});
  CHECK(rounded<float>(along(0), {2, 2}, x) == std::vector<float>{130, 0, 1270, 10});
  CHECK(rounded<float16>(along(1), {1, 2}, {float16(127), float16(0.6F)})[1] == float16(1));
}

TEST_CASE("dynamic_range: rows without numbers, of zeros, and with infinities do no harm") {
  CHECK(rounded<float>(along(1), {3, 0}, {}).empty());
  for (const bool symmetric : {true, false}) {
    CHECK(rounded<float>(along(1, symmetric), {1, 2}, {0, -0.0F}) == std::vector<float>{0, 0});
    CHECK(std::isnan(rounded<float>(along(1, symmetric), {1, 2}, {std::numeric_limits<float>::infinity(), 1})[0]));
    CHECK(std::isnan(rounded<float>(along(1, symmetric), {1, 2}, {std::numeric_limits<float>::quiet_NaN(), 1})[0]));
  }
}

TEST_CASE("dynamic_range: rows so small that no float is the inverse of a step count as zeros") {
  for (const bool symmetric : {true, false}) {
    CAPTURE(symmetric);
    CHECK(rounded<float>(along(1, symmetric), {1, 3}, {1e-40F, 0, -1e-40F}) == std::vector<float>{0, 0, 0});
    CHECK(rounded<float>(along(1, symmetric), {1, 2}, {1e-44F, 0}) == std::vector<float>{0, 0});
    CHECK(rounded<double>(along(1, symmetric), {1, 2}, {1e-310, 0}) == std::vector<double>{0, 0});
    const std::vector<float> small = rounded<float>(along(1, symmetric), {1, 2}, {1e-36F, 0});
    CHECK(small[0] > 9e-37F);
    CHECK(small[1] == 0);
  }
}

static_assert([] {
  const float x[] = {1e-40F, 0};
  float y[2] = {1, 1};
  const tensor_desc desc{f32, {1, 2}};
  const view in[] = {{&desc, const_cast<float*>(x)}}, out[] = {{&desc, y}};
  op::reference<float>({}, in, out);
  return y[0] == 0 && y[1] == 0;
}());

static_assert([] {
  const float x[] = {127, 2.6F};
  float y[2] = {};
  const tensor_desc desc{f32, {1, 2}};
  const view in[] = {{&desc, const_cast<float*>(x)}}, out[] = {{&desc, y}};
  op::reference<float>({}, in, out);
  return y[0] == 127 && y[1] == 3;
}());

}  // namespace
