// recurrent_test: LSTM, GRU and RNN of .onnx files, held against their formulas with all options.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "run_onnx.hpp"
#include "support/onnx_writer.hpp"

namespace {

using namespace onnx_test;

enum class unit { lstm, gru, rnn };
struct layer_case {
  std::string what;
  unit is;
  std::string direction = "forward";
  std::int64_t layout = 0;
  bool has_states = false, has_peepholes = false, is_coupled = false, is_linear = false;
  std::vector<std::int32_t> lengths = {};
  bool lengths_are_inputs = false;
  float clip = 0;
  std::vector<std::string> activations = {};
  std::vector<float> alpha = {}, beta = {};
  std::string operator_made = {};
};

constexpr std::int64_t steps = 4, batch = 2, input = 3, hidden = 2;

/// Element k of operand n.
double element(int n, std::int64_t k) { return static_cast<double>((37 * k + 11 * n) % 17 - 8) / 16; }
std::vector<float> elements(int n, std::int64_t count) {
  std::vector<float> made;
  for (std::int64_t k = 0; k < count; ++k) made.push_back(static_cast<float>(element(n, k)));
  return made;
}

using function = std::function<double(double)>;
function named(const std::string& name, double alpha, double beta) {
  if (name == "Sigmoid") return [](double x) { return 1 / (1 + std::exp(-x)); };
  if (name == "Tanh") return [](double x) { return std::tanh(x); };
  if (name == "Relu") return [](double x) { return std::max(x, 0.0); };
  if (name == "Affine") return [=](double x) { return alpha * x + beta; };
  if (name == "LeakyRelu") return [=](double x) { return x < 0 ? alpha * x : x; };
  if (name == "ThresholdedRelu") return [=](double x) { return x < alpha ? 0 : x; };
  if (name == "ScaledTanh") return [=](double x) { return alpha * std::tanh(beta * x); };
  if (name == "HardSigmoid") return [=](double x) { return std::min(std::max(alpha * x + beta, 0.0), 1.0); };
  if (name == "Elu") return [=](double x) { return x < 0 ? alpha * (std::exp(x) - 1) : x; };
  if (name == "Softsign") return [](double x) { return x / (1 + std::fabs(x)); };
  return [](double x) { return std::log(1 + std::exp(x)); };  // Softplus
}

struct layer_results {
  std::vector<double> y, h, c;
};

std::int64_t directions_of(const layer_case& c) { return c.direction == "bidirectional" ? 2 : 1; }
std::int64_t gates_of(const layer_case& c) { return c.is == unit::lstm ? 4 : c.is == unit::gru ? 3 : 1; }

/// The functions of all directions: defaults, or those of the case, of which each takes its numbers from the lists.
std::vector<function> functions_of(const layer_case& c) {
  std::vector<std::string> names = c.activations;
  for (std::int64_t d = 0; d < directions_of(c) && c.activations.empty(); ++d) {
    if (c.is != unit::rnn) names.push_back("Sigmoid");
    names.push_back("Tanh");
    if (c.is == unit::lstm) names.push_back("Tanh");
  }
  std::vector<function> made;
  std::size_t alphas = 0, betas = 0;
  for (const std::string& name : names) {
    const bool has_both = name == "Affine" || name == "ScaledTanh" || name == "HardSigmoid";
    const bool has_alpha = has_both || name == "LeakyRelu" || name == "ThresholdedRelu" || name == "Elu";
    const double alpha = has_alpha && alphas < c.alpha.size() ? double{c.alpha[alphas++]}
                         : name == "LeakyRelu"                ? 0.01
                                                              : 1;
    made.push_back(named(name, alpha, has_both && betas < c.beta.size() ? double{c.beta[betas++]} : 0));
  }
  return made;
}

/// Results in the order of layout 0: y [S, D, B, H], h and c [D, B, H].
layer_results expected(const layer_case& c) {
  const std::int64_t all = directions_of(c), rows = gates_of(c) * hidden;
  layer_results made;
  made.y.assign(static_cast<std::size_t>(steps * all * batch * hidden), 0);
  const std::vector<function> functions = functions_of(c);
  for (std::int64_t d = 0; d < all; ++d)
    for (std::int64_t b = 0; b < batch; ++b) {
      const bool is_backward = c.direction == "reverse" || d == 1;
      const auto f = [&](std::size_t i, double x) {
        if (c.clip > 0) x = std::clamp(x, -double{c.clip}, double{c.clip});
        return functions[functions.size() / static_cast<std::size_t>(all) * static_cast<std::size_t>(d) + i](x);
      };
      std::vector<double> h(hidden), cell(hidden);
      for (std::int64_t k = 0; k < hidden && c.has_states; ++k)
        h[static_cast<std::size_t>(k)] = element(5, (d * batch + b) * hidden + k),
        cell[static_cast<std::size_t>(k)] = element(6, (d * batch + b) * hidden + k);
      const std::int64_t length = c.lengths.empty() ? steps : c.lengths[static_cast<std::size_t>(b)];
      for (std::int64_t step = 0; step < length; ++step) {
        const std::int64_t t = is_backward ? length - 1 - step : step;
        const auto of_input = [&](std::int64_t row) {
          double sum = element(3, d * 2 * rows + row);
          for (std::int64_t k = 0; k < input; ++k)
            sum += element(1, (d * rows + row) * input + k) * element(0, (t * batch + b) * input + k);
          return sum;
        };
        const auto of_state = [&](std::int64_t row, const std::vector<double>& state) {
          double sum = element(3, (2 * d + 1) * rows + row);
          for (std::int64_t k = 0; k < hidden; ++k)
            sum += element(2, (d * rows + row) * hidden + k) * state[static_cast<std::size_t>(k)];
          return sum;
        };
        const auto sum = [&](std::int64_t gate, std::int64_t n) {
          return of_input(gate * hidden + n) + of_state(gate * hidden + n, h);
        };
        std::vector<double> next(hidden), reset(hidden);
        for (std::int64_t n = 0; n < hidden && c.is == unit::gru; ++n)
          reset[static_cast<std::size_t>(n)] = f(0, sum(1, n)) * h[static_cast<std::size_t>(n)];
        for (std::int64_t n = 0; n < hidden; ++n) {
          const auto i = static_cast<std::size_t>(n);
          const std::int64_t row = 2 * hidden + n;
          const auto peephole = [&](std::int64_t which) {
            return c.has_peepholes ? element(7, (3 * d + which) * hidden + n) * cell[i] : 0;
          };
          if (c.is == unit::rnn) next[i] = f(0, sum(0, n));
          if (c.is == unit::gru) {
            const double z = f(0, sum(0, n)), r = f(0, sum(1, n));
            const double made_of = c.is_linear ? r * of_state(row, h) : of_state(row, reset);
            next[i] = (1 - z) * f(1, of_input(row) + made_of) + z * h[i];
          }
          if (c.is == unit::lstm) {
            const double in = f(0, sum(0, n) + peephole(0));
            const double forget = c.is_coupled ? 1 - in : f(0, sum(2, n) + peephole(2));
            cell[i] = forget * cell[i] + in * f(1, sum(3, n));
            const std::size_t last = functions.size() / static_cast<std::size_t>(all) * static_cast<std::size_t>(d) + 2;
            next[i] = f(0, sum(1, n) + peephole(1)) * functions[last](cell[i]);
          }
        }
        h = next;
        for (std::int64_t n = 0; n < hidden; ++n)
          made.y[static_cast<std::size_t>(((t * all + d) * batch + b) * hidden + n)] = h[static_cast<std::size_t>(n)];
      }
      made.h.insert(made.h.end(), h.begin(), h.end());
      made.c.insert(made.c.end(), cell.begin(), cell.end());
    }
  return made;
}

/// Moves axes of tensors of layout 0 to layout 1 and back: axis a of the result is axis order[a] of x.
template <class T>
std::vector<T> moved(const std::vector<T>& x, const std::vector<std::int64_t>& shape, const std::vector<int>& order) {
  std::vector<T> made;
  std::vector<std::int64_t> at(shape.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), from = 0;
    for (std::size_t a = shape.size(); a-- > 0;) {
      const auto axis = static_cast<std::size_t>(order[a]);
      at[axis] = rest % shape[axis], rest /= shape[axis];
    }
    for (std::size_t a = 0; a < shape.size(); ++a) from = from * shape[a] + at[a];
    made.push_back(x[static_cast<std::size_t>(from)]);
  }
  return made;
}

tensor numbers_of(const std::vector<std::int64_t>& shape, const std::vector<float>& list) {
  tensor made{"", "f32", shape, {}};
  const auto bytes = std::as_bytes(std::span(list));
  made.bytes.assign(bytes.begin(), bytes.end());
  return made;
}

struct written_layer {
  std::string file;
  std::vector<tensor> inputs;
};

/// A file of one layer whose extent `steps_declared` of x is known or -1.
written_layer written(const layer_case& c, std::int64_t steps_declared = steps) {
  const std::int64_t d = directions_of(c), rows = gates_of(c) * hidden;
  const bool swaps = c.layout == 1;
  written_layer made;
  parts p;
  const auto given = [&](const std::string& name, int n, std::vector<std::int64_t> shape, std::vector<int> order,
                         std::vector<std::int64_t> declared) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    std::vector<float> list = elements(n, count);
    if (swaps) {
      list = moved(list, shape, order);
      std::swap(shape[0], shape[1]), std::swap(declared[0], declared[1]);
    }
    p.inputs.push_back(declaration(name, of_float, declared));
    made.inputs.push_back(numbers_of(shape, list));
  };
  given("x", 0, {steps, batch, input}, {1, 0, 2}, {steps_declared, batch, input});
  p.initializers = {floats("w", {d, rows, input}, elements(1, d * rows * input)),
                    floats("r", {d, rows, hidden}, elements(2, d * rows * hidden)),
                    floats("b", {d, 2 * rows}, elements(3, d * 2 * rows))};
  names operands{"x", "w", "r", "b", "", "", "", ""};
  if (!c.lengths.empty()) {
    operands[4] = "lengths";
    if (c.lengths_are_inputs) {
      p.inputs.push_back(declaration("lengths", of_int32, {batch}));
      tensor lengths{"", "i32", {batch}, {}};
      const auto bytes = std::as_bytes(std::span(c.lengths));
      lengths.bytes.assign(bytes.begin(), bytes.end());
      made.inputs.push_back(lengths);
    } else {
      p.initializers.push_back(tensor_of("lengths", of_int32, {batch}, raw(c.lengths)));
    }
  }
  if (c.has_states) {
    operands[5] = "h", given("h", 5, {d, batch, hidden}, {1, 0, 2}, {d, batch, hidden});
    if (c.is == unit::lstm) operands[6] = "c", given("c", 6, {d, batch, hidden}, {1, 0, 2}, {d, batch, hidden});
  }
  if (c.has_peepholes) {
    operands[7] = "p", p.initializers.push_back(floats("p", {d, 3 * hidden}, elements(7, d * 3 * hidden)));
  }
  while (operands.back().empty()) operands.pop_back();
  std::vector<message> attributes{attribute("hidden_size", hidden), text_attribute("direction", c.direction)};
  if (c.layout != 0) attributes.push_back(attribute("layout", c.layout));
  if (c.clip > 0) attributes.push_back(attribute("clip", c.clip));
  if (c.is_linear) attributes.push_back(attribute("linear_before_reset", std::int64_t{1}));
  if (c.is_coupled) attributes.push_back(attribute("input_forget", std::int64_t{1}));
  const auto list = [&](std::string_view name, const std::vector<float>& numbers) {
    message one;
    one.text(1, name).integer(20, 6);
    for (const float number : numbers) one.real(7, number);
    if (!numbers.empty()) attributes.push_back(one);
  };
  list("activation_alpha", c.alpha), list("activation_beta", c.beta);
  if (!c.activations.empty()) {
    message one;
    one.text(1, "activations").integer(20, 8);
    for (const std::string& name : c.activations) one.text(9, name);
    attributes.push_back(one);
  }
  names outputs{"y", "y_h"};
  if (c.is == unit::lstm) outputs.push_back("y_c");
  for (const std::string& name : outputs)
    p.outputs.push_back(name == "y" ? declaration(name, of_float, {-1, -1, -1, -1})
                                    : declaration(name, of_float, {-1, -1, -1}));
  p.nodes = {node(c.is == unit::lstm ? "LSTM" : c.is == unit::gru ? "GRU" : "RNN", operands, outputs, attributes)};
  made.file = model(p, 14);
  return made;
}

const std::vector<std::int32_t> shorter{3, 1};
const layer_case cases[] = {
    {.what = "lstm", .is = unit::lstm, .operator_made = "lstm"},
    {.what = "lstm backwards", .is = unit::lstm, .direction = "reverse", .has_states = true, .operator_made = "lstm"},
    {.what = "lstm both ways, batch first",
     .is = unit::lstm,
     .direction = "bidirectional",
     .layout = 1,
     .has_states = true,
     .operator_made = "lstm"},
    {.what = "lstm with all options",
     .is = unit::lstm,
     .direction = "bidirectional",
     .layout = 1,
     .has_states = true,
     .has_peepholes = true,
     .is_coupled = true,
     .lengths = shorter,
     .clip = 0.5F,
     .activations = {"HardSigmoid", "ScaledTanh", "Softsign", "Sigmoid", "Affine", "Elu"},
     .alpha = {0.25F, 1.5F, 0.75F, 0.5F},
     .beta = {0.5F, 0.75F, 0.125F}},
    {.what = "lstm with peepholes", .is = unit::lstm, .has_states = true, .has_peepholes = true},
    {.what = "lstm of lengths that a run is given",
     .is = unit::lstm,
     .direction = "reverse",
     .has_states = true,
     .lengths = shorter,
     .lengths_are_inputs = true},
    {.what = "gru", .is = unit::gru, .operator_made = "gru"},
    {.what = "gru both ways, reset after the product, batch first",
     .is = unit::gru,
     .direction = "bidirectional",
     .layout = 1,
     .has_states = true,
     .is_linear = true,
     .operator_made = "gru"},
    {.what = "gru backwards, whole lengths",
     .is = unit::gru,
     .direction = "reverse",
     .lengths = {steps, steps},
     .operator_made = "gru"},
    {.what = "gru both ways, of lengths",
     .is = unit::gru,
     .direction = "bidirectional",
     .has_states = true,
     .lengths = shorter,
     .activations = {"Sigmoid", "LeakyRelu", "Softplus", "ThresholdedRelu"},
     .alpha = {0.25F, 0.125F}},
    {.what = "gru of lengths that a run is given, reset after the product, clipped",
     .is = unit::gru,
     .layout = 1,
     .is_linear = true,
     .lengths = shorter,
     .lengths_are_inputs = true,
     .clip = 0.25F},
    {.what = "rnn both ways",
     .is = unit::rnn,
     .direction = "bidirectional",
     .has_states = true,
     .activations = {"Relu", "Tanh"},
     .operator_made = "sequence_rnn"},
    {.what = "rnn of lengths, default slope",
     .is = unit::rnn,
     .direction = "reverse",
     .layout = 1,
     .lengths = shorter,
     .activations = {"LeakyRelu"}},
};

}  // namespace

TEST_CASE("onnx: LSTM, GRU and RNN with every option compute their formulas") {
  for (const layer_case& c : cases) {
    CAPTURE(c.what);
    const written_layer layer = written(c);
    const outcome made = run_bytes(bytes_of(layer.file), layer.inputs);
    REQUIRE(made.error == "");
    const std::int64_t d = directions_of(c);
    layer_results wanted = expected(c);
    if (c.layout == 1) {
      wanted.y = moved(wanted.y, {steps, d, batch, hidden}, {2, 0, 1, 3});
      for (std::vector<double>* const state : {&wanted.h, &wanted.c})
        *state = moved(*state, {d, batch, hidden}, {1, 0, 2});
    }
    const std::vector<double>* const all[] = {&wanted.y, &wanted.h, &wanted.c};
    REQUIRE(made.outputs.size() == (c.is == unit::lstm ? 3 : 2));
    for (std::size_t i = 0; i < made.outputs.size(); ++i) {
      CAPTURE(i);
      const std::vector<double> got = made.outputs[i].numbers();
      REQUIRE(got.size() == all[i]->size());
      double worst = 0;
      for (std::size_t k = 0; k < got.size(); ++k) worst = std::max(worst, std::fabs(got[k] - (*all[i])[k]));
      CHECK(worst < 1e-6);
    }
    const bool has_operator = std::find(made.nodes.begin(), made.nodes.end(), c.operator_made) != made.nodes.end();
    CHECK(has_operator == !c.operator_made.empty());
  }
}

TEST_CASE("onnx: recurrent layers that cannot be spelled out are refused, and so are attributes that contradict") {
  const auto refused = [](const layer_case& c, std::int64_t steps_declared, const std::string& words) {
    const outcome made = load_bytes(bytes_of(written(c, steps_declared).file));
    CAPTURE(made.error);
    CHECK(made.error.find(words) != std::string::npos);
  };
  const layer_case clipped{.what = "", .is = unit::gru, .clip = 1};
  refused(clipped, -1, "expected a known number from 1 to 1024");
  refused(clipped, 2000, "expected a known number from 1 to 1024");
  refused(clipped, 1000, "got 1000 steps of ");
  refused({.what = "", .is = unit::gru, .lengths = shorter}, -1, "sequence_lens, and an unknown number of steps");
  refused({.what = "", .is = unit::gru, .lengths = {5, 1}}, steps, "sequence_lens: got 5, expected at most 4");
  refused({.what = "", .is = unit::rnn, .direction = "sideways"}, steps, R"(direction: got "sideways")");
  refused({.what = "", .is = unit::rnn, .activations = {"Tanh", "Relu"}}, steps, "activations: got 2, expected 1");
  refused({.what = "", .is = unit::rnn, .activations = {"Cube"}}, steps, R"(activations: got "Cube")");
  refused({.what = "", .is = unit::rnn, .activations = {"Tanh"}, .alpha = {1}}, steps,
          "activation_alpha: got 1, expected 0");
  refused({.what = "", .is = unit::rnn, .activations = {"ScaledTanh"}}, steps, "ScaledTanh without its alpha and beta");
}
