// float_environments_test: in every rounding mode, and with denormals as zeros, a network has the same bits with any
// number of threads, static or compiled at run time, of floats or quantised values; what is made before it runs does
// not depend on either.
#include <nnrt/dynamic.hpp>
#include <nnrt/exec/stored_program.hpp>
#include <nnrt/io/make_weights.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "support/float_environments.hpp"
#include "support/random_network.hpp"
#include "support/sanitized.hpp"
#include "support/weighed.hpp"

namespace {

using namespace nnrt_test;

inline constexpr auto scaled = [](builder& g) {
  auto x = g.input<f32, shape<1, 64, 64, 16>>("x");
  g.output("y", mul(x, g.constant<f32, shape<1>>({0.5F})));
};
constexpr auto filters = [] {
  std::array<float, 16 * 3 * 3 * 8> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = i % 11 == 0 ? 1e-39F : (static_cast<float>(i % 23) - 11) / 30;
  return numbers;
}();
/// Steps of several kinds, which are shared out in several ways.
inline constexpr auto mixed = [](builder& g) {
  auto x = g.input<f32, shape<1, 20, 20, 8>>("x");
  auto a = relu(conv2d(x, g.constant<f32, shape<16, 3, 3, 8>>(filters)));
  g.output("y", softmax(tanh(a)));
};

std::vector<float> copied(std::span<const float> from) { return {from.begin(), from.end()}; }
bool same_bits(std::span<const float> a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

template <auto& Network> void hold_executors(std::size_t elements) {
  std::vector<float> x(elements, 1e-39F);
  for (std::size_t i = 1; i < x.size(); i += 2) x[i] = 1 + static_cast<float>(i) * 0x1p-23F;
  using net = graph<Network>;
  auto one = executor<net>::create();
  REQUIRE(one);
  for (const int threads : {2, 3, 4}) {
    auto several = executor<net>::create({.threads = threads});
    REQUIRE(several);
    for (int run = 0; run < 5; ++run)
      for (const named_environment& e : float_environments()) {
        CAPTURE(threads);
        CAPTURE(e.name);
        const float_scope scope(e.floats);
        const std::vector<float> expected = copied((*one)(x));
        REQUIRE(same_bits((*several)(x), expected));
        REQUIRE(float_environment::of_this_thread() == e.floats);
      }
  }
}
TEST_CASE(
    "float environments: an executor has the caller's denormals and rounding in all of its threads, as often as it "
    "runs") {
  hold_executors<scaled>(64 * 64 * 16);
  hold_executors<mixed>(20 * 20 * 8);
}

TEST_CASE("float environments: denormals are zeros where the caller says so, and numbers where not, on every thread") {
  const std::vector<float> x(64 * 64 * 16, 1e-39F);
  auto several = executor<graph<scaled>>::create({.threads = 4});
  REQUIRE(several);
  for (int run = 0; run < 20; ++run)
    for (const bool flushes : {true, false}) {
      CAPTURE(flushes);
      const float_scope scope(flushes ? with_flushed_denormals({}) : float_environment());
      const float expected = flushes && flushes_denormals() ? 0.0F : 5e-40F;
      int others = 0;
      for (const float y : (*several)(x))
        others += std::bit_cast<std::uint32_t>(y) != std::bit_cast<std::uint32_t>(expected) ? 1 : 0;
      REQUIRE(others == 0);
    }
}

TEST_CASE("float environments: weights and plans are those of the usual one in any thread") {
  model_builder made;
  const auto x = made.input("x", {f32, {1, 8, 8, 4}});
  const auto w = made.weight("w", {f32, {6, 3, 3, 4}}), scale = made.weight("scale", {f32, {6}});
  REQUIRE((x && w && scale));
  const auto y = made.apply<ops::conv2d>({}, {*x, *w});
  REQUIRE(y);
  const auto z = made.apply<ops::mul>({}, {(*y)[0], *scale});
  REQUIRE(z);
  REQUIRE(made.output("z", (*z)[0]));
  std::vector<float> numbers(6 * 3 * 3 * 4), scales(6, 1 / 3.0F);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = (static_cast<float>(i) - 100) / 7;
  const tensor_entry named[] = {tensor_of<float>("w", {6, 3, 3, 4}, numbers), tensor_of<float>("scale", {6}, scales)};
  const auto file = make_weights(named);
  REQUIRE(file);
  const model network = made.finish(*file);
  const auto usual = compile(network);
  REQUIRE(usual);
  const auto bytes = store_program(*usual);
  REQUIRE(bytes);
  for (const named_environment& e : float_environments()) {
    CAPTURE(e.name);
    const float_scope scope(e.floats);
    const auto other = compile(network);
    REQUIRE(other);
    const auto stored = store_program(*other);
    REQUIRE(stored);
    CHECK(*stored == *bytes);
    CHECK(float_environment::of_this_thread() == e.floats);
  }
}

/// Inputs with numbers of all sizes, denormals among them.
void fill_inputs(session& s, std::size_t count, std::uint64_t seed) {
  dice random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<std::byte> bytes = s.input_bytes(i);
    if (s.input_desc(i).type != f32) {
      for (std::byte& b : bytes) b = static_cast<std::byte>(random.below(256));
      continue;
    }
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      const auto number = static_cast<float>(random.once_in(8) ? random.real(-1e-38, 1e-38) : random.real(-1, 1));
      std::memcpy(bytes.data() + at, &number, sizeof number);
    }
  }
}

TEST_CASE("float environments: networks of all kinds have the same bits with any number of threads") {
  for (std::uint64_t seed = 0; seed < cases<std::uint64_t>(60, 6); ++seed) {
    const model network = weighed(random_network(seed / 2, seed % 2 == 1).made());
    std::vector<session> runs;
    for (int threads = 1; threads <= 4; ++threads) {
      const auto compiled = compile(network, {.threads = threads});
      REQUIRE(compiled);
      runs.emplace_back(*compiled);
      REQUIRE(runs.back().ready());
      fill_inputs(runs.back(), compiled->input_count(), seed);
    }
    for (const named_environment& e : float_environments()) {
      CAPTURE(seed);
      CAPTURE(e.name);
      const float_scope scope(e.floats);
      for (session& s : runs) REQUIRE(s.run());
      for (std::size_t i = 0; i < runs[0].compiled().output_count(); ++i)
        for (std::size_t k = 1; k < runs.size(); ++k) {
          CAPTURE(k);
          const auto expected = runs[0].output_bytes(i), got = runs[k].output_bytes(i);
          REQUIRE(got.size() == expected.size());
          REQUIRE(std::memcmp(got.data(), expected.data(), got.size()) == 0);
        }
    }
  }
}

}  // namespace
