# nnrt_embed: tells NNRT_EMBED where a file is, and the build that its bytes are in the program.
#
#   nnrt_embed(<target> <file> [NAME <name>])
#
# <file> is relative to the current source directory. With NAME, which is the name given to NNRT_EMBED, the absolute
# path is passed by a definition and replaces the one in the source; this also works with link-time optimisation.
# Without NAME the file's folder is added to the include path, where the assembler finds the file by the name in the
# source. Either way the target's sources are compiled again when the file changes. For an INTERFACE target these are
# the sources of the targets that link it, if the file exists at configuration. Sources may be added later in the
# directory that calls it.
#
#   add_executable(digits digits.cpp)   # NNRT_EMBED(digits_file, "digits.safetensors");
#   nnrt_embed(digits weights/digits.safetensors NAME digits_file)
include_guard(GLOBAL)

function(nnrt_embed target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAME" "")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "nnrt_embed: there is no target ${target}")
  elseif(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nnrt_embed: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  elseif("NAME" IN_LIST arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "nnrt_embed(${target} ${file}): NAME is missing")
  elseif(arg_NAME)
    _nnrt_check_embed_name("nnrt_embed(${target} ${file})" "${arg_NAME}")
  endif()
  get_filename_component(path "${file}" ABSOLUTE)
  if("${file}" STREQUAL "" OR IS_DIRECTORY "${path}")
    message(FATAL_ERROR "nnrt_embed: \"${file}\" is no file")
  endif()
  get_target_property(type ${target} TYPE)
  set(scope PRIVATE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  if(arg_NAME)
    # Two arguments in one definition: NNRT_EMBED takes the second.
    target_compile_definitions(${target} ${scope} "NNRT_EMBED_PATH_${arg_NAME}=0,\"${path}\"")
  else()
    get_filename_component(folder "${path}" DIRECTORY)
    target_include_directories(${target} ${scope} "${folder}")
  endif()
  if(scope STREQUAL "INTERFACE" AND EXISTS "${path}")
    # The sources belong to the targets that link this one, and are not known here: the file's hash is among their
    # definitions, and CMake runs again when the file changes.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(SHA256 "${path}" hash)
    string(MAKE_C_IDENTIFIER "${path}" name)
    target_compile_definitions(${target} INTERFACE "NNRT_EMBED_SHA256_OF_${name}=${hash}")
  endif()
  # Compilers' dependency files do not list what the assembler includes. Deferred, so that sources added after this call
  # count too.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _nnrt_embed_depend [[${target}]] [[${path}]])")
endfunction()

# The name is part of a macro's, and one that is none is dropped by CMake or the compiler without a word.
function(_nnrt_check_embed_name call name)
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "${call}: NAME \"${name}\" is no identifier, as that of NNRT_EMBED is")
  endif()
endfunction()

# What a source depends on is a matter of the directory that compiles it, which is the target's.
function(_nnrt_embed_depend target path)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(built ${target} BINARY_DIR)
  set(scope)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    set(scope TARGET_DIRECTORY ${target})
  endif()
  foreach(source IN LISTS sources)
    if(source AND NOT source MATCHES "^\\$<")
      if(scope AND NOT IS_ABSOLUTE "${source}")
        if(EXISTS "${folder}/${source}")
          set(source "${folder}/${source}")
        else()
          set(source "${built}/${source}")   # made by the build
        endif()
      endif()
      set_property(SOURCE "${source}" ${scope} APPEND PROPERTY OBJECT_DEPENDS "${path}")
    endif()
  endforeach()
endfunction()
