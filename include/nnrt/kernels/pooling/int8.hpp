// int8: maximum and mean of int8 values over windows of an NHWC image or over axes, one register at a time.
// Flow: bind/pools.hpp calls pool_int8() for a part of the outputs; bind/reduce_mean.hpp calls scale_column_sums().
#pragma once

#include <nnrt/core/requantise.hpp>
#include <nnrt/kernels/common/axis_block.hpp>
#include <nnrt/kernels/pooling/pooling.hpp>
#include <nnrt/kernels/simd/dot4.hpp>
#include <nnrt/kernels/simd/saturating_pack.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Largest number of pixels of a window for which int8_mean is exact: sums are integers that f32 can hold.
inline constexpr std::int64_t max_mean_pixels = 65'000;

/// Quantisation of a pool: whether bytes are u8, the range of results, and whether means are rounded half to even.
struct pooled_bytes {
  bool is_unsigned = false;
  quantised_range range;
  bool is_to_even = false;
};

/// Largest byte of a window, per byte of a register.
class int8_maximum {
 public:
  explicit int8_maximum(const pooled_bytes& bytes) : limits_(bytes.range.low, bytes.range.high, bytes.is_unsigned) {}

  [[gnu::always_inline]] void start() { largest_ = limits_.low; }
  [[gnu::always_inline]] void add(int8_vector x) { largest_ = larger_lanes(largest_, x ^ limits_.flip); }
  [[gnu::always_inline]] int8_vector result(std::int64_t) const { return limits_.lowered(largest_); }

 private:
  int8_limits<static_cast<int>(register_bytes)> limits_;
  int8_vector largest_;
};

/// Sums of bytes, per byte of a register; a dot product with ones adds four pixels.
class int8_column_sums {
 public:
  explicit int8_column_sums(bool is_unsigned)
      : flip_((int8_vector)int_lanes_of(is_unsigned == dots_are_signed ? static_cast<std::int32_t>(0x80808080U) : 0)),
        offset_((is_unsigned ? 0 : 128) - (dots_are_signed ? 128 : 0)) {}

  [[gnu::always_inline]] void start() { sums_ = {}, waiting_ = 0; }
  [[gnu::always_inline]] void add(int8_vector x) {
    four_[waiting_++] = x ^ flip_;
    if (waiting_ == 4) add_four();
  }
  /// Sums of `pixels` pixels, in the order of interleave().
  [[gnu::always_inline]] interleaved result(std::int64_t pixels) {
    if (waiting_ > 0) {
      for (int i = waiting_; i < 4; ++i) four_[i] = int8_vector{};
      add_four();
    }
    const int_vector surplus = int_lanes_of(offset_ * static_cast<std::int32_t>(pixels));
    return {{sums_.of[0] - surplus, sums_.of[1] - surplus, sums_.of[2] - surplus, sums_.of[3] - surplus}};
  }

 private:
  [[gnu::always_inline]] void add_four() {
    const dot_weights ones = unit_weights();
    const interleaved bytes = interleave(four_[0], four_[1], four_[2], four_[3]);
    each<4>([&](auto v)
                __attribute__((always_inline)) { sums_.of[v] = dot4(sums_.of[v], values_of(bytes.of[v]), ones); });
    waiting_ = 0;
  }

  int8_vector flip_;
  std::int32_t offset_;
  interleaved sums_{};
  int8_vector four_[4]{};
  int waiting_ = 0;
};

/// Mean of a window, rounded half away from zero or half to even.
class int8_mean {
 public:
  explicit int8_mean(const pooled_bytes& bytes)
      : sums_(bytes.is_unsigned),
        to_(bytes.range.low, bytes.range.high, 0, bytes.is_unsigned),
        is_to_even_(bytes.is_to_even) {}

  [[gnu::always_inline]] void start() { sums_.start(); }
  [[gnu::always_inline]] void add(int8_vector x) { sums_.add(x); }
  [[gnu::always_inline]] int8_vector result(std::int64_t pixels) {
    const interleaved sums = sums_.result(pixels);
    if (is_to_even_)
      return narrowed<true>(to_even(sums.of[0], pixels), to_even(sums.of[1], pixels), to_even(sums.of[2], pixels),
                            to_even(sums.of[3], pixels), to_);
    return narrowed<true>(mean(sums.of[0], pixels), mean(sums.of[1], pixels), mean(sums.of[2], pixels),
                          mean(sums.of[3], pixels), to_);
  }

 private:
  /// Quotient per lane, rounded half away from zero. Exact: an f32 quotient of integers below 2^24 never crosses an
  /// integer.
  [[gnu::always_inline]] static int_vector mean(int_vector sum, std::int64_t pixels) {
    typedef float float_lanes __attribute__((vector_size(register_bytes)));
    const auto count = static_cast<std::int32_t>(pixels);
    const int_vector is_positive = sum > 0, half = int_lanes_of(count / 2);
    const int_vector rounded = sum + ((half & is_positive) | (-half & ~is_positive));
    return __builtin_convertvector(__builtin_convertvector(rounded, float_lanes) / static_cast<float>(count),
                                   int_vector);
  }

  /// Quotient per lane, rounded half to even: truncated, then one step away from zero if the remainder is more than
  /// half, or half and the quotient odd.
  [[gnu::always_inline]] static int_vector to_even(int_vector sum, std::int64_t pixels) {
    typedef float float_lanes __attribute__((vector_size(register_bytes)));
    const auto count = static_cast<std::int32_t>(pixels);
    const int_vector cut =
        __builtin_convertvector(__builtin_convertvector(sum, float_lanes) / static_cast<float>(count), int_vector);
    const int_vector rest = sum - cut * count, sign = sum >> 31, left = 2 * ((rest ^ sign) - sign);
    const int_vector is_further = (int_vector)(left > count) | ((int_vector)(left == count) & -(cut & 1));
    return cut + (is_further & (sign | 1));
  }

  int8_column_sums sums_;
  narrowing to_;
  bool is_to_even_;
};

/// y[n, oh, ow, c] = fold of the window. Every window must cover at least one pixel of the image.
template <class Fold, class Isa = native>
void pool_int8(const pooling_shape& s, const std::byte* x, const pooled_bytes& bytes, std::byte* y, part p = {}) {
  const rectangle work = share(s.pixels(), (s.c + register_bytes - 1) / register_bytes, p);
  Fold fold(bytes);
  detail::for_each_window(
      s, x, work.rows,
      [&](const std::byte* first, interval ih, interval iw, std::int64_t row_step, std::int64_t pixel) {
        for (std::int64_t block = work.columns.begin; block < work.columns.end; ++block) {
          const std::int64_t c = block * register_bytes, n = s.c - c < register_bytes ? s.c - c : register_bytes;
          fold.start();
          for (std::int64_t i = 0; i < ih.size(); ++i)
            for (std::int64_t j = 0; j < iw.size(); ++j) fold.add(load_bytes(first + i * row_step + j * s.c + c, n));
          const int8_vector result = fold.result(ih.size() * iw.size());
          __builtin_memcpy(y + pixel * s.c + c, &result, static_cast<std::size_t>(n));
        }
      });
}

namespace detail {

/// Largest bytes of windows, in vectors of `Bytes` channels; the last vector ends with the last channel. Needs at least
/// `Bytes` channels.
template <int Bytes> class largest_bytes {
 public:
  largest_bytes(const pooled_bytes& bytes, std::int64_t channels, std::byte* y)
      : channels_(channels), y_(y), limits_(bytes.range.low, bytes.range.high, bytes.is_unsigned) {}

  [[gnu::always_inline]] void operator()(const std::byte* first, interval rows, interval columns, std::int64_t row_step,
                                         std::int64_t pixel) const {
    std::byte* const y = y_ + pixel * channels_;
    for (std::int64_t c = 0;; c = c + 2 * Bytes < channels_ ? c + Bytes : channels_ - Bytes) {
      lanes_of_bytes largest = limits_.low;
      for (std::int64_t i = 0; i < rows.size(); ++i)
        for (std::int64_t j = 0; j < columns.size(); ++j) {
          lanes_of_bytes x;  // not load_vector(): an argument loses a vector size that depends on a template parameter
          __builtin_memcpy(&x, first + i * row_step + j * channels_ + c, Bytes);
          x ^= limits_.flip;
          largest = largest > x ? largest : x;  // larger_lanes(), see above
        }
      const lanes_of_bytes result = limits_.lowered(largest);
      __builtin_memcpy(y + c, &result, Bytes);
      if (c + Bytes >= channels_) return;
    }
  }

 private:
  using lanes_of_bytes = typename int8_limits<Bytes>::vector;

  std::int64_t channels_;
  std::byte* y_;
  int8_limits<Bytes> limits_;
};

}  // namespace detail

/// pool_int8() for maxima; parts are pixels.
template <class Isa = native>
void max_pool_bytes(const pooling_shape& s, const std::byte* x, const pooled_bytes& bytes, std::byte* y, part p = {}) {
  const interval pixels = share(s.pixels(), p);
  const auto by_vectors_of = [&]<int Bytes>(std::integral_constant<int, Bytes>) {
    detail::for_each_window(s, x, pixels, detail::largest_bytes<Bytes>(bytes, s.c, y));
  };
  if (s.c >= register_bytes) return by_vectors_of(std::integral_constant<int, static_cast<int>(register_bytes)>());
  if constexpr (register_bytes > 32)
    if (s.c >= 32) return by_vectors_of(std::integral_constant<int, 32>());
  if constexpr (register_bytes > 16)
    if (s.c >= 16) return by_vectors_of(std::integral_constant<int, 16>());
  if (s.c >= 8) return by_vectors_of(std::integral_constant<int, 8>());
  pool_int8<int8_maximum, Isa>(s, x, bytes, y, p);
}

/// Scale of a mean over axes: (sum - zero) * factor, negated if is_turned, plus the zero point.
struct scaled_bytes {
  bool is_unsigned = false, is_turned = false;
  std::int64_t zero = 0;
  fixed_point factor;
  std::int32_t zero_point = 0;  // of the result
  quantised_range range;
};

/// y[outer, inner] = scaled sums of x[outer, extent, inner] over the extent, which is at most max_mean_pixels.
template <class Isa = native>
void scale_column_sums(const axis_block& s, const std::byte* x, const scaled_bytes& how, std::byte* y, part p = {}) {
  const std::int64_t blocks = (s.inner + register_bytes - 1) / register_bytes;
  const interval work = share(s.outer * blocks, p);
  const narrowing to(how.range.low, how.range.high, how.zero_point, how.is_unsigned);
  int8_column_sums fold(how.is_unsigned);
  for (std::int64_t i = work.begin; i < work.end; ++i) {
    const std::int64_t outer = i / blocks, first = i % blocks * register_bytes;
    const std::int64_t n = s.inner - first < register_bytes ? s.inner - first : register_bytes;
    const std::byte* const column = x + outer * s.extent * s.inner + first;
    fold.start();
    for (std::int64_t k = 0; k < s.extent; ++k) fold.add(load_bytes(column + k * s.inner, n));
    interleaved sums = fold.result(s.extent);
    for (int_vector& of : sums.of) {
      std::int32_t each[int_lanes];
      store_vector(each, of);
      for (std::int32_t& sum : each) {
        const std::int64_t steps = std::int64_t{sum} - how.zero;
        sum = rounding::double_rounding::scale(nnrt::detail::saturated_i32(how.is_turned ? -steps : steps), how.factor);
      }
      of = load_vector<int_vector>(each);
    }
    const int8_vector result = narrowed<true>(sums.of[0], sums.of[1], sums.of[2], sums.of[3], to);
    __builtin_memcpy(y + outer * s.inner + first, &result, static_cast<std::size_t>(n));
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
