// weight_specs: how a network uses each of its weights, read off the graph as it was written.
// Flow: executors and compile() hand the list to bind_weights(), which brings files of other frameworks into this order.
#pragma once

#include <nnrt/io/bind_weights.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt::inline NNRT_ISA {

namespace detail {

constexpr weight_use use_of(weights_role role) {
  switch (role) {
    case weights_role::conv2d: return weight_use::conv2d;
    case weights_role::depthwise_conv2d: return weight_use::depthwise_conv2d;
    case weights_role::conv2d_transpose: return weight_use::conv2d_transpose;
    case weights_role::full_connection: return weight_use::full_connection;
    case weights_role::none: break;
  }
  return weight_use::plain;
}

/// The operand whose elements a node's result has in their order: that of reshapes, of activations between them and the layer, and of sums and
/// products with single numbers or with other tensors that nodes make. None: beside a weight with a number for each column, which files of other
/// frameworks have in their order, too.
constexpr std::int32_t operand_in_order(const ir::graph& g, const ir::node& n) {
  const auto ids = g.inputs_of(n);
  if (n.op->traits.result == storage::alias_of_input) return ids[0];
  if (n.op->traits.result != storage::in_place || g.outputs_of(n).size() != 1) return ir::none;
  const std::int64_t elements = g.at(g.outputs_of(n)[0]).desc.elements();
  std::int32_t found = ir::none;
  for (const std::int32_t id : ids) {
    if (id == ir::none || (g.at(id).desc.elements() == 1 && elements != 1)) continue;
    const bool is_made = g.at(id).is == ir::kind::result || g.at(id).is == ir::kind::input;
    if (!is_made || g.at(id).desc.elements() != elements) return ir::none;
    if (found == ir::none) found = id;
  }
  return found;
}

/// Whether the first operands of a node are there: its rules may not have been asked yet.
constexpr bool has_operands(const ir::graph& g, const ir::node& n, std::size_t count) {
  const auto ids = g.inputs_of(n);
  for (std::size_t i = 0; i < count; ++i)
    if (i >= ids.size() || ids[i] == ir::none) return false;
  return true;
}

/// Shape of the feature map [N, H, W, C] whose flattening a dense layer with this many columns reads; rank 0 when it reads something else. A map of one
/// pixel needs no other order, but may have been made of one that does.
constexpr shape_t flattened_map(const ir::graph& g, const passes::use_table& table, std::int32_t id, std::int64_t columns) {
  for (;;) {
    const tensor_desc& desc = g.at(id).desc;
    const bool is_map = desc.rank() == 4 && desc.layout == format::nhwc && !(desc.shape[1] == 1 && desc.shape[2] == 1);
    if (is_map) return desc.shape.is_known() && desc.shape.elements(1) == columns ? desc.shape : shape_t{};
    if (table.producer_of(id) == ir::none) return {};
    const ir::node& n = g.nodes[static_cast<std::size_t>(table.producer_of(id))];
    if (!has_operands(g, n, 1)) return {};
    id = operand_in_order(g, n);
    if (id == ir::none) return {};
  }
}

/// Groups of a convolution: input channels over the weight's.
constexpr std::int64_t group_of(const ir::graph& g, const ir::node& n) {
  const tensor_desc &x = g.at(g.inputs_of(n)[0]).desc, &w = g.at(g.inputs_of(n)[1]).desc;
  return x.rank() == 4 && w.rank() == 4 && w.shape[3] > 0 ? x.shape[3] / w.shape[3] : 1;
}

}  // namespace detail

/// One spec for each weight, in order of declaration. The names lie in the graph, which check_graph() takes; nodes may break rules.
constexpr pool<weight_spec> weight_specs_of(const ir::graph& g) {
  pool<weight_spec> specs;
  pool<std::int32_t> spec_of;
  spec_of.assign(g.values.size(), ir::none);
  for (std::size_t id = 0; id < g.values.size(); ++id) {
    const ir::value& v = g.values[id];
    if (v.is != ir::kind::weight) continue;
    spec_of[id] = static_cast<std::int32_t>(specs.size());
    specs.push_back({g.name_of(v.name), v.desc, weight_use::plain, 1, {}});
  }
  const passes::use_table table(g);
  for (const ir::node& n : g.nodes) {
    if (n.op->traits.weights == weights_role::none || !detail::has_operands(g, n, 2)) continue;
    const std::int32_t id = g.inputs_of(n)[1];
    if (spec_of[static_cast<std::size_t>(id)] == ir::none) continue;
    weight_spec& spec = specs[static_cast<std::size_t>(spec_of[static_cast<std::size_t>(id)])];
    spec.use = detail::use_of(n.op->traits.weights);
    if (spec.use == weight_use::full_connection) spec.flattened = detail::flattened_map(g, table, g.inputs_of(n)[0], spec.desc.shape[1]);
    else if (spec.use != weight_use::depthwise_conv2d) spec.group = detail::group_of(g, n);
  }
  return specs;
}

}  // namespace nnrt::inline NNRT_ISA
