// lane_math: selections and elementary functions on vectors of floats.
// Flow: elementwise/elementwise.hpp and softmax/softmax.hpp compute with these; the operators' references
// (core/math.hpp) are what they are held against.
#pragma once

#include <nnrt/kernels/simd/lanes.hpp>

#include <bit>
#include <limits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

// Everything is a template over the vector type, which is always f32_vec: nothing is instantiated by including this.

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
#if defined(__aarch64__) && defined(NNRT_HAS_XSIMD)
  return max(x, y);
#else
  return where_nan(x, x, max(x, y));
#endif
}

#if defined(NNRT_LANES_AVX512)
/// Lane by lane the one of the smaller bits, as numbers without a sign: of floats from 0 on the smaller one, and y
/// where x is negative or a NaN.
template <class V> [[gnu::always_inline]] inline V smaller_bits(V x, V y) {
  return V(_mm512_castsi512_ps(_mm512_min_epu32(_mm512_castps_si512(x.data), _mm512_castps_si512(y.data))));
}
#endif

/// A byte for each lane, 1 or 0, as booleans are stored.
struct truth_lanes {
#if defined(NNRT_HAS_XSIMD)
  using bytes [[gnu::vector_size(f32_lanes)]] = std::int8_t;
#else
  using bytes = bool;
#endif
  bytes data;
};

/// Lane by lane whether x <= y; a NaN in x or y is none.
template <class V> [[gnu::always_inline]] inline truth_lanes at_most(V x, V y) {
#if defined(NNRT_HAS_XSIMD)
  return {__builtin_convertvector(x.data <= y.data, truth_lanes::bytes) & 1};  // of 0 and -1
#else
  return {x.data <= y.data};
#endif
}
/// All lanes, and the first n of them (0 < n <= lanes), as booleans.
[[gnu::always_inline]] inline void store(bool* p, truth_lanes v) {
  std::memcpy(p, &v.data, static_cast<std::size_t>(f32_lanes));
}
[[gnu::always_inline]] inline void store_n(bool* p, truth_lanes v, std::int64_t n) {
  std::memcpy(p, &v.data, static_cast<std::size_t>(n));
}

template <class V> [[gnu::always_inline]] inline V abs(V x) {
#if defined(NNRT_HAS_XSIMD)
  using integers = typename V::integers;
  const integers bits = std::bit_cast<integers>(x.data) & 0x7fffffff;
  return V(std::bit_cast<typename V::register_type>(bits));
#else
  return V(x.data < 0 ? -x.data : x.data == 0 ? 0.0F : x.data);
#endif
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
#if defined(NNRT_LANES_AVX512)
  // The same order in ever smaller registers, which processors that split large ones are done with sooner.
  const __m256 half = _mm512_castps512_ps256(x.data) + _mm512_extractf32x8_ps(x.data, 1);
  const __m128 quarter = _mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1),
               pair = quarter + _mm_movehl_ps(quarter, quarter);
  return pair[0] + pair[1];
#else
  return detail::fold_lanes(
      x, [](V a, V b) __attribute__((always_inline)) { return a + b; });
#endif
}

/// The largest lane; any number when there is a NaN.
template <class V> [[gnu::always_inline]] inline float reduce_max(V x) {
  return detail::fold_lanes(
      x, [](V a, V b) __attribute__((always_inline)) { return max(a, b); });
}

/// The larger of both, lane by lane; but of two negative numbers the smaller one where a machine compares bits faster
/// than floats. Any of both where one is a NaN.
template <class V> [[gnu::always_inline]] inline V extreme_of(V x, V y) {
#if defined(NNRT_LANES_AVX512)
  return V(_mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(x.data), _mm512_castps_si512(y.data))));
#else
  return max(x, y);
#endif
}

/// What changes no extreme_of().
#if defined(NNRT_LANES_AVX512)
inline constexpr float min_extreme = -0.0F;
#else
inline constexpr float min_extreme = -std::numeric_limits<float>::infinity();
#endif

/// extreme_of() all lanes.
template <class V> [[gnu::always_inline]] inline float extreme_lane(V x) {
  return detail::fold_lanes(
      x, [](V a, V b) __attribute__((always_inline)) { return extreme_of(a, b); });
}

/// v with `rest` in the lanes from n on.
template <class V> [[gnu::always_inline]] inline V first_or(V v, std::int64_t n, float rest) {
#if defined(NNRT_LANES_AVX512)
  return V(_mm512_mask_blend_ps(static_cast<__mmask16>((1U << n) - 1U), _mm512_set1_ps(rest), v.data));
#elif defined(NNRT_LANES_AVX2)
  return V(_mm256_blendv_ps(_mm256_set1_ps(rest), v.data, _mm256_castsi256_ps(first_lanes(n))));
#elif defined(NNRT_HAS_XSIMD)
  return where_less(V(typename V::register_type{0, 1, 2, 3}), V(static_cast<float>(n)), v, V(rest));
#else
  return n > 0 ? v : V(rest);
#endif
}

// --- functions -------------------------------------------------------------

/// Horner's scheme, highest power first.
template <class V, class... Rest> [[gnu::always_inline]] inline V polynomial(V x, float highest, Rest... rest) {
  V sum(highest);
  ((sum = fma(sum, x, V(rest))), ...);
  return sum;
}

namespace detail {

/// e^x / 2^n, n the integer nearest to x / ln 2: a number from 0.7 to 1.42. What waits for n is a few operations deep,
/// for micro networks wait for it.
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
#if defined(NNRT_HAS_XSIMD)
  using integers = typename V::integers;
  return V(std::bit_cast<typename V::register_type>(std::bit_cast<integers>(x.data) & ~0xfff));
#else
  return V(std::bit_cast<float>(std::bit_cast<std::uint32_t>(x.data) & ~0xfffU));
#endif
}
}  // namespace detail

/// e^x within 1.5 ulp where the result is a normal number, 0 or a subnormal number below, infinity above, a NaN for a
/// NaN.
template <class V> [[gnu::always_inline]] inline V exp(V x) {
  constexpr float log2_e = 0x1.715476p+0F;
  // a number beside it loses its fraction; n then stands in the lowest bits of the sum
  constexpr float shift = 0x1.8p23F;
  const V shifted = opaque_value(fma(x, V(log2_e), V(shift))), n = shifted - V(shift),
          fraction = detail::exp_fraction(x, n);
#if defined(NNRT_LANES_AVX512)
  // A number so far off that no fraction is left makes any sum, a NaN too, but its n says 0 or infinity: whatever is no
  // number from 0 to 2 counts as 2.
  return V(_mm512_scalef_ps(smaller_bits(fraction, V(2.0F)).data, n.data));
#else
  constexpr float lowest = -0x1.5d589ep+6F, highest = 0x1.62e42ep+6F;  // from ln 2^-126 to ln of the largest float
#if defined(NNRT_HAS_XSIMD)
  using integers = typename V::integers;
  const integers exponent = std::bit_cast<integers>(shifted.data) << 23;
  const V e(std::bit_cast<typename V::register_type>(std::bit_cast<integers>(fraction.data) + exponent));
#else
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted.data) << 23U;
  const V e(std::bit_cast<float>(std::bit_cast<std::uint32_t>(fraction.data) + exponent));
#endif
  const V beyond = x + V(std::numeric_limits<float>::infinity());
  return where_less(x, V(lowest), V(0.0F), where_at_most(x, V(highest), e, beyond));  // a NaN is beyond
#endif
}

/// Whether several vectors at once are faster than one after the other, see below. Otherwise so many instructions make
/// an exponential that the processor finds enough of the next one to begin with.
#if defined(NNRT_LANES_AVX512) || defined(NNRT_LANES_AVX2)
inline constexpr bool has_side_by_side_exponentials = true;
#else
inline constexpr bool has_side_by_side_exponentials = false;
#endif

#if defined(NNRT_LANES_AVX2)
namespace detail {
/// What moves an exponent to the lowest bits of a float: power_of_eighths() reads it there.
inline constexpr float exponent_shift = 0x1.8p23F;

/// 2^(m / 8 - 127) in each lane, of sums of m and exponent_shift, m from 0 to 1016; of 0 it is 0. Eight fractions fill
/// a register: what is left for a polynomial is then so small that it needs two operations fewer, and the pipes of
/// floats are what exponentials wait for.
template <class V> [[gnu::always_inline]] inline V power_of_eighths(V shifted) {
  using integers = typename V::integers;
  // The bits of 2^(i / 8) less those of 1, and less i eighths of an exponent, which m brings.
  const integers fractions = {0, -0x46a3e, -0x7c810, -0xa0129, -0xafb0d, -0xa98d6, -0x8bb03, -0x53f39};
  const auto m = std::bit_cast<integers>(shifted.data);
  // by the lowest three bits
  const auto fraction = (integers)_mm256_permutevar8x32_epi32((__m256i)fractions, (__m256i)m);
  return V(std::bit_cast<typename V::register_type>(fraction + (m << 20)));
}
}  // namespace detail
#endif

/// e^x of whole vectors, step by step side by side: one alone would wait for each of its operations, and those that
/// follow do not fit into the processor's window. Within 2.5 ulp for |x| < 16, 4.5 for |x| < 60 and 5.5 for x <= 88
/// where the result is a normal number; 0 or a subnormal number below, a NaN for a NaN, any number for x > 88.
template <class V, int N> [[gnu::always_inline]] inline void exponentials_of(V (&x)[N]) {
#if defined(NNRT_LANES_AVX512)
  constexpr float shift = 0x1.8p23F;  // beside it a number loses its fraction
  V shifted[N], sum[N];
  each<N>([&](int k)
              __attribute__((always_inline)) { shifted[k] = opaque_value(fma(x[k], V(0x1.715476p+0F), V(shift))); });
  // ln 2, 1.9e-9 too large
  each<N>([&](int k) __attribute__((always_inline)) { x[k] = fma(shifted[k] - V(shift), V(-0x1.62e43p-1F), x[k]); });
  // Minimax of e^r for |r| < 0.3466, relative error below 1e-7.
  each<N>([&](int k) __attribute__((always_inline)) { sum[k] = fma(V(0x1.0fa83p-7F), x[k], V(0x1.573a58p-5F)); });
  for (const float next : {0x1.555a6ap-3F, 0x1.fffdc6p-2F, 0x1.fffff6p-1F, 1.0F})
    each<N>([&](int k) __attribute__((always_inline)) { sum[k] = fma(sum[k], x[k], V(next)); });
  // What is far enough from 0 that no fraction is left is any sum. As in exp(), by bits: the pipes of floats are
  // what all this waits for.
  each<N>([&](int k) __attribute__((always_inline)) {
    x[k] = V(_mm512_scalef_ps(smaller_bits(sum[k], V(2.0F)).data, (shifted[k] - V(shift)).data));
  });
#elif defined(NNRT_LANES_AVX2)
  constexpr float shift = detail::exponent_shift + 8 * 127;
  constexpr float lowest = -0x1.601e66p+6F;  // 127 ln 2: what is not above has m = 0
  V shifted[N], power[N], square[N];
  each<N>([&](int k) __attribute__((always_inline)) { x[k] = max(V(lowest), x[k]); });
  each<N>([&](int k)
              __attribute__((always_inline)) { shifted[k] = opaque_value(fma(x[k], V(0x1.715476p+3F), V(shift))); });
  // ln 2 / 8, as above
  each<N>([&](int k) __attribute__((always_inline)) { x[k] = fma(shifted[k] - V(shift), V(-0x1.62e43p-4F), x[k]); });
  each<N>([&](int k) __attribute__((always_inline)) { power[k] = detail::power_of_eighths(shifted[k]); });
  each<N>([&](int k) __attribute__((always_inline)) { square[k] = x[k] * x[k]; });
  // e^r - 1 = r + r^2 (a + b r) for |r| < 0.0434, absolute error below 3e-8.
  each<N>([&](int k) __attribute__((always_inline)) {
    x[k] = fma(fma(V(0x1.555556p-3F), x[k], V(0x1.00087ep-1F)), square[k], x[k]);
  });
  each<N>([&](int k) __attribute__((always_inline)) { x[k] = fma(power[k], x[k], power[k]); });
#else
  each<N>([&](int k) __attribute__((always_inline)) { x[k] = exp(x[k]); });
#endif
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

/// e^(x + rest) for -150 <= x <= 0 and a rest that is small beside a unit in the last place of 1 + x. What a NaN makes
/// is any number, or a NaN. Error: at most 1.5 ulp where the result is a normal number; half of the smallest subnormal
/// number more below.
template <class V> [[gnu::always_inline]] inline small_exponential<V> small_exponential_of(V x, V rest) {
  constexpr float shift = 0x1.8p23F + 96;
  const V shifted = opaque_value(fma(x, V(0x1.715476p+0F), V(shift))), n = shifted - V(shift);
  const V whole = detail::exp_fraction(x, n), fraction = fma(whole, rest, whole);
#if defined(NNRT_HAS_XSIMD)
  using integers = typename V::integers;
  return {V(std::bit_cast<typename V::register_type>(std::bit_cast<integers>(fraction.data) +
                                                     (std::bit_cast<integers>(shifted.data) << 23)))};
#else
  return {V(std::bit_cast<float>(std::bit_cast<std::uint32_t>(fraction.data) +
                                 (std::bit_cast<std::uint32_t>(shifted.data) << 23U)))};
#endif
}

/// The normal distribution of -t, Phi(-t) for 0 <= t <= 15: what lies t deviations below the mean and further. As an
/// exponential, for products. Phi(-t) = e^(-t^2/2) P(u), u = 1 / (1 + 0.3 t): minimax on 0 <= t <= 13.5, relative
/// error 1.3e-7. Error: at most 5 ulp. t^2 is taken exactly: rounded, it would cost another 60 where the exponential is
/// small.
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
