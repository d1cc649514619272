// gated: steps of float sequences for sequence_lstm, with all its options, and for sequence_rnn.
// Flow: bind/sequence_lstm.hpp and bind/sequence_rnn.hpp iterate over the sequences of a part.
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/f32/gemm/dot_rows.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>
#include <nnrt/ops/detail/recurrent.hpp>
#include <nnrt/ops/detail/rounded_rows.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Operands of sequence_lstm, by gate (i, f, g, o) where each gate has one; null: missing.
struct gated_weights {
  const float *w[4], *u[4], *p[4], *b[4], *n[4], *projection, *projection_bias;
};

/// State of one sequence: extents, options and buffers. `gates` has a row of `cells` floats per gate; `seen` has room
/// for input + outputs + cells floats.
struct gated_sequence {
  std::int64_t input, cells, outputs;
  recurrent_activation activation;
  float cell_clip, projection_clip;
  bool rounds_rows, symmetric;
  float *h, *c, *gates[4], *seen;
};

namespace detail {

template <class V> [[gnu::always_inline]] inline V activated(V x, recurrent_activation a) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  switch (a) {
    case recurrent_activation::relu: return clamp(x, V(0.0F), V(infinity));
    case recurrent_activation::relu_n1_to_1: return clamp(x, V(-1.0F), V(1.0F));
    case recurrent_activation::relu6: return clamp(x, V(0.0F), V(6.0F));
    case recurrent_activation::tanh: return tanh_of(x);
    case recurrent_activation::none: break;
  }
  return x;
}

/// Calls f(first, count) for the vectors of n values; the last one may be partial.
template <class F> [[gnu::always_inline]] inline void for_vectors(std::int64_t n, const F& f) {
  for (std::int64_t i = 0; i < n; i += f32_lanes) f(i, n - i < f32_lanes ? n - i : f32_lanes);
}

/// Returns `row`; if is_rounded, writes it to `to`, rounded to 8-bit quantised values, and returns `to`.
inline const float* row_seen(bool is_rounded, bool symmetric, const float* row, std::int64_t n, float* to) {
  if (!is_rounded) return row;
  const auto steps = ops::detail::row_steps_of<float>(n, symmetric, [&](std::int64_t i) { return row[i]; });
  for (std::int64_t i = 0; i < n; ++i) to[i] = steps.nearest(row[i]);
  return to;
}

/// A matrix with contiguous rows of n floats, and the vector that it is multiplied with.
struct matrix_by_vector {
  const float* rows;
  const float* x;
  std::int64_t n;

  matrix_by_vector from(std::int64_t row) const { return {rows + row * n, x, n}; }
};

/// to[i] = row i of a.rows times a.x plus row i of b.rows times b.x, for `Rows` rows.
template <int Rows> [[gnu::always_inline]] inline void sum_rows(matrix_by_vector a, matrix_by_vector b, float* to) {
  f32_vec sums[Rows];
  each<Rows>([&](int r) __attribute__((always_inline)) { sums[r] = f32_vec(0.0F); });
  add_row_products(a.x, a.rows, a.n, sums);
  add_row_products(b.x, b.rows, b.n, sums);
  each<Rows>([&](int r) __attribute__((always_inline)) { to[r] = reduce_add(sums[r]); });
}

/// sum_rows() for `count` rows, four at a time.
inline void sum_all_rows(matrix_by_vector a, matrix_by_vector b, std::int64_t count, float* to) {
  std::int64_t row = 0;
  for (; row + 4 <= count; row += 4) sum_rows<4>(a.from(row), b.from(row), to + row);
  for (; row < count; ++row) sum_rows<1>(a.from(row), b.from(row), to + row);
}

/// Layer normalisation of the sums of a gate: (sums - mean) / sqrt(variance + 1e-8) * n.
inline void normalise_sums(const float* n, std::int64_t cells, float* sums) {
  double total = 0, squares = 0;
  for (std::int64_t i = 0; i < cells; ++i) total += double{sums[i]};
  const double mean = total / static_cast<double>(cells);
  for (std::int64_t i = 0; i < cells; ++i) squares += (double{sums[i]} - mean) * (double{sums[i]} - mean);
  const double inverse = 1 / std::sqrt(squares / static_cast<double>(cells) + 1e-8);
  for (std::int64_t i = 0; i < cells; ++i)
    sums[i] = static_cast<float>((double{sums[i]} - mean) * inverse * double{n[i]});
}

/// Computes one gate: products with x and h, peephole, layer normalisation, bias, activation.
inline void compute_gate(const gated_weights& of, const gated_sequence& s, int gate, const float* x, const float* h) {
  float* const to = s.gates[gate];
  sum_all_rows({of.w[gate], x, s.input}, {of.u[gate], h, s.outputs}, s.cells, to);
  if (of.p[gate] != nullptr)
    for_vectors(s.cells, [&](std::int64_t i, std::int64_t n) {
      store_n(to + i, fma(load_n(of.p[gate] + i, n), load_n(s.c + i, n), load_n(to + i, n)), n);
    });
  if (of.n[gate] != nullptr) normalise_sums(of.n[gate], s.cells, to);
  for_vectors(s.cells, [&](std::int64_t i, std::int64_t n) {
    const f32_vec sum = load_n(to + i, n) + load_n(of.b[gate] + i, n);
    store_n(to + i, gate == 2 ? activated(sum, s.activation) : sigmoid_of(sum), n);
  });
}

/// c = f * c + i * g; coupled gates use 1 - f for i.
inline void compute_cells(const gated_sequence& s, bool are_coupled) {
  const float clip = s.cell_clip == 0 ? std::numeric_limits<float>::infinity() : s.cell_clip;
  for_vectors(s.cells, [&](std::int64_t at, std::int64_t n) {
    const f32_vec f = load_n(s.gates[1] + at, n);
    if (are_coupled) store_n(s.gates[0] + at, f32_vec(1.0F) - f, n);
    const f32_vec added = load_n(s.gates[0] + at, n) * load_n(s.gates[2] + at, n);
    store_n(s.c + at, clamp(fma(f, load_n(s.c + at, n), added), f32_vec(-clip), f32_vec(clip)), n);
  });
}

/// Computes the hidden state from cells and output gate, with the optional projection.
inline void compute_states(const gated_weights& of, const gated_sequence& s) {
  float* const hidden = s.gates[3];
  for_vectors(s.cells, [&](std::int64_t i, std::int64_t n) {
    store_n(hidden + i, load_n(hidden + i, n) * activated(load_n(s.c + i, n), s.activation), n);
  });
  if (of.projection == nullptr) return copy_floats(hidden, s.cells, s.h);
  const float* const seen = row_seen(s.rounds_rows, s.symmetric, hidden, s.cells, s.seen + s.input + s.outputs);
  std::int64_t row = 0;
  for (; row + 4 <= s.outputs; row += 4) row_products<4>(seen, of.projection + row * s.cells, s.cells, s.h + row);
  for (; row < s.outputs; ++row) row_products<1>(seen, of.projection + row * s.cells, s.cells, s.h + row);
  const float clip = s.projection_clip == 0 ? std::numeric_limits<float>::infinity() : s.projection_clip;
  for_vectors(s.outputs, [&](std::int64_t i, std::int64_t n) {
    const f32_vec bias = of.projection_bias != nullptr ? load_n(of.projection_bias + i, n) : f32_vec(0.0F);
    store_n(s.h + i, clamp(load_n(s.h + i, n) + bias, f32_vec(-clip), f32_vec(clip)), n);
  });
}

/// One step of a plain recurrent layer with wx.n inputs and uh.n states: to = act(w x + u h + bias). `to` must not
/// alias h.
inline void run_plain_step(matrix_by_vector wx, matrix_by_vector uh, const float* bias, recurrent_activation activation,
                           float* to) {
  const std::int64_t states = uh.n;
  sum_all_rows(wx, uh, states, to);
  for_vectors(states, [&](std::int64_t i, std::int64_t n) {
    store_n(to + i, activated(load_n(to + i, n) + load_n(bias + i, n), activation), n);
  });
}

}  // namespace detail

/// One step: updates the states h and c.
inline void run_gated_step(const gated_weights& of, const gated_sequence& s, const float* row) {
  const float* const x = detail::row_seen(s.rounds_rows, s.symmetric, row, s.input, s.seen);
  const float* const h = detail::row_seen(s.rounds_rows, s.symmetric, s.h, s.outputs, s.seen + s.input);
  const bool are_coupled = of.w[0] == nullptr;
  for (int gate = are_coupled ? 1 : 0; gate < 3; ++gate) detail::compute_gate(of, s, gate, x, h);
  detail::compute_cells(s, are_coupled);
  detail::compute_gate(of, s, 3, x, h);
  detail::compute_states(of, s);
}

/// The state of sequence b in output `out`, initialised from operand `in`.
inline float* state_of_sequence(const kernel_call& call, std::size_t in, std::size_t out, std::int64_t b) {
  const std::int64_t width = call.out[out].shape()[1];
  float* const state = floats_out(call, out) + b * width;
  copy_floats(floats_in(call, in) + b * width, width, state);
  return state;
}
/// Calls begin(b) for each sequence of the call's part, then one_step(row) for each of its steps.
template <class Begin, class Step>
void for_sequences(const kernel_call& call, const ops::detail::row_order& order, const Begin& begin,
                   const Step& one_step) {
  const interval mine = share(order.batch, part_of(call));
  for (std::int64_t b = mine.begin; b < mine.end; ++b) {
    begin(b);
    for (std::int64_t step = 0; step < order.steps; ++step) one_step(order(step, b));
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
