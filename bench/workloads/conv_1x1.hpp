// conv_1x1: a 1x1 convolution.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "workloads/support/layer.hpp"

namespace timed {

struct conv_1x1_workload {
  static constexpr const char *group = "layer", *name = "conv 1x1, 256 to 256 at 28x28";
  static constexpr auto network = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<f32, shape<1, 28, 28, 256>>("x");
    g.output("y", layers::conv2d<256, 1, 1>(x, "conv", same, relu));
  };
  static constexpr auto network_of_bytes = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<i8, shape<1, 28, 28, 256>, nhwc, layer::step_of_x>("x");
    auto w = g.weight<i8, shape<256, 1, 1, 256>, nhwc, per_channel<0>>("conv.weight");
    g.output("y", conv2d(x, w, g.weight<i32, shape<256>>("conv.bias"), same, relu, layer::result<256>));
  };
};

}  // namespace timed
