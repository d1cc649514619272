// quantise: rewrites a float graph to int8 or int16 where an accelerator runs it, given the scale of each tensor.
// Flow: calibrate() finds the scales, calls this pass and stores the weights it asks for; compile() plans the result.
#pragma once

#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d_add.hpp>
#include <nnrt/ops/conv2d_transpose_add.hpp>
#include <nnrt/ops/conv2d_transpose_sums.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/layer_sums.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/passes/fold.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Inputs of the pass, for one graph.
struct quantise_options {
  array_ref<const float> scales;         // by value; 0: unknown, so the value remains float
  array_ref<const char> on_accelerator;  // by node
  quantised_rounding rounding = quantised_rounding::half_to_even;
  array_ref<const char> in_16_bits = {};  // by node: activations are i16, if the operator accepts them; empty: none
  /// Convolutions and dense layers whose result the accelerator does not read output their int32 accumulators, with a
  /// scale for each output channel.
  bool int32_tail = false;
  /// Finds the operator with this code for quantised values; null: its nodes remain float. Operators for which
  /// quantise_makes() is true must be found.
  const operator_info* (*find)(op_code) = nullptr;
};

/// Whether the pass may make nodes of operator `made` from a graph's nodes; has(op_code) says which operators these
/// have.
template <class Has> constexpr bool quantise_makes(op_code made, const Has& has) {
  const bool has_convolution = has(ops::conv2d::code) || has(ops::depthwise_conv2d::code);
  switch (made) {
    case ops::conv2d_add::code: return has_convolution && has(ops::add::code);
    case ops::conv2d_transpose_add::code: return has(ops::conv2d_transpose::code) && has(ops::add::code);
    case ops::conv2d_transpose_sums::code: return has(ops::conv2d_transpose::code);
    case ops::layer_sums::code: return has_convolution || has(ops::full_connection::code);
    case ops::quant_dtype_cast::code: return true;
  }
  return false;
}

/// A layer whose weights must be stored: weights are quantised per output channel, the bias is i32 with the
/// accumulators' scale. The members are values; `none`: missing.
struct quantised_layer {
  // of the float graph, as weight and bias: the tensor whose scale, times the weight's, is the accumulators' scale
  std::int32_t x = ir::none;
  std::int32_t weight = ir::none, bias = ir::none;
  std::int32_t stored_weight = ir::none, weight_scales = ir::none,
               quantised_bias = ir::none;  // weights of the new graph
  // scales of the int32 outputs by output channel, for a layer that outputs its accumulators
  std::int32_t sum_scales = ir::none;
  float x_scale = 0;  // scale of x as the layer reads it
};

/// The graph of quantised values. Values of the float graph keep their ids.
struct quantised_graph {
  ir::graph graph;
  // by value of the float graph, its first quantised value; none: it is float only
  pool<std::int32_t> quantised_of;
  pool<quantised_layer> layers;
};

/// Turns weights that nothing reads into results, so that no file has to supply them.
constexpr void forget_unread_weights(ir::graph& g) {
  const use_table use(g);
  pool<char> scales;
  scales.assign(g.values.size(), 0);
  for (const ir::value& v : g.values)
    if (v.scales != ir::none) scales[static_cast<std::size_t>(v.scales)] = 1;
  for (std::size_t id = 0; id < g.values.size(); ++id)
    if (g.values[id].is == ir::kind::weight && use.uses_of(static_cast<std::int32_t>(id)) == 0 && scales[id] == 0)
      g.values[id].is = ir::kind::result;
}

namespace detail {

/// One run of the pass.
class quantising {
 public:
  quantised_graph made;

  constexpr quantising(const ir::graph& floats, const quantise_options& wanted)
      : g_(floats), wanted_(wanted), known_(known_values(floats)) {
    ir::graph& q = made.graph;
    q = floats;
    q.nodes.clear();
    made.quantised_of.assign(floats.values.size(), ir::none);
    for (pool<std::int32_t>& of : quantised_ids_) of.assign(floats.values.size(), ir::none);
    layer_of_.assign(floats.values.size(), -1);
    is_float_.assign(floats.values.size(), 0);
    for (std::size_t id = 0; id < floats.values.size(); ++id)
      if (floats.values[id].is != ir::kind::result || known_[id] != 0) is_float_[id] = 1;
    is_tail_.assign(floats.nodes.size(), 0);
    if (wanted.int32_tail) find_tails();
    find_units();
    for (std::size_t i = 0; i < floats.nodes.size(); ++i) {
      const ir::node& n = floats.nodes[i];
      if (is_in_unit_[i] != 0) continue;
      if (layer_of_unit_[i] != ir::none) store_unit(floats.nodes[static_cast<std::size_t>(layer_of_unit_[i])], n);
      else if (is_layer_at_tail(i)) store_sums(n, is_wide(i));
      else if (is_quantised(i)) store(n, is_wide(i));
      else keep(n);
    }
    for (const ir::output& out : floats.outputs) need_float(out.value);
    for (const ir::state& s : floats.states) need_float(s.next);
    forget_unread_weights(q);  // the float weights of quantised layers
  }

 private:
  constexpr bool is_known(std::int32_t id) const { return known_[static_cast<std::size_t>(id)] != 0; }
  constexpr float scale_of(std::int32_t id) const { return wanted_.scales[static_cast<std::size_t>(id)]; }
  constexpr bool has_scale(std::int32_t id) const { return g_.at(id).desc.type == f32 && scale_of(id) > 0; }

  /// The operator of a node for quantised values; null: none.
  constexpr const operator_info* int8_operator_of(const ir::node& n) const { return wanted_.find(n.op->code); }

  /// Whether an operator that moves values accepts its first operand as int8. Some of its attributes may be valid for
  /// floats only.
  constexpr bool takes_quantised_values(const ir::node& n) const {
    const auto stored = [&](tensor_desc desc) {
      desc.type = i8, desc.quantised = quant{1.0F, 0, wanted_.rounding};
      return desc;
    };
    ir::operand_list list(g_, g_.inputs_of(n));
    list.operands[0].desc = stored(list.operands[0].desc);
    pool<tensor_desc> declared;
    for (const std::int32_t id : g_.outputs_of(n)) declared.push_back(stored(g_.at(id).desc));
    return static_cast<bool>(int8_operator_of(n)->infer(g_.attrs_of(n), list.operands, declared));
  }

  /// Whether a node can be quantised: layers with known weights, arithmetic on computed tensors, and nodes that move
  /// one tensor. Nodes that move values need only the scale of their input.
  constexpr bool can_be_quantised(const ir::node& n) const {
    const operator_traits& traits = n.op->traits;
    const array_ref<const std::int32_t> in = g_.inputs_of(n), out = g_.outputs_of(n);
    if (in.empty() || in[0] == ir::none || is_known(in[0]) || !has_scale(in[0]) || int8_operator_of(n) == nullptr)
      return false;
    if (traits.quantised == quantised_values::kept) {
      for (std::size_t i = 1; i < in.size(); ++i)
        if (in[i] != ir::none && !is_known(in[i])) return false;
      for (const std::int32_t id : out)
        if (g_.at(id).desc.type != f32) return false;
      return takes_quantised_values(n);
    }
    if (traits.quantised != quantised_values::computed || !traits.rounds_to_even || out.size() != 1 ||
        !has_scale(out[0]))
      return false;
    const bool is_layer = traits.weights != weights_role::none;
    for (std::size_t i = 1; i < in.size(); ++i) {
      if (in[i] == ir::none) continue;
      if (is_layer ? g_.at(in[i]).is != ir::kind::weight : is_number(in[i]) && (is_known(in[i]) || !has_scale(in[i])))
        return false;
    }
    return !is_layer || in.size() > 1;
  }

  constexpr bool can_run_quantised(std::size_t i) const {
    return wanted_.on_accelerator[i] != 0 && can_be_quantised(g_.nodes[i]);
  }
  constexpr bool is_quantised(std::size_t i) const {
    return can_run_quantised(i) && (is_tail_[i] == 0 || is_layer_at_tail(i));
  }

  /// Finds layers whose results only float nodes read, and nodes that only reshape such results. The latter work on
  /// floats.
  constexpr void find_tails() {
    pool<char> is_read, is_sum;  // by value
    is_read.assign(g_.values.size(), 0);
    is_sum.assign(g_.values.size(), 0);
    const auto is_unread = [&](const ir::node& n) {
      return n.outputs.count == 1 && is_read[static_cast<std::size_t>(g_.outputs_of(n)[0])] == 0;
    };
    for (std::size_t i = g_.nodes.size(); i-- > 0;) {
      const ir::node& n = g_.nodes[i];
      if (!can_run_quantised(i) || (is_reshaping(n) && is_unread(n))) continue;
      for (const std::int32_t id : g_.inputs_of(n))
        if (id != ir::none) is_read[static_cast<std::size_t>(id)] = 1;
    }
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      const ir::node& n = g_.nodes[i];
      if (!can_run_quantised(i) || !is_unread(n)) continue;
      const bool follows = is_reshaping(n) && is_sum[static_cast<std::size_t>(g_.inputs_of(n)[0])] != 0;
      if (follows || can_keep_sums(n)) is_tail_[i] = is_sum[static_cast<std::size_t>(g_.outputs_of(n)[0])] = 1;
    }
  }
  static constexpr bool is_reshaping(const ir::node& n) {
    return n.op->traits.result == storage::alias_of_input && n.op->traits.quantised == quantised_values::kept;
  }
  constexpr bool can_keep_sums(const ir::node& n) const {
    const bool is_known_layer = is_convolution(n) || is_transposed(n) || n.op->code == ops::full_connection::code;
    return is_known_layer &&
           g_.attrs_of(n)[static_cast<std::size_t>(n.op->fused_word)] == static_cast<word>(activation::none);
  }
  constexpr bool is_layer_at_tail(std::size_t i) const { return is_tail_[i] != 0 && !is_reshaping(g_.nodes[i]); }

  /// Finds additions of a convolution's result, which nothing else reads, and another tensor. Both nodes become one,
  /// which rounds once.
  constexpr void find_units() {
    layer_of_unit_.assign(g_.nodes.size(), ir::none);
    is_in_unit_.assign(g_.nodes.size(), 0);
    const use_table use(g_);
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      const ir::node& n = g_.nodes[i];
      if (n.op->code != ops::add::code || !is_quantised(i) || is_wide(i)) continue;
      const array_ref<const std::int32_t> in = g_.inputs_of(n);
      if (in[0] == in[1] || g_.at(in[0]).desc.shape != g_.at(in[1]).desc.shape) continue;
      // Of two convolutions, the later one: the result of the other exists by then.
      std::int32_t layer = ir::none;
      for (const std::int32_t id : in)
        if (const std::int32_t by = use.producer_of(id);
            by > layer && use.uses_of(id) == 1 && can_begin_unit(static_cast<std::size_t>(by)))
          layer = by;
      if (layer == ir::none) continue;
      layer_of_unit_[i] = layer;
      is_in_unit_[static_cast<std::size_t>(layer)] = 1;
    }
  }
  /// A convolution (depthwise and transposed, too) without a fused activation, quantised to int8.
  constexpr bool can_begin_unit(std::size_t i) const {
    const ir::node& n = g_.nodes[i];
    return (is_convolution(n) || is_transposed(n)) && is_quantised(i) && !is_wide(i) &&
           g_.attrs_of(n)[static_cast<std::size_t>(n.op->fused_word)] == static_cast<word>(activation::none);
  }
  static constexpr bool is_transposed(const ir::node& n) { return n.op->code == ops::conv2d_transpose::code; }
  static constexpr bool is_convolution(const ir::node& n) {
    return n.op->code == ops::conv2d::code || n.op->code == ops::depthwise_conv2d::code;
  }
  /// The attributes of such a node as conv2d: a depthwise convolution has a group for each channel.
  constexpr ops::conv2d::attrs convolution_of(const ir::node& n) const {
    if (n.op->code == ops::conv2d::code) return unpack<ops::conv2d::attrs>(g_.attrs_of(n));
    const auto own = unpack<ops::depthwise_conv2d::attrs>(g_.attrs_of(n));
    ops::conv2d::attrs as_convolution;
    as_convolution.stride = own.stride, as_convolution.dilation = own.dilation, as_convolution.pad = own.pad,
    as_convolution.fused = own.fused;
    as_convolution.group = g_.at(g_.inputs_of(n)[0]).desc.shape[3];
    return as_convolution;
  }
  /// Makes one node of a convolution and the addition that follows it.
  constexpr void store_unit(const ir::node& layer, const ir::node& sum) {
    const std::int32_t between = g_.outputs_of(layer)[0];
    const std::int32_t other = g_.inputs_of(sum)[0] == between ? g_.inputs_of(sum)[1] : g_.inputs_of(sum)[0];
    const std::int32_t x = need_quantised(g_.inputs_of(layer)[0], false), addend = need_quantised(other, false),
                       weight = stored_weight(layer, x);
    const std::int32_t in[] = {x, weight, made.layers.back().quantised_bias, addend};
    pool<word> words;
    const auto pack_rectified = [&](auto attrs) {
      attrs.fused = unpack<ops::add::attrs>(g_.attrs_of(sum)).fused, pack(attrs, words);
    };
    if (is_transposed(layer)) pack_rectified(unpack<ops::conv2d_transpose::attrs>(g_.attrs_of(layer)));
    else pack_rectified(convolution_of(layer));
    const std::int32_t y = add_quantised(g_.outputs_of(sum)[0], quantisation_of(g_.outputs_of(sum)[0], false), false);
    add_node(wanted_.find(is_transposed(layer) ? ops::conv2d_transpose_add::code : ops::conv2d_add::code),
             made.graph.add_words(words), in, {&y, 1}, layer.name);
  }

  /// Whether a node's activations are i16: requested, and accepted by the operator.
  constexpr bool is_wide(std::size_t i) const {
    if (wanted_.in_16_bits.empty() || wanted_.in_16_bits[i] == 0) return false;
    const operator_info* const op = int8_operator_of(g_.nodes[i]);
    return op->inputs[static_cast<std::size_t>(op->traits.typed_by)].accepts.contains(i16);
  }

  /// Whether the operand holds quantisable values, not a list of axes or the like.
  constexpr bool is_number(std::int32_t id) const {
    return !is_known(id) || !types::index.contains(g_.at(id).desc.type);
  }

  /// An i16 step is 1/256 of an i8 step, so that conversion from i8 to i16 is exact.
  constexpr quantisation quantisation_of(std::int32_t id, bool is_wide) const {
    return quant{is_wide ? scale_of(id) / 256 : scale_of(id), 0, wanted_.rounding};
  }
  constexpr std::int32_t& quantised_id(std::int32_t id, bool is_wide) {
    return quantised_ids_[is_wide ? 1 : 0][static_cast<std::size_t>(id)];
  }
  constexpr std::int32_t add_quantised(std::int32_t of, const quantisation& q, bool is_wide) {
    tensor_desc desc = g_.at(of).desc;
    desc.type = is_wide ? i16 : i8;
    desc.quantised = q;
    const std::int32_t id = quantised_id(of, is_wide) = made.graph.add_value({desc, ir::kind::result, {}, 0, ir::none});
    std::int32_t& first = made.quantised_of[static_cast<std::size_t>(of)];
    if (first == ir::none) first = id;
    return id;
  }
  constexpr void add_node(const operator_info* op, ir::range attrs, array_ref<const std::int32_t> in,
                          array_ref<const std::int32_t> out, ir::range name) {
    ir::node n;
    n.op = op;
    n.label = op->label;
    n.attrs = attrs;
    n.inputs = made.graph.add_operands(in);
    n.outputs = made.graph.add_operands(out);
    n.name = name;
    made.graph.nodes.push_back(n);
  }
  /// Adds a conversion between a float value and its quantised value, in either direction.
  constexpr void add_cast(std::int32_t from, std::int32_t to) {
    ops::quant_dtype_cast::attrs attrs;
    attrs.src_t = static_cast<int>(made.graph.at(from).desc.type);
    attrs.dst_t = static_cast<int>(made.graph.at(to).desc.type);
    attrs.axis = made.graph.at(from).desc.quantised.axis;
    pool<word> words;
    pack(attrs, words);
    add_node(wanted_.find(ops::quant_dtype_cast::code), made.graph.add_words(words), {&from, 1}, {&to, 1}, {});
  }
  /// The quantised value of a value; if missing, it is converted from the other width or from float.
  constexpr std::int32_t need_quantised(std::int32_t id, bool is_wide) {
    if (quantised_id(id, is_wide) != ir::none) return quantised_id(id, is_wide);
    const std::int32_t other = quantised_id(id, !is_wide);
    // A moved value has the scale of its operand.
    quantisation q = other == ir::none ? quantisation_of(id, is_wide) : made.graph.at(other).desc.quantised;
    if (other != ir::none) q.scale = is_wide ? q.scale / 256 : q.scale * 256;
    add_cast(other == ir::none ? id : other, add_quantised(id, q, is_wide));
    return quantised_id(id, is_wide);
  }
  constexpr std::int32_t need_float(std::int32_t id) {
    if (id == ir::none || is_float_[static_cast<std::size_t>(id)] != 0) return id;
    add_cast(made.quantised_of[static_cast<std::size_t>(id)], id);
    is_float_[static_cast<std::size_t>(id)] = 1;
    return id;
  }

  /// Copies a node that remains float.
  constexpr void keep(const ir::node& n) {
    pool<std::int32_t> in;
    for (const std::int32_t id : g_.inputs_of(n)) in.push_back(need_float(id));
    for (const std::int32_t id : g_.outputs_of(n)) is_float_[static_cast<std::size_t>(id)] = 1;
    add_node(n.op, n.attrs, in, g_.outputs_of(n), n.name);
  }

  constexpr std::int32_t add_weight(const tensor_desc& desc, std::int32_t of, std::string_view part) {
    const std::string_view letters = g_.name_of(g_.at(of).name);
    const auto first = static_cast<std::int32_t>(made.graph.text.size());
    made.graph.add_text(letters);
    made.graph.add_text(part);
    return made.graph.add_value(
        {desc, ir::kind::weight, {first, static_cast<std::int32_t>(letters.size() + part.size())}, 0, ir::none});
  }
  /// The quantised weight of a layer that reads its input as x.
  constexpr std::int32_t stored_weight(const ir::node& n, std::int32_t x) {
    const array_ref<const std::int32_t> in = g_.inputs_of(n);
    quantised_layer layer{.x = in[0],
                          .weight = in[1],
                          .bias = in.size() > 2 ? in[2] : ir::none,
                          .x_scale = made.graph.at(x).desc.quantised.scale};
    std::int32_t& known = layer_of_[static_cast<std::size_t>(layer.weight)];
    if (known >= 0) {
      const quantised_layer& other = made.layers[static_cast<std::size_t>(known)];
      layer.stored_weight = other.stored_weight, layer.weight_scales = other.weight_scales;
    } else {
      known = static_cast<std::int32_t>(made.layers.size());
      tensor_desc desc = g_.at(layer.weight).desc;
      desc.type = i8;
      desc.quantised = per_channel<0>;
      layer.stored_weight = add_weight(desc, layer.weight, ".stored");
      layer.weight_scales = add_weight(tensor_desc{f32, {desc.shape[0]}}, layer.weight, ".stored.scale");
      made.graph.at(layer.stored_weight).scales = layer.weight_scales;
    }
    if (layer.bias != ir::none) {
      // A bias that two layers share has two scales, so each use has a separate name.
      layer.quantised_bias = add_numbered_weight(tensor_desc{i32, g_.at(layer.bias).desc.shape}, layer.bias, ".stored.",
                                                 made.layers.size());
    }
    made.layers.push_back(layer);
    return layer.stored_weight;
  }
  /// Adds a weight for one layer only; its name ends with the layer's number.
  constexpr std::int32_t add_numbered_weight(const tensor_desc& desc, std::int32_t of, std::string_view part,
                                             std::size_t layer) {
    pool<char> name;
    for (const char letter : part) name.push_back(letter);
    std::size_t digits = 4;
    for (std::size_t rest = layer / 10000; rest != 0; rest /= 10) ++digits;
    for (std::size_t i = 0; i < digits; ++i) name.push_back('0');
    for (std::size_t at = name.size(), number = layer; number != 0; number /= 10)
      name[--at] = static_cast<char>('0' + number % 10);
    return add_weight(desc, of, {name.data(), name.size()});
  }

  /// Adds the node on quantised values.
  constexpr void store(const ir::node& n, bool is_wide) {
    const array_ref<const std::int32_t> in = g_.inputs_of(n), out = g_.outputs_of(n);
    const bool is_layer = n.op->traits.weights != weights_role::none;
    pool<std::int32_t> inputs, outputs;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i] == ir::none || (is_layer && i > 0)) inputs.push_back(ir::none);
      else inputs.push_back(is_known(in[i]) ? in[i] : need_quantised(in[i], is_wide));
    }
    if (is_layer) store_weights(n, is_wide, inputs);
    const bool is_moved = n.op->traits.quantised == quantised_values::kept;
    for (const std::int32_t id : out)
      outputs.push_back(add_quantised(
          id, is_moved ? made.graph.at(inputs[0]).desc.quantised : quantisation_of(id, is_wide), is_wide));
    add_node(int8_operator_of(n), n.attrs, inputs, outputs, n.name);
  }
  /// Sets the operands of a layer after its input.
  constexpr void store_weights(const ir::node& n, bool is_wide, pool<std::int32_t>& inputs) {
    inputs[1] = stored_weight(n, inputs[0]);
    if (is_wide && inputs.size() < 3) inputs.push_back(ir::none);
    if (inputs.size() > 2) inputs[2] = made.layers.back().quantised_bias;
    // Without a bias, int16 layers would have 64-bit accumulators; accelerators have 32 bits.
    if (is_wide && inputs[2] == ir::none) inputs[2] = zero_bias(g_.at(g_.inputs_of(n)[1]).desc.shape[0]);
  }
  /// Adds a layer that outputs its int32 accumulators.
  constexpr void store_sums(const ir::node& n, bool is_wide) {
    pool<std::int32_t> inputs;
    inputs.assign(g_.inputs_of(n).size(), ir::none);
    inputs[0] = need_quantised(g_.inputs_of(n)[0], is_wide);
    store_weights(n, is_wide, inputs);
    quantised_layer& layer = made.layers.back();
    const std::int32_t of = g_.outputs_of(n)[0];
    tensor_desc desc = g_.at(of).desc.with_type(i32);
    desc.quantised = per_channel<0>;
    desc.quantised.axis = desc.rank() - 1;
    layer.sum_scales =
        add_numbered_weight(tensor_desc{f32, {desc.shape[-1]}}, layer.weight, ".sums.scale.", made.layers.size() - 1);
    const std::int32_t y = made.quantised_of[static_cast<std::size_t>(of)] =
        made.graph.add_value({desc, ir::kind::result, {}, 0, layer.sum_scales});
    pool<word> words;
    pack_sums(n, words);
    add_node(wanted_.find(is_transposed(n) ? ops::conv2d_transpose_sums::code : ops::layer_sums::code),
             made.graph.add_words(words), inputs, {&y, 1}, n.name);
  }
  /// The attributes of the operator that outputs a layer's accumulators.
  constexpr void pack_sums(const ir::node& n, pool<word>& words) const {
    if (is_transposed(n)) {
      const auto own = unpack<ops::conv2d_transpose::attrs>(g_.attrs_of(n));
      ops::conv2d_transpose_sums::attrs attrs;
      attrs.stride = own.stride, attrs.dilation = own.dilation, attrs.pad = own.pad,
      attrs.output_paddings = own.output_paddings, attrs.group = own.group;
      return pack(attrs, words);
    }
    ops::layer_sums::attrs attrs;
    if (is_convolution(n)) {
      const ops::conv2d::attrs own = convolution_of(n);
      attrs.stride = own.stride, attrs.dilation = own.dilation, attrs.pad = own.pad, attrs.group = own.group;
    } else {
      attrs.axis = unpack<ops::full_connection::attrs>(g_.attrs_of(n)).axis;
    }
    pack(attrs, words);
  }
  constexpr std::int32_t zero_bias(std::int64_t channels) {
    pool<std::int32_t> zeros;
    zeros.assign(static_cast<std::size_t>(channels), 0);
    return made.graph.add_constant<std::int32_t>(tensor_desc{i32, {channels}}, zeros);
  }

  const ir::graph& g_;
  const quantise_options& wanted_;
  pool<char> known_;
  pool<std::int32_t> quantised_ids_[2];  // by value: its quantised values in 8 and in 16 bits
  pool<std::int32_t> layer_of_;          // by weight: the first layer that reads it; -1: none so far
  pool<char> is_float_;                  // by value: its float exists
  pool<std::int32_t> layer_of_unit_;     // by node: the convolution that an addition is merged with
  pool<char> is_in_unit_;                // by node: a convolution that is merged into its addition
  pool<char> is_tail_;                   // by node: a layer that outputs accumulators, or a reshape of its result
};

}  // namespace detail

/// Rewrites a float graph. Nodes on the accelerator whose tensors have scales work on i8, or on i16 if requested:
/// symmetric, with results rounded as wanted. Conversions are added between these nodes and float nodes. A convolution,
/// an addition and its activation become one node, which rounds once. Weights that a layer reads must be weights of the
/// graph, not computed. The last layers may output int32 accumulators. Inputs, outputs and states of the graph remain
/// float; a state is quantised where the accelerator reads it.
constexpr quantised_graph quantise(const ir::graph& floats, const quantise_options& wanted) {
  return static_cast<quantised_graph&&>(detail::quantising(floats, wanted).made);
}

}}}  // namespace nnrt::NNRT_ISA::passes
