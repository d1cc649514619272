// tflite: TensorFlow Lite files as models, for compile() and sessions.
// Flow: include it beside dynamic.hpp; it needs the headers of flatbuffers, which nothing else of nnrt does.
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/io/tflite/load.hpp>
