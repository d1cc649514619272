// gather: elements of a tensor at listed indices of an axis - rows of an embedding, for example.
// Flow: front ends call infer(); kernels/select.hpp binds the copy; indices out of range end a run with a fault.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/indices.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// y[a…, i…, b…] = x[a…, indices[i…], b…], with the index along `axis`.
///
///   x: [a…, extent, b…]      indices: any shape i…      axis: one integer, constant
///   y: [a…, i…, b…], of rank <= 8
///
/// Indices and axis count from the end when negative: an index is in [-extent, extent); without negative_indices in [0,
/// extent). Constant indices are checked before the network runs, others at each run, which fails with an error without
/// reading outside of x.
///
/// Broken rules: see `rule`; values: numbers of elements, axes, ranks, indices. Source: NNRt OH_NN_OPS_GATHER.
struct gather {
  static constexpr op_code code{16};
  static constexpr std::string_view name = "gather";
  static constexpr operand_spec inputs[] = {
      {"x", types::any}, {"indices", types::index}, {"axis", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept,
                                          .may_fail = true,
                                          .in_files = file_order::unchanged,
                                          .axes = axis_role::gathered};
  static constexpr foreign_numbers foreign{.nnrt = 16, .hdi = 69};
  static constexpr hdi_field hdi_fields[] = {hdi_field::unknown("negative_indices")};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = detail::index_attributes;

  enum class rule {
    axis_must_be_one_number,
    axis_must_be_known,
    axis_must_be_an_axis_of_the_input,
    output_rank_must_be_at_most_8,
    indices_must_lie_in_the_axis,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc &x = in[0].desc, &indices = in[1].desc;
    if (auto v = require_same_extent(Rule::axis_must_be_one_number, in[2].desc.elements(), 1); !v) return v;
    if (!in[2].has_values()) return refuse(Rule::axis_must_be_known, 0, 1);
    const int axis = normalise_axis(in[2].values[0], x.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_input, in[2].values[0], x.rank() - 1);
    const int rank = x.rank() - 1 + indices.rank();
    if (auto v = require_at_most(Rule::output_rank_must_be_at_most_8, rank, max_rank); !v) return v;
    const std::int64_t extent = x.shape[axis];
    if (extent >= 0 && in[1].has_values())
      for (const std::int64_t index : in[1].values)
        if (auto v = require_between(Rule::indices_must_lie_in_the_axis, index, a.least(extent), extent - 1); !v)
          return v;
    shape_t y;
    for (int i = 0; i < axis; ++i) y.push_back(x.shape[i]);
    for (const std::int64_t i : indices.shape) y.push_back(i);
    for (int i = axis + 1; i < x.rank(); ++i) y.push_back(x.shape[i]);
    return ok(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  /// Finds the first index out of range.
  static constexpr run_fault check(const attrs& a, arguments in) {
    const std::int64_t extent = in[0].shape()[normalise_axis(in[2].integer(0), in[0].rank())];
    run_fault fault;
    with_element<types::index>(in[1].type(), [&]<class T>(T) {
      const auto indices = in[1].as<const T>();
      for (std::int64_t i = 0; i < indices.elements() && !fault; ++i)
        fault = detail::check_index(a, rule::indices_must_lie_in_the_axis, i, indices[i], extent);
    });
    return fault;
  }

  template <class T> static constexpr run_fault reference(const attrs& a, arguments in, results out) {
    if (const run_fault fault = check(a, in)) return fault;
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return {};
    const int axis = normalise_axis(in[2].integer(0), x.rank());
    const shape_t& picked = in[1].shape();
    shape_t to;
    to.rank = y.rank();
    do {
      shape_t from;
      for (int i = 0; i < axis; ++i) from.push_back(to[i]);
      std::int64_t flat = 0;
      for (int i = 0; i < picked.rank; ++i) flat = flat * picked[i] + to[axis + i];
      // Checked again at use: others may write the memory of indices meanwhile.
      const std::int64_t index = in[1].integer(flat);
      if (const run_fault fault =
              detail::check_index(a, rule::indices_must_lie_in_the_axis, flat, index, x.extent(axis)))
        return fault;
      from.push_back(index < 0 ? index + x.extent(axis) : index);
      for (int i = axis + picked.rank; i < to.rank; ++i) from.push_back(to[i]);
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
    return {};
  }
};

}  // namespace ops

/// `gather(x, indices, axis<0>)`: the rows of x at `indices`; with `negative_indices<…>`.
template <tensor_desc X, tensor_desc Indices, dsl::keyword_argument... Keywords>
constexpr auto gather(tensor<X> x, tensor<Indices> indices, Keywords... keywords) {
  return dsl::apply<ops::gather>(x, indices, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
