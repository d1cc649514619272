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

/// Inputs that one conversion alone reads become what it makes of them, outputs that a conversion makes become what it reads. Names stay.
constexpr void take_off_conversions(ir::graph& g, const stored_ends& wanted) {
  const use_table use(g);
  for (ir::node& n : g.nodes) {
    if (!wanted.inputs || n.op->code != ops::quant_dtype_cast::code) continue;
    const std::int32_t from = g.inputs_of(n)[0], to = g.outputs_of(n)[0];
    for (std::int32_t& id : g.inputs) {
      if (id != from || use.uses_of(from) != 1 || !g.at(to).desc.quantised) continue;
      ir::value &given = g.at(from), &stored = g.at(to);
      stored.is = ir::kind::input, stored.name = given.name, given.is = ir::kind::result;
      id = to, n.removed = true;
    }
  }
  for (ir::output& out : g.outputs) {
    const std::int32_t by = wanted.outputs ? use.producer_of(out.value) : ir::none;
    if (by == ir::none || g.nodes[static_cast<std::size_t>(by)].op->code != ops::quant_dtype_cast::code) continue;
    const std::int32_t stored = g.inputs_of(g.nodes[static_cast<std::size_t>(by)])[0];
    if (g.at(stored).desc.quantised) out.value = stored;
  }
  compact(g);
  remove_dead_nodes(g);
}

}  // namespace passes
}  // namespace nnrt::inline NNRT_ISA
