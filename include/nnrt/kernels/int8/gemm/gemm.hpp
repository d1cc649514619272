// gemm: products of matrices of quantised values over packed B; serves dense layers, matrix products, 1x1
// convolution.
// Flow: a prepare step packs B with int8_pack(); a plan's step calls int8_gemm(), which walks over the tiles of
// int8/gemm/tile.hpp, or over int8/gemm/amx_blocks.hpp's.
//
// c[m][n] = clamp(zero point of c + factor[n] * (bias[n] + sum over k of (a[m][k] - zero of a) * (b[k][n] - zero of
// b)))
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/int8/gemm/amx_blocks.hpp>
#include <nnrt/kernels/int8/gemm/arguments.hpp>
#include <nnrt/kernels/int8/gemm/row.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Products of bytes copy rows, and their weights are a quarter of those of floats: pieces are rows as long as panels
/// are not many more.
inline constexpr std::int64_t int8_row_length = 4;

/// The panels of a part, which ends between such as lie as one.
constexpr interval share_of_panels(const int8_layout& layout, part of) {
  const interval panels = share(layout.panels(), of);
  return {layout.undivided(panels.begin), layout.undivided(panels.end)};
}
/// The share of a part, which ends between panels that lie as one.
///
/// \param by_columns parts are panels where there are enough: for B of which each thread packed its own a moment ago
constexpr rectangle share_of_panels(const int8_layout& layout, std::int64_t rows, part of, bool by_columns = false) {
  if (by_columns && layout.panels() >= of.count) return {{0, rows}, share_of_panels(layout, of)};
  const rectangle work = share(rows, layout.panels(), of, int8_row_length);
  return {work.rows, {layout.undivided(work.columns.begin), layout.undivided(work.columns.end)}};
}

/// The tiles along so many rows of A.
constexpr m_blocking int8_tiles_of(std::int64_t m) {
  if (detail::int8_tile_height == mr) return m_blocking{m};
  return {m, pieces_of(m, detail::int8_tile_height)};
}
/// The same of a whole product.
constexpr m_blocking int8_m_blocking_of(std::int64_t m) {
  return detail::int8_tile_height == mr ? m_blocking_of(m) : int8_tiles_of(m);
}

/// How the rows of A lie: a single one, and those of blocks, as they are stored; others wide where tiles read such, and
/// flipped where weights do not do that. A tile that flips takes an instruction for each of its rows again in every
/// panel, which on many machines takes the place of a product.
inline int8_form form_of_rows(const int8_product& p) {
  if (p.layout.is_for_one_row) return {};
  if constexpr (has_matrix_registers)
    if (goes_in_blocks(p)) return {};
  return {tiles_read_wide, p.factors.flip_of_rows()};
}

namespace detail {

/// Where the rows of a tile lie in A and C. The second half of the rows may lie elsewhere: so many bytes behind the
/// first.
struct int8_rows {
  address a;
  std::int64_t lda, run_stride;
  std::byte* c;
  std::int64_t ldc, rows;
  bool are_wide = false;  // see int8/gemm/values.hpp
  std::int64_t second_a = 0, second_c = 0;

  bool is_torn() const { return second_c != 0; }
  /// The rows of the tile function to call. That of one row reads narrow weights, which a layout for one row has; with
  /// others that of two computes the same twice.
  std::int64_t computed(const int8_layout& layout) const {
    return dot_bytes != narrow_dot_bytes && !layout.is_for_one_row ? std::max<std::int64_t>(rows, 2) : rows;
  }
};

/// What tiles of a product have in common.
inline int8_tile tile_for(const int8_product& p, std::int64_t lda, std::int64_t run_stride, std::int64_t ldc) {
  int8_tile t;
  t.lda = lda, t.steps = p.layout.depth.steps(), t.runs = p.layout.depth.runs, t.run_stride = run_stride;
  t.ends_in_half_vector = p.layout.depth.length % 4 == 1 || p.layout.depth.length % 4 == 2;
  t.flip = p.factors.a_flip() ^ form_of_rows(p).flip, t.ldc = ldc, t.to = &p.to;
  return t;
}

/// Points a tile to the weights of a panel.
inline void set_panel(const int8_product& p, std::int64_t panel, int8_tile& t) {
  t.b = p.packed + p.layout.panel_at(panel), t.start = p.packed + p.layout.bias_at() + 2 * panel * register_bytes;
  t.scales = reinterpret_cast<const channel_scales*>(p.packed) + 2 * panel;
}

/// How the sums of a panel are scaled where they are made; one_by_one: nowhere.
inline scale_method method_in_tile(const int8_product& p, std::int64_t panel) {
  return p.addend != nullptr || p.kept != nullptr || p.factors.b_zero_as_seen() != 0
             ? scale_method::one_by_one
             : method_in_tile(p.layout, p.packed, panel);
}

/// Sets where a tile begins: its rows of A are `at`, those of C lie from `c` on.
inline void set_byte_rows(int8_tile& t, const int8_rows& at, address c, std::int64_t second_c) {
  const std::int64_t second = second_half(at.rows);
  t.a = at.a, t.a_second = bytes_further(at.a, at.is_torn() ? at.second_a : second * t.lda);
  t.c = c, t.c_second = bytes_further(c, second_c != 0 ? second_c : second * t.ldc);
}

/// A tile of at most int8_tile_height rows in one panel, which does not store whole rows itself. `tiles` has a function
/// for as many rows.
template <class Isa>
void int8_tile_alone(const int8_tile_table& tiles, const int8_product& p, int8_tile& t, std::int64_t panel,
                     const int8_rows& at, scale_method method) {
  const bool is_of_four = p.layout.is_of_four(panel);
  const std::int64_t vectors = is_of_four ? 4 : p.layout.vectors_of(panel),
                     width = is_of_four ? 4 * int_lanes : p.layout.width(panel);
  const std::int64_t first_rows = at.is_torn() ? at.rows / 2 : at.rows;
  const int8_tile_function tile = tiles.for_tile(method, at.computed(p.layout), p.layout.form_of(panel));
  std::byte* const c = at.c + panel * int8_layout::panel_width;
  t.count = 1;
  if (method != scale_method::one_by_one) {
    constexpr std::int64_t line = int8_layout::panel_width;
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
      row_sums[row] = row_sum(a, p.layout.depth, t.run_stride, {at.are_wide, t.flip});
    }
    subtract_row_sums(p, at.rows, vectors, row_sums, sums);
  }
  const int8_target first{c, at.ldc, first_rows}, second{c + at.second_c, at.ldc, at.rows - first_rows};
  finish_sums<Isa>(p, sums, t.scales, first, width);
  if (at.is_torn()) finish_sums<Isa>(p, sums + first_rows * sum_stride, t.scales, second, width);
}

/// Rows of C that are narrower than a tile's and lie without gaps may be stored whole if what they spill over is
/// written later: all but the last of these tiles. 0: none.
inline std::int64_t tiles_that_spill(const int8_product& p, const int8_rows& at) {
  const m_blocking tiles = int8_tiles_of(at.rows);
  const std::int64_t last = tiles.rows(tiles.count() - 1);
  const bool can = p.layout.panels() == 1 && at.ldc == p.layout.n && !at.is_torn() && last * at.ldc >= int_lanes;
  return can ? tiles.count() : 0;
}

/// Lines of equal rows, one behind the other.
struct int8_lines {
  std::int64_t count = 1, a_step = 0, c_step = 0;
};

/// Tiles along the rows of `at` (any number) in the given panels, all lines in one panel after the other.
template <class Isa>
void int8_tile_columns(const int8_product& p, const int8_rows& at, const int8_lines& lines, interval panels) {
  const m_blocking tiles = int8_tiles_of(at.is_torn() ? 1 : at.rows);
  int8_tile t = tile_for(p, at.lda, at.run_stride, at.ldc);
  for (std::int64_t panel = panels.begin; panel < panels.end; ++panel) {
    set_panel(p, panel, t);
    const std::int64_t vectors = p.layout.vectors_of(panel);
    const scale_method method = method_in_tile(p, panel);
    const bool is_whole = p.layout.width(panel) == vectors * int_lanes;
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
      if (lines.count == 1) {  // then tiles that are alike
        const std::int64_t end = is_whole ? tiles.count() : tiles_that_spill(p, at) - 1;
        for (; tile < end && tiles.rows(tile) == part.rows; ++tile) ++t.count;
        t.a_step = part.rows * t.lda, t.c_step = part.rows * t.ldc;
      }
      set_byte_rows(t, part, reinterpret_cast<address>(part.c + panel * int8_layout::panel_width), at.second_c);
      int8_tiles<Isa>.for_tile(method, part.computed(p.layout), p.layout.form_of(panel))(t);
    }
  }
}

/// One row, with a layout for one row.
template <class Isa> void int8_row(const int8_product& p, const int8_rows& at, interval panels) {
  int8_tile t = tile_for(p, at.lda, at.run_stride, at.ldc);
  while (panels.begin < panels.end) {
    if (method_in_tile(p, panels.begin) != scale_method::one_by_one) {
      int8_row_in_tiles<Isa>({p.layout, p.packed, t.flip}, reinterpret_cast<const std::byte*>(at.a), at.c, panels,
                             p.to);
      continue;
    }
    set_panel(p, panels.begin, t);
    int8_tile_alone<Isa>(one_row_byte_tiles<Isa>, p, t, panels.begin, at, scale_method::one_by_one);
    panels.begin += p.layout.is_of_four(panels.begin) ? 2 : 1;
  }
}

/// At most int8_tile_height rows, which stay in L1 while weights stream past them.
template <class Isa> void int8_tile_row(const int8_product& p, const int8_rows& at, interval panels) {
  if (p.layout.is_for_one_row) return int8_row<Isa>(p, at, panels);
  int8_tile t = tile_for(p, at.lda, at.run_stride, at.ldc);
  t.panels = 1, t.b_step = 2 * p.layout.vector_bytes(), t.c_step = int8_layout::panel_width;
  for (std::int64_t panel = panels.begin; panel < panels.end;) {
    set_panel(p, panel, t);
    const scale_method method = method_in_tile(p, panel);
    const std::int64_t whole = p.layout.whole_panels(), first = panel;
    if (method == scale_method::one_by_one || (panel >= whole && p.layout.width(panel) != int_lanes)) {
      int8_tile_alone<Isa>(int8_tiles<Isa>, p, t, panel++, at, method);
      continue;
    }
    set_byte_rows(t, at, reinterpret_cast<address>(at.c + panel * int8_layout::panel_width), at.second_c);
    do ++panel;
    while (panel < std::min(panels.end, whole) && method_in_tile(p, panel) == method);
    t.count = panel - first;
    int8_tiles<Isa>.for_tile(method, at.computed(p.layout), p.layout.form_of(first))(t);
  }
}

/// Tiles along the rows of `at` (any number) in the given panels.
template <class Isa> void int8_tile_rows(const int8_product& p, const int8_rows& at, interval panels) {
  // Weights that fit into L1 beside a few rows stay there; others are streamed past a tile of rows each.
  const bool stays = 2 * panels.size() * p.layout.vector_bytes() <= 24 * 1024;
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

/// Tiles of rows of A that stay in L1 (20 KiB of them) while panels pass by.
constexpr std::int64_t int8_tiles_in_cache(std::int64_t lda) {
  return std::max<std::int64_t>(1, 20 * 1024 / std::max<std::int64_t>(1, int8_tile_height * lda));
}

/// The part of C made of the given tiles of rows and panels of columns.
template <class Isa>
void int8_gemm_tiles(const int8_product& p, std::int64_t m, const std::byte* a, std::int64_t lda, std::byte* c,
                     std::int64_t ldc, const rectangle& work) {
  const std::int64_t panels = int8_panels_in_cache(p.layout), tiles = int8_tiles_in_cache(lda);
  const m_blocking tiles_of_rows = int8_m_blocking_of(m);
  for (std::int64_t panel = work.columns.begin; panel < work.columns.end; panel += panels)
    for (std::int64_t tile = work.rows.begin; tile < work.rows.end; tile += tiles) {
      const std::int64_t row = tiles_of_rows.begin(tile),
                         end = tiles_of_rows.begin(std::min(tile + tiles, work.rows.end));
      int8_tile_rows<Isa>(
          p, {address_of_bytes(a + row * lda), lda, 0, c + row * ldc, ldc, end - row, form_of_rows(p).is_wide},
          {panel, std::min(work.columns.end, panel + panels)});
    }
}

/// The same in blocks: some rows, in some panels.
template <class Isa>
void int8_gemm_blocks(block_walk<Isa>& walk, std::int64_t rows, const std::byte* a, std::int64_t lda, std::byte* c,
                      std::int64_t ldc, const interval& columns) {
  const row_blocks blocks(rows);
  walk.walk(blocks.count, blocks.height, columns, [&](std::int64_t i) -> int8_block {
    return {address_of_bytes(a + blocks.begin(i) * lda), c + blocks.begin(i) * ldc, blocks.repeated(i)};
  });
}

}  // namespace detail

/// C of m rows. Rows of A are read in whole dot products: unless k is a multiple of 4, up to 3 numbers behind each row
/// must be readable, too (their values do not matter). Every division into parts gives the same bits.
///
/// \param a rows as form_of_rows(p) says, lda bytes apart
template <class Isa = native>
void int8_gemm(const int8_product& p, std::int64_t m, const std::byte* a, std::int64_t lda, std::byte* c,
               std::int64_t ldc, part of = {}, bool by_columns = false) {
  if (m <= 0 || p.layout.n <= 0) return;
  if constexpr (has_matrix_registers)
    if (goes_in_blocks(p)) {
      const m_blocking tiles = int8_m_blocking_of(m);
      const rectangle work = share_of_panels(p.layout, tiles.count(), of, by_columns);
      const std::int64_t first = tiles.begin(work.rows.begin), rows = tiles.begin(work.rows.end) - first;
      block_walk<Isa> walk(p, lda, 0, ldc);
      return detail::int8_gemm_blocks<Isa>(walk, rows, a + first * lda, lda, c + first * ldc, ldc, work.columns);
    }
  if (m <= detail::int8_tile_height && of.count == 1)  // nothing to divide
    return detail::int8_tile_row<Isa>(p, {detail::address_of_bytes(a), lda, 0, c, ldc, m, form_of_rows(p).is_wide},
                                      {0, p.layout.panels()});
  detail::int8_gemm_tiles<Isa>(p, m, a, lda, c, ldc,
                               share_of_panels(p.layout, int8_m_blocking_of(m).count(), of, by_columns));
}

/// Some panels of C of one row, with a layout for one row; both ends lie between panels that are read as one.
template <class Isa = native>
void int8_gemm_panels(const int8_product& p, const std::byte* a, std::byte* c, interval panels) {
  detail::int8_row<Isa>(p, {detail::address_of_bytes(a), 0, 0, c, 0, 1}, panels);
}

/// Whether rows of A that lie side by side are copied first: dot products read whole steps, and tiles rows that do not
/// collide, in their form.
constexpr bool copies_byte_rows(const int8_layout& layout, std::int64_t m, const int8_form& form) {
  const std::int64_t k = layout.depth.products();
  return k % 4 != 0 || rows_alias_4k(m, k, layout.n) || !form.is_quantised();
}
/// Bytes from a copied row to the next.
constexpr std::int64_t copied_row_bytes(const int8_layout& layout) {
  return bytes_apart((layout.depth.products() + 3) / 4 * 4 * layout.row_value_bytes());
}
/// Tiles whose rows int8_gemm_of_copies() copies at once: more of short rows (8 KiB of them), of which a tile takes no
/// longer than what is set up for some.
constexpr std::int64_t int8_copied_tiles(const int8_layout& layout) {
  return nnrt::detail::clamped(
      8 * 1024 / (detail::int8_tile_height * std::max<std::int64_t>(1, copied_row_bytes(layout))), 4, 32);
}
/// Bytes of scratch for int8_gemm_of_copies().
constexpr std::int64_t copied_rows_bytes(const int8_layout& layout, std::int64_t m) {
  return rounded_up(
      std::min<std::int64_t>(m, int8_copied_tiles(layout) * detail::int8_tile_height) * copied_row_bytes(layout), 64);
}
/// Bytes of scratch that each part of int8_matrix_product() needs.
constexpr std::int64_t int8_matrix_scratch_bytes(const int8_layout& layout, std::int64_t m) {
  return copies_byte_rows(layout, m, layout.is_for_one_row ? int8_form{} : form_that_differs)
             ? copied_rows_bytes(layout, m)
             : 0;
}

/// int8_gemm() of rows that do not lie in memory as they are needed: copy_rows(rows, form, to, step) brings the k
/// numbers of each of some rows about in that form, those of two rows `step` bytes apart.
template <class Isa, class CopyRows>
void int8_gemm_of_copies(const int8_product& p, std::int64_t m, CopyRows copy_rows, std::byte* scratch, std::byte* c,
                         std::int64_t ldc, part of = {}, bool by_columns = false) {
  const int8_form form = form_of_rows(p);
  const std::int64_t lda = copied_row_bytes(p.layout), at_once = int8_copied_tiles(p.layout);
  const m_blocking tiles = int8_m_blocking_of(m);
  const rectangle work = share_of_panels(p.layout, tiles.count(), of, by_columns);
  const auto copy_some = [&](auto multiply) {
    for (std::int64_t tile = work.rows.begin; tile < work.rows.end; tile += at_once) {
      const std::int64_t first = tiles.begin(tile), rows = tiles.begin(std::min(tile + at_once, work.rows.end)) - first;
      copy_rows(interval{first, first + rows}, form, scratch, lda);
      multiply(rows, c + first * ldc);
    }
  };
  if constexpr (has_matrix_registers)
    if (goes_in_blocks(p)) {
      block_walk<Isa> walk(p, lda, 0, ldc);
      return copy_some([&](std::int64_t rows, std::byte* to) {
        detail::int8_gemm_blocks<Isa>(walk, rows, scratch, lda, to, ldc, work.columns);
      });
    }
  copy_some([&](std::int64_t rows, std::byte* to) {
    detail::int8_gemm_tiles<Isa>(p, rows, scratch, lda, to, ldc, {{0, int8_m_blocking_of(rows).count()}, work.columns});
  });
}

/// C of m rows of A that lie side by side, copied where they have to be.
///
/// \param scratch int8_matrix_scratch_bytes(p.layout, m) bytes for this part alone
template <class Isa = native>
void int8_matrix_product(const int8_product& p, std::int64_t m, const std::byte* a, std::byte* scratch, std::byte* c,
                         part of = {}, bool by_columns = false) {
  const std::int64_t k = p.layout.depth.products(), n = p.layout.n;
  if (!copies_byte_rows(p.layout, m, form_of_rows(p))) return int8_gemm<Isa>(p, m, a, k, c, n, of, by_columns);
  int8_gemm_of_copies<Isa>(
      p, m,
      [&](const interval& rows, const int8_form& form, std::byte* to, std::int64_t step) {
        // rows of few numbers as one
        if (step == k * form.size()) return copy_values(a + rows.begin * k, rows.size() * k, form, to);
        for (std::int64_t i = rows.begin; i < rows.end; ++i, to += step) copy_values(a + i * k, k, form, to);
      },
      scratch, c, n, of, by_columns);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
