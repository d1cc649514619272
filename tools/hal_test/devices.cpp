// devices: see the header.
#include "hal_test/devices.hpp"

#include <nnrt/hal/bpu_driver.hpp>
#include <nnrt/hal/registry.hpp>
#include <nnrt/remote/client.hpp>

namespace nnrt_hal_test {

std::vector<named_device> devices() {
  (void)nnrt::hal::add_accelerators();  // where that fails, they are not on the list
  std::vector<named_device> all;
  for (const std::size_t id : nnrt::hal::registry().ids())
    if (const auto found = nnrt::hal::registry().find(id)) all.push_back({found->name, found->device});
  return all;
}

nnrt::result<named_device> device_behind(const std::string& socket) {
  auto there = nnrt::remote::connect(socket);
  if (!there) return nnrt::fail(std::move(there.error()));
  return named_device{nnrt::hal::full_name(**there), nnrt::hal::device(std::move(*there))};
}

}  // namespace nnrt_hal_test
