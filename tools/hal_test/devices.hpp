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

/// Those of hal::registry(), the processor first, with the accelerators that this library has tables of.
std::vector<named_device> devices();

/// That of a host in another process (nnrt-driverd), which listens at this socket. Errors: as remote::connect().
nnrt::result<named_device> device_behind(const std::string& socket);

}  // namespace nnrt_hal_test
