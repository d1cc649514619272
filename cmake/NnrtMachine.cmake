# NnrtMachine.cmake: whether a processor has the instructions that a compiler may use with some flags.
# Flow: NnrtTargets.cmake asks it for the machine that builds; the shared libraries choose among their instruction sets
# by the same conditions when they are loaded.

# A macro that compilers define with the flag of an instruction set, and a condition in C++ on processors that have it.
# Each macro that core/config.hpp or kernels ask for has a row: tests/support/machine_conditions.cmake compares them.
set(nnrt_instructions
  "__SSE__ __builtin_cpu_supports(\"sse\")"
  "__SSE2__ __builtin_cpu_supports(\"sse2\")"
  "__SSE4_1__ __builtin_cpu_supports(\"sse4.1\")"
  "__AVX2__ __builtin_cpu_supports(\"avx2\")"
  "__FMA__ __builtin_cpu_supports(\"fma\")"
  "__F16C__ cpuid_bit(1, 0, 2, 29)"   # clang 16 has no name for this one and those below
  "__AVXVNNI__ cpuid_bit(7, 1, 0, 4)"
  "__AVX512F__ __builtin_cpu_supports(\"avx512f\")"
  "__AVX512BW__ __builtin_cpu_supports(\"avx512bw\")"
  "__AVX512DQ__ __builtin_cpu_supports(\"avx512dq\")"
  "__AVX512VL__ __builtin_cpu_supports(\"avx512vl\")"
  "__AVX512CD__ __builtin_cpu_supports(\"avx512cd\")"
  "__AVX512VNNI__ __builtin_cpu_supports(\"avx512vnni\")"
  "__AVX512VBMI__ __builtin_cpu_supports(\"avx512vbmi\")"
  "__AMX_TILE__ cpuid_bit(7, 0, 3, 24)"
  "__AMX_INT8__ cpuid_bit(7, 0, 3, 25)"
  "__ARM_FEATURE_DOTPROD (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0"
  "__ARM_FEATURE_MATMUL_INT8 (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0")

# What the conditions call.
set(nnrt_conditions_begin [=[
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
[[maybe_unused]] static bool cpuid_bit(unsigned leaf, unsigned subleaf, int word, int bit) {
  unsigned words[4] = {};
  return __get_cpuid_count(leaf, subleaf, &words[0], &words[1], &words[2], &words[3]) != 0 &&
         (words[word] >> bit & 1U) != 0;
}
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
]=])

# nnrt_condition_of(result flag...): sets <result> to the condition in C++ on processors that run what is compiled with
# the flags, in addition to those of the project; empty where the compiler refuses them.
function(nnrt_condition_of result)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND CMAKE_CXX_COMPILER_TARGET)
    list(PREPEND flags --target=${CMAKE_CXX_COMPILER_TARGET})
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} ${ARGN} -x c++ -E -dM /dev/null
    OUTPUT_VARIABLE macros ERROR_QUIET RESULT_VARIABLE status)
  set(${result} "" PARENT_SCOPE)
  if(status EQUAL 0)
    set(conditions true)
    foreach(row IN LISTS nnrt_instructions)
      string(REGEX REPLACE " .*$" "" macro "${row}")
      if(macros MATCHES "#define ${macro} ")
        string(REPLACE "${macro} " " && " condition "${row}")
        string(APPEND conditions "${condition}")
      endif()
    endforeach()
    set(${result} "${conditions}" PARENT_SCOPE)
  endif()
endfunction()

# nnrt_machine_runs(result flag...): whether the machine that builds runs what is compiled with the flags; cached.
function(nnrt_machine_runs result)
  if(NOT DEFINED ${result})
    nnrt_condition_of(condition ${ARGN})
    if(condition)
      include(CheckCXXSourceRuns)
      set(CMAKE_REQUIRED_QUIET ON)
      check_cxx_source_runs("${nnrt_conditions_begin}int main() { return ${condition} ? 0 : 1; }" ${result})
    else()
      set(${result} 0 CACHE INTERNAL "The compiler refuses the flags")
    endif()
  endif()
endfunction()
