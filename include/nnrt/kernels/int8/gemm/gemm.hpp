// gemm: int8 matrix product over packed B; used by dense layers, matrix products and 1x1 convolutions.
// Flow: a prepare step packs B with int8_pack(). A plan's step calls int8_gemm(), which walks over the tiles of
// int8/gemm/tile.hpp or the AMX blocks of int8/gemm/amx_blocks.hpp.
//
// c[m][n] = clamp(c_zero + factor[n] * (bias[n] + sum over k of (a[m][k] - a_zero) * (b[k][n] - b_zero)))
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/matrix_rows.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/int8/gemm/amx_blocks.hpp>
#include <nnrt/kernels/int8/gemm/arguments.hpp>
#include <nnrt/kernels/int8/gemm/row.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// A row counts as this many panels when a part is cut into pieces. Int8 products copy rows of A, and their weights
/// take a quarter of the bytes of f32 weights. So a part is cut along rows unless it has more than four times as many
/// panels.
inline constexpr std::int64_t int8_row_length = 4;

/// Panels of part `of`. The bounds never fall between two panels that are packed as one.
constexpr interval share_of_panels(const int8_packing& packing, part of) {
  const interval panels = share(packing.panels(), of);
  return {packing.undivided(panels.begin), packing.undivided(panels.end)};
}
/// Row tiles and panels of part `of`. The panel bounds never fall between two panels that are packed as one.
constexpr rectangle share_of_panels(const int8_packing& packing, std::int64_t rows, const product_part& of) {
  if (of.by_columns && packing.panels() >= of.count) return {{0, rows}, share_of_panels(packing, of)};
  const rectangle work = share(rows, packing.panels(), of, int8_row_length);
  return {work.rows, {packing.undivided(work.columns.begin), packing.undivided(work.columns.end)}};
}

/// Row tiles for m rows of A.
constexpr m_blocking int8_tiles_of(std::int64_t m) {
  if (detail::int8_tile_height == mr) return m_blocking{m};
  return {m, pieces_of(m, detail::int8_tile_height)};
}
/// Row tiles of a whole product with m rows.
constexpr m_blocking int8_m_blocking_of(std::int64_t m) {
  return detail::int8_tile_height == mr ? m_blocking_of(m) : int8_tiles_of(m);
}

/// Encoding in which the tiles read the rows of A. A single row and the rows of AMX blocks are read as stored. Other
/// rows are widened to i16 if tiles read i16, and sign-flipped unless the weights do the flip. Flipping a row when it
/// is copied is cheaper: a tile would flip it again in every panel.
inline int8_encoding encoding_of_rows(const int8_product& p) {
  if (p.packing.is_for_one_row) return {};
  if constexpr (has_matrix_registers)
    if (goes_in_blocks(p)) return {};
  return {tiles_read_wide, p.factors.flip_of_rows()};
}

namespace detail {

/// Addresses and strides (bytes) of the rows of a tile in A and C. If `second_c` is not 0, the second half of the rows
/// starts `second_a` and `second_c` bytes after the first half.
struct int8_rows {
  address a;
  std::int64_t lda, run_stride;
  std::byte* c;
  std::int64_t ldc, rows;
  bool are_wide = false;  // see int8/gemm/values.hpp
  std::int64_t second_a = 0, second_c = 0;

  bool is_torn() const { return second_c != 0; }
  /// Number of rows of the tile function to call. The function for one row reads narrow weights, which only a packing
  /// for one row has. For other packings a single row runs the function for two rows, which computes it twice.
  std::int64_t computed(const int8_packing& packing) const {
    return dot_bytes != narrow_dot_bytes && !packing.is_for_one_row ? std::max<std::int64_t>(rows, 2) : rows;
  }
};

/// Returns a tile with the fields that all tiles of a product share.
inline int8_tile tile_for(const int8_product& p, std::int64_t lda, std::int64_t run_stride, std::int64_t ldc) {
  int8_tile t;
  t.lda = lda, t.steps = p.packing.depth.steps(), t.runs = p.packing.depth.runs, t.run_stride = run_stride;
  t.ends_in_half_vector = p.packing.depth.length % 4 == 1 || p.packing.depth.length % 4 == 2;
  t.flip = p.factors.a_flip() ^ encoding_of_rows(p).flip, t.ldc = ldc, t.to = &p.to;
  return t;
}

/// Points `t` to the weights, start values and scales of a panel.
inline void set_panel(const int8_product& p, std::int64_t panel, int8_tile& t) {
  t.b = p.packed + p.packing.panel_at(panel), t.start = p.packed + p.packing.bias_at() + 2 * panel * register_bytes;
  t.scales = reinterpret_cast<const channel_scales*>(p.packed) + 2 * panel;
}

/// Method by which a tile scales the accumulators of a panel; one_by_one if the tile only stores them.
inline scale_method method_in_tile(const int8_product& p, std::int64_t panel) {
  return p.addend != nullptr || p.kept != nullptr || p.factors.b_zero_as_seen() != 0
             ? scale_method::one_by_one
             : method_in_tile(p.packing, p.packed, panel);
}

/// Sets the addresses of `t`: rows of A from `at`, rows of C from `c` on, its second half `second_c` bytes later if not
/// 0.
inline void set_byte_rows(int8_tile& t, const int8_rows& at, address c, std::int64_t second_c) {
  const std::int64_t second = second_half(at.rows);
  t.a = at.a, t.a_second = bytes_further(at.a, at.is_torn() ? at.second_a : second * t.lda);
  t.c = c, t.c_second = bytes_further(c, second_c != 0 ? second_c : second * t.ldc);
}

/// Computes a tile of at most int8_tile_height rows in one panel, if the tile cannot store whole rows of C itself.
/// `tiles` must have a function for this number of rows.
template <class Isa>
void int8_tile_alone(const int8_tile_table& tiles, const int8_product& p, int8_tile& t, std::int64_t panel,
                     const int8_rows& at, scale_method method) {
  const bool is_of_four = p.packing.is_of_four(panel);
  const std::int64_t vectors = is_of_four ? 4 : p.packing.vectors_of(panel),
                     width = is_of_four ? 4 * int_lanes : p.packing.width(panel);
  const std::int64_t first_rows = at.is_torn() ? at.rows / 2 : at.rows;
  const int8_tile_function tile = tiles.for_tile(method, at.computed(p.packing), p.packing.panel_packing_of(panel));
  std::byte* const c = at.c + panel * int8_packing::panel_width;
  t.count = 1;
  if (method != scale_method::one_by_one) {
    constexpr std::int64_t line = int8_packing::panel_width;
    alignas(64) std::byte bytes[int8_tile_height * line];
    t.ldc = line;
    set_byte_rows(t, at, reinterpret_cast<address>(&bytes[0]), 0);
    tile(t);
    t.ldc = at.ldc;
    copy_narrow_rows(bytes, line, first_rows, width, c, at.ldc);
    return copy_narrow_rows(bytes + first_rows * line, line, at.rows - first_rows, width, c + at.second_c, at.ldc);
  }
  alignas(64) std::int32_t sums[4 * vector_of_sums];
  set_byte_rows(t, at, 0, 0);
  t.sums = sums, t.sums_second = sums + second_half(at.rows) * sum_stride;
  tile(t);
  if (p.factors.b_zero_as_seen() != 0) {
    std::int32_t row_sums[int8_tile_height];
    for (std::int64_t row = 0; row < at.rows; ++row) {
      const address a = bytes_further(at.a, row < first_rows ? row * t.lda : at.second_a + (row - first_rows) * t.lda);
      row_sums[row] = row_sum(a, p.packing.depth, t.run_stride, {at.are_wide, t.flip});
    }
    subtract_row_sums(p, at.rows, vectors, row_sums, sums);
  }
  const int8_target first{c, at.ldc, first_rows}, second{c + at.second_c, at.ldc, at.rows - first_rows};
  finish_sums<Isa>(p, sums, t.scales, first, width);
  if (at.is_torn()) finish_sums<Isa>(p, sums + first_rows * sum_stride, t.scales, second, width);
}

/// Number of tiles that may store whole vectors although rows of C are narrower; 0 if none. Each tile but the last may
/// do so if C has one panel and no gaps: a later tile overwrites the excess bytes.
inline std::int64_t tiles_that_spill(const int8_product& p, const int8_rows& at) {
  const m_blocking tiles = int8_tiles_of(at.rows);
  const std::int64_t last = tiles.rows(tiles.count() - 1);
  const bool can = p.packing.panels() == 1 && at.ldc == p.packing.n && !at.is_torn() && last * at.ldc >= int_lanes;
  return can ? tiles.count() : 0;
}

/// Number of lines of equal rows, and the bytes from one line to the next in A and C.
struct int8_lines {
  std::int64_t count = 1, a_step = 0, c_step = 0;
};

/// Computes all row tiles of `at` (any number of rows) in the given panels: all lines in one panel, then the next
/// panel.
template <class Isa>
void int8_tile_columns(const int8_product& p, const int8_rows& at, const int8_lines& lines, interval panels) {
  const m_blocking tiles = int8_tiles_of(at.is_torn() ? 1 : at.rows);
  int8_tile t = tile_for(p, at.lda, at.run_stride, at.ldc);
  for (std::int64_t panel = panels.begin; panel < panels.end; ++panel) {
    set_panel(p, panel, t);
    const std::int64_t vectors = p.packing.vectors_of(panel);
    const scale_method method = method_in_tile(p, panel);
    const bool is_whole = p.packing.width(panel) == vectors * int_lanes;
    for (std::int64_t tile = 0; tile < tiles.count();) {
      int8_rows part = at;
      const std::int64_t begin = tiles.begin(tile);
      part.a = bytes_further(at.a, begin * at.lda), part.c = at.c + begin * at.ldc;
      if (!at.is_torn()) part.rows = tiles.rows(tile);
      ++tile;
      const bool stores_rows = method != scale_method::one_by_one && (is_whole || tile < tiles_that_spill(p, at));
      for (std::int64_t line = 0; line < lines.count && !stores_rows; ++line) {
        int8_tile_alone<Isa>(int8_tiles<Isa>, p, t, panel, part, method);
        part.a = bytes_further(part.a, lines.a_step), part.c += lines.c_step;
      }
      if (!stores_rows) continue;
      t.count = lines.count, t.a_step = lines.a_step, t.c_step = lines.c_step;
      if (lines.count == 1) {  // then equal tiles below each other
        const std::int64_t end = is_whole ? tiles.count() : tiles_that_spill(p, at) - 1;
        for (; tile < end && tiles.rows(tile) == part.rows; ++tile) ++t.count;
        t.a_step = part.rows * t.lda, t.c_step = part.rows * t.ldc;
      }
      set_byte_rows(t, part, reinterpret_cast<address>(part.c + panel * int8_packing::panel_width), at.second_c);
      int8_tiles<Isa>.for_tile(method, part.computed(p.packing), p.packing.panel_packing_of(panel))(t);
    }
  }
}

/// Computes one row in the given panels, with a packing for one row.
template <class Isa> void int8_row(const int8_product& p, const int8_rows& at, interval panels) {
  int8_tile t = tile_for(p, at.lda, at.run_stride, at.ldc);
  while (panels.begin < panels.end) {
    if (method_in_tile(p, panels.begin) != scale_method::one_by_one) {
      int8_row_in_tiles<Isa>({p.packing, p.packed, t.flip}, reinterpret_cast<const std::byte*>(at.a), at.c, panels,
                             p.to);
      continue;
    }
    set_panel(p, panels.begin, t);
    int8_tile_alone<Isa>(one_row_byte_tiles<Isa>, p, t, panels.begin, at, scale_method::one_by_one);
    panels.begin += p.packing.is_of_four(panels.begin) ? 2 : 1;
  }
}

/// Computes at most int8_tile_height rows in the given panels. The rows are held in L1 while the weights stream.
template <class Isa> void int8_tile_row(const int8_product& p, const int8_rows& at, interval panels) {
  if (p.packing.is_for_one_row) return int8_row<Isa>(p, at, panels);
  int8_tile t = tile_for(p, at.lda, at.run_stride, at.ldc);
  t.panels = 1, t.b_step = 2 * p.packing.vector_bytes(), t.c_step = int8_packing::panel_width;
  for (std::int64_t panel = panels.begin; panel < panels.end;) {
    set_panel(p, panel, t);
    const scale_method method = method_in_tile(p, panel);
    const std::int64_t whole = p.packing.whole_panels(), first = panel;
    if (method == scale_method::one_by_one || (panel >= whole && p.packing.width(panel) != int_lanes)) {
      int8_tile_alone<Isa>(int8_tiles<Isa>, p, t, panel++, at, method);
      continue;
    }
    set_byte_rows(t, at, reinterpret_cast<address>(at.c + panel * int8_packing::panel_width), at.second_c);
    do ++panel;
    while (panel < std::min(panels.end, whole) && method_in_tile(p, panel) == method);
    t.count = panel - first;
    int8_tiles<Isa>.for_tile(method, at.computed(p.packing), p.packing.panel_packing_of(first))(t);
  }
}

/// Computes all row tiles of `at` (any number of rows) in the given panels.
template <class Isa> void int8_tile_rows(const int8_product& p, const int8_rows& at, interval panels) {
  // Weights that fit into L1 together with a few rows are reused by all row tiles; larger ones stream once per tile.
  const bool stays = 2 * panels.size() * p.packing.vector_bytes() <= 24 * 1024;
  if (at.is_torn()) return int8_tile_row<Isa>(p, at, panels);
  if (stays && at.rows > int8_tile_height) return int8_tile_columns<Isa>(p, at, {}, panels);
  const m_blocking tiles = int8_tiles_of(at.rows);
  for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
    int8_rows part = at;
    const std::int64_t begin = tiles.begin(tile);
    part.a = bytes_further(at.a, begin * at.lda), part.c = at.c + begin * at.ldc;
    part.rows = tiles.rows(tile);
    int8_tile_row<Isa>(p, part, panels);
  }
}

/// Number of row tiles whose rows of A (20 KiB in total) are held in L1 while the panels pass.
constexpr std::int64_t int8_tiles_in_cache(std::int64_t lda) {
  return std::max<std::int64_t>(1, 20 * 1024 / std::max<std::int64_t>(1, int8_tile_height * lda));
}

/// Computes the row tiles and panels of `work`.
template <class Isa>
void int8_gemm_tiles(const int8_product& p, std::int64_t m, matrix_rows<const std::byte> a, matrix_rows<std::byte> c,
                     const rectangle& work) {
  const std::int64_t panels = int8_panels_in_cache(p.packing), tiles = int8_tiles_in_cache(a.stride);
  const m_blocking tiles_of_rows = int8_m_blocking_of(m);
  for (std::int64_t panel = work.columns.begin; panel < work.columns.end; panel += panels)
    for (std::int64_t tile = work.rows.begin; tile < work.rows.end; tile += tiles) {
      const std::int64_t row = tiles_of_rows.begin(tile),
                         end = tiles_of_rows.begin(std::min(tile + tiles, work.rows.end));
      int8_tile_rows<Isa>(
          p, {address_of_bytes(a.row(row)), a.stride, 0, c.row(row), c.stride, end - row, encoding_of_rows(p).is_wide},
          {panel, std::min(work.columns.end, panel + panels)});
    }
}

/// Computes some rows in the given panels in AMX blocks.
template <class Isa>
void int8_gemm_blocks(block_walk<Isa>& walk, std::int64_t rows, matrix_rows<const std::byte> a,
                      matrix_rows<std::byte> c, const interval& columns) {
  const row_blocks blocks(rows);
  walk.walk(blocks.count, blocks.height, columns, [&](std::int64_t i) -> int8_block {
    return {address_of_bytes(a.row(blocks.begin(i))), c.row(blocks.begin(i)), blocks.repeated(i)};
  });
}

}  // namespace detail

/// Computes C [m, n] from A [m, k], whose rows have the encoding encoding_of_rows(p). Strides are in bytes.
///
/// The kernel reads whole dot products: unless k is a multiple of 4, up to 3 values after each row must be readable.
/// Their values do not matter. Every division into parts gives the same bits.
template <class Isa = native>
void int8_gemm(const int8_product& p, std::int64_t m, matrix_rows<const std::byte> a, matrix_rows<std::byte> c,
               product_part of = {}) {
  if (m <= 0 || p.packing.n <= 0) return;
  if constexpr (has_matrix_registers)
    if (goes_in_blocks(p)) {
      const m_blocking tiles = int8_m_blocking_of(m);
      const rectangle work = share_of_panels(p.packing, tiles.count(), of);
      const std::int64_t first = tiles.begin(work.rows.begin), rows = tiles.begin(work.rows.end) - first;
      block_walk<Isa> walk(p, a.stride, 0, c.stride);
      return detail::int8_gemm_blocks<Isa>(walk, rows, {a.row(first), a.stride}, {c.row(first), c.stride},
                                           work.columns);
    }
  if (m <= detail::int8_tile_height && of.count == 1)  // nothing to divide
    return detail::int8_tile_row<Isa>(
        p, {detail::address_of_bytes(a.first), a.stride, 0, c.first, c.stride, m, encoding_of_rows(p).is_wide},
        {0, p.packing.panels()});
  detail::int8_gemm_tiles<Isa>(p, m, a, c, share_of_panels(p.packing, int8_m_blocking_of(m).count(), of));
}

/// Computes some panels of C for one row, with a packing for one row. Neither bound may fall between two panels that
/// are packed as one.
template <class Isa = native>
void int8_gemm_panels(const int8_product& p, const std::byte* a, std::byte* c, interval panels) {
  detail::int8_row<Isa>(p, {detail::address_of_bytes(a), 0, 0, c, 0, 1}, panels);
}

/// Whether dense rows of A are copied before the product. They are if k is not a multiple of 4, if rows are subject to
/// 4K aliasing, or if `encoding` is not the stored encoding.
constexpr bool copies_byte_rows(const int8_packing& packing, std::int64_t m, const int8_encoding& encoding) {
  const std::int64_t k = packing.depth.products();
  return k % 4 != 0 || rows_alias_4k(m, k, packing.n) || !encoding.is_quantised();
}
/// Bytes from one copied row to the next.
constexpr std::int64_t copied_row_bytes(const int8_packing& packing) {
  return bytes_apart((packing.depth.products() + 3) / 4 * 4 * packing.row_value_bytes());
}
/// Number of row tiles that int8_gemm_of_copies() copies at once: 4 to 32, up to 8 KiB.
constexpr std::int64_t int8_copied_tiles(const int8_packing& packing) {
  return nnrt::detail::clamped(
      8 * 1024 / (detail::int8_tile_height * std::max<std::int64_t>(1, copied_row_bytes(packing))), 4, 32);
}
/// Bytes of scratch for int8_gemm_of_copies().
constexpr std::int64_t copied_rows_bytes(const int8_packing& packing, std::int64_t m) {
  return rounded_up(
      std::min<std::int64_t>(m, int8_copied_tiles(packing) * detail::int8_tile_height) * copied_row_bytes(packing), 64);
}
/// Bytes of scratch that each part of int8_matrix_product() needs.
constexpr std::int64_t int8_matrix_scratch_bytes(const int8_packing& packing, std::int64_t m) {
  return copies_byte_rows(packing, m, packing.is_for_one_row ? int8_encoding{} : worst_case_encoding)
             ? copied_rows_bytes(packing, m)
             : 0;
}

/// int8_gemm() for rows that must be copied first. copy_rows(rows, encoding, to, step) writes the k values of each row
/// of the interval `rows` in the encoding `encoding`, one row every `step` bytes.
template <class Isa, class CopyRows>
void int8_gemm_of_copies(const int8_product& p, std::int64_t m, CopyRows copy_rows, std::byte* scratch,
                         matrix_rows<std::byte> c, product_part of = {}) {
  const int8_encoding encoding = encoding_of_rows(p);
  const std::int64_t lda = copied_row_bytes(p.packing), at_once = int8_copied_tiles(p.packing);
  const m_blocking tiles = int8_m_blocking_of(m);
  const rectangle work = share_of_panels(p.packing, tiles.count(), of);
  const auto copy_some = [&](auto multiply) {
    for (std::int64_t tile = work.rows.begin; tile < work.rows.end; tile += at_once) {
      const std::int64_t first = tiles.begin(tile), rows = tiles.begin(std::min(tile + at_once, work.rows.end)) - first;
      copy_rows(interval{first, first + rows}, encoding, scratch, lda);
      multiply(rows, matrix_rows<std::byte>{c.row(first), c.stride});
    }
  };
  if constexpr (has_matrix_registers)
    if (goes_in_blocks(p)) {
      block_walk<Isa> walk(p, lda, 0, c.stride);
      return copy_some([&](std::int64_t rows, matrix_rows<std::byte> to) {
        detail::int8_gemm_blocks<Isa>(walk, rows, {scratch, lda}, to, work.columns);
      });
    }
  copy_some([&](std::int64_t rows, matrix_rows<std::byte> to) {
    detail::int8_gemm_tiles<Isa>(p, rows, {scratch, lda}, to, {{0, int8_m_blocking_of(rows).count()}, work.columns});
  });
}

/// Computes C [m, n] from dense `a` [m, k]. Copies the rows first if copies_byte_rows() says so. `scratch` has
/// int8_matrix_scratch_bytes(p.packing, m) bytes for this part alone.
template <class Isa = native>
void int8_matrix_product(const int8_product& p, std::int64_t m, const std::byte* a, std::byte* scratch, std::byte* c,
                         product_part of = {}) {
  const std::int64_t k = p.packing.depth.products(), n = p.packing.n;
  if (!copies_byte_rows(p.packing, m, encoding_of_rows(p))) return int8_gemm<Isa>(p, m, {a, k}, {c, n}, of);
  int8_gemm_of_copies<Isa>(
      p, m,
      [&](const interval& rows, const int8_encoding& encoding, std::byte* to, std::int64_t step) {
        // rows without gaps are copied as one
        if (step == k * encoding.size()) return copy_values(a + rows.begin * k, rows.size() * k, encoding, to);
        for (std::int64_t i = rows.begin; i < rows.end; ++i, to += step) copy_values(a + i * k, k, encoding, to);
      },
      scratch, {c, n}, of);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
