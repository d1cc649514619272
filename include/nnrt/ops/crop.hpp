// crop: a box of a given size cut out of a tensor, at offsets along its last axes.
// Flow: front ends call infer(); the planner makes it a view of the input if possible; else kernels/select.hpp binds it
// to copies of rows.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The elements of x from an offset on, as many along each axis as `shape` says.
///
///   x: [R extents]      shape: [R] integers >= 0, constant      y: the extents that `shape` lists
///
/// `offset` has a number >= 0 for each axis from `axis` on, or one for all of these; empty: 0. Along axes before `axis`
/// the box starts at the first element. `axis` counts from the end when negative.
///
/// Broken rules: see `rule`; values: axes, extents. Source: NNRt OH_NN_OPS_CROP; offsets belong to axes as in MindSpore
/// Lite.
struct crop {
  static constexpr op_code code{91};
  static constexpr std::string_view name = "crop";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"shape", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.outputs_are_parts = true, .quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 91, .hdi = 39};
  static constexpr nnrt_parameter parameters[] = {{"axis", 129, i64}, {"offset", 130, i64, -1}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis), (axis_list, offset));
    constexpr attrs() : axis(0) {}
  };
  enum class rule {
    axis_must_be_an_axis_of_the_input,
    offsets_must_be_one_or_one_for_each_axis,
    offset_must_not_be_negative,
    shape_must_be_a_list,
    shape_must_have_an_extent_for_each_axis,
    shape_must_be_known,
    extent_must_not_be_negative,
    box_must_lie_in_the_input,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    const auto offsets = static_cast<std::int64_t>(a.offset.size());
    if (offsets > 1)
      if (auto v = require(Rule::offsets_must_be_one_or_one_for_each_axis, offsets, x.rank() - axis); !v) return v;
    for (const std::int64_t offset : a.offset)
      if (auto v = require_at_least(Rule::offset_must_not_be_negative, offset, 0); !v) return v;
    if (auto v = require(Rule::shape_must_be_a_list, in[1].desc.rank(), 1); !v) return v;
    if (auto v = require_same_extent(Rule::shape_must_have_an_extent_for_each_axis, in[1].desc.shape[0], x.rank()); !v)
      return v;
    if (!in[1].has_values() && !in[1].awaited) return refuse(Rule::shape_must_be_known, 0, 1);
    shape_t y = x.shape;
    for (int i = 0; i < y.rank; ++i)
      if (!in[1].has_values()) y[i] = -1;
      else if (auto v = cut_extent(y[i], first_along(a, i, x.rank()), in[1].values[static_cast<std::size_t>(i)]); !v)
        return v;
    return ok(x.with_shape(y));
  }
  static constexpr auto macs = no_macs;

  static constexpr std::int64_t part_offset(const attrs& a, array_ref<const operand> in,
                                            array_ref<const tensor_desc> out, int) {
    if (out[0].elements() == 0) return 0;  // a box without elements may be after the last one
    const shape_t strides = row_major_strides(in[0].desc.shape);
    std::int64_t offset = 0;
    for (int i = 0; i < strides.rank; ++i) offset += first_along(a, i, strides.rank) * strides[i];
    return offset;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    shape_t to;
    to.rank = y.rank();
    do {
      shape_t from = to;
      for (int i = 0; i < from.rank; ++i) from[i] += first_along(a, i, from.rank);
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
  }

 private:
  /// The first element of the box along axis i.
  static constexpr std::int64_t first_along(const attrs& a, int i, int rank) {
    const int axis = normalise_axis(a.axis, rank);
    if (i < axis || a.offset.empty()) return 0;
    return a.offset[a.offset.size() == 1 ? 0 : i - axis];
  }
  /// Computes the output's extent of an axis from the input's.
  static constexpr verdict cut_extent(std::int64_t& extent, std::int64_t first, std::int64_t size) {
    if (auto v = require_at_least(rule::extent_must_not_be_negative, size, 0); !v) return v;
    if (extent >= 0) {
      if (auto v = require_at_most(rule::box_must_lie_in_the_input, first, extent); !v) return v;
      if (auto v = require_at_most(rule::box_must_lie_in_the_input, size, extent - first); !v) return v;
    }
    extent = size;
    return {};
  }
};

}  // namespace ops

/// `crop(x, nnrt::shape<1, 2, 2, 3>)`, with `offsets<1, 1>` from `axis<1>` on.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto crop(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::crop>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
