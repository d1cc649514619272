// order: comparison of elements for operators that search the largest.
// Flow: used by references of top_k and arg_max, and their kernels in kernels/reduce/largest.hpp.
#pragma once

#include <nnrt/core/convert.hpp>

#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Whether a is larger than b. NaN is larger than every number and equal to every NaN, so that NaNs are found; zeros
/// are equal regardless of their sign.
template <class T> constexpr bool is_larger(T a, T b) {
  if constexpr (std::is_integral_v<T>) return a > b;
  else {
    using real = math::compute_t<T>;
    const real left = static_cast<real>(a), right = static_cast<real>(b);
    if (math::is_nan(right)) return false;  // first: with -ffast-math a comparison with NaN may be true
    return math::is_nan(left) || left > right;
  }
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
