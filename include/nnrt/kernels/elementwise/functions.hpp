// functions: logarithm, error function, sine, rounding and comparisons on vectors, as functions for map() and zip().
// Flow: bind/unary.hpp and bind/binary.hpp use them.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

// The bits of lanes as integers and back; integers converted to floats.
template <class V> using bits_of_lanes = typename V::integers;
template <class V> [[gnu::always_inline]] inline V as_floats(bits_of_lanes<V> x) { return V(V::machine::to_float(x)); }
template <class V> [[gnu::always_inline]] inline V with_bits(bits_of_lanes<V> x) { return V(V::machine::from_bits(x)); }
template <class V> [[gnu::always_inline]] inline bits_of_lanes<V> bits(V x) {
  return std::bit_cast<bits_of_lanes<V>>(x.data);
}

inline constexpr std::int32_t sign_bit = std::numeric_limits<std::int32_t>::min();

/// The non-negative value `size` with the sign of x.
template <class V> [[gnu::always_inline]] inline V with_sign_of(V x, V size) {
  return with_bits<V>((bits(size) & ~sign_bit) | (bits(x) & sign_bit));
}

}  // namespace detail

/// x rounded to the nearest integer per lane, ties to even; the sign of x is kept.
/// Domain: all floats; NaN gives NaN. From 2^23 on, floats have no fraction.
/// Error: exact (test: kernels/bind/functions_test.cpp).
template <class V> [[gnu::always_inline]] inline V rounded(V x) {
  constexpr float shift = 0x1p23F;
  const V size = abs(x);
  return where_less(size, V(shift), detail::with_sign_of(x, opaque_value(size + V(shift)) - V(shift)), x);
}

namespace detail {

/// A positive normal value as fraction * 2^exponent, sqrt(1/2) <= fraction < sqrt(2).
template <class V> struct split_number {
  V fraction, exponent;
};
template <class V> [[gnu::always_inline]] inline split_number<V> split(V x) {
  constexpr std::int32_t root = 0x3f3504f3;  // the bits of sqrt(1/2)
  const auto above = bits(x) - root;
  return {with_bits<V>((above & 0x7fffff) + root), as_floats<V>(above >> 23)};
}

/// log(m) for sqrt(1/2) <= m <= sqrt(2): 2 artanh(s), s = (m - 1) / (m + 1).
template <class V> [[gnu::always_inline]] inline V logarithm_of_fraction(V m) {
  const V f = m - V(1.0F), s = f / (V(2.0F) + f);
  return s * polynomial(s * s, 0x1.c71c72p-3F, 0x1.24924ap-2F, 0x1.99999ap-2F, 0x1.555556p-1F, 2.0F);
}

/// 2^n for integers n from -126 to 127.
template <class V> [[gnu::always_inline]] inline V power_of_two(V n) {
  return with_bits<V>((bits(opaque_value(n + V(0x1.8p23F))) + 127) << 23);
}

}  // namespace detail

/// log(x) per lane: the logarithms of exponent and fraction, added.
/// Domain: all floats; NaN gives NaN, 0 gives -inf, negative values give NaN, +inf gives +inf.
/// Error: at most 3 ULP (test: kernels/bounds_test.cpp).
template <class V> [[gnu::always_inline]] inline V log_of(V x) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), normal = std::numeric_limits<float>::min();
  const V scaled = where_less(x, V(normal), x * V(0x1p23F), x);  // scales subnormal values to normal ones
  // The magnitude: results for negative values are unused but must not overflow.
  const detail::split_number<V> parts = detail::split(abs(scaled));
  const V exponent = parts.exponent - where_less(x, V(normal), V(23.0F), V(0.0F)),
          series = detail::logarithm_of_fraction(parts.fraction);
  // ln 2 in two parts. The first has 15 bits: its products with exponents are exact.
  const V sum = fma(exponent, V(0x1.62e4p-1F), fma(exponent, V(0x1.7f7d1cp-20F), series));
  const V of_positive = where_less(x, V(infinity), sum, x);  // keeps NaN
  const V of_zero = where_at_most(abs(x), V(0.0F), V(-infinity), V(std::numeric_limits<float>::quiet_NaN()));
  return where_at_most(x, V(0.0F), of_zero, of_positive);
}

/// log(1 + x) per lane: the logarithm of the rounded sum, minus rounding error / sum (HP-15C, 1982).
/// Domain: x >= 0.
/// Error: at most 4 ULP.
template <class V> [[gnu::always_inline]] inline V log1p_of(V x) {
  const V sum = opaque_value(V(1.0F) + x);
  return log_of(sum) - (opaque_value(sum - V(1.0F)) - x) / sum;
}

/// erf(x) per lane: x P(x^2) near zero, else 1 - 2 Phi(-sqrt(2) |x|) with the sign of x.
/// Domain: all floats; NaN gives NaN.
/// Error: at most 3 ULP (test: kernels/bounds_test.cpp).
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

/// Maximum magnitude of angles that vectors reduce to a quarter turn around 0; larger angles are computed one at a
/// time.
inline constexpr float largest_angle = 8192;

/// x - n * pi / 2 for the nearest multiple n, |n| < 2^13. pi / 2 is split into parts of 11 bits, whose products with n
/// are exact. Subtraction cancels the leading digits near a multiple, so the parts cover 70 bits of pi / 2. The result
/// is accurate to its last places.
template <class V> [[gnu::always_inline]] inline V within_quarter(V x, V n) {
  V r = opaque_value(fma(n, V(-0x1.fb4p-12F), opaque_value(fma(n, V(-0x1.92p+0F), x))));
  if constexpr (has_one_rounding_fma) return fma(n, V(0x1.ee59dap-50F), opaque_value(fma(n, V(-0x1.4442d2p-24F), r)));
  r = opaque_value(fma(n, V(-0x1.68cp-39F), opaque_value(fma(n, V(-0x1.444p-24F), r))));
  return fma(n, V(-0x1.1a6264p-54F), r);
}

/// sin(x + quarters * pi / 2) per lane, by series that end below 2^-28.
/// Domain: |x| <= largest_angle.
/// Error: at most 2 ULP (test: kernels/bounds_test.cpp).
template <class V> [[gnu::always_inline]] inline V sine(V x, std::int32_t quarters) {
  constexpr float shift = 0x1.8p23F;
  const V shifted = opaque_value(fma(x, V(0x1.45f306p-1F), V(shift))), n = shifted - V(shift);
  const V r = within_quarter(x, n), square = r * r;
  const V of_sine =
      fma(r * square, polynomial(square, 0x1.71de3ap-19F, -0x1.a01a02p-13F, 0x1.111112p-7F, -0x1.555556p-3F), r);
  const V of_cosine =
      polynomial(square, -0x1.27e4fcp-22F, 0x1.a01a02p-16F, -0x1.6c16c2p-10F, 0x1.555556p-5F, -0.5F, 1.0F);
  const auto turn = bits(shifted) + quarters;  // n is in the lowest bits of the sum
  const V is_odd = as_floats<V>(turn & 1), size = where_less(is_odd, V(0.5F), of_sine, of_cosine);
  return with_bits<V>(bits(size) ^ ((turn & 2) << 30));
}

/// sin (Quarters = 0) or cos of f32_lanes angles of any size, in place, by the function of the references.
template <std::int32_t Quarters> [[gnu::noinline]] inline void sines_one_by_one(float* x) {
  for (std::int64_t i = 0; i < f32_lanes; ++i)
    x[i] = static_cast<float>(Quarters == 0 ? math::sin(double{x[i]}) : math::cos(double{x[i]}));
}

}  // namespace detail

// Functions for map(). The result of an element does not depend on the other lanes: near and far angles are selected
// per lane.

/// sin(x) per lane; cos(x) if Quarters is 1.
/// Domain: all floats; NaN and infinities give NaN.
/// Error: at most 2 ULP (test: kernels/bounds_test.cpp).
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
/// log_of(x) per lane.
struct log_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return log_of(x); }
};
/// erf_of(x) per lane.
struct erf_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return erf_of(x); }
};
/// e^x per lane.
/// Domain: all floats; NaN gives NaN. Overflow gives +inf; results below the smallest normal float may be 0.
/// Error: at most 1.5 ULP (test: kernels/bounds_test.cpp).
struct exp_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return exp(x); }
};
/// |x| per lane.
struct abs_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return abs(x); }
};
/// -x per lane.
struct neg_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return -x; }
};
/// x^2 per lane.
struct square_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return x * x; }
};
/// 1 / x per lane.
struct reciprocal_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return V(1.0F) / x; }
};
/// x / (1 + e^-x) per lane.
/// Domain: all floats; NaN and -inf give NaN.
/// Error: at most 3 ULP (test: kernels/bounds_test.cpp).
struct swish_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return swish_of(x); }
};
/// relu6(x + 3) / 6 per lane.
/// Domain: all floats; NaN gives NaN.
/// Error: at most 1.5 ULP (test: kernels/bounds_test.cpp).
struct hard_sigmoid_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const {
    return clamp(x + V(3.0F), V(0.0F), V(6.0F)) * V(1.0F / 6.0F);
  }
};
/// x if x > 0, else x * slope, per lane.
struct leaky_relu_lanes {
  float slope;
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return where_less(V(0.0F), x, x, x * V(slope)); }
};
/// rounded(x) per lane: ties to even.
struct round_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return rounded(x); }
};
/// floor(x) per lane.
struct floor_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const {
    const V nearest = rounded(x);
    return where_less(x, nearest, nearest - V(1.0F), nearest);
  }
};
/// ceil(x) per lane.
struct ceil_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const {
    const V nearest = rounded(x);
    return where_less(nearest, x, detail::with_sign_of(x, nearest + V(1.0F)), nearest);
  }
};

// Functions for zip().

/// min(a, b) per lane; NaN if either is NaN.
struct minimum_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return -maximum_of(-a, -b); }
};
/// a < b per lane, as booleans.
struct less_lanes {
  template <class V> [[gnu::always_inline]] boolean_lanes operator()(V a, V b) const {
    return boolean_of(a.data < b.data);
  }
};
/// a > b per lane, as booleans.
struct greater_lanes {
  template <class V> [[gnu::always_inline]] boolean_lanes operator()(V a, V b) const { return less_lanes{}(b, a); }
};
/// a >= b per lane, as booleans.
struct greater_equal_lanes {
  template <class V> [[gnu::always_inline]] boolean_lanes operator()(V a, V b) const { return at_most(b, a); }
};
/// a == b per lane, as booleans; false for NaN.
struct equal_lanes {
  template <class V> [[gnu::always_inline]] boolean_lanes operator()(V a, V b) const {
    return boolean_of(a.data == b.data);
  }
};
/// a != b per lane, as booleans; true for NaN.
struct not_equal_lanes {
  template <class V> [[gnu::always_inline]] boolean_lanes operator()(V a, V b) const {
    return boolean_of(a.data != b.data);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
