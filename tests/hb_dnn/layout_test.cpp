// layout: sizes, offsets and numbers of the dnn headers are those of the boards' documentation, in C++ as in C.
#include <dnn/hb_dnn.h>
#include <dnn/hb_dnn_ext.h>
#include <dnn/plugin/hb_dnn_layer.h>
#include <dnn/plugin/hb_dnn_plugin.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>
#include <type_traits>

extern "C" int hb_dnn_headers_in_c(void);

namespace {

static_assert(sizeof(void*) != 8 ||
              (sizeof(hbSysMem) == 24 && sizeof(hbDNNTensorShape) == 36 && sizeof(hbDNNQuantiShift) == 16 &&
               sizeof(hbDNNQuantiScale) == 32 && sizeof(hbDNNTensorProperties) == 176 && sizeof(hbDNNTensor) == 272 &&
               sizeof(hbDNNInferCtrlParam) == 32 && sizeof(hbDNNResizeCtrlParam) == 28));
static_assert(sizeof(void*) != 8 ||
              (offsetof(hbDNNTensorProperties, tensorLayout) == 72 &&
               offsetof(hbDNNTensorProperties, tensorType) == 76 && offsetof(hbDNNTensorProperties, shift) == 80 &&
               offsetof(hbDNNTensorProperties, scale) == 96 && offsetof(hbDNNTensorProperties, quantiType) == 128 &&
               offsetof(hbDNNTensorProperties, quantizeAxis) == 132 &&
               offsetof(hbDNNTensorProperties, alignedByteSize) == 136 &&
               offsetof(hbDNNTensorProperties, stride) == 140 && offsetof(hbDNNTensor, properties) == 96));
static_assert(std::is_same_v<hbPackedDNNHandle_t, void*> && std::is_same_v<hbDNNHandle_t, void*> &&
              std::is_same_v<hbDNNTaskHandle_t, void*>);

struct number {
  std::string_view name;
  int got, expected;
};
constexpr number numbers[] = {
    {"layout nhwc", HB_DNN_LAYOUT_NHWC, 0},
    {"layout nchw", HB_DNN_LAYOUT_NCHW, 2},
    {"layout none", HB_DNN_LAYOUT_NONE, 255},
    {"y", HB_DNN_IMG_TYPE_Y, 0},
    {"nv12", HB_DNN_IMG_TYPE_NV12, 1},
    {"nv12 separate", HB_DNN_IMG_TYPE_NV12_SEPARATE, 2},
    {"yuv444", HB_DNN_IMG_TYPE_YUV444, 3},
    {"rgb", HB_DNN_IMG_TYPE_RGB, 4},
    {"bgr", HB_DNN_IMG_TYPE_BGR, 5},
    {"s4", HB_DNN_TENSOR_TYPE_S4, 6},
    {"u4", HB_DNN_TENSOR_TYPE_U4, 7},
    {"s8", HB_DNN_TENSOR_TYPE_S8, 8},
    {"u8", HB_DNN_TENSOR_TYPE_U8, 9},
    {"f16", HB_DNN_TENSOR_TYPE_F16, 10},
    {"s16", HB_DNN_TENSOR_TYPE_S16, 11},
    {"u16", HB_DNN_TENSOR_TYPE_U16, 12},
    {"f32", HB_DNN_TENSOR_TYPE_F32, 13},
    {"s32", HB_DNN_TENSOR_TYPE_S32, 14},
    {"u32", HB_DNN_TENSOR_TYPE_U32, 15},
    {"f64", HB_DNN_TENSOR_TYPE_F64, 16},
    {"s64", HB_DNN_TENSOR_TYPE_S64, 17},
    {"u64", HB_DNN_TENSOR_TYPE_U64, 18},
    {"max", HB_DNN_TENSOR_TYPE_MAX, 19},
    // As clients write them: bare, and after the enumeration's name.
    {"none", NONE, 0},
    {"shift", hbDNNQuantiType::SHIFT, 1},
    {"scale", hbDNNQuantiType::SCALE, 2},
    {"lowest", HB_DNN_PRIORITY_LOWEST, 0},
    {"highest", HB_DNN_PRIORITY_HIGHEST, 255},
    {"preemp", HB_DNN_PRIORITY_PREEMP, 255},
    {"any core", HB_BPU_CORE_ANY, 0},
    {"core 0", HB_BPU_CORE_0, 1},
    {"core 1", HB_BPU_CORE_1, 2},
    {"any dsp", HB_DSP_CORE_ANY, 0},
    {"dsp 0", HB_DSP_CORE_0, 1},
    {"dsp 1", HB_DSP_CORE_1, 2},
    {"invalidate", HB_SYS_MEM_CACHE_INVALIDATE, 1},
    {"clean", HB_SYS_MEM_CACHE_CLEAN, 2},
    {"bilinear", HB_DNN_RESIZE_TYPE_BILINEAR, 0},
    {"success", HB_DNN_SUCCESS, 0},
    {"argument", HB_DNN_INVALID_ARGUMENT, -6000001},
    {"model", HB_DNN_INVALID_MODEL, -6000002},
    {"models", HB_DNN_MODEL_NUMBER_EXCEED_LIMIT, -6000003},
    {"packed", HB_DNN_INVALID_PACKED_DNN_HANDLE, -6000004},
    {"handle", HB_DNN_INVALID_DNN_HANDLE, -6000005},
    {"file", HB_DNN_CAN_NOT_OPEN_FILE, -6000006},
    {"memory", HB_DNN_OUT_OF_MEMORY, -6000007},
    {"timeout", HB_DNN_TIMEOUT, -6000008},
    {"tasks", HB_DNN_TASK_NUM_EXCEED_LIMIT, -6000009},
    {"batch", HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT, -6000010},
    {"task", HB_DNN_INVALID_TASK_HANDLE, -6000011},
    {"failed", HB_DNN_RUN_TASK_FAILED, -6000012},
    {"running", HB_DNN_MODEL_IS_RUNNING, -6000013},
    {"incompatible", HB_DNN_INCOMPATIBLE_MODEL, -6000014},
    {"use", HB_DNN_API_USE_ERROR, -6000015},
    {"processes", HB_DNN_MULTI_PROGRESS_USE_ERROR, -6000016},
    {"sys success", HB_SYS_SUCCESS, 0},
    {"sys argument", HB_SYS_INVALID_ARGUMENT, -6000129},
    {"sys memory", HB_SYS_OUT_OF_MEMORY, -6000130},
    {"sys register", HB_SYS_REGISTER_MEM_FAILED, -6000131},
};

}  // namespace

TEST_CASE("layout: every number is the documented one") {
  for (const number& n : numbers) {
    CAPTURE(n.name);
    CHECK(n.got == n.expected);
  }
  CHECK((HB_DNN_VERSION_MAJOR == 1 && HB_DNN_VERSION_MINOR == 1 && HB_DNN_VERSION_PATCH == 0 &&
         HB_DNN_TENSOR_MAX_DIMENSIONS == 8));
}

TEST_CASE("layout: the initialising macros set every member, in C as in C++") {
  hbDNNInferCtrlParam control = {9, 9, 9, 9, 9, 9, 9};
  HB_DNN_INITIALIZE_INFER_CTRL_PARAM(&control);
  CHECK((control.bpuCoreId == 0 && control.dspCoreId == 0 && control.priority == 0 && control.more == 0 &&
         control.customId == 0 && control.reserved1 == 0 && control.reserved2 == 0));
  hbDNNResizeCtrlParam resize = {9, 9, HB_DNN_RESIZE_TYPE_BILINEAR, 9, 9, 9, 9};
  HB_DNN_INITIALIZE_RESIZE_CTRL_PARAM(&resize);
  CHECK((resize.bpuCoreId == 0 && resize.priority == 0 && resize.reserved1 == 0 && resize.reserved2 == 0 &&
         resize.reserved3 == 0 && resize.reserved4 == 0));
  CHECK(hb_dnn_headers_in_c() == 2 + 7 + 2);
}
