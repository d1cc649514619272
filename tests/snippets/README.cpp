// README: what the pieces of programs in README.md stand in.
// Flow: tests/support/snippets.py puts them in and has the compiler understand the result; nothing runs.
// includes: model_builder made;
// includes: nnrt::tflite::load(
// includes: nnrt::supports<accelerator
// includes: NNRT_MODEL(digits
#include <nnrt/exec/stored_weights.hpp>
#include <nnrt/nnrt.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "digits_int8.tflite.inc"  // tests/CMakeLists.txt has it written

// --- What it is
namespace of_a_model_file {
// declarations: NNRT_MODEL(digits
}  // namespace of_a_model_file

// --- A network with weights
// declarations: layers::conv2d<16, 3, 3>(image
bool with_weights(const std::array<float, 64>& image) {
  // statements: layers::conv2d<16, 3, 3>(image
  return probability[0] > 0;
}

// declarations: NNRT_EMBED(packed_file
bool packed() {
  // statements: NNRT_EMBED(packed_file
  return run.has_value();
}

// --- A network with a state
// declarations: layers::conv2d<1, 1, 3>(window
void with_a_state(nnrt::result<nnrt::executor<nnrt::graph<filter>>>& run, const std::array<float, 64>& x,
                  std::array<float, 64>& y) {
  // statements: layers::conv2d<1, 1, 3>(window
}

// --- A network that is put together at run time
// declarations: model_builder made;

// --- A network from a TensorFlow Lite file
nnrt::result<std::int8_t> from_a_file(const std::vector<std::int8_t>& image) {
  using nnrt::fail;
  // statements: nnrt::tflite::load(
  return scores[0];
}

// --- The same network on an 8-bit accelerator
// declarations: nnrt::supports<accelerator
bool on_an_accelerator(const nnrt::result<nnrt::weights>& weights, const std::vector<std::array<float, 64>>& samples) {
  // statements: nnrt::supports<accelerator
  return run.has_value();
}
