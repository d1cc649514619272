// model_functions: the functions OH_NNModel_..., which build models tensor by tensor.
// Flow: part of c_api.hpp; contract in neural_network_runtime/neural_network_runtime.h.
#pragma once

#include <nnrt/c_api/compilation.hpp>
#include <nnrt/c_api/model.hpp>

#include <neural_network_runtime/neural_network_runtime.h>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// Adds a tensor as in API 9.
inline OH_NN_ReturnCode add_tensor(const char* me, const OH_NN_Tensor& given, model_under_construction& to) {
  if (to.is_finished()) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the model is finished"});
  if (const std::string fault = fault_of_tensor(given.dataType, given.dimensions, given.dimensionCount); !fault.empty())
    return fails(OH_NN_INVALID_PARAMETER, {me, ": ", fault});
  if (!is_tensor_type(given.type))
    return fails(OH_NN_INVALID_PARAMETER, {me, ": got type ", static_cast<int>(given.type), ", expected 0 to 162"});
  if (const std::string fault = fault_of_quantisation(given.quantParam); !fault.empty())
    return fails(OH_NN_INVALID_PARAMETER, {me, ": ", fault});
  model_tensor made;
  made.type = static_cast<dtype>(given.dataType);
  made.tensor_type = given.type;
  if (given.dimensionCount > 0) made.shape.assign(given.dimensions, given.dimensions + given.dimensionCount);
  if (const OH_NN_QuantParam* const q = given.quantParam; q != nullptr) {
    for (std::uint32_t i = 0; i < q->quantCount; ++i) made.scales.push_back(static_cast<float>(q->scale[i]));
    made.zero_points.assign(q->zeroPoint, q->zeroPoint + q->quantCount);
  }
  return to.add_tensor(std::move(made));
}

}}}  // namespace nnrt::NNRT_ISA::c_api

NNRT_C_API OH_NNModel* OH_NNModel_Construct() noexcept {
  return nnrt::c_api::construct<nnrt::c_api::model_under_construction, OH_NNModel>("OH_NNModel_Construct");
}
NNRT_C_API void OH_NNModel_Destroy(OH_NNModel** model) noexcept {
  (void)nnrt::c_api::destroy<nnrt::c_api::model_under_construction>("OH_NNModel_Destroy", model);
}

// NOLINTBEGIN(readability-identifier-naming): parameters are named as in the C header.

NNRT_C_API OH_NN_ReturnCode OH_NNModel_AddTensor(OH_NNModel* model, const OH_NN_Tensor* tensor) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNModel_AddTensor", [&](const char* me) {
    auto* const to = alive<model_under_construction>(model);
    if (lacks(me, {{"model", to}, {"tensor", tensor}})) return OH_NN_INVALID_PARAMETER;
    return add_tensor(me, *tensor, *to);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNModel_AddTensorToModel(OH_NNModel* model, const NN_TensorDesc* tensorDesc) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNModel_AddTensorToModel", [&](const char* me) {
    auto* const to = alive<model_under_construction>(model);
    const tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"model", to}, {"tensorDesc", desc}})) return OH_NN_INVALID_PARAMETER;
    const std::int32_t* const shape = desc->shape.empty() ? nullptr : desc->shape.data();
    if (const std::string fault = fault_of_tensor(desc->type, shape, desc->shape.size()); !fault.empty())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": ", fault});
    if (to->is_finished()) return OH_NN_SUCCESS;  // as upstream: accepted without effect
    model_tensor made;
    made.type = static_cast<nnrt::dtype>(desc->type);
    made.shape = desc->shape;
    return to->add_tensor(std::move(made));
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNModel_SetTensorData(OH_NNModel* model, uint32_t index, const void* dataBuffer,
                                                     size_t length) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNModel_SetTensorData", [&](const char* me) {
    auto* const to = alive<model_under_construction>(model);
    if (lacks(me, {{"model", to}, {"dataBuffer", dataBuffer}, {"length", length}})) return OH_NN_INVALID_PARAMETER;
    return to->set_data(index, dataBuffer, length);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNModel_SetTensorQuantParams(OH_NNModel* model, uint32_t index,
                                                            NN_QuantParam* quantParam) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNModel_SetTensorQuantParams", [&](const char* me) {
    auto* const to = alive<model_under_construction>(model);
    const auto* const given = alive<quant_param>(quantParam);
    if (lacks(me, {{"model", to}, {"quantParam", given}})) return OH_NN_INVALID_PARAMETER;
    return to->set_quantisation(index, *given);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNModel_SetTensorType(OH_NNModel* model, uint32_t index,
                                                     OH_NN_TensorType tensorType) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNModel_SetTensorType", [&](const char* me) {
    auto* const to = alive<model_under_construction>(model);
    if (lacks(me, {{"model", to}})) return OH_NN_INVALID_PARAMETER;
    return to->set_type(index, tensorType);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNModel_AddOperation(OH_NNModel* model, OH_NN_OperationType op,
                                                    const OH_NN_UInt32Array* paramIndices,
                                                    const OH_NN_UInt32Array* inputIndices,
                                                    const OH_NN_UInt32Array* outputIndices) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNModel_AddOperation", [&](const char* me) {
    auto* const to = alive<model_under_construction>(model);
    if (lacks(me, {{"model", to},
                   {"paramIndices", paramIndices},
                   {"inputIndices", inputIndices},
                   {"outputIndices", outputIndices}}))
      return OH_NN_INVALID_PARAMETER;
    return to->add_operation(op, *paramIndices, *inputIndices, *outputIndices);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNModel_SpecifyInputsAndOutputs(OH_NNModel* model, const OH_NN_UInt32Array* inputIndices,
                                                               const OH_NN_UInt32Array* outputIndices) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNModel_SpecifyInputsAndOutputs", [&](const char* me) {
    auto* const to = alive<model_under_construction>(model);
    if (lacks(me, {{"model", to}, {"inputIndices", inputIndices}, {"outputIndices", outputIndices}}))
      return OH_NN_INVALID_PARAMETER;
    return to->specify_ends(*inputIndices, *outputIndices);
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNModel_Finish(OH_NNModel* model) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNModel_Finish", [&](const char* me) {
    auto* const to = alive<model_under_construction>(model);
    if (lacks(me, {{"model", to}})) return OH_NN_INVALID_PARAMETER;
    return to->finish();
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNModel_GetAvailableOperations(OH_NNModel* model, size_t deviceID,
                                                              const bool** isSupported, uint32_t* opCount) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNModel_GetAvailableOperations", [&](const char* me) {
    auto* const of = alive<model_under_construction>(model);
    if (lacks(me, {{"model", of}, {"isSupported", isSupported}, {"opCount", opCount}})) return OH_NN_INVALID_PARAMETER;
    if (*isSupported != nullptr) return occupied(me, "isSupported");
    if (!of->is_finished()) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the model is not finished"});
    const auto device = find_device(deviceID);
    if (device == nullptr) return fails(OH_NN_FAILED, {me, ": no device ", deviceID});
    const auto refusals = of->refusals(device->device);
    if (!refusals) return fails(OH_NN_FAILED, {me, ": ", refusals.error().message()});
    of->available = std::make_unique<bool[]>(refusals->size());
    for (std::size_t i = 0; i < refusals->size(); ++i) {
      of->available[i] = (*refusals)[i].empty();
      if (!(*refusals)[i].empty()) log({me, ": operation ", i, ": ", (*refusals)[i]});
    }
    *isSupported = of->available.get();
    *opCount = static_cast<uint32_t>(refusals->size());
    return OH_NN_SUCCESS;
  });
}

// NOLINTEND(readability-identifier-naming)
