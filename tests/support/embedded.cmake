# embedded.cmake: programs hold what an embedded file is now, not what it was.
# Flow: the test consumers/embedded; the project FROM is configured with OPTIONS in TO, and built there once for each content of the file.
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
