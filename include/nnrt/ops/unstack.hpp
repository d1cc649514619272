// unstack: splits a tensor into its slices along an axis.
// Flow: front ends call infer(); kernels/select.hpp binds it to copies of rows.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The slices of x along an axis, without that axis: the inverse of stack.
///
///   x: any shape of rank >= 1      y: as many tensors as the extent of `axis`, with the other extents of x
///
/// `axis` is 0 by default, and counts from the end when negative. If its extent is unknown, there are as many slices as
/// the front end declares outputs.
///
/// Broken rules: see `rule`; values: axes, parts. Source: NNRt OH_NN_OPS_UNSTACK.
struct unstack {
  static constexpr op_code code{57};
  static constexpr std::string_view name = "unstack";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any, presence::variadic}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 57, .hdi = 166};
  static constexpr nnrt_parameter parameters[] = {{"axis", 78, i64}};

  static constexpr std::int64_t max_parts = 1024;

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis));
    constexpr attrs() : axis(0) {}
  };
  enum class rule {
    axis_must_be_an_axis_of_the_input,
    number_of_parts_must_be_known,
    parts_must_be_at_least_1_and_at_most_1024,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    const std::int64_t extent = x.shape[axis];
    const bool is_declared = !wanted.empty() && wanted[0].type != dtype::none;
    const std::int64_t parts = extent < 0 && is_declared ? static_cast<std::int64_t>(wanted.size()) : extent;
    if (parts < 0) return refuse(Rule::number_of_parts_must_be_known, 0, 1);
    if (auto v = require_between(Rule::parts_must_be_at_least_1_and_at_most_1024, parts, 1, max_parts); !v) return v;
    shape_t y;
    for (int i = 0; i < x.rank(); ++i)
      if (i != axis) y.push_back(x.shape[i]);
    verdict v;
    v.outputs.assign(static_cast<std::size_t>(parts), x.with_shape(y));
    return v;
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const int axis = normalise_axis(a.axis, x.rank());
    if (x.elements() == 0) return;
    shape_t from;
    from.rank = x.rank();
    do {
      shape_t to;
      for (int i = 0; i < x.rank(); ++i)
        if (i != axis) to.push_back(from[i]);
      out[static_cast<std::size_t>(from[axis])].template as<T>().at(to) = x.at(from);
    } while (next_index(from, x.shape));
  }
};

}  // namespace ops

/// `unstack(x, axis<1>)`: for structured bindings.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto unstack(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::unstack>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
