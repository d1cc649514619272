// random_weights: weights for a static network, number by number.
// Flow: tests of calibration say which numbers; the same seed gives the same ones.
#pragma once

#include <nnrt/io/make_weights.hpp>

#include <doctest/doctest.h>

#include <random>
#include <span>
#include <vector>

namespace nnrt_test {

/// next(random, weight) is the next number of a weight, from a generator that all of them share.
template <class G, class Next> nnrt::weights random_weights(unsigned seed, Next next) {
  std::mt19937 random(seed);
  std::vector<std::vector<float>> elements;
  std::vector<nnrt::tensor_entry> entries;
  elements.reserve(G::weights.size());
  for (const nnrt::tensor_info& w : G::weights) {
    std::vector<float>& e = elements.emplace_back(static_cast<std::size_t>(w.desc.elements()));
    for (float& v : e) v = next(random, w);
    entries.push_back(nnrt::tensor_of<float>(w.name, w.desc.shape, e));
  }
  auto made = nnrt::make_weights(std::span<const nnrt::tensor_entry>(entries));
  REQUIRE(bool(made));
  return *made;
}

}  // namespace nnrt_test
