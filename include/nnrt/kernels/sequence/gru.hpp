// gru: gated recurrent units over one sequence of floats.
// Flow: bind/gru.hpp calls run_gru() for each sequence and direction.
#pragma once

#include <nnrt/kernels/sequence/gated.hpp>
#include <nnrt/kernels/sequence/lstm.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Operands and results of one sequence in one direction. bias and h may be null, which means zeros.
struct gru_sequence {
  spaced_rows<const float> x;  // one row per step
  const float *w_ih, *w_hh, *bias, *h;
  spaced_rows<float> y;
  float* hy;
  bool backwards, linear_before_reset;
};

namespace detail {

/// to[n] = row n of w times x, for all rows.
inline void multiply_rows(const float* w, const float* x, std::int64_t columns, std::int64_t rows, float* to) {
  std::int64_t row = 0;
  for (; row + 4 <= rows; row += 4) row_products<4>(x, w + row * columns, columns, to + row);
  for (; row < rows; ++row) row_products<1>(x, w + row * columns, columns, to + row);
}
}  // namespace detail

/// Runs one sequence; `gates` has room for 4 * hidden floats. hy holds the state of the previous step while y receives
/// the new one.
inline void run_gru(const lstm_sizes& s, const gru_sequence& one, float* gates) {
  const std::int64_t hidden = s.hidden;
  float *const r = gates, *const z = r + hidden, *const n = z + hidden, *const other = n + hidden;
  const float *const w_n = one.w_ih + 2 * hidden * s.input, *const u_n = one.w_hh + 2 * hidden * hidden;
  if (one.h != nullptr) copy_floats(one.h, hidden, one.hy);
  else zero_floats(hidden, one.hy);
  // row `which` of the input's three biases (0 to 2) and of the state's (3 to 5)
  const auto bias = [&](std::int64_t which, std::int64_t at, std::int64_t count) {
    return one.bias != nullptr ? load_n(one.bias + which * hidden + at, count) : f32_vec(0.0F);
  };
  for (std::int64_t step = 0; step < s.steps; ++step) {
    const std::int64_t t = one.backwards ? s.steps - 1 - step : step;
    const float* const x = one.x[t];
    float* const y = one.y[t];
    detail::sum_all_rows({one.w_ih, x, s.input}, {one.w_hh, one.hy, hidden}, 2 * hidden, gates);
    detail::for_vectors(hidden, [&](std::int64_t i, std::int64_t count) {
      const f32_vec reset = sigmoid_of(load_n(r + i, count) + (bias(0, i, count) + bias(3, i, count)));
      store_n(r + i, reset, count);
      if (!one.linear_before_reset) store_n(other + i, reset * load_n(one.hy + i, count), count);
    });
    if (one.linear_before_reset) {
      detail::multiply_rows(w_n, x, s.input, hidden, n);
      detail::multiply_rows(u_n, one.hy, hidden, hidden, other);
    } else {
      detail::sum_all_rows({w_n, x, s.input}, {u_n, other, hidden}, hidden, n);
    }
    detail::for_vectors(hidden, [&](std::int64_t i, std::int64_t count) {
      const f32_vec keep = sigmoid_of(load_n(z + i, count) + (bias(1, i, count) + bias(4, i, count)));
      const f32_vec sum = load_n(n + i, count) + bias(2, i, count), of_state = bias(5, i, count);
      const f32_vec all = one.linear_before_reset ? fma(load_n(r + i, count), load_n(other + i, count) + of_state, sum)
                                                  : sum + of_state;
      store_n(y + i, fma(keep, load_n(one.hy + i, count), (f32_vec(1.0F) - keep) * tanh_of(all)), count);
    });
    copy_floats(y, hidden, one.hy);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
