// dtype: element types of tensors with their C++ types, sizes and names, and sets of them.
// Flow: used by everything else; the enumerators have the numbers of NNRt's OH_NN_DataType.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/enumerators.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA {

/// Element type of a tensor; `none`: not known yet. Source: OH_NN_DataType.
enum class dtype { none, boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 };

inline constexpr dtype boolean = dtype::boolean;
inline constexpr dtype i8 = dtype::i8;
inline constexpr dtype i16 = dtype::i16;
inline constexpr dtype i32 = dtype::i32;
inline constexpr dtype i64 = dtype::i64;
inline constexpr dtype u8 = dtype::u8;
inline constexpr dtype u16 = dtype::u16;
inline constexpr dtype u32 = dtype::u32;
inline constexpr dtype u64 = dtype::u64;
inline constexpr dtype f16 = dtype::f16;
inline constexpr dtype f32 = dtype::f32;
inline constexpr dtype f64 = dtype::f64;
inline constexpr int dtype_count = 13;
static_assert(detail::covers<dtype, dtype_count>);

#if defined(NNRT_FLOAT16)
/// IEEE binary16, for storage and conversion; every operator computes in float.
using float16 = NNRT_FLOAT16;
#else
/// IEEE binary16 for compilers without such a type, for storage and conversion; rounds to nearest, half to even.
struct float16 {
  std::uint16_t bits = 0;
  constexpr float16() = default;
  constexpr explicit float16(float value) : bits(from_float(value)) {}
  constexpr operator float() const { return to_float(bits); }

 private:
  static constexpr float to_float(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16U, exponent = (half >> 10U) & 31U,
                        mantissa = half & 1023U;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | mantissa << 13U);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112U) << 23U | mantissa << 13U);
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  static constexpr std::uint16_t from_float(float value) {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value), sign = (word >> 16U) & 0x8000U,
                        rest = word & 0x7fffffffU;
    if (rest > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
    if (rest >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);
    if (rest >= 0x38800000U)
      return static_cast<std::uint16_t>(sign | ((rest - 0x38000000U + 0xfffU + ((rest >> 13U) & 1U)) >> 13U));
    const float scaled = std::bit_cast<float>(rest) * 0x1p24F;  // subnormal: units of 2^-24, half to even
    auto units = static_cast<std::uint32_t>(scaled);
    const float left = scaled - static_cast<float>(units);
    if (left > 0.5F || (left == 0.5F && (units & 1U) != 0)) ++units;
    return static_cast<std::uint16_t>(sign | units);
  }
};
#endif

// The C++ type of a dtype, and the reverse.
template <dtype T> struct element_of;
template <> struct element_of<dtype::boolean> {
  using type = bool;
};
template <> struct element_of<dtype::i8> {
  using type = std::int8_t;
};
template <> struct element_of<dtype::i16> {
  using type = std::int16_t;
};
template <> struct element_of<dtype::i32> {
  using type = std::int32_t;
};
template <> struct element_of<dtype::i64> {
  using type = std::int64_t;
};
template <> struct element_of<dtype::u8> {
  using type = std::uint8_t;
};
template <> struct element_of<dtype::u16> {
  using type = std::uint16_t;
};
template <> struct element_of<dtype::u32> {
  using type = std::uint32_t;
};
template <> struct element_of<dtype::u64> {
  using type = std::uint64_t;
};
template <> struct element_of<dtype::f16> {
  using type = float16;
};
template <> struct element_of<dtype::f32> {
  using type = float;
};
template <> struct element_of<dtype::f64> {
  using type = double;
};

/// C++ type of the elements of dtype T: float for f32, bool for boolean, ….
template <dtype T> using element_t = typename element_of<T>::type;

/// dtype of a C++ element type; `none` for any other type.
template <class T> constexpr dtype dtype_for() {
  if constexpr (std::is_same_v<T, bool>) return dtype::boolean;
  else if constexpr (std::is_same_v<T, std::int8_t>) return dtype::i8;
  else if constexpr (std::is_same_v<T, std::int16_t>) return dtype::i16;
  else if constexpr (std::is_same_v<T, std::int32_t>) return dtype::i32;
  else if constexpr (std::is_same_v<T, std::int64_t> || (std::is_same_v<T, long long> && sizeof(T) == 8))
    return dtype::i64;
  else if constexpr (std::is_same_v<T, std::uint8_t>) return dtype::u8;
  else if constexpr (std::is_same_v<T, std::uint16_t>) return dtype::u16;
  else if constexpr (std::is_same_v<T, std::uint32_t>) return dtype::u32;
  else if constexpr (std::is_same_v<T, std::uint64_t> || (std::is_same_v<T, unsigned long long> && sizeof(T) == 8))
    return dtype::u64;
  else if constexpr (std::is_same_v<T, float16>) return dtype::f16;
  else if constexpr (std::is_same_v<T, float>) return dtype::f32;
  else if constexpr (std::is_same_v<T, double>) return dtype::f64;
  else return dtype::none;
}

/// Bytes of one element; 0 for `none`.
constexpr std::int64_t size_of(dtype type) {
  constexpr std::int8_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
  static_assert(sizeof bytes == dtype_count);
  return bytes[static_cast<int>(type)];
}

/// Name as in the DSL: "f32", "i8", "boolean", …; "none".
constexpr std::string_view name_of(dtype type) {
  constexpr std::string_view names[] = {"none", "boolean", "i8",  "i16", "i32", "i64", "u8",
                                        "u16",  "u32",     "u64", "f16", "f32", "f64"};
  static_assert(std::size(names) == dtype_count);
  return names[static_cast<int>(type)];
}

/// A set of dtypes, for the dtypes that an operand may have.
struct dtype_set {
  std::uint32_t bits = 0;
  constexpr bool contains(dtype type) const { return (bits >> static_cast<int>(type) & 1U) != 0; }
  constexpr bool empty() const { return bits == 0; }
  constexpr dtype_set operator|(dtype_set other) const { return {bits | other.bits}; }
  friend constexpr bool operator==(const dtype_set&, const dtype_set&) = default;
};

/// The set of these dtypes.
template <class... T> constexpr dtype_set types_of(T... type) { return {((1U << static_cast<int>(type)) | ... | 0U)}; }

namespace types {
inline constexpr dtype_set floating = types_of(f16, f32, f64);
inline constexpr dtype_set real = types_of(f16, f32);
inline constexpr dtype_set integer = types_of(i8, i16, i32, i64, u8, u16, u32, u64);
inline constexpr dtype_set index = types_of(i32, i64);
inline constexpr dtype_set number = floating | integer;
inline constexpr dtype_set logical = types_of(boolean);
inline constexpr dtype_set any = number | logical;
inline constexpr dtype_set quantised = types_of(i8, u8, i16, i32);
}  // namespace types

/// The dtype in which operators on two dtypes compute, the one of higher precision: floats before integers before
/// booleans, wide before narrow. `none` for a signed and an unsigned dtype of which neither contains the other. Source:
/// NNRt's binary operators.
constexpr dtype common_type(dtype a, dtype b) {
  if (a == b || b == boolean) return a;
  if (a == boolean) return b;
  if (types::floating.contains(a) != types::floating.contains(b)) return types::floating.contains(a) ? a : b;
  const dtype wide = size_of(a) > size_of(b) ? a : b, narrow = wide == a ? b : a;
  constexpr dtype_set without_sign = types_of(u8, u16, u32, u64);
  const bool sign_differs = without_sign.contains(wide) != without_sign.contains(narrow);
  return sign_differs && (without_sign.contains(wide) || size_of(a) == size_of(b)) ? dtype::none : wide;
}

/// Calls f with a value of the element type of `type` if `Set` contains it; returns false otherwise. f is instantiated
/// only for members of the set.
template <dtype_set Set, class F> constexpr bool with_element(dtype type, F&& f) {
  switch (type) {
    case boolean:
      if constexpr (Set.contains(boolean)) return f(element_t<boolean>{}), true;
      break;
    case i8:
      if constexpr (Set.contains(i8)) return f(element_t<i8>{}), true;
      break;
    case i16:
      if constexpr (Set.contains(i16)) return f(element_t<i16>{}), true;
      break;
    case i32:
      if constexpr (Set.contains(i32)) return f(element_t<i32>{}), true;
      break;
    case i64:
      if constexpr (Set.contains(i64)) return f(element_t<i64>{}), true;
      break;
    case u8:
      if constexpr (Set.contains(u8)) return f(element_t<u8>{}), true;
      break;
    case u16:
      if constexpr (Set.contains(u16)) return f(element_t<u16>{}), true;
      break;
    case u32:
      if constexpr (Set.contains(u32)) return f(element_t<u32>{}), true;
      break;
    case u64:
      if constexpr (Set.contains(u64)) return f(element_t<u64>{}), true;
      break;
    case f16:
      if constexpr (Set.contains(f16)) return f(element_t<f16>{}), true;
      break;
    case f32:
      if constexpr (Set.contains(f32)) return f(element_t<f32>{}), true;
      break;
    case f64:
      if constexpr (Set.contains(f64)) return f(element_t<f64>{}), true;
      break;
    case dtype::none: break;
  }
  return false;
}

}}  // namespace nnrt::NNRT_ISA
