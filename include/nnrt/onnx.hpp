// onnx: loads .onnx files (ONNX) as models.
// Flow: programs include it; load() makes a model for compile().
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/io/onnx/load.hpp>
