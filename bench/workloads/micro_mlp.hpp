// micro_mlp: a workload of the benches.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "networks/micro_mlp.hpp"

namespace timed {

struct micro_mlp_workload {
  static constexpr const char *group = "network", *name = "MLP 8-16-16-1";
  static constexpr auto network = networks::micro_mlp;
  static constexpr auto network_of_bytes = networks::micro_mlp_of_bytes;
};

}  // namespace timed
