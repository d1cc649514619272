// xnnpack: networks through XNNPACK's subgraphs; images as ours are, int8 with a scale for each channel of a weight.
// Flow: bench/peers.cmake builds it where the library is. Written for the API of 2022, with what came later where it is
// there.
#include "support/lines.hpp"
#include "support/runner.hpp"

#include <pthreadpool.h>
#include <xnnpack.h>

#include <algorithm>
#include <deque>
#include <limits>

#ifndef NNRT_XNNPACK_VERSION
#define NNRT_XNNPACK_VERSION "?"
#endif

namespace {

using namespace bench;

void require(xnn_status status, const std::string& what) {
  if (status != xnn_status_success)
    throw cannot_run("XNNPACK refuses " + what + " (status " + std::to_string(status) + ")");
}

struct bounds {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};
bounds bounds_of(fused f) {
  if (f == fused::none) return {};
  return f == fused::relu ? bounds{0, std::numeric_limits<float>::infinity()} : bounds{0, 6};
}

/// A description as a subgraph.
class subgraph_maker {
 public:
  explicit subgraph_maker(const description& network)
      : network_(network), id_of_(network.tensors.size(), XNN_INVALID_VALUE_ID) {
    require(xnn_create_subgraph(static_cast<uint32_t>(network.inputs.size() + network.outputs.size()), 0, &made_),
            "a subgraph");
    uint32_t external = 0;
    for (const int id : network.inputs) define_external(id, external++, XNN_VALUE_FLAG_EXTERNAL_INPUT);
    for (const int id : network.outputs) define_external(id, external++, XNN_VALUE_FLAG_EXTERNAL_OUTPUT);
    for (const described_layer& layer : network.layers) add(layer);
  }
  ~subgraph_maker() { xnn_delete_subgraph(made_); }
  subgraph_maker(const subgraph_maker&) = delete;
  subgraph_maker& operator=(const subgraph_maker&) = delete;

  xnn_subgraph_t get() const { return made_; }
  /// What the runtime reads and no one else keeps.
  std::deque<std::vector<std::byte>> take_copies() { return std::move(copies_); }

 private:
  static std::vector<size_t> extents(const std::vector<std::int64_t>& shape) { return {shape.begin(), shape.end()}; }
  const described_tensor& of(int id) const { return network_.of(id); }

  void define_external(int id, uint32_t external, uint32_t flags) {
    id_of_[static_cast<std::size_t>(id)] = define_values(of(id), external, flags);
  }
  /// A tensor that is computed, or an input or output.
  uint32_t define_values(const described_tensor& t, uint32_t external = XNN_INVALID_VALUE_ID, uint32_t flags = 0) {
    uint32_t id = 0;
    const auto dims = extents(t.shape);
    if (t.type == element::f32)
      require(xnn_define_tensor_value(made_, xnn_datatype_fp32, dims.size(), dims.data(), t.data, external, flags, &id),
              "a tensor");
    else
      require(xnn_define_quantized_tensor_value(made_, xnn_datatype_qint8, t.zero_point, t.scales.at(0), dims.size(),
                                                dims.data(), t.data, external, flags, &id),
              "a quantised tensor");
    return id;
  }
  uint32_t value(int id) {
    uint32_t& known = id_of_[static_cast<std::size_t>(id)];
    if (known == XNN_INVALID_VALUE_ID) known = define_values(of(id));
    return known;
  }
  template <class T> T* copy(std::size_t count) {
    copies_.emplace_back(count * sizeof(T) + XNN_EXTRA_BYTES);
    return reinterpret_cast<T*>(copies_.back().data());
  }

  /// A weight with its output channels along `axis`, in the shape `dims`.
  uint32_t weight(const described_tensor& t, const std::vector<size_t>& dims, size_t axis, const void* data) {
    uint32_t id = 0;
    if (t.type == element::f32) {
      require(xnn_define_tensor_value(made_, xnn_datatype_fp32, dims.size(), dims.data(), data, XNN_INVALID_VALUE_ID, 0,
                                      &id),
              "a weight");
      return id;
    }
    require(
        xnn_define_channelwise_quantized_tensor_value(made_, xnn_datatype_qcint8, scales_of(t, dims[axis]), dims.size(),
                                                      axis, dims.data(), data, XNN_INVALID_VALUE_ID, 0, &id),
        "a weight of int8");
    return id;
  }
  const float* scales_of(const described_tensor& t, std::size_t channels) {
    if (t.scales.size() == channels) return t.scales.data();
    float* const all = copy<float>(channels);
    std::fill_n(all, channels, t.scales.at(0));
    return all;
  }
  uint32_t bias(const described_layer& layer, std::size_t channels) {
    if (layer.inputs.size() < 3 || layer.inputs[2] < 0) return XNN_INVALID_VALUE_ID;
    const described_tensor &x = of(layer.inputs[0]), &w = of(layer.inputs[1]), &b = of(layer.inputs[2]);
    uint32_t id = 0;
    const size_t dims[] = {channels};
    if (b.type == element::f32) {
      require(xnn_define_tensor_value(made_, xnn_datatype_fp32, 1, dims, b.data, XNN_INVALID_VALUE_ID, 0, &id),
              "a bias");
      return id;
    }
    const float* const scales = scales_of(w, channels);
    float* const products = copy<float>(channels);
    for (std::size_t c = 0; c < channels; ++c) products[c] = scales[c] * x.scales.at(0);
    require(xnn_define_channelwise_quantized_tensor_value(made_, xnn_datatype_qcint32, products, 1, 0, dims, b.data,
                                                          XNN_INVALID_VALUE_ID, 0, &id),
            "a bias of int32");
    return id;
  }

  void add_convolution(const described_layer& l) {
    const described_tensor& w = of(l.inputs[1]);
    const auto channels = static_cast<std::size_t>(w.shape[0]);
    const auto u = [](std::int64_t n) { return static_cast<uint32_t>(n); };
    const bounds clamp = bounds_of(l.activation);
    const uint32_t x = value(l.inputs[0]), y = value(l.output), b = bias(l, channels);
    if (l.what == operation::depthwise) {
      const uint32_t filter = weight(w, {1, size_t(l.kernel.h), size_t(l.kernel.w), channels}, 3, depthwise_filter(w));
      require(
          xnn_define_depthwise_convolution_2d(made_, u(l.top), u(l.right), u(l.bottom), u(l.left), u(l.kernel.h),
                                              u(l.kernel.w), u(l.stride.h), u(l.stride.w), u(l.dilation.h),
                                              u(l.dilation.w), 1, channels, clamp.low, clamp.high, x, filter, b, y, 0),
          "a depthwise convolution");
      return;
    }
    const uint32_t filter = weight(w, extents(w.shape), 0, w.data);
    const auto group = static_cast<std::size_t>(l.group), in = static_cast<std::size_t>(w.shape[3]),
               out = channels / group;
    if (l.what == operation::convolution)
      require(xnn_define_convolution_2d(made_, u(l.top), u(l.right), u(l.bottom), u(l.left), u(l.kernel.h),
                                        u(l.kernel.w), u(l.stride.h), u(l.stride.w), u(l.dilation.h), u(l.dilation.w),
                                        u(l.group), in, out, clamp.low, clamp.high, x, filter, b, y, 0),
              "a convolution");
    else
      require(xnn_define_deconvolution_2d(made_, u(l.top), u(l.right), u(l.bottom), u(l.left), 0, 0, u(l.kernel.h),
                                          u(l.kernel.w), u(l.stride.h), u(l.stride.w), u(l.dilation.h), u(l.dilation.w),
                                          u(l.group), in, out, clamp.low, clamp.high, x, filter, b, y, 0),
              "a transposed convolution");
  }
  /// [C, h, w, 1] as [1, h, w, C].
  const void* depthwise_filter(const described_tensor& w) {
    return transposed(w, static_cast<std::size_t>(w.shape[0]), static_cast<std::size_t>(w.shape[1] * w.shape[2]));
  }
  const void* transposed(const described_tensor& w, std::size_t rows, std::size_t columns) {
    const std::size_t size = size_of(w.type);
    std::byte* const to = copy<std::byte>(w.bytes());
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        std::memcpy(to + (c * rows + r) * size, w.data + (r * columns + c) * size, size);
    return to;
  }

  void add_dense(const described_layer& l) {
    const described_tensor& w = of(l.inputs[1]);
    const bool turns = l.what == operation::product && !l.is_transposed;
    if (w.data == nullptr) return add_computed_product(l);
    const auto rows = static_cast<std::size_t>(w.shape[0]), columns = static_cast<std::size_t>(w.shape[1]);
    const std::vector<size_t> dims = turns ? std::vector<size_t>{columns, rows} : std::vector<size_t>{rows, columns};
    const uint32_t filter = weight(w, dims, 0, turns ? transposed(w, rows, columns) : w.data);
    const bounds clamp = bounds_of(l.activation);
    const uint32_t flags =
        of(l.inputs[0]).shape.size() > 2 || source_of(l.inputs[0]) != l.inputs[0] ? XNN_FLAG_TENSORFLOW_RESHAPE_2D : 0;
    require(xnn_define_fully_connected(made_, clamp.low, clamp.high, value(source_of(l.inputs[0])), filter,
                                       bias(l, dims[0]), value(l.output), flags),
            "a dense layer");
  }
  void add_computed_product(const described_layer& l) {
    if (network_.has_quantised_values())
      throw cannot_run("XNNPACK has no products of two computed matrices of quantised values");
    if (l.activation != fused::none)
      throw cannot_run("XNNPACK: products of two computed matrices with an activation are not written here");
#ifdef NNRT_XNNPACK_OF_2024
    require(xnn_define_batch_matrix_multiply(made_, value(l.inputs[0]), value(l.inputs[1]), value(l.output),
                                             l.is_transposed ? XNN_FLAG_TRANSPOSE_B : 0),
            "a product of two computed matrices");
#else
    throw cannot_run("XNNPACK: this version has no products of two computed matrices");
#endif
  }
  /// What a reshape before a dense layer, which flattens by itself, is of.
  int source_of(int id) const {
    for (const described_layer& l : network_.layers)
      if (l.output == id && l.what == operation::reshape && feeds_dense_layers_alone(id)) return l.inputs[0];
    return id;
  }
  bool feeds_dense_layers_alone(int id) const {
    for (const int out : network_.outputs)
      if (out == id) return false;
    for (const described_layer& l : network_.layers)
      if (l.what != operation::dense && std::find(l.inputs.begin(), l.inputs.end(), id) != l.inputs.end()) return false;
    return true;
  }

  void add_pool(const described_layer& l) {
    const auto u = [](std::int64_t n) { return static_cast<uint32_t>(n); };
    const described_tensor& x = of(l.inputs[0]);
    const bounds clamp = bounds_of(l.activation);
    if (l.what == operation::max_pool)
      require(xnn_define_max_pooling_2d(made_, u(l.top), u(l.right), u(l.bottom), u(l.left), u(l.kernel.h),
                                        u(l.kernel.w), u(l.stride.h), u(l.stride.w), u(l.dilation.h), u(l.dilation.w),
                                        clamp.low, clamp.high, value(l.inputs[0]), value(l.output), 0),
              "a max pool");
    else if (l.kernel.h == x.shape[1] && l.kernel.w == x.shape[2])
      require(
          xnn_define_global_average_pooling_2d(made_, clamp.low, clamp.high, value(l.inputs[0]), value(l.output), 0),
          "a global average pool");
    else
      require(xnn_define_average_pooling_2d(made_, u(l.top), u(l.right), u(l.bottom), u(l.left), u(l.kernel.h),
                                            u(l.kernel.w), u(l.stride.h), u(l.stride.w), clamp.low, clamp.high,
                                            value(l.inputs[0]), value(l.output), 0),
              "an average pool");
  }
  /// The mean of an image's pixels as a pool, which gives [N, 1, 1, C], and a reshape if the result is [N, C].
  void add_mean(const described_layer& l) {
    const described_tensor &x = of(l.inputs[0]), &y = of(l.output);
    if (x.shape.size() != 4 || l.axes != std::vector<std::int64_t>{1, 2})
      throw cannot_run("XNNPACK: only means over pixels are written here");
    described_tensor pooled = y;
    pooled.shape = {x.shape[0], 1, 1, x.shape[3]};
    pooled.data = nullptr;
    const uint32_t middle = y.shape.size() == 4 ? value(l.output) : define_values(pooled);
    require(xnn_define_global_average_pooling_2d(made_, -std::numeric_limits<float>::infinity(),
                                                 std::numeric_limits<float>::infinity(), value(l.inputs[0]), middle, 0),
            "a mean");
    const auto dims = extents(y.shape);
    if (y.shape.size() != 4)
      require(xnn_define_static_reshape(made_, dims.size(), dims.data(), middle, value(l.output), 0), "a reshape");
  }

  void add_softmax(const described_layer& l) {
    if (of(l.output).type == element::f32)
      return require(xnn_define_softmax(made_, value(l.inputs[0]), value(l.output), 0), "a softmax");
    // There is none of int8: as floats and back.
    described_tensor reals;
    reals.shape = of(l.output).shape;
    const uint32_t before = define_values(reals), after = define_values(reals);
    require(xnn_define_convert(made_, value(l.inputs[0]), before, 0), "a conversion");
    require(xnn_define_softmax(made_, before, after, 0), "a softmax");
    require(xnn_define_convert(made_, after, value(l.output), 0), "a conversion");
  }

  void add_binary(const described_layer& l) {
    const bounds clamp = bounds_of(l.activation);
    const uint32_t a = value(l.inputs[0]), b = value(l.inputs[1]), y = value(l.output);
    if (l.what == operation::add) require(xnn_define_add2(made_, clamp.low, clamp.high, a, b, y, 0), "an addition");
    else if (l.what == operation::subtract)
      require(xnn_define_subtract(made_, clamp.low, clamp.high, a, b, y, 0), "a subtraction");
    else require(xnn_define_multiply2(made_, clamp.low, clamp.high, a, b, y, 0), "a multiplication");
  }

  void add(const described_layer& l) {
    const auto x = [&] { return value(l.inputs[0]); };
    const auto y = [&] { return value(l.output); };
    switch (l.what) {
      case operation::convolution:
      case operation::transposed_convolution:
      case operation::depthwise: return add_convolution(l);
      case operation::dense:
      case operation::product: return add_dense(l);
      case operation::max_pool:
      case operation::mean_pool: return add_pool(l);
      case operation::mean: return add_mean(l);
      case operation::add:
      case operation::subtract:
      case operation::multiply: return add_binary(l);
      case operation::softmax: return add_softmax(l);
      case operation::relu:
        return require(xnn_define_clamp(made_, 0, std::numeric_limits<float>::infinity(), x(), y(), 0), "a relu");
      case operation::relu6: return require(xnn_define_clamp(made_, 0, 6, x(), y(), 0), "a relu6");
      case operation::sigmoid: return require(xnn_define_sigmoid(made_, x(), y(), 0), "a sigmoid");
      case operation::reshape: {
        if (feeds_dense_layers_alone(l.output)) return;
        const auto dims = extents(of(l.output).shape);
        return require(xnn_define_static_reshape(made_, dims.size(), dims.data(), x(), y(), 0), "a reshape");
      }
#ifdef NNRT_XNNPACK_OF_2024
      case operation::tanh: return require(xnn_define_tanh(made_, x(), y(), 0), "a tanh");
      case operation::transpose: {
        const auto order = extents(l.axes);
        return require(xnn_define_static_transpose(made_, order.size(), order.data(), x(), y(), 0), "a transpose");
      }
      case operation::concat:
        if (l.inputs.size() != 2) throw cannot_run("XNNPACK: only two tensors are joined here");
        return require(xnn_define_concatenate2(made_, static_cast<int32_t>(l.axes[0]), x(), value(l.inputs[1]), y(), 0),
                       "a concat");
#else
      case operation::tanh:
      case operation::transpose:
      case operation::concat: break;
#endif
    }
    throw cannot_run(std::string("this XNNPACK has no ") + name_of(l.what));
  }

  const description& network_;
  std::vector<uint32_t> id_of_;
  std::deque<std::vector<std::byte>> copies_;
  xnn_subgraph_t made_ = nullptr;
};

class xnnpack_runner final : public runner {
 public:
  xnnpack_runner(const description& network, int threads) {
    require(xnn_initialize(nullptr), "to start");
    subgraph_maker subgraph(network);
    if (threads > 1) pool_ = pthreadpool_create(static_cast<std::size_t>(threads));
    require(xnn_create_runtime_v2(subgraph.get(), pool_, 0, &runtime_), "the network");
    copies_ = subgraph.take_copies();
    for (const int id : network.inputs) inputs_.emplace_back(network.of(id).bytes());
    for (const int id : network.outputs) outputs_.emplace_back(network.of(id).bytes());
    std::vector<xnn_external_value> externals;
    for (lines& memory : inputs_) externals.push_back({static_cast<uint32_t>(externals.size()), memory.data()});
    for (lines& memory : outputs_) externals.push_back({static_cast<uint32_t>(externals.size()), memory.data()});
    require(xnn_setup_runtime(runtime_, externals.size(), externals.data()), "its memory");
  }
  ~xnnpack_runner() override {
    if (runtime_ != nullptr) xnn_delete_runtime(runtime_);
    if (pool_ != nullptr) pthreadpool_destroy(pool_);
  }
  void set_input(std::size_t i, const std::byte* elements) override { inputs_[i].assign(elements); }
  void run() override {
    if (xnn_invoke_runtime(runtime_) != xnn_status_success) throw cannot_run("XNNPACK could not run");
  }
  void get_output(std::size_t i, std::byte* elements) override {
    std::memcpy(elements, outputs_[i].data(), outputs_[i].size());
  }

 private:
  pthreadpool_t pool_ = nullptr;
  xnn_runtime_t runtime_ = nullptr;
  std::deque<std::vector<std::byte>> copies_;
  std::vector<lines> inputs_, outputs_;
};

const registered_peer registered("xnnpack", "XNNPACK " NNRT_XNNPACK_VERSION,
                                 [](const description& network, int threads) -> std::unique_ptr<runner> {
                                   return std::make_unique<xnnpack_runner>(network, threads);
                                 });

}  // namespace
