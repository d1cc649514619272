// check_node: checks a node against the limits of an accelerator; returns the first broken one with value and limit.
// Flow: bpu<architecture>::check() calls it, in constant evaluation or at run time; partitions use the result.
#pragma once

#include <nnrt/policy/limit_check.hpp>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// The name of a node's operator in the table; for eltwise, the operator of its mode.
constexpr std::string_view name_in_table(const node_facts& f) {
  if (f.name() != "eltwise") return f.name();
  switch (static_cast<eltwise_mode>(f.number("mode"))) {
    case eltwise_mode::product: return "mul";
    case eltwise_mode::sum: return "add";
    case eltwise_mode::maximum: return "maximum";
  }
  return f.name();
}

/// The row of an operator; the number of rows if there is none.
constexpr std::size_t row_for(const accelerator& table, std::string_view name) {
  std::size_t row = 0;
  while (row < table.operators.size() && table.operators[row].name != name) ++row;
  return row;
}

constexpr bool is_for(limits_of nodes, const accelerator& table, const node_facts& f) {
  const auto takes = [&](std::string_view name) {
    const std::size_t row = row_for(table, name);
    return row < table.operators.size() && table.operators[row].runs == placement::on_accelerator;
  };
  switch (nodes) {
    case limits_of::all: return true;
    case limits_of::plain: return f.groups() == 1 && !f.is_dilated();
    case limits_of::grouped: return f.groups() != 1 || f.is_dilated();
    case limits_of::last: return f.is_last(takes);
    case limits_of::followed: return !f.is_last(takes);
    case limits_of::windowed: return !f.is_global();
    case limits_of::one_pixel: return f.image[1] * f.image[2] == 1;
    case limits_of::many_pixels: return f.image[1] * f.image[2] != 1;
    case limits_of::feature_maps: return !f.is_product_with_weight();
    case limits_of::with_weight: return f.is_product_with_weight();
  }
  return true;
}

constexpr accelerator_verdict has_no_zero_point(const tensor_desc& d) {
  if (d.quantised.mode != quantisation::kind::per_tensor || d.quantised.zero_point == 0) return {};
  return broken_limit(accelerator_rule::zero_point_must_be_0, d.quantised.zero_point, 0);
}

/// Checks the dtypes and zero points of a node's operands, and the zero points of its results. Floats are accepted,
/// because they are quantised first.
constexpr accelerator_verdict check_types(const accelerator_operator& row, const node_facts& f) {
  const auto typed_by = static_cast<int>(f.n.op->traits.typed_by);
  constexpr dtype_set to_be_quantised = types_of(f32) | types_of(f16);
  for (int i = 0; i < f.operands(); ++i) {
    if (!f.has_input(i)) continue;
    const tensor_desc& d = f.x(i);
    for (const std::int64_t extent : d.shape)
      if (extent < 0) return broken_limit(accelerator_rule::extents_must_be_known, extent, 0);
    if (auto centred = has_no_zero_point(d); !centred) return centred;
    const bool is_data =
        i == typed_by || (f.is_computed(i) && row_of(f.n.op->inputs, static_cast<std::size_t>(i)) ==
                                                  row_of(f.n.op->inputs, static_cast<std::size_t>(typed_by)));
    if (is_data && !to_be_quantised.contains(d.type) && !row.accepts.contains(d.type))
      return broken_limit(accelerator_rule::operand_type_must_be_accepted_by_the_accelerator, static_cast<int>(d.type),
                          static_cast<int>(i8), unit::type);
  }
  for (int i = 0; i < f.n.outputs.count; ++i)
    if (auto centred = has_no_zero_point(f.y(i)); !centred) return centred;
  return {};
}

}  // namespace detail

/// Checks a node against an accelerator's table: every limit of its operator and of all operators. Where a node that
/// passes runs is the row's `runs`. The values of a broken rule are those of the first extent, stride, … that breaks
/// it.
constexpr accelerator_verdict check_node(const accelerator& table, const ir::graph& g, const ir::node& n,
                                         const detail::graph_facts& about) {
  const detail::node_facts f(g, n, about);
  const std::string_view name = detail::name_in_table(f);
  const std::size_t at = detail::row_for(table, name);
  if (at == table.operators.size()) return detail::broken_limit(accelerator_rule::operator_must_be_in_the_table, 0, 1);
  const accelerator_operator& row = table.operators[at];
  if (row.runs == placement::fused_only)
    return detail::broken_limit(accelerator_rule::operator_must_be_fused_into_a_convolution, 0, 1);
  if (row.runs == placement::folded) {
    const bool is_free = n.op->traits.result == storage::alias_of_input || n.op->traits.reads_descs_alone;
    return is_free ? accelerator_verdict{} : detail::broken_limit(accelerator_rule::operator_must_be_folded_away, 0, 1);
  }
  if (const accelerator_verdict v = detail::check_types(row, f); !v) return v;
  for (const array_ref<const accelerator_limit> list : {row.limits, row.further, table.limits})
    for (const accelerator_limit& limit : list)
      if (detail::is_for(limit.nodes, table, f))
        if (const accelerator_verdict v = detail::limit_check(limit, f).run(); !v) return v;
  return {};
}

}}  // namespace nnrt::NNRT_ISA
