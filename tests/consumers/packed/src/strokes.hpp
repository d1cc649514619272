// strokes: the first layers of digits.hpp.
#pragma once

#include <nnrt/nnrt.hpp>

inline constexpr auto strokes = [](auto image) {
  using namespace nnrt;
  return layers::conv2d<32, 3, 3>(layers::conv2d<16, 3, 3>(image, "conv1", same, relu), "conv2", same, relu);
};
