// autoencoder: the dense autoencoder of MLPerf Tiny, which hears broken machines.
// Flow: tests/networks runs it against float64; bench/ times its translation unit and its inference.
#pragma once

#include "layer_name.hpp"

#include <nnrt/nnrt.hpp>

namespace networks {

/// A dense layer, batch normalisation, a rectifier.
template <std::int64_t Out, class X> constexpr auto dense_normed(X x, std::string_view layer) {
  using namespace nnrt;
  return relu(
      layers::batch_norm(layers::full_connection<Out>(x, layer_name(layer, "dense")), layer_name(layer, "norm")));
}

/// 640 numbers of a spectrogram through a bottleneck of 8 and back, and how far the copy is off.
template <std::int64_t Batch, bool HasError = true> constexpr void write_autoencoder(nnrt::builder& g) {
  using namespace nnrt;
  auto x = g.input<f32, shape<Batch, 640>>("spectrogram");
  auto e1 = dense_normed<128>(x, "encoder1");
  auto e2 = dense_normed<128>(e1, "encoder2");
  auto e3 = dense_normed<128>(e2, "encoder3");
  auto e4 = dense_normed<128>(e3, "encoder4");
  auto code = dense_normed<8>(e4, "bottleneck");
  auto d1 = dense_normed<128>(code, "decoder1");
  auto d2 = dense_normed<128>(d1, "decoder2");
  auto d3 = dense_normed<128>(d2, "decoder3");
  auto d4 = dense_normed<128>(d3, "decoder4");
  auto y = layers::full_connection<640>(d4, "out");
  g.output("spectrogram", y);
  if constexpr (HasError) g.output("error", reduce_mean((y - x) * (y - x), axes<1>));
}
inline constexpr auto autoencoder = [](nnrt::builder& g) { write_autoencoder<1>(g); };
/// The copy alone, as MLPerf Tiny has it.
inline constexpr auto autoencoder_copy = [](nnrt::builder& g) { write_autoencoder<1, false>(g); };

}  // namespace networks
