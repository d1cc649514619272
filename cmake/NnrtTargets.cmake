# NnrtTargets.cmake: the flags of nnrt's own programs; none of them ever reaches a user of nnrt::nnrt.
# Flow: included by CMakeLists.txt for tests, examples, benches and tools.

set(NNRT_SANITIZE "" CACHE STRING "Sanitizers of nnrt's own programs, for example address,undefined")

# The warnings that every program of this repository is free of, with g++ 12 and clang 16.
set(nnrt_warnings -Wall -Wextra -Wpedantic -Wconversion -Wswitch-enum -Werror)

# The core promises to need neither.
set(nnrt_core_flags -fno-exceptions -fno-rtti)

include(${CMAKE_CURRENT_LIST_DIR}/NnrtMachine.cmake)

set(NNRT_PROGRAM_FLAGS "-march=native" CACHE STRING
  "Flags of the examples and tools: the machine that builds them runs them")

option(NNRT_HARDEN "Harden nnrt's own programs and shared libraries: checked calls of the C library, stack protector, \
read-only relocations, PIE" ON)

# Flags that make mistakes in memory harder to use. Sanitizers check more, and do not go with _FORTIFY_SOURCE.
set(nnrt_hardened_compile "")
set(nnrt_hardened_link "")
if(NNRT_HARDEN AND NOT NNRT_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  # Without optimisation the C library would warn that it checks nothing.
  set(nnrt_optimised "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
  set(nnrt_hardened_compile "$<${nnrt_optimised}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND nnrt_hardened_compile -fcf-protection)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    list(APPEND nnrt_hardened_compile -mbranch-protection=standard)
  endif()
  set(nnrt_hardened_link LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()

# nnrt_harden(target [TOOL|KERNELS]): hardens a program, a shared library, or the objects of one. Programs become
# independent of their position. TOOL: the standard library's containers check indices, too. KERNELS: without a stack
# protector. More than half of the functions of kernels would set and check one in each call (214 of 396 of conv2d,
# full_connection and softmax), for extents that rules have checked before. The test link/hardened looks at what was
# linked.
function(nnrt_harden target)
  if(NOT nnrt_hardened_link)
    return()
  endif()
  target_compile_options(${target} PRIVATE ${nnrt_hardened_compile})
  if(NOT "KERNELS" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE -fstack-protector-strong)
  endif()
  if("TOOL" IN_LIST ARGN)
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_options(${target} PRIVATE ${nnrt_hardened_link} -pie)
    set_property(GLOBAL APPEND PROPERTY nnrt_hardened_programs ${target})
  elseif(type STREQUAL SHARED_LIBRARY)
    target_link_options(${target} PRIVATE ${nnrt_hardened_link})
    set_property(GLOBAL APPEND PROPERTY nnrt_hardened_libraries ${target})
  endif()
endfunction()

# What every program of ours has: nnrt, warnings as errors, the sanitizers of this build.
function(nnrt_own target)
  target_link_libraries(${target} PRIVATE nnrt::nnrt)
  target_compile_options(${target} PRIVATE ${nnrt_warnings})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(NNRT_SANITIZE)
    # Optimised as little as the tests are: units of all operators take minutes each even so. Lines are all that reports
    # need.
    target_compile_options(${target} PRIVATE
      -fsanitize=${NNRT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -O1)
    target_link_options(${target} PRIVATE -fsanitize=${NNRT_SANITIZE})
  endif()
endfunction()

# The operators of programs whose networks arrive at run time, for one set of flags; made where something is linked to
# them.
function(nnrt_own_operators name)
  nnrt_add_operators(${name} FORMS OPTIONS ${ARGN})
  nnrt_own(${name})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()
nnrt_own_operators(nnrt_operators ${NNRT_PROGRAM_FLAGS})
nnrt_harden(nnrt_operators KERNELS)
if(nnrt_hardened_link)   # programs of any position are linked with it
  target_compile_options(nnrt_operators PRIVATE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fPIE>)
endif()
