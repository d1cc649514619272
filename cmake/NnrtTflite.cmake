# NnrtTflite.cmake: the target nnrt::tflite, for programs that include <nnrt/tflite.hpp>: nnrt::nnrt and the headers of flatbuffers.
# Flow: included by CMakeLists.txt and by the installed nnrtConfig.cmake. Without flatbuffers there is no such target; nothing else needs it.
find_path(NNRT_FLATBUFFERS_INCLUDE flatbuffers/verifier.h)
mark_as_advanced(NNRT_FLATBUFFERS_INCLUDE)
if(NNRT_FLATBUFFERS_INCLUDE AND NOT TARGET nnrt::tflite)
  add_library(nnrt::tflite INTERFACE IMPORTED GLOBAL)
  target_link_libraries(nnrt::tflite INTERFACE nnrt::nnrt)
  target_include_directories(nnrt::tflite SYSTEM INTERFACE ${NNRT_FLATBUFFERS_INCLUDE})
endif()
