// unrolled: dense layers of micro networks with compile-time extents, inlined into the caller.
// Flow: bind/full_connection.hpp chooses it for unrolled plans and packs weights; exec/unrolled.hpp calls dense() with
// the step's extents.
#pragma once

#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/kernels/f32/gemm/gemm.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>
#include <nnrt/kernels/simd/lanes.hpp>

#include <array>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// True if weights are stored in rows, for one dot product each: layers of at most two outputs. Others are stored in
/// columns, one per input.
constexpr bool dense_in_rows(std::int64_t outputs) { return outputs <= 2; }

/// Floats of packed weights and bias.
constexpr std::int64_t dense_packed_floats(std::int64_t inputs, std::int64_t outputs) {
  return dense_in_rows(outputs) ? outputs * (f32_lanes + whole_vectors(inputs)) : (inputs + 1) * whole_vectors(outputs);
}

/// Packs w [outputs, inputs] and bias [outputs] (null: zeros) as biases and rows, or biases and columns, padded with
/// zeros. In the row packing each bias starts a vector, to which products are added. Constexpr, so that the compiler
/// can pack constant weights.
constexpr void dense_pack(const float* w, const float* bias, std::int64_t inputs, std::int64_t outputs, float* packed) {
  const bool rows = dense_in_rows(outputs);
  const std::int64_t first = rows ? outputs * f32_lanes : whole_vectors(outputs), outer = rows ? outputs : inputs,
                     inner = whole_vectors(rows ? inputs : outputs);
  for (std::int64_t i = 0; i < first; ++i) packed[i] = 0.0F;
  for (std::int64_t o = 0; bias != nullptr && o < outputs; ++o) packed[rows ? o * f32_lanes : o] = bias[o];
  for (std::int64_t i = 0; i < outer; ++i)
    for (std::int64_t j = 0; j < inner; ++j)
      packed[first + i * inner + j] = j >= (rows ? inputs : outputs) ? 0.0F
                                      : rows                         ? w[i * inputs + j]
                                                                     : w[j * inputs + i];
}

namespace detail {

/// Sum of N vectors as a tree; the latency is that of log2(N) additions.
template <std::size_t N> [[gnu::always_inline]] inline f32_vec tree_sum(const std::array<f32_vec, N>& terms) {
  if constexpr (N == 1) {
    return terms[0];
  } else {
    constexpr std::size_t half = (N + 1) / 2;
    std::array<f32_vec, half> sums;
    each<static_cast<int>(half)>([&](auto i) __attribute__((always_inline)) {
      if constexpr (i + half < N) sums[i] = terms[i] + terms[i + half];
      else sums[i] = terms[i];
    });
    return tree_sum<half>(sums);
  }
}

/// Accumulators per output vector: two fma per cycle, four cycles of latency.
template <int Terms> inline constexpr int chains_of = Terms < 4 ? Terms : 4;

/// start + sum over i of x[i] * column i, unrolled.
template <int In>
[[gnu::always_inline]] inline f32_vec dense_column_sum(const float* x, const float* columns, std::int64_t stride,
                                                       f32_vec start) {
  std::array<f32_vec, chains_of<In>> sums;
  each<In>([&](auto i) __attribute__((always_inline)) {
    constexpr auto chain = static_cast<std::size_t>(i % chains_of<In>);
    const f32_vec xi = broadcast_load(x + i), w = load(columns + i * stride);
    if constexpr (i == 0) sums[chain] = fma(xi, w, start);
    else if constexpr (i < chains_of<In>) sums[chain] = xi * w;
    else sums[chain] = fma(xi, w, sums[chain]);
  });
  return tree_sum(sums);
}

/// Inputs per unrolled block. Longer layers loop over blocks, to limit code size.
inline constexpr int dense_block = 32;

/// Applies a fused activation with no redundant operation, since each one adds latency.
template <activation Fused> [[gnu::always_inline]] inline f32_vec activated(f32_vec sum) {
  constexpr clamp_range range = range_of(Fused);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if constexpr (range.lo > -infinity) sum = max(f32_vec(range.lo), sum);  // NaN is the second operand, see max()
  if constexpr (range.hi < infinity) sum = min(f32_vec(range.hi), sum);
  return sum;
}

template <int In, int Out, activation Fused>
[[gnu::always_inline]] inline void dense_columns(const float* x, const float* packed, float* y) {
  constexpr int stride = static_cast<int>(whole_vectors(Out)), vectors = stride / static_cast<int>(f32_lanes),
                rest = In % dense_block;
  each<vectors>([&](auto v) __attribute__((always_inline)) {
    const float* columns = packed + stride + v * f32_lanes;
    f32_vec sum = load(packed + v * f32_lanes);
    if constexpr (rest > 0) sum = dense_column_sum<rest>(x, columns, stride, sum);
    if constexpr (In >= dense_block)
      for (int i = rest; i < In; i += dense_block)
        sum = dense_column_sum<dense_block>(x + i, columns + std::int64_t{i} * stride, stride, sum);
    if constexpr ((v + 1) * f32_lanes <= Out) store(y + v * f32_lanes, activated<Fused>(sum));
    else store_n(y + v * f32_lanes, activated<Fused>(sum), Out - v * f32_lanes);
  });
}

/// One output: a dot product over whole vectors (the last one padded), added to the vector that contains the bias.
template <int In> [[gnu::always_inline]] inline float dense_row(const float* x, const float* row, const float* bias) {
  constexpr int whole = In / static_cast<int>(f32_lanes), tail = In % static_cast<int>(f32_lanes);
  constexpr std::size_t terms = static_cast<std::size_t>(whole < 4 ? whole + (tail > 0 ? 1 : 0) : 4);
  std::array<f32_vec, terms> sums;
  each<static_cast<int>(terms)>([&](auto i) __attribute__((always_inline)) {
    const auto inputs = [&]() __attribute__((always_inline)) {
      if constexpr (i < whole) return load(x + i * f32_lanes);
      else return load_n(x + i * f32_lanes, tail);
    };
    if constexpr (i == 0) sums[i] = fma(inputs(), load(row), load(bias));
    else sums[i] = inputs() * load(row + i * f32_lanes);
  });
  if constexpr (whole >= 4) {
    for (int i = 4; i < whole; ++i)
      sums[static_cast<std::size_t>(i % 4)] =
          fma(load(x + i * f32_lanes), load(row + i * f32_lanes), sums[static_cast<std::size_t>(i % 4)]);
    if constexpr (tail > 0) sums[0] = fma(load_n(x + whole * f32_lanes, tail), load(row + whole * f32_lanes), sums[0]);
  }
  return reduce_add(tree_sum(sums));
}

template <int In, int Out, activation Fused>
[[gnu::always_inline]] inline void dense_rows(const float* x, const float* packed, float* y) {
  each<Out>([&](auto o) __attribute__((always_inline)) {
    const float sum = dense_row<In>(x, packed + Out * f32_lanes + o * whole_vectors(In), packed + o * f32_lanes);
    store_one(y + o, activated<Fused>(f32_vec(sum)));
  });
}

}  // namespace detail

/// y [rows, Out] = Fused(x [rows, In] * transpose(w) + bias), with weights from dense_pack(). x and y must not overlap.
template <int In, int Out, activation Fused>
[[gnu::always_inline]] inline void dense(const float* x, const float* packed, float* y, std::int64_t rows) {
  // Otherwise g++ 12 extracts each broadcast from the vector that the previous layer stored: three instructions instead
  // of one.
  if constexpr (!dense_in_rows(Out)) optimization_barrier(x);
  for (std::int64_t r = 0; r < rows; ++r, x += In, y += Out) {
    if constexpr (dense_in_rows(Out)) detail::dense_rows<In, Out, Fused>(x, packed, y);
    else detail::dense_columns<In, Out, Fused>(x, packed, y);
  }
}

/// dense() for run-time extents: shape.m rows, k inputs, n outputs.
inline void dense_of_any_size(const float* x, const float* packed, float* y, const gemm_shape& shape,
                              clamp_range range) {
  const bool rows = dense_in_rows(shape.n);
  const std::int64_t inner = whole_vectors(rows ? shape.k : shape.n);
  const float* const weights = packed + (rows ? shape.n * f32_lanes : inner);
  for (std::int64_t r = 0; r < shape.m; ++r)
    for (std::int64_t o = 0; o < shape.n; ++o) {
      float sum = packed[rows ? o * f32_lanes : o];
      for (std::int64_t i = 0; i < shape.k; ++i)
        sum += x[r * shape.k + i] * weights[rows ? o * inner + i : i * inner + o];
      y[r * shape.n + o] = sum < range.lo ? range.lo : sum > range.hi ? range.hi : sum;
    }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
