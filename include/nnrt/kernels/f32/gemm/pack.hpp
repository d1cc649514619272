// pack: packs the right factor of a product and its bias in the order in which tiles read them.
// Flow: a prepare step calls pack() once per layer; f32/gemm/tile.hpp reads the packed weights.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/simd/lanes.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Vectors per panel, and vectors of C per row that a tile keeps in registers.
inline constexpr int tile_vectors = 2;
/// Columns per panel of packed B (NR).
inline constexpr std::int64_t nr = tile_vectors * f32_lanes;

constexpr std::int64_t panels_of(std::int64_t n) { return (n + nr - 1) / nr; }

/// Floats that pack() writes: the bias and k rows, each padded to whole vectors.
constexpr std::int64_t packed_floats(std::int64_t k, std::int64_t n) { return (k + 1) * whole_vectors(n); }

/// True if at most half of a panel's last vector is in use (8 or 24 columns with 16 lanes).
/// Two rows of A then share one vector of accumulators for the half. With 24 columns a row costs 1.5 fma per k instead
/// of 2.
constexpr bool ends_in_half_vector(std::int64_t width) {
  return has_half_vector && width > 0 && (width - 1) % f32_lanes < f32_lanes / 2;
}
/// True if the panel consists of half a vector only. Its packed vectors then hold pairs: the weights of two k for each
/// column. One fma computes two k; a single broadcast loads both values of A.
constexpr bool is_lane_paired(std::int64_t width) { return ends_in_half_vector(width) && width < f32_lanes; }

/// Length of the contiguous runs into which tiles divide k, if `run` values at a time are contiguous in A.
/// One run of k, except for lane-paired panels with odd `run`: pairs must not cross the end of a run.
constexpr std::int64_t packed_run(std::int64_t k, std::int64_t n, std::int64_t run) {
  return is_lane_paired(n % nr) && run % 2 != 0 ? run : k;
}

/// Interval for callers that pack all panels of B at once.
inline constexpr interval all_panels{0, INT64_MAX / nr};

/// What is packed with B: its extents k x n, and the bias. Strides and addresses of B are given apart.
struct packed_factor {
  std::int64_t k = 0, n = 0;
  const float* bias = nullptr;   // n floats; null for zeros
  std::int64_t run = 0;          // consecutive rows whose values of A are contiguous; divides k; 0 for k
  interval panels = all_panels;  // to pack, with their bias; threads may divide them
};

/// A matrix with constant strides, in floats: element (i, j) is first[i * row_stride + j * column_stride].
/// Strides are (n, 1) for a k x n matrix and (1, k) for the transposed one, n x k.
struct strided_matrix {
  const float* first = nullptr;
  std::int64_t row_stride = 0, column_stride = 1;
};

namespace detail {

/// Rows that turn_columns() transposes at once: 256 KiB of the panel's columns stay in L2 between its two passes.
inline constexpr std::int64_t turned_rows = 256 * 1024 / 4 / nr / 4 * 4;

/// Reads one float per cache line and discards it.
inline void fetch_lines(const float* p, std::int64_t floats) {
  for (std::int64_t i = 0; i < floats; i += 16) static_cast<void>(static_cast<const volatile float*>(p)[i]);
}

/// Transposes k rows of `used` columns from contiguous columns of b to rows that are `width` floats apart.
/// Each column is first read from end to end: hardware prefetches one stream in time, but not 32 at once. Packing then
/// takes as long as copying, a third less than without.
inline void turn_columns(const float* b, std::int64_t column_stride, std::int64_t k, std::int64_t used,
                         std::int64_t width, float* out) {
  const std::int64_t squares = used / 4 * 4;
  for (std::int64_t i = 0; i < k; i += 4) {
    if (i % turned_rows == 0)
      for (std::int64_t j = 0; j < used; ++j) fetch_lines(b + j * column_stride + i, std::min(turned_rows, k - i));
    const std::int64_t whole = i + 4 <= k ? squares : 0, end = i + 4 <= k ? i + 4 : k;
    for (std::int64_t j = 0; j < whole; j += 4)
      transpose_4x4(b + j * column_stride + i, 4 * column_stride, out + i * width + j, 4 * width);
    for (std::int64_t j = whole; j < used; ++j)
      for (std::int64_t row = i; row < end; ++row) out[row * width + j] = b[j * column_stride + row];
  }
}

/// Converts k rows of half a vector to rows of pairs. If `run` is odd, the last k of a run is in both lanes of its
/// pair, multiplied by 0.5: with a 0 in one lane an infinite x would give NaN.
inline void pair_rows(float* panel, std::int64_t k, std::int64_t run) {
  float* to = panel;  // the output never overtakes the input
  for (std::int64_t first = 0; first < k; first += run)
    for (std::int64_t i = first, last = first + run - 1; i <= last; i += 2, to += f32_lanes) {
      const f32_vec one = load(panel + i * f32_lanes);
      if constexpr (has_half_vector)
        store(to, i < last ? pair_lanes(one, load(panel + (i + 1) * f32_lanes)) : pair_lanes(one, one) * f32_vec(0.5F));
    }
}

/// Writes the bias of each panel and calls fill(j, used, width, out): the panel starts at column j, `used` of `width`
/// columns exist. The missing columns become zero.
template <class Fill> void pack_panels(const packed_factor& b, float* to, Fill fill) {
  const auto [k, n, bias, run, panels] = b;
  const std::int64_t padded = whole_vectors(n);
  float* out = to + padded + panels.begin * nr * k;
  for (std::int64_t j0 = panels.begin * nr; j0 < std::min(padded, panels.end * nr); j0 += nr) {
    const std::int64_t width = std::min(nr, padded - j0), used = std::min(width, n - j0);
    const bool twice = ends_in_half_vector(used);
    for (std::int64_t j = j0; j < j0 + width; ++j) to[j] = bias != nullptr && j < n ? bias[j] : 0.0F;
    fill(j0, used, width, out);
    for (std::int64_t i = 0; i < k && used < width; ++i) {
      float* const row = out + i * width;
      for (std::int64_t j = used; j < width; ++j) row[j] = 0.0F;
      if (twice) copy_floats(row + width - f32_lanes, f32_lanes / 2, row + width - f32_lanes / 2);
    }
    if constexpr (has_half_vector)
      if (is_lane_paired(used)) pair_rows(out, k, packed_run(k, n, run));
    out += k * width;
  }
}

}  // namespace detail

/// Packs B and bias. Layout: [bias][panel][k][columns of the panel]; missing columns are zero.
/// A panel with ends_in_half_vector() holds its half vector twice. A panel with is_lane_paired() is stored as
/// [run][pair of k][column][k]; the rest of its memory is not written.
///
/// - `row_of`: row_of(i) is the address of row i; element j is at offset j * column_stride, in floats.
/// - `out`: packed_floats(k, n) floats; 64-byte alignment is faster.
template <class RowOf> void pack_rows(RowOf row_of, std::int64_t column_stride, const packed_factor& b, float* out) {
  detail::pack_panels(b, out, [&, k = b.k](std::int64_t j0, std::int64_t used, std::int64_t width, float* panel) {
    for (std::int64_t i = 0; i < k; ++i, panel += width) {
      const float* const row = row_of(i) + j0 * column_stride;
      if (column_stride == 1) copy_floats(row, used, panel);
      else
        for (std::int64_t j = 0; j < used; ++j) panel[j] = row[j * column_stride];
    }
  });
}

/// Packs B from a matrix with constant strides.
inline void pack(const strided_matrix& from, const packed_factor& b, float* out) {
  const auto [first, row_stride, column_stride] = from;
  if (row_stride != 1)
    return pack_rows([first, row_stride](std::int64_t i) { return first + i * row_stride; }, column_stride, b, out);
  detail::pack_panels(
      b, out, [first, column_stride, k = b.k](std::int64_t j0, std::int64_t used, std::int64_t width, float* panel) {
        detail::turn_columns(first + j0 * column_stride, column_stride, k, used, width, panel);
      });
}

}}}  // namespace nnrt::NNRT_ISA::kernels
