// lane_math: selections and elementary functions on vectors of floats.
// Flow: elementwise/elementwise.hpp and softmax/softmax.hpp compute with these; tests compare them with the operators'
// references (core/math.hpp).
#pragma once

#include <nnrt/kernels/simd/lanes.hpp>

#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

// Functions are templates over the vector type, which is always f32_vec, so that including this instantiates nothing.

// --- selections ------------------------------------------------------------

/// Lane by lane x < y ? yes : no; a NaN in x or y gives no.
template <class V> [[gnu::always_inline]] inline V where_less(V x, V y, V yes, V no) {
  return V(x.data < y.data ? yes.data : no.data);
}

/// Lane by lane x <= y ? yes : no; a NaN in x or y gives no.
template <class V> [[gnu::always_inline]] inline V where_at_most(V x, V y, V yes, V no) {
  return V(x.data <= y.data ? yes.data : no.data);
}

/// Lane by lane x == y ? yes : no; a NaN in x or y gives no.
template <class V> [[gnu::always_inline]] inline V where_equal(V x, V y, V yes, V no) {
  return V(x.data == y.data ? yes.data : no.data);
}

/// Lane by lane: yes where x is a NaN, else no.
template <class V> [[gnu::always_inline]] inline V where_nan(V x, V yes, V no) {
  return V(x.data == x.data ? no.data : yes.data);
}

/// The larger of both, a NaN where one of them is a NaN.
template <class V> [[gnu::always_inline]] inline V maximum_of(V x, V y) {
  if constexpr (V::machine::max_propagates_nan) return max(x, y);
  else return where_nan(x, x, max(x, y));
}

/// A byte for each lane, 1 or 0, as booleans are stored.
struct boolean_lanes {
  typedef std::int8_t vector __attribute__((vector_size(f32_lanes)));
  using bytes = std::conditional_t<machine::has_float_vectors, vector, bool>;
  bytes data;
};

/// The result of a comparison of lanes: 0 and -1, or a bool. Bytes is a parameter because clang checks the branch that
/// is not taken as far as it depends on no parameter.
template <class Comparison, class Bytes = boolean_lanes::bytes>
[[gnu::always_inline]] inline boolean_lanes boolean_of(Comparison is_true) {
  if constexpr (std::is_same_v<Comparison, bool>) return {is_true};
  else return {__builtin_convertvector(is_true, Bytes) & 1};
}
/// Lane by lane whether x <= y; a NaN in x or y is none.
template <class V> [[gnu::always_inline]] inline boolean_lanes at_most(V x, V y) {
  return boolean_of(x.data <= y.data);
}
/// All lanes, and the first n of them (0 < n <= lanes), as booleans.
[[gnu::always_inline]] inline void store(bool* p, boolean_lanes v) {
  std::memcpy(p, &v.data, static_cast<std::size_t>(f32_lanes));
}
[[gnu::always_inline]] inline void store_n(bool* p, boolean_lanes v, std::int64_t n) {
  std::memcpy(p, &v.data, static_cast<std::size_t>(n));
}

template <class V> [[gnu::always_inline]] inline V abs(V x) {
  using own = typename V::machine;
  return V(own::from_bits(own::bits(x.data) & 0x7fffffff));
}

// --- across the lanes ------------------------------------------------------

namespace detail {

/// The lanes of both halves, quarters, ... exchanged: lane i of the result is lane i ^ Distance.
template <int Distance, class V> [[gnu::always_inline]] inline V exchanged(V x) {
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return V(__builtin_shufflevector(x.data, x.data, (I ^ Distance)...));
  }
  (std::make_integer_sequence<int, static_cast<int>(f32_lanes)>{});
}

/// f over all lanes, halves first: the order of a sum depends on the number of lanes alone.
template <class V, class F> [[gnu::always_inline]] inline float fold_lanes(V x, F f) {
  constexpr auto count = static_cast<unsigned>(f32_lanes);
  each<std::countr_zero(count)>([&](auto k) __attribute__((always_inline)) {
    x = f(x, exchanged<static_cast<int>(count >> (k + 1))>(x));
  });
  if constexpr (f32_lanes == 1) return x.data;
  else return x.data[0];
}

}  // namespace detail

/// The sum of the lanes.
template <class V> [[gnu::always_inline]] inline float reduce_add(V x) {
  if constexpr (requires { V::machine::reduce_add(x.data); }) return V::machine::reduce_add(x.data);
  else
    return detail::fold_lanes(
        x, [](V a, V b) __attribute__((always_inline)) { return a + b; });
}

/// The largest lane; any number when there is a NaN.
template <class V> [[gnu::always_inline]] inline float reduce_max(V x) {
  return detail::fold_lanes(
      x, [](V a, V b) __attribute__((always_inline)) { return max(a, b); });
}

/// The larger of both per lane; of two negative values the smaller one on machines that compare bits faster than
/// floats. Either of both if one is NaN.
template <class V> [[gnu::always_inline]] inline V extreme_of(V x, V y) {
  if constexpr (V::machine::has_max_of_bits) return V(V::machine::max_of_bits(x.data, y.data));
  else return max(x, y);
}

/// The neutral element of extreme_of().
inline constexpr float min_extreme = machine::has_max_of_bits ? -0.0F : -std::numeric_limits<float>::infinity();

/// extreme_of() of all lanes.
template <class V> [[gnu::always_inline]] inline float extreme_lane(V x) {
  return detail::fold_lanes(
      x, [](V a, V b) __attribute__((always_inline)) { return extreme_of(a, b); });
}

/// v with `rest` in the lanes from n on.
template <class V> [[gnu::always_inline]] inline V first_or(V v, std::int64_t n, float rest) {
  return V(V::machine::first_or(v.data, n, rest));
}

// --- functions -------------------------------------------------------------

/// Horner's scheme, highest power first.
template <class V, class... Rest> [[gnu::always_inline]] inline V polynomial(V x, float highest, Rest... rest) {
  V sum(highest);
  ((sum = fma(sum, x, V(rest))), ...);
  return sum;
}

namespace detail {

/// e^x / 2^n, where n is the integer nearest to x / ln 2; from 0.7 to 1.42. The chain of operations that depend on n is
/// short, since it limits micro networks.
template <class V> [[gnu::always_inline]] inline V exp_fraction(V x, V n) {
  // ln 2 in two parts, the first of 15 bits: its products with n are exact even without fma.
  const V r = fma(n, V(-0x1.7f7d1cp-20F), fma(n, V(-0x1.62e4p-1F), x));
  // 1 + r + minimax of e^r - 1 - r for |r| < 0.3467, relative error of the sum below 3.1e-9; 1 comes last, so that one
  // rounding alone is of its size.
  const V square = r * r, low = fma(square, fma(r, V(0x1.555492p-3F), V(0x1.fffffcp-2F)), r);
  const V high = fma(square, V(0x1.6a23eep-10F), fma(r, V(0x1.123a0cp-7F), V(0x1.5558f2p-5F)));
  return V(1.0F) + fma(square * square, high, low);
}

}  // namespace detail

namespace detail {
/// The first 12 bits of each number.
template <class V> [[gnu::always_inline]] inline V first_12_bits(V x) {
  return V(V::machine::from_bits(V::machine::bits(x.data) & ~0xfff));
}
}  // namespace detail

/// e^x within 1.5 ulp where the result is a normal number, 0 or a subnormal number below, infinity above, a NaN for a
/// NaN.
template <class V> [[gnu::always_inline]] inline V exp(V x) {
  constexpr float log2_e = 0x1.715476p+0F;
  // a sum with it has no fraction; n is in the lowest bits of the sum
  constexpr float shift = 0x1.8p23F;
  const V shifted = opaque_value(fma(x, V(log2_e), V(shift))), n = shifted - V(shift),
          fraction = detail::exp_fraction(x, n);
  if constexpr (requires { V::machine::scaled_by_power_of_two(x.data, n.data); }) {
    // For |x| without a fraction the sum is arbitrary or NaN, but n gives 0 or infinity: a fraction that is not from 0
    // to 2 is replaced by 2.
    const V known(V::machine::min_of_bits(fraction.data, V(2.0F).data));
    return V(V::machine::scaled_by_power_of_two(known.data, n.data));
  } else {
    constexpr float lowest = -0x1.5d589ep+6F, highest = 0x1.62e42ep+6F;  // from ln 2^-126 to ln of the largest float
    const V e(V::machine::scaled_by_low_bits(fraction.data, shifted.data));
    const V beyond = x + V(std::numeric_limits<float>::infinity());
    return where_less(x, V(lowest), V(0.0F), where_at_most(x, V(highest), e, beyond));  // a NaN is beyond
  }
}

/// Whether several vectors side by side are faster than one after the other, see exponentials_of(). Where an
/// exponential takes more instructions, the processor overlaps them with the next one by itself.
inline constexpr bool has_side_by_side_exponentials = machine::has_side_by_side_exponentials;

namespace detail {
/// Moves an exponent to the lowest bits of a float, where power_of_eighths() reads it.
inline constexpr float exponent_shift = 0x1.8p23F;

/// 2^(m / 8 - 127) per lane, for sums of m and exponent_shift, m from 0 to 1016; 0 for m = 0. Eight fractions fill a
/// register; the polynomial for the rest then needs two operations fewer, and floating-point units are the bottleneck
/// of exponentials.
template <class V> [[gnu::always_inline]] inline V power_of_eighths(V shifted) {
  using integers = typename V::integers;
  // The bits of 2^(i / 8) minus those of 1, minus i eighths of an exponent, which m adds.
  const integers fractions = {0, -0x46a3e, -0x7c810, -0xa0129, -0xafb0d, -0xa98d6, -0x8bb03, -0x53f39};
  const auto m = std::bit_cast<integers>(shifted.data);
  // by the lowest three bits
  const integers fraction = V::machine::permuted_by_low_bits(fractions, m);
  return V(std::bit_cast<typename V::register_type>(fraction + (m << 20)));
}
}  // namespace detail

namespace detail {

/// exponentials_of() by a machine that scales by powers of two (AVX-512).
template <class V, int N> [[gnu::always_inline]] inline void exponentials_by_scaling(V (&x)[N]) {
  constexpr float shift = 0x1.8p23F;  // a sum with it has no fraction
  V shifted[N], sum[N];
  each<N>([&](int k)
              __attribute__((always_inline)) { shifted[k] = opaque_value(fma(x[k], V(0x1.715476p+0F), V(shift))); });
  // ln 2, 1.9e-9 too large
  each<N>([&](int k) __attribute__((always_inline)) { x[k] = fma(shifted[k] - V(shift), V(-0x1.62e43p-1F), x[k]); });
  // Minimax of e^r for |r| < 0.3466, relative error below 1e-7.
  each<N>([&](int k) __attribute__((always_inline)) { sum[k] = fma(V(0x1.0fa83p-7F), x[k], V(0x1.573a58p-5F)); });
  for (const float next : {0x1.555a6ap-3F, 0x1.fffdc6p-2F, 0x1.fffff6p-1F, 1.0F})
    each<N>([&](int k) __attribute__((always_inline)) { sum[k] = fma(sum[k], x[k], V(next)); });
  // Replaces arbitrary sums of |x| without a fraction, as in exp(). By bits, since floating-point units are the
  // bottleneck.
  each<N>([&](int k) __attribute__((always_inline)) {
    const V known(V::machine::min_of_bits(sum[k].data, V(2.0F).data));
    x[k] = V(V::machine::scaled_by_power_of_two(known.data, (shifted[k] - V(shift)).data));
  });
}

/// exponentials_of() by a machine that looks up eight fractions in a register (AVX2).
template <class V, int N> [[gnu::always_inline]] inline void exponentials_by_eighths(V (&x)[N]) {
  constexpr float shift = exponent_shift + 8 * 127;
  constexpr float lowest = -0x1.601e66p+6F;  // 127 ln 2: what is not above has m = 0
  V shifted[N], power[N], square[N];
  each<N>([&](int k) __attribute__((always_inline)) { x[k] = max(V(lowest), x[k]); });
  each<N>([&](int k)
              __attribute__((always_inline)) { shifted[k] = opaque_value(fma(x[k], V(0x1.715476p+3F), V(shift))); });
  // ln 2 / 8, as above
  each<N>([&](int k) __attribute__((always_inline)) { x[k] = fma(shifted[k] - V(shift), V(-0x1.62e43p-4F), x[k]); });
  each<N>([&](int k) __attribute__((always_inline)) { power[k] = power_of_eighths(shifted[k]); });
  each<N>([&](int k) __attribute__((always_inline)) { square[k] = x[k] * x[k]; });
  // e^r - 1 = r + r^2 (a + b r) for |r| < 0.0434, absolute error below 3e-8.
  each<N>([&](int k) __attribute__((always_inline)) {
    x[k] = fma(fma(V(0x1.555556p-3F), x[k], V(0x1.00087ep-1F)), square[k], x[k]);
  });
  each<N>([&](int k) __attribute__((always_inline)) { x[k] = fma(power[k], x[k], power[k]); });
}

}  // namespace detail

/// e^x of whole vectors, step by step side by side: one alone would wait for each of its operations, and those that
/// follow do not fit into the processor's window. Within 2.5 ulp for |x| < 16, 4.5 for |x| < 60 and 5.5 for x <= 88
/// where the result is a normal number; 0 or a subnormal number below, a NaN for a NaN, any number for x > 88.
template <class V, int N> [[gnu::always_inline]] inline void exponentials_of(V (&x)[N]) {
  using own = typename V::machine;
  if constexpr (requires { own::scaled_by_power_of_two(x[0].data, x[0].data); }) detail::exponentials_by_scaling(x);
  else if constexpr (requires { own::permuted_by_low_bits(own::bits(x[0].data), own::bits(x[0].data)); })
    detail::exponentials_by_eighths(x);
  else each<N>([&](int k) __attribute__((always_inline)) { x[k] = exp(x[k]); });
}

/// 1 / (1 + e^-x).
template <class V> [[gnu::always_inline]] inline V sigmoid_of(V x) { return V(1.0F) / (V(1.0F) + exp(-x)); }

/// tanh x within 5 ulp, 1 at most: x P(x^2) / Q(x^2), minimax on |x| <= 9.02, relative error 3e-8. Fewer operations
/// wait for each other than in an exponential.
template <class V> [[gnu::always_inline]] inline V tanh_of(V x) {
  // Beyond 9.02 P and Q stay what they are there, and the quotient grows as x does.
  const V square = min(V(0x1.45710cp+6F), x * x), fourth = square * square;
  const V p_low = fma(V(0x1.6430ap-3F), square, V(0x1.4cc53cp+0F)),
          p_high = fma(V(0x1.c0e48ap-16F), square, V(0x1.29a766p-8F));
  const V q_low = fma(V(0x1.36e4f4p-1F), square, V(0x1.4cc53cp+0F)),
          q_high = fma(V(0x1.bf7e7cp-12F), square, V(0x1.137df4p-5F));
  const V p = fma(fma(V(0x1.297028p-26F), fourth, p_high), x * fourth, x * p_low);
  const V q = fma(fma(V(0x1.0ed7dep-20F), fourth, q_high), fourth, q_low);
  return clamp(p / q, V(-1.0F), V(1.0F));
}

/// x * y - product, exactly, where product is x * y rounded and no operation under- or overflows.
template <class V> [[gnu::always_inline]] inline V rest_of_product(V x, V y, V product) {
  if constexpr (has_one_rounding_fma) return fma(x, y, -product);
  // Dekker (1971): factors of 12 bits have exact products.
  const V x_high = detail::first_12_bits(x), y_high = detail::first_12_bits(y), x_low = x - x_high, y_low = y - y_high;
  return opaque_value(opaque_value(opaque_value(x_high * y_high - product) + x_high * y_low) + x_low * y_high) +
         x_low * y_low;
}

/// e^x as part * 2^-96, so that a product with it is rounded once however small the exponential is.
template <class V> struct small_exponential {
  V part;
  [[gnu::always_inline]] V value() const { return part * V(0x1p-96F); }
  /// m e^x for |m| < 2^30.
  [[gnu::always_inline]] V times(V m) const { return (m * part) * V(0x1p-96F); }
};

/// e^(x + rest) per lane.
/// Domain: -150 <= x <= 0, rest below an ulp of 1 + x; NaN gives any value.
/// Error: at most 1.5 ulp for normal results; half of the smallest subnormal more for others.
template <class V> [[gnu::always_inline]] inline small_exponential<V> small_exponential_of(V x, V rest) {
  constexpr float shift = 0x1.8p23F + 96;
  const V shifted = opaque_value(fma(x, V(0x1.715476p+0F), V(shift))), n = shifted - V(shift);
  const V whole = detail::exp_fraction(x, n), fraction = fma(whole, rest, whole);
  return {V(V::machine::scaled_by_low_bits(fraction.data, shifted.data))};
}

/// The normal distribution at -t, Phi(-t) = e^(-t^2/2) P(u), u = 1 / (1 + 0.3 t), as an exponential for products.
/// Domain: 0 <= t <= 15; P is minimax on 0 <= t <= 13.5, relative error 1.3e-7.
/// Error: at most 5 ulp. t^2 is exact: a rounded one would add 60 ulp where the exponential is small.
template <class V> [[gnu::always_inline]] inline small_exponential<V> normal_tail(V t) {
  const V square = opaque_value(t * t), rest = rest_of_product(t, t, square);
  const V u = V(1.0F) / fma(t, V(0.3F), V(1.0F));
  const V series = polynomial(u, 0.03593153073F, -0.1582751931F, 0.2082052969F, -0.05539272204F, 0.1294686498F,
                              0.0996376462F, 0.1207983361F, 0.119626391F);
  return {small_exponential_of(square * V(-0.5F), rest * V(-0.5F)).part * (series * u)};
}

/// x / (1 + e^-x), where e is e^-|x|: neither e^-x overflows nor do products with small exponentials lose digits. A NaN
/// for minus infinity.
template <class V> [[gnu::always_inline]] inline V times_logistic(V x, V limited, const small_exponential<V>& e) {
  return where_less(x, V(0.0F), fma(x, V(0.0F), e.times(limited)), x) / (V(1.0F) + e.value());
}

/// x / (1 + e^-x) = x sigmoid(x).
/// Domain: all floats; NaN and minus infinity give NaN, plus infinity gives itself.
/// Error: at most 3 ulp.
template <class V> [[gnu::always_inline]] inline V swish_of(V x) {
  const V limited = max(V(-150.0F), -abs(x));
  return times_logistic(x, limited, small_exponential_of(limited, V(0.0F)));
}

/// 0.5 x (1 + erf(x / sqrt 2)) = x Phi(x), without the cancellation of the former for negative x.
/// Domain: all floats; NaN and minus infinity give NaN, plus infinity gives itself.
/// Error: at most 6 ulp.
template <class V> [[gnu::always_inline]] inline V gelu_of(V x) {
  const V size = min(V(15.0F), abs(x));
  const small_exponential<V> below = normal_tail(size);
  // x times 0 is a NaN for minus infinity, and else adds nothing.
  return where_less(x, V(0.0F), fma(x, V(0.0F), -below.times(size)), x * (V(1.0F) - below.value()));
}

/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) = x sigmoid(x p), p = 2 sqrt(2/pi) (1 + 0.044715 x^2).
/// Domain: all floats; NaN and minus infinity give NaN, plus infinity gives itself.
/// Error: at most 4 ulp. The exponent is kept in two parts: rounded, it would cost another 120 where the result is
/// small.
template <class V> [[gnu::always_inline]] inline V gelu_tanh_of(V x) {
  // Constants in two parts, the first of the constant one of 12 bits: p less this part is exact.
  constexpr float constant = 0x1.988p+0F, constant_rest = 0x1.14cf5p-14F, cubic = 0x1.2444f2p-4F,
                  cubic_rest = 0x1.49b16ap-29F;
  const V size = min(V(11.0F), abs(x)), square = opaque_value(size * size);
  const V p = opaque_value(fma(square, V(cubic), V(constant))), twice = opaque_value(size * p);
  V low = V(constant_rest);
  if constexpr (has_one_rounding_fma) {
    low = low + fma(square, V(cubic), V(constant) - p);
  } else {
    const V product = opaque_value(square * V(cubic));
    low = low + (opaque_value(product - (p - V(constant))) + rest_of_product(square, V(cubic), product));
  }
  low = fma(V(cubic), rest_of_product(size, size, square), fma(V(cubic_rest), square, low));
  const V rest = fma(size, low, rest_of_product(size, p, twice));
  return times_logistic(x, -size, small_exponential_of(-twice, -rest));
}

}}}  // namespace nnrt::NNRT_ISA::kernels
