// classifier: what happens before a program goes to a board - a network, its weights, and a compiled model of them.
// Flow: main.cpp compiles first, and hands the model's bytes to the C functions; the same network in floats is there to
// compare with.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace example {

/// An NV12 image of 8 x 8 pixels.
using patch = std::array<std::uint8_t, 96>;

/// The model for `bayes`, and what is to be told of it.
struct compiled_classifier {
  std::string bytes;      // of a saved model, as a file has them
  std::string partition;  // which node runs where
  std::string layers;     // scales, and how close quantised values are to floats
};

/// Calibrates the network on these images and compiles it. Ends the program when that fails.
compiled_classifier compile_classifier(const std::vector<patch>& samples);

/// The probabilities of the ten digits, computed in floats.
std::array<float, 10> read_in_floats(const patch& image);

}  // namespace example
