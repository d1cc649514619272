// resnet8: the residual network of MLPerf Tiny for images of 32x32 pixels, as it is deployed.
// Flow: bench/ times it.
#pragma once

#include "layer_name.hpp"

#include <nnrt/nnrt.hpp>

namespace networks {

/// relu(x + two 3x3 convolutions of x); the shortcut is a 1x1 convolution where extents change.
template <std::int64_t Out, std::int64_t Stride, class X> constexpr auto small_block(X x, std::string_view layer) {
  using namespace nnrt;
  auto first = layers::conv2d<Out, 3, 3>(x, layer_name(layer, "conv1"), stride<Stride, Stride>, same, relu);
  auto second = layers::conv2d<Out, 3, 3>(first, layer_name(layer, "conv2"), same);
  if constexpr (Stride == 1) return relu(second + x);
  else return relu(second + layers::conv2d<Out, 1, 1>(x, layer_name(layer, "shortcut"), stride<Stride, Stride>, same));
}

/// A colour image of 32x32 pixels to the probabilities of ten classes.
inline constexpr auto resnet8 = [](nnrt::builder& g) {
  using namespace nnrt;
  auto image = g.input<f32, shape<1, 32, 32, 3>>("image");
  auto stem = layers::conv2d<16, 3, 3>(image, "stem", same, relu);
  auto a = small_block<16, 1>(stem, "stack1");
  auto b = small_block<32, 2>(a, "stack2");
  auto c = small_block<64, 2>(b, "stack3");
  auto mean = avg_pool(c, global);
  g.output("probability", softmax(layers::full_connection<10>(flatten(mean), "classifier")));
};

}  // namespace networks
