// lanes: the vector type of every float kernel, and its operations.
// Flow: float kernels include this; simd/machine.hpp has the instructions.
#pragma once

#include <nnrt/core/activation.hpp>
#include <nnrt/kernels/simd/machine.hpp>
#include <nnrt/kernels/simd/optimization_barrier.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Template argument of every kernel's entry point. A template is compiled only where it is called, so a program that
/// merely includes a kernel does not pay for it.
struct native {};

using nnrt::clamp_range;

// --- the vector type -------------------------------------------------------

/// A register of floats of a machine; of a machine without vectors, one float. Operators are the compilers' own on
/// vectors; other operations are functions.
template <class Machine> struct float_vector {
  using machine = Machine;
  using register_type = typename Machine::f32;
  /// As many integers.
  using integers = typename Machine::f32_bits;
  static constexpr std::size_t size = Machine::f32_lanes;

  register_type data;

  float_vector() = default;
  [[gnu::always_inline]] explicit float_vector(register_type x) : data(x) {}
  [[gnu::always_inline]] explicit float_vector(float x)
    requires(Machine::has_float_vectors)
      : data(Machine::all(x)) {}

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

using f32_vec = float_vector<machine>;

/// Floats per vector.
inline constexpr std::int64_t f32_lanes = machine::f32_lanes;

// What the machine has; simd/generic.hpp defines each.
inline constexpr int vector_registers = machine::vector_registers;
inline constexpr bool masks_are_free = machine::masks_are_free;
inline constexpr bool has_one_rounding_fma = machine::has_one_rounding_fma;
inline constexpr bool has_lane_products = machine::has_lane_products;
inline constexpr bool has_half_vector = machine::has_half_vector;

/// n rounded up to whole vectors.
constexpr std::int64_t whole_vectors(std::int64_t n) { return (n + f32_lanes - 1) / f32_lanes * f32_lanes; }

// --- operations ------------------------------------------------------------

/// The float at p in every lane of a register, for several products.
[[gnu::always_inline]] inline f32_vec broadcast_load(const float* p) { return f32_vec(machine::broadcast_load(p)); }
/// The float at p in every lane. With AVX-512 it may become an operand of the one product that uses it; for several,
/// broadcast_load().
[[gnu::always_inline]] inline f32_vec broadcast(const float* p) { return f32_vec(machine::broadcast(p)); }

[[gnu::always_inline]] inline f32_vec load(const float* p) { return f32_vec(machine::load(p)); }
[[gnu::always_inline]] inline void store(float* p, f32_vec x) { machine::store(p, x.data); }

/// x * y + z; one rounding where the machine has fma, two on SSE.
[[gnu::always_inline]] inline f32_vec fma(f32_vec x, f32_vec y, f32_vec z) {
  return f32_vec(machine::fma(x.data, y.data, z.data));
}
/// sum += x * y, rounded as fma() rounds.
[[gnu::always_inline]] inline void add_product(f32_vec& sum, f32_vec x, f32_vec y) {
  machine::add_product(sum.data, x.data, y.data);
}
/// x * y[I] + z. Where has_lane_products, one load of y serves several products, and none is broadcast first.
template <int I> [[gnu::always_inline]] inline f32_vec fma_lane(f32_vec x, f32_vec y, f32_vec z) {
  return f32_vec(machine::fma_lane<I>(x.data, y.data, z.data));
}

/// The larger and the smaller of both, lane by lane; y where one of them is a NaN on x86, a NaN on NEON.
[[gnu::always_inline]] inline f32_vec max(f32_vec x, f32_vec y) { return f32_vec(machine::max(x.data, y.data)); }
[[gnu::always_inline]] inline f32_vec min(f32_vec x, f32_vec y) { return f32_vec(machine::min(x.data, y.data)); }

/// The square root, correctly rounded; NaN below zero.
[[gnu::always_inline]] inline f32_vec sqrt(f32_vec x) { return f32_vec(machine::sqrt(x.data)); }

/// x limited to [lo, hi]; a NaN in x stays NaN, since it is the second operand, see max().
[[gnu::always_inline]] inline f32_vec clamp(f32_vec x, f32_vec lo, f32_vec hi) { return min(hi, max(lo, x)); }

/// A float in the first lane; the others hold zeros or the same.
[[gnu::always_inline]] inline f32_vec load_one(const float* p) { return f32_vec(machine::load_one(p)); }
/// Stores the first lane.
[[gnu::always_inline]] inline void store_one(float* p, f32_vec x) { machine::store_one(p, x.data); }
/// Stores the first n lanes (0 < n <= f32_lanes); memory past them is not written.
[[gnu::always_inline]] inline void store_n(float* p, f32_vec x, std::int64_t n) { machine::store_n(p, x.data, n); }
/// The first n floats at p (0 < n <= f32_lanes), the other lanes zero; memory past them is not read.
[[gnu::always_inline]] inline f32_vec load_n(const float* p, std::int64_t n) { return f32_vec(machine::load_n(p, n)); }

// --- half vectors ----------------------------------------------------------

// Kernels call these where has_half_vector says that they are single instructions. simd/generic.hpp defines them; they
// are templates, since a machine without vectors has none.

/// Which halves of a vector take part: bit 0 for the lower one, bit 1 for the upper one.
using some_halves = machine::some_halves;
/// Lower half of `low`, upper half of `high`.
template <class V> [[gnu::always_inline]] inline V blend_halves(V low, V high) {
  return V(V::machine::blend_halves(low.data, high.data));
}
/// The given halves of the vector at p, the other one zero; memory of the other one is not read.
template <class V = f32_vec> [[gnu::always_inline]] inline V load_halves(const float* p, some_halves there) {
  return V(V::machine::load_halves(p, there));
}
/// x * y + z in the given halves, z in the other one.
template <class V> [[gnu::always_inline]] inline V fma(V x, V y, V z, some_halves there) {
  return V(V::machine::fma_halves(x.data, y.data, z.data, there));
}
/// The two floats at p in every pair of lanes.
template <class V = f32_vec> [[gnu::always_inline]] inline V broadcast_pair(const float* p) {
  return V(V::machine::broadcast_pair(p));
}
/// The lanes of the lower halves, by pairs: first, second, first, second, ….
template <class V> [[gnu::always_inline]] inline V pair_lanes(V first, V second) {
  return V(V::machine::pair_lanes(first.data, second.data));
}
/// The sums of both lanes of every pair: those of `low` in the lower half, those of `high` in the upper one.
template <class V> [[gnu::always_inline]] inline V sums_of_lane_pairs(V low, V high) {
  return V(V::machine::sums_of_lane_pairs(low.data, high.data));
}
/// The first half vector at p, twice.
template <class V = f32_vec> [[gnu::always_inline]] inline V load_half_twice(const float* p) {
  return V(V::machine::load_half_twice(p));
}
/// The first n lanes (0 < n <= f32_lanes / 2) of the lower half to p, of the upper half to q.
template <class V> [[gnu::always_inline]] inline void store_halves(float* p, float* q, V x, std::int64_t n) {
  V::machine::store_halves(p, q, x.data, n);
}

// --- what keeps g++ 12 from spoiling a tile ---------------------------------

/// An address as an integer. Kernels step through rows with it: the last step of a loop goes past the end of the array,
/// which is undefined behaviour for a pointer.
using address = std::uintptr_t;

inline address address_of(const float* p) { return reinterpret_cast<address>(p); }

/// The address `floats` floats after `from`; before it if negative.
[[gnu::always_inline]] inline address advanced(address from, std::int64_t floats) {
  return from + static_cast<address>(floats * static_cast<std::int64_t>(sizeof(float)));
}
[[gnu::always_inline]] inline const float* floats_at(address from) { return reinterpret_cast<const float*>(from); }

/// Multiples of a distance in memory. With x86's scaled index they reach offsets 0 to 6 from one base without another
/// instruction. They are opaque: otherwise g++ 12 computes every address before the loop, and spills them.
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

/// f(0) … f(N - 1) with constant arguments. A loop over an array of vectors leaves the array on the stack, since g++ 12
/// unrolls after it has assigned memory. The lambdas must be always_inline, too. Eight calls are written out: a pack of
/// integers takes another function for each call. A lambda with a parameter of type int is one function to compile; one
/// of type auto, for constants, is N functions.
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

/// Copies n floats, which must not overlap; faster than memcpy for small n.
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

/// Transposes a 4x4 square of 4-byte elements. Rows are 16 bytes; `from_step` and `to_step` are the bytes from one row
/// to the next.
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
