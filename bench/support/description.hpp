// description: a network with its weights as plain data, the one form from which every peer builds its own.
// Flow: describe.cpp reads it off nnrt's graph; each file of bench/peers turns it into calls of one library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

enum class element { f32, i8, i32 };

constexpr std::size_t size_of(element type) { return type == element::i8 ? 1 : 4; }

/// A tensor; images are [N, H, W, C]. Quantised values have one scale, or one for each index of the first axis; then
/// real = scale * (stored - zero_point).
struct described_tensor {
  std::vector<std::int64_t> shape;
  element type = element::f32;
  std::vector<float> scales;  // empty: numbers are real
  std::int32_t zero_point = 0;
  const std::byte* data = nullptr;  // of a weight or constant; lives as long as the description's maker

  std::int64_t elements() const {
    std::int64_t n = 1;
    for (const std::int64_t extent : shape) n *= extent;
    return n;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(elements()) * size_of(type); }
  template <class T> const T* as() const { return reinterpret_cast<const T*>(data); }
};

enum class operation {
  convolution,             // x, weight [O, kh, kw, C / group], bias
  transposed_convolution,  // x, weight [O, kh, kw, C], bias
  depthwise,               // x, weight [C, kh, kw, 1], bias
  dense,                   // x, weight [O, I], bias
  product,                 // a [M, K], b [K, N] or, transposed, [N, K]
  max_pool,
  mean_pool,
  mean,  // over `axes`
  add,
  subtract,
  multiply,
  softmax,  // over the last axis
  relu,
  relu6,
  tanh,
  sigmoid,
  reshape,
  transpose,  // by `axes`
  concat,     // along axes[0]
};

constexpr const char* name_of(operation what) {
  constexpr const char* names[] = {"convolution", "transposed_convolution",
                                   "depthwise",   "dense",
                                   "product",     "max_pool",
                                   "mean_pool",   "mean",
                                   "add",         "subtract",
                                   "multiply",    "softmax",
                                   "relu",        "relu6",
                                   "tanh",        "sigmoid",
                                   "reshape",     "transpose",
                                   "concat"};
  return names[static_cast<int>(what)];
}

enum class fused { none, relu, relu6 };

/// Lengths along height and width, in pixels.
struct height_and_width {
  std::int64_t h = 1, w = 1;
};

/// One operation over tensors, which are numbers of `description::tensors`; -1 for an operand that is missing.
struct described_layer {
  operation what{};
  std::vector<int> inputs;
  int output = -1;
  fused activation = fused::none;
  height_and_width kernel, stride, dilation;
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;  // padding, in pixels
  std::int64_t group = 1;
  std::vector<std::int64_t> axes;
  bool is_transposed = false;  // the second operand of a product
};

struct description {
  std::string name;
  std::vector<described_tensor> tensors;
  std::vector<described_layer> layers;  // in an order in which they can run
  std::vector<int> inputs, outputs;
  std::string onnx_file;  // path of the network as an ONNX model; empty: none

  const described_tensor& of(int id) const { return tensors[static_cast<std::size_t>(id)]; }
  bool has_quantised_values() const { return of(outputs.front()).type == element::i8; }
};

/// What a peer throws that cannot run a network; the message goes into the table.
struct cannot_run : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bench
