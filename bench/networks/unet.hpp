// unet: a U-Net (Ronneberger and others, 2015) of three levels with a quarter of the original's channels.
// Flow: bench/ times it at 128x128.
#pragma once

#include "layer_name.hpp"

#include <nnrt/nnrt.hpp>

namespace networks {

/// Two 3x3 convolutions, each with relu.
template <std::int64_t Out, class X> constexpr auto double_convolution(X x, std::string_view layer) {
  using namespace nnrt;
  auto first = layers::conv2d<Out, 3, 3>(x, layer_name(layer, "conv1"), same, relu);
  return layers::conv2d<Out, 3, 3>(first, layer_name(layer, "conv2"), same, relu);
}

/// Twice as high and wide, joined with what came down on the same level.
template <std::int64_t Out, class X, class Y> constexpr auto up(X x, Y beside, std::string_view layer) {
  using namespace nnrt;
  auto wide = layers::conv2d_transpose<Out, 2, 2>(x, layer_name(layer, "up"), stride<2, 2>);
  return double_convolution<Out>(concat(wide, beside, axis<3>), layer);
}

/// A colour image of Size x Size pixels to a mask of one channel.
template <std::int64_t Size> constexpr void write_unet(nnrt::builder& g) {
  using namespace nnrt;
  auto image = g.input<f32, shape<1, Size, Size, 3>>("image");
  auto d1 = double_convolution<16>(image, "down1");
  auto d2 = double_convolution<32>(max_pool(d1, kernel<2, 2>, stride<2, 2>), "down2");
  auto d3 = double_convolution<64>(max_pool(d2, kernel<2, 2>, stride<2, 2>), "down3");
  auto bottom = double_convolution<128>(max_pool(d3, kernel<2, 2>, stride<2, 2>), "bottom");
  auto u3 = up<64>(bottom, d3, "up3");
  auto u2 = up<32>(u3, d2, "up2");
  auto u1 = up<16>(u2, d1, "up1");
  g.output("mask", sigmoid(layers::conv2d<1, 1, 1>(u1, "out")));
}
inline constexpr auto unet = [](nnrt::builder& g) { write_unet<128>(g); };

}  // namespace networks
