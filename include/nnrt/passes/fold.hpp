// fold: moves batch_norm, scale and bias_add into the weights of the preceding layer, as prepare nodes.
// Flow: after constants are evaluated, before activations are fused; prepare nodes run once, when an executor is made.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/ops/fold_affine.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// For each value whether it is known before the network runs: constants, weights, and results that depend only on
/// these.
constexpr pool<char> known_values(const ir::graph& g) {
  pool<char> known;
  known.reserve(g.values.size());
  for (const ir::value& v : g.values) known.push_back(v.is == ir::kind::constant || v.is == ir::kind::weight ? 1 : 0);
  for (const ir::node& n : g.nodes) {
    char all = 1;
    for (const std::int32_t id : g.inputs_of(n))
      if (id != ir::none && known[static_cast<std::size_t>(id)] == 0) all = 0;
    for (const std::int32_t id : g.outputs_of(n)) known[static_cast<std::size_t>(id)] = all;
  }
  return known;
}

namespace detail {

/// The state of one run of fold_into_weights.
struct folding {
  ir::graph& g;
  use_table table;
  pool<char> known;
  pool<ir::node> prepared;  // the new nodes, in execution order

  constexpr explicit folding(ir::graph& graph) : g(graph), table(graph), known(known_values(graph)) {}

  constexpr bool is_known(std::int32_t id) const { return id == ir::none || known[static_cast<std::size_t>(id)] != 0; }

  /// The layer into which `n` can be folded, or nullptr. `n` must be the only reader of its result.
  constexpr ir::node* layer_before(const ir::node& n) {
    const std::int32_t x = g.inputs_of(n)[0];
    if (table.producer_of(x) == ir::none || table.uses_of(x) != 1) return nullptr;
    ir::node& layer = g.nodes[static_cast<std::size_t>(table.producer_of(x))];
    if (layer.op->traits.weights == weights_role::none || free_activation(g, layer) == nullptr) return nullptr;
    if (is_known(x)) return nullptr;  // the layer is a prepare node, too; these do not wait for each other
    if (!types::floating.contains(g.at(x).desc.type)) return nullptr;
    if (!is_known(g.inputs_of(layer)[1]) || !is_known(bias_of(layer))) return nullptr;
    for (std::size_t i = 1; i < g.inputs_of(n).size(); ++i)
      if (!is_known(g.inputs_of(n)[i])) return nullptr;
    return &layer;
  }
  /// Whether a scale node has one parameter for each channel of the preceding layer, whose channels are the last axis.
  constexpr bool runs_along_channels(const ir::node& n) const {
    const shape_t& x = g.at(g.inputs_of(n)[0]).desc.shape;
    const int axis = normalise_axis(g.attrs_of(n)[0], x.rank);
    for (const std::int32_t id : g.inputs_of(n).subspan(1)) {
      const shape_t& given = g.at(id).desc.shape;
      if (given.rank == 0 || axis + given.rank != x.rank || given.elements() != x[-1]) return false;
    }
    return true;
  }
  constexpr std::int32_t bias_of(const ir::node& layer) const {
    return layer.inputs.count > 2 ? g.inputs_of(layer)[2] : ir::none;
  }

  constexpr std::int32_t add_known(const tensor_desc& desc) {
    known.push_back(1);
    table.uses.push_back(1);
    table.producer.push_back(ir::none);
    return g.add_value({desc, ir::kind::result, {}, 0, ir::none});
  }

  /// Gives the layer new weights, and the result and activation of `n`.
  constexpr void replace(ir::node& layer, ir::node& n, std::int32_t weight, std::int32_t bias) {
    const std::int32_t operands[] = {g.inputs_of(layer)[0], weight, bias};
    layer.inputs = g.add_operands(operands);
    const std::int32_t y = g.outputs_of(n)[0];
    g.operands[static_cast<std::size_t>(layer.outputs.first)] = y;
    if (const word* const fused = activation_word(g, n)) *activation_word(g, layer) = *fused;
    table.producer[static_cast<std::size_t>(y)] = static_cast<std::int32_t>(&layer - g.nodes.data());
    g.log.push_back({ir::change::folded, n.label, layer.label, layer.name});
    n.removed = true;
  }

  /// Adds a prepare node that computes the weights of `layer` combined with `n`.
  constexpr void fold(ir::node& layer, ir::node& n) {
    const std::int32_t weight = g.inputs_of(layer)[1], bias = bias_of(layer);
    const meaning computes = n.op->traits.computes;
    if (computes == meaning::bias_add && bias == ir::none) return replace(layer, n, weight, g.inputs_of(n)[1]);
    ops::fold_affine::attrs attrs;
    if (computes == meaning::batch_norm)
      attrs.epsilon = std::bit_cast<float>(static_cast<std::int32_t>(g.attrs_of(n)[0]));
    std::int32_t operands[7] = {weight, bias, ir::none, ir::none, ir::none, ir::none, ir::none};
    if (computes == meaning::bias_add) operands[6] = g.inputs_of(n)[1];
    else std::copy(g.inputs_of(n).begin() + 1, g.inputs_of(n).end(), operands + 2);
    const tensor_desc kernel = g.at(weight).desc;
    const std::int32_t results[] = {add_known(kernel), add_known(tensor_desc{kernel.type, {kernel.shape[0]}})};
    pool<word> words;
    pack(attrs, words);
    prepared.push_back({n.op->folded_as, n.op->folded_as->label, g.add_words(words), g.add_operands(operands),
                        g.add_operands(results), layer.name});
    replace(layer, n, results[0], results[1]);
  }
};

/// Orders the nodes: those on known values first, then the new ones, then the rest. So each value is made before it is
/// read.
constexpr void insert_prepared(ir::graph& g, const folding& state) {
  pool<ir::node> ordered;
  ordered.reserve(g.nodes.size() + state.prepared.size());
  const auto is_prepared = [&](const ir::node& n) {
    return state.known[static_cast<std::size_t>(g.outputs_of(n)[0])] != 0;
  };
  for (const ir::node& n : g.nodes)
    if (!n.removed && is_prepared(n)) ordered.push_back(n);
  ordered.insert(state.prepared.begin(), state.prepared.end());
  for (const ir::node& n : g.nodes)
    if (!n.removed && !is_prepared(n)) ordered.push_back(n);
  g.nodes = static_cast<pool<ir::node>&&>(ordered);
}

}  // namespace detail

/// Folds batch_norm, scale (along the channels) and bias_add into the known weights of the convolution or dense layer
/// before them. After the deadline it returns false and leaves the graph incomplete.
constexpr bool fold_into_weights(ir::graph& g, const deadline_watch& watch = {}) {
  detail::folding state(g);
  const std::size_t events = g.log.size();
  for (ir::node& n : g.nodes) {
    if (watch.is_over()) return false;
    if (n.op->folded_as == nullptr) continue;
    if (n.op->traits.computes == meaning::scale && !state.runs_along_channels(n)) continue;
    if (ir::node* const layer = state.layer_before(n)) state.fold(*layer, n);
  }
  if (g.log.size() != events) detail::insert_prepared(g, state);
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::passes
