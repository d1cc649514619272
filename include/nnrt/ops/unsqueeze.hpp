// unsqueeze: inserts axes of extent 1.
// Flow: front ends call infer(); passes turn the node into an alias of its input, which needs no step.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The elements of x under a shape with new axes of extent 1.
///
///   x: any shape of rank n      axes: k positions in the result, in [-(n + k), n + k - 1]      y: rank n + k <= 8
///
/// Broken rules: see `rule`; values: axes. Source: NNRt OH_NN_OPS_UNSQUEEZE, whose list holds one axis.
struct unsqueeze {
  static constexpr op_code code{55};
  static constexpr std::string_view name = "unsqueeze";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.result = storage::alias_of_input, .quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 55, .hdi = 165};
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("axis", "axes")};
  static constexpr nnrt_parameter parameters[] = {{"axes", 77, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (axis_list, axes));
    constexpr attrs() = default;
  };

  enum class rule {
    axes_must_name_an_axis,
    output_rank_must_be_at_most_8,
    axis_must_be_an_axis_of_the_output,
    axes_must_differ,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    const int rank = x.rank() + a.axes.count;
    if (auto v = require_at_least(Rule::axes_must_name_an_axis, a.axes.count, 1); !v) return v;
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, rank, max_rank); !v) return v;
    chosen_axes chosen;
    if (auto v = choose_axes(chosen, a.axes, rank, Rule::axis_must_be_an_axis_of_the_output, Rule::axes_must_differ);
        !v)
      return v;
    shape_t y;
    for (int i = 0, from = 0; i < rank; ++i) y.push_back(chosen.contains(i) ? 1 : x.shape[from++]);
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

/// `unsqueeze(x, axis<…>)` or `unsqueeze(x, axes<…>)`: positions of the new axes in the result.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto unsqueeze(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::unsqueeze>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
