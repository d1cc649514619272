// row: product of one row of int8 values with packed weights, and the requantised result. Panels are packed in fours of
// vectors where possible.
// Flow: int8/gemm/gemm.hpp calls these for the panels of a single row; int8/gemm/pack.hpp packs the weights.
//
// A layer of one row takes about 100 ns, the time that its weights take from L2. So the set-up of a layer matters.
#pragma once

#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/int8/gemm/tile.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Arguments of consecutive tiles of one row and four vectors that are scaled by one method.
struct int8_row_tiles {
  address a = 0;
  const std::byte *b = nullptr, *start = nullptr;  // weights and start values
  const channel_scales* scales = nullptr;
  std::byte* c = nullptr;
  std::int64_t steps = 0, count = 0;
  std::int32_t flip = 0;
};

template <class Isa, scale_method Method>
[[gnu::noinline]] void tiles_of_byte_row(const int8_row_tiles& row, const narrowing& stored) {
  using sums = int8_accumulators<4, first_integers<1>>;
  int8_tile t;
  t.a = row.a, t.steps = row.steps;
  int_vector flip = int_lanes_of(row.flip);
  vector_barrier(flip);  // the broadcast applies it without an instruction
  const narrowing to = stored;
  const sums::cursor a(t);
  const std::byte *b = row.b, *start = row.start;
  int8_rows_of_c<1> c{reinterpret_cast<address>(row.c), 0, strides::of_bytes(0), true};
  const channel_scales* scales = row.scales;
  for (std::int64_t left = row.count; left > 0; --left) {
    sums sum;
    sum_tile(t, a, b, start, flip, sum);
    sum.template store_scaled<Method>(scales, to, c);
    b += row.steps * sums::step_bytes, start += 4 * register_bytes, scales += 4;
    c.first = bytes_further(c.first, 4 * int_lanes);
  }
}

/// Functions by scale_method, without one_by_one.
using int8_row_function = void (*)(const int8_row_tiles&, const narrowing&);
template <class Isa>
inline constexpr int8_row_function int8_row_functions[] = {
    &tiles_of_byte_row<Isa, scale_method::by_rising_line>, &tiles_of_byte_row<Isa, scale_method::by_line>,
    &tiles_of_byte_row<Isa, scale_method::rising_exactly>, &tiles_of_byte_row<Isa, scale_method::exactly>};

}  // namespace detail

/// Operands of a product with one row: packing, packed weights, and the sign flip of the row's bytes.
struct int8_row_product {
  int8_packing packing;
  const std::byte* packed;
  std::int32_t flip;

  const channel_scales* scales(std::int64_t panel) const {
    return reinterpret_cast<const channel_scales*>(packed) + 2 * panel;
  }
  scale_method method(std::int64_t panel) const { return detail::method_in_tile(packing, packed, panel); }
  const std::byte* start(std::int64_t panel) const { return packed + packing.bias_at() + 2 * panel * register_bytes; }
  const std::byte* weights(std::int64_t panel) const { return packed + packing.panel_at(panel); }
};

namespace detail {

/// Computes one row in one panel of one or two vectors.
template <class Isa>
void int8_row_in_panel(int8_row_product p, scale_method method, address a, std::byte* c, std::int64_t panel,
                       const narrowing& to) {
  alignas(64) std::byte bytes[int8_packing::panel_width];
  const std::int64_t width = p.packing.width(panel);
  const bool is_whole = width == p.packing.vectors_of(panel) * int_lanes;
  int8_tile t;
  t.a = a, t.b = p.weights(panel), t.steps = p.packing.depth.steps(), t.start = p.start(panel), t.flip = p.flip;
  t.scales = p.scales(panel), t.to = &to;
  t.c = reinterpret_cast<address>(is_whole ? c : bytes);
  one_row_byte_tiles<Isa>.for_tile(method, 1, p.packing.panel_packing_of(panel))(t);
  if (!is_whole) copy_narrow_rows(bytes, 0, 1, width, c, 0);
}

}  // namespace detail

/// Computes panels of one row, with a packing for one row, up to the first panel whose tile does not scale its
/// accumulators. Sets `panels.begin` to that panel, or to `panels.end`. Inline and with few memory operands: a
/// call would take as long as a small layer.
template <class Isa = native>
[[gnu::always_inline]] inline void int8_row_in_tiles(const int8_row_product& p, const std::byte* a, std::byte* c,
                                                     interval& panels, const narrowing& to) {
  const address row = detail::address_of_bytes(a);
  while (panels.begin < panels.end) {
    const std::int64_t first = panels.begin;
    const scale_method method = p.method(first);
    if (method == scale_method::one_by_one) return;
    std::byte* const to_c = c + first * int8_packing::panel_width;
    if (!p.packing.is_of_four(first)) {
      detail::int8_row_in_panel<Isa>(p, method, row, to_c, panels.begin++, to);
      continue;
    }
    do panels.begin += 2;
    while (panels.begin < panels.end && p.packing.is_of_four(panels.begin) && p.method(panels.begin) == method);
    detail::int8_row_functions<Isa>[static_cast<int>(method)](
        {row, p.weights(first), p.start(first), p.scales(first), to_c, p.packing.depth.steps(),
         (panels.begin - first) >> 1, p.flip},
        to);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
