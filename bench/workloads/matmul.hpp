// matmul: a matrix product.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "workloads/support/layer.hpp"

namespace timed {

struct matmul_workload {
  static constexpr const char *group = "layer", *name = "matmul 512x512x512";
  static constexpr auto network = [](nnrt::builder& g) {
    using namespace nnrt;
    auto a = g.input<f32, shape<512, 512>>("a");
    g.output("c", matmul(a, g.weight<f32, shape<512, 512>>("b.weight")));
  };
  static constexpr auto network_of_bytes = [](nnrt::builder& g) {
    using namespace nnrt;
    auto a = g.input<i8, shape<512, 512>, nd, layer::step_of_x>("a");
    g.output("c", matmul(a, g.weight<i8, shape<512, 512>, nd, layer::step_of_weights>("b.weight"), layer::result<512>));
  };
};

}  // namespace timed
