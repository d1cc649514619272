// arithmetic: what references share when they compute - the type they compute in, fused activations, rounding back.
// Flow: ops/*.hpp's reference functions; kernels are held against them.
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/core/convert.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// x after the activation, in the type of computation. A NaN stays one.
template <class T> constexpr T activate(T x, activation fused) {
  if (fused == activation::none) return x;
  if (x < T(0)) return T(0);
  return fused == activation::relu6 && x > T(6) ? T(6) : x;
}

}}  // namespace nnrt::NNRT_ISA
