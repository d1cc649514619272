// lists_test: lists of tensors in files: Keras layers that nothing has fused, by formulas and the fused operator;
// words.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "../../support/flex_node.hpp"
#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

constexpr int add_code = 0, concatenation = 2, fully_connected = 9, logistic = 14, mul = 18, tanh_code = 28,
              custom = 32, gather = 36, transpose = 39, sub_code = 41, sequence_lstm = 44, split = 49, less = 58,
              call_code = 31, if_code = 118, logical_and = 86, while_code = 119;

tensor floats(std::vector<std::int32_t> shape, std::string name = "") { return {float32, shape, name}; }
tensor constant(std::vector<std::int32_t> shape, const std::vector<double>& numbers) {
  return {float32, shape, "", bytes_of<float>(numbers)};
}
tensor integers(std::vector<std::int32_t> shape, std::vector<double> numbers = {}) {
  return {int32, shape, "", bytes_of<std::int32_t>(numbers)};
}
tensor integer(int number) { return integers({}, {static_cast<double>(number)}); }
tensor list(std::string name = "list") { return {variant, {}, name}; }

/// An operator on lists: TensorFlow's with its node in the options, or TensorFlow Lite's.
call call_on_list(bool is_flex, const std::string& op, std::vector<std::int32_t> inputs,
                  std::vector<std::int32_t> outputs, std::vector<node_attribute> attributes) {
  const bool has_type = op == "TensorListReserve";
  const std::vector<std::uint8_t> own = has_type ? std::vector<std::uint8_t>{float32} : std::vector<std::uint8_t>();
  return {custom, inputs, outputs, {}, (is_flex ? "Flex" : "") + op, -1, is_flex ? flex_options(op, attributes) : own};
}

/// Adds operators to a subgraph, each with one result.
struct composer {
  subgraph& g;
  bool is_flex = true;

  int of(int code, std::vector<std::int32_t> inputs, tensor result, options with = {}) {
    const int made = g.add(std::move(result));
    g.calls.push_back({code, std::move(inputs), {made}, std::move(with)});
    return made;
  }
  int on_list(const std::string& op, std::vector<std::int32_t> inputs, tensor result,
              std::vector<node_attribute> attributes = {}) {
    const int made = g.add(std::move(result));
    attributes.push_back(element_dtype(float_elements));
    g.calls.push_back(call_on_list(is_flex, op, std::move(inputs), {made}, attributes));
    return made;
  }
  int sum(int a, int b, tensor result) { return of(add_code, {a, b}, std::move(result), {11, {}}); }
  int product(int a, int b, tensor result) { return of(mul, {a, b}, std::move(result), {21, {}}); }
  int product_of_rows(int x, int weights, int bias, tensor result) {
    return of(fully_connected, {x, weights, bias}, std::move(result), {8, {}});
  }
  std::vector<int> parts(int x, int axis, int count, tensor each) {
    std::vector<std::int32_t> made;
    for (int i = 0; i < count; ++i) made.push_back(g.add(each));
    g.calls.push_back({split, {g.add(integer(axis)), x}, made, {35, {{0, std::int32_t{count}}}}});
    return made;
  }
};

// One layer of Keras: I numbers in each of T steps, H units.
constexpr int T = 4, I = 3, H = 2;
std::vector<double> numbers(int count, int seed) {
  std::vector<double> made;
  for (int i = 0; i < count; ++i) made.push_back(((i * 7 + seed) % 13 - 6) / 8.0);
  return made;
}
const std::vector<double> x = numbers(T * I, 3);

struct layer {
  int gates;
  std::vector<double> kernel = numbers(gates * H * I, 5), recurrent = numbers(gates * H * H, 2),
                      bias = numbers(gates * H, 8), inner_bias = numbers(gates * H, 1);
};

enum class counts { one, two };
/// The layer as a loop over its steps: the input in a list, if it is read from one, and the steps in another one.
/// `cell` adds the operators of a step.
template <class F> file in_loop(bool is_flex, bool reads_list, bool all_steps, counts how, int states, F cell) {
  file f;
  composer main{f, is_flex};
  const int input = f.add(floats({1, T, I}, "x"));
  f.inputs = {input};
  const int steps = main.of(transpose, {input, f.add(integers({3}, {1, 0, 2}))}, floats({T, 1, I}), {26, {}});
  const int in_shape = f.add(integers({2}, {-1, I})), out_shape = f.add(integers({2}, {-1, H})),
            zero = f.add(integer(0)), size = f.add(integer(all_steps ? T : 1));
  const int sequence =
      reads_list ? main.on_list("TensorListFromTensor", {steps, in_shape}, list(), {{"shape_type", 6, 3}}) : steps;
  const int made = main.on_list("TensorListReserve", {out_shape, size}, list(), {{"shape_type", 6, 3}});
  // counter, most trips, time, list, sequence, states
  std::vector<tensor> carried = {integers({}), integers({}), integers({}), list(),
                                 reads_list ? list() : floats({T, 1, I})};
  std::vector<std::int32_t> first = {zero, f.add(integer(T)), zero, made, sequence}, last;
  for (int i = 0; i < states; ++i) carried.push_back(floats({1, H})), first.push_back(f.add(constant({1, H}, {0, 0})));
  for (const tensor& t : carried) last.push_back(f.add(t));
  f.calls.push_back({while_code, first, last, {93, {{0, std::int32_t{1}}, {1, std::int32_t{2}}}}});
  const int all = main.on_list("TensorListStack", {last[3], out_shape}, floats({all_steps ? T : 1, 1, H}, "y"),
                               {{"num_elements", 3, all_steps ? T : 1}});
  f.outputs = {all, last[5], last[2]};

  subgraph condition, body;
  for (subgraph* g : {&condition, &body})
    for (const tensor& t : carried) g->inputs.push_back(g->add(t));
  composer goes_on{condition, is_flex}, step{body, is_flex};
  const int is_before_end = goes_on.of(less, {2, condition.add(integer(T))}, {boolean, {}, ""}, {41, {}});
  const int has_trips = goes_on.of(less, {0, 1}, {boolean, {}, ""}, {41, {}});
  condition.outputs = {how == counts::one
                           ? is_before_end
                           : goes_on.of(logical_and, {has_trips, is_before_end}, {boolean, {}, ""}, {62, {}})};
  const int one = body.add(integer(1));
  const int row = reads_list
                      ? step.on_list("TensorListGetItem", {4, 2, body.add(integers({2}, {-1, I}))}, floats({1, I}))
                      : step.of(gather, {4, 2}, floats({1, I}), {23, {}});
  const std::vector<int> next = cell(step, row);
  const int written = step.on_list("TensorListSetItem", {3, all_steps ? 2 : body.add(integer(0)), next[0]}, list(),
                                   {{"resize_if_index_out_of_bounds", 5, 0}});
  body.outputs = {step.sum(0, one, integers({})), 1, step.sum(2, one, integers({})), written, 4};
  body.outputs.insert(body.outputs.end(), next.begin(), next.end());
  f.called = {condition, body};
  return f;
}

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }
double row_times(const std::vector<double>& weights, int row, const double* with, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += weights[static_cast<std::size_t>(row * count + i)] * with[i];
  return sum;
}
using rows = std::vector<std::vector<double>>;

/// Keras' LSTM: gates i, f, c, o; c' = f c + i tanh(c~), h' = o tanh(c'). All h.
const layer lstm_layer{4};
rows lstm_by_formula() {
  std::vector<double> h(H), c(H);
  rows all;
  for (int t = 0; t < T; ++t) {
    double gate[4][H];
    for (int g = 0; g < 4; ++g)
      for (int k = 0; k < H; ++k) {
        const int row = g * H + k;
        gate[g][k] = row_times(lstm_layer.kernel, row, &x[static_cast<std::size_t>(t * I)], I) +
                     row_times(lstm_layer.recurrent, row, h.data(), H) + lstm_layer.bias[static_cast<std::size_t>(row)];
      }
    for (std::size_t k = 0; k < H; ++k) {
      c[k] = sigmoid(gate[1][k]) * c[k] + sigmoid(gate[0][k]) * std::tanh(gate[2][k]);
      h[k] = sigmoid(gate[3][k]) * std::tanh(c[k]);
    }
    all.push_back(h);
  }
  return all;
}
std::vector<int> lstm_step(composer& g, int row) {
  const tensor unit = floats({1, H});
  const int from_x = g.product_of_rows(row, g.g.add(constant({4 * H, I}, lstm_layer.kernel)), -1, floats({1, 4 * H}));
  const int from_h = g.product_of_rows(5, g.g.add(constant({4 * H, H}, lstm_layer.recurrent)), -1, floats({1, 4 * H}));
  const int sums =
      g.sum(g.sum(from_x, from_h, floats({1, 4 * H})), g.g.add(constant({4 * H}, lstm_layer.bias)), floats({1, 4 * H}));
  const std::vector<int> gates = g.parts(sums, 1, 4, unit);
  const int kept = g.product(g.of(logistic, {gates[1]}, unit), 6, unit);
  const int added = g.product(g.of(logistic, {gates[0]}, unit), g.of(tanh_code, {gates[2]}, unit), unit);
  const int c = g.sum(kept, added, unit);
  return {g.product(g.of(logistic, {gates[3]}, unit), g.of(tanh_code, {c}, unit), unit), c};
}
file lstm(bool is_flex, bool reads_list, bool all_steps = true, counts how = counts::two) {
  return in_loop(is_flex, reads_list, all_steps, how, 2, lstm_step);
}

/// Keras' GRU, whose reset gate follows the product: gates z, r, h; n = tanh(x + r (U h + b)), h' = z h + (1 - z) n.
/// All h.
const layer gru_layer{3};
rows gru_by_formula() {
  std::vector<double> h(H);
  rows all;
  for (int t = 0; t < T; ++t) {
    std::vector<double> next(H);
    for (int k = 0; k < H; ++k) {
      double from_x[3], from_h[3];
      for (int g = 0; g < 3; ++g) {
        const int row = g * H + k;
        from_x[g] = row_times(gru_layer.kernel, row, &x[static_cast<std::size_t>(t * I)], I) +
                    gru_layer.bias[static_cast<std::size_t>(row)];
        from_h[g] =
            row_times(gru_layer.recurrent, row, h.data(), H) + gru_layer.inner_bias[static_cast<std::size_t>(row)];
      }
      const auto i = static_cast<std::size_t>(k);
      const double z = sigmoid(from_x[0] + from_h[0]), r = sigmoid(from_x[1] + from_h[1]);
      next[i] = z * h[i] + (1 - z) * std::tanh(from_x[2] + r * from_h[2]);
    }
    h = next;
    all.push_back(h);
  }
  return all;
}
std::vector<int> gru_step(composer& g, int row) {
  const tensor unit = floats({1, H});
  const auto all_gates = [&](int of, std::vector<double> weights, int count, const std::vector<double>& bias) {
    return g.parts(g.product_of_rows(of, g.g.add(constant({3 * H, count}, weights)), g.g.add(constant({3 * H}, bias)),
                                     floats({1, 3 * H})),
                   1, 3, unit);
  };
  const std::vector<int> from_x = all_gates(row, gru_layer.kernel, I, gru_layer.bias),
                         from_h = all_gates(5, gru_layer.recurrent, H, gru_layer.inner_bias);
  const int z = g.of(logistic, {g.sum(from_x[0], from_h[0], unit)}, unit),
            r = g.of(logistic, {g.sum(from_x[1], from_h[1], unit)}, unit);
  const int n = g.of(tanh_code, {g.sum(from_x[2], g.product(r, from_h[2], unit), unit)}, unit);
  const int rest = g.of(sub_code, {g.g.add(constant({}, {1})), z}, unit, {28, {}});
  return {g.sum(g.product(z, 5, unit), g.product(rest, n, unit), unit)};
}
file gru(bool is_flex, bool reads_list, bool all_steps = true, counts how = counts::two) {
  return in_loop(is_flex, reads_list, all_steps, how, 1, gru_step);
}

void check_near(const std::vector<double>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}
std::vector<double> joined(const rows& all) {
  std::vector<double> made;
  for (const std::vector<double>& row : all) made.insert(made.end(), row.begin(), row.end());
  return made;
}

TEST_CASE(
    "tflite: a Keras LSTM or GRU that is a loop over lists computes what the layer's formula says, in each form of the "
    "loop") {
  struct form {
    const char* what;
    bool is_flex, reads_list, all_steps;
    counts how;
  };
  const form forms[] = {
      {"all steps, from a list to a list", true, true, true, counts::two},
      {"from a tensor, as newer converters write it", true, false, true, counts::two},
      {"one element, set with each step", true, false, false, counts::two},
      {"one counter", true, true, true, counts::one},
      {"lists of TensorFlow Lite", false, true, true, counts::two},
      {"its last step alone", false, true, false, counts::one},
  };
  for (const form& one : forms) {
    CAPTURE(one.what);
    for (const bool is_gru : {false, true}) {
      CAPTURE(is_gru);
      const rows expected = is_gru ? gru_by_formula() : lstm_by_formula();
      const file f = (is_gru ? gru : lstm)(one.is_flex, one.reads_list, one.all_steps, one.how);
      const outcome got = run_file(f.bytes(), {x});
      REQUIRE(got.error == "");
      check_near(got.outputs[0].numbers, one.all_steps ? joined(expected) : expected.back());
      check_near(got.outputs[1].numbers, expected.back());
      CHECK(got.outputs[2].numbers == std::vector<double>{T});
      CHECK(got.outputs[0].shape == std::vector<std::int64_t>{one.all_steps ? T : 1, 1, H});
    }
  }
}

TEST_CASE("tflite: a Keras LSTM in a loop is the fused operator with the same weights") {
  file f;
  f.tensors = {floats({1, T, I}, "x")};
  std::vector<std::int32_t> in(24, -1);
  in[0] = 0;
  const auto part = [](const std::vector<double>& all, int gate, int count) {
    return std::vector<double>(all.begin() + gate * H * count, all.begin() + (gate + 1) * H * count);
  };
  for (int gate = 0; gate < 4; ++gate) {
    in[static_cast<std::size_t>(1 + gate)] = f.add(constant({H, I}, part(lstm_layer.kernel, gate, I)));
    in[static_cast<std::size_t>(5 + gate)] = f.add(constant({H, H}, part(lstm_layer.recurrent, gate, H)));
    in[static_cast<std::size_t>(12 + gate)] = f.add(constant({H}, part(lstm_layer.bias, gate, 1)));
  }
  for (const std::size_t state : {18U, 19U}) {
    in[state] = f.add(floats({1, H}));
    f.tensors.back().is_variable = true;
  }
  const int y = f.add(floats({1, T, H}, "y"));
  f.calls = {{sequence_lstm, in, {y}, {71, {{0, std::int8_t{4}}}}}};
  f.inputs = {0}, f.outputs = {y};
  const outcome fused = run_file(f.bytes(), {x});
  REQUIRE(fused.error == "");
  check_near(run_file(lstm(true, true).bytes(), {x}).outputs[0].numbers, fused.outputs[0].numbers);
}

/// Operators on a list of three elements [2] without any: `a`, `b` are what is set, and the stack is y.
struct list_of_three {
  file f;
  composer g{f};
  int a, b, shape, made;

  explicit list_of_three(bool is_flex = true, std::vector<double> extents = {2}, int size = 3) {
    g.is_flex = is_flex;
    a = f.add(floats({2}, "a")), b = f.add(floats({2}, "b"));
    f.inputs = {a, b};
    shape = f.add(integers({static_cast<std::int32_t>(extents.size())}, extents));
    made = g.on_list("TensorListReserve", {shape, f.add(integer(size))}, list());
  }
  int set(int of, int i, int value, bool resizes = false) {
    return g.on_list("TensorListSetItem", {of, f.add(integer(i)), value}, list(),
                     {{"resize_if_index_out_of_bounds", 5, resizes ? 1 : 0}});
  }
  int get(int of, int i) { return g.on_list("TensorListGetItem", {of, f.add(integer(i)), shape}, floats({2})); }
  int stack(int of, int rows = 3) {
    return g.on_list("TensorListStack", {of, shape}, floats({rows, 2}, "y"), {{"num_elements", 3, -1}});
  }
  std::vector<double> result(int id) {
    f.outputs = {id};
    const outcome got = run_file(f.bytes(), {{1, 2}, {3, 4}});
    REQUIRE(got.error == "");
    return got.outputs[0].numbers;
  }
};

TEST_CASE(
    "tflite: elements of a list are what was set last, zeros where nothing was, and lists before stay what they were") {
  for (const bool is_flex : {true, false}) {
    CAPTURE(is_flex);
    list_of_three l(is_flex);
    const int one = l.set(l.made, 1, l.a), both = l.set(one, 2, l.b), changed = l.set(both, 1, l.b),
              back = l.set(changed, 2, l.a);
    CHECK(l.result(l.stack(l.made)) == std::vector<double>{0, 0, 0, 0, 0, 0});
    CHECK(l.result(l.stack(one)) == std::vector<double>{0, 0, 1, 2, 0, 0});
    CHECK(l.result(l.stack(both)) == std::vector<double>{0, 0, 1, 2, 3, 4});
    CHECK(l.result(l.stack(changed)) == std::vector<double>{0, 0, 3, 4, 3, 4});
    CHECK(l.result(l.stack(back)) == std::vector<double>{0, 0, 3, 4, 1, 2});
    CHECK(l.result(l.get(both, 1)) == std::vector<double>{1, 2});
    CHECK(l.result(l.get(changed, 1)) == std::vector<double>{3, 4});
    CHECK(l.result(l.get(back, 0)) == std::vector<double>{0, 0});
  }
}

TEST_CASE("tflite: a list grows where its operator lets it, and is as long as it has become") {
  for (const bool is_flex : {true, false}) {
    CAPTURE(is_flex);
    list_of_three l(is_flex);
    const int longer = l.set(l.set(l.made, 0, l.a), 4, l.b, true);
    CHECK(l.result(l.stack(longer, 5)) == std::vector<double>{1, 2, 0, 0, 0, 0, 0, 0, 3, 4});
    CHECK(l.result(l.g.on_list("TensorListLength", {longer}, integers({}))) == std::vector<double>{5});
    CHECK(l.result(l.g.on_list("TensorListLength", {l.made}, integers({}))) == std::vector<double>{3});
  }
}

TEST_CASE("tflite: rows of a tensor in a list are replaced one by one, and stacked again") {
  list_of_three l;
  const int rows = l.f.add(floats({2, 2}));
  l.f.calls.insert(l.f.calls.begin(),
                   {concatenation, {l.a, l.b}, {l.f.add(floats({4}))}, {10, {{0, std::int32_t{0}}}}});
  l.f.calls.insert(l.f.calls.begin() + 1, {22, {rows + 1, l.f.add(integers({2}, {2, 2}))}, {rows}, {17, {}}});
  const int from = l.g.on_list("TensorListFromTensor", {rows, l.shape}, list());
  CHECK(l.result(l.stack(from, 2)) == std::vector<double>{1, 2, 3, 4});
  const int changed = l.set(from, 0, l.b);
  CHECK(l.result(l.stack(changed, 2)) == std::vector<double>{3, 4, 3, 4});
  CHECK(l.result(l.get(from, 1)) == std::vector<double>{3, 4});
  CHECK(l.result(l.stack(l.set(changed, 3, l.a, true), 4)) == std::vector<double>{3, 4, 3, 4, 0, 0, 1, 2});
}

TEST_CASE("tflite: the shape of unset elements follows from the list, the operand, or from elements that are set") {
  for (const auto& extents : {std::vector<double>{-1}, {2}}) {
    list_of_three l(true, extents);
    CHECK(l.result(l.stack(l.set(l.made, 1, l.a))) == std::vector<double>{0, 0, 1, 2, 0, 0});
    CHECK(l.result(l.get(l.set(l.made, 1, l.a), 0)) == std::vector<double>{0, 0});
  }
  list_of_three l(true, {-1});
  l.shape = l.f.add(integers({}, {-1}));  // not even a rank
  CHECK(l.result(l.stack(l.set(l.made, 2, l.b))) == std::vector<double>{0, 0, 0, 0, 3, 4});
  list_of_three none(true, {2}, 0);
  none.f.outputs = {none.stack(none.made, 0)};
  const outcome empty = run_file(none.f.bytes(), {{1, 2}, {3, 4}});
  CHECK(empty.error == "");
  CHECK(empty.outputs[0].shape == std::vector<std::int64_t>{0, 2});
}

TEST_CASE("tflite: lists of TensorFlow Lite stack elements of one number without another axis") {
  for (const bool is_flex : {true, false}) {
    file f;
    composer g{f, is_flex};
    const int one = f.add(floats({1}, "x")), shape = f.add(integers({1}, {1}));
    f.inputs = {one};
    const int made = g.on_list("TensorListReserve", {shape, f.add(integer(2))}, list());
    const int set = g.on_list("TensorListSetItem", {made, f.add(integer(1)), one}, list());
    f.outputs = {g.on_list("TensorListStack", {set, shape}, is_flex ? floats({2, 1}) : floats({2}), {})};
    const outcome got = run_file(f.bytes(), {{7}});
    REQUIRE(got.error == "");
    CHECK(got.outputs[0].numbers == std::vector<double>{0, 7});
    CHECK(got.outputs[0].shape == (is_flex ? std::vector<std::int64_t>{2, 1} : std::vector<std::int64_t>{2}));
  }
}

TEST_CASE("tflite: a list passes through CALL and IF") {
  list_of_three l;
  subgraph sets;
  composer inside{sets};
  sets.inputs = {sets.add(list()), sets.add(floats({2}))};
  sets.outputs = {inside.on_list("TensorListSetItem", {0, sets.add(integer(1)), 1}, list(), {})};
  subgraph keeps;
  keeps.inputs = {keeps.add(list()), keeps.add(floats({2}))}, keeps.outputs = {0};
  l.f.called = {sets, keeps};
  const int called = l.f.add(list());
  l.f.calls.push_back({call_code, {l.made, l.a}, {called}, {16, {{0, std::int32_t{1}}}}});
  CHECK(l.result(l.stack(called)) == std::vector<double>{0, 0, 1, 2, 0, 0});
  for (const bool is_true : {true, false}) {
    const int chosen = l.f.add(list()),
              condition = l.f.add({boolean, {}, "", bytes_of<std::int8_t>({is_true ? 1.0 : 0.0})});
    l.f.calls.push_back(
        {if_code, {condition, called, l.b}, {chosen}, {92, {{0, std::int32_t{1}}, {1, std::int32_t{2}}}}});
    CHECK(l.result(l.stack(chosen)) ==
          (is_true ? std::vector<double>{0, 0, 3, 4, 0, 0} : std::vector<double>{0, 0, 1, 2, 0, 0}));
  }
}

struct spoiled {
  const char* what;
  void (*spoil)(list_of_three& l);
  const char* message;
};
const spoiled files[] = {
    {"an index of data",
     [](list_of_three& l) {
       const int i = l.f.add(integers({}));
       l.f.inputs.push_back(i);
       l.g.on_list("TensorListSetItem", {l.made, i, l.a}, list());
     },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListSetItem\": input 1: got i32 [] that a run computes or is given, "
     "expected integers that are known before the "
     "network runs"},
    {"an index after the last one", [](list_of_three& l) { l.set(l.made, 3, l.a); },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListSetItem\": input 1: got element 3, expected one of 3"},
    {"a negative index", [](list_of_three& l) { l.get(l.made, -1); },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListGetItem\": input 1: got element -1, expected one of 3"},
    {"another type",
     [](list_of_three& l) {
       l.g.on_list("TensorListSetItem", {l.made, l.f.add(integer(0)), l.f.add(integers({2}, {1, 2}))}, list());
     },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListSetItem\": element type: got i32, expected that of the list, f32"},
    {"another shape",
     [](list_of_three& l) {
       l.g.on_list("TensorListSetItem", {l.made, l.f.add(integer(0)), l.f.add(constant({3}, {1, 2, 3}))}, list());
     },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListSetItem\": elements: got [3] in a list of elements [2]"},
    {"unset elements of unknown shape", [](list_of_three& l) { l.f.tensors[2] = integers({}, {-1}), l.stack(l.made); },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListStack\": element 0 of the list is read before it is set, and its "
     "shape is unknown: zeros of which nnrt does not "
     "know how many"},
    {"elements of several shapes",
     [](list_of_three& l) {
       l.f.tensors[2] = integers({}, {-1});
       const int wide =
           l.g.on_list("TensorListSetItem", {l.made, l.f.add(integer(0)), l.f.add(constant({3}, {1, 2, 3}))}, list());
       l.stack(l.set(wide, 1, l.a));
     },
     "subgraph 0: operator 3 CUSTOM \"FlexTensorListStack\": elements: got [2] in a list of elements [3]"},
    {"another number of elements",
     [](list_of_three& l) {
       l.g.on_list("TensorListStack", {l.made, l.shape}, floats({2, 2}), {{"num_elements", 3, 2}});
     },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListStack\": num_elements: got 2, expected 3, as many as the list has"},
    {"a list that is an output", [](list_of_three& l) { l.f.outputs = {l.made}; },
     "subgraph 0: output 0: tensor 4 \"list\" is a list of tensors, expected one that has elements"},
    {"a list that is an input", [](list_of_three& l) { l.f.inputs.push_back(l.f.add(list())); },
     "subgraph 0: input 2: tensor 5 \"list\" has tensors as elements (variant_tensors)"},
    {"arithmetic on a list", [](list_of_three& l) { l.g.sum(l.made, l.a, floats({2})); },
     "subgraph 0: operator 1 ADD: tensor 4 \"list\" is a list of tensors, expected one that has elements"},
    {"no list", [](list_of_three& l) { l.stack(l.a); },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListStack\": input 0: got a tensor with elements, expected a list of "
     "tensors"},
    {"a number without rows",
     [](list_of_three& l) {
       l.g.on_list("TensorListFromTensor", {l.f.add(constant({}, {1})), l.shape}, list());
     },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListFromTensor\": input 0: got f32 [], expected a tensor whose number "
     "of rows is known"},
    {"rows of another shape",
     [](list_of_three& l) {
       l.g.on_list("TensorListFromTensor", {l.f.add(constant({1, 3}, {1, 2, 3})), l.shape}, list());
     },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListFromTensor\": elements: got [3] in a list of elements [2]"},
    {"a long list", [](list_of_three& l) { l.f.tensors[3] = integer(8193); },
     "subgraph 0: operator 0 CUSTOM \"FlexTensorListReserve\": a list of 8193 elements, expected at most 8192"},
    {"a list of fewer than none", [](list_of_three& l) { l.f.tensors[3] = integer(-1); },
     "subgraph 0: operator 0 CUSTOM \"FlexTensorListReserve\": a list of -1 elements"},
    {"extents below -1", [](list_of_three& l) { l.f.tensors[2] = integers({1}, {-2}); },
     "subgraph 0: operator 0 CUSTOM \"FlexTensorListReserve\": input 0: got 1 extents, the first one -2, expected "
     "those of elements, at most 7"},
    {"zeros without number",
     [](list_of_three& l) {
       l.f.tensors[2] = integers({4}, {1 << 30, 1 << 30, 1 << 30, 2}), l.stack(l.made);
     },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListStack\": elements: got [1073741824, 1073741824, 1073741824, 2], "
     "which is more than memory can hold"},
    {"texts as elements",
     [](list_of_three& l) { l.f.calls[0].custom_options = flex_options("TensorListReserve", {element_dtype(7)}); },
     "subgraph 0: operator 0 CUSTOM \"FlexTensorListReserve\": element_dtype: a list of elements of TensorFlow's type "
     "7, which nnrt does not have"},
    {"no element type",
     [](list_of_three& l) {
       l.f.calls[0].custom_options = flex_options("TensorListReserve", std::vector<node_attribute>());
     },
     "subgraph 0: operator 0 CUSTOM \"FlexTensorListReserve\": a list whose options say no element type that nnrt has"},
    {"no options", [](list_of_three& l) { l.f.calls[0].custom_options.clear(); },
     "subgraph 0: operator 0 CUSTOM \"FlexTensorListReserve\": options: got the node \"\" of TensorFlow's graph, "
     "expected a TensorListReserve"},
    {"the options of another operator",
     [](list_of_three& l) { l.f.calls[0].custom_options = flex_options("TensorListStack", {element_dtype(1)}); },
     "subgraph 0: operator 0 CUSTOM \"FlexTensorListReserve\": options: got the node \"TensorListStack\" of "
     "TensorFlow's graph, expected a TensorListReserve"},
    {"another operator on lists",
     [](list_of_three& l) {
       l.g.on_list("TensorListConcatV2", {l.made, l.shape, l.shape}, floats({6}));
     },
     "subgraph 0: operator 1 CUSTOM \"FlexTensorListConcatV2\": nnrt has no such operator"},
    {"more lists than loops make",
     [](list_of_three& l) {
       int last = l.made;
       const int zero = l.f.add(integer(0));
       for (int i = 0; i < 8192; ++i)
         l.f.calls.push_back(call_on_list(true, "TensorListSetItem", {last, zero, l.a}, {l.f.add(list())}, {})),
             last = static_cast<int>(l.f.tensors.size()) - 1;
     },
     "subgraph 0: operator 8192 CUSTOM \"FlexTensorListSetItem\": lists of tensors: got more than 8192"},
};

TEST_CASE("tflite: what nnrt does not read of lists is said with operator and reason") {
  for (const spoiled& s : files) {
    CAPTURE(s.what);
    list_of_three l;
    l.f.outputs = {l.a};
    s.spoil(l);
    CHECK(load_file(l.f.bytes()).error == s.message);
  }
  file f = lstm(true, true);
  f.tensors[0].signature = {1, -1, I}, f.tensors[2].signature = {-1, 1, I};
  CHECK(load_file(f.bytes(), true).error ==
        "subgraph 0: operator 1 CUSTOM \"FlexTensorListFromTensor\": input 0: got f32 [-1, 1, 3] that a run computes "
        "or is given, expected a tensor whose number of rows is known");
}

TEST_CASE("tflite: a batch of unknown size runs through a layer's lists") {
  file f = lstm(true, true);
  f.tensors[0].signature = {-1, T, I};
  f.outputs.resize(1);
  const outcome got = run_resized(f.bytes(), {{1, T, I}}, {x});
  REQUIRE(got.error == "");
  check_near(got.outputs[0].numbers, joined(lstm_by_formula()));
}

TEST_CASE("tflite: options of lists that are cut or changed are refused in words, or mean the same") {
  list_of_three l;
  l.f.outputs = {l.stack(l.set(l.made, 1, l.a))};
  for (std::size_t call = 0; call < l.f.calls.size(); ++call)
    for (std::size_t i = 0; i < l.f.calls[call].custom_options.size(); i += 3) {
      file cut = l.f, changed = l.f;
      cut.calls[call].custom_options.resize(i);
      changed.calls[call].custom_options[i] ^= 0x10;
      CHECK(load_file(cut.bytes()).error.find("operator ") != std::string::npos);
      const std::string error = load_file(changed.bytes()).error;
      CHECK((error.empty() || error.find("operator ") != std::string::npos));
    }
}

}  // namespace
