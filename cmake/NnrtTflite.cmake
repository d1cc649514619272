# NnrtTflite.cmake: the target nnrt::tflite, another name of nnrt::nnrt for programs that include <nnrt/tflite.hpp>.
# Flow: included by CMakeLists.txt and by the installed nnrtConfig.cmake. Reading model files takes no further library.
if(NOT TARGET nnrt::tflite)
  add_library(nnrt::tflite INTERFACE IMPORTED GLOBAL)
  target_link_libraries(nnrt::tflite INTERFACE nnrt::nnrt)
endif()
