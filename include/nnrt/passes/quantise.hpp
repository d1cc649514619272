// quantise: a graph of floats becomes one of quantised bytes where an accelerator runs it, given the scale of each
// tensor.
// Flow: calibrate() finds the scales, calls this pass, and stores the weights that the pass asks for; compile() plans
// the result.
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

/// What the pass is told of a graph.
struct quantise_options {
  array_ref<const float> scales;         // by value; 0: not known, so that the value stays a float
  array_ref<const char> on_accelerator;  // by node
  quantised_rounding rounding = quantised_rounding::half_to_even;
  array_ref<const char> in_16_bits = {};  // by node: activations are i16, where the operator takes it; empty: none
  /// A convolution or dense layer whose result the accelerator reads no more keeps its sums: i32, a scale for each
  /// output channel.
  bool int32_tail = false;
  /// The operator of this number for quantised bytes, or null: then its nodes stay with floats. Those that
  /// quantise_makes() names must be there.
  const operator_info* (*find)(op_code) = nullptr;
};

/// Whether the pass may make nodes of an operator out of a graph's nodes; has(op_code) says which operators these have.
template <class Has> constexpr bool quantise_makes(op_code made, const Has& has) {
  const bool has_convolution = has(ops::conv2d::code) || has(ops::depthwise_conv2d::code);
  switch (made) {
    case ops::conv2d_add::code: return has_convolution && has(ops::add::code);
    case ops::conv2d_transpose_add::code: return has(ops::conv2d_transpose::code) && has(ops::add::code);
    case ops::conv2d_transpose_sums::code: return has(ops::conv2d_transpose::code);
    case ops::layer_sums::code: return has_convolution || has(ops::full_connection::code);
    case ops::quant_dtype_cast::code: return true;
    default: return false;
  }
}

/// A layer whose weights are to be stored: per output channel, the bias in 32 bits with the scale of its sums. All are
/// values; `none`: missing.
struct quantised_layer {
  // of the graph of floats, as are weight and bias: the tensor whose scale sums have
  std::int32_t x = ir::none;
  std::int32_t weight = ir::none, bias = ir::none;
  std::int32_t stored_weight = ir::none, weight_scales = ir::none,
               quantised_bias = ir::none;  // weights of the new graph
  // that of a layer which keeps its sums: what they stand for, by output channel
  std::int32_t sum_scales = ir::none;
  float x_scale = 0;  // of x as the layer reads it
};

/// The graph of quantised values. Values of the graph of floats keep their ids.
struct quantised_graph {
  ir::graph graph;
  // by value of the graph of floats, its first stored form; none: it is a float alone
  pool<std::int32_t> quantised_of;
  pool<quantised_layer> layers;
};

/// Weights that nothing reads become values that nobody asks a file for.
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
    for (pool<std::int32_t>& of : forms_) of.assign(floats.values.size(), ir::none);
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
    forget_unread_weights(q);  // of weights that are stored, the floats
  }

 private:
  constexpr bool is_known(std::int32_t id) const { return known_[static_cast<std::size_t>(id)] != 0; }
  constexpr float scale_of(std::int32_t id) const { return wanted_.scales[static_cast<std::size_t>(id)]; }
  constexpr bool has_scale(std::int32_t id) const { return g_.at(id).desc.type == f32 && scale_of(id) > 0; }

  /// The operator of a node for quantised values; null where nobody has it.
  constexpr const operator_info* form_for_bytes(const ir::node& n) const { return wanted_.find(n.op->code); }

  /// Whether the rules of an operator that moves numbers let it move those of its first operand in 8 bits: some of its
  /// attributes may be for floats alone.
  constexpr bool takes_quantised_values(const ir::node& n) const {
    const auto stored = [&](tensor_desc desc) {
      desc.type = i8, desc.quantised = quant{1.0F, 0, wanted_.rounding};
      return desc;
    };
    ir::operand_list list(g_, g_.inputs_of(n));
    list.operands[0].desc = stored(list.operands[0].desc);
    pool<tensor_desc> declared;
    for (const std::int32_t id : g_.outputs_of(n)) declared.push_back(stored(g_.at(id).desc));
    return static_cast<bool>(form_for_bytes(n)->infer(g_.attrs_of(n), list.operands, declared));
  }

  /// Layers with known weights, sums and functions of computed tensors, and what moves one tensor. What moves numbers
  /// needs no scale but its input's.
  constexpr bool can_be_quantised(const ir::node& n) const {
    const operator_traits& traits = n.op->traits;
    const array_ref<const std::int32_t> in = g_.inputs_of(n), out = g_.outputs_of(n);
    if (in.empty() || in[0] == ir::none || is_known(in[0]) || !has_scale(in[0]) || form_for_bytes(n) == nullptr)
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

  /// Finds layers whose results only floats are made of. What gives such a result another shape and no more works on
  /// those floats.
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

  /// Finds sums of a convolution's result, which nobody else reads, and another tensor: both nodes become one, which
  /// rounds once.
  constexpr void find_units() {
    layer_of_unit_.assign(g_.nodes.size(), ir::none);
    is_in_unit_.assign(g_.nodes.size(), 0);
    const use_table use(g_);
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      const ir::node& n = g_.nodes[i];
      if (n.op->code != ops::add::code || !is_quantised(i) || is_wide(i)) continue;
      const array_ref<const std::int32_t> in = g_.inputs_of(n);
      if (in[0] == in[1] || g_.at(in[0]).desc.shape != g_.at(in[1]).desc.shape) continue;
      // Of two convolutions the later one: what the other gives is there by then.
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
  /// A convolution, depthwise, transposed or neither, that rounds nothing but what it passes on.
  constexpr bool can_begin_unit(std::size_t i) const {
    const ir::node& n = g_.nodes[i];
    return (is_convolution(n) || is_transposed(n)) && is_quantised(i) && !is_wide(i) &&
           g_.attrs_of(n)[static_cast<std::size_t>(n.op->fused_word)] == static_cast<word>(activation::none);
  }
  static constexpr bool is_transposed(const ir::node& n) { return n.op->code == ops::conv2d_transpose::code; }
  static constexpr bool is_convolution(const ir::node& n) {
    return n.op->code == ops::conv2d::code || n.op->code == ops::depthwise_conv2d::code;
  }
  /// What such a node is as a convolution: one whose channels have filters of their own has a group for each.
  constexpr ops::conv2d::attrs convolution_of(const ir::node& n) const {
    if (n.op->code == ops::conv2d::code) return unpack<ops::conv2d::attrs>(g_.attrs_of(n));
    const auto own = unpack<ops::depthwise_conv2d::attrs>(g_.attrs_of(n));
    ops::conv2d::attrs as_convolution;
    as_convolution.stride = own.stride, as_convolution.dilation = own.dilation, as_convolution.pad = own.pad,
    as_convolution.fused = own.fused;
    as_convolution.group = g_.at(g_.inputs_of(n)[0]).desc.shape[3];
    return as_convolution;
  }
  /// A convolution and the sum behind it as one node.
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

  /// A node whose activations have 16 bits, because somebody asked for that and the operator can.
  constexpr bool is_wide(std::size_t i) const {
    if (wanted_.in_16_bits.empty() || wanted_.in_16_bits[i] == 0) return false;
    const operator_info* const op = form_for_bytes(g_.nodes[i]);
    return op->inputs[static_cast<std::size_t>(op->traits.typed_by)].accepts.contains(i16);
  }

  /// Not a list of axes and the like.
  constexpr bool is_number(std::int32_t id) const {
    return !is_known(id) || !types::index.contains(g_.at(id).desc.type);
  }

  /// A step of 16 bits is 1/256 of one of 8 bits, so that going from 8 to 16 bits changes no number.
  constexpr quantisation quantisation_of(std::int32_t id, bool is_wide) const {
    return quant{is_wide ? scale_of(id) / 256 : scale_of(id), 0, wanted_.rounding};
  }
  constexpr std::int32_t& form_of(std::int32_t id, bool is_wide) {
    return forms_[is_wide ? 1 : 0][static_cast<std::size_t>(id)];
  }
  constexpr std::int32_t add_quantised(std::int32_t of, const quantisation& q, bool is_wide) {
    tensor_desc desc = g_.at(of).desc;
    desc.type = is_wide ? i16 : i8;
    desc.quantised = q;
    const std::int32_t form = form_of(of, is_wide) = made.graph.add_value({desc, ir::kind::result, {}, 0, ir::none});
    std::int32_t& first = made.quantised_of[static_cast<std::size_t>(of)];
    if (first == ir::none) first = form;
    return form;
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
  /// Between a float and its stored form, in either direction.
  constexpr void add_cast(std::int32_t from, std::int32_t to) {
    ops::quant_dtype_cast::attrs attrs;
    attrs.src_t = static_cast<int>(made.graph.at(from).desc.type);
    attrs.dst_t = static_cast<int>(made.graph.at(to).desc.type);
    attrs.axis = made.graph.at(from).desc.quantised.axis;
    pool<word> words;
    pack(attrs, words);
    add_node(wanted_.find(ops::quant_dtype_cast::code), made.graph.add_words(words), {&from, 1}, {&to, 1}, {});
  }
  /// A stored form of a value, made of the other one or the float if need be.
  constexpr std::int32_t need_quantised(std::int32_t id, bool is_wide) {
    if (form_of(id, is_wide) != ir::none) return form_of(id, is_wide);
    const std::int32_t other = form_of(id, !is_wide);
    // What was moved has the scale that it came with.
    quantisation q = other == ir::none ? quantisation_of(id, is_wide) : made.graph.at(other).desc.quantised;
    if (other != ir::none) q.scale = is_wide ? q.scale / 256 : q.scale * 256;
    add_cast(other == ir::none ? id : other, add_quantised(id, q, is_wide));
    return form_of(id, is_wide);
  }
  constexpr std::int32_t need_float(std::int32_t id) {
    if (id == ir::none || is_float_[static_cast<std::size_t>(id)] != 0) return id;
    add_cast(made.quantised_of[static_cast<std::size_t>(id)], id);
    is_float_[static_cast<std::size_t>(id)] = 1;
    return id;
  }

  /// The node as it is.
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
  /// The weight of a layer that reads its input as x.
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
      // A bias that two layers share has two scales: each use has a name of its own.
      layer.quantised_bias = add_numbered_weight(tensor_desc{i32, g_.at(layer.bias).desc.shape}, layer.bias, ".stored.",
                                                 made.layers.size());
    }
    made.layers.push_back(layer);
    return layer.stored_weight;
  }
  /// A weight that is made for one layer alone, whose number stands behind its name.
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

  /// The node on quantised values.
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
    add_node(form_for_bytes(n), n.attrs, inputs, outputs, n.name);
  }
  /// The operands of a layer behind its input.
  constexpr void store_weights(const ir::node& n, bool is_wide, pool<std::int32_t>& inputs) {
    inputs[1] = stored_weight(n, inputs[0]);
    if (is_wide && inputs.size() < 3) inputs.push_back(ir::none);
    if (inputs.size() > 2) inputs[2] = made.layers.back().quantised_bias;
    // Without a bias sums of 16-bit numbers would have 64 bits: accelerators have 32.
    if (is_wide && inputs[2] == ir::none) inputs[2] = zero_bias(g_.at(g_.inputs_of(n)[1]).desc.shape[0]);
  }
  /// A layer that keeps its sums.
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
  /// The attributes of the operator that keeps a layer's sums.
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
  pool<std::int32_t> forms_[2];       // by value: what is stored of it in 8 and in 16 bits
  pool<std::int32_t> layer_of_;       // by weight: the first layer that reads it; -1: none so far
  pool<char> is_float_;               // by value: its float is there
  pool<std::int32_t> layer_of_unit_;  // by node: the convolution that a sum is one unit with
  pool<char> is_in_unit_;             // by node: a convolution that is part of its sum
  pool<char> is_tail_;                // by node: a layer that keeps its sums, or what gives their floats another shape
};

}  // namespace detail

/// Rewrites a graph of floats: nodes on the accelerator whose tensors have scales work on i8 (or, asked for, on i16),
/// symmetric, results rounded as wanted; where such a node meets one of floats there is a conversion. A convolution, a
/// sum and its activation become one node with one rounding. Weights that a layer reads must be weights of the graph,
/// not computed. The last layers may keep their sums of 32 bits. Inputs, outputs and states of the graph stay what they
/// are: a state is stored where the accelerator reads it.
constexpr quantised_graph quantise(const ir::graph& floats, const quantise_options& wanted) {
  return static_cast<quantised_graph&&>(detail::quantising(floats, wanted).made);
}

}}}  // namespace nnrt::NNRT_ISA::passes
