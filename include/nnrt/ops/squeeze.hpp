// squeeze: removes axes of extent 1.
// Flow: front ends call infer(); passes turn the node into an alias of its input, which needs no step.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The elements of x without the axes in `axes`, each of extent 1; an empty list means every axis of extent 1.
///
///   x: any shape      y: the remaining extents, in order
///
/// Axes count from the end when negative. With an empty list every extent must be known, as the rank depends on them.
///
/// Broken rules: see `rule`; values: axes, extents. Source: NNRt OH_NN_OPS_SQUEEZE.
struct squeeze {
  static constexpr op_code code{35};
  static constexpr std::string_view name = "squeeze";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.result = storage::alias_of_input, .quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 35, .hdi = 147};
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("axis", "axes")};
  static constexpr nnrt_parameter parameters[] = {nnrt_parameter{"axes", 52, i64, -1}.appending()};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (axis_list, axes));
    constexpr attrs() = default;
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    axes_must_differ,
    squeezed_extent_must_be_1,
    axes_must_be_given_when_an_extent_is_unknown,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    chosen_axes chosen;
    if (auto v = choose_axes(chosen, a.axes, x.rank(), Rule::axis_must_be_an_axis_of_the_input, Rule::axes_must_differ);
        !v)
      return v;
    if (a.axes.empty() && !x.shape.is_known()) return refuse(Rule::axes_must_be_given_when_an_extent_is_unknown, 0, 1);
    shape_t y;
    for (int i = 0; i < x.rank(); ++i) {
      if (chosen.contains(i)) {
        if (auto v = require_same_extent(Rule::squeezed_extent_must_be_1, x.shape[i], 1); !v) return v;
      } else if (!a.axes.empty() || x.shape[i] != 1) {
        y.push_back(x.shape[i]);
      }
    }
    return ok(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = x[i];
  }
};

}  // namespace ops

/// squeeze(x) removes all axes of extent 1; with `axis<…>` or `axes<…>` only these.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto squeeze(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::squeeze>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
