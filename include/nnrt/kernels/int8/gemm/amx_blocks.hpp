// amx_blocks: int8 products in AMX tile registers: blocks of up to 16 rows in one panel, two blocks at a time.
// Flow: int8/gemm/gemm.hpp and int8/conv/conv2d.hpp walk over blocks instead of tiles if the packing is for blocks and
// the process may use the registers.
//
// A block takes a sixth of the time of a register tile, but its output stage takes as long. So the output stage of a
// pair of blocks runs two rows at a time between the products of the next pair. It has to be interleaved in the code,
// because the processor looks only a few products ahead.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/int8/gemm/arguments.hpp>
#include <nnrt/kernels/simd/matrix_registers.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Whether a product is computed in blocks.
inline bool goes_in_blocks(const int8_product& p) { return p.packing.in_blocks && may_use_matrix_registers(); }

/// Blocks of rows within one line: as few as possible, all of the same height. The last block ends at the end of the
/// line and may overlap the block before it.
struct row_blocks {
  std::int64_t rows, count, height;

  explicit constexpr row_blocks(std::int64_t all)
      : rows(all),
        count((all + register_rows - 1) / register_rows),
        height(count == 0 ? 0 : (all + count - 1) / count) {}
  constexpr std::int64_t begin(std::int64_t block) const { return std::min(block * height, rows - height); }
  /// Number of rows at the top of a block that the previous block has computed, too.
  constexpr std::int64_t repeated(std::int64_t block) const { return block * height - begin(block); }
};

/// Addresses of a block in A and C, and the number of rows at its top that belong to the previous block.
struct int8_block {
  address a;
  std::byte* c;
  std::int64_t repeated = 0;
};

namespace detail {

/// Operands of one or two blocks in one panel.
struct block_operands {
  address a[2];
  std::int64_t lda, run_stride;
  const std::byte* b;
  std::int64_t runs, whole, last;  // per run: whole registers of steps, and the remaining steps
};

/// Adds the products of one register of A and one of B to the accumulators of each block and vector. Calls `meanwhile`
/// after the products of each block.
template <int Blocks, int Vectors, int A, int B, bool IsUnsigned, class Meanwhile>
[[gnu::always_inline]] inline void add_register(const address (&a)[2], std::int64_t lda, const std::byte* b,
                                                Meanwhile& meanwhile) {
  constexpr std::int64_t step = Vectors * register_bytes;
  const auto row = [&](int block) __attribute__((always_inline)) {
    return reinterpret_cast<const std::byte*>(a[block]);
  };
  load_rows<A>(row(0), lda), load_rows<B>(b, step);
  add_products<0, A, B, IsUnsigned>();
  if constexpr (Vectors == 2) load_rows<B>(b + register_bytes, step), add_products<1, A, B, IsUnsigned>();
  meanwhile();
  if constexpr (Blocks == 2) {
    load_rows<A>(row(1), lda);
    add_products<1 + Vectors, A, B, IsUnsigned>();
    if constexpr (Vectors == 2) load_rows<B>(b, step), add_products<2, A, B, IsUnsigned>();
    meanwhile();
  }
}

/// Accumulates one or two blocks in a panel of one or two vectors: the first block in AMX registers 0 and 1, the second
/// in 2 and 3.
template <int Blocks, int Vectors, bool IsUnsigned, class Meanwhile>
[[gnu::always_inline]] inline void sum_blocks(const block_operands& t, Meanwhile meanwhile) {
  clear_register<0>();
  if constexpr (Vectors == 2) clear_register<1>();
  if constexpr (Blocks == 2) clear_register<2>(), clear_register<3>();
  address a[2] = {t.a[0], t.a[1]};
  const auto advance = [&](std::int64_t bytes) __attribute__((always_inline)) {
    a[0] = bytes_further(a[0], bytes), a[1] = bytes_further(a[1], bytes);
  };
  const std::byte* b = t.b;
  const std::int64_t to_next_run = t.run_stride - t.whole * register_bytes;
  for (std::int64_t run = t.runs; run > 0; --run) {
    for (std::int64_t i = t.whole; i > 0; --i) {
      add_register<Blocks, Vectors, 4, 5, IsUnsigned>(a, t.lda, b, meanwhile);
      advance(register_bytes), b += register_steps * Vectors * register_bytes;
    }
    if (t.last > 0) {
      add_register<Blocks, Vectors, 6, 7, IsUnsigned>(a, t.lda, b, meanwhile);
      b += t.last * Vectors * register_bytes;
    }
    advance(to_next_run);
  }
}

template <int Blocks, int Vectors, bool IsUnsigned> void sum_blocks_alone(const block_operands& t) {
  sum_blocks<Blocks, Vectors, IsUnsigned>(t, [] {});
}
/// Functions by blocks - 1, vectors - 1, and whether A is unsigned.
using block_function = void (*)(const block_operands&);
template <class Isa>
inline constexpr block_function block_functions[2][2][2] = {
    {{&sum_blocks_alone<1, 1, false>, &sum_blocks_alone<1, 1, true>},
     {&sum_blocks_alone<1, 2, false>, &sum_blocks_alone<1, 2, true>}},
    {{&sum_blocks_alone<2, 1, false>, &sum_blocks_alone<2, 1, true>},
     {&sum_blocks_alone<2, 2, false>, &sum_blocks_alone<2, 2, true>}}};

/// One or two blocks in one panel, with their accumulators.
struct summed_blocks {
  int8_block of[2];
  std::int64_t count = 0, panel = 0;
  alignas(64) std::int32_t sums[2][2 * vector_of_sums];
};

/// Rows of a block that wait for the output stage.
struct waiting_rows {
  const std::int32_t* sums;
  std::byte* c;
  std::int64_t rows;
};
/// Two blocks in a panel that wait for the output stage; each call of waiting_end ends `at_once` pairs of rows.
struct waiting_blocks {
  waiting_rows of[2];
  const channel_scales* scales;
  const narrowing* to;
  const std::byte* start;
  std::int64_t ldc, at_once;
};
/// Ends the next pairs of rows at each call.
template <scale_method Method> struct waiting_end {
  panel_end<Method, true> end;
  waiting_rows now, next;
  std::int64_t ldc, at_once;

  [[gnu::always_inline]] explicit waiting_end(const waiting_blocks& w)
      : end(w.scales, *w.to, w.start), now(w.of[0]), next(w.of[1]), ldc(w.ldc), at_once(w.at_once) {}
  [[gnu::always_inline]] void operator()() {
    for (std::int64_t i = at_once; i > 0 && now.rows > 0; --i) {
      const bool is_last = now.rows == 1;  // the second row is then stored over the first, with the same bytes
      end(now.sums, now.sums + (is_last ? 0 : sum_stride), now.c, now.c + (is_last ? 0 : ldc));
      now.sums += 2 * sum_stride, now.c += 2 * ldc, now.rows -= 2;
      if (now.rows <= 0) now = next, next.rows = 0;
    }
  }
};
template <scale_method Method, bool IsUnsigned>
void sum_blocks_meanwhile(const block_operands& t, const waiting_blocks& waiting) {
  sum_blocks<2, 2, IsUnsigned>(t, waiting_end<Method>(waiting));
}
/// Functions by the kind of FMA, and whether A is unsigned.
using meanwhile_function = void (*)(const block_operands&, const waiting_blocks&);
template <class Isa>
inline constexpr meanwhile_function meanwhile_functions[2][2] = {
    {&sum_blocks_meanwhile<scale_method::by_rising_line, false>,
     &sum_blocks_meanwhile<scale_method::by_rising_line, true>},
    {&sum_blocks_meanwhile<scale_method::by_line, false>, &sum_blocks_meanwhile<scale_method::by_line, true>}};

}  // namespace detail

/// Multiplies blocks with panels and runs their output stage. Uses the AMX registers of the calling thread until it is
/// destroyed.
template <class Isa> class block_walk {
 public:
  block_walk(const int8_product& p, std::int64_t lda, std::int64_t run_stride, std::int64_t ldc) : p_(p), ldc_(ldc) {
    operands_.lda = lda, operands_.run_stride = run_stride, operands_.runs = p.packing.depth.runs;
    operands_.whole = p.packing.depth.steps() / register_steps,
    operands_.last = p.packing.depth.steps() % register_steps;
    registers_ = operands_.runs * (operands_.whole + (operands_.last > 0 ? 1 : 0));
  }
  block_walk(const block_walk&) = delete;
  block_walk& operator=(const block_walk&) = delete;
  ~block_walk() { detail::release_registers(); }

  /// Computes `count` blocks of `rows` rows, block i at block_at(i), in the given panels. Processes as many panels at a
  /// time as L2 holds.
  template <class BlockAt> void walk(std::int64_t count, std::int64_t rows, interval panels, BlockAt block_at) {
    set_rows(rows);
    const std::int64_t at_once = detail::int8_panels_in_cache(p_.packing);
    for (std::int64_t panel = panels.begin; panel < panels.end; panel += at_once)
      walk_panels(count, {panel, std::min(panels.end, panel + at_once)}, block_at);
    finish();
  }

 private:
  static constexpr std::int64_t max_kept_bytes = 24 * 1024;

  /// A panel that fits into L1 is multiplied with all blocks in turn; larger panels with two blocks at a time.
  template <class BlockAt> void walk_panels(std::int64_t count, interval panels, BlockAt& block_at) {
    const std::int64_t group = 2 * p_.packing.vector_bytes() <= max_kept_bytes ? count : 2;
    for (std::int64_t first = 0; first < count; first += group)
      for (std::int64_t panel = panels.begin; panel < panels.end; ++panel) {
        const std::int64_t end = std::min(count, first + group);
        for (std::int64_t i = first; i < end; i += 2)
          multiply(panel, block_at(i), block_at(std::min(i + 1, end - 1)), std::min<std::int64_t>(2, end - i));
      }
  }

  void set_rows(std::int64_t rows) {
    if (rows == rows_) return;
    detail::set_shapes(detail::register_shapes::of(rows_ = rows, operands_.last));
  }

  /// Multiplies one or two blocks, and meanwhile runs the output stage of the previous blocks.
  void multiply(std::int64_t panel, const int8_block& first, const int8_block& second, std::int64_t count) {
    const std::int64_t vectors = p_.packing.vectors_of(panel);
    const int is_unsigned = p_.factors.is_unsigned ? 1 : 0;
    operands_.a[0] = first.a, operands_.a[1] = second.a, operands_.b = p_.packed + p_.packing.panel_at(panel);
    if (count == 2 && vectors == 2 && ends_meanwhile()) {
      detail::meanwhile_functions<Isa>[scales_of(summed_.panel)->method == scale_method::by_line ? 1 : 0][is_unsigned](
          operands_, waiting());
    } else {
      detail::block_functions<Isa>[count - 1][vectors - 1][is_unsigned](operands_);
      finish();
    }
    summed_.of[0] = first, summed_.of[1] = second, summed_.count = count, summed_.panel = panel;
    store<0>(summed_.sums[0], vectors);
    if (count == 2) store<2>(summed_.sums[1], vectors);
  }
  template <int First> void store(std::int32_t* sums, std::int64_t vectors) {
    detail::store_rows<First>(sums);
    if (vectors == 2) detail::store_rows<First + 1>(sums + detail::vector_of_sums);
  }

  const channel_scales* scales_of(std::int64_t panel) const {
    return reinterpret_cast<const channel_scales*>(p_.packed) + 2 * panel;
  }
  const std::byte* start_of(std::int64_t panel) const {
    return p_.packed + p_.packing.block_start_at() + 2 * panel * register_bytes;
  }
  detail::int8_target target_of(const int8_block& block, std::int64_t panel) const {
    return {block.c + block.repeated * ldc_ + panel * int8_packing::panel_width, ldc_, rows_ - block.repeated};
  }
  bool is_plain() const { return p_.addend == nullptr && p_.kept == nullptr && p_.factors.b_zero_as_seen() == 0; }

  /// Whether the output stage that waits can run between the next products: it needs one kind of FMA for a whole panel.
  bool ends_meanwhile() const {
    const channel_scales* const scales = scales_of(summed_.panel);
    const bool are_lines =
        scales[0].method == scale_method::by_rising_line || scales[0].method == scale_method::by_line;
    return summed_.count == 2 && is_plain() && p_.packing.width(summed_.panel) == 2 * int_lanes && are_lines &&
           scales[1].method == scales[0].method;
  }
  detail::waiting_blocks waiting() const {
    const auto rows_of = [&](int i) -> detail::waiting_rows {
      const detail::int8_target at = target_of(summed_.of[i], summed_.panel);
      return {summed_.sums[i] + summed_.of[i].repeated * detail::sum_stride, at.c, at.rows};
    };
    const std::int64_t pairs = rows_ / 2 + rows_ % 2;
    return {{rows_of(0), rows_of(1)},
            scales_of(summed_.panel),
            &p_.to,
            start_of(summed_.panel),
            ldc_,
            pieces_of(2 * pairs, 2 * registers_)};
  }

  /// Runs the output stage that waits.
  void finish() {
    for (std::int64_t i = 0; i < summed_.count; ++i) finish(summed_.of[i], summed_.panel, summed_.sums[i]);
    summed_.count = 0;
  }
  void finish(const int8_block& block, std::int64_t panel, std::int32_t* sums) {
    const std::int64_t width = p_.packing.width(panel);
    const std::byte* const start = start_of(panel);
    const detail::int8_target to = target_of(block, panel);
    sums += block.repeated * detail::sum_stride;
    if (is_plain()) return detail::finish_tile<Isa, true>(sums, scales_of(panel), p_.to, to, width, start);
    detail::add_start(sums, start, to.rows, p_.packing.vectors_of(panel));
    if (p_.factors.b_zero_as_seen() != 0) subtract_row_sums(block, p_.packing.vectors_of(panel), sums);
    detail::finish_sums<Isa>(p_, sums, scales_of(panel), to, width);
  }
  void subtract_row_sums(const int8_block& block, std::int64_t vectors, std::int32_t* sums) {
    const std::int64_t rows = rows_ - block.repeated;
    std::int32_t row_sums[register_rows];
    for (std::int64_t row = 0; row < rows; ++row)
      row_sums[row] = detail::row_sum(detail::bytes_further(block.a, (block.repeated + row) * operands_.lda),
                                      p_.packing.depth, operands_.run_stride, {false, p_.factors.a_flip()});
    detail::subtract_row_sums(p_, rows, vectors, row_sums, sums);
  }

  const int8_product& p_;
  std::int64_t ldc_, rows_ = 0, registers_ = 0;  // registers_: products per accumulator, in registers of steps
  detail::block_operands operands_{};
  detail::summed_blocks summed_;
};

}}}  // namespace nnrt::NNRT_ISA::kernels
