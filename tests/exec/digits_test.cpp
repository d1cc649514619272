// digits: the network of examples/digits against a computation of the same weights in float64.
#include "../../examples/digits/digits.hpp"
#include "../../examples/digits/held_out.hpp"

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace {

using example::net;

constexpr std::size_t classes = 10;
constexpr const char* folder = NNRT_TEST_DATA "/../../examples/digits/";

/// What tools/train_digits.py --golden wrote.
std::vector<double> golden_probabilities() {
  const auto file = nnrt::weights::open(NNRT_TEST_DATA "/digits_golden.safetensors");
  REQUIRE(file);
  const auto* const found = file->find("probability");
  REQUIRE(found != nullptr);
  REQUIRE(found->type == nnrt::f64);
  std::vector<double> probabilities(found->bytes.size() / sizeof(double));
  std::memcpy(probabilities.data(), found->bytes.data(), found->bytes.size());
  return probabilities;
}

/// The largest difference to the golden probabilities, and the number of digits that are read rightly.
struct outcome {
  double difference = 0;
  int right = 0;
};

template <class Policy> outcome read_all(int threads) {
  const auto weights = nnrt::weights::open(std::string(folder) + "digits.safetensors");
  REQUIRE(weights);
  auto run = nnrt::executor<net, Policy>::create(*weights, {.threads = threads});
  REQUIRE(run);
  const auto file = nnrt::weights::open(std::string(folder) + "held_out.safetensors");
  REQUIRE(file);
  const auto digits = example::held_out::of(*file);
  REQUIRE(digits);
  REQUIRE(digits->size() == 360);
  const std::vector<double> golden = golden_probabilities();
  REQUIRE(golden.size() == digits->size() * classes);

  outcome found;
  for (std::size_t i = 0; i < digits->size(); ++i) {
    const std::span<const float, classes> probability = (*run)(digits->image(i));
    for (std::size_t k = 0; k < classes; ++k) {
      const double difference = std::abs(static_cast<double>(probability[k]) - golden[i * classes + k]);
      if (!(difference <= found.difference)) found.difference = difference;  // a NaN counts
    }
    const auto best = std::max_element(probability.begin(), probability.end()) - probability.begin();
    found.right += best == digits->label(i) ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_CASE("digits: every probability is within 1e-5 of float64, for any number of threads") {
  for (const int threads : {1, 2}) {
    CAPTURE(threads);
    const outcome found = read_all<nnrt::cpu_planned>(threads);
    CHECK(found.difference <= 1e-5);
    CHECK(found.right == 356);
  }
}
