// devices: those that this program can test, by name.
// Flow: main.cpp lists and chooses; tests/hal_suite spoils the processor.
#pragma once

#include <nnrt/hal/device.hpp>

#include <string>
#include <vector>

namespace nnrt_hal_test {

struct named_device {
  std::string name;
  nnrt::hal::device device;
};

/// Those of hal::registry(), the processor first.
std::vector<named_device> devices();

}  // namespace nnrt_hal_test
