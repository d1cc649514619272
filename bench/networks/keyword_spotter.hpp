// keyword_spotter: DS-CNN (Zhang and others, "Hello Edge", 2017), which hears twelve words in a second of speech.
// Flow: tests/networks runs it against float64; bench/ times its translation unit and its inference.
#pragma once

#include "layer_name.hpp"

#include <nnrt/nnrt.hpp>

namespace networks {

/// A depthwise convolution and a 1x1 one, each normalised.
template <std::int64_t Out, class X> constexpr auto separable(X x, std::string_view layer) {
  using namespace nnrt;
  auto filtered = layers::depthwise_conv2d<3, 3>(x, layer_name(layer, "depthwise"), same, no_bias);
  auto normed = relu(layers::batch_norm(filtered, layer_name(layer, "norm1")));
  auto mixed = layers::conv2d<Out, 1, 1>(normed, layer_name(layer, "pointwise"), no_bias);
  return relu(layers::batch_norm(mixed, layer_name(layer, "norm2")));
}

/// From 49 frames of 10 cepstral coefficients to the probabilities of 12 words.
template <std::int64_t Batch> constexpr void write_keyword_spotter(nnrt::builder& g) {
  using namespace nnrt;
  auto speech = g.input<f32, shape<Batch, 49, 10, 1>>("cepstrum");
  auto stem = relu(layers::batch_norm(layers::conv2d<64, 10, 4>(speech, "conv1", stride<2, 1>, same), "norm1"));
  auto s1 = separable<64>(stem, "block1");
  auto s2 = separable<64>(s1, "block2");
  auto s3 = separable<64>(s2, "block3");
  auto s4 = separable<64>(s3, "block4");
  auto mean = avg_pool(s4, kernel<25, 10>, stride<25, 10>);
  auto scores = layers::full_connection<12>(mean, "fc", axis<1>);
  g.output("probability", softmax(scores));
}

/// For one second of speech.
inline constexpr auto keyword_spotter = [](nnrt::builder& g) { write_keyword_spotter<1>(g); };

}  // namespace networks
