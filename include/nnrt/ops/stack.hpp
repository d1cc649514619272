// stack: joins tensors along a new axis.
// Flow: front ends call infer(); kernels/select.hpp binds the copy.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The inputs in order along a new axis.
///
///   x: any number N of tensors of one dtype, order of axes, quantisation and shape, of rank n < 8
///   y: their shape, with an axis of extent N at `axis`
///
/// `axis` is the position of the new axis in y, in [-(n + 1), n]; it counts from the end when negative; 0 is the
/// default.
///
/// Broken rules: see `rule`; values: ranks, axes, extents. Source: NNRt OH_NN_OPS_STACK.
struct stack {
  static constexpr op_code code{36};
  static constexpr std::string_view name = "stack";
  static constexpr operand_spec inputs[] = {{"x", types::any, presence::variadic}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept, .in_files = file_order::joined};
  static constexpr foreign_numbers foreign{.nnrt = 36, .hdi = 150, .tells_quantisation = 0};
  static constexpr nnrt_parameter parameters[] = {{"axis", 53, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis));
    constexpr attrs() : axis(0) {}
  };

  enum class rule {
    output_rank_must_be_at_most_8,
    axis_must_be_an_axis_of_the_output,
    types_must_be_equal,
    ranks_must_be_equal,
    inputs_must_all_be_nchw_or_none,
    extents_must_be_equal,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& first = in[0].desc;
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, first.rank() + 1, max_rank); !v) return v;
    const int axis = normalise_axis(a.axis, first.rank() + 1);
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_output, a.axis, first.rank());
    shape_t shape = first.shape;
    for (const operand& x : in) {
      if (auto v = require(Rule::types_must_be_equal, x.desc.type, first.type); !v) return v;
      if (auto v = require(Rule::ranks_must_be_equal, x.desc.rank(), first.rank()); !v) return v;
      constexpr auto one_order = Rule::inputs_must_all_be_nchw_or_none;
      if (auto v = require_same_order(one_order, x.desc.layout, first.layout); !v) return v;
      for (int i = 0; i < shape.rank; ++i) {
        if (auto v = require_same_extent(Rule::extents_must_be_equal, x.desc.shape[i], shape[i]); !v) return v;
        if (shape[i] < 0) shape[i] = x.desc.shape[i];
      }
    }
    return ok(first.with_shape(shape.with_axis(axis, static_cast<std::int64_t>(in.size()))));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto y = out[0].as<T>();
    const int axis = normalise_axis(a.axis, y.rank());
    if (y.elements() == 0) return;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto x = in[i].as<const T>();
      shape_t from;
      from.rank = x.rank();
      do y.at(from.with_axis(axis, static_cast<std::int64_t>(i))) = x.at(from);
      while (next_index(from, x.shape));
    }
  }
};

}  // namespace ops

/// `stack(a, b, …, axis<-1>)`: any number of tensors of one shape, then keywords.
template <tensor_desc X, class... Rest>
  requires((dsl::tensor_handle<Rest> || dsl::keyword_argument<Rest>) && ...)
constexpr auto stack(tensor<X> first, Rest... rest) {
  return dsl::apply<ops::stack>(first, rest...);
}

}}  // namespace nnrt::NNRT_ISA
