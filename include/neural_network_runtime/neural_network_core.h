// neural_network_core.h: devices, compilations, tensors and executors of the Neural Network Runtime, for C99 and C++.
// Flow: neural_network_runtime.h builds the models that these functions compile and run; nnrt/c_api.hpp defines them.
#pragma once

#include "neural_network_runtime_type.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rules for every function here, unless its text says otherwise:
// * A null handle or pointer is answered with OH_NN_INVALID_PARAMETER, or null where the function returns a pointer.
// * A pointer that a call returns through `T **` must point to a null pointer; it stays the property of the object that
// was asked.
// * Destroy functions set the caller's pointer to null.
// * One object serves one thread at a time; different objects serve different threads.
// * Where the environment has NNRT_LOG=1, what fails says why on stderr, one line that begins with "[NNRt] ".

// ---- Devices ----

/// Lists the devices.
/// allDevicesID: set to an array that the runtime keeps (null when there is no device). deviceCount: set to its length.
/// Errors: INVALID_PARAMETER when a pointer is null, or *allDevicesID is not. (9)
OH_NN_ReturnCode OH_NNDevice_GetAllDevicesID(const size_t** allDevicesID, uint32_t* deviceCount) NNRT_NOEXCEPT;

/// Tells a device's name, "<device>_<vendor>_v<major>_<minor>". Id 0 means the first device, here and everywhere.
/// Errors: INVALID_PARAMETER when name is null or *name is not; FAILED for an unknown id. (9)
OH_NN_ReturnCode OH_NNDevice_GetName(size_t deviceID, const char** name) NNRT_NOEXCEPT;

/// Tells what kind of device it is.
/// Errors: INVALID_PARAMETER for an unknown id or a null pointer; UNAVAILABLE_DEVICE when the device does not answer.
/// (9)
OH_NN_ReturnCode OH_NNDevice_GetType(size_t deviceID, OH_NN_DeviceType* deviceType) NNRT_NOEXCEPT;

// ---- Compilation ----

/// Begins to compile a model, which must outlive OH_NNCompilation_Build. Whether it is finished is asked there.
/// Returns null when model is null, or out of memory. (9)
OH_NNCompilation* OH_NNCompilation_Construct(const OH_NNModel* model) NNRT_NOEXCEPT;

/// Begins to compile the model of a file, whose format is the device's own. modelPath must outlive
/// OH_NNCompilation_Build. Returns null when modelPath is null, or out of memory. (11)
OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelFile(const char* modelPath) NNRT_NOEXCEPT;

/// The same from modelSize bytes of memory, which must outlive OH_NNCompilation_Build.
/// Returns null when modelBuffer is null, modelSize is 0, or out of memory. (11)
OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelBuffer(const void* modelBuffer,
                                                                   size_t modelSize) NNRT_NOEXCEPT;

/// Begins a compilation that takes its model from a cache: OH_NNCompilation_SetCache or ..._ImportCacheFromBuffer
/// follows. (11)
OH_NNCompilation* OH_NNCompilation_ConstructForCache(void) NNRT_NOEXCEPT;

/// Writes the built compilation into the caller's length bytes. modelSize: set to the bytes that were written.
/// Errors: INVALID_PARAMETER when an argument is null, length is 0 or too small, or nothing is built; UNSUPPORTED when
/// the device cannot do it. (11)
OH_NN_ReturnCode OH_NNCompilation_ExportCacheToBuffer(OH_NNCompilation* compilation, const void* buffer, size_t length,
                                                      size_t* modelSize) NNRT_NOEXCEPT;

/// Names modelSize bytes that OH_NNCompilation_ExportCacheToBuffer once wrote; they must outlive
/// OH_NNCompilation_Build. Errors: INVALID_PARAMETER when an argument is null or modelSize is 0. (11)
OH_NN_ReturnCode OH_NNCompilation_ImportCacheFromBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                        size_t modelSize) NNRT_NOEXCEPT;

/// Hands a named option of configValueSize bytes to the device, which ignores names that it does not know. "ModelName"
/// is the prefix of cache files, of up to 215 bytes. Errors: INVALID_PARAMETER when an argument is null, the name is
/// empty or the size 0. (11)
OH_NN_ReturnCode OH_NNCompilation_AddExtensionConfig(OH_NNCompilation* compilation, const char* configName,
                                                     const void* configValue,
                                                     const size_t configValueSize) NNRT_NOEXCEPT;

/// Chooses the device; without this call it is the first. An unknown id shows in OH_NNCompilation_Build. (9)
OH_NN_ReturnCode OH_NNCompilation_SetDevice(OH_NNCompilation* compilation, size_t deviceID) NNRT_NOEXCEPT;

/// Names the existing directory where the compiled model is kept, and the caller's version of it. A cache of a lower
/// version is replaced, one of a higher version makes OH_NNCompilation_Build answer OPERATION_FORBIDDEN. An empty path
/// means no cache. cachePath must outlive OH_NNCompilation_Build. Errors: INVALID_PARAMETER for null. (9)
OH_NN_ReturnCode OH_NNCompilation_SetCache(OH_NNCompilation* compilation, const char* cachePath,
                                           uint32_t version) NNRT_NOEXCEPT;

/// Chooses speed against power. What a device cannot do, and numbers that mean nothing, show in OH_NNCompilation_Build.
/// (9)
OH_NN_ReturnCode OH_NNCompilation_SetPerformanceMode(OH_NNCompilation* compilation,
                                                     OH_NN_PerformanceMode performanceMode) NNRT_NOEXCEPT;

/// Chooses the priority among models. What a device cannot do, and numbers that mean nothing, show in
/// OH_NNCompilation_Build. (9)
OH_NN_ReturnCode OH_NNCompilation_SetPriority(OH_NNCompilation* compilation, OH_NN_Priority priority) NNRT_NOEXCEPT;

/// Allows float32 models to be stored and computed as float16. (9)
OH_NN_ReturnCode OH_NNCompilation_EnableFloat16(OH_NNCompilation* compilation, bool enableFloat16) NNRT_NOEXCEPT;

/// Compiles, or reads the cache. Once for each compilation.
/// Errors, in this order: INVALID_PARAMETER for null, two sources of a model, or a second call; FAILED for an unknown
/// device or a source that it cannot take; OPERATION_FORBIDDEN for an option that it lacks; INVALID_PARAMETER for an
/// option out of range, or a model that is not finished; OPERATION_FORBIDDEN for a cache of a higher version; FAILED
/// when the device refuses an operation; INVALID_PARAMETER for a directory that is not there. A
/// cache that cannot be written (the directory is read-only or full, the device exports nothing)
/// is no error: the model is built, and the log says that nothing was kept. (9)
OH_NN_ReturnCode OH_NNCompilation_Build(OH_NNCompilation* compilation) NNRT_NOEXCEPT;

/// Destroys a compilation; its executors go on. Null is ignored. (9)
void OH_NNCompilation_Destroy(OH_NNCompilation** compilation) NNRT_NOEXCEPT;

// ---- Tensor descriptions ----

/// Makes a description: unknown type, no format, no shape, name "". Returns null when out of memory. (11)
NN_TensorDesc* OH_NNTensorDesc_Create(void) NNRT_NOEXCEPT;

/// Destroys a description. (11)
OH_NN_ReturnCode OH_NNTensorDesc_Destroy(NN_TensorDesc** tensorDesc) NNRT_NOEXCEPT;

/// Copies a name into the description; it may be empty. (11)
OH_NN_ReturnCode OH_NNTensorDesc_SetName(NN_TensorDesc* tensorDesc, const char* name) NNRT_NOEXCEPT;

/// Tells the name. The pointer is valid until the description changes. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetName(const NN_TensorDesc* tensorDesc, const char** name) NNRT_NOEXCEPT;

/// Sets the type of the elements. Errors: INVALID_PARAMETER for a number that is no type. (11)
OH_NN_ReturnCode OH_NNTensorDesc_SetDataType(NN_TensorDesc* tensorDesc, OH_NN_DataType dataType) NNRT_NOEXCEPT;

/// Tells the type of the elements. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetDataType(const NN_TensorDesc* tensorDesc, OH_NN_DataType* dataType) NNRT_NOEXCEPT;

/// Copies 1 to 10 extents into the description; -1 is one that only a run knows.
/// Errors: INVALID_PARAMETER for another number of them. (11)
OH_NN_ReturnCode OH_NNTensorDesc_SetShape(NN_TensorDesc* tensorDesc, const int32_t* shape,
                                          size_t shapeLength) NNRT_NOEXCEPT;

/// Tells the extents: null and 0 when none were set. The pointer is valid until the description changes. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetShape(const NN_TensorDesc* tensorDesc, int32_t** shape,
                                          size_t* shapeLength) NNRT_NOEXCEPT;

/// Sets the order of the axes. Errors: INVALID_PARAMETER for a number that is no format. (11)
OH_NN_ReturnCode OH_NNTensorDesc_SetFormat(NN_TensorDesc* tensorDesc, OH_NN_Format format) NNRT_NOEXCEPT;

/// Tells the order of the axes. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetFormat(const NN_TensorDesc* tensorDesc, OH_NN_Format* format) NNRT_NOEXCEPT;

/// Tells the number of elements.
/// Errors: INVALID_PARAMETER without a shape, or when the number overflows; DYNAMIC_SHAPE, and 0 elements, when an
/// extent is not positive. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetElementCount(const NN_TensorDesc* tensorDesc, size_t* elementCount) NNRT_NOEXCEPT;

/// Tells the size in bytes; 0 when an extent is not positive.
/// Errors: INVALID_PARAMETER without a shape or a type, or when the number overflows. (11)
OH_NN_ReturnCode OH_NNTensorDesc_GetByteSize(const NN_TensorDesc* tensorDesc, size_t* byteSize) NNRT_NOEXCEPT;

// ---- Tensors ----

/// Makes a tensor of the description's size in the device's shared memory; the description is copied.
/// Returns null for an unknown device, a description without size or of more than 1 GiB, or when memory cannot be had.
/// (11)
NN_Tensor* OH_NNTensor_Create(size_t deviceID, NN_TensorDesc* tensorDesc) NNRT_NOEXCEPT;

/// The same with size bytes: at least the description's, any number from 1 on where an extent is unknown. (11)
NN_Tensor* OH_NNTensor_CreateWithSize(size_t deviceID, NN_TensorDesc* tensorDesc, size_t size) NNRT_NOEXCEPT;

/// Makes a tensor over a file of shared memory: its data begin at offset (a multiple of the page's size), size counts
/// from the file's first byte. The file descriptor stays the caller's. Returns null for a negative fd, size 0, size
/// less than offset, too little room, an unknown device, or when mapping fails. (11)
NN_Tensor* OH_NNTensor_CreateWithFd(size_t deviceID, NN_TensorDesc* tensorDesc, int fd, size_t size,
                                    size_t offset) NNRT_NOEXCEPT;

/// Destroys a tensor and its memory; a file descriptor that the caller gave stays open. Errors: INVALID_PARAMETER for
/// null; NULL_PTR when the tensor's device is no longer there, and then the tensor is. (11)
OH_NN_ReturnCode OH_NNTensor_Destroy(NN_Tensor** tensor) NNRT_NOEXCEPT;

/// The tensor's own description: changing its shape changes the tensor. Not to be destroyed. (11)
NN_TensorDesc* OH_NNTensor_GetTensorDesc(const NN_Tensor* tensor) NNRT_NOEXCEPT;

/// The first byte of the tensor's data. (11)
void* OH_NNTensor_GetDataBuffer(const NN_Tensor* tensor) NNRT_NOEXCEPT;

/// Tells the file descriptor of the tensor's memory, which stays the tensor's. (11)
OH_NN_ReturnCode OH_NNTensor_GetFd(const NN_Tensor* tensor, int* fd) NNRT_NOEXCEPT;

/// Tells the size of the tensor's memory in bytes. (11)
OH_NN_ReturnCode OH_NNTensor_GetSize(const NN_Tensor* tensor, size_t* size) NNRT_NOEXCEPT;

/// Tells where in its memory the tensor's data begin, in bytes. (11)
OH_NN_ReturnCode OH_NNTensor_GetOffset(const NN_Tensor* tensor, size_t* offset) NNRT_NOEXCEPT;

// ---- Executors ----

/// Makes an executor of a built compilation, which may be destroyed afterwards. Returns null when it is not built. (9)
OH_NNExecutor* OH_NNExecutor_Construct(OH_NNCompilation* compilation) NNRT_NOEXCEPT;

/// Tells the real shape of an output after a run, before it the model's, with -1 where only a run knows.
/// The pointer is valid until the next run. Errors: INVALID_PARAMETER for an index that is none. (9)
OH_NN_ReturnCode OH_NNExecutor_GetOutputShape(OH_NNExecutor* executor, uint32_t outputIndex, int32_t** shape,
                                              uint32_t* shapeLength) NNRT_NOEXCEPT;

/// Destroys an executor. Null is ignored. (9)
void OH_NNExecutor_Destroy(OH_NNExecutor** executor) NNRT_NOEXCEPT;

/// Tells the number of inputs. (11)
OH_NN_ReturnCode OH_NNExecutor_GetInputCount(const OH_NNExecutor* executor, size_t* inputCount) NNRT_NOEXCEPT;

/// Tells the number of outputs. (11)
OH_NN_ReturnCode OH_NNExecutor_GetOutputCount(const OH_NNExecutor* executor, size_t* outputCount) NNRT_NOEXCEPT;

/// Makes a description of an input, which the caller destroys. Returns null for an index that is none. (11)
NN_TensorDesc* OH_NNExecutor_CreateInputTensorDesc(const OH_NNExecutor* executor, size_t index) NNRT_NOEXCEPT;

/// Makes a description of an output, which the caller destroys. Returns null for an index that is none. (11)
NN_TensorDesc* OH_NNExecutor_CreateOutputTensorDesc(const OH_NNExecutor* executor, size_t index) NNRT_NOEXCEPT;

/// Tells the least and largest extents that an input may have; both arrays stay the executor's.
/// Errors: INVALID_PARAMETER for an index that is none; OPERATION_FORBIDDEN when the device cannot tell. (11)
OH_NN_ReturnCode OH_NNExecutor_GetInputDimRange(const OH_NNExecutor* executor, size_t index, size_t** minInputDims,
                                                size_t** maxInputDims, size_t* shapeLength) NNRT_NOEXCEPT;

/// Names the function that OH_NNExecutor_RunAsync calls at its end.
/// Errors: OPERATION_FORBIDDEN when the device runs synchronously only. (11)
OH_NN_ReturnCode OH_NNExecutor_SetOnRunDone(OH_NNExecutor* executor, NN_OnRunDone onRunDone) NNRT_NOEXCEPT;

/// Names the function that is called when the device's process dies during OH_NNExecutor_RunAsync.
/// Errors: OPERATION_FORBIDDEN when the device runs synchronously only. (11)
OH_NN_ReturnCode OH_NNExecutor_SetOnServiceDied(OH_NNExecutor* executor, NN_OnServiceDied onServiceDied) NNRT_NOEXCEPT;

/// Runs the model: inputs and outputs in the model's order, each count as the model's. Afterwards the outputs'
/// descriptions have the real shapes. Errors: INVALID_PARAMETER for wrong counts, null entries, shapes that the model
/// does not take; NULL_PTR for a null input where the device checks extents; FAILED for a tensor whose memory is too
/// small for its own description; UNAVAILABLE_DEVICE when the device fails, or finds it too small for the model. (11)
OH_NN_ReturnCode OH_NNExecutor_RunSync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                       NN_Tensor* outputTensor[], size_t outputCount) NNRT_NOEXCEPT;

/// Starts a run and returns; the function of OH_NNExecutor_SetOnRunDone hears how it ended. Tensors must live until
/// then. timeout: milliseconds, after which the run ends with TIMEOUT. userData: handed to the functions; not null.
/// Errors: those of OH_NNExecutor_RunSync; OPERATION_FORBIDDEN when the device runs synchronously only. (11)
OH_NN_ReturnCode OH_NNExecutor_RunAsync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                        NN_Tensor* outputTensor[], size_t outputCount, int32_t timeout,
                                        void* userData) NNRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif
