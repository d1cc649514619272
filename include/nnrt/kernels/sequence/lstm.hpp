// lstm: long short-term memory over one sequence of floats.
// Flow: bind/lstm.hpp calls run_lstm() for each sequence and direction.
#pragma once

#include <nnrt/kernels/f32/gemm/dot_rows.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Number of steps, of elements per step, and of elements per state.
struct lstm_sizes {
  std::int64_t steps, input, hidden;
};

/// Rows of floats that are `apart` floats apart.
template <class T> struct spaced_rows {
  T* first;
  std::int64_t apart;
  T* operator[](std::int64_t i) const { return first + i * apart; }
};

/// Operands and results of one sequence in one direction. bias, h and c may be null, which means zeros.
struct lstm_sequence {
  spaced_rows<const float> x;  // one row per step
  const float *w_ih, *w_hh, *bias, *h, *c;
  spaced_rows<float> y;
  float *hy, *cy;
  bool backwards;
  float zoneout_cell, zoneout_hidden;
};

namespace detail {

/// gates[i] = the sum of row i for one step; the number of rows is a multiple of four.
inline void sum_gates(const lstm_sizes& s, const lstm_sequence& one, const float* x, const float* h, float* gates) {
  const std::int64_t rows = 4 * s.hidden;
  for (std::int64_t row = 0; row < rows; row += 4) {
    f32_vec sums[4] = {f32_vec(0.0F), f32_vec(0.0F), f32_vec(0.0F), f32_vec(0.0F)};
    add_row_products(x, one.w_ih + row * s.input, s.input, sums);
    add_row_products(h, one.w_hh + row * s.hidden, s.hidden, sums);
    for (int r = 0; r < 4; ++r) {
      const float bias = one.bias != nullptr ? one.bias[row + r] + one.bias[rows + row + r] : 0.0F;
      gates[row + r] = reduce_add(sums[r]) + bias;
    }
  }
}

/// Zoneout: share * before + (1 - share) * after.
template <class V> [[gnu::always_inline]] inline V zoned(float share, V before, V after) {
  return share == 0 ? after : fma(V(share), before, V(1.0F - share) * after);
}

}  // namespace detail

/// Runs one sequence; `gates` has room for 4 * hidden floats. hy holds the hidden state of the previous step while y
/// receives the new one; cy holds the cell state.
inline void run_lstm(const lstm_sizes& s, const lstm_sequence& one, float* gates) {
  const auto begin_with = [&](const float* from, float* to) {
    if (from != nullptr) copy_floats(from, s.hidden, to);
    else zero_floats(s.hidden, to);
  };
  begin_with(one.h, one.hy);
  begin_with(one.c, one.cy);
  for (std::int64_t step = 0; step < s.steps; ++step) {
    const std::int64_t t = one.backwards ? s.steps - 1 - step : step;
    detail::sum_gates(s, one, one.x[t], one.hy, gates);
    float* const y = one.y[t];
    for (std::int64_t n = 0; n < s.hidden; n += f32_lanes) {
      const std::int64_t left = s.hidden - n < f32_lanes ? s.hidden - n : f32_lanes;
      const auto gate = [&](std::int64_t which) { return load_n(gates + which * s.hidden + n, left); };
      const f32_vec before = load_n(one.cy + n, left), i = sigmoid_of(gate(0)), o = sigmoid_of(gate(1)),
                    f = sigmoid_of(gate(2));
      const f32_vec c = fma(f, before, i * tanh_of(gate(3))), h = o * tanh_of(c);
      store_n(one.cy + n, detail::zoned(one.zoneout_cell, before, c), left);
      store_n(y + n, detail::zoned(one.zoneout_hidden, load_n(one.hy + n, left), h), left);
    }
    copy_floats(y, s.hidden, one.hy);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
