// digits: the network whose weights are packed when the project is built. It finds its other header and FEATURES as the
// program does.
#pragma once

#include "strokes.hpp"

inline constexpr auto digits = [](nnrt::builder& g) {
  using namespace nnrt;
  auto image = g.input<f32, shape<1, 8, 8, 1>>("image");
  auto halved = max_pool(strokes(image), kernel<2, 2>, stride<2, 2>);
  auto shapes = layers::conv2d<32, 3, 3>(halved, "conv3", same, relu);
  auto quartered = max_pool(shapes, kernel<2, 2>, stride<2, 2>);
  g.output("probability", softmax(layers::full_connection<FEATURES>(flatten(quartered), "fc"), axis<-1>));
};
