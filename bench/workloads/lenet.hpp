// lenet: a workload of the benches.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "networks/lenet.hpp"

namespace timed {

struct lenet_workload {
  static constexpr const char *group = "network", *name = "LeNet-5, 28x28";
  static constexpr auto network = networks::lenet;
};

}  // namespace timed
