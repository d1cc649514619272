// micro_mlp: a tiny dense network, small enough for the unrolled form, with every weight declared by hand.
// Flow: tests/networks runs it against float64; bench/ times it and its translation unit.
#pragma once

#include <nnrt/nnrt.hpp>

namespace networks {

/// 8 numbers to one, for a controller or a soft sensor.
template <std::int64_t Batch> constexpr void write_micro_mlp(nnrt::builder& g) {
  using namespace nnrt;
  auto x = g.input<f32, shape<Batch, 8>>("state");
  auto w1 = g.weight<f32, shape<16, 8>>("fc1.weight");
  auto b1 = g.weight<f32, shape<16>>("fc1.bias");
  auto w2 = g.weight<f32, shape<16, 16>>("fc2.weight");
  auto b2 = g.weight<f32, shape<16>>("fc2.bias");
  auto w3 = g.weight<f32, shape<1, 16>>("fc3.weight");
  auto b3 = g.weight<f32, shape<1>>("fc3.bias");
  auto h1 = full_connection(x, w1, b1, relu);
  auto h2 = nnrt::tanh(full_connection(h1, w2, b2));
  g.output("action", sigmoid(full_connection(h2, w3, b3)));
}

/// For one state.
inline constexpr auto micro_mlp = [](nnrt::builder& g) { write_micro_mlp<1>(g); };

/// micro_mlp with quantised values and a scale for each row of weights.
inline constexpr auto micro_mlp_of_bytes = [](nnrt::builder& g) {
  using namespace nnrt;
  auto x = g.input<i8, shape<1, 8>, nd, quant{.scale = 1.0F / 127, .zero_point = 0}>("state");
  auto w1 = g.weight<i8, shape<16, 8>, nd, per_channel<0>>("fc1.weight");
  auto w2 = g.weight<i8, shape<16, 16>, nd, per_channel<0>>("fc2.weight");
  auto w3 = g.weight<i8, shape<1, 16>, nd, per_channel<0>>("fc3.weight");
  auto h1 = full_connection(x, w1, g.weight<i32, shape<16>>("fc1.bias"), relu,
                            into<quant{.scale = 0.02F, .zero_point = -128}>);
  auto sums2 =
      full_connection(h1, w2, g.weight<i32, shape<16>>("fc2.bias"), into<quant{.scale = 0.05F, .zero_point = 0}>);
  auto h2 = nnrt::tanh(sums2, into<quant{.scale = 1.0F / 128, .zero_point = 0}>);
  auto sums3 =
      full_connection(h2, w3, g.weight<i32, shape<1>>("fc3.bias"), into<quant{.scale = 0.05F, .zero_point = 0}>);
  g.output("action", sigmoid(sums3, into<quant{.scale = 1.0F / 256, .zero_point = -128}>));
};

}  // namespace networks
