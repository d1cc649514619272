// mobilenet_v2: MobileNetV2 (Sandler and others, 2018), for any batch and image size, with or without normalisation.
// Flow: tests/networks runs it small against float64; bench/ times it at 224x224.
#pragma once

#include "layer_name.hpp"

#include <nnrt/nnrt.hpp>

namespace networks {

/// A 1x1 convolution, normalised where the network is.
template <bool IsNormed, std::int64_t Out, class X, class... Fused>
constexpr auto pointwise(X x, std::string_view layer, std::string_view part, Fused... fused) {
  const layer_name name(layer, part);
  if constexpr (IsNormed) {
    const auto normed =
        nnrt::layers::batch_norm(nnrt::layers::conv2d<Out, 1, 1>(x, name, nnrt::no_bias), layer_name(name, "norm"));
    if constexpr (sizeof...(Fused) > 0) return nnrt::relu6(normed);
    else return normed;
  } else {
    return nnrt::layers::conv2d<Out, 1, 1>(x, name, fused...);
  }
}

/// A 3x3 depthwise convolution and relu6.
template <bool IsNormed, std::int64_t Stride, class X> constexpr auto depthwise(X x, std::string_view layer) {
  const layer_name name(layer, "depthwise");
  constexpr auto strided = nnrt::stride<Stride, Stride>;
  constexpr auto padded = nnrt::padding<1, 1, 1, 1>;
  if constexpr (IsNormed)
    return nnrt::relu6(nnrt::layers::batch_norm(
        nnrt::layers::depthwise_conv2d<3, 3>(x, name, strided, padded, nnrt::no_bias), layer_name(name, "norm")));
  else return nnrt::layers::depthwise_conv2d<3, 3>(x, name, strided, padded, nnrt::relu6);
}

/// Widen, filter each channel, narrow; a shortcut where extents do not change.
template <bool IsNormed, std::int64_t Expansion, std::int64_t Out, std::int64_t Stride, class X>
constexpr auto inverted_residual(X x, std::string_view layer) {
  constexpr std::int64_t channels = X::desc.shape[3];
  const auto wide = [&] {
    if constexpr (Expansion == 1) return x;
    else return pointwise<IsNormed, channels * Expansion>(x, layer, "expand", nnrt::relu6);
  }();
  const auto narrow = pointwise<IsNormed, Out>(depthwise<IsNormed, Stride>(wide, layer), layer, "project");
  if constexpr (Stride == 1 && channels == Out) return x + narrow;
  else return narrow;
}

/// The network for images of Size x Size pixels.
template <std::int64_t Batch, std::int64_t Size, bool IsNormed> constexpr void write_mobilenet_v2(nnrt::builder& g) {
  using namespace nnrt;
  auto image = g.input<f32, shape<Batch, Size, Size, 3>>("image");
  auto stem = [&] {
    constexpr auto padded = padding<1, 1, 1, 1>;
    if constexpr (IsNormed)
      return relu6(
          layers::batch_norm(layers::conv2d<32, 3, 3>(image, "stem", stride<2, 2>, padded, no_bias), "stem.norm"));
    else return layers::conv2d<32, 3, 3>(image, "stem", stride<2, 2>, padded, relu6);
  }();
  auto b1 = inverted_residual<IsNormed, 1, 16, 1>(stem, "block1");
  auto b2 = inverted_residual<IsNormed, 6, 24, 2>(b1, "block2");
  auto b3 = inverted_residual<IsNormed, 6, 24, 1>(b2, "block3");
  auto b4 = inverted_residual<IsNormed, 6, 32, 2>(b3, "block4");
  auto b5 = inverted_residual<IsNormed, 6, 32, 1>(b4, "block5");
  auto b6 = inverted_residual<IsNormed, 6, 32, 1>(b5, "block6");
  auto b7 = inverted_residual<IsNormed, 6, 64, 2>(b6, "block7");
  auto b8 = inverted_residual<IsNormed, 6, 64, 1>(b7, "block8");
  auto b9 = inverted_residual<IsNormed, 6, 64, 1>(b8, "block9");
  auto b10 = inverted_residual<IsNormed, 6, 64, 1>(b9, "block10");
  auto b11 = inverted_residual<IsNormed, 6, 96, 1>(b10, "block11");
  auto b12 = inverted_residual<IsNormed, 6, 96, 1>(b11, "block12");
  auto b13 = inverted_residual<IsNormed, 6, 96, 1>(b12, "block13");
  auto b14 = inverted_residual<IsNormed, 6, 160, 2>(b13, "block14");
  auto b15 = inverted_residual<IsNormed, 6, 160, 1>(b14, "block15");
  auto b16 = inverted_residual<IsNormed, 6, 160, 1>(b15, "block16");
  auto b17 = inverted_residual<IsNormed, 6, 320, 1>(b16, "block17");
  auto head = pointwise<IsNormed, 1280>(b17, "head", "conv", relu6);
  auto mean = avg_pool(head, global);
  g.output("scores", layers::full_connection<1000>(flatten(mean), "classifier"));
}

/// As it is deployed: normalisation is part of the convolutions.
inline constexpr auto mobilenet_v2 = [](nnrt::builder& g) { write_mobilenet_v2<1, 224, false>(g); };
/// As it is trained: a batch norm after every convolution, which is folded into the weights.
inline constexpr auto mobilenet_v2_normed = [](nnrt::builder& g) { write_mobilenet_v2<1, 224, true>(g); };

}  // namespace networks
