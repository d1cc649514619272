// mobilenet_v1: a workload of the benches.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "networks/mobilenet_v1.hpp"

namespace timed {

struct mobilenet_v1_workload {
  static constexpr const char *group = "network", *name = "MobileNetV1 1.0, 224x224";
  static constexpr auto network = networks::mobilenet_v1;
};

}  // namespace timed
