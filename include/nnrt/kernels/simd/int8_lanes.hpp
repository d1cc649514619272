// int8_lanes: vectors of quantised values - loading, widening, and interleaving.
// Flow: kernels of int8 and int16 values compute with these; simd/dot4.hpp multiplies them.
//
// A register holds int_lanes sums of 32 bits, or four times as many bytes.
#pragma once

#include <nnrt/kernels/simd/lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

using int_vector = machine::i32;
using int16_vector = machine::i16;
using int8_vector = machine::i8;

inline constexpr std::int64_t register_bytes = machine::register_bytes;
/// 32-bit accumulators, and 16-bit values, per register.
inline constexpr std::int64_t int_lanes = register_bytes / 4, int16_lanes = register_bytes / 2;

namespace detail {
/// Registers of 64-bit values, and half a register of 32-bit values from which one is made.
using doubles = machine::f64;
using longs = machine::i64;
using half_vector = machine::half_i32;
}  // namespace detail

/// The larger integer per lane; compilers emit one instruction.
template <class Vector> [[gnu::always_inline]] inline Vector larger_lanes(Vector a, Vector b) { return a > b ? a : b; }

template <class Vector> [[gnu::always_inline]] inline Vector load_vector(const void* p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class Vector> [[gnu::always_inline]] inline void store_vector(void* p, Vector v) {
  __builtin_memcpy(p, &v, sizeof v);
}
[[gnu::always_inline]] inline int_vector int_lanes_of(std::int32_t x) { return x - int_vector{}; }
[[gnu::always_inline]] inline int8_vector int8_lanes_of(std::int8_t x) { return x - int8_vector{}; }

/// x - y per lane, modulo 256.
[[gnu::always_inline]] inline int8_vector byte_differences(int8_vector x, int8_vector y) {
  typedef std::uint8_t lanes __attribute__((vector_size(register_bytes)));
  return (int8_vector)((lanes)x - (lanes)y);
}

/// The first n bytes at p (0 < n <= register_bytes), the others zero; memory past them is not touched.
[[gnu::always_inline]] inline int8_vector load_bytes(const std::byte* p, std::int64_t n) {
  return machine::load_bytes(p, n);
}

/// Half a register of bytes, 16 bits each. __builtin_convertvector() takes five instructions for it in g++ 12.
template <bool IsSigned> [[gnu::always_inline]] inline int16_vector load_widened(const std::byte* p) {
  return machine::load_widened<IsSigned>(p);
}

/// Interleaves the elements of two registers, from the lower or the upper half of each 16 bytes.
template <int Half, class Vector> [[gnu::always_inline]] inline Vector zip_half(Vector a, Vector b) {
  constexpr int count = sizeof(Vector) / sizeof(a[0]), of_16 = 16 / sizeof(a[0]);
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, (I / of_16 * of_16 + Half * of_16 / 2 + I % of_16 / 2 + I % 2 * count)...);
  }
  (std::make_integer_sequence<int, count>{});
}

// --- bytes of four registers, lane by lane ------------------------------------

/// Four registers of bytes interleaved: a lane holds the bytes r0 r1 r2 r3 of one index. Lane l of register v has
/// index l / 4 * 16 + v * 4 + l % 4.
struct interleaved {
  int_vector of[4];
};

[[gnu::always_inline]] inline interleaved interleave(int8_vector r0, int8_vector r1, int8_vector r2, int8_vector r3) {
  const auto low_ab = (int16_vector)zip_half<0>(r0, r1), high_ab = (int16_vector)zip_half<1>(r0, r1),
             low_cd = (int16_vector)zip_half<0>(r2, r3), high_cd = (int16_vector)zip_half<1>(r2, r3);
  return {{(int_vector)zip_half<0>(low_ab, low_cd), (int_vector)zip_half<1>(low_ab, low_cd),
           (int_vector)zip_half<0>(high_ab, high_cd), (int_vector)zip_half<1>(high_ab, high_cd)}};
}

/// The int_lanes lanes of (a, b) from lane `First` on.
template <int First> [[gnu::always_inline]] inline int_vector lanes_from(int_vector a, int_vector b) {
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, (First + I)...);
  }
  (std::make_integer_sequence<int, int_lanes>{});
}
/// Register V of the rows of x, which `next` continues, from byte `Distance` on, a multiple of four.
template <int Distance, int V>
[[gnu::always_inline]] inline int_vector further(const interleaved& x, const interleaved& next) {
  constexpr int place = V + Distance / 4;
  return lanes_from<place / 4 * 4>(x.of[place % 4], next.of[place % 4]);
}

/// Reorders the columns so that lane l of register v belongs to index v * int_lanes + l.
[[gnu::always_inline]] inline interleaved columns_in_order(const interleaved& x) {
  interleaved out{};
  machine::put_columns_in_order(x.of, out.of);
  return out;
}

}}}  // namespace nnrt::NNRT_ISA::kernels
