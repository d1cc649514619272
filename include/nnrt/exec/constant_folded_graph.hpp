// constant_folded_graph: a float graph whose prepare nodes have run, so that layers read weights only.
// Flow: calibrate() makes it of an optimised graph, finds scales for its tensors and quantises its weights.
#pragma once

#include <nnrt/core/text.hpp>
#include <nnrt/exec/fault.hpp>
#include <nnrt/io/bind_weights.hpp>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/passes/uses.hpp>
#include <nnrt/policy/node_facts.hpp>

#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// A float graph whose layers read weights with known elements. Weights that passes folded are computed, and none is a
/// constant.
struct constant_folded_graph {
  ir::graph graph;
  std::vector<std::vector<std::byte>> bytes;  // by value: elements of weights
};

/// Turns float constants that layers read into weights, because their quantised values have another size.
[[gnu::cold]] inline void make_weights_of_constants(ir::graph& g) {
  for (const ir::node& n : g.nodes) {
    if (n.op->traits.weights == weights_role::none) continue;
    for (const std::int32_t id : g.inputs_of(n)) {
      if (id == ir::none || g.at(id).is != ir::kind::constant || g.at(id).desc.type != f32) continue;
      const ir::range name = g.add_text(joined({"constant ", id}));
      ir::value& v = g.at(id);
      v.is = ir::kind::weight, v.name = name, v.first_byte = 0;
    }
  }
}

/// The view of a value whose bytes are known, for references.
[[gnu::cold]] inline view view_of(const constant_folded_graph& made, std::int32_t id) {
  if (id == ir::none) return {};
  const ir::value& v = made.graph.at(id);
  const auto bytes_of = [&](std::int32_t value) {
    return const_cast<std::byte*>(made.bytes[static_cast<std::size_t>(value)].data());
  };
  view seen{&v.desc, any_pointer::bytes(bytes_of(id))};
  if (v.scales != ir::none)
    seen.scales = {reinterpret_cast<const float*>(bytes_of(v.scales)),
                   static_cast<std::size_t>(made.graph.at(v.scales).desc.elements())};
  return seen;
}

/// Runs the nodes that depend on no input. Their results, and constants that layers read, become weights. Error:
/// invalid_argument (weights whose values break an operator's rule, as in compile()).
[[gnu::cold]] inline result<constant_folded_graph> fold_constants(const ir::graph& optimised,
                                                                  const bound_weights& weights) {
  constant_folded_graph made{optimised, std::vector<std::vector<std::byte>>(optimised.values.size())};
  ir::graph& g = made.graph;
  std::size_t next = 0;
  for (std::size_t id = 0; id < g.values.size(); ++id) {
    const ir::value& v = g.values[id];
    const auto size = static_cast<std::size_t>(v.desc.bytes());
    if (v.is == ir::kind::weight) {
      const std::byte* const first = weights.pointers()[next++];
      made.bytes[id].assign(first, first + size);
    } else if (v.is == ir::kind::constant) {
      made.bytes[id].assign(g.bytes.data() + v.first_byte, g.bytes.data() + v.first_byte + size);
    }
  }
  const graph_facts about(optimised);
  for (ir::node& n : g.nodes) {
    if (!about.is_prepared(optimised, n)) continue;
    pool<view> in, out;
    for (const std::int32_t id : g.outputs_of(n))
      made.bytes[static_cast<std::size_t>(id)].resize(static_cast<std::size_t>(g.at(id).desc.bytes()));
    for (const std::int32_t id : g.inputs_of(n)) in.push_back(view_of(made, id));
    for (const std::int32_t id : g.outputs_of(n)) out.push_back(view_of(made, id));
    if (const run_fault fault = n.op->reference(g.attrs_of(n), in, out))
      return fail(error_of(fault, n.op->rules, n.label->name, g.name_of(n.name)));
    for (std::size_t i = 0; i < g.outputs_of(n).size(); ++i) {
      ir::value& v = g.at(g.outputs_of(n)[i]);
      v.is = ir::kind::weight;
      std::string name = joined({g.name_of(n.name), ".", n.op->outputs[row_of(n.op->outputs, i)].role, ".",
                                 static_cast<std::int64_t>(&n - g.nodes.data())});
      if (n.outputs.count > 1) name += "." + std::to_string(i);  // several outputs may have one role
      v.name = g.add_text(name);
    }
    n.removed = true;
  }
  passes::compact(g);
  make_weights_of_constants(g);
  return made;
}

/// Weights for the graph: the bytes of its values, and further tensors.
[[gnu::cold]] inline result<weights> weights_for(const ir::graph& g, const std::vector<std::vector<std::byte>>& bytes,
                                                 std::vector<tensor_entry> further = {}) {
  for (std::size_t id = 0; id < bytes.size(); ++id)
    if (g.values[id].is == ir::kind::weight)
      further.push_back({g.name_of(g.values[id].name), g.values[id].desc.type, g.values[id].desc.shape,
                         std::span<const std::byte>(bytes[id])});
  return make_weights(std::span<const tensor_entry>(further));
}

}}}  // namespace nnrt::NNRT_ISA::detail
