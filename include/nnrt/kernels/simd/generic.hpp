// generic: every operation on registers in portable C++, for machines that lack an instruction for it.
// Flow: the files of instruction sets in simd/ derive from generic_machine and override what they have;
// simd/machine.hpp chooses one of them. tests/kernels/simd/machine_test.cpp compares each override with this file.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// How a machine sums four products of 8-bit values in each 32-bit lane, and how it wants them packed.
enum class dot4_packing {
  bytes,         // one instruction for four products, or portable code
  sign_flipped,  // AVX2: weights as magnitudes, signs applied to the values by exclusive or
  widened,       // both factors widened to 16 bits; even and odd bytes of a lane in two registers
  widened_rows,  // NEON: both factors widened to 16 bits; bytes 0 of all lanes next to bytes 1 in one register
};

/// How a machine looks up bytes in a table of 256 entries.
enum class table_look_up {
  memory,     // a load for each byte
  shuffles,   // AVX2: shuffle_bytes() of 16 entries at a time, see table_of_differences
  registers,  // AVX-512: the whole table in registers, see byte_table
};

/// Vectors of a number of bytes. Integers may alias other types: kernels read memory of any type through them. (g++ 12
/// ignores vector_size() of a template parameter until instantiation, hence a specialisation for each size.)
template <std::size_t Bytes> struct vectors_of;
#define NNRT_VECTORS_OF(BYTES)                                               \
  template <> struct vectors_of<BYTES> {                                     \
    typedef std::int32_t i32 __attribute__((vector_size(BYTES), may_alias)); \
    typedef std::int16_t i16 __attribute__((vector_size(BYTES), may_alias)); \
    typedef std::int8_t i8 __attribute__((vector_size(BYTES), may_alias));   \
    typedef std::int64_t i64 __attribute__((vector_size(BYTES)));            \
    typedef double f64 __attribute__((vector_size(BYTES)));                  \
    typedef std::int32_t f32_bits __attribute__((vector_size(BYTES)));       \
    typedef std::int32_t half_i32 __attribute__((vector_size((BYTES) / 2))); \
  };
NNRT_VECTORS_OF(16)
NNRT_VECTORS_OF(32)
NNRT_VECTORS_OF(64)
#undef NNRT_VECTORS_OF
/// A scalar in place of a vector of floats.
template <> struct vectors_of<sizeof(float)> {
  using f32_bits = std::int32_t;
};
/// One float in place of a register.
struct scalar_registers {
  using f32 = float;
};

/// Constants and operations of a machine. `Machine` derives from this and overrides members by name; a member that
/// calls another goes through `Machine`, so that overrides apply. `Registers::f32` is a register of floats, or float;
/// integer registers have `Bytes` bytes. Nothing is instantiated before it is used.
template <class Machine, class Registers, std::size_t Bytes> struct generic_machine {
  // --- registers ----------------------------------------------------------------

  using f32 = typename Registers::f32;
  static constexpr bool has_float_vectors = sizeof(f32) > sizeof(float);
  // NOLINTNEXTLINE(bugprone-sizeof-expression): a register without vectors is a float.
  static constexpr int f32_lanes = sizeof(f32) / sizeof(float);
  /// The bits of `f32`, as 32-bit integers.
  using f32_bits = typename vectors_of<sizeof(f32)>::f32_bits;

  static constexpr std::int64_t register_bytes = Bytes;
  using i32 = typename vectors_of<Bytes>::i32;
  using i16 = typename vectors_of<Bytes>::i16;
  using i8 = typename vectors_of<Bytes>::i8;
  using i64 = typename vectors_of<Bytes>::i64;
  using f64 = typename vectors_of<Bytes>::f64;
  using half_i32 = typename vectors_of<Bytes>::half_i32;
  static constexpr int i32_lanes = Bytes / 4, i16_lanes = Bytes / 2, i8_lanes = Bytes;
  /// Whether integers have registers of `Bytes` bytes; without, compilers take vectors apart and keep them in memory.
  static constexpr bool has_integer_vectors = true;

  /// Vector registers of the machine; register tiles are chosen by it.
  static constexpr int vector_registers = 16;

  // --- floats -------------------------------------------------------------------

  /// x in every lane.
  [[gnu::always_inline]] static f32 all(float x) {
    if constexpr (has_float_vectors) return x - f32{};
    else return x;
  }
  [[gnu::always_inline]] static f32 load(const float* p) {
    f32 x;
    __builtin_memcpy(&x, p, sizeof x);
    return x;
  }
  [[gnu::always_inline]] static void store(float* p, f32 x) { __builtin_memcpy(p, &x, sizeof x); }
  /// *p in every lane, for several products.
  [[gnu::always_inline]] static f32 broadcast_load(const float* p) { return all(*p); }
  /// *p in every lane, for one product.
  [[gnu::always_inline]] static f32 broadcast(const float* p) { return Machine::broadcast_load(p); }

  /// Whether fma() rounds once.
  static constexpr bool has_one_rounding_fma = false;
  [[gnu::always_inline]] static f32 fma(f32 x, f32 y, f32 z) { return x * y + z; }
  /// sum += x * y, rounded as fma() rounds.
  [[gnu::always_inline]] static void add_product(f32& sum, f32 x, f32 y) { sum = Machine::fma(x, y, sum); }
  /// Whether fma_lane() is one instruction.
  static constexpr bool has_lane_products = false;
  /// x * y[I] + z.
  template <int I> [[gnu::always_inline]] static f32 fma_lane(f32 x, f32 y, f32 z) {
    static_assert(has_float_vectors && I < f32_lanes);
    return Machine::fma(x, all(y[I]), z);
  }
  /// Whether max() and min() give NaN where an operand is NaN; else they give y.
  static constexpr bool max_propagates_nan = false;
  [[gnu::always_inline]] static f32 max(f32 x, f32 y) { return x > y ? x : y; }
  [[gnu::always_inline]] static f32 min(f32 x, f32 y) { return x < y ? x : y; }
  /// Correctly rounded.
  [[gnu::always_inline]] static f32 sqrt(f32 x) {
    if constexpr (has_float_vectors) {
      for (int i = 0; i < f32_lanes; ++i) x[i] = __builtin_sqrtf(x[i]);
      return x;
    } else {
      return __builtin_sqrtf(x);
    }
  }

  /// Whether load_n() and store_n() cost no more than load() and store().
  static constexpr bool masks_are_free = false;
  /// *p in the first lane; the other lanes hold zeros or *p.
  [[gnu::always_inline]] static f32 load_one(const float* p) { return Machine::broadcast(p); }
  [[gnu::always_inline]] static void store_one(float* p, f32 x) {
    if constexpr (has_float_vectors) *p = x[0];
    else *p = x;
  }
  /// The first n floats at p (0 < n <= f32_lanes), zeros in the other lanes; memory past them is not read.
  [[gnu::always_inline]] static f32 load_n(const float* p, std::int64_t n) {
    if (n == f32_lanes) return Machine::load(p);
    f32 x{};
    // Four lanes not through memory, where a load of what several stores wrote waits for all of them.
    if constexpr (f32_lanes == 4) x = f32{p[0], n > 1 ? p[1] : 0.0F, n > 2 ? p[2] : 0.0F, 0.0F};
    else if constexpr (has_float_vectors) __builtin_memcpy(&x, p, static_cast<std::size_t>(n) * sizeof(float));
    return x;
  }
  /// Stores the first n lanes (0 < n <= f32_lanes); memory past them is not written.
  [[gnu::always_inline]] static void store_n(float* p, f32 x, std::int64_t n) {
    if (n == f32_lanes) return Machine::store(p, x);
    if constexpr (f32_lanes == 4) {
      p[0] = x[0];
      if (n > 1) p[1] = x[1];
      if (n > 2) p[2] = x[2];
    } else if constexpr (has_float_vectors) {
      __builtin_memcpy(p, &x, static_cast<std::size_t>(n) * sizeof(float));
    }
  }
  /// x in the first n lanes, `rest` in the others.
  [[gnu::always_inline]] static f32 first_or(f32 x, std::int64_t n, float rest) {
    if constexpr (has_float_vectors) {
      return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        return f32{static_cast<float>(I)...} < all(static_cast<float>(n)) ? x : all(rest);
      }
      (std::make_integer_sequence<int, f32_lanes>{});
    } else {
      return n > 0 ? x : rest;
    }
  }

  // Bits of floats, and integers as floats.
  [[gnu::always_inline]] static f32_bits bits(f32 x) { return __builtin_bit_cast(f32_bits, x); }
  [[gnu::always_inline]] static f32 from_bits(f32_bits x) { return __builtin_bit_cast(f32, x); }
  [[gnu::always_inline]] static f32 to_float(f32_bits x) {
    if constexpr (has_float_vectors) return __builtin_convertvector(x, f32);
    else return static_cast<float>(x);
  }
  /// x * 2^exponent where the exponent of neither the factor nor the product leaves those of normal numbers: its lowest
  /// bits are added to the exponent of x.
  [[gnu::always_inline]] static f32 scaled_by_low_bits(f32 x, f32 exponent) {
    if constexpr (has_float_vectors) {
      return from_bits(bits(x) + (bits(exponent) << 23));
    } else {
      const auto shifted = static_cast<std::uint32_t>(bits(exponent)) << 23U;
      return from_bits(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits(x)) + shifted));
    }
  }

  /// Whether max_of_bits() is faster than max().
  static constexpr bool has_max_of_bits = false;
  /// Whether computing exponentials of several registers side by side is faster than one after the other.
  static constexpr bool has_side_by_side_exponentials = false;

  // --- halves of a register of floats --------------------------------------------

  /// Whether the operations on halves are single instructions; where they are not, kernels do without them.
  static constexpr bool has_half_vector = false;
  /// Which halves take part: bit 0 the lower one, bit 1 the upper one.
  struct some_halves {
    unsigned of;
    [[gnu::always_inline]] explicit some_halves(unsigned bits) : of(bits) {}
  };
  /// The lower half of `low`, the upper half of `high`.
  [[gnu::always_inline]] static f32 blend_halves(f32 low, f32 high) {
    return with_lanes([&](int i) { return i < f32_lanes / 2 ? low[i] : high[i]; });
  }
  /// The given halves of the register at p, zeros in the other one; memory of the other one is not read.
  [[gnu::always_inline]] static f32 load_halves(const float* p, some_halves there) {
    return with_lanes([&](int i) { return takes_part(there, i) ? p[i] : 0.0F; });
  }
  /// x * y + z in the given halves, z in the other one.
  [[gnu::always_inline]] static f32 fma_halves(f32 x, f32 y, f32 z, some_halves there) {
    const f32 sum = Machine::fma(x, y, z);
    return with_lanes([&](int i) { return takes_part(there, i) ? sum[i] : z[i]; });
  }
  /// The two floats at p in every pair of lanes.
  [[gnu::always_inline]] static f32 broadcast_pair(const float* p) {
    return with_lanes([&](int i) { return p[i % 2]; });
  }
  /// The lanes of both lower halves by pairs: first[0], second[0], first[1], second[1], ….
  [[gnu::always_inline]] static f32 pair_lanes(f32 first, f32 second) {
    return with_lanes([&](int i) { return i % 2 == 0 ? first[i / 2] : second[i / 2]; });
  }
  /// The sums of both lanes of every pair: those of `low` in the lower half, those of `high` in the upper one.
  [[gnu::always_inline]] static f32 sums_of_lane_pairs(f32 low, f32 high) {
    return with_lanes([&](int i) {
      const int pair = i % (f32_lanes / 2) * 2;
      return i < f32_lanes / 2 ? low[pair] + low[pair + 1] : high[pair] + high[pair + 1];
    });
  }
  /// The half register at p, twice.
  [[gnu::always_inline]] static f32 load_half_twice(const float* p) {
    return with_lanes([&](int i) { return p[i % (f32_lanes / 2)]; });
  }
  /// Stores the first n lanes (0 < n <= f32_lanes / 2) of the lower half to p, of the upper half to q.
  [[gnu::always_inline]] static void store_halves(float* p, float* q, f32 x, std::int64_t n) {
    static_assert(has_float_vectors);
    for (int i = 0; i < n; ++i) p[i] = x[i], q[i] = x[f32_lanes / 2 + i];
  }

  // --- conversions to float16 ------------------------------------------------------

  /// Numbers that load_f16() and store_f16() convert at once; 0: there is no instruction.
  static constexpr int f16_lanes = 0;
  /// Whether the compiler converts a single float16 by an instruction.
  static constexpr bool has_f16_instructions = false;

  // --- integers -------------------------------------------------------------------

  template <class V> [[gnu::always_inline]] static V load_vector(const void* p) {
    V x;
    __builtin_memcpy(&x, p, sizeof x);
    return x;
  }
  /// The first n bytes at p (0 < n <= register_bytes), zeros in the others; memory past them is not read.
  [[gnu::always_inline]] static i8 load_bytes(const std::byte* p, std::int64_t n) {
    if (n == register_bytes) return load_vector<i8>(p);
    i8 x{};
    __builtin_memcpy(&x, p, static_cast<std::size_t>(n));
    return x;
  }
  /// Half a register of 8-bit values at p, widened to 16 bits.
  template <bool IsSigned> [[gnu::always_inline]] static i16 load_widened(const std::byte* p) {
    i16 wide;
    for (int i = 0; i < i16_lanes; ++i)
      wide[i] = IsSigned ? static_cast<std::int16_t>(static_cast<std::int8_t>(p[i])) : static_cast<std::int16_t>(p[i]);
    return wide;
  }
  /// A quarter of a register of 8-bit values at p, widened to 32 bits.
  [[gnu::always_inline]] static i32 load_widened_to_i32(const std::byte* p, bool is_unsigned) {
    i32 wide;
    for (int i = 0; i < i32_lanes; ++i) {
      const auto byte = static_cast<std::uint8_t>(p[i]);
      wide[i] = is_unsigned ? byte : static_cast<std::int8_t>(byte);
    }
    return wide;
  }
  /// *p in every lane.
  [[gnu::always_inline]] static i32 broadcast_word(const void* p) {
    std::int32_t word;
    __builtin_memcpy(&word, p, sizeof word);
    return word - i32{};
  }
  /// The eight bytes at p in every pair of lanes.
  [[gnu::always_inline]] static i32 broadcast_words(const void* p) {
    std::int64_t words;
    __builtin_memcpy(&words, p, sizeof words);
    return (i32)(words - i64{});
  }
  /// The two 16-bit values at p in every lane, ordered for dot2_rows().
  [[gnu::always_inline]] static i32 broadcast_i16(const void* p) { return Machine::broadcast_word(p); }
  /// Lane l of register v of x belongs to byte l / 4 * 16 + v * 4 + l % 4; of the result to byte v * i32_lanes + l.
  [[gnu::always_inline]] static void put_columns_in_order(const i32 (&x)[4], i32 (&y)[4]) {
    for (int byte = 0; byte < register_bytes; ++byte)
      y[byte / i32_lanes][byte % i32_lanes] = x[byte % 16 / 4][byte / 16 * 4 + byte % 4];
  }
  /// The lanes of 32 bits as doubles.
  [[gnu::always_inline]] static f64 to_double(half_i32 x) { return __builtin_convertvector(x, f64); }
  /// x * y - z without rounding, where it is a whole number below 2^53 and x * y and z are below 2^63.
  [[gnu::always_inline]] static f64 exact_difference(f64 x, f64 y, f64 z) {
    const auto whole = [](f64 d) { return __builtin_convertvector(d, i64); };
    return __builtin_convertvector(whole(x) * whole(y) - whole(z), f64);
  }
  /// Whether any lane of x is larger than that of y.
  [[gnu::always_inline]] static bool any_is_larger(i32 x, i32 y) {
    for (int i = 0; i < i32_lanes; ++i)
      if (x[i] > y[i]) return true;
    return false;
  }

  // --- from accumulators of 32 bits to quantised values -----------------------------

  /// Whether scaled_by_rising_line() is worth its search; where it is not, accumulators are scaled one by one.
  static constexpr bool has_lines = false;
  /// Whether upper_halves() is a few instructions.
  static constexpr bool has_exact_scale = false;
  /// Whether scaled_by_rising_line() is one FMA of the bits of floats; see simd/saturating_pack.hpp.
  static constexpr bool lines_round_once = false;
  /// Whether its results stay in the lower halves of lanes.
  static constexpr bool lines_make_halves = false;

  /// float(x) * slope + offset; slope, offset and result are the bits of floats.
  [[gnu::always_inline]] static i32 on_line(i32 x, i32 slope, i32 offset) {
    i32 y;
    for (int i = 0; i < i32_lanes; ++i) {
      float product = static_cast<float>(x[i]) * __builtin_bit_cast(float, std::int32_t{slope[i]});
      asm("" : "+r"(product));  // the compiler may not contract product and sum
      y[i] = __builtin_bit_cast(std::int32_t, product + __builtin_bit_cast(float, std::int32_t{offset[i]}));
    }
    return y;
  }
  /// The integers nearest to floats whose bits are given, half to even, and the bits of the distances.
  [[gnu::always_inline]] static void round_floats(i32 x, i32& nearest, i32& distance) {
    for (int i = 0; i < i32_lanes; ++i) {
      const float value = __builtin_bit_cast(float, std::int32_t{x[i]}), whole = __builtin_rintf(value);
      nearest[i] = static_cast<std::int32_t>(whole);
      distance[i] = __builtin_bit_cast(std::int32_t, value - whole) & INT32_MAX;
    }
  }
  /// x * slope + offset, rounded to the nearest integer.
  [[gnu::always_inline]] static i32 scaled_by_rising_line(i32 x, i32 slope, i32 offset) {
    i32 nearest, distance;
    Machine::round_floats(Machine::on_line(x, slope, offset), nearest, distance);
    return nearest;
  }
  /// x * slope + offset with the sign of x, rounded to the nearest integer. Where lines round once, an x below
  /// `breakpoint` and its result are shifted.
  [[gnu::always_inline]] static i32 scaled_by_line(i32 x, i32 slope, i32 offset, i32 breakpoint, i32 below_shift,
                                                   i32 below_offset) {
    if constexpr (Machine::lines_round_once) {
      const i32 is_below = x < breakpoint;
      return Machine::scaled_by_rising_line(x + (is_below & below_shift), slope, offset) + (is_below & below_offset);
    } else {
      return Machine::scaled_by_rising_line(x, slope, (x & INT32_MIN) | offset);
    }
  }
  /// The upper 32 bits of x * y + addend; addends of even and of odd lanes have 64 bits.
  [[gnu::always_inline]] static i32 upper_halves(i32 x, i32 y, i32 even_addend, i32 odd_addend) {
    i32 high;
    for (int i = 0; i < i32_lanes; ++i) {
      const std::int64_t addend = ((i64)(i % 2 == 0 ? even_addend : odd_addend))[i / 2];
      high[i] = static_cast<std::int32_t>((std::int64_t{x[i]} * y[i] + addend) >> 32);
    }
    return high;
  }
  /// x + y, saturated to 16 bits.
  [[gnu::always_inline]] static i16 add_saturated(i16 x, i16 y) {
    for (int i = 0; i < i16_lanes; ++i) x[i] = saturated<std::int16_t>(x[i] + y[i]);
    return x;
  }
  /// Lanes of a and b saturated to 16 bits, four of each in turn.
  [[gnu::always_inline]] static i16 pack(i32 a, i32 b) {
    i16 packed;
    for (int i = 0; i < i16_lanes; ++i) {
      const int lane = i / 8 * 4 + i % 4;
      packed[i] = saturated<std::int16_t>(i % 8 < 4 ? a[lane] : b[lane]);
    }
    return packed;
  }
  /// Lanes of ab and cd saturated to 8 bits, eight of each in turn.
  [[gnu::always_inline]] static i8 pack(i16 ab, i16 cd) {
    i8 packed;
    for (int i = 0; i < i8_lanes; ++i) {
      const int lane = i / 16 * 8 + i % 8;
      packed[i] = saturated<std::int8_t>(i % 16 < 8 ? ab[lane] : cd[lane]);
    }
    return packed;
  }
  /// Four bytes of each of four registers in turn become the bytes of the first register, of the second, ….
  [[gnu::always_inline]] static i8 rows_apart(i8 x) {
    if constexpr (i32_lanes == 4) return x;
    i32 rows{};
    for (int i = 0; i < i32_lanes; ++i) rows[i] = ((i32)x)[i % (i32_lanes / 4) * 4 + i / (i32_lanes / 4)];
    return (i8)rows;
  }
  /// Stores a half or a quarter of a register.
  template <int Half> [[gnu::always_inline]] static void store_half(i8 x, std::byte* p) {
    for (int i = 0; i < register_bytes / 16; ++i) {
      const std::int64_t word = ((i64)x)[Half * (register_bytes / 16) + i];
      __builtin_memcpy(p + 8 * i, &word, 8);
    }
  }
  template <int Quarter> [[gnu::always_inline]] static void store_quarter(i8 x, std::byte* p) {
    for (int i = 0; i < i32_lanes / 4; ++i) {
      const std::int32_t word = ((i32)x)[Quarter * (i32_lanes / 4) + i];
      __builtin_memcpy(p + 4 * i, &word, 4);
    }
  }
  /// Integers that fit into T, one for each float of a register, narrowed.
  template <class To> [[gnu::always_inline]] static To narrow(f32_bits x) { return __builtin_convertvector(x, To); }

  // --- dot products of 8-bit values --------------------------------------------------

  static constexpr dot4_packing dots = dot4_packing::bytes;
  /// Whether dot4() takes signed values as first factor; else unsigned ones.
  static constexpr bool dots_are_signed = false;
  /// Whether dot4() may take its first factor from one lane.
  static constexpr bool has_lane_dots = false;
  /// Whether two steps in pairs of lanes pay, see int8/gemm/paired_accumulators.hpp.
  static constexpr bool has_pairs_of_lanes = false;
  /// Whether one instruction sums eight products for each of two rows times two columns (NEON i8mm).
  static constexpr bool has_squares = false;
  /// Registers of output that depthwise kernels of 8-bit values compute together; 0: as many as rows.
  static constexpr int depthwise_blocks_together = 0;
  /// Whether depthwise kernels of 8-bit values compute the accumulators of two rows register by register.
  static constexpr bool depthwise_sums_by_vectors = false;

  /// sum + the four products of each lane, of unsigned x and signed w.
  [[gnu::always_inline]] static i32 dot4(i32 sum, i32 x, i32 w) {
    const auto values = (i8)x, weights = (i8)w;
    for (int lane = 0; lane < i32_lanes; ++lane)
      for (int i = 4 * lane; i < 4 * lane + 4; ++i) sum[lane] += static_cast<std::uint8_t>(values[i]) * weights[i];
    return sum;
  }
  /// sum + the two products of each lane, of 16-bit values.
  [[gnu::always_inline]] static i32 dot2(i32 sum, i16 x, i16 w) {
    for (int lane = 0; lane < i32_lanes; ++lane)
      sum[lane] += x[2 * lane] * w[2 * lane] + x[2 * lane + 1] * w[2 * lane + 1];
    return sum;
  }
  /// dot2() of values in the order of broadcast_i16().
  [[gnu::always_inline]] static i32 dot2_rows(i32 sum, i32 x, i32 w) { return Machine::dot2(sum, (i16)x, (i16)w); }
  /// The sums of pairs of lanes: every four lanes are two sums of x and two of y.
  [[gnu::always_inline]] static i32 paired_sums(i32 x, i32 y) {
    i32 sums;
    for (int i = 0; i < i32_lanes; ++i) {
      const int pair = i / 4 * 4 + i % 2 * 2;
      sums[i] = i % 4 < 2 ? x[pair] + x[pair + 1] : y[pair] + y[pair + 1];
    }
    return sums;
  }

  /// sum + the four products of each lane of w with lane I of x.
  template <int I> [[gnu::always_inline]] static i32 dot4_lane(i32 sum, i32 x, i32 w) {
    return Machine::dot4(sum, x[I] - i32{}, w);
  }
  /// Eight bytes of one row and eight of another.
  [[gnu::always_inline]] static i32 eight_of_two(const std::byte* first, const std::byte* second) {
    static_assert(Bytes == 16);
    i32 rows;
    __builtin_memcpy(&rows, first, 8), __builtin_memcpy(reinterpret_cast<std::byte*>(&rows) + 8, second, 8);
    return rows;
  }
  /// sum + the products of two rows of eight signed bytes with two columns: lanes 0 and 1 belong to the first row, 2
  /// and 3 to the second.
  [[gnu::always_inline]] static i32 add_square(i32 sum, i32 rows, i32 columns) {
    static_assert(Bytes == 16);
    for (int lane = 0; lane < 4; ++lane)
      for (int i = 0; i < 8; ++i) sum[lane] += ((i8)rows)[lane / 2 * 8 + i] * ((i8)columns)[lane % 2 * 8 + i];
    return sum;
  }

  // --- tables of bytes, and sums of bytes ---------------------------------------------

  /// What int8/elementwise/table.hpp looks up bytes with.
  static constexpr table_look_up tables = table_look_up::memory;
  using i8x16 = typename vectors_of<16>::i8;

  /// The bytes of a register as indices of a table.
  struct table_places {
    i8 bytes;
    [[gnu::always_inline]] explicit table_places(i8 x) : bytes(x) {}
  };
  /// A table of 256 bytes: `small` has the entries of bytes below 128, `large` those of the other bytes.
  struct byte_table {
    const std::byte *small, *large;

    [[gnu::always_inline]] byte_table(const std::byte* entries_of_small, const std::byte* entries_of_large)
        : small(entries_of_small), large(entries_of_large) {}
    [[gnu::always_inline]] i8 at(const table_places& places) const { return entries_of(places.bytes); }
    /// Looks up sixteen bytes.
    [[gnu::always_inline]] i8x16 at(i8x16 x) const { return entries_of(x); }

   private:
    template <class V> [[gnu::always_inline]] V entries_of(V x) const {
      V y;
      for (std::size_t i = 0; i < sizeof(V); ++i)
        y[i] = static_cast<std::int8_t>(x[i] < 0 ? large[x[i] + 128] : small[x[i]]);
      return y;
    }
  };
  /// The first n bytes of a register (0 < n <= register_bytes).
  struct first_bytes {
    std::int64_t n;
    [[gnu::always_inline]] explicit first_bytes(std::int64_t count) : n(count) {}
  };
  /// The given bytes at p, zeros in the others; memory of the others is not read.
  [[gnu::always_inline]] static i8 load_some(const std::byte* p, first_bytes those) {
    i8 x{};
    __builtin_memcpy(&x, p, static_cast<std::size_t>(those.n));
    return x;
  }
  /// Stores the given bytes; memory of the others is not written.
  [[gnu::always_inline]] static void store_some(std::byte* p, i8 x, first_bytes those) {
    __builtin_memcpy(p, &x, static_cast<std::size_t>(those.n));
  }
  /// x in the given bytes, zeros in the others.
  [[gnu::always_inline]] static i8 keep_some(i8 x, first_bytes those) {
    for (std::int64_t i = those.n; i < register_bytes; ++i) x[i] = 0;
    return x;
  }

  /// The 16 bytes at p in every 16 bytes.
  [[gnu::always_inline]] static i8 broadcast_16_bytes(const std::byte* p) {
    i8 x;
    for (int i = 0; i < i8_lanes; ++i) x[i] = static_cast<std::int8_t>(p[i % 16]);
    return x;
  }
  /// The byte of x that the lower four bits of a place number, of the same 16 bytes; 0 where the place is negative.
  [[gnu::always_inline]] static i8 shuffle_bytes(i8 x, i8 places) {
    i8 y;
    for (int i = 0; i < i8_lanes; ++i)
      y[i] = places[i] < 0 ? std::int8_t{0} : std::int8_t{x[i / 16 * 16 + (places[i] & 15)]};
    return y;
  }
  /// x - y, saturated to 8 bits.
  [[gnu::always_inline]] static i8 subtract_saturated(i8 x, i8 y) {
    for (int i = 0; i < i8_lanes; ++i) x[i] = saturated<std::int8_t>(x[i] - y[i]);
    return x;
  }
  /// Each 64-bit lane of the sum + the eight unsigned bytes of that lane.
  [[gnu::always_inline]] static i64 add_bytes(i64 sum, i8 x) {
    for (int i = 0; i < i8_lanes; ++i) sum[i / 8] += static_cast<std::uint8_t>(x[i]);
    return sum;
  }
  /// The sum of 64-bit lanes.
  [[gnu::always_inline]] static std::int64_t sum_of_longs(i64 x) {
    std::int64_t sum = 0;
    for (int i = 0; i < i8_lanes / 8; ++i) sum += x[i];
    return sum;
  }

  /// Whether wide_products() is one instruction.
  static constexpr bool has_wide_products = false;
  /// The products of even lanes, as unsigned values.
  [[gnu::always_inline]] static i64 wide_products(i32 x, i32 y) {
    i64 products;
    for (int i = 0; i < i32_lanes; i += 2) {
      const std::uint64_t product = std::uint64_t{static_cast<std::uint32_t>(x[i])} * static_cast<std::uint32_t>(y[i]);
      products[i / 2] = static_cast<std::int64_t>(product);
    }
    return products;
  }
  /// Stores lanes, from 0 to 255, as bytes.
  [[gnu::always_inline]] static void store_as_bytes(std::byte* p, i32 x) {
    for (int i = 0; i < i32_lanes; ++i) p[i] = static_cast<std::byte>(x[i]);
  }

  // --- transpositions ---------------------------------------------------------------

  /// Pieces of 16 bytes that a register of a transposition holds.
  static constexpr int transposed_pieces = 1;

 private:
  template <class To> static constexpr To saturated(std::int32_t x) {
    constexpr std::int32_t low = sizeof(To) == 1 ? INT8_MIN : INT16_MIN, high = sizeof(To) == 1 ? INT8_MAX : INT16_MAX;
    return static_cast<To>(x < low ? low : x > high ? high : x);
  }
  static constexpr bool takes_part(some_halves there, int lane) {
    return (there.of >> (lane < f32_lanes / 2 ? 0 : 1) & 1U) != 0;
  }
  template <class F> [[gnu::always_inline]] static f32 with_lanes(F lane_of) {
    static_assert(has_float_vectors, "a scalar machine has no halves of registers");
    f32 x;
    for (int i = 0; i < f32_lanes; ++i) x[i] = lane_of(i);
    return x;
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
