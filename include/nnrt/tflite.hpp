// tflite: TensorFlow Lite files as models, for compile() and sessions.
// Flow: programs that load .tflite files include it; it includes dynamic.hpp.
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/io/tflite/load.hpp>
