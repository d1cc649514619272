// quantised_test: operators between DequantizeLinear and QuantizeLinear compute on integers, within one step of what
// the file writes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "outcomes.hpp"
#include "support/onnx_writer.hpp"

namespace {

using namespace onnx_test;

using dims = std::vector<std::int64_t>;

std::int64_t count_of(const dims& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}
std::vector<float> random_numbers(const dims& shape, float most, unsigned seed) {
  std::mt19937 dice(seed);
  std::uniform_real_distribution<float> numbers(-most, most);
  std::vector<float> made(static_cast<std::size_t>(count_of(shape)));
  for (float& one : made) one = numbers(dice);
  return made;
}

/// A scale and zero point.
struct step_of {
  float scale;
  int zero = 0;
  int type = of_int8;
};

/// A graph in the form with pairs: each value is quantised and dequantised at once.
struct pairs {
  parts p;
  std::vector<tensor> inputs;
  int made = 0;

  std::string name(const std::string& of) { return of + std::to_string(made++); }
  std::string bytes_like(const step_of& q, int number) const {
    return std::string(1, static_cast<char>(q.type == of_int8 ? static_cast<std::int8_t>(number) : number));
  }
  /// Adds QuantizeLinear of a value; returns the integers.
  std::string quantised(const std::string& of, const step_of& q) {
    const std::string scale = name("scale"), zero = name("zero"), y = name("q");
    p.initializers.push_back(floats(scale, {}, {q.scale}));
    p.initializers.push_back(tensor_of(zero, q.type, {}, bytes_like(q, q.zero)));
    p.nodes.push_back(node("QuantizeLinear", {of, scale, zero}, {y}));
    parameters.push_back({y, scale, zero});
    return y;
  }
  /// Adds DequantizeLinear of the result of quantised().
  std::string real(const std::string& of) {
    const std::string y = name("d");
    for (const auto& one : parameters)
      if (one[0] == of) p.nodes.push_back(node("DequantizeLinear", {of, one[1], one[2]}, {y}));
    return y;
  }
  /// A network input as a pair.
  std::string input(const dims& shape, const step_of& q, float most = 2) {
    const std::string x = name("x");
    p.inputs.push_back(declaration(x, of_float, shape));
    inputs.push_back(numbers_of(shape, random_numbers(shape, most, static_cast<unsigned>(7 + made))));
    return real(quantised(x, q));
  }
  /// A weight of integers, with one scale or one for each index of an axis.
  std::string weight(const dims& shape, const std::vector<float>& scales, std::int64_t axis = 0, int type = of_int8,
                     int zero = 0) {
    const std::string w = name("w"), scale = name("scale"), zeros = name("zero"), y = name("d");
    const dims list = scales.size() == 1 ? dims{} : dims{static_cast<std::int64_t>(scales.size())};
    std::string elements;
    for (const float one : random_numbers(shape, 127, static_cast<unsigned>(made)))
      elements += static_cast<char>(static_cast<std::int8_t>(one) + (type == of_int8 ? 0 : 128));
    p.initializers.push_back(tensor_of(w, type, shape, elements));
    p.initializers.push_back(floats(scale, list, scales));
    p.initializers.push_back(tensor_of(zeros, type, list, std::string(scales.size(), static_cast<char>(zero))));
    p.nodes.push_back(node("DequantizeLinear", {w, scale, zeros}, {y}, {attribute("axis", axis)}));
    return y;
  }
  /// A bias, as integers with the scale of sums.
  std::string bias(std::int64_t channels, const std::vector<float>& scales) {
    const std::string b = name("b"), scale = name("scale"), y = name("d");
    std::vector<std::int32_t> elements;
    for (const float one : random_numbers({channels}, 3000, 5)) elements.push_back(static_cast<std::int32_t>(one));
    p.initializers.push_back(tensor_of(b, of_int32, {channels}, raw(elements)));
    p.initializers.push_back(floats(scale, scales.size() == 1 ? dims{} : dims{channels}, scales));
    p.nodes.push_back(node("DequantizeLinear", {b, scale}, {y}, {attribute("axis", std::int64_t{0})}));
    return y;
  }
  std::string add(const std::string& type, const names& operands, const std::vector<message>& attributes = {}) {
    const std::string y = name("r");
    p.nodes.push_back(node(type, operands, {y}, attributes));
    return y;
  }
  std::string longs_of(const std::vector<std::int64_t>& list) {
    const std::string y = name("list");
    p.initializers.push_back(longs(y, {static_cast<std::int64_t>(list.size())}, list));
    return y;
  }
  std::string number(float one) {
    const std::string y = name("number");
    p.initializers.push_back(floats(y, {}, {one}));
    return y;
  }
  /// A file with this output, and the further ones.
  std::string file_with_output(const std::string& y, int type) const {
    parts all = p;
    const auto add = [&](const std::string& name, int of) {
      message element, of_type, made;  // a declaration without a shape
      element.integer(1, of);
      of_type.part(1, element);
      all.outputs.push_back(made.text(1, name).part(2, of_type));
    };
    add(y, type);
    for (std::size_t i = 0; i < further.size(); ++i)
      add(further[i], further_types.empty() ? of_float : further_types[i]);
    return model(all, 20);
  }

  names further;
  std::vector<int> further_types;
  std::vector<std::vector<std::string>> parameters;  // of quantised values: name, scale, zero point
};

const step_of of_x{0.017F, 3}, of_y{0.031F, -7};
const std::vector<float> four_scales{0.011F, 0.004F, 0.023F, 0.0071F};

std::vector<float> times(std::vector<float> list, float factor) {
  for (float& one : list) one *= factor;
  return list;
}

/// What stands between the pairs; returns the real result. `steps` are those that run, apart from conversions at the
/// ends.
struct row {
  const char* what;
  std::string (*between)(pairs& g);
  std::string steps;
  step_of y = of_y;
  double bound = 0.51;  // steps between the integer and the real result
};

const row joined[] = {
    {"a convolution",
     [](pairs& g) {
       return g.add("Conv", {g.input({1, 3, 7, 6}, of_x), g.weight({4, 3, 3, 3}, {0.01F})});
     },
     "transpose conv2d transpose",
     {0.2F, 5}},
    {"a convolution with a scale for each channel, a bias, pads and strides",
     [](pairs& g) {
       const std::string x = g.input({2, 3, 7, 6}, of_x), w = g.weight({4, 3, 3, 2}, four_scales);
       return g.add("Conv", {x, w, g.bias(4, times(four_scales, of_x.scale))},
                    {attribute("pads", dims{1, 0, 2, 1}), attribute("strides", dims{2, 1})});
     },
     "transpose conv2d transpose",
     {0.2F, 5}},
    {"a convolution of u8 with weights of i8, and relu",
     [](pairs& g) {
       const std::string x = g.input({1, 3, 5, 5}, {0.02F, 131, of_uint8}), w = g.weight({4, 3, 3, 3}, four_scales);
       return g.add("Relu", {g.add("Conv", {x, w})});
     },
     "transpose conv2d transpose quant_dtype_cast",
     {0.15F, 0, of_uint8}},
    {"a convolution with relu below the zero point",
     [](pairs& g) {
       const std::string x = g.input({1, 3, 5, 5}, of_x), w = g.weight({4, 3, 3, 3}, four_scales);
       return g.add("Relu", {g.add("Conv", {x, w})});
     },
     "transpose conv2d transpose",
     {0.15F, 5}},
    {"a convolution with bounds",
     [](pairs& g) {
       const std::string x = g.input({1, 3, 5, 5}, of_x), w = g.weight({4, 3, 3, 3}, four_scales);
       return g.add("Clip", {g.add("Conv", {x, w}), g.number(-1), g.number(2)});
     },
     "transpose conv2d clip transpose",
     {0.05F, 5}},
    {"a depthwise convolution",
     [](pairs& g) {
       return g.add("Conv", {g.input({1, 4, 7, 6}, of_x), g.weight({4, 1, 3, 3}, four_scales)},
                    {attribute("group", std::int64_t{4})});
     },
     "transpose depthwise_conv2d transpose",
     {0.1F, 5}},
    {"a convolution along one axis",
     [](pairs& g) {
       return g.add("Conv", {g.input({1, 3, 9}, of_x), g.weight({4, 3, 3}, four_scales)});
     },
     "transpose conv2d transpose",
     {0.1F, 5}},
    {"a transposed convolution",
     [](pairs& g) {
       return g.add("ConvTranspose", {g.input({1, 3, 4, 5}, of_x), g.weight({3, 4, 2, 2}, {0.01F})},
                    {attribute("strides", dims{2, 2})});
     },
     "transpose conv2d_transpose transpose",
     {0.1F, 5}},
    {"a transposed convolution with a scale for each channel",
     [](pairs& g) {
       return g.add("ConvTranspose", {g.input({1, 3, 4, 5}, of_x), g.weight({3, 4, 2, 2}, four_scales, 1)},
                    {attribute("strides", dims{2, 2})});
     },
     "transpose conv2d_transpose transpose",
     {0.1F, 5}},
    {"a product with a matrix",
     [](pairs& g) {
       return g.add("MatMul", {g.input({5, 8}, of_x), g.weight({8, 6}, {0.01F})});
     },
     "full_connection",
     {0.1F, 5}},
    {"a product with a matrix with a scale for each column",
     [](pairs& g) {
       return g.add("MatMul", {g.input({5, 8}, of_x), g.weight({8, 4}, four_scales, 1)});
     },
     "full_connection",
     {0.1F, 5}},
    {"a product with a matrix of u8",
     [](pairs& g) {
       return g.add("MatMul", {g.input({5, 8}, of_x), g.weight({8, 6}, {0.01F}, 0, of_uint8, 128)});
     },
     "full_connection",
     {0.1F, 5}},
    {"a dense layer with a bias",
     [](pairs& g) {
       const std::string x = g.input({5, 8}, of_x), w = g.weight({4, 8}, four_scales);
       return g.add("Gemm", {x, w, g.bias(4, times(four_scales, of_x.scale))}, {attribute("transB", std::int64_t{1})});
     },
     "full_connection",
     {0.1F, 5}},
    {"a product of two tensors",
     [](pairs& g) {
       return g.add("MatMul", {g.input({2, 5, 8}, of_x), g.input({2, 8, 3}, {0.02F, -9})});
     },
     "matmul",
     {0.1F, 5},
     1.01},
    {"a sum",
     [](pairs& g) {
       return g.add("Add", {g.input({2, 9}, of_x), g.input({2, 9}, {0.02F, -9})});
     },
     "add"},
    {"a sum with a weight",
     [](pairs& g) {
       return g.add("Add", {g.input({2, 9}, of_x), g.weight({9}, {0.01F})});
     },
     "add"},
    {"a difference",
     [](pairs& g) {
       return g.add("Sub", {g.input({2, 9}, of_x), g.input({9}, {0.02F, -9})});
     },
     "sub"},
    {"a product",
     [](pairs& g) {
       return g.add("Mul", {g.input({2, 9}, of_x), g.input({2, 9}, {0.02F, -9})});
     },
     "mul"},
    {"a maximum",
     [](pairs& g) {
       return g.add("Max", {g.input({2, 9}, of_x), g.input({2, 9}, {0.02F, -9})});
     },
     "maximum"},
    {"a minimum",
     [](pairs& g) {
       return g.add("Min", {g.input({2, 9}, of_x), g.input({2, 9}, {0.02F, -9})});
     },
     "minimum"},
    {"joined tensors",
     [](pairs& g) {
       return g.add("Concat", {g.input({2, 9}, of_x), g.input({2, 4}, {0.02F, -9})},
                    {attribute("axis", std::int64_t{1})});
     },
     "concat"},
    {"a maximum over windows",
     [](pairs& g) {
       return g.add("MaxPool", {g.input({1, 3, 6, 6}, of_x)},
                    {attribute("kernel_shape", dims{2, 2}), attribute("strides", dims{2, 2})});
     },
     "transpose max_pool transpose", of_x},
    {"a mean over the image",
     [](pairs& g) {
       return g.add("GlobalAveragePool", {g.input({2, 3, 6, 7}, of_x)});
     },
     "reduce_mean",
     {0.005F, 1}},
    {"another shape",
     [](pairs& g) {
       return g.add("Reshape", {g.input({2, 9}, of_x), g.longs_of({3, 6})});
     },
     "", of_x},
    {"another order of axes",
     [](pairs& g) {
       return g.add("Transpose", {g.input({2, 9, 3}, of_x)}, {attribute("perm", dims{2, 0, 1})});
     },
     "transpose", of_x},
    {"another order of axes and another scale",
     [](pairs& g) {
       return g.add("Transpose", {g.input({2, 9, 3}, of_x)}, {attribute("perm", dims{2, 0, 1})});
     },
     "transpose quant_dtype_cast"},
    {"a part",
     [](pairs& g) {
       return g.add("Slice",
                    {g.input({2, 9}, of_x), g.longs_of({2}), g.longs_of({8}), g.longs_of({1}), g.longs_of({2})});
     },
     "strided_slice", of_x},
    {"chosen rows",
     [](pairs& g) {
       return g.add("Gather", {g.input({5, 3}, of_x), g.longs_of({4, 0, 2})});
     },
     "gather", of_x},
    {"a border of zeros",
     [](pairs& g) {
       return g.add("Pad", {g.input({2, 4}, of_x), g.longs_of({0, 1, 1, 2})});
     },
     "pad", of_x},
    {"pixels of channels",
     [](pairs& g) {
       return g.add("DepthToSpace", {g.input({1, 8, 2, 3}, of_x)}, {attribute("blocksize", std::int64_t{2})});
     },
     "transpose depth_to_space transpose", of_x},
    {"relu",
     [](pairs& g) {
       return g.add("Relu", {g.input({2, 99}, of_x)});
     },
     "relu"},
    {"leaky relu",
     [](pairs& g) {
       return g.add("LeakyRelu", {g.input({2, 99}, of_x)});
     },
     "leaky_relu"},
    {"sigmoid",
     [](pairs& g) {
       return g.add("Sigmoid", {g.input({2, 99}, of_x)});
     },
     "sigmoid",
     {1.0F / 256, -128}},
    {"tanh",
     [](pairs& g) {
       return g.add("Tanh", {g.input({2, 99}, of_x)});
     },
     "tanh",
     {1.0F / 128, 0}},
    {"hard swish",
     [](pairs& g) {
       return g.add("HardSwish", {g.input({2, 99}, of_x)});
     },
     "hswish",
     {0.02F, -100}},
    {"gelu",
     [](pairs& g) {
       return g.add("Gelu", {g.input({2, 99}, of_x)});
     },
     "gelu",
     {0.02F, -100}},
    {"softmax",
     [](pairs& g) {
       return g.add("Softmax", {g.input({4, 9}, of_x)});
     },
     "softmax",
     {1.0F / 256, -128},
     1.01},
};

std::string list_of(const std::vector<std::string>& steps) {
  std::string made;
  for (const std::string& one : steps) made += (made.empty() ? "" : " ") + one;
  return made;
}
/// The steps after those that quantise the inputs.
std::string steps_after_inputs(const outcome& made, std::size_t inputs) {
  std::vector<std::string> steps = made.steps;
  for (std::size_t i = 0; i < inputs; ++i)
    if (const auto first = std::find(steps.begin(), steps.end(), "quant_dtype_cast"); first != steps.end())
      steps.erase(first);
  return list_of(steps);
}

/// What a row gives: integers of both kinds, and the real result.
struct outcomes {
  outcome on_integers, exact, real;
  std::size_t inputs = 0;
};
outcomes run_row(const row& r) {
  pairs g;
  const std::string real = r.between(g), y = g.quantised(real, r.y);
  const std::string file = g.file_with_output(y, r.y.type), of_real = g.file_with_output(real, of_float);
  options exact;
  exact.exact = true;
  return {run_bytes(bytes_of(file), g.inputs), run_bytes(bytes_of(file), g.inputs, exact),
          run_bytes(bytes_of(of_real), g.inputs, exact), g.inputs.size()};
}

}  // namespace

TEST_CASE("onnx: an operator between pairs runs on integers, and rounds the real result once") {
  for (const row& r : joined) {
    CAPTURE(r.what);
    const outcomes all = run_row(r);
    CHECK(steps_after_inputs(all.on_integers, all.inputs) == r.steps);
    const std::vector<double> got = result(all.on_integers), exact = result(all.exact), real = result(all.real);
    REQUIRE(got.size() == exact.size());
    REQUIRE(got.size() == real.size());
    REQUIRE(all.on_integers.outputs[0].type == (r.y.type == of_int8 ? "i8" : "u8"));
    const double least = r.y.type == of_int8 ? -128 : 0;
    double furthest = 0, between = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      between = std::max(between, std::fabs(got[i] - exact[i]));
      const double unrounded = real[i] / double{r.y.scale} + r.y.zero;
      furthest = std::max(furthest, std::fabs(got[i] - std::clamp(unrounded, least, least + 255)));
    }
    CHECK(between <= 1);
    CHECK(furthest <= r.bound);
    CHECK(list_of(all.exact.steps).find("quant_dtype_cast") == std::string::npos);
  }
}

namespace {

/// Networks whose operator computes on real numbers, because something needs them.
struct real_row {
  const char* what;
  std::string (*between)(pairs& g);
  const char* step;  // that runs on real numbers
  step_of y = of_y;
};
const real_row on_reals[] = {
    {"a sum with numbers that are not quantised",
     [](pairs& g) {
       return g.add("Add", {g.input({2, 9}, of_x), g.number(0.125F)});
     },
     "add"},
    {"a sum whose real result is an output, too",
     [](pairs& g) {
       const std::string y = g.add("Add", {g.input({2, 9}, of_x), g.input({2, 9}, of_x)});
       g.further.push_back(y);
       return y;
     },
     "add"},
    {"a mean over windows",
     [](pairs& g) {
       return g.add("AveragePool", {g.input({1, 3, 6, 6}, of_x)}, {attribute("kernel_shape", dims{2, 2})});
     },
     "avg_pool"},
    {"a border of other numbers",
     [](pairs& g) {
       return g.add("Pad", {g.input({2, 4}, of_x), g.longs_of({0, 1, 1, 2}), g.number(0.3F)});
     },
     "pad"},
    {"an operator that has no quantised kernel",
     [](pairs& g) {
       return g.add("Exp", {g.input({2, 9}, of_x)});
     },
     "exp"},
};

}  // namespace

TEST_CASE("onnx: an operator between pairs whose real result is needed computes as written") {
  for (const real_row& r : on_reals) {
    CAPTURE(r.what);
    pairs g;
    const std::string y = g.quantised(r.between(g), r.y);
    const std::string file = g.file_with_output(y, r.y.type);
    options exact;
    exact.exact = true;
    const outcome made = run_bytes(bytes_of(file), g.inputs), as_written = run_bytes(bytes_of(file), g.inputs, exact);
    CHECK(std::count(made.steps.begin(), made.steps.end(), r.step) >= 1);
    const std::vector<double> got = result(made), expected = result(as_written);
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::fabs(got[i] - expected[i]) <= 1);
  }
}

TEST_CASE("onnx: layers with a shortcut are quantised from end to end") {
  pairs g;
  const std::string x = g.input({1, 4, 6, 6}, of_x);
  const std::string first =
      g.add("Relu", {g.add("Conv", {x, g.weight({4, 4, 3, 3}, four_scales)}, {attribute("pads", dims{1, 1, 1, 1})})});
  const std::string a = g.real(g.quantised(first, {0.09F, -128}));
  const std::string second = g.add("Conv", {a, g.weight({4, 4, 1, 1}, {0.01F})});
  const std::string b = g.real(g.quantised(second, {0.12F, 3}));
  const std::string sum = g.real(g.quantised(g.add("Add", {a, b}), {0.15F, -20}));
  const std::string mean = g.real(g.quantised(g.add("GlobalAveragePool", {sum}), {0.05F, -20}));
  const std::string flat = g.add("Flatten", {mean});
  const std::string y = g.real(g.quantised(g.add("MatMul", {flat, g.weight({4, 5}, {0.02F})}), {0.1F, 0}));
  const std::string file = g.file_with_output(y, of_float);
  options exact;
  exact.exact = true;
  const outcome made = run_bytes(bytes_of(file), g.inputs), as_written = run_bytes(bytes_of(file), g.inputs, exact);
  CHECK(list_of(made.steps) ==
        "quant_dtype_cast transpose conv2d conv2d add reduce_mean full_connection quant_dtype_cast");
  const std::vector<double> got = result(made), expected = result(as_written);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::fabs(got[i] - expected[i]) <= 0.3);
}

TEST_CASE("onnx: images that a convolution makes are images for what follows, whatever stands between") {
  pairs g;
  const std::string made = g.add("Conv", {g.input({1, 3, 4, 4}, of_x), g.weight({8, 3, 1, 1}, {0.01F})});
  const std::string image = g.real(g.quantised(made, {0.09F, -3}));
  const std::string larger = g.add("DepthToSpace", {image}, {attribute("blocksize", std::int64_t{2})});
  const std::string again = g.real(g.quantised(larger, {0.09F, -3}));
  const std::string pooled = g.add("MaxPool", {again}, {attribute("kernel_shape", dims{2, 2})});
  const std::string y = g.quantised(g.add("Conv", {pooled, g.weight({4, 2, 3, 3}, four_scales)}), {0.2F, 0});
  const std::string file = g.file_with_output(y, of_int8);
  options exact;
  exact.exact = true;
  const outcome made_of = run_bytes(bytes_of(file), g.inputs), as_written = run_bytes(bytes_of(file), g.inputs, exact);
  CHECK(list_of(made_of.steps) == "quant_dtype_cast transpose conv2d depth_to_space max_pool conv2d transpose");
  const std::vector<double> got = result(made_of), expected = result(as_written);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::fabs(got[i] - expected[i]) <= 1);
}

TEST_CASE("onnx: integers of QuantizeLinear are operands of integer operators, outputs and operands of pairs at once") {
  pairs g;
  const std::string q = g.quantised(g.add("Relu", {g.input({2, 3}, of_x)}), {0.02F, 130, of_uint8});
  const std::string product = g.add("MatMulInteger", {q, q + "t"});
  g.p.nodes.insert(g.p.nodes.end() - 1, node("Transpose", {q}, {q + "t"}));
  g.further = {q};
  g.further_types = {of_uint8};
  const std::string tanh = g.add("Tanh", {g.real(q)});
  g.further.push_back(tanh);
  g.further_types.push_back(of_float);
  const std::string file = g.file_with_output(product, of_int32);
  options exact;
  exact.exact = true;
  const outcome made = run_bytes(bytes_of(file), g.inputs), as_written = run_bytes(bytes_of(file), g.inputs, exact);
  for (std::size_t i = 0; i < 2; ++i) CHECK(result(made, i) == result(as_written, i));
  REQUIRE(made.outputs.size() == 3);
  CHECK(made.outputs[1].type == "u8");
  const std::vector<double> got = result(made, 2), expected = result(as_written, 2);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]));
}

TEST_CASE("onnx: integers as inputs, and scales that a run computes, are computed as written") {
  pairs g;
  g.p.inputs = {declaration("x", of_int8, {2, 3}), declaration("s", of_float, {})};
  g.p.nodes = {node("DequantizeLinear", {"x", "s"}, {"real"}), node("Sigmoid", {"real"}, {"share"}),
               node("QuantizeLinear", {"share", "s"}, {"y"})};
  const std::vector<tensor> inputs{tensor_like<std::int8_t>("i8", {2, 3}, {-128, -5, 0, 1, 3, 127}),
                                   numbers_of({}, {0.25F})};
  const std::vector<double> got = result(run_bytes(bytes_of(g.file_with_output("y", of_uint8)), inputs));
  REQUIRE(got.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const double x[] = {-128, -5, 0, 1, 3, 127};
    CHECK(got[i] == std::nearbyint(1 / (1 + std::exp(-x[i] * 0.25)) / 0.25));
  }
}
