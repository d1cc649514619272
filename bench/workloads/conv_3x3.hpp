// conv_3x3: a 3x3 convolution.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "workloads/support/layer.hpp"

namespace timed {

struct conv_3x3_workload {
  static constexpr const char *group = "layer", *name = "conv 3x3, 64 to 64 at 56x56";
  static constexpr auto network = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<f32, shape<1, 56, 56, 64>>("x");
    g.output("y", layers::conv2d<64, 3, 3>(x, "conv", same, relu));
  };
  static constexpr auto network_of_bytes = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<i8, shape<1, 56, 56, 64>, nhwc, layer::step_of_x>("x");
    auto w = g.weight<i8, shape<64, 3, 3, 64>, nhwc, per_channel<0>>("conv.weight");
    g.output("y", conv2d(x, w, g.weight<i32, shape<64>>("conv.bias"), same, relu, layer::result<576>));
  };
};

}  // namespace timed
