// transformer: two encoder blocks with four attention heads, normalisation first.
// Flow: tests/networks runs it against float64; bench/ times its translation unit.
#pragma once

#include "layer_name.hpp"

#include <nnrt/nnrt.hpp>

namespace networks {

/// The channels of each token as heads: [B, T, C] to [B, Heads, T, C / Heads].
template <std::int64_t Heads, class X> constexpr auto into_heads(X x) {
  constexpr auto s = X::desc.shape;
  return nnrt::transpose(nnrt::reshape(x, nnrt::shape<s[0], s[1], Heads, s[2] / Heads>), nnrt::perm<0, 2, 1, 3>);
}

/// Every token looks at every other one; heads have 16 channels.
template <std::int64_t Heads, class X> constexpr auto attention(X x, std::string_view layer) {
  using namespace nnrt;
  constexpr auto s = X::desc.shape;
  auto [q, k, v] = split<3>(layers::full_connection<3 * s[2]>(x, layer_name(layer, "qkv")), axis<-1>);
  auto scores = matmul(into_heads<Heads>(q), into_heads<Heads>(k), transpose_b) * 0.25F;
  auto mixed = matmul(softmax(scores, axis<-1>), into_heads<Heads>(v));
  auto joined = reshape(transpose(mixed, perm<0, 2, 1, 3>), shape<s[0], s[1], s[2]>);
  return layers::full_connection<s[2]>(joined, layer_name(layer, "out"));
}

/// Attention and a dense layer four times as wide, each after a normalisation and with a shortcut.
template <std::int64_t Heads, class X> constexpr auto encoder_block(X x, std::string_view layer) {
  using namespace nnrt;
  auto normed = layers::layer_norm(x, layer_name(layer, "norm1"), begin_norm_axis<2>, epsilon<1e-5F>);
  auto seen = x + attention<Heads>(normed, layer);
  auto again = layers::layer_norm(seen, layer_name(layer, "norm2"), begin_norm_axis<2>, epsilon<1e-5F>);
  auto wide = gelu(layers::full_connection<4 * X::desc.shape[2]>(again, layer_name(layer, "fc1")));
  return seen + layers::full_connection<X::desc.shape[2]>(wide, layer_name(layer, "fc2"));
}

/// 17 tokens of 64 channels: what is left of them when two blocks have looked, and ten scores of their mean.
template <std::int64_t Batch> constexpr void write_transformer(nnrt::builder& g) {
  using namespace nnrt;
  auto tokens = g.input<f32, shape<Batch, 17, 64>>("tokens");
  auto placed = tokens + g.weight<f32, shape<17, 64>>("position");
  auto b1 = encoder_block<4>(placed, "block1");
  auto b2 = encoder_block<4>(b1, "block2");
  g.output("tokens", b2);
  g.output("scores", layers::full_connection<10>(reduce_mean(b2, axes<1>), "head"));
}
inline constexpr auto transformer = [](nnrt::builder& g) { write_transformer<1>(g); };

}  // namespace networks
