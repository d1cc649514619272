// copy_rows: copies rows of images with few channels in the order that an int8 depthwise convolution reads.
// Flow: int8/depthwise/depthwise.hpp calls copy_row() for stripes of its input if a register holds several pixels, or
// if channels are repeated.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/int8/depthwise/pack.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels::detail {

/// Writes x in whole registers until n bytes are set. The excess bytes, less than a register, are overwritten later or
/// are after all rows.
inline void fill_registers(std::byte* to, std::int64_t n, int8_vector x) {
  for (std::int64_t i = 0; i < n; i += register_bytes) store_vector(to + i, x);
}

/// Copies one pixel; repeats each channel by the multiplier. May write up to 7 bytes past its end, which are
/// overwritten later.
inline void copy_pixel(const depthwise_shape& s, const std::byte* from, std::uint64_t flip, std::byte* to) {
  const auto flipped = static_cast<std::byte>(flip);
  std::int64_t c = 0;
  if (s.multiplier == 1) {
    for (; c + 8 <= s.channels; c += 8) {
      std::uint64_t eight;
      __builtin_memcpy(&eight, from + c, sizeof eight);
      eight ^= flip;
      __builtin_memcpy(to + c, &eight, sizeof eight);
    }
    for (; c < s.channels; ++c) to[c] = from[c] ^ flipped;
    return;
  }
  for (; c < s.channels; ++c, to += s.multiplier) {
    const std::byte x = from[c] ^ flipped;
    const std::uint64_t eight = std::to_integer<std::uint64_t>(x) * 0x0101010101010101U;
    if (s.multiplier <= 8) __builtin_memcpy(to, &eight, sizeof eight);
    else std::fill_n(to, s.multiplier, x);
  }
}

/// Copies every `step`-th pixel of a row from pixels.begin to pixels.end; the copies are contiguous.
inline void copy_every(const depthwise_shape& s, const std::byte* row, interval pixels, std::int64_t step,
                       std::uint64_t flip, std::byte* to) {
  for (std::int64_t x = pixels.begin; x < pixels.end; x += step, to += s.out())
    copy_pixel(s, row + x * s.channels, flip, to);
}

/// Copies pixels of `Bytes` bytes alternately to two destinations; the pixels of each are contiguous.
template <int Bytes>
void split_pixels(const std::byte* from, std::int64_t pixels, int8_vector flip, std::byte* one, std::byte* other) {
  typedef std::uint64_t words __attribute__((vector_size(register_bytes), may_alias));
  constexpr int of_pixel = Bytes / 8, count = register_bytes / 8;
  constexpr std::int64_t in_two = 2 * register_bytes / Bytes;
  const auto pick = [&](words a, words b, auto second) __attribute__((always_inline)) {
    return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(a, b, ((2 * (I / of_pixel) + second) * of_pixel + I % of_pixel)...);
    }
    (std::make_integer_sequence<int, count>{});
  };
  for (; pixels >= in_two;
       pixels -= in_two, from += 2 * register_bytes, one += register_bytes, other += register_bytes) {
    const words a = load_vector<words>(from) ^ (words)flip, b = load_vector<words>(from + register_bytes) ^ (words)flip;
    store_vector(one, pick(a, b, std::integral_constant<int, 0>{}));
    store_vector(other, pick(a, b, std::integral_constant<int, 1>{}));
  }
  for (; pixels > 0; --pixels, from += Bytes, std::swap(one, other)) {
    typedef std::uint64_t pixel __attribute__((vector_size(Bytes)));
    pixel x, flips;
    __builtin_memcpy(&x, from, Bytes);
    __builtin_memcpy(&flips, &flip, Bytes);
    x ^= flips;
    __builtin_memcpy(one, &x, Bytes);
    one += Bytes;
  }
}

/// Whether split_row() supports pixels with this number of channels.
constexpr bool can_split(std::int64_t channels) { return channels == 8 || channels == 16 || channels == 32; }
inline void split_row(std::int64_t channels, const std::byte* from, std::int64_t pixels, int8_vector flip,
                      std::byte* one, std::byte* other) {
  if (channels == 8) split_pixels<8>(from, pixels, flip, one, other);
  if constexpr (register_bytes > 16)
    if (channels == 16) split_pixels<16>(from, pixels, flip, one, other);
  if constexpr (register_bytes > 32)
    if (channels == 32) split_pixels<32>(from, pixels, flip, one, other);
}

/// Copies row y of an image in the order of the plan; `zeros` is the padding. May write up to a register past the
/// end of the row.
inline void copy_row(const int8_depthwise_plan& plan, const std::byte* image, std::int64_t y, int8_vector flip,
                     int8_vector zeros, std::byte* out) {
  const depthwise_shape& s = plan.s;
  const std::int64_t columns = plan.columns_under(), pixel = s.out();
  if (y < 0 || y >= s.height) return fill_registers(out, plan.row_bytes(), zeros);
  const std::byte* const row = image + (y * s.width - s.pad_left) * s.channels;
  const std::int64_t left = nnrt::detail::clamped(s.pad_left, 0, columns),
                     right = nnrt::detail::clamped(s.width + s.pad_left, left, columns);
  if (plan.planes() == 1 && s.multiplier == 1) {
    fill_registers(out, left * pixel, zeros);
    copy_some_bytes<false>(row + left * pixel, (right - left) * pixel, ((int_vector)flip)[0], out + left * pixel);
    fill_registers(out + right * pixel, (columns - right) * pixel, zeros);
    return;
  }
  const std::int64_t plane = plan.plane_pixels() * pixel;
  const bool splits = plan.planes() == 2 && s.multiplier == 1 && can_split(pixel);
  const std::uint64_t flips = flip[0] != 0 ? 0x8080808080808080U : 0;
  for (std::int64_t first = 0; first < plan.planes(); ++first) {
    std::byte* const to = out + first * plane;
    const auto pixels_to = [&](std::int64_t end) {  // pixels of this plane before column `end`
      return end <= first ? 0 : (end - first + plan.planes() - 1) / plan.planes();
    };
    const std::int64_t before = pixels_to(left), inside = pixels_to(right), all = pixels_to(columns);
    fill_registers(to, before * pixel, zeros);
    if (!splits) copy_every(s, row, {first + before * plan.planes(), right}, plan.planes(), flips, to + before * pixel);
    fill_registers(to + inside * pixel, (all - inside) * pixel, zeros);
  }
  // Last, because the writes above may exceed their planes.
  const auto place = [&](std::int64_t column) { return out + column % 2 * plane + column / 2 * pixel; };
  if (splits) split_row(pixel, row + left * pixel, right - left, flip, place(left), place(left + 1));
}

}}}  // namespace nnrt::NNRT_ISA::kernels::detail
