// reduction: common parts of operators that reduce along axes - attributes, rules about axes, iteration.
// Flow: used by infer and reference of reduce_mean, reduce_sum and similar operators, and of all; kernels call
// reduced_axes().
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Attributes of a reduction; its axes are an operand.
struct reduction_attributes {
  NNRT_ATTRIBUTES(reduction_attributes, (bool, keep_dims), (bool, reduce_to_end), (float, coefficient));
  constexpr reduction_attributes() : keep_dims(false), reduce_to_end(false), coefficient(0) {}

  /// Factor of the result: the coefficient applies only with reduce_to_end, and 0 (NNRt's default) means none.
  constexpr float factor() const { return reduce_to_end && coefficient != 0 ? coefficient : 1.0F; }
};

/// The reduced axes for a list: all if it is empty; with reduce_to_end all from the first one on.
constexpr chosen_axes reduced_axes(const reduction_attributes& a, const chosen_axes& listed, int rank) {
  if (listed.count > 0 && !a.reduce_to_end) return listed;
  chosen_axes all;
  for (int i = listed.count > 0 ? listed.items[0] : 0; i < rank; ++i) all.items[all.count++] = i;
  return all;
}

/// The reduced axes for checked operands: x and the optional list.
constexpr chosen_axes reduced_axes(const reduction_attributes& a, arguments in) {
  chosen_axes listed;
  if (in.size() > 1 && in[1])
    for (int i = 0; i < in[1].elements(); ++i) listed.add(normalise_axis(in[1].integer(i), in[0].rank()));
  return reduced_axes(a, listed, in[0].rank());
}

/// Output of a reduction of in[0] along the axes in in[1], with its dtype; or the broken rule.
template <class Rule> constexpr verdict infer_reduction(const reduction_attributes& a, array_ref<const operand> in) {
  const tensor_desc& x = in[0].desc;
  array_ref<const std::int64_t> list;
  if (in.size() > 1 && in[1]) {
    if (auto v = require_at_most(Rule::axes_must_be_a_list_or_one_number, in[1].desc.rank(), 1); !v) return v;
    if (!in[1].has_values()) return refuse(Rule::axes_must_be_known, 0, 1);
    list = in[1].values;
  }
  chosen_axes listed;
  for (const std::int64_t number : list) {
    const int axis = normalise_axis(number, x.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_input, number, x.rank() - 1);
    listed.add(axis);
  }
  const chosen_axes chosen = reduced_axes(a, listed, x.rank());
  shape_t y;
  for (int i = 0; i < x.rank(); ++i) {
    if (!chosen.contains(i)) y.push_back(x.shape[i]);
    else if (a.keep_dims) y.push_back(1);
  }
  return ok(x.with_shape(y));
}

/// Each element of y = finish(state, count), after step(state, element) for its `count` elements of x in row-major
/// order.
template <class T, class R = T, class State, class Step, class Finish>
constexpr void reduce(const reduction_attributes& a, arguments in, results out, State start, Step step, Finish finish) {
  const auto x = in[0].as<const T>();
  const auto y = out[0].as<R>();
  const chosen_axes chosen = reduced_axes(a, in);
  // Both with x's rank: one iterates over results, one over the elements of each.
  shape_t kept = x.shape, run = x.shape;
  for (int i = 0; i < x.rank(); ++i) {
    // A named reference: with -fsanitize=shift g++ 12 gives (a ? b : c)[i] an index that one branch never set.
    shape_t& without = chosen.contains(i) ? kept : run;
    without[i] = 1;
  }
  const std::int64_t count = run.elements();
  shape_t first;
  first.rank = x.rank();
  for (std::int64_t i = 0; i < y.elements(); ++i, next_index(first, kept)) {
    State state = start;
    shape_t at;
    at.rank = x.rank();
    for (std::int64_t left = count; left > 0; --left, next_index(at, run)) {
      shape_t element = first;
      for (int axis = 0; axis < at.rank; ++axis) element[axis] += at[axis];
      step(state, x.at(element));
    }
    y[i] = finish(state, count);
  }
}

/// A result times the factor of reduction_attributes, as an element: integers are truncated toward zero and saturated.
template <class T, class Wide> constexpr T times_factor(Wide result, float factor) {
  if constexpr (!std::is_integral_v<T>) return math::convert<T>(result * static_cast<Wide>(factor));
  else if (factor == 1) return static_cast<T>(result);  // a double would round large integers
  else return math::convert<T>(math::convert<double>(static_cast<T>(result)) * double{factor});
}

/// The first element in the order before(x, y); NaN precedes all; `none` is the result for no elements.
template <class T, class Wide, class Before>
constexpr void reduce_to_first(const reduction_attributes& a, arguments in, results out, Wide none, Before before) {
  const auto step = [&](Wide& first, T element) {
    const auto x = static_cast<Wide>(element);
    if constexpr (!std::is_integral_v<T>)
      if (math::is_nan(x)) first = x;
    if (before(x, first)) first = x;
  };
  reduce<T>(a, in, out, none, step,
            [factor = a.factor()](Wide first, std::int64_t) { return times_factor<T>(first, factor); });
}

/// Whether all elements are true; numbers are true if they are not 0, also NaN.
template <class T> constexpr void reduce_truths(const reduction_attributes& a, arguments in, results out) {
  reduce<T, bool>(
      a, in, out, true, [](bool& all, T element) { all = all && math::convert<bool>(element); },
      [](bool all, std::int64_t) { return all; });
}

/// Common part of reductions of numbers of these dtypes; each has its parameters, rules and arithmetic.
template <dtype_set Types, quantised_values Quantised = quantised_values::refused> struct plain_reduction {
  static constexpr operand_spec inputs[] = {{"x", Types}, {"axes", types::index, presence::optional, true}};
  static constexpr operand_spec outputs[] = {{"y", Types}};
  static constexpr operator_traits traits{.quantised = Quantised, .axes = axis_role::reduced};
  using attrs = reduction_attributes;
  static constexpr auto macs = no_macs;
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
