// guide: what the pieces of programs in docs/guide/ stand in.
// Flow: tests/support/snippets.py puts them in and has the compiler understand the result; nothing runs.
// includes: model_builder made;
// includes: nnrt::tflite::load(
// includes: nnrt::onnx::load(
// includes: nnrt::supports<accelerator
// includes: NNRT_MODEL(digits
// includes: NNRT_MODEL(image_rows
// includes: nnrt::make_weights(tensors)
// includes: nnrt::c_api::make_model<
// includes: hbDNNInfer(&task
// includes: nnrt::remote::connect(socket)
// includes: nnrt::save_chrome_trace(
#include <nnrt/exec/stored_weights.hpp>
#include <nnrt/nnrt.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../examples/digits/digits.hpp"
#include "digits_int8.tflite.inc"  // tests/CMakeLists.txt has it written
#include "support/literals/image.onnx.inc"

// --- networks
namespace networks {
using example::net;
// declarations: auto quantised
using quantised_net = nnrt::graph<quantised>;
static_assert(quantised_net::nodes == 1);
// declarations: net::arena_lower_bound
// declarations: run.try_run(image)
}  // namespace networks

// --- tflite
namespace of_a_model_file {
// declarations: NNRT_MODEL(digits
}  // namespace of_a_model_file

nnrt::result<std::int8_t> from_a_file(const std::vector<std::int8_t>& image) {
  using nnrt::fail;
  // statements: nnrt::tflite::load(
  return scores[0];
}

// --- onnx
// declarations: NNRT_MODEL(image_rows
nnrt::result<float> from_an_onnx_file(const std::vector<float>& image) {
  using nnrt::fail;
  // statements: nnrt::onnx::load(
  return boxes[0];
}

// --- weights
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

// declarations: nnrt::make_weights(tensors)

// --- states
// declarations: layers::conv2d<1, 1, 3>(window
void with_a_state(nnrt::result<nnrt::executor<nnrt::graph<filter>>>& run, const std::array<float, 64>& x,
                  std::array<float, 64>& y) {
  // statements: layers::conv2d<1, 1, 3>(window
}

// --- dynamic
// declarations: model_builder made;
// declarations: session.resize(

// --- accelerators
// declarations: nnrt::supports<accelerator
bool on_an_accelerator(const nnrt::result<nnrt::weights>& weights, const std::vector<std::array<float, 64>>& samples) {
  // statements: nnrt::supports<accelerator
  return run.has_value();
}

// --- c-api, hbdnn, drivers, threads, profiling
// declarations: nnrt::c_api::make_model<
// declarations: hbDNNInfer(&task
// declarations: nnrt::remote::connect(socket)
// declarations: .pin_threads = true
// declarations: nnrt::save_chrome_trace(
// declarations: nnrt::step_times times;
