# NnrtSharedLibrary.cmake: the C functions as shared libraries for programs in C: nnrt::neural_network_runtime, and
# nnrt::dnn with those of hbDNN.
# Flow: included by CMakeLists.txt. An implementation is compiled once per instruction set under names with its suffix;
# each exported function is bound, when the library is loaded, to the best that the processor runs. Elsewhere than on
# x86-64 there is one.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(nnrt_default_levels "sse4;avx2;avx512")
else()
  set(nnrt_default_levels "baseline")
endif()
set(NNRT_LIBRARY_ISAS ${nnrt_default_levels} CACHE STRING "Instruction sets in the shared libraries, least first: \
sse4, avx2, avx512, avx512vbmi, native; or one: baseline, native")
# The flags of each.
set(nnrt_level_sse4 -msse4.1)
set(nnrt_level_avx2 -mavx2 -mfma -mf16c)
set(nnrt_level_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mavx512vnni -mfma -mf16c)
set(nnrt_level_avx512vbmi ${nnrt_level_avx512} -mavx512vbmi)
set(nnrt_level_native -march=native)
set(nnrt_level_baseline "")   # what the compiler's own flags allow
if(NOT NNRT_LIBRARY_ISAS)
  message(FATAL_ERROR "NNRT_LIBRARY_ISAS names no instruction set; without shared libraries: "
    "-D NNRT_BUILD_LIBRARIES=OFF")
endif()
foreach(level IN LISTS NNRT_LIBRARY_ISAS)
  if(NOT DEFINED nnrt_level_${level})
    message(FATAL_ERROR "NNRT_LIBRARY_ISAS: there is no instruction set \"${level}\"; there are sse4, avx2, avx512, "
      "avx512vbmi, native, baseline")
  elseif(level STREQUAL baseline AND NOT level STREQUAL NNRT_LIBRARY_ISAS)
    message(FATAL_ERROR "NNRT_LIBRARY_ISAS: ${level} stands alone, and this is ${NNRT_LIBRARY_ISAS}")
  endif()
  if(NOT level STREQUAL NNRT_LIBRARY_ISAS)   # one of several: chosen where a processor runs it
    nnrt_condition_of(nnrt_runs_${level} ${nnrt_level_${level}})
    if(NOT nnrt_runs_${level})
      message(FATAL_ERROR "NNRT_LIBRARY_ISAS: ${CMAKE_CXX_COMPILER} refuses the flags of ${level}")
    endif()
  endif()
endforeach()
# A unique name is one for the whole process, whichever library has it.
set(nnrt_no_unique_symbols $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)

# The operators, once per instruction set for both libraries, and for the programs where those have the same flags.
foreach(level IN LISTS NNRT_LIBRARY_ISAS)
  if("${nnrt_level_${level}}" STREQUAL "${NNRT_PROGRAM_FLAGS}")
    set(level_operators nnrt_operators)
    add_library(nnrt_operators_${level} ALIAS nnrt_operators)
    target_compile_options(nnrt_operators PRIVATE ${nnrt_no_unique_symbols})
  else()
    set(level_operators nnrt_operators_${level})
    nnrt_own_operators(${level_operators} ${nnrt_level_${level}} ${nnrt_no_unique_symbols})
  endif()
  set_target_properties(${level_operators} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(NOT level_operators STREQUAL nnrt_operators)
    nnrt_harden(${level_operators} KERNELS)
  endif()
endforeach()

# nnrt_functions_of(result prefix header...): the names of the functions that C headers declare.
function(nnrt_functions_of result prefix)
  set(names)
  foreach(header IN LISTS ARGN)
    file(READ ${PROJECT_SOURCE_DIR}/include/${header} text)
    string(REGEX MATCHALL "[ *]${prefix}[A-Za-z0-9_]+\\(" found "${text}")
    foreach(name IN LISTS found)
      string(REGEX REPLACE "[ *(]" "" name ${name})
      list(APPEND names ${name})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# Of the linkers only GNU's takes --force-group-allocation, and CMake prefers lld where the compiler is clang.
set(nnrt_machine "${CMAKE_CXX_COMPILER_TARGET}")
if(NOT nnrt_machine)
  set(nnrt_machine "${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
find_program(NNRT_GNU_LD NAMES ${nnrt_machine}-ld.bfd ${nnrt_machine}-ld DOC "GNU ld of the machine that is built for")
if(NOT NNRT_GNU_LD AND NOT CMAKE_CROSSCOMPILING)
  find_program(NNRT_GNU_LD NAMES ld.bfd ld)
endif()
if(NOT NNRT_GNU_LD)
  set(NNRT_GNU_LD ${CMAKE_LINKER})
endif()

# nnrt_add_c_library(name PREFIX prefix DEFINED_BY header.hpp DECLARED_BY header.h...)
# lib<name>.so, target nnrt::<name>: it exports the functions that the C headers declare, whose names begin with the
# prefix, and nothing else.
function(nnrt_add_c_library library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;DEFINED_BY" "DECLARED_BY")
  nnrt_functions_of(functions ${arg_PREFIX} ${arg_DECLARED_BY})
  set(generated ${PROJECT_BINARY_DIR}/${library})
  add_library(${library} SHARED)
  add_library(nnrt::${library} ALIAS ${library})
  list(LENGTH NNRT_LIBRARY_ISAS level_count)
  set(choice "")
  foreach(level IN LISTS NNRT_LIBRARY_ISAS)
    set(renames "// The C functions under the names of one instruction set.\n")
    if(level_count GREATER 1)
      foreach(name IN LISTS functions)
        string(APPEND renames "#define ${name} ${name}_${level}\n")
      endforeach()
    endif()
    file(CONFIGURE OUTPUT ${generated}/${level}.hpp CONTENT "${renames}" @ONLY)
    file(CONFIGURE OUTPUT ${generated}/${level}.cpp
      CONTENT "#include \"${level}.hpp\"\n#include <${arg_DEFINED_BY}>\n" @ONLY)
    add_library(${library}_${level} OBJECT ${generated}/${level}.cpp)
    nnrt_own(${library}_${level})
    nnrt_harden(${library}_${level})
    target_link_libraries(${library}_${level} PRIVATE nnrt_operators_${level})
    set_target_properties(${library}_${level} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${library}_${level} PRIVATE ${nnrt_level_${level}} ${nnrt_no_unique_symbols})
    # Functions of the standard library are compiled with each level's flags, too, and a linker keeps one of each name.
    # Here every level keeps its own: only the names of the C functions are visible outside the level's object.
    set(object ${generated}/${level}.o)
    add_custom_command(OUTPUT ${object} VERBATIM COMMAND_EXPAND_LISTS
      COMMAND ${NNRT_GNU_LD} -r --force-group-allocation -o ${object}
              $<TARGET_OBJECTS:${library}_${level}> $<TARGET_OBJECTS:nnrt_operators_${level}>
      COMMAND ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=${arg_PREFIX}*" ${object}
      DEPENDS ${library}_${level} $<TARGET_OBJECTS:${library}_${level}> $<TARGET_OBJECTS:nnrt_operators_${level}>)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${library} PRIVATE ${object})
    set(choice "  if (${nnrt_runs_${level}}) return ${level};\n${choice}")   # the best one first
  endforeach()

  # One stub per function: with `ifunc` the loader calls choose_<name>() once to bind it. Clang finds that static
  # function only if it is marked as used.
  list(JOIN NNRT_LIBRARY_ISAS ", " levels)
  list(GET NNRT_LIBRARY_ISAS 0 least)
  set(dispatch "// Binds each C function to the best implementation that this processor runs.\n")
  if(level_count GREATER 1)
    string(APPEND dispatch "${nnrt_conditions_begin}enum level { ${levels} };\n"
      "static level best() {\n  __builtin_cpu_init();\n${choice}  return ${least};\n}\n")
    foreach(name IN LISTS functions)
      set(branches "")
      set(declared "")
      foreach(level IN LISTS NNRT_LIBRARY_ISAS)
        string(APPEND declared "void ${name}_${level}();\n")
        string(APPEND branches "    case ${level}: return &${name}_${level};\n")
      endforeach()
      string(APPEND dispatch "extern \"C\" {\n${declared}[[gnu::used]] static void (*choose_${name}())() {\n"
        "  switch (best()) {\n${branches}  }\n  return &${name}_${least};\n}\n"
        "[[gnu::visibility(\"default\"), gnu::ifunc(\"choose_${name}\")]] void ${name}();\n}\n")
    endforeach()
  endif()
  file(CONFIGURE OUTPUT ${generated}/dispatch.cpp CONTENT "${dispatch}" @ONLY)
  set(exports "{\n  global:\n")
  foreach(name IN LISTS functions)
    string(APPEND exports "    ${name};\n")
  endforeach()
  file(CONFIGURE OUTPUT ${generated}/exports.map CONTENT "${exports}  local: *;\n};\n" @ONLY)
  target_sources(${library} PRIVATE ${generated}/dispatch.cpp)
  set_target_properties(${library} PROPERTIES SOVERSION 1 VERSION ${PROJECT_VERSION} LINKER_LANGUAGE CXX)
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(${library} PRIVATE Threads::Threads)
  target_link_options(${library} PRIVATE -Wl,--version-script=${generated}/exports.map -Wl,--gc-sections)
  nnrt_harden(${library})
  if(NNRT_SANITIZE)
    # What clang's libraries need of a sanitizer is in programs; those in C have the part for C++, too.
    target_link_options(${library} PUBLIC -fsanitize=${NNRT_SANITIZE}
      $<$<CXX_COMPILER_ID:Clang>:-fsanitize-link-c++-runtime>)
    target_link_libraries(${library} PUBLIC $<$<CXX_COMPILER_ID:Clang>:stdc++>)
  endif()
endfunction()

nnrt_add_c_library(neural_network_runtime PREFIX OH_NN DEFINED_BY nnrt/c_api.hpp
  DECLARED_BY neural_network_runtime/neural_network_core.h neural_network_runtime/neural_network_runtime.h)
nnrt_add_c_library(dnn PREFIX hb DEFINED_BY nnrt/hb_dnn.hpp DECLARED_BY dnn/hb_dnn.h dnn/hb_dnn_ext.h dnn/hb_sys.h)
