// executor_functions: the functions OH_NNExecutor_..., which run compilations.
// Flow: part of c_api.hpp; contract in neural_network_runtime/neural_network_core.h and neural_network_runtime.h.
#pragma once

#include <nnrt/c_api/executor.hpp>

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// Whether RunSync or RunAsync got more tensors than a list may have; logs which.
inline bool are_too_many(const char* me, std::size_t input_count, std::size_t output_count) {
  const bool are_inputs = input_count > max_list;
  if (!are_inputs && output_count <= max_list) return false;
  log({me, are_inputs ? ": inputCount: got " : ": outputCount: got ", are_inputs ? input_count : output_count,
       ", expected 1 to ", max_list});
  return true;
}

/// A new description of input or output `index`; the program destroys it.
inline NN_TensorDesc* new_description(const char* function, const OH_NNExecutor* handle, bool is_input,
                                      std::size_t index) {
  return guarded(function, static_cast<NN_TensorDesc*>(nullptr), [&](const char* me) -> NN_TensorDesc* {
    const auto* const of = alive<executor_of_compilation>(handle);
    if (lacks(me, {{"executor", of}})) return nullptr;
    const std::size_t count = is_input ? of->input_count() : of->output_count();
    if (index >= count) return log({me, is_input ? ": input " : ": output ", index, " of ", count}), nullptr;
    return reinterpret_cast<NN_TensorDesc*>(make_object<tensor_description>(of->describe(is_input, index)));
  });
}

}}}  // namespace nnrt::NNRT_ISA::c_api

NNRT_C_API OH_NNExecutor* OH_NNExecutor_Construct(OH_NNCompilation* compilation) noexcept {
  using namespace nnrt::c_api;
  return guarded(
      "OH_NNExecutor_Construct", static_cast<OH_NNExecutor*>(nullptr), [&](const char* me) -> OH_NNExecutor* {
        const auto* const from = alive<nnrt::c_api::compilation>(compilation);
        if (lacks(me, {{"compilation", from}})) return nullptr;
        if (!from->is_built()) return log({me, ": the compilation is not built"}), nullptr;
        if (find_device(from->device_id) == nullptr) return log({me, ": no device ", from->device_id}), nullptr;
        auto runs = from->built().ready.make_execution();
        if (!runs) return log({me, ": ", runs.error().message()}), nullptr;
        return reinterpret_cast<OH_NNExecutor*>(make_object<executor_of_compilation>(from->built(), std::move(*runs)));
      });
}
NNRT_C_API void OH_NNExecutor_Destroy(OH_NNExecutor** executor) noexcept {
  (void)nnrt::c_api::destroy<nnrt::c_api::executor_of_compilation>("OH_NNExecutor_Destroy", executor);
}

// ---- Queries ----

// NOLINTBEGIN(readability-identifier-naming): parameters are named as in the C header.

NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_GetInputCount(const OH_NNExecutor* executor, size_t* inputCount) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_GetInputCount", [&](const char* me) {
    const auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of}, {"inputCount", inputCount}})) return OH_NN_INVALID_PARAMETER;
    *inputCount = of->input_count();
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_GetOutputCount(const OH_NNExecutor* executor, size_t* outputCount) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_GetOutputCount", [&](const char* me) {
    const auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of}, {"outputCount", outputCount}})) return OH_NN_INVALID_PARAMETER;
    *outputCount = of->output_count();
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API NN_TensorDesc* OH_NNExecutor_CreateInputTensorDesc(const OH_NNExecutor* executor, size_t index) noexcept {
  return nnrt::c_api::new_description("OH_NNExecutor_CreateInputTensorDesc", executor, true, index);
}
NNRT_C_API NN_TensorDesc* OH_NNExecutor_CreateOutputTensorDesc(const OH_NNExecutor* executor, size_t index) noexcept {
  return nnrt::c_api::new_description("OH_NNExecutor_CreateOutputTensorDesc", executor, false, index);
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_GetInputDimRange(const OH_NNExecutor* executor, size_t index,
                                                           size_t** minInputDims, size_t** maxInputDims,
                                                           size_t* shapeLength) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_GetInputDimRange", [&](const char* me) {
    auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of},
                   {"minInputDims", minInputDims},
                   {"maxInputDims", maxInputDims},
                   {"shapeLength", shapeLength}}))
      return OH_NN_INVALID_PARAMETER;
    return of->range_of(me, index, minInputDims, maxInputDims, shapeLength);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_GetOutputShape(OH_NNExecutor* executor, uint32_t outputIndex, int32_t** shape,
                                                         uint32_t* shapeLength) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_GetOutputShape", [&](const char* me) {
    auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of}, {"shape", shape}, {"shapeLength", shapeLength}})) return OH_NN_INVALID_PARAMETER;
    if (*shape != nullptr) return occupied(me, "shape");
    if (api_level < 11 && !of->has_run()) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the executor has not run"});
    if (outputIndex >= of->output_count())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": output ", outputIndex, " of ", of->output_count()});
    *shape = of->output_shape(outputIndex).data();
    *shapeLength = static_cast<uint32_t>(of->output_shape(outputIndex).size());
    return OH_NN_SUCCESS;
  });
}

// ---- Runs on tensors that are passed ----

NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_SetOnRunDone(OH_NNExecutor* executor, NN_OnRunDone onRunDone) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_SetOnRunDone", [&](const char* me) {
    auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of}, {"onRunDone", onRunDone}})) return OH_NN_INVALID_PARAMETER;
    if (const OH_NN_ReturnCode code = of->allow_asynchronous(me); code != OH_NN_SUCCESS) return code;
    of->on_run_done = onRunDone;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_SetOnServiceDied(OH_NNExecutor* executor,
                                                           NN_OnServiceDied onServiceDied) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_SetOnServiceDied", [&](const char* me) {
    auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of}, {"onServiceDied", onServiceDied}})) return OH_NN_INVALID_PARAMETER;
    if (const OH_NN_ReturnCode code = of->allow_asynchronous(me); code != OH_NN_SUCCESS) return code;
    of->on_service_died = onServiceDied;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_RunSync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                                  NN_Tensor* outputTensor[], size_t outputCount) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_RunSync", [&](const char* me) {
    auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of},
                   {"inputTensor", inputTensor},
                   {"inputCount", inputCount},
                   {"outputTensor", outputTensor},
                   {"outputCount", outputCount}}))
      return OH_NN_INVALID_PARAMETER;
    if (are_too_many(me, inputCount, outputCount)) return OH_NN_INVALID_PARAMETER;
    return of->run(me, inputTensor, inputCount, outputTensor, outputCount);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_RunAsync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                                   NN_Tensor* outputTensor[], size_t outputCount, int32_t timeout,
                                                   void* userData) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_RunAsync", [&](const char* me) {
    auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of},
                   {"inputTensor", inputTensor},
                   {"inputCount", inputCount},
                   {"outputTensor", outputTensor},
                   {"outputCount", outputCount},
                   {"userData", userData}}))
      return OH_NN_INVALID_PARAMETER;
    if (are_too_many(me, inputCount, outputCount)) return OH_NN_INVALID_PARAMETER;
    if (const OH_NN_ReturnCode code = of->allow_asynchronous(me); code != OH_NN_SUCCESS) return code;
    return of->start(me, inputTensor, inputCount, outputTensor, outputCount, timeout, userData);
  });
}

// ---- API 9: inputs and outputs that are set before a run ----

NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_SetInput(OH_NNExecutor* executor, uint32_t inputIndex,
                                                   const OH_NN_Tensor* tensor, const void* dataBuffer,
                                                   size_t length) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_SetInput", [&](const char* me) {
    auto* const to = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", to}, {"tensor", tensor}, {"dataBuffer", dataBuffer}, {"length", length}}))
      return OH_NN_INVALID_PARAMETER;
    return to->set_input(me, inputIndex, *tensor, dataBuffer, length, nullptr);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_SetOutput(OH_NNExecutor* executor, uint32_t outputIndex, void* dataBuffer,
                                                    size_t length) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_SetOutput", [&](const char* me) {
    auto* const to = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", to}, {"dataBuffer", dataBuffer}, {"length", length}})) return OH_NN_INVALID_PARAMETER;
    return to->set_output(me, outputIndex, dataBuffer, length, nullptr);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_SetInputWithMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                             const OH_NN_Tensor* tensor,
                                                             const OH_NN_Memory* memory) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_SetInputWithMemory", [&](const char* me) {
    auto* const to = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", to}, {"tensor", tensor}, {"memory", memory}}) ||
        lacks(me, {{"memory->data", memory->data}}))
      return OH_NN_INVALID_PARAMETER;
    return to->set_input(me, inputIndex, *tensor, nullptr, memory->length, memory);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_SetOutputWithMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                              const OH_NN_Memory* memory) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_SetOutputWithMemory", [&](const char* me) {
    auto* const to = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", to}, {"memory", memory}}) || lacks(me, {{"memory->data", memory->data}}))
      return OH_NN_INVALID_PARAMETER;
    return to->set_output(me, outputIndex, nullptr, memory->length, memory);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNExecutor_Run(OH_NNExecutor* executor) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNExecutor_Run", [&](const char* me) {
    auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of}})) return OH_NN_INVALID_PARAMETER;
    return of->run_set(me);
  });
}
NNRT_C_API OH_NN_Memory* OH_NNExecutor_AllocateInputMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                           size_t length) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNExecutor_AllocateInputMemory", static_cast<OH_NN_Memory*>(nullptr),
                 [&](const char* me) -> OH_NN_Memory* {
                   auto* const of = alive<executor_of_compilation>(executor);
                   return lacks(me, {{"executor", of}}) ? nullptr : of->allocate(me, true, inputIndex, length);
                 });
}
NNRT_C_API OH_NN_Memory* OH_NNExecutor_AllocateOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                            size_t length) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNExecutor_AllocateOutputMemory", static_cast<OH_NN_Memory*>(nullptr),
                 [&](const char* me) -> OH_NN_Memory* {
                   auto* const of = alive<executor_of_compilation>(executor);
                   return lacks(me, {{"executor", of}}) ? nullptr : of->allocate(me, false, outputIndex, length);
                 });
}
NNRT_C_API void OH_NNExecutor_DestroyInputMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                 OH_NN_Memory** memory) noexcept {
  using namespace nnrt::c_api;
  (void)coded("OH_NNExecutor_DestroyInputMemory", [&](const char* me) {
    auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of}, {"memory", memory}}) || lacks(me, {{"*memory", *memory}}))
      return OH_NN_INVALID_PARAMETER;
    return of->free(me, true, inputIndex, memory), OH_NN_SUCCESS;
  });
}
NNRT_C_API void OH_NNExecutor_DestroyOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                  OH_NN_Memory** memory) noexcept {
  using namespace nnrt::c_api;
  (void)coded("OH_NNExecutor_DestroyOutputMemory", [&](const char* me) {
    auto* const of = alive<executor_of_compilation>(executor);
    if (lacks(me, {{"executor", of}, {"memory", memory}}) || lacks(me, {{"*memory", *memory}}))
      return OH_NN_INVALID_PARAMETER;
    return of->free(me, false, outputIndex, memory), OH_NN_SUCCESS;
  });
}

// NOLINTEND(readability-identifier-naming)
