// strided_slice: elements with a stride between two positions of each axis; it can keep, add and remove axes.
// Flow: front ends call infer(); kernels/select.hpp binds the copy.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// x[begin[0]:end[0]:strides[0], …]: every stride-th element from `begin` to `end`, exclusive.
///
///   x: any shape      begin, end, strides: [S] integers, S <= 17      y: rank <= 8
///
/// Entry i of the three lists belongs to axis i of x; further axes are taken whole. begin and end count from the end
/// when negative and are clamped to the axis, so that a cut may be empty. A negative stride goes backwards, from begin
/// down to the element after end. Bit i of a mask changes the meaning of entry i:
///
///   begin_mask         starts at the first element (at the last one for a negative stride)
///   end_mask           ends after the last element (after the first one for a negative stride)
///   ellipsis_mask      as many whole axes as the other entries leave; one bit at most
///   new_axis_mask      not an axis of x, but a new one of extent 1
///   shrink_axis_mask   the element at begin, which must be in the axis; y does not have this axis
///
/// If an entry has several bits, the ellipsis takes precedence, then the new axis. Lists that are known only at run
/// time need an output of declared shape and must give that shape.
///
/// Broken rules: see `rule`; values: entries, axes, extents. Source: NNRt OH_NN_OPS_STRIDED_SLICE, with open cases as
/// in TensorFlow.
struct strided_slice {
  static constexpr op_code code{37};
  static constexpr std::string_view name = "strided_slice";
  static constexpr operand_spec inputs[] = {
      {"x", types::any}, {"begin", types::index}, {"end", types::index}, {"strides", types::index}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{
      .quantised = quantised_values::kept, .may_fail = true, .axes = axis_role::strided};
  static constexpr foreign_numbers foreign{.nnrt = 37, .hdi = 151, .tells_quantisation = 0};
  static constexpr nnrt_parameter parameters[] = {{"begin_mask", 54, i64, -1},
                                                  {"end_mask", 55, i64, -1},
                                                  {"ellipsis_mask", 56, i64, -1},
                                                  {"new_axis_mask", 57, i64, -1},
                                                  {"shrink_axis_mask", 58, i64, -1}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, begin_mask), (std::int64_t, end_mask), (std::int64_t, ellipsis_mask),
                    (std::int64_t, new_axis_mask), (std::int64_t, shrink_axis_mask));
    constexpr attrs() : begin_mask(0), end_mask(0), ellipsis_mask(0), new_axis_mask(0), shrink_axis_mask(0) {}
  };

  enum class rule {
    begin_must_be_a_list,
    length_of_begin_must_be_known,
    begin_must_have_at_most_17_numbers,
    end_must_be_as_long_as_begin,
    strides_must_be_as_long_as_begin,
    only_one_ellipsis_may_be_given,
    numbers_must_not_exceed_the_axes,
    output_rank_must_be_at_most_8,
    stride_must_not_be_0,
    begin_of_a_shrunk_axis_must_lie_in_it,
    extent_must_be_that_of_the_output,
  };

  /// 8 axes, 8 new ones, and an ellipsis.
  static constexpr std::int64_t max_numbers = 2 * max_rank + 1;

  /// Cut of an axis of x.
  struct cut {
    int number = -1;  // entry of the lists; -1: none, the whole axis
    bool is_shrunk = false;
    std::int64_t first = 0, step = 1;
    std::int64_t extent = 0;  // -1: not known yet
  };
  /// A slice: the cut of each axis of x, and the axes of y.
  struct cuts {
    cut of[max_rank] = {};
    int axes[max_rank] = {};  // of x, for each axis of y; -1: a new one
    int rank = 0;             // of y

    constexpr shape_t shape() const {
      shape_t y;
      for (int i = 0; i < rank; ++i) y.push_back(axes[i] < 0 ? 1 : of[axes[i]].extent);
      return y;
    }
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require(Rule::begin_must_be_a_list, in[1].desc.rank(), 1); !v) return v;
    const std::int64_t count = in[1].desc.elements();
    if (count < 0) return refuse(Rule::length_of_begin_must_be_known, 0, 1);
    if (auto v = require_at_most(Rule::begin_must_have_at_most_17_numbers, count, max_numbers); !v) return v;
    if (auto v = require_same_extent(Rule::end_must_be_as_long_as_begin, in[2].desc.elements(), count); !v) return v;
    if (auto v = require_same_extent(Rule::strides_must_be_as_long_as_begin, in[3].desc.elements(), count); !v)
      return v;
    cuts made;
    if (auto v = arrange(made, a, static_cast<int>(count), x.rank()); !v) return v;
    const numbers given{known(in[1]), known(in[2]), known(in[3])};
    for (int i = 0; i < x.rank(); ++i)
      if (const diagnostic c = measure(made.of[i], a, given, x.shape[i]); c.is_made)
        return refuse(c.broken, c.actual, c.expected);
    return ok(x.with_shape(made.shape()));
  }

  static constexpr auto macs = no_macs;

  /// Computes the slice from this run's lists. Fault: an index out of range, or a shape other than planned.
  static constexpr run_fault resolve(cuts& made, const attrs& a, arguments in, results out) {
    const int count = static_cast<int>(in[1].elements());
    std::int64_t lists[3][max_numbers] = {};
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < count; ++i) lists[k][i] = in[static_cast<std::size_t>(k) + 1].integer(i);
    (void)arrange(made, a, count, in[0].rank());  // infer has refused invalid ones
    for (int i = 0; i < in[0].rank(); ++i) {
      cut& axis = made.of[i];
      if (const diagnostic c = measure(axis, a, {lists[0], lists[1], lists[2]}, in[0].shape()[i]); c.is_made)
        return fault_at(axis.number, c.broken, c.actual, c.expected);
    }
    const shape_t shape = made.shape();
    for (int i = 0; i < made.rank; ++i)
      if (shape[i] != out[0].shape()[i])
        return fault_at(made.axes[i] < 0 ? 0 : made.of[made.axes[i]].number, rule::extent_must_be_that_of_the_output,
                        shape[i], out[0].shape()[i]);
    return {};
  }

  template <class T> static constexpr run_fault reference(const attrs& a, arguments in, results out) {
    cuts made;
    if (const run_fault fault = resolve(made, a, in, out)) return fault;
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return {};
    shape_t to;
    to.rank = y.rank();
    do {
      shape_t from;
      from.rank = x.rank();
      for (int i = 0; i < from.rank; ++i) from[i] = made.of[i].first;
      for (int i = 0; i < to.rank; ++i)
        if (made.axes[i] >= 0) from[made.axes[i]] += to[i] * made.of[made.axes[i]].step;
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
    return {};
  }

 private:
  /// The three lists; nullptr: not known yet.
  struct numbers {
    const std::int64_t *begin, *end, *strides;
  };
  struct diagnostic {
    bool is_made = false;
    rule broken{};
    std::int64_t actual = 0, expected = 0;
  };

  static constexpr const std::int64_t* known(const operand& list) {
    return list.has_values() ? list.values.data() : nullptr;
  }
  static constexpr bool has_bit(std::int64_t mask, int i) { return (mask >> i & 1) != 0; }

  /// Assigns entries to axes and finds y's axes, from the masks alone.
  static constexpr verdict arrange(cuts& made, const attrs& a, int count, int rank) {
    int ellipses = 0, spoken_of = 0, added = 0, shrunk = 0;
    for (int i = 0; i < count; ++i) {
      if (has_bit(a.ellipsis_mask, i)) ++ellipses;
      else if (has_bit(a.new_axis_mask, i)) ++added;
      else shrunk += has_bit(a.shrink_axis_mask, i) ? 1 : 0, ++spoken_of;
    }
    if (auto v = require_at_most(rule::only_one_ellipsis_may_be_given, ellipses, 1); !v) return v;
    if (auto v = require_at_most(rule::numbers_must_not_exceed_the_axes, spoken_of, rank); !v) return v;
    if (auto v = require_at_most(rule::output_rank_must_be_at_most_8, rank - shrunk + added, max_rank); !v) return v;
    int axis = 0;
    const auto take_whole = [&](int axes) {
      for (; axes > 0; --axes) made.axes[made.rank++] = axis++;
    };
    for (int i = 0; i < count; ++i) {
      if (has_bit(a.ellipsis_mask, i)) take_whole(rank - spoken_of);
      else if (has_bit(a.new_axis_mask, i)) made.axes[made.rank++] = -1;
      else {
        made.of[axis].number = i;
        made.of[axis].is_shrunk = has_bit(a.shrink_axis_mask, i);
        if (!made.of[axis].is_shrunk) made.axes[made.rank++] = axis;
        ++axis;
      }
    }
    take_whole(rank - axis);
    return {};
  }

  /// First element, step and extent of a cut of an axis of `extent` elements.
  static constexpr diagnostic measure(cut& axis, const attrs& a, const numbers& given, std::int64_t extent) {
    axis.extent = extent;
    if (axis.number < 0) return {};
    const int i = axis.number;
    const bool from_border = has_bit(a.begin_mask, i), to_border = has_bit(a.end_mask, i);
    if (given.strides != nullptr) axis.step = given.strides[i];
    if (axis.step == 0) return {true, rule::stride_must_not_be_0, 0, 1};
    const bool forward = axis.step > 0;
    if (axis.is_shrunk) {
      if (extent < 0 || (given.begin == nullptr && !from_border)) return {};
      const std::int64_t begin = from_border ? (forward ? 0 : -1) : given.begin[i];
      if (begin < -extent) return {true, rule::begin_of_a_shrunk_axis_must_lie_in_it, begin, -extent};
      if (begin >= extent) return {true, rule::begin_of_a_shrunk_axis_must_lie_in_it, begin, extent - 1};
      axis.first = begin < 0 ? begin + extent : begin;
      axis.extent = 1;
      return {};
    }
    const bool is_known = extent >= 0 && given.strides != nullptr && (from_border || given.begin != nullptr) &&
                          (to_border || given.end != nullptr);
    if (!is_known) {
      axis.extent = extent == 0 ? 0 : -1;
      return {};
    }
    const std::int64_t low = forward ? 0 : -1, high = forward ? extent : extent - 1;
    const auto inside = [&](std::int64_t place) {
      if (place < 0) place += extent;
      return nnrt::detail::clamped(place, low, high);
    };
    axis.first = from_border ? (forward ? low : high) : inside(given.begin[i]);
    const std::int64_t last = to_border ? (forward ? high : low) : inside(given.end[i]);
    if (forward) axis.extent = last > axis.first ? (last - axis.first - 1) / axis.step + 1 : 0;
    else axis.extent = last < axis.first ? (last - axis.first + 1) / axis.step + 1 : 0;
    return {};
  }
};

}  // namespace ops

/// `strided_slice(x, begin<0, -1>, end<4, 0>, strides<2, -1>, end_mask<2>)`: lists and masks as in ops::strided_slice.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto strided_slice(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::strided_slice>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
