// lstm: long short-term memory over a sequence, in one or both directions.
// Flow: front ends call infer(); kernels/select.hpp binds it.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// One layer of long short-term memory.
///
///   x: [S, B, I], S steps of B sequences      w_ih: [D, 4H, I]      w_hh: [D, 4H, H]      bias: [D, 8H]
///   hx, cx: [D, B, H], the initial states      D: 1, or 2 when bidirectional
///   y: [S, B, D * H], the hidden states of all steps      hy, cy: [D, B, H], the final states
///
/// i, o, f and g are four vectors of w_ih · x + w_hh · h + both biases, in this order; bias has the four of the input,
/// then those of the hidden state. With s for the sigmoid function:
///
///   c' = s(f) * c + s(i) * tanh(g)      h' = s(o) * tanh(c')
///
/// and the next states are zoneout_cell * c + (1 - zoneout_cell) * c' and zoneout_hidden * h + (1 - zoneout_hidden) *
/// h'. The second direction runs from the last step to the first. Missing bias, hx and cx are 0; a given bias is used,
/// whatever the value of `has_bias`. Sums of f32 are computed in f32 (in f64 by the reference), those of f16 and f64 in
/// f64; states are rounded after each step.
///
/// input_size, hidden_size, num_layers and num_directions repeat the shapes; 0: not given. dropout is for training.
/// Projections are not supported: NNRt has no operand for their weights.
///
/// Broken rules: see `rule`; values: ranks, extents, layers, directions. Source: NNRt OH_NN_OPS_LSTM; the order of
/// gates and biases is that of MindSpore Lite and ONNX.
struct lstm {
  static constexpr op_code code{75};
  static constexpr std::string_view name = "lstm";
  static constexpr operand_spec inputs[] = {{"x", types::floating},
                                            {"w_ih", types::floating},
                                            {"w_hh", types::floating},
                                            {"bias", types::floating, presence::optional},
                                            {"hx", types::floating, presence::optional},
                                            {"cx", types::floating, presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}, {"hy", types::floating}, {"cy", types::floating}};
  static constexpr operator_traits traits{.in_files = file_order::gates};
  // For one step, from the stored states before it. Errors propagate to later steps through the weights.
  static constexpr std::string_view gate_terms = "terms of a gate",
                                    from_states = "there are several steps: then of each from the states before it";
  static constexpr error_bound errors[] = {{types_of(f32), 2, error_unit::gate, 0.4, false, gate_terms, from_states},
                                           {types_of(f16), 0.51, error_unit::gate, 0, false, {}, from_states},
                                           {types_of(f64), 2, error_unit::gate, 0.4, false, gate_terms, from_states}};
  static constexpr foreign_numbers foreign{.nnrt = 75, .hdi = 87, .nnrt_name = "LSTM"};
  // Upstream reads the integer's first bytes as a real number, which is 0 for small integers.
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("projSize", "proj_size").upstream_writes(0)};
  static constexpr nnrt_parameter parameters[] = {
      {"bidirectional", 93, boolean}, {"has_bias", 94, boolean},   {"input_size", 95, i64}, {"hidden_size", 96, i64},
      {"num_layers", 97, i64},        {"num_directions", 98, i64}, {"dropout", 99, f32},    {"zoneout_cell", 100, f32},
      {"zoneout_hidden", 101, f32},   {"proj_size", 102, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (bool, bidirectional), (bool, has_bias), (std::int64_t, input_size),
                    (std::int64_t, hidden_size), (std::int64_t, num_layers), (std::int64_t, num_directions),
                    (float, dropout), (float, zoneout_cell), (float, zoneout_hidden), (std::int64_t, proj_size));
    constexpr attrs()
        : bidirectional(false),
          has_bias(false),
          input_size(0),
          hidden_size(0),
          num_layers(0),
          num_directions(0),
          dropout(0),
          zoneout_cell(0),
          zoneout_hidden(0),
          proj_size(0) {}
  };
  enum class rule {
    operand_types_must_equal_input_type,
    input_and_weights_rank_must_be_3,
    bias_rank_must_be_2,
    state_rank_must_be_3,
    layers_must_be_one,
    projection_must_be_zero,
    directions_must_be_two_when_bidirectional_else_one,
    zoneout_must_lie_between_0_and_1,
    extents_must_be_those_of_the_other_operands,
    input_size_must_be_that_of_the_operands,
    hidden_size_must_be_that_of_the_operands,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    if (auto v = check_operands(in); !v) return v;
    if (auto v = check_attributes(a); !v) return v;
    const auto extent = [&](std::size_t i, int axis) { return i < in.size() && in[i] ? in[i].desc.shape[axis] : -1; };
    const std::int64_t directions = a.bidirectional ? 2 : 1, steps = extent(0, 0);
    const std::int64_t batch = known({extent(0, 1), extent(4, 1), extent(5, 1)}),
                       input = known({extent(0, 2), extent(1, 2)});
    const std::int64_t hidden = known({extent(2, 2), extent(4, 2), extent(5, 2), part(extent(1, 1), 4),
                                       part(extent(2, 1), 4), part(extent(3, 1), 8)});
    const std::int64_t gates = hidden < 0 ? -1 : 4 * hidden;
    const shape_t expected[] = {{steps, batch, input},       {directions, gates, input},
                                {directions, gates, hidden}, {directions, gates < 0 ? -1 : 2 * gates},
                                {directions, batch, hidden}, {directions, batch, hidden}};
    for (std::size_t i = 0; i < in.size(); ++i)
      for (int axis = 0; axis < in[i].desc.rank(); ++axis) {
        constexpr rule fit = Rule::extents_must_be_those_of_the_other_operands;
        if (auto v = require_same_extent(fit, in[i].desc.shape[axis], expected[i][axis]); !v) return v;
      }
    if (a.input_size != 0 && input >= 0)
      if (auto v = require(Rule::input_size_must_be_that_of_the_operands, a.input_size, input); !v) return v;
    if (a.hidden_size != 0 && hidden >= 0)
      if (auto v = require(Rule::hidden_size_must_be_that_of_the_operands, a.hidden_size, hidden); !v) return v;
    const dtype type = in[0].desc.type;
    const std::int64_t row = hidden < 0 ? -1 : directions * hidden;
    const tensor_desc state{type, shape_t{directions, batch, hidden}};
    return ok(tensor_desc{type, shape_t{steps, batch, row}}, state, state);
  }

  /// Products of weights with inputs and hidden states.
  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    const std::int64_t elements = out[0].elements(), input = in[0].desc.shape[2], hidden = in[2].desc.shape[2];
    // 0 while an extent is unknown
    return elements < 0 || input < 0 || hidden < 0 ? 0 : elements * 4 * (input + hidden);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto y = out[0].as<T>(), hy = out[1].as<T>(), cy = out[2].as<T>();
    const std::int64_t steps = y.extent(0), directions = hy.extent(0), batch = hy.extent(1), hidden = hy.extent(2);
    const layer<T> weights(in);
    for (std::int64_t d = 0; d < directions; ++d)
      for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t n = 0; n < hidden; ++n) {
          hy(d, b, n) = is_there(in, 4) ? in[4].as<const T>()(d, b, n) : T{};
          cy(d, b, n) = is_there(in, 5) ? in[5].as<const T>()(d, b, n) : T{};
        }
        for (std::int64_t step = 0; step < steps; ++step) {
          const std::int64_t t = d == 0 ? step : steps - 1 - step;
          for (std::int64_t n = 0; n < hidden; ++n) {
            const auto gate = [&](int which) { return weights.sum(d, which * hidden + n, t, b, hy); };
            const double i = sigmoid(gate(0)), o = sigmoid(gate(1)), f = sigmoid(gate(2)), g = math::tanh(gate(3));
            const double before = math::convert<double>(cy(d, b, n));
            const double c = math::product(f, before) + math::product(i, g), h = math::product(o, math::tanh(c));
            cy(d, b, n) = math::convert<T>(zoned(a.zoneout_cell, before, c));
            y(t, b, d * hidden + n) = math::convert<T>(zoned(a.zoneout_hidden, math::convert<double>(hy(d, b, n)), h));
          }
          for (std::int64_t n = 0; n < hidden; ++n) hy(d, b, n) = y(t, b, d * hidden + n);
        }
      }
  }

 private:
  static constexpr verdict check_operands(array_ref<const operand> in) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const tensor_desc& x = in[i].desc;
      if (!in[i]) continue;
      if (auto v = require(rule::operand_types_must_equal_input_type, x.type, in[0].desc.type); !v) return v;
      const bool is_bias = i == 3;
      const rule rank = is_bias ? rule::bias_rank_must_be_2
                        : i > 3 ? rule::state_rank_must_be_3
                                : rule::input_and_weights_rank_must_be_3;
      if (auto v = require(rank, x.rank(), is_bias ? 2 : 3); !v) return v;
    }
    return {};
  }
  static constexpr verdict check_attributes(const attrs& a) {
    constexpr rule directions_fit = rule::directions_must_be_two_when_bidirectional_else_one;
    if (auto v = require_between(rule::layers_must_be_one, a.num_layers, 0, 1); !v) return v;
    if (auto v = require(rule::projection_must_be_zero, a.proj_size, 0); !v) return v;
    if (a.num_directions != 0)
      if (auto v = require(directions_fit, a.num_directions, a.bidirectional ? 2 : 1); !v) return v;
    for (const float zoneout : {a.zoneout_cell, a.zoneout_hidden})
      if (auto v = require_real_between(rule::zoneout_must_lie_between_0_and_1, zoneout, 0, 1); !v) return v;
    return {};
  }

  /// The first known extent; -1: none.
  static constexpr std::int64_t known(std::initializer_list<std::int64_t> extents) {
    for (const std::int64_t extent : extents)
      if (extent >= 0) return extent;
    return -1;
  }
  static constexpr std::int64_t part(std::int64_t extent, std::int64_t parts) {
    return extent < 0 ? -1 : extent / parts;
  }

  static constexpr bool is_there(arguments in, std::size_t i) { return i < in.size() && in[i]; }
  static constexpr double sigmoid(double x) {
    const double e = math::exp(-math::abs(x));  // at most 1, so that the sum is accurate for both signs
    return (x < 0 ? e : 1.0) / (1.0 + e);
  }
  static constexpr double zoned(float share, double before, double after) {
    if (share == 0) return after;
    return math::product(double{share}, before) + math::product(1.0 - double{share}, after);
  }

  /// Operands of the gates' sums.
  template <class T> struct layer {
    tensor_view<const T> x, w_ih, w_hh, bias;
    bool has_bias;
    constexpr explicit layer(arguments in)
        : x(in[0].as<const T>()), w_ih(in[1].as<const T>()), w_hh(in[2].as<const T>()), has_bias(is_there(in, 3)) {
      if (has_bias) bias = in[3].as<const T>();
    }
    /// Row `row` of direction d for step t of sequence b, with the hidden states h.
    constexpr double sum(std::int64_t d, std::int64_t row, std::int64_t t, std::int64_t b,
                         const tensor_view<T>& h) const {
      const auto real = [](T element) { return math::convert<double>(element); };
      double all = has_bias ? real(bias(d, row)) + real(bias(d, w_ih.extent(1) + row)) : 0;
      for (std::int64_t k = 0; k < x.extent(2); ++k) all += math::product(real(w_ih(d, row, k)), real(x(t, b, k)));
      for (std::int64_t k = 0; k < h.extent(2); ++k) all += math::product(real(w_hh(d, row, k)), real(h(d, b, k)));
      return all;
    }
  };
};

}  // namespace ops

/// auto [y, hy, cy] = lstm(x, w_ih, w_hh, bias, hx, cx), or without the last one, two or three; with bidirectional,
/// `zoneout_cell<…>`, `zoneout_hidden<…>`.
template <tensor_desc X, tensor_desc Ih, tensor_desc Hh, class... Rest>
  requires((dsl::tensor_handle<Rest> || dsl::keyword_argument<Rest>) && ...)
constexpr auto lstm(tensor<X> x, tensor<Ih> w_ih, tensor<Hh> w_hh, Rest... rest) {
  return dsl::apply<ops::lstm>(x, w_ih, w_hh, rest...);
}

}}  // namespace nnrt::NNRT_ISA
