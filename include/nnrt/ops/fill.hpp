// fill: a tensor of one value.
// Flow: front ends call infer(); kernels/select.hpp binds it; its shape often comes from a shape_of.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// A tensor whose elements all equal one value.
///
///   value: one element of any dtype      shape: [R] integers >= 0, R <= 8      y: the extents that `shape` lists
///
/// A shape that is known only at run time needs an output of declared shape and must equal it. The result has the
/// default format of its rank (images are NHWC), as the meaning of its axes is unknown.
///
/// Broken rules: see `rule`; values: numbers of elements, extents. Source: NNRt OH_NN_OPS_FILL.
struct fill {
  static constexpr op_code code{14};
  static constexpr std::string_view name = "fill";
  static constexpr operand_spec inputs[] = {{"value", types::any}, {"shape", types::index}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{
      .quantised = quantised_values::kept, .may_fail = true, .in_files = file_order::unchanged};
  static constexpr foreign_numbers foreign{.nnrt = 14, .hdi = 66};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    value_must_be_one_number,
    shape_must_be_a_list,
    output_rank_must_be_known,
    output_rank_must_be_at_most_8,
    extent_must_not_be_negative,
    extent_must_be_that_of_the_output,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& value = in[0].desc;
    if (auto v = require_same_extent(Rule::value_must_be_one_number, value.elements(), 1); !v) return v;
    if (auto v = require(Rule::shape_must_be_a_list, in[1].desc.rank(), 1); !v) return v;
    const std::int64_t rank = in[1].desc.shape[0];
    if (rank < 0) return refuse(Rule::output_rank_must_be_known, 0, 1);
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, rank, max_rank); !v) return v;
    shape_t y;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
      y.push_back(in[1].has_values() ? in[1].values[i] : -1);
      if (!in[1].has_values()) continue;
      if (auto v = require_at_least(Rule::extent_must_not_be_negative, in[1].values[i], 0); !v) return v;
    }
    return ok(tensor_desc{value.type, default_format(y.rank), y, value.quantised});
  }

  static constexpr auto macs = no_macs;

  /// Checks that the shape, which may be known only in this run, is the planned one.
  static constexpr run_fault check(arguments in, results out) {
    for (int i = 0; i < out[0].rank(); ++i)
      if (in[1].integer(i) != out[0].shape()[i])
        return fault_at(i, rule::extent_must_be_that_of_the_output, in[1].integer(i), out[0].shape()[i]);
    return {};
  }

  template <class T> static constexpr run_fault reference(const attrs&, arguments in, results out) {
    const T value = in[0].as<const T>()[0];
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = value;
    return check(in, out);
  }
};

}  // namespace ops

/// `fill(value, nnrt::shape<2, 3>)`: a tensor of this shape whose elements all equal `value`.
template <tensor_desc Value, dsl::keyword_argument... Keywords>
constexpr auto fill(tensor<Value> value, Keywords... keywords) {
  return dsl::apply<ops::fill>(value, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
