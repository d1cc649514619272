// lenet: LeNet-5 with rectifiers and max pools, over 28x28 grey images.
// Flow: tests/networks runs it against float64; bench/ times its translation unit and its inference.
#pragma once

#include <nnrt/nnrt.hpp>

namespace networks {

/// From an image of 28x28 grey values to the probabilities of ten classes; padded to 32x32 by the first convolution.
inline constexpr auto lenet = [](nnrt::builder& g) {
  using namespace nnrt;
  auto image = g.input<f32, shape<1, 28, 28, 1>>("image");
  auto c1 = layers::conv2d<6, 5, 5>(image, "conv1", padding<2, 2, 2, 2>, relu);
  auto s2 = max_pool(c1, kernel<2, 2>, stride<2, 2>);
  auto c3 = layers::conv2d<16, 5, 5>(s2, "conv2", relu);
  auto s4 = max_pool(c3, kernel<2, 2>, stride<2, 2>);
  auto f5 = layers::full_connection<120>(flatten(s4), "fc1", relu);
  auto f6 = layers::full_connection<84>(f5, "fc2", relu);
  auto scores = layers::full_connection<10>(f6, "fc3");
  g.output("probability", softmax(scores));
};

}  // namespace networks
