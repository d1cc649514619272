# nnrt_add_operators: a library of every operator with its kernels, compiled once for all units that are linked to it.
#
#   nnrt_add_operators(<name> [FORMS] [OPTIONS <compile option>...])
#
# Graphs that arrive at run time (sessions, the C functions, drivers, files) can name any operator, and every unit that
# runs one compiles them all: most of a minute each. Units linked to this library compile neither operators nor planning
# of graphs. They must be compiled for the same instruction set. OPTIONS are the library's own -m flags where those of
# the project are not in CMAKE_CXX_FLAGS; a linker error follows where they differ from those of the units. With FORMS
# the library also has what the C functions and HDI's models know of each operator; without it, that takes half of the
# time of every unit with the C functions.
#
#   nnrt_add_operators(operators OPTIONS -march=native)
#   add_executable(server server.cpp models.cpp)
#   target_compile_options(server PRIVATE -march=native)
#   target_link_libraries(server PRIVATE operators)   # nnrt::nnrt comes with it
include_guard(GLOBAL)

function(nnrt_add_operators name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FORMS" "" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nnrt_add_operators: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <nnrt/src.hpp>\n" @ONLY)
  add_library(${name} STATIC ${source})
  target_link_libraries(${name} PUBLIC nnrt::nnrt)
  target_compile_definitions(${name} PUBLIC NNRT_SEPARATE_COMPILATION)
  if(arg_FORMS)
    set(forms ${CMAKE_CURRENT_BINARY_DIR}/${name}_forms.cpp)
    file(CONFIGURE OUTPUT ${forms} CONTENT "#include <nnrt/src_forms.hpp>\n" @ONLY)
    target_sources(${name} PRIVATE ${forms})
    target_compile_definitions(${name} PUBLIC NNRT_SEPARATE_FORMS)
  endif()
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
endfunction()
