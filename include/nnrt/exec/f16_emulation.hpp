// f16_emulation: lets operators on f16 without an f16 kernel compute with their f32 kernel.
// Flow: compile() calls it after the passes, because casts would separate nodes that passes combine, and before
// make_plan(). Like the planner, it selects kernels.
#pragma once

#include <nnrt/core/deadline.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/detail/type_numbers.hpp>
#include <nnrt/ops/half_cast.hpp>
#include <nnrt/passes/fold.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// The state of one run of f16_emulation.
struct widening {
  ir::graph& g;
  const operator_info* cast;
  pool<char> known;
  pool<std::int32_t> wide;  // by value: its f32 copy, if a node needs it
  pool<ir::node> prepared, others;

  constexpr widening(ir::graph& graph, const operator_info* op)
      : g(graph), cast(op), known(passes::known_values(graph)) {
    wide.assign(g.values.size(), ir::none);
  }

  /// The node's attributes, with these dtypes of its first input and output.
  constexpr pool<word> attributes(const ir::node& n, dtype input, dtype output) const {
    pool<word> words;
    words.insert(g.attrs_of(n).begin(), g.attrs_of(n).end());
    ops::detail::repeat_types(n.label->attributes, words, input, output);
    return words;
  }
  /// Whether the node has a kernel and valid rules when its f16 tensors have dtype `halves_as`.
  constexpr bool has_kernel(const ir::node& n, dtype halves_as) const {
    ir::operand_list operands(g, g.inputs_of(n), known);
    pool<tensor_desc> descs;
    for (const std::int32_t id : g.outputs_of(n)) descs.push_back(g.at(id).desc);
    for (operand& x : operands.operands)
      if (x.desc.type == f16) x.desc.type = halves_as;
    for (tensor_desc& y : descs)
      if (y.type == f16) y.type = halves_as;
    const pool<word> words =
        attributes(n, operands.operands.empty() ? dtype::none : operands.operands[0].desc.type, descs[0].type);
    return n.op->infer(words, operands.operands, descs) && n.op->select({words, operands.operands, descs});
  }
  constexpr bool is_half(std::int32_t id) const { return id != ir::none && g.at(id).desc.type == f16; }
  /// Whether a node needs casts. Nodes on known values do not, because they run once.
  constexpr bool is_widened(const ir::node& n) const {
    if (known[static_cast<std::size_t>(g.outputs_of(n)[0])] != 0) return false;
    // cast from or to integers: rounding to f32 first would give other results than f16
    if (n.op->code == ops::cast::code) return false;
    bool uses_f16 = false;
    for (const std::int32_t id : g.inputs_of(n)) uses_f16 = uses_f16 || is_half(id);
    for (const std::int32_t id : g.outputs_of(n)) uses_f16 = uses_f16 || is_half(id);
    return uses_f16 && !has_kernel(n, f16) && has_kernel(n, f32);
  }

  constexpr std::int32_t add_value(tensor_desc desc, dtype type, char is_known) {
    desc.type = type;
    known.push_back(is_known);
    wide.push_back(ir::none);
    return g.add_value({desc, ir::kind::result, {}, 0, ir::none});
  }
  constexpr ir::node cast_node(std::int32_t from, std::int32_t to) {
    const std::int32_t operands[] = {from}, results[] = {to};
    return {cast, cast->label, {}, g.add_operands(operands), g.add_operands(results), {}};
  }
  /// The value as f32; adds a cast if there is none yet.
  constexpr std::int32_t widened(std::int32_t id) {
    const auto i = static_cast<std::size_t>(id);
    if (wide[i] != ir::none) return wide[i];
    const std::int32_t made = add_value(g.at(id).desc, f32, known[i]);
    wide[i] = made;
    (known[i] != 0 ? prepared : others).push_back(cast_node(id, made));
    return made;
  }
  constexpr void widen(ir::node n) {
    pool<std::int32_t> inputs, outputs, results;
    inputs.insert(g.inputs_of(n).begin(), g.inputs_of(n).end());
    results.insert(g.outputs_of(n).begin(), g.outputs_of(n).end());
    for (std::int32_t& id : inputs)
      if (is_half(id)) id = widened(id);
    for (const std::int32_t id : results) outputs.push_back(is_half(id) ? add_value(g.at(id).desc, f32, 0) : id);
    n.inputs = g.add_operands(inputs), n.outputs = g.add_operands(outputs);
    const bool has_input = !inputs.empty() && inputs[0] != ir::none;
    n.attrs =
        g.add_words(attributes(n, has_input ? g.at(inputs[0]).desc.type : dtype::none, g.at(outputs[0]).desc.type));
    g.log.push_back({ir::change::widened, n.label, nullptr, n.name});
    others.push_back(n);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] != results[i]) others.push_back(cast_node(outputs[i], results[i]));
  }
};

/// Adds casts around each node on f16 that has no f16 kernel but an f32 kernel. Results are rounded to f16, so they
/// equal those of the reference, except for the order of additions. lstm keeps its states in f32 between steps. `cast`
/// is half_cast. After the deadline it returns false and leaves the graph incomplete.
constexpr bool f16_emulation(ir::graph& g, const operator_info* cast, const deadline_watch& watch = {}) {
  widening state(g, cast);
  const std::size_t events = g.log.size();
  const pool<ir::node> nodes = static_cast<pool<ir::node>&&>(g.nodes);
  for (const ir::node& n : nodes) {
    if (watch.is_over()) return false;
    if (state.is_widened(n)) state.widen(n);
    else (state.known[static_cast<std::size_t>(g.outputs_of(n)[0])] != 0 ? state.prepared : state.others).push_back(n);
  }
  if (g.log.size() == events) {
    g.nodes = nodes;
    return true;
  }
  g.nodes = static_cast<pool<ir::node>&&>(state.prepared);
  g.nodes.insert(state.others.begin(), state.others.end());
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::detail
