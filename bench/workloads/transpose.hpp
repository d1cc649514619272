// transpose: images from channels first to channels last.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "workloads/support/layer.hpp"

namespace timed {

struct transpose_workload {
  static constexpr const char *group = "layer", *name = "transpose NCHW to NHWC, 64 at 112x112";
  static constexpr auto network = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<f32, shape<1, 64, 112, 112>, nd>("x");
    g.output("y", transpose(x, perm<0, 2, 3, 1>));
  };
  static constexpr auto network_of_bytes = [](nnrt::builder& g) {
    using namespace nnrt;
    auto x = g.input<i8, shape<1, 64, 112, 112>, nd, layer::step_of_x>("x");
    g.output("y", transpose(x, perm<0, 2, 3, 1>));
  };
};

}  // namespace timed
