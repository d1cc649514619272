// mobilenet_v1: MobileNetV1 (Howard and others, 2017) as it is deployed, for any image size and width of its layers.
// Flow: bench/ times it at 224x224, and at 96x96 with a quarter of the channels, as MLPerf Tiny has it.
#pragma once

#include "layer_name.hpp"

#include <nnrt/nnrt.hpp>

namespace networks {

/// A 3x3 depthwise convolution and a 1x1 one, each with relu6.
template <std::int64_t Out, std::int64_t Stride, class X> constexpr auto separable_relu6(X x, std::string_view layer) {
  using namespace nnrt;
  auto filtered =
      layers::depthwise_conv2d<3, 3>(x, layer_name(layer, "depthwise"), stride<Stride, Stride>, same, relu6);
  return layers::conv2d<Out, 1, 1>(filtered, layer_name(layer, "pointwise"), relu6);
}

/// Images of Size x Size pixels to the probabilities of Classes; layers have Quarters quarters of their channels.
template <std::int64_t Size, std::int64_t Quarters, std::int64_t Classes>
constexpr void write_mobilenet_v1(nnrt::builder& g) {
  using namespace nnrt;
  constexpr std::int64_t c = 8 * Quarters;
  auto image = g.input<f32, shape<1, Size, Size, 3>>("image");
  auto stem = layers::conv2d<c, 3, 3>(image, "stem", stride<2, 2>, same, relu6);
  auto b1 = separable_relu6<2 * c, 1>(stem, "block1");
  auto b2 = separable_relu6<4 * c, 2>(b1, "block2");
  auto b3 = separable_relu6<4 * c, 1>(b2, "block3");
  auto b4 = separable_relu6<8 * c, 2>(b3, "block4");
  auto b5 = separable_relu6<8 * c, 1>(b4, "block5");
  auto b6 = separable_relu6<16 * c, 2>(b5, "block6");
  auto b7 = separable_relu6<16 * c, 1>(b6, "block7");
  auto b8 = separable_relu6<16 * c, 1>(b7, "block8");
  auto b9 = separable_relu6<16 * c, 1>(b8, "block9");
  auto b10 = separable_relu6<16 * c, 1>(b9, "block10");
  auto b11 = separable_relu6<16 * c, 1>(b10, "block11");
  auto b12 = separable_relu6<32 * c, 2>(b11, "block12");
  auto b13 = separable_relu6<32 * c, 1>(b12, "block13");
  auto mean = avg_pool(b13, global);
  g.output("probability", softmax(layers::full_connection<Classes>(flatten(mean), "classifier")));
}

inline constexpr auto mobilenet_v1 = [](nnrt::builder& g) { write_mobilenet_v1<224, 4, 1000>(g); };
inline constexpr auto mobilenet_v1_quarter = [](nnrt::builder& g) { write_mobilenet_v1<96, 1, 2>(g); };

}  // namespace networks
