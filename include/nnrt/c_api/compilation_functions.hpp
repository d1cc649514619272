// compilation_functions: the functions OH_NNCompilation_..., which prepare models for executors.
// Flow: part of c_api.hpp; contract in neural_network_runtime/neural_network_core.h.
#pragma once

#include <nnrt/c_api/compilation.hpp>

#include <neural_network_runtime/neural_network_core.h>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// Makes a compilation; `set_source` sets its source. `fault`: why the arguments are invalid (then null is returned),
/// or null.
template <class SetSource>
OH_NNCompilation* new_compilation(const char* function, std::initializer_list<argument> given, const char* fault,
                                  SetSource set_source) {
  return guarded(function, static_cast<OH_NNCompilation*>(nullptr), [&](const char* me) -> OH_NNCompilation* {
    if (lacks(me, given)) return nullptr;
    if (fault != nullptr) return log({me, ": ", fault}), nullptr;
    auto* const made = make_object<compilation>();
    set_source(*made);
    return reinterpret_cast<OH_NNCompilation*>(made);
  });
}

/// The value of options that are no pointers, so that it is never missing.
inline const argument always_given{"value", std::size_t{1}};

/// Sets an option. Options are checked when the compilation is built; after the build `check` runs at once. API 9
/// always checks at once and discards refused values. `value`: the argument, if it can be null.
template <class Set, class Check>
OH_NN_ReturnCode set_option(const char* function, OH_NNCompilation* handle, const argument& value, Set set,
                            Check check) {
  return coded(function, [&](const char* me) {
    auto* const to = alive<compilation>(handle);
    if (lacks(me, {{"compilation", to}, value})) return OH_NN_INVALID_PARAMETER;
    if (const OH_NN_ReturnCode code = to->allow_option(me); code != OH_NN_SUCCESS) return code;
    const compilation_options before = *to;
    set(*to);
    const auto device = api_level < 11 || to->is_built() ? find_device(to->device_id) : nullptr;
    const OH_NN_ReturnCode code = device != nullptr ? check(me, *to, device->device) : OH_NN_SUCCESS;
    if (api_level < 11 && code != OH_NN_SUCCESS) static_cast<compilation_options&>(*to) = before;
    return code;
  });
}

}}}  // namespace nnrt::NNRT_ISA::c_api

// NOLINTBEGIN(readability-identifier-naming): parameters are named as in the C header.

NNRT_C_API OH_NNCompilation* OH_NNCompilation_Construct(const OH_NNModel* model) noexcept {
  using namespace nnrt::c_api;
  const auto* const from = alive<model_under_construction>(model);
  const char* const fault =
      api_level < 11 && from != nullptr && !from->is_finished() ? "the model is not finished" : nullptr;
  return new_compilation("OH_NNCompilation_Construct", {{"model", from}}, fault,
                         [&](compilation& made) { made.network = from->shared(); });
}
NNRT_C_API OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelFile(const char* modelPath) noexcept {
  using namespace nnrt::c_api;
  return new_compilation("OH_NNCompilation_ConstructWithOfflineModelFile", {{"modelPath", modelPath}}, nullptr,
                         [&](compilation& made) { made.offline_file = modelPath; });
}
NNRT_C_API OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelBuffer(const void* modelBuffer,
                                                                              size_t modelSize) noexcept {
  using namespace nnrt::c_api;
  return new_compilation("OH_NNCompilation_ConstructWithOfflineModelBuffer",
                         {{"modelBuffer", modelBuffer}, {"modelSize", modelSize}}, nullptr, [&](compilation& made) {
                           made.bytes = {static_cast<const std::byte*>(modelBuffer), modelSize};
                         });
}
NNRT_C_API OH_NNCompilation* OH_NNCompilation_ConstructForCache() noexcept {
  return nnrt::c_api::new_compilation("OH_NNCompilation_ConstructForCache", {}, nullptr,
                                      [](nnrt::c_api::compilation&) {});
}
NNRT_C_API void OH_NNCompilation_Destroy(OH_NNCompilation** compilation) noexcept {
  using namespace nnrt::c_api;
  (void)coded("OH_NNCompilation_Destroy", [&](const char* me) {
    const auto* const of = compilation != nullptr ? alive<nnrt::c_api::compilation>(*compilation) : nullptr;
    if (lacks(me, {{"handle", compilation}, {"*handle", of}})) return OH_NN_INVALID_PARAMETER;
    // Like upstream, which fails and changes nothing if the device no longer exists.
    if (of->is_built() && find_device(of->device_id) == nullptr)
      return fails(OH_NN_FAILED, {me, ": no device ", of->device_id});
    return destroy<nnrt::c_api::compilation>(me, compilation);
  });
}

NNRT_C_API OH_NN_ReturnCode OH_NNCompilation_ExportCacheToBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                                 size_t length, size_t* modelSize) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNCompilation_ExportCacheToBuffer", [&](const char* me) {
    const auto* const from = alive<nnrt::c_api::compilation>(compilation);
    if (lacks(me, {{"compilation", from}, {"buffer", buffer}, {"length", length}, {"modelSize", modelSize}}))
      return OH_NN_INVALID_PARAMETER;
    if (!from->is_built()) return fails(OH_NN_INVALID_PARAMETER, {me, ": the compilation is not built"});
    return from->export_to(me, const_cast<void*>(buffer), length, *modelSize);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNCompilation_ImportCacheFromBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                                   size_t modelSize) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNCompilation_ImportCacheFromBuffer", [&](const char* me) {
    auto* const to = alive<nnrt::c_api::compilation>(compilation);
    if (lacks(me, {{"compilation", to}, {"buffer", buffer}, {"modelSize", modelSize}})) return OH_NN_INVALID_PARAMETER;
    to->bytes = {static_cast<const std::byte*>(buffer), modelSize};
    to->bytes_are_a_cache = true;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNCompilation_AddExtensionConfig(OH_NNCompilation* compilation, const char* configName,
                                                                const void* configValue,
                                                                const size_t configValueSize) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNCompilation_AddExtensionConfig", [&](const char* me) {
    auto* const to = alive<nnrt::c_api::compilation>(compilation);
    if (lacks(me, {{"compilation", to},
                   {"configName", configName},
                   {"configValue", configValue},
                   {"configValueSize", configValueSize}}))
      return OH_NN_INVALID_PARAMETER;
    if (*configName == '\0') return fails(OH_NN_INVALID_PARAMETER, {me, ": configName is empty"});
    to->add_extension(configName, {static_cast<const std::byte*>(configValue), configValueSize});
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNCompilation_SetDevice(OH_NNCompilation* compilation, size_t deviceID) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNCompilation_SetDevice", [&](const char* me) {
    auto* const to = alive<nnrt::c_api::compilation>(compilation);
    if (lacks(me, {{"compilation", to}})) return OH_NN_INVALID_PARAMETER;
    return to->set_device(me, deviceID);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNCompilation_SetCache(OH_NNCompilation* compilation, const char* cachePath,
                                                      uint32_t version) noexcept {
  using namespace nnrt::c_api;
  return set_option(
      "OH_NNCompilation_SetCache", compilation, {"cachePath", cachePath},
      [&](nnrt::c_api::compilation& to) { to.cache_directory = cachePath, to.cache_version = version; },
      [](const char* me, const nnrt::c_api::compilation& of, const nnrt::hal::device& device) {
        if (api_level >= 11) return OH_NN_SUCCESS;
        const OH_NN_ReturnCode code = of.check_cache(me, device);
        return code != OH_NN_SUCCESS ? code : of.check_cache_directory(me);
      });
}
NNRT_C_API OH_NN_ReturnCode OH_NNCompilation_SetPerformanceMode(OH_NNCompilation* compilation,
                                                                OH_NN_PerformanceMode performanceMode) noexcept {
  using namespace nnrt::c_api;
  return set_option(
      "OH_NNCompilation_SetPerformanceMode", compilation, always_given,
      [&](nnrt::c_api::compilation& to) { to.performance_mode = performanceMode; },
      [](const char* me, const nnrt::c_api::compilation& of, const nnrt::hal::device& device) {
        return of.check_performance(me, device, api_level < 11);
      });
}
NNRT_C_API OH_NN_ReturnCode OH_NNCompilation_SetPriority(OH_NNCompilation* compilation,
                                                         OH_NN_Priority priority) noexcept {
  using namespace nnrt::c_api;
  return set_option(
      "OH_NNCompilation_SetPriority", compilation, always_given,
      [&](nnrt::c_api::compilation& to) { to.priority = priority; },
      [](const char* me, const nnrt::c_api::compilation& of, const nnrt::hal::device& device) {
        return of.check_priority(me, device, api_level < 11);
      });
}
NNRT_C_API OH_NN_ReturnCode OH_NNCompilation_EnableFloat16(OH_NNCompilation* compilation, bool enableFloat16) noexcept {
  using namespace nnrt::c_api;
  return set_option(
      "OH_NNCompilation_EnableFloat16", compilation, always_given,
      [&](nnrt::c_api::compilation& to) { to.float16 = enableFloat16; },
      [](const char* me, const nnrt::c_api::compilation& of, const nnrt::hal::device& device) {
        return api_level < 11 ? of.check_float16(me, device) : OH_NN_SUCCESS;
      });
}
NNRT_C_API OH_NN_ReturnCode OH_NNCompilation_Build(OH_NNCompilation* compilation) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNCompilation_Build", [&](const char* me) {
    auto* const to = alive<nnrt::c_api::compilation>(compilation);
    if (lacks(me, {{"compilation", to}})) return OH_NN_INVALID_PARAMETER;
    return to->build(me);
  });
}

// NOLINTEND(readability-identifier-naming)
