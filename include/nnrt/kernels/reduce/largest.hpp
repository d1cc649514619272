// largest: positions of the largest elements along an axis: one per line, or the k largest in order.
// Flow: bind/arg_max.hpp and bind/top_k.hpp call these for a part of the lines; comparisons are those of the
// references.
#pragma once

#include <nnrt/kernels/common/axis_block.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/ops/detail/order.hpp>

#include <bit>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// True if a may be larger than b: for larger values and NaN. One comparison for most other values.
template <class T> [[gnu::always_inline]] inline bool may_be_larger(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return a > b || (std::bit_cast<std::uint32_t>(a) & 0x7fffffffU) > 0x7f800000U;
  else return ops::detail::is_larger(a, b);
}

/// Index of the first of the largest of n elements.
template <class T> std::int64_t first_largest(const T* x, std::int64_t n) {
  std::int64_t found = 0;
  T best = x[0];
  for (std::int64_t i = 1; i < n; ++i) {
    const T element = x[i];
    if (may_be_larger(element, best) && ops::detail::is_larger(element, best)) best = element, found = i;
  }
  return found;
}

}  // namespace detail

/// find_largest() across rows: processes blocks of columns, so that memory is read sequentially.
template <class T, class Set>
void find_largest_of_columns(const axis_block& block, const T* x, part p, const Set& set) {
  constexpr std::int64_t most = 256;
  T best[most];
  std::int64_t found[most];
  const interval lines = share(block.outer * block.inner, p);
  for (std::int64_t line = lines.begin, count = 0; line < lines.end; line += count) {
    const std::int64_t outer = line / block.inner, column = line % block.inner;
    count = block.inner - column < most ? block.inner - column : most;
    if (count > lines.end - line) count = lines.end - line;
    const T* row = x + outer * block.extent * block.inner + column;
    for (std::int64_t i = 0; i < count; ++i) best[i] = row[i], found[i] = 0;
    for (std::int64_t at = 1; at < block.extent; ++at) {
      row += block.inner;
      for (std::int64_t i = 0; i < count; ++i)
        if (detail::may_be_larger(row[i], best[i]) && ops::detail::is_larger(row[i], best[i]))
          best[i] = row[i], found[i] = at;
    }
    for (std::int64_t i = 0; i < count; ++i) set(line + i, found[i], best[i]);
  }
}

/// Calls set(line, index, element) with the largest element of each line along the middle axis of the block.
template <class T, class Set> void find_largest(const axis_block& block, const T* x, part p, const Set& set) {
  if (block.inner > 1) return find_largest_of_columns(block, x, p, set);
  const interval lines = share(block.outer, p);
  for (std::int64_t line = lines.begin; line < lines.end; ++line) {
    const T* const row = x + line * block.extent;
    const std::int64_t index = detail::first_largest(row, block.extent);
    set(line, index, row[index]);
  }
}

/// An element and its index.
template <class T> struct ranked {
  T value;
  std::int32_t index;
};

/// Finds the k largest of n elements that are `step` apart, in descending order; equal elements in order of their
/// index. `best` has room for k. Uses a heap whose root is the smallest element found so far: O(n + found * log k).
template <class T> class ranking {
 public:
  ranking(ranked<T>* best, std::int64_t k) : best_(best), k_(k) {}

  void choose(const T* x, std::int64_t n, std::int64_t step) {
    for (std::int64_t i = 0; i < k_; ++i) best_[i] = {x[i * step], static_cast<std::int32_t>(i)};
    for (std::int64_t i = k_ / 2; i-- > 0;) sink(i, k_);
    for (std::int64_t i = k_; i < n; ++i) {
      const T element = x[i * step];
      // Equal elements that come later rank lower.
      if (!detail::may_be_larger(element, best_[0].value) || !ops::detail::is_larger(element, best_[0].value)) continue;
      best_[0] = {element, static_cast<std::int32_t>(i)};
      sink(0, k_);
    }
    for (std::int64_t left = k_ - 1; left > 0; --left) {
      const ranked<T> least = best_[0];
      best_[0] = best_[left], best_[left] = least;
      sink(0, left);
    }
  }

 private:
  static bool comes_behind(const ranked<T>& a, const ranked<T>& b) {
    if (ops::detail::is_larger(b.value, a.value)) return true;
    return a.index > b.index && !ops::detail::is_larger(a.value, b.value);
  }
  /// Moves the element at `at` down until neither child ranks lower.
  void sink(std::int64_t at, std::int64_t size) {
    const ranked<T> moved = best_[at];
    for (std::int64_t next = 2 * at + 1; next < size; next = 2 * at + 1) {
      if (next + 1 < size && comes_behind(best_[next + 1], best_[next])) ++next;
      if (!comes_behind(best_[next], moved)) break;
      best_[at] = best_[next];
      at = next;
    }
    best_[at] = moved;
  }

  ranked<T>* best_;
  std::int64_t k_;
};

}}}  // namespace nnrt::NNRT_ISA::kernels
