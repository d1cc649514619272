// neural_network_runtime.h: quantisation parameters, models, and API 9's functions to run them, for C99 and C++.
// Flow: includes neural_network_core.h, which compiles and runs finished models; nnrt/c_api.hpp defines the functions.
#pragma once

#include "neural_network_core.h"
#include "neural_network_runtime_type.h"

#ifdef __cplusplus
extern "C" {
#endif

// The rules in neural_network_core.h apply here, too.

// ---- Quantisation parameters ----

/// Makes empty parameters. Returns null when out of memory. (11)
NN_QuantParam* OH_NNQuantParam_Create(void) NNRT_NOEXCEPT;

/// Copies quantCount scales: one for the whole tensor, or one per channel.
/// Errors: INVALID_PARAMETER for null or quantCount 0. (11)
OH_NN_ReturnCode OH_NNQuantParam_SetScales(NN_QuantParam* quantParams, const double* scales,
                                           size_t quantCount) NNRT_NOEXCEPT;

/// Copies quantCount zero points. Errors: INVALID_PARAMETER for null or quantCount 0. (11)
OH_NN_ReturnCode OH_NNQuantParam_SetZeroPoints(NN_QuantParam* quantParams, const int32_t* zeroPoints,
                                               size_t quantCount) NNRT_NOEXCEPT;

/// Copies quantCount widths in bits. Errors: INVALID_PARAMETER for null or quantCount 0. (11)
OH_NN_ReturnCode OH_NNQuantParam_SetNumBits(NN_QuantParam* quantParams, const uint32_t* numBits,
                                            size_t quantCount) NNRT_NOEXCEPT;

/// Destroys parameters. (11)
OH_NN_ReturnCode OH_NNQuantParam_Destroy(NN_QuantParam** quantParams) NNRT_NOEXCEPT;

// ---- Models ----

/// Makes an empty model. Returns null when out of memory. (9)
OH_NNModel* OH_NNModel_Construct(void) NNRT_NOEXCEPT;

/// Adds a tensor; its index is the number of tensors added before. Type and shape are from the description; its format
/// and name are ignored, as images are NHWC. The tensor is data unless OH_NNModel_SetTensorType changes that, and a
/// scalar if the description has no shape. After the model is finished, the call has no effect.
/// Errors: INVALID_PARAMETER for null, an extent that is neither positive nor -1, or more than 4,294,967,295 bytes.
/// (11)
OH_NN_ReturnCode OH_NNModel_AddTensorToModel(OH_NNModel* model, const NN_TensorDesc* tensorDesc) NNRT_NOEXCEPT;

/// Copies the value of a constant or parameter; `length` must be the tensor's size in bytes.
/// Errors: INVALID_PARAMETER for null, an index out of range, a second call for the tensor, another length;
/// OPERATION_FORBIDDEN after the model is finished, or when an extent is unknown. (9)
OH_NN_ReturnCode OH_NNModel_SetTensorData(OH_NNModel* model, uint32_t index, const void* dataBuffer,
                                          size_t length) NNRT_NOEXCEPT;

/// Copies quantisation parameters into a tensor.
/// Errors: INVALID_PARAMETER for null, an index out of range, arrays of different lengths, widths other than 8;
/// OPERATION_FORBIDDEN after the model is finished. (11)
OH_NN_ReturnCode OH_NNModel_SetTensorQuantParams(OH_NNModel* model, uint32_t index,
                                                 NN_QuantParam* quantParam) NNRT_NOEXCEPT;

/// Sets whether a tensor is data or which parameter it is.
/// Errors: INVALID_PARAMETER for an invalid type or an index out of range; OPERATION_FORBIDDEN after the model is
/// finished. (11)
OH_NN_ReturnCode OH_NNModel_SetTensorType(OH_NNModel* model, uint32_t index, OH_NN_TensorType tensorType) NNRT_NOEXCEPT;

/// Adds an operation. Parameters are identified by their tensors' types, in any order, and must have their values.
/// Errors: INVALID_PARAMETER for null, indices out of range, 0 or more than 200 inputs or outputs, a tensor that is
/// both, and invalid parameters of the operation; OPERATION_FORBIDDEN after the model is finished. After an error
/// nothing is added. (9)
OH_NN_ReturnCode OH_NNModel_AddOperation(OH_NNModel* model, OH_NN_OperationType op,
                                         const OH_NN_UInt32Array* paramIndices, const OH_NN_UInt32Array* inputIndices,
                                         const OH_NN_UInt32Array* outputIndices) NNRT_NOEXCEPT;

/// Sets the model's inputs and outputs, in the order of runs. Errors: INVALID_PARAMETER as in OH_NNModel_AddOperation;
/// OPERATION_FORBIDDEN at a second call. (9)
OH_NN_ReturnCode OH_NNModel_SpecifyInputsAndOutputs(OH_NNModel* model, const OH_NN_UInt32Array* inputIndices,
                                                    const OH_NN_UInt32Array* outputIndices) NNRT_NOEXCEPT;

/// Finishes the model, which cannot be changed afterwards.
/// Errors: OPERATION_FORBIDDEN when it is finished already, or has no tensor, no operation, or no inputs and outputs;
/// FAILED when an operation lacks a required parameter. (9)
OH_NN_ReturnCode OH_NNModel_Finish(OH_NNModel* model) NNRT_NOEXCEPT;

/// Destroys a model; compilations made from it remain valid. Null is ignored. (9)
void OH_NNModel_Destroy(OH_NNModel** model) NNRT_NOEXCEPT;

/// Returns which operations a device can run, in the order of addition. The model owns the array, which is valid until
/// the next call.
/// Errors: INVALID_PARAMETER for null, or *isSupported not null; OPERATION_FORBIDDEN before the model is finished;
/// FAILED for an unknown device. (9)
OH_NN_ReturnCode OH_NNModel_GetAvailableOperations(OH_NNModel* model, size_t deviceID, const bool** isSupported,
                                                   uint32_t* opCount) NNRT_NOEXCEPT;

// ---- Tensors and runs of API 9, for existing programs ----

/// Like OH_NNModel_AddTensorToModel, with API 9's structure, which includes quantisation and kind. Errors: as there;
/// OPERATION_FORBIDDEN after the model is finished. (9)
OH_NN_ReturnCode OH_NNModel_AddTensor(OH_NNModel* model, const OH_NN_Tensor* tensor) NNRT_NOEXCEPT;

/// Copies one input. The tensor gives extents that the model leaves open. `length` is at least the tensor's size.
/// Errors: INVALID_PARAMETER for null, an index out of range, a tensor that does not match the model; MEMORY_ERROR. (9)
OH_NN_ReturnCode OH_NNExecutor_SetInput(OH_NNExecutor* executor, uint32_t inputIndex, const OH_NN_Tensor* tensor,
                                        const void* dataBuffer, size_t length) NNRT_NOEXCEPT;

/// Sets the memory for one output of OH_NNExecutor_Run. `length` in bytes, at least the model's size.
/// Errors: INVALID_PARAMETER for null, an index out of range, or a length that is too small. (9)
OH_NN_ReturnCode OH_NNExecutor_SetOutput(OH_NNExecutor* executor, uint32_t outputIndex, void* dataBuffer,
                                         size_t length) NNRT_NOEXCEPT;

/// Runs the model on the inputs and outputs that were set; they remain set.
/// Errors: INVALID_PARAMETER when one is missing, or an output's memory is too small for its actual shape;
/// UNAVAILABLE_DEVICE when the device fails, or an operation rejects a value (an index out of range). (9)
OH_NN_ReturnCode OH_NNExecutor_Run(OH_NNExecutor* executor) NNRT_NOEXCEPT;

/// Allocates `length` bytes of device memory for one input. Returns null for an index out of range, length 0, more than
/// 1 GiB, or when out of memory. (9)
OH_NN_Memory* OH_NNExecutor_AllocateInputMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                size_t length) NNRT_NOEXCEPT;

/// Allocates device memory for one output, as for inputs. (9)
OH_NN_Memory* OH_NNExecutor_AllocateOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                 size_t length) NNRT_NOEXCEPT;

/// Frees memory that OH_NNExecutor_AllocateInputMemory returned for this index; other memory is ignored. (9)
void OH_NNExecutor_DestroyInputMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                      OH_NN_Memory** memory) NNRT_NOEXCEPT;

/// Frees memory that OH_NNExecutor_AllocateOutputMemory returned for this index; other memory is ignored. (9)
void OH_NNExecutor_DestroyOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                       OH_NN_Memory** memory) NNRT_NOEXCEPT;

/// Lets runs read one input in place from memory that any executor of the device has allocated, for any input or
/// output.
/// Errors: as OH_NNExecutor_SetInput. OH_NNExecutor_Run rejects other memory, and memory that has been destroyed. (9)
OH_NN_ReturnCode OH_NNExecutor_SetInputWithMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                  const OH_NN_Tensor* tensor, const OH_NN_Memory* memory) NNRT_NOEXCEPT;

/// Lets runs write one output in place to such memory. Errors: INVALID_PARAMETER for null, an index out of range, or
/// memory that is too small. (9)
OH_NN_ReturnCode OH_NNExecutor_SetOutputWithMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                   const OH_NN_Memory* memory) NNRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif
