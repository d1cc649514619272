// hb_dnn.h: models, tensors and tasks of Horizon's and D-Robotics' boards, for C99 and C++.
// Flow: clients load compiled models, fill tensors, start tasks and wait. nnrt/hb_dnn.hpp defines the functions;
// libdnn.so contains them compiled.
#pragma once

#include "hb_dnn_status.h"
#include "hb_sys.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HB_DNN_VERSION_MAJOR 1U
#define HB_DNN_VERSION_MINOR 1U
#define HB_DNN_VERSION_PATCH 0U

#define HB_DNN_TENSOR_MAX_DIMENSIONS 8

/// Any core, lowest priority, no further calls.
#define HB_DNN_INITIALIZE_INFER_CTRL_PARAM(param) \
  {                                               \
    (param)->bpuCoreId = HB_BPU_CORE_ANY;         \
    (param)->dspCoreId = HB_DSP_CORE_ANY;         \
    (param)->priority = HB_DNN_PRIORITY_LOWEST;   \
    (param)->more = false;                        \
    (param)->customId = 0;                        \
    (param)->reserved1 = 0;                       \
    (param)->reserved2 = 0;                       \
  }

/// Any core, lowest priority, bilinear.
#define HB_DNN_INITIALIZE_RESIZE_CTRL_PARAM(param)     \
  {                                                    \
    (param)->bpuCoreId = HB_BPU_CORE_ANY;              \
    (param)->resizeType = HB_DNN_RESIZE_TYPE_BILINEAR; \
    (param)->priority = HB_DNN_PRIORITY_LOWEST;        \
    (param)->reserved1 = 0;                            \
    (param)->reserved2 = 0;                            \
    (param)->reserved3 = 0;                            \
    (param)->reserved4 = 0;                            \
  }

// Any thread may use a handle. Functions detect released handles.

/// A group of models that were loaded together.
typedef void* hbPackedDNNHandle_t;
/// A model of a group.
typedef void* hbDNNHandle_t;
/// Work submitted to the accelerator.
typedef void* hbDNNTaskHandle_t;

/// Order of a tensor's axes.
typedef enum { HB_DNN_LAYOUT_NHWC = 0, HB_DNN_LAYOUT_NCHW = 2, HB_DNN_LAYOUT_NONE = 255 } hbDNNTensorLayout;

/// Contents of a tensor: an image, or elements (S signed, U unsigned, F floating point; the number is their bits).
typedef enum {
  HB_DNN_IMG_TYPE_Y,              ///< only Y
  HB_DNN_IMG_TYPE_NV12,           ///< Y, then interleaved U and V at half the width and height
  HB_DNN_IMG_TYPE_NV12_SEPARATE,  ///< NV12 with U and V in sysMem[1]
  HB_DNN_IMG_TYPE_YUV444,
  HB_DNN_IMG_TYPE_RGB,
  HB_DNN_IMG_TYPE_BGR,
  HB_DNN_TENSOR_TYPE_S4,
  HB_DNN_TENSOR_TYPE_U4,
  HB_DNN_TENSOR_TYPE_S8,
  HB_DNN_TENSOR_TYPE_U8,
  HB_DNN_TENSOR_TYPE_F16,
  HB_DNN_TENSOR_TYPE_S16,
  HB_DNN_TENSOR_TYPE_U16,
  HB_DNN_TENSOR_TYPE_F32,
  HB_DNN_TENSOR_TYPE_S32,
  HB_DNN_TENSOR_TYPE_U32,
  HB_DNN_TENSOR_TYPE_F64,
  HB_DNN_TENSOR_TYPE_S64,
  HB_DNN_TENSOR_TYPE_U64,
  HB_DNN_TENSOR_TYPE_MAX
} hbDNNDataType;

/// Extents, outermost first.
typedef struct {
  int32_t dimensionSize[HB_DNN_TENSOR_MAX_DIMENSIONS];
  int32_t numDimensions;
} hbDNNTensorShape;

/// quantised = round(real * 2^shift), half to even; real = quantised / 2^shift. One shift for the tensor, or one for
/// each index along quantizeAxis.
typedef struct {
  int32_t shiftLen;
  uint8_t* shiftData;  ///< owned by the model
} hbDNNQuantiShift;

/// quantised = round(real / scale + zero point), half to even, clamped to the type; real = (quantised - zero point) *
/// scale. One for the tensor, or one for each index along quantizeAxis.
typedef struct {
  int32_t scaleLen;
  float* scaleData;       ///< owned by the model
  int32_t zeroPointLen;   ///< equals scaleLen
  int8_t* zeroPointData;  ///< owned by the model
} hbDNNQuantiScale;

/// Whether elements are quantised, and by shifts or scales.
typedef enum { NONE, SHIFT, SCALE } hbDNNQuantiType;

/// Properties of a tensor, from the model. A client may set alignedShape to validShape (no padding) and change between
/// NV12 and NV12_SEPARATE. For the source of a region it also sets validShape to the image's, and the width of
/// alignedShape to the image's stride.
typedef struct {
  hbDNNTensorShape validShape;
  hbDNNTensorShape alignedShape;  ///< with padding; padding bytes are 0
  int32_t tensorLayout;           ///< hbDNNTensorLayout
  int32_t tensorType;             ///< hbDNNDataType
  hbDNNQuantiShift shift;
  hbDNNQuantiScale scale;
  hbDNNQuantiType quantiType;
  int32_t quantizeAxis;                          ///< valid if there are several shifts or scales
  int32_t alignedByteSize;                       ///< bytes to allocate; for NV12_SEPARATE both parts together
  int32_t stride[HB_DNN_TENSOR_MAX_DIMENSIONS];  ///< bytes between indices along each axis; 0 for NV12
} hbDNNTensorProperties;

/// A tensor. sysMem[0] is its memory; for NV12_SEPARATE, sysMem[1] is the memory of U and V.
typedef struct {
  hbSysMem sysMem[4];
  hbDNNTensorProperties properties;
} hbDNNTensor;

/// Priorities are 0 … 255. Work of the highest priority also pre-empts other work, between two nodes of its network.
typedef enum {
  HB_DNN_PRIORITY_LOWEST = 0,
  HB_DNN_PRIORITY_HIGHEST = 255,
  HB_DNN_PRIORITY_PREEMP = HB_DNN_PRIORITY_HIGHEST
} hbDNNTaskPriority;

/// A region of an image in pixels, including right and bottom.
typedef struct {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
} hbDNNRoi;

/// Options of an inference. Of the work that waits for a core, higher priority runs first, then lower customId, then
/// earlier submission.
typedef struct {
  int32_t bpuCoreId;  ///< hbBPUCore
  int32_t dspCoreId;  ///< hbDSPCore
  int32_t priority;   ///< hbDNNTaskPriority
  int32_t more;       ///< 1: the task waits for another call with its handle; a call with 0 starts all of them
  int64_t customId;   ///< a time stamp or a frame number
  int32_t reserved1;
  int32_t reserved2;
} hbDNNInferCtrlParam;

/// Interpolation of hbDNNResize.
typedef enum { HB_DNN_RESIZE_TYPE_BILINEAR = 0 } hbDNNResizeType;

/// Options of hbDNNResize.
typedef struct {
  int32_t bpuCoreId;  ///< hbBPUCore
  int32_t priority;   ///< hbDNNTaskPriority
  hbDNNResizeType resizeType;
  int32_t reserved1;
  int32_t reserved2;
  int32_t reserved3;
  int32_t reserved4;
} hbDNNResizeCtrlParam;

// Each function returns 0 or a code of hb_dnn_status.h. Common errors: INVALID_ARGUMENT for a null pointer argument;
// INVALID_PACKED_DNN_HANDLE, INVALID_DNN_HANDLE or INVALID_TASK_HANDLE for a handle that is not live; OUT_OF_MEMORY.
// Errors are printed to stderr unless HB_DNN_LOG_LEVEL is 0 or 5. The library owns names and lists; they are valid
// while the packed handle is live.

/// The version, such as "1.1.0". The library owns the text.
const char* hbDNNGetVersion(void);

/// Loads the compiled models of files, which may be changed or deleted afterwards. packedDNNHandle: set to the new
/// handle.
/// Errors: INVALID_ARGUMENT for a count below 1; CAN_NOT_OPEN_FILE; INVALID_MODEL; MODEL_NUMBER_EXCEED_LIMIT;
/// INCOMPATIBLE_MODEL.
int32_t hbDNNInitializeFromFiles(hbPackedDNNHandle_t* packedDNNHandle, const char** modelFileNames,
                                 int32_t modelFileCount);

/// Loads models from memory, which may be freed afterwards. Errors: as above; INVALID_ARGUMENT also for a length below
/// 1.
int32_t hbDNNInitializeFromDDR(hbPackedDNNHandle_t* packedDNNHandle, const void** modelData, int32_t* modelDataLengths,
                               int32_t modelDataCount);

/// Releases the packed handle and its models. Errors: MODEL_IS_RUNNING.
int32_t hbDNNRelease(hbPackedDNNHandle_t packedDNNHandle);

/// Names of the models, in the order of loading.
int32_t hbDNNGetModelNameList(const char*** modelNameList, int32_t* modelNameCount,
                              hbPackedDNNHandle_t packedDNNHandle);

/// The model with a name; the handle is the same at each call. Errors: INVALID_ARGUMENT for an unknown name.
int32_t hbDNNGetModelHandle(hbDNNHandle_t* dnnHandle, hbPackedDNNHandle_t packedDNNHandle, const char* modelName);

/// Number of a model's inputs; name and properties of one of them. Errors: INVALID_ARGUMENT for an index out of range.
int32_t hbDNNGetInputCount(int32_t* inputCount, hbDNNHandle_t dnnHandle);
int32_t hbDNNGetInputName(const char** name, hbDNNHandle_t dnnHandle, int32_t inputIndex);
int32_t hbDNNGetInputTensorProperties(hbDNNTensorProperties* properties, hbDNNHandle_t dnnHandle, int32_t inputIndex);

/// Number of a model's outputs; name and properties of one of them. Errors: as for inputs.
int32_t hbDNNGetOutputCount(int32_t* outputCount, hbDNNHandle_t dnnHandle);
int32_t hbDNNGetOutputName(const char** name, hbDNNHandle_t dnnHandle, int32_t outputIndex);
int32_t hbDNNGetOutputTensorProperties(hbDNNTensorProperties* properties, hbDNNHandle_t dnnHandle, int32_t outputIndex);

/// Starts a run of a model and returns at once. *taskHandle: null, and set to the new task; or a task that waits for
/// more calls.
///
/// output: address of a pointer to one tensor for each output; only sysMem[0] is read. input: one tensor for each
/// input. A model with a batch of N also accepts N tensors with a batch of 1 for each input: in0[b0], in0[b1], …,
/// in1[b0], ….
/// The tensors' memory must not be changed until the task has been waited for or released; the hbDNNTensor structures
/// may be destroyed after the call.
/// Errors: INVALID_ARGUMENT; TASK_NUM_EXCEED_LIMIT; TASK_BATCH_SIZE_EXCEED_LIMIT; API_USE_ERROR. After an error a task
/// that waits for more calls is unchanged.
int32_t hbDNNInfer(hbDNNTaskHandle_t* taskHandle, hbDNNTensor** output, const hbDNNTensor* input,
                   hbDNNHandle_t dnnHandle, hbDNNInferCtrlParam* inferCtrlParam);

/// Starts runs of a model with resizer inputs, one for each set of regions, and returns at once.
/// rois: one for each resizer input, set by set. input: all inputs, set by set, each with a batch of 1; a resizer's
/// input is an image that contains its region.
/// output: each tensor has the memory of all sets, consecutively, in steps of alignedByteSize. The number of sets is
/// rounded up to a multiple of the model's batch.
/// Errors: as hbDNNInfer; INVALID_ARGUMENT for regions and images outside the limits of the model's architecture.
int32_t hbDNNRoiInfer(hbDNNTaskHandle_t* taskHandle, hbDNNTensor** output, const hbDNNTensor* input, hbDNNRoi* rois,
                      int32_t roiCount, hbDNNHandle_t dnnHandle, hbDNNInferCtrlParam* inferCtrlParam);

/// Waits until a task has ended, for at most `timeout` milliseconds if positive.
/// Errors: TIMEOUT; RUN_TASK_FAILED; API_USE_ERROR while the task waits for more calls; INVALID_TASK_HANDLE, also if it
/// is released meanwhile.
int32_t hbDNNWaitTaskDone(hbDNNTaskHandle_t taskHandle, int32_t timeout);

/// Releases a task. Waiting work is removed; running work ends at its next node (pre-empted work after the pre-empting
/// task has ended). This call waits for that, and afterwards the tensors' memory is not used. Results that were
/// complete are kept.
int32_t hbDNNReleaseTask(hbDNNTaskHandle_t taskHandle);

/// Resizes a region of an image, or all of it (roi: null), and returns at once.
/// taskHandle: set to the new task; its old value is ignored. hbDNNReleaseTask releases the task. When 32 are live, a
/// further call releases one that has been waited for.
/// Both tensors are images of one type with sides of 1 … 4080 pixels; sides of NV12 are even. Each side may grow less
/// than 256 times and shrink at most 185 times.
/// Errors: INVALID_ARGUMENT; TASK_NUM_EXCEED_LIMIT.
int32_t hbDNNResize(hbDNNTaskHandle_t* taskHandle, hbDNNTensor* output, const hbDNNTensor* input, const hbDNNRoi* roi,
                    hbDNNResizeCtrlParam* resizeCtrlParam);

#ifdef __cplusplus
}
#endif
