// quantised_ends: removes conversions at the ends of a network, so that its inputs and outputs are quantised values.
// Flow: calibrate() of a model runs it on request. Clients of hbDNN then convert by the scales of the tensors.
#pragma once

#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/passes/eliminate.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Which ends of a network have quantised values. Compilers for boards call this the removal of Quantize and Dequantize
/// nodes.
struct quantised_ends {
  bool inputs = false, outputs = false;
};

namespace passes {

namespace detail {

/// For each value the conversion that is its only reader; none if there is no such conversion.
constexpr pool<std::int32_t> only_conversions(const ir::graph& g) {
  const use_table use(g);
  pool<std::int32_t> found;
  found.assign(g.values.size(), ir::none);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    if (n.op->code == ops::quant_dtype_cast::code && use.uses_of(g.inputs_of(n)[0]) == 1)
      found[static_cast<std::size_t>(g.inputs_of(n)[0])] = static_cast<std::int32_t>(i);
  }
  return found;
}

/// Replaces input i by the result of this conversion, and marks the conversion as removed. Returns whether it did.
constexpr bool replace_input(ir::graph& g, std::size_t i, std::int32_t conversion, dtype type) {
  if (conversion == ir::none) return false;
  ir::node& n = g.nodes[static_cast<std::size_t>(conversion)];
  const std::int32_t to = g.outputs_of(n)[0];
  ir::value &given = g.at(g.inputs[i]), &stored = g.at(to);
  if (!stored.desc.quantised || (type != dtype::none && stored.desc.type != type)) return false;
  stored.is = ir::kind::input, stored.name = given.name, given.is = ir::kind::result;
  g.inputs[i] = to, n.removed = true;
  return true;
}

}  // namespace detail

/// Replaces input i by the result of a conversion, if that is its only reader and makes `type` (none: any). Returns
/// whether it did.
constexpr bool take_off_conversion(ir::graph& g, std::size_t i, dtype type = dtype::none) {
  const bool is_off =
      detail::replace_input(g, i, detail::only_conversions(g)[static_cast<std::size_t>(g.inputs[i])], type);
  compact(g);
  return is_off;
}

/// Replaces inputs by the result of a conversion that is their only reader, and outputs by the operand of the
/// conversion that makes them. Names are unchanged.
constexpr void take_off_conversions(ir::graph& g, const quantised_ends& wanted) {
  if (wanted.inputs) {
    const pool<std::int32_t> conversions = detail::only_conversions(g);
    for (std::size_t i = 0; i < g.inputs.size(); ++i)
      detail::replace_input(g, i, conversions[static_cast<std::size_t>(g.inputs[i])], dtype::none);
    compact(g);
  }
  const use_table use(g);
  for (ir::output& out : g.outputs) {
    const std::int32_t by = wanted.outputs ? use.producer_of(out.value) : ir::none;
    if (by == ir::none || g.nodes[static_cast<std::size_t>(by)].op->code != ops::quant_dtype_cast::code) continue;
    const std::int32_t stored = g.inputs_of(g.nodes[static_cast<std::size_t>(by)])[0];
    if (g.at(stored).desc.quantised) out.value = stored;
  }
  remove_dead_nodes(g);
}

}  // namespace passes
}}  // namespace nnrt::NNRT_ISA
