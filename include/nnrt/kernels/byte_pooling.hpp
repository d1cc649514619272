// byte_pooling: maximum and mean of stored numbers over windows of an NHWC image, a register of channels at a time.
// Flow: bind/max_pool.hpp and bind/avg_pool.hpp call pool_bytes() for a part of the outputs.
#pragma once

#include <nnrt/core/requantise.hpp>
#include <nnrt/kernels/byte_lanes.hpp>
#include <nnrt/kernels/pooling.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

/// Pixels of a window for which byte_mean is exact: sums stay whole numbers of floats.
inline constexpr std::int64_t most_mean_pixels = 65'000;

/// What a pool is told of the bytes: whether they are those of u8, and the limits of results.
struct pooled_bytes {
  bool is_unsigned = false;
  stored_range range;
};

/// The largest byte of a window.
class byte_maximum {
 public:
  explicit byte_maximum(const pooled_bytes& bytes)
      : flip_((byte_vector)int_lanes_of(bytes.is_unsigned ? all_signs : 0)),
        low_(in_every_lane(bytes.range.low - (bytes.is_unsigned ? 128 : 0))),
        high_(in_every_lane(bytes.range.high - (bytes.is_unsigned ? 128 : 0))) {}

  [[gnu::always_inline]] void start() { largest_ = low_; }
  [[gnu::always_inline]] void add(byte_vector x) { largest_ = larger_of(largest_, x ^ flip_); }
  [[gnu::always_inline]] byte_vector result(std::int64_t) const {
    return (largest_ < high_ ? largest_ : high_) ^ flip_;
  }

 private:
  static constexpr auto all_signs = static_cast<std::int32_t>(0x80808080U);
  static byte_vector in_every_lane(std::int32_t x) {
    const auto number = static_cast<std::int8_t>(x);
    return number - byte_vector{};
  }
  [[gnu::always_inline]] static byte_vector larger_of(byte_vector a, byte_vector b) {
#if defined(NNRT_LANES_AVX512)
    return (byte_vector)_mm512_max_epi8((__m512i)a, (__m512i)b);
#elif defined(NNRT_LANES_AVX2)
    return (byte_vector)_mm256_max_epi8((__m256i)a, (__m256i)b);
#else
    return a > b ? a : b;
#endif
  }
  byte_vector flip_, low_, high_, largest_;
};

/// The mean of a window, rounded half away from zero. Bytes of four pixels are summed by a dot product with ones.
class byte_mean {
 public:
  explicit byte_mean(const pooled_bytes& bytes)
      : is_flipped_(bytes.is_unsigned == dots_are_signed),
        offset_((bytes.is_unsigned ? 0 : 128) - (dots_are_signed ? 128 : 0)),
        to_(bytes.range.low, bytes.range.high, 0, bytes.is_unsigned) {}

  [[gnu::always_inline]] void start() { sums_ = {}, waiting_ = 0; }
  [[gnu::always_inline]] void add(byte_vector x) {
    const auto flip = (byte_vector)int_lanes_of(is_flipped_ ? static_cast<std::int32_t>(0x80808080U) : 0);
    four_[waiting_++] = x ^ flip;
    if (waiting_ == 4) add_four();
  }
  [[gnu::always_inline]] byte_vector result(std::int64_t pixels) {
    if (waiting_ > 0) {
      for (int i = waiting_; i < 4; ++i) four_[i] = byte_vector{};
      add_four();
    }
    return narrowed<true>(mean(sums_.of[0], pixels), mean(sums_.of[1], pixels), mean(sums_.of[2], pixels),
                          mean(sums_.of[3], pixels), to_);
  }

 private:
  [[gnu::always_inline]] void add_four() {
#if defined(NNRT_BYTES_WIDENED)
    const dot_weights ones{int_lanes_of(0x00010001), int_lanes_of(0x00010001)};
#else
    const dot_weights ones{int_lanes_of(0x01010101)};
#endif
    const interleaved bytes = interleave(four_[0], four_[1], four_[2], four_[3]);
    each<4>([&](auto v) __attribute__((always_inline)) { sums_.of[v] = dot4(sums_.of[v], values_of(bytes.of[v]), ones); });
    waiting_ = 0;
  }
  /// Quotients of whole numbers below 2^24 as floats lie on the right side of every whole number.
  [[gnu::always_inline]] int_vector mean(int_vector sum, std::int64_t pixels) const {
    typedef float float_lanes __attribute__((vector_size(register_bytes)));
    const auto count = static_cast<std::int32_t>(pixels);
    const int_vector x = sum - offset_ * count, sign = x > 0, half = int_lanes_of(count / 2);
    const int_vector rounded = x + ((half & sign) | (-half & ~sign));
    return __builtin_convertvector(__builtin_convertvector(rounded, float_lanes) / static_cast<float>(count), int_vector);
  }

  interleaved sums_{};
  byte_vector four_[4]{};
  int waiting_ = 0;
  bool is_flipped_;
  std::int32_t offset_;
  narrowing to_;
};

/// y[n, oh, ow, c] = the fold of the window. Every window covers at least one pixel of the image.
template <class Fold, class Isa = native>
void pool_bytes(const pooling_shape& s, const std::byte* x, const pooled_bytes& bytes, std::byte* y, part p = {}) {
  const std::int64_t rows = s.h.outputs(), columns = s.w.outputs(), row_step = s.w.input * s.c;
  const std::int64_t blocks = (s.c + register_bytes - 1) / register_bytes;
  const rectangle work = share(s.n * rows * columns, blocks, p);
  Fold fold(bytes);
  for (std::int64_t pixel = work.rows.begin; pixel < work.rows.end; ++pixel) {
    const std::int64_t image = pixel / columns / rows;
    const interval ih = pixels_of(s.h, s.h.pad_before(), pixel / columns % rows),
                   iw = pixels_of(s.w, s.w.pad_before(), pixel % columns);
    const std::byte* const first = x + (image * s.h.input + ih.begin) * row_step + iw.begin * s.c;
    for (std::int64_t block = work.columns.begin; block < work.columns.end; ++block) {
      const std::int64_t c = block * register_bytes, n = s.c - c < register_bytes ? s.c - c : register_bytes;
      fold.start();
      for (std::int64_t i = 0; i < ih.size(); ++i)
        for (std::int64_t j = 0; j < iw.size(); ++j)
          fold.add(load_bytes(first + i * row_step + j * s.c + c, n));
      const byte_vector result = fold.result(ih.size() * iw.size());
      __builtin_memcpy(y + pixel * s.c + c, &result, static_cast<std::size_t>(n));
    }
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
