// layer_operands: the operands that the kernels of f32 convolutions share.
// Flow: bindings make them from a kernel_call; f32/conv/, f32/winograd/ and f32/depthwise/ read and write them.
#pragma once

#include <nnrt/core/activation.hpp>
#include <nnrt/core/config.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Operands of a layer with packed weights: y = clamp(layer(x, weights) + bias). y must not overlap x.
/// `packed` is the output of the pack function of the kernel; `scratch` is memory for one part alone, uninitialised, of
/// the size that the kernel states (null if that is 0).
struct layer_operands {
  const float* x = nullptr;
  const float* packed = nullptr;
  float* y = nullptr;
  float* scratch = nullptr;
  clamp_range range = {};
};

}}}  // namespace nnrt::NNRT_ISA::kernels
