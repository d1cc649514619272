// digits on accelerators: the network of examples/digits, calibrated on the first hundred digits, against its floats on
// all of them.
#include "../../examples/digits/digits.hpp"
#include "../../examples/digits/held_out.hpp"

#include <nnrt/bpu.hpp>

#include <doctest/doctest.h>
#include <algorithm>
#include <vector>

namespace {

using example::net;
using nnrt::calibration_method;
constexpr const char* folder = NNRT_TEST_DATA "/../../examples/digits/";

example::held_out held_out_digits() {
  const auto file = nnrt::weights::open(std::string(folder) + "held_out.safetensors");
  REQUIRE(file);
  const auto digits = example::held_out::of(*file);
  REQUIRE(digits);
  REQUIRE(digits->size() == 360);
  return *digits;
}

template <class Run> int read_rightly(Run& run, const example::held_out& digits) {
  int right = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::span<const float, 10> p = run(digits.image(i));
    right += std::max_element(p.begin(), p.end()) - p.begin() == digits.label(i) ? 1 : 0;
  }
  return right;
}

/// Digits that the stored network reads rightly.
template <class Policy>
int read_quantised(const nnrt::weights& weights, const example::held_out& digits, calibration_method method) {
  std::vector<std::array<float, example::pixels>> samples;
  for (std::size_t i = 0; i < 100; ++i) samples.push_back(digits.image(i));
  const auto made = nnrt::calibrate<net, Policy>(weights, samples, {.method = method});
  REQUIRE(made);
  for (const nnrt::layer_report& r : made->layers) {
    CAPTURE(r.op);
    CHECK((method == calibration_method::kl || r.cosine > 0.999));
  }
  auto run = nnrt::executor<net, Policy>::create(*made);
  REQUIRE(run);
  return read_rightly(*run, digits);
}

}  // namespace

static_assert(nnrt::supports<nnrt::bpu<nnrt::bernoulli2>, net> && nnrt::supports<nnrt::bpu<nnrt::bayes>, net> &&
              nnrt::supports<nnrt::bpu<nnrt::bayes_e>, net>);

TEST_CASE("digits: on accelerators at most half a point less accurate than in floats") {
  const auto weights = nnrt::weights::open(std::string(folder) + "digits.safetensors");
  REQUIRE(weights);
  const example::held_out digits = held_out_digits();
  auto floats = nnrt::executor<net>::create(*weights);
  REQUIRE(floats);
  const int least = read_rightly(*floats, digits) - 360 * 5 / 1000;  // one digit of 360
  for (const calibration_method method :
       {calibration_method::max, calibration_method::percentile, calibration_method::mixed}) {
    CAPTURE(static_cast<int>(method));
    CHECK(read_quantised<nnrt::bpu<nnrt::bernoulli2>>(*weights, digits, method) >= least);
    CHECK(read_quantised<nnrt::bpu<nnrt::bayes>>(*weights, digits, method) >= least);
    CHECK(read_quantised<nnrt::bpu<nnrt::bayes_e>>(*weights, digits, method) >= least);
  }
  // Of so small a network few tensors have a long tail: cutting them costs more, but not much.
  CHECK(read_quantised<nnrt::bpu<nnrt::bayes>>(*weights, digits, calibration_method::kl) >= 360 * 9 / 10);
}
