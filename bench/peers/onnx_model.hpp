// onnx_model: a description as an ONNX model - images with channels first, quantised values between QuantizeLinear and
// DequantizeLinear.
// Flow: onnxruntime.cpp and opencv.cpp load it. ONNX is a protobuf format; the few messages needed are written here.
#pragma once

#include "support/description.hpp"
#include "support/lines.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace bench::onnx {

/// A protobuf message under construction.
class message {
 public:
  void number(int field, std::int64_t value) { key(field, 0), varint(static_cast<std::uint64_t>(value)); }
  void real(int field, float value) { key(field, 5), bytes_.append(reinterpret_cast<const char*>(&value), 4); }
  void text(int field, const std::string& value) { key(field, 2), varint(value.size()), bytes_ += value; }
  void inside(int field, const message& value) { text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void key(int field, unsigned wire) { varint(static_cast<std::uint64_t>(field) << 3U | wire); }
  void varint(std::uint64_t value) {
    for (; value > 127; value >>= 7U) bytes_ += static_cast<char>(value | 128U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

enum data_type { float32 = 1, uint8 = 2, int8 = 3, int32 = 6, int64 = 7 };

/// How activations are stored: as here, or with 128 added, which some libraries have the faster kernels for.
enum class activations { of_int8, of_uint8 };

/// Quantised values with 128 added, or taken away again: the same for bytes.
inline void move_by_128(std::byte* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) numbers[i] ^= std::byte{0x80};
}
constexpr data_type type_of(element e) { return e == element::f32 ? float32 : e == element::i8 ? int8 : int32; }

/// [rows, columns] of elements of `size` bytes as [columns, rows].
inline std::string turned(const std::byte* from, std::size_t rows, std::size_t columns, std::size_t size) {
  std::string to(rows * columns * size, '\0');
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      std::memcpy(to.data() + (c * rows + r) * size, from + (r * columns + c) * size, size);
  return to;
}

/// Which tensors are images, whose axes ONNX orders otherwise: what convolutions and pools read and make, and what is
/// computed of it element by element.
inline std::set<int> images_of(const description& network) {
  std::set<int> images;
  const auto is_rank_4 = [&](int id) { return network.of(id).shape.size() == 4; };
  for (bool grows = true; grows;) {
    const std::size_t before = images.size();
    for (const described_layer& l : network.layers) {
      const bool of_windows =
          l.what <= operation::depthwise || l.what == operation::max_pool || l.what == operation::mean_pool;
      if (of_windows) images.insert(l.inputs[0]), images.insert(l.output);
      if (l.what == operation::mean) images.insert(l.inputs[0]);
      if (of_windows || l.what == operation::mean || l.what == operation::dense || l.what == operation::reshape ||
          l.what == operation::transpose)
        continue;
      bool any = images.count(l.output) != 0;
      for (const int id : l.inputs) any = any || images.count(id) != 0;
      if (!any) continue;
      for (const int id : l.inputs)
        if (id >= 0 && is_rank_4(id)) images.insert(id);
      if (is_rank_4(l.output)) images.insert(l.output);
    }
    grows = images.size() > before;
  }
  return images;
}

/// Elements between NHWC and NCHW; `to_first` moves channels before pixels.
inline void reorder_image(const std::byte* from, std::byte* to, const described_tensor& t, bool to_first) {
  const auto images = static_cast<std::size_t>(t.shape[0]), pixels = static_cast<std::size_t>(t.shape[1] * t.shape[2]),
             channels = static_cast<std::size_t>(t.shape[3]);
  const std::size_t size = size_of(t.type), each = pixels * channels * size;
  for (std::size_t n = 0; n < images; ++n) {
    const std::string one =
        to_first ? turned(from + n * each, pixels, channels, size) : turned(from + n * each, channels, pixels, size);
    std::memcpy(to + n * each, one.data(), each);
  }
}

class writer {
 public:
  writer(const description& network, activations kind)
      : network_(network),
        images_(images_of(network)),
        quantised_(network.has_quantised_values()),
        unsigned_(kind == activations::of_uint8) {
    for (const int id : network.inputs) graph_.inside(11, value_info(id));
    for (const int id : network.inputs) known_.insert(id), dequantise(id);
    for (const described_layer& l : network.layers) add(l);
    for (const int id : network.outputs) graph_.inside(12, value_info(id));
  }
  std::string bytes() const {
    message graph = graph_, model, opset;
    graph.text(2, "network");
    opset.text(1, "");
    opset.number(2, 13);
    model.number(1, 7);
    model.text(2, "nnrt-bench");
    model.inside(7, graph);
    model.inside(8, opset);
    return model.bytes();
  }
  bool is_image(int id) const { return images_.count(id) != 0; }
  static std::string name_of(int id) { return "t" + std::to_string(id); }

 private:
  const described_tensor& of(int id) const { return network_.of(id); }
  std::vector<std::int64_t> shape_of(int id) const {
    const auto& s = of(id).shape;
    return is_image(id) ? std::vector<std::int64_t>{s[0], s[3], s[1], s[2]} : s;
  }
  message value_info(int id) const {
    message shape, tensor, type, info;
    for (const std::int64_t extent : shape_of(id)) {
      message dim;
      dim.number(1, extent);
      shape.inside(1, dim);
    }
    tensor.number(1, of(id).type == element::i8 && unsigned_ ? uint8 : type_of(of(id).type));
    tensor.inside(2, shape);
    type.inside(1, tensor);
    info.text(1, name_of(id));
    info.inside(2, type);
    return info;
  }

  // --- nodes and constants ---
  static message integers(const std::string& name, const std::vector<std::int64_t>& values) {
    message a;
    a.text(1, name);
    for (const std::int64_t v : values) a.number(8, v);
    a.number(20, 7);
    return a;
  }
  static message integer(const std::string& name, std::int64_t value) {
    message a;
    a.text(1, name);
    a.number(3, value);
    a.number(20, 2);
    return a;
  }
  void node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
            const std::vector<message>& attributes = {}) {
    message n;
    for (const std::string& in : inputs) n.text(1, in);
    n.text(2, output);
    n.text(3, op + "_" + output);
    n.text(4, op);
    for (const message& a : attributes) n.inside(5, a);
    graph_.inside(1, n);
  }
  std::string constant(data_type type, const std::vector<std::int64_t>& dims, const std::string& raw) {
    const std::string name = "c" + std::to_string(constants_++);
    message t;
    for (const std::int64_t d : dims) t.number(1, d);
    t.number(2, type);
    t.text(8, name);
    t.text(9, raw);
    graph_.inside(5, t);
    return name;
  }
  template <class T> std::string constant(data_type type, const std::vector<T>& values, bool is_scalar = false) {
    const std::vector<std::int64_t> dims =
        is_scalar ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{static_cast<std::int64_t>(values.size())};
    return constant(type, dims, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }

  // --- quantised values ---
  std::string scale(float value) { return constant(float32, std::vector<float>{value}, true); }
  std::string zero_of_weight(int value) {
    return constant(int8, std::vector<std::int8_t>{static_cast<std::int8_t>(value)}, true);
  }
  /// The zero point of an activation.
  std::string zero(int value) {
    if (!unsigned_) return zero_of_weight(value);
    return constant(uint8, std::vector<std::uint8_t>{static_cast<std::uint8_t>(value + 128)}, true);
  }
  /// The name under which operations read a tensor: that of its real numbers.
  std::string real(int id) const { return quantised_ ? "f" + std::to_string(id) : name_of(id); }
  void dequantise(int id) {
    if (!quantised_ || !is_read(id)) return;
    node("DequantizeLinear", {name_of(id), scale(of(id).scales.at(0)), zero(of(id).zero_point)}, real(id));
  }
  bool is_read(int id) const {
    for (const described_layer& l : network_.layers)
      if (std::find(l.inputs.begin(), l.inputs.end(), id) != l.inputs.end()) return true;
    return false;
  }
  /// Where an operation writes; finish() moves it to its tensor.
  std::string raw_result(int id) const { return quantised_ ? "r" + std::to_string(id) : name_of(id); }
  void finish(int id) {
    if (!quantised_) return;
    node("QuantizeLinear", {raw_result(id), scale(of(id).scales.at(0)), zero(of(id).zero_point)}, name_of(id));
    dequantise(id);
  }
  /// A constant with its scales along an axis.
  std::string weight(const described_tensor& t, const std::vector<std::int64_t>& dims, const std::string& raw,
                     std::int64_t axis) {
    const std::string name = constant(type_of(t.type), dims, raw);
    if (!quantised_) return name;
    if (t.scales.size() == 1 || t.type == element::i32) {
      node("DequantizeLinear", {name, scale(t.scales.at(0)), zero_of_weight(t.zero_point)}, "f" + name);
      return "f" + name;
    }
    const std::vector<std::int8_t> zeros(t.scales.size());
    node("DequantizeLinear", {name, constant(float32, t.scales), constant(int8, zeros)}, "f" + name,
         {integer("axis", axis)});
    return "f" + name;
  }
  std::string bias(const described_layer& l) {
    const described_tensor &b = of(l.inputs[2]), &x = of(l.inputs[0]), &w = of(l.inputs[1]);
    const std::string name =
        constant(type_of(b.type), {b.elements()}, std::string(reinterpret_cast<const char*>(b.data), b.bytes()));
    if (!quantised_) return name;
    std::vector<float> scales;
    for (const float s : w.scales) scales.push_back(s * x.scales.at(0));
    std::vector<std::string> inputs{name, scales.size() == 1 ? scale(scales[0]) : constant(float32, scales)};
    const std::vector<std::int32_t> zeros(scales.size());
    inputs.push_back(constant(int32, zeros, scales.size() == 1));
    std::vector<message> attributes;
    if (scales.size() > 1) attributes.push_back(integer("axis", 0));
    node("DequantizeLinear", inputs, "f" + name, attributes);
    return "f" + name;
  }
  std::string operand(int id) {
    if (of(id).data != nullptr && known_.insert(id).second) {
      std::string raw(of(id).bytes(), '\0');
      if (is_image(id)) reorder_image(of(id).data, reinterpret_cast<std::byte*>(raw.data()), of(id), true);
      else std::memcpy(raw.data(), of(id).data, raw.size());
      if (quantised_ && unsigned_) {
        move_by_128(reinterpret_cast<std::byte*>(raw.data()), raw.size());
        const std::string name = constant(uint8, shape_of(id), raw);
        node("DequantizeLinear", {name, scale(of(id).scales.at(0)), zero(of(id).zero_point)}, "f" + name);
        constant_names_[id] = "f" + name;
      } else {
        constant_names_[id] = weight(of(id), shape_of(id), raw, 0);
      }
    }
    return constant_names_.count(id) != 0 ? constant_names_[id] : real(id);
  }

  // --- layers ---
  /// The operation's node, with the fused activation after it.
  void operation_node(const described_layer& l, const std::string& op, std::vector<std::string> inputs,
                      const std::vector<message>& attributes = {}) {
    const std::string to = raw_result(l.output);
    node(op, inputs, l.activation == fused::none ? to : "a" + to, attributes);
    if (l.activation == fused::relu) node("Relu", {"a" + to}, to);
    if (l.activation == fused::relu6) node("Clip", {"a" + to, scale(0), scale(6)}, to);
    finish(l.output);
  }
  std::vector<message> window_attributes(const described_layer& l, bool has_dilation = true) const {
    std::vector<message> a{integers("kernel_shape", {l.kernel.h, l.kernel.w}),
                           integers("strides", {l.stride.h, l.stride.w}),
                           integers("pads", {l.top, l.left, l.bottom, l.right})};
    if (has_dilation) a.push_back(integers("dilations", {l.dilation.h, l.dilation.w}));
    return a;
  }
  void add_convolution(const described_layer& l) {
    const described_tensor& w = of(l.inputs[1]);
    const std::int64_t out = w.shape[0], h = w.shape[1], wide = w.shape[2], in = w.shape[3];
    std::vector<std::string> inputs{operand(l.inputs[0])};
    auto attributes = window_attributes(l);
    const std::size_t size = size_of(w.type), each = static_cast<std::size_t>(h * wide * in) * size;
    std::string filters;
    for (std::int64_t o = 0; o < out; ++o)
      filters += turned(w.data + static_cast<std::size_t>(o) * each, static_cast<std::size_t>(h * wide),
                        static_cast<std::size_t>(in), size);
    if (l.what == operation::transposed_convolution) {
      if (l.group != 1) throw cannot_run("ONNX: transposed convolutions in groups are not written here");
      // [O, C, h, w] to [C, O, h, w]: whole filters of one channel change places.
      const std::string by_input =
          turned(reinterpret_cast<const std::byte*>(filters.data()), static_cast<std::size_t>(out),
                 static_cast<std::size_t>(in), static_cast<std::size_t>(h * wide) * size);
      inputs.push_back(weight(w, {in, out, h, wide}, by_input, 1));
    } else {
      inputs.push_back(weight(w, {out, in, h, wide}, filters, 0));
      attributes.push_back(integer("group", l.what == operation::depthwise ? out : l.group));
    }
    if (l.inputs.size() > 2 && l.inputs[2] >= 0) inputs.push_back(bias(l));
    operation_node(l, l.what == operation::transposed_convolution ? "ConvTranspose" : "Conv", inputs, attributes);
  }
  void add_dense(const described_layer& l) {
    const described_tensor &w = of(l.inputs[1]), &x = of(l.inputs[0]);
    std::string input = operand(l.inputs[0]);
    if (x.shape.size() != 2) {
      if (is_image(l.inputs[0]) && x.shape[1] * x.shape[2] > 1)
        throw cannot_run("ONNX: dense layers over images are not written here");
      node("Flatten", {input}, "flat" + name_of(l.output), {integer("axis", 1)});
      input = "flat" + name_of(l.output);
    }
    std::string raw(reinterpret_cast<const char*>(w.data), w.bytes());
    if (const auto image = flattened_.find(l.inputs[0]); image != flattened_.end()) {
      const auto& s = of(image->second).shape;
      const auto pixels = static_cast<std::size_t>(s[1] * s[2]), channels = static_cast<std::size_t>(s[3]);
      const std::size_t size = size_of(w.type), row = pixels * channels * size;
      for (std::size_t o = 0; o < static_cast<std::size_t>(w.shape[0]); ++o)
        raw.replace(o * row, row, turned(w.data + o * row, pixels, channels, size));
    }
    std::vector<std::string> inputs{input, weight(w, w.shape, raw, 0)};
    if (l.inputs.size() > 2 && l.inputs[2] >= 0) inputs.push_back(bias(l));
    operation_node(l, "Gemm", inputs, {integer("transB", 1)});
  }
  void add_product(const described_layer& l) {
    const described_tensor& b = of(l.inputs[1]);
    if (b.data == nullptr) {
      if (l.is_transposed)
        throw cannot_run("ONNX: products with a computed matrix that is transposed are not written here");
      return operation_node(l, "MatMul", {operand(l.inputs[0]), operand(l.inputs[1])});
    }
    std::string raw(reinterpret_cast<const char*>(b.data), b.bytes());
    std::vector<std::int64_t> dims = b.shape;
    if (l.is_transposed)
      raw = turned(b.data, static_cast<std::size_t>(dims[0]), static_cast<std::size_t>(dims[1]), size_of(b.type)),
      std::swap(dims[0], dims[1]);
    operation_node(l, "MatMul", {operand(l.inputs[0]), weight(b, dims, raw, 1)});
  }
  void add_pool(const described_layer& l) {
    const auto& s = of(l.inputs[0]).shape;
    if (l.what == operation::max_pool)
      operation_node(l, "MaxPool", {operand(l.inputs[0])}, window_attributes(l, false));
    else if (l.kernel.h == s[1] && l.kernel.w == s[2]) operation_node(l, "GlobalAveragePool", {operand(l.inputs[0])});
    else operation_node(l, "AveragePool", {operand(l.inputs[0])}, window_attributes(l, false));
  }
  void add_mean(const described_layer& l) {
    if (l.axes != std::vector<std::int64_t>{1, 2} || !is_image(l.inputs[0]))
      throw cannot_run("ONNX: only means over pixels are written here");
    if (of(l.output).shape.size() == 4) return operation_node(l, "GlobalAveragePool", {operand(l.inputs[0])});
    // On quantised values the pool's own result has to be stored, too, or nothing of it stays integers.
    const std::string pooled = "p" + name_of(l.output);
    node("GlobalAveragePool", {operand(l.inputs[0])}, pooled);
    std::string flat_from = pooled;
    if (quantised_) {
      const described_tensor& y = of(l.output);
      node("QuantizeLinear", {pooled, scale(y.scales.at(0)), zero(y.zero_point)}, "q" + pooled);
      node("DequantizeLinear", {"q" + pooled, scale(y.scales.at(0)), zero(y.zero_point)}, "d" + pooled);
      flat_from = "d" + pooled;
    }
    operation_node(l, "Flatten", {flat_from}, {integer("axis", 1)});
  }
  void add_reshape(const described_layer& l) {
    const auto& s = of(l.inputs[0]).shape;
    if (is_image(l.output)) throw cannot_run("ONNX: reshapes into images are not written here");
    if (is_image(l.inputs[0]) && s[1] * s[2] > 1) {
      if (of(l.output).shape.size() != 2 || of(l.output).shape[0] != s[0])
        throw cannot_run("ONNX: this reshape of an image is not written here");
      for (const described_layer& reader : network_.layers)
        for (const int id : reader.inputs)
          if (id == l.output && reader.what != operation::dense)
            throw cannot_run("ONNX: flattened images go to dense layers alone here");
      flattened_[l.output] = l.inputs[0];
    }
    operation_node(l, "Reshape", {operand(l.inputs[0]), constant(int64, of(l.output).shape)});
  }
  void add(const described_layer& l) {
    const auto unary = [&](const char* op) { operation_node(l, op, {operand(l.inputs[0])}); };
    const auto binary = [&](const char* op) { operation_node(l, op, {operand(l.inputs[0]), operand(l.inputs[1])}); };
    switch (l.what) {
      case operation::convolution:
      case operation::transposed_convolution:
      case operation::depthwise: return add_convolution(l);
      case operation::dense: return add_dense(l);
      case operation::product: return add_product(l);
      case operation::max_pool:
      case operation::mean_pool: return add_pool(l);
      case operation::mean: return add_mean(l);
      case operation::add: return binary("Add");
      case operation::subtract: return binary("Sub");
      case operation::multiply: return binary("Mul");
      case operation::softmax: return operation_node(l, "Softmax", {operand(l.inputs[0])}, {integer("axis", -1)});
      case operation::relu: return unary("Relu");
      case operation::relu6: return operation_node(l, "Clip", {operand(l.inputs[0]), scale(0), scale(6)});
      case operation::tanh: return unary("Tanh");
      case operation::sigmoid: return unary("Sigmoid");
      case operation::reshape: return add_reshape(l);
      case operation::transpose:
        return operation_node(l, "Transpose", {operand(l.inputs[0])}, {integers("perm", l.axes)});
      case operation::concat: {
        std::vector<std::string> all;
        for (const int id : l.inputs) all.push_back(operand(id));
        constexpr std::int64_t moved[] = {0, 2, 3, 1};
        return operation_node(l, "Concat", all, {integer("axis", is_image(l.output) ? moved[l.axes[0]] : l.axes[0])});
      }
    }
  }

  const description& network_;
  std::set<int> images_, known_;
  std::map<int, int> flattened_;  // the image that a row is of
  std::map<int, std::string> constant_names_;
  bool quantised_, unsigned_;
  int constants_ = 0;
  message graph_;
};

/// The model, and how its inputs and outputs stand to the description's.
struct model {
  model(const description& network, activations kind) {
    file = network.onnx_file;
    if (file.empty()) bytes = writer(network, kind).bytes();
    const std::set<int> images = images_of(network);
    for (const int id : network.inputs) inputs.push_back(port_of(images, network, id, kind));
    for (const int id : network.outputs) outputs.push_back(port_of(images, network, id, kind));
  }
  struct port {
    std::string name;
    described_tensor tensor;
    std::vector<std::int64_t> shape;  // in the model
    bool is_image, is_moved;
    void put(const std::byte* from, std::byte* to) const {
      is_image ? reorder_image(from, to, tensor, true) : copy(from, to);
      if (is_moved) move_by_128(to, tensor.bytes());
    }
    void get(const std::byte* from, std::byte* to) const {
      is_image ? reorder_image(from, to, tensor, false) : copy(from, to);
      if (is_moved) move_by_128(to, tensor.bytes());
    }

   private:
    void copy(const std::byte* from, std::byte* to) const { std::memcpy(to, from, tensor.bytes()); }
    friend struct model;
  };
  std::string file, bytes;  // its place: in a file, or here
  std::vector<port> inputs, outputs;

 private:
  static port port_of(const std::set<int>& images, const description& network, int id, activations kind) {
    port p;
    p.name = writer::name_of(id);
    p.tensor = network.of(id);
    p.is_image = images.count(id) != 0;
    p.is_moved = p.tensor.type == element::i8 && kind == activations::of_uint8;
    const auto& s = p.tensor.shape;
    p.shape = p.is_image ? std::vector<std::int64_t>{s[0], s[3], s[1], s[2]} : s;
    return p;
  }
};

}  // namespace bench::onnx
