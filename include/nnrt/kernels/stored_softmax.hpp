// stored_softmax: softmax of stored numbers with the reference's bits, whose powers are kept in tables.
// Flow: a prepare step makes the table of a node; bind/softmax.hpp calls softmax_of_bytes() and softmax_of_shorts() for a
// part of the groups.
#pragma once

#include <nnrt/kernels/axis_block.hpp>
#include <nnrt/kernels/byte_table.hpp>
#include <nnrt/kernels/part.hpp>
#include <nnrt/ops/detail/stored_softmax.hpp>

#include <cstdint>
#include <type_traits>

namespace nnrt::inline NNRT_ISA::kernels {

/// What softmax of bytes knows before it runs, by how far a number is below the largest of its group. It may have been stored meanwhile, and another
/// process may write to what it is applied to, so that what was the largest is no longer: neither leads outside of the tables.
template <class T> struct byte_powers {
  ops::detail::fixed_softmax<T> by;
  std::int64_t count = 0;  // those behind are 0
  /// The power of d is at [256 - d], so that numbers themselves are indices.
  std::int32_t power[table_entries + 1] = {};
  /// What it adds to a sum: all of it; or in registers its bytes one by one. Numbers above the largest, which registers look up, too, add nothing.
#if defined(NNRT_LANES_AVX512)
  std::byte addend[3][2 * table_entries] = {};
#else
  std::int32_t addend[2 * table_entries] = {};
#endif

  std::int64_t used() const { return nnrt::detail::clamped(count, std::int64_t{1}, table_entries); }
  std::int32_t power_of(std::int32_t below) const { return power[table_entries - (below > 0 ? below : 0)]; }

  explicit byte_powers(const ops::detail::fixed_softmax<T>& with) : by(with) {
    for (std::int64_t d = 0; d < table_entries; ++d) {
      const std::int64_t at = table_entries - d;
      power[at] = by.power(-d);
      if (power[at] != 0) count = d + 1;
      const auto added = static_cast<std::int32_t>(by.addend(power[at]));
#if defined(NNRT_LANES_AVX512)
      for (int i = 0; i < 3; ++i) addend[i][at] = static_cast<std::byte>(added >> (8 * i) & 0xff);
#else
      addend[at] = added;
#endif
    }
  }
};

namespace detail {

/// Bytes as numbers of their own type, in order.
template <class T> inline T largest_byte(const T* x, std::int64_t n) {
  typedef T lanes_of_bytes __attribute__((vector_size(register_bytes), may_alias));
  T largest = x[0];
  std::int64_t i = 0;
  if (n >= register_bytes) {
    auto most = load_vector<lanes_of_bytes>(x);
    for (i = register_bytes; i + register_bytes <= n; i += register_bytes) {
      const auto next = load_vector<lanes_of_bytes>(x + i);
      most = next > most ? next : most;
    }
    T all[register_bytes];
    store_vector(all, most);
    for (const T lane : all) largest = lane > largest ? lane : largest;
  }
  for (; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

/// The sum of what n numbers add, whose largest is given.
template <class T> inline std::int64_t sum_of_addends(const byte_powers<T>& powers, std::int32_t largest, const T* x, std::int64_t n) {
#if defined(NNRT_LANES_AVX512)
  const auto in_registers = [&](int i) __attribute__((always_inline)) {
    const std::byte* const zero = powers.addend[i] + table_entries - largest;
    return table_in_registers(zero, zero + (std::is_signed_v<T> ? -128 : 128));
  };
  const table_in_registers tables[] = {in_registers(0), in_registers(1), in_registers(2)};
  __m512i sums[] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
  for (; n > 0; n -= 64, x += 64) {
    const __mmask64 those = n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0};
    const table_places places(_mm512_maskz_loadu_epi8(those, x));
    each<3>([&](auto i) __attribute__((always_inline)) {
      const __m512i added = _mm512_sad_epu8(_mm512_maskz_mov_epi8(those, tables[i].at(places)), _mm512_setzero_si512());
      sums[i] = _mm512_add_epi64(sums[i], added);
    });
  }
  return _mm512_reduce_add_epi64(_mm512_add_epi64(sums[0], _mm512_add_epi64(_mm512_slli_epi64(sums[1], 8), _mm512_slli_epi64(sums[2], 16))));
#else
  // An addend is below 2^19: so many of them stay in 32 bits, where adding takes an instruction less.
  constexpr std::int64_t most = 8 * 1024;
  const std::int32_t* const table = powers.addend + table_entries - largest;
  const auto at = [&](std::int64_t i) __attribute__((always_inline)) { return static_cast<std::uint32_t>(table[x[i]]); };
  std::int64_t sum = 0;
  for (; n > 0; n -= most, x += most) {
    const std::int64_t count = n < most ? n : most;
    std::uint32_t a = 0, b = 0, c = 0, d = 0;
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      a += at(i), b += at(i + 1), c += at(i + 2), d += at(i + 3);
      asm("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));  // g++ 12 would put vectors together from single loads
    }
    for (; i < count; ++i) a += at(i);
    sum += std::int64_t{a} + b + c + d;
  }
  return sum;
#endif
}

/// results[i] = share(power[i]) of `count` powers, for shares that are stored as TFLite asks for. Nothing is negative here, and no number leaves 32 bits.
template <class T, class Share>
inline void usual_shares(const Share& share, const std::int32_t* power, std::int64_t count, T* results) {
  constexpr std::uint64_t most = 255, half = std::uint64_t{1} << 30;
  constexpr std::uint32_t flip = std::is_signed_v<T> ? 0x80 : 0;
  const int bits = static_cast<int>(nnrt::detail::clamped(share.reciprocal.bits + 23, 0, 62));
  const std::uint64_t fraction = static_cast<std::uint32_t>(share.reciprocal.fraction), up = bits > 0 ? std::uint64_t{1} << (bits - 1) : 0;
  std::int64_t i = 0;
#if defined(NNRT_LANES_AVX2)
  const auto all = [](std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); };
  const __m256i of_fraction = all(fraction), of_half = all(half), of_up = all(up), of_most = all(most);
  const auto shares = [&](__m256i powers) __attribute__((always_inline)) {
    const __m256i products = _mm256_srli_epi64(_mm256_add_epi64(_mm256_mul_epu32(powers, of_fraction), of_half), 31);
    return _mm256_min_epu32(_mm256_srl_epi64(_mm256_add_epi64(products, of_up), _mm_cvtsi32_si128(bits)), of_most);
  };
  for (; i + 8 <= count; i += 8) {
    const auto eight = load_vector<__m256i>(power + i);
    const __m256i numbers = _mm256_or_si256(shares(eight), _mm256_slli_epi64(shares(_mm256_srli_epi64(eight, 32)), 32));
    const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    const __m128i bytes = _mm_xor_si128(_mm_packus_epi16(words, words), _mm_set1_epi8(static_cast<char>(flip)));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(results + i), bytes);
  }
#endif
  for (; i < count; ++i) {
    const std::uint64_t product = (fraction * static_cast<std::uint32_t>(power[i]) + half) >> 31;
    const std::uint64_t number = (product + up) >> bits;
    results[i] = static_cast<T>(static_cast<std::uint8_t>(static_cast<std::uint32_t>(number < most ? number : most) ^ flip));
  }
}

/// One group of elements side by side that is longer than the table.
template <class Isa, class T> void softmax_of_long_row(const byte_powers<T>& powers, const T* x, std::int64_t n, T* y) {
  constexpr std::int64_t zero = std::is_signed_v<T> ? 128 : 0;  // where 0 is among the numbers from the smallest one on
  const std::int32_t largest = largest_byte(x, n);
  const auto share = powers.by.share_of(sum_of_addends(powers, largest, x, n));
  // By byte: that of number k is at k and, of negative ones, at k + 256.
  T results[table_entries + zero] = {};
  T* const by_number = results + zero;
  const std::int64_t first = largest - powers.used() + 1, least = first < -zero ? -zero : first;
  const T none = share(0);
  for (std::int64_t k = -zero; k < least; ++k) by_number[k] = none;
  const std::int32_t* const power = powers.power + table_entries - largest;
  if (share.is_usual) usual_shares(share, power + least, largest + 1 - least, by_number + least);
  else
    for (std::int64_t k = least; k <= largest; ++k) by_number[k] = share(power[k]);
  for (std::int64_t k = -zero; k < 0; ++k) by_number[k + table_entries] = by_number[k];
  look_up<Isa>(reinterpret_cast<const std::byte*>(by_number), reinterpret_cast<const std::byte*>(x), n, reinterpret_cast<std::byte*>(y));
}

}  // namespace detail

/// y = the shares of x along the middle axis of the block. power_of(d) is the power of an element that is d below the
/// largest of its group.
template <class T, class By, class PowerOf>
void share_out(const axis_block& block, const T* x, const By& by, const PowerOf& power_of, T* y, interval groups) {
  const std::int64_t step = block.inner;
  for (std::int64_t group = groups.begin; group < groups.end; ++group) {
    const std::int64_t first = group / step * block.extent * step + group % step;
    const T* const from = x + first;
    std::int32_t largest = from[0];
    for (std::int64_t i = 1; i < block.extent; ++i) largest = from[i * step] > largest ? from[i * step] : largest;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < block.extent; ++i) sum += by.addend(power_of(largest - from[i * step]));
    const auto finish = by.share_of(sum);
    for (std::int64_t i = 0; i < block.extent; ++i) y[first + i * step] = finish(power_of(largest - from[i * step]));
  }
}

/// Of bytes. Long rows have a table of all results made first.
template <class Isa, class T>
void softmax_of_bytes(const axis_block& block, const T* x, const byte_powers<T>& powers, T* y, part p) {
  const interval groups = share(block.outer * block.inner, p);
  if (block.inner != 1 || block.extent < table_entries / 2)
    return share_out(
        block, x, powers.by, [&](std::int32_t d) { return powers.power_of(d); }, y, groups);
  for (std::int64_t row = groups.begin; row < groups.end; ++row)
    detail::softmax_of_long_row<Isa>(powers, x + row * block.extent, block.extent, y + row * block.extent);
}

/// What softmax of 16-bit numbers knows before it runs: the table of exponentials, which the reference computes as it goes.
struct short_powers {
  ops::detail::interpolated_softmax by;
  std::int32_t entry[ops::detail::interpolated_softmax::exponentials.steps + 1];

  explicit short_powers(const ops::detail::interpolated_softmax& with) : by(with) {
    for (int i = 0; i <= by.exponentials.steps; ++i) entry[i] = by.exponentials.entry(i);
  }
};

/// Of numbers of 16 bits whose shares count 32768ths.
inline void softmax_of_shorts(const axis_block& block, const std::int16_t* x, const short_powers& powers, std::int16_t* y, part p) {
  const auto power_of = [&](std::int32_t d) {
    return powers.by.exponentials.between(powers.by.place_of(-d), [&](int i) { return powers.entry[i]; });
  };
  share_out(block, x, powers.by, power_of, y, share(block.outer * block.inner, p));
}

}  // namespace nnrt::inline NNRT_ISA::kernels
