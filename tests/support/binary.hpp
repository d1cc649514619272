// binary: what tests of operators on two tensors share - rows of rules and shapes, and broadcasting done another way.
#pragma once

#include "support/operators.hpp"

namespace nnrt_test {

/// Two operands that Op must refuse with this rule and these two values.
template <class Rule> struct refused_pair {
  const char* what;
  tensor_desc a, b;
  Rule rule;
  std::int64_t got, expected;
};
template <class Op, class Rule> constexpr bool refused_as_stated(const refused_pair<Rule>& row) {
  return breaks(infer<Op>({}, {computed(row.a), computed(row.b)}), row.rule, row.got, row.expected);
}
template <class Op, class Rule, std::size_t N>
constexpr bool all_refused_as_stated(const refused_pair<Rule> (&table)[N]) {
  for (const refused_pair<Rule>& row : table)
    if (!refused_as_stated<Op>(row)) return false;
  return true;
}

constexpr std::int64_t number_of(dtype type) { return static_cast<std::int64_t>(type); }

/// The rows that every operator of arithmetic has to refuse: Op::rule has these enumerators.
template <class Op, auto Types = Op::rule::types_must_have_a_common_type,
          auto Booleans = Op::rule::operands_must_not_both_be_boolean,
          auto Extents = Op::rule::extents_must_be_equal_or_1>
inline constexpr refused_pair<typename Op::rule> rules_of_pairs[] = {
    {"signed and unsigned, equally wide", {i32, {2, 3}}, {u32, {2, 3}}, Types, number_of(u32), number_of(i32)},
    {"signed and a wider unsigned", {u64, {2, 3}}, {i8, {}}, Types, number_of(i8), number_of(u64)},
    {"two booleans", {boolean, {2}}, {boolean, {2}}, Booleans, 2, 1},
    {"innermost extents differ", f32_of({2, 3}), f32_of({2, 4}), Extents, 4, 3},
    {"outer extents differ", f32_of({5, 1, 3}), f32_of({6, 2, 1}), Extents, 6, 5},
    {"no elements with two", f32_of({0}), f32_of({2}), Extents, 2, 0},
    {"the innermost of two misfits is named", f32_of({7, 8}), f32_of({3, 4}), Extents, 4, 8},
    {"with an unknown extent", f32_of({-1, 3}), f32_of({2, 2}), Extents, 2, 3},
};

inline constexpr auto missing_rule = signature_rule::required_operand_must_be_given;
inline constexpr auto size_rule = signature_rule::tensor_must_not_exceed_the_size_limit;
inline constexpr std::int64_t huge = std::int64_t{1} << 30;

/// Rows of the signature alone.
inline constexpr refused_pair<signature_rule> signature_of_pairs[] = {
    {"first missing", {}, f32_of({2}), missing_rule, 0, 1},
    {"second missing", f32_of({2}), {}, missing_rule, 1, 2},
    {"result beyond the size limit", f32_of({huge, 1}), f32_of({huge}), size_rule, max_elements + 1, max_elements},
};

/// Two dtypes, in either order, and what they have in common.
struct pair_of_types {
  dtype a, b, y;
};
inline constexpr pair_of_types common_types[] = {
    {f16, f32, f32}, {f32, f64, f64}, {i64, f16, f16}, {u8, f32, f32},    {i8, i32, i32},
    {u8, u64, u64},  {u8, i16, i16},  {u32, i64, i64}, {boolean, i8, i8}, {boolean, f16, f16},
};
template <class Op> constexpr bool takes_the_common_type() {
  for (const pair_of_types& row : common_types)
    for (const bool swapped : {false, true}) {
      const operand a = computed({swapped ? row.b : row.a, {2, 3}}), b = computed({swapped ? row.a : row.b, {3}});
      const verdict v = infer<Op>({}, {a, b});
      if (!v || v.output(0) != tensor_desc{row.y, {2, 3}}) return false;
    }
  return true;
}

/// Shapes that broadcast, and to what.
struct pair_of_shapes {
  const char* what;
  shape_t a, b, y;
};
inline constexpr pair_of_shapes broadcasting_shapes[] = {
    {"equal, batch of 3", {3, 5, 7, 2}, {3, 5, 7, 2}, {3, 5, 7, 2}},
    {"scalars", {}, {}, {}},
    {"a scalar right", {2, 3}, {}, {2, 3}},
    {"a scalar left", {}, {2, 3}, {2, 3}},
    {"channels", {2, 5, 7, 3}, {3}, {2, 5, 7, 3}},
    {"channels left", {3}, {2, 5, 7, 3}, {2, 5, 7, 3}},
    {"one per image", {2, 3, 3, 4}, {2, 1, 1, 4}, {2, 3, 3, 4}},
    {"outer product", {4, 1}, {1, 5}, {4, 5}},
    {"both repeated, ranks differ", {3, 1, 5}, {2, 1, 4, 1}, {2, 3, 4, 5}},
    {"rank 8, every second axis each", {2, 1, 2, 1, 3, 1, 2, 1}, {1, 2, 1, 3, 1, 2, 1, 2}, {2, 2, 2, 3, 3, 2, 2, 2}},
    {"rank 8 with rank 1", {1, 1, 2, 1, 2, 1, 1, 3}, {1}, {1, 1, 2, 1, 2, 1, 1, 3}},
    {"no elements", {0, 3}, {1, 3}, {0, 3}},
    {"1 with 0 is 0", {2, 1}, {2, 0}, {2, 0}},
};
inline constexpr pair_of_shapes unknown_extents[] = {
    {"unknown with 1", {-1, 3}, {1, 3}, {-1, 3}},
    {"unknown with known", {-1, 3}, {4, 1}, {4, 3}},
    {"unknown with unknown", {-1, -1}, {-1, 2}, {-1, 2}},
    {"unknown with missing", {-1, 3}, {3}, {-1, 3}},
};

/// The element of x that stands at `flat` of `to`: coordinates from the innermost, 0 where x has extent 1.
template <class T> T element_at(const filled<T>& x, const shape_t& to, std::int64_t flat) {
  std::int64_t offset = 0, stride = 1;
  for (int i = 1; i <= to.rank; ++i) {
    const std::int64_t coordinate = flat % to[-i];
    flat /= to[-i];
    if (i > x.desc.rank()) continue;
    if (x.desc.shape[-i] != 1) offset += coordinate * stride;
    stride *= x.desc.shape[-i];
  }
  return x.elements[static_cast<std::size_t>(offset)];
}

/// first, first + step, first + 2 * step, …
template <class T> filled<T> counting(const shape_t& shape, T first, T step) {
  filled<T> x(shape);
  for (T& element : x.elements) {
    element = first;
    first = static_cast<T>(first + step);
  }
  return x;
}

/// The first element of Op's reference that differs from f(a, b) at its place; -1 when there is none.
template <class Op, class T, class F> std::int64_t first_difference(const pair_of_shapes& row, F f) {
  const filled<T> a = counting<T>(row.a, T(-7), T(3)), b = counting<T>(row.b, T(2), T(1));
  const filled<T> y = run<Op, T>({}, row.y, a, b);
  for (std::int64_t i = 0; i < row.y.elements(); ++i)
    if (y.elements[static_cast<std::size_t>(i)] != f(element_at(a, row.y, i), element_at(b, row.y, i))) return i;
  return -1;
}

/// Whether the reference gives exactly this for two rows of elements.
template <class Op, class T>
constexpr bool gives(std::initializer_list<T> a, std::initializer_list<T> b, std::initializer_list<T> y,
                     typename Op::attrs attrs = {}) {
  const shape_t shape{static_cast<std::int64_t>(a.size())};
  return run<Op, T>(attrs, shape, filled<T>(shape, a), filled<T>(shape, b)).elements == std::vector<T>(y);
}

}  // namespace nnrt_test
