// device_functions: the functions OH_NNDevice_..., which list devices.
// Flow: part of c_api.hpp; contract in neural_network_runtime/neural_network_core.h.
#pragma once

#include <nnrt/c_api/compilation.hpp>

#include <neural_network_runtime/neural_network_core.h>

// NOLINTBEGIN(readability-identifier-naming): parameters are named as in the C header.

NNRT_C_API OH_NN_ReturnCode OH_NNDevice_GetAllDevicesID(const size_t** allDevicesID, uint32_t* deviceCount) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNDevice_GetAllDevicesID", [&](const char* me) {
    if (lacks(me, {{"allDevicesID", allDevicesID}, {"deviceCount", deviceCount}})) return OH_NN_INVALID_PARAMETER;
    if (*allDevicesID != nullptr) return occupied(me, "allDevicesID");
    const auto ids = devices(true).ids(names_of_devices);
    *allDevicesID = ids.empty() ? nullptr : ids.data();
    *deviceCount = static_cast<uint32_t>(ids.size());
    return OH_NN_SUCCESS;
  });
}

NNRT_C_API OH_NN_ReturnCode OH_NNDevice_GetName(size_t deviceID, const char** name) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNDevice_GetName", [&](const char* me) {
    if (lacks(me, {{"name", name}})) return OH_NN_INVALID_PARAMETER;
    if (*name != nullptr) return occupied(me, "name");
    const auto device = find_device(deviceID);
    if (device == nullptr) return fails(OH_NN_FAILED, {me, ": no device ", deviceID});
    *name = names_of_devices == nnrt::hal::naming::brief ? device->name_without_version : device->name;
    return OH_NN_SUCCESS;
  });
}

NNRT_C_API OH_NN_ReturnCode OH_NNDevice_GetType(size_t deviceID, OH_NN_DeviceType* deviceType) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNDevice_GetType", [&](const char* me) {
    const auto device = find_device(deviceID);
    if (device == nullptr) return fails(OH_NN_INVALID_PARAMETER, {me, ": no device ", deviceID});
    if (lacks(me, {{"deviceType", deviceType}})) return OH_NN_INVALID_PARAMETER;
    const auto type = device->device.type();
    if (!type) return fails(device_failure, {me, ": ", type.error().message()});
    *deviceType = static_cast<OH_NN_DeviceType>(*type);
    return OH_NN_SUCCESS;
  });
}

// NOLINTEND(readability-identifier-naming)
