// config: the few macros of the library and the name of the instruction set that this translation unit is compiled for.
// Flow: every header stands in namespace nnrt::inline NNRT_ISA, so that units with different -m flags can be linked together.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define NNRT_ISA avx512
#define NNRT_ISA_NAME "avx512"
#elif defined(__AVX2__) && defined(__FMA__)
#define NNRT_ISA avx2
#define NNRT_ISA_NAME "avx2"
#elif defined(__SSE4_1__)
#define NNRT_ISA sse4
#define NNRT_ISA_NAME "sse4"
#elif defined(__SSE2__)
#define NNRT_ISA sse2
#define NNRT_ISA_NAME "sse2"
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define NNRT_ISA neon
#define NNRT_ISA_NAME "neon"
#else
#define NNRT_ISA generic
#define NNRT_ISA_NAME "generic"
#endif

namespace nnrt::inline NNRT_ISA {

/// The instruction set that the kernels of this translation unit use.
inline constexpr const char* isa = NNRT_ISA_NAME;

}  // namespace nnrt::inline NNRT_ISA
