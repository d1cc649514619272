// recurrent: readers of recurrent layers of .tflite files, whose states are variables of the file.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/layers.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/expand_dims.hpp>
#include <nnrt/ops/lstm.hpp>
#include <nnrt/ops/lstm_cell.hpp>
#include <nnrt/ops/sequence_lstm.hpp>
#include <nnrt/ops/sequence_rnn.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/svdf.hpp>
#include <nnrt/ops/tanh.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// The activation with this number inside a layer. Refuses unknown numbers.
[[gnu::cold]] constexpr recurrent_activation activation_inside(node_reader& node, std::int8_t number) {
  if (number >= 0 && number <= fused_tanh) return static_cast<recurrent_activation>(number);
  node.not_supported({"fused activation ", name_in(activation_names, "number", number)});
  return recurrent_activation::none;
}

/// Concatenates two values along the last axis.
[[gnu::cold]] constexpr std::int32_t side_by_side(node_reader& node, std::int32_t a, std::int32_t b) {
  ops::concat::attrs attrs;
  attrs.axis = -1;
  return node.add<ops::concat>(attrs, {a, b});
}
/// Transposes [A, B, …] to [B, A, …].
[[gnu::cold]] constexpr std::int32_t major_axes_swapped(node_reader& node, std::int32_t x) {
  const shape_t& shape = node.desc(x).shape;
  if (shape.rank == 3 && shape.is_known() && (shape[0] == 1 || shape[1] == 1))
    return node.add<ops::reshape>({}, {x, node.integer_list({shape[1], shape[0], shape[2]})});
  return node.add<ops::transpose>({}, {x, node.integer_list({1, 0, 2})});
}
/// Converts one step [B, I] to a sequence [1, B, I].
[[gnu::cold]] constexpr std::int32_t as_sequence(node_reader& node, std::int32_t x) {
  return node.add<ops::expand_dims>({}, {x, node.integer_list({0})});
}
/// Sets output 0 to the result of a sequence of one step.
[[gnu::cold]] constexpr void conclude_step(node_reader& node, std::int32_t y) {
  ops::squeeze::attrs attrs;
  attrs.axes = {0};
  node.conclude(0, node.add<ops::squeeze>(attrs, {y}));
}

/// Options of a recurrent layer.
struct layer_options {
  std::int8_t fused = 0;
  float cell_clip = 0, projection_clip = 0;
  bool time_major = false, asymmetric = false;
};

/// The inputs of an operator that are the operands of one direction, in the order of sequence_lstm's operands.
struct lstm_places {
  static constexpr std::size_t count = 24, none = std::size_t(-1);
  std::size_t at[count];
  std::size_t beside = none;  // first of the four weights for the auxiliary input
};
/// Operands of an operator with one direction.
constexpr lstm_places places_of_one_way() {
  lstm_places made{};
  for (std::size_t i = 0; i < lstm_places::count; ++i) made.at[i] = i;
  return made;
}
/// Operands of one direction of BIDIRECTIONAL_SEQUENCE_LSTM. It has no operands for layer normalisation.
constexpr lstm_places places_of_two_ways(bool backwards) {
  using ops::sequence_lstm;
  lstm_places made{};
  for (std::size_t i = 0; i < lstm_places::count; ++i)
    made.at[i] = i == 0 ? 0 : i < sequence_lstm::state_h ? i + (backwards ? 17 : 0) : lstm_places::none;
  made.at[sequence_lstm::state_h] = backwards ? 37 : 35;
  made.at[sequence_lstm::state_c] = backwards ? 38 : 36;
  made.beside = backwards ? 44 : 40;
  return made;
}

/// One direction of an LSTM. Reads its operands, adds its nodes and sets its states.
class lstm_direction {
 public:
  using op = ops::sequence_lstm;
  /// x is [B, T, I] or [T, B, I]. An auxiliary input, unless it is ir::none, is concatenated to it.
  [[gnu::cold]] constexpr lstm_direction(node_reader& node, const lstm_places& places, const layer_options& options,
                                         std::int32_t x, std::int32_t beside, bool backwards)
      : node_(node), places_(places), options_(options), is_quantised_(node.desc(x).type != f32) {
    attrs_.time_major = options.time_major, attrs_.backwards = backwards;
    attrs_.cell_clip = options.cell_clip, attrs_.projection_clip = options.projection_clip;
    attrs_.activation = is_quantised_ ? recurrent_activation::tanh : activation_inside(node, options.fused);
    attrs_.rounds_rows = weight_of_bytes(node, places.at[2], x).has_value();
    attrs_.symmetric = !options.asymmetric;
    for (std::size_t i = 0; i < lstm_places::count; ++i) in_.push_back(operand(i, x));
    in_[0] = x;
    if (beside != ir::none) feed_beside(beside);
    if (is_quantised_) read_intermediates();
  }
  /// Adds the nodes and returns the hidden states of all steps. They become output i.
  [[gnu::cold]] constexpr std::int32_t run(std::size_t i) {
    if (!node_.is_fine()) return ir::none;
    return is_plain() ? run_plain() : run_sequence(i);
  }

 private:
  constexpr bool has(std::size_t i) const { return in_[i] != ir::none; }
  [[gnu::cold]] constexpr std::int32_t operand(std::size_t i, std::int32_t x) {
    const std::size_t place = places_.at[i];
    if (i == 0 || place == lstm_places::none || (i != op::state_h && i != op::state_c && !node_.has(place)))
      return ir::none;
    return i == op::state_h || i == op::state_c ? node_.variable(place) : node_.weight(place, x);
  }
  /// Concatenates the auxiliary input to x, and its weights to the weights of x.
  [[gnu::cold]] constexpr void feed_beside(std::int32_t beside) {
    if (attrs_.rounds_rows || is_quantised_) return node_.not_supported({"an auxiliary input with weights of 8 bits"});
    for (std::size_t gate = 0; gate < 4; ++gate)
      if (has(op::w + gate))
        in_[op::w + gate] = side_by_side(node_, in_[op::w + gate], node_.weight(places_.beside + gate, beside));
    in_[0] = side_by_side(node_, in_[0], beside);
  }
  /// Reads the scales of the gates (layer normalisation), and the quantisation of the hidden values.
  [[gnu::cold]] constexpr void read_intermediates() {
    if (node_.desc(in_[0]).type != i8) return;
    if (node_.intermediate_count() != 5)
      return node_.refuse(error_code::invalid_file,
                          {"intermediates: got ", node_.intermediate_count(), ", expected 5"});
    attrs_.gate_scales = {};
    for (std::size_t gate = 0; gate < 4; ++gate)
      attrs_.gate_scales.push_back(has(op::n + 1) && has(op::w + gate) ? node_.intermediate(gate).scale : 0x1p-12F);
    const quantisation hidden = node_.intermediate(4);
    attrs_.hidden_scale = hidden.scale, attrs_.hidden_zero_point = hidden.zero_point;
  }

  /// True when the simpler operator lstm computes this layer.
  constexpr bool is_plain() const {
    for (std::size_t i = 0; i < lstm_places::count; ++i) {
      const bool is_part = i < op::p || (i >= op::b && i < op::projection) || i == op::state_h || i == op::state_c;
      if (has(i) != is_part) return false;
    }
    return !is_quantised_ && !attrs_.rounds_rows && attrs_.cell_clip == 0 &&
           attrs_.activation == recurrent_activation::tanh && !attrs_.backwards;
  }
  /// Concatenates the rows of all gates in lstm's order.
  [[gnu::cold]] constexpr std::int32_t of_all_gates(std::size_t first) {
    return node_.add<ops::concat>({}, {in_[first], in_[first + 3], in_[first + 1], in_[first + 2]});
  }
  [[gnu::cold]] constexpr std::int32_t run_plain() {
    const shape_t c = node_.desc(in_[op::state_c]).shape, w = node_.desc(in_[op::w]).shape;
    if (c.rank != 2 || w.rank != 2 || node_.desc(in_[op::u]).rank() != 2 || node_.desc(in_[0]).rank() != 3)
      return run_sequence(0);  // reports the error
    const std::int32_t x = attrs_.time_major ? in_[0] : major_axes_swapped(node_, in_[0]);
    pool<float> zeros;
    zeros.assign(static_cast<std::size_t>(4 * c[1]), 0.0F);
    node_.count_copy(static_cast<std::int64_t>(zeros.size() * sizeof(float)));
    if (!node_.is_fine()) return ir::none;
    const std::int32_t bias = node_.add<ops::concat>({}, {of_all_gates(op::b), node_.real_list(zeros)});
    const pool<std::int32_t> made = node_.add_all<ops::lstm>(
        {}, {x, as_sequence(node_, of_all_gates(op::w)), as_sequence(node_, of_all_gates(op::u)),
             as_sequence(node_, bias), as_sequence(node_, in_[op::state_h]), as_sequence(node_, in_[op::state_c])});
    if (!node_.is_fine()) return ir::none;
    ops::squeeze::attrs attrs;
    attrs.axes = {0};
    node_.change_variable(places_.at[op::state_h], node_.add<ops::squeeze>(attrs, {made[1]}));
    node_.change_variable(places_.at[op::state_c], node_.add<ops::squeeze>(attrs, {made[2]}));
    return attrs_.time_major ? made[0] : major_axes_swapped(node_, made[0]);
  }
  [[gnu::cold]] constexpr std::int32_t run_sequence(std::size_t i) {
    const tensor_desc wanted{dtype::none, format::nd, {}, node_.declared(i).quantised};
    const pool<std::int32_t> made = node_.add_all<op>(attrs_, in_, wanted);
    if (!node_.is_fine()) return ir::none;
    node_.change_variable(places_.at[op::state_h], made[1]);
    node_.change_variable(places_.at[op::state_c], made[2]);
    return made[0];
  }

  node_reader& node_;
  lstm_places places_;
  layer_options options_;
  bool is_quantised_;
  op::attrs attrs_;
  pool<std::int32_t> in_;
};

/// The inputs of one direction of an operator with two directions. If there are weights for the auxiliary input, it is
/// concatenated to x; otherwise the second direction reads it instead of x.
struct direction_inputs {
  std::int32_t x = ir::none, beside = ir::none;
};
[[gnu::cold]] constexpr direction_inputs inputs_of(node_reader& node, std::size_t auxiliary, bool has_weights,
                                                   bool backwards) {
  const std::int32_t x = node.input(0);
  if (!node.has(auxiliary)) return {x, ir::none};
  if (has_weights) return {x, node.input(auxiliary)};
  return {backwards ? node.input(auxiliary) : x, ir::none};
}
/// Sets the outputs to the results of both directions, concatenated if `are_merged`.
[[gnu::cold]] constexpr void conclude_both(node_reader& node, std::int32_t forward, std::int32_t backward,
                                           bool are_merged) {
  if (node.is_fine() && node.output_count() != (are_merged ? 1U : 2U))
    node.refuse(error_code::invalid_file, {"outputs: got ", node.output_count(), ", expected ", are_merged ? 1 : 2});
  if (are_merged) return node.conclude(0, side_by_side(node, forward, backward));
  node.conclude(0, forward);
  node.conclude(1, backward);
}

}  // namespace detail

[[gnu::cold]] constexpr void read_sequence_lstm(node_reader& node) {
  using kind = schema::sequence_lstm_options;
  const auto options = node.options<kind>();
  if (options[kind::diagonal])
    node.not_supported({"recurrent weights that are diagonals (diagonal_recurrent_tensors)"});
  const detail::layer_options layer{options[kind::fused], options[kind::cell_clip], options[kind::projection_clip],
                                    options[kind::time_major], options[kind::asymmetric]};
  const std::int32_t x = node.input(0);
  node.conclude(0, detail::lstm_direction(node, detail::places_of_one_way(), layer, x, ir::none, false).run(0));
}

namespace detail {
/// LSTM with kernel FULL: one step of a sequence.
[[gnu::cold]] constexpr void read_full_lstm(node_reader& node, const layer_options& layer) {
  if (node.input_count() < 20 || node.output_count() != 1)
    return node.refuse(error_code::invalid_file, {"kernel FULL: got ", node.input_count(), " inputs and ",
                                                  node.output_count(), " outputs, expected 20 or 24, and 1"});
  const std::int32_t x = as_sequence(node, node.input(0));
  conclude_step(node, lstm_direction(node, places_of_one_way(), layer, x, ir::none, false).run(0));
}
/// Kernel BASIC updates its states in the operands that they come from, if the file marks these as variables.
[[gnu::cold]] constexpr void keep_state(node_reader& node, std::size_t i, std::int32_t state) {
  if (node.is_fine() && node.is_variable(i))
    node.change_variable(i, moved_to(node, state, node.desc(node.input(i)).quantised));
}
/// Kernel BASIC in f32. One matrix multiplies x and h, concatenated; its rows are the gates i, g, f, o.
[[gnu::cold]] constexpr void read_basic_lstm_of_floats(node_reader& node, std::int32_t x) {
  const std::int32_t c = node.input(4), seen = side_by_side(node, x, node.input(1));
  const std::int32_t sums = node.add<ops::full_connection>({}, {seen, node.weight(2, x), node.weight(3, x)});
  ops::split::attrs quarters;
  quarters.axis = -1, quarters.output_num = 4;
  const pool<std::int32_t> part = node.add_all<ops::split>(quarters, {sums});
  if (!node.is_fine()) return;
  const std::int32_t kept = node.add<ops::mul>({}, {node.add<ops::sigmoid>({}, {part[2]}), c});
  const std::int32_t added =
      node.add<ops::mul>({}, {node.add<ops::sigmoid>({}, {part[0]}), node.add<ops::tanh>({}, {part[1]})});
  const std::int32_t cell = node.add<ops::add>({}, {kept, added});
  const std::int32_t hidden =
      node.add<ops::mul>({}, {node.add<ops::sigmoid>({}, {part[3]}), node.add<ops::tanh>({}, {cell})});
  node.conclude(0, hidden);
  node.conclude(1, cell);
  node.conclude(2, seen);
  node.conclude(3, sums);
  keep_state(node, 1, hidden);
  keep_state(node, 4, cell);
}
/// Kernel BASIC on quantised values. The stored bytes of x and h are concatenated, even if their scales differ.
[[gnu::cold]] constexpr void read_basic_lstm_of_bytes(node_reader& node, std::int32_t x) {
  const tensor_desc like = node.desc(x);
  const std::int32_t before = node.input(1);
  if (node.is_fine() && node.desc(before).type != u8)
    return node.not_supported_beside(1, before, "u8 with an input of u8");
  const std::int32_t seen = side_by_side(node, x, moved_to(node, before, like.quantised));
  ops::lstm_cell::attrs attrs;
  attrs.accumulator_scale = node.one_scale_or_0(3);
  const std::int32_t in[] = {seen, node.weight(2, x), node.weight(3, x), node.input(4)};
  const tensor_desc wanted{dtype::none, format::nd, {}, node.declared(0).quantised};
  const pool<std::int32_t> made = node.add_all<ops::lstm_cell>(attrs, in, wanted);
  if (!node.is_fine()) return;
  node.conclude(0, made[0]);
  node.conclude(1, made[1]);
  node.conclude(2, moved_to(node, seen, node.declared(2).quantised));
  node.conclude(3, made[2]);
  keep_state(node, 1, made[0]);
  keep_state(node, 4, made[1]);
}
[[gnu::cold]] constexpr void read_basic_lstm(node_reader& node, const layer_options& layer) {
  if (node.input_count() != 5 || node.output_count() != 4)
    return node.refuse(error_code::invalid_file, {"kernel BASIC: got ", node.input_count(), " inputs and ",
                                                  node.output_count(), " outputs, expected 5 and 4"});
  if (layer.cell_clip != 0 || layer.projection_clip != 0) node.not_supported({"kernel BASIC: clips"});
  if (layer.fused != fused_tanh)
    node.not_supported(
        {"kernel BASIC: fused activation ", name_in(activation_names, "number", layer.fused), ", expected TANH"});
  const std::int32_t x = node.input(0);
  if (!node.is_fine()) return;
  if (node.desc(x).type == u8) return read_basic_lstm_of_bytes(node, x);
  if (node.desc(x).type == f32) return read_basic_lstm_of_floats(node, x);
  node.not_supported_beside(0, x, "f32 or u8 in a layer of kernel BASIC");
}
}  // namespace detail

[[gnu::cold]] constexpr void read_lstm(node_reader& node) {
  using kind = schema::lstm_options;
  const auto options = node.options<kind>();
  const detail::layer_options layer{options[kind::fused], options[kind::cell_clip], options[kind::projection_clip],
                                    true, options[kind::asymmetric]};
  if (options[kind::kernel] == 0) return detail::read_full_lstm(node, layer);
  if (options[kind::kernel] == 1) return detail::read_basic_lstm(node, layer);
  node.refuse(error_code::invalid_file, {"kernel: got ", options[kind::kernel], ", expected 0 (FULL) or 1 (BASIC)"});
}

[[gnu::cold]] constexpr void read_two_way_lstm(node_reader& node) {
  using kind = schema::two_way_lstm_options;
  const auto options = node.options<kind>();
  const detail::layer_options layer{options[kind::fused], options[kind::cell_clip], options[kind::projection_clip],
                                    options[kind::time_major], options[kind::asymmetric]};
  const std::int32_t x = node.input(0);
  if (node.is_fine() && node.desc(x).type != f32)
    return node.not_supported_beside(0, x, "f32: TensorFlow Lite has no layer of two directions on quantised values");
  std::int32_t y[2] = {};
  for (const bool backwards : {false, true}) {
    const detail::lstm_places places = detail::places_of_two_ways(backwards);
    const auto in = detail::inputs_of(node, 39, node.has(41), backwards);
    y[backwards ? 1 : 0] = detail::lstm_direction(node, places, layer, in.x, in.beside, backwards)
                               .run(backwards && !options[kind::merge_outputs] ? 1 : 0);
  }
  detail::conclude_both(node, y[0], y[1], options[kind::merge_outputs]);
}

namespace detail {
/// One direction of an RNN. It has four inputs from `first` on. A separate input has the weights for the auxiliary
/// input.
[[gnu::cold]] constexpr std::int32_t rnn_direction(node_reader& node, const layer_options& layer, direction_inputs in,
                                                   std::size_t first, std::size_t beside, bool backwards) {
  ops::sequence_rnn::attrs attrs;
  attrs.time_major = layer.time_major, attrs.backwards = backwards;
  attrs.activation = activation_inside(node, layer.fused);
  attrs.rounds_rows = weight_of_bytes(node, first, in.x).has_value();
  attrs.symmetric = !layer.asymmetric;
  std::int32_t w = node.weight(first, in.x);
  if (in.beside != ir::none) {
    if (attrs.rounds_rows) node.not_supported({"an auxiliary input with weights of 8 bits"});
    w = side_by_side(node, w, node.weight(beside, in.beside));
    in.x = side_by_side(node, in.x, in.beside);
  }
  const auto made = node.add_all<ops::sequence_rnn>(
      attrs, {in.x, w, node.weight(first + 1, in.x), node.weight(first + 2, in.x), node.variable(first + 3)});
  if (!node.is_fine()) return ir::none;
  node.change_variable(first + 3, made[1]);
  return made[0];
}
}  // namespace detail

[[gnu::cold]] constexpr void read_sequence_rnn(node_reader& node) {
  using kind = schema::sequence_rnn_options;
  const auto options = node.options<kind>();
  const detail::layer_options layer{options[kind::fused], 0, 0, options[kind::time_major], options[kind::asymmetric]};
  node.conclude(0, detail::rnn_direction(node, layer, {node.input(0), ir::none}, 1, 0, false));
}

/// One step of a sequence.
[[gnu::cold]] constexpr void read_rnn(node_reader& node) {
  using kind = schema::rnn_options;
  const auto options = node.options<kind>();
  const detail::layer_options layer{options[kind::fused], 0, 0, true, options[kind::asymmetric]};
  detail::conclude_step(
      node, detail::rnn_direction(node, layer, {detail::as_sequence(node, node.input(0)), ir::none}, 1, 0, false));
}

[[gnu::cold]] constexpr void read_two_way_rnn(node_reader& node) {
  using kind = schema::two_way_rnn_options;
  const auto options = node.options<kind>();
  const detail::layer_options layer{options[kind::fused], 0, 0, options[kind::time_major], options[kind::asymmetric]};
  std::int32_t y[2] = {};
  for (const bool backwards : {false, true}) {
    const auto in = detail::inputs_of(node, 9, node.has(10), backwards);
    y[backwards ? 1 : 0] = detail::rnn_direction(node, layer, in, backwards ? 5 : 1, backwards ? 11 : 10, backwards);
  }
  detail::conclude_both(node, y[0], y[1], options[kind::merge_outputs]);
}

/// For quantised values the fused activation is ignored: as in TFLite, the output's range clamps the result.
[[gnu::cold]] constexpr void read_svdf(node_reader& node) {
  using kind = schema::svdf_options;
  const auto options = node.options<kind>();
  const std::int32_t x = node.input(0);
  ops::svdf::attrs attrs;
  attrs.rank = options[kind::rank];
  if (node.desc(x).type == f32) attrs.fused = node.fused(options[kind::fused]);
  const std::int32_t features = node.weight(1, x), times = node.weight(2, x), bias = node.weight(3, x),
                     state = node.variable(4);
  if (node.desc(x).type == i8 && node.desc(state).type == i8)
    return node.not_supported_beside(4, state, "i16: TensorFlow Lite computes no such layer");
  const std::int32_t seen = detail::seen_beside(node, 1, x, !options[kind::asymmetric], 1);
  const tensor_desc wanted{dtype::none, format::nd, {}, node.declared(0).quantised};
  const std::int32_t in[] = {seen, features, times, bias, state};
  const pool<std::int32_t> made = node.add_all<ops::svdf>(attrs, in, wanted);
  if (!node.is_fine()) return;
  node.change_variable(4, made[1]);
  node.conclude(0, made[0]);
}

}}}  // namespace nnrt::NNRT_ISA::tflite
