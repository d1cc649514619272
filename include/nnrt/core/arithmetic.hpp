// arithmetic: fused activations in references.
// Flow: used by the reference functions of ops/*.hpp; tests compare kernels with them.
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/core/convert.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// x after the activation, in the type of computation. NaN gives NaN.
template <class T> constexpr T activate(T x, activation fused) {
  switch (fused) {
    case activation::none: return x;
    case activation::relu: return x < T(0) ? T(0) : x;
    case activation::relu6: return x < T(0) ? T(0) : x > T(6) ? T(6) : x;
  }
  __builtin_unreachable();
}

}}  // namespace nnrt::NNRT_ISA
