// resnet8: a workload of the benches.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "networks/resnet8.hpp"

namespace timed {

struct resnet8_workload {
  static constexpr const char *group = "network", *name = "ResNet-8, 32x32";
  static constexpr auto network = networks::resnet8;
};

}  // namespace timed
