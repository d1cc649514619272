// hal: devices - the driver interface, the processor as a device, and the registry of both.
// Flow: include it to add your own device; c_api.hpp runs models through it.
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/hal/device.hpp>
#include <nnrt/hal/registry.hpp>
