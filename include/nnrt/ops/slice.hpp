// slice: a box cut out of a tensor.
// Flow: front ends call infer(); the planner makes it a view of the input if possible; kernels/select.hpp binds the
// copy.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The elements of x from `begin` on, `size` of them, along each axis in `axes`; all elements along the others.
///
///   x: any shape      begin, size: [A] integers, constant      axes: A axes; empty: all, in order
///   y: the extents of x, with those of `size` along the axes
///
/// begin is >= 0 and at most the extent; a size is >= 0, or -1 for the rest. Axes count from the end when negative.
///
/// Broken rules: see `rule`; values: axes, extents. Source: NNRt OH_NN_OPS_SLICE.
struct slice {
  static constexpr op_code code{29};
  static constexpr std::string_view name = "slice";
  static constexpr operand_spec inputs[] = {{"x", types::any},
                                            {"begin", types::index, presence::required, true},
                                            {"size", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.outputs_are_parts = true, .quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 29, .hdi = 135};
  static constexpr nnrt_parameter parameters[] = {{"axes", 127, i64, -1}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (axis_list, axes));
    constexpr attrs() = default;
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    axes_must_differ,
    begin_must_have_one_number_for_each_axis,
    size_must_have_one_number_for_each_axis,
    begin_must_be_known,
    size_must_be_known,
    begin_must_not_be_negative,
    begin_must_lie_in_the_input,
    size_must_not_be_less_than_minus_1,
    size_must_not_exceed_what_is_left,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    chosen_axes cut;
    if (auto v = choose_axes(cut, a.axes, x.rank(), Rule::axis_must_be_an_axis_of_the_input, Rule::axes_must_differ);
        !v)
      return v;
    const int count = a.axes.empty() ? x.rank() : cut.count;
    if (auto v = require_same_extent(Rule::begin_must_have_one_number_for_each_axis, in[1].desc.elements(), count); !v)
      return v;
    if (auto v = require_same_extent(Rule::size_must_have_one_number_for_each_axis, in[2].desc.elements(), count); !v)
      return v;
    if (!in[1].has_values() && !in[1].awaited) return refuse(Rule::begin_must_be_known, 0, 1);
    if (!in[2].has_values() && !in[2].awaited) return refuse(Rule::size_must_be_known, 0, 1);
    shape_t y = x.shape;
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!in[1].has_values() || !in[2].has_values()) {
        y[a.axes.empty() ? i : cut.items[i]] = -1;
        continue;
      }
      if (auto v = cut_extent(y[a.axes.empty() ? i : cut.items[i]], in[1].values[at], in[2].values[at]); !v) return v;
    }
    return ok(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;
  static constexpr std::int64_t part_offset(const attrs& a, array_ref<const operand> in,
                                            array_ref<const tensor_desc> out, int) {
    if (out[0].elements() == 0) return 0;  // a box without elements may be after the last one
    const shape_t strides = row_major_strides(in[0].desc.shape);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < in[1].values.size(); ++i) {
      const int k = static_cast<int>(i);
      offset += in[1].values[i] * strides[a.axes.empty() ? k : normalise_axis(a.axes[k], strides.rank)];
    }
    return offset;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    shape_t first, to;
    first.rank = to.rank = x.rank();
    for (int i = 0; i < in[1].elements(); ++i)
      first[a.axes.empty() ? i : normalise_axis(a.axes[i], x.rank())] = in[1].integer(i);
    do {
      shape_t from = to;
      for (int i = 0; i < from.rank; ++i) from[i] += first[i];
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
  }

 private:
  /// Computes the output's extent of an axis from the input's.
  static constexpr verdict cut_extent(std::int64_t& extent, std::int64_t begin, std::int64_t size) {
    if (auto v = require_at_least(rule::begin_must_not_be_negative, begin, 0); !v) return v;
    if (auto v = require_at_least(rule::size_must_not_be_less_than_minus_1, size, -1); !v) return v;
    if (extent < 0) {
      extent = size;  // unknown if it is -1
      return {};
    }
    if (auto v = require_at_most(rule::begin_must_lie_in_the_input, begin, extent); !v) return v;
    if (auto v = require_at_most(rule::size_must_not_exceed_what_is_left, size, extent - begin); !v) return v;
    extent = size == -1 ? extent - begin : size;
    return {};
  }
};

}  // namespace ops

/// `slice(x, begin<…>, size<…>)`, with `axes<…>` to cut only some axes.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto slice(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::slice>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
