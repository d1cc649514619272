// recurrent: readers of LSTM, GRU and RNN of .onnx files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/elementwise.hpp>
#include <nnrt/io/onnx/operators/layers.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/gru.hpp>
#include <nnrt/ops/lstm.hpp>
#include <nnrt/ops/sequence_rnn.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/stack.hpp>
#include <nnrt/ops/strided_slice.hpp>
#include <nnrt/ops/unstack.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

enum class gate_kind : std::int32_t {
  affine,
  elu,
  hard_sigmoid,
  leaky_relu,
  relu,
  scaled_tanh,
  sigmoid,
  softplus,
  softsign,
  tanh,
  thresholded_relu
};
/// An activation of gates or states. The numbers of `parameters` (0, 1: alpha; 2: alpha and beta) come from lists that
/// all activations of a node share.
struct gate_function {
  std::string_view name;
  gate_kind kind;
  int parameters;
  double alpha, beta;
};
inline constexpr gate_function gate_functions[] = {
    {"Affine", gate_kind::affine, 2, 1, 0},
    {"Elu", gate_kind::elu, 1, 1, 0},
    {"HardSigmoid", gate_kind::hard_sigmoid, 2, double{0.2F}, 0.5},
    {"LeakyRelu", gate_kind::leaky_relu, 1, double{0.01F}, 0},
    {"Relu", gate_kind::relu, 0, 0, 0},
    {"ScaledTanh", gate_kind::scaled_tanh, 2, 1, 1},
    {"Sigmoid", gate_kind::sigmoid, 0, 0, 0},
    {"Softplus", gate_kind::softplus, 0, 0, 0},
    {"Softsign", gate_kind::softsign, 0, 0, 0},
    {"Tanh", gate_kind::tanh, 0, 0, 0},
    {"ThresholdedRelu", gate_kind::thresholded_relu, 1, 1, 0},
};

/// f(x)
[[gnu::cold]] constexpr std::int32_t activated(node_maker& node, std::int32_t x, const gate_function& f) {
  switch (f.kind) {
    case gate_kind::affine: return plus(node, times(node, x, f.alpha), f.beta);
    case gate_kind::elu: return below_zero(node, x, times(node, exp_minus_1(node, x), f.alpha));
    case gate_kind::hard_sigmoid: return hard_sigmoid(node, x, f.alpha, f.beta);
    case gate_kind::leaky_relu: return below_zero(node, x, times(node, x, f.alpha));
    case gate_kind::relu: return clipped(node, x, number_like(node, x, 0), ir::none);
    case gate_kind::scaled_tanh: return times(node, function<ops::tanh>(node, times(node, x, f.beta)), f.alpha);
    case gate_kind::sigmoid: return function<ops::sigmoid>(node, x);
    case gate_kind::softplus: return softplus(node, x);
    case gate_kind::softsign: return over(node, x, plus(node, node.add<ops::abs>({}, {x}), 1.0));
    case gate_kind::tanh: return function<ops::tanh>(node, x);
    case gate_kind::thresholded_relu: {
      const std::int32_t is_above = node.add<ops::greater_equal>({}, {x, number_like(node, x, f.alpha)});
      return node.add<ops::select>({}, {is_above, x, number_like(node, x, 0)});
    }
  }
  return x;
}

/// Part `i` of the operands [D, …]: without its first axis.
[[gnu::cold]] constexpr std::int32_t of_direction(node_maker& node, std::int32_t operands, int i) {
  if (operands == ir::none || !node.is_fine()) return ir::none;
  if (node.desc(operands).shape[0] != 1) {
    ops::slice::attrs attrs;
    attrs.axes.push_back(0);
    operands = node.add<ops::slice>(attrs, {operands, node.integer_list({i}), node.integer_list({1})});
  }
  return without_axis(node, operands, 0);
}
/// `count` elements along the first axis from `first` on.
[[gnu::cold]] constexpr std::int32_t rows_from(node_maker& node, std::int32_t x, std::int64_t first,
                                               std::int64_t count) {
  if (x == ir::none) return x;
  ops::slice::attrs attrs;
  attrs.axes.push_back(0);
  return node.add<ops::slice>(attrs, {x, node.integer_list({first}), node.integer_list({count})});
}
/// Parts of x along its last axis; there are as many as sizes.
[[gnu::cold]] constexpr pool<std::int32_t> parts_along_last(node_maker& node, std::int32_t x,
                                                            std::initializer_list<std::int64_t> sizes) {
  ops::split::attrs attrs;
  attrs.axis = node.desc(x).rank() - 1;
  for (const std::int64_t size : sizes) attrs.sizes.push_back(size);
  pool<std::int32_t> made = node.add_all<ops::split>(attrs, {x});
  if (!node.is_fine()) made.assign(sizes.size(), ir::none);
  return made;
}
[[gnu::cold]] constexpr pool<std::int32_t> steps_of(node_maker& node, std::int32_t x) {
  return node.add_all<ops::unstack>({}, {x});
}
/// The steps of x [S, …] from the last to the first.
[[gnu::cold]] constexpr std::int32_t in_reverse(node_maker& node, std::int32_t x) {
  ops::strided_slice::attrs attrs;
  attrs.begin_mask = attrs.end_mask = 1;
  const std::int32_t zero = node.integer_list({0});
  return node.add<ops::strided_slice>(attrs, {x, zero, zero, node.integer_list({-1})});
}
[[gnu::cold]] constexpr std::int32_t stacked(node_maker& node, array_ref<const std::int32_t> parts, int axis) {
  ops::stack::attrs attrs;
  attrs.axis = axis;
  return node.add<ops::stack>(attrs, parts);
}

/// Hidden and cell state, [B, H]; only LSTM has both.
struct cell_states {
  std::int32_t h = ir::none, c = ir::none;
};
/// What one direction computes: the hidden states of all steps, [S, B, H], and the final states.
struct direction_results {
  std::int32_t y = ir::none;
  cell_states last;
};

/// Operands and attributes that LSTM, GRU and RNN share. G gates, D directions.
struct recurrence {
  std::int32_t x = ir::none;                // [S, B, I]
  std::int32_t w = ir::none, r = ir::none;  // [D, G H, I], [D, G H, H]
  std::int32_t bias = ir::none;             // [D, 2 G H], those of w, then those of r
  std::int32_t h = ir::none, c = ir::none;  // [D, B, H], initial states
  std::int32_t is_inside = ir::none;        // [S, B, 1], steps of each sequence; none: all
  std::int64_t steps = -1, batch = -1, hidden = 0;
  int directions = 1;
  bool is_reverse = false, batch_is_first = false;
  double clip = 0;                // 0: none
  pool<gate_function> functions;  // of all directions
  bool has_default_functions = true;

  constexpr bool is_backward(int direction) const { return is_reverse || direction == 1; }
  constexpr array_ref<const gate_function> functions_of(int direction) const {
    const std::size_t count = functions.size() / static_cast<std::size_t>(directions);
    return std::span(functions.begin() + count * static_cast<std::size_t>(direction), count);
  }
  /// True when nothing differs from the layer's simplest form but the direction.
  constexpr bool is_plain() const { return clip == 0 && is_inside == ir::none; }
};

/// Activations, `names` by default in each direction.
[[gnu::cold]] constexpr void read_gate_functions(node_reader& node, std::initializer_list<std::string_view> names,
                                                 recurrence& made) {
  pool<std::string_view> wanted = node.texts_attribute("activations");
  if (wanted.empty())
    for (int d = 0; d < made.directions; ++d)
      for (const std::string_view name : names) wanted.push_back(name);
  const std::size_t expected = names.size() * static_cast<std::size_t>(made.directions);
  // ONNX's default of RNN names those of a second direction, too
  if (wanted.size() == 2 && expected == 1 && wanted[0] == "Tanh" && wanted[1] == "Tanh") wanted.pop_back();
  if (wanted.size() != expected)
    return node.refuse(error_code::invalid_file, {"activations: got ", wanted.size(), ", expected ", expected});
  const pool<float> alpha = node.reals_attribute("activation_alpha"), beta = node.reals_attribute("activation_beta");
  std::size_t alphas = 0, betas = 0;
  for (std::size_t i = 0; i < expected && node.is_fine(); ++i) {
    const gate_function* found = nullptr;
    for (const gate_function& one : gate_functions)
      if (one.name == wanted[i]) found = &one;
    if (found == nullptr) return node.not_supported({"activations: got ", piece::in_quotes(wanted[i])});
    gate_function f = *found;
    const bool has_alpha = f.parameters > 0 && alphas<alpha.size(), has_beta = f.parameters> 1 && betas < beta.size();
    if (f.kind == gate_kind::scaled_tanh && !(has_alpha && has_beta))
      return node.not_supported({"activations: got ScaledTanh without its alpha and beta"});
    if (has_alpha) f.alpha = double{alpha[alphas++]};
    if (has_beta) f.beta = double{beta[betas++]};
    made.functions.push_back(f);
    made.has_default_functions = made.has_default_functions && f.name == names.begin()[i % names.size()];
  }
  // runtimes differ in what a number of an activation without parameters means
  if (alphas != alpha.size()) node.not_supported({"activation_alpha: got ", alpha.size(), ", expected ", alphas});
  if (betas != beta.size()) node.not_supported({"activation_beta: got ", beta.size(), ", expected ", betas});
}

/// Refuses an operand of another shape; -1 stands for any extent.
[[gnu::cold]] constexpr void require_shape(node_reader& node, std::size_t i, std::int32_t id, const shape_t& expected) {
  if (id == ir::none || !node.is_fine()) return;
  const shape_t got = node.desc(id).shape;
  bool fits = got.rank == expected.rank;
  for (int axis = 0; axis < got.rank && fits; ++axis)
    fits = got[axis] < 0 || expected[axis] < 0 || got[axis] == expected[axis];
  if (!fits) node.refuse(error_code::invalid_file, {"input ", i, ": got ", got, ", expected ", expected});
}

/// Makes is_inside of the lengths of sequences.
[[gnu::cold]] constexpr void read_lengths(node_reader& node, recurrence& made) {
  const std::int32_t lengths = node.input(4);
  require_shape(node, 4, lengths, {made.batch});
  if (!node.is_fine()) return;
  if (made.steps < 0)
    return node.not_supported({"sequence_lens, and an unknown number of steps in ", node.desc(made.x).shape});
  if (node.is_known(4)) {
    bool are_whole = true;
    for (const std::int64_t length : node.integers(4)) {
      if (length < 0 || length > made.steps)
        return node.refuse(error_code::invalid_file,
                           {"sequence_lens: got ", length, ", expected at most ", made.steps});
      are_whole = are_whole && length == made.steps;
    }
    if (are_whole) return;
  }
  pool<std::int64_t> numbers;
  node.count_copy(8 * made.steps);
  for (std::int64_t t = 0; t < made.steps && node.is_fine(); ++t) numbers.push_back(t);
  const std::int32_t step = reshaped(node, node.integer_list(numbers), pool<std::int64_t>{made.steps, 1, 1});
  const std::int32_t length = reshaped(node, cast_to(node, lengths, i64), pool<std::int64_t>{1, made.batch, 1});
  made.is_inside = node.add<ops::less>({}, {step, length});
}

/// Reads direction, layout and clip.
[[gnu::cold]] constexpr void read_ways(node_reader& node, recurrence& made) {
  const std::string_view direction = node.text_attribute("direction", "forward");
  made.directions = direction == "bidirectional" ? 2 : 1;
  made.is_reverse = direction == "reverse";
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    node.refuse(error_code::invalid_file, {"direction: got ", piece::in_quotes(direction)});
  const std::int64_t layout = node.integer_attribute("layout", 0);
  if (layout != 0 && layout != 1) node.refuse(error_code::invalid_file, {"layout: got ", layout, ", expected 0 or 1"});
  made.batch_is_first = layout == 1;
  made.clip = double{node.real_attribute("clip", 0)};
  if (made.clip < 0) node.refuse(error_code::invalid_file, {"clip: got a negative threshold"});
}
/// Reads the extents of x and of weights with `gates` rows for each state.
[[gnu::cold]] constexpr void read_extents(node_reader& node, std::int64_t gates, recurrence& made) {
  require_shape(node, 0, made.x, {-1, -1, -1});
  const shape_t of_x = node.desc(made.x).shape, of_w = node.desc(made.w).shape, of_r = node.desc(made.r).shape;
  if (!of_w.is_known() || !of_r.is_known() || of_r.rank != 3)
    node.not_supported({"weights of ", of_w, " and ", of_r, "; expected known extents"});
  if (!node.is_fine()) return;
  made.hidden = of_r[2];
  const std::int64_t d = made.directions, rows = gates * made.hidden, said = node.integer_attribute("hidden_size", 0);
  if (node.has_attribute("hidden_size") && said != made.hidden)
    node.refuse(error_code::invalid_file, {"hidden_size: got ", said, ", expected ", made.hidden});
  if (made.hidden < 1) node.refuse(error_code::invalid_file, {"input 2: got ", of_r});
  made.steps = of_x[made.batch_is_first ? 1 : 0], made.batch = of_x[made.batch_is_first ? 0 : 1];
  require_shape(node, 1, made.w, {d, rows, of_x[2]});
  require_shape(node, 2, made.r, {d, rows, made.hidden});
  require_shape(node, 3, made.bias, {d, 2 * rows});
}
/// An initial state (input i) in the order [D, B, H]; none when it is missing.
[[gnu::cold]] constexpr std::int32_t read_state(node_reader& node, std::size_t i, const recurrence& all) {
  if (!node.has(i)) return ir::none;
  const std::int32_t state = node.input(i);
  const std::int64_t d = all.directions;
  if (!all.batch_is_first) {
    require_shape(node, i, state, {d, all.batch, all.hidden});
    return state;
  }
  require_shape(node, i, state, {all.batch, d, all.hidden});
  return node.is_fine() ? transposed(node, state, {1, 0, 2}) : ir::none;
}

/// Reads what the layers share; `gates` is the number of rows of weights for each state. LSTM has more operands.
[[gnu::cold]] constexpr recurrence read_recurrence(node_reader& node, std::int64_t gates,
                                                   std::initializer_list<std::string_view> names) {
  recurrence made;
  read_ways(node, made);
  made.x = node.input(0), made.w = node.weight(1), made.r = node.weight(2);
  if (node.has(3)) made.bias = node.weight(3);
  if (node.is_fine()) read_extents(node, gates, made);
  if (!node.is_fine()) return made;
  made.h = read_state(node, 5, made), made.c = read_state(node, 6, made);
  if (made.batch_is_first && node.is_fine()) made.x = transposed(node, made.x, {1, 0, 2});
  if (node.has_elements(4)) read_lengths(node, made);
  read_gate_functions(node, names, made);
  return made;
}

/// Direction d of initial states [D, B, H]; zeros when they are missing.
[[gnu::cold]] constexpr std::int32_t initial_state(node_maker& node, const recurrence& all, std::int32_t states,
                                                   int d) {
  if (!node.is_fine()) return ir::none;
  if (states != ir::none) return of_direction(node, states, d);
  const dtype type = node.desc(all.x).type;
  if (all.batch >= 0) return filled(node, type, {all.batch, all.hidden}, 0);
  const std::int32_t shape = joined_lists(node, {extent_list(node, all.x, 1, 1), node.integer_list({all.hidden})});
  return repeated_to(node, node.scalar(type, 0), shape, {-1, all.hidden});
}

/// Bounds of sums before an activation.
[[gnu::cold]] constexpr std::int32_t gate(node_maker& node, const recurrence& all, std::int32_t sum,
                                          const gate_function& f) {
  return activated(node, all.clip > 0 ? clipped(node, sum, -all.clip, all.clip) : sum, f);
}
/// Direction d of the biases of the input (which = 0) or of the state (1), [G H].
[[gnu::cold]] constexpr std::int32_t bias_part(node_maker& node, const recurrence& all, int d, int which) {
  const std::int32_t both = of_direction(node, all.bias, d);
  if (both == ir::none) return both;
  const std::int64_t rows = node.desc(both).shape[0] / 2;
  return rows_from(node, both, which * rows, rows);
}
/// The sum of both biases.
[[gnu::cold]] constexpr std::int32_t whole_bias(node_maker& node, const recurrence& all, int d) {
  if (all.bias == ir::none || !node.is_fine()) return ir::none;
  return plus(node, bias_part(node, all, d, 0), bias_part(node, all, d, 1));
}

/// Refuses recurrences that cannot be spelled out step by step.
[[gnu::cold]] constexpr void require_known_steps(node_maker& node, const recurrence& all) {
  constexpr std::int64_t most = ops::unstack::max_parts;
  if (node.is_fine() && (all.steps < 1 || all.steps > most))
    node.not_supported({"steps of ", node.desc(all.x).shape, "; expected a known number from 1 to ", most});
}
/// Most nodes that one layer may become.
inline constexpr std::size_t most_nodes_of_steps = 4096;

/// Spells out direction d of a layer: one_step(t, states) adds the nodes of step t and returns the next states.
template <class F>
[[gnu::cold]] constexpr direction_results spelled_out(node_reader& node, const recurrence& all, int d,
                                                      cell_states states, bool wants_all, const F& one_step) {
  direction_results made;
  pool<std::int32_t> inside, hidden;
  if (all.is_inside != ir::none) inside = steps_of(node, all.is_inside);
  const auto steps = static_cast<std::size_t>(all.steps);
  const std::size_t nodes_before = node.network().graph().nodes.size();
  hidden.assign(steps, ir::none);
  for (std::size_t step = 0; step < steps && node.is_fine(); ++step) {
    const std::size_t t = all.is_backward(d) ? steps - 1 - step : step;
    cell_states next = one_step(t, states);
    if (!node.is_fine()) break;
    hidden[t] = next.h;
    if (!inside.empty()) {  // a sequence that has ended keeps its states
      next.h = node.add<ops::select>({}, {inside[t], next.h, states.h});
      if (next.c != ir::none) next.c = node.add<ops::select>({}, {inside[t], next.c, states.c});
    }
    states = next;
    const std::size_t nodes = node.network().graph().nodes.size() - nodes_before;
    const std::size_t directions = static_cast<std::size_t>(all.directions);
    if (step == 0 && nodes > most_nodes_of_steps / directions / steps)
      node.not_supported({"got ", steps, " steps of ", nodes, " nodes each in ", directions,
                          " directions, expected at most ", most_nodes_of_steps, " nodes"});
  }
  if (!node.is_fine()) return made;
  made.last = states;
  if (!wants_all) return made;
  made.y = stacked(node, hidden, 0);
  if (all.is_inside != ir::none)
    made.y = node.add<ops::select>({}, {all.is_inside, made.y, number_like(node, made.y, 0)});
  return made;
}

/// Defines Y, Y_h and Y_c from the results of all directions.
[[gnu::cold]] constexpr void define_results(node_reader& node, const recurrence& all,
                                            array_ref<const direction_results> made) {
  pool<std::int32_t> y, h, c;
  for (const direction_results& one : made) y.push_back(one.y), h.push_back(one.last.h), c.push_back(one.last.c);
  if (!node.is_fine()) return;
  const auto joined = [&](const pool<std::int32_t>& parts, int axis) {
    return parts.size() == 1 ? with_axis(node, parts[0], axis) : stacked(node, parts, axis);
  };
  if (node.has_output(0)) {
    const std::int32_t whole = joined(y, 1);  // [S, D, B, H]
    node.define(0, all.batch_is_first && node.is_fine() ? transposed(node, whole, {2, 0, 1, 3}) : whole);
  }
  if (node.has_output(1)) node.define(1, joined(h, all.batch_is_first ? 1 : 0));
  if (node.has_output(2)) node.define(2, joined(c, all.batch_is_first ? 1 : 0));
}

/// One operator of nnrt for all directions, with y [S, B, D H] and final states [D, B, H].
template <class Op>
[[gnu::cold]] constexpr void as_one_operator(node_reader& node, const recurrence& all, const typename Op::attrs& attrs,
                                             std::initializer_list<std::int32_t> weights_and_states) {
  pool<std::int32_t> operands{all.is_reverse ? in_reverse(node, all.x) : all.x};
  for (const std::int32_t one : weights_and_states) operands.push_back(one);
  const pool<std::int32_t> made = node.add_all<Op>(attrs, operands, {});
  if (!node.is_fine()) return;
  if (node.has_output(0)) {
    const std::int32_t y = all.is_reverse ? in_reverse(node, made[0]) : made[0];
    std::int32_t whole = ir::none;
    if (all.directions == 1) whole = with_axis(node, y, 1);
    else whole = stacked(node, parts_along_last(node, y, {all.hidden, all.hidden}), 1);
    if (node.is_fine()) node.define(0, all.batch_is_first ? transposed(node, whole, {2, 0, 1, 3}) : whole);
  }
  for (std::size_t i = 1; i < made.size(); ++i)
    if (node.has_output(i) && node.is_fine())
      node.define(i, all.batch_is_first ? transposed(node, made[i], {1, 0, 2}) : made[i]);
}

}  // namespace detail

namespace detail {

/// One direction of an LSTM, step by step.
struct lstm_steps {
  const recurrence& all;
  array_ref<const gate_function> functions;                    // of gates, added values and results
  bool is_coupled = false;                                     // what the input gate lets in is forgotten
  std::int32_t weight = ir::none;                              // of states, [4 H, H]
  std::int32_t peepholes[3] = {ir::none, ir::none, ir::none};  // of the gates i, o, f
  pool<std::int32_t> of_x;                                     // sums of each step without the state's

  [[gnu::cold]] constexpr lstm_steps(node_maker& node, const recurrence& layer, int d, std::int32_t peeps, bool coupled)
      : all(layer), functions(layer.functions_of(d)), is_coupled(coupled), weight(of_direction(node, layer.r, d)) {
    const std::int32_t peep = of_direction(node, peeps, d), w = of_direction(node, layer.w, d);
    for (std::int64_t i = 0; i < 3 && peep != ir::none; ++i)
      peepholes[i] = rows_from(node, peep, i * all.hidden, all.hidden);
    of_x = steps_of(node, dense(node, all.x, w, whole_bias(node, all, d)));
  }
  [[gnu::cold]] constexpr cell_states next(node_maker& node, std::size_t t, const cell_states& before) const {
    const std::int32_t sums = plus(node, of_x[t], dense(node, before.h, weight, ir::none));
    const pool<std::int32_t> sum = parts_along_last(node, sums, {all.hidden, all.hidden, all.hidden, all.hidden});
    const auto with_cell = [&](std::size_t i, std::int32_t cell) {
      return peepholes[i] == ir::none ? sum[i] : plus(node, sum[i], times(node, peepholes[i], cell));
    };
    const std::int32_t input = gate(node, all, with_cell(0, before.c), functions[0]);
    const std::int32_t forget = is_coupled ? minus(node, number_like(node, input, 1), input)
                                           : gate(node, all, with_cell(2, before.c), functions[0]);
    const std::int32_t added = times(node, input, gate(node, all, sum[3], functions[1]));
    cell_states next;
    next.c = plus(node, times(node, forget, before.c), added);
    const std::int32_t output = gate(node, all, with_cell(1, next.c), functions[0]);
    next.h = times(node, output, activated(node, next.c, functions[2]));
    return next;
  }
};

}  // namespace detail

/// LSTM: gates in the order i, o, f, g; peepholes in the order i, o, f. clip bounds sums, not the cell state.
[[gnu::cold]] constexpr void read_lstm(node_reader& node) {
  const detail::recurrence all = detail::read_recurrence(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  const std::int32_t peepholes = node.has(7) ? node.weight(7) : ir::none;
  detail::require_shape(node, 7, peepholes, {all.directions, 3 * all.hidden});
  const bool is_coupled = node.integer_attribute("input_forget", 0) != 0;
  if (!node.is_fine()) return;
  if (all.is_plain() && all.has_default_functions && peepholes == ir::none && !is_coupled) {
    ops::lstm::attrs attrs;
    attrs.bidirectional = all.directions == 2;
    return detail::as_one_operator<ops::lstm>(node, all, attrs, {all.w, all.r, all.bias, all.h, all.c});
  }
  detail::require_known_steps(node, all);
  pool<detail::direction_results> made;
  for (int d = 0; d < all.directions && node.is_fine(); ++d) {
    const detail::lstm_steps layer(node, all, d, peepholes, is_coupled);
    const detail::cell_states first{detail::initial_state(node, all, all.h, d),
                                    detail::initial_state(node, all, all.c, d)};
    const auto one_step = [&](std::size_t t, const detail::cell_states& before) { return layer.next(node, t, before); };
    made.push_back(detail::spelled_out(node, all, d, first, node.has_output(0), one_step));
  }
  detail::define_results(node, all, made);
}

namespace detail {

/// Rows of the gates z, r, h in the order of nnrt, r, z, n; along axis 1, once or twice.
[[gnu::cold]] constexpr std::int32_t reset_first(node_maker& node, std::int32_t x, int times) {
  if (x == ir::none || !node.is_fine()) return x;
  ops::split::attrs attrs;
  attrs.axis = 1, attrs.output_num = 3 * times;
  const pool<std::int32_t> rows = node.add_all<ops::split>(attrs, {x});
  pool<std::int32_t> order;
  for (std::size_t i = 0; i + 2 < rows.size(); i += 3)
    order.push_back(rows[i + 1]), order.push_back(rows[i]), order.push_back(rows[i + 2]);
  ops::concat::attrs along;
  along.axis = 1;
  return node.add<ops::concat>(along, order);
}

}  // namespace detail

namespace detail {

/// One direction of a GRU, step by step. `resets_product`: the reset gate multiplies the product of the state, with its
/// own bias; else the state.
struct gru_steps {
  const recurrence& all;
  array_ref<const gate_function> functions;  // of gates and of new states
  bool resets_product = false;
  std::int32_t gate_rows = ir::none, state_rows = ir::none, of_state = ir::none;  // weights and bias of states
  pool<std::int32_t> of_gates, of_x;  // sums of each step without the state's

  [[gnu::cold]] constexpr gru_steps(node_maker& node, const recurrence& layer, int d, bool resets)
      : all(layer), functions(layer.functions_of(d)), resets_product(resets) {
    const std::int64_t h = all.hidden;
    const std::int32_t w = of_direction(node, all.w, d), r = of_direction(node, all.r, d);
    gate_rows = resets ? r : rows_from(node, r, 0, 2 * h);
    if (!resets) state_rows = rows_from(node, r, 2 * h, h);
    const std::int32_t bias = resets ? bias_part(node, all, d, 0) : whole_bias(node, all, d);
    if (resets) of_state = bias_part(node, all, d, 1);
    const pool<std::int32_t> products = parts_along_last(node, dense(node, all.x, w, bias), {2 * h, h});
    of_gates = steps_of(node, products[0]), of_x = steps_of(node, products[1]);
  }
  [[gnu::cold]] constexpr cell_states next(node_maker& node, std::size_t t, const cell_states& before) const {
    const std::int64_t h = all.hidden;
    std::int32_t sums = dense(node, before.h, gate_rows, of_state), product = ir::none;
    if (resets_product) {
      const pool<std::int32_t> parts = parts_along_last(node, sums, {2 * h, h});
      sums = parts[0], product = parts[1];
    }
    const pool<std::int32_t> gates =
        parts_along_last(node, gate(node, all, plus(node, of_gates[t], sums), functions[0]), {h, h});
    const std::int32_t keep = gates[0], reset = gates[1];
    const std::int32_t added =
        resets_product ? times(node, reset, product) : dense(node, times(node, reset, before.h), state_rows, ir::none);
    const std::int32_t state = gate(node, all, plus(node, of_x[t], added), functions[1]);
    const std::int32_t take = minus(node, number_like(node, keep, 1), keep);
    return {plus(node, times(node, take, state), times(node, keep, before.h)), ir::none};
  }
};

}  // namespace detail

/// GRU: gates in the order z, r, h.
[[gnu::cold]] constexpr void read_gru(node_reader& node) {
  const detail::recurrence all = detail::read_recurrence(node, 3, {"Sigmoid", "Tanh"});
  const bool resets_product = node.integer_attribute("linear_before_reset", 0) != 0;
  if (!node.is_fine()) return;
  if (all.is_plain() && all.has_default_functions && types_of(f16, f32).contains(node.type(all.x))) {
    ops::gru::attrs attrs;
    attrs.bidirectional = all.directions == 2;
    attrs.linear_before_reset = resets_product;
    return detail::as_one_operator<ops::gru>(node, all, attrs,
                                             {detail::reset_first(node, all.w, 1), detail::reset_first(node, all.r, 1),
                                              detail::reset_first(node, all.bias, 2), all.h});
  }
  detail::require_known_steps(node, all);
  pool<detail::direction_results> made;
  for (int d = 0; d < all.directions && node.is_fine(); ++d) {
    const detail::gru_steps layer(node, all, d, resets_product);
    const detail::cell_states first{detail::initial_state(node, all, all.h, d), ir::none};
    const auto one_step = [&](std::size_t t, const detail::cell_states& before) { return layer.next(node, t, before); };
    made.push_back(detail::spelled_out(node, all, d, first, node.has_output(0), one_step));
  }
  detail::define_results(node, all, made);
}

namespace detail {

/// Direction d of a plain layer as one node of nnrt's operator for f32.
[[gnu::cold]] constexpr direction_results plain_rnn(node_reader& node, const recurrence& all, int d, std::int32_t w,
                                                    std::int32_t r, std::int32_t bias) {
  ops::sequence_rnn::attrs attrs;
  attrs.time_major = true;
  attrs.backwards = all.is_backward(d);
  attrs.activation =
      all.functions_of(d)[0].kind == gate_kind::relu ? recurrent_activation::relu : recurrent_activation::tanh;
  if (bias == ir::none) bias = filled(node, f32, {all.hidden}, 0);
  const pool<std::int32_t> both =
      node.add_all<ops::sequence_rnn>(attrs, {all.x, w, r, bias, initial_state(node, all, all.h, d)});
  direction_results made;
  if (node.is_fine()) made.y = both[0], made.last.h = both[1];
  return made;
}

}  // namespace detail

/// RNN: h' = f(W x + R h + both biases).
[[gnu::cold]] constexpr void read_rnn(node_reader& node) {
  const detail::recurrence all = detail::read_recurrence(node, 1, {"Tanh"});
  pool<detail::direction_results> made;
  for (int d = 0; d < all.directions && node.is_fine(); ++d) {
    const detail::gate_function f = all.functions_of(d)[0];
    const std::int32_t w = detail::of_direction(node, all.w, d), r = detail::of_direction(node, all.r, d),
                       bias = detail::whole_bias(node, all, d);
    const bool has_operator = f.kind == detail::gate_kind::tanh || f.kind == detail::gate_kind::relu;
    if (all.is_plain() && has_operator && node.type(all.x) == f32) {
      made.push_back(detail::plain_rnn(node, all, d, w, r, bias));
      continue;
    }
    detail::require_known_steps(node, all);
    if (!node.is_fine()) return;
    const pool<std::int32_t> of_x = detail::steps_of(node, detail::dense(node, all.x, w, bias));
    const detail::cell_states first{detail::initial_state(node, all, all.h, d), ir::none};
    made.push_back(detail::spelled_out(
        node, all, d, first, node.has_output(0), [&](std::size_t t, const detail::cell_states& before) {
          const std::int32_t sum = detail::plus(node, of_x[t], detail::dense(node, before.h, r, ir::none));
          return detail::cell_states{detail::gate(node, all, sum, f), ir::none};
        }));
  }
  detail::define_results(node, all, made);
}

}}}  // namespace nnrt::NNRT_ISA::onnx
