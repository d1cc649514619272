// narrow_floats: 8-bit and 16-bit floats that occur in files only, and their conversion to f32.
// Flow: safetensors.hpp converts such tensors when it reads a file, make_weights() when a program passes them.
#pragma once

#include <nnrt/core/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA {

/// The encoding of an f32 tensor's elements. Every value of the narrow encodings is exactly representable in f32.
enum class narrow_float : std::uint64_t {
  none,
  bf16,     // the upper half of a float
  f8_e4m3,  // OCP 8-bit floating point E4M3: bias 7, no infinities; NaN has all bits set except the sign
  f8_e5m2,  // OCP 8-bit floating point E5M2: the upper half of an f16
};

/// Bytes of a narrow element; 0 for narrow_float::none.
constexpr std::size_t bytes_of(narrow_float stored) {
  return stored == narrow_float::none ? 0 : stored == narrow_float::bf16 ? 2 : 1;
}

namespace detail {

/// Converts the sign, exponent and mantissa in the low bits of `bits` to f32. All exponent bits set means infinity or
/// NaN if the encoding has infinities. Otherwise only all exponent and mantissa bits set mean NaN.
template <int ExponentBits, int MantissaBits, bool HasInfinities> constexpr float widened(std::uint32_t bits) {
  constexpr std::uint32_t mantissas = 1U << MantissaBits, exponents = 1U << ExponentBits, bias = exponents / 2 - 1;
  const std::uint32_t sign = (bits >> (ExponentBits + MantissaBits)) << 31U,
                      exponent = (bits >> MantissaBits) % exponents, mantissa = bits % mantissas;
  const bool is_special = exponent == exponents - 1 && (HasInfinities || mantissa == mantissas - 1);
  if (is_special) return std::bit_cast<float>(sign | 0x7F800000U | (HasInfinities && mantissa == 0 ? 0U : 0x400000U));
  if (exponent != 0)
    return std::bit_cast<float>(sign | (exponent + 127 - bias) << 23U | mantissa << (23 - MantissaBits));
  const float unit = std::bit_cast<float>((127 + 1 - bias - MantissaBits) << 23U),
              size = static_cast<float>(mantissa) * unit;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(size));
}

}  // namespace detail

/// Converts `count` narrow elements to f32. `from` needs no alignment.
/// Domain: all bit patterns; zeros and infinities keep their sign, NaN gives NaN.
/// Error: none, the result is exact (exhaustive test: io/narrow_floats).
[[gnu::cold]] inline void widen(narrow_float stored, const std::byte* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    if (stored == narrow_float::bf16) {
      std::uint16_t half = 0;
      std::memcpy(&half, from + 2 * i, 2);
      to[i] = std::bit_cast<float>(std::uint32_t{half} << 16U);
    } else {
      const auto bits = std::to_integer<std::uint32_t>(from[i]);
      to[i] = stored == narrow_float::f8_e4m3 ? detail::widened<4, 3, false>(bits) : detail::widened<5, 2, true>(bits);
    }
  }
}

}}  // namespace nnrt::NNRT_ISA
