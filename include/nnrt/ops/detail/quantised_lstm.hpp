// quantised_lstm: steps of sequence_lstm on 8- and 16-bit quantised values, in integers only.
// Flow: used by the operator's reference; kernels pass other Products.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/ops/detail/fixed_gates.hpp>
#include <nnrt/ops/detail/fixed_root.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/recurrent.hpp>

#include <bit>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// The least power of 2 that is at least x, a positive normal float.
constexpr float next_power_of_2(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fffffU) & 0xff800000U);
}
/// The exponent of a power of 2.
constexpr int exponent_of(float power) { return static_cast<int>(std::bit_cast<std::uint32_t>(power) >> 23U) - 127; }

/// A clip value in steps of this scale; 0: none.
constexpr std::int32_t quantised_clip(float clip, float scale, double lowest, double highest) {
  const double steps = float_over(double{clip}, double{scale});
  return static_cast<std::int32_t>(steps < lowest ? lowest : steps > highest ? highest : steps);
}

/// Saturates a 32-bit number to 16 bits.
constexpr std::int16_t saturated_i16(std::int32_t x) { return static_cast<std::int16_t>(fixed16::saturated(x)); }

/// Operands and results of one node, at the positions of real_lstm. Source of all arithmetic: TFLite's lstm_eval.cc for
/// 8 bits, lstm_eval.cc of TFLite Micro for 16.
template <class Attrs, class T, class Products = plain_products> class quantised_lstm {
 public:
  constexpr quantised_lstm(const Attrs& a, arguments in, results out, Products products = {})
      : a_(a),
        in_(in),
        x_(in[0].as<const T>()),
        y_(out[0].as<T>()),
        h_(out[1].as<T>()),
        c_(out[2].as<std::int16_t>()),
        gates_(out[3].as<std::int16_t>()),
        order_(rows_of(in[0].shape(), a.time_major, a.backwards)),
        of_x_(in[0].desc->quantised),
        of_h_(in[18].desc->quantised),
        cell_scale_(in[19].desc->quantised.scale),
        is_coupled_(!is_there(in, 1)),
        is_normalised_(is_there(in, 21)),
        is_projected_(is_there(in, 16)),
        products_(products) {
    for (std::size_t gate = is_coupled_ ? 1 : 0; gate < 4; ++gate) find_factors(gate);
    const int to_quantised = -30 - exponent_of(cell_scale_);
    kept_ = fixed_point_of(0x1p-15),
    added_ = fixed_point_of(std::bit_cast<double>(std::uint64_t(1023 + to_quantised) << 52U));
    cell_clip_ = quantised_clip(a.cell_clip, cell_scale_, -32768, 32767);
    projection_clip_ = quantised_clip(a.projection_clip, of_h_.scale, -128, 127);
    const float hidden = is_wide ? of_h_.scale : a.hidden_scale;
    hidden_zero_ = static_cast<std::int32_t>(is_wide ? of_h_.zero_point : a.hidden_zero_point);
    hidden_ = is_wide ? fixed_point_of(0x1p-30 / double{hidden})
                      : fixed_point_of(float_over(0x1p-15, double{hidden}) * 0x1p-15);
    if (is_projected_)
      projected_ = fixed_point_of(float_over(float_times(scale_of(16), double{hidden}), double{of_h_.scale}));
  }

  /// Runs all sequences.
  constexpr void run() {
    clear_without_steps(order_, gates_);
    run(0, order_.batch);
  }
  /// Runs sequences `begin` to `end`, which have steps.
  constexpr void run(std::int64_t begin, std::int64_t end) {
    const lstm_states<T, std::int16_t> states{in_[18].template as<const T>(), in_[19].template as<const std::int16_t>(),
                                              h_, c_, y_};
    run_steps(order_, begin, end, states, [&](std::int64_t row, std::int64_t b) {
      compute_gates(row, b);
      set_states(b);
    });
  }

 private:
  static constexpr bool is_wide = std::is_same_v<T, std::int16_t>;
  /// Factors from a gate's sums to 16 bits: of products with inputs, with hidden states and with the cell, and of
  /// normalised sums.
  struct gate_factors {
    fixed_point input, hidden, cell, normal;
    std::int32_t min_variance = 1;
  };

  constexpr std::int64_t cells() const { return c_.extent(1); }
  constexpr std::int64_t outputs() const { return h_.extent(1); }
  constexpr double scale_of(std::size_t i) const { return double{in_[i].desc->quantised.scale}; }
  template <class Element> constexpr Element element(std::size_t i, std::int64_t n) const {
    return in_[i].template as<const Element>()[n];
  }
  static constexpr std::size_t peephole_of(std::size_t gate) { return gate == 3 ? 11 : 9 + gate; }
  static constexpr std::int16_t scaled(std::int32_t x, fixed_point factor) {
    return saturated_i16(rounding::double_rounding::scale(x, factor));
  }

  constexpr void find_factors(std::size_t gate) {
    gate_factors& f = factors_[gate];
    if constexpr (is_wide) {
      f.input = fixed_point_of(double{of_x_.scale} * scale_of(1 + gate) * 4096);
      f.hidden = fixed_point_of(double{of_h_.scale} * scale_of(5 + gate) * 4096);
    } else {
      const double sums = is_normalised_ ? double{a_.gate_scales[static_cast<int>(gate)]} : 0x1p-12;
      const auto factor = [&](double a, float b) {
        return fixed_point_of(float_over(float_times(a, double{b}), sums));
      };
      f.input = factor(scale_of(1 + gate), of_x_.scale), f.hidden = factor(scale_of(5 + gate), of_h_.scale);
      if (gate != 2 && is_there(in_, peephole_of(gate))) f.cell = factor(scale_of(peephole_of(gate)), cell_scale_);
      if (!is_normalised_) return;
      f.normal = fixed_point_of(scale_of(20 + gate));
      f.normal.exponent += 12;
      const double least = float_times(10000, scale_of(20 + gate));
      f.min_variance = least < 1 ? 1 : static_cast<std::int32_t>(least < 0x1p31 ? least : 0x1p31 - 1);
    }
  }

  constexpr void compute_gates(std::int64_t row, std::int64_t b) {
    const std::int64_t inputs = x_.extent(2);
    const tensor_view<const T> before{h_.data, h_.shape, h_.strides, h_.is_dense};
    const auto x = products_.row_of(x_, row * inputs, inputs, of_x_.zero_point, 0);
    const auto h = products_.row_of(before, b * outputs(), outputs(), of_h_.zero_point, 1);
    for (std::int64_t gate = is_coupled_ ? 1 : 0; gate < 3; ++gate) compute_gate(gate, x, h, b);
    set_cells(b);
    compute_gate(3, x, h, b);
  }
  template <class Row> constexpr void compute_gate(std::int64_t gate, const Row& x, const Row& h, std::int64_t b) {
    const auto at = static_cast<std::size_t>(gate);
    const gate_factors& f = factors_[at];
    const auto w = in_[1 + at].template as<const std::int8_t>(), u = in_[5 + at].template as<const std::int8_t>();
    const bool has_peephole = at != 2 && is_there(in_, peephole_of(at));
    for (std::int64_t n = 0; n < cells(); ++n) {
      const std::int64_t of_input = x.times(w, n), of_hidden = h.times(u, n);
      if constexpr (is_wide) {
        constexpr std::int64_t most = std::int64_t{1} << 61U;
        const std::int64_t bias = nnrt::detail::clamped(element<std::int64_t>(12 + at, n), -most, most);
        gates_(gate, b, n) =
            saturated_i16(std::int32_t{scaled_wide(of_input + bias, f.input)} + scaled_wide(of_hidden, f.hidden));
      } else {
        using nnrt::detail::saturated_i32;
        const std::int64_t bias = is_normalised_ ? 0 : element<std::int32_t>(12 + at, n);
        std::int16_t sum = scaled(saturated_i32(of_input + bias), f.input);
        sum = plus(sum, rounding::double_rounding::scale(saturated_i32(of_hidden), f.hidden));
        if (has_peephole)
          sum = plus(sum, rounding::double_rounding::scale(
                              element<std::int16_t>(peephole_of(at), n) * std::int32_t{c_(b, n)}, f.cell));
        gates_(gate, b, n) = sum;
      }
    }
    if (is_normalised_) normalise(gate, b);
    for (std::int64_t first = 0; first < cells(); first += part::longest) {
      part sums{{}, std::min(part::longest, cells() - first)};
      for (std::int64_t i = 0; i < sums.count; ++i) sums.of[i] = gates_(gate, b, first + i);
      if (gate == 2) apply_tanh(sums, 0x1p-12F);
      else apply_sigmoid(sums);
      for (std::int64_t i = 0; i < sums.count; ++i) gates_(gate, b, first + i) = sums.of[i];
    }
  }
  /// Part of a row.
  struct part {
    static constexpr std::int64_t longest = 64;
    std::int16_t of[longest];
    std::int64_t count;
  };
  constexpr void apply_sigmoid(part& sums) const {
    if constexpr (is_wide) {
      const sigmoid_argument argument(0x1p-12F, false);
      const auto entry = [&](std::int64_t i) { return products_.entry(i); };
      for (std::int64_t i = 0; i < sums.count; ++i) sums.of[i] = sigmoid_of(argument(sums.of[i]), entry);
    } else {
      products_.sigmoid(sums.of, sums.count);
    }
  }
  /// For numbers with this scale, a power of 2.
  constexpr void apply_tanh(part& numbers, float scale) const {
    if constexpr (is_wide) {
      const sigmoid_argument argument(scale, true);
      const auto entry = [&](std::int64_t i) { return products_.entry(i); };
      for (std::int64_t i = 0; i < numbers.count; ++i) numbers.of[i] = tanh_of(argument(numbers.of[i]), entry);
    } else {
      products_.tanh(numbers.of, numbers.count, 15 + exponent_of(scale));
    }
  }
  static constexpr std::int16_t plus(std::int16_t sum, std::int64_t more) {
    return static_cast<std::int16_t>(nnrt::detail::clamped(sum + more, -32768, 32767));
  }
  static constexpr std::int16_t scaled_wide(std::int64_t sum, fixed_point factor) {
    return saturated_i16(rounding::double_rounding::scale_wide(sum, factor));
  }

  /// Normalises sums: with 10 more bits, minus their mean, times the reciprocal root of their variance, times n, plus
  /// the bias.
  constexpr void normalise(std::int64_t gate, std::int64_t b) {
    const auto at = static_cast<std::size_t>(gate);
    const gate_factors& f = factors_[at];
    if (cells() == 0) return;
    constexpr std::int64_t guard = 1 << 20;
    std::int64_t total = 0, squares = 0;
    for (std::int64_t n = 0; n < cells(); ++n) {
      const std::int64_t sum = gates_(gate, b, n);
      total += sum, squares += sum * sum;
    }
    const std::int64_t mean = total * 1024 / cells(), exact = (squares * (guard / cells()) - mean * mean) / guard;
    const auto variance = static_cast<std::int32_t>(exact < 1 ? f.min_variance : exact);
    const fixed_point root = fixed::inverse_root(variance);
    for (std::int64_t n = 0; n < cells(); ++n) {
      const auto centred = static_cast<std::int32_t>(1024 * std::int64_t{gates_(gate, b, n)} - mean);
      const std::int64_t normal = rounding::double_rounding::scale(centred, root);
      const std::int64_t whole = normal * element<std::int16_t>(20 + at, n) + element<std::int32_t>(12 + at, n);
      const std::int64_t rounded = (whole > 0 ? whole + 512 : whole - 512) / 1024;
      gates_(gate, b, n) = scaled(nnrt::detail::saturated_i32(rounded), f.normal);
    }
  }

  constexpr void set_cells(std::int64_t b) {
    const int right = 30 + exponent_of(cell_scale_);
    for (std::int64_t n = 0; n < cells(); ++n) {
      if (is_coupled_) gates_(0, b, n) = static_cast<std::int16_t>(32767 - gates_(1, b, n));
      const std::int32_t old = gates_(1, b, n) * std::int32_t{c_(b, n)},
                         fresh = gates_(0, b, n) * std::int32_t{gates_(2, b, n)};
      std::int32_t kept = 0, added = 0;
      if constexpr (is_wide) kept = scaled(old, kept_), added = scaled(fresh, added_);
      else kept = nnrt::detail::shifted_right(old, 15), added = nnrt::detail::shifted_right(fresh, right);
      const std::int16_t cell = saturated_i16(kept + added);
      c_(b, n) =
          cell_clip_ > 0 ? static_cast<std::int16_t>(nnrt::detail::clamped(cell, -cell_clip_, cell_clip_)) : cell;
    }
  }
  constexpr void set_states(std::int64_t b) {
    constexpr std::int64_t lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
    for (std::int64_t first = 0; first < cells(); first += part::longest) {
      part acts{{}, std::min(part::longest, cells() - first)};
      for (std::int64_t i = 0; i < acts.count; ++i) acts.of[i] = c_(b, first + i);
      apply_tanh(acts, cell_scale_);
      for (std::int64_t i = 0; i < acts.count; ++i) {
        std::int16_t& o = gates_(3, b, first + i);
        const std::int64_t hidden =
            rounding::double_rounding::scale(o * std::int32_t{acts.of[i]}, hidden_) + std::int64_t{hidden_zero_};
        o = static_cast<std::int16_t>(nnrt::detail::clamped(hidden, lowest, highest));
      }
    }
    if (!is_projected_) {
      for (std::int64_t k = 0; k < outputs(); ++k) h_(b, k) = static_cast<T>(gates_(3, b, k));
      return;
    }
    const tensor_view<const std::int16_t> all{gates_.data, gates_.shape, gates_.strides, gates_.is_dense};
    const auto hidden = products_.row_of(all, (3 * order_.batch + b) * cells(), cells(), hidden_zero_, 0);
    for (std::int64_t k = 0; k < outputs(); ++k) {
      const std::int64_t bias = is_there(in_, 17) ? element<std::int32_t>(17, k) : 0;
      const std::int64_t sum = bias + hidden.times(in_[16].template as<const std::int8_t>(), k);
      const std::int64_t whole = rounding::double_rounding::scale(nnrt::detail::saturated_i32(sum), projected_) +
                                 std::int64_t{of_h_.zero_point};
      const std::int64_t stored = nnrt::detail::clamped(whole, lowest, highest);
      h_(b, k) = static_cast<T>(
          projection_clip_ > 0 ? nnrt::detail::clamped(stored, -projection_clip_, projection_clip_) : stored);
    }
  }

  const Attrs& a_;
  arguments in_;
  tensor_view<const T> x_;
  tensor_view<T> y_, h_;
  tensor_view<std::int16_t> c_, gates_;
  row_order order_;
  quantisation of_x_, of_h_;
  float cell_scale_;
  bool is_coupled_, is_normalised_, is_projected_;
  gate_factors factors_[4] = {};
  fixed_point kept_, added_, hidden_, projected_;
  std::int32_t cell_clip_ = 0, projection_clip_ = 0, hidden_zero_ = 0;
  Products products_;
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
