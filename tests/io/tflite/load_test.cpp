// load: what is wrong with a file is said with its place, what was got and what was expected; what is right becomes a
// model.
#include <nnrt/io/tflite/operators.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

constexpr int add = 0, conv_2d = 3, dequantize = 6, fully_connected = 9, reshape = 22, relu = 19;

tensor floats(std::vector<std::int32_t> shape, std::string name) { return {float32, shape, name}; }
tensor constant(std::vector<std::int32_t> shape, std::string name, std::vector<double> numbers) {
  return {float32, shape, name, bytes_of<float>(numbers)};
}
/// The numbers 0, 1, 2, … in a constant of this many bytes each.
std::vector<double> counted(int count) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

/// y = relu(x + w), of two operators.
file good() {
  file f;
  f.add(floats({1, 2}, "x"));
  f.add(constant({2}, "w", {1, -5}));
  f.add(floats({1, 2}, "sum"));
  f.add(floats({1, 2}, "y"));
  f.calls = {{add, {0, 1}, {2}, {11, {}}}, {relu, {2}, {3}}};
  f.inputs = {0};
  f.outputs = {3};
  return f;
}

TEST_CASE("tflite: a model has the file's names, shapes and operators") {
  const outcome got = run_file(good().bytes(), {{1, 2}});
  REQUIRE(got.error == "");
  CHECK(got.nodes == std::vector<std::string>{"add", "relu"});
  REQUIRE(got.inputs.size() == 1);
  CHECK(got.inputs[0].name == "x");
  CHECK(got.inputs[0].shape == std::vector<std::int64_t>{1, 2});
  REQUIRE(got.outputs.size() == 1);
  CHECK(got.outputs[0].name == "y");
  CHECK(got.outputs[0].numbers == std::vector<double>{2, 0});
}

struct spoiled {
  const char* what;
  void (*spoil)(file& f);
  const char* message;
};

const spoiled files[] = {
    {"identifier", [](file& f) { f.identifier = "TFL2"; },
     "file identifier: got \"TFL2\", expected \"TFL3\" or \"CIR0\""},
    {"version", [](file& f) { f.version = 2; }, "schema version: got 2, expected 3"},
    {"no subgraph", [](file& f) { f.subgraphs = 0; }, "subgraphs: got none, expected at least 1"},
    {"no operator of the list", [](file& f) { f.calls[1].opcode_index = 7; },
     "subgraph 0: operator 1: opcode_index: got 7, expected one of 2"},
    {"an operator that we lack", [](file& f) { f.calls[1].builtin = 15; },
     "subgraph 0: operator 1 LSH_PROJECTION: nnrt has no such operator"},
    {"StableHLO", [](file& f) { f.calls[1].builtin = 170; },
     "subgraph 0: operator 1 builtin operator 170: nnrt has no such operator"},
    {"a negative number", [](file& f) { f.calls[1].builtin = -3; },
     "subgraph 0: operator 1 builtin operator -3: nnrt has no such operator"},
    {"operators that we lack, each once",
     [](file& f) {
       f.calls[1].builtin = 33;
       for (const int builtin : {15, 33, 15, 32}) f.calls.push_back({builtin, {3}, {3}});
       f.calls.back().custom = "FlexErf";
     },
     "subgraph 0: operator 1 EMBEDDING_LOOKUP_SPARSE: nnrt has no such operator, nor LSH_PROJECTION, CUSTOM "
     "\"FlexErf\""},
    {"more operators that we lack than anybody reads",
     [](file& f) {
       for (int i = 0; i < 11; ++i) f.calls.push_back({32, {3}, {3}, {}, std::string(1, static_cast<char>('a' + i))});
     },
     "subgraph 0: operator 2 CUSTOM \"a\": nnrt has no such operator, nor CUSTOM \"b\", CUSTOM \"c\", CUSTOM \"d\", "
     "CUSTOM \"e\", CUSTOM \"f\", "
     "CUSTOM \"g\", CUSTOM \"h\" and 3 more"},
    {"operators that we lack, before what is wrong with others",
     [](file& f) { f.calls[0].inputs = {0}, f.calls[1].builtin = 15; },
     "subgraph 0: operator 1 LSH_PROJECTION: nnrt has no such operator"},
    {"a long name", [](file& f) { f.calls[1].builtin = 32, f.calls[1].custom = std::string(81, 'n'); },
     "subgraph 0: operator 1 CUSTOM "
     "\"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\"...: nnrt has no such "
     "operator"},
    {"custom", [](file& f) { f.calls[1].builtin = 32, f.calls[1].custom = "FlexErf"; },
     "subgraph 0: operator 1 CUSTOM \"FlexErf\": nnrt has no such operator"},
    {"too few inputs", [](file& f) { f.calls[0].inputs = {0}; },
     "subgraph 0: operator 0 ADD: inputs: got 1, expected 2"},
    {"too many inputs",
     [](file& f) {
       f.calls[1].inputs = {2, 2};
     },
     "subgraph 0: operator 1 RELU: inputs: got 2, expected 1"},
    {"no output", [](file& f) { f.calls[1].outputs = {}; }, "subgraph 0: operator 1 RELU: outputs: got 0, expected 1"},
    {"a missing operand",
     [](file& f) {
       f.calls[0].inputs = {0, -1};
     },
     "subgraph 0: operator 0 ADD: input 1: got none, expected a tensor"},
    {"input index", [](file& f) { f.calls[0].inputs[1] = 9; },
     "subgraph 0: operator 0 ADD: tensor 9 does not exist: the file has 4"},
    {"output index", [](file& f) { f.calls[0].outputs[0] = -2; },
     "subgraph 0: operator 0 ADD: tensor -2 does not exist: the file has 4"},
    {"output index of two nodes",
     [](file& f) {
       f.calls[1] = {25, {2}, {9}, {9, {{0, 2.0F}}}};
     },
     "subgraph 0: operator 1 SOFTMAX: tensor 9 does not exist: the file has 4"},
    {"graph's input index", [](file& f) { f.inputs[0] = 4; },
     "subgraph 0: input 0: tensor 4 does not exist: the file has 4"},
    {"graph's output index", [](file& f) { f.outputs[0] = -1; },
     "subgraph 0: output 0: tensor -1 does not exist: the file has 4"},
    {"input twice",
     [](file& f) {
       f.inputs = {0, 0};
     },
     "subgraph 0: input 1: tensor 0 \"x\" is an input of the network twice"},
    {"no output of the graph", [](file& f) { f.outputs = {}; }, "graph: has no output"},
    {"more inputs than a network has", [](file& f) { f.inputs.assign(4097, 0); },
     "subgraph 0: inputs: got 4097, expected at most 4096"},
    {"more outputs than a network has", [](file& f) { f.outputs.assign(4097, 3); },
     "subgraph 0: outputs: got 4097, expected at most 4096"},
    {"constant input",
     [](file& f) {
       f.inputs = {0, 1};
     },
     "subgraph 0: input 1: tensor 1 \"w\" is an input of the network and a constant"},
    {"read before it is made", [](file& f) { std::swap(f.calls[0], f.calls[1]); },
     "subgraph 0: operator 0 RELU: tensor 2 \"sum\" is read, but neither an input nor a constant, nor made by an "
     "operator before"},
    {"a cycle", [](file& f) { f.calls[0].inputs[1] = 3; },
     "subgraph 0: operator 0 ADD: tensor 3 \"y\" is read, but neither an input nor a constant, nor made by an operator "
     "before"},
    {"made twice", [](file& f) { f.calls[1].outputs[0] = 2; },
     "subgraph 0: operator 1 RELU: tensor 2 \"sum\" is made by this operator, but is an input of the network, or made "
     "by another one before"},
    {"input that is made", [](file& f) { f.calls[1].outputs[0] = 0; },
     "subgraph 0: operator 1 RELU: tensor 0 \"x\" is made by this operator, but is an input of the network, or made by "
     "another one before"},
    {"constant that is made",
     [](file& f) {
       f.calls[1].outputs[0] = 1, f.tensors[1].shape = {1, 2};
     },
     "subgraph 0: operator 1 RELU: tensor 1 \"w\" is made by this operator, but is a constant of the file"},
    {"output that nobody makes", [](file& f) { f.calls.pop_back(); },
     "subgraph 0: output 0: tensor 3 \"y\" is read, but neither an input nor a constant, nor made by an operator "
     "before"},
    {"variable", [](file& f) { f.tensors[1].is_variable = true; },
     "subgraph 0: operator 0 ADD: tensor 1 \"w\" is a variable and a constant"},
    {"input that is a variable", [](file& f) { f.tensors[0].is_variable = true; },
     "subgraph 0: input 0: tensor 0 \"x\" is an input of the network and a variable"},
    {"sparse", [](file& f) { f.tensors[0].is_sparse = true; },
     "subgraph 0: input 0: tensor 0 \"x\" is sparse, but no constant of the file"},
    {"another file", [](file& f) { f.tensors[1].external_buffer = 1; },
     "subgraph 0: operator 0 ADD: tensor 1 \"w\" has its elements in another file"},
    {"type that we lack", [](file& f) { f.tensors[0].type = string; },
     "subgraph 0: input 0: tensor 0 \"x\" has elements of STRING, which nnrt does not have"},
    {"type that nobody has", [](file& f) { f.tensors[0].type = 99; },
     "subgraph 0: input 0: tensor 0 \"x\" has elements of type 99, which nnrt does not have"},
    {"rank", [](file& f) { f.tensors[0].shape = {1, 1, 1, 1, 1, 1, 1, 1, 2}; },
     "subgraph 0: input 0: tensor 0 \"x\" rank: got 9, expected at most 8"},
    {"negative extent",
     [](file& f) {
       f.tensors[0].shape = {1, -2};
     },
     "subgraph 0: input 0: tensor 0 \"x\" extent 1: got -2, expected at least 0"},
    {"too large",
     [](file& f) {
       f.tensors[0].shape = {2000000000, 2000000000};
     },
     "subgraph 0: input 0: tensor 0 \"x\" got [2000000000, 2000000000], which is more than memory can hold"},
    {"buffer index", [](file& f) { f.tensors[1].buffer = 9; },
     "subgraph 0: operator 0 ADD: tensor 1 \"w\" buffer: got 9, expected one of 4"},
    {"buffer size", [](file& f) { f.tensors[1].data.pop_back(); },
     "subgraph 0: operator 0 ADD: tensor 1 \"w\" buffer 2: got 7 bytes, expected 8 for f32 [2]"},
    {"bytes after the file", [](file& f) { f.tensors[1].is_behind = true, f.buffer_offset = 4096; },
     "subgraph 0: operator 0 ADD: tensor 1 \"w\" buffer 2: its bytes lie outside of the file"},
    {"more bytes than the file has",
     [](file& f) { f.tensors[1].is_behind = true, f.buffer_offset = 2, f.buffer_size = ~std::uint64_t{0}; },
     "subgraph 0: operator 0 ADD: tensor 1 \"w\" buffer 2: its bytes lie outside of the file"},
    {"numbers of 4 bits that are computed", [](file& f) { f.tensors[0].type = int4; },
     "subgraph 0: input 0: tensor 0 \"x\" has elements of INT4, which nnrt reads in constants alone"},
    {"numbers of 4 bits, too many",
     [](file& f) {
       f.tensors[1] = {int4, {2}, "w", bytes_of<std::int8_t>({1, 7})};
     },
     "subgraph 0: operator 0 ADD: tensor 1 \"w\" buffer 2: got 2 bytes, expected 1 for i8 [2]"},
    {"boolean",
     [](file& f) {
       f.tensors[1] = {boolean, {2}, "w", bytes_of<std::int8_t>({1, 7})};
     },
     "subgraph 0: operator 0 ADD: tensor 1 \"w\" buffer 2: element 1: got 7, expected 0 or 1 for a boolean"},
    {"declared type", [](file& f) { f.tensors[3].type = int32; },
     "subgraph 0: operator 1 RELU: relu \"y\": declared output type must match (got f32, expected i32)"},
    {"declared shape",
     [](file& f) {
       f.tensors[3].shape = {1, 3};
     },
     "subgraph 0: operator 1 RELU: relu \"y\": declared output extent must match (got 2, expected 3)"},
    {"declared type of what lies between operators", [](file& f) { f.tensors[2].type = int32; },
     "subgraph 0: operator 0 ADD: add \"sum\": declared output type must match (got f32, expected i32)"},
    {"a rule",
     [](file& f) {
       f.tensors[0].shape = f.tensors[2].shape = f.tensors[3].shape = {1, 3};
     },
     "subgraph 0: operator 0 ADD: add \"sum\": extents must be equal or 1 (got 2, expected 3)"},
    {"a shape that is given to each run",
     [](file& f) {
       f.add({int32, {2}, "shape"});
       f.calls = {{reshape, {0, 4}, {3}}};
       f.inputs = {0, 4};
     },
     "subgraph 0: operator 0 RESHAPE: reshape \"y\": operand \"shape\" must be a constant: got what a run computes or "
     "is given, expected numbers that are known before"},
    {"16-bit numbers that TFLite would shift",
     [](file& f) {
       for (tensor& t : f.tensors) t.type = int16, t.quantization = {{0.25F}, {0}}, t.data.clear();
       f.inputs = {0, 1};
     },
     "subgraph 0: operator 0 ADD: 16-bit numbers whose scales are powers of two (pot_scale_int16)"},
    {"16-bit numbers that are moved, of another zero point",
     [](file& f) {
       f.tensors[0] = {int16, {1, 2}, "x", {}, {{0.5F}, {0}}};
       f.tensors[3] = {int16, {1, 2}, "y", {}, {{0.5F}, {1}}};
       f.calls = {{reshape, {0}, {3}}};
     },
     "subgraph 0: operator 0 RESHAPE: reshape \"y\": declared output quantisation must match (got 0, expected 1)"},
    {"bytes that are moved, of zero points that no byte has",
     [](file& f) {
       f.tensors[0] = {int8, {1, 2}, "x", {}, {{0.5F}, {std::numeric_limits<std::int32_t>::min()}}};
       f.tensors[3] = {int8, {1, 2}, "y", {}, {{0.5F}, {std::numeric_limits<std::int32_t>::max()}}};
       f.calls = {{reshape, {0}, {3}}};
     },
     "subgraph 0: operator 0 RESHAPE: reshape \"y\": zero point must be a number of the type (got -2147483648, "
     "expected -128)"},
    {"16-bit numbers that are compared, of several zero points",
     [](file& f) {
       f.tensors[0] = {int16, {1, 2}, "x", {}, {{0.5F}, {0}}};
       f.tensors[1] = {int16, {2}, "w", bytes_of<std::int16_t>({1, 2}), {{0.25F}, {1}}};
       f.tensors[2] = {int16, {1, 2}, "sum", {}, {{0.5F}, {0}}};
       f.calls = {{55, {0, 1}, {2}}};
       f.outputs = {2};
     },
     "subgraph 0: operator 0 MAXIMUM: input 1: got zero point 1, expected that of the output, 0"},
    {"exponentials of 16-bit numbers, which TFLite interpolates",
     [](file& f) {
       f.tensors[0] = {int16, {1, 2}, "x", {}, {{0.5F}, {0}}};
       f.tensors[3] = {int16, {1, 2}, "y", {}, {{0.5F}, {0}}};
       f.calls = {{47, {0}, {3}}};
     },
     "subgraph 0: operator 0 EXP: input 0: got quantised i16 [1, 2] that a run computes or is given, expected f32"},
    {"the least of quantised values, of another scale",
     [](file& f) {
       f.tensors[0] = {int8, {1, 2}, "x", {}, {{0.5F}, {0}}};
       f.tensors[1] = {int32, {1}, "axis", bytes_of<std::int32_t>({1})};
       f.tensors[2] = {int8, {1}, "least", {}, {{0.25F}, {0}}};
       f.calls = {{89, {0, 1}, {2}}};
       f.outputs = {2};
     },
     "subgraph 0: operator 0 REDUCE_MIN: reduce_min \"least\": declared output quantisation must match (got 0.5, "
     "expected 0.25)"},
    {"a range from the least number on",
     [](file& f) {
       const auto number = [](double n) { return tensor{int64, {}, "n", bytes_of<std::int64_t>({n})}; };
       for (const double n : {-0x1p63, 5.0, 1.0}) f.add(number(n));
       f.calls = {{96, {4, 5, 6}, {3}}};
       f.tensors[3] = {int64, {0}, "y"};
     },
     "subgraph 0: operator 0 RANGE: range: got -9223372036854775808 to 5 in steps of 1"},
    {"a range of floats that go nowhere",
     [](file& f) {
       const auto number = [](double n) { return tensor{float32, {}, "n", bytes_of<float>({n})}; };
       for (const double n : {2.0, 1.0, 0.0}) f.add(number(n));
       f.calls = {{96, {4, 5, 6}, {3}}};
       f.tensors[3] = floats({0}, "y");
     },
     "subgraph 0: operator 0 RANGE: range: got ends and a step that give no count of numbers, expected one below "
     "16777216"},
    {"a slice up to an end that nobody knows",
     [](file& f) {
       f.add({int32, {2}, "begin"});
       f.add({int32, {2}, "size", bytes_of<std::int32_t>({1, -2})});
       f.calls = {{65, {0, 4, 5}, {3}}};
       f.inputs = {0, 4};
     },
     "subgraph 0: operator 0 SLICE: size -2 with a begin that only a run knows, expected at least 0, or -1 and a "
     "declared extent"},
    {"a constant that no DEQUANTIZE makes floats of",
     [](file& f) {
       f.tensors[1] = {int8, {1, 2}, "w", bytes_of<std::int8_t>({1, 2})};
       f.calls = {{dequantize, {1}, {3}}};
     },
     "subgraph 0: operator 0 DEQUANTIZE: input 0: got i8 [1, 2], expected i8, u8 or i16 with a scale, or f16"},
    {"a constant of integers through DEQUANTIZE",
     [](file& f) {
       f.tensors[1] = {int32, {1, 2}, "w", bytes_of<std::int32_t>({1, 2}), {{0.5F}, {0}}};
       f.calls = {{dequantize, {1}, {3}}};
     },
     "subgraph 0: operator 0 DEQUANTIZE: input 0: got i32 [1, 2], expected i8, u8 or i16 with a scale, or f16"},
    {"QUANTIZE to an integer that has no scale here",
     [](file& f) {
       f.tensors[0] = {int16, {1, 2}, "x", {}, {{0.01F}, {0}}};
       f.tensors[3] = {int64, {1, 2}, "y", {}, {{0.0001F}, {0}}};
       f.calls = {{114, {0}, {3}}};
     },
     "subgraph 0: operator 0 QUANTIZE: output 0: i64 with a scale, which integers of 8, 16 and 32 bits that a run "
     "computes have here"},
    {"QUANTIZE from a constant that has no scale here",
     [](file& f) {
       f.tensors[1] = {int32, {1, 2}, "w", bytes_of<std::int32_t>({1, 2}), {{0.0001F}, {0}}};
       f.tensors[3] = {int8, {1, 2}, "y", {}, {{0.01F}, {0}}};
       f.calls = {{114, {1}, {3}}};
     },
     "subgraph 0: operator 0 QUANTIZE: input 0: i32 with a scale, which integers of 8, 16 and 32 bits that a run "
     "computes have here"},
    {"RESHAPE to a shape that is no list, without the option",
     [](file& f) {
       f.add({int32, {1, 2}, "shape", bytes_of<std::int32_t>({1, 2})});
       f.calls = {{reshape, {0, 4}, {3}}};
     },
     "subgraph 0: operator 0 RESHAPE: input 1: got a shape of rank 2, expected a list, or the option new_shape"},
    {"ELU to bytes without a scale",
     [](file& f) {
       f.tensors[0] = {int8, {1, 2}, "x", {}, {{0.5F}, {0}}};
       f.tensors[3] = {int8, {1, 2}, "y"};
       f.calls = {{111, {0}, {3}}};
     },
     "subgraph 0: operator 0 ELU: output 0: got i8 [1, 2] without a scale, expected one"},
    {"ELU of 16 bits",
     [](file& f) {
       f.tensors[0] = {int16, {1, 2}, "x", {}, {{0.5F}, {0}}}, f.tensors[3] = {int16, {1, 2}, "y", {}, {{0.5F}, {0}}};
       f.calls = {{111, {0}, {3}}};
     },
     "subgraph 0: operator 0 ELU: input 0: got quantised i16 [1, 2] that a run computes or is given, expected f32"},
    {"the declared rank of a constant through DEQUANTIZE",
     [](file& f) {
       f.tensors[1] = {int8, {2}, "w", bytes_of<std::int8_t>({1, 2}), {{0.5F}, {0}}};
       f.calls = {{dequantize, {1}, {3}}};
     },
     "subgraph 0: operator 0 DEQUANTIZE: declared output rank must match (got 1, expected 2)"},
    {"operators of plain numbers, given stored ones",
     [](file& f) {
       f.tensors[0] = {int8, {1, 2}, "x", {}, {{0.5F}, {0}}}, f.tensors[3] = {int8, {1, 2}, "y", {}, {{0.5F}, {0}}};
       f.calls = {{59, {0}, {3}}};
     },
     "subgraph 0: operator 0 NEG: input 0: got quantised i8 [1, 2] that a run computes or is given, expected numbers "
     "without a scale"},
    {"an operator of floats, given integers",
     [](file& f) {
       f.tensors[0] = {int32, {1, 2}, "x"}, f.tensors[3] = {int32, {1, 2}, "y"};
       f.calls = {{108, {0}, {3}}};
     },
     "subgraph 0: operator 0 COS: input 0: got i32 [1, 2] that a run computes or is given, expected f32"},
    {"quotients that are rounded down, of an element type that TFLite does not divide",
     [](file& f) {
       f.tensors[0] = {int64, {1, 2}, "x"}, f.tensors[3] = {int64, {1, 2}, "y"};
       f.calls = {{90, {0, 0}, {3}}};
     },
     "subgraph 0: operator 0 FLOOR_DIV: input 0: got i64 [1, 2] that a run computes or is given, expected f32 or i32"},
    {"a number that only a run knows, in the place of one that must be known",
     [](file& f) {
       f.add({int32, {2, 2}, "paddings"});
       f.inputs = {0, 4};
       f.calls = {{37, {0, 4, 4}, {3}}};
     },
     "subgraph 0: operator 0 BATCH_TO_SPACE_ND: input 1: got i32 [2, 2] that a run computes or is given, expected "
     "integers that are known before the network runs"},
    {"a cast of quantised values of several scales",
     [](file& f) {
       f.tensors[1] = {int8, {1, 2}, "w", bytes_of<std::int8_t>({1, 2}), {{0.5F, 1}, {0, 0}, 1}};
       f.calls = {{53, {1}, {3}}};
     },
     "subgraph 0: operator 0 CAST: input 0: quantised values of several scales, expected one scale or none"},
    {"ends that count from the begin, with a new axis",
     [](file& f) {
       f.add({int32, {1}, "one", bytes_of<std::int32_t>({1})});
       f.calls = {{45, {0, 4, 4, 4}, {3}, {32, {{3, std::int32_t{1}}, {5, true}}}}};
     },
     "subgraph 0: operator 0 STRIDED_SLICE: offset with ellipsis_mask 0 and new_axis_mask 1, expected 0 for both"},
    {"a sign of what TFLite has none for",
     [](file& f) {
       f.tensors[0] = {int64, {1, 2}, "x"}, f.tensors[3] = {int64, {1, 2}, "y"};
       f.calls = {{158, {0}, {3}}};
     },
     "subgraph 0: operator 0 SIGN: input 0: got i64 [1, 2] that a run computes or is given, expected f32, f64 or i32"},
    {"sums along no axis",
     [](file& f) {
       f.add({int32, {}, "axis", bytes_of<std::int32_t>({2})});
       f.calls = {{128, {0, 4}, {3}}};
     },
     "subgraph 0: operator 0 CUMSUM: axis: got 2, expected one of 2"},
    {"sequences along the axis of their batch",
     [](file& f) {
       f.add({int32, {2}, "lengths", bytes_of<std::int32_t>({1, 1})});
       f.calls = {{112, {0, 4}, {3}, {87, {{0, std::int32_t{1}}, {1, std::int32_t{1}}}}}};
     },
     "subgraph 0: operator 0 REVERSE_SEQUENCE: options: got sequences along axis 1 of a batch along axis 1, expected "
     "two of 2 axes, and a list of lengths"},
    {"an update that is too large",
     [](file& f) {
       f.add({float32, {2, 1}, "update"}), f.add({int32, {2}, "begin", bytes_of<std::int32_t>({0, 0})});
       f.inputs = {0, 4};
       f.calls = {{151, {0, 4, 5}, {3}}};
     },
     "subgraph 0: operator 0 DYNAMIC_UPDATE_SLICE: update: got [2, 1] for [1, 2], expected one that fits in, and as "
     "many begins"},
    {"more bits than a quantised value has",
     [](file& f) {
       f.calls = {{80, {0}, {3}, {58, {{0, 0.0F}, {1, 1.0F}, {2, std::int32_t{17}}}}}};
     },
     "subgraph 0: operator 0 FAKE_QUANT: options: got 17 bits for 0 to 1, expected 2 to 16 for a range"},
    {"fused sign bit",
     [](file& f) {
       f.calls[0].with.fields = {{0, std::int8_t{5}}};
     },
     "subgraph 0: operator 0 ADD: fused activation SIGN_BIT"},
    {"fused tanh of integers",
     [](file& f) {
       f.calls[0].with.fields = {{0, std::int8_t{4}}};
       f.calls.pop_back();
       f.tensors[0].type = f.tensors[1].type = f.tensors[2].type = int32, f.outputs = {2};
     },
     "subgraph 0: operator 0 ADD: fused activation TANH of i32"},
    {"declared type of what is put together",
     [](file& f) {
       f.calls[1] = {59, {2}, {3}}, f.tensors[3].type = int32;
     },
     "subgraph 0: operator 1 NEG: neg \"y\": declared output type must match (got f32, expected i32)"},
    {"fused by a number that means nothing",
     [](file& f) {
       f.calls[0].with.fields = {{0, std::int8_t{-9}}};
     },
     "subgraph 0: operator 0 ADD: fused activation number -9"},
};

TEST_CASE("tflite: what is wrong with a file is said with place, got and expected") {
  REQUIRE(run_file(good().bytes(), {{1, 2}}).error == "");
  for (const spoiled& s : files) {
    CAPTURE(s.what);
    file f = good();
    s.spoil(f);
    CHECK(run_file(f.bytes(), {{1, 2}}).error == s.message);
  }
}

/// An int8 tensor, quantised as the row says, that DEQUANTIZE reads.
struct quantised_row {
  const char* what;
  std::vector<std::int32_t> shape;
  quantized with;
  const char* message;  // what follows tensor 0 "q"; empty: the file is fine
};
const quantised_row quantised_rows[] = {
    {"one scale", {2, 2}, {{0.5F}, {1}}, ""},
    {"no zero point", {2, 2}, {{0.5F}, {}}, ""},
    {"an axis that means nothing with one scale", {2, 2}, {{0.5F}, {1}, 7}, ""},
    {"scales of rows", {2, 2}, {{0.5F, 2}, {0, 0}, 0}, ""},
    {"scales of columns, one of them 0", {2, 2}, {{0.5F, 0}, {0, 0}, 1}, ""},
    {"a vector's axis, which nobody needs", {2}, {{0.5F, 2}, {0, 0}, 3}, ""},
    {"scale 0", {2, 2}, {{0}, {1}}, "scale: got 0, expected a positive number"},
    {"scale -1", {2, 2}, {{-1}, {1}}, "scale: got -1, expected a positive number"},
    {"scale 0 of one row", {1, 2}, {{0}, {0}, 0}, ""},
    {"scale 0 of one column, without a zero point", {2, 1}, {{0}, {}, 1}, ""},
    {"scale 0 of two rows", {2, 1}, {{0}, {0}, 0}, "scale: got 0, expected a positive number"},
    {"infinite scale",
     {2, 2},
     {{std::numeric_limits<float>::infinity()}, {1}},
     "scale: got inf, expected a positive number"},
    {"zero point",
     {2, 2},
     {{1}, {std::int64_t{1} << 40}},
     "zero point: got 1099511627776, expected a number of 32 bits"},
    {"numbers of scales and zero points", {2, 2}, {{1, 1}, {0}}, "got 1 zero points with 2 scales"},
    {"axis", {2, 2}, {{1, 1}, {0, 0}, 2}, "quantized_dimension: got 2, expected an axis of [2, 2]"},
    {"negative axis", {2, 2}, {{1, 1}, {0, 0}, -1}, "quantized_dimension: got -1, expected an axis of [2, 2]"},
    {"number of scales", {2, 2}, {{1, 1, 1}, {0, 0, 0}, 1}, "got 3 scales, expected 2, the extent of axis 1"},
    {"several scales of one number", {}, {{1, 1}, {0, 0}, 0}, "quantized_dimension: got 0, expected an axis of []"},
    {"negative scale among several",
     {2, 2},
     {{1, -1}, {0, 0}, 1},
     "scale 1: got -1, expected a finite number of at least 0"},
    {"zero point among several", {2, 2}, {{1, 1}, {0, 5}, 1}, "zero point 1: got 5, expected 0 with several scales"},
    {"custom", {2, 2}, {{1}, {0}, 0, true}, "quantization details: got kind 1, expected none"},
};

TEST_CASE("tflite: scales and zero points must fit each other and the shape") {
  for (const quantised_row& r : quantised_rows) {
    CAPTURE(r.what);
    int elements = 1;
    for (const std::int32_t extent : r.shape) elements *= extent;
    file f;
    f.add({int8, r.shape, "q", bytes_of<std::int8_t>(counted(elements)), r.with});
    f.add(floats(r.shape, "y"));
    f.calls = {{dequantize, {0}, {1}}};
    f.outputs = {1};
    const std::string expected =
        *r.message == '\0' ? "" : std::string("subgraph 0: operator 0 DEQUANTIZE: tensor 0 \"q\" ") + r.message;
    CHECK(load_file(f.bytes()).error == expected);
  }
}

/// One constant through DEQUANTIZE.
std::vector<double> dequantised(tensor stored) {
  file f;
  const std::vector<std::int32_t> shape = stored.shape;
  f.add(std::move(stored));
  f.add(floats(shape, "y"));
  f.calls = {{dequantize, {0}, {1}}};
  f.outputs = {1};
  const outcome got = run_file(f.bytes(), {});
  CHECK(got.error == "");
  CHECK(got.nodes.empty());
  return got.outputs.empty() ? std::vector<double>() : got.outputs[0].numbers;
}

TEST_CASE("tflite: constants of fewer bits become floats when the file is loaded") {
  CHECK(dequantised({int8, {2}, "q", bytes_of<std::int8_t>({-3, 5}), {{0.5F}, {1}}}) == std::vector<double>{-2, 2});
  CHECK(dequantised({uint8, {2}, "q", bytes_of<std::uint8_t>({0, 255}), {{1}, {128}}}) ==
        std::vector<double>{-128, 127});
  CHECK(dequantised({int16, {2}, "q", bytes_of<std::int16_t>({-300, 5}), {{2}, {0}}}) == std::vector<double>{-600, 10});
  CHECK(dequantised({int8, {2, 2}, "q", bytes_of<std::int8_t>({1, 1, 1, 1}), {{2, 3}, {0, 0}, 0}}) ==
        std::vector<double>{2, 2, 3, 3});
  CHECK(dequantised({int8, {2, 2}, "q", bytes_of<std::int8_t>({1, 1, 1, 1}), {{2, 3}, {0, 0}, 1}}) ==
        std::vector<double>{2, 3, 2, 3});
  CHECK(dequantised({float16, {2}, "h", bytes_of<std::uint16_t>({0x3c00, 0xb800})}) == std::vector<double>{1, -0.5});
}

TEST_CASE("tflite: large constants become weights with other names, and run like small ones") {
  file f;
  f.add(floats({1, 300}, "x"));
  for (const char* name : {"same", "same", ""}) f.add(constant({1, 300}, name, counted(300)));
  for (const char* name : {"a", "b", "y"}) f.add(floats({1, 300}, name));
  f.calls = {{add, {0, 1}, {4}}, {add, {4, 2}, {5}}, {add, {5, 3}, {6}}};
  f.inputs = {0};
  f.outputs = {6};
  const outcome got = run_file(f.bytes(), {std::vector<double>(300, 0.5)});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers[299] == 3 * 299 + 0.5);
}

TEST_CASE("tflite: sums along an axis of unknown extent are refused, and paddings that follow from one are not") {
  file f = good();
  f.tensors[0].signature = f.tensors[3].signature = {-1, 2};
  const int zero = f.add({int32, {}, "zero", bytes_of<std::int32_t>({0})});
  f.calls = {{128, {0, zero}, {3}}};
  CHECK(load_file(f.bytes(), true).error ==
        "subgraph 0: operator 0 CUMSUM: an extent that is unknown along axis 0, expected one that is known");
  // As many rows more as x has.
  const auto list = [&](std::vector<double> numbers) {
    return f.add({int32, {static_cast<std::int32_t>(numbers.size())}, "list", bytes_of<std::int32_t>(numbers)});
  };
  const int shape = f.add({int32, {2}, "shape"}), none = list({0}), one = list({1}), rows = f.add({int32, {}, "rows"}),
            first = f.add({int32, {2}, "first"}), second = list({0, 0}), paddings = f.add({int32, {2, 2}, "paddings"});
  f.calls = {{77, {0}, {shape}, {55, {{0, std::int8_t{int32}}}}},
             {45, {shape, none, one, one}, {rows}, {32, {{4, std::int32_t{1}}}}},
             {83, {zero, rows}, {first}, {59, {{0, std::int32_t{2}}}}},
             {83, {first, second}, {paddings}, {59, {{0, std::int32_t{2}}}}},
             {34, {0, paddings}, {3}, {22, {}}}};
  const outcome got = run_resized(f.bytes(), {{2, 2}}, {{1, 2, 3, 4}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{1, 2, 3, 4, 0, 0, 0, 0});
}

TEST_CASE("tflite: buffer 0 means no elements, also in a file without a list of buffers") {
  file f;
  for (const char* name : {"x", "y"}) f.add({float32, {1, 2}, name}), f.tensors.back().buffer = 0;
  f.calls = {{relu, {0}, {1}}};
  f.inputs = {0}, f.outputs = {1};
  f.has_buffers = false;
  const outcome got = run_file(f.bytes(), {{-1, 2}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{0, 2});
  f.tensors[0].buffer = 1;
  CHECK(load_file(f.bytes()).error == "subgraph 0: input 0: tensor 0 \"x\" buffer: got 1, expected one of 0");
}

TEST_CASE("tflite: bytes at any address are read") {
  const std::vector<std::byte> bytes = good().bytes();
  for (std::size_t shift = 1; shift < 16; ++shift) {
    std::vector<std::byte> moved(shift);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    CHECK(run_file(std::span(moved).subspan(shift), {{1, 2}}).error == "");
  }
}

TEST_CASE("tflite: a file that ends early is refused") {
  const std::vector<std::byte> bytes = good().bytes();
  CHECK(load_file({}).error == "got 0 bytes, expected a FlatBuffer of at least 8");
  for (std::size_t size = 8; size + 4 < bytes.size(); size += 4) {  // the last word is padding
    CAPTURE(size);
    CHECK(load_file(std::span(bytes).first(size)).error != "");
    if (size == 64)
      CHECK(load_file(std::span(bytes).first(size)).error ==
            "a table, list or string of the FlatBuffer lies outside of the file, which has 64 bytes, or there are too "
            "many");
  }
}

TEST_CASE("tflite: many tensors on one large buffer do not make memory explode") {
  file f;
  f.add({int8, {1 << 16}, "q", std::vector<std::byte>(1 << 16), {{1}, {0}}});
  for (int i = 0; i < 500; ++i) {
    f.add({int8, {1 << 16}, "q", {}, {{1}, {0}}});
    f.tensors.back().buffer = 1;
    f.add(floats({1 << 16}, "y" + std::to_string(i)));
    f.calls.push_back({dequantize, {2 * i + 1}, {2 * i + 2}});
  }
  f.outputs = {1000};
  const std::string error = load_file(f.bytes()).error;
  CHECK(error.find(" \"q\" constants and names: got ") != error.npos);
  CHECK(error.find(" in a file of this size") != error.npos);
}

TEST_CASE("tflite: a constant that many operators read in another form is converted once") {
  file f;
  f.add({int8, {1 << 16}, "q", std::vector<std::byte>(1 << 16), {{1}, {0}}});
  for (int i = 0; i < 500; ++i) {
    f.add(floats({1 << 16}, "y" + std::to_string(i)));
    f.calls.push_back({dequantize, {0}, {i + 1}});
  }
  f.outputs = {500};
  CHECK(load_file(f.bytes()).error == "");
}

TEST_CASE("tflite: inputs and outputs without a name are called by their number") {
  file f = good();
  f.tensors[0].name = f.tensors[3].name = "";
  const outcome got = load_file(f.bytes());
  REQUIRE(got.error == "");
  CHECK(got.inputs[0].name == "#0");
  CHECK(got.outputs[0].name == "#3");
}

std::vector<std::string> names_of(const std::vector<result_tensor>& ends) {
  std::vector<std::string> names;
  for (const result_tensor& t : ends) names.push_back(t.name);
  return names;
}

TEST_CASE("tflite: a tensor that is an output several times is one under several names") {
  file f = good();
  f.outputs = {3, 2, 3, 3};
  f.tensors[2].name = "y_2";
  const outcome got = run_file(f.bytes(), {{1, 2}});
  REQUIRE(got.error == "");
  CHECK(names_of(got.outputs) == std::vector<std::string>{"y", "y_2", "y_1", "y_3"});
  for (const std::size_t i : {0U, 2U, 3U}) CHECK(got.outputs[i].numbers == std::vector<double>{2, 0});
  CHECK(got.outputs[1].numbers == std::vector<double>{2, -3});
}

TEST_CASE("tflite: inputs of one name are told apart by numbers that nobody has") {
  file f;
  for (const char* name : {"x", "x", "x_1", "x_1", "", ""}) f.add(floats({2}, name));
  for (const char* name : {"a", "b", "c", "d", "y"}) f.add(floats({2}, name));
  f.calls = {{add, {0, 1}, {6}}, {add, {6, 2}, {7}}, {add, {7, 3}, {8}}, {add, {8, 4}, {9}}, {41, {9, 5}, {10}}};
  f.inputs = {0, 1, 2, 3, 4, 5};
  f.outputs = {10};
  const outcome got = run_file(f.bytes(), {{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}, {32, 33}});
  REQUIRE(got.error == "");
  CHECK(names_of(got.inputs) == std::vector<std::string>{"x", "x_2", "x_1", "x_1_1", "#4", "#5"});
  CHECK(got.outputs[0].numbers == std::vector<double>{-1, -2});
}

TEST_CASE("tflite: thousands of ends with one name are told apart at once") {
  file f = good();
  f.outputs.assign(4096, 3);
  f.signatures = {{"all", {}, {}}};
  const outcome got = load_file(f.bytes());
  REQUIRE(got.error == "");
  CHECK(got.outputs[4095].name == "y_4095");
}

/// Operators with shapes that are not what they make, as in files whose inputs were resized.
TEST_CASE("tflite: shapes that a file writes down between operators bind nobody") {
  struct row {
    call made_by;
    std::vector<std::int32_t> makes;
    std::vector<double> y;
  };
  const row rows[] = {
      {{relu, {0}, {1}}, {1, 3}, {0, 2}},                      // of another extent
      {{relu, {0}, {1}}, {5}, {0, 2}},                         // of another rank
      {{39, {0, 3}, {1}, {26, {}}}, {2, 2}, {0, 2}},           // by a reader that adds nodes itself
      {{74, {0, 4}, {1}, {27, {{0, true}}}}, {9, 2}, {0, 2}},  // by one that concludes
      {{59, {0}, {1}}, {7, 7}, {1, 0}},
      {{97, {5, 6}, {1}, {74, {}}}, {1, 3, 3, 1}, {3, 3}},
  };
  for (const row& r : rows) {
    CAPTURE(r.made_by.builtin);
    const bool is_image = r.made_by.builtin == 97;
    file f;
    f.add(floats({1, 2}, "x"));
    f.add(floats(r.makes, "between"));
    f.add(floats(is_image ? std::vector<std::int32_t>{1, 1, 2, 1} : std::vector<std::int32_t>{1, 2}, "y"));
    f.add({int32, {2}, "perm", bytes_of<std::int32_t>({0, 1})});
    f.add({int32, {1}, "axis", bytes_of<std::int32_t>({0})});
    f.add(constant({1, 1, 1, 1}, "image", {3}));
    f.add({int32, {2}, "size", bytes_of<std::int32_t>({1, 2})});
    f.calls = {r.made_by, {relu, {1}, {2}}};
    f.inputs = {0};
    f.outputs = {2};
    const outcome got = run_file(f.bytes(), {{-1, 2}});
    REQUIRE(got.error == "");
    CHECK(got.outputs[0].numbers == r.y);
  }
}

TEST_CASE("tflite: many tensors that share one long name do not make memory explode") {
  file f = good();
  const std::string name(100'000, 'n');
  for (int i = 0; i < 1000; ++i) f.add(floats({1, 2}, name));
  const std::string error = load_file(f.bytes()).error;
  CHECK(error.starts_with("subgraph 0: names of tensors: got more than "));
}

TEST_CASE("tflite: an operator of many nodes does not make memory explode by its name") {
  const std::string name(100'000, 'n');
  file sum, unpacked;
  sum.add(floats({2}, "x"));
  sum.add(floats({2}, name));
  sum.calls = {{106, std::vector<std::int32_t>(1000, 0), {1}}};
  sum.inputs = {0}, sum.outputs = {1};
  unpacked.add(floats({1000}, "x"));
  unpacked.calls = {{88, {0}, {}, {64, {{0, std::int32_t{1000}}}}}};
  for (int i = 0; i < 1000; ++i)
    unpacked.calls[0].outputs.push_back(unpacked.add(floats({}, i == 0 ? name : std::to_string(i))));
  unpacked.inputs = {0}, unpacked.outputs = {1};
  for (file* f : {&sum, &unpacked}) {
    const std::string error = load_file(f->bytes()).error;
    CAPTURE(error);
    CHECK(error.find("constants and names: got ") != error.npos);
    f->tensors[1].name = "y";
    CHECK(load_file(f->bytes()).error == "");
  }
}

TEST_CASE("tflite: many constants that are computed from one do not make memory explode") {
  file f;
  f.add({int64, {1024}, "x", std::vector<std::byte>(8192)});
  for (int i = 0; i < 2000; ++i) f.calls.push_back({93, {0}, {f.add({int64, {1024}, ""})}, {}, {}, 0});  // ZEROS_LIKE
  f.outputs = {1};
  const std::string error = load_file(f.bytes()).error;
  CHECK(error.find("constants and names: got ") != error.npos);
}

TEST_CASE("tflite: only constants may have a scale for each channel") {
  const quantized channels{{1, 2}, {0, 0}, 1}, whole{{1}, {0}};
  for (const int quantised_by_channel : {0, 1}) {
    file f;
    f.add({int8, {1, 2}, "x", {}, quantised_by_channel == 0 ? channels : whole});
    f.add({int8, {1, 2}, "y", {}, quantised_by_channel == 1 ? channels : whole});
    f.calls = {{relu, {0}, {1}}};
    f.inputs = {0};
    f.outputs = {1};
    CHECK(load_file(f.bytes()).error ==
          (quantised_by_channel == 0 ? "subgraph 0: input 0: tensor 0 \"x\" is no constant, but has 2 scales"
                                     : "subgraph 0: operator 0 RELU: tensor 1 \"y\" is no constant, but has 2 scales"));
  }
}

TEST_CASE("tflite: what is moved under another scale stands for other numbers after it") {
  file f;
  f.add({int8, {1, 4}, "x", {}, {{0.5F}, {1}}});
  f.add({int8, {4}, "moved", {}, {{2}, {1}}});
  f.add(floats({4}, "y"));
  f.calls = {{reshape, {0}, {1}}, {dequantize, {1}, {2}}};
  f.inputs = {0};
  f.outputs = {2};
  const outcome got = run_file(f.bytes(), {{-128, 0, 1, 127}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{-258, -2, 0, 252});
}

/// The error of a layer whose input and weight have a scale of 0.5, the output one of 1, and the bias this one, or
/// none.
std::string error_beside_bias(int builtin, int type, std::vector<float> of_bias,
                              std::vector<float> of_weight = {0.5F}) {
  file f;
  const bool is_dense = builtin == fully_connected, is_transposed = builtin == 67;
  const std::vector<std::int32_t> one =
      is_dense ? std::vector<std::int32_t>{1, 1} : std::vector<std::int32_t>{1, 1, 1, 1};
  f.add({type, one, "x", {}, {{0.5F}, {0}}});
  f.add({type == int16 ? int8 : type, one, "w", bytes_of<std::int8_t>({1}), {of_weight, {0}}});
  f.add({type == int16 ? int64 : int32,
         {1},
         "b",
         type == int16 ? bytes_of<std::int64_t>({100}) : bytes_of<std::int32_t>({100}),
         {of_bias, {}}});
  f.add({type, one, "y", {}, {{1}, {0}}});
  f.add({int32, {4}, "shape", bytes_of<std::int32_t>({1, 1, 1, 1})});
  const options strides = is_dense             ? options{}
                          : is_transposed      ? options{49, {{1, 1}, {2, 1}}}
                          : builtin == conv_2d ? options{1, {{1, 1}, {2, 1}}}
                                               : options{2, {{1, 1}, {2, 1}, {3, 1}}};
  f.calls = {{builtin,
              is_transposed ? std::vector<std::int32_t>{4, 1, 0, 2} : std::vector<std::int32_t>{0, 1, 2},
              {3},
              strides}};
  f.inputs = {0};
  f.outputs = {3};
  return load_file(f.bytes()).error;
}

// What TensorFlow Lite 2.14.1 prepared, and what it did not.
TEST_CASE("tflite: a bias has the scale of input times weight, where TensorFlow Lite says so") {
  constexpr int depthwise = 4, transpose_conv = 67;
  const std::string wrong =
      "tensor 2 \"b\" scale: got 0.5, expected 0.25, that of input times weight, to 0.02 of the output's 1";
  CHECK(error_beside_bias(fully_connected, int8, {0.5F}) == "subgraph 0: operator 0 FULLY_CONNECTED: " + wrong);
  CHECK(error_beside_bias(fully_connected, uint8, {0.5F}) == "subgraph 0: operator 0 FULLY_CONNECTED: " + wrong);
  CHECK(error_beside_bias(fully_connected, int16, {0.5F}) == "subgraph 0: operator 0 FULLY_CONNECTED: " + wrong);
  CHECK(error_beside_bias(conv_2d, uint8, {0.5F}) == "subgraph 0: operator 0 CONV_2D: " + wrong);
  CHECK(error_beside_bias(depthwise, uint8, {0.5F}) == "subgraph 0: operator 0 DEPTHWISE_CONV_2D: " + wrong);
  CHECK(error_beside_bias(transpose_conv, uint8, {0.5F}) == "subgraph 0: operator 0 TRANSPOSE_CONV: " + wrong);
  CHECK(error_beside_bias(fully_connected, int8, {}).find("scale: got 0, expected 0.25,") != std::string::npos);
  for (const int builtin : {fully_connected, conv_2d, depthwise, transpose_conv})
    CHECK(error_beside_bias(builtin, uint8, {0.26F}) == "");
  for (const int type : {int8, int16})
    for (const int builtin : {conv_2d, depthwise, transpose_conv})
      CHECK(error_beside_bias(builtin, type, {0.5F}) == "");
  CHECK(error_beside_bias(fully_connected, int8, {0.015F}, {0}) == "");  // a scale of 0 is one for the channel
}

TEST_CASE("tflite: quantisation of tensors that are no integers means nothing") {
  file f = good();
  f.tensors[0].quantization = f.tensors[1].quantization = {{0.5F, 0.25F, 3}, {1}, 9};
  f.tensors[3].quantization = {{0}, {1}};
  CHECK(run_file(f.bytes(), {{1, 2}}).error == "");
}

TEST_CASE("tflite: an output of one operator may be constant, or an input of the network") {
  file f = good();
  f.outputs = {1, 0};
  const outcome got = run_file(f.bytes(), {{8, 9}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{1, -5});
  CHECK(got.outputs[1].numbers == std::vector<double>{8, 9});
}

/// y = x reshaped to [extent 0 of x, -1], the way TensorFlow writes flatten.
file flatten(std::vector<std::int32_t> signature) {
  const auto integers = [](std::string name, std::vector<double> numbers) {
    return tensor{int32, {static_cast<std::int32_t>(numbers.size())}, name, bytes_of<std::int32_t>(numbers)};
  };
  file f;
  f.add(floats({2, 3, 2}, "x"));
  f.tensors[0].signature = signature;
  f.add({int32, {3}, "shape"});
  f.add(integers("begin", {0}));
  f.add(integers("end", {1}));
  f.add(integers("strides", {1}));
  f.add({int32, {}, "rows"});
  f.add({int32, {}, "rest", bytes_of<std::int32_t>({-1})});
  f.add({int32, {2}, "new shape"});
  f.add(floats({2, 6}, "y"));
  if (!signature.empty()) f.tensors[8].signature = {-1, 6};
  f.calls = {{77, {0}, {1}, {55, {{0, std::int8_t{int32}}}}},
             {45, {1, 2, 3, 4}, {5}, {32, {{4, std::int32_t{1}}}}},
             {83, {5, 6}, {7}, {59, {{0, std::int32_t{2}}}}},
             {reshape, {0, 7}, {8}}};
  f.inputs = {0};
  f.outputs = {8};
  return f;
}

TEST_CASE("tflite: shapes that a file computes from shapes are known when it is loaded") {
  const outcome got = run_file(flatten({}).bytes(), {counted(12)});
  REQUIRE(got.error == "");
  CHECK(got.nodes == std::vector<std::string>{"reshape"});
  CHECK(got.outputs[0].shape == std::vector<std::int64_t>{2, 6});
  CHECK(got.outputs[0].numbers == counted(12));
}

TEST_CASE("tflite: unknown extents are those of the shape, unless they shall stay unknown") {
  const std::vector<std::byte> bytes = flatten({-1, 3, 2}).bytes();
  CHECK(load_file(bytes).inputs[0].shape == std::vector<std::int64_t>{2, 3, 2});
  const outcome unknown = load_file(bytes, true);
  REQUIRE(unknown.error == "");
  CHECK(unknown.inputs[0].shape == std::vector<std::int64_t>{-1, 3, 2});
  CHECK(unknown.outputs[0].shape == std::vector<std::int64_t>{-1, 6});
  CHECK(load_file(flatten({-1, 3}).bytes(), true).error ==
        "subgraph 0: input 0: tensor 0 \"x\" shape_signature: got rank 2, expected that of the shape, 3");
}

TEST_CASE("tflite: a network whose batch stays unknown runs for any") {
  const std::vector<std::byte> bytes = flatten({-1, 3, 2}).bytes();
  for (const int rows : {1, 2, 5}) {
    const outcome got = run_resized(bytes, {{rows, 3, 2}}, {counted(rows * 6)});
    REQUIRE(got.error == "");
    CHECK(got.outputs[0].shape == std::vector<std::int64_t>{rows, 6});
    CHECK(got.outputs[0].numbers == counted(rows * 6));
  }
}

/// x [1, 1, 2, 2] with its channels brought to axis 1, as TRANSPOSE says it, and an operator that reads the result and
/// what follows.
file behind_transpose(call reader, std::vector<std::int32_t> result, std::vector<tensor> more = {}) {
  file f;
  f.add(floats({1, 1, 2, 2}, "x"));
  f.add({int32, {4}, "perm", bytes_of<std::int32_t>({0, 3, 1, 2})});
  f.add(floats({1, 2, 1, 2}, "turned"));
  f.add(floats(result, "y"));
  for (tensor& t : more) f.add(std::move(t));
  f.calls = {{39, {0, 1}, {2}, {26, {}}}, std::move(reader)};
  f.inputs = {0};
  f.outputs = {3};
  return f;
}

TEST_CASE("tflite: images whose channels came to axis 1 by a TRANSPOSE are read like others, of any batch") {
  const options one_by_one{1, {{1, 1}, {2, 1}}}, two_high{5, {{1, 1}, {2, 1}, {0, std::int8_t{1}}, {3, 1}, {4, 2}}};
  const options last_axis{10, {{0, 3}}};
  struct row {
    file made;
    std::vector<std::string> nodes;
    std::vector<double> y;
  };
  row rows[] = {
      {behind_transpose({conv_2d, {2, 4}, {3}, one_by_one}, {1, 2, 1, 1}, {constant({1, 1, 1, 2}, "w", {1, 10})}),
       {"transpose", "reshape", "conv2d"},
       {31, 42}},
      {behind_transpose({17, {2}, {3}, two_high}, {1, 1, 1, 2}), {"transpose", "reshape", "max_pool"}, {2, 4}},
      {behind_transpose({2, {2, 4}, {3}, last_axis}, {1, 2, 1, 3}, {constant({1, 2, 1, 1}, "w", {5, 6})}),
       {"transpose", "reshape", "concat"},
       {1, 3, 5, 2, 4, 6}},
  };
  for (row& r : rows) {
    const outcome got = run_file(r.made.bytes(), {{1, 2, 3, 4}});
    REQUIRE(got.error == "");
    CHECK(got.nodes == r.nodes);
    CHECK(got.outputs[0].numbers == r.y);
    if (r.nodes.back() == "concat") continue;  // its constant is one image
    for (const std::size_t i : {0U, 2U, 3U})
      r.made.tensors[i].signature = r.made.tensors[i].shape, r.made.tensors[i].signature[0] = -1;
    const outcome two = run_resized(r.made.bytes(), {{2, 1, 2, 2}}, {{1, 2, 3, 4, 1, 2, 3, 4}});
    REQUIRE(two.error == "");
    std::vector<double> twice = r.y;
    twice.insert(twice.end(), r.y.begin(), r.y.end());
    CHECK(two.outputs[0].numbers == twice);
  }
}

TEST_CASE("tflite: what a file cannot know of a result does not bind it") {
  file f;
  f.add(floats({1, 2, 2, 1}, "x"));
  f.add({int32, {2}, "size", bytes_of<std::int32_t>({4, 4})});
  f.add(floats({1, 1, 1, 1}, "larger"));  // as converters write [1, -1, -1, 1]
  f.tensors[2].signature = {1, -1, -1, 1};
  f.add(floats({1, 1, 1, 1}, "y"));
  f.tensors[3].signature = {1, -1, -1, 1};
  f.calls = {{97, {0, 1}, {2}}, {relu, {2}, {3}}};
  f.inputs = {0};
  f.outputs = {3};
  const outcome got = run_file(f.bytes(), {{1, -2, 3, -4}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].shape == std::vector<std::int64_t>{1, 4, 4, 1});
}

tensor list(std::string name, std::vector<double> numbers) {
  return {int32, {static_cast<std::int32_t>(numbers.size())}, name, bytes_of<std::int32_t>(numbers)};
}

TEST_CASE("tflite: a part without elements goes through CONCATENATION") {
  file f;
  f.add(floats({3, 2}, "x"));
  f.add(list("begin", {3, 0}));
  f.add(list("size", {0, 2}));
  f.add(floats({0, 2}, "none"));
  f.add(floats({3, 2}, "y"));
  f.calls = {{65, {0, 1, 2}, {3}}, {2, {3, 0}, {4}, {10, {{0, std::int32_t{0}}}}}};
  f.inputs = {0};
  f.outputs = {4};
  const outcome got = run_file(f.bytes(), {counted(6)});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == counted(6));
}

/// y = x [1, h, w, 1] enlarged `times`, to a size that the file computes of x's shape, as UpSampling2D says it.
file enlarged(std::int32_t h, std::int32_t w, std::int32_t times, const call& way) {
  file f;
  f.add(floats({1, h, w, 1}, "x"));
  f.tensors[0].signature = {1, -1, -1, 1};
  f.add({int32, {4}, "shape"});
  f.add(list("begin", {1}));
  f.add(list("end", {3}));
  f.add(list("strides", {1}));
  f.add({int32, {2}, "height and width"});
  f.add(list("times", {double(times), double(times)}));
  f.add({int32, {2}, "size"});
  f.add(floats({1, times * h, times * w, 1}, "y"));
  f.tensors[8].signature = {1, -1, -1, 1};
  f.calls = {{77, {0}, {1}, {55, {{0, std::int8_t{int32}}}}},
             {45, {1, 2, 3, 4}, {5}, {32, {}}},
             {18, {5, 6}, {7}, {21, {}}},
             {way.builtin, {0, 7}, {8}, way.with}};
  f.inputs = {0};
  f.outputs = {8};
  return f;
}

TEST_CASE("tflite: images of unknown size are resized to the pixels of those of known size") {
  constexpr int bilinear = 23, nearest = 97;
  const call ways[] = {{nearest, {}, {}, {74, {}}},          {nearest, {}, {}, {74, {{0, true}}}},
                       {nearest, {}, {}, {74, {{1, true}}}}, {nearest, {}, {}, {74, {{0, true}, {1, true}}}},
                       {bilinear, {}, {}, {15, {}}},         {bilinear, {}, {}, {15, {{2, true}}}},
                       {bilinear, {}, {}, {15, {{3, true}}}}};
  for (const call& way : ways)
    for (const std::int32_t w : {1, 3, 7, 700}) {
      CAPTURE(way.builtin);
      CAPTURE(w);
      const std::vector<double> pixels = counted(2 * w);
      const outcome known = run_file(enlarged(2, w, 3, way).bytes(), {pixels});
      const outcome resized = run_resized(enlarged(5, 4, 3, way).bytes(), {{1, 2, w, 1}}, {pixels});
      REQUIRE(known.error == "");
      REQUIRE(resized.error == "");
      CHECK(resized.outputs[0].shape == std::vector<std::int64_t>{1, 6, 3 * w, 1});
      CHECK(resized.outputs[0].numbers == known.outputs[0].numbers);
    }
}

TEST_CASE("tflite: BROADCAST_TO and RANGE follow the shape that an input has") {
  file f;
  f.add(floats({1, 2}, "x"));
  f.tensors[0].signature = {-1, 2};
  f.add({int32, {2}, "shape"});
  f.add(constant({2}, "row", {1, -5}));
  f.add(floats({1, 2}, "rows"));
  f.tensors[3].signature = {-1, 2};
  for (const char* name : {"0", "1"}) f.add(list(name, {double(name[0] - '0')}));
  f.add({int32, {}, "count"});
  for (const double number : {9.0, -2.0}) f.add({int32, {}, "number", bytes_of<std::int32_t>({number})});
  f.add({int32, {5}, "numbers"});
  f.tensors[9].signature = {-1};
  f.calls = {{77, {0}, {1}, {55, {{0, std::int8_t{int32}}}}},
             {130, {2, 1}, {3}, {104, {}}},
             {45, {1, 4, 5, 5}, {6}, {32, {{4, std::int32_t{1}}}}},
             {96, {7, 6, 8}, {9}}};
  f.inputs = {0};
  f.outputs = {3, 9};
  for (const int rows : {1, 4, 9, 12}) {
    const outcome got = run_resized(f.bytes(), {{rows, 2}}, {counted(2 * rows)});
    REQUIRE(got.error == "");
    std::vector<double> repeated, downwards;
    for (int i = 0; i < rows; ++i) repeated.insert(repeated.end(), {1, -5});
    for (int i = 9; i > rows; i -= 2) downwards.push_back(i);
    CHECK(got.outputs[0].numbers == repeated);
    CHECK(got.outputs[1].numbers == downwards);
  }
}

/// y = x [batch, 3], each row's number that `indices` [batch] names.
file one_of_each_row(std::int32_t batch, bool is_unknown) {
  file f;
  f.add(floats({batch, 3}, "x"));
  f.add({int32, {batch}, "indices"});
  f.add(floats({batch}, "y"));
  if (is_unknown) f.tensors[0].signature = {-1, 3}, f.tensors[1].signature = f.tensors[2].signature = {-1};
  f.calls = {{36, {0, 1}, {2}, {23, {{0, std::int32_t{1}}, {1, std::int32_t{1}}}}}};
  f.inputs = {0, 1};
  f.outputs = {2};
  return f;
}

TEST_CASE("tflite: GATHER looks up in each of many images, of a batch that may be unknown, and in no other") {
  const std::vector<double> last(1500, 2);
  std::vector<double> numbers;
  for (int i = 0; i < 1500; ++i) numbers.push_back(3 * i + 2);
  const outcome known = run_file(one_of_each_row(1500, false).bytes(), {counted(4500), last});
  const outcome resized = run_resized(one_of_each_row(1, true).bytes(), {{1500, 3}, {1500}}, {counted(4500), last});
  REQUIRE(known.error == "");
  CHECK(known.outputs[0].numbers == numbers);
  REQUIRE(resized.error == "");
  CHECK(resized.outputs[0].numbers == numbers);
  CHECK(
      run_file(one_of_each_row(2, false).bytes(), {counted(6), {3, 0}}).error.find("indices must lie in their axes") !=
      std::string::npos);
  file two = one_of_each_row(2, false);
  two.tensors[1].shape = {3};
  CHECK(load_file(two.bytes()).error ==
        "subgraph 0: operator 0 GATHER: batch_dims: got 1 for [2, 3] along axis 1 and indices [3], expected that "
        "number of "
        "equal first extents, all before the axis");
}

TEST_CASE("tflite: other subgraphs and their signatures are there to be chosen") {
  file f = good();
  f.subgraphs = 2;
  f.signatures = {{"other", {{"x", 0}}, {{"y", 3}}, 7}, {"serving_default", {{"image", 0}}, {{"label", 3}}, 1}};
  const std::vector<std::byte> bytes = f.bytes();
  const outcome plain = load_file(bytes), named = load_file(bytes, false, "serving_default");
  REQUIRE(plain.error == "");
  CHECK(plain.inputs[0].name == "x");
  REQUIRE(named.error == "");
  CHECK(named.inputs[0].name == "image");
  CHECK(named.outputs[0].name == "label");
  CHECK(load_file(bytes, false, "other").error == "signature \"other\": subgraph: got 7, expected one of 2");
  CHECK(load_file(bytes, false, "sing").error ==
        "signature: got \"sing\", expected one of \"other\", \"serving_default\"");
  CHECK(load_file(good().bytes(), false, "sing").error == "signature: got \"sing\", expected none: the file has none");
  f.outputs = {3, 3};
  f.signatures[1].outputs = {{"label", 3}, {"score", 3}};  // two names of one tensor
  const outcome twice = load_file(f.bytes(), false, "serving_default");
  REQUIRE(twice.error == "");
  CHECK(twice.outputs[0].name == "label");
  CHECK(twice.outputs[1].name == "score");
  f.outputs = {3};
  f.signatures[1].inputs = {{"nobody", 77}, {"image", 0}};  // no more names are read than there are inputs
  CHECK(load_file(f.bytes(), false, "serving_default").inputs[0].name == "x");
}

TEST_CASE("tflite: constants may stand after the FlatBuffer, at any address") {
  for (const std::size_t shift : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
    file f = good();
    f.tensors[1].data.clear();
    f.tensors[1].is_behind = true;
    f.behind.assign(shift, std::byte{99});
    for (const std::byte element : bytes_of<float>({10, -20})) f.behind.push_back(element);
    f.buffer_offset = f.buffer_size = 8;
    f.buffer_offset = f.bytes().size() - 8;
    const outcome got = run_file(f.bytes(), {{1, 2}});
    REQUIRE(got.error == "");
    CHECK(got.outputs[0].numbers == std::vector<double>{11, 0});
    f.buffer_size = 9;
    CHECK(load_file(f.bytes()).error.ends_with("its bytes lie outside of the file"));
  }
}

TEST_CASE("tflite: numbers of 4 bits become bytes, the lower half first") {
  file f;
  f.add({int8, {1, 3}, "x", {}, {{1}, {0}}});
  f.add({int4, {2, 3}, "w", bytes_of<std::uint8_t>({0x71, 0x9F, 0x28}), {{1, 2}, {0, 0}, 0}});  // 1 7 -1, -7 -8 2
  f.add({int8, {1, 2}, "y", {}, {{1}, {0}}});
  f.calls = {{fully_connected, {0, 1}, {2}}};
  f.inputs = {0};
  f.outputs = {2};
  const outcome got = run_file(f.bytes(), {{1, 2, 3}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{12, -34});
}

struct hybrid_row {
  const char* what;
  quantized weight;
  bool asymmetric;
  double expected;
};

TEST_CASE("tflite: float layers see their inputs in 8 bits when their weights have 8 bits") {
  // x is rounded to multiples of 12.7 / 127, or of 12.75 / 255; w is 2.
  const hybrid_row table[] = {{"symmetric", {{2}, {0}}, false, 2 * (12.7 + 0.1)},
                              {"asymmetric", {{2}, {0}}, true, 2 * (12.7 + 12.7 / 255 * 1)}};
  for (const hybrid_row& r : table) {
    CAPTURE(r.what);
    file f;
    f.add(floats({1, 2}, "x"));
    f.add({int8, {1, 2}, "w", bytes_of<std::int8_t>({1, 1}), r.weight});
    f.add(floats({1, 1}, "y"));
    f.calls = {{fully_connected, {0, 1}, {2}, {8, {{3, r.asymmetric}}}}};
    f.inputs = {0};
    f.outputs = {2};
    const outcome got = run_file(f.bytes(), {{12.7, 0.06}});
    REQUIRE(got.error == "");
    CHECK(got.nodes == std::vector<std::string>{"dynamic_range", "full_connection"});
    CHECK(got.outputs[0].numbers[0] == doctest::Approx(r.expected).epsilon(1e-6));
  }
}

TEST_CASE("tflite: convolutions with a scale for each channel quantise their input with a zero point") {
  file f;
  f.add(floats({1, 1, 1, 2}, "x"));
  f.add({int8, {2, 1, 1, 2}, "w", bytes_of<std::int8_t>({1, 1, 1, 0}), {{2, 4}, {0, 0}, 0}});
  f.add(floats({1, 1, 1, 2}, "y"));
  f.calls = {{conv_2d, {0, 1}, {2}, {1, {{0, std::int8_t{1}}, {1, std::int32_t{1}}, {2, std::int32_t{1}}}}}};
  f.inputs = {0};
  f.outputs = {2};
  const outcome got = run_file(f.bytes(), {{25.5, 0.06}});  // steps of 0.1 from 0 on
  REQUIRE(got.error == "");
  CHECK(got.nodes == std::vector<std::string>{"dynamic_range", "conv2d"});
  CHECK(got.outputs[0].numbers[0] == doctest::Approx(2 * 25.6).epsilon(1e-6));
  CHECK(got.outputs[0].numbers[1] == doctest::Approx(4 * 25.5).epsilon(1e-6));
}

TEST_CASE("tflite: convolutions with equal scales for all channels quantise their input without a zero point") {
  file f;
  f.add(floats({1, 1, 1, 2}, "x"));
  f.add({int8, {2, 1, 1, 2}, "w", bytes_of<std::int8_t>({0, 1, 1, 0}), {{2, 2}, {0, 0}, 0}});
  f.add(floats({1, 1, 1, 2}, "y"));
  f.calls = {{conv_2d, {0, 1}, {2}, {1, {{0, std::int8_t{1}}, {1, std::int32_t{1}}, {2, std::int32_t{1}}}}}};
  f.inputs = {0};
  f.outputs = {2};
  const outcome got = run_file(f.bytes(), {{1, 0.3}});  // 0.3 is nearest to 38 steps of 1 / 127
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers[0] == doctest::Approx(2 * 38 / 127.0).epsilon(1e-6));
  CHECK(got.outputs[0].numbers[1] == doctest::Approx(2).epsilon(1e-6));
}

TEST_CASE("tflite: unsigned weights of old files with floats are signed ones without a zero point") {
  const options one_by_one{1, {{0, std::int8_t{1}}, {1, std::int32_t{1}}, {2, std::int32_t{1}}}};
  const call layers[] = {{fully_connected, {0, 1}, {2}, {8, {{2, true}}}}, {conv_2d, {0, 1}, {2}, one_by_one}};
  for (const call& layer : layers) {
    CAPTURE(layer.builtin);
    file f;
    const std::vector<std::int32_t> shape(layer.builtin == conv_2d ? 4 : 2, 1);
    f.add(floats({1, 1, 1, 1}, "x"));
    f.add({uint8, shape, "w", bytes_of<std::uint8_t>({200}), {{0.5F}, {3}}});
    f.add(floats({1, 1, 1, 1}, "y"));
    f.calls = {layer};
    f.inputs = {0};
    f.outputs = {2};
    const outcome got = run_file(f.bytes(), {{1}});
    REQUIRE(got.error == "");
    CHECK(got.outputs[0].numbers == std::vector<double>{-28});
  }
}

TEST_CASE("tflite: rows of a transposed product share a scale once they are transposed") {
  file f;
  f.add(floats({2, 2}, "a"));
  f.add({int8, {2, 1}, "b", bytes_of<std::int8_t>({1, 1}), {{1}, {0}}});
  f.add(floats({2, 1}, "y"));
  f.calls = {{126, {0, 1}, {2}, {101, {{0, true}}}}};
  f.inputs = {0};
  f.outputs = {2};
  const outcome got = run_file(f.bytes(), {{1, 1000, 0.3, 7}});  // rows {1, 0.3} and {1000, 7}
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers[0] == doctest::Approx(1 + 38 / 127.0).epsilon(1e-6));
  CHECK(got.outputs[0].numbers[1] == doctest::Approx(1000 + 1000 / 127.0).epsilon(1e-6));
}

/// TRANSPOSE_CONV of [N, 1, 2, 1] to [N, 1, 3, 1], where only a run knows N: its width is `width` or, where that is
/// empty, an input of the network.
file upsampled(std::vector<std::int32_t> signature, std::vector<double> width) {
  const auto number = [](std::string name, std::vector<std::int32_t> shape, double n) {
    return tensor{int32, shape, name, bytes_of<std::int32_t>({n})};
  };
  file f;
  f.add(floats({1, 1, 2, 1}, "x"));
  f.tensors[0].signature = {-1, 1, 2, 1};
  f.add(constant({1, 1, 3, 1}, "w", {1, 10, 100}));
  f.add({int32, {4}, "shape"});
  f.add(number("begin", {1}, 0)), f.add(number("end", {1}, 1)), f.add(number("strides", {1}, 1));
  f.add({int32, {}, "rows"});
  f.add(number("one", {}, 1));
  f.add({int32, {}, "width", bytes_of<std::int32_t>(width)});
  f.add({int32, {4}, "output shape"});
  f.add(floats({1, 1, 3, 1}, "y"));
  f.tensors[10].signature = signature;
  f.calls = {{77, {0}, {2}, {55, {{0, std::int8_t{int32}}}}},
             {45, {2, 3, 4, 5}, {6}, {32, {{4, std::int32_t{1}}}}},
             {83, {6, 7, 8, 7}, {9}, {59, {{0, std::int32_t{4}}}}},
             {67, {9, 1, 0}, {10}, {49, {{0, std::int8_t{0}}, {1, std::int32_t{2}}, {2, std::int32_t{1}}}}}};
  f.inputs = width.empty() ? std::vector<std::int32_t>{0, 8} : std::vector<std::int32_t>{0};
  f.outputs = {10};
  return f;
}

TEST_CASE("tflite: a transposed convolution of any batch has the size that its operand or its output says") {
  for (const file& f : {upsampled({-1, -1, -1, 1}, {3}), upsampled({-1, 1, 3, 1}, {3})}) {
    const outcome got = run_resized(f.bytes(), {{2, 1, 2, 1}}, {{1, 2, 3, 4}});
    REQUIRE(got.error == "");
    CHECK(got.outputs[0].shape == std::vector<std::int64_t>{2, 1, 3, 1});
    CHECK(got.outputs[0].numbers == std::vector<double>{10, 102, 20, 30, 304, 40});
  }
  CHECK(load_file(upsampled({-1, 1, 3, 1}, {}).bytes(), true).error == "");
  CHECK(load_file(upsampled({-1, 1, 3, 1}, {4}).bytes(), true).outputs[0].shape ==
        std::vector<std::int64_t>{-1, 1, 4, 1});  // TFLite takes the operand's word
  CHECK(load_file(upsampled({-1, -1, -1, 1}, {}).bytes(), true).error ==
        "subgraph 0: operator 3 TRANSPOSE_CONV: output_shape: got [-1, 1, -1, 1], "
        "expected a height and a width that shapes tell before the network runs");
}

TEST_CASE(
    "tflite: a transposed convolution of any width has the size that the file computes of the input's, if that is the "
    "usual one") {
  const auto widened = [](std::int32_t factor) {
    file f = upsampled({-1, -1, -1, 1}, {3});
    f.tensors[0].signature = {-1, 1, -1, 1};
    f.tensors[8].data.clear();
    const auto first = static_cast<std::int32_t>(f.tensors.size());
    f.add({int32, {1}, "from the width", bytes_of<std::int32_t>({2})}),
        f.add({int32, {1}, "to the channels", bytes_of<std::int32_t>({3})});
    f.add({int32, {}, "columns"}), f.add({int32, {}, "factor", bytes_of<std::int32_t>({double(factor)})});
    f.calls.insert(f.calls.begin() + 1, {{45, {2, first, first + 1, 5}, {first + 2}, {32, {{4, std::int32_t{1}}}}},
                                         {18, {first + 2, first + 3}, {8}, {21, {{0, std::int8_t{0}}}}}});
    return f;
  };
  const outcome got = run_resized(widened(2).bytes(), {{1, 1, 3, 1}}, {{1, 2, 3}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].shape == std::vector<std::int64_t>{1, 1, 6, 1});
  CHECK(got.outputs[0].numbers == std::vector<double>{1, 10, 102, 20, 203, 30});
  CHECK(run_resized(widened(3).bytes(), {{1, 1, 3, 1}}, {{1, 2, 3}}).error.find("number of elements must be kept") !=
        std::string::npos);
}

TEST_CASE("tflite: GATHER_ND keeps each index in its axis") {
  file f;
  f.add(floats({2, 2}, "x"));
  f.add({int32, {1, 2}, "indices"});
  f.add(floats({1}, "y"));
  f.calls = {{107, {0, 1}, {2}}};
  f.inputs = {0, 1};
  f.outputs = {2};
  CHECK(run_file(f.bytes(), {{1, 2, 3, 4}, {0, 2}}).error.find("indices must lie in their axes (got 2, expected 1)") !=
        std::string::npos);
  f.tensors[1].data = bytes_of<std::int32_t>({0, 2});
  f.inputs = {0};
  CHECK(load_file(f.bytes()).error ==
        "subgraph 0: operator 0 GATHER_ND: gather_nd \"y\": indices must lie in their axes (got 2, expected 1)");
}

TEST_CASE("tflite: depthwise filters with a scale for each channel keep their scales when axes change places") {
  file f;
  f.add({int8, {1, 1, 1, 2}, "x", {}, {{1}, {0}}});
  f.add({int8, {1, 1, 1, 2}, "w", bytes_of<std::int8_t>({1, 1}), {{2, 3}, {0, 0}, 3}});
  f.add({int8, {1, 1, 1, 2}, "y", {}, {{1}, {0}}});
  f.calls = {{4, {0, 1}, {2}, {2, {{0, std::int8_t{1}}, {1, std::int32_t{1}}, {2, std::int32_t{1}}}}}};
  f.inputs = {0};
  f.outputs = {2};
  const outcome got = run_file(f.bytes(), {{10, 20}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{20, 60});
}

TEST_CASE("tflite: an operator whose inputs are missing, all or one of those that it needs, is refused") {
  const auto refused = [](const nnrt::tflite::operator_row& row, bool is_custom, std::vector<std::int32_t> inputs) {
    file made;
    made.tensors.assign(row.min_inputs, {float32, {2, 2}, "x"});
    made.tensors.push_back({float32, {2, 2}, "y"});
    tflite_test::call one{
        is_custom ? 32 : nnrt::tflite::builtin_number(row.name), std::move(inputs), {}, {row.options.tag, {}}};
    one.outputs.assign(row.min_outputs, static_cast<std::int32_t>(row.min_inputs));
    if (is_custom) one.custom = row.name;
    made.calls = {one};
    made.inputs = {0}, made.outputs = {static_cast<std::int32_t>(row.min_inputs)};
    return load_file(made.bytes()).error;
  };
  int tried = 0;
  const auto check = [&](const nnrt::tflite::operator_row& row, bool is_custom) {
    const std::size_t required = std::min(row.min_inputs, row.required);
    CAPTURE(row.name);
    std::vector<std::int32_t> none(row.min_inputs, -1), all(row.min_inputs);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
    if (required > 0) CHECK(refused(row, is_custom, none).ends_with(": input 0: got none, expected a tensor"));
    for (std::size_t i = 0; i < required; ++i) {
      std::vector<std::int32_t> inputs = all;
      inputs[i] = -1;
      CHECK(
          refused(row, is_custom, inputs).ends_with(": input " + std::to_string(i) + ": got none, expected a tensor"));
      ++tried;
    }
  };
  for (const auto& row : nnrt::tflite::operator_table) check(row, false);
  for (const auto& row : nnrt::tflite::custom_operator_table) check(row, true);
  CHECK(tried > 200);
}

}  // namespace
