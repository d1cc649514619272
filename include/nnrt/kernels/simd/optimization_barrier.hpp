// optimization_barrier: makes values opaque to the compiler, so that it neither folds nor recomputes them. No
// instruction.
// Flow: simd/lanes.hpp and simd/int8_lanes.hpp include this; kernels keep values in registers with it that g++ 12 would
// recompute.
#pragma once

#include <nnrt/core/config.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Makes the value of a register opaque; on machines without vectors, a value in memory.
template <class Registers> [[gnu::always_inline]] inline void hide_register(Registers& x) {
  asm("" : NNRT_REGISTER_OF_VECTORS(x));
}

/// x, opaque: with -ffast-math compilers simplify (x + c) - c, which is meant to round x.
template <class V> [[gnu::always_inline]] inline V opaque_value(V x) {
  if constexpr (requires { x.data; }) hide_register(x.data);
  else hide_register(x);
  return x;
}

/// Keeps a scalar (an address, for example) or a vector of floats in a register: the optimiser would recompute it, or
/// load it again for each use. No effect on floats of machines without vectors.
template <class T> [[gnu::always_inline]] inline void optimization_barrier(T& value) {
  if constexpr (!requires { value.data; }) asm("" : "+r"(value));
#if defined(__SSE2__) || (defined(__ARM_NEON) && defined(__aarch64__))
  else hide_register(value.data);
#endif
}

/// Keeps a vector of integers in a register, on x86: g++ 12 would compute with its elements in scalar registers.
template <class Vector> [[gnu::always_inline]] inline void vector_barrier([[maybe_unused]] Vector& x) {
#if defined(__SSE2__)
  hide_register(x);
#endif
}

}}}  // namespace nnrt::NNRT_ISA::kernels
