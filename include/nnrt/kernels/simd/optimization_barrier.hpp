// optimization_barrier: values of which compilers know nothing from here on, so that they neither fold nor recompute
// them. No instruction.
// Flow: simd/lanes.hpp and simd/int8_lanes.hpp include this; kernels keep in registers with it what g++ 12 else makes
// anew.
#pragma once

#include <nnrt/core/config.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// What one register holds, of which compilers know nothing from here on; where there are no vectors, in memory.
template <class Registers> [[gnu::always_inline]] inline void hide_register(Registers& x) {
#if defined(__SSE2__)
  asm("" : "+v"(x));
#elif defined(__ARM_NEON) && defined(__aarch64__)
  asm("" : "+w"(x));
#else
  asm("" : "+m"(x));
#endif
}

/// x, of which compilers know nothing: with -ffast-math they make x of (x + c) - c, which shall round it.
template <class V> [[gnu::always_inline]] inline V opaque_value(V x) {
  if constexpr (requires { x.data; }) hide_register(x.data);
  else hide_register(x);
  return x;
}

/// Keeps a number, an address for instance, or a vector of floats (simd/lanes.hpp) in a register: the optimiser else
/// makes it of others again, or loads it again for each of a few uses. Without vectors those of floats stay as they
/// are.
template <class T> [[gnu::always_inline]] inline void optimization_barrier(T& value) {
  if constexpr (!requires { value.data; }) asm("" : "+r"(value));
#if defined(__SSE2__) || (defined(__ARM_NEON) && defined(__aarch64__))
  else hide_register(value.data);
#endif
}

/// The same for a vector of quantised values (simd/int8_lanes.hpp), on x86: else g++ 12 does in scalar registers what
/// the vector was made for.
template <class Vector> [[gnu::always_inline]] inline void vector_barrier([[maybe_unused]] Vector& x) {
#if defined(__SSE2__)
  hide_register(x);
#endif
}

}}}  // namespace nnrt::NNRT_ISA::kernels
