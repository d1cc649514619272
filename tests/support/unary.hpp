// unary: what tests of operators on one tensor of floats share - the signature's rows, and comparison with golden
// numbers.
#pragma once

#include "support/operators.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace nnrt_test {

/// Whether Op refuses what no operator on one tensor of floats can take, with the signature's rules and their values;
/// `First` is the first dtype that it accepts.
template <class Op, dtype First = f16> constexpr bool refuses_other_operands() {
  constexpr std::int64_t first = static_cast<int>(First);
  constexpr auto missing_rule = signature_rule::required_operand_must_be_given;
  constexpr auto surplus_rule = signature_rule::operands_must_not_exceed_the_signature;
  constexpr auto type_rule = signature_rule::operand_type_must_be_accepted_by_the_operator;
  constexpr operand one = computed(f32_of({2})), integers = computed({i32, {2}}), booleans = computed({boolean, {2}});
  return breaks(infer<Op>({}, {}), missing_rule, 0, 1) && breaks(infer<Op>({}, {missing()}), missing_rule, 0, 1) &&
         breaks(infer<Op>({}, {one, one}), surplus_rule, 2, 1) &&
         breaks(infer<Op>({}, {integers}), type_rule, 4, first) &&
         breaks(infer<Op>({}, {booleans}), type_rule, 1, first);
}

/// Descs of every kind that such an operator gives back as they came.
inline constexpr tensor_desc descs_of_floats[] = {
    {f32, {3, 5, 7, 2}}, {f16, nchw, {2, 3, 4, 4}},       {f64, {}}, {f32, {-1, 4}},
    {f32, {0, 2}},       {f32, {1, 2, 1, 3, 1, 2, 1, 2}},
};
template <class Op> constexpr bool gives_back(const tensor_desc& x) {
  const verdict v = infer<Op>({}, {computed(x)});
  return v && v.outputs.size() == 1 && v.output(0) == x;
}

/// A number and what the function makes of it.
struct golden {
  double x, y;
};

/// The largest distance between Op's reference for element type T and golden numbers, in units of the last place of T
/// at `y`, or at 1 where y is smaller.
template <class Op, class T, std::size_t N>
constexpr double largest_error(const golden (&table)[N], typename Op::attrs attrs = {}) {
  double largest = 0;
  for (const golden& row : table) {
    const T y = run<Op, T>(attrs, {1}, filled<T>({1}, {math::convert<T>(row.x)})).elements[0];
    const double unit = std::is_same_v<T, double> ? 0x1p-52 : std::is_same_v<T, float> ? 0x1p-23 : 0x1p-10;
    const double size = math::abs(row.y) < 1 ? 1 : math::abs(row.y),
                 error = math::abs(math::convert<double>(y) - row.y) / size / unit;
    if (math::is_nan(error)) return error;
    largest = error > largest ? error : largest;
  }
  return largest;
}

/// What quantised values need in addition to the dtype, by their rules: one scale each, of the operand and of the
/// result. (Plain integers are refused where `IsReal`.)
template <class Op, auto Input, auto Output, bool IsReal = true>
constexpr bool asks_for_scales(const typename Op::attrs& attrs = {}) {
  constexpr quant half{0.5F, 3};
  const tensor_desc wish{dtype::none, nd, {}, half};
  const operand plain = computed({i8, {2}}), channels = computed({i8, nd, {2}, per_channel<0>}),
                one = computed({i8, nd, {2}, half});
  if (IsReal && !breaks(infer<Op>(attrs, {plain}, {wish}), Input, 0, 1)) return false;
  return breaks(infer<Op>(attrs, {channels}, {wish}), Input, 2, 1) && breaks(infer<Op>(attrs, {one}), Output, 0, 1) &&
         infer<Op>(attrs, {one}, {wish}).output(0) == tensor_desc{i8, nd, {2}, half};
}

/// How many of all 256 quantised values of 8 bits Op does not bring to the nearest step of f, halves away from zero.
/// Where a result lies within 1e-4 of the middle between two steps either is right. What a number stands for is a
/// float, and what is no number is stored as the zero point.
template <class Op, class T, class F> int wrong_steps(quant from, quant to, F f, const typename Op::attrs& attrs = {}) {
  filled<T> x({256}), y({256});
  x.desc.quantised = from, y.desc.quantised = to;
  constexpr int lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  for (int i = 0; i < 256; ++i) x.elements[static_cast<std::size_t>(i)] = static_cast<T>(lowest + i);
  const view in[] = {x.as_view()}, out[] = {y.as_view()};
  Op::template reference<T>(attrs, in, out);
  int wrong = 0;
  for (std::size_t i = 0; i < 256; ++i) {
    const double real = static_cast<float>((x.elements[i] - from.zero_point) * double{from.scale});
    const double steps = f(real) / double{to.scale};
    const double nearest =
        std::isnan(steps) ? to.zero_point : std::fmax(std::fmin(std::round(steps), 1000), -1000) + to.zero_point;
    const int expected = static_cast<int>(std::fmax(std::fmin(nearest, highest), lowest));
    const int off = std::abs(y.elements[i] - expected);
    const bool is_middle = std::fabs(std::fabs(steps - std::floor(steps)) - 0.5) < 1e-4;
    if (off > (is_middle ? 1 : 0)) ++wrong;
  }
  return wrong;
}

/// The reference's answer for one float.
template <class Op> constexpr float at(float x, typename Op::attrs attrs = {}) {
  return run<Op, float>(attrs, {1}, filled<float>({1}, {x})).elements[0];
}

}  // namespace nnrt_test
