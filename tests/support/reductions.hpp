// reductions: what tests of operators share that fold the elements along some axes.
#pragma once

#include <support/refused.hpp>

namespace nnrt_test {

constexpr ops::detail::reduction_attributes keeping(bool keep_dims) {
  ops::detail::reduction_attributes a;
  a.keep_dims = keep_dims;
  return a;
}
constexpr ops::detail::reduction_attributes to_end(float coefficient) {
  ops::detail::reduction_attributes a;
  a.reduce_to_end = true;
  a.coefficient = coefficient;
  return a;
}

inline constexpr operand x23 = computed(f32_of({2, 3}));
inline constexpr operand matrix_of_axes{tensor_desc{i64, {1, 2}}, numbers<0, 1>, true};
inline constexpr operand axis_2 = integers(numbers<0, 2>), axis_before = integer(numbers<-3>);

/// What a reduction of x along these axes has for a shape.
struct reduced_shape {
  const char* what;
  ops::detail::reduction_attributes a;
  shape_t x;
  operand axes;
  shape_t y;
};
inline constexpr reduced_shape reduced_shapes[] = {
    {"height and width", {}, {2, 5, 7, 3}, integers(numbers<1, 2>), {2, 3}},
    {"kept, from the end", keeping(true), {2, 5, 7, 3}, integers(numbers<-2, 1>), {2, 1, 1, 3}},
    {"one axis by two names", {}, {2, 5}, integers(numbers<1, -1>), {2}},
    {"one axis, as a scalar", {}, {2, 5}, integer(numbers<0>), {5}},
    {"no axis means all", {}, {2, 5}, integers(numbers<>), {}},
    {"no operand means all, kept", keeping(true), {2, 5}, missing(), {1, 1}},
    {"to the end", to_end(0), {2, 5, 7, 3}, integers(numbers<-3>), {2}},
    {"an unknown batch, folded", keeping(true), {-1, 5}, integers(numbers<0>), {1, 5}},
    {"with an unknown batch", {}, {-1, 5}, integers(numbers<1>), {-1}},
    {"along no elements", {}, {3, 0}, integers(numbers<1>), {3}},
    {"rank 8", {}, {1, 2, 1, 2, 1, 2, 1, 2}, integers(numbers<0, 2, 4, 6>), {2, 2, 2, 2}},
};

/// The elements of Op's reference for x along these axes.
template <class Op, class T>
constexpr std::vector<T> reduced(const typename Op::attrs& a, shape_t y, filled<T> x, std::vector<std::int32_t> axes) {
  const auto count = static_cast<std::int64_t>(axes.size());
  return run<Op, T>(a, y, x, filled<std::int32_t>({count}, axes)).elements;
}

}  // namespace nnrt_test
