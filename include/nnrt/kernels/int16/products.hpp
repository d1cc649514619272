// products: dot products of 16-bit activations and 8-bit weights, exact in 64 bits.
// Flow: bind/detail/int16.hpp gathers windows or rows, and computes the dot products of several with one filter.
#pragma once

#include <nnrt/kernels/simd/dot4.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

inline std::int64_t reduce_add(int_vector x) {
  std::int32_t all[int_lanes];
  store_vector(all, x);
  std::int64_t sum = 0;
  for (const std::int32_t lane : all) sum += lane;
  return sum;
}

}  // namespace detail

/// sums[r] = sum over i of x[r * step + i] * w[i], exactly, for each of the Rows rows of n values.
template <int Rows>
inline void int16_products(const std::int16_t* x, std::int64_t step, const std::int8_t* w, std::int64_t n,
                           std::int64_t* sums) {
  // Two products are below 2^23, so the accumulators of this many products fit into 32 bits.
  constexpr std::int64_t most = 128 * int16_lanes;
  for (int r = 0; r < Rows; ++r) sums[r] = 0;
  std::int64_t i = 0;
  while (i + int16_lanes <= n) {
    const std::int64_t whole = n - n % int16_lanes, end = i + most < whole ? i + most : whole;
    int_vector lanes_of[Rows] = {};
    for (; i < end; i += int16_lanes) {
      const int16_vector weights = load_widened<true>(reinterpret_cast<const std::byte*>(w + i));
      each<Rows>([&](int r) __attribute__((always_inline)) {
        lanes_of[r] = half_of_dot4(lanes_of[r], load_vector<int_vector>(x + r * step + i), (int_vector)weights);
      });
    }
    each<Rows>([&](int r) __attribute__((always_inline)) { sums[r] += detail::reduce_add(lanes_of[r]); });
  }
  for (; i < n; ++i)
    for (int r = 0; r < Rows; ++r) sums[r] += std::int32_t{x[r * step + i]} * w[i];
}

}}}  // namespace nnrt::NNRT_ISA::kernels
