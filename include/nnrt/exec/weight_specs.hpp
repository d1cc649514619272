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

/// Whether an operand has one number, or one for each column of a node's result, and no node makes it.
constexpr bool is_of_columns(const ir::graph& g, std::int32_t id, const tensor_desc& result) {
  if (g.at(id).is == ir::kind::result || g.at(id).is == ir::kind::input) return false;
  const shape_t& shape = g.at(id).desc.shape;
  return result.rank() > 0 && shape.rank > 0 && shape[shape.rank - 1] == result.shape[result.rank() - 1] && shape.elements() == shape[shape.rank - 1];
}

/// Whether a node makes every element of one of its only operand (but for single constants), of another dtype.
constexpr bool converts(const ir::graph& g, const ir::node& n) {
  const auto ids = g.inputs_of(n);
  if (ids.empty() || ids[0] == ir::none || g.outputs_of(n).size() != 1) return false;
  for (const std::int32_t id : ids.subspan(1, ids.size() - 1))
    if (id != ir::none && !(g.at(id).is == ir::kind::constant && g.at(id).desc.elements() == 1)) return false;
  const tensor_desc &from = g.at(ids[0]).desc, &to = g.at(g.outputs_of(n)[0]).desc;
  return from.type != to.type && from.shape == to.shape;
}

/// The operand whose elements a node's result has in their order: that of reshapes, of conversions and activations between them and the layer, and of sums and
/// products with single numbers, with numbers for each column, or with other tensors that nodes make. None: of all other nodes.
constexpr std::int32_t operand_in_order(const ir::graph& g, const ir::node& n) {
  const auto ids = g.inputs_of(n);
  if (n.op->traits.result == storage::alias_of_input || converts(g, n)) return ids[0];
  if (n.op->traits.result != storage::in_place || g.outputs_of(n).size() != 1) return ir::none;
  const tensor_desc& result = g.at(g.outputs_of(n)[0]).desc;
  const std::int64_t elements = result.elements();
  std::int32_t found = ir::none;
  for (const std::int32_t id : ids) {
    if (id == ir::none || (g.at(id).desc.elements() == 1 && elements != 1) || is_of_columns(g, id, result)) continue;
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

/// What the columns of a tensor come from.
struct column_source {
  shape_t map = {};         // [N, H, W, C], flattened into them; rank 0: something else
  bool is_mixed = false;    // from such a map, but not in its order
};

/// Whether a node's columns have something of the order of its operands': joined, cut, taken one by one or normalised. One that multiplies has not.
constexpr bool keeps_some_order(const ir::graph& g, const ir::node& n) {
  if (n.op->traits.joins_inputs || n.op->traits.outputs_are_parts) return true;
  if (n.op->traits.weights != weights_role::none) return false;
  const tensor_desc& result = g.at(g.outputs_of(n)[0]).desc;
  int others = 0;
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none || g.at(id).desc.elements() == 1 || is_of_columns(g, id, result)) continue;
    const bool says_where = g.at(id).is == ir::kind::constant && g.at(id).desc.type != result.type;
    others += says_where ? 0 : 1;
  }
  return others == 1;
}

/// What so many columns come from: the tensor that is where walking on from operand to operand in order ends. A map of one pixel needs no other order,
/// but may have been made of one that does; and what a reshape makes of rows (heads, say) is no map.
constexpr column_source source_of_columns(const ir::graph& g, const passes::use_table& table, std::int32_t id, std::int64_t columns) {
  const ir::node* maker = nullptr;
  for (std::int32_t next = id; next != ir::none;) {
    id = next;
    maker = table.producer_of(id) == ir::none ? nullptr : &g.nodes[static_cast<std::size_t>(table.producer_of(id))];
    if (maker != nullptr && !has_operands(g, *maker, 1)) return {};
    next = maker != nullptr ? operand_in_order(g, *maker) : ir::none;
  }
  const tensor_desc& desc = g.at(id).desc;
  if (desc.rank() == 4) {
    const bool is_map = desc.layout == format::nhwc && desc.shape.is_known() && desc.shape[1] * desc.shape[2] > 1 && desc.shape[3] > 1;
    return is_map && desc.shape.elements(1) == columns ? column_source{desc.shape} : column_source{};
  }
  if (maker == nullptr || !keeps_some_order(g, *maker)) return {};
  for (const std::int32_t from : g.inputs_of(*maker)) {
    if (from == ir::none || g.at(from).desc.rank() != desc.rank() || desc.rank() == 0) continue;
    const column_source before = source_of_columns(g, table, from, g.at(from).desc.shape[desc.rank() - 1]);
    if (before.map.rank == 4 || before.is_mixed) return {{}, true};
  }
  return {};
}

/// The weight whose elements an operand has in their order, itself or converted; none: another tensor.
constexpr std::int32_t weight_behind(const ir::graph& g, const passes::use_table& table, std::int32_t id) {
  while (table.producer_of(id) != ir::none) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(table.producer_of(id))];
    if (!has_operands(g, n, 1) || !converts(g, n)) return ir::none;
    id = g.inputs_of(n)[0];
  }
  return g.at(id).is == ir::kind::weight ? id : ir::none;
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
  for (const ir::value& v : g.values)
    if (v.scales != ir::none && g.at(v.scales).is == ir::kind::weight) specs[static_cast<std::size_t>(spec_of[static_cast<std::size_t>(v.scales)])].is_scales = true;
  pool<unsigned char> is_put;
  is_put.assign(specs.size(), 0);
  const passes::use_table table(g);
  // Puts a use of a weight down; another one whose order in files differs makes them a contradiction.
  const auto put = [&](std::int32_t id, weight_use use, std::int64_t group, const detail::column_source& columns) {
    const auto at = static_cast<std::size_t>(spec_of[static_cast<std::size_t>(id)]);
    weight_spec& spec = specs[at];
    const bool differs = is_put[at] != 0 && !(spec.use == use && spec.group == group && spec.flattened == columns.map);
    spec.contradicts = spec.contradicts || columns.is_mixed || differs;
    spec.use = use, spec.group = group, spec.flattened = columns.map;
    is_put[at] = 1;
  };
  for (const ir::node& n : g.nodes) {
    if (n.op->traits.weights == weights_role::none) {
      // Numbers for each column of a flattened map, as a normalisation has between the map and a dense layer.
      const std::int32_t x = detail::has_operands(g, n, 1) ? detail::operand_in_order(g, n) : ir::none;
      if (x == ir::none || g.at(x).desc.rank() > 2 || n.op->traits.result != storage::in_place) continue;
      const tensor_desc& result = g.at(g.outputs_of(n)[0]).desc;
      for (const std::int32_t id : g.inputs_of(n)) {
        if (id == ir::none || g.at(id).is != ir::kind::weight || !detail::is_of_columns(g, id, result)) continue;
        const detail::column_source columns = detail::source_of_columns(g, table, x, result.shape[result.rank() - 1]);
        if (columns.map.rank == 4 || columns.is_mixed) put(id, weight_use::columns, 1, columns);
      }
      continue;
    }
    if (!detail::has_operands(g, n, 2)) continue;
    const std::int32_t id = detail::weight_behind(g, table, g.inputs_of(n)[1]);
    if (id == ir::none) continue;
    const weight_use use = detail::use_of(n.op->traits.weights);
    if (use == weight_use::full_connection) put(id, use, 1, detail::source_of_columns(g, table, g.inputs_of(n)[0], g.at(id).desc.shape[1]));
    else put(id, use, use != weight_use::depthwise_conv2d ? detail::group_of(g, n) : 1, {});
  }
  return specs;
}

}  // namespace nnrt::inline NNRT_ISA
