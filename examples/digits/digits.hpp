// digits: a small convolutional network that reads handwritten digits, as a C++ function of typed tensors.
// Flow: main.cpp runs executor<graph<digits>> with the weights of digits.safetensors, which tools/train_digits.py
// trained.
#pragma once

#include <nnrt/nnrt.hpp>

namespace example {

/// From one 8x8 image of grey values (0 is paper, 1 is ink) to the probabilities of the ten digits.
inline constexpr auto digits = [](nnrt::builder& g) {
  using namespace nnrt;

  auto image = g.input<f32, shape<1, 8, 8, 1>>("image");

  auto strokes = layers::conv2d<16, 3, 3>(image, "conv1", same, relu);
  auto corners = layers::conv2d<32, 3, 3>(strokes, "conv2", same, relu);
  auto halved = max_pool(corners, kernel<2, 2>, stride<2, 2>);

  auto shapes = layers::conv2d<32, 3, 3>(halved, "conv3", same, relu);
  auto quartered = max_pool(shapes, kernel<2, 2>, stride<2, 2>);

  auto scores = layers::full_connection<10>(flatten(quartered), "fc");
  g.output("probability", softmax(scores, axis<-1>));
};

using net = nnrt::graph<digits>;

// The compiler has read the network by now: all of this is known before it runs.
static_assert(net::nodes == 8 && net::parameters == 15'338 && net::macs == 452'864);
static_assert(net::arena_bytes <= nnrt::largest_member_arena, "the executor holds the arena: nothing is allocated");

}  // namespace example
