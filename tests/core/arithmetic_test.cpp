// arithmetic_test: fused activations of every type of computation.
#include <nnrt/core/arithmetic.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

namespace {

using namespace nnrt;

struct row {
  float x, relu, relu6;
};
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr row table[] = {
    {-1, 0, 0}, {0, 0, 0}, {0.5F, 0.5F, 0.5F}, {6, 6, 6}, {6.5F, 6.5F, 6}, {infinity, infinity, 6}, {-infinity, 0, 0}};

template <class T> constexpr bool activates(const row& r) {
  const T x = static_cast<T>(r.x);
  return activate(x, activation::none) == x && activate(x, activation::relu) == static_cast<T>(r.relu) &&
         activate(x, activation::relu6) == static_cast<T>(r.relu6);
}
static_assert(std::all_of(std::begin(table), std::end(table), activates<float>));
static_assert(std::all_of(std::begin(table), std::end(table), activates<double>));
static_assert(activate(-3, activation::relu) == 0 && activate(9, activation::relu6) == 6 &&
              activate(-3, activation::none) == -3);

TEST_CASE("arithmetic: activations cut below 0 and above 6, and a NaN stays one") {
  for (const row& r : table) {
    CAPTURE(r.x);
    CHECK(activates<float>(r));
    CHECK(activates<double>(r));
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const activation fused : {activation::none, activation::relu, activation::relu6})
    CHECK(math::is_nan(activate(nan, fused)));
}

}  // namespace
