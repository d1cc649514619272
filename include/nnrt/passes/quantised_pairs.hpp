// quantised_pairs: makes one quantised operator of dequantise, operator, quantise.
// Flow: the reader of .onnx files runs it on the graph that it has read; the other passes follow in optimise().
//
// A file in this form (QDQ) computes on real numbers: each value is quantised and dequantised at once. Here the nodes
// between become operators on the quantised values, which round once, half to even where the operator can. A result
// differs from that of the real numbers by at most one step.
#pragma once

#include <nnrt/ops/add.hpp>
#include <nnrt/ops/batch_to_space_nd.hpp>
#include <nnrt/ops/broadcast_to.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/depth_to_space.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/expand_dims.hpp>
#include <nnrt/ops/flatten.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/gelu.hpp>
#include <nnrt/ops/hard_sigmoid.hpp>
#include <nnrt/ops/hswish.hpp>
#include <nnrt/ops/leaky_relu.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/pad.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/round.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/space_to_batch_nd.hpp>
#include <nnrt/ops/space_to_depth.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/stack.hpp>
#include <nnrt/ops/strided_slice.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/swish.hpp>
#include <nnrt/ops/tanh.hpp>
#include <nnrt/ops/tile.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/ops/unsqueeze.hpp>
#include <nnrt/passes/fold.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Finds an operator by its code.
using operator_finder = const operator_info* (*)(op_code);

/// Gives a weight of the graph another order of axes or another shape, at its place in the file. Returns the new weight
/// of this desc, or none where that is not possible. `order` lists the axes of the source; empty: the shape alone
/// changes.
struct weight_mover {
  void* context = nullptr;
  std::int32_t (*move)(void* context, ir::graph& g, std::int32_t weight, const tensor_desc& to,
                       array_ref<const std::int64_t> order) = &keep;

  static constexpr std::int32_t keep(void*, ir::graph&, std::int32_t, const tensor_desc&,
                                     array_ref<const std::int64_t>) {
    return ir::none;
  }
};

namespace detail {

/// Operators that only move or choose elements: they do the same to quantised values.
inline constexpr op_code moving_operators[] = {ops::transpose::code,
                                               ops::reshape::code,
                                               ops::expand_dims::code,
                                               ops::flatten::code,
                                               ops::squeeze::code,
                                               ops::unsqueeze::code,
                                               ops::slice::code,
                                               ops::split::code,
                                               ops::strided_slice::code,
                                               ops::gather::code,
                                               ops::tile::code,
                                               ops::broadcast_to::code,
                                               ops::stack::code,
                                               ops::max_pool::code,
                                               ops::depth_to_space::code,
                                               ops::space_to_depth::code,
                                               ops::batch_to_space_nd::code,
                                               ops::space_to_batch_nd::code,
                                               ops::pad::code};

/// Operators that compute a result of another quantisation, or round it. Means over windows are none: many of four
/// values lie in the middle between two steps, where the rounding of the file's real numbers decides.
inline constexpr op_code computing_operators[] = {ops::conv2d::code,
                                                  ops::depthwise_conv2d::code,
                                                  ops::conv2d_transpose::code,
                                                  ops::full_connection::code,
                                                  ops::matmul::code,
                                                  ops::add::code,
                                                  ops::sub::code,
                                                  ops::mul::code,
                                                  ops::maximum::code,
                                                  ops::minimum::code,
                                                  ops::concat::code,
                                                  ops::reduce_mean::code,
                                                  ops::softmax::code,
                                                  ops::relu::code,
                                                  ops::relu6::code,
                                                  ops::clip::code,
                                                  ops::leaky_relu::code,
                                                  ops::sigmoid::code,
                                                  ops::tanh::code,
                                                  ops::hswish::code,
                                                  ops::hard_sigmoid::code,
                                                  ops::swish::code,
                                                  ops::gelu::code};

constexpr bool is_listed(op_code code, array_ref<const op_code> list) {
  for (const op_code one : list)
    if (one == code) return true;
  return false;
}

/// The default attributes of an operator. Not a member: clang does not find a member template in constant evaluation
/// before the end of its class.
template <class Op> constexpr pool<word> default_words() {
  pool<word> words;
  pack(typename Op::attrs(), words);
  return words;
}

/// One run of join_quantised_pairs.
class pair_joining {
 public:
  constexpr pair_joining(ir::graph& g, operator_finder find, const weight_mover& weights)
      : g_(g), find_(find), weights_(weights), table_(g), known_(known_values(g)), to_(identity_of(g)) {
    stored_.assign(g.values.size(), ir::none);
    reader_.assign(g.values.size(), ir::none);
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      for (const std::int32_t id : g.inputs_of(g.nodes[i]))
        if (id != ir::none) reader_[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(i);
    keeps_type_.assign(g.values.size(), 0);
    for (const ir::output& out : g.outputs) keeps_type_[static_cast<std::size_t>(out.value)] = 1;
  }
  constexpr void run() {
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      if (g_.nodes[i].removed) continue;
      ir::node n = g_.nodes[i];
      pool<std::int32_t> inputs;
      for (const std::int32_t id : static_cast<const ir::graph&>(g_).inputs_of(n))
        inputs.push_back(id == ir::none ? id : to_[static_cast<std::size_t>(id)]);
      n.inputs = g_.add_operands(inputs);
      rewrite(n);
    }
    g_.nodes = static_cast<pool<ir::node>&&>(made_);
    redirect(g_, to_);
  }

 private:
  using cast = ops::quant_dtype_cast;

  constexpr array_ref<const std::int32_t> inputs_of(const ir::node& n) const { return g_.inputs_of(n); }
  constexpr std::int32_t output_of(const ir::node& n) const { return g_.outputs_of(n)[0]; }
  constexpr std::int32_t& stored(std::int32_t id) { return stored_[static_cast<std::size_t>(id)]; }
  constexpr bool is_known(std::int32_t id) const { return known_[static_cast<std::size_t>(id)] != 0; }
  constexpr const tensor_desc& desc(std::int32_t id) const { return g_.at(id).desc; }

  constexpr bool is_dequantise(const ir::node& n) const {
    return n.op->code == cast::code && desc(inputs_of(n)[0]).quantised && desc(output_of(n)).type == f32;
  }
  constexpr bool is_quantise(const ir::node& n) const {
    const tensor_desc& y = desc(output_of(n));
    return n.op->code == cast::code && desc(inputs_of(n)[0]).type == f32 && types_of(i8, u8).contains(y.type) &&
           is_half_to_even(y.quantised.rounding);
  }
  /// The quantisation of the same real numbers as i8.
  static constexpr quantisation as_i8(const tensor_desc& of) {
    quantisation q = of.quantised;
    if (of.type == u8) q.zero_point -= 128;
    return q;
  }
  static constexpr bool is_same_scale(const quantisation& a, const quantisation& b) {
    return a.mode == b.mode && a.scale == b.scale && a.zero_point == b.zero_point;
  }

  constexpr std::int32_t add_value(const tensor_desc& of, bool known, std::int32_t scales = ir::none) {
    const std::int32_t id = g_.add_value({of, ir::kind::result, {}, 0, scales});
    register_value(id, known);
    return id;
  }
  constexpr void register_value(std::int32_t id, bool known) {
    known_.push_back(known ? 1 : 0), to_.push_back(id), stored_.push_back(ir::none);
  }
  /// Takes the last values out again, down to this number.
  constexpr void forget_values(std::size_t values, std::size_t nodes) {
    while (made_.size() > nodes) made_.pop_back();
    while (g_.values.size() > values) g_.values.pop_back(), known_.pop_back(), to_.pop_back(), stored_.pop_back();
  }
  constexpr void push(const operator_info& op, array_ref<const word> words, array_ref<const std::int32_t> inputs,
                      std::int32_t y, ir::range name) {
    ir::node n;
    n.op = &op, n.label = op.label, n.name = name;
    n.attrs = g_.add_words(words);
    n.inputs = g_.add_operands(inputs);
    n.outputs = g_.add_operands(array_ref<const std::int32_t>(&y, 1));
    made_.push_back(n);
  }
  /// Converts x to the desc of y.
  constexpr void push_cast(std::int32_t x, std::int32_t y, ir::range name) {
    cast::attrs attrs;
    attrs.src_t = static_cast<std::int64_t>(desc(x).type), attrs.dst_t = static_cast<std::int64_t>(desc(y).type);
    if (desc(x).quantised.mode == quantisation::kind::per_channel) attrs.axis = desc(x).quantised.axis;
    pool<word> words;
    pack(attrs, words);
    push(*find_(cast::code), words, array_ref<const std::int32_t>(&x, 1), y, name);
  }
  /// x in this quantisation of i8: x itself, or the result of a conversion.
  constexpr std::int32_t converted(std::int32_t x, const quantisation& to, ir::range name) {
    if (desc(x).type == i8 && is_same_scale(desc(x).quantised, to)) return x;
    tensor_desc made = desc(x).with_type(i8);
    made.quantised = to;
    const std::int32_t y = add_value(made, is_known(x));
    push_cast(x, y, name);
    return y;
  }

  constexpr void rewrite(const ir::node& n) {
    if (n.inputs.count == 0 || inputs_of(n)[0] == ir::none) return made_.push_back(n);
    // operators of static graphs compute one dtype
    if (!n.op->computes_on.empty() && !n.op->computes_on.contains(i8)) return made_.push_back(n);
    if (is_dequantise(n)) return rewrite_dequantise(n);
    if (is_quantise(n)) return rewrite_quantise(n);
    if (is_listed(n.op->code, moving_operators) && move(n)) return;
    if (is_listed(n.op->code, computing_operators) && join(n)) return;
    made_.push_back(n);
  }
  constexpr void rewrite_dequantise(const ir::node& n) {
    const std::int32_t x = inputs_of(n)[0], y = output_of(n);
    const bool is_u8 = desc(x).type == u8, is_channelwise = desc(x).quantised.mode == quantisation::kind::per_channel;
    if (types_of(i8, u8).contains(desc(x).type) && !(is_u8 && is_channelwise))
      stored(y) = converted(x, as_i8(desc(x)), n.name);
    push_cast(x, y, n.name);
  }
  /// Quantised values are i8, unless the network outputs them.
  constexpr void rewrite_quantise(const ir::node& n) {
    const std::int32_t x = inputs_of(n)[0], y = output_of(n);
    if (const std::int32_t source = stored(x); source != ir::none && has_one_scale(source))
      return finish(converted(source, as_i8(desc(y)), n.name), y, n.name);
    const std::int32_t grid = is_given(x) ? x : on_grid(x, desc(y), n.name);
    if (keeps_type(y)) return push_cast(grid, y, n.name);
    to_[static_cast<std::size_t>(y)] = add_value(with_i8(desc(y)), is_known(x));
    push_cast(grid, to_[static_cast<std::size_t>(y)], n.name);
  }
  /// Whether x has the numbers of an input of the network. They lie in the middle between two steps by chance alone.
  constexpr bool is_given(std::int32_t x) const {
    for (int moves = 0; moves < followers::max_count && g_.at(x).is != ir::kind::input; ++moves) {
      const std::int32_t by =
          static_cast<std::size_t>(x) < table_.producer.size() ? table_.producer_of(x) : std::int32_t{ir::none};
      if (by == ir::none) return false;
      const ir::node& n = g_.nodes[static_cast<std::size_t>(by)];
      if (!is_listed(n.op->code, moving_operators)) return false;
      x = inputs_of(n)[0];
    }
    return g_.at(x).is == ir::kind::input;
  }
  /// scale * clamp(round(x / scale)), real numbers that are quantised without rounding. The conversion alone would add
  /// the zero point before it rounds, and so decide otherwise near the middle between two steps.
  constexpr std::int32_t on_grid(std::int32_t x, const tensor_desc& y, ir::range name) {
    const quantisation q = as_i8(y);
    ops::clip::attrs range;
    range.min = static_cast<float>(-128 - q.zero_point), range.max = static_cast<float>(127 - q.zero_point);
    pool<word> words;
    pack(range, words);
    const std::int32_t scale = add_number(q.scale), quotient = add_value(desc(x), is_known(x)),
                       rounded = add_value(desc(x), is_known(x)), clamped = add_value(desc(x), is_known(x)),
                       made = add_value(desc(x), is_known(x));
    const std::int32_t quotient_of[] = {x, scale}, product_of[] = {clamped, scale};
    push(*find_(ops::div::code), default_words<ops::div>(), quotient_of, quotient, name);
    push(*find_(ops::round::code), default_words<ops::round>(), array_ref<const std::int32_t>(&quotient, 1), rounded,
         name);
    push(*find_(ops::clip::code), words, array_ref<const std::int32_t>(&rounded, 1), clamped, name);
    push(*find_(ops::mul::code), default_words<ops::mul>(), product_of, made, name);
    return made;
  }
  constexpr bool keeps_type(std::int32_t id) const { return keeps_type_[static_cast<std::size_t>(id)] != 0; }
  /// `made` has the real numbers of the quantised value y and takes its place.
  constexpr void finish(std::int32_t made, std::int32_t y, ir::range name) {
    if (keeps_type(y) && desc(y).type != i8) push_cast(made, y, name);
    else to_[static_cast<std::size_t>(y)] = made;
  }
  static constexpr tensor_desc with_i8(const tensor_desc& of) {
    tensor_desc made = of.with_type(i8);
    made.quantised = as_i8(of);
    return made;
  }
  constexpr bool has_one_scale(std::int32_t id) const {
    return desc(id).quantised.mode == quantisation::kind::per_tensor;
  }

  /// The operands of a node with quantised values in place of real ones. False: a real one has none.
  constexpr bool quantised_operands(const ir::node& n, pool<std::int32_t>& operands, std::int32_t& bias) {
    const bool is_layer = n.op->traits.weights != weights_role::none;
    bool has_any = false;
    for (std::size_t k = 0; k < inputs_of(n).size(); ++k) {
      std::int32_t id = inputs_of(n)[k];
      if (is_layer && k == 2 && id != ir::none) {
        if (desc(id).type != f32 || !is_known(id)) return false;
        bias = id, id = ir::none;
      } else if (id != ir::none && desc(id).type == f32) {
        id = stored(id);
        if (id == ir::none) return false;
        has_any = true;
      }
      operands.push_back(id);
    }
    return has_any;
  }

  /// Moves elements of quantised values in place of real ones, which are dequantised after it.
  constexpr bool move(const ir::node& n) {
    pool<std::int32_t> operands;
    std::int32_t bias = ir::none;
    if (!pads_with_zero(n) || !quantised_operands(n, operands, bias)) return false;
    for (const std::int32_t y : g_.outputs_of(n))
      if (desc(y).type != f32) return false;
    if (!has_one_scale(operands[0])) return move_weight(n, operands[0]);
    const verdict v = n.op->infer(g_.attrs_of(n), ir::operand_list(g_, operands, known_).operands, {});
    if (!v || v.outputs.size() != static_cast<std::size_t>(n.outputs.count)) return false;
    pool<std::int32_t> results;
    for (std::size_t i = 0; i < v.outputs.size(); ++i) {
      tensor_desc made = desc(g_.outputs_of(n)[i]).with_type(i8);
      made.quantised = v.outputs[i].quantised;
      if (v.outputs[i].type != i8 || made.shape != v.outputs[i].shape) return false;
      results.push_back(add_value(made, is_known(operands[0])));
    }
    ir::node moved = n;
    moved.inputs = g_.add_operands(operands), moved.outputs = g_.add_operands(results);
    made_.push_back(moved);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::int32_t y = g_.outputs_of(n)[i];
      stored(y) = results[i];
      push_cast(results[i], y, n.name);
    }
    return true;
  }
  constexpr bool pads_with_zero(const ir::node& n) const {
    if (n.op->code != ops::pad::code) return true;
    const auto attrs = unpack<ops::pad::attrs>(g_.attrs_of(n));
    return attrs.mode != border::constant || attrs.pad_value == 0;
  }
  /// A weight with several scales is moved in its file.
  constexpr bool move_weight(const ir::node& n, std::int32_t x) {
    const bool is_transpose = n.op->code == ops::transpose::code;
    if (g_.at(x).is != ir::kind::weight) return false;
    if (!is_transpose && n.op->code != ops::reshape::code) return false;
    const std::int32_t y = output_of(n);
    tensor_desc to = desc(y).with_type(i8);
    to.quantised = desc(x).quantised;
    pool<std::int64_t> order;
    if (is_transpose) {
      ir::append_integers(g_, g_.at(inputs_of(n)[1]), order);
      if (static_cast<int>(order.size()) != to.rank()) return false;
      for (std::int64_t& axis : order) axis = normalise_axis(axis, to.rank());
      for (int i = 0; i < to.rank(); ++i)
        if (order[static_cast<std::size_t>(i)] == desc(x).quantised.axis) to.quantised.axis = i;
    } else if (desc(x).quantised.axis != 0 || to.rank() == 0 || to.shape[0] != desc(x).shape[0]) {
      return false;
    }
    const std::size_t values = g_.values.size();
    const std::int32_t made = weights_.move(weights_.context, g_, x, to, order);
    if (made == ir::none) return false;
    for (std::size_t id = values; id < g_.values.size(); ++id) register_value(static_cast<std::int32_t>(id), true);
    g_.at(made).scales = g_.at(x).scales;
    stored(y) = made;
    push_cast(made, y, n.name);
    return true;
  }

  /// The nodes between an operator and the quantisation of its result, each the only reader of the one before.
  struct followers {
    static constexpr int max_count = 6;
    std::int32_t nodes[max_count] = {};
    int count = 0;
    std::int32_t quantise = ir::none;
  };
  static constexpr bool is_clamp(op_code code) {
    return code == ops::relu::code || code == ops::relu6::code || code == ops::clip::code;
  }
  constexpr followers find_followers(const ir::node& n) const {
    followers found;
    for (std::int32_t v = output_of(n);;) {
      const std::int32_t at = table_.uses_of(v) == 1 ? reader_[static_cast<std::size_t>(v)] : ir::none;
      if (at == ir::none) return {};
      const ir::node& next = g_.nodes[static_cast<std::size_t>(at)];
      if (next.outputs.count != 1 || inputs_of(next)[0] != v) return {};
      if (is_quantise(next)) {
        found.quantise = at;
        return found;
      }
      const bool passes =
          is_clamp(next.op->code) || (is_listed(next.op->code, moving_operators) && pads_with_zero(next));
      if (!passes || found.count == followers::max_count) return {};
      for (std::size_t k = 1; k < inputs_of(next).size(); ++k)
        if (inputs_of(next)[k] != ir::none && !is_constant(inputs_of(next)[k])) return {};
      found.nodes[found.count++] = at;
      v = output_of(next);
    }
  }
  constexpr bool is_constant(std::int32_t id) const { return g_.at(id).is == ir::kind::constant; }

  /// Makes one operator on quantised values of a node, what follows it, and the quantisation of the result.
  constexpr bool join(const ir::node& n) {
    pool<std::int32_t> operands;
    std::int32_t bias = ir::none;
    if (n.outputs.count != 1 || desc(output_of(n)).type != f32 || !quantised_operands(n, operands, bias)) return false;
    const followers then = find_followers(n);
    if (then.quantise == ir::none) return false;
    const std::int32_t end = output_of(g_.nodes[static_cast<std::size_t>(then.quantise)]);
    const quantisation to = as_i8(desc(end));
    const std::size_t values = g_.values.size(), nodes = made_.size();
    std::int32_t y = apply(n, operands, bias, to);
    // clamps first: the operator may take them over
    for (const bool clamps : {true, false})
      for (int i = 0; i < then.count && y != ir::none; ++i)
        if (const ir::node& next = g_.nodes[static_cast<std::size_t>(then.nodes[i])]; is_clamp(next.op->code) == clamps)
          y = follow(next, y);
    if (y == ir::none || !is_same_scale(desc(y).quantised, to) || desc(y).shape != desc(end).shape) {
      forget_values(values, nodes);
      return false;
    }
    for (int i = 0; i < then.count; ++i) g_.nodes[static_cast<std::size_t>(then.nodes[i])].removed = true;
    g_.nodes[static_cast<std::size_t>(then.quantise)].removed = true;
    finish(y, end, n.name);
    return true;
  }
  /// The result of the operator in this quantisation, rounded half to even where the operator can; none: it refuses.
  constexpr std::int32_t apply(const ir::node& n, pool<std::int32_t>& operands, std::int32_t bias,
                               const quantisation& to) {
    const bool is_known_result = known_[static_cast<std::size_t>(output_of(n))] != 0;
    for (const quantised_rounding rounding : {quantised_rounding::half_to_even, quantised_rounding::tflite}) {
      tensor_desc wanted{i8, format::nd, {}, to};
      wanted.quantised.rounding = rounding;
      ir::operand_list list(g_, operands, known_);
      if (bias != ir::none) {
        list.operands[2].desc = tensor_desc{i32, desc(bias).shape};
        list.operands[2].constant = true;
      }
      const verdict v = n.op->infer(g_.attrs_of(n), list.operands, array_ref<const tensor_desc>(&wanted, 1));
      if (!v || v.outputs.size() != 1 || v.outputs[0].type != i8) continue;
      if (bias != ir::none) operands[2] = quantised_bias(bias, operands[0], operands[1], n.name);
      tensor_desc made = v.outputs[0];
      // graphs of files have no formats: moved channels are no other format
      if (is_listed(n.op->code, moving_operators)) made.layout = desc(output_of(n)).layout;
      const std::int32_t y = add_value(made, is_known_result);
      push(*n.op, copied(g_.attrs_of(n)), operands, y, n.name);
      return y;
    }
    return ir::none;
  }
  static constexpr pool<word> copied(array_ref<const word> list) {
    pool<word> made;
    made.insert(list.begin(), list.end());
    return made;
  }
  /// What a node that clamps or moves real numbers makes of quantised ones; none: it refuses.
  constexpr std::int32_t follow(const ir::node& n, std::int32_t x) {
    const quantisation& q = desc(x).quantised;
    if (is_clamp(n.op->code) && keeps_all(n, q)) return x;
    pool<std::int32_t> operands;
    operands.push_back(x);
    for (std::size_t k = 1; k < inputs_of(n).size(); ++k) operands.push_back(inputs_of(n)[k]);
    return apply(n, operands, ir::none, q);
  }
  /// Whether all quantised values lie in the range of a clamp.
  constexpr bool keeps_all(const ir::node& n, const quantisation& q) const {
    double least = 0, most = n.op->code == ops::relu6::code ? 6 : math::infinity<double>;
    if (n.op->code == ops::clip::code) {
      const auto attrs = unpack<ops::clip::attrs>(g_.attrs_of(n));
      least = double{attrs.min}, most = double{attrs.max};
    }
    const double step = double{q.scale};
    return least <= step * (-128 - q.zero_point) && most >= step * (127 - q.zero_point);
  }

  /// round(bias / (scale of x * scale of the weight)) as i32, by nodes that run before the network.
  constexpr std::int32_t quantised_bias(std::int32_t bias, std::int32_t x, std::int32_t weight, ir::range name) {
    const float of_x = desc(x).quantised.scale;
    const tensor_desc list{f32, desc(bias).shape};
    std::int32_t scale = ir::none;
    if (has_one_scale(weight)) {
      scale = add_number(of_x * desc(weight).quantised.scale);
    } else {
      scale = add_value(tensor_desc{f32, desc(g_.at(weight).scales).shape}, true);
      const std::int32_t factors[] = {g_.at(weight).scales, add_number(of_x)};
      push(*find_(ops::mul::code), default_words<ops::mul>(), factors, scale, name);
    }
    const std::int32_t quotient = add_value(list, true), rounded = add_value(list, true),
                       made = add_value(tensor_desc{i32, desc(bias).shape}, true);
    const std::int32_t quotient_of[] = {bias, scale};
    push(*find_(ops::div::code), default_words<ops::div>(), quotient_of, quotient, name);
    push(*find_(ops::round::code), default_words<ops::round>(), array_ref<const std::int32_t>(&quotient, 1), rounded,
         name);
    const std::int64_t type[] = {static_cast<std::int64_t>(i32)};
    const std::int32_t number = g_.add_constant<std::int64_t>({i64, {1}}, type);
    register_value(number, true);
    const std::int32_t cast_of[] = {rounded, number};
    push(*find_(ops::cast::code), default_words<ops::cast>(), cast_of, made, name);
    return made;
  }
  constexpr std::int32_t add_number(float number) {
    const std::int32_t id = g_.add_constant<float>({f32, {1}}, array_ref<const float>(&number, 1));
    register_value(id, true);
    return id;
  }

  ir::graph& g_;
  operator_finder find_;
  const weight_mover& weights_;
  use_table table_;
  pool<char> known_;
  pool<std::int32_t> to_;      // what each value became
  pool<std::int32_t> stored_;  // for each value: the i8 whose real numbers it has
  pool<std::int32_t> reader_;  // the last node that reads a value
  pool<char> keeps_type_;      // outputs of the network
  pool<ir::node> made_;
};

}  // namespace detail

/// Joins quantised pairs of a graph: quant_dtype_cast to f32, an operator, and quant_dtype_cast back to 8 bits rounded
/// half to even become the operator on quantised values, where it accepts them. Clamps and moves between operator and
/// quantisation are included. Quantised values become i8. What remains computes on real numbers.
constexpr void join_quantised_pairs(ir::graph& g, operator_finder find, const weight_mover& weights = {}) {
  bool has_quantise = false;
  for (const ir::node& n : g.nodes) has_quantise = has_quantise || n.op->code == ops::quant_dtype_cast::code;
  if (has_quantise) detail::pair_joining(g, find, weights).run();
}

}}}  // namespace nnrt::NNRT_ISA::passes
