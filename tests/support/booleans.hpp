// booleans: what tests of operators share that give booleans for two tensors. (A vector of bool has no elements to
// point to.)
#pragma once

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>

#include "support/binary.hpp"

#include <limits>

namespace nnrt_test {

/// Whether Op's reference, computing with T, says this of a and b, one boolean after the other.
template <class Op, class T, class A = T, class B = T>
constexpr bool says(std::initializer_list<std::type_identity_t<A>> a, std::initializer_list<std::type_identity_t<B>> b,
                    std::initializer_list<bool> expected) {
  const shape_t shape{static_cast<std::int64_t>(expected.size())};
  const tensor_desc x{dtype_for<A>(), shape}, y{dtype_for<B>(), shape}, z{boolean, shape};
  A left[8] = {};
  B right[8] = {};
  bool got[8] = {};
  for (std::size_t i = 0; i < a.size(); ++i) left[i] = a.begin()[i], right[i] = b.begin()[i];
  const view in[] = {{&x, left}, {&y, right}}, out[] = {{&z, got}};
  Op::template reference<T>({}, in, out);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (got[i] != expected.begin()[i]) return false;
  return true;
}

/// Where Op's reference first differs from f in a row of shapes; -1: nowhere.
template <class Op, class T, class F> std::int64_t first_untruth(const pair_of_shapes& row, F f) {
  const filled<T> a = counting<T>(row.a, T(-7), T(3)), b = counting<T>(row.b, T(2), T(1));
  filled<T> left = a, right = b;
  const tensor_desc booleans{boolean, row.y};
  bool got[1024] = {};
  if (row.y.elements() > 1024) return row.y.elements();
  const view in[] = {left.as_view(), right.as_view()}, out[] = {{&booleans, got}};
  Op::template reference<T>({}, in, out);
  for (std::int64_t i = 0; i < row.y.elements(); ++i)
    if (got[i] != f(element_at(a, row.y, i), element_at(b, row.y, i))) return i;
  return -1;
}

/// Whether images with channels of this dtype give booleans of the image's shape and format, in either order.
template <class Op> constexpr bool compares_in_either_order(dtype type) {
  const operand x = computed({type, nchw, {2, 3, 4, 5}}), channels = computed({type, {3, 1, 1}});
  const tensor_desc y{boolean, nchw, {2, 3, 4, 5}};
  return infer<Op>({}, {x, channels}).output(0) == y && infer<Op>({}, {channels, x}).output(0) == y;
}

/// Whether operands of these shapes and of this dtype have the common shape that is stated, in either order.
template <class Op> constexpr bool broadcasts_as_stated(const pair_of_shapes& row, dtype type = f32) {
  const operand a = computed({type, row.a}), b = computed({type, row.b});
  return shape_of(infer<Op>({}, {a, b})) == row.y && shape_of(infer<Op>({}, {b, a})) == row.y;
}

/// Whether quantised values are compared when both operands hold some, of one dtype and with one scale each, and
/// refused by name when they do not.
template <class Op, auto BothOrNone, auto Types, auto EqualTypes, auto OneScale>
constexpr bool asks_for_scales_of_both() {
  const auto stored = [](dtype type, quantisation q = quant{0.5F, 3}) { return computed({type, nd, {2}, q}); };
  const operand one = stored(i8), plain = computed({i8, {2}});
  return breaks(infer<Op>({}, {plain, one}), BothOrNone, 1, 0) &&
         breaks(infer<Op>({}, {one, plain}), BothOrNone, 0, 1) &&
         breaks(infer<Op>({}, {stored(i32), stored(i32)}), Types, int(i32), int(i8)) &&
         breaks(infer<Op>({}, {one, stored(i16)}), EqualTypes, int(i16), int(i8)) &&
         breaks(infer<Op>({}, {one, stored(i8, per_channel<0>)}), OneScale, 2, 1) &&
         infer<Op>({}, {one, one}).output(0) == tensor_desc{boolean, nd, {2}};
}

/// Whether Op's reference says of all pairs of a few quantised values, of scales 1/2 and 1/4, what f says of the real
/// ones, which are multiples of 1/256.
template <class Op, class F> bool compares_what_is_meant(F f) {
  constexpr std::int8_t numbers[] = {-128, -97, -3, -2, 0, 1, 3, 4, 96, 127};
  const tensor_desc a{i8, nd, {10, 1}, quant{0.5F, 3}}, b{i8, nd, {1, 10}, quant{0.25F, -3}}, y{boolean, {10, 10}};
  std::int8_t left[10], right[10];
  bool got[100] = {};
  for (std::size_t i = 0; i < 10; ++i) left[i] = right[i] = numbers[i];
  const view in[] = {{&a, left}, {&b, right}}, out[] = {{&y, got}};
  Op::template reference<std::int8_t>({}, in, out);
  for (std::size_t i = 0; i < 100; ++i)
    if (got[i] != f((numbers[i / 10] - 3) * 0.5, (numbers[i % 10] + 3) * 0.25)) return false;
  return true;
}

/// Whether it says so of 16-bit numbers of every two of these scales, too, which are so large that 32 bits hold few of
/// them.
template <class Op, class F> bool compares_what_is_large(F f) {
  constexpr std::int16_t numbers[] = {-32768, -32767, -20000, -30000, -1, 0, 1, 20000, 32766, 32767};
  constexpr float scales[] = {0.5F, 512, 0x1p16F, 0x1.000002p30F, 0x1p40F, 1e30F, std::numeric_limits<float>::max()};
  std::int16_t left[10], right[10];
  for (std::size_t i = 0; i < 10; ++i) left[i] = right[i] = numbers[i];
  for (const float of_a : scales)
    for (const float of_b : scales) {
      const tensor_desc a{i16, nd, {10, 1}, quant{of_a, 0}}, b{i16, nd, {1, 10}, quant{of_b, -1}}, y{boolean, {10, 10}};
      bool got[100] = {};
      const view in[] = {{&a, left}, {&b, right}}, out[] = {{&y, got}};
      Op::template reference<std::int16_t>({}, in, out);
      for (std::size_t i = 0; i < 100; ++i)
        if (got[i] != f(numbers[i / 10] * double{of_a}, (numbers[i % 10] + 1) * double{of_b})) return false;
    }
  return true;
}

/// Every row of a comparison's own rules and every row of the signature's are refused as they say.
template <class Op, class Rows> void check_refusals_of_comparison(const Rows& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<Op>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<Op>(row));
  }
}

/// The result is boolean and of the common shape, for every dtype and every row of shapes.
template <class Op> void check_shapes_of_comparison() {
  for (int type = 1; type < dtype_count; ++type) CHECK(compares_in_either_order<Op>(static_cast<dtype>(type)));
  for (const pair_of_shapes& row : broadcasting_shapes) CHECK(broadcasts_as_stated<Op>(row));
  for (const pair_of_shapes& row : unknown_extents) CHECK(broadcasts_as_stated<Op>(row));
}

/// A graph that compares an input f32 [2, 3] with a weight, then the number 0 with the input.
inline void check_graph_of_comparisons(const ir::graph& g, op_code code) {
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[0].op->code == code);
  CHECK(g.at(g.outputs[1].value).desc == tensor_desc{boolean, {2, 3}});
  CHECK(g.at(g.inputs_of(g.nodes[1])[0]).desc == f32_of({}));
}

}  // namespace nnrt_test
