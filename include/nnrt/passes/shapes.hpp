// shapes: the operators' rules run through a whole graph again, for the extents that its inputs really have.
// Flow: compile() calls it for graphs that arrived at run time, before the other passes; unknown extents (-1) become known ones.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/passes/evaluate.hpp>

namespace nnrt::inline NNRT_ISA::passes {

/// When the elements of a value are there.
enum class readiness : char {
  computed,   // when the network has run up to it
  prepared,   // before the network runs: weights, and what is computed from them
  evaluated,  // when the shapes of the inputs are known: constants, shapes, and what is computed from these alone
};

/// That of the results of a node: the latest of its operands, if it reads them.
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

/// The operands of a node as rules see them while shapes are still unknown: integers that follow from shapes alone count as constants whose
/// values are to come.
constexpr ir::operand_list operands_of(const ir::graph& g, array_ref<const std::int32_t> ids, array_ref<const readiness> ready) {
  ir::operand_list list(g, ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == ir::none) continue;
    const readiness at = ready[static_cast<std::size_t>(ids[i])];
    list.operands[i].constant = at != readiness::computed;
    list.operands[i].awaited = at == readiness::evaluated && g.at(ids[i]).is != ir::kind::constant;
  }
  return list;
}

/// How infer_shapes() ended.
struct shape_inference {
  std::int32_t node = ir::none;  // the node whose rule is broken
  verdict broken;
  constexpr explicit operator bool() const { return static_cast<bool>(broken); }
};

/// What the rules say of a node and of the results that the graph declares for it.
constexpr verdict results_of(const ir::graph& g, const ir::node& n, array_ref<const readiness> ready) {
  pool<tensor_desc> declared;
  declared.reserve(g.outputs_of(n).size());
  for (const std::int32_t id : g.outputs_of(n)) declared.push_back(g.at(id).desc);
  verdict v = n.op->infer(g.attrs_of(n), operands_of(g, g.inputs_of(n), ready).operands, declared);
  if (!v) return v;
  if (v.outputs.size() != declared.size())
    return refuse(signature_rule::output_count_must_match, static_cast<std::int64_t>(declared.size()), static_cast<std::int64_t>(v.outputs.size()));
  for (std::size_t i = 0; i < declared.size(); ++i) {
    // Rank 0 declares nothing to infer(); here it is what the graph says.
    if (auto same = require(signature_rule::declared_output_rank_must_match, v.outputs[i].rank(), declared[i].rank()); !same) return same;
  }
  return v;
}

/// Calls f with the number of each node and what its rules say, where every result is what the graph declares it to be.
template <class F> constexpr void judge_nodes(const ir::graph& g, F f) {
  pool<readiness> ready;
  ready.reserve(g.values.size());
  for (const ir::value& v : g.values) ready.push_back(readiness_of(v));
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    f(i, results_of(g, n, ready));
    for (const std::int32_t id : g.outputs_of(n)) ready[static_cast<std::size_t>(id)] = readiness_of(g, n, ready);
  }
}

namespace detail {

/// Infers the results of a node and takes their descs over. A result that the graph declares as NHWC stays that, as judge_nodes() has it: fronts
/// that know no other format bring channels to axis 1 and go on with an image of other channels.
constexpr verdict infer_results(ir::graph& g, const ir::node& n, array_ref<const readiness> ready) {
  verdict v = results_of(g, n, ready);
  if (!v) return v;
  for (std::size_t i = 0; i < v.outputs.size(); ++i) {
    tensor_desc& desc = g.at(g.outputs_of(n)[i]).desc;
    if (desc.layout == nhwc) v.outputs[i].layout = nhwc;
    desc = v.outputs[i];
  }
  return v;
}

}  // namespace detail

/// Gives every result the extents that follow from those of the inputs, node by node; nodes on constants and shapes alone are evaluated on
/// the way, since later rules read their values. Stops at the first broken rule, with the graph half done.
constexpr shape_inference infer_shapes(ir::graph& g) {
  pool<readiness> ready;
  ready.reserve(g.values.size());
  for (const ir::value& v : g.values) ready.push_back(readiness_of(v));
  bool changed = false;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
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

/// Gives an operand whose scales may run along several axes, since the front end that made it knows no more than how many there are, the first of
/// these axes along which the node can take them. Where it can take them along none, they stay along the first.
constexpr void settle_scale_axes(ir::graph& g, const ir::node& n) {
  const auto is_accepted = [&] {
    pool<tensor_desc> wanted;
    for (const std::int32_t id : g.outputs_of(n)) {
      wanted.push_back(g.at(id).desc);
      wanted.back().shape = {};
    }
    return static_cast<bool>(n.op->infer(g.attrs_of(n), ir::operand_list(g, g.inputs_of(n)).operands, wanted));
  };
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none || g.at(id).desc.quantised.mode != quantisation::kind::per_channel || is_accepted()) continue;
    const shape_t shape = g.at(id).desc.shape;
    const int first = g.at(id).desc.quantised.axis;
    for (int axis = first + 1; axis < shape.rank; ++axis) {
      if (shape[axis] != shape[first]) continue;
      g.at(id).desc.quantised.axis = axis;
      if (is_accepted()) return;
    }
    g.at(id).desc.quantised.axis = first;
  }
}

}  // namespace nnrt::inline NNRT_ISA::passes
