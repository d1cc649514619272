// resnet18: ResNet-18 (He and others, 2015), for any batch and image size, with or without batch normalisation.
// Flow: tests/networks runs it small against float64; bench/ times it at 224x224.
#pragma once

#include "layer_name.hpp"

#include <nnrt/nnrt.hpp>

namespace networks {

/// A convolution without bias and its batch normalisation, or, once these are one, a convolution with bias.
template <bool IsNormed, std::int64_t Out, std::int64_t Kernel, std::int64_t Stride, class X>
constexpr auto convolution_normed(X x, std::string_view layer, std::string_view conv, std::string_view norm) {
  constexpr auto strided = nnrt::stride<Stride, Stride>;
  constexpr auto padded = nnrt::padding<Kernel / 2, Kernel / 2, Kernel / 2, Kernel / 2>;
  const layer_name name(layer, conv);
  if constexpr (IsNormed)
    return nnrt::layers::batch_norm(nnrt::layers::conv2d<Out, Kernel, Kernel>(x, name, strided, padded, nnrt::no_bias),
                                    layer_name(layer, norm));
  else return nnrt::layers::conv2d<Out, Kernel, Kernel>(x, name, strided, padded);
}

/// relu(x + two 3x3 convolutions of x); the shortcut is a 1x1 convolution where extents change.
template <bool IsNormed, std::int64_t Out, std::int64_t Stride, class X>
constexpr auto basic_block(X x, std::string_view layer) {
  const auto first = nnrt::relu(convolution_normed<IsNormed, Out, 3, Stride>(x, layer, "conv1", "bn1"));
  const auto second = convolution_normed<IsNormed, Out, 3, 1>(first, layer, "conv2", "bn2");
  if constexpr (Stride == 1) return nnrt::relu(second + x);
  else
    return nnrt::relu(second + convolution_normed<IsNormed, Out, 1, Stride>(x, layer, "downsample.0", "downsample.1"));
}

/// The network for images of Size x Size pixels; names of weights as in torchvision's.
template <std::int64_t Batch, std::int64_t Size, bool IsNormed> constexpr void write_resnet18(nnrt::builder& g) {
  using namespace nnrt;
  auto image = g.input<f32, shape<Batch, Size, Size, 3>>("image");
  auto stem = relu([&] {
    constexpr auto padded = padding<3, 3, 3, 3>;
    if constexpr (IsNormed)
      return layers::batch_norm(layers::conv2d<64, 7, 7>(image, "conv1", stride<2, 2>, padded, no_bias), "bn1");
    else return layers::conv2d<64, 7, 7>(image, "conv1", stride<2, 2>, padded);
  }());
  auto pooled = max_pool(stem, kernel<3, 3>, stride<2, 2>, padding<1, 1, 1, 1>);
  auto a0 = basic_block<IsNormed, 64, 1>(pooled, "layer1.0");
  auto a1 = basic_block<IsNormed, 64, 1>(a0, "layer1.1");
  auto b0 = basic_block<IsNormed, 128, 2>(a1, "layer2.0");
  auto b1 = basic_block<IsNormed, 128, 1>(b0, "layer2.1");
  auto c0 = basic_block<IsNormed, 256, 2>(b1, "layer3.0");
  auto c1 = basic_block<IsNormed, 256, 1>(c0, "layer3.1");
  auto d0 = basic_block<IsNormed, 512, 2>(c1, "layer4.0");
  auto d1 = basic_block<IsNormed, 512, 1>(d0, "layer4.1");
  auto mean = reduce_mean(d1, axes<1, 2>);
  g.output("scores", layers::full_connection<1000>(mean, "fc"));
}

/// As its weights are trained, for one photograph.
inline constexpr auto resnet18 = [](nnrt::builder& g) { write_resnet18<1, 224, true>(g); };
/// As it is deployed: normalisation is part of the convolutions.
inline constexpr auto resnet18_deployed = [](nnrt::builder& g) { write_resnet18<1, 224, false>(g); };

}  // namespace networks
