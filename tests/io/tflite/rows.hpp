// rows: one builtin operator each, with operands, options and what comes out; the tables of them.
#pragma once

#include <string>
#include <vector>

#include "../../support/tflite_file.hpp"

namespace tflite_test {

/// An operand or a result: element type, shape and numbers; constants stand in the file.
struct data {
  int type;
  std::vector<std::int32_t> shape;
  std::vector<double> numbers;
  bool is_constant = false;
  quantized quantization = {};
  bool is_variable = false;  // and no input: without numbers
};
/// How an operator stores what it computes on the way.
struct intermediate {
  int type;
  quantized quantization;
};

inline data f(std::vector<std::int32_t> shape, std::vector<double> numbers) { return {float32, shape, numbers}; }
inline data i(std::vector<std::int32_t> shape, std::vector<double> numbers) { return {int32, shape, numbers}; }
inline data b(std::vector<std::int32_t> shape, std::vector<double> numbers) { return {boolean, shape, numbers}; }
inline data q(std::vector<std::int32_t> shape, std::vector<double> numbers, float scale, std::int64_t zero_point) {
  return {int8, shape, numbers, false, {{scale}, {zero_point}}};
}
inline data u(std::vector<std::int32_t> shape, std::vector<double> numbers, float scale, std::int64_t zero_point) {
  return {uint8, shape, numbers, false, {{scale}, {zero_point}}};
}
inline data q16(std::vector<std::int32_t> shape, std::vector<double> numbers, float scale) {
  return {int16, shape, numbers, false, {{scale}, {0}}};
}
inline data q32(std::vector<std::int32_t> shape, std::vector<double> numbers, float scale) {
  return {int32, shape, numbers, false, {{scale}, {0}}};
}
/// In the file.
inline data in_file(data d) {
  d.is_constant = true;
  return d;
}
inline data constant(std::vector<std::int32_t> shape, std::vector<double> numbers) {
  return in_file(f(shape, numbers));
}
inline data integers(std::vector<double> numbers) {
  return in_file(i({static_cast<std::int32_t>(numbers.size())}, numbers));
}
inline data integer(double number) { return in_file(i({}, {number})); }
inline data missing() { return {-1, {}, {}}; }

// Bytes, integers, floats and flags in options.
inline field byte(int slot, int value) { return {slot, static_cast<std::int8_t>(value)}; }
inline field number(int slot, int value) { return {slot, std::int32_t{value}}; }
inline field flag(int slot) { return {slot, true}; }
inline field real(int slot, float value) { return {slot, value}; }
inline field list(int slot, std::vector<std::int32_t> values) { return {slot, values}; }

inline options conv(int padding, int stride_w, int stride_h, int fused = 0, int dilation_w = 1, int dilation_h = 1) {
  return {1,
          {byte(0, padding), number(1, stride_w), number(2, stride_h), byte(3, fused), number(4, dilation_w),
           number(5, dilation_h)}};
}
inline options depthwise(int padding, int stride_w, int stride_h, int multiplier, int fused = 0) {
  return {2, {byte(0, padding), number(1, stride_w), number(2, stride_h), number(3, multiplier), byte(4, fused)}};
}
inline options pool(int padding, int stride_w, int stride_h, int filter_w, int filter_h) {
  return {5, {byte(0, padding), number(1, stride_w), number(2, stride_h), number(3, filter_w), number(4, filter_h)}};
}
inline options strided(int begin, int end, int ellipsis, int new_axis, int shrink) {
  return {32, {number(0, begin), number(1, end), number(2, ellipsis), number(3, new_axis), number(4, shrink)}};
}

inline constexpr int same = 0, valid = 1, relu = 1, relu6 = 3;

struct row {
  const char* what;
  int builtin;
  const char* name;
  std::vector<data> inputs;
  options with;
  std::vector<data> outputs;
  std::vector<intermediate> intermediates = {};
};

/// The operator alone in a file; what is neither a constant nor a variable is an input.
file file_of(const row& r, std::vector<std::vector<double>>& inputs);

/// Operators that become one of ours, or several; those that are put together of others; what is done with quantised
/// values; and recurrent layers.
std::vector<row> rows_of_operators();
std::vector<row> rows_of_composed_operators();
std::vector<row> rows_of_quantised_operators();
std::vector<row> rows_of_sequences();

}  // namespace tflite_test
