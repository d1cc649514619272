// folds: how many numbers become one - the largest, the least, their sum, mean and product.
// Flow: pooling/pooling.hpp folds the pixels of a window with these, reduce/reduce.hpp the elements along axes.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>
#include <nnrt/ops/detail/sums.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

// A fold has the value before the first number, one number more, and the result of `count` numbers; for vectors lane by
// lane, for floats alike. One that can overflow on the way has its numbers folded anew where the result is not finite:
// as the references do, by in_f64().

/// A fold whose numbers may have a finite result and an infinite sum or product on the way.
template <class Fold>
concept may_overflow = requires { typename Fold::safe; };

namespace detail {

/// The fold of at(0) … at(numbers - 1), without overflow on the way; a mean is that of `count` numbers, the others of
/// which are 0.
template <class Fold, class At>
[[gnu::noinline, gnu::cold]] double in_f64(std::int64_t numbers, std::int64_t count, const At& at) {
  typename Fold::safe folded;
  for (std::int64_t i = 0; i < numbers; ++i) Fold::add(folded, double{at(i)});
  return Fold::value(folded, count);
}
template <class Fold, class At> double in_f64(std::int64_t count, const At& at) {
  return in_f64<Fold>(count, count, at);
}
/// Whether a lane of v is infinite or no number.
template <class V> [[gnu::always_inline]] inline bool has_special_lane(V v) { return !(reduce_add(v - v) == 0); }

}  // namespace detail

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
  using safe = ops::detail::wide_sum<float>;
  static void add(safe& sum, double x) { sum.add(x); }
  static double value(const safe& sum, std::int64_t) { return sum.value(); }
};
/// The mean.
struct mean_fold {
  static constexpr float start = 0.0F;
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return folded + x; }
  template <class V> [[gnu::always_inline]] static V result(V folded, V count) { return folded / count; }
  using safe = ops::detail::wide_sum<float>;
  static void add(safe& sum, double x) { sum.add(x); }
  static double value(const safe& sum, std::int64_t count) { return sum.mean(count); }
};
/// The product.
struct product_fold {
  static constexpr float start = 1.0F;
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return folded * x; }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
  using safe = ops::detail::wide_product;
  static void add(safe& product, double x) { product.multiply(x); }
  static double value(const safe& product, std::int64_t) { return product.value(); }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
