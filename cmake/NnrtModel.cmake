# nnrt_model: gives NNRT_MODEL the bytes of a model file, which the compiler then reads.
#
#   nnrt_model(<target> <file> [NAME <name>])
#
# <file>, a .tflite or .onnx file, is relative to the current source directory. <name> is the first argument of
# NNRT_MODEL; without NAME the last part of the path in NNRT_MODEL must be that of <file>. The C++ sources of the target
# see the bytes without an #include of theirs, and are compiled again when the file changes; sources may be added later.
#
#   add_executable(app app.cpp)                                  # NNRT_MODEL(person, "person_detect.tflite");
#   target_link_libraries(app PRIVATE nnrt::nnrt)
#   nnrt_model(app person_detect.tflite NAME person)
#
# Compilers with #embed (clang from 19 on) read the file itself. For others a program of the build writes it as a string
# literal. A build for another machine names an emulator for that program (CMAKE_CROSSCOMPILING_EMULATOR), or has the
# nnrt command. Call nnrt_model() in the directory that made the target.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/NnrtEmbed.cmake)

function(nnrt_model target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAME" "")
  set(call "nnrt_model(${target} ${file})")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "nnrt_model: there is no target ${target}")
  elseif(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  elseif("NAME" IN_LIST arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${call}: NAME is missing")
  endif()
  get_filename_component(path "${file}" ABSOLUTE)
  if("${file}" STREQUAL "" OR IS_DIRECTORY "${path}")
    message(FATAL_ERROR "nnrt_model: \"${file}\" is no file")
  endif()
  get_filename_component(name "${path}" NAME)
  if(arg_NAME)
    _nnrt_check_embed_name("${call}" "${arg_NAME}")
    set(name "${arg_NAME}")
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "${call}: an INTERFACE library compiles no sources")
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)   # what makes a file is known to the targets of its directory alone
    message(FATAL_ERROR "${call}: must be called in the directory that made the target, ${folder}")
  endif()

  set(header "${CMAKE_CURRENT_BINARY_DIR}/nnrt_models/${target}/${name}.inc")
  set(reader)   # the text of the writer includes it by itself
  if(path MATCHES "\\.onnx$")
    set(reader "#include <nnrt/exec/onnx_format.hpp>")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
    file(CONFIGURE OUTPUT "${header}" @ONLY CONTENT [[
// The bytes of a model file for NNRT_MODEL, made by nnrt_model() in CMake.
#pragma once
#pragma GCC system_header
#include <nnrt/io/model_bytes.hpp>
@reader@
NNRT_MODEL_BYTES("@name@") = {
#embed "@path@"
};
]])
    set(changed "${path}")
  else()
    _nnrt_model_writer(writer "${call}")
    add_custom_command(OUTPUT "${header}"
      COMMAND ${writer} "${path}" -o "${header}" --name "${name}" --path "${path}" --quiet
      DEPENDS "${path}" VERBATIM COMMENT "Writing ${name} for NNRT_MODEL")
    set(changed "${header}")
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include \"${header}\">")
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _nnrt_embed_depend [[${target}]] [[${changed}]])")
endfunction()

# What writes literals: a small program of this build, or the nnrt command where programs of the build do not run here.
function(_nnrt_model_writer result call)
  set(${result} nnrt_model_writer PARENT_SCOPE)
  if(TARGET nnrt_model_writer)
    return()
  elseif(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    add_executable(nnrt_model_writer EXCLUDE_FROM_ALL "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/model_writer.cpp")
    target_link_libraries(nnrt_model_writer PRIVATE nnrt::nnrt)
    set_target_properties(nnrt_model_writer PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/nnrt_models")
    return()
  endif()
  find_program(NNRT_COMMAND nnrt)
  if(NOT NNRT_COMMAND)
    message(FATAL_ERROR "${call}: the program that writes literals is for ${CMAKE_SYSTEM_PROCESSOR}; there is no "
      "CMAKE_CROSSCOMPILING_EMULATOR to run it, and no nnrt command (NNRT_COMMAND)")
  endif()
  set(${result} "${NNRT_COMMAND}" embed PARENT_SCOPE)
endfunction()
