// half_cast: float16 as float32 and back, rounded to the nearest.
#include <nnrt/ops/half_cast.hpp>
#include <support/refused.hpp>
#include <support/unary.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace nnrt_test;
using op = ops::half_cast;

static_assert(refuses_other_operands<op>());
static_assert(infer<op>({}, {computed({f16, nhwc, {2, 3, 4, 5}})}).output(0) == tensor_desc{f32, nhwc, {2, 3, 4, 5}});
static_assert(infer<op>({}, {computed({f32, {-1, 4}})}).output(0) == tensor_desc{f16, {-1, 4}});
static_assert(
    static_cast<float>(run<op, float, float16>({}, {1}, filled<float>({1}, {1.0F + 0x1.8p-11F})).elements[0]) ==
    1.0F + 0x1p-10F);

template <class From, class To> std::vector<To> converted(std::vector<From> x) {
  const shape_t shape{static_cast<std::int64_t>(x.size())};
  filled<From> from(shape, x);
  filled<To> to(shape);
  const view in[] = {from.as_view()}, out[] = {to.as_view()};
  op::reference<From>({}, in, out);
  return to.elements;
}

TEST_CASE("half_cast: what float16 holds comes back as it was") {
  std::vector<float16> halves;
  for (const float x : {0.0F, 1.0F, -2.5F, 65504.0F, 0x1p-24F, -0x1.ff8p-15F})
    halves.push_back(static_cast<float16>(x));
  const std::vector<float> floats = converted<float16, float>(halves);
  CHECK(floats == std::vector<float>{0.0F, 1.0F, -2.5F, 65504.0F, 0x1p-24F, -0x1.ff8p-15F});
  CHECK(converted<float, float16>(floats) == halves);
}

TEST_CASE("half_cast: floats go to the nearest float16, halves to even, beyond the largest to infinity") {
  const std::vector<float16> halves = converted<float, float16>(
      {1.0F + 0x1p-11F, 1.0F + 0x1.8p-10F, 65519.0F, 65520.0F, -1e10F, std::numeric_limits<float>::quiet_NaN()});
  const float expected[] = {1.0F, 1.0F + 0x1p-9F, 65504.0F, std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()};
  for (std::size_t i = 0; i < 5; ++i) CHECK(static_cast<float>(halves[i]) == expected[i]);
  CHECK(std::isnan(static_cast<float>(halves[5])));
}

}  // namespace
