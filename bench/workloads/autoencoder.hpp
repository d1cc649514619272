// autoencoder: a workload of the benches.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "networks/autoencoder.hpp"

namespace timed {

struct autoencoder_workload {
  static constexpr const char *group = "network", *name = "autoencoder 640-128-8-128-640";
  static constexpr auto network = networks::autoencoder_copy;
};

}  // namespace timed
