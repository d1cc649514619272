// scatter_nd: a tensor of zeros to which updates are added at index tuples.
// Flow: front ends call infer(); it runs by its reference; indices out of range end a run with a fault.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/indices.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// y[indices[i…, 0], … indices[i…, k - 1], b…] = the sum of all updates[i…, b…] for this position; 0 without updates.
///
///   indices: [i…, k]      updates: [i…, b…]      shape: [R] integers >= 0, constant, R <= 8
///   y: the extents that `shape` lists: k indexed axes, then b…
///
/// Indices count from the end when negative: an index of an axis is in [-extent, extent); without negative_indices in
/// [0, extent). Constant indices are checked before the network runs, others at each run, which fails with an error.
/// Floats are added in row-major order of the updates and rounded each time; integers wrap around.
///
/// Broken rules: see `rule`; values: axes, ranks, extents, indices. Source: NNRt OH_NN_OPS_SCATTER_ND; updates of one
/// position are added as in TensorFlow.
struct scatter_nd {
  static constexpr op_code code{103};
  static constexpr std::string_view name = "scatter_nd";
  static constexpr operand_spec inputs[] = {
      {"indices", types::index}, {"updates", types::number}, {"shape", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.typed_by = 1, .may_fail = true, .in_files = file_order::unchanged};
  static constexpr error_bound errors[] = {{types::floating, 0, error_unit::terms, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 103, .hdi = 128, .nnrt_name = "ScatterND"};
  static constexpr hdi_field hdi_fields[] = {hdi_field::unknown("negative_indices")};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = detail::index_attributes;
  enum class rule {
    shape_must_be_a_list,
    shape_must_be_known,
    output_rank_must_be_at_most_8,
    extent_must_not_be_negative,
    indices_rank_must_be_at_least_1,
    tuples_must_have_a_known_length,
    tuples_must_not_be_longer_than_the_output_rank,
    updates_rank_must_be_that_of_places_and_parts,
    updates_extents_must_be_those_of_places_and_parts,
    indices_must_lie_in_their_axes,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc &indices = in[0].desc, &updates = in[1].desc;
    if (auto v = require(Rule::shape_must_be_a_list, in[2].desc.rank(), 1); !v) return v;
    const std::int64_t rank = in[2].desc.elements();
    if (!in[2].has_values() && (!in[2].awaited || rank < 0)) return refuse(Rule::shape_must_be_known, 0, 1);
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, rank, max_rank); !v) return v;
    shape_t y = shape_t::unknown(static_cast<int>(rank));
    for (std::size_t i = 0; i < in[2].values.size(); ++i) {
      if (auto v = require_at_least(Rule::extent_must_not_be_negative, in[2].values[i], 0); !v) return v;
      y[static_cast<int>(i)] = in[2].values[i];
    }
    if (auto v = require_at_least(Rule::indices_rank_must_be_at_least_1, indices.rank(), 1); !v) return v;
    const std::int64_t length = indices.shape[-1];
    if (length < 0) return refuse(Rule::tuples_must_have_a_known_length, length, 0);
    if (auto v = require_at_most(Rule::tuples_must_not_be_longer_than_the_output_rank, length, rank); !v) return v;
    if (auto v = check_updates(indices.shape, updates.shape, y, static_cast<int>(length)); !v) return v;
    if (in[0].has_values() && in[2].has_values())
      for (std::size_t i = 0; i < in[0].values.size(); ++i) {
        const std::int64_t extent = y[static_cast<int>(static_cast<std::int64_t>(i) % length)];
        constexpr rule inside = Rule::indices_must_lie_in_their_axes;
        if (auto v = require_between(inside, in[0].values[i], a.least(extent), extent - 1); !v) return v;
      }
    return ok(tensor_desc{updates.type, default_format(y.rank), y});
  }
  static constexpr auto macs = no_macs;

  /// Finds the first index out of range.
  static constexpr run_fault check(const attrs& a, arguments in, results out) {
    const std::int64_t length = in[0].shape()[-1];
    for (std::int64_t i = 0; i < in[0].elements(); ++i)
      if (const run_fault fault = detail::check_index(a, rule::indices_must_lie_in_their_axes, i, in[0].integer(i),
                                                      out[0].shape()[static_cast<int>(i % length)]))
        return fault;
    return {};
  }

  template <class T> static constexpr run_fault reference(const attrs& a, arguments in, results out) {
    if (const run_fault fault = check(a, in, out)) return fault;
    using wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, math::compute_t<T>>;
    const auto updates = in[1].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = T{};
    if (updates.elements() == 0) return {};
    const shape_t& indices = in[0].shape();
    const int length = static_cast<int>(indices[-1]);
    shape_t from;
    from.rank = updates.rank();
    do {
      std::int64_t tuple = 0;
      for (int i = 0; i + 1 < indices.rank; ++i) tuple = tuple * indices[i] + from[i];
      shape_t to;
      for (int i = 0; i < length; ++i) {
        // Checked again at use: others may write the memory of indices meanwhile.
        const std::int64_t index = in[0].integer(tuple * length + i);
        if (const run_fault fault =
                detail::check_index(a, rule::indices_must_lie_in_their_axes, tuple * length + i, index, y.extent(i)))
          return fault;
        to.push_back(index < 0 ? index + y.extent(i) : index);
      }
      for (int i = indices.rank - 1; i < from.rank; ++i) to.push_back(from[i]);
      y.at(to) = static_cast<T>(static_cast<wide>(y.at(to)) + static_cast<wide>(updates.at(from)));
    } while (next_index(from, updates.shape));
    return {};
  }

 private:
  /// Updates are [i…, b…]: for each tuple the part of y after the indexed axes.
  static constexpr verdict check_updates(const shape_t& indices, const shape_t& updates, const shape_t& y, int length) {
    const int places = indices.rank - 1, rank = places + y.rank - length;
    if (auto v = require(rule::updates_rank_must_be_that_of_places_and_parts, updates.rank, rank); !v) return v;
    for (int i = 0; i < rank; ++i) {
      const std::int64_t expected = i < places ? indices[i] : y[i - places + length];
      constexpr rule fit = rule::updates_extents_must_be_those_of_places_and_parts;
      if (auto v = require_same_extent(fit, updates[i], expected); !v) return v;
    }
    return {};
  }
};

}  // namespace ops

/// `scatter_nd(indices, updates, nnrt::shape<4, 3>)`.
template <tensor_desc Indices, tensor_desc Updates, dsl::keyword_argument... Keywords>
constexpr auto scatter_nd(tensor<Indices> indices, tensor<Updates> updates, Keywords... keywords) {
  return dsl::apply<ops::scatter_nd>(indices, updates, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
