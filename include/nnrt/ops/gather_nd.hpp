// gather_nd: elements of a tensor at listed index tuples.
// Flow: front ends call infer(); it runs by its reference; indices out of range end a run with a fault.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/indices.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// y[i…, b…] = x[indices[i…, 0], … indices[i…, k - 1], b…].
///
///   x: [a1 … ak, b…]      indices: [i…, k]      y: [i…, b…], of rank <= 8
///
/// Indices count from the end when negative: an index of an axis is in [-extent, extent); without negative_indices in
/// [0, extent). Constant indices are checked before the network runs, others at each run, which fails with an error
/// without reading outside of x.
///
/// Broken rules: see `rule`; values: axes, ranks, indices. Source: NNRt OH_NN_OPS_GATHER_ND.
struct gather_nd {
  static constexpr op_code code{108};
  static constexpr std::string_view name = "gather_nd";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"indices", types::index}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{
      .quantised = quantised_values::kept, .may_fail = true, .in_files = file_order::unchanged};
  static constexpr foreign_numbers foreign{.nnrt = 108, .hdi = 70, .tells_quantisation = 1, .nnrt_name = "GatherND"};
  static constexpr hdi_field hdi_fields[] = {hdi_field::unknown("negative_indices")};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = detail::index_attributes;
  enum class rule {
    indices_rank_must_be_at_least_1,
    tuples_must_have_a_known_length,
    tuples_must_not_be_longer_than_the_input_rank,
    output_rank_must_be_at_most_8,
    indices_must_lie_in_their_axes,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc &x = in[0].desc, &indices = in[1].desc;
    if (auto v = require_at_least(Rule::indices_rank_must_be_at_least_1, indices.rank(), 1); !v) return v;
    const std::int64_t length = indices.shape[-1];
    if (length < 0) return refuse(Rule::tuples_must_have_a_known_length, length, 0);
    if (auto v = require_at_most(Rule::tuples_must_not_be_longer_than_the_input_rank, length, x.rank()); !v) return v;
    const std::int64_t rank = indices.rank() - 1 + x.rank() - length;
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, rank, max_rank); !v) return v;
    if (in[1].has_values())
      for (std::size_t i = 0; i < in[1].values.size(); ++i) {
        const std::int64_t extent = x.shape[static_cast<int>(static_cast<std::int64_t>(i) % length)];
        if (extent < 0) continue;
        constexpr rule inside = Rule::indices_must_lie_in_their_axes;
        if (auto v = require_between(inside, in[1].values[i], a.least(extent), extent - 1); !v) return v;
      }
    shape_t y;
    for (int i = 0; i + 1 < indices.rank(); ++i) y.push_back(indices.shape[i]);
    for (int i = static_cast<int>(length); i < x.rank(); ++i) y.push_back(x.shape[i]);
    return ok(x.with_shape(y));
  }
  static constexpr auto macs = no_macs;

  /// Finds the first index out of range.
  static constexpr run_fault check(const attrs& a, arguments in) {
    const std::int64_t length = in[1].shape()[-1];
    for (std::int64_t i = 0; i < in[1].elements(); ++i)
      if (const run_fault fault = detail::check_index(a, rule::indices_must_lie_in_their_axes, i, in[1].integer(i),
                                                      in[0].shape()[static_cast<int>(i % length)]))
        return fault;
    return {};
  }

  template <class T> static constexpr run_fault reference(const attrs& a, arguments in, results out) {
    if (const run_fault fault = check(a, in)) return fault;
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return {};
    const shape_t& indices = in[1].shape();
    const int length = static_cast<int>(indices[-1]);
    shape_t to;
    to.rank = y.rank();
    do {
      std::int64_t tuple = 0;
      for (int i = 0; i + 1 < indices.rank; ++i) tuple = tuple * indices[i] + to[i];
      shape_t from;
      for (int i = 0; i < length; ++i) {
        // Checked again at use: others may write the memory of indices meanwhile.
        const std::int64_t index = in[1].integer(tuple * length + i);
        if (const run_fault fault =
                detail::check_index(a, rule::indices_must_lie_in_their_axes, tuple * length + i, index, x.extent(i)))
          return fault;
        from.push_back(index < 0 ? index + x.extent(i) : index);
      }
      for (int i = indices.rank - 1; i < to.rank; ++i) from.push_back(to[i]);
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
    return {};
  }
};

}  // namespace ops

/// gather_nd(x, indices): the elements of x at the rows of `indices`; with `negative_indices<…>`.
template <tensor_desc X, tensor_desc Indices, dsl::keyword_argument... Keywords>
constexpr auto gather_nd(tensor<X> x, tensor<Indices> indices, Keywords... keywords) {
  return dsl::apply<ops::gather_nd>(x, indices, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
