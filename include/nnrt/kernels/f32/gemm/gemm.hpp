// gemm: C = clamp(A * B + bias) with packed B; used by matmul, dense layers and 1x1 convolutions.
// Flow: a plan's step calls gemm() with the output of pack() (f32/gemm/pack.hpp); f32/conv/conv2d.hpp reuses its tiles.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/matrix_rows.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/f32/gemm/tables.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Extents of a product: A is m x k, B is k x n, C is m x n. Any extent may be 0; with k = 0, C is the clamped bias.
struct gemm_shape {
  std::int64_t m = 0, k = 0, n = 0;
};

/// Operands of gemm(). Strides are in floats: a.stride >= k and c.stride >= n; columns n … c.stride of C are not
/// written. C must not overlap A.
struct gemm_arguments {
  gemm_shape shape = {};
  matrix_rows<const float> a = {};
  const float* packed = nullptr;  // output of pack() for B and bias
  matrix_rows<float> c = {};
  clamp_range range = {};
  std::int64_t run = 0;  // the run given to pack(); 0 for k
};

namespace detail {

/// View of packed B: bias, then panels of nr columns. The first `skipped` runs of k have no rows in A: the rows of a
/// convolution's kernel that are outside the image.
struct packed_b {
  const float* packed;
  std::int64_t k, n, skipped = 0;

  const float* bias(std::int64_t panel) const { return packed + panel * nr; }
  const float* panel(std::int64_t panel) const { return packed + whole_vectors(n) + panel * nr * k; }
  /// Address at which a panel would start; the panel need not exist.
  address panel_address(std::int64_t panel) const {
    return advanced(address_of(packed), whole_vectors(n) + panel * nr * k);
  }
  /// Number of columns in use in this panel, at most nr.
  std::int64_t width(std::int64_t panel) const { return std::min(nr, n - panel * nr); }
};

/// Floats of B that stay in L2 (384 KiB) while A is read once; limits the panels of one pass.
inline constexpr std::int64_t weights_in_cache = 384 * 1024 / 4;
constexpr std::int64_t panels_in_cache(std::int64_t k) {
  return std::max<std::int64_t>(1, weights_in_cache / (std::max<std::int64_t>(1, k) * nr));
}

/// Addresses that tiles prefetch into L2 while they compute.
/// First the rows of A that follow the current ones, if A exceeds L2: hardware does not prefetch many short rows at
/// once. Then the packed weights that follow the current panels: the next panels, then the next layers, at most
/// weights_in_cache floats. Plans store packed weights in the order of steps. Prefetches of unmapped addresses are
/// harmless.
struct panel_prefetch {
  address weights, weights_end, rows = 0, rows_end = 0;

  panel_prefetch(address behind, address end)
      : weights(behind), weights_end(std::min(advanced(behind, weights_in_cache), end)) {}
  /// Sets the rows to prefetch: `floats` floats from `first`, which follow the current rows.
  void rows_behind(address first, std::int64_t floats) { rows = first, rows_end = advanced(first, floats); }
  /// Writes the prefetch address and step to `t`; take() then advances by what the tile has prefetched.
  void give(tile_args& t) const {
    if (rows < rows_end) t.ahead = rows, t.ahead_step = bytes_ahead;
    else if (weights < weights_end) t.ahead = weights, t.ahead_step = bytes_ahead;
    else t.ahead = t.a, t.ahead_step = 0;
  }
  void take(const tile_args& t) {
    const auto came = static_cast<address>(t.ahead_step * t.k * t.runs * t.count);
    if (rows < rows_end) rows += came;
    else weights += came;
  }
};
/// True if a matrix of `floats` floats (512 KiB or more) is no longer in L2 after it was written.
constexpr bool comes_from_afar(std::int64_t floats) { return floats >= 512 * 1024 / 4; }

/// Number of blocks of A, `floats` floats each, that use one panel consecutively: they stay in L1 (16 KiB) for the next
/// panel.
constexpr std::int64_t pieces_at_once(std::int64_t floats) {
  return std::max<std::int64_t>(1, 16 * 1024 / 4 / std::max<std::int64_t>(1, floats));
}

/// Maximum number of tiles per call if other threads compute parts of the same product.
/// With more tiles, the processor detects a stream of stores and prefetches the lines that follow it. Other threads
/// write these lines, so they move between caches; see shared_strip_rows.
inline constexpr std::int64_t shared_tiles = 2;
constexpr std::int64_t max_tiles_at_once(part p) {
  return p.count > 1 ? shared_tiles : std::numeric_limits<std::int64_t>::max();
}

/// Sets the addresses of A and C in `t` for a tile of `rows` consecutive rows.
inline void set_rows(tile_args& t, std::int64_t rows, address a, float* c) {
  const std::int64_t second = second_half(rows);
  t.a = a, t.a_second = advanced(a, second * t.lda);
  t.c = c, t.c_second = c + second * t.ldc;
}

/// Computes one row of C (k contiguous) in pairs of full panels. Returns the first panel that is left.
inline std::int64_t tile_row_of_two_panels(const tiling& tiles, tile_args& t, const packed_b& b, interval panels) {
  const std::int64_t pairs = std::max<std::int64_t>(0, std::min(panels.end, b.n / nr) - panels.begin) / 2;
  if (pairs == 0) return panels.begin;
  float* const c = t.c;
  t.b = b.panel(panels.begin), t.bias = b.bias(panels.begin), t.c = t.c_second = c + panels.begin * nr,
  t.last = f32_lanes, t.count = pairs;
  tiles.functions.two_panels(t);
  t.c = t.c_second = c, t.count = 1;
  return panels.begin + 2 * pairs;
}

/// Computes `t.count` tiles of `rows` rows in the given panels.
/// The function changes `t` instead of copying it: copying a struct that was written in smaller pieces stalls on store
/// forwarding, 15 ns per row of tiles. Inlined: a call would take 2 ns, a twentieth of a small product.
template <class Isa>
[[gnu::always_inline]] inline void tile_row(const tiling& tiles, tile_args& t, std::int64_t rows, const packed_b& b,
                                            interval panels, panel_prefetch& ahead) {
  float *const c = t.c, *const c_second = t.c_second;
  if constexpr (has_rows_of_two_panels)
    if (rows == 1 && t.k == b.k && t.count == 1 && tiles.functions.two_panels != nullptr)
      panels.begin = tile_row_of_two_panels(tiles, t, b, panels);
  for (std::int64_t p = panels.begin; p < panels.end; ++p) {
    const std::int64_t width = b.width(p), vectors = whole_vectors(width);
    t.b = b.panel(p) + b.skipped * (is_lane_paired(width) ? (t.k + 1) / 2 : t.k) * vectors;
    t.bias = b.bias(p);
    t.c = c + p * nr, t.c_second = c_second + p * nr;
    t.last = width - (vectors - f32_lanes);
    ahead.give(t);
    tiles.for_tile(rows, width)(t);
    ahead.take(t);
  }
}

/// What all tiles of a product share; `run` is the result of packed_run(). c and ldc are apart: otherwise g++ copies
/// them from gemm_arguments by one load, which stalls on the two stores before it.
struct float_product {
  gemm_shape s;
  float* c;
  const float* packed;
  std::int64_t ldc;
  clamp_range range;
  tiling tiles;
  std::int64_t run;

  float_product(const gemm_arguments& of, const tiling& functions)
      : s(of.shape),
        c(of.c.first),
        packed(of.packed),
        ldc(of.c.stride),
        range(of.range),
        tiles(functions),
        run(packed_run(s.k, s.n, of.run)) {}
};

/// Rows of A: the address of row 0, the row stride in floats, and whether unread rows are outside L2.
/// Only the rows of the computed tiles have to exist.
struct rows_of_a {
  address first;
  std::int64_t lda;
  bool are_far;
};

/// Tiles of rows and panels of columns that part `p` computes.
constexpr rectangle share_of_product(const gemm_shape& s, const product_part& p) {
  const std::int64_t rows = m_blocking_of(s.m).count(), panels = panels_of(s.n);
  if (p.by_columns && panels >= p.count) return {{0, rows}, share(panels, p)};
  return share(rows, panels, p);
}

/// Computes the given tiles of rows and panels of columns of C. One call of a tile function makes at most `max_at_once`
/// tiles.
template <class Isa>
void gemm_tiles(const float_product& product, const rows_of_a& a, const rectangle& work, std::int64_t max_at_once) {
  const auto& [s, c, packed, ldc, range, tiles, run] = product;
  const std::int64_t lda = a.lda, block = panels_in_cache(s.k);
  const packed_b b{packed, s.k, s.n};
  const m_blocking tiles_of_rows = m_blocking_of(s.m);
  for (std::int64_t p = work.columns.begin; p < work.columns.end; p += block) {
    const interval panels{p, std::min(work.columns.end, p + block)};
    panel_prefetch ahead(b.panel_address(panels.end), tiles.weights_end);
    for (std::int64_t tile = work.rows.begin; tile < work.rows.end;) {
      const std::int64_t row = tiles_of_rows.begin(tile), rows = tiles_of_rows.rows(tile);
      tile_args t{.lda = lda, .k = run, .ldc = ldc, .range = range, .a_step = rows * lda, .c_step = rows * ldc};
      if (run != s.k) t.runs = s.k / run, t.run_stride = run;
      t.count = std::min(std::min(tiles_of_rows.alike(tile), work.rows.end - tile),
                         std::min(pieces_at_once(mr * s.k), max_at_once));
      tile += t.count;
      set_rows(t, rows, advanced(a.first, row * lda), c + row * ldc);
      if (a.are_far) ahead.rows_behind(advanced(t.a, t.count * t.a_step), t.count * t.a_step);
      tile_row<Isa>(tiles, t, rows, b, panels, ahead);
    }
  }
}

}  // namespace detail

/// C[m][n] = clamp(A[m][k] * B + bias).
///
/// The order of summation follows from the shape alone, so results do not depend on the number of parts.
///
/// - `p`: the part to compute. Any count is correct; parts beyond max(row tiles, panels) have no work.
/// - `tiles`: the functions of tile_set_for(m, n), or more.
template <class Isa = native>
void gemm(const gemm_arguments& of, product_part p = {}, const tiling& tiles = tiles_of<Isa>) {
  const gemm_shape& s = of.shape;
  if (s.m <= 0 || s.n <= 0) return;
  detail::gemm_tiles<Isa>({of, tiles}, {address_of(of.a.first), of.a.stride, detail::comes_from_afar(s.m * s.k)},
                          detail::share_of_product(s, p), detail::max_tiles_at_once(p));
}

// --- rows that are copied first ----------------------------------------------

/// Floats from a copied row to the next.
constexpr std::int64_t copied_row_floats(std::int64_t k) { return bytes_apart(k * 4) / 4; }
/// Number of row tiles that are copied at once: each panel of weights is read once for all of them. At most 256 KiB.
constexpr std::int64_t copied_tiles(std::int64_t k) {
  return nnrt::detail::clamped(64 * 1024 / (mr * std::max<std::int64_t>(1, k)), 1, 8);
}
/// Floats of scratch for each part of gemm_of_copies().
constexpr std::int64_t copied_rows_floats(std::int64_t m, std::int64_t k) {
  return std::min(m, copied_tiles(k) * mr) * copied_row_floats(k);
}

namespace detail {
/// Computes the given tiles and panels of C from copied rows of A: copy_row(i, to) writes the k floats of row i to
/// `to`.
template <class Isa, class CopyRow>
void gemm_of_copies(const float_product& product, CopyRow copy_row, float* scratch, const rectangle& work) {
  const std::int64_t k = product.s.k, lda = copied_row_floats(k), at_once = copied_tiles(k);
  const m_blocking tiles_of_rows = m_blocking_of(product.s.m);
  for (std::int64_t tile = work.rows.begin; tile < work.rows.end; tile += at_once) {
    const interval some{tile, std::min(work.rows.end, tile + at_once)};
    const std::int64_t first = tiles_of_rows.begin(some.begin), end = tiles_of_rows.begin(some.end);
    for (std::int64_t i = first; i < end; ++i) copy_row(i, scratch + (i - first) * lda);
    gemm_tiles<Isa>(product, {advanced(address_of(scratch), -first * lda), lda, false}, {some, work.columns}, at_once);
  }
}
}  // namespace detail

/// gemm() of rows that suffer from 4K aliasing: it multiplies copies of the rows; see rows_alias_4k(). `scratch`:
/// copied_rows_floats(m, k) floats for this part alone.
template <class Isa = native>
void gemm_on_copies(const gemm_arguments& of, float* scratch, product_part p = {},
                    const tiling& tiles = tiles_of<Isa>) {
  detail::gemm_of_copies<Isa>(
      {of, tiles}, [&](std::int64_t i, float* to) { copy_floats(of.a.row(i), of.shape.k, to); }, scratch,
      detail::share_of_product(of.shape, p));
}

}}}  // namespace nnrt::NNRT_ISA::kernels
