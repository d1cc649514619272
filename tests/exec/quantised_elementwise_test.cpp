// quantised_elementwise_test: a network of elementwise operators on quantised values gives the same bits in each way of
// running.
// nightly: every day kernels and networks run on bytes, too
#include <nnrt/dynamic.hpp>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using namespace nnrt;

constexpr quant steps_of_x{.scale = 0.04F, .zero_point = 5}, steps_of_y{.scale = 0.02F, .zero_point = -60};

constexpr auto gated = [](builder& g) {
  auto x = quantise(g.input<f32, shape<1, 16, 40>>("x"), into<steps_of_x>);
  auto h = nnrt::hswish(x, into<quant{.scale = 0.03F, .zero_point = -100}>);
  auto s = add(x, h, nnrt::relu, into<quant{.scale = 0.05F, .zero_point = -30}>);
  auto m = mul(x, nnrt::sigmoid(s, into<quant{.scale = 1.0F / 256, .zero_point = -128}>), into<steps_of_y>);
  auto y = concat(s, m, axis<0>, into<steps_of_y>);
  g.output("stored", y);
  g.output("y", dequantise(y));
};
using net = graph<gated>;

/// i * 37 % 101 - 50, in sixteenths.
std::array<float, 640> inputs() {
  std::array<float, 640> x{};
  for (int i = 0; i < 640; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i * 37 % 101 - 50) * 0.0625F;
  return x;
}

// Computed by python from the definitions of TFLite's QUANTIZE, HARD_SWISH, ADD, LOGISTIC, MUL and CONCATENATION (see
// each operator's test): the first elements of both halves, and the sum of all, times 1, 2, … 7, 1, ….
constexpr std::array<std::int8_t, 12> first{-60, -60, 73, -60, -60, 127, -60, -25, 127, -60, 30, -60},
    second{-128, -80, 11, -123, -65, 44, -107, -45, 77, -91, -14, -128};
constexpr std::int64_t weighted_sum = -103105;

void check(std::span<const std::int8_t> stored, std::span<const float> y) {
  REQUIRE(stored.size() == 1280);
  CHECK(std::equal(first.begin(), first.end(), stored.begin()));
  CHECK(std::equal(second.begin(), second.end(), stored.begin() + 640));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    sum += static_cast<std::int64_t>(i % 7 + 1) * stored[i];
    CHECK(y[i] == static_cast<float>((stored[i] + 60) * double{0.02F}));
  }
  CHECK(sum == weighted_sum);
}

TEST_CASE("a network of quantised values gives TFLite's bits, by kernels as by references") {
  const auto reference = evaluate<net>(inputs());
  check(std::get<0>(reference), std::get<1>(reference));
  executor<net> run;
  auto [stored, y] = run(inputs());
  check(stored, y);
}

TEST_CASE("the same network gives the same bits when it arrives at run time") {
  auto model = to_model<net>(make_weights({}).value());
  REQUIRE(model);
  auto made = compile(*model, {.threads = 3});
  REQUIRE(made);
  session s(*made);
  std::ranges::copy(inputs(), s.input<float>(0).begin());
  REQUIRE(s.run());
  check(s.output<std::int8_t>(0), s.output<float>(1));
}

}  // namespace
