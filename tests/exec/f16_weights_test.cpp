// halved_weights_test: weights that are kept as float16 take half of the memory, and results are as far off as the
// weights are.
#include <nnrt/dynamic.hpp>
#include <nnrt/exec/stored_program.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace nnrt;

std::vector<float> reals(std::int64_t count, int seed) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i)
    made.push_back(static_cast<float>((i * 37 + seed * 101 + i / 7) % 997 - 498) / 997);
  return made;
}

/// Layers of each kind that packs floats, each after the last, with weights around the threshold: [1, 6, 7, 48] to
/// scores.
model network(float size = 1) {
  model_builder b;
  int seed = 0;
  const auto constant = [&](const shape_t& shape) {
    std::vector<float> numbers = reals(shape.elements(), ++seed);
    for (float& x : numbers) x *= size;
    return b.constant<float>({f32, shape}, numbers).value();
  };
  ops::conv2d::attrs same;
  same.pad.mode = pad_mode::same;
  ops::conv2d_transpose::attrs twice;
  twice.stride = {2, 2}, twice.pad.mode = pad_mode::same;
  const std::int32_t x = b.input("x", {f32, {1, 6, 7, 48}}).value();
  const std::int32_t first =
      b.apply<ops::conv2d>(same, {x, constant({96, 3, 3, 48}), constant({96})}, {}, "large").value()[0];
  const std::int32_t thin = b.apply<ops::conv2d>(same, {first, constant({40, 1, 1, 96})}, {}, "small").value()[0];
  const std::int32_t wide =
      b.apply<ops::conv2d_transpose>(twice, {thin, constant({104, 3, 3, 40}), constant({104})}, {}, "up").value()[0];
  const std::int64_t image[] = {1, 2};
  const std::int32_t mean =
      b.apply<ops::reduce_mean>({}, {wide, b.constant<std::int64_t>({i64, {2}}, image).value()}).value()[0];
  const std::int32_t hidden =
      b.apply<ops::full_connection>({}, {mean, constant({640, 104}), constant({640})}, {}, "dense").value()[0];
  REQUIRE(b.output("y", b.apply<ops::matmul>({}, {hidden, constant({640, 70})}, {}, "product").value()[0]));
  return b.finish();
}

std::vector<float> results_of(const program& p) {
  session s(p);
  const std::vector<float> x = reals(s.input_desc(0).elements(), 77);
  std::copy(x.begin(), x.end(), s.input<float>(0).begin());
  const auto done = s.run();
  REQUIRE(done);
  const std::span<const float> y = s.output<float>(0);
  return {y.begin(), y.end()};
}

int count_of(const std::string& text, std::string_view word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("weights of 16 bits: large ones are, small ones are not, and the interface stays f32") {
  const program halved = compile(network(), {.float16_weights = true}).value();
  CHECK(halved.input_desc(0).type == f32);
  CHECK(halved.output_desc(0).type == f32);
  // In addition to the plan's other steps: one for each of the four layers with 128 KiB or more.
  CHECK(halved.steps() == compile(network(), {.winograd = winograd::off}).value().steps() + 4);
  CHECK(count_of(halved.text(), "widen weights") == 4);
}

TEST_CASE("weights of 16 bits: results are as near as the rounding of weights allows, with any number of threads") {
  const std::vector<float> exact = results_of(compile(network(), {.winograd = winograd::off}).value()),
                           halved = results_of(compile(network(), {.float16_weights = true}).value());
  float largest = 0, off = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    largest = std::max(largest, std::abs(exact[i])), off = std::max(off, std::abs(exact[i] - halved[i]));
  CHECK(off > 0);
  CHECK(off < largest * 0x1p-9F);  // four layers whose weights are off by 2^-11 of their size at most
  CHECK(results_of(compile(network(), {.threads = 3, .float16_weights = true}).value()) == halved);
}

TEST_CASE("weights of 16 bits: those beyond the largest float16 become the largest, and nothing infinite") {
  for (const float x : results_of(compile(network(2e5F), {.float16_weights = true}).value())) REQUIRE(std::isfinite(x));
}

TEST_CASE("weights of 16 bits: what is kept of them is half") {
  const std::size_t whole = store_program(compile(network(), {.winograd = winograd::off}).value()).value().size();
  const std::size_t halved = store_program(compile(network(), {.float16_weights = true}).value()).value().size();
  CHECK(halved < whole * 6 / 10);
}

TEST_CASE("weights of 16 bits: those that a single row would read unpacked, too") {
  model_builder b;
  const std::int32_t x = b.input("x", {f32, {1, 700}}).value();
  const std::int32_t w = b.constant<float>({f32, {600, 700}}, reals(600 * 700, 1)).value();
  REQUIRE(b.output("y", b.apply<ops::full_connection>({}, {x, w}, {}, "classes").value()[0]));
  const model m = b.finish();
  CHECK(count_of(compile(m).value().text(), "dot rows") == 1);
  const program halved = compile(m, {.float16_weights = true}).value();
  CHECK(count_of(halved.text(), "widen weights") == 1);
  CHECK(store_program(halved).value().size() < 600 * 700 * sizeof(float) * 6 / 10);
}

TEST_CASE("widening gives every float16 its value, at any length") {
  std::vector<float16> halves;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    halves.push_back(std::bit_cast<float16>(static_cast<std::uint16_t>(bits)));
  std::vector<float> floats(halves.size());
  kernels::widen_f16(halves.data(), static_cast<std::int64_t>(halves.size()), floats.data());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const float expected = static_cast<float>(halves[i]);
    if (std::isnan(expected)) REQUIRE(std::isnan(floats[i]));
    else REQUIRE(floats[i] == expected);
  }
  for (std::int64_t count = 0; count < 40; ++count) {
    std::vector<float> some(static_cast<std::size_t>(count) + 1, -1);
    kernels::widen_f16(halves.data() + 0x3C00, count, some.data());
    for (std::int64_t i = 0; i < count; ++i)
      REQUIRE(some[static_cast<std::size_t>(i)] == static_cast<float>(halves[static_cast<std::size_t>(0x3C00 + i)]));
    REQUIRE(some.back() == -1);
  }
}

TEST_CASE("narrowing gives the nearest float16") {
  CHECK(static_cast<float>(kernels::nearest_half(0.1F)) == 0.0999755859375F);
  CHECK(static_cast<float>(kernels::nearest_half(65504)) == 65504);
  CHECK(static_cast<float>(kernels::nearest_half(1e9F)) == 65504);
  CHECK(static_cast<float>(kernels::nearest_half(-70000)) == -65504);
  CHECK(static_cast<float>(kernels::nearest_half(1e-9F)) == 0);
  CHECK(std::isnan(static_cast<float>(kernels::nearest_half(NAN))));
}
