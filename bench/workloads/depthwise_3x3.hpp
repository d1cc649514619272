// depthwise_3x3: a 3x3 depthwise convolution.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "workloads/support/layer.hpp"

namespace timed {

struct depthwise_3x3_workload {
  static constexpr const char *group = "layer", *name = "depthwise 3x3, 32 at 112x112";
  static constexpr auto network = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<f32, shape<1, 112, 112, 32>>("x");
    g.output("y", layers::depthwise_conv2d<3, 3>(x, "conv", same, relu));
  };
  static constexpr auto network_of_bytes = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<i8, shape<1, 112, 112, 32>, nhwc, layer::step_of_x>("x");
    auto w = g.weight<i8, shape<32, 3, 3, 1>, nhwc, per_channel<0>>("conv.weight");
    g.output("y", depthwise_conv2d(x, w, g.weight<i32, shape<32>>("conv.bias"), same, relu, layer::result<9>));
  };
};

}  // namespace timed
