// sequence_lstm: TensorFlow Lite's long short-term memory - peepholes, projection, normalised sums, integers.
// Flow: readers of .tflite files make it; it has no public function, users have lstm.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/quantised_lstm.hpp>
#include <nnrt/ops/detail/real_lstm.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// One direction of long short-term memory with a tensor for each gate; lstm is the simpler operator.
///
///   x: [B, T, I], T steps of B sequences; with time_major [T, B, I]      h: [B, O], c: [B, C], the initial states
///   w_i, w_f, w_g, w_o: [C, I]      u_i, u_f, u_g, u_o: [C, O]      p_i, p_f, p_o, b_*, n_*: [C]
///   projection: [O, C], projection_bias: [O]; without it O = C
///   y: x's first two axes and O, the hidden states of all steps      hy, cy: the final states
///   gates: [4, B, C], i, f, g and o * act(c') of the last step; 0 without steps
///
/// With s for the sigmoid function and act for `activation`:
///
///   i = s(w_i x + u_i h + p_i * c + b_i), f likewise      g = act(w_g x + u_g h + b_g)
///   c' = f * c + i * g, clamped to ±cell_clip unless that is 0
///   o = s(w_o x + u_o h + p_o * c' + b_o)      h' = o * act(c')
///   with a projection: h' = projection (o * act(c')) + projection_bias, clamped to ±projection_clip unless that is 0
///
/// Without w_i, u_i and b_i gates are coupled: i = 1 - f. Peepholes p_* are optional, and so are n_*: with them the
/// sums of each gate are normalised before the bias: (sum - mean) / sqrt(variance + 1e-8) * n. backwards: from the last
/// step to the first.
///
/// f32: for all operands. Sums are computed in f32 (in f64 by the reference); sums, gates and states are stored as f32.
/// With rounds_rows each row of x and h, and of projected values, is rounded as by dynamic_range, with `symmetric` as
/// there.
///
/// 8-bit quantised values: x and h i8, weights i8 with one scale and no zero point, biases i32, c i16 with a power of
/// two from 2^-15 to 2^-9 as scale, p_* and n_* i16; act is tanh. Sums are i16 in steps of 2^-12, with n_* of
/// gate_scales. Biases have the scale of x times that of the weight, with n_* that of n / 1024. hidden_scale and
/// hidden_zero_point are the quantisation of o * tanh(c').
/// 16-bit: x and h i16 without zero points, biases i64; no peepholes, projection, n_* or coupled gates. y has the
/// quantised values of h, for any declared scale.
///
/// Broken rules: see `rule`; values: ranks, extents, dtypes, scales, and positions of operands that others need.
/// Source: TFLite's UNIDIRECTIONAL_SEQUENCE_LSTM, and for 16 bits TFLite Micro's, both to the last bit.
struct sequence_lstm {
  static constexpr op_code code{1007};
  static constexpr std::string_view name = "sequence_lstm";
  static constexpr dtype_set activations = types_of(f32, i8, i16), weights = types_of(f32, i8),
                             vectors = types_of(f32, i16);
  static constexpr dtype_set biases = types_of(f32, i32, i64);
  static constexpr operand_spec inputs[] = {{"x", activations},
                                            {"w_i", weights, presence::optional},
                                            {"w_f", weights},
                                            {"w_g", weights},
                                            {"w_o", weights},
                                            {"u_i", weights, presence::optional},
                                            {"u_f", weights},
                                            {"u_g", weights},
                                            {"u_o", weights},
                                            {"p_i", vectors, presence::optional},
                                            {"p_f", vectors, presence::optional},
                                            {"p_o", vectors, presence::optional},
                                            {"b_i", biases, presence::optional},
                                            {"b_f", biases},
                                            {"b_g", biases},
                                            {"b_o", biases},
                                            {"projection", weights, presence::optional},
                                            {"projection_bias", types_of(f32, i32), presence::optional},
                                            {"h", activations},
                                            {"c", vectors},
                                            {"n_i", vectors, presence::optional},
                                            {"n_f", vectors, presence::optional},
                                            {"n_g", vectors, presence::optional},
                                            {"n_o", vectors, presence::optional}};
  static constexpr operand_spec outputs[] = {
      {"y", activations}, {"hy", activations}, {"cy", vectors}, {"gates", vectors}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .in_files = file_order::unchanged};
  static constexpr std::string_view gate_terms = "terms of a gate",
                                    unless =
                                        "there are several steps: then of each from the states before it; or sums are "
                                        "normalised, rows rounded or hidden values "
                                        "projected: then of what becomes of sums, rows and values that are as far off";
  static constexpr error_bound errors[] = {{types_of(f32), 3, error_unit::gate, 0.4, false, gate_terms, unless}};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (bool, time_major), (bool, backwards), (recurrent_activation, activation),
                    (float, cell_clip), (float, projection_clip), (bool, rounds_rows), (bool, symmetric),
                    (float, hidden_scale), (std::int64_t, hidden_zero_point), (real_list<4>, gate_scales));
    constexpr attrs()
        : time_major(false),
          backwards(false),
          activation(recurrent_activation::tanh),
          cell_clip(0),
          projection_clip(0),
          rounds_rows(false),
          symmetric(true),
          hidden_scale(0x1p-7F),
          hidden_zero_point(0),
          gate_scales{0x1p-12F, 0x1p-12F, 0x1p-12F, 0x1p-12F} {}
  };

  enum class rule {
    input_rank_must_be_3,
    weights_and_states_rank_must_be_2,
    peepholes_biases_and_factors_rank_must_be_1,
    operand_types_must_be_those_beside_the_input,
    extents_must_be_those_of_the_other_operands,
    input_gate_must_have_all_of_its_operands_or_none,
    peepholes_must_be_those_of_all_gates_or_none,
    factors_must_be_those_of_all_gates_or_none,
    projection_bias_must_stand_beside_a_projection,
    gates_of_16_bits_must_be_plain,
    activation_must_be_one_of_the_operator,
    activation_of_quantised_values_must_be_tanh,
    clips_must_be_finite_and_not_negative,
    quantised_operands_must_have_one_scale,
    quantised_output_must_have_one_scale,
    zero_points_must_be_0,
    scale_of_the_cell_state_must_be_a_power_of_2,
    scales_of_sums_must_be_one_for_each_gate,
    scales_of_sums_and_hidden_values_must_be_positive_and_finite,
    hidden_zero_point_must_be_a_number_of_8_bits,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    if (auto v = check_attributes(a, in[0].desc.type); !v) return v;
    if (auto v = check_presence(in); !v) return v;
    if (auto v = check_ranks_and_types(in); !v) return v;
    detail::named_extents<extent_names> extents;
    for (std::size_t i = 0; i < in.size(); ++i)
      for (int axis = 0; axis < in[i].desc.rank(); ++axis)
        if (auto v = extents.take(Rule::extents_must_be_those_of_the_other_operands, named(a, in, i, axis),
                                  in[i].desc.shape[axis]);
            !v)
          return v;
    if (auto v = check_scales(a, in, wanted); !v) return v;
    const std::int64_t *of = extents.of, out = of[is_projected(in) ? outputs_extent : cells];
    const tensor_desc &x = in[0].desc, &h = in[state_h].desc, &c = in[state_c].desc;
    const shape_t rows = a.time_major ? shape_t{of[steps], of[batch], out} : shape_t{of[batch], of[steps], out};
    const quantisation stored = x.type != f32 ? detail::wish_of(wanted).quantised : quantisation{};
    return ok(tensor_desc{x.type, format::nd, rows, stored},
              tensor_desc{h.type, format::nd, {of[batch], out}, h.quantised},
              tensor_desc{c.type, format::nd, {of[batch], of[cells]}, c.quantised},
              tensor_desc{c.type, format::nd, {4, of[batch], of[cells]}});
  }

  /// Products of weights with inputs, hidden states and hidden values.
  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    const std::int64_t input = in[0].desc.shape[2], cells = in[state_c].desc.shape[1], hidden = out[0].shape[2];
    if (!out[0].shape.is_known() || input < 0 || cells < 0) return 0;  // while an extent is unknown
    using nnrt::detail::saturated_product;
    const std::int64_t rows = saturated_product(out[0].shape[0], out[0].shape[1]);
    const std::int64_t of_gates = saturated_product(cells * (detail::is_given(in, w) ? 4 : 3), input + hidden);
    const std::int64_t of_projection = is_projected(in) ? saturated_product(cells, hidden) : 0;
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    return saturated_product(rows, std::min(of_gates, most) + std::min(of_projection, most));
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (std::is_same_v<T, float>) detail::real_lstm<attrs, T>(a, in, out).run();
    else detail::quantised_lstm<attrs, T>(a, in, out).run();
  }

  // Positions of operands.
  static constexpr std::size_t w = 1, u = 5, p = 9, b = 12, projection = 16, projection_bias = 17, state_h = 18,
                               state_c = 19, n = 20;

 private:
  enum { steps, batch, inputs_extent, cells, outputs_extent, extent_names };

  static constexpr bool is_projected(array_ref<const operand> in) { return detail::is_given(in, projection); }
  /// The extent name of axis `axis` of operand i.
  static constexpr int named(const attrs& a, array_ref<const operand> in, std::size_t i, int axis) {
    const int out = is_projected(in) ? outputs_extent : cells;
    if (i == 0) return axis == 2 ? inputs_extent : (axis == 0) == a.time_major ? steps : batch;
    if (i < u) return axis == 0 ? cells : inputs_extent;
    if (i < p) return axis == 0 ? cells : out;
    if (i == projection) return axis == 0 ? out : cells;
    if (i == projection_bias) return out;
    if (i == state_h) return axis == 0 ? batch : out;
    if (i == state_c) return axis == 0 ? batch : cells;
    return cells;
  }
  static constexpr bool is_matrix(std::size_t i) { return (i >= w && i < p) || i == projection; }
  static constexpr bool is_bias(std::size_t i) { return (i >= b && i < projection) || i == projection_bias; }
  /// The dtype of operand i for x's dtype.
  static constexpr dtype type_beside(dtype x, std::size_t i) {
    if (x == f32 || i == 0 || i == state_h) return x;
    if (is_matrix(i)) return i8;
    if (is_bias(i)) return x == i16 ? i64 : i32;
    return i16;
  }

  static constexpr verdict check_attributes(const attrs& a, dtype x) {
    const auto number = static_cast<std::int64_t>(a.activation);
    constexpr auto tanh = static_cast<std::int64_t>(recurrent_activation::tanh);
    if (auto v = require_between(rule::activation_must_be_one_of_the_operator, number, 0, tanh); !v) return v;
    if (x != f32)
      if (auto v = require(rule::activation_of_quantised_values_must_be_tanh, number, tanh); !v) return v;
    for (const float clip : {a.cell_clip, a.projection_clip})
      if (auto v = require_real_between(rule::clips_must_be_finite_and_not_negative, clip, 0,
                                        std::numeric_limits<float>::max());
          !v)
        return v;
    return {};
  }
  /// Checks that operands are given in valid combinations. `what` counts operands of one kind for i, f, g and o.
  static constexpr verdict check_presence(array_ref<const operand> in) {
    const auto has = [&](std::size_t i) { return detail::is_given(in, i); };
    const auto same = [&](rule broken, std::size_t i, bool expected) {
      return has(i) == expected ? verdict{} : refuse(broken, static_cast<std::int64_t>(i), has(i) ? -1 : 1);
    };
    const bool has_input_gate = has(w), has_peepholes = has(p + 1), has_factors = has(n + 1);
    for (const std::size_t i : {u, b})
      if (auto v = same(rule::input_gate_must_have_all_of_its_operands_or_none, i, has_input_gate); !v) return v;
    if (auto v = same(rule::peepholes_must_be_those_of_all_gates_or_none, p, has_peepholes && has_input_gate); !v)
      return v;
    if (auto v = same(rule::peepholes_must_be_those_of_all_gates_or_none, p + 2, has_peepholes); !v) return v;
    if (auto v = same(rule::factors_must_be_those_of_all_gates_or_none, n, has_factors && has_input_gate); !v) return v;
    for (const std::size_t i : {n + 2, n + 3})
      if (auto v = same(rule::factors_must_be_those_of_all_gates_or_none, i, has_factors); !v) return v;
    if (has(projection_bias) && !has(projection))
      return refuse(rule::projection_bias_must_stand_beside_a_projection, static_cast<std::int64_t>(projection_bias),
                    1);
    if (in[0].desc.type != i16) return {};
    for (const std::size_t i : {p + 1, projection, n + 1})
      if (auto v = same(rule::gates_of_16_bits_must_be_plain, i, false); !v) return v;
    return same(rule::gates_of_16_bits_must_be_plain, w, true);
  }
  static constexpr verdict check_ranks_and_types(array_ref<const operand> in) {
    const dtype x = in[0].desc.type;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!in[i]) continue;
      const bool is_state = i == state_h || i == state_c;
      const rule rank = i == 0                     ? rule::input_rank_must_be_3
                        : is_matrix(i) || is_state ? rule::weights_and_states_rank_must_be_2
                                                   : rule::peepholes_biases_and_factors_rank_must_be_1;
      if (auto v = require(rank, in[i].desc.rank(), i == 0 ? 3 : is_matrix(i) || is_state ? 2 : 1); !v) return v;
      if (auto v = require(rule::operand_types_must_be_those_beside_the_input, in[i].desc.type, type_beside(x, i)); !v)
        return v;
    }
    return {};
  }
  static constexpr verdict check_scales(const attrs& a, array_ref<const operand> in,
                                        array_ref<const tensor_desc> wanted) {
    const dtype x = in[0].desc.type;
    if (x == f32) return {};
    for (std::size_t i = 0; i < in.size(); ++i) {
      const tensor_desc& t = in[i].desc;
      if (!in[i] || is_bias(i)) continue;  // the scale of a bias follows from others
      if (auto v = detail::require_one_scale(rule::quantised_operands_must_have_one_scale, t); !v) return v;
      const bool may_be_shifted = x == i8 && (i == 0 || i == state_h);
      if (!may_be_shifted)
        if (auto v = require(rule::zero_points_must_be_0, t.quantised.zero_point, 0); !v) return v;
    }
    if (auto v = detail::require_one_scale(rule::quantised_output_must_have_one_scale, detail::wish_of(wanted)); !v)
      return v;
    const float cell = in[state_c].desc.quantised.scale;
    constexpr rule power = rule::scale_of_the_cell_state_must_be_a_power_of_2;
    if (auto v = require_real_between(power, cell, 0x1p-15F, 0x1p-9F); !v) return v;
    if (auto v = require_real(power, cell, detail::next_power_of_2(cell)); !v) return v;
    if (x != i8) return {};
    constexpr rule positive = rule::scales_of_sums_and_hidden_values_must_be_positive_and_finite;
    if (auto v =
            require(rule::scales_of_sums_must_be_one_for_each_gate, static_cast<std::int64_t>(a.gate_scales.size()), 4);
        !v)
      return v;
    for (const float scale : {a.hidden_scale, a.gate_scales[0], a.gate_scales[1], a.gate_scales[2], a.gate_scales[3]})
      if (auto v = require_real_between(positive, scale, std::numeric_limits<float>::min(),
                                        std::numeric_limits<float>::max());
          !v)
        return v;
    return require_between(rule::hidden_zero_point_must_be_a_number_of_8_bits, a.hidden_zero_point, -128, 127);
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
