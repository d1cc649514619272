// transpose_back: images from channels last to channels first.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "workloads/support/layer.hpp"

namespace timed {

struct transpose_back_workload {
  static constexpr const char *group = "layer", *name = "transpose NHWC to NCHW, 64 at 112x112";
  static constexpr auto network = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<f32, shape<1, 112, 112, 64>, nd>("x");
    g.output("y", transpose(x, perm<0, 3, 1, 2>));
  };
  static constexpr auto network_of_bytes = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<i8, shape<1, 112, 112, 64>, nd, layer::step_of_x>("x");
    g.output("y", transpose(x, perm<0, 3, 1, 2>));
  };
};

}  // namespace timed
