// neural_network_core.h: devices, compilations, tensors and executors of the Neural Network Runtime, for C99 and C++.
// Flow: neural_network_runtime.h builds the models that these functions compile and run; nnrt/c_api.hpp defines them.
#pragma once

#include "neural_network_runtime_type.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rules for all functions, unless stated otherwise:
// * A null handle or pointer gives OH_NN_INVALID_PARAMETER, or null from functions that return a pointer.
// * A pointer returned through `T **` must point to a null pointer; the queried object owns the result.
// * Destroy functions set the caller's pointer to null.
// * One thread at a time may use an object; different objects may be used by different threads.
// * With NNRT_LOG=1 in the environment, failures are explained on stderr, one line each that starts with "[NNRt] ".
// * The number in parentheses is the API level since which a function exists.

// ---- Devices ----

/// Lists the devices.
/// allDevicesID: set to an array owned by the runtime (null if there is no device). deviceCount: set to its length.
/// Errors: INVALID_PARAMETER when a pointer is null, or *allDevicesID is not. (9)
OH_NN_ReturnCode OH_NNDevice_GetAllDevicesID(const size_t** allDevicesID, uint32_t* deviceCount) NNRT_NOEXCEPT;

/// Returns a device's name, `"<device>_<vendor>_v<major>_<minor>"`. Id 0 is the first device, in all functions.
/// Errors: INVALID_PARAMETER when name is null or *name is not; FAILED for an unknown id. (9)
OH_NN_ReturnCode OH_NNDevice_GetName(size_t deviceID, const char** name) NNRT_NOEXCEPT;

/// Returns the kind of a device.
/// Errors: INVALID_PARAMETER for an unknown id or a null pointer; UNAVAILABLE_DEVICE when the device does not respond.
/// (9)
OH_NN_ReturnCode OH_NNDevice_GetType(size_t deviceID, OH_NN_DeviceType* deviceType) NNRT_NOEXCEPT;

// ---- Compilation ----

/// Makes a compilation of a model, which must outlive OH_NNCompilation_Build; Build checks that it is finished. Returns
/// null when model is null, or out of memory. (9)
OH_NNCompilation* OH_NNCompilation_Construct(const OH_NNModel* model) NNRT_NOEXCEPT;

/// Makes a compilation of a model in a file of the device's own format. modelPath must outlive OH_NNCompilation_Build.
/// Returns null when modelPath is null, or out of memory. (11)
OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelFile(const char* modelPath) NNRT_NOEXCEPT;

/// Makes a compilation of such a model in memory, which must outlive OH_NNCompilation_Build. modelSize: in bytes.
/// Returns null when modelBuffer is null, modelSize is 0, or out of memory. (11)
OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelBuffer(const void* modelBuffer,
                                                                   size_t modelSize) NNRT_NOEXCEPT;

/// Makes a compilation whose model is in a cache. Call OH_NNCompilation_SetCache or ..._ImportCacheFromBuffer next.
/// (11)
OH_NNCompilation* OH_NNCompilation_ConstructForCache(void) NNRT_NOEXCEPT;

/// Exports the built compilation to the caller's buffer of `length` bytes. modelSize: set to the number of bytes
/// written.
/// Errors: INVALID_PARAMETER when an argument is null, length is 0 or too small, or nothing is built; UNSUPPORTED when
/// the device cannot export. (11)
OH_NN_ReturnCode OH_NNCompilation_ExportCacheToBuffer(OH_NNCompilation* compilation, const void* buffer, size_t length,
                                                      size_t* modelSize) NNRT_NOEXCEPT;

/// Sets the buffer that OH_NNCompilation_ExportCacheToBuffer wrote; it must outlive OH_NNCompilation_Build. Errors:
/// INVALID_PARAMETER when an argument is null or modelSize is 0. (11)
OH_NN_ReturnCode OH_NNCompilation_ImportCacheFromBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                        size_t modelSize) NNRT_NOEXCEPT;

/// Passes a named option of configValueSize bytes to the device, which ignores unknown names. "ModelName" is the prefix
/// of cache files, at most 215 bytes. Errors: INVALID_PARAMETER when an argument is null, the name is empty or the size
/// 0. (11)
OH_NN_ReturnCode OH_NNCompilation_AddExtensionConfig(OH_NNCompilation* compilation, const char* configName,
                                                     const void* configValue,
                                                     const size_t configValueSize) NNRT_NOEXCEPT;

/// Selects the device; the default is the first one. OH_NNCompilation_Build rejects an unknown id. (9)
OH_NN_ReturnCode OH_NNCompilation_SetDevice(OH_NNCompilation* compilation, size_t deviceID) NNRT_NOEXCEPT;

/// Sets the cache directory, which must exist, and the caller's version of the model. A cache of a lower version is
/// replaced; with a cache of a higher version OH_NNCompilation_Build returns OPERATION_FORBIDDEN. An empty path
/// disables the cache. cachePath must outlive OH_NNCompilation_Build. Errors: INVALID_PARAMETER for null. (9)
OH_NN_ReturnCode OH_NNCompilation_SetCache(OH_NNCompilation* compilation, const char* cachePath,
                                           uint32_t version) NNRT_NOEXCEPT;

/// Sets the performance mode. OH_NNCompilation_Build rejects modes that are invalid or not supported by the device. (9)
OH_NN_ReturnCode OH_NNCompilation_SetPerformanceMode(OH_NNCompilation* compilation,
                                                     OH_NN_PerformanceMode performanceMode) NNRT_NOEXCEPT;

/// Sets the priority. OH_NNCompilation_Build rejects priorities that are invalid or not supported by the device. (9)
OH_NN_ReturnCode OH_NNCompilation_SetPriority(OH_NNCompilation* compilation, OH_NN_Priority priority) NNRT_NOEXCEPT;

/// Allows float32 models to be stored and computed as float16. (9)
OH_NN_ReturnCode OH_NNCompilation_EnableFloat16(OH_NNCompilation* compilation, bool enableFloat16) NNRT_NOEXCEPT;

/// Compiles the model or reads the cache. Call it once for each compilation.
/// Errors, checked in this order: INVALID_PARAMETER for null, two sources of a model, or a second call; FAILED for an
/// unknown device, or a source that it does not accept; OPERATION_FORBIDDEN for an option that it does not support;
/// INVALID_PARAMETER for an option out of range, or a model that is not finished; OPERATION_FORBIDDEN for a cache of a
/// higher version; FAILED when the device refuses an operation; INVALID_PARAMETER for a directory that does not exist.
/// A cache that cannot be written (the directory is read-only or full, the device exports nothing) is not an error: the
/// model is built, and the log reports it. (9)
OH_NN_ReturnCode OH_NNCompilation_Build(OH_NNCompilation* compilation) NNRT_NOEXCEPT;

/// Destroys a compilation; its executors remain valid. Null is ignored. (9)
void OH_NNCompilation_Destroy(OH_NNCompilation** compilation) NNRT_NOEXCEPT;

// ---- Tensor descriptions ----

/// Makes a description with unknown type, no format, no shape and the name "". Returns null when out of memory. (11)
NN_TensorDesc* OH_NNTensorDesc_Create(void) NNRT_NOEXCEPT;

/// Destroys a description. (11)
OH_NN_ReturnCode OH_NNTensorDesc_Destroy(NN_TensorDesc** tensorDesc) NNRT_NOEXCEPT;

/// Copies a name, possibly empty, into the description. (11)
OH_NN_ReturnCode OH_NNTensorDesc_SetName(NN_TensorDesc* tensorDesc, const char* name) NNRT_NOEXCEPT;

/// Returns the name. The pointer is valid until the description changes. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetName(const NN_TensorDesc* tensorDesc, const char** name) NNRT_NOEXCEPT;

/// Sets the type of the elements. Errors: INVALID_PARAMETER for an invalid type. (11)
OH_NN_ReturnCode OH_NNTensorDesc_SetDataType(NN_TensorDesc* tensorDesc, OH_NN_DataType dataType) NNRT_NOEXCEPT;

/// Returns the type of the elements. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetDataType(const NN_TensorDesc* tensorDesc, OH_NN_DataType* dataType) NNRT_NOEXCEPT;

/// Copies 1 to 10 extents into the description; -1 is unknown until the run. Errors: INVALID_PARAMETER for another
/// number of extents. (11)
OH_NN_ReturnCode OH_NNTensorDesc_SetShape(NN_TensorDesc* tensorDesc, const int32_t* shape,
                                          size_t shapeLength) NNRT_NOEXCEPT;

/// Returns the extents: null and 0 if none are set. The pointer is valid until the description changes. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetShape(const NN_TensorDesc* tensorDesc, int32_t** shape,
                                          size_t* shapeLength) NNRT_NOEXCEPT;

/// Sets the order of the axes. Errors: INVALID_PARAMETER for an invalid format. (11)
OH_NN_ReturnCode OH_NNTensorDesc_SetFormat(NN_TensorDesc* tensorDesc, OH_NN_Format format) NNRT_NOEXCEPT;

/// Returns the order of the axes. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetFormat(const NN_TensorDesc* tensorDesc, OH_NN_Format* format) NNRT_NOEXCEPT;

/// Returns the number of elements.
/// Errors: INVALID_PARAMETER without a shape, or when the number overflows; DYNAMIC_SHAPE, and 0 elements, when an
/// extent is not positive. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetElementCount(const NN_TensorDesc* tensorDesc, size_t* elementCount) NNRT_NOEXCEPT;

/// Returns the size in bytes; 0 when an extent is not positive.
/// Errors: INVALID_PARAMETER without a shape or a type, or when the number overflows. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetByteSize(const NN_TensorDesc* tensorDesc, size_t* byteSize) NNRT_NOEXCEPT;

// ---- Tensors ----

/// Makes a tensor of the description's size in the device's shared memory; the description is copied.
/// Returns null for an unknown device, for a description without a size or of more than 1 GiB, or when out of memory.
/// (11)
NN_Tensor* OH_NNTensor_Create(size_t deviceID, NN_TensorDesc* tensorDesc) NNRT_NOEXCEPT;

/// Makes a tensor of `size` bytes: at least the description's size, or any number from 1 if an extent is unknown. (11)
NN_Tensor* OH_NNTensor_CreateWithSize(size_t deviceID, NN_TensorDesc* tensorDesc, size_t size) NNRT_NOEXCEPT;

/// Makes a tensor over a shared-memory file. Its data starts at `offset`, a multiple of the page size; `size` counts
/// from the start of the file. The caller keeps the file descriptor. Returns null for a negative fd, size 0, size less
/// than offset, too few bytes, an unknown device, or when mapping fails. (11)
NN_Tensor* OH_NNTensor_CreateWithFd(size_t deviceID, NN_TensorDesc* tensorDesc, int fd, size_t size,
                                    size_t offset) NNRT_NOEXCEPT;

/// Destroys a tensor and its memory; a file descriptor given by the caller is not closed. Errors: INVALID_PARAMETER for
/// null; NULL_PTR when the tensor's device no longer exists, and the tensor is not destroyed. (11)
OH_NN_ReturnCode OH_NNTensor_Destroy(NN_Tensor** tensor) NNRT_NOEXCEPT;

/// Returns the tensor's description. Changing its shape changes the tensor. It must not be destroyed. (11)
NN_TensorDesc* OH_NNTensor_GetTensorDesc(const NN_Tensor* tensor) NNRT_NOEXCEPT;

/// Returns a pointer to the tensor's data. (11)
void* OH_NNTensor_GetDataBuffer(const NN_Tensor* tensor) NNRT_NOEXCEPT;

/// Returns the file descriptor of the tensor's memory; the tensor owns it. (11)
OH_NN_ReturnCode OH_NNTensor_GetFd(const NN_Tensor* tensor, int* fd) NNRT_NOEXCEPT;

/// Returns the size of the tensor's memory in bytes. (11)
OH_NN_ReturnCode OH_NNTensor_GetSize(const NN_Tensor* tensor, size_t* size) NNRT_NOEXCEPT;

/// Returns the offset of the data in the tensor's memory in bytes. (11)
OH_NN_ReturnCode OH_NNTensor_GetOffset(const NN_Tensor* tensor, size_t* offset) NNRT_NOEXCEPT;

// ---- Executors ----

/// Makes an executor of a built compilation, which may be destroyed afterwards. Returns null if it is not built. (9)
OH_NNExecutor* OH_NNExecutor_Construct(OH_NNCompilation* compilation) NNRT_NOEXCEPT;

/// Returns the actual shape of an output after a run; before a run the model's, with -1 for unknown extents. The
/// pointer is valid until the next run. Errors: INVALID_PARAMETER for an index out of range. (9)
OH_NN_ReturnCode OH_NNExecutor_GetOutputShape(OH_NNExecutor* executor, uint32_t outputIndex, int32_t** shape,
                                              uint32_t* shapeLength) NNRT_NOEXCEPT;

/// Destroys an executor. Null is ignored. (9)
void OH_NNExecutor_Destroy(OH_NNExecutor** executor) NNRT_NOEXCEPT;

/// Returns the number of inputs. (11)
OH_NN_ReturnCode OH_NNExecutor_GetInputCount(const OH_NNExecutor* executor, size_t* inputCount) NNRT_NOEXCEPT;

/// Returns the number of outputs. (11)
OH_NN_ReturnCode OH_NNExecutor_GetOutputCount(const OH_NNExecutor* executor, size_t* outputCount) NNRT_NOEXCEPT;

/// Makes a description of an input; the caller destroys it. Returns null for an index out of range. (11)
NN_TensorDesc* OH_NNExecutor_CreateInputTensorDesc(const OH_NNExecutor* executor, size_t index) NNRT_NOEXCEPT;

/// Makes a description of an output; the caller destroys it. Returns null for an index out of range. (11)
NN_TensorDesc* OH_NNExecutor_CreateOutputTensorDesc(const OH_NNExecutor* executor, size_t index) NNRT_NOEXCEPT;

/// Returns the least and largest extents that an input may have; the executor owns both arrays.
/// Errors: INVALID_PARAMETER for an index out of range; OPERATION_FORBIDDEN when the device does not know them. (11)
OH_NN_ReturnCode OH_NNExecutor_GetInputDimRange(const OH_NNExecutor* executor, size_t index, size_t** minInputDims,
                                                size_t** maxInputDims, size_t* shapeLength) NNRT_NOEXCEPT;

/// Sets the function that OH_NNExecutor_RunAsync calls at the end of a run.
/// Errors: OPERATION_FORBIDDEN when the device only runs synchronously. (11)
OH_NN_ReturnCode OH_NNExecutor_SetOnRunDone(OH_NNExecutor* executor, NN_OnRunDone onRunDone) NNRT_NOEXCEPT;

/// Sets the function that is called when the device's process dies during OH_NNExecutor_RunAsync.
/// Errors: OPERATION_FORBIDDEN when the device only runs synchronously. (11)
OH_NN_ReturnCode OH_NNExecutor_SetOnServiceDied(OH_NNExecutor* executor, NN_OnServiceDied onServiceDied) NNRT_NOEXCEPT;

/// Runs the model on inputs and outputs in the model's order; both counts must be the model's. Afterwards the outputs'
/// descriptions have the actual shapes.
/// Errors: INVALID_PARAMETER for wrong counts, null entries, or shapes that the model does not accept; NULL_PTR for a
/// null input if the device checks extents; FAILED for a tensor whose memory is too small for its description;
/// UNAVAILABLE_DEVICE when the device fails, or needs a larger tensor. (11)
OH_NN_ReturnCode OH_NNExecutor_RunSync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                       NN_Tensor* outputTensor[], size_t outputCount) NNRT_NOEXCEPT;

/// Starts a run and returns. The function of OH_NNExecutor_SetOnRunDone receives the result. Tensors must be valid
/// until then. timeout: milliseconds, after which the run ends with TIMEOUT. userData: passed to the functions; not
/// null.
/// Errors: as OH_NNExecutor_RunSync; OPERATION_FORBIDDEN when the device only runs synchronously. (11)
OH_NN_ReturnCode OH_NNExecutor_RunAsync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                        NN_Tensor* outputTensor[], size_t outputCount, int32_t timeout,
                                        void* userData) NNRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif
