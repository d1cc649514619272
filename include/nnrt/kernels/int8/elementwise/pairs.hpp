// pairs: sums, differences and products of two int8 tensors with broadcasting, one register at a time.
// Flow: bind/detail/quantised.hpp checks whether a specialisation exists for an operator; ops/ defines the arithmetic.
#pragma once

#include <nnrt/kernels/common/broadcast_loops.hpp>
#include <nnrt/kernels/int8/requantise/output_stage.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52U);
}
constexpr double real_factor(fixed_point x) { return x.mantissa * 0x1p-31 * power_of_two(x.exponent); }

/// Slopes of a sum: change of the result per step of each operand, without roundings.
struct real_slopes {
  double a, b;

  template <class T>
  explicit constexpr real_slopes(const ops::detail::quantised_sum<T>& f)
      : a(real_factor(f.factor_a)), b(real_factor(f.factor_b)) {
    const double of_sum = f.result.is_to_even
                              ? power_of_two(f.factor_y.exponent)
                              : real_factor(f.factor_y) * (1 << ops::detail::quantised_sum<T>::left_shift);
    a *= of_sum, b *= of_sum;
  }
};

/// Widens bytes to i32 and packs i32 results to bytes.
template <class T> struct int8_pair_ends {
  static constexpr bool is_unsigned = std::is_unsigned_v<T>;
  std::int32_t zero_a, zero_b;
  narrowing to;

  template <class F>
  explicit int8_pair_ends(const F& f)
      : zero_a(f.zero_a + (is_unsigned ? 0 : 128)),
        zero_b(f.zero_b + (is_unsigned ? 0 : 128)),
        to(f.result.range.low, f.result.range.high, f.result.zero_point, is_unsigned) {}

  /// Widens bytes to i32 as unsigned values; see interleaved for the lane and register of each byte.
  [[gnu::always_inline]] static interleaved widened(int8_vector x) {
    const auto flip = (int8_vector)int_lanes_of(is_unsigned ? 0 : static_cast<std::int32_t>(0x80808080U));
    return interleave(x ^ flip, int8_vector{}, int8_vector{}, int8_vector{});
  }
};

}  // namespace detail

/// Vector code of a function of two quantised values; specialisations exist for functions that have one.
template <class F> struct int8_pair_lanes {
  static constexpr bool exists = false;
};

/// a + b or a - b. Computed in f32, unless the result is so close to the middle of two integers that the roundings of
/// the exact arithmetic decide. Then the exact arithmetic computes the register.
template <class T> struct int8_pair_lanes<ops::detail::quantised_sum<T>> {
  static constexpr bool exists = has_exact_scale && sizeof(T) == 1;
  using function = ops::detail::quantised_sum<T>;
  detail::int8_pair_ends<T> ends;
  detail::scaler<scale_method::exactly> a, b, y;
  int_vector slope_a, slope_b, offset;
  int_vector max_distance;  // largest distance from the nearest integer for which that integer is the result

  explicit int8_pair_lanes(const function& f) : ends(f), a(f.factor_a), b(f.factor_b), y(f.factor_y) {
    const auto [of_a, of_b] = detail::real_slopes(f);
    const double zero = f.result.zero_point - (is_unsigned ? 128 : 0),
                 rest = zero - of_a * ends.zero_a - of_b * ends.zero_b;
    const auto size = [](double x) { return x < 0 ? -x : x; };
    // The exact sum is off by up to 2, its product by half a bit. Each f32 operation is off by 2^-24 of its result;
    // there are two more operations without a fused multiply-add.
    const double doubt = 2 * detail::real_factor(f.factor_y) + detail::power_of_two(f.factor_y.exponent - 1) +
                         (255 * (size(of_a) + size(of_b)) + size(rest)) * 0x1.8p-22;
    slope_a = bits(of_a), slope_b = bits(of_b), offset = bits(rest);
    max_distance = doubt < 0x1p-6 ? bits(0.5 - doubt) : int_lanes_of(-1);
  }
  /// Whether i32 arithmetic cannot overflow: shifted values are below 2^28, values on the common scale below 2^27.
  /// Infinite and zero scales fail the check.
  static bool fits(const function& f) {
    return !f.result.is_to_even && f.factor_a.exponent <= 0 && f.factor_b.exponent <= 0 && f.factor_y.exponent <= 1;
  }
  [[gnu::always_inline]] int8_vector operator()(int8_vector bytes_a, int8_vector bytes_b) const {
    return (*this)(bytes_a, prepared(bytes_b));
  }

  /// A second operand that is used in several sums, and its contribution to them.
  struct addend {
    int8_vector bytes;
    int_vector of[4];
  };
  [[gnu::always_inline]] addend prepared(int8_vector bytes_b) const {
    const interleaved from_b = ends.widened(bytes_b);
    addend made{bytes_b, {}};
    each<4>([&](int v) __attribute__((always_inline)) { made.of[v] = on_line(from_b.of[v], slope_b, offset); });
    return made;
  }
  [[gnu::always_inline]] int8_vector operator()(int8_vector bytes_a, const addend& b_in_sum) const {
    const interleaved from_a = ends.widened(bytes_a);
    rounded_lanes sum[4];
    each<4>([&](int v) __attribute__((always_inline)) {
      sum[v] = rounded_floats(on_line(from_a.of[v], slope_a, b_in_sum.of[v]));
    });
    const int_vector distance =
        larger_lanes(larger_lanes(sum[0].distance, sum[1].distance), larger_lanes(sum[2].distance, sum[3].distance));
    if (any_is_larger(distance, max_distance)) [[unlikely]]
      return exactly(bytes_a, b_in_sum.bytes);
    return narrowed<false>(sum[0].nearest, sum[1].nearest, sum[2].nearest, sum[3].nearest, ends.to);
  }

 private:
  static constexpr bool is_unsigned = std::is_unsigned_v<T>;
  static int_vector bits(double x) { return int_lanes_of(std::bit_cast<std::int32_t>(static_cast<float>(x))); }

  [[gnu::noinline]] int8_vector exactly(int8_vector bytes_a, int8_vector bytes_b) const {
    const interleaved from_a = ends.widened(bytes_a), from_b = ends.widened(bytes_b);
    const auto sum = [&](int v) __attribute__((always_inline)) {
      return y(a((from_a.of[v] - ends.zero_a) << function::left_shift) +
               b((from_b.of[v] - ends.zero_b) << function::left_shift));
    };
    return narrowed<true>(sum(0), sum(1), sum(2), sum(3), ends.to);
  }
};

/// a * b.
template <class T> struct int8_pair_lanes<ops::detail::quantised_product<T>> {
  static constexpr bool exists = has_exact_scale && sizeof(T) == 1;
  using function = ops::detail::quantised_product<T>;
  detail::int8_pair_ends<T> ends;
  detail::scaler<scale_method::exactly> y;

  explicit int8_pair_lanes(const function& f) : ends(f), y(f.factor) {}
  /// Whether i32 arithmetic cannot overflow; products are below 2^16.
  static bool fits(const function& f) { return !f.result.is_to_even && f.factor.exponent <= 13; }
  [[gnu::always_inline]] int8_vector operator()(int8_vector bytes_a, int8_vector bytes_b) const {
    const interleaved from_a = ends.widened(bytes_a), from_b = ends.widened(bytes_b);
    const auto product = [&](int v) __attribute__((always_inline)) {
      return y((from_a.of[v] - ends.zero_a) * (from_b.of[v] - ends.zero_b));
    };
    return narrowed<true>(product(0), product(1), product(2), product(3), ends.to);
  }
};

namespace detail {

/// Registers of the longest row that zip_repeated() holds.
inline constexpr int max_repeated_registers = 4;

/// Whether every row uses the same row of b, which is a few whole registers, and a has no gaps.
inline bool repeats_row_of_b(const broadcast_loops& loops) {
  const std::int64_t extent = loops.extents[1];
  return loops.count == 2 && loops.steps[0][0] == extent && loops.steps[1][0] == 0 && loops.inner_step(0) == 1 &&
         loops.inner_step(1) == 1 && extent % register_bytes == 0 && extent <= max_repeated_registers * register_bytes;
}

/// zip_int8() for whole rows with such operands.
template <class F>
void zip_repeated(std::int64_t extent, const std::byte* a, const std::byte* b, std::byte* y, interval rows,
                  const F& f) {
  typename F::addend addends[max_repeated_registers];
  for (std::int64_t i = 0; i < extent; i += register_bytes)
    addends[i / register_bytes] = f.prepared(load_vector<int8_vector>(b + i));
  for (std::int64_t at = rows.begin * extent; at < rows.end * extent; at += extent)
    for (std::int64_t i = 0; i < extent; i += register_bytes)
      store_vector(y + at + i, f(load_vector<int8_vector>(a + at + i), addends[i / register_bytes]));
}

/// zip_int8() for any operands.
template <class F>
void zip_any(const broadcast_loops& loops, const std::byte* a, const std::byte* b, std::byte* y, interval range,
             const F& f) {
  const std::int64_t a_step = loops.inner_step(0), b_step = loops.inner_step(1);
  const auto bytes_at =
      [](const std::byte* p, std::int64_t step, std::int64_t i, std::int64_t n) __attribute__((always_inline)) {
    if (step != 0) return load_bytes(p + i, n);
    const auto byte = static_cast<std::int8_t>(*p);
    return byte - int8_vector{};
  };
  for_each_row(loops, range, [&](const std::int64_t(&at)[2], std::int64_t at_y, std::int64_t row) {
    const std::byte *const from_a = a + at[0], *const from_b = b + at[1];
    std::int64_t i = 0;
    if (a_step != 0 && b_step != 0)
      for (; i + register_bytes <= row; i += register_bytes)
        store_vector(y + at_y + i, f(load_vector<int8_vector>(from_a + i), load_vector<int8_vector>(from_b + i)));
    for (; i < row; i += register_bytes) {
      const std::int64_t n = row - i < register_bytes ? row - i : register_bytes;
      const int8_vector result = f(bytes_at(from_a, a_step, i, n), bytes_at(from_b, b_step, i, n));
      __builtin_memcpy(y + at_y + i, &result, static_cast<std::size_t>(n));
    }
  });
}

}  // namespace detail

/// y = f(a, b) for the elements of y in `range`. y may be an operand with the size of y.
template <class F>
void zip_int8(const broadcast_loops& loops, const std::byte* a, const std::byte* b, std::byte* y, interval range,
              const F& given) {
  const F f = given;  // a copy is held in registers; stores cannot change it
  if constexpr (requires { typename F::addend; })
    if (detail::repeats_row_of_b(loops)) {
      const std::int64_t extent = loops.extents[1];
      const interval rows{(range.begin + extent - 1) / extent, range.end / extent};  // whole rows
      if (rows.begin < rows.end) {
        detail::zip_any(loops, a, b, y, {range.begin, rows.begin * extent}, f);
        detail::zip_repeated(extent, a, b, y, rows, f);
        return detail::zip_any(loops, a, b, y, {rows.end * extent, range.end}, f);
      }
    }
  detail::zip_any(loops, a, b, y, range, f);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
