# NnrtTargets.cmake: the flags of nnrt's own programs; none of them ever reaches a user of nnrt::nnrt.
# Flow: included by CMakeLists.txt for tests, examples, benches and tools.

set(NNRT_SANITIZE "" CACHE STRING "Sanitizers of nnrt's own programs, for example address,undefined")

# The warnings that every program of this repository is free of, with g++ 12 and clang 16.
set(nnrt_warnings -Wall -Wextra -Wpedantic -Wconversion -Werror)

# The core promises to need neither.
set(nnrt_core_flags -fno-exceptions -fno-rtti)

# Can programs compiled with these flags run on this machine? Compiles and runs one that uses what they allow.
function(nnrt_machine_runs result flags)
  if(NOT DEFINED ${result})
    include(CheckCXXSourceRuns)
    set(CMAKE_REQUIRED_FLAGS "${flags}")
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_runs("
      #if defined(__ARM_FEATURE_DOTPROD)
      #include <sys/auxv.h>
      #include <asm/hwcap.h>
      #endif
      int main() {
      #if defined(__AVX2__)
        return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1;
      #elif defined(__SSE4_1__)
        return __builtin_cpu_supports(\"sse4.1\") ? 0 : 1;
      #elif defined(__ARM_FEATURE_MATMUL_INT8)
        return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0 && (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0 ? 0 : 1;
      #elif defined(__ARM_FEATURE_DOTPROD)
        return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0 ? 0 : 1;
      #else
        return 0;
      #endif
      }" ${result})
  endif()
endfunction()

set(NNRT_PROGRAM_FLAGS "-march=native" CACHE STRING "Flags of the examples and tools: the machine that builds them runs them")

# What every program of ours has: nnrt, warnings as errors, the sanitizers of this build.
function(nnrt_own target)
  target_link_libraries(${target} PRIVATE nnrt::nnrt)
  target_compile_options(${target} PRIVATE ${nnrt_warnings})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(NNRT_SANITIZE)
    # Optimised as little as the tests are: units of all operators take minutes each even so. Lines are all that reports need.
    target_compile_options(${target} PRIVATE -fsanitize=${NNRT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -O1)
    target_link_options(${target} PRIVATE -fsanitize=${NNRT_SANITIZE})
  endif()
endfunction()

# The operators of programs whose networks arrive at run time, for one set of flags; made where something is linked to them.
function(nnrt_own_operators name)
  nnrt_add_operators(${name} FORMS OPTIONS ${ARGN})
  nnrt_own(${name})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()
nnrt_own_operators(nnrt_operators ${NNRT_PROGRAM_FLAGS})
