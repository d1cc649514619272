// expand_dims: inserts an axis of extent 1; its position is an operand, as in NNRt.
// Flow: front ends call infer(); passes turn the node into an alias of its input, which needs no step.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The elements of x under a shape with one new axis of extent 1.
///
///   x: any shape of rank n < 8      axis: one integer, constant, in [-(n + 1), n]      y: rank n + 1
///
/// Broken rules: see `rule`; values: axes. Source: NNRt OH_NN_OPS_EXPAND_DIMS.
struct expand_dims {
  static constexpr op_code code{13};
  static constexpr std::string_view name = "expand_dims";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"axis", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.result = storage::alias_of_input, .quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 13, .hdi = 56, .tells_quantisation = 0};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    output_rank_must_be_at_most_8,
    axis_must_be_one_number,
    axis_must_be_known,
    axis_must_be_an_axis_of_the_output,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, x.rank() + 1, max_rank); !v) return v;
    if (auto v = require_same_extent(Rule::axis_must_be_one_number, in[1].desc.elements(), 1); !v) return v;
    if (!in[1].has_values()) return refuse(Rule::axis_must_be_known, 0, 1);
    const int axis = normalise_axis(in[1].values[0], x.rank() + 1);
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_output, in[1].values[0], x.rank());
    return ok(x.with_shape(x.shape.with_axis(axis, 1)));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = x[i];
  }
};

}  // namespace ops

/// `expand_dims(x, axis<…>)`: position of the new axis in the result.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto expand_dims(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::expand_dims>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
