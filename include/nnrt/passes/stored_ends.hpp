// stored_ends: takes conversions off the ends of a network, so that its inputs and outputs are the stored numbers themselves.
// Flow: calibrate() of a model runs it when it is asked to; hbDNN's clients then convert by the scales in a tensor's properties.
#pragma once

#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/passes/eliminate.hpp>

namespace nnrt::inline NNRT_ISA {

/// Which ends of a network hold stored numbers. (Boards' compilers call it the removal of Quantize and Dequantize nodes.)
struct stored_ends {
  bool inputs = false, outputs = false;
};

namespace passes {

/// Input i becomes what a conversion makes of it, if that alone reads it and makes `type` (none: whatever it makes). Whether it does.
constexpr bool take_off_conversion(ir::graph& g, std::size_t i, dtype type = dtype::none) {
  const std::int32_t from = g.inputs[i];
  if (use_table(g).uses_of(from) != 1) return false;
  for (ir::node& n : g.nodes) {
    if (n.op->code != ops::quant_dtype_cast::code || g.inputs_of(n)[0] != from) continue;
    const std::int32_t to = g.outputs_of(n)[0];
    ir::value &given = g.at(from), &stored = g.at(to);
    if (!stored.desc.quantised || (type != dtype::none && stored.desc.type != type)) return false;
    stored.is = ir::kind::input, stored.name = given.name, given.is = ir::kind::result;
    g.inputs[i] = to, n.removed = true;
    compact(g);
    return true;
  }
  return false;
}

/// Inputs that one conversion alone reads become what it makes of them, outputs that a conversion makes become what it reads. Names stay.
constexpr void take_off_conversions(ir::graph& g, const stored_ends& wanted) {
  for (std::size_t i = 0; wanted.inputs && i < g.inputs.size(); ++i) take_off_conversion(g, i);
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
}  // namespace nnrt::inline NNRT_ISA
