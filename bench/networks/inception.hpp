// inception: branches of many kernel shapes - factorised, dilated, grouped, pooled - and every kind of concat.
// Flow: tests/networks runs it against float64; bench/ times its translation unit.
#pragma once

#include <nnrt/nnrt.hpp>

namespace networks {

/// Four branches joined along the channels: 1x1, factorised 1x5 and 5x1, dilated 3x3, an average pool with its 1x1.
template <class X> constexpr auto factorised_block(X x) {
  using namespace nnrt;
  auto point = layers::conv2d<24, 1, 1>(x, "mixed.point", relu);
  auto wide = layers::conv2d<16, 1, 5>(layers::conv2d<16, 1, 1>(x, "mixed.wide.0", relu), "mixed.wide.1", same);
  auto cross = layers::conv2d<24, 5, 1>(wide, "mixed.wide.2", same, relu);
  auto dilated = layers::conv2d<20, 3, 3>(x, "mixed.dilated", dilation<2, 2>, same, relu6);
  auto mean = layers::conv2d<12, 1, 1>(avg_pool(x, kernel<3, 3>, same), "mixed.pooled", relu);
  return concat(point, cross, dilated, mean, axis<-1>);
}

/// Halves the image in three ways: a grouped convolution, a depthwise one, a max pool.
template <class X> constexpr auto reducing_block(X x) {
  using namespace nnrt;
  auto grouped = layers::conv2d<40, 3, 3>(x, "reduce.grouped", group<4>, stride<2, 2>, padding<1, 1, 1, 1>, relu);
  auto filtered = layers::depthwise_conv2d<3, 3>(x, "reduce.depthwise", stride<2, 2>, padding<1, 1, 1, 1>);
  auto largest = max_pool(x, kernel<3, 3>, stride<2, 2>, padding<0, 1, 0, 1>, ceil_mode);
  return concat(grouped, filtered, largest, axis<3>);
}

/// Two images of 29x31 pixels at a time: scores of 20 classes for each, and a map in which both halves of a split went
/// separate ways.
template <std::int64_t Batch> constexpr void write_inception(nnrt::builder& g) {
  using namespace nnrt;
  auto image = g.input<f32, shape<Batch, 29, 31, 3>>("image");
  auto stem = layers::conv2d<32, 3, 3>(image, "stem", stride<2, 1>, valid, relu);
  auto mixed = factorised_block(max_pool(stem, kernel<2, 3>, stride<1, 2>));
  auto reduced = reducing_block(mixed);
  auto squeezed = layers::conv2d<32, 1, 1>(reduced, "squeeze", no_bias);
  auto [left, right] = split<2>(squeezed, axis<-1>);
  auto shaped = concat(sigmoid(left) * left, nnrt::tanh(right), axis<-1>);
  auto stretched = layers::conv2d<32, 3, 3>(shaped, "atrous", dilation<3, 2>, padding<3, 3, 2, 2>, group<2>);
  auto features = relu(stretched + squeezed);
  auto twice = concat(features, shaped, axis<0>);  // one after the other: the copies can go
  g.output("map", twice);
  auto mean = reduce_mean(features, axes<1, 2>);
  g.output("scores", softmax(layers::full_connection<20>(mean, "fc"), axis<-1>));
}

/// For one image.
inline constexpr auto inception = [](nnrt::builder& g) { write_inception<1>(g); };

}  // namespace networks
