# NnrtTestPrograms.cmake: tests that are compilations - programs that must be rejected, accepted, or merely understood.
# Flow: included by tests/CMakeLists.txt. Each call is one ctest test; the work is done by tests/support/*.py.

# What a user's compiler is told, nothing else; the include folders of the two libraries are on its own path.
set(nnrt_user_flags -std=c++20 -I${PROJECT_SOURCE_DIR}/include)
foreach(library IN ITEMS Boost::headers xsimd)
  get_target_property(nnrt_folders ${library} INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS nnrt_folders)
    if(folder AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES AND NOT folder STREQUAL "/usr/include")
      list(APPEND nnrt_user_flags -isystem ${folder})
    endif()
  endforeach()
endforeach()

# nnrt_precompile(result name COMPILER compiler TEXT text FLAGS flag...)
# Has the text compiled once, and sets <result> to the flags that make a compilation with the same flags use it. The
# result is empty where the compiler does not look for precompiled headers in the folder of the text: there each
# compilation reads what it includes.
function(nnrt_precompile result name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "COMPILER;TEXT" "FLAGS")
  if(NOT arg_COMPILER STREQUAL CMAKE_CXX_COMPILER OR CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(suffix pch)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(suffix gch)
  else()
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  set(header ${CMAKE_CURRENT_BINARY_DIR}/precompiled/${name}.hpp)
  file(CONFIGURE OUTPUT ${header} CONTENT "${arg_TEXT}" @ONLY)
  add_custom_command(OUTPUT ${header}.${suffix}
    COMMAND ${arg_COMPILER} ${arg_FLAGS} -x c++-header ${header} -o ${header}.${suffix} -MD -MF ${header}.d
    DEPENDS ${header} DEPFILE ${header}.d VERBATIM)
  add_custom_target(precompiled_${name} ALL DEPENDS ${header}.${suffix})
  set(${result} -include ${header} PARENT_SCOPE)
endfunction()

# What most rejected programs include takes two thirds of each one's time.
nnrt_precompile(nnrt_rejected_begin rejected COMPILER ${CMAKE_CXX_COMPILER} FLAGS ${nnrt_user_flags}
  TEXT "#include <nnrt/ir/apply.hpp>\n#include <nnrt/core/kernel.hpp>\n")
# What the others include: executors, networks of model files, accelerators.
nnrt_precompile(nnrt_rejected_program_begin rejected_programs COMPILER ${CMAKE_CXX_COMPILER} FLAGS ${nnrt_user_flags}
  TEXT "#include <nnrt/model.hpp>\n#include <nnrt/bpu.hpp>\n")

# nnrt_add_snippets(file.cpp document)
# The pieces of programs in the document, a Markdown file or a folder of them, compile where the file lets them stand.
function(nnrt_add_snippets source document)
  get_filename_component(name ${source} NAME_WE)
  add_test(NAME snippets/${name}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/support/snippets.py ${source} ${document}
            ${PROJECT_BINARY_DIR}/tests/snippets/${name}.cpp
            ${CMAKE_CXX_COMPILER} ${nnrt_user_flags} ${nnrt_core_flags} ${nnrt_doctest_without_exceptions}
            -I${PROJECT_SOURCE_DIR}/tests
            -I${PROJECT_BINARY_DIR}/tests/models -DNNRT_SEPARATE_COMPILATION -DNNRT_SEPARATE_FORMS)
  set_tests_properties(snippets/${name} PROPERTIES LABELS syntax)
endfunction()

# nnrt_add_compile_fail(file.cpp [COMPILER compiler] [SUFFIX suffix] [LABELS label...])
# The program must be rejected with the text of the "// expect: <regex>" lines in it within the first 20 lines, and must
# compile once NNRT_FIXED is defined: so it fails for the stated reason and no other.
function(nnrt_add_compile_fail source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPILER;SUFFIX" "LABELS")
  set(begin)
  if(NOT arg_COMPILER)
    set(arg_COMPILER ${CMAKE_CXX_COMPILER})
    set(begin ${nnrt_rejected_begin})
    file(STRINGS ${source} whole_program REGEX "^#include <nnrt/(model|exec/|policy/|bpu)" LIMIT_COUNT 1)
    if(whole_program)
      set(begin ${nnrt_rejected_program_begin})
    endif()
  endif()
  get_filename_component(name ${source} NAME_WE)
  set(name compile_fail/${name}${arg_SUFFIX})
  add_test(NAME ${name}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/support/rejected.py ${source}
            ${arg_COMPILER} ${nnrt_user_flags} ${begin} -fsyntax-only)
  set_tests_properties(${name} PROPERTIES LABELS "compile_fail;${arg_LABELS}")
endfunction()

# nnrt_add_acceptance(file compiler_name compiler -O0|-O1|-O2 [LABELS label...] [FLAGS flag...])
# The program (or each program of a Markdown file) compiles with -std=c++20 -Iinclude -pthread, links no library, exits
# with 0.
function(nnrt_add_acceptance source compiler_name compiler optimisation)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "LABELS;FLAGS")
  get_filename_component(program ${source} NAME_WE)
  set(name acceptance/${program}.${compiler_name}${optimisation})
  add_test(NAME ${name}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/support/accepted.py ${source}
            ${PROJECT_BINARY_DIR}/tests/${name}
            ${compiler} ${nnrt_user_flags} ${arg_FLAGS} ${optimisation} -pthread -fno-exceptions -fno-rtti)
  set_tests_properties(${name} PROPERTIES LABELS "acceptance;${arg_LABELS}")
endfunction()

# nnrt_add_network(file compiler_name compiler name LABELS label... FLAGS flag...)
# The network of the program compiles as users compile it and does what every network must: see
# tests/support/network_check.hpp. The object library network_oracle computes the expected results in float64; both find
# operators in nnrt_network_operators.
function(nnrt_add_network source compiler_name compiler variant)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "LABELS;FLAGS")
  get_filename_component(program ${source} NAME_WE)
  set(name networks/${program}.${compiler_name}${variant})
  add_test(NAME ${name}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/support/accepted.py ${source}
            ${PROJECT_BINARY_DIR}/tests/${name}
            ${compiler} ${nnrt_network_flags} ${arg_FLAGS} $<TARGET_OBJECTS:network_oracle> ${nnrt_network_operators}
    COMMAND_EXPAND_LISTS)
  set_tests_properties(${name} PROPERTIES LABELS "networks;${arg_LABELS}")
endfunction()
set(nnrt_network_flags ${nnrt_user_flags} -pthread -fno-exceptions -fno-rtti
  -I${PROJECT_SOURCE_DIR}/bench -I${PROJECT_SOURCE_DIR}/tests)

# nnrt_add_bits(program compiler_name compiler variant [LABELS label...] [FLAGS flag...])
# The program tests/bits/<program>.cpp, compiled so, finds the same bits as the compiler.
function(nnrt_add_bits program compiler_name compiler variant)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "LABELS;FLAGS")
  set(name bits/${program}.${compiler_name}${variant})
  add_test(NAME ${name}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/support/accepted.py
            ${PROJECT_SOURCE_DIR}/tests/bits/${program}.cpp
            ${PROJECT_BINARY_DIR}/tests/${name}
            ${compiler} ${nnrt_user_flags} ${arg_FLAGS} -pthread -fno-exceptions -fno-rtti)
  set_tests_properties(${name} PROPERTIES LABELS "bits;${arg_LABELS}")
endfunction()

# nnrt_add_syntax_check(name file.cpp COMPILER compiler [FLAGS flag...])
# The second compiler understands the file, its static_asserts included.
function(nnrt_add_syntax_check name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "COMPILER" "FLAGS")
  add_test(NAME ${name}
    COMMAND ${arg_COMPILER} ${nnrt_user_flags} ${nnrt_warnings} ${arg_FLAGS} -fsyntax-only ${source})
  set_tests_properties(${name} PROPERTIES LABELS syntax)
endfunction()

# nnrt_add_consumer(folder [CMake options...])
# The project in tests/consumers/<folder> configures, builds and runs.
function(nnrt_add_consumer folder)
  add_test(NAME consumers/${folder}
    COMMAND ${CMAKE_CTEST_COMMAND}
      --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumers/${folder} ${PROJECT_BINARY_DIR}/tests/consumers/${folder}
      --build-generator ${CMAKE_GENERATOR}
      --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_BUILD_TYPE=Release
        -DCMAKE_CXX_FLAGS_RELEASE=-O1 ${ARGN}
      --test-command consumer)
  set_tests_properties(consumers/${folder} PROPERTIES LABELS consumer)
endfunction()
