// fold: moves batch_norm, scale, bias_add and arithmetic with known numbers into the weights of a layer, as prepare
// nodes.
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

/// A node as y = fused((x - mean) * s + offset + addend), s = scale / sqrt(variance + epsilon) or 1 / scale; operands
/// that it lacks are none.
struct affine_map {
  std::int32_t x = ir::none, scale = ir::none, offset = ir::none, mean = ir::none, variance = ir::none,
               addend = ir::none;
  ops::fold_affine::attrs attrs;

  constexpr bool is_sum() const { return scale == ir::none && mean == ir::none; }
  constexpr bool is_factor() const { return scale != ir::none && offset == ir::none; }
};

/// The state of one run of fold_into_weights.
struct folding {
  ir::graph& g;
  use_table table;
  pool<char> known;
  pool<ir::node> prepared;  // the new nodes, in execution order

  constexpr explicit folding(ir::graph& graph) : g(graph), table(graph), known(known_values(graph)) {}

  constexpr bool is_known(std::int32_t id) const { return id == ir::none || known[static_cast<std::size_t>(id)] != 0; }

  /// What the node computes; x is none if that is no affine map. Of add to div, x is the operand that is not known.
  constexpr affine_map map_of(const ir::node& n) const {
    const array_ref<const std::int32_t> in = g.inputs_of(n);
    affine_map map;
    const auto arithmetic = [&](std::int32_t affine_map::*parameter, bool commutes) {
      const std::size_t of_x = commutes && is_known(in[0]) ? 1 : 0;
      map.x = in[of_x], map.*parameter = in[1 - of_x];
    };
    switch (n.op->traits.computes) {
      case meaning::batch_norm:
        map.x = in[0], map.scale = in[1], map.offset = in[2], map.mean = in[3], map.variance = in[4];
        map.attrs.epsilon = std::bit_cast<float>(static_cast<std::int32_t>(g.attrs_of(n)[0]));
        break;
      case meaning::scale: map.x = in[0], map.scale = in[1], map.offset = in[2]; break;
      case meaning::bias_add: map.x = in[0], map.addend = in[1]; break;
      case meaning::add: arithmetic(&affine_map::addend, true); break;
      case meaning::sub: arithmetic(&affine_map::mean, false); break;
      case meaning::mul: arithmetic(&affine_map::scale, true); break;
      case meaning::div: arithmetic(&affine_map::scale, false), map.attrs.divided = true; break;
      case meaning::other:
      case meaning::relu:
      case meaning::relu6: break;
    }
    return map;
  }
  /// Whether the map has known operands, one element for each index of the last axis or one for all.
  constexpr bool is_channelwise(const ir::node& n, const affine_map& map) const {
    const tensor_desc &x = g.at(map.x).desc, &y = g.at(g.outputs_of(n)[0]).desc;
    if (is_known(map.x) || !types::floating.contains(x.type) || x.type != y.type || x.shape != y.shape) return false;
    const bool is_aligned = n.op->traits.computes == meaning::scale;  // at an axis; others are at the last one
    const int first = is_aligned ? normalise_axis(g.attrs_of(n)[0], x.rank()) : 0;
    for (const std::int32_t id : g.inputs_of(n)) {
      if (id == map.x) continue;
      const tensor_desc& given = g.at(id).desc;
      if (!is_known(id) || given.type != x.type || given.rank() > x.rank()) return false;
      if (given.elements() == 1) continue;
      const bool ends_at_channels = !is_aligned || first + given.rank() == x.rank();
      if (!ends_at_channels || given.elements() < 0 || given.elements() != x.shape[-1] ||
          given.shape[-1] != x.shape[-1])
        return false;
    }
    return true;
  }

  /// The node that makes x for this reader alone, or nullptr.
  constexpr ir::node* maker_of(std::int32_t x) {
    if (table.producer_of(x) == ir::none || table.uses_of(x) != 1) return nullptr;
    ir::node& n = g.nodes[static_cast<std::size_t>(table.producer_of(x))];
    return n.removed ? nullptr : &n;
  }
  constexpr bool has_known_weight(const ir::node& layer) const {
    if (layer.op->traits.weights == weights_role::none) return false;
    const std::int32_t x = g.inputs_of(layer)[0], weight = g.inputs_of(layer)[1];
    return is_known(weight) && g.at(weight).desc.type == g.at(x).desc.type;
  }
  constexpr std::int32_t bias_of(const ir::node& layer) const {
    return layer.inputs.count > 2 ? g.inputs_of(layer)[2] : ir::none;
  }
  /// The layer into which a node with this map can be folded, or nullptr.
  constexpr ir::node* layer_before(const affine_map& map) {
    ir::node* const layer = maker_of(map.x);
    if (layer == nullptr || !has_known_weight(*layer) || !is_known(bias_of(*layer))) return nullptr;
    return free_activation(g, *layer) != nullptr ? layer : nullptr;
  }

  constexpr std::int32_t add_known(const tensor_desc& desc) {
    known.push_back(1);
    table.uses.push_back(1);
    table.producer.push_back(ir::none);
    return g.add_value({desc, ir::kind::result, {}, 0, ir::none});
  }
  /// Adds a prepare node that computes the weights of `layer` combined with a map. `by` is the operator that has it.
  constexpr ir::node& add_prepared(const ir::node& layer, const affine_map& map, std::int32_t bias,
                                   const operator_info& by) {
    const tensor_desc kernel = g.at(g.inputs_of(layer)[1]).desc;
    const std::int32_t operands[] = {g.inputs_of(layer)[1], bias,      map.scale, map.offset, map.mean,
                                     map.variance,          map.addend};
    const std::int64_t channels = kernel.shape[normalise_axis(map.attrs.axis, kernel.rank())];
    const std::int32_t results[] = {add_known(kernel), add_known(tensor_desc{kernel.type, {channels}})};
    pool<word> words;
    pack(map.attrs, words);
    prepared.push_back(
        {&by, by.label, g.add_words(words), g.add_operands(operands), g.add_operands(results), layer.name});
    return prepared.back();
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
  /// Folds a node into the layer before it, if there is one that can take it.
  constexpr void fold_into_layer_before(ir::node& n) {
    const affine_map map = map_of(n);
    if (map.x == ir::none || !is_channelwise(n, map)) return;
    ir::node* const layer = layer_before(map);
    if (layer == nullptr) return;
    const std::int32_t weight = g.inputs_of(*layer)[1], bias = bias_of(*layer);
    if (map.is_sum() && bias == ir::none && g.at(map.addend).desc.elements() == g.at(weight).desc.shape[0])
      return replace(*layer, n, weight, map.addend);
    const ir::node& made = add_prepared(*layer, map, bias, *n.op->folded_as);
    replace(*layer, n, g.outputs_of(made)[0], g.outputs_of(made)[1]);
  }

  /// The axis of the weight along which the channels of x lie; no axis of it: there is none.
  constexpr std::int64_t input_axis(const ir::node& layer, const affine_map& map) const {
    const shape_t &x = g.at(map.x).desc.shape, &kernel = g.at(g.inputs_of(layer)[1]).desc.shape;
    if (g.at(map.scale).desc.elements() == 1) return 0;
    if (layer.op->traits.weights == weights_role::depthwise_conv2d) return kernel[0] == x[-1] ? 0 : kernel.rank;
    return kernel[-1] == x[-1] ? kernel.rank - 1 : kernel.rank;
  }
  /// Folds a factor that is applied to the input of a layer. Padding remains 0.
  constexpr void fold_factor_before(ir::node& layer) {
    ir::node* const n = maker_of(g.inputs_of(layer)[0]);
    if (n == nullptr || !n->op->is_folded || !has_known_weight(layer)) return;
    affine_map map = map_of(*n);
    const word* const fused = activation_word(g, *n);
    if (!map.is_factor() || (fused != nullptr && *fused != static_cast<word>(activation::none))) return;
    map.attrs.axis = input_axis(layer, map);
    if (map.attrs.axis == g.at(g.inputs_of(layer)[1]).desc.rank() || !is_channelwise(*n, map)) return;
    const ir::node& made = add_prepared(layer, map, ir::none, *n->op->folded_as);
    pool<std::int32_t> operands;
    operands.insert(g.inputs_of(layer).begin(), g.inputs_of(layer).end());
    operands[0] = map.x, operands[1] = g.outputs_of(made)[0];
    layer.inputs = g.add_operands(operands);
    g.log.push_back({ir::change::folded, n->label, layer.label, layer.name});
    n->removed = true;
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

/// Folds affine maps of the channels into the known weights of a convolution or dense layer: batch_norm, scale,
/// bias_add and arithmetic with known operands after the layer, and factors before it. After the deadline it returns
/// false and leaves the graph incomplete.
constexpr bool fold_into_weights(ir::graph& g, const deadline_watch& watch = {}) {
  bool has_candidates = false;
  for (const ir::node& n : g.nodes) has_candidates = has_candidates || n.op->is_folded;
  if (!has_candidates) return !watch.is_over();
  detail::folding state(g);
  const std::size_t events = g.log.size();
  for (ir::node& n : g.nodes) {
    if (watch.is_over()) return false;
    if (n.op->is_folded) state.fold_into_layer_before(n);
    if (n.op->traits.weights != weights_role::none) state.fold_factor_before(n);
  }
  if (g.log.size() != events) detail::insert_prepared(g, state);
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::passes
