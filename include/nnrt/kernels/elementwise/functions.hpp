// functions: logarithm, error function, angles, roundings and comparisons on vectors, for operators that map() or zip()
// them.
// Flow: bind/unary.hpp and bind/binary.hpp.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

// The lanes' bits as integers, and back; integers as the floats that they are.
#if defined(NNRT_HAS_XSIMD)
template <class V> using bits_of_lanes = typename V::integers;
template <class V> [[gnu::always_inline]] inline V as_floats(bits_of_lanes<V> x) {
  return V(__builtin_convertvector(x, typename V::register_type));
}
template <class V> [[gnu::always_inline]] inline V with_bits(bits_of_lanes<V> x) {
  return V(std::bit_cast<typename V::register_type>(x));
}
#else
template <class V> using bits_of_lanes = std::int32_t;
template <class V> inline V as_floats(std::int32_t x) { return V(static_cast<float>(x)); }
template <class V> inline V with_bits(std::int32_t x) { return V(std::bit_cast<float>(x)); }
#endif
template <class V> [[gnu::always_inline]] inline bits_of_lanes<V> bits(V x) {
  return std::bit_cast<bits_of_lanes<V>>(x.data);
}

inline constexpr std::int32_t sign_bit = std::numeric_limits<std::int32_t>::min();

/// `size`, which is not negative, with the sign of x.
template <class V> [[gnu::always_inline]] inline V with_sign_of(V x, V size) {
  return with_bits<V>((bits(size) & ~sign_bit) | (bits(x) & sign_bit));
}

}  // namespace detail

/// The nearest integer, halves to even, with the sign of x: beside 2^23 there is no room for a fraction, and numbers
/// from there on have none.
template <class V> [[gnu::always_inline]] inline V rounded(V x) {
  constexpr float shift = 0x1p23F;
  const V size = abs(x);
  return where_less(size, V(shift), detail::with_sign_of(x, opaque_value(size + V(shift)) - V(shift)), x);
}

namespace detail {

/// A positive normal number as fraction * 2^exponent, the fraction from sqrt(1/2) to sqrt(2).
template <class V> struct split_number {
  V fraction, exponent;
};
template <class V> [[gnu::always_inline]] inline split_number<V> split(V x) {
  constexpr std::int32_t root = 0x3f3504f3;  // the bits of sqrt(1/2)
  const auto above = bits(x) - root;
  return {with_bits<V>((above & 0x7fffff) + root), as_floats<V>(above >> 23)};
}

/// The logarithm of a number m from sqrt(1/2) to sqrt(2), 2 artanh(s) for s = (m - 1) / (m + 1).
template <class V> [[gnu::always_inline]] inline V logarithm_of_fraction(V m) {
  const V f = m - V(1.0F), s = f / (V(2.0F) + f);
  return s * polynomial(s * s, 0x1.c71c72p-3F, 0x1.24924ap-2F, 0x1.99999ap-2F, 0x1.555556p-1F, 2.0F);
}

/// 2^n for whole numbers n from -126 to 127.
template <class V> [[gnu::always_inline]] inline V power_of_two(V n) {
  return with_bits<V>((bits(opaque_value(n + V(0x1.8p23F))) + 127) << 23);
}

}  // namespace detail

/// The logarithm within 3 ulp: that of the exponent, and that of the fraction. -infinity of 0, a NaN of less.
template <class V> [[gnu::always_inline]] inline V log_of(V x) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), normal = std::numeric_limits<float>::min();
  const V scaled = where_less(x, V(normal), x * V(0x1p23F), x);  // numbers that are too small to be normal become so
  // The magnitude, for of negative numbers the parts are anything, but must not overflow.
  const detail::split_number<V> parts = detail::split(abs(scaled));
  const V exponent = parts.exponent - where_less(x, V(normal), V(23.0F), V(0.0F)),
          series = detail::logarithm_of_fraction(parts.fraction);
  // ln 2 in two parts, the first of 15 bits: its products with exponents are exact.
  const V sum = fma(exponent, V(0x1.62e4p-1F), fma(exponent, V(0x1.7f7d1cp-20F), series));
  const V of_positive = where_less(x, V(infinity), sum, x);  // a NaN stays
  const V of_zero = where_at_most(abs(x), V(0.0F), V(-infinity), V(std::numeric_limits<float>::quiet_NaN()));
  return where_at_most(x, V(0.0F), of_zero, of_positive);
}

/// log(1 + x) for x >= 0: the logarithm of the rounded sum, less what rounding added to it over the sum (HP-15C, 1982).
/// Error: at most 4 ulp.
template <class V> [[gnu::always_inline]] inline V log1p_of(V x) {
  const V sum = opaque_value(V(1.0F) + x);
  return log_of(sum) - (opaque_value(sum - V(1.0F)) - x) / sum;
}

/// The error function within 3 ulp: x P(x^2) near zero, else 1 - 2 Phi(-sqrt(2) |x|), which loses nothing there, with
/// the sign of x.
template <class V> [[gnu::always_inline]] inline V erf_of(V x) {
  constexpr float near = 0.75F;
  const V square = x * x, size = abs(x);
  // Minimax on |x| <= 0.75, relative error 1.5e-9.
  const V series = polynomial(square, -0x1.61de7p-11F, 0x1.4f2c7cp-8F, -0x1.b7a892p-6F, 0x1.ce2ac8p-4F, -0x1.812738p-2F,
                              0x1.20dd74p+0F);
  const V far = V(1.0F) - V(2.0F) * normal_tail(min(V(15.0F), size * V(0x1.6a09e6p+0F))).value();
  return where_less(size, V(near), x * series, detail::with_sign_of(x, far));
}

namespace detail {

/// Angles up to this size are brought to a quarter turn around 0 by vectors; larger ones go one by one.
inline constexpr float largest_angle = 8192;

/// x less the nearest multiple n of pi / 2, for |n| < 2^13. Parts of pi / 2 with 11 bits have exact products with n.
/// What they leave of x loses its leading digits beside a multiple, so parts follow until 70 bits of pi / 2 are used:
/// the result is right to its own last places.
template <class V> [[gnu::always_inline]] inline V within_quarter(V x, V n) {
  V r = opaque_value(fma(n, V(-0x1.fb4p-12F), opaque_value(fma(n, V(-0x1.92p+0F), x))));
  if constexpr (has_one_rounding_fma) return fma(n, V(0x1.ee59dap-50F), opaque_value(fma(n, V(-0x1.4442d2p-24F), r)));
  r = opaque_value(fma(n, V(-0x1.68cp-39F), opaque_value(fma(n, V(-0x1.444p-24F), r))));
  return fma(n, V(-0x1.1a6264p-54F), r);
}

/// sin(x + quarters * pi / 2) for |x| <= largest_angle, by series that end below 2^-28.
/// Error: at most 2 ulp.
template <class V> [[gnu::always_inline]] inline V sine(V x, std::int32_t quarters) {
  constexpr float shift = 0x1.8p23F;
  const V shifted = opaque_value(fma(x, V(0x1.45f306p-1F), V(shift))), n = shifted - V(shift);
  const V r = within_quarter(x, n), square = r * r;
  const V of_sine =
      fma(r * square, polynomial(square, 0x1.71de3ap-19F, -0x1.a01a02p-13F, 0x1.111112p-7F, -0x1.555556p-3F), r);
  const V of_cosine =
      polynomial(square, -0x1.27e4fcp-22F, 0x1.a01a02p-16F, -0x1.6c16c2p-10F, 0x1.555556p-5F, -0.5F, 1.0F);
  const auto turn = bits(shifted) + quarters;  // n stands in the lowest bits of the sum
  const V is_odd = as_floats<V>(turn & 1), size = where_less(is_odd, V(0.5F), of_sine, of_cosine);
  return with_bits<V>(bits(size) ^ ((turn & 2) << 30));
}

/// The same for angles of any size, by the function of the references.
template <std::int32_t Quarters> [[gnu::noinline]] inline void sines_one_by_one(float* x) {
  for (std::int64_t i = 0; i < f32_lanes; ++i)
    x[i] = static_cast<float>(Quarters == 0 ? math::sin(double{x[i]}) : math::cos(double{x[i]}));
}

}  // namespace detail

// Functions for map(). Results of an element depend on nothing else: each lane of a vector is computed either way
// alone.

/// sin x, or cos x, which is a quarter of a turn ahead.
template <std::int32_t Quarters> struct sine_lanes {
  template <class V> V operator()(V x) const {
    const V size = where_nan(x, V(0.0F), abs(x));
    const V near = detail::sine(x, Quarters);
    if (reduce_max(size) <= detail::largest_angle) return near;
    alignas(64) float far[f32_lanes];
    store(far, x);
    detail::sines_one_by_one<Quarters>(far);
    return where_at_most(abs(x), V(detail::largest_angle), near, load(far));
  }
};
/// ln x.
struct log_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return log_of(x); }
};
/// erf x.
struct erf_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return erf_of(x); }
};
/// e^x.
struct exp_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return exp(x); }
};
/// x without its sign.
struct abs_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return abs(x); }
};
/// -x.
struct neg_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return -x; }
};
/// x^2.
struct square_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return x * x; }
};
/// 1 / x.
struct reciprocal_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return V(1.0F) / x; }
};
/// x / (1 + e^-x).
struct swish_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return swish_of(x); }
};
/// relu6(x + 3) / 6.
struct hard_sigmoid_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const {
    return clamp(x + V(3.0F), V(0.0F), V(6.0F)) * V(1.0F / 6.0F);
  }
};
/// x where it is positive, else x times a slope.
struct leaky_relu_lanes {
  float slope;
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return where_less(V(0.0F), x, x, x * V(slope)); }
};
/// The nearest integer.
struct round_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return rounded(x); }
};
/// The next integer that is not above.
struct floor_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const {
    const V nearest = rounded(x);
    return where_less(x, nearest, nearest - V(1.0F), nearest);
  }
};
/// The next integer that is not below.
struct ceil_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const {
    const V nearest = rounded(x);
    return where_less(nearest, x, detail::with_sign_of(x, nearest + V(1.0F)), nearest);
  }
};

// Functions for zip().

/// The smaller of both, a NaN where one of them is.
struct minimum_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return -maximum_of(-a, -b); }
};
/// Whether a < b.
struct less_lanes {
  template <class V> [[gnu::always_inline]] truth_lanes operator()(V a, V b) const {
#if defined(NNRT_HAS_XSIMD)
    return {__builtin_convertvector(a.data < b.data, truth_lanes::bytes) & 1};
#else
    return {a.data < b.data};
#endif
  }
};
/// Whether a > b.
struct greater_lanes {
  template <class V> [[gnu::always_inline]] truth_lanes operator()(V a, V b) const { return less_lanes{}(b, a); }
};
/// Whether a >= b.
struct greater_equal_lanes {
  template <class V> [[gnu::always_inline]] truth_lanes operator()(V a, V b) const { return at_most(b, a); }
};
/// Whether a == b; of a NaN never.
struct equal_lanes {
  template <class V> [[gnu::always_inline]] truth_lanes operator()(V a, V b) const {
#if defined(NNRT_HAS_XSIMD)
    return {__builtin_convertvector(a.data == b.data, truth_lanes::bytes) & 1};
#else
    return {a.data == b.data};
#endif
  }
};
/// Whether not.
struct not_equal_lanes {
  template <class V> [[gnu::always_inline]] truth_lanes operator()(V a, V b) const {
#if defined(NNRT_HAS_XSIMD)
    return {__builtin_convertvector(a.data != b.data, truth_lanes::bytes) & 1};
#else
    return {a.data != b.data};
#endif
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
