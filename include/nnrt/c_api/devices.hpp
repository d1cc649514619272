// devices: those that C programs see - the processor, what the program has added, and this library's accelerators.
// Flow: every function that lists or finds a device asks here.
#pragma once

#include <nnrt/hal/bpu_driver.hpp>

namespace nnrt::inline NNRT_ISA::c_api {

/// The registry of this process, with the accelerators in it since the first call. The processor stays the first device.
inline hal::device_registry& devices() {
  [[maybe_unused]] static const bool are_there = hal::add_accelerators().has_value();
  return hal::registry();
}

}  // namespace nnrt::inline NNRT_ISA::c_api
