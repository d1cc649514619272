// resnet18: a workload of the benches.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "networks/resnet18.hpp"

namespace timed {

struct resnet18_workload {
  static constexpr const char *group = "network", *name = "ResNet-18, 224x224";
  static constexpr auto network = networks::resnet18_deployed;
};

}  // namespace timed
