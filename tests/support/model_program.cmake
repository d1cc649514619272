# model_program.cmake: programs have the network of what a model file is now, not of what it was; a file that is no
# model ends the build with its reason.
# Flow: the test consumers/model; the project FROM is configured with OPTIONS in TO, and built there once for each of
# the files in MODELS.
file(REMOVE_RECURSE ${TO})
file(MAKE_DIRECTORY ${TO})
set(names hybrid hybrid_others)
set(expected "0 0.5 0 " "1 3.5 4.75 ")
foreach(name results IN ZIP_LISTS names expected)
  configure_file(${MODELS}/${name}.tflite ${TO}/network.tflite COPYONLY)
  configure_file(${MODELS}/image.onnx ${TO}/image.onnx COPYONLY)
  if(name STREQUAL hybrid)
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${FROM} -B ${TO} ${OPTIONS} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${TO} OUTPUT_VARIABLE built COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${TO}/named OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
  if(NOT printed STREQUAL results)
    message(SEND_ERROR "the network of ${name} gives \"${printed}\", not \"${results}\"")
  endif()
  execute_process(COMMAND ${TO}/unnamed ${TO}/written COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${TO}/written ${MODELS}/${name}.tflite
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)   # Makefiles know times of whole seconds on some file systems
endforeach()

execute_process(COMMAND ${TO}/of_onnx OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL "-13.2812 9.34375 20.25 ")
  message(SEND_ERROR "the network of image.onnx gives \"${printed}\"")
endif()

file(WRITE ${TO}/network.tflite "no model at all")
execute_process(COMMAND ${CMAKE_COMMAND} --build ${TO} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE also)
string(FIND "${said}${also}" "begin as neither" at)
if(status EQUAL 0 OR at EQUAL -1)
  message(SEND_ERROR "a file that is no model must end the build; it said: ${said}${also}")
endif()
