// shape: extents of a tensor up to rank 8; sizes are computed in 64 bits and checked.
// Flow: part of every tensor_desc; operators' infer functions compute with it.
#pragma once

#include <nnrt/core/bounds.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA {

inline constexpr int max_rank = 8;

/// Largest number of elements of a tensor, so that sizes in bytes fit into 64 bits.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 40;

/// a * b of extents; a may be -1 (unknown), and the product then is, too, unless b is 0. Products above max_elements
/// become max_elements + 1.
constexpr std::int64_t extent_product(std::int64_t a, std::int64_t b) {
  if (a <= 0 || b == 0) return a < 0 && b != 0 ? -1 : 0;
  return b > max_elements / a ? max_elements + 1 : a * b;
}

/// Extents of a tensor, outermost first. -1: not known yet (dynamic graphs only).
struct shape_t {
  std::int64_t extents[max_rank] = {};
  int rank = 0;

  constexpr shape_t() = default;
  /// Extents beyond max_rank are dropped; readers of untrusted ranks check first.
  constexpr shape_t(std::initializer_list<std::int64_t> list) {
    for (const std::int64_t extent : list) push_back(extent);
  }

  /// A shape of this rank with unknown extents.
  static constexpr shape_t unknown(int rank) {
    shape_t s;
    for (int i = 0; i < rank; ++i) s.push_back(-1);
    return s;
  }

  /// Negative indices count from the end: shape[-1] is the innermost extent.
  /// Indices are checked as core/bounds.hpp says.
  constexpr std::int64_t operator[](int i) const {
    NNRT_CHECK_INDEX(static_cast<std::size_t>(i < 0 ? rank + i : i), static_cast<std::size_t>(rank));
    return extents[i < 0 ? rank + i : i];
  }
  constexpr std::int64_t& operator[](int i) {
    NNRT_CHECK_INDEX(static_cast<std::size_t>(i < 0 ? rank + i : i), static_cast<std::size_t>(rank));
    return extents[i < 0 ? rank + i : i];
  }
  constexpr const std::int64_t* begin() const { return extents; }
  constexpr const std::int64_t* end() const { return extents + rank; }

  constexpr void push_back(std::int64_t extent) {
    if (rank < max_rank) extents[rank++] = extent;
  }
  /// The shape with `extent` inserted at axis `at` (0 … rank).
  constexpr shape_t with_axis(int at, std::int64_t extent) const {
    shape_t out;
    for (int i = 0; i < at; ++i) out.push_back(extents[i]);
    out.push_back(extent);
    for (int i = at; i < rank; ++i) out.push_back(extents[i]);
    return out;
  }
  /// The shape with one extent replaced.
  constexpr shape_t with(int axis, std::int64_t extent) const {
    shape_t out = *this;
    out[axis] = extent;
    return out;
  }

  constexpr bool is_known() const {
    for (int i = 0; i < rank; ++i)
      if (extents[i] < 0) return false;
    return true;
  }
  /// Product of the extents of axes `from` … `to` - 1 (default: all); -1 if one is unknown or the product exceeds
  /// max_elements.
  constexpr std::int64_t elements(int from = 0, int to = max_rank) const {
    const int end = to < rank ? to : rank;
    std::int64_t n = 1;
    for (int i = from; i < end; ++i) {
      // No division: kernels call this at every run.
      if (extents[i] < 0 || __builtin_mul_overflow(n, extents[i], &n) || n > max_elements)
        return is_empty(i, end) ? 0 : -1;
    }
    return n;
  }
  /// Whether one of these extents is 0 and all are known.
  constexpr bool is_empty(int from, int to) const {
    bool has_none = false;
    for (int i = from; i < to; ++i) {
      if (extents[i] < 0) return false;
      has_none = has_none || extents[i] == 0;
    }
    return has_none;
  }

  friend constexpr bool operator==(const shape_t& a, const shape_t& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (a.extents[i] != b.extents[i]) return false;
    return true;
  }
};

/// A shape as a template argument of builder::input, and as a keyword: `reshape(x, nnrt::shape<1, 64>)`.
template <std::int64_t... Extents> struct shape_constant {
  static_assert(sizeof...(Extents) <= max_rank, "nnrt: a shape has at most 8 extents");
  constexpr operator shape_t() const { return {Extents...}; }
};
template <std::int64_t... Extents> inline constexpr shape_constant<Extents...> shape{};

namespace detail {
/// Product of non-negative factors, saturated at the largest 64-bit number; 0 if a factor is 0, even if others
/// overflow.
template <class... More> constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b, More... more) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) product = std::numeric_limits<std::int64_t>::max();
  if constexpr (sizeof...(More) == 0) return product;
  else return saturated_product(product, more...);
}
}  // namespace detail

/// Row-major strides in elements; unknown or zero extents count as 1.
constexpr shape_t row_major_strides(const shape_t& s) {
  shape_t strides = s;
  // with an extent of 0 the product may wrap, but is never used
  std::uint64_t next = 1;
  for (int i = s.rank; i-- > 0;) {
    strides.extents[i] = static_cast<std::int64_t>(next);
    next *= s.extents[i] > 0 ? static_cast<std::uint64_t>(s.extents[i]) : 1;
  }
  return strides;
}

}}  // namespace nnrt::NNRT_ISA
