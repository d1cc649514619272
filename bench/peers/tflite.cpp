// tflite: networks through TensorFlow Lite's interpreter, with the kernels that are built into the library.
// Flow: bench/peers.cmake builds it where the library and its headers are; tensors and nodes are added one by one, no
// file is written.
#include "support/description.hpp"
#include "support/lines.hpp"
#include "support/runner.hpp"

#include <tensorflow/lite/builtin_op_data.h>
#include <tensorflow/lite/interpreter.h>
#include <tensorflow/lite/kernels/register.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <map>

namespace {

using namespace bench;

/// Keeps what the library says last, for the table.
class kept_report final : public tflite::ErrorReporter {
 public:
  int Report(const char* format, va_list arguments) override {
    char text[512];
    const int length = std::vsnprintf(text, sizeof text, format, arguments);
    last_ = text;
    return length;
  }
  const std::string& last() const { return last_; }

 private:
  std::string last_ = "no reason given";
};

std::vector<int> shape_of(const std::vector<std::int64_t>& extents) { return {extents.begin(), extents.end()}; }

TfLiteType type_of(element e) {
  return e == element::f32 ? kTfLiteFloat32 : e == element::i8 ? kTfLiteInt8 : kTfLiteInt32;
}

/// Scales along an axis, or one; the interpreter frees them.
TfLiteQuantization quantisation(const std::vector<float>& scales, std::int32_t zero_point, int axis) {
  if (scales.empty()) return {kTfLiteNoQuantization, nullptr};
  auto* const made = static_cast<TfLiteAffineQuantization*>(std::malloc(sizeof(TfLiteAffineQuantization)));
  const auto count = static_cast<int>(scales.size());
  made->scale = TfLiteFloatArrayCreate(count), made->zero_point = TfLiteIntArrayCreate(count),
  made->quantized_dimension = axis;
  for (int i = 0; i < count; ++i)
    made->scale->data[i] = scales[static_cast<std::size_t>(i)], made->zero_point->data[i] = zero_point;
  return {kTfLiteAffineQuantization, made};
}

/// A description as tensors and nodes of an interpreter. Tensors have the description's numbers; those that it has not
/// follow them.
class network_builder {
 public:
  network_builder(const description& network, tflite::Interpreter& into, const kept_report& report,
                  std::deque<lines>& constants)
      : network_(network), into_(into), report_(report), constants_(constants) {
    require(into.AddTensors(static_cast<int>(network.tensors.size())));
    for (std::size_t i = 0; i < network.tensors.size(); ++i)
      if (network.tensors[i].data == nullptr) add_computed(static_cast<int>(i), network.tensors[i]);
    require(into.SetInputs(network.inputs));
    require(into.SetOutputs(network.outputs));
    for (const described_layer& l : network.layers) add(l);
    require(into.AllocateTensors());
  }

 private:
  void require(TfLiteStatus status) const {
    if (status != kTfLiteOk) throw cannot_run("TensorFlow Lite: " + report_.last());
  }
  const described_tensor& of(int id) const { return network_.of(id); }

  // --- tensors ---
  void add_computed(int index, const described_tensor& t) {
    require(into_.SetTensorParametersReadWrite(index, type_of(t.type), "", shape_of(t.shape),
                                               quantisation(t.scales, t.zero_point, 0)));
  }
  int another() {
    int index = 0;
    require(into_.AddTensors(1, &index));
    return index;
  }
  int constant(int index, TfLiteType type, const std::vector<int>& shape, const TfLiteQuantization& q, const void* data,
               std::size_t bytes) {
    constants_.emplace_back(std::max<std::size_t>(1, bytes)).assign(static_cast<const std::byte*>(data));
    require(into_.SetTensorParametersReadOnly(index, type, "", shape, q,
                                              reinterpret_cast<const char*>(constants_.back().data()), bytes));
    return index;
  }
  int numbers(const std::vector<int>& values, const std::vector<int>& shape) {
    return constant(another(), kTfLiteInt32, shape, {kTfLiteNoQuantization, nullptr}, values.data(),
                    values.size() * sizeof(int));
  }
  int numbers(const std::vector<int>& values) { return numbers(values, {static_cast<int>(values.size())}); }
  /// An operand as it is described.
  int operand(int id) {
    const described_tensor& t = of(id);
    if (t.data != nullptr && known_.emplace(id, id).second)
      constant(id, type_of(t.type), shape_of(t.shape), quantisation(t.scales, t.zero_point, 0), t.data, t.bytes());
    return id;
  }
  /// [rows, columns] of weights as [columns, rows], scales along the last axis.
  int turned(int id, std::size_t rows, const std::vector<int>& shape, int axis) {
    const described_tensor& w = of(id);
    const std::size_t size = size_of(w.type), columns = static_cast<std::size_t>(w.elements()) / rows;
    std::vector<std::byte> to(w.bytes());
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        std::memcpy(to.data() + (c * rows + r) * size, w.data + (r * columns + c) * size, size);
    return constant(another(), type_of(w.type), shape, quantisation(w.scales, w.zero_point, axis), to.data(),
                    to.size());
  }
  int bias(const described_layer& l) {
    if (l.inputs.size() < 3 || l.inputs[2] < 0) return kTfLiteOptionalTensor;
    const described_tensor &b = of(l.inputs[2]), &x = of(l.inputs[0]), &w = of(l.inputs[1]);
    std::vector<float> scales;
    for (const float s : w.scales) scales.push_back(s * x.scales.at(0));
    return constant(another(), type_of(b.type), {static_cast<int>(b.elements())}, quantisation(scales, 0, 0), b.data,
                    b.bytes());
  }

  // --- nodes ---
  template <class Parameters>
  void node(tflite::BuiltinOperator what, const std::vector<int>& inputs, int output, const Parameters& given) {
    void* const parameters = std::malloc(sizeof(Parameters));  // the interpreter frees it
    std::memcpy(parameters, &given, sizeof given);
    node_of(what, inputs, output, parameters);
  }
  void node(tflite::BuiltinOperator what, const std::vector<int>& inputs, int output) {
    node_of(what, inputs, output, nullptr);
  }
  void node_of(tflite::BuiltinOperator what, const std::vector<int>& inputs, int output, void* parameters) {
    const TfLiteRegistration* found = nullptr;
    for (int version = 8; found == nullptr && version > 0; --version) found = operators_.FindOp(what, version);
    if (found == nullptr)
      throw cannot_run(std::string("TensorFlow Lite: it has no ") + tflite::EnumNameBuiltinOperator(what));
    require(into_.AddNodeWithParameters(inputs, {output}, nullptr, 0, parameters, found));
  }
  static TfLiteFusedActivation activation(const described_layer& l) {
    return l.activation == fused::none   ? kTfLiteActNone
           : l.activation == fused::relu ? kTfLiteActRelu
                                         : kTfLiteActRelu6;
  }
  static int whole(std::int64_t x) { return static_cast<int>(x); }

  // --- padding of images: the library knows two kinds, others are a separate operation ---
  bool is_valid(const described_layer& l) const { return l.top == 0 && l.bottom == 0 && l.left == 0 && l.right == 0; }
  bool is_same(const described_layer& l, const height_and_width& kernel) const {
    const auto pads = [](std::int64_t in, std::int64_t out, std::int64_t k, std::int64_t stride, std::int64_t dilation,
                         std::int64_t before, std::int64_t after) {
      const std::int64_t all = std::max<std::int64_t>(0, (out - 1) * stride + (k - 1) * dilation + 1 - in);
      return out == (in + stride - 1) / stride && before == all / 2 && after == all - all / 2;
    };
    const auto &x = of(l.inputs[0]).shape, &y = of(l.output).shape;
    return pads(x[1], y[1], kernel.h, l.stride.h, l.dilation.h, l.top, l.bottom) &&
           pads(x[2], y[2], kernel.w, l.stride.w, l.dilation.w, l.left, l.right);
  }
  struct padded {
    int input;
    TfLitePadding padding;
  };
  /// padded with zero points (zeros), or the lowest numbers.
  padded padded_input(const described_layer& l, const height_and_width& kernel, bool is_lowest) {
    const int x = operand(l.inputs[0]);
    if (is_valid(l)) return {x, kTfLitePaddingValid};
    if (is_same(l, kernel)) return {x, kTfLitePaddingSame};
    described_tensor t = of(l.inputs[0]);
    t.shape[1] += l.top + l.bottom, t.shape[2] += l.left + l.right;
    const int to = another(),
              pads = numbers({0, 0, whole(l.top), whole(l.bottom), whole(l.left), whole(l.right), 0, 0}, {4, 2});
    add_computed(to, t);
    if (is_lowest) {
      const float low = std::numeric_limits<float>::lowest();
      const auto low_byte = std::int8_t{-128};
      const bool is_real = t.type == element::f32;
      const int beside = constant(another(), type_of(t.type), {1}, quantisation(t.scales, t.zero_point, 0),
                                  is_real ? static_cast<const void*>(&low) : &low_byte, size_of(t.type));
      node(tflite::BuiltinOperator_PADV2, {x, pads, beside}, to);
    } else {
      node(tflite::BuiltinOperator_PAD, {x, pads}, to);
    }
    return {to, kTfLitePaddingValid};
  }

  // --- layers ---
  template <class Parameters>
  static Parameters convolution_parameters(const described_layer& l, TfLitePadding padding) {
    Parameters p{};
    p.padding = padding, p.stride_width = whole(l.stride.w), p.stride_height = whole(l.stride.h),
    p.activation = activation(l);
    p.dilation_width_factor = whole(l.dilation.w), p.dilation_height_factor = whole(l.dilation.h);
    return p;
  }
  void add_convolution(const described_layer& l) {
    const auto& w = of(l.inputs[1]).shape;
    const padded x = padded_input(l, {w[1], w[2]}, false);
    const auto p = convolution_parameters<TfLiteConvParams>(l, x.padding);
    node(tflite::BuiltinOperator_CONV_2D, {x.input, operand(l.inputs[1]), bias(l)}, l.output, p);
  }
  void add_depthwise(const described_layer& l) {
    const auto& w = of(l.inputs[1]).shape;
    const padded x = padded_input(l, {w[1], w[2]}, false);
    auto p = convolution_parameters<TfLiteDepthwiseConvParams>(l, x.padding);
    p.depth_multiplier = whole(w[0] / of(l.inputs[0]).shape[3]);
    const int weights =
        turned(l.inputs[1], static_cast<std::size_t>(w[0]), {1, whole(w[1]), whole(w[2]), whole(w[0])}, 3);
    node(tflite::BuiltinOperator_DEPTHWISE_CONV_2D, {x.input, weights, bias(l)}, l.output, p);
  }
  void add_transposed(const described_layer& l) {
    if (!is_valid(l) || l.group != 1)
      throw cannot_run("TensorFlow Lite: transposed convolutions with padding or in groups are not written here");
    TfLiteTransposeConvParams p{};
    p.padding = kTfLitePaddingValid, p.stride_width = whole(l.stride.w), p.stride_height = whole(l.stride.h),
    p.activation = activation(l);
    node(tflite::BuiltinOperator_TRANSPOSE_CONV,
         {numbers(shape_of(of(l.output).shape)), operand(l.inputs[1]), operand(l.inputs[0]), bias(l)}, l.output, p);
  }
  void add_dense(const described_layer& l, int weights, int its_bias) {
    TfLiteFullyConnectedParams p{};
    p.activation = activation(l);
    node(tflite::BuiltinOperator_FULLY_CONNECTED, {operand(l.inputs[0]), weights, its_bias}, l.output, p);
  }
  void add_product(const described_layer& l) {
    const described_tensor& b = of(l.inputs[1]);
    if (b.data == nullptr)
      return node(tflite::BuiltinOperator_BATCH_MATMUL, {l.inputs[0], l.inputs[1]}, l.output,
                  TfLiteBatchMatMulParams{false, l.is_transposed, false});
    const int weights = l.is_transposed ? operand(l.inputs[1])
                                        : turned(l.inputs[1], static_cast<std::size_t>(b.shape[0]),
                                                 {whole(b.shape[1]), whole(b.shape[0])}, 0);
    add_dense(l, weights, kTfLiteOptionalTensor);
  }
  void add_pool(const described_layer& l) {
    const bool is_max = l.what == operation::max_pool;
    if (!is_max && !is_valid(l) && !is_same(l, l.kernel))
      throw cannot_run("TensorFlow Lite: means of such padded windows are not written here");
    const padded x = padded_input(l, l.kernel, true);
    TfLitePoolParams p{};
    p.padding = x.padding, p.stride_width = whole(l.stride.w), p.stride_height = whole(l.stride.h),
    p.activation = activation(l);
    p.filter_width = whole(l.kernel.w), p.filter_height = whole(l.kernel.h);
    node(is_max ? tflite::BuiltinOperator_MAX_POOL_2D : tflite::BuiltinOperator_AVERAGE_POOL_2D, {x.input}, l.output,
         p);
  }
  void add_reshape(const described_layer& l) {
    TfLiteReshapeParams p{};
    const std::vector<int> shape = shape_of(of(l.output).shape);
    p.num_dimensions = static_cast<int>(shape.size());
    std::copy(shape.begin(), shape.end(), p.shape);
    node(tflite::BuiltinOperator_RESHAPE, {operand(l.inputs[0]), numbers(shape)}, l.output, p);
  }
  void add_concat(const described_layer& l) {
    std::vector<int> all;
    for (const int id : l.inputs) all.push_back(operand(id));
    node(tflite::BuiltinOperator_CONCATENATION, all, l.output,
         TfLiteConcatenationParams{whole(l.axes[0]), activation(l)});
  }
  void add(const described_layer& l) {
    const auto unary = [&](tflite::BuiltinOperator what) { node(what, {operand(l.inputs[0])}, l.output); };
    const auto binary = [&](tflite::BuiltinOperator what, const auto& p) {
      node(what, {operand(l.inputs[0]), operand(l.inputs[1])}, l.output, p);
    };
    switch (l.what) {
      case operation::convolution: return add_convolution(l);
      case operation::transposed_convolution: return add_transposed(l);
      case operation::depthwise: return add_depthwise(l);
      case operation::dense: return add_dense(l, operand(l.inputs[1]), bias(l));
      case operation::product: return add_product(l);
      case operation::max_pool:
      case operation::mean_pool: return add_pool(l);
      case operation::mean:
        return node(tflite::BuiltinOperator_MEAN, {operand(l.inputs[0]), numbers(shape_of(l.axes))}, l.output,
                    TfLiteReducerParams{of(l.output).shape.size() == of(l.inputs[0]).shape.size()});
      case operation::add: return binary(tflite::BuiltinOperator_ADD, TfLiteAddParams{activation(l), false});
      case operation::subtract: return binary(tflite::BuiltinOperator_SUB, TfLiteSubParams{activation(l), false});
      case operation::multiply: return binary(tflite::BuiltinOperator_MUL, TfLiteMulParams{activation(l)});
      case operation::softmax:
        return node(tflite::BuiltinOperator_SOFTMAX, {operand(l.inputs[0])}, l.output, TfLiteSoftmaxParams{1.0F});
      case operation::relu: return unary(tflite::BuiltinOperator_RELU);
      case operation::relu6: return unary(tflite::BuiltinOperator_RELU6);
      case operation::tanh: return unary(tflite::BuiltinOperator_TANH);
      case operation::sigmoid: return unary(tflite::BuiltinOperator_LOGISTIC);
      case operation::reshape: return add_reshape(l);
      case operation::transpose:
        return node(tflite::BuiltinOperator_TRANSPOSE, {operand(l.inputs[0]), numbers(shape_of(l.axes))}, l.output);
      case operation::concat: return add_concat(l);
    }
  }

  const description& network_;
  tflite::Interpreter& into_;
  const kept_report& report_;
  std::deque<lines>& constants_;
  std::map<int, int> known_;  // constants that are there
  tflite::ops::builtin::BuiltinOpResolverWithoutDefaultDelegates operators_;
};

class tflite_runner final : public runner {
 public:
  tflite_runner(const description& network, int threads) : interpreter_(&report_) {
    network_builder(network, interpreter_, report_, constants_);
    if (interpreter_.SetNumThreads(threads) != kTfLiteOk) throw cannot_run("TensorFlow Lite: " + report_.last());
  }
  void set_input(std::size_t i, const std::byte* elements) override {
    const TfLiteTensor* const x = interpreter_.tensor(interpreter_.inputs()[i]);
    std::memcpy(x->data.raw, elements, x->bytes);
  }
  void run() override {
    if (interpreter_.Invoke() != kTfLiteOk) throw cannot_run("TensorFlow Lite: " + report_.last());
  }
  void get_output(std::size_t i, std::byte* elements) override {
    const TfLiteTensor* const y = interpreter_.tensor(interpreter_.outputs()[i]);
    std::memcpy(elements, y->data.raw, y->bytes);
  }

 private:
  kept_report report_;
  std::deque<lines> constants_;  // outlive the interpreter
  tflite::Interpreter interpreter_;
};

const registered_peer registered("tflite", "TensorFlow Lite " NNRT_TFLITE_VERSION ", its built-in kernels",
                                 [](const description& network, int threads) -> std::unique_ptr<runner> {
                                   return std::make_unique<tflite_runner>(network, threads);
                                 });

}  // namespace
