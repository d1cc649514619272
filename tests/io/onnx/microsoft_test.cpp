// microsoft_test: every operator of com.microsoft that .onnx files may have gives the numbers of its formula.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "outcomes.hpp"
#include "support/onnx_writer.hpp"

namespace {

using namespace onnx_test;

using extents = std::vector<std::int64_t>;
using numbers = std::vector<double>;
using attributes = std::vector<message>;

std::size_t product(const extents& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

/// A tensor of doubles, which an operand holds in its own type.
struct operand {
  std::string type;
  extents shape;
  numbers values;

  double operator[](std::size_t i) const { return values[i]; }
};
operand missing() { return {}; }
operand reals(const extents& shape, int seed) {
  operand made{"f32", shape, {}};
  for (std::size_t k = 0; k < product(shape); ++k)
    made.values.push_back(static_cast<double>((37 * static_cast<int>(k) + 11 * seed) % 17 - 8) / 8);
  return made;
}
operand integers(const std::string& type, const extents& shape, int seed, int least, int most) {
  operand made{type, shape, {}};
  for (std::size_t k = 0; k < product(shape); ++k)
    made.values.push_back(least + (29 * static_cast<int>(k) + 13 * seed) % (most - least + 1));
  return made;
}
operand one(const std::string& type, double value) { return {type, {}, {value}}; }
operand list(const std::string& type, const numbers& values) {
  return {type, {static_cast<std::int64_t>(values.size())}, values};
}

template <class T> std::string bytes_as(const numbers& values) {
  std::vector<T> made;
  for (const double value : values) made.push_back(static_cast<T>(value));
  return raw(made);
}
struct element {
  const char* name;
  int number;
  std::string (*bytes)(const numbers&);
};
const element elements[] = {{"f32", 1, bytes_as<float>},        {"u8", 2, bytes_as<std::uint8_t>},
                            {"i8", 3, bytes_as<std::int8_t>},   {"u16", 4, bytes_as<std::uint16_t>},
                            {"i16", 5, bytes_as<std::int16_t>}, {"i32", 6, bytes_as<std::int32_t>},
                            {"i64", 7, bytes_as<std::int64_t>}};
const element& element_of(const std::string& type) {
  return *std::find_if(std::begin(elements), std::end(elements), [&](const element& e) { return e.name == type; });
}

/// A node, and what its outputs must be; empty: nobody checks that one.
struct node_case {
  std::string what, type;
  std::vector<operand> operands;
  attributes attrs;
  std::vector<numbers> expected;
  double tolerance = 2e-6;
  std::int64_t opset = 17;
};

/// Runs a node. Operands from `first_constant` on are initializers.
outcome run_node(const node_case& c, std::size_t first_constant) {
  names inputs, outputs;
  parts p;
  std::vector<tensor> given;
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const operand& x = c.operands[i];
    const std::string name = x.type.empty() ? "" : "x" + std::to_string(i);
    inputs.push_back(name);
    if (name.empty()) continue;
    const element& of = element_of(x.type);
    const std::string bytes = of.bytes(x.values);
    if (i < first_constant) {
      p.inputs.push_back(declaration(name, of.number, x.shape));
      given.push_back(tensor_like(x.type, x.shape, std::vector<char>(bytes.begin(), bytes.end())));
    } else {
      p.initializers.push_back(tensor_of(name, of.number, x.shape, bytes));
    }
  }
  for (std::size_t i = 0; i < c.expected.size(); ++i) {
    outputs.push_back(c.expected[i].empty() ? "" : "y" + std::to_string(i));
    if (!c.expected[i].empty()) p.outputs.push_back(declaration(outputs.back(), of_float, {-1}));
  }
  p.nodes = {node(c.type, inputs, outputs, c.attrs, "com.microsoft")};
  return run_bytes(bytes_of(model(p, {opset("", c.opset), opset("com.microsoft", 1)})), given);
}
void check(const node_case& c, const outcome& made) {
  std::size_t at = 0;
  for (const numbers& expected : c.expected) {
    if (expected.empty()) continue;
    const numbers got = result(made, at++);
    CHECK(got.size() == expected.size());
    for (std::size_t k = 0; k < std::min(got.size(), expected.size()); ++k) {
      CAPTURE(k);
      CHECK(std::fabs(got[k] - expected[k]) <= c.tolerance * std::max(1.0, std::fabs(expected[k])));
    }
  }
}

// --- formulas
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }
double gelu_by_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}
numbers each(const operand& x, const std::function<double(double)>& f) {
  numbers made;
  for (const double value : x.values) made.push_back(f(value));
  return made;
}
/// f(x) for a tensor and a vector along its last axis.
numbers each(const operand& x, const operand& b, const std::function<double(double, double)>& f) {
  numbers made;
  for (std::size_t k = 0; k < x.values.size(); ++k) made.push_back(f(x[k], b[k % b.values.size()]));
  return made;
}

/// Halves go to even numbers: nearbyint in the default rounding mode.
double quantised(double y, double scale, double zero, double least, double most) {
  return std::min(std::max(std::nearbyint(y / scale) + zero, least), most);
}
double byte_of(double y, double scale, double zero) { return quantised(y, scale, zero, 0, 255); }
numbers bytes_like(const numbers& y, double scale, double zero) {
  numbers made;
  for (const double value : y) made.push_back(byte_of(value, scale, zero));
  return made;
}
/// The real numbers of stored ones.
operand real(const operand& q, double scale, double zero) {
  operand made{"f32", q.shape, {}};
  for (const double value : q.values) made.values.push_back((value - zero) * scale);
  return made;
}

/// alpha * a * b for matrices [rows, inner] and [inner, columns]; strides choose transposed ones.
struct matrix {
  numbers values;
  std::size_t rows, columns;
  double at(std::size_t i, std::size_t k) const { return values[i * columns + k]; }
  matrix transposed() const {
    matrix made{values, columns, rows};
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < columns; ++k) made.values[k * rows + i] = at(i, k);
    return made;
  }
  numbers times(const matrix& b, double alpha = 1) const {
    numbers made;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < b.columns; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < columns; ++j) sum += at(i, j) * b.at(j, k);
        made.push_back(alpha * sum);
      }
    return made;
  }
};
matrix matrix_of(const operand& x) {
  return {x.values, static_cast<std::size_t>(x.shape[0]), static_cast<std::size_t>(x.shape[1])};
}

/// Statistics of each row of x.
numbers normalised(const numbers& x, std::size_t size, double epsilon, bool has_mean) {
  numbers made;
  for (std::size_t first = 0; first < x.size(); first += size) {
    double mean = 0, square = 0;
    for (std::size_t k = 0; k < size; ++k) mean += x[first + k] / static_cast<double>(size);
    if (!has_mean) mean = 0;
    for (std::size_t k = 0; k < size; ++k)
      square += (x[first + k] - mean) * (x[first + k] - mean) / static_cast<double>(size);
    for (std::size_t k = 0; k < size; ++k) made.push_back((x[first + k] - mean) / std::sqrt(square + epsilon));
  }
  return made;
}
numbers scaled(numbers x, const operand& gamma, const operand& beta = {}) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] *= gamma[k % gamma.values.size()];
    if (!beta.values.empty()) x[k] += beta[k % beta.values.size()];
  }
  return x;
}

/// Windows of 2 x 2 over x [1, 2, 3, 3], without pads: f of the four pixels, for each channel.
numbers windows(const operand& x, bool channels_last, const std::function<double(const numbers&)>& f) {
  numbers made(8);
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t k = 0; k < 2; ++k) {
        numbers seen;
        for (std::size_t di = 0; di < 2; ++di)
          for (std::size_t dk = 0; dk < 2; ++dk) {
            const std::size_t row = i + di, column = k + dk;
            seen.push_back(x[channels_last ? (row * 3 + column) * 2 + c : (c * 3 + row) * 3 + column]);
          }
        made[channels_last ? (i * 2 + k) * 2 + c : (c * 2 + i) * 2 + k] = f(seen);
      }
  return made;
}
double mean_of(const numbers& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}
double largest_of(const numbers& x) { return *std::max_element(x.begin(), x.end()); }

/// A convolution of x [1, 2, 3, 3] with filters [2, 2, 2, 2].
numbers convolved(const operand& x, const operand& filters, const operand& bias) {
  numbers made;
  for (std::size_t m = 0; m < 2; ++m)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t k = 0; k < 2; ++k) {
        double sum = bias.values.empty() ? 0 : bias[m];
        for (std::size_t c = 0; c < 2; ++c)
          for (std::size_t di = 0; di < 2; ++di)
            for (std::size_t dk = 0; dk < 2; ++dk)
              sum += x[(c * 3 + i + di) * 3 + k + dk] * filters[((m * 2 + c) * 2 + di) * 2 + dk];
        made.push_back(sum);
      }
  return made;
}

attributes with(std::string_view name, std::int64_t value) { return {attribute(name, value)}; }
message pair_of(std::string_view name, std::int64_t a, std::int64_t b) { return attribute(name, extents{a, b}); }

// --- cases
using cases = std::vector<node_case>;

void add_activations(cases& all) {
  const operand x = reals({2, 4}, 1), b = reals({4}, 2);
  all.push_back({"exact", "Gelu", {x}, {}, {each(x, gelu)}});
  all.push_back(
      {"exact, of a sum", "BiasGelu", {x, b}, {}, {each(x, b, [](double v, double w) { return gelu(v + w); })}});
  all.push_back({"by tanh", "FastGelu", {x}, {}, {each(x, gelu_by_tanh)}});
  all.push_back({"by tanh, of a sum", "FastGelu", {x, b}, {}, {each(x, b, [](double v, double w) {
                   return gelu_by_tanh(v + w);
                 })}});
  all.push_back(
      {"alpha 1.702 by default", "QuickGelu", {x}, {}, {each(x, [](double v) { return v * sigmoid(1.702 * v); })}});
  all.push_back({"another alpha", "QuickGelu", {x}, {attribute("alpha", 0.5F)}, {each(x, [](double v) {
                   return v * sigmoid(v / 2);
                 })}});
}

void add_movements(cases& all) {
  const operand x = reals({3, 4}, 3);
  all.push_back(
      {"rows", "GatherND", {x, {"i64", {2, 1}, {2, -3}}}, {}, {{x[8], x[9], x[10], x[11], x[0], x[1], x[2], x[3]}}});
  all.push_back({"elements", "GatherND", {x, {"i64", {2, 2}, {0, 3, 2, 1}}}, {}, {{x[3], x[9]}}});
  numbers upper, lower;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 4; ++k)
      upper.push_back(k >= i ? x[i * 4 + k] : 0), lower.push_back(k <= i + 1 ? x[i * 4 + k] : 0);
  all.push_back({"upper triangle", "Trilu", {x}, {}, {upper}});
  all.push_back({"lower triangle with one more diagonal", "Trilu", {x, one("i64", 1)}, with("upper", 0), {lower}});
  // an image [1, 1, 2, 3] at its corners and its centre
  const operand image = reals({1, 1, 2, 3}, 4);
  all.push_back({"corners and centre",
                 "GridSample",
                 {image, {"f32", {1, 1, 3, 2}, {-1, -1, 1, 1, 0, 0}}},
                 with("align_corners", 1),
                 {{image[0], image[5], (image[1] + image[4]) / 2}}});
}

void add_products(cases& all) {
  const operand a = reals({3, 4}, 5), b = reals({4, 2}, 6), c = reals({2}, 7);
  const operand a_turned = {"f32", {4, 3}, matrix_of(a).transposed().values},
                b_turned = {"f32", {2, 4}, matrix_of(b).transposed().values};
  const numbers y = matrix_of(a).times(matrix_of(b), 0.5);
  for (const char* const type : {"FusedMatMul", "TransposeMatMul"}) {
    all.push_back({"alpha", type, {a, b}, {attribute("alpha", 0.5F)}, {y}});
    all.push_back(
        {"both transposed",
         type,
         {a_turned, b_turned},
         {attribute("alpha", 0.5F), attribute("transA", std::int64_t{1}), attribute("transB", std::int64_t{1})},
         {y}});
  }
  const numbers sums = each({"f32", {3, 2}, y}, c, [](double v, double w) { return v + 2 * w; });
  const attributes factors{attribute("alpha", 0.5F), attribute("beta", 2.0F)};
  const auto fused = [&](const std::string& name, attributes more, const std::function<double(double)>& f) {
    more.insert(more.end(), factors.begin(), factors.end());
    if (!name.empty()) more.push_back(text_attribute("activation", name));
    all.push_back({"activation " + name, "FusedGemm", {a, b, c}, more, {each({"f32", {3, 2}, sums}, f)}});
  };
  fused("", {}, [](double v) { return v; });
  fused("Relu", {}, [](double v) { return std::max(v, 0.0); });
  fused("Tanh", {}, [](double v) { return std::tanh(v); });
  fused("LeakyRelu", {attribute("activation_alpha", 0.25F)}, [](double v) { return v < 0 ? v / 4 : v; });
  fused("HardSigmoid", {attribute("activation_alpha", 0.25F), attribute("activation_beta", 0.75F)},
        [](double v) { return std::min(std::max(v / 4 + 0.75, 0.0), 1.0); });
}

void add_convolutions(cases& all) {
  const operand x = reals({1, 2, 3, 3}, 8), filters = reals({2, 2, 2, 2}, 9), bias = reals({2}, 10),
                z = reals({1, 2, 2, 2}, 11);
  const operand sums{"f32", {1, 2, 2, 2}, convolved(x, filters, bias)};
  const auto fused = [&](const std::string& name, const std::vector<float>& numbers_of_it, bool adds,
                         const std::function<double(double)>& f) {
    attributes attrs;
    if (!name.empty()) attrs.push_back(text_attribute("activation", name));
    if (!numbers_of_it.empty()) {
      message list_of_numbers;
      list_of_numbers.text(1, "activation_params").text(7, raw(numbers_of_it)).integer(20, 6);
      attrs.push_back(list_of_numbers);
    }
    std::vector<operand> operands{x, filters, bias};
    if (adds) operands.push_back(z);
    operand y = sums;
    for (std::size_t k = 0; adds && k < z.values.size(); ++k) y.values[k] += z[k];
    all.push_back({"activation " + name, "FusedConv", operands, attrs, {each(y, f)}});
  };
  fused("", {}, false, [](double v) { return v; });
  fused("Relu", {}, true, [](double v) { return std::max(v, 0.0); });
  fused("Sigmoid", {}, false, sigmoid);
  fused("LeakyRelu", {0.125F}, true, [](double v) { return v < 0 ? v / 8 : v; });
  fused("Clip", {-0.5F, 1.5F}, false, [](double v) { return std::min(std::max(v, -0.5), 1.5); });
  fused("HardSigmoid", {0.5F, 0.25F}, false, [](double v) { return std::min(std::max(v / 2 + 0.25, 0.0), 1.0); });
  fused("HardSwish", {}, false, [](double v) { return v * std::min(std::max(v / 6 + 0.5, 0.0), 1.0); });

  const operand q = integers("u8", {1, 2, 3, 3}, 1, 0, 255), w = integers("i8", {2, 2, 2, 2}, 2, -8, 8);
  const operand fixed_bias = list("i32", {100, -200}), scale_of_w = list("f32", {0.25, 0.5});
  operand filters_of_w = real(w, 1, 0);
  const operand real_x = real(q, 0.125, 128);
  for (std::size_t k = 0; k < filters_of_w.values.size(); ++k) filters_of_w.values[k] *= scale_of_w[k / 8];
  const operand real_bias = list("f32", {100 * 0.125 * 0.25, -200 * 0.125 * 0.5});
  all.push_back({"a scale for each channel",
                 "QLinearConv",
                 {q, one("f32", 0.125), one("u8", 128), w, scale_of_w, list("i8", {0, 0}), one("f32", 4),
                  one("u8", 100), fixed_bias},
                 {},
                 {bytes_like(convolved(real_x, filters_of_w, real_bias), 4, 100)},
                 0});
}

void add_pools(cases& all) {
  const attributes two{pair_of("kernel_shape", 2, 2)};
  for (const bool is_last : {false, true}) {
    const extents shape = is_last ? extents{1, 3, 3, 2} : extents{1, 2, 3, 3};
    const operand q = integers("u8", shape, 3, 0, 255);
    const operand x = real(q, 0.5, 10);
    const std::vector<operand> operands{q, one("f32", 0.5), one("u8", 10), one("f32", 0.25), one("u8", 3)};
    attributes attrs = two;
    attrs.push_back(attribute("channels_last", std::int64_t{is_last}));
    const std::string what = is_last ? "channels last" : "channels second";
    all.push_back(
        {what, "QLinearAveragePool", operands, attrs, {bytes_like(windows(x, is_last, mean_of), 0.25, 3)}, 0});
    numbers means;
    for (std::size_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < 9; ++k) sum += x[is_last ? k * 2 + c : c * 9 + k];
      means.push_back(sum / 9);
    }
    all.push_back({what,
                   "QLinearGlobalAveragePool",
                   operands,
                   with("channels_last", is_last ? 1 : 0),
                   {bytes_like(means, 0.25, 3)},
                   0});
  }
  const operand stored = integers("u8", {1, 3, 3, 2}, 4, 0, 255);
  all.push_back({"channels last", "NhwcMaxPool", {stored}, two, {windows(stored, true, largest_of)}, 0});
}

void add_quantisation(cases& all) {
  const operand x = reals({2, 3}, 12), scales = list("f32", {0.125, 0.25, 0.5}), zeros = list("u8", {1, 2, 3});
  numbers stored, back;
  for (std::size_t k = 0; k < 6; ++k) stored.push_back(byte_of(x[k], scales[k % 3], zeros[k % 3]));
  for (std::size_t k = 0; k < 6; ++k) back.push_back((stored[k] - zeros[k % 3]) * scales[k % 3]);
  all.push_back({"along an axis", "QuantizeLinear", {x, scales, zeros}, with("axis", 1), {stored}, 0});
  all.push_back(
      {"along an axis", "DequantizeLinear", {{"u8", {2, 3}, stored}, scales, zeros}, with("axis", 1), {back}});
  const operand zero = one("i16", -7);
  all.push_back({"16 bits",
                 "QuantizeLinear",
                 {x, one("f32", 0.015625), zero},
                 {},
                 {each(x, [](double v) { return quantised(v, 0.015625, -7, -32768, 32767); })},
                 0});
  const operand wide = integers("u16", {5}, 5, 0, 60000);
  all.push_back({"16 bits",
                 "DequantizeLinear",
                 {wide, one("f32", 0.25), one("u16", 30000)},
                 {},
                 {real(wide, 0.25, 30000).values}});
}

void add_quantised_pairs(cases& all) {
  const operand a = integers("u8", {2, 3}, 6, 0, 255), b = integers("u8", {2, 3}, 7, 0, 255);
  const operand scale_a = one("f32", 0.5), zero_a = one("u8", 100), scale_b = one("f32", 0.25), zero_b = one("u8", 50);
  const operand x = real(a, 0.5, 100), z = real(b, 0.25, 50);
  numbers sums, products;
  for (std::size_t k = 0; k < 6; ++k) sums.push_back(x[k] + z[k]), products.push_back(x[k] * z[k]);
  const auto both = [&](double scale, double zero) {
    return std::vector<operand>{a, scale_a, zero_a, b, scale_b, zero_b, one("f32", scale), one("u8", zero)};
  };
  all.push_back({"two", "QLinearAdd", both(1, 90), {}, {bytes_like(sums, 1, 90)}, 0});
  all.push_back({"two", "QLinearMul", both(16, 128), {}, {bytes_like(products, 16, 128)}, 0});
  // results without zero points
  all.push_back({"without zero points",
                 "QLinearAdd",
                 {a, scale_a, missing(), b, scale_b, missing(), one("f32", 1)},
                 {},
                 {bytes_like(each(a, b, [](double v, double w) { return v / 2 + w / 4; }), 1, 0)},
                 0});
  const auto alone = [&](double scale, double zero) {
    return std::vector<operand>{a, scale_a, zero_a, one("f32", scale), one("u8", zero)};
  };
  all.push_back(
      {"of reals", "QLinearSigmoid", alone(0.00390625, 0), {}, {bytes_like(each(x, sigmoid), 0.00390625, 0)}, 0});
  all.push_back({"of reals",
                 "QLinearLeakyRelu",
                 alone(0.5, 40),
                 {attribute("alpha", 0.125F)},
                 {bytes_like(each(x, [](double v) { return v < 0 ? v / 8 : v; }), 0.5, 40)},
                 0});
  // numbers that are near enough for several parts of the sum
  const operand near = integers("u8", {2, 2, 2}, 8, 100, 110);
  const auto softmax = [&](std::size_t size) {
    numbers made;
    for (std::size_t first = 0; first < 8; first += size) {
      double sum = 0;
      for (std::size_t k = 0; k < size; ++k) sum += std::exp(near[first + k] / 4);
      for (std::size_t k = 0; k < size; ++k) made.push_back(std::exp(near[first + k] / 4) / sum);
    }
    return bytes_like(made, 0.00390625, 0);
  };
  const std::vector<operand> of_softmax{near, one("f32", 0.25), one("u8", 0), one("f32", 0.00390625), one("u8", 0)};
  all.push_back({"along one axis",
                 "QLinearSoftmax",
                 of_softmax,
                 {attribute("axis", std::int64_t{2}), attribute("opset", std::int64_t{13})},
                 {softmax(2)},
                 0});
  all.push_back({"over all axes from one on",
                 "QLinearSoftmax",
                 of_softmax,
                 {attribute("axis", std::int64_t{1}), attribute("opset", std::int64_t{12})},
                 {softmax(4)},
                 0});
  numbers joined;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 3; ++k) joined.push_back(byte_of(x[i * 3 + k], 1, 80));
    for (std::size_t k = 0; k < 3; ++k) joined.push_back(byte_of(z[i * 3 + k], 1, 80));
  }
  all.push_back({"two",
                 "QLinearConcat",
                 {one("f32", 1), one("u8", 80), a, scale_a, zero_a, b, scale_b, zero_b},
                 with("axis", 1),
                 {joined},
                 0});
}

void add_quantised_products(cases& all) {
  const operand a = integers("u8", {3, 4}, 9, 0, 255), b = integers("i8", {4, 2}, 10, -128, 127), bias = reals({2}, 13);
  const operand scales = list("f32", {0.25, 0.5}), zeros = list("i8", {3, -4});
  operand columns{"f32", {4, 2}, {}};  // the real numbers of b
  for (std::size_t k = 0; k < 8; ++k) columns.values.push_back((b[k] - zeros[k % 2]) * scales[k % 2]);
  const numbers y = matrix_of(real(a, 0.125, 77)).times(matrix_of(columns));
  const auto plus_bias = [&](const numbers& sums) {
    return each({"f32", {3, 2}, sums}, bias, [](double v, double w) { return v + w; });
  };
  all.push_back({"columns of other scales, and a bias",
                 "MatMulIntegerToFloat",
                 {a, b, one("f32", 0.125), scales, one("u8", 77), zeros, bias},
                 {},
                 {plus_bias(y)},
                 1e-5});
  // x becomes bytes by its range, which includes 0
  operand x = reals({3, 4}, 14);
  x.values[0] = 1.7;  // so that neither the zero point nor a byte is a tie
  const double least = std::min(0.0, *std::min_element(x.values.begin(), x.values.end())),
               most = std::max(0.0, largest_of(x.values));
  const double scale = (most - least) / 255, zero = std::nearbyint(-least / scale);
  operand stored{"u8", {3, 4}, bytes_like(x.values, scale, zero)};
  const numbers dynamic = matrix_of(real(stored, scale, zero)).times(matrix_of(columns));
  all.push_back({"columns of other scales, and a bias",
                 "DynamicQuantizeMatMul",
                 {x, b, scales, zeros, bias},
                 {},
                 {plus_bias(dynamic)},
                 1e-5});
  // C has the scale alpha * scale of A * scale of B
  const operand c = list("i32", {400, -300});
  numbers sums = matrix_of(real(a, 0.125, 77)).times(matrix_of(columns), 0.5);
  for (std::size_t k = 0; k < 6; ++k) sums[k] += c[k % 2] * 0.5 * 0.125 * scales[k % 2];
  std::vector<operand> operands{a, one("f32", 0.125), one("u8", 77), b, scales, zeros, c};
  all.push_back({"reals", "QGemm", operands, {attribute("alpha", 0.5F)}, {sums}, 1e-5});
  operands.push_back(one("f32", 8)), operands.push_back(one("u8", 120));
  all.push_back({"bytes", "QGemm", operands, {attribute("alpha", 0.5F)}, {bytes_like(sums, 8, 120)}, 0});
  operands[0] = {"u8", {4, 3}, matrix_of(a).transposed().values},
  operands[3] = {"i8", {2, 4}, matrix_of(b).transposed().values};
  all.push_back({"transposed bytes",
                 "QGemm",
                 operands,
                 {attribute("alpha", 0.5F), attribute("transA", std::int64_t{1}), attribute("transB", std::int64_t{1})},
                 {bytes_like(sums, 8, 120)},
                 0});
}

void add_normalisations(cases& all) {
  const operand x = reals({1, 2, 4}, 15), skip = reals({1, 2, 4}, 16), gamma = reals({4}, 17), beta = reals({4}, 18),
                bias = reals({4}, 19);
  numbers sum, sum_with_bias;
  for (std::size_t k = 0; k < 8; ++k)
    sum.push_back(x[k] + skip[k]), sum_with_bias.push_back(x[k] + skip[k] + bias[k % 4]);
  const attributes epsilon{attribute("epsilon", 0.125F)};
  all.push_back({"a tiny epsilon",
                 "SkipLayerNormalization",
                 {x, skip, gamma},
                 {},
                 {scaled(normalised(sum, 4, 1e-12, true), gamma)}});
  all.push_back({"with all operands",
                 "SkipLayerNormalization",
                 {x, skip, gamma, beta, bias},
                 epsilon,
                 {scaled(normalised(sum_with_bias, 4, 0.125, true), gamma, beta), {}, {}, sum_with_bias}});
  all.push_back({"a tiny epsilon",
                 "SkipSimplifiedLayerNormalization",
                 {x, skip, gamma},
                 {},
                 {scaled(normalised(sum, 4, 1e-12, false), gamma)}});
  all.push_back({"with all operands",
                 "SkipSimplifiedLayerNormalization",
                 {x, skip, gamma, bias},
                 epsilon,
                 {scaled(normalised(sum_with_bias, 4, 0.125, false), gamma), {}, {}, sum_with_bias}});

  const operand ids{"i32", {2, 3}, {4, 0, 2, 1, 1, 3}}, segments{"i32", {2, 3}, {0, 1, 1, 0, 0, 1}};
  const operand words = reals({5, 4}, 20), places = reals({3, 4}, 21), kinds = reals({2, 4}, 22),
                mask{"i32", {2, 3}, {1, 1, 0, 1, 0, 0}};
  numbers without, whole;
  for (std::size_t row = 0; row < 6; ++row)
    for (std::size_t k = 0; k < 4; ++k) {
      const double value = words[static_cast<std::size_t>(ids[row]) * 4 + k] + places[row % 3 * 4 + k];
      without.push_back(value);
      whole.push_back(value + kinds[static_cast<std::size_t>(segments[row]) * 4 + k]);
    }
  all.push_back({"words and places",
                 "EmbedLayerNormalization",
                 {ids, missing(), words, places, missing(), gamma, beta},
                 epsilon,
                 {scaled(normalised(without, 4, 0.125, true), gamma, beta), {0, 0}}});
  all.push_back({"with all operands",
                 "EmbedLayerNormalization",
                 {ids, segments, words, places, kinds, gamma, beta, mask},
                 epsilon,
                 {scaled(normalised(whole, 4, 0.125, true), gamma, beta), {2, 1}, whole}});
}

/// Attention over x [2, 3, 4] in two heads of 2 numbers. `sees(b, i, k)`: whether query i may see key k, counted with
/// `past` keys and values [2, 2, heads, past, 2].
numbers attention(const operand& x, const operand& w, const operand& bias, const operand& past,
                  const std::function<double(std::size_t, std::size_t, std::size_t)>& added) {
  const std::size_t before = past.values.empty() ? 0 : static_cast<std::size_t>(past.shape[3]);
  const auto projected = [&](std::size_t b, std::size_t s, std::size_t column) {
    double sum = bias[column];
    for (std::size_t k = 0; k < 4; ++k) sum += x[(b * 3 + s) * 4 + k] * w[k * 12 + column];
    return sum;
  };
  // part 1: keys, 2: values
  const auto stored = [&](std::size_t part, std::size_t b, std::size_t head, std::size_t s, std::size_t h) {
    if (s < before) return past[((((part - 1) * 2 + b) * 2 + head) * before + s) * 2 + h];
    return projected(b, s - before, part * 4 + head * 2 + h);
  };
  numbers made(24);
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t head = 0; head < 2; ++head)
      for (std::size_t i = 0; i < 3; ++i) {
        numbers weight;
        double sum = 0;
        for (std::size_t k = 0; k < before + 3; ++k) {
          double score = 0;
          for (std::size_t h = 0; h < 2; ++h) score += projected(b, i, head * 2 + h) * stored(1, b, head, k, h);
          weight.push_back(std::exp(score / std::sqrt(2.0) + added(b, i, k)));
          sum += weight.back();
        }
        for (std::size_t h = 0; h < 2; ++h)
          for (std::size_t k = 0; k < before + 3; ++k)
            made[(b * 3 + i) * 4 + head * 2 + h] += weight[k] / sum * stored(2, b, head, k, h);
      }
  return made;
}

void add_attention(cases& all) {
  const operand x = reals({2, 3, 4}, 23), w = reals({4, 12}, 24), bias = reals({12}, 25),
                past = reals({2, 2, 2, 1, 2}, 26);
  const attributes two = with("num_heads", 2);
  const auto always = [](std::size_t, std::size_t, std::size_t) { return 0.0; };
  all.push_back({"every key", "Attention", {x, w, bias}, two, {attention(x, w, bias, {}, always)}, 1e-5});
  attributes causal = two;
  causal.push_back(attribute("unidirectional", std::int64_t{1}));
  all.push_back(
      {"earlier keys",
       "Attention",
       {x, w, bias},
       causal,
       {attention(x, w, bias, {}, [](std::size_t, std::size_t i, std::size_t k) { return k <= i ? 0 : -1e9; })},
       1e-5});
  const auto hidden = [](bool is) { return is ? -10000.0 : 0.0; };
  all.push_back(
      {"lengths of keys",
       "Attention",
       {x, w, bias, list("i32", {2, 3})},
       two,
       {attention(x, w, bias, {},
                  [&](std::size_t b, std::size_t, std::size_t k) { return hidden(k >= (b == 0 ? 2U : 3U)); })},
       1e-5});
  all.push_back(
      {"ends and starts of keys",
       "Attention",
       {x, w, bias, list("i32", {2, 3, 0, 1})},
       two,
       {attention(x, w, bias, {},
                  [&](std::size_t b, std::size_t, std::size_t k) { return hidden(b == 0 ? k >= 2 : k < 1); })},
       1e-5});
  const operand seen{"i32", {2, 3}, {1, 0, 1, 0, 1, 1}};
  all.push_back({"visible keys",
                 "Attention",
                 {x, w, bias, seen},
                 two,
                 {attention(x, w, bias, {},
                            [&](std::size_t b, std::size_t, std::size_t k) { return hidden(seen[b * 3 + k] == 0); })},
                 1e-5});
  const operand of_queries = integers("i32", {2, 3, 3}, 27, 0, 1);
  all.push_back({"visible keys of each query",
                 "Attention",
                 {x, w, bias, of_queries},
                 two,
                 {attention(x, w, bias, {},
                            [&](std::size_t b, std::size_t i, std::size_t k) {
                              return hidden(of_queries[(b * 3 + i) * 3 + k] == 0);
                            })},
                 1e-5});
  all.push_back(
      {"a past",
       "Attention",
       {x, w, bias, missing(), past},
       causal,
       {attention(x, w, bias, past, [](std::size_t, std::size_t i, std::size_t k) { return k <= i + 1 ? 0 : -1e9; })},
       1e-5});
  const operand added = reals({2, 2, 3, 3}, 28);
  operand same = added;  // the second head's are those of the first
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t k = 0; k < 9; ++k) same.values[(b * 2 + 1) * 9 + k] = same.values[b * 18 + k];
  all.push_back({"numbers added to scores",
                 "Attention",
                 {x, w, bias, missing(), missing(), same},
                 two,
                 {attention(x, w, bias, {},
                            [&](std::size_t b, std::size_t i, std::size_t k) { return same[b * 18 + i * 3 + k]; })},
                 1e-5});
}

cases all_cases() {
  cases all;
  add_activations(all), add_movements(all), add_products(all), add_convolutions(all), add_pools(all);
  add_quantisation(all), add_quantised_pairs(all), add_quantised_products(all), add_normalisations(all);
  add_attention(all);
  return all;
}

}  // namespace

TEST_CASE("onnx: operators of com.microsoft give the numbers of their formulas") {
  std::set<std::string> tested;
  for (const node_case& c : all_cases()) {
    tested.insert(c.type);
    CAPTURE(c.type);
    CAPTURE(c.what);
    check(c, run_node(c, 1));
    // operands that a run is given, where they need not be known before
    if (const outcome made = run_node(c, c.operands.size()); made.error.empty()) check(c, made);
    else CHECK(made.error.size() > 40);
  }
  for (const std::string& name : microsoft_operators()) {
    CAPTURE(name);
    CHECK(tested.contains(name));
  }
}
