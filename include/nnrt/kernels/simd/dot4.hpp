// dot4: dot products of quantised values, and the forms of values and weights that they take.
// Flow: int8/gemm/values.hpp says how rows are read for them, int8/gemm/pack.hpp and int8/depthwise/pack.hpp lay
// weights out; tiles and blocks of bytes sum with these.
//
// Where the machine sums four products of bytes by one instruction (VNNI, NEON dotprod), that is dot4(). AVX2 has one
// for two products of unsigned and signed bytes (vpmaddubsw), whose sums of 16 bits saturate: weights are kept as sizes
// and signs there, so that they do not. Elsewhere bytes are widened to 16 bits first: here, or, where many columns meet
// the same ones, beforehand (int8/gemm/values.hpp).
#pragma once

#include <nnrt/kernels/simd/int8_lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if (defined(NNRT_LANES_AVX512) && defined(__AVX512VNNI__)) || (defined(NNRT_LANES_AVX2) && defined(__AVXVNNI__))
#define NNRT_BYTES_VNNI 1
#elif defined(NNRT_LANES_AVX2)
#define NNRT_BYTES_TURNED 1
#elif defined(__SSE2__) || (defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD))
#define NNRT_BYTES_WIDENED 1
#elif defined(__ARM_FEATURE_DOTPROD) && defined(__ARM_FEATURE_MATMUL_INT8)
#define NNRT_BYTES_SQUARES 1
#endif

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

// --- values and weights ---------------------------------------------------------

/// What dot products take as the first factor, as offset from a stored i8: x86 multiplies unsigned by signed bytes.
#if defined(__ARM_FEATURE_DOTPROD) || defined(NNRT_BYTES_TURNED)
inline constexpr bool dots_are_signed = true;
#else
inline constexpr bool dots_are_signed = false;
#endif

#if defined(NNRT_BYTES_WIDENED)
/// Four bytes in each lane as 16 bits each, two of them in each register: side by side in a lane, or on NEON, which
/// multiplies halves of registers, one of each lane in the lower half and the other in the upper.
struct dot_values {
  int_vector first, second;
};
/// The weights that they meet, those of places 0 and 1 and those of places 2 and 3.
struct dot_weights {
  int_vector first, second;
};
#if defined(__aarch64__)
/// The bytes of four lanes by their places.
[[gnu::always_inline]] inline int8x16_t bytes_by_place(int_vector bytes) {
  const auto x = (int8_vector)bytes;
  return (int8x16_t)__builtin_shufflevector(x, x, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
}
/// Four bytes in each lane: in their order.
[[gnu::always_inline]] inline dot_values values_of(int_vector bytes) {
  const uint8x16_t x = vreinterpretq_u8_s8(bytes_by_place(bytes));
  return {(int_vector)vmovl_u8(vget_low_u8(x)), (int_vector)vmovl_high_u8(x)};
}
#else
/// Four bytes in each lane: those at even places, then those at odd ones.
[[gnu::always_inline]] inline dot_values values_of(int_vector bytes) {
  typedef std::uint16_t words __attribute__((vector_size(register_bytes)));
  return {bytes & 0x00ff00ff, (int_vector)((words)bytes >> 8)};
}
#endif
#elif defined(NNRT_BYTES_TURNED)
/// Four bytes in each lane.
struct dot_values {
  int_vector bytes;
};
/// The weights that they meet: their sizes, up to 128, and what the values are exclusive-ored with, all bits where a
/// weight is negative. For such a weight
/// -n n times -x - 1 is a size too little, see left_out(); and no sum of two products leaves 16 bits: it is 2 * 128 *
/// 127 at most, and -2 * 128 * 128 at least.
struct dot_weights {
  int_vector sizes, turns;
};
[[gnu::always_inline]] inline dot_values values_of(int_vector bytes) { return {bytes}; }
#else
/// Four bytes in each lane.
struct dot_values {
  int_vector bytes;
};
/// The weights that they meet.
struct dot_weights {
  int_vector bytes;
};
[[gnu::always_inline]] inline dot_values values_of(int_vector bytes) { return {bytes}; }
#endif

/// Bytes that the weights of one dot product take in memory, for all lanes.
inline constexpr std::int64_t dot_bytes = sizeof(dot_weights);

/// Whether weights say, too, how the bytes that they meet are flipped: what is flipped otherwise then need not be.
#if defined(NNRT_BYTES_TURNED)
inline constexpr bool weights_flip = true;
#else
inline constexpr bool weights_flip = false;
#endif
/// What dot products with a weight lack, whatever they meet.
constexpr std::int64_t left_out(std::int32_t weight) { return weights_flip && weight < 0 ? -weight : 0; }

/// The place (0 to 3) of the weight that byte i of a lane meets in values_of(): to take bytes apart in their order
/// takes longer. Number i of a broadcast meets the weight at place i.
constexpr std::int64_t place_of_byte(std::int64_t i) {
#if defined(NNRT_BYTES_WIDENED) && !defined(__aarch64__)
  return i % 2 * 2 + i / 2;
#else
  return i;
#endif
}
/// Where the weight of a lane at place 0 or 1 is, or at place 2 or 3 behind it, in weights of two bytes each.
constexpr std::int64_t wide_place(std::int64_t lane, std::int64_t place) {
#if defined(__aarch64__)
  return place % 2 * int_lanes + lane;
#else
  return lane * 2 + place % 2;
#endif
}
/// Sets the weight of a lane at a place.
///
/// \param flip of the bytes that it meets, where weights say so
inline void put_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value,
                       [[maybe_unused]] std::int32_t flip = 0) {
#if defined(NNRT_BYTES_TURNED)
  weights[lane * 4 + place] = static_cast<std::byte>(value < 0 ? -value : value);
  weights[register_bytes + lane * 4 + place] = static_cast<std::byte>((value < 0 ? 0xff : 0) ^ (flip & 0xff));
#elif defined(NNRT_BYTES_WIDENED)
  const std::int16_t wide = value;
  std::memcpy(weights + place / 2 * register_bytes + 2 * wide_place(lane, place), &wide, sizeof wide);
#else
  std::memcpy(weights + lane * 4 + place, &value, sizeof value);
#endif
}
/// Sets the four weights of a lane, of 16 bits, as tiles of wide numbers read them.
[[gnu::always_inline]] inline void put_wide_weights(std::byte* weights, std::int64_t lane, const std::int16_t* four) {
#if defined(__aarch64__)
  for (std::int64_t place = 0; place < 4; ++place)
    std::memcpy(weights + place / 2 * register_bytes + 2 * wide_place(lane, place), four + place, 2);
#else
  std::memcpy(weights + 4 * lane, four, 4), std::memcpy(weights + register_bytes + 4 * lane, four + 2, 4);
#endif
}
[[gnu::always_inline]] inline dot_weights load_weights(const std::byte* p) {
#if defined(NNRT_BYTES_WIDENED) || defined(NNRT_BYTES_TURNED)
  return {load_vector<int_vector>(p), load_vector<int_vector>(p + register_bytes)};
#else
  return {load_vector<int_vector>(p)};
#endif
}

/// Bytes in the order in which values_of() takes them apart: byte i of a lane where place_of_byte(i) was.
[[gnu::always_inline]] inline int_vector in_order(int_vector bytes) {
#if defined(NNRT_BYTES_WIDENED) && !defined(__aarch64__)
  const auto x = (int8_vector)bytes;
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return (int_vector)__builtin_shufflevector(x, x, (I / 4 * 4 + static_cast<int>(place_of_byte(I % 4)))...);
  }
  (std::make_integer_sequence<int, static_cast<int>(register_bytes)>{});
#else
  return bytes;
#endif
}

/// Four signed bytes in each lane, byte i as the weight at place i; the bytes that they meet are flipped by them where
/// weights do that.
[[gnu::always_inline]] inline dot_weights weights_of(int_vector bytes,
                                                     [[maybe_unused]] int_vector flip = int_vector{}) {
#if defined(NNRT_BYTES_TURNED)
  return {(int_vector)_mm256_abs_epi8((__m256i)bytes),
          (int_vector)_mm256_cmpgt_epi8(_mm256_setzero_si256(), (__m256i)bytes) ^ flip};
#elif defined(NNRT_BYTES_WIDENED) && defined(__aarch64__)
  const int8x16_t x = bytes_by_place(bytes);
  return {(int_vector)vmovl_s8(vget_low_s8(x)), (int_vector)vmovl_high_s8(x)};
#elif defined(NNRT_BYTES_WIDENED)
  const int_vector x = in_order(bytes);
  return {(int_vector)((int16_vector)(x << 8) >> 8), (int_vector)((int16_vector)x >> 8)};
#else
  return {bytes};
#endif
}
[[gnu::always_inline]] inline void store_weights(std::byte* p, dot_weights w) { store_vector(p, w); }

// The same as bytes: half the memory where weights take two registers, for those that are read but once and taken apart
// then. They flip nothing.

/// Bytes that the weights of one dot product take as bytes, for all lanes.
inline constexpr std::int64_t narrow_dot_bytes = register_bytes;

inline void put_narrow_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value) {
#if defined(NNRT_BYTES_WIDENED)
  std::memcpy(weights + place / 2 * (register_bytes / 2) + wide_place(lane, place), &value, sizeof value);
#else
  std::memcpy(weights + lane * 4 + place, &value, sizeof value);
#endif
}
[[gnu::always_inline]] inline dot_weights load_narrow_weights(const std::byte* p) {
#if defined(NNRT_BYTES_WIDENED)
  return {(int_vector)load_widened<true>(p), (int_vector)load_widened<true>(p + register_bytes / 2)};
#else
  return weights_of(load_vector<int_vector>(p));
#endif
}
/// Four signed bytes in each lane, byte i as the weight at place i.
[[gnu::always_inline]] inline void store_narrow_weights(std::byte* p, int_vector bytes) {
#if defined(NNRT_BYTES_WIDENED) && defined(__aarch64__)
  store_vector(p, (int8_vector)bytes_by_place(bytes));
#elif defined(NNRT_BYTES_WIDENED)
  const auto x = (int16_vector)bytes;
  store_vector(
      p, [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        return __builtin_shufflevector(x, x,
                                       (I % static_cast<int>(int_lanes) * 2 + I / static_cast<int>(int_lanes))...);
      }(std::make_integer_sequence<int, static_cast<int>(2 * int_lanes)>{}));
#else
  store_vector(p, bytes);
#endif
}

/// Keeps weights in registers, see keep_vector().
[[gnu::always_inline]] inline void keep_weights(dot_weights& w) {
#if defined(NNRT_BYTES_WIDENED)
  vector_barrier(w.first), vector_barrier(w.second);
#elif defined(NNRT_BYTES_TURNED)
  vector_barrier(w.sizes), vector_barrier(w.turns);
#else
  vector_barrier(w.bytes);
#endif
}

// --- dot products -----------------------------------------------------------------

/// sum + the products of x and w, two of them in each lane.
[[gnu::always_inline]] inline int_vector dot2(int_vector sum, int16_vector x, int16_vector w) {
#if defined(NNRT_BYTES_VNNI) && defined(NNRT_LANES_AVX512)
  asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(x), "vm"(w));  // as dot4()
  return sum;
#elif defined(NNRT_BYTES_VNNI)
  asm("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sum) : "x"(x), "xm"(w));
  return sum;
#elif defined(NNRT_LANES_AVX512) && defined(__clang__)
  return sum + (int_vector)_mm512_madd_epi16((__m512i)x, (__m512i)w);
#elif defined(NNRT_LANES_AVX2) && defined(__clang__)
  return sum + (int_vector)_mm256_madd_epi16((__m256i)x, (__m256i)w);
#elif defined(NNRT_LANES_AVX512) || defined(NNRT_LANES_AVX2)
  // g++ 12 makes all products of a step before it adds the first, and spills the sums.
  int_vector products;
  asm("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+v"(sum), "=&v"(products) : "v"(x), "vm"(w));
  return sum;
#elif defined(__SSE2__)
  return sum + (int_vector)_mm_madd_epi16((__m128i)x, (__m128i)w);
#elif defined(__aarch64__)
  const auto a = (int16x8_t)x, b = (int16x8_t)w;
  return sum + (int_vector)vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b));
#else
  for (int lane = 0; lane < int_lanes; ++lane)
    sum[lane] += x[2 * lane] * w[2 * lane] + x[2 * lane + 1] * w[2 * lane + 1];
  return sum;
#endif
}

/// sum + two of the four products of each lane, where these are 16 bits each: registers hold the same of x and of w.
[[gnu::always_inline]] inline int_vector half_of_dot4(int_vector sum, int_vector x, int_vector w) {
#if defined(__aarch64__)
  const auto a = (int16x8_t)x, b = (int16x8_t)w;
  return (int_vector)vmlal_high_s16(vmlal_s16((int32x4_t)sum, vget_low_s16(a), vget_low_s16(b)), a, b);
#else
  return dot2(sum, (int16_vector)x, (int16_vector)w);
#endif
}

/// sum + the four products of each lane.
[[gnu::always_inline]] inline int_vector dot4(int_vector sum, dot_values x, dot_weights w) {
#if defined(NNRT_BYTES_VNNI)
#if defined(NNRT_LANES_AVX512) && defined(__clang__)
  return (int_vector)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x.bytes, (__m512i)w.bytes);
#elif defined(NNRT_LANES_AVX512)
  // g++ 12 sees each accumulator of the intrinsic in two vector types, keeps both alive across the loop and spills.
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x.bytes), "vm"(w.bytes));
  return sum;
#elif defined(__clang__)
  return (int_vector)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)x.bytes, (__m256i)w.bytes);
#else
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(x.bytes), "xm"(w.bytes));
  return sum;
#endif
#elif defined(NNRT_BYTES_WIDENED)
  return half_of_dot4(half_of_dot4(sum, x.first, w.first), x.second, w.second);
#elif defined(NNRT_BYTES_TURNED)
  const __m256i ones = _mm256_set1_epi16(1);
#if defined(__clang__)
  const __m256i pairs = _mm256_maddubs_epi16((__m256i)w.sizes, (__m256i)(x.bytes ^ w.turns));
  return sum + (int_vector)_mm256_madd_epi16(pairs, ones);
#else
  int_vector products;  // as dot2()
  asm("vpxor %3, %2, %1\n\tvpmaddubsw %1, %4, %1\n\tvpmaddwd %5, %1, %1\n\tvpaddd %1, %0, %0"
      : "+x"(sum), "=&x"(products)
      : "%x"(x.bytes), "xm"(w.turns), "x"(w.sizes), "x"(ones));  // of values and turns either may be in memory
  return sum;
#endif
#elif defined(__ARM_FEATURE_DOTPROD)
  return (int_vector)vdotq_s32((int32x4_t)sum, (int8x16_t)x.bytes, (int8x16_t)w.bytes);
#else
  const auto bytes = (int8_vector)x.bytes, weights = (int8_vector)w.bytes;
  for (int lane = 0; lane < int_lanes; ++lane)
    for (int i = 4 * lane; i < 4 * lane + 4; ++i) sum[lane] += static_cast<std::uint8_t>(bytes[i]) * weights[i];
  return sum;
#endif
}

#if defined(NNRT_BYTES_TURNED)
/// What a tile keeps in registers of weights that several rows meet: the sizes. What turns is an operand from memory,
/// which takes no instruction of its own.
struct kept_weights {
  int_vector sizes;
};
[[gnu::always_inline]] inline kept_weights keep_weights_at(const std::byte* p) { return {load_vector<int_vector>(p)}; }
/// sum + the four products of each lane with the weights at p.
[[gnu::always_inline]] inline int_vector dot4_at(int_vector sum, dot_values x, kept_weights w, const std::byte* p) {
#if defined(__clang__)
  return dot4(sum, x, {w.sizes, load_vector<int_vector>(p + register_bytes)});
#else
  typedef int_vector anywhere __attribute__((aligned(1)));
  int_vector products;
  asm("vpxor %3, %2, %1\n\tvpmaddubsw %1, %4, %1\n\tvpmaddwd %5, %1, %1\n\tvpaddd %1, %0, %0"
      : "+x"(sum), "=&x"(products)
      : "x"(x.bytes), "m"(*reinterpret_cast<const anywhere*>(p + register_bytes)), "x"(w.sizes),
        "x"(_mm256_set1_epi16(1)));
  return sum;
#endif
}
#else
/// What a tile keeps in registers of weights that several rows meet: all.
using kept_weights = dot_weights;
[[gnu::always_inline]] inline kept_weights keep_weights_at(const std::byte* p) { return load_weights(p); }
/// sum + the four products of each lane with the weights at p.
[[gnu::always_inline]] inline int_vector dot4_at(int_vector sum, dot_values x, kept_weights w, const std::byte*) {
  return dot4(sum, x, w);
}
#endif

/// Weights of 1.
[[gnu::always_inline]] inline dot_weights unit_weights() {
#if defined(NNRT_BYTES_WIDENED)
  return {int_lanes_of(0x00010001), int_lanes_of(0x00010001)};
#elif defined(NNRT_BYTES_TURNED)
  return {int_lanes_of(0x01010101), int_vector{}};
#else
  return {int_lanes_of(0x01010101)};
#endif
}
/// sum + the four signed bytes of each lane.
[[gnu::always_inline]] inline int_vector sum4(int_vector sum, int_vector bytes) {
  if constexpr (dots_are_signed) return dot4(sum, values_of(bytes), unit_weights());
  else return dot4(sum, values_of(int_lanes_of(0x01010101)), weights_of(bytes));
}

/// Whether products may take their first factor from one place of a register: one load of A then serves several steps,
/// and none has to be spread first.
#if defined(__aarch64__)
inline constexpr bool has_lane_dots = true;
/// sum + the four products of each lane of w with step I of x: four numbers as tiles of several rows read them.
template <int I> [[gnu::always_inline]] inline int_vector dot4_lane(int_vector sum, int_vector x, dot_weights w) {
#if defined(NNRT_BYTES_WIDENED)
  const auto a = (int16x8_t)x, first = (int16x8_t)w.first, second = (int16x8_t)w.second;
  int32x4_t of = vmlal_laneq_s16((int32x4_t)sum, vget_low_s16(first), a, 4 * I);
  of = vmlal_high_laneq_s16(of, first, a, 4 * I + 1);
  of = vmlal_laneq_s16(of, vget_low_s16(second), a, 4 * I + 2);
  return (int_vector)vmlal_high_laneq_s16(of, second, a, 4 * I + 3);
#else
  return (int_vector)vdotq_laneq_s32((int32x4_t)sum, (int8x16_t)w.bytes, (int8x16_t)x, I);
#endif
}
#else
inline constexpr bool has_lane_dots = false;
// where code says if constexpr
template <int> inline int_vector dot4_lane(int_vector sum, int_vector, dot_weights) { return sum; }
#endif

/// The 32 bits at p in every lane.
[[gnu::always_inline]] inline int_vector broadcast_word(const void* p) {
  std::int32_t word;
  __builtin_memcpy(&word, p, sizeof word);
#if defined(NNRT_LANES_AVX512)
  return (int_vector)_mm512_set1_epi32(word);
#else
  return int_lanes_of(word);
#endif
}
/// The two shorts at p in every lane, as half_of_dot4() takes them.
[[gnu::always_inline]] inline int_vector broadcast_shorts(const void* p) {
#if defined(__aarch64__)
  const auto* const x = static_cast<const std::int16_t*>(p);
  return (int_vector)vcombine_s16(vld1_dup_s16(x), vld1_dup_s16(x + 1));
#else
  return broadcast_word(p);
#endif
}
/// The four bytes at p in every lane, `flip` (in every lane) exclusive-ored: 0x80 in each byte makes signed ones
/// unsigned.
[[gnu::always_inline]] inline dot_values broadcast4(const void* p, int_vector flip) {
  return values_of(in_order(broadcast_word(p) ^ flip));
}

/// Whether broadcast8() and paired_sums() are there. Where bytes are widened a broadcast costs nothing beside its
/// products.
#if defined(NNRT_BYTES_VNNI)
inline constexpr bool has_pairs_of_lanes = true;
#else
inline constexpr bool has_pairs_of_lanes = false;
#endif

/// The eight bytes at p in every pair of lanes, flipped.
[[gnu::always_inline]] inline dot_values broadcast8(const void* p, int_vector flip) {
  std::int64_t word;
  __builtin_memcpy(&word, p, sizeof word);
#if defined(NNRT_LANES_AVX512)
  return values_of(in_order((int_vector)_mm512_set1_epi64(word) ^ flip));
#else
  typedef std::int64_t pairs __attribute__((vector_size(register_bytes)));
  return values_of(in_order((int_vector)(word - pairs{}) ^ flip));
#endif
}
/// The sums of pairs of lanes: each four lanes are two pairs of x and two of y, see pair_of_lane().
[[gnu::always_inline]] inline int_vector paired_sums(int_vector x, int_vector y) {
#if defined(NNRT_LANES_AVX512)
  return (int_vector)_mm512_castps_si512(_mm512_shuffle_ps((__m512)x, (__m512)y, 0x88)) +
         (int_vector)_mm512_castps_si512(_mm512_shuffle_ps((__m512)x, (__m512)y, 0xdd));
#elif defined(NNRT_LANES_AVX2)
  return (int_vector)_mm256_castps_si256(_mm256_shuffle_ps((__m256)x, (__m256)y, 0x88)) +
         (int_vector)_mm256_castps_si256(_mm256_shuffle_ps((__m256)x, (__m256)y, 0xdd));
#else
  (void)y;
  return x;
#endif
}
/// The pair whose sum comes into a lane: of which of the two registers, and its first lane there.
struct lane_pair {
  std::int64_t source, lane;
};
constexpr lane_pair pair_of_lane(std::int64_t lane) { return {lane % 4 / 2, lane / 4 * 4 + lane % 2 * 2}; }

// --- squares of two rows and two columns ----------------------------------------

/// Whether one instruction has eight products for each of four sums, those of two rows with two columns (NEON i8mm).
#if defined(NNRT_BYTES_SQUARES)
inline constexpr bool has_squares = true;

/// Eight bytes of one row and eight of another.
[[gnu::always_inline]] inline int_vector eight_of_two(const std::byte* first, const std::byte* second) {
  return (int_vector)vcombine_s8(vld1_s8(reinterpret_cast<const std::int8_t*>(first)),
                                 vld1_s8(reinterpret_cast<const std::int8_t*>(second)));
}
/// sum + the products of two rows with two columns: the first row's sums in lanes 0 and 1, the second row's behind
/// them.
[[gnu::always_inline]] inline int_vector add_square(int_vector sum, dot_values rows, int_vector columns) {
  return (int_vector)vmmlaq_s32((int32x4_t)sum, (int8x16_t)rows.bytes, (int8x16_t)columns);
}
#else
inline constexpr bool has_squares = false;

// where code says if constexpr
[[gnu::always_inline]] inline int_vector add_square(int_vector sum, dot_values, int_vector) { return sum; }
#endif
/// One row of two squares side by side.
template <int Row> [[gnu::always_inline]] inline int_vector row_of_squares(int_vector left, int_vector right) {
  typedef std::int64_t halves __attribute__((vector_size(register_bytes)));
  return (int_vector)zip_half<Row>((halves)left, (halves)right);
}

/// Vectors of columns of a panel that may have two steps in pairs of lanes: of all tiles, or of those that are one
/// vector wide.
inline constexpr std::int64_t max_paired_vectors = has_squares ? 2 : has_pairs_of_lanes ? 1 : 0;

}}}  // namespace nnrt::NNRT_ISA::kernels
