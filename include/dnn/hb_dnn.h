// hb_dnn.h: models, tensors and tasks of Horizon's and D-Robotics' boards, for C99 and C++.
// Flow: clients load compiled models, fill tensors, start tasks and wait; nnrt/hb_dnn.hpp defines the functions,
// libdnn.so has them compiled.
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

/// Any core, least priority, not followed by another call.
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

/// Any core, least priority, bilinear.
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

// Handles may be used by any thread. One that was taken back is recognised wherever it is handed in.

/// Several models that were loaded together.
typedef void* hbPackedDNNHandle_t;
/// One model of them.
typedef void* hbDNNHandle_t;
/// Work that was handed to the accelerator.
typedef void* hbDNNTaskHandle_t;

/// The order of a tensor's axes.
typedef enum { HB_DNN_LAYOUT_NHWC = 0, HB_DNN_LAYOUT_NCHW = 2, HB_DNN_LAYOUT_NONE = 255 } hbDNNTensorLayout;

/// What a tensor holds: an image, or elements (S signed, U unsigned, F floating point, with so many bits).
typedef enum {
  HB_DNN_IMG_TYPE_Y,              ///< Y alone
  HB_DNN_IMG_TYPE_NV12,           ///< Y, then U and V in turn at half the width and height
  HB_DNN_IMG_TYPE_NV12_SEPARATE,  ///< the same, U and V in sysMem[1]
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

/// Extents, the outermost first.
typedef struct {
  int32_t dimensionSize[HB_DNN_TENSOR_MAX_DIMENSIONS];
  int32_t numDimensions;
} hbDNNTensorShape;

/// stored = round(real * 2^shift), halves to even; real = stored / 2^shift. One shift, or one for each index along
/// quantizeAxis.
typedef struct {
  int32_t shiftLen;
  uint8_t* shiftData;  ///< the model's
} hbDNNQuantiShift;

/// stored = round(real / scale + zero point), halves to even, limited to the type; real = (stored - zero point) *
/// scale. One, or one for each index along quantizeAxis.
typedef struct {
  int32_t scaleLen;
  float* scaleData;       ///< the model's
  int32_t zeroPointLen;   ///< as scaleLen
  int8_t* zeroPointData;  ///< the model's
} hbDNNQuantiScale;

/// Whether elements stand for real numbers, and by which of the two.
typedef enum { NONE, SHIFT, SCALE } hbDNNQuantiType;

/// What a tensor is. As the model says, but that a client may set alignedShape to validShape (its bytes have no
/// padding), and NV12 to NV12_SEPARATE or back; for sources of regions it also sets validShape to the image's, and the
/// width of alignedShape to its stride.
typedef struct {
  hbDNNTensorShape validShape;
  hbDNNTensorShape alignedShape;  ///< with padding, whose bytes are 0
  int32_t tensorLayout;           ///< hbDNNTensorLayout
  int32_t tensorType;             ///< hbDNNDataType
  hbDNNQuantiShift shift;
  hbDNNQuantiScale scale;
  hbDNNQuantiType quantiType;
  int32_t quantizeAxis;                          ///< means something where there are several shifts or scales
  int32_t alignedByteSize;                       ///< bytes to allocate; of NV12_SEPARATE those of both pieces together
  int32_t stride[HB_DNN_TENSOR_MAX_DIMENSIONS];  ///< bytes from one index to the next along each axis; of NV12 all 0
} hbDNNTensorProperties;

/// A tensor. sysMem[0] holds it; of NV12_SEPARATE sysMem[1] holds U and V.
typedef struct {
  hbSysMem sysMem[4];
  hbDNNTensorProperties properties;
} hbDNNTensor;

/// Priorities are 0 … 255. Work of the highest one also interrupts other work, where that goes from one node of its
/// network to the next.
typedef enum {
  HB_DNN_PRIORITY_LOWEST = 0,
  HB_DNN_PRIORITY_HIGHEST = 255,
  HB_DNN_PRIORITY_PREEMP = HB_DNN_PRIORITY_HIGHEST
} hbDNNTaskPriority;

/// A region of an image, in pixels; right and bottom are inside.
typedef struct {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
} hbDNNRoi;

/// How work shall run. Of what waits for a core, the higher priority comes first, then the lower customId, then who
/// came first.
typedef struct {
  int32_t bpuCoreId;  ///< hbBPUCore
  int32_t dspCoreId;  ///< hbDSPCore
  int32_t priority;   ///< hbDNNTaskPriority
  int32_t more;       ///< 1: the task waits for another call with its handle; the call with 0 starts them all
  int64_t customId;   ///< a time stamp or the number of a frame
  int32_t reserved1;
  int32_t reserved2;
} hbDNNInferCtrlParam;

/// How hbDNNResize interpolates.
typedef enum { HB_DNN_RESIZE_TYPE_BILINEAR = 0 } hbDNNResizeType;

/// How an image shall be resized.
typedef struct {
  int32_t bpuCoreId;  ///< hbBPUCore
  int32_t priority;   ///< hbDNNTaskPriority
  hbDNNResizeType resizeType;
  int32_t reserved1;
  int32_t reserved2;
  int32_t reserved3;
  int32_t reserved4;
} hbDNNResizeCtrlParam;

// Each function answers 0 or a code of hb_dnn_status.h. Common to all: INVALID_ARGUMENT for a null pointer that is to
// be read or written, INVALID_PACKED_DNN_HANDLE, INVALID_DNN_HANDLE or INVALID_TASK_HANDLE for a handle that is not
// alive, OUT_OF_MEMORY. What went wrong is printed to stderr unless HB_DNN_LOG_LEVEL is 0 or 5. Names and lists stay
// the library's, and live as long as the packed handle.

/// "1.1.0" and the like; it stays the library's.
const char* hbDNNGetVersion(void);

/// Loads the compiled models of some files, which may change or go afterwards. packedDNNHandle: set.
/// Errors: INVALID_ARGUMENT for a count below 1; CAN_NOT_OPEN_FILE; INVALID_MODEL; MODEL_NUMBER_EXCEED_LIMIT;
/// INCOMPATIBLE_MODEL.
int32_t hbDNNInitializeFromFiles(hbPackedDNNHandle_t* packedDNNHandle, const char** modelFileNames,
                                 int32_t modelFileCount);

/// The same from memory, which may be freed afterwards. Errors: also INVALID_ARGUMENT for a length below 1.
int32_t hbDNNInitializeFromDDR(hbPackedDNNHandle_t* packedDNNHandle, const void** modelData, int32_t* modelDataLengths,
                               int32_t modelDataCount);

/// Takes the packed handle and its models back. Errors: MODEL_IS_RUNNING.
int32_t hbDNNRelease(hbPackedDNNHandle_t packedDNNHandle);

/// The names of the models, in the order in which they were loaded.
int32_t hbDNNGetModelNameList(const char*** modelNameList, int32_t* modelNameCount,
                              hbPackedDNNHandle_t packedDNNHandle);

/// The model of a name; the same handle each time. Errors: INVALID_ARGUMENT for an unknown name.
int32_t hbDNNGetModelHandle(hbDNNHandle_t* dnnHandle, hbPackedDNNHandle_t packedDNNHandle, const char* modelName);

/// How many inputs a model has, and of one of them name and properties. Errors: INVALID_ARGUMENT for an index that is
/// out of range.
int32_t hbDNNGetInputCount(int32_t* inputCount, hbDNNHandle_t dnnHandle);
int32_t hbDNNGetInputName(const char** name, hbDNNHandle_t dnnHandle, int32_t inputIndex);
int32_t hbDNNGetInputTensorProperties(hbDNNTensorProperties* properties, hbDNNHandle_t dnnHandle, int32_t inputIndex);

/// The same of outputs.
int32_t hbDNNGetOutputCount(int32_t* outputCount, hbDNNHandle_t dnnHandle);
int32_t hbDNNGetOutputName(const char** name, hbDNNHandle_t dnnHandle, int32_t outputIndex);
int32_t hbDNNGetOutputTensorProperties(hbDNNTensorProperties* properties, hbDNNHandle_t dnnHandle, int32_t outputIndex);

/// Starts a model, and returns at once. *taskHandle is null, and set; or the handle of a task that waits for more.
///
/// output: the address of a pointer to one tensor for each output, of which sysMem[0] is read. input: one tensor for
/// each input. A model with a batch of N takes also N tensors with a batch of 1 instead of each: in0[b0], in0[b1], …,
/// in1[b0], …. The memory of all of them stays as it is until the task has been waited for or released; the tensors
/// themselves may go. Errors: INVALID_ARGUMENT; TASK_NUM_EXCEED_LIMIT; TASK_BATCH_SIZE_EXCEED_LIMIT; API_USE_ERROR.
/// After an error a task that waits for more is as it was.
int32_t hbDNNInfer(hbDNNTaskHandle_t* taskHandle, hbDNNTensor** output, const hbDNNTensor* input,
                   hbDNNHandle_t dnnHandle, hbDNNInferCtrlParam* inferCtrlParam);

/// Starts a model that reads from the resizer, once for each set of regions. rois: one for each input of the resizer,
/// set after set. input: all inputs, set after set, each with a batch of 1; of the resizer's the image, at least as
/// large as the region. output: each with the memory of all sets, one after the other, in steps of alignedByteSize;
/// their number is rounded up to a multiple of the model's batch. Errors: as hbDNNInfer; INVALID_ARGUMENT for regions
/// and images that break the limits of the model's architecture.
int32_t hbDNNRoiInfer(hbDNNTaskHandle_t* taskHandle, hbDNNTensor** output, const hbDNNTensor* input, hbDNNRoi* rois,
                      int32_t roiCount, hbDNNHandle_t dnnHandle, hbDNNInferCtrlParam* inferCtrlParam);

/// Waits until a task is done; for `timeout` milliseconds if that is above 0.
/// Errors: TIMEOUT; RUN_TASK_FAILED; API_USE_ERROR while the task waits for more; INVALID_TASK_HANDLE also when it is
/// released meanwhile.
int32_t hbDNNWaitTaskDone(hbDNNTaskHandle_t taskHandle, int32_t timeout);

/// Takes a task back. What has not begun will not; what runs ends at the next node (what another task pre-empted, when
/// that one has ended), and this call waits for it: afterwards nothing touches the tensors' memory. Results that were
/// there stay.
int32_t hbDNNReleaseTask(hbDNNTaskHandle_t taskHandle);

/// Resizes a region of an image, or all of it (roi: null), and returns at once. taskHandle: set, whatever it was
/// before; hbDNNReleaseTask takes it back, and so does a further call when 32 are alive and this one has been waited
/// for. Both tensors are images of one type, with sides of 1 … 4080 pixels, those of NV12 even; each side becomes less
/// than 256 times as long, and at most 185 times shorter.
/// Errors: INVALID_ARGUMENT; TASK_NUM_EXCEED_LIMIT.
int32_t hbDNNResize(hbDNNTaskHandle_t* taskHandle, hbDNNTensor* output, const hbDNNTensor* input, const hbDNNRoi* roi,
                    hbDNNResizeCtrlParam* resizeCtrlParam);

#ifdef __cplusplus
}
#endif
