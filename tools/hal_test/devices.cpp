// devices: see the header.
#include "hal_test/devices.hpp"

#include <nnrt/hal/registry.hpp>

namespace nnrt_hal_test {

std::vector<named_device> devices() {
  std::vector<named_device> all;
  for (const std::size_t id : nnrt::hal::registry().ids())
    if (const auto found = nnrt::hal::registry().find(id)) all.push_back({found->name, found->device});
  return all;
}

}  // namespace nnrt_hal_test
