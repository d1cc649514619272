// networks: small networks that tests of executors, sessions and dumps share, and weights for any network.
// Flow: what follows from a tensor's name (see graphs.hpp) fills inputs and weights, so that both ways of running
// agree.
#pragma once

#include <nnrt/io/make_weights.hpp>
#include <nnrt/nnrt.hpp>

#include "support/graphs.hpp"

namespace nnrt_test {

/// api.md's first network: too small for anything but the unrolled form.
inline constexpr auto affine = [](builder& g) {
  auto x = g.input<f32, shape<1, 4>>("x");
  auto w = g.constant<f32, shape<2, 4>>({1, 2, 3, 4, 5, 6, 7, 8});
  auto b = g.constant<f32, shape<2>>({0.5F, -0.5F});
  g.output("y", full_connection(x, w, b, relu));
};

/// A convolution with batch_norm, a residual, two branches that are joined, and a dense layer.
inline constexpr auto branches = [](builder& g) {
  const auto row = [&](std::string_view name) { return g.weight<f32, shape<8>>(name); };
  auto x = g.input<f32, shape<1, 12, 12, 3>>("image");
  auto c = conv2d(x, g.weight<f32, shape<8, 3, 3, 3>>("stem.weight"), same);
  auto n = relu(batch_norm(c, row("bn.scale"), row("bn.offset"), row("bn.mean"), row("bn.variance")));
  auto d = layers::depthwise_conv2d<3, 3>(n, "depthwise", same);
  auto r = relu6(d + n);
  auto [left, right] = split<2>(r, axis<-1>);
  auto joined =
      concat(max_pool(left, kernel<2, 2>, stride<2, 2>), avg_pool(right, kernel<2, 2>, stride<2, 2>), axis<-1>);
  g.output("probability", softmax(layers::full_connection<10>(flatten(joined), "fc")));
};

/// Two inputs; outputs that are a sum, a view of it under another name, an input, and something else.
inline constexpr auto several = [](builder& g) {
  auto a = g.input<f32, shape<2, 3>>("a");
  auto b = g.input<f32, shape<3>>("b");
  auto sum = a + b;
  g.output("sum", sum);
  g.output("flat", reshape(sum, shape<6>));
  g.output("a again", a);
  g.output("product", a * sum);
};

/// An arena of more than a member may have: 4 * 96 * 96 * 8 bytes and more.
inline constexpr auto large = [](builder& g) {
  auto x = g.input<f32, shape<1, 96, 96, 4>>("image");
  auto h = layers::conv2d<8, 3, 3>(x, "first", same, relu);
  auto k = layers::conv2d<8, 3, 3>(h, "second", same, relu);
  g.output("y", reduce_mean(h + k, axes<1, 2>));
};

/// Weights for a network, each with the numbers that follow from its name.
template <class G> weights weights_for(std::uint32_t seed = 1) {
  std::vector<std::vector<float>> numbers;
  std::vector<tensor_entry> tensors;
  for (const tensor_info& w : G::weights) numbers.push_back(numbers_named(w.name, w.desc.elements(), seed));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    tensors.push_back(tensor_of<float>(G::weights[i].name, G::weights[i].desc.shape, numbers[i]));
  return make_weights(tensors).value();
}
/// The numbers of an input.
template <class G> std::vector<float> input_for(std::size_t i = 0, std::uint32_t seed = 1) {
  return numbers_named(G::inputs[i].name, G::inputs[i].desc.elements(), seed);
}
template <class Span> std::vector<float> copied(Span elements) { return {elements.begin(), elements.end()}; }

}  // namespace nnrt_test
