// sparse_to_dense: a tensor of zeros with values at listed indices.
// Flow: front ends call infer(); it runs by its reference; indices out of range end a run with a fault.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// y[indices[i, 0], … indices[i, R - 1]] = values[i]; elsewhere 0.
///
///   indices: [N, R], or [N] for R = 1      values: [N], or one number for all indices
///   shape: [R] integers >= 0, constant, 1 <= R <= 8      y: the extents that `shape` lists
///
/// An index of an axis is in [0, extent). Of several values for one position the last one counts. Constant indices are
/// checked before the network runs, others at each run, which fails with an error without writing outside. The zeros of
/// a quantised y are its zero point.
///
/// Broken rules: see `rule`; values: axes, ranks, extents, indices. Source: NNRt OH_NN_OPS_SPARSE_TO_DENSE, which has R
/// = 2; one value for all indices as in TensorFlow Lite.
struct sparse_to_dense {
  static constexpr op_code code{88};
  static constexpr std::string_view name = "sparse_to_dense";
  static constexpr operand_spec inputs[] = {
      {"indices", types::index}, {"values", types::any}, {"shape", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{
      .typed_by = 1, .quantised = quantised_values::kept, .may_fail = true, .in_files = file_order::unchanged};
  static constexpr foreign_numbers foreign{.nnrt = 88, .hdi = 144};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {
    shape_must_be_a_list,
    shape_must_be_known,
    output_rank_must_be_at_least_1,
    output_rank_must_be_at_most_8,
    extent_must_not_be_negative,
    indices_must_be_a_list_of_places,
    places_must_have_an_index_for_each_axis,
    values_must_be_a_list_or_one_number,
    values_must_be_one_for_each_place,
    indices_must_lie_in_their_axes,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc &indices = in[0].desc, &values = in[1].desc;
    if (auto v = require(Rule::shape_must_be_a_list, in[2].desc.rank(), 1); !v) return v;
    const std::int64_t rank = in[2].desc.elements();
    if (!in[2].has_values() && (!in[2].awaited || rank < 0)) return refuse(Rule::shape_must_be_known, 0, 1);
    if (auto v = require_at_least(Rule::output_rank_must_be_at_least_1, rank, 1); !v) return v;
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, rank, max_rank); !v) return v;
    shape_t y = shape_t::unknown(static_cast<int>(rank));
    for (std::size_t i = 0; i < in[2].values.size(); ++i) {
      if (auto v = require_at_least(Rule::extent_must_not_be_negative, in[2].values[i], 0); !v) return v;
      y[static_cast<int>(i)] = in[2].values[i];
    }
    if (rank > 1 || indices.rank() != 1)
      if (auto v = require(Rule::indices_must_be_a_list_of_places, indices.rank(), 2); !v) return v;
    if (indices.rank() == 2)
      if (auto v = require_same_extent(Rule::places_must_have_an_index_for_each_axis, indices.shape[1], rank); !v)
        return v;
    if (auto v = require_at_most(Rule::values_must_be_a_list_or_one_number, values.rank(), 1); !v) return v;
    if (values.rank() == 1 && values.shape[0] != 1)
      if (auto v = require_same_extent(Rule::values_must_be_one_for_each_place, values.shape[0], indices.shape[0]); !v)
        return v;
    if (in[0].has_values() && in[2].has_values())
      for (std::size_t i = 0; i < in[0].values.size(); ++i) {
        const std::int64_t extent = y[static_cast<int>(static_cast<std::int64_t>(i) % rank)];
        if (auto v = require_between(Rule::indices_must_lie_in_their_axes, in[0].values[i], 0, extent - 1); !v)
          return v;
      }
    return ok(tensor_desc{values.type, default_format(y.rank), y});
  }
  static constexpr auto macs = no_macs;

  /// Element i of the indices as a fault, if it is out of range.
  static constexpr run_fault check(std::int64_t i, std::int64_t index, std::int64_t extent) {
    if (index >= 0 && index < extent) return {};
    return fault_at(i, rule::indices_must_lie_in_their_axes, index, index < 0 ? 0 : extent - 1);
  }
  /// Finds the first index out of range.
  static constexpr run_fault check(arguments in, results out) {
    const std::int64_t rank = out[0].rank();
    for (std::int64_t i = 0; i < in[0].elements(); ++i)
      if (const run_fault fault = check(i, in[0].integer(i), out[0].shape()[static_cast<int>(i % rank)])) return fault;
    return {};
  }

  template <class T> static constexpr run_fault reference(const attrs&, arguments in, results out) {
    if (const run_fault fault = check(in, out)) return fault;
    const auto values = in[1].as<const T>();
    const auto y = out[0].as<T>();
    const T zero = static_cast<T>(in[1].desc->quantised ? in[1].desc->quantised.zero_point : 0);
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = zero;
    const bool is_one_for_all = values.elements() == 1;
    for (std::int64_t place = 0; place < in[0].shape()[0]; ++place) {
      shape_t at;
      for (int axis = 0; axis < y.rank(); ++axis) {
        // Checked again at use: others may write the memory of indices meanwhile.
        const std::int64_t i = place * y.rank() + axis, index = in[0].integer(i);
        if (const run_fault fault = check(i, index, y.extent(axis))) return fault;
        at.push_back(index);
      }
      y.at(at) = values[is_one_for_all ? 0 : place];
    }
    return {};
  }
};

}  // namespace ops

/// `sparse_to_dense(indices, values, nnrt::shape<4, 3>)`.
template <tensor_desc Indices, tensor_desc Values, dsl::keyword_argument... Keywords>
constexpr auto sparse_to_dense(tensor<Indices> indices, tensor<Values> values, Keywords... keywords) {
  return dsl::apply<ops::sparse_to_dense>(indices, values, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
