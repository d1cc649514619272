// tensor_functions: the functions of NN_QuantParam, NN_TensorDesc and NN_Tensor.
// Flow: part of c_api.hpp; contract in neural_network_runtime/neural_network_core.h and neural_network_runtime.h.
#pragma once

#include <nnrt/c_api/tensors.hpp>

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// Copies a list of quantisation parameters; `name` is the argument's name for messages.
template <class T>
OH_NN_ReturnCode set_list(const char* function, NN_QuantParam* handle, std::vector<T> quant_param::*list,
                          const char* name, const T* from, std::size_t count) {
  return coded(function, [&](const char* me) {
    auto* const to = alive<quant_param>(handle);
    if (lacks(me, {{"quantParams", to}, {name, from}, {"quantCount", count}})) return OH_NN_INVALID_PARAMETER;
    (to->*list).assign(from, from + count);
    return OH_NN_SUCCESS;
  });
}

}}}  // namespace nnrt::NNRT_ISA::c_api

// ---- Quantisation parameters ----

// NOLINTBEGIN(readability-identifier-naming): parameters are named as in the C header.

NNRT_C_API NN_QuantParam* OH_NNQuantParam_Create() noexcept {
  return nnrt::c_api::construct<nnrt::c_api::quant_param, NN_QuantParam>("OH_NNQuantParam_Create");
}
NNRT_C_API OH_NN_ReturnCode OH_NNQuantParam_SetScales(NN_QuantParam* quantParams, const double* scales,
                                                      size_t quantCount) noexcept {
  return nnrt::c_api::set_list("OH_NNQuantParam_SetScales", quantParams, &nnrt::c_api::quant_param::scales, "scales",
                               scales, quantCount);
}
NNRT_C_API OH_NN_ReturnCode OH_NNQuantParam_SetZeroPoints(NN_QuantParam* quantParams, const int32_t* zeroPoints,
                                                          size_t quantCount) noexcept {
  return nnrt::c_api::set_list("OH_NNQuantParam_SetZeroPoints", quantParams, &nnrt::c_api::quant_param::zero_points,
                               "zeroPoints", zeroPoints, quantCount);
}
NNRT_C_API OH_NN_ReturnCode OH_NNQuantParam_SetNumBits(NN_QuantParam* quantParams, const uint32_t* numBits,
                                                       size_t quantCount) noexcept {
  return nnrt::c_api::set_list("OH_NNQuantParam_SetNumBits", quantParams, &nnrt::c_api::quant_param::bits, "numBits",
                               numBits, quantCount);
}
NNRT_C_API OH_NN_ReturnCode OH_NNQuantParam_Destroy(NN_QuantParam** quantParams) noexcept {
  return nnrt::c_api::destroy<nnrt::c_api::quant_param>("OH_NNQuantParam_Destroy", quantParams);
}

// ---- Tensor descriptions ----

NNRT_C_API NN_TensorDesc* OH_NNTensorDesc_Create() noexcept {
  return nnrt::c_api::construct<nnrt::c_api::tensor_description, NN_TensorDesc>("OH_NNTensorDesc_Create");
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_Destroy(NN_TensorDesc** tensorDesc) noexcept {
  return nnrt::c_api::destroy<nnrt::c_api::tensor_description>("OH_NNTensorDesc_Destroy", tensorDesc);
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_SetName(NN_TensorDesc* tensorDesc, const char* name) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_SetName", [&](const char* me) {
    tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}, {"name", name}})) return OH_NN_INVALID_PARAMETER;
    desc->name = name;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetName(const NN_TensorDesc* tensorDesc, const char** name) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetName", [&](const char* me) {
    const tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}, {"name", name}})) return OH_NN_INVALID_PARAMETER;
    if (*name != nullptr) return occupied(me, "name");
    *name = desc->name.c_str();
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_SetDataType(NN_TensorDesc* tensorDesc, OH_NN_DataType dataType) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_SetDataType", [&](const char* me) {
    tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}})) return OH_NN_INVALID_PARAMETER;
    if (!is_data_type(dataType))
      return fails(OH_NN_INVALID_PARAMETER, {me, ": got data type ", static_cast<int>(dataType), ", expected 0 to 12"});
    desc->type = dataType;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetDataType(const NN_TensorDesc* tensorDesc,
                                                        OH_NN_DataType* dataType) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetDataType", [&](const char* me) {
    const tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}, {"dataType", dataType}})) return OH_NN_INVALID_PARAMETER;
    *dataType = desc->type;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_SetShape(NN_TensorDesc* tensorDesc, const int32_t* shape,
                                                     size_t shapeLength) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_SetShape", [&](const char* me) {
    constexpr std::size_t most = 10;
    tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}, {"shape", shape}})) return OH_NN_INVALID_PARAMETER;
    if (shapeLength == 0 || shapeLength > most)
      return fails(OH_NN_INVALID_PARAMETER, {me, ": got ", shapeLength, " extents, expected 1 to ", most});
    desc->shape.assign(shape, shape + shapeLength);
    desc->is_scalar = false;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetShape(const NN_TensorDesc* tensorDesc, int32_t** shape,
                                                     size_t* shapeLength) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetShape", [&](const char* me) {
    tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}, {"shape", shape}, {"shapeLength", shapeLength}}))
      return OH_NN_INVALID_PARAMETER;
    if (*shape != nullptr) return occupied(me, "shape");
    *shape = desc->shape.empty() ? nullptr : desc->shape.data();
    *shapeLength = desc->shape.size();
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_SetFormat(NN_TensorDesc* tensorDesc, OH_NN_Format format) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_SetFormat", [&](const char* me) {
    tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}})) return OH_NN_INVALID_PARAMETER;
    if (!is_format(format))
      return fails(OH_NN_INVALID_PARAMETER, {me, ": got format ", static_cast<int>(format), ", expected 0 to 3"});
    desc->format = format;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetFormat(const NN_TensorDesc* tensorDesc, OH_NN_Format* format) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetFormat", [&](const char* me) {
    const tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}, {"format", format}})) return OH_NN_INVALID_PARAMETER;
    *format = desc->format;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetElementCount(const NN_TensorDesc* tensorDesc,
                                                            size_t* elementCount) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetElementCount", [&](const char* me) {
    const tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}, {"elementCount", elementCount}})) return OH_NN_INVALID_PARAMETER;
    if (!desc->has_shape()) return fails(OH_NN_INVALID_PARAMETER, {me, ": the description has no shape"});
    const OH_NN_ReturnCode code = count_elements(desc->shape, *elementCount);
    if (code == OH_NN_INVALID_PARAMETER) log({me, ": more elements than can be counted"});
    if (code == OH_NN_DYNAMIC_SHAPE) log({me, ": an extent of the description is not known"});
    return code;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetByteSize(const NN_TensorDesc* tensorDesc, size_t* byteSize) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetByteSize", [&](const char* me) {
    if (lacks(me, {{"byteSize", byteSize}})) return OH_NN_INVALID_PARAMETER;
    *byteSize = 0;
    const tensor_description* const desc = alive_description(tensorDesc);
    if (lacks(me, {{"tensorDesc", desc}})) return OH_NN_INVALID_PARAMETER;
    return count_bytes(me, *desc, *byteSize);
  });
}

// ---- Tensors ----

NNRT_C_API NN_Tensor* OH_NNTensor_Create(size_t deviceID, NN_TensorDesc* tensorDesc) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_Create", static_cast<NN_Tensor*>(nullptr),
                 [&](const char* me) { return make_tensor(me, deviceID, tensorDesc, nullptr); });
}
NNRT_C_API NN_Tensor* OH_NNTensor_CreateWithSize(size_t deviceID, NN_TensorDesc* tensorDesc, size_t size) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_CreateWithSize", static_cast<NN_Tensor*>(nullptr),
                 [&](const char* me) { return make_tensor(me, deviceID, tensorDesc, &size); });
}
NNRT_C_API NN_Tensor* OH_NNTensor_CreateWithFd(size_t deviceID, NN_TensorDesc* tensorDesc, int fd, size_t size,
                                               size_t offset) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_CreateWithFd", static_cast<NN_Tensor*>(nullptr),
                 [&](const char* me) { return map_tensor(me, deviceID, tensorDesc, fd, size, offset); });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensor_Destroy(NN_Tensor** tensor) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensor_Destroy", [&](const char* me) {
    const auto* const one = tensor != nullptr ? alive<tensor_in_memory>(*tensor) : nullptr;
    if (lacks(me, {{"handle", tensor}, {"*handle", one}})) return OH_NN_INVALID_PARAMETER;
    // Like upstream, which fails and changes nothing if the device no longer exists.
    if (device_of(one->device_id) == nullptr) return fails(OH_NN_NULL_PTR, {me, ": no device ", one->device_id});
    return destroy<tensor_in_memory>(me, tensor);
  });
}
NNRT_C_API NN_TensorDesc* OH_NNTensor_GetTensorDesc(const NN_Tensor* tensor) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_GetTensorDesc", static_cast<NN_TensorDesc*>(nullptr),
                 [&](const char* me) -> NN_TensorDesc* {
                   auto* const one = alive<tensor_in_memory>(tensor);
                   if (lacks(me, {{"tensor", one}})) return nullptr;
                   return reinterpret_cast<NN_TensorDesc*>(&one->desc);
                 });
}
NNRT_C_API void* OH_NNTensor_GetDataBuffer(const NN_Tensor* tensor) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_GetDataBuffer", static_cast<void*>(nullptr), [&](const char* me) -> void* {
    auto* const one = alive<tensor_in_memory>(tensor);
    if (lacks(me, {{"tensor", one}})) return nullptr;
    return one->memory.data();
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensor_GetFd(const NN_Tensor* tensor, int* fd) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensor_GetFd", [&](const char* me) {
    const auto* const one = alive<tensor_in_memory>(tensor);
    if (lacks(me, {{"tensor", one}, {"fd", fd}})) return OH_NN_INVALID_PARAMETER;
    *fd = one->memory.fd();
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensor_GetSize(const NN_Tensor* tensor, size_t* size) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensor_GetSize", [&](const char* me) {
    const auto* const one = alive<tensor_in_memory>(tensor);
    if (lacks(me, {{"tensor", one}, {"size", size}})) return OH_NN_INVALID_PARAMETER;
    *size = one->size;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensor_GetOffset(const NN_Tensor* tensor, size_t* offset) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensor_GetOffset", [&](const char* me) {
    const auto* const one = alive<tensor_in_memory>(tensor);
    if (lacks(me, {{"tensor", one}, {"offset", offset}})) return OH_NN_INVALID_PARAMETER;
    *offset = one->offset;
    return OH_NN_SUCCESS;
  });
}

// NOLINTEND(readability-identifier-naming)
