# NnrtSharedLibrary.cmake: nnrt::neural_network_runtime, the C functions as a shared library for programs in C.
# Flow: included by CMakeLists.txt. The implementation is compiled once per instruction set under names of its own; each exported function
# is bound, when the library is loaded, to the best that the processor runs. Elsewhere than on x86-64 there is one.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(nnrt_default_levels "sse4;avx2;avx512")
else()
  set(nnrt_default_levels "baseline")
endif()
set(NNRT_LIBRARY_ISAS ${nnrt_default_levels} CACHE STRING "Instruction sets in libneural_network_runtime.so, least first: sse4, avx2, avx512; or one: baseline, native")
# The flags of each, and the condition under which a processor runs it.
set(nnrt_level_sse4 -msse4.1)
set(nnrt_level_avx2 -mavx2 -mfma -mf16c)
set(nnrt_level_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mavx512vnni -mfma -mf16c)
set(nnrt_level_native -march=native)
set(nnrt_level_baseline)   # what the compiler's own flags allow
set(nnrt_runs_sse4 "true")
set(nnrt_runs_avx2 "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")")
set(nnrt_runs_avx512 "__builtin_cpu_supports(\"avx512vl\") && __builtin_cpu_supports(\"avx512bw\") && __builtin_cpu_supports(\"avx512dq\") && __builtin_cpu_supports(\"avx512vnni\")")

# nnrt_functions_of(result header...): the names of the functions that C headers declare.
function(nnrt_functions_of result)
  set(names)
  foreach(header IN LISTS ARGN)
    file(READ ${header} text)
    string(REGEX MATCHALL "[ *]OH_NN[A-Za-z]+_[A-Za-z0-9]+\\(" found "${text}")
    foreach(name IN LISTS found)
      string(REGEX REPLACE "[ *(]" "" name ${name})
      list(APPEND names ${name})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

set(nnrt_c_folder ${PROJECT_SOURCE_DIR}/include/neural_network_runtime)
nnrt_functions_of(nnrt_c_functions ${nnrt_c_folder}/neural_network_core.h ${nnrt_c_folder}/neural_network_runtime.h)
set(nnrt_generated ${PROJECT_BINARY_DIR}/neural_network_runtime)

add_library(neural_network_runtime SHARED)
add_library(nnrt::neural_network_runtime ALIAS neural_network_runtime)
list(LENGTH NNRT_LIBRARY_ISAS nnrt_level_count)
set(nnrt_choice "")
foreach(level IN LISTS NNRT_LIBRARY_ISAS)
  set(renames "// The C functions under the names of one instruction set.\n")
  if(nnrt_level_count GREATER 1)
    foreach(name IN LISTS nnrt_c_functions)
      string(APPEND renames "#define ${name} ${name}_${level}\n")
    endforeach()
  endif()
  file(CONFIGURE OUTPUT ${nnrt_generated}/${level}.hpp CONTENT "${renames}" @ONLY)
  file(CONFIGURE OUTPUT ${nnrt_generated}/${level}.cpp CONTENT "#include \"${level}.hpp\"\n#include <nnrt/c_api.hpp>\n" @ONLY)
  add_library(neural_network_runtime_${level} OBJECT ${nnrt_generated}/${level}.cpp)
  nnrt_own(neural_network_runtime_${level})
  set_target_properties(neural_network_runtime_${level} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(neural_network_runtime_${level} PRIVATE ${nnrt_level_${level}} $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  # Functions of the standard library are compiled with each level's flags, too, and a linker keeps one of each name: here every level keeps its
  # own, since all names but those of the C functions end at the level's object.
  set(object ${nnrt_generated}/${level}.o)
  add_custom_command(OUTPUT ${object} VERBATIM COMMAND_EXPAND_LISTS
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${object} $<TARGET_OBJECTS:neural_network_runtime_${level}>
    COMMAND ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=OH_NN*" ${object}
    DEPENDS neural_network_runtime_${level} $<TARGET_OBJECTS:neural_network_runtime_${level}>)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(neural_network_runtime PRIVATE ${object})
  set(nnrt_choice "  if (${nnrt_runs_${level}}) return ${level};\n${nnrt_choice}")   # the best one first
endforeach()

# One stub per function: with `ifunc` the loader asks which implementation it shall be.
list(JOIN NNRT_LIBRARY_ISAS ", " levels)
list(GET NNRT_LIBRARY_ISAS 0 least)
set(dispatch "// Binds each C function to the best implementation that this processor runs.\n")
if(nnrt_level_count GREATER 1)
  string(APPEND dispatch "enum level { ${levels} };\nstatic level best() {\n  __builtin_cpu_init();\n${nnrt_choice}  return ${least};\n}\n")
  foreach(name IN LISTS nnrt_c_functions)
    set(branches "")
    set(declared "")
    foreach(level IN LISTS NNRT_LIBRARY_ISAS)
      string(APPEND declared "void ${name}_${level}();\n")
      string(APPEND branches "    case ${level}: return &${name}_${level};\n")
    endforeach()
    string(APPEND dispatch "extern \"C\" {\n${declared}static void (*choose_${name}())() {\n  switch (best()) {\n${branches}  }\n  return &${name}_${least};\n}\n"
      "[[gnu::visibility(\"default\"), gnu::ifunc(\"choose_${name}\")]] void ${name}();\n}\n")
  endforeach()
endif()
file(CONFIGURE OUTPUT ${nnrt_generated}/dispatch.cpp CONTENT "${dispatch}" @ONLY)
set(exports "{\n  global:\n")
foreach(name IN LISTS nnrt_c_functions)
  string(APPEND exports "    ${name};\n")
endforeach()
file(CONFIGURE OUTPUT ${nnrt_generated}/exports.map CONTENT "${exports}  local: *;\n};\n" @ONLY)
target_sources(neural_network_runtime PRIVATE ${nnrt_generated}/dispatch.cpp)
set_target_properties(neural_network_runtime PROPERTIES SOVERSION 1 VERSION ${PROJECT_VERSION} LINKER_LANGUAGE CXX)
target_include_directories(neural_network_runtime PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_libraries(neural_network_runtime PRIVATE Threads::Threads)
target_link_options(neural_network_runtime PRIVATE -Wl,--version-script=${nnrt_generated}/exports.map -Wl,--gc-sections)
if(NNRT_SANITIZE)
  target_link_options(neural_network_runtime PRIVATE -fsanitize=${NNRT_SANITIZE})
endif()
