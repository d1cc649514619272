// lanes: the vector type of every float kernel, and its operations.
// Flow: the kernels include this; intrinsics of float arithmetic stand here alone, those of bytes in
// simd/int8_lanes.hpp, simd/dot4.hpp and their like.
#pragma once

#include <nnrt/core/activation.hpp>
#include <nnrt/core/config.hpp>
#include <nnrt/kernels/simd/optimization_barrier.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__) || (defined(__ARM_NEON) && defined(__aarch64__))
#define NNRT_HAS_XSIMD 1
// g++ 12 warns about _mm512_undefined_ps inside its own header once that is inlined into ours.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
// Registers alone: xsimd::batch, with <complex>, <memory> and the functions of every architecture, costs
// each translation unit another 0.25 s, and each of its operations three calls to inline.
#include <xsimd/types/xsimd_all_registers.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Template argument of every kernel's entry point. A template is compiled only where it is called, so a program that
/// merely includes a kernel does not pay for it.
struct native {};

// --- the vector type -------------------------------------------------------
#if defined(NNRT_HAS_XSIMD)
/// A vector register of floats. Operators are the compilers' own on vectors; what they lack stands below by name.
template <class Arch> struct float_vector : xsimd::types::simd_register<float, Arch> {
  using register_type = typename xsimd::types::simd_register<float, Arch>::register_type;
  static constexpr std::size_t size = sizeof(register_type) / sizeof(float);
  /// As many integers.
  typedef std::int32_t integers __attribute__((vector_size(sizeof(register_type))));

  float_vector() = default;
  [[gnu::always_inline]] explicit float_vector(register_type x) { this->data = x; }
  [[gnu::always_inline]] explicit float_vector(float x) { this->data = x - register_type{}; }

  [[gnu::always_inline]] friend float_vector operator-(float_vector x) { return float_vector(-x.data); }
  [[gnu::always_inline]] friend float_vector operator+(float_vector x, float_vector y) {
    return float_vector(x.data + y.data);
  }
  [[gnu::always_inline]] friend float_vector operator-(float_vector x, float_vector y) {
    return float_vector(x.data - y.data);
  }
  [[gnu::always_inline]] friend float_vector operator*(float_vector x, float_vector y) {
    return float_vector(x.data * y.data);
  }
  [[gnu::always_inline]] friend float_vector operator/(float_vector x, float_vector y) {
    return float_vector(x.data / y.data);
  }
};
#endif

// The architecture is spelled out, not xsimd's default: with -mavx alone the default would be 8 lanes inside namespace
// sse4, and two units compiled with different flags would give one name two meanings.
#if !defined(NNRT_HAS_XSIMD)
/// One float that looks like a vector, for machines without one.
struct scalar_vec {
  static constexpr std::size_t size = 1;
  float data = 0;

  scalar_vec() = default;
  explicit scalar_vec(float x) : data(x) {}
  friend scalar_vec operator-(scalar_vec x) { return scalar_vec(-x.data); }
  friend scalar_vec operator+(scalar_vec x, scalar_vec y) { return scalar_vec(x.data + y.data); }
  friend scalar_vec operator-(scalar_vec x, scalar_vec y) { return scalar_vec(x.data - y.data); }
  friend scalar_vec operator*(scalar_vec x, scalar_vec y) { return scalar_vec(x.data * y.data); }
  friend scalar_vec operator/(scalar_vec x, scalar_vec y) { return scalar_vec(x.data / y.data); }
};
using f32_vec = scalar_vec;
#elif defined(__aarch64__)
using f32_vec = float_vector<xsimd::neon64>;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define NNRT_LANES_AVX512 1
using f32_vec = float_vector<xsimd::avx512bw>;
#elif defined(__AVX2__) && defined(__FMA__)
#define NNRT_LANES_AVX2 1
using f32_vec = float_vector<xsimd::fma3<xsimd::avx2>>;
#elif defined(__SSE4_1__)
using f32_vec = float_vector<xsimd::sse4_1>;
#else
using f32_vec = float_vector<xsimd::sse2>;
#endif

/// Floats per vector.
inline constexpr std::int64_t f32_lanes = static_cast<std::int64_t>(f32_vec::size);

/// Vector registers of the machine; the kernels choose the size of their tiles by it.
#if defined(NNRT_LANES_AVX512) || defined(__aarch64__) || defined(NNRT_TEST_MATRIX_REGISTERS)
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_registers = 16;
#endif

/// Whether load_n() and store_n() cost no more than load() and store().
#if defined(NNRT_LANES_AVX512)
inline constexpr bool masks_are_free = true;
#else
inline constexpr bool masks_are_free = false;
#endif

/// n rounded up to whole vectors.
constexpr std::int64_t whole_vectors(std::int64_t n) { return (n + f32_lanes - 1) / f32_lanes * f32_lanes; }

// --- operations ------------------------------------------------------------

// Loads that broadcast are spelled as the instructions for integers. On a Zen 4 those for floats take a unit that
// products need, too, and a tile that broadcasts for each product a third longer; compilers turn either kind into that
// for floats. What a sanitizer shall see it must be able to read.
#if (defined(NNRT_LANES_AVX512) || defined(NNRT_LANES_AVX2)) && !defined(__SANITIZE_ADDRESS__)
#define NNRT_BROADCASTS_INTEGERS 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef NNRT_BROADCASTS_INTEGERS
#endif
#endif
#endif

/// The float at p in every lane of a register, for several products.
[[gnu::always_inline]] inline f32_vec broadcast_load(const float* p) {
#if defined(NNRT_BROADCASTS_INTEGERS)
  f32_vec x;
  asm("vpbroadcastd %1, %0" : "=v"(x.data) : "m"(*p));
  return x;
#elif defined(NNRT_LANES_AVX512)
  return f32_vec(_mm512_set1_ps(*p));
#else
  return f32_vec(*p);
#endif
}

/// The float at p in every lane. With AVX-512 it may become an operand of the one product that uses it; for several,
/// broadcast_load().
[[gnu::always_inline]] inline f32_vec broadcast(const float* p) {
#if defined(NNRT_LANES_AVX512)
  return f32_vec(_mm512_set1_ps(*p));
#else
  return broadcast_load(p);
#endif
}

[[gnu::always_inline]] inline f32_vec load(const float* p) {
#if defined(NNRT_LANES_AVX512)
  return f32_vec(_mm512_loadu_ps(p));
#elif defined(NNRT_LANES_AVX2)
  return f32_vec(_mm256_loadu_ps(p));
#elif defined(__SSE2__)
  return f32_vec(_mm_loadu_ps(p));
#elif defined(NNRT_HAS_XSIMD)
  return f32_vec(vld1q_f32(p));
#else
  return f32_vec(*p);
#endif
}

[[gnu::always_inline]] inline void store(float* p, f32_vec x) {
#if defined(NNRT_LANES_AVX512)
  _mm512_storeu_ps(p, x.data);
#elif defined(NNRT_LANES_AVX2)
  _mm256_storeu_ps(p, x.data);
#elif defined(__SSE2__)
  _mm_storeu_ps(p, x.data);
#elif defined(NNRT_HAS_XSIMD)
  vst1q_f32(p, x.data);
#else
  *p = x.data;
#endif
}

/// x * y + z; one rounding where the machine has fma, two on SSE.
[[gnu::always_inline]] inline f32_vec fma(f32_vec x, f32_vec y, f32_vec z) {
#if defined(NNRT_LANES_AVX512)
  return f32_vec(_mm512_fmadd_ps(x.data, y.data, z.data));
#elif defined(NNRT_LANES_AVX2)
  return f32_vec(_mm256_fmadd_ps(x.data, y.data, z.data));
#elif defined(__aarch64__) && defined(NNRT_HAS_XSIMD)
  return f32_vec(vfmaq_f32(z.data, x.data, y.data));
#else
  return f32_vec(x.data * y.data + z.data);
#endif
}

/// Whether fma() rounds once.
#if defined(NNRT_LANES_AVX512) || defined(NNRT_LANES_AVX2) || (defined(__aarch64__) && defined(NNRT_HAS_XSIMD))
inline constexpr bool has_one_rounding_fma = true;
#else
inline constexpr bool has_one_rounding_fma = false;
#endif

/// sum += x * y, rounded as fma() does. Where there are 16 registers and an accumulator in most of them, compilers that
/// choose themselves which operand of fma is overwritten move accumulators about, and some of them to memory.
[[gnu::always_inline]] inline void add_product(f32_vec& sum, f32_vec x, f32_vec y) {
#if defined(NNRT_LANES_AVX2)
  asm("vfmadd231ps %2, %1, %0" : "+x"(sum.data) : "x"(x.data), "x"(y.data));
#else
  sum = fma(x, y, sum);
#endif
}

/// Whether a product may take its factor from one lane of a vector: one load of A then serves four k, and none has to
/// be spread over a register first.
#if defined(__aarch64__) && defined(NNRT_HAS_XSIMD)
inline constexpr bool has_lane_products = true;
/// x times lane I of y, + z.
template <int I> [[gnu::always_inline]] inline f32_vec fma_lane(f32_vec x, f32_vec y, f32_vec z) {
  return f32_vec(vfmaq_laneq_f32(z.data, x.data, y.data, I));
}
#else
inline constexpr bool has_lane_products = false;
template <int> inline f32_vec fma_lane(f32_vec, f32_vec, f32_vec z) { return z; }  // where code says if constexpr
#endif

/// The larger and the smaller of both, lane by lane; y where one of them is a NaN on x86, a NaN on NEON.
[[gnu::always_inline]] inline f32_vec max(f32_vec x, f32_vec y) {
#if defined(NNRT_LANES_AVX512)
  return f32_vec(_mm512_max_ps(x.data, y.data));
#elif defined(NNRT_LANES_AVX2)
  return f32_vec(_mm256_max_ps(x.data, y.data));
#elif defined(__SSE2__)
  return f32_vec(_mm_max_ps(x.data, y.data));
#elif defined(NNRT_HAS_XSIMD)
  return f32_vec(vmaxq_f32(x.data, y.data));
#else
  return x.data > y.data ? x : y;
#endif
}
[[gnu::always_inline]] inline f32_vec min(f32_vec x, f32_vec y) {
#if defined(NNRT_LANES_AVX512)
  return f32_vec(_mm512_min_ps(x.data, y.data));
#elif defined(NNRT_LANES_AVX2)
  return f32_vec(_mm256_min_ps(x.data, y.data));
#elif defined(__SSE2__)
  return f32_vec(_mm_min_ps(x.data, y.data));
#elif defined(NNRT_HAS_XSIMD)
  return f32_vec(vminq_f32(x.data, y.data));
#else
  return x.data < y.data ? x : y;
#endif
}

/// The square root, correctly rounded; NaN below zero.
[[gnu::always_inline]] inline f32_vec sqrt(f32_vec x) {
#if defined(NNRT_LANES_AVX512)
  return f32_vec(_mm512_sqrt_ps(x.data));
#elif defined(NNRT_LANES_AVX2)
  return f32_vec(_mm256_sqrt_ps(x.data));
#elif defined(__SSE2__)
  return f32_vec(_mm_sqrt_ps(x.data));
#elif defined(NNRT_HAS_XSIMD)
  return f32_vec(vsqrtq_f32(x.data));
#else
  return f32_vec(__builtin_sqrtf(x.data));
#endif
}

/// x limited to [lo, hi]; a NaN in x stays NaN: it stands second, see max().
[[gnu::always_inline]] inline f32_vec clamp(f32_vec x, f32_vec lo, f32_vec hi) { return min(hi, max(lo, x)); }

#if defined(NNRT_LANES_AVX2)
/// All bits set in the first n lanes.
[[gnu::always_inline]] inline __m256i first_lanes(std::int64_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

/// A float in the first lane; the others hold zeros or the same.
[[gnu::always_inline]] inline f32_vec load_one(const float* p) {
#if defined(NNRT_LANES_AVX512)
  return f32_vec(_mm512_zextps128_ps512(_mm_load_ss(p)));
#elif defined(NNRT_LANES_AVX2)
  return f32_vec(_mm256_zextps128_ps256(_mm_load_ss(p)));
#elif defined(__SSE2__)
  return f32_vec(_mm_load_ss(p));
#else
  return broadcast(p);
#endif
}

/// Stores the first lane.
[[gnu::always_inline]] inline void store_one(float* p, f32_vec v) {
#if defined(NNRT_HAS_XSIMD)
  *p = v.data[0];
#else
  *p = v.data;
#endif
}

/// Stores the first n lanes (0 < n <= lanes); memory past them is not touched.
[[gnu::always_inline]] inline void store_n(float* p, f32_vec v, std::int64_t n) {
#if defined(NNRT_LANES_AVX512)
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1U << n) - 1U), v.data);
#else
  if (n == f32_lanes) return store(p, v);
#if defined(NNRT_LANES_AVX2)
  _mm256_maskstore_ps(p, first_lanes(n), v.data);
#elif defined(NNRT_HAS_XSIMD)
  p[0] = v.data[0];
  if (n > 1) p[1] = v.data[1];
  if (n > 2) p[2] = v.data[2];
#endif
#endif
}

/// The first n floats at p (0 < n <= lanes), the other lanes zero; memory past them is not touched.
[[gnu::always_inline]] inline f32_vec load_n(const float* p, std::int64_t n) {
#if defined(NNRT_LANES_AVX512)
  return f32_vec(_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1U), p));
#else
  if (n == f32_lanes) return load(p);
#if defined(NNRT_LANES_AVX2)
  return f32_vec(_mm256_maskload_ps(p, first_lanes(n)));
#elif defined(NNRT_HAS_XSIMD)
  // Not through memory, where a load of what several stores wrote waits for all of them.
  return f32_vec(f32_vec::register_type{p[0], n > 1 ? p[1] : 0.0F, n > 2 ? p[2] : 0.0F, 0.0F});
#else
  return f32_vec(0.0F);  // never: one lane is all there are
#endif
#endif
}

// --- half vectors ----------------------------------------------------------

/// Whether the operations on halves are single instructions here. Where they are not, nothing calls them.
#if defined(NNRT_LANES_AVX512)
inline constexpr bool has_half_vector = true;
/// Lower half of `low`, upper half of `high`.
[[gnu::always_inline]] inline f32_vec blend_halves(f32_vec low, f32_vec high) {
  return f32_vec(_mm512_mask_blend_ps(0xff00, low.data, high.data));
}
/// Which halves of a vector take part: bit 0 for the lower one, bit 1 for the upper.
struct some_halves {
  // three instructions fewer than what would compute them
  static constexpr __mmask16 masks[] = {0, 0xff, 0xff00, 0xffff};
  __mmask16 mask;
  explicit some_halves(unsigned bits) : mask(masks[bits]) {}
};
/// The halves of a vector that are there, the other one zero; what is not there is not read.
[[gnu::always_inline]] inline f32_vec load_halves(const float* p, some_halves there) {
  return f32_vec(_mm512_maskz_loadu_ps(there.mask, p));
}
/// x * y + z in these halves, z in the other one.
[[gnu::always_inline]] inline f32_vec fma(f32_vec x, f32_vec y, f32_vec z, some_halves there) {
  return f32_vec(_mm512_mask3_fmadd_ps(x.data, y.data, z.data, there.mask));
}
/// The two floats at p in every pair of lanes.
[[gnu::always_inline]] inline f32_vec broadcast_pair(const float* p) {
#if defined(NNRT_BROADCASTS_INTEGERS)
  f32_vec x;
  asm("vpbroadcastq %1, %0" : "=v"(x.data) : "m"(*reinterpret_cast<const float(*)[2]>(p)));
  return x;
#else
  double both;
  __builtin_memcpy(&both, p, sizeof both);
  return f32_vec(_mm512_castpd_ps(_mm512_set1_pd(both)));
#endif
}
/// The lanes of the lower halves, by pairs: first, second, first, second, ….
[[gnu::always_inline]] inline f32_vec pair_lanes(f32_vec first, f32_vec second) {
  const __m512i from = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return f32_vec(_mm512_permutex2var_ps(first.data, from, second.data));
}
/// The sums of both lanes of every pair: those of `low` in the lower half, those of `high` in the upper.
[[gnu::always_inline]] inline f32_vec sums_of_lane_pairs(f32_vec low, f32_vec high) {
  const f32_vec two_by_two =
      f32_vec(_mm512_shuffle_ps(low.data, high.data, 0x88)) + f32_vec(_mm512_shuffle_ps(low.data, high.data, 0xdd));
  return f32_vec(_mm512_castpd_ps(
      _mm512_permutexvar_pd(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), _mm512_castps_pd(two_by_two.data))));
}
/// The first half vector at p, twice.
[[gnu::always_inline]] inline f32_vec load_half_twice(const float* p) {
  return f32_vec(_mm512_broadcast_f32x8(_mm256_loadu_ps(p)));
}
/// The first n lanes (0 < n <= lanes / 2) of the lower half to p, of the upper half to q.
[[gnu::always_inline]] inline void store_halves(float* p, float* q, f32_vec v, std::int64_t n) {
  if (n == f32_lanes / 2) {
    _mm256_storeu_ps(p, _mm512_castps512_ps256(v.data));
    _mm256_storeu_ps(q, _mm512_extractf32x8_ps(v.data, 1));
    return;
  }
  const __mmask8 mask = static_cast<__mmask8>((1U << n) - 1U);
  _mm256_mask_storeu_ps(p, mask, _mm512_castps512_ps256(v.data));
  // Opaque, or the compiler merges both steps into a vextractf32x8 to memory, which faults on lanes that the mask
  // leaves out.
  __m256 upper = _mm512_extractf32x8_ps(v.data, 1);
  asm("" : "+v"(upper));
  _mm256_mask_storeu_ps(q, mask, upper);
}
#else
inline constexpr bool has_half_vector = false;
inline f32_vec blend_halves(f32_vec low, f32_vec) { return low; }
/// Never made.
struct some_halves {
  explicit some_halves(unsigned) {}
};
inline f32_vec load_halves(const float* p, some_halves) { return load(p); }
inline f32_vec fma(f32_vec, f32_vec, f32_vec z, some_halves) { return z; }
inline f32_vec broadcast_pair(const float* p) { return broadcast(p); }
inline f32_vec pair_lanes(f32_vec first, f32_vec) { return first; }
inline f32_vec sums_of_lane_pairs(f32_vec low, f32_vec) { return low; }
inline f32_vec load_half_twice(const float* p) { return load(p); }
inline void store_halves(float*, float*, f32_vec, std::int64_t) {}
#endif

// --- what keeps g++ 12 from spoiling a tile ---------------------------------

/// A place in memory as a number. Kernels step through rows with it: a pointer past the end of its array, as the last
/// step of a loop makes, would be undefined behaviour, a number is not.
using address = std::uintptr_t;

inline address address_of(const float* p) { return reinterpret_cast<address>(p); }

/// `floats` floats further on (or back).
[[gnu::always_inline]] inline address advanced(address from, std::int64_t floats) {
  return from + static_cast<address>(floats * static_cast<std::int64_t>(sizeof(float)));
}
[[gnu::always_inline]] inline const float* floats_at(address from) { return reinterpret_cast<const float*>(from); }

/// Multiples of a distance in memory. With x86's scaled index they reach offsets 0 to 6 from one base without a further
/// instruction. Kept opaque: g++ 12 else computes every address ahead of the loop and parks them in stack slots.
struct strides {
  address x1, x3, x5, x7;
  explicit strides(std::int64_t floats) : strides(advanced(0, floats)) {}
  static strides of_bytes(std::int64_t bytes) { return strides(static_cast<address>(bytes)); }
  /// base + I distances, I in 0 … 7.
  template <int I> [[gnu::always_inline]] address from(address base) const {
    static_assert(I >= 0 && I <= 7);
    if constexpr (I == 3) return base + x3;
    else if constexpr (I == 5) return base + x5;
    else if constexpr (I == 6) return base + 2 * x3;
    else if constexpr (I == 7) return base + x7;
    else return base + I * x1;
  }

 private:
  explicit strides(address distance) : x1(distance), x3(x1 * 3), x5(x1 * 5), x7(x1 * 7) {
    optimization_barrier(x3), optimization_barrier(x5), optimization_barrier(x7);
  }
};

/// f(0) … f(N - 1) with constant arguments. A plain loop over an array of vectors leaves the array on the stack: g++ 12
/// unrolls after it has decided what lives in memory. The lambdas given must be always_inline, too. Written out, eight
/// at a time: a pack of integers takes another function for each call, into which all is inlined once more. A lambda
/// that takes int is one function to compile; one that takes auto, for numbers that must be constants, is N.
template <int N, int First = 0, class F> [[gnu::always_inline]] inline void each(F&& f) {
  if constexpr (First + 0 < N) f(std::integral_constant<int, First + 0>{});
  if constexpr (First + 1 < N) f(std::integral_constant<int, First + 1>{});
  if constexpr (First + 2 < N) f(std::integral_constant<int, First + 2>{});
  if constexpr (First + 3 < N) f(std::integral_constant<int, First + 3>{});
  if constexpr (First + 4 < N) f(std::integral_constant<int, First + 4>{});
  if constexpr (First + 5 < N) f(std::integral_constant<int, First + 5>{});
  if constexpr (First + 6 < N) f(std::integral_constant<int, First + 6>{});
  if constexpr (First + 7 < N) f(std::integral_constant<int, First + 7>{});
  if constexpr (First + 8 < N) each<N, First + 8>(f);
}

/// Copies n floats that do not overlap; faster than memcpy for the handfuls that kernels copy.
inline void copy_floats(const float* from, std::int64_t n, float* to) {
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(to + i, load(from + i));
  if (i < n) store_n(to + i, load_n(from + i, n - i), n - i);
}

/// Sets n floats to zero.
inline void zero_floats(std::int64_t n, float* to) {
  const f32_vec zero(0.0F);
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(to + i, zero);
  if (i < n) store_n(to + i, zero, n - i);
}

/// Four pieces of 16 bytes become the rows of a square of 4-byte elements, of which they were the columns. Both ways so
/// many bytes lie from one piece to the next.
[[gnu::always_inline]] inline void transpose_4x4(const void* from, std::int64_t from_step, void* to,
                                                 std::int64_t to_step) {
  typedef float quad __attribute__((vector_size(16)));
  const auto* const columns = static_cast<const char*>(from);
  auto* const rows = static_cast<char*>(to);
  quad a, b, c, d;
  __builtin_memcpy(&a, columns, 16), __builtin_memcpy(&b, columns + from_step, 16);
  __builtin_memcpy(&c, columns + 2 * from_step, 16), __builtin_memcpy(&d, columns + 3 * from_step, 16);
  const quad ac = __builtin_shufflevector(a, c, 0, 4, 1, 5), bd = __builtin_shufflevector(b, d, 0, 4, 1, 5),
             ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7), bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
  const quad turned[] = {__builtin_shufflevector(ac, bd, 0, 4, 1, 5), __builtin_shufflevector(ac, bd, 2, 6, 3, 7),
                         __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5),
                         __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7)};
  for (int i = 0; i < 4; ++i) __builtin_memcpy(rows + i * to_step, &turned[i], 16);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
