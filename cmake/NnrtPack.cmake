# nnrt_embed_packed: packs a network's weights when the project is built, and puts them into a program that then starts
# without packing.
#
#   nnrt_embed_packed(<target> <weights> NAME <name> HEADER <header> EXECUTOR <type> [PYTORCH])
#
# <weights> is a safetensors file, with PYTORCH one of a state dict in PyTorch's order of axes. <header> declares the
# network, and <type> is the executor that the target makes of it, as C++ spells it there. Both paths are relative to
# the current source directory. A program of the build, pack_<name>_of_<target>, packs. It is compiled with the target's
# options, definitions, include paths and libraries, so for the same instruction set. <name> is the one that is given to
# NNRT_EMBED:
#
#   add_executable(digits digits.cpp)
#   target_link_libraries(digits PRIVATE nnrt::nnrt)
#   target_compile_options(digits PRIVATE -march=native)
#   nnrt_embed_packed(digits digits.safetensors NAME packed_file HEADER digits.hpp
#     EXECUTOR "nnrt::executor<nnrt::graph<digits>>")
#
#   // digits.cpp; restore_executor is in nnrt/exec/stored_weights.hpp
#   NNRT_EMBED(packed_file, "digits.packed");
#   auto run = nnrt::restore_executor<nnrt::executor<nnrt::graph<digits>>>(packed_file);
#
# A build for another machine names an emulator for it (CMAKE_CROSSCOMPILING_EMULATOR). Call nnrt_embed_packed() in the
# directory that made the target.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/NnrtEmbed.cmake)

function(nnrt_embed_packed target weights)
  cmake_parse_arguments(PARSE_ARGV 2 arg "PYTORCH" "NAME;HEADER;EXECUTOR" "")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "nnrt_embed_packed: there is no target ${target}")
  elseif(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nnrt_embed_packed: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  foreach(needed IN ITEMS NAME HEADER EXECUTOR)
    if(NOT arg_${needed})
      message(FATAL_ERROR "nnrt_embed_packed(${target} ${weights}): ${needed} is missing")
    endif()
  endforeach()
  _nnrt_check_embed_name("nnrt_embed_packed(${target} ${weights})" "${arg_NAME}")
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)   # what makes a file is known to the targets of its directory alone
    message(FATAL_ERROR "nnrt_embed_packed(${target} ${weights}): must be called in the directory that made the target"
      ", ${folder}")
  endif()
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(FATAL_ERROR "nnrt_embed_packed: the packing program is for ${CMAKE_SYSTEM_PROCESSOR}, and there is no "
      "CMAKE_CROSSCOMPILING_EMULATOR to run it")
  endif()
  get_filename_component(weights "${weights}" ABSOLUTE)
  get_filename_component(header "${arg_HEADER}" ABSOLUTE)
  set(layout native)
  if(arg_PYTORCH)
    set(layout pytorch)
  endif()
  set(executor "${arg_EXECUTOR}")
  set(packer pack_${arg_NAME}_of_${target})
  set(packed ${CMAKE_CURRENT_BINARY_DIR}/${packer}.packed)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${packer}.cpp @ONLY CONTENT [[
// Made by nnrt_embed_packed() in CMake. usage: PROGRAM WEIGHTS.safetensors PACKED
#include "@header@"

#include <nnrt/exec/stored_weights.hpp>
#include <nnrt/io/write_file.hpp>

#include <cstdio>
#include <string>

namespace {
nnrt::result<void> pack(const char* from, const char* to) {
  auto weights = nnrt::weights::open(from, nnrt::layout::@layout@);
  if (!weights) return nnrt::fail(std::move(weights.error()));
  auto run = @executor@::create(*weights);
  if (!run) return nnrt::fail(std::move(run.error()));
  auto bytes = nnrt::store_weights(*run);
  if (!bytes) return nnrt::fail(std::move(bytes.error()));
  return nnrt::write_file(to, *bytes);
}
}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto done = pack(argv[1], argv[2]);
  if (!done) std::fprintf(stderr, "%s\n", std::string(done.error().message()).c_str());
  return done ? 0 : 1;
}
]])
  add_executable(${packer} ${CMAKE_CURRENT_BINARY_DIR}/${packer}.cpp)
  target_link_libraries(${packer} PRIVATE nnrt::nnrt $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  target_compile_options(${packer} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS>)
  target_compile_features(${packer} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_FEATURES>)
  get_target_property(standard ${target} CXX_STANDARD)
  if(standard)
    set_target_properties(${packer} PROPERTIES CXX_STANDARD ${standard})
  endif()
  target_compile_definitions(${packer} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_include_directories(${packer} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  add_custom_command(OUTPUT ${packed} COMMAND ${packer} ${weights} ${packed} DEPENDS ${packer} ${weights} VERBATIM
    COMMENT "Packing the weights of ${target}")
  nnrt_embed(${target} ${packed} NAME ${arg_NAME})
endfunction()
