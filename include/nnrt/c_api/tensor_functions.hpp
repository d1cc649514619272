// tensor_functions: NN_QuantParam, NN_TensorDesc and NN_Tensor.
// Flow: part of c_api.hpp; contract in neural_network_runtime/neural_network_core.h and neural_network_runtime.h.
#pragma once

#include <nnrt/c_api/tensors.hpp>

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>


namespace nnrt::inline NNRT_ISA::c_api {

/// Copies one of the lists of quantisation parameters.
template <class T> OH_NN_ReturnCode set_list(const char* function, NN_QuantParam* handle, std::vector<T> quant_param::*list, const T* from, std::size_t count) {
  return coded(function, [&](const char* me) {
    auto* const to = alive<quant_param>(handle);
    if (to == nullptr || from == nullptr || count == 0) return null_argument(me);
    (to->*list).assign(from, from + count);
    return OH_NN_SUCCESS;
  });
}

}  // namespace nnrt::inline NNRT_ISA::c_api

// ---- Quantisation parameters ----

NNRT_C_API NN_QuantParam* OH_NNQuantParam_Create() noexcept {
  return nnrt::c_api::construct<nnrt::c_api::quant_param, NN_QuantParam>("OH_NNQuantParam_Create");
}
NNRT_C_API OH_NN_ReturnCode OH_NNQuantParam_SetScales(NN_QuantParam* quantParams, const double* scales, size_t quantCount) noexcept {
  return nnrt::c_api::set_list("OH_NNQuantParam_SetScales", quantParams, &nnrt::c_api::quant_param::scales, scales, quantCount);
}
NNRT_C_API OH_NN_ReturnCode OH_NNQuantParam_SetZeroPoints(NN_QuantParam* quantParams, const int32_t* zeroPoints, size_t quantCount) noexcept {
  return nnrt::c_api::set_list("OH_NNQuantParam_SetZeroPoints", quantParams, &nnrt::c_api::quant_param::zero_points, zeroPoints, quantCount);
}
NNRT_C_API OH_NN_ReturnCode OH_NNQuantParam_SetNumBits(NN_QuantParam* quantParams, const uint32_t* numBits, size_t quantCount) noexcept {
  return nnrt::c_api::set_list("OH_NNQuantParam_SetNumBits", quantParams, &nnrt::c_api::quant_param::bits, numBits, quantCount);
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
    if (desc == nullptr || name == nullptr) return null_argument(me);
    desc->name = name;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetName(const NN_TensorDesc* tensorDesc, const char** name) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetName", [&](const char* me) {
    const tensor_description* const desc = alive_description(tensorDesc);
    if (desc == nullptr || name == nullptr) return null_argument(me);
    if (*name != nullptr) return occupied(me);
    *name = desc->name.c_str();
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_SetDataType(NN_TensorDesc* tensorDesc, OH_NN_DataType dataType) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_SetDataType", [&](const char* me) {
    tensor_description* const desc = alive_description(tensorDesc);
    if (desc == nullptr) return null_argument(me);
    if (!is_data_type(dataType)) return fails(OH_NN_INVALID_PARAMETER, {me, ": got ", static_cast<int>(dataType), ", expected 0 to 12"});
    desc->type = dataType;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetDataType(const NN_TensorDesc* tensorDesc, OH_NN_DataType* dataType) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetDataType", [&](const char* me) {
    const tensor_description* const desc = alive_description(tensorDesc);
    if (desc == nullptr || dataType == nullptr) return null_argument(me);
    *dataType = desc->type;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_SetShape(NN_TensorDesc* tensorDesc, const int32_t* shape, size_t shapeLength) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_SetShape", [&](const char* me) {
    constexpr std::size_t most = 10;
    tensor_description* const desc = alive_description(tensorDesc);
    if (desc == nullptr || shape == nullptr) return null_argument(me);
    if (shapeLength == 0 || shapeLength > most) return fails(OH_NN_INVALID_PARAMETER, {me, ": got ", shapeLength, " extents, expected 1 to ", most});
    desc->shape.assign(shape, shape + shapeLength);
    desc->is_scalar = false;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetShape(const NN_TensorDesc* tensorDesc, int32_t** shape, size_t* shapeLength) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetShape", [&](const char* me) {
    tensor_description* const desc = alive_description(tensorDesc);
    if (desc == nullptr || shape == nullptr || shapeLength == nullptr) return null_argument(me);
    if (*shape != nullptr) return occupied(me);
    *shape = desc->shape.empty() ? nullptr : desc->shape.data();
    *shapeLength = desc->shape.size();
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_SetFormat(NN_TensorDesc* tensorDesc, OH_NN_Format format) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_SetFormat", [&](const char* me) {
    tensor_description* const desc = alive_description(tensorDesc);
    if (desc == nullptr) return null_argument(me);
    if (!is_format(format)) return fails(OH_NN_INVALID_PARAMETER, {me, ": got ", static_cast<int>(format), ", expected 0 to 3"});
    desc->format = format;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetFormat(const NN_TensorDesc* tensorDesc, OH_NN_Format* format) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetFormat", [&](const char* me) {
    const tensor_description* const desc = alive_description(tensorDesc);
    if (desc == nullptr || format == nullptr) return null_argument(me);
    *format = desc->format;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetElementCount(const NN_TensorDesc* tensorDesc, size_t* elementCount) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetElementCount", [&](const char* me) {
    const tensor_description* const desc = alive_description(tensorDesc);
    if (desc == nullptr || elementCount == nullptr) return null_argument(me);
    if (!desc->has_shape()) return fails(OH_NN_INVALID_PARAMETER, {me, ": the description has no shape"});
    const OH_NN_ReturnCode code = count_elements(desc->shape, *elementCount);
    if (code == OH_NN_INVALID_PARAMETER) log({me, ": more elements than can be counted"});
    return code;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensorDesc_GetByteSize(const NN_TensorDesc* tensorDesc, size_t* byteSize) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensorDesc_GetByteSize", [&](const char* me) {
    if (byteSize == nullptr) return null_argument(me);
    *byteSize = 0;
    const tensor_description* const desc = alive_description(tensorDesc);
    if (desc == nullptr) return null_argument(me);
    return count_bytes(me, *desc, *byteSize);
  });
}

// ---- Tensors ----

NNRT_C_API NN_Tensor* OH_NNTensor_Create(size_t deviceID, NN_TensorDesc* tensorDesc) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_Create", static_cast<NN_Tensor*>(nullptr), [&](const char* me) { return make_tensor(me, deviceID, tensorDesc, nullptr); });
}
NNRT_C_API NN_Tensor* OH_NNTensor_CreateWithSize(size_t deviceID, NN_TensorDesc* tensorDesc, size_t size) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_CreateWithSize", static_cast<NN_Tensor*>(nullptr), [&](const char* me) { return make_tensor(me, deviceID, tensorDesc, &size); });
}
NNRT_C_API NN_Tensor* OH_NNTensor_CreateWithFd(size_t deviceID, NN_TensorDesc* tensorDesc, int fd, size_t size, size_t offset) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_CreateWithFd", static_cast<NN_Tensor*>(nullptr),
                 [&](const char* me) { return map_tensor(me, deviceID, tensorDesc, fd, size, offset); });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensor_Destroy(NN_Tensor** tensor) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensor_Destroy", [&](const char* me) {
    const auto* const one = tensor != nullptr ? alive<tensor_in_memory>(*tensor) : nullptr;
    if (one == nullptr) return null_argument(me);
    // Upstream asks the device to let go of its memory, and leaves everything as it is when it does not find the device.
    if (device_of(one->device_id) == nullptr) return fails(OH_NN_NULL_PTR, {me, ": no device ", one->device_id});
    return destroy<tensor_in_memory>(me, tensor);
  });
}
NNRT_C_API NN_TensorDesc* OH_NNTensor_GetTensorDesc(const NN_Tensor* tensor) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_GetTensorDesc", static_cast<NN_TensorDesc*>(nullptr), [&](const char* me) -> NN_TensorDesc* {
    auto* const one = alive<tensor_in_memory>(tensor);
    if (one == nullptr) return null_argument(me), nullptr;
    return reinterpret_cast<NN_TensorDesc*>(&one->desc);
  });
}
NNRT_C_API void* OH_NNTensor_GetDataBuffer(const NN_Tensor* tensor) noexcept {
  using namespace nnrt::c_api;
  return guarded("OH_NNTensor_GetDataBuffer", static_cast<void*>(nullptr), [&](const char* me) -> void* {
    auto* const one = alive<tensor_in_memory>(tensor);
    if (one == nullptr) return null_argument(me), nullptr;
    return one->memory.data();
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensor_GetFd(const NN_Tensor* tensor, int* fd) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensor_GetFd", [&](const char* me) {
    const auto* const one = alive<tensor_in_memory>(tensor);
    if (one == nullptr || fd == nullptr) return null_argument(me);
    *fd = one->memory.fd();
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensor_GetSize(const NN_Tensor* tensor, size_t* size) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensor_GetSize", [&](const char* me) {
    const auto* const one = alive<tensor_in_memory>(tensor);
    if (one == nullptr || size == nullptr) return null_argument(me);
    *size = one->size;
    return OH_NN_SUCCESS;
  });
}
NNRT_C_API OH_NN_ReturnCode OH_NNTensor_GetOffset(const NN_Tensor* tensor, size_t* offset) noexcept {
  using namespace nnrt::c_api;
  return coded("OH_NNTensor_GetOffset", [&](const char* me) {
    const auto* const one = alive<tensor_in_memory>(tensor);
    if (one == nullptr || offset == nullptr) return null_argument(me);
    *offset = one->offset;
    return OH_NN_SUCCESS;
  });
}
