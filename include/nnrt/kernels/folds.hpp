// folds: how many numbers become one - the largest, the least, their sum, mean and product.
// Flow: pooling.hpp folds the pixels of a window with these, reduce.hpp the elements along axes.
#pragma once

#include <nnrt/kernels/lane_math.hpp>

#include <limits>

namespace nnrt::inline NNRT_ISA::kernels {

// A fold has the value before the first number, one number more, and the result of `count` numbers; for vectors lane by
// lane, for floats alike.

/// The largest; a NaN where one of them is.
struct maximum_fold {
  static constexpr float start = -std::numeric_limits<float>::infinity();
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return maximum_of(folded, x); }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
};
/// The least; a NaN where one of them is.
struct minimum_fold {
  static constexpr float start = std::numeric_limits<float>::infinity();
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return -maximum_of(-folded, -x); }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
};
/// The sum.
struct sum_fold {
  static constexpr float start = 0.0F;
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return folded + x; }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
};
/// The mean.
struct mean_fold {
  static constexpr float start = 0.0F;
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return folded + x; }
  template <class V> [[gnu::always_inline]] static V result(V folded, V count) { return folded / count; }
};
/// The product.
struct product_fold {
  static constexpr float start = 1.0F;
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return folded * x; }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
