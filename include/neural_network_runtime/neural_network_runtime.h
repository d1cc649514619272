// neural_network_runtime.h: quantisation parameters, models, and API 9's way of running them, for C99 and C++.
// Flow: brings neural_network_core.h, with which a finished model is compiled and run; nnrt/c_api.hpp defines the
// functions.
#pragma once

#include "neural_network_core.h"
#include "neural_network_runtime_type.h"

#ifdef __cplusplus
extern "C" {
#endif

// The rules of neural_network_core.h's head hold here, too.

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

/// Adds a tensor; its index is the number of tensors before it. Type and shape come from the description, its format
/// and name are not looked at: images are NHWC. The tensor is data until OH_NNModel_SetTensorType says otherwise, and a
/// scalar when the description has no shape. Once the model is finished, nothing follows from the call.
/// Errors: INVALID_PARAMETER for null, an extent that is neither positive nor -1, or more than 4,294,967,295 bytes.
/// (11)
OH_NN_ReturnCode OH_NNModel_AddTensorToModel(OH_NNModel* model, const NN_TensorDesc* tensorDesc) NNRT_NOEXCEPT;

/// Copies the value of a constant or parameter: length must be the tensor's size in bytes.
/// Errors: INVALID_PARAMETER for null, an index that is none, a second call for it, another length; OPERATION_FORBIDDEN
/// once the model is finished, or when an extent is unknown. (9)
OH_NN_ReturnCode OH_NNModel_SetTensorData(OH_NNModel* model, uint32_t index, const void* dataBuffer,
                                          size_t length) NNRT_NOEXCEPT;

/// Copies quantisation parameters into a tensor.
/// Errors: INVALID_PARAMETER for null, an index that is none, arrays of different lengths, widths other than 8;
/// OPERATION_FORBIDDEN once the model is finished. (11)
OH_NN_ReturnCode OH_NNModel_SetTensorQuantParams(OH_NNModel* model, uint32_t index,
                                                 NN_QuantParam* quantParam) NNRT_NOEXCEPT;

/// Says whether a tensor is data or which parameter it is.
/// Errors: INVALID_PARAMETER for a number that is no type, an index that is none; OPERATION_FORBIDDEN once the model is
/// finished. (11)
OH_NN_ReturnCode OH_NNModel_SetTensorType(OH_NNModel* model, uint32_t index, OH_NN_TensorType tensorType) NNRT_NOEXCEPT;

/// Adds an operation. Parameters are known by their tensors' types, so their order is free; they need their values by
/// now. Errors: INVALID_PARAMETER for null, indices that are none, 0 or more than 200 inputs or outputs, a tensor that
/// is both, and whatever the operation's own parameters forbid; OPERATION_FORBIDDEN once the model is finished. Nothing
/// is added then. (9)
OH_NN_ReturnCode OH_NNModel_AddOperation(OH_NNModel* model, OH_NN_OperationType op,
                                         const OH_NN_UInt32Array* paramIndices, const OH_NN_UInt32Array* inputIndices,
                                         const OH_NN_UInt32Array* outputIndices) NNRT_NOEXCEPT;

/// Names the model's inputs and outputs, in the order in which they are run.
/// Errors: INVALID_PARAMETER as in OH_NNModel_AddOperation; OPERATION_FORBIDDEN the second time. (9)
OH_NN_ReturnCode OH_NNModel_SpecifyInputsAndOutputs(OH_NNModel* model, const OH_NN_UInt32Array* inputIndices,
                                                    const OH_NN_UInt32Array* outputIndices) NNRT_NOEXCEPT;

/// Finishes the model, which cannot change from here on.
/// Errors: OPERATION_FORBIDDEN when it is finished already, has no tensor, no operation, no inputs and outputs; FAILED
/// when an operation lacks a parameter that it must have. (9)
OH_NN_ReturnCode OH_NNModel_Finish(OH_NNModel* model) NNRT_NOEXCEPT;

/// Destroys a model; compilations that were constructed from it are built and run as before. Null is ignored. (9)
void OH_NNModel_Destroy(OH_NNModel** model) NNRT_NOEXCEPT;

/// Tells which operations a device can run, in the order in which they were added. The array stays the model's, until
/// the next call. Errors: INVALID_PARAMETER for null, or *isSupported not null; OPERATION_FORBIDDEN before the model is
/// finished; FAILED for an unknown device. (9)
OH_NN_ReturnCode OH_NNModel_GetAvailableOperations(OH_NNModel* model, size_t deviceID, const bool** isSupported,
                                                   uint32_t* opCount) NNRT_NOEXCEPT;

// ---- API 9's tensors and runs: kept for programs that have them ----

/// OH_NNModel_AddTensorToModel with the structure of API 9, quantisation and kind included.
/// Errors: as there; OPERATION_FORBIDDEN once the model is finished. (9)
OH_NN_ReturnCode OH_NNModel_AddTensor(OH_NNModel* model, const OH_NN_Tensor* tensor) NNRT_NOEXCEPT;

/// Copies one input; where the model does not know an extent, the tensor says it. length is at least the tensor's size.
/// Errors: INVALID_PARAMETER for null, an index that is none, a tensor that is not the model's; MEMORY_ERROR. (9)
OH_NN_ReturnCode OH_NNExecutor_SetInput(OH_NNExecutor* executor, uint32_t inputIndex, const OH_NN_Tensor* tensor,
                                        const void* dataBuffer, size_t length) NNRT_NOEXCEPT;

/// Names the memory that OH_NNExecutor_Run fills with one output; length in bytes, at least the model's.
/// Errors: INVALID_PARAMETER for null, an index that is none, too short a length. (9)
OH_NN_ReturnCode OH_NNExecutor_SetOutput(OH_NNExecutor* executor, uint32_t outputIndex, void* dataBuffer,
                                         size_t length) NNRT_NOEXCEPT;

/// Runs the model on the inputs and outputs that were set, which stay set.
/// Errors: INVALID_PARAMETER when one is missing, or an output's memory is too short for its real shape;
/// UNAVAILABLE_DEVICE when the device fails, or finds a number that an operation cannot take (an index out of range).
/// (9)
OH_NN_ReturnCode OH_NNExecutor_Run(OH_NNExecutor* executor) NNRT_NOEXCEPT;

/// Allocates length bytes that the device shares, for one input. Returns null for an index that is none, length 0, more
/// than 1 GiB, or when memory cannot be had. (9)
OH_NN_Memory* OH_NNExecutor_AllocateInputMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                size_t length) NNRT_NOEXCEPT;

/// The same for one output. (9)
OH_NN_Memory* OH_NNExecutor_AllocateOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                 size_t length) NNRT_NOEXCEPT;

/// Frees what OH_NNExecutor_AllocateInputMemory returned for this index; anything else is ignored. (9)
void OH_NNExecutor_DestroyInputMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                      OH_NN_Memory** memory) NNRT_NOEXCEPT;

/// Frees what OH_NNExecutor_AllocateOutputMemory returned for this index; anything else is ignored. (9)
void OH_NNExecutor_DestroyOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                       OH_NN_Memory** memory) NNRT_NOEXCEPT;

/// Lets the run read one input from memory that an executor of the same device has allocated for whatever input or
/// output, without a copy. Errors: those of OH_NNExecutor_SetInput; memory of another origin, or that is destroyed by
/// then, shows in OH_NNExecutor_Run. (9)
OH_NN_ReturnCode OH_NNExecutor_SetInputWithMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                  const OH_NN_Tensor* tensor, const OH_NN_Memory* memory) NNRT_NOEXCEPT;

/// Lets the run write one output into such memory, without a copy.
/// Errors: INVALID_PARAMETER for null, an index that is none, too short a memory. (9)
OH_NN_ReturnCode OH_NNExecutor_SetOutputWithMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                   const OH_NN_Memory* memory) NNRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif
