// add: an addition with broadcasting.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "workloads/support/layer.hpp"

namespace timed {

struct add_workload {
  static constexpr const char *group = "layer", *name = "add one number per channel, 64 at 56x56";
  static constexpr auto network = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<f32, shape<1, 56, 56, 64>>("x");
    g.output("y", x + g.input<f32, shape<1, 1, 1, 64>>("b"));
  };
  static constexpr auto network_of_bytes = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<i8, shape<1, 56, 56, 64>, nhwc, layer::step_of_x>("x");
    auto b = g.input<i8, shape<1, 1, 1, 64>, nhwc, layer::step_of_b>("b");
    g.output("y", add(x, b, into<quant{.scale = 0.07F, .zero_point = 1}>));
  };
};

}  // namespace timed
