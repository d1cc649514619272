// mobilenet_v1_quarter: a workload of the benches.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "networks/mobilenet_v1.hpp"

namespace timed {

struct mobilenet_v1_quarter_workload {
  static constexpr const char *group = "network", *name = "MobileNetV1 0.25, 96x96";
  static constexpr auto network = networks::mobilenet_v1_quarter;
};

}  // namespace timed
