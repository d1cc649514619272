// matmul_computed: a product of two matrices that are both computed, as in attention; its second one is packed before
// every run.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "workloads/support/layer.hpp"

namespace timed {

struct matmul_computed_workload {
  static constexpr const char *group = "layer", *name = "matmul of two computed 512x512";
  static constexpr auto network = [](nnrt::builder& g) {
    using namespace nnrt;
    auto a = g.input<f32, shape<512, 512>>("a");
    g.output("c", matmul(a, g.input<f32, shape<512, 512>>("b")));
  };
  static constexpr auto network_of_bytes = [](nnrt::builder& g) {
    using namespace nnrt;
    auto a = g.input<i8, shape<512, 512>, nd, layer::step_of_x>("a");
    g.output("c", matmul(a, g.input<i8, shape<512, 512>, nd, layer::step_of_weights>("b"), layer::result<512>));
  };
};

}  // namespace timed
