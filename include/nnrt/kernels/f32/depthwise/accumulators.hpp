// accumulators: register accumulators of a float depthwise convolution, for adjacent outputs of a row.
// Flow: f32/depthwise/tile.hpp and f32/depthwise/strip.hpp add columns of input to them.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/simd/lanes.hpp>

#include <cstdint>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels::detail {

/// Number of vectors per strip or tile for images `width` outputs wide, with `pixels` outputs per vector. Returns the
/// choice of least cost (the first among equals), or 0 if none fits. The overhead of a strip equals one column; the
/// last strip overlaps the previous one.
template <int N> constexpr int columns_for(const int (&choices)[N], std::int64_t width, int pixels) {
  int best = 0;
  std::int64_t least = 0;
  for (const int columns : choices) {
    const std::int64_t outputs = std::int64_t{columns} * pixels, cost = (width + outputs - 1) / outputs * (columns + 1);
    if (outputs <= width && (best == 0 || cost < least)) best = columns, least = cost;
  }
  return best;
}

/// Accumulators of adjacent outputs of one row, `Stride` input columns apart, for rows of K taps.
template <int K, int Stride, int Columns> struct depthwise_sums {
  static constexpr int in_columns = (Columns - 1) * Stride + K;
  f32_vec of[Columns];

  [[gnu::always_inline]] void start(f32_vec bias) {
    each<Columns>([&](auto c) __attribute__((always_inline)) { of[c] = bias; });
  }
  /// Adds the products of input column J (value x) with one row of the kernel; `where` selects the lanes of fma().
  template <int J, class... Where> [[gnu::always_inline]] void add(f32_vec x, const f32_vec (&w)[K], Where... where) {
    constexpr int first = J < K ? 0 : (J - K) / Stride + 1, last = std::min(Columns - 1, J / Stride);
    add_to<J, first>(std::make_integer_sequence<int, last - first + 1>{}, x, w, where...);
  }

 private:
  template <int J, int First, int... I, class... Where>
  [[gnu::always_inline]] void add_to(std::integer_sequence<int, I...>, f32_vec x, const f32_vec (&w)[K],
                                     Where... where) {
    ((of[First + I] = fma(x, w[J - (First + I) * Stride], of[First + I], where...)), ...);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels::detail
