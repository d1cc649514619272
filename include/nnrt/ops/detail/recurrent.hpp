// recurrent: common parts of layers over sequences - order of steps, activations, products of rows with weights.
// Flow: used by rules and references of sequence_lstm, sequence_rnn and svdf.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/fixed_gates.hpp>
#include <nnrt/ops/detail/interpolated.hpp>
#include <nnrt/ops/detail/rounded_rows.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

constexpr double activate(double x, recurrent_activation a) {
  const auto between = [&](double low, double high) { return x < low ? low : x > high ? high : x; };  // NaN gives NaN
  switch (a) {
    case recurrent_activation::none: break;
    case recurrent_activation::relu: return x < 0 ? 0 : x;
    case recurrent_activation::relu_n1_to_1: return between(-1, 1);
    case recurrent_activation::relu6: return between(0, 6);
    case recurrent_activation::tanh: return math::tanh(x);
  }
  return x;
}
constexpr double logistic(double x) {
  const double e = math::exp(-math::abs(x));  // at most 1, so that the sum is accurate for both signs
  return (x < 0 ? e : 1.0) / (1.0 + e);
}

constexpr bool is_there(arguments in, std::size_t i) { return i < in.size() && in[i]; }
constexpr bool is_given(array_ref<const operand> in, std::size_t i) { return i < in.size() && in[i]; }

/// Order of a sequence's rows: [steps, batch, …] or [batch, steps, …], read forwards or backwards.
struct row_order {
  std::int64_t steps, batch;
  bool time_major, backwards;

  /// The row of step `step` of sequence b.
  constexpr std::int64_t operator()(std::int64_t step, std::int64_t b) const {
    const std::int64_t t = backwards ? steps - 1 - step : step;
    return time_major ? t * batch + b : b * steps + t;
  }
};
constexpr row_order rows_of(const shape_t& x, bool time_major, bool backwards) {
  return {x[time_major ? 0 : 1], x[time_major ? 1 : 0], time_major, backwards};
}

/// States of an LSTM: the first ones, the current ones [batch, outputs] and [batch, cells], and h after each step.
template <class T, class C> struct lstm_states {
  tensor_view<const T> h0;
  tensor_view<const C> c0;
  tensor_view<T> h;
  tensor_view<C> c;
  tensor_view<T> y;
};

/// Runs sequences `begin` to `end` of an LSTM: one_step(row, b) updates h and c of sequence b by row `row` of the
/// input. Without steps the gates are 0.
template <class T, class C, class F>
constexpr void run_steps(const row_order& order, std::int64_t begin, std::int64_t end, const lstm_states<T, C>& states,
                         const F& one_step) {
  const auto& [h0, c0, h, c, y] = states;
  const std::int64_t outputs = h.extent(1), cells = c.extent(1);
  for (std::int64_t b = begin; b < end; ++b) {
    for (std::int64_t k = 0; k < outputs; ++k) h(b, k) = h0[b * outputs + k];
    for (std::int64_t n = 0; n < cells; ++n) c(b, n) = c0[b * cells + n];
    for (std::int64_t step = 0; step < order.steps; ++step) {
      const std::int64_t row = order(step, b);
      one_step(row, b);
      for (std::int64_t k = 0; k < outputs; ++k) y[row * outputs + k] = h(b, k);
    }
  }
}
/// Sets gates to 0 if there are no steps.
template <class C> constexpr void clear_without_steps(const row_order& order, const tensor_view<C>& gates) {
  for (std::int64_t i = 0; order.steps == 0 && i < gates.elements(); ++i) gates[i] = C{};
}

/// Products of a matrix' rows with numbers that may be rounded to 8 bits as a row.
template <class T> struct row_of_numbers {
  tensor_view<const T> elements;
  std::int64_t first = 0, count = 0;
  bool is_rounded = false;
  row_steps<T> steps = {};

  constexpr row_of_numbers(const tensor_view<const T>& all, std::int64_t row, std::int64_t length, bool rounds,
                           bool symmetric)
      : elements(all), first(row * length), count(length), is_rounded(rounds) {
    if (rounds) steps = row_steps_of<T>(count, symmetric, [&](std::int64_t i) { return elements[first + i]; });
  }
  constexpr double times(const tensor_view<const T>& matrix, std::int64_t row) const {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const T x = elements[first + i];
      sum += math::product(double{matrix[row * count + i]}, double{is_rounded ? steps.nearest(x) : x});
    }
    return sum;
  }
};

/// Arithmetic of steps on quantised values: rows of numbers minus their zero points, their products with rows of
/// weights, and fixed-point functions, each in a scalar loop.
struct plain_products {
  template <class X> struct row {
    tensor_view<const X> x;
    std::int64_t first, count;
    std::int32_t zero;
    constexpr std::int64_t times(const tensor_view<const std::int8_t>& matrix, std::int64_t n) const {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < count; ++i) sum += std::int64_t{matrix[n * count + i]} * (x[first + i] - zero);
      return sum;
    }
  };
  /// Numbers of x from `first` on. Two rows may exist at a time, in slots 0 and 1.
  template <class X>
  constexpr row<X> row_of(const tensor_view<const X>& x, std::int64_t first, std::int64_t count, std::int32_t zero,
                          int) const {
    return {x, first, count, zero};
  }
  /// Replaces fixed-point numbers with 3 (tanh: `bits`) integer bits by their sigmoid or tanh.
  constexpr void sigmoid(std::int16_t* numbers, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i)
      numbers[i] = static_cast<std::int16_t>(fixed16::sigmoid(std::int32_t{numbers[i]}));
  }
  constexpr void tanh(std::int16_t* numbers, std::int64_t count, int bits) const {
    for (std::int64_t i = 0; i < count; ++i)
      numbers[i] = static_cast<std::int16_t>(fixed16::tanh(std::int32_t{numbers[i]}, bits));
  }
  /// Entry i of the sigmoid table for 16-bit layers.
  template <class I> constexpr std::int32_t entry(I i) const { return sigmoid_entry(i); }
};

/// Extents by name: operands whose shapes share an extent use one number for it.
template <int Count> struct named_extents {
  std::int64_t of[Count];

  constexpr named_extents() {
    for (std::int64_t& extent : of) extent = -1;
  }
  /// Takes the first known extent, and requires the others to equal it.
  constexpr verdict take(rule_id rule, int name, std::int64_t extent) {
    if (of[name] < 0) of[name] = extent;
    return require_same_extent(rule, extent, of[name]);
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
