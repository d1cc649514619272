# embedded.cmake: programs hold what an embedded file is now, not what it was; and wrong calls of nnrt's functions end
# the configuration with their reason.
# Flow: the test consumers/embedded; the project FROM is configured with OPTIONS in TO, and built there once for each
# content of the file.
file(REMOVE_RECURSE ${TO})
set(configure ${CMAKE_COMMAND} -S ${FROM} -B ${TO} ${OPTIONS})

foreach(words IN ITEMS "first" "second, and longer" "third")
  file(WRITE ${TO}/words.txt "${words}")
  if(words STREQUAL "first")
    execute_process(COMMAND ${configure} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${TO} OUTPUT_VARIABLE built COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE programs ${TO}/by_library ${TO}/here ${TO}/elsewhere)
  list(LENGTH programs count)
  if(NOT count EQUAL 3)
    message(FATAL_ERROR "there are ${count} programs, not 3: ${programs}")
  endif()
  foreach(program IN LISTS programs)
    execute_process(COMMAND ${program} OUTPUT_VARIABLE held COMMAND_ERROR_IS_FATAL ANY)
    if(NOT held STREQUAL words)
      message(SEND_ERROR "${program} holds \"${held}\", not \"${words}\"")
    endif()
  endforeach()
  execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)   # Makefiles know times of whole seconds on some file systems
endforeach()

# Each wrong call, and what the configuration must say of it.
set(packed "NAME x HEADER x.hpp EXECUTOR x")
set(wrong
  "nnrt_embed(nobody words.txt)" "there is no target nobody"
  "nnrt_embed(here words.txt NAME)" "NAME is missing"
  "nnrt_embed(here words.txt NAME 9th)" "\"9th\" is no identifier"
  "nnrt_embed(here words.txt words)" "unknown arguments: words"
  "nnrt_embed(here [[]])" "\"\" is no file"
  "nnrt_embed(here program)" "\"program\" is no file"
  "nnrt_embed_packed(here w HEADER x.hpp EXECUTOR x)" "NAME is missing"
  "nnrt_embed_packed(here w NAME a-b HEADER x.hpp EXECUTOR x)" "\"a-b\" is no identifier"
  "nnrt_embed_packed(elsewhere w ${packed})" "in the directory that made the target"
  "nnrt_embed_packed(here w ${packed} y)" "unknown arguments: y"
  "nnrt_model(nobody words.txt)" "there is no target nobody"
  "nnrt_model(here words.txt NAME)" "NAME is missing"
  "nnrt_model(here words.txt NAME 9th)" "\"9th\" is no identifier"
  "nnrt_model(here words.txt network)" "unknown arguments: network"
  "nnrt_model(here program)" "\"program\" is no file"
  "nnrt_model(words words.txt)" "an INTERFACE library compiles no sources"
  "nnrt_model(elsewhere words.txt)" "in the directory that made the target"
  "nnrt_add_operators(x -march=native)" "unknown arguments: -march=native")
while(wrong)
  list(POP_FRONT wrong call reason)
  execute_process(COMMAND ${configure} "-DWRONG=${call}" RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")   # CMake breaks lines
  string(FIND "${said}" "${reason}" at)
  if(status EQUAL 0 OR at EQUAL -1)
    message(SEND_ERROR "${call} must fail with: ${reason}\nIt said: ${said}")
  endif()
endwhile()
