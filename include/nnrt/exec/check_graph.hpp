// check_graph: whether a graph that arrived at run time is what the passes rely on, and what its operators' rules say.
// Flow: compile() calls it first; static graphs have been through the same rules in the compiler.
#pragma once

#include <nnrt/ir/diagnose.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt::inline NNRT_ISA {

namespace detail {

inline error broken_graph(const std::string& what) { return {error_code::invalid_argument, "graph: " + what}; }

inline bool lies_in(ir::range at, std::size_t pool) {
  return at.first >= 0 && at.count >= 0 && static_cast<std::size_t>(at.first) + static_cast<std::size_t>(at.count) <= pool;
}

[[gnu::cold]] inline std::string at_node(const ir::graph& g, std::size_t i) { return "node " + std::to_string(i) + " (" + std::string(g.nodes[i].op->name) + ")"; }

/// Ids that a node reads or writes are values of the graph.
[[gnu::cold]] inline result<void> check_node_ids(const ir::graph& g, std::size_t i) {
  const auto count = static_cast<std::int32_t>(g.values.size());
  const auto complain = [&](std::string_view does, std::int32_t id) {
    return fail(broken_graph(at_node(g, i) + std::string(does) + std::to_string(id) + " of " + std::to_string(count)));
  };
  for (const std::int32_t id : g.inputs_of(g.nodes[i]))
    if (id != ir::none && (id < 0 || id >= count)) return complain(" reads value ", id);
  for (const std::int32_t id : g.outputs_of(g.nodes[i]))
    if (id < 0 || id >= count) return complain(" writes value ", id);
  return {};
}

/// Ranges of node i lie in their pools.
[[gnu::cold]] inline result<void> check_node_ranges(const ir::graph& g, std::size_t i) {
  const ir::node& n = g.nodes[i];
  if (n.op == nullptr || n.label == nullptr || n.removed) return fail(broken_graph("node " + std::to_string(i) + " has no operator"));
  if (!lies_in(n.attrs, g.words.size()) || !lies_in(n.inputs, g.operands.size()) || !lies_in(n.outputs, g.operands.size()) || !lies_in(n.name, g.text.size()))
    return fail(broken_graph(at_node(g, i) + " points outside the graph's pools"));
  if (n.outputs.count < 1) return fail(broken_graph(at_node(g, i) + " has no output"));
  return check_node_ids(g, i);
}

/// Marks a range of a pool; false when another one has been there.
inline bool take_range(std::vector<char>& taken, ir::range at) {
  for (std::int32_t i = at.first; i < at.first + at.count; ++i)
    if (std::exchange(taken[static_cast<std::size_t>(i)], char{1}) != 0) return false;
  return true;
}

/// Passes rewrite a node's operands and attributes where they stand: no other node's may stand there.
[[gnu::cold]] inline result<void> check_sharing(const ir::graph& g) {
  std::vector<char> operands(g.operands.size(), 0), words(g.words.size(), 0);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    if (!take_range(operands, n.inputs) || !take_range(operands, n.outputs) || !take_range(words, n.attrs))
      return fail(broken_graph(at_node(g, i) + " shares its operands or attributes with another node"));
  }
  return {};
}

/// What is wrong with the desc of a value; empty when nothing is.
[[gnu::cold]] inline std::string fault_of(const tensor_desc& desc) {
  const auto type = static_cast<int>(desc.type), layout = static_cast<int>(desc.layout), mode = static_cast<int>(desc.quantised.mode);
  if (desc.shape.rank < 0 || desc.shape.rank > max_rank) return " has rank " + std::to_string(desc.shape.rank) + ", expected 0 to 8";
  if (type == 0) return " has no dtype";
  if (type < 0 || type >= dtype_count) return " has dtype " + std::to_string(type) + ", expected 1 to " + std::to_string(dtype_count - 1);
  if (layout < 0 || layout > static_cast<int>(format::nd)) return " has format " + std::to_string(layout) + ", expected 0 to 3";
  if (mode < 0 || mode > static_cast<int>(quantisation::kind::per_channel)) return " has quantisation " + std::to_string(mode) + ", expected 0 to 2";
  if (desc.elements() < 0) return " has unknown extents, or more elements than memory can hold";
  return {};
}

/// The scales of a per-channel quantised value, whose own descs are in order.
[[gnu::cold]] inline std::string fault_of_scales(const ir::graph& g, const ir::value& v) {
  if (v.desc.quantised.mode != quantisation::kind::per_channel) return v.scales == ir::none ? "" : " has scales, but is not quantised per channel";
  if (v.desc.quantised.axis < 0 || v.desc.quantised.axis >= v.desc.rank()) return " is quantised along axis " + std::to_string(v.desc.quantised.axis) + ", which it has not";
  if (v.scales < 0 || static_cast<std::size_t>(v.scales) >= g.values.size()) return " is quantised per channel, but its scales are no value";
  const ir::value& scales = g.at(v.scales);
  const bool is_known = scales.is == ir::kind::constant || scales.is == ir::kind::weight;
  if (!is_known || scales.desc.type != f32 || scales.desc.elements() != v.desc.shape[v.desc.quantised.axis])
    return " is quantised per channel, but its scales are not one known f32 for each index of the axis";
  return {};
}

[[gnu::cold]] inline std::string fault_of(const ir::graph& g, const ir::value& v) {
  if (static_cast<int>(v.is) < 0 || v.is > ir::kind::result) return " is of no kind";
  if (!lies_in(v.name, g.text.size())) return " has a name outside the graph's text";
  const auto bytes = static_cast<std::int64_t>(g.bytes.size());
  if (v.is == ir::kind::constant && (v.first_byte < 0 || v.first_byte > bytes || v.desc.bytes() > bytes - v.first_byte)) return " is a constant outside the graph's bytes";
  if (v.is == ir::kind::constant && v.first_byte % size_of(v.desc.type) != 0) return " is a constant whose bytes are not aligned";
  return fault_of_scales(g, v);
}

[[gnu::cold]] inline result<void> check_values(const ir::graph& g) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 60;  // sums of sizes then stay far from the largest number
  std::int64_t bytes = 0;
  for (std::size_t id = 0; id < g.values.size(); ++id) {
    if (const std::string fault = fault_of(g.values[id].desc); !fault.empty()) return fail(broken_graph("value " + std::to_string(id) + fault));
    bytes += g.values[id].desc.bytes();
    if (bytes > most_bytes) return fail(broken_graph("has more bytes in its values than memory can hold"));
  }
  for (std::size_t id = 0; id < g.values.size(); ++id)
    if (const std::string fault = fault_of(g, g.values[id]); !fault.empty()) return fail(broken_graph("value " + std::to_string(id) + fault));
  return {};
}

/// The list of inputs has every value of that kind once, and nothing else.
[[gnu::cold]] inline result<void> check_inputs_of(const ir::graph& g) {
  std::vector<char> listed(g.values.size(), 0);
  for (const std::int32_t id : g.inputs) {
    if (id < 0 || static_cast<std::size_t>(id) >= g.values.size() || g.at(id).is != ir::kind::input)
      return fail(broken_graph("lists value " + std::to_string(id) + " as an input, which it is not"));
    if (std::exchange(listed[static_cast<std::size_t>(id)], char{1}) != 0) return fail(broken_graph("lists input " + std::to_string(id) + " twice"));
  }
  for (std::size_t id = 0; id < g.values.size(); ++id)
    if (g.values[id].is == ir::kind::input && listed[id] == 0) return fail(broken_graph("value " + std::to_string(id) + " is an input that the graph does not list"));
  return {};
}

/// Every value is made once, before it is read, by a node or as an input, weight or constant.
[[gnu::cold]] inline result<void> check_order(const ir::graph& g) {
  std::vector<char> made(g.values.size(), 0);
  for (std::size_t id = 0; id < g.values.size(); ++id) made[id] = g.values[id].is != ir::kind::result ? 1 : 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const std::string where = at_node(g, i);
    for (const std::int32_t id : g.inputs_of(g.nodes[i]))
      if (id != ir::none && made[static_cast<std::size_t>(id)] == 0) return fail(broken_graph(where + " reads value " + std::to_string(id) + " before it is made"));
    for (const std::int32_t id : g.outputs_of(g.nodes[i])) {
      if (made[static_cast<std::size_t>(id)] != 0) return fail(broken_graph(where + " makes value " + std::to_string(id) + ", which is made already"));
      made[static_cast<std::size_t>(id)] = 1;
    }
  }
  for (const ir::output& out : g.outputs) {
    if (!lies_in(out.name, g.text.size())) return fail(broken_graph("an output has a name outside the graph's text"));
    if (out.value < 0 || static_cast<std::size_t>(out.value) >= g.values.size() || made[static_cast<std::size_t>(out.value)] == 0)
      return fail(broken_graph("output \"" + std::string(g.name_of(out.name)) + "\" is not made by any node"));
  }
  return {};
}

/// What the operators' own rules say of node i and of the descs that its outputs declare.
[[gnu::cold]] inline result<void> check_rules(const ir::graph& g, const ir::node& n) {
  std::vector<tensor_desc> declared;
  for (const std::int32_t id : g.outputs_of(n)) declared.push_back(g.at(id).desc);
  const ir::operand_list operands(g, g.inputs_of(n));
  const verdict inferred = n.op->infer(g.attrs_of(n), operands.operands, declared);
  verdict broken = inferred ? verdict{} : inferred;
  if (broken) broken = require(signature_rule::output_count_must_match, std::int64_t{n.outputs.count}, static_cast<std::int64_t>(inferred.outputs.size()));
  for (std::size_t k = 0; k < declared.size() && broken; ++k)
    broken = require(signature_rule::declared_output_rank_must_match, std::int64_t{declared[k].rank()}, std::int64_t{inferred.outputs[k].rank()});
  if (!broken) return fail(error_code::rule_broken, to_string(broken, *n.op, g.name_of(n.name)));
  return {};
}

/// An operator that came from a static graph may know fewer dtypes than its rules allow.
[[gnu::cold]] inline result<void> check_reference(const ir::graph& g, std::size_t i) {
  const ir::node& n = g.nodes[i];
  const dtype type = reference_type(n.op->traits, [&](std::size_t k) { return g.at(g.inputs_of(n)[k]).desc.type; });
  if (n.op->computes_on.contains(type)) return {};
  return fail(broken_graph(at_node(g, i) + " is not for " + std::string(name_of(type)) + ": ops::find() has the operator for every dtype"));
}

}  // namespace detail

/// Checks ids, order, sizes and every operator's rules. Errors: invalid_argument (a graph that no builder could have made), rule_broken.
[[gnu::cold]] inline result<void> check_graph(const ir::graph& g) {
  if (g.outputs.empty()) return fail(detail::broken_graph("has no output"));
  if (auto ok = detail::check_values(g); !ok) return ok;
  if (auto ok = detail::check_inputs_of(g); !ok) return ok;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (auto ok = detail::check_node_ranges(g, i); !ok) return ok;
  if (auto ok = detail::check_sharing(g); !ok) return ok;
  if (auto ok = detail::check_order(g); !ok) return ok;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    if (auto ok = detail::check_rules(g, g.nodes[i]); !ok) return ok;
    if (auto ok = detail::check_reference(g, i); !ok) return ok;
  }
  return {};
}

}  // namespace nnrt::inline NNRT_ISA
