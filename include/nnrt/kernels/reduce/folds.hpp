// folds: reductions of several values to one: maximum, minimum, sum, mean, product.
// Flow: pooling/pooling.hpp folds the pixels of a window with these, reduce/reduce.hpp the elements along axes.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>
#include <nnrt/ops/detail/sums.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

// A fold has a start value, a step that adds one value, and the result for `count` values; for vectors (per lane) and
// floats. If a fold may overflow before the end and the result is not finite, in_f64() repeats it as the references do.

/// A fold whose intermediate sum or product may overflow although the result is finite.
template <class Fold>
concept may_overflow = requires { typename Fold::safe; };

namespace detail {

/// The fold of at(0) … at(numbers - 1), without intermediate overflow. A mean is over `count` values; the others are 0.
template <class Fold, class At>
[[gnu::noinline, gnu::cold]] double in_f64(std::int64_t numbers, std::int64_t count, const At& at) {
  typename Fold::safe folded;
  for (std::int64_t i = 0; i < numbers; ++i) Fold::add(folded, double{at(i)});
  return Fold::value(folded, count);
}
template <class Fold, class At> double in_f64(std::int64_t count, const At& at) {
  return in_f64<Fold>(count, count, at);
}
/// True if a lane of v is infinite or NaN.
template <class V> [[gnu::always_inline]] inline bool has_special_lane(V v) { return !(reduce_add(v - v) == 0); }

}  // namespace detail

/// Maximum; NaN if any value is NaN.
struct maximum_fold {
  static constexpr float start = -std::numeric_limits<float>::infinity();
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return maximum_of(folded, x); }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
};
/// Minimum; NaN if any value is NaN.
struct minimum_fold {
  static constexpr float start = std::numeric_limits<float>::infinity();
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return -maximum_of(-folded, -x); }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
};
/// Sum.
struct sum_fold {
  static constexpr float start = 0.0F;
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return folded + x; }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
  using safe = ops::detail::wide_sum<float>;
  static void add(safe& sum, double x) { sum.add(x); }
  static double value(const safe& sum, std::int64_t) { return sum.value(); }
};
/// Mean.
struct mean_fold {
  static constexpr float start = 0.0F;
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return folded + x; }
  template <class V> [[gnu::always_inline]] static V result(V folded, V count) { return folded / count; }
  using safe = ops::detail::wide_sum<float>;
  static void add(safe& sum, double x) { sum.add(x); }
  static double value(const safe& sum, std::int64_t count) { return sum.mean(count); }
};
/// Product.
struct product_fold {
  static constexpr float start = 1.0F;
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return folded * x; }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
  using safe = ops::detail::wide_product;
  static void add(safe& product, double x) { product.multiply(x); }
  static double value(const safe& product, std::int64_t) { return product.value(); }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
