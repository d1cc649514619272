// shapes: runs the operators' rules through a whole graph again, with the actual extents of its inputs.
// Flow: compile() calls it before the other passes, for graphs with unknown extents (-1), which become known.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/passes/evaluate.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// When the elements of a value are available.
enum class readiness : char {
  computed,   // at its step in a run
  prepared,   // before the network runs: weights, and results that depend only on known values
  evaluated,  // when input shapes are known: constants, shapes, and results that depend only on these
};

/// Readiness of the results of a node: the latest of its operands, if it reads their elements.
constexpr readiness readiness_of(const ir::graph& g, const ir::node& n, array_ref<const readiness> ready) {
  if (n.op->traits.reads_descs_alone) return readiness::evaluated;
  readiness latest = readiness::evaluated;
  for (const std::int32_t id : g.inputs_of(n))
    if (id != ir::none && ready[static_cast<std::size_t>(id)] < latest) latest = ready[static_cast<std::size_t>(id)];
  return latest;
}
constexpr readiness readiness_of(const ir::value& v) {
  if (v.is == ir::kind::constant) return readiness::evaluated;
  return v.is == ir::kind::weight ? readiness::prepared : readiness::computed;
}

/// The operands of a node as rules read them while shapes are unknown. Integers that depend only on shapes count as
/// constants with values to come. `descs`: as in results_of().
constexpr ir::operand_list operands_of(const ir::graph& g, array_ref<const std::int32_t> ids,
                                       array_ref<const readiness> ready, array_ref<const tensor_desc> descs = {}) {
  ir::operand_list list(g, ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == ir::none) continue;
    if (!descs.empty()) list.operands[i].desc = descs[static_cast<std::size_t>(ids[i])];
    const readiness at = ready[static_cast<std::size_t>(ids[i])];
    list.operands[i].constant = at != readiness::computed;
    list.operands[i].awaited = at == readiness::evaluated && g.at(ids[i]).is != ir::kind::constant;
  }
  return list;
}

/// The result of infer_shapes().
struct shape_inference {
  std::int32_t node = ir::none;  // the node whose rule is broken
  verdict broken;
  constexpr explicit operator bool() const { return static_cast<bool>(broken); }
};

/// The verdict of the rules on a node, with the declared descs of its results. `descs`: the descs of all values, if
/// they differ from the graph's.
constexpr verdict results_of(const ir::graph& g, const ir::node& n, array_ref<const readiness> ready,
                             array_ref<const tensor_desc> descs = {}) {
  pool<tensor_desc> declared;
  declared.reserve(g.outputs_of(n).size());
  for (const std::int32_t id : g.outputs_of(n))
    declared.push_back(descs.empty() ? g.at(id).desc : descs[static_cast<std::size_t>(id)]);
  verdict v = n.op->infer(g.attrs_of(n), operands_of(g, g.inputs_of(n), ready, descs).operands, declared);
  if (!v) return v;
  if (v.outputs.size() != declared.size())
    return refuse(signature_rule::output_count_must_match, static_cast<std::int64_t>(declared.size()),
                  static_cast<std::int64_t>(v.outputs.size()));
  for (std::size_t i = 0; i < declared.size(); ++i) {
    // Rank 0 declares nothing to infer(); here it is the rank in the graph.
    if (auto same = require(signature_rule::declared_output_rank_must_match, v.outputs[i].rank(), declared[i].rank());
        !same)
      return same;
  }
  return v;
}

/// Checks of a node that need no rule of its operator: well-formed attributes, the number of operands and results,
/// valid scales and zero points.
constexpr verdict check_well_formed(const ir::graph& g, const ir::node& n) {
  const ir::operand_list in(g, g.inputs_of(n)), out(g, g.outputs_of(n));
  constexpr rule_id well_formed = signature_rule::attributes_must_be_well_formed;
  if (verdict v = n.op->infer(g.attrs_of(n), in.operands, {}); !v && v.by_signature && v.rule == well_formed.index)
    return v;
  if (auto v = nnrt::detail::check_counts(n.op->inputs, in.operands); !v) return v;
  if (auto v = nnrt::detail::check_counts(n.op->outputs, out.operands); !v) return v;
  for (const auto* const list : {&in.operands, &out.operands})
    for (const operand& x : *list)
      if (auto v = nnrt::detail::check_quantisation(x.desc.type, x.desc.rank(), x.desc.quantised); !v) return v;
  return {};
}

namespace detail {

/// Whether a result of shape `found` may be declared as `declared`: axes of extent 1 may be left out or added, and
/// unknown extents fit any.
constexpr bool same_but_for_ones(const shape_t& found, const shape_t& declared) {
  bool fits[max_rank + 1][max_rank + 1] = {};  // the first i axes of found, the first k of declared
  for (int i = 0; i <= found.rank; ++i)
    for (int k = 0; k <= declared.rank; ++k) {
      const bool is_begin = i == 0 && k == 0;
      const bool without_found = i > 0 && found[i - 1] == 1 && fits[i - 1][k];
      const bool without_declared = k > 0 && (declared[k - 1] == 1 || declared[k - 1] < 0) && fits[i][k - 1];
      const bool together = i > 0 && k > 0 &&
                            (found[i - 1] == declared[k - 1] || found[i - 1] < 0 || declared[k - 1] < 0) &&
                            fits[i - 1][k - 1];
      fits[i][k] = is_begin || without_found || without_declared || together;
    }
  return fits[found.rank][declared.rank];
}

/// Sets the axis of per-channel scales. A front end may know only the number of scales, which fits several axes. Takes
/// the first axis that the node accepts: first of the axes with as many indices as scales, then of those with unknown
/// extent. If the node accepts none, the axis is unchanged.
/// desc_of(id): a mutable reference to the desc of a value.
template <class DescOf> constexpr void infer_scale_axes(const ir::graph& g, const ir::node& n, DescOf desc_of) {
  const auto is_accepted = [&] {
    pool<tensor_desc> wanted;
    for (const std::int32_t id : g.outputs_of(n)) {
      wanted.push_back(desc_of(id));
      wanted.back().shape = {};
    }
    ir::operand_list list(g, g.inputs_of(n));
    for (std::size_t i = 0; i < list.operands.size(); ++i)
      if (const std::int32_t id = g.inputs_of(n)[i]; id != ir::none) list.operands[i].desc = desc_of(id);
    return static_cast<bool>(n.op->infer(g.attrs_of(n), list.operands, wanted));
  };
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none || g.at(id).scales == ir::none ||
        desc_of(id).quantised.mode != quantisation::kind::per_channel || is_accepted())
      continue;
    const shape_t shape = desc_of(id).shape;
    const int first = desc_of(id).quantised.axis;
    const std::int64_t scales = g.at(g.at(id).scales).desc.elements();
    bool is_accepted_axis = false;
    for (const std::int64_t extent : {scales, std::int64_t{-1}})
      for (int axis = 0; axis < shape.rank && !is_accepted_axis; ++axis) {
        if (shape[axis] != extent) continue;
        desc_of(id).quantised.axis = axis;
        is_accepted_axis = is_accepted();
      }
    if (!is_accepted_axis) desc_of(id).quantised.axis = first;
  }
}

/// The verdict on a node after its scales have axes. Results that are declared with other axes of extent 1 take the
/// inferred shape. A result that is declared without scale takes its inferred per-tensor scale, so that the next node
/// is checked against it.
constexpr verdict adapt_node(const ir::graph& g, const ir::node& n, array_ref<const readiness> ready,
                             pool<tensor_desc>& descs) {
  verdict v = results_of(g, n, ready, descs);
  const array_ref<const std::int32_t> out = g.outputs_of(n);
  if (!v) {
    infer_scale_axes(g, n, [&](std::int32_t id) -> tensor_desc& { return descs[static_cast<std::size_t>(id)]; });
    pool<tensor_desc> wanted;
    for (const std::int32_t id : out) {
      wanted.push_back(descs[static_cast<std::size_t>(id)]);
      wanted.back().shape = {};
    }
    const verdict found = n.op->infer(g.attrs_of(n), operands_of(g, g.inputs_of(n), ready, descs).operands, wanted);
    for (std::size_t i = 0; found && found.outputs.size() == out.size() && i < out.size(); ++i) {
      shape_t& declared = descs[static_cast<std::size_t>(out[i])].shape;
      if (same_but_for_ones(found.outputs[i].shape, declared)) declared = found.outputs[i].shape;
    }
    v = results_of(g, n, ready, descs);
  }
  for (std::size_t i = 0; v && i < out.size(); ++i) {
    quantisation& declared = descs[static_cast<std::size_t>(out[i])].quantised;
    if (!declared && v.outputs[i].quantised.mode == quantisation::kind::per_tensor) declared = v.outputs[i].quantised;
  }
  return v;
}

constexpr pool<tensor_desc> descs_of(const ir::graph& g) {
  pool<tensor_desc> descs;
  descs.reserve(g.values.size());
  for (const ir::value& v : g.values) descs.push_back(v.desc);
  return descs;
}

/// judge_nodes() with the descs of all values, which it updates by the rules. Stops after the deadline.
template <class F>
constexpr void judge_nodes(const ir::graph& g, pool<tensor_desc>& descs, F f, const deadline_watch& watch = {}) {
  pool<readiness> ready;
  ready.reserve(g.values.size());
  for (const ir::value& v : g.values) ready.push_back(readiness_of(v));
  for (std::size_t i = 0; i < g.nodes.size() && !watch.is_over(); ++i) {
    const ir::node& n = g.nodes[i];
    f(i, adapt_node(g, n, ready, descs));
    for (const std::int32_t id : g.outputs_of(n)) ready[static_cast<std::size_t>(id)] = readiness_of(g, n, ready);
  }
}

}  // namespace detail

/// Calls f with the index of each node and the verdict of its rules. Every result must have its declared desc, except
/// for axes of extent 1: programs declare [1] or [-1] for scalars, and keep axes that an operator removes. Stops after
/// the deadline.
template <class F> constexpr void judge_nodes(const ir::graph& g, F f, const deadline_watch& watch = {}) {
  pool<tensor_desc> descs = detail::descs_of(g);
  detail::judge_nodes(g, descs, f, watch);
}

/// Applies the changes that judge_nodes() makes to descs. Results that are declared with other axes of extent 1 get
/// their inferred shapes, and scales get axes that the nodes accept.
constexpr void adapt_declared(ir::graph& g, const deadline_watch& watch = {}) {
  pool<tensor_desc> descs = detail::descs_of(g);
  detail::judge_nodes(
      g, descs, [](std::size_t, const verdict&) {}, watch);
  for (std::size_t id = 0; id < g.values.size(); ++id) g.values[id].desc = descs[id];
}

namespace detail {

/// Infers the results of a node and stores their descs. A result keeps its declared format: front ends that know no
/// other than NHWC move channels to axis 1, and then use the result as an image; outputs keep the format that they had
/// before passes.
constexpr verdict infer_results(ir::graph& g, const ir::node& n, array_ref<const readiness> ready) {
  verdict v = results_of(g, n, ready);
  if (!v) return v;
  for (std::size_t i = 0; i < v.outputs.size(); ++i) {
    tensor_desc& desc = g.at(g.outputs_of(n)[i]).desc;
    if (desc.rank() == v.outputs[i].rank()) v.outputs[i].layout = desc.layout;
    desc = v.outputs[i];
  }
  return v;
}

}  // namespace detail

/// Sets the extents of every result from those of the inputs, node by node. Nodes that depend only on constants and
/// shapes are evaluated at once, since later rules read their values. Stops at the first broken rule or after the
/// deadline, and leaves the graph incomplete.
constexpr shape_inference infer_shapes(ir::graph& g, const deadline_watch& watch = {}) {
  pool<readiness> ready;
  ready.reserve(g.values.size());
  for (const ir::value& v : g.values) ready.push_back(readiness_of(v));
  bool changed = false;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    if (watch.is_over()) return {};
    ir::node& n = g.nodes[i];
    verdict v = detail::infer_results(g, n, ready);
    if (!v) return {static_cast<std::int32_t>(i), static_cast<verdict&&>(v)};
    for (const std::int32_t id : g.outputs_of(n)) ready[static_cast<std::size_t>(id)] = readiness_of(g, n, ready);
    if (!detail::can_evaluate(g, n) || !detail::evaluate(g, n)) continue;
    g.log.push_back({ir::change::evaluated, n.label, nullptr, n.name});
    n.removed = true;
    changed = true;
  }
  if (changed) compact(g);
  return {};
}

/// Sets the axes of the scales of a node's operands, as adapt_declared() does.
constexpr void infer_scale_axes(ir::graph& g, const ir::node& n) {
  detail::infer_scale_axes(g, n, [&](std::int32_t id) -> tensor_desc& { return g.at(id).desc; });
}

}}}  // namespace nnrt::NNRT_ISA::passes
