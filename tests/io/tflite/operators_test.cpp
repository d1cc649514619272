// operators: every builtin operator that is read, in a file of its own, gives what its definition in TensorFlow says.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

/// An operand or a result: element type, shape and numbers; constants stand in the file.
struct data {
  int type;
  std::vector<std::int32_t> shape;
  std::vector<double> numbers;
  bool is_constant = false;
  quantized quantization = {};
};

data f(std::vector<std::int32_t> shape, std::vector<double> numbers) { return {float32, shape, numbers}; }
data i(std::vector<std::int32_t> shape, std::vector<double> numbers) { return {int32, shape, numbers}; }
data b(std::vector<std::int32_t> shape, std::vector<double> numbers) { return {boolean, shape, numbers}; }
data q(std::vector<std::int32_t> shape, std::vector<double> numbers, float scale, std::int64_t zero_point) {
  return {int8, shape, numbers, false, {{scale}, {zero_point}}};
}
/// In the file.
data in_file(data d) {
  d.is_constant = true;
  return d;
}
data constant(std::vector<std::int32_t> shape, std::vector<double> numbers) { return in_file(f(shape, numbers)); }
data integers(std::vector<double> numbers) { return in_file(i({static_cast<std::int32_t>(numbers.size())}, numbers)); }
data integer(double number) { return in_file(i({}, {number})); }
data missing() { return {-1, {}, {}}; }

// Bytes, integers, floats and flags in options.
field byte(int slot, int value) { return {slot, static_cast<std::int8_t>(value)}; }
field number(int slot, int value) { return {slot, std::int32_t{value}}; }
field flag(int slot) { return {slot, true}; }
field real(int slot, float value) { return {slot, value}; }
field list(int slot, std::vector<std::int32_t> values) { return {slot, values}; }

options conv(int padding, int stride_w, int stride_h, int fused = 0, int dilation_w = 1, int dilation_h = 1) {
  return {1,
          {byte(0, padding), number(1, stride_w), number(2, stride_h), byte(3, fused), number(4, dilation_w),
           number(5, dilation_h)}};
}
options depthwise(int padding, int stride_w, int stride_h, int multiplier, int fused = 0) {
  return {2, {byte(0, padding), number(1, stride_w), number(2, stride_h), number(3, multiplier), byte(4, fused)}};
}
options pool(int padding, int stride_w, int stride_h, int filter_w, int filter_h) {
  return {5, {byte(0, padding), number(1, stride_w), number(2, stride_h), number(3, filter_w), number(4, filter_h)}};
}
options strided(int begin, int end, int ellipsis, int new_axis, int shrink) {
  return {32, {number(0, begin), number(1, end), number(2, ellipsis), number(3, new_axis), number(4, shrink)}};
}

constexpr int same = 0, valid = 1, relu = 1, relu6 = 3;

struct row {
  const char* what;
  int builtin;
  const char* name;
  std::vector<data> inputs;
  options with;
  std::vector<data> outputs;
};

const row table[] = {
    {"broadcasting and relu",
     0,
     "ADD",
     {f({1, 2}, {1, 2}), constant({2}, {10, -20})},
     {11, {byte(0, relu)}},
     {f({1, 2}, {11, 0})}},
    {"relu6", 41, "SUB", {f({2}, {1, 2}), f({2}, {10, -20})}, {28, {byte(0, relu6)}}, {f({2}, {0, 6})}},
    {"without options", 18, "MUL", {f({2}, {1, 2}), f({1}, {-4})}, {}, {f({2}, {-4, -8})}},
    {"floats", 42, "DIV", {f({2}, {1, 3}), f({2}, {4, -2})}, {29, {}}, {f({2}, {0.25, -1.5})}},
    {"of each pair", 55, "MAXIMUM", {f({2}, {1, 3}), f({2}, {4, -2})}, {39, {}}, {f({2}, {4, 3})}},
    {"of each pair", 78, "POW", {f({3}, {2, 3, 4}), f({3}, {3, 2, 0.5})}, {56, {}}, {f({3}, {8, 9, 2})}},
    {"of each pair", 99, "SQUARED_DIFFERENCE", {f({2}, {1, 3}), f({2}, {4, -2})}, {76, {}}, {f({2}, {9, 25})}},
    {"of each pair", 63, "LESS_EQUAL", {f({3}, {1, 3, 2}), f({3}, {4, -2, 2})}, {46, {}}, {b({3}, {1, 0, 1})}},
    {"of each pair", 62, "GREATER_EQUAL", {f({3}, {1, 3, 2}), f({3}, {4, -2, 2})}, {45, {}}, {b({3}, {0, 1, 1})}},
    {"of each number", 75, "SQRT", {f({2}, {4, 9})}, {}, {f({2}, {2, 3})}},
    {"of each number", 76, "RSQRT", {f({2}, {4, 16})}, {}, {f({2}, {0.5, 0.25})}},
    {"of each number", 92, "SQUARE", {f({2}, {4, -3})}, {66, {}}, {f({2}, {16, 9})}},
    {"of each number", 14, "LOGISTIC", {f({2}, {0, 1.0986122886681098})}, {}, {f({2}, {0.5, 0.75})}},
    {"of each number", 28, "TANH", {f({2}, {0, 0.5493061443340549})}, {}, {f({2}, {0, 0.5})}},
    {"of each number", 19, "RELU", {f({2}, {-1, 7})}, {}, {f({2}, {0, 7})}},
    {"of each number", 21, "RELU6", {f({2}, {-1, 7})}, {}, {f({2}, {0, 6})}},
    {"of each number", 117, "HARD_SWISH", {f({4}, {-4, 0, 1, 4})}, {91, {}}, {f({4}, {0, 0, 2.0 / 3, 4})}},
    {"exact", 150, "GELU", {f({1}, {1})}, {116, {}}, {f({1}, {0.8413447460685429})}},
    {"approximate", 150, "GELU", {f({1}, {1})}, {116, {flag(0)}}, {f({1}, {0.8411919906082768})}},
    {"slopes of channels",
     54,
     "PRELU",
     {f({1, 1, 2, 2}, {-1, -2, 3, -4}), constant({1, 1, 2}, {0.5, 0.25})},
     {},
     {f({1, 1, 2, 2}, {-0.5, -0.5, 3, -1})}},
    {"one slope", 98, "LEAKY_RELU", {f({2}, {-10, 5})}, {75, {real(0, 0.1F)}}, {f({2}, {-1, 5})}},
    {"a negative slope of stored numbers",
     98,
     "LEAKY_RELU",
     {q({2}, {-10, 5}, 1, 0)},
     {75, {real(0, -0.5F)}},
     {q({2}, {5, 5}, 1, 0)}},
    {"beta 1", 25, "SOFTMAX", {f({1, 2}, {0, 1.0986122886681098})}, {9, {real(0, 1)}}, {f({1, 2}, {0.25, 0.75})}},
    {"beta 2", 25, "SOFTMAX", {f({1, 2}, {0, 0.5493061443340549})}, {9, {real(0, 2)}}, {f({1, 2}, {0.25, 0.75})}},
    {"to integers",
     53,
     "CAST",
     {f({3}, {1.9, -1.9, 0})},
     {37, {byte(0, float32), byte(1, int32)}},
     {i({3}, {1, -1, 0})}},
    {"to booleans", 53, "CAST", {i({3}, {1, -1, 0})}, {}, {b({3}, {1, 1, 0})}},
    {"halves away from zero, clamped",
     114,
     "QUANTIZE",
     {f({4}, {0, 1.25, -1.25, 100})},
     {89, {}},
     {q({4}, {3, 6, 0, 127}, 0.5F, 3)}},
    {"stored numbers", 114, "QUANTIZE", {q({2}, {3, 7}, 0.5F, 3)}, {89, {}}, {q({2}, {-8, 0}, 0.25F, -8)}},
    {"stored numbers", 6, "DEQUANTIZE", {q({3}, {-2, 0, 10}, 0.5F, -2)}, {38, {}}, {f({3}, {0, 1, 6})}},
    {"a constant", 6, "DEQUANTIZE", {in_file(q({3}, {-2, 0, 10}, 0.5F, -2))}, {38, {}}, {f({3}, {0, 1, 6})}},

    {"along the last axis",
     2,
     "CONCATENATION",
     {f({2, 1}, {1, 2}), f({2, 2}, {3, 4, 5, 6})},
     {10, {number(0, -1)}},
     {f({2, 3}, {1, 3, 4, 2, 5, 6})}},
    {"along axis 0", 83, "PACK", {f({2}, {1, 2}), f({2}, {3, 4})}, {59, {number(0, 2)}}, {f({2, 2}, {1, 2, 3, 4})}},
    {"along axis 1",
     83,
     "PACK",
     {f({2}, {1, 2}), f({2}, {3, 4})},
     {59, {number(0, 2), number(1, 1)}},
     {f({2, 2}, {1, 3, 2, 4})}},
    {"along axis 1",
     88,
     "UNPACK",
     {f({2, 2}, {1, 2, 3, 4})},
     {64, {number(0, 2), number(1, 1)}},
     {f({2}, {1, 3}), f({2}, {2, 4})}},
    {"equal parts",
     49,
     "SPLIT",
     {integer(1), f({2, 2}, {1, 2, 3, 4})},
     {35, {number(0, 2)}},
     {f({2, 1}, {1, 3}), f({2, 1}, {2, 4})}},
    {"listed parts",
     102,
     "SPLIT_V",
     {f({3}, {1, 2, 3}), integers({1, -1}), integer(0)},
     {79, {number(0, 2)}},
     {f({1}, {1}), f({2}, {2, 3})}},
    {"an operand", 22, "RESHAPE", {f({2, 2}, {1, 2, 3, 4}), integers({-1})}, {}, {f({4}, {1, 2, 3, 4})}},
    {"an option", 22, "RESHAPE", {f({2, 2}, {1, 2, 3, 4})}, {17, {list(0, {1, 4})}}, {f({1, 4}, {1, 2, 3, 4})}},
    {"the output's shape", 22, "RESHAPE", {f({2, 2}, {1, 2, 3, 4}), missing()}, {}, {f({1, 4}, {1, 2, 3, 4})}},
    {"to one number", 22, "RESHAPE", {f({1, 1}, {5})}, {17, {list(0, {0})}}, {f({}, {5})}},
    {"an operand without elements", 22, "RESHAPE", {f({1, 1}, {5}), integers({})}, {}, {f({}, {5})}},
    {"listed axes", 43, "SQUEEZE", {f({1, 2, 1}, {1, 2})}, {30, {list(0, {-1})}}, {f({1, 2}, {1, 2})}},
    {"all axes", 43, "SQUEEZE", {f({1, 2, 1}, {1, 2})}, {}, {f({2}, {1, 2})}},
    {"a new axis", 70, "EXPAND_DIMS", {f({2}, {1, 2}), integer(-1)}, {52, {}}, {f({2, 1}, {1, 2})}},
    {"of a matrix", 39, "TRANSPOSE", {f({2, 2}, {1, 2, 3, 4}), integers({1, 0})}, {26, {}}, {f({2, 2}, {1, 3, 2, 4})}},
    {"up to the end",
     65,
     "SLICE",
     {f({2, 2}, {1, 2, 3, 4}), integers({0, 1}), integers({-1, 1})},
     {48, {}},
     {f({2, 1}, {2, 4})}},
    {"backwards, and one row",
     45,
     "STRIDED_SLICE",
     {f({2, 3}, {1, 2, 3, 4, 5, 6}), integers({1, 0}), integers({2, 0}), integers({1, -1})},
     strided(2, 2, 0, 0, 1),
     {f({3}, {6, 5, 4})}},
    {"a new axis and an ellipsis",
     45,
     "STRIDED_SLICE",
     {f({2, 2}, {1, 2, 3, 4}), integers({0, 0, 1}), integers({0, 0, 2}), integers({1, 1, 1})},
     strided(0, 0, 2, 1, 0),
     {f({1, 2, 1}, {2, 4})}},
    {"rows", 36, "GATHER", {f({3, 2}, {1, 2, 3, 4, 5, 6}), integers({2, 0})}, {23, {}}, {f({2, 2}, {5, 6, 1, 2})}},
    {"columns", 36, "GATHER", {f({2, 2}, {1, 2, 3, 4}), integers({1})}, {23, {number(0, 1)}}, {f({2, 1}, {2, 4})}},
    {"twice", 69, "TILE", {f({2}, {1, 2}), integers({2})}, {51, {}}, {f({4}, {1, 2, 1, 2})}},
    {"the shape first", 94, "FILL", {integers({2, 1}), f({}, {7})}, {68, {}}, {f({2, 1}, {7, 7})}},
    {"zeros", 34, "PAD", {f({1, 2}, {1, 2}), in_file(i({2, 2}, {0, 0, 1, 2}))}, {22, {}}, {f({1, 5}, {0, 1, 2, 0, 0})}},
    {"the zero point",
     34,
     "PAD",
     {q({1}, {5}, 0.5F, -3), in_file(i({1, 2}, {1, 1}))},
     {22, {}},
     {q({3}, {-3, 5, -3}, 0.5F, -3)}},
    {"a number",
     60,
     "PADV2",
     {f({1}, {1}), in_file(i({1, 2}, {1, 1})), constant({}, {9})},
     {43, {}},
     {f({3}, {9, 1, 9})}},
    {"a stored number",
     60,
     "PADV2",
     {q({1}, {5}, 0.5F, -3), in_file(i({1, 2}, {1, 1})), in_file(q({1}, {7}, 0.5F, -3))},
     {43, {}},
     {q({3}, {7, 5, 7}, 0.5F, -3)}},
    {"reflect",
     100,
     "MIRROR_PAD",
     {f({3}, {1, 2, 3}), in_file(i({1, 2}, {2, 1}))},
     {77, {byte(0, 0)}},
     {f({6}, {3, 2, 1, 2, 3, 2})}},
    {"symmetric",
     100,
     "MIRROR_PAD",
     {f({3}, {1, 2, 3}), in_file(i({1, 2}, {2, 1}))},
     {77, {byte(0, 1)}},
     {f({6}, {2, 1, 1, 2, 3, 3})}},
    {"of an image",
     38,
     "SPACE_TO_BATCH_ND",
     {f({1, 2, 2, 1}, {1, 2, 3, 4}), integers({2, 1}), in_file(i({2, 2}, {0, 0, 1, 0}))},
     {25, {}},
     {f({2, 1, 3, 1}, {0, 1, 2, 0, 3, 4})}},
    {"of a sequence",
     38,
     "SPACE_TO_BATCH_ND",
     {f({1, 4, 1}, {1, 2, 3, 4}), integers({2}), in_file(i({1, 2}, {0, 0}))},
     {25, {}},
     {f({2, 2, 1}, {1, 3, 2, 4})}},
    {"of images",
     37,
     "BATCH_TO_SPACE_ND",
     {f({2, 1, 3, 1}, {0, 1, 2, 0, 3, 4}), integers({2, 1}), in_file(i({2, 2}, {0, 0, 1, 0}))},
     {24, {}},
     {f({1, 2, 2, 1}, {1, 2, 3, 4})}},
    {"of sequences",
     37,
     "BATCH_TO_SPACE_ND",
     {f({2, 2, 1}, {1, 3, 2, 4}), integers({2}), in_file(i({1, 2}, {0, 0}))},
     {24, {}},
     {f({1, 4, 1}, {1, 2, 3, 4})}},
    {"keeping the axis",
     40,
     "MEAN",
     {f({2, 2}, {1, 2, 3, 4}), integers({1})},
     {27, {flag(0)}},
     {f({2, 1}, {1.5, 3.5})}},
    {"one axis", 40, "MEAN", {f({2, 2}, {1, 2, 3, 4}), integer(0)}, {27, {}}, {f({2}, {2, 3})}},
    {"both axes", 81, "REDUCE_PROD", {f({2, 2}, {1, 2, 3, 4}), integers({0, 1})}, {27, {}}, {f({}, {24})}},
    {"of booleans", 140, "REDUCE_ALL", {b({2, 2}, {1, 0, 1, 1}), integers({1})}, {27, {}}, {b({2}, {0, 1})}},
    {"values and indices",
     48,
     "TOPK_V2",
     {f({4}, {1, 9, 5, 9}), integer(3)},
     {34, {}},
     {f({3}, {9, 9, 5}), i({3}, {1, 3, 2})}},
    {"of each row", 56, "ARG_MAX", {f({2, 2}, {1, 2, 4, 3}), integer(1)}, {40, {byte(0, int32)}}, {i({2}, {1, 0})}},
    {"wide indices of each column",
     56,
     "ARG_MAX",
     {f({2, 2}, {1, 4, 2, 3}), integer(0)},
     {40, {byte(0, int64)}},
     {{int64, {2}, {1, 0}}}},
    {"a last axis",
     85,
     "ONE_HOT",
     {i({2}, {1, 0}), integer(3), constant({}, {5}), constant({}, {-1})},
     {61, {number(0, -1)}},
     {f({2, 3}, {-1, 5, -1, 5, -1, -1})}},
    {"of a shape that is known",
     77,
     "SHAPE",
     {f({2, 3}, {1, 2, 3, 4, 5, 6})},
     {55, {byte(0, int32)}},
     {i({2}, {2, 3})}},
    {"in 64 bits", 77, "SHAPE", {f({2, 3}, {1, 2, 3, 4, 5, 6})}, {55, {byte(0, int64)}}, {{int64, {2}, {2, 3}}}},

    {"a bias",
     3,
     "CONV_2D",
     {f({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}), constant({2, 1, 2, 1}, {1, 10, 100, 1000}), constant({2}, {0.5, -0.5})},
     conv(valid, 1, 1),
     {f({1, 2, 2, 2}, {21.5, 2099.5, 32.5, 3199.5, 54.5, 5399.5, 65.5, 6499.5})}},
    {"stride along the width, no bias, relu6",
     3,
     "CONV_2D",
     {f({1, 1, 4, 1}, {0.5, 0, 3, 4}), constant({1, 1, 2, 1}, {1, 10}), missing()},
     conv(same, 2, 1, relu6),
     {f({1, 1, 2, 1}, {0.5, 6})}},
    {"stride along the height",
     3,
     "CONV_2D",
     {f({1, 3, 1, 1}, {1, 2, 3}), constant({1, 1, 1, 1}, {1})},
     conv(valid, 1, 2),
     {f({1, 2, 1, 1}, {1, 3})}},
    {"dilation along the width",
     3,
     "CONV_2D",
     {f({1, 1, 4, 1}, {1, 2, 3, 4}), constant({1, 1, 2, 1}, {1, 10})},
     conv(valid, 1, 1, 0, 2, 1),
     {f({1, 1, 2, 1}, {31, 42})}},
    {"two groups",
     3,
     "CONV_2D",
     {f({1, 1, 1, 4}, {1, 2, 3, 4}), constant({2, 1, 1, 2}, {1, 10, 1, 10})},
     conv(valid, 1, 1),
     {f({1, 1, 1, 2}, {21, 43})}},
    {"filters that are computed",
     3,
     "CONV_2D",
     {f({1, 1, 1, 1}, {3}), f({1, 1, 1, 1}, {5})},
     conv(valid, 1, 1),
     {f({1, 1, 1, 1}, {15})}},
    {"two filters for each channel",
     4,
     "DEPTHWISE_CONV_2D",
     {f({1, 1, 2, 2}, {1, 2, 3, 4}), constant({1, 1, 2, 4}, {1, 10, 100, 1000, 2, 20, 200, 2000}),
      constant({4}, {0, 0, 0, 1})},
     depthwise(valid, 1, 1, 2),
     {f({1, 1, 1, 4}, {7, 70, 1000, 10001})}},
    {"filters that are computed",
     4,
     "DEPTHWISE_CONV_2D",
     {f({1, 1, 2, 2}, {1, 2, 3, 4}), f({1, 1, 2, 4}, {1, 10, 100, 1000, 2, 20, 200, 2000})},
     depthwise(valid, 1, 1, 2),
     {f({1, 1, 1, 4}, {7, 70, 1000, 10000})}},
    {"the odd pixel after",
     67,
     "TRANSPOSE_CONV",
     {integers({1, 1, 4, 1}), constant({1, 1, 3, 1}, {1, 10, 100}), f({1, 1, 2, 1}, {1, 2})},
     {49, {byte(0, same), number(1, 2), number(2, 1)}},
     {f({1, 1, 4, 1}, {1, 10, 102, 20})}},
    {"a bias and relu",
     67,
     "TRANSPOSE_CONV",
     {integers({1, 1, 4, 1}), constant({1, 1, 2, 1}, {1, 10}), f({1, 1, 2, 1}, {1, -2}), constant({1}, {0.5})},
     {49, {byte(0, valid), number(1, 2), number(2, 1), byte(3, relu)}},
     {f({1, 1, 4, 1}, {1.5, 10.5, 0, 0})}},
    {"a missing bias",
     9,
     "FULLY_CONNECTED",
     {f({1, 2}, {1, 2}), constant({2, 2}, {1, 10, 100, 1000}), missing()},
     {8, {}},
     {f({1, 2}, {21, 2100})}},
    {"relu",
     9,
     "FULLY_CONNECTED",
     {f({1, 2}, {1, 2}), constant({1, 2}, {1, 10}), constant({1}, {-30})},
     {8, {byte(0, relu)}},
     {f({1, 1}, {0})}},
    {"rows of a map",
     9,
     "FULLY_CONNECTED",
     {f({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), constant({1, 4}, {1, 1, 1, 1})},
     {8, {}},
     {f({2, 1}, {10, 26})}},
    {"rows across the batch",
     9,
     "FULLY_CONNECTED",
     {f({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), constant({1, 8}, {1, 1, 1, 1, 1, 1, 1, 1})},
     {8, {}},
     {f({1, 1}, {36})}},
    {"a vector",
     9,
     "FULLY_CONNECTED",
     {f({4}, {1, 2, 3, 4}), constant({1, 2}, {1, 10})},
     {8, {}},
     {f({2, 1}, {21, 43})}},
    {"keeping the axes",
     9,
     "FULLY_CONNECTED",
     {f({1, 2, 2}, {1, 2, 3, 4}), constant({1, 2}, {1, 10})},
     {8, {flag(2)}},
     {f({1, 2, 1}, {21, 43})}},
    {"b transposed",
     126,
     "BATCH_MATMUL",
     {f({1, 1, 2}, {1, 2}), f({1, 2, 2}, {1, 10, 100, 1000})},
     {101, {flag(1)}},
     {f({1, 1, 2}, {21, 2100})}},
    {"a transposed", 126, "BATCH_MATMUL", {f({2, 1}, {1, 2}), f({2, 1}, {1, 10})}, {101, {flag(0)}}, {f({1, 1}, {21})}},
    {"the odd pixel after",
     1,
     "AVERAGE_POOL_2D",
     {f({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9})},
     pool(same, 1, 1, 2, 2),
     {f({1, 3, 3, 1}, {3, 4, 4.5, 6, 7, 7.5, 7.5, 8.5, 9})}},
    {"wider than high",
     17,
     "MAX_POOL_2D",
     {f({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8})},
     pool(valid, 2, 1, 2, 1),
     {f({1, 2, 2, 1}, {2, 4, 6, 8})}},
    {"asymmetric",
     23,
     "RESIZE_BILINEAR",
     {f({1, 1, 2, 1}, {0, 12}), integers({1, 4})},
     {15, {}},
     {f({1, 1, 4, 1}, {0, 6, 12, 12})}},
    {"corners aligned",
     23,
     "RESIZE_BILINEAR",
     {f({1, 1, 2, 1}, {0, 12}), integers({1, 4})},
     {15, {flag(2)}},
     {f({1, 1, 4, 1}, {0, 4, 8, 12})}},
    {"half pixels",
     23,
     "RESIZE_BILINEAR",
     {f({1, 1, 2, 1}, {0, 12}), integers({1, 4})},
     {15, {flag(3)}},
     {f({1, 1, 4, 1}, {0, 3, 9, 12})}},
};

std::vector<std::byte> stored(const data& d) {
  switch (d.type) {
    case float32:
      return bytes_of<float>(d.numbers);
    case int32:
      return bytes_of<std::int32_t>(d.numbers);
    case int64:
      return bytes_of<std::int64_t>(d.numbers);
    default:
      return bytes_of<std::int8_t>(d.numbers);
  }
}

/// The operator alone in a file; what is no constant is an input.
file file_of(const row& r, std::vector<std::vector<double>>& inputs) {
  file made;
  call c{r.builtin, {}, {}, r.with};
  for (const data& d : r.inputs) {
    if (d.type < 0) {
      c.inputs.push_back(-1);
      continue;
    }
    const int index = made.add({d.type, d.shape, "in" + std::to_string(made.tensors.size()),
                                d.is_constant ? stored(d) : std::vector<std::byte>(), d.quantization});
    c.inputs.push_back(index);
    if (d.is_constant) continue;
    made.inputs.push_back(index);
    inputs.push_back(d.numbers);
  }
  for (const data& d : r.outputs) {
    c.outputs.push_back(made.add({d.type, d.shape, "out" + std::to_string(made.tensors.size()), {}, d.quantization}));
    made.outputs.push_back(c.outputs.back());
  }
  made.calls.push_back(c);
  return made;
}

const char* name_of(int type) {
  switch (type) {
    case float32:
      return "f32";
    case int32:
      return "i32";
    case int64:
      return "i64";
    case boolean:
      return "boolean";
    default:
      return "i8";
  }
}

void check_output(const result_tensor& got, const data& expected) {
  CHECK(got.type == name_of(expected.type));
  CHECK(got.shape == std::vector<std::int64_t>(expected.shape.begin(), expected.shape.end()));
  REQUIRE(got.numbers.size() == expected.numbers.size());
  for (std::size_t k = 0; k < got.numbers.size(); ++k)
    CHECK(got.numbers[k] == doctest::Approx(expected.numbers[k]).epsilon(1e-6));
}

TEST_CASE("tflite: every operator computes what its row says") {
  for (const row& r : table) {
    CAPTURE(r.name);
    CAPTURE(r.what);
    std::vector<std::vector<double>> inputs;
    const file made = file_of(r, inputs);
    const outcome got = run_file(made.bytes(), inputs);
    REQUIRE(got.error == "");
    REQUIRE(got.outputs.size() == r.outputs.size());
    for (std::size_t k = 0; k < got.outputs.size(); ++k) check_output(got.outputs[k], r.outputs[k]);
  }
}

TEST_CASE("tflite: every operator that is read has a row, under the number that TensorFlow gives it") {
  for (const std::string& name : names_of_operators()) {
    CAPTURE(name);
    CHECK(std::any_of(std::begin(table), std::end(table), [&](const row& r) { return r.name == name; }));
  }
  for (const row& r : table) {
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    made.calls[0].inputs.clear();
    CHECK(load_file(made.bytes())
              .error.starts_with(std::string("subgraph 0: operator 0 ") + r.name + ": inputs: got 0, expected "));
  }
}

TEST_CASE("tflite: options of another kind are refused by every operator that reads its own") {
  // The others follow their outputs' number and types.
  const std::string follow_outputs[] = {"ARG_MAX", "CAST", "SHAPE", "SPLIT", "SPLIT_V"};
  for (const row& r : table) {
    if (r.with.fields.empty() || std::ranges::count(follow_outputs, r.name) > 0) continue;
    CAPTURE(r.name);
    CAPTURE(r.what);
    std::vector<std::vector<double>> inputs;
    file made = file_of(r, inputs);
    made.calls[0].with.tag = 90;
    CHECK(load_file(made.bytes()).error == std::string("subgraph 0: operator 0 ") + r.name +
                                               ": options: got kind 90, expected kind " + std::to_string(r.with.tag));
  }
}

}  // namespace
