// config: the few macros of the library and the name of the instruction set that this translation unit is compiled for.
// Flow: every header stands in the inline namespace NNRT_ISA, so that units with different -m flags can be linked
// together.
#pragma once

#if defined(NNRT_SINGLE_INCLUDE)
#error \
    "nnrt: single_include/nnrt/nnrt.hpp has been included; headers of include/nnrt replace it: include only one of them"
#endif

// Levels with dot products of bytes, with tables of bytes in registers, or with matrix registers have names of their
// own: what one unit makes of a kernel must not run for another.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#if defined(__AVX512VNNI__) && defined(__AVX512VBMI__) && defined(__AMX_TILE__) && defined(__AMX_INT8__) && \
    defined(__linux__)
#define NNRT_ISA avx512amx
#define NNRT_ISA_NAME "avx512amx"
#elif defined(__AVX512VNNI__) && defined(__AVX512VBMI__)
#define NNRT_ISA avx512vbmi
#define NNRT_ISA_NAME "avx512vbmi"
#elif defined(__AVX512VNNI__)
#define NNRT_ISA avx512vnni
#define NNRT_ISA_NAME "avx512vnni"
#else
#define NNRT_ISA avx512
#define NNRT_ISA_NAME "avx512"
#endif
#elif defined(__AVX2__) && defined(__FMA__)
#if defined(__AVXVNNI__)
#define NNRT_ISA avx2vnni
#define NNRT_ISA_NAME "avx2vnni"
#else
#define NNRT_ISA avx2
#define NNRT_ISA_NAME "avx2"
#endif
#elif defined(__SSE4_1__)
#define NNRT_ISA sse4
#define NNRT_ISA_NAME "sse4"
#elif defined(__SSE2__)
#define NNRT_ISA sse2
#define NNRT_ISA_NAME "sse2"
#elif defined(__ARM_NEON) && defined(__aarch64__)
#if defined(__ARM_FEATURE_DOTPROD) && defined(__ARM_FEATURE_MATMUL_INT8)
#define NNRT_ISA neoni8mm
#define NNRT_ISA_NAME "neoni8mm"
#elif defined(__ARM_FEATURE_DOTPROD)
#define NNRT_ISA neondot
#define NNRT_ISA_NAME "neondot"
#else
#define NNRT_ISA neon
#define NNRT_ISA_NAME "neon"
#endif
#elif defined(__wasm_simd128__)
#define NNRT_ISA simd128
#define NNRT_ISA_NAME "simd128"
// matrix registers in plain C++, see kernels/simd/matrix_registers.hpp: for tests alone
#elif defined(NNRT_TEST_MATRIX_REGISTERS)
#define NNRT_ISA genericamx
#define NNRT_ISA_NAME "genericamx"
#else
#define NNRT_ISA generic
#define NNRT_ISA_NAME "generic"
#endif

// The file of kernels/simd/ that has the machine's instructions.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define NNRT_X86_AVX512 1
#elif defined(__AVX2__) && defined(__FMA__)
#define NNRT_X86_AVX2 1
#elif defined(__SSE2__)
#define NNRT_X86_SSE 1
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define NNRT_ARM_NEON 1
#elif defined(__wasm_simd128__)
#define NNRT_WASM_SIMD128 1
#elif defined(NNRT_TEST_MATRIX_REGISTERS)
#define NNRT_TEST_MACHINE 1
#else
#define NNRT_SCALAR 1
#endif

// What the processor has besides: the control register of floats (core/float_environment.hpp), the constraints of a
// register of floats and of vectors in assembly, and the instruction of a thread that spins.
#if defined(__SSE__)
#define NNRT_HAS_MXCSR 1
#elif defined(__aarch64__)
#define NNRT_HAS_FPCR 1
#endif
#if defined(__SSE2__)
#define NNRT_REGISTER_OF_VECTORS "+v"
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define NNRT_REGISTER_OF_VECTORS "+w"
#elif defined(__wasm_simd128__)
#define NNRT_REGISTER_OF_VECTORS "+r"
#else
#define NNRT_REGISTER_OF_VECTORS "+m"  // memory, without vectors
#endif
#if defined(__x86_64__) || defined(__i386__)
#define NNRT_REGISTER_OF_REALS "+x"
#define NNRT_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define NNRT_REGISTER_OF_REALS "+w"
#define NNRT_PAUSE() asm volatile("yield")
#elif defined(__wasm__)
#define NNRT_REGISTER_OF_REALS "+r"
#define NNRT_PAUSE() ((void)0)
#else
#define NNRT_REGISTER_OF_REALS "+m"  // memory, if the register constraint is unknown
#define NNRT_PAUSE() ((void)0)
#endif

// The compiler's type of IEEE binary16, if it has one: g++ 12 has _Float16 for x86 and __fp16 for Arm.
#if defined(__aarch64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#define NNRT_FLOAT16 __fp16
#elif defined(__FLT16_MAX__)
#define NNRT_FLOAT16 _Float16
#endif

// NNRT_COMPILED_ONCE(signature), after a template of a function that is slow to compile and that no constant expression
// calls: with NNRT_SEPARATE_COMPILATION only the unit that includes <nnrt/src.hpp> compiles it.
#ifdef NNRT_SEPARATE_COMPILATION
#define NNRT_COMPILED_ONCE(...) extern template __VA_ARGS__;
#else
#define NNRT_COMPILED_ONCE(...)
#endif

namespace nnrt { inline namespace NNRT_ISA {

/// The instruction set that the kernels of this translation unit use.
inline constexpr const char* isa = NNRT_ISA_NAME;

/// The library's version, as in CMakeLists.txt.
inline constexpr const char* version = "0.1.0";

}}  // namespace nnrt::NNRT_ISA
