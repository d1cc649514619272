// registers: xsimd's types of registers, which the files of instruction sets name.
// Flow: included by x86_sse.hpp, x86_avx2.hpp, x86_avx512.hpp and arm_neon.hpp.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>  // xsimd 8.1 names std::size_t without it

#if defined(NNRT_X86_SSE) || defined(NNRT_X86_AVX2) || defined(NNRT_X86_AVX512) || defined(NNRT_ARM_NEON)

// g++ 12 warns about _mm512_undefined_ps in its own header after inlining.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
// Registers alone: xsimd::batch, with <complex>, <memory> and the functions of every architecture, costs each
// translation unit another 0.25 s, and each of its operations three calls to inline.
#include <xsimd/types/xsimd_all_registers.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// A register of floats of an xsimd architecture. The architecture is spelled out, not xsimd's default: with -mavx
/// alone the default has 8 lanes inside namespace sse4, and two units compiled with different flags would give one name
/// two meanings.
template <class Arch> struct registers_of {
  using f32 = typename xsimd::types::simd_register<float, Arch>::register_type;
};

}}}  // namespace nnrt::NNRT_ISA::kernels

#endif
