// sequences: the states of recurrent operators of .tflite files last from run to run; what is not read is refused in
// words.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "rows.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

/// Rows whose operator goes through a sequence [N, T, I] in one direction.
std::vector<row> rows_of_streams() {
  std::vector<row> found;
  for (const row& r : rows_of_sequences())
    if ((r.builtin == 44 || r.builtin == 35) && std::string(r.what).find("time major") == std::string::npos)
      found.push_back(r);
  return found;
}
/// Step t of a sequence [N, T, I].
data step_of(const data& all, std::int32_t t) {
  data one = all;
  one.shape[1] = 1, one.numbers.clear();
  const std::int32_t steps = all.shape[1], width = all.shape[2];
  for (std::int32_t n = 0; n < all.shape[0]; ++n)
    for (std::int32_t i = 0; i < width; ++i)
      one.numbers.push_back(all.numbers[static_cast<std::size_t>((n * steps + t) * width + i)]);
  return one;
}

TEST_CASE("tflite: a sequence gives the same numbers step by step, and continues where the last run ended") {
  for (const row& r : rows_of_streams()) {
    CAPTURE(r.name);
    CAPTURE(r.what);
    std::vector<std::vector<double>> whole_input, unused;
    const file whole = file_of(r, whole_input);
    row one = r;
    one.inputs[0] = step_of(r.inputs[0], 0), one.outputs[0].shape[1] = 1;
    const file step = file_of(one, unused);
    const std::vector<outcome> twice = run_in_turn(whole.bytes(), {whole_input, whole_input});
    REQUIRE(twice.back().error == "");
    const std::int32_t steps = r.inputs[0].shape[1];
    std::vector<std::vector<std::vector<double>>> inputs;
    for (std::int32_t t = 0; t < 2 * steps; ++t) inputs.push_back({step_of(r.inputs[0], t % steps).numbers});
    const std::vector<outcome> single = run_in_turn(step.bytes(), inputs);
    REQUIRE(single.back().error == "");
    data y = r.outputs[0];
    for (std::int32_t t = 0; t < 2 * steps; ++t) {
      CAPTURE(t);
      y.numbers = twice[static_cast<std::size_t>(t / steps)].outputs[0].numbers;
      CHECK(single[static_cast<std::size_t>(t)].outputs[0].numbers == step_of(y, t % steps).numbers);
    }
    CHECK(twice[0].outputs[0].numbers != twice[1].outputs[0].numbers);
  }
}

TEST_CASE("tflite: SVDF remembers what its filters gave in the runs before") {
  // Two filters of one feature over three steps: y = 1 * oldest + 10 * middle + 100 * newest of x, and of 2 * x.
  const row r{"",
              27,
              "SVDF",
              {f({1, 1}, {1}), constant({2, 1}, {1, 2}), constant({2, 3}, {1, 10, 100, 1, 10, 100}), missing(),
               data{float32, {1, 6}, {}, false, {}, true}},
              {6, {number(0, 1)}},
              {f({1, 2}, {100, 200})}};
  std::vector<std::vector<double>> unused;
  const std::vector<outcome> runs = run_in_turn(file_of(r, unused).bytes(), {{{1}}, {{2}}, {{3}}, {{4}}});
  REQUIRE(runs.back().error == "");
  const double expected[] = {100, 210, 321, 432};
  for (std::size_t k = 0; k < 4; ++k)
    CHECK(runs[k].outputs[0].numbers == std::vector<double>{expected[k], 2 * expected[k]});
}

TEST_CASE("tflite: a variable that nobody changes is what stands for 0, for other operators, too") {
  row r{"", 0, "ADD", {q({1, 2}, {1, 2}, 0.5F, 3), q({1, 2}, {}, 0.5F, -4)}, {11, {}}, {q({1, 2}, {1, 2}, 0.5F, 3)}};
  r.inputs[1].is_variable = true;
  std::vector<std::vector<double>> inputs;
  const file made = file_of(r, inputs);
  for (const outcome& run : run_in_turn(made.bytes(), {inputs, inputs})) {
    REQUIRE(run.error == "");
    CHECK(run.outputs[0].numbers == std::vector<double>{1, 2});
  }
}

TEST_CASE("tflite: a variable that an operator makes is what it was made in the run before") {
  // sum = x + sum
  file f;
  const int x = f.add({float32, {1, 2}, "x"}), sum = f.add({float32, {1, 2}, "sum", {}, {}, {}, true});
  f.calls = {{0, {x, sum}, {sum}, {11, {}}}};
  f.inputs = {x}, f.outputs = {sum};
  const std::vector<outcome> runs = run_in_turn(f.bytes(), {{{1, 2}}, {{3, 4}}, {{5, 6}}});
  REQUIRE(runs.back().error == "");
  const std::vector<double> expected[] = {{1, 2}, {4, 6}, {9, 12}};
  for (std::size_t k = 0; k < 3; ++k) CHECK(runs[k].outputs[0].numbers == expected[k]);
}

TEST_CASE("tflite: plain layers become lstm, whose kernel is the fast one") {
  const std::vector<row> rows = rows_of_sequences();
  const auto nodes = [&](std::string_view what, int builtin) {
    for (const row& r : rows)
      if (r.builtin == builtin && r.what == what) {
        std::vector<std::vector<double>> inputs;
        return load_file(file_of(r, inputs).bytes()).nodes;
      }
    return std::vector<std::string>();
  };
  const auto has = [](const std::vector<std::string>& all, const char* name) {
    return std::ranges::count(all, name) == 1;
  };
  CHECK(has(nodes("", 44), "lstm"));
  CHECK(has(nodes("time major", 44), "lstm"));
  CHECK(has(nodes("kernel FULL, plain", 16), "lstm"));
  CHECK(has(nodes("kernel FULL", 16), "sequence_lstm"));
}

/// The first row of this operator whose operand 0 has this element type.
row first_row(int builtin, int type) {
  for (const row& r : rows_of_sequences())
    if (r.builtin == builtin && r.inputs[0].type == type) return r;
  return {};
}
tensor& input(file& f, std::size_t i) { return f.tensors[static_cast<std::size_t>(f.calls[0].inputs[i])]; }

TEST_CASE("tflite: recurrent operators that are not read are refused with what is missing") {
  const std::string variable = ", expected a variable, which keeps its elements between runs";
  struct row_of {
    int builtin, type;
    void (*spoil)(file& f);
    std::string message;
  };
  const row_of table[] = {
      {44, float32, [](file& f) { input(f, 18).is_variable = false, f.inputs.push_back(f.calls[0].inputs[18]); },
       "input 18: got a tensor that is no variable" + variable},
      {44, float32, [](file& f) { f.calls[0].inputs[19] = -1; }, "input 19: got none" + variable},
      {44, float32, [](file& f) { f.calls[0].with.fields[0] = byte(0, 5); }, "fused activation SIGN_BIT"},
      {44, float32, [](file& f) { f.calls[0].with.fields.push_back(flag(5)); },
       "recurrent weights that are diagonals (diagonal_recurrent_tensors)"},
      {44, int8, [](file& f) { f.calls[0].intermediates.clear(); }, "intermediates: got 0, expected 5"},
      {44, int8, [](file& f) { f.tensors.back().quantization = {}; }, "intermediate 4: got no scale, expected one"},
      {44, int8, [](file& f) { input(f, 19).quantization.scale = {0.0005F}; },
       "sequence_lstm \"out15\": scale of the cell state must be a power of 2 (got 0.0005, expected "
       "0.0009765625)"},
      {16, float32, [](file& f) { f.calls[0].with.fields.push_back(byte(3, 2)); },
       "kernel: got 2, expected 0 (FULL) or 1 (BASIC)"},
      {16, float32, [](file& f) { f.calls[0].with.fields.push_back(byte(3, 1)); },
       "kernel BASIC: got 20 inputs and 1 outputs, expected 5 and 4"},
      {52, float32, [](file& f) { input(f, 0).type = int8; },
       "input 0: got i8 [3, 2, 3] that a run computes or is given, expected f32: TensorFlow Lite has no layer of two "
       "directions on quantised values"},
      {52, float32, [](file& f) { f.calls[0].outputs.push_back(f.calls[0].outputs[0]); }, "outputs: got 2, expected 1"},
      {27, int8, [](file& f) { input(f, 4).type = int8; },
       "input 4: got quantised i8 [2, 12] that a run computes or is given, expected i16: TensorFlow Lite computes no "
       "such layer"},
  };
  for (const row_of& t : table) {
    const row r = first_row(t.builtin, t.type);
    CAPTURE(r.name);
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    t.spoil(made);
    CHECK(load_file(made.bytes()).error == std::string("subgraph 0: operator 0 ") + r.name + ": " + t.message);
  }
}

/// The row that is called so.
row row_called(const char* what) {
  for (const row& r : rows_of_sequences())
    if (r.what == std::string(what)) return r;
  return {};
}

TEST_CASE("tflite: quantised values in layers that take floats alone, and with auxiliary inputs, are refused") {
  struct row_of {
    const char* what;
    void (*spoil)(file& f);
    std::string message;
  };
  const row_of table[] = {
      {"kernel BASIC", [](file& f) { input(f, 0).type = int8; },
       "input 0: got i8 [2, 3] that a run computes or is given, expected f32 or u8 in a layer of kernel BASIC"},
      {"kernel BASIC", [](file& f) { input(f, 0).type = uint8; },
       "input 1: got f32 [2, 4] that a run computes or is given, expected u8 with an input of u8"},
      {"an auxiliary input with separate weights",
       [](file& f) {
         for (std::size_t i = 1; i < 5; ++i) {
           tensor& t = input(f, i);
           t.type = int8, t.data.resize(t.data.size() / 4), t.quantization = {{0.1F}, {0}};
         }
       },
       "an auxiliary input with weights of 8 bits"},
  };
  for (const row_of& t : table) {
    const row r = row_called(t.what);
    CAPTURE(r.what);
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    t.spoil(made);
    CHECK(load_file(made.bytes()).error == std::string("subgraph 0: operator 0 ") + r.name + ": " + t.message);
  }
}

row basic_lstm_of_bytes(bool has_variables) {
  row r = row_called("kernel BASIC on quantised values");
  r.inputs[1].is_variable = r.inputs[4].is_variable = has_variables;
  return r;
}

// The script that made the numbers has gemmlowp's fixed point on 16 bits and LstmCell from their definitions.
TEST_CASE("tflite: LSTM of kernel BASIC on quantised values has TensorFlow Lite's bytes, and states that last") {
  const row r = basic_lstm_of_bytes(false);
  std::vector<std::vector<double>> inputs;
  const outcome got = run_file(file_of(r, inputs).bytes(), inputs);
  REQUIRE(got.error == "");
  for (std::size_t i = 0; i < r.outputs.size(); ++i) CHECK(got.outputs[i].numbers == r.outputs[i].numbers);

  std::vector<std::vector<double>> unused;
  const std::vector<double> x = r.inputs[0].numbers;
  const auto runs = run_in_turn(file_of(basic_lstm_of_bytes(true), unused).bytes(), {{x}, {x}});
  REQUIRE(runs.back().error == "");
  CHECK(runs[0].outputs[0].numbers == std::vector<double>{128, 154, 129, 144});  // from states of zero bytes
  CHECK(runs[0].outputs[1].numbers == std::vector<double>{-12, 993, 86, 1111});
  CHECK(runs[1].outputs[0].numbers == std::vector<double>{132, 138, 136, 158});
  CHECK(runs[1].outputs[1].numbers == std::vector<double>{137, 219, 345, 1083});
}

TEST_CASE("tflite: LSTM of kernel BASIC on floats keeps its states in variables") {
  row r = row_called("kernel BASIC");
  std::vector<std::vector<double>> fed;
  const file given = file_of(r, fed);
  r.inputs[1].is_variable = r.inputs[4].is_variable = true;
  std::vector<std::vector<double>> inputs;
  const auto runs = run_in_turn(file_of(r, inputs).bytes(), {{fed[0]}, {fed[0]}});
  REQUIRE(runs.back().error == "");
  std::vector<double> h(8, 0), c(8, 0);
  for (const outcome& run : runs) {
    const outcome step = run_file(given.bytes(), {fed[0], h, c});
    REQUIRE(step.error == "");
    h = step.outputs[0].numbers, c = step.outputs[1].numbers;
    CHECK(run.outputs[0].numbers == h);
    CHECK(run.outputs[1].numbers == c);
  }
}

TEST_CASE("tflite: LSTM of kernel BASIC refuses quantised values that TensorFlow Lite computes otherwise") {
  struct row_of {
    void (*spoil)(row& r);
    std::string message;
  };
  const row_of table[] = {
      {[](row& r) { r.inputs[4].quantization.scale = {1.0F / 1024}, r.outputs[1].quantization.scale = {1.0F / 1024}; },
       "lstm_cell \"out5\": scale of the cell state must be 2 to the minus 11 (got 0.0009765625, expected "
       "0.00048828125)"},
      {[](row& r) { r.inputs[0].quantization.zero_point = {127}; },
       "lstm_cell \"out5\": zero point of the input must be 128 (got 127, expected 128)"},
      {[](row& r) { r.inputs[3].quantization = {}; },
       "lstm_cell \"out5\": accumulator scale must be positive and finite (got 0, expected 1.1754944e-38)"},
  };
  for (const row_of& t : table) {
    row r = basic_lstm_of_bytes(false);
    t.spoil(r);
    std::vector<std::vector<double>> inputs;
    CHECK(load_file(file_of(r, inputs).bytes()).error == "subgraph 0: operator 0 LSTM: " + t.message);
  }
}

TEST_CASE("tflite: operators may say which of their variables they change") {
  for (const row& r : rows_of_sequences()) {
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    std::vector<std::uint8_t> changed(r.inputs.size(), 0);
    for (std::size_t i = 0; i < r.inputs.size(); ++i) changed[i] = r.inputs[i].is_variable ? 1 : 0;
    made.further = {{"Operator", 7, changed}};
    CHECK(load_file(made.bytes()).error == "");
    changed[0] = 1;
    made.further = {{"Operator", 7, changed}};
    CHECK(load_file(made.bytes()).error ==
          std::string("subgraph 0: operator 0 ") + r.name + ": changes input 0, a variable (mutating_variable_inputs)");
  }
}

}  // namespace
