# machine_conditions.cmake: each instruction set of core/config.hpp needs a processor that has its instructions.
# Flow: the test machine/conditions runs it with a compiler for x86-64; INCLUDE is include/nnrt, MODULE
# NnrtMachine.cmake.
#
# A condition that does not tell two sets apart would run one's programs on machines that only have the other's.

include(${MODULE})
set(CONFIG ${INCLUDE}/core/config.hpp)
file(GLOB_RECURSE headers ${INCLUDE}/kernels/*.hpp)
set(macros)
foreach(header IN ITEMS ${CONFIG} ${headers})
  file(STRINGS ${header} lines REGEX "^#(el)?if.*defined")
  string(REGEX MATCHALL "__(SSE|AVX|AMX|F16C|FMA)[A-Z0-9_]*__|__ARM_FEATURE_[A-Z0-9_]+" found "${lines}")
  list(APPEND macros ${found})
endforeach()
list(REMOVE_DUPLICATES macros)
foreach(macro IN LISTS macros)
  set(rows ${nnrt_instructions})
  list(FILTER rows INCLUDE REGEX "^${macro} ")
  if(NOT rows)
    message(SEND_ERROR "nnrt_instructions of ${MODULE} has no row for ${macro}, which headers ask for")
  endif()
endforeach()

# Name, a macro of instructions that machines of the sets above it may lack, and flags.
set(avx2 -mavx2,-mfma)
set(avx512 -mavx512f,-mavx512bw,-mavx512dq,-mavx512vl,-mfma)
set(vbmi ${avx512},-mavx512vnni,-mavx512vbmi)
set(earlier)
foreach(row IN ITEMS
    "sse2 __SSE2__ -msse2"
    "sse4 __SSE4_1__ -msse4.1"
    "avx2 __AVX2__ ${avx2}"
    "avx2 __FMA__ ${avx2}"
    "avx2vnni __AVXVNNI__ ${avx2},-mavxvnni"
    "avx512 __AVX512F__ ${avx512}"
    "avx512 __AVX512BW__ ${avx512}"
    "avx512 __AVX512DQ__ ${avx512}"
    "avx512 __AVX512VL__ ${avx512}"
    "avx512vnni __AVX512VNNI__ ${avx512},-mavx512vnni"
    "avx512vbmi __AVX512VBMI__ ${vbmi}"
    "avx512amx __AMX_TILE__ ${vbmi},-mamx-tile,-mamx-int8"
    "avx512amx __AMX_INT8__ ${vbmi},-mamx-tile,-mamx-int8")
  string(REGEX MATCH "^([^ ]+) ([^ ]+) ([^ ]+)$" row "${row}")
  set(name ${CMAKE_MATCH_1})
  set(macro ${CMAKE_MATCH_2})
  string(REPLACE "," ";" flags ${CMAKE_MATCH_3})
  if(previous AND NOT name STREQUAL previous)
    list(APPEND earlier "${condition}")   # of the row above
  endif()
  set(previous ${name})
  nnrt_condition_of(condition ${flags})
  set(rows ${nnrt_instructions})
  list(FILTER rows INCLUDE REGEX "^${macro} ")
  string(REPLACE "${macro} " "" wanted "${rows}")
  string(FIND "${condition}" " && ${wanted}" at)
  if(NOT rows OR at LESS 0)
    message(SEND_ERROR "${name}: the condition does not ask for ${macro}: ${condition}")
  endif()
  foreach(other IN LISTS earlier)
    string(FIND "${other}" " && ${wanted}" at)
    if(NOT at LESS 0)
      message(SEND_ERROR "${name}: an instruction set above it asks for ${macro}, too: ${other}")
    endif()
  endforeach()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} -x c++ -E -dM ${CONFIG} OUTPUT_VARIABLE macros ERROR_QUIET)
  if(NOT macros MATCHES "#define NNRT_ISA ${name}\n")
    message(SEND_ERROR "${CONFIG} does not call it ${name} with ${flags}")
  endif()
endforeach()
