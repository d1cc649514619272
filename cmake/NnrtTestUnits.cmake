# NnrtTestUnits.cmake: the test files of a folder, compiled several at a time, so that what all of them include and
# instantiate is compiled once.
# Flow: included by tests/CMakeLists.txt. A unit includes what its files include, then each of them in a namespace of
# its own: no file sees another's names.

set(NNRT_TEST_UNIT_FILES 16 CACHE STRING
  "Test files compiled as one unit; 1, each alone, is better for those who write tests")

# Has the file test cases? Those without are second units of others.
function(nnrt_has_test_cases result source)
  file(STRINGS ${source} cases REGEX "^ *(TEST_CASE|TEST_SUITE|SCENARIO)" LIMIT_COUNT 1)
  # Cases that are added to it later count.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  set(${result} "${cases}" PARENT_SCOPE)
endfunction()

# The file's #include lines, with whole paths for files of its folder; nothing where it has other directives, which must
# not reach other files.
function(nnrt_includes_of result source)
  file(STRINGS ${source} directives REGEX "^ *#")
  get_filename_component(folder ${source} DIRECTORY)
  set(includes)
  foreach(directive IN LISTS directives)
    if(directive MATCHES "^#include \"(.+)\"")
      if(EXISTS ${folder}/${CMAKE_MATCH_1})
        set(directive "#include \"${folder}/${CMAKE_MATCH_1}\"")
      endif()
    elseif(NOT directive MATCHES "^#include <")
      set(includes)
      break()
    endif()
    list(APPEND includes "${directive}")
  endforeach()
  set(${result} "${includes}" PARENT_SCOPE)
endfunction()

# Writes one unit of the files.
function(nnrt_write_test_unit unit)
  set(all_includes)
  set(bodies)
  foreach(source IN LISTS ARGN)
    nnrt_includes_of(includes ${source})
    list(APPEND all_includes ${includes})
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${source})
    string(MAKE_C_IDENTIFIER ${name} name)
    string(APPEND bodies "namespace ${name} {\n#include \"${source}\"\n}\n")
  endforeach()
  list(REMOVE_DUPLICATES all_includes)
  list(JOIN all_includes "\n" all_includes)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${all_includes}\n${bodies}" @ONLY)
endfunction()

# nnrt_test_units(<result> <name> <source>...)
# Sets the result to what compiles these sources: units of files with test cases, and all others unchanged.
function(nnrt_test_units result name)
  set(together)
  set(units)
  foreach(source IN LISTS ARGN)
    set(includes)
    nnrt_has_test_cases(cases ${source})
    if(cases AND NNRT_TEST_UNIT_FILES GREATER 1)
      nnrt_includes_of(includes ${source})
    endif()
    if(includes)
      list(APPEND together ${source})
    else()
      list(APPEND units ${source})
    endif()
  endforeach()
  list(LENGTH together left)
  set(number 0)
  while(left GREATER 0)
    math(EXPR number "${number} + 1")
    list(SUBLIST together 0 ${NNRT_TEST_UNIT_FILES} files)
    list(REMOVE_ITEM together ${files})
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${name}_${number}.cpp)
    nnrt_write_test_unit(${unit} ${files})
    list(APPEND units ${unit})
    list(LENGTH together left)
  endwhile()
  set(${result} ${units} PARENT_SCOPE)
endfunction()
