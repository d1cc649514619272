// task_functions: the functions hbDNNInfer, hbDNNRoiInfer and hbDNNResize, and those that await and release tasks.
// Flow: part of hb_dnn.hpp; contract in dnn/hb_dnn.h.
#pragma once

#include <nnrt/hb_dnn/infer.hpp>
#include <nnrt/hb_dnn/resize.hpp>

#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// The requested way of resizing. A C program may store any number; reading others as the enumeration is undefined.
inline int resize_type_of(const hbDNNResizeCtrlParam& control) {
  int type = 0;
  static_assert(sizeof type == sizeof control.resizeType);
  std::memcpy(&type, &control.resizeType, sizeof type);
  return type;
}

/// Common part of hbDNNInfer and hbDNNRoiInfer. prepare(model, jobs) checks the tensors.
template <class Prepare>
std::int32_t start_model(const char* function, hbDNNTaskHandle_t* task_handle,
                         std::initializer_list<c_api::argument> tensors, const void* model_handle,
                         const hbDNNInferCtrlParam* control, bool of_regions, Prepare prepare) noexcept {
  return coded(function, [&](const char* me) -> std::int32_t {
    if (misses(me, tensors) || misses(me, {{"taskHandle", task_handle}, {"inferCtrlParam", control}}))
      return HB_DNN_INVALID_ARGUMENT;
    const auto found = runtime::the().models.find(model_handle);
    if (found == nullptr) return fails(HB_DNN_INVALID_DNN_HANDLE, {me, ": no such model, or it was released"});
    if ((found->model->resizer_inputs > 0) != of_regions)
      return fails(HB_DNN_API_USE_ERROR, {me, of_regions ? ": the model reads nothing from the resizer"
                                                         : ": the model reads from the resizer"});
    if (const diagnostic wrong = fault_of_order(control->bpuCoreId, control->dspCoreId, control->priority);
        !wrong.empty())
      return fails(HB_DNN_INVALID_ARGUMENT, {me, ": ", wrong});
    const job_order order = order_of(control->bpuCoreId, control->priority, control->customId);
    std::vector<work> jobs;
    if (const std::int32_t code = prepare(me, found->model, jobs); code != HB_DNN_SUCCESS) return code;
    return start(me, task_handle, model_handle, order, control->more != 0, std::move(jobs));
  });
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn

// NOLINTBEGIN(readability-identifier-naming): parameters are named as in the C header.

NNRT_C_API int32_t hbDNNInfer(hbDNNTaskHandle_t* taskHandle, hbDNNTensor** output, const hbDNNTensor* input,
                              hbDNNHandle_t dnnHandle, hbDNNInferCtrlParam* inferCtrlParam) {
  return nnrt::hb_dnn::start_model(
      "hbDNNInfer", taskHandle,
      {{"output", output}, {"*output", output != nullptr ? *output : nullptr}, {"input", input}}, dnnHandle,
      inferCtrlParam, false, [&](const char* me, const auto& model, auto& jobs) {
        return nnrt::hb_dnn::prepare_infer(me, model, *output, input, jobs);
      });
}
NNRT_C_API int32_t hbDNNRoiInfer(hbDNNTaskHandle_t* taskHandle, hbDNNTensor** output, const hbDNNTensor* input,
                                 hbDNNRoi* rois, int32_t roiCount, hbDNNHandle_t dnnHandle,
                                 hbDNNInferCtrlParam* inferCtrlParam) {
  return nnrt::hb_dnn::start_model(
      "hbDNNRoiInfer", taskHandle,
      {{"output", output}, {"*output", output != nullptr ? *output : nullptr}, {"input", input}, {"rois", rois}},
      dnnHandle, inferCtrlParam, true, [&](const char* me, const auto& model, auto& jobs) -> int32_t {
        if (roiCount < 1)
          return nnrt::hb_dnn::fails(HB_DNN_INVALID_ARGUMENT,
                                     {me, ": roiCount: got ", roiCount, ", expected at least 1"});
        return nnrt::hb_dnn::prepare_regions(me, model, *output, input,
                                             std::span(rois, static_cast<std::size_t>(roiCount)), jobs);
      });
}
NNRT_C_API int32_t hbDNNResize(hbDNNTaskHandle_t* taskHandle, hbDNNTensor* output, const hbDNNTensor* input,
                               const hbDNNRoi* roi, hbDNNResizeCtrlParam* resizeCtrlParam) {
  using namespace nnrt::hb_dnn;
  return coded("hbDNNResize", [&](const char* me) -> int32_t {
    if (misses(
            me,
            {{"taskHandle", taskHandle}, {"output", output}, {"input", input}, {"resizeCtrlParam", resizeCtrlParam}}))
      return HB_DNN_INVALID_ARGUMENT;
    diagnostic wrong = fault_of_order(resizeCtrlParam->bpuCoreId, HB_DSP_CORE_ANY, resizeCtrlParam->priority);
    if (const int type = resize_type_of(*resizeCtrlParam); wrong.empty() && type != HB_DNN_RESIZE_TYPE_BILINEAR)
      wrong = nnrt::joined({"resizeType: got ", type, ", expected ", static_cast<int>(HB_DNN_RESIZE_TYPE_BILINEAR)});
    if (!wrong.empty()) return fails(HB_DNN_INVALID_ARGUMENT, {me, ": ", wrong});
    const job_order order = order_of(resizeCtrlParam->bpuCoreId, resizeCtrlParam->priority, 0);
    std::vector<work> jobs;
    if (const int32_t code = prepare_resize(me, *output, *input, roi, jobs); code != HB_DNN_SUCCESS) return code;
    hbDNNTaskHandle_t made = nullptr;  // *taskHandle is only an output: clients pass uninitialised variables
    const int32_t code = start(me, &made, nullptr, order, false, std::move(jobs));
    if (code == HB_DNN_SUCCESS) *taskHandle = made;
    return code;
  });
}
NNRT_C_API int32_t hbDNNWaitTaskDone(hbDNNTaskHandle_t taskHandle, int32_t timeout) {
  using namespace nnrt::hb_dnn;
  return coded("hbDNNWaitTaskDone", [&](const char* me) -> int32_t {
    const auto one = runtime::the().tasks.find(taskHandle);
    if (one == nullptr) return fails(HB_DNN_INVALID_TASK_HANDLE, {me, ": no such task, or it was released"});
    const int32_t code = runtime::the().cores.wait(*one, timeout);
    return code == HB_DNN_API_USE_ERROR ? fails(code, {me, ": the task waits for more calls"}) : code;
  });
}
NNRT_C_API int32_t hbDNNReleaseTask(hbDNNTaskHandle_t taskHandle) {
  using namespace nnrt::hb_dnn;
  return coded("hbDNNReleaseTask", [&](const char* me) -> int32_t {
    const auto one = runtime::the().tasks.take(taskHandle);
    if (one == nullptr) return fails(HB_DNN_INVALID_TASK_HANDLE, {me, ": no such task, or it was released"});
    runtime::the().cores.release(*one);
    return HB_DNN_SUCCESS;
  });
}

// NOLINTEND(readability-identifier-naming)
