// pair_sum: computes sums of two int8 values as one integer multiply-add that is exact for all pairs of bytes.
// Flow: bind/detail/quantised.hpp packs the coefficients for a sum of tensors if it pays, and applies them to
// registers.
//
// The reference scales both operands to a common scale, adds them, and scales the sum to the result. It rounds at each
// step. The result is nearly (slope_a * a + slope_b * b + offset) >> shift, rounded once. There are only 65,536 pairs.
// So coefficients near the real ones are tried until one set is right for every pair, halves included.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/int8/elementwise/pairs.hpp>
#include <nnrt/kernels/simd/dot4.hpp>

#include <cstdint>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Coefficients of a sum and its limits; for u8, 128 is subtracted from all values.
struct int8_pair_sum {
  std::int32_t slope_a, slope_b;  // below 2^23
  std::int32_t offset;            // partial sums may wrap around
  std::int32_t shift;             // 0: no coefficients were found
  std::int32_t low, high;

  constexpr bool is_found() const { return shift > 0; }
};

/// The sum for registers of bytes of type T.
template <class T> struct int8_pair_line_lanes {
  static constexpr bool is_unsigned = std::is_unsigned_v<T>;
  int16_vector high, low;  // slope_a and slope_b alternate: multiples of 256, and the remainders
  int_vector offset;
  int shift;
  int8_vector flip;
  narrowing to;

  explicit int8_pair_line_lanes(const int8_pair_sum& line)
      : high((int16_vector)int_lanes_of(
            in_halves((line.slope_a - low_of(line.slope_a)) / 256, (line.slope_b - low_of(line.slope_b)) / 256))),
        low((int16_vector)int_lanes_of(in_halves(low_of(line.slope_a), low_of(line.slope_b)))),
        offset(int_lanes_of(line.offset)),
        shift(line.shift),
        flip((int8_vector)int_lanes_of(is_unsigned ? static_cast<std::int32_t>(0x80808080U) : 0)),
        to(line.low + first, line.high + first, 0, is_unsigned) {}

  /// A second operand that is used in several sums, see zip_int8().
  struct addend {
    int8_vector bytes;
  };
  [[gnu::always_inline]] addend prepared(int8_vector b) const { return {b}; }
  [[gnu::always_inline]] int8_vector operator()(int8_vector a, const addend& b) const { return (*this)(a, b.bytes); }
  [[gnu::always_inline]] int8_vector operator()(int8_vector a, int8_vector b) const {
    if constexpr (is_unsigned) a ^= flip, b ^= flip;
    const int8_vector both[] = {zip_half<0>(a, b), zip_half<1>(a, b)};
    const auto sum = [&](auto v) __attribute__((always_inline)) {
      const auto shifted = (int16_vector)zip_half<v % 2>(int8_vector{}, both[v / 2]);  // 256 a and 256 b
      return dot2(dot2(offset, shifted, high), shifted >> 8, low) >> shift;
    };
    return narrowed<false>(sum(std::integral_constant<int, 0>{}), sum(std::integral_constant<int, 1>{}),
                           sum(std::integral_constant<int, 2>{}), sum(std::integral_constant<int, 3>{}), to);
  }

 private:
  static constexpr std::int32_t first = is_unsigned ? 128 : 0;
  static constexpr std::int32_t low_of(std::int32_t slope) { return static_cast<std::int8_t>(slope & 255); }
  static constexpr std::int32_t in_halves(std::int32_t even, std::int32_t odd) {
    return (even & 0xffff) | static_cast<std::int32_t>(static_cast<std::uint32_t>(odd) << 16);
  }
};

namespace detail {

/// Searches the coefficients of a sum.
template <class T> class int8_pair_line_search {
  using function = ops::detail::quantised_sum<T>;
  static constexpr std::int32_t first = std::is_unsigned_v<T> ? 128 : 0;  // subtracted from bytes to get an i8
  static constexpr int max_pairs = 512, pairs_of_check = 8;
  // Largest distance of slopes from the rounded real slopes.
  static constexpr std::int32_t max_off = 8;

  const function& f_;
  struct pair {
    std::int32_t a, b, y;
  };
  pair pairs_[max_pairs];  // pairs that some coefficients got wrong
  int count_ = 0;

 public:
  explicit int8_pair_line_search(const function& sum) : f_(sum) {}

  int8_pair_sum found() {
    const auto [a, b] = real_slopes(f_);
    int8_pair_sum line{};
    line.low = f_.result.range.low - first, line.high = f_.result.range.high - first;
    line.shift = shift_for(a < 0 ? -a : a, b < 0 ? -b : b);
    if (line.shift > 0 && !find_near(a * power_of_two(line.shift), b * power_of_two(line.shift), line)) line.shift = 0;
    return line;
  }

 private:
  /// Number of fraction bits for which sums and slopes fit into their types; 0 if there is none.
  static int shift_for(double a, double b) {
    for (int shift = 23; shift > 0; --shift) {
      const double scale = power_of_two(shift);
      if ((128 + 255 * (a + b)) * scale < 0x1p31 && a * scale < 0x7f0000 && b * scale < 0x7f0000) return shift;
    }
    return 0;
  }
  bool find_near(double a, double b, int8_pair_sum& line) {
    const auto slope_a = static_cast<std::int32_t>(math::round_half_away(a)),
               slope_b = static_cast<std::int32_t>(math::round_half_away(b));
    for (std::int32_t off = 0; off <= max_off; ++off)
      for (std::int32_t off_a = -off; off_a <= off; ++off_a)
        for (std::int32_t off_b = -off; off_b <= off; ++off_b) {
          if (off_a != off && off_a != -off && off_b != off && off_b != -off) continue;  // tried before
          line.slope_a = slope_a + off_a, line.slope_b = slope_b + off_b;
          if (find_offset(line)) return true;
        }
    return false;
  }
  /// Finds the offset nearest to the real one that is right for all pairs known so far. Each wrong attempt adds pairs.
  bool find_offset(int8_pair_sum& line) {
    const std::int64_t half = std::int64_t{1} << (line.shift - 1);
    const std::int64_t real = (2 * (f_.result.zero_point - first) + 1) * half -
                              std::int64_t{line.slope_a} * (f_.zero_a - first) -
                              std::int64_t{line.slope_b} * (f_.zero_b - first);
    std::int64_t low = real - half, high = real + half;
    for (int known = 0;;) {
      for (; known < count_; ++known) {
        const pair& p = pairs_[known];
        const std::int64_t products = std::int64_t{line.slope_a} * p.a + std::int64_t{line.slope_b} * p.b;
        if (p.y > line.low) low = std::max(low, 2 * p.y * half - products);
        if (p.y < line.high) high = std::min(high, 2 * (p.y + 1) * half - products - 1);
      }
      if (low > high || count_ > max_pairs - pairs_of_check) return false;
      line.offset = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(static_cast<std::uint64_t>(nnrt::detail::clamped(real, low, high))));
      if (is_right(line)) return true;
    }
  }
  /// Whether the coefficients are right for all pairs; if not, adds some wrong pairs. Takes as long as summing 100,000
  /// bytes.
  bool is_right(const int8_pair_sum& line) {
    using exact_lanes = int8_pair_lanes<function>;
    if constexpr (exact_lanes::exists)
      if (exact_lanes::fits(f_)) return is_right_for_all(line, exact_lanes(f_));
    return is_right_for_all(line, one_by_one{f_});
  }
  /// Sums of a register of bytes for functions without vector code.
  struct one_by_one {
    const function& f;
    int8_vector operator()(int8_vector bytes_a, int8_vector bytes_b) const {
      T a[register_bytes], b[register_bytes], y[register_bytes];
      store_vector(a, bytes_a), store_vector(b, bytes_b);
      for (std::int64_t i = 0; i < register_bytes; ++i) y[i] = f(a[i], b[i]);
      return load_vector<int8_vector>(y);
    }
  };
  template <class Exact> [[gnu::noinline]] bool is_right_for_all(const int8_pair_sum& line, const Exact& exactly) {
    const int8_pair_line_lanes<T> by_line(line);
    const auto every = [](std::int32_t a) { return static_cast<std::int8_t>(a) - int8_vector{}; };
    for (std::int32_t first_b = -128; first_b < 128; first_b += register_bytes) {
      int8_vector b, differs{};
      for (int i = 0; i < register_bytes; ++i) b[i] = static_cast<std::int8_t>(first_b + i);
      const auto b_in_sum = prepared(exactly, b);
      for (std::int32_t a = -128; a < 128; ++a) differs |= exactly(every(a), b_in_sum) ^ by_line(every(a), b);
      if (!any_bit(differs)) continue;
      const int enough = count_ + pairs_of_check;
      for (std::int32_t a = -128; a < 128 && count_ < enough; ++a) {
        const int8_vector right = exactly(every(a), b), wrong = right ^ by_line(every(a), b);
        if (!any_bit(wrong)) continue;
        int i = 0;
        while (wrong[i] == 0) ++i;
        pairs_[count_++] = {number(every(a)[0]), number(b[i]), number(right[i])};
      }
      return false;
    }
    return true;
  }
  /// Returns the second operand of many sums in the encoding that `exactly` prefers.
  template <class Exact> static auto prepared(const Exact& exactly, int8_vector b) {
    if constexpr (requires { exactly.prepared(b); }) return exactly.prepared(b);
    else return b;
  }
  static bool any_bit(int8_vector x) {
    std::uint64_t words[register_bytes / 8], all = 0;
    store_vector(words, x);
    for (const std::uint64_t word : words) all |= word;
    return all != 0;
  }
  /// Value of a byte as an i8.
  static std::int32_t number(std::int8_t byte) { return static_cast<T>(byte) - first; }
};

}  // namespace detail

/// Finds the coefficients of a sum, if there are any. Takes a few times as long as summing 65,536 pairs.
template <class T> int8_pair_sum line_of(const ops::detail::quantised_sum<T>& f) {
  return detail::int8_pair_line_search<T>(f).found();
}

}}}  // namespace nnrt::NNRT_ISA::kernels
