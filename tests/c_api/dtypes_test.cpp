// dtypes_test: the dtypes that every operation of NNRt takes and gives, and the limits of its documents.
// Flow: the table is compared with the operators' own; a row changes with the documents, or where an operator learns a
// dtype.
#include <nnrt/c_api/operations.hpp>

#include <nnrt/core/kernel.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace nnrt;
namespace api = nnrt::c_api;

/// A set of dtypes in a word, or its members.
std::string text_of(dtype_set set) {
  struct named {
    dtype_set of;
    const char* name;
  };
  for (const named& one : {named{types::any, "any"},
                           {types::number, "number"},
                           {types::floating, "floating"},
                           {types::integer, "integer"},
                           {types::index, "index"},
                           {types::logical, "boolean"}})
    if (set == one.of) return one.name;
  std::string text;
  if ((set.bits & types::floating.bits) == types::floating.bits) text = "floating", set.bits &= ~types::floating.bits;
  for (int i = 1; i < dtype_count; ++i)
    if (set.contains(static_cast<dtype>(i)))
      text += std::string(text.empty() ? "" : "|") + std::string(name_of(static_cast<dtype>(i)));
  return text;
}
/// "x any, axis index constant -> y any"; an optional operand has a "?", a list of any length "...".
std::string text_of(const operator_info& op) {
  std::string text;
  for (const operand_spec& s : op.inputs)
    text += (text.empty() ? "" : ", ") + std::string(s.role) + " " + text_of(s.accepts) +
            (s.constant ? " constant" : "") +
            (s.given == presence::optional   ? "?"
             : s.given == presence::variadic ? "..."
                                             : "");
  text += " ->";
  const char* separator = " ";
  for (const operand_spec& s : op.outputs)
    text += separator + std::string(s.role) + " " + text_of(s.accepts), separator = ", ";
  return text;
}

struct row {
  int number;
  const char* operands;
};

// The documents limit: cos, log, reciprocal, sin, ceil and floor to floats, erf to f32 and f16, logical_* to booleans,
// comparisons and rank by their results, squared_difference to f16, f32, i32 and booleans, scatter_nd's and gather_nd's
// indices to i32 and i64. Elsewhere they name no dtype: there operators take what their formula has a meaning for.
// Functions of real numbers give fractions: of integers they take those that stand for real numbers, i8, u8 and i16
// with a scale. Layers and pools take i32 and i64 without one: sums wrap around in the dtype's own width, means are
// truncated toward zero.
constexpr row table[] = {
    {1, "a any, b any -> y number"},
    {2, "x floating|i8|i16|i32|i64|u8 -> y floating|i8|i16|i32|i64|u8"},
    {3,
     "x floating|i8|i16|u8, scale floating|i8|i16|u8, offset floating|i8|i16|u8, mean floating|i8|i16|u8, variance "
     "floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {4, "x any -> y any"},
    {5, "x number, bias number -> y number"},
    {6, "x any, type integer constant -> y any"},
    {7, "x any... -> y any"},
    {8,
     "x floating|i8|i16|i32|i64|u8, weight floating|i8|i32|i64|u8, bias floating|i32|i64? -> y "
     "floating|i8|i16|i32|i64|u8"},
    {9,
     "x floating|i8|i16|i32|i64|u8, weight floating|i8|i32|i64|u8, bias floating|i32|i64? -> y "
     "floating|i8|i16|i32|i64|u8"},
    {10,
     "x floating|i8|i16|i32|i64|u8, weight floating|i8|i32|i64|u8, bias floating|i32|i64? -> y "
     "floating|i8|i16|i32|i64|u8"},
    {11, "a any, b any -> y number"},
    {12, "a number, b number -> y number"},
    {13, "x any, axis index constant -> y any"},
    {14, "value any, shape index -> y any"},
    {15,
     "x floating|i8|i16|i32|i64|u8, weight floating|i8|i32|i64|u8, bias floating|i32|i64? -> y "
     "floating|i8|i16|i32|i64|u8"},
    {16, "x any, indices index, axis index constant -> y any"},
    {17, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {18, "a any, b any -> y boolean"},
    {19, "a floating|i8|i16|i32|i64|u8, b floating|i8|i16|i32|i64|u8 -> y floating|i8|i16|i32|i64|u8"},
    {20, "a any, b any -> y number"},
    {21, "x number -> y number"},
    {22, "a any, b any -> y number"},
    {23, "indices index, depth index, on_value any, off_value any -> y any"},
    {24, "x any, paddings index constant -> y any"},
    {25, "x any, y any -> z number"},
    {26, "x number, scale number, bias number -> y number"},
    {27, "x any -> y i32"},
    {28, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {29, "x any, begin index constant, size index constant -> y any"},
    {30, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {31, "x any -> y any"},
    {32, "x any -> y any"},
    {33, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {34, "a any, b any -> y number"},
    {35, "x any -> y any"},
    {36, "x any... -> y any"},
    {37, "x any, begin index, end index, strides index -> y any"},
    {38, "a any, b any -> y number"},
    {39, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {40, "x any, multiples index -> y any"},
    {41, "x any, perm index constant -> y any"},
    {42, "x floating|i8|i16|i32|i64|u8, axes index constant? -> y floating|i8|i16|i32|i64|u8"},
    {43, "x floating|i8|i16|u8, size index constant? -> y floating|i8|i16|u8"},
    {44, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {45, "x any, shape index constant -> y any"},
    {46, "x floating|i8|i16|u8, weight floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {47, "x number -> y number"},
    {48, "x number -> y number"},
    {49, "x floating|i8|i16|u8, gamma floating|i8|i16|u8, beta floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {50, "x number, axes index constant? -> y number"},
    {51, "x boolean, axes index constant? -> y boolean"},
    {52, "x floating|i8|i16|i32|u8 -> y floating|i8|i16|i32|u8"},
    {53, "x number, k integer constant -> values number, indices i32"},
    {54, "x number -> y number"},
    {55, "x any -> y any"},
    {56, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {57, "x any -> y any"},
    {58, "x number -> y number"},
    {59, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {60, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {61, "a any, b any -> y boolean"},
    {62, "condition boolean, a any, b any -> y any"},
    {63, "x number -> y number"},
    {64, "x any -> y any"},
    {65, "x any -> y any"},
    {66, "x number -> y number"},
    {67, "x floating, scale floating, bias floating -> y floating"},
    {68, "shape index -> y any"},
    {69, "x any -> y any"},
    {70, "a any, b any -> y boolean"},
    {71, "a any, b any -> y boolean"},
    {72, "a any, b any -> y boolean"},
    {73, "a any, b any -> y boolean"},
    {74, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {75,
     "x floating, w_ih floating, w_hh floating, bias floating?, hx floating?, cx floating? -> y floating, hy floating, "
     "cy floating"},
    {76, "x number -> y number"},
    {77, "x any, axes index constant? -> y boolean"},
    {78, "condition boolean, data any -> y boolean"},
    {79, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {80, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {81, "a boolean, b boolean -> y boolean"},
    {82, "x boolean -> y boolean"},
    {83, "a any, b any -> y number"},
    {84, "x number -> y number"},
    {85, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {86, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {87, "condition boolean, a any, b any -> y any"},
    {88, "indices index, values any, shape index constant -> y any"},
    {89, "a boolean, b boolean -> y boolean"},
    {90, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {91, "x any, shape index constant -> y any"},
    {92,
     "bbox floating|i8|u8, scores floating|i8|u8, anchors floating|i8|u8 -> bboxes floating, classes floating, "
     "confidences floating, detections floating"},
    {93, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {94, "x floating|i8|u8 -> y floating|i8|u8"},
    {95, "x floating|i8|u8 -> y floating|i8|u8"},
    {96, "x floating -> y floating"},
    {97, "a any, b any -> y number"},
    {98, "x any -> y i32"},
    {99, "x any, axes index constant? -> y any"},
    {100, "x any, axes index constant? -> y any"},
    {101, "x number, axes index constant? -> y number"},
    {102, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {103, "indices index, updates number, shape index constant -> y number"},
    {104, "x any -> y any"},
    {105, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {106, "x floating, axes index constant? -> y floating"},
    {107, "x floating|i8|i16|u8 -> y floating|i8|i16|u8"},
    {108, "x any, indices index -> y any"},
};

}  // namespace

TEST_CASE("operations: operands and results of every operation have these dtypes, and no others") {
  int number = 0;
  for (const row& r : table) {
    CAPTURE(r.number);
    CHECK(r.number == ++number);
    CHECK(text_of(*api::find_operation(r.number)->op) == r.operands);
  }
  CHECK(number == 108);
}
