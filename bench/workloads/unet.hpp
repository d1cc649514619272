// unet: a workload of the benches.
// Flow: bench/CMakeLists.txt makes a source of it; bench/run/workloads.cpp times it.
#pragma once

#include "networks/unet.hpp"

namespace timed {

struct unet_workload {
  static constexpr const char *group = "network", *name = "U-Net, 128x128";
  static constexpr auto network = networks::unet;
};

}  // namespace timed
