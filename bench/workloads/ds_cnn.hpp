// ds_cnn: a workload of the benches.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "networks/keyword_spotter.hpp"

namespace timed {

struct ds_cnn_workload {
  static constexpr const char *group = "network", *name = "DS-CNN, 49x10";
  static constexpr auto network = networks::keyword_spotter;
};

}  // namespace timed
