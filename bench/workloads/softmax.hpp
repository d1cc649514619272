// softmax: a softmax.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "workloads/support/layer.hpp"

namespace timed {

struct softmax_workload {
  static constexpr const char *group = "layer", *name = "softmax of 1000";
  static constexpr auto network = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<f32, shape<1, 1000>>("x");
    g.output("y", softmax(x));
  };
  static constexpr auto network_of_bytes = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<i8, shape<1, 1000>, nd, layer::step_of_x>("x");
    g.output("y", softmax(x, into<quant{.scale = 1.0F / 256, .zero_point = -128}>));
  };
};

}  // namespace timed
