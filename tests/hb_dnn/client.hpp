// client: what programs for the boards do, as short as tests want it - loading models, tensors with memory, one call
// and its results.
// Flow: tests of hbDNN use it; it calls the C functions alone.
#pragma once

#include "hb_dnn/networks.hpp"

#include <dnn/hb_dnn.h>
#include <dnn/hb_dnn_ext.h>

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace nnrt_test {

/// Before anything is called: what fails on purpose shall not fill the log.
inline const bool hb_dnn_is_quiet = ::setenv("HB_DNN_LOG_LEVEL", "0", 1) == 0;

/// Sets the number of simulated cores, 1 or 2; false while a task runs.
bool use_cores(int count);
/// What keeps the allocated memory at this address; expired once nobody does.
std::weak_ptr<const void> memory_at(const void* address);

inline std::int32_t load(hbPackedDNNHandle_t* packed, const std::string& bytes) {
  const void* data = bytes.data();
  std::int32_t length = static_cast<std::int32_t>(bytes.size());
  return hbDNNInitializeFromDDR(packed, &data, &length, 1);
}

/// Packed models, released at the end; release() earlier.
struct packed {
  hbPackedDNNHandle_t handle = nullptr;
  explicit packed(const std::vector<network>& networks) {
    REQUIRE(load(&handle, bytes_of(networks)) == HB_DNN_SUCCESS);
  }
  packed(const packed&) = delete;
  ~packed() {
    if (handle != nullptr) CHECK(hbDNNRelease(handle) == HB_DNN_SUCCESS);
  }
  hbDNNHandle_t model(std::int32_t i = 0) const {
    const char** names = nullptr;
    std::int32_t count = 0;
    REQUIRE(hbDNNGetModelNameList(&names, &count, handle) == HB_DNN_SUCCESS);
    REQUIRE(i < count);
    hbDNNHandle_t found = nullptr;
    REQUIRE(hbDNNGetModelHandle(&found, handle, names[i]) == HB_DNN_SUCCESS);
    return found;
  }
};

/// Tensors with separate memory.
struct tensors {
  std::vector<hbDNNTensor> list;
  tensors() = default;
  tensors(tensors&& other) noexcept : list(std::move(other.list)) { other.list.clear(); }
  tensors(const tensors&) = delete;
  tensors& operator=(tensors&& other) noexcept {
    std::swap(list, other.list);
    return *this;
  }
  ~tensors() {
    for (hbDNNTensor& each : list)
      for (hbSysMem& mem : each.sysMem)
        if (mem.virAddr != nullptr) CHECK(hbSysFreeMem(&mem) == HB_SYS_SUCCESS);
  }
  /// `bytes` of memory, or as many as the properties ask for.
  hbDNNTensor& add(const hbDNNTensorProperties& properties, std::int64_t bytes = 0) {
    hbDNNTensor made{};
    made.properties = properties;
    REQUIRE(hbSysAllocCachedMem(&made.sysMem[0],
                                static_cast<std::uint32_t>(bytes > 0 ? bytes : properties.alignedByteSize)) ==
            HB_SYS_SUCCESS);
    list.push_back(made);
    return list.back();
  }
  hbDNNTensor* data() { return list.data(); }
  hbDNNTensor& operator[](std::size_t i) { return list[i]; }
  template <class T> T* at(std::size_t i, int piece = 0) { return static_cast<T*>(list[i].sysMem[piece].virAddr); }
};

inline hbDNNTensorProperties input_of(hbDNNHandle_t model, std::int32_t i = 0) {
  hbDNNTensorProperties p;
  REQUIRE(hbDNNGetInputTensorProperties(&p, model, i) == HB_DNN_SUCCESS);
  return p;
}
inline hbDNNTensorProperties output_of(hbDNNHandle_t model, std::int32_t i = 0) {
  hbDNNTensorProperties p;
  REQUIRE(hbDNNGetOutputTensorProperties(&p, model, i) == HB_DNN_SUCCESS);
  return p;
}
/// Of an image with rows of `stride` pixels, or bytes.
inline hbDNNTensorProperties image_of(hbDNNDataType type, int w, int h, int stride,
                                      hbDNNTensorLayout layout = HB_DNN_LAYOUT_NCHW) {
  hbDNNTensorProperties p{};
  const bool is_nhwc = layout == HB_DNN_LAYOUT_NHWC;
  const int c = type == HB_DNN_IMG_TYPE_Y ? 1 : 3;
  p.validShape = is_nhwc ? hbDNNTensorShape{{1, h, w, c}, 4} : hbDNNTensorShape{{1, c, h, w}, 4};
  p.alignedShape = p.validShape;
  p.alignedShape.dimensionSize[is_nhwc ? 2 : 3] = stride;
  p.tensorLayout = layout;
  p.tensorType = type;
  const bool is_nv12 = type == HB_DNN_IMG_TYPE_NV12 || type == HB_DNN_IMG_TYPE_NV12_SEPARATE;
  p.alignedByteSize = stride * h * (is_nv12 ? 3 : 2 * c) / 2;
  return p;
}
inline tensors inputs_for(hbDNNHandle_t model) {
  std::int32_t count = 0;
  REQUIRE(hbDNNGetInputCount(&count, model) == HB_DNN_SUCCESS);
  tensors made;
  for (std::int32_t i = 0; i < count; ++i) made.add(input_of(model, i));
  return made;
}
/// `times`: number of results that the memory is for.
inline tensors outputs_for(hbDNNHandle_t model, int times = 1) {
  std::int32_t count = 0;
  REQUIRE(hbDNNGetOutputCount(&count, model) == HB_DNN_SUCCESS);
  tensors made;
  for (std::int32_t i = 0; i < count; ++i)
    made.add(output_of(model, i), std::int64_t{times} * output_of(model, i).alignedByteSize);
  return made;
}
inline hbDNNInferCtrlParam plainly() {
  hbDNNInferCtrlParam control;
  HB_DNN_INITIALIZE_INFER_CTRL_PARAM(&control);
  return control;
}
inline hbDNNResizeCtrlParam plain_resize() {
  hbDNNResizeCtrlParam control;
  HB_DNN_INITIALIZE_RESIZE_CTRL_PARAM(&control);
  return control;
}
inline std::int32_t begin(hbDNNTaskHandle_t* task, hbDNNHandle_t model, const hbDNNTensor* in, tensors& out,
                          hbDNNInferCtrlParam control = plainly()) {
  hbDNNTensor* first = out.data();
  return hbDNNInfer(task, &first, in, model, &control);
}
/// Starts a task, waits for it, releases it; the first code that is not of success.
inline std::int32_t infer(hbDNNHandle_t model, const hbDNNTensor* in, tensors& out,
                          hbDNNInferCtrlParam control = plainly()) {
  hbDNNTaskHandle_t task = nullptr;
  if (const std::int32_t code = begin(&task, model, in, out, control); code != HB_DNN_SUCCESS) return code;
  const std::int32_t code = hbDNNWaitTaskDone(task, 0), released = hbDNNReleaseTask(task);
  return code != HB_DNN_SUCCESS ? code : released;
}

/// Numbers without a pattern.
inline std::uint8_t noise(std::uint32_t i) {
  i = (i ^ 61U ^ (i >> 16U)) * 9U;
  i = (i ^ (i >> 4U)) * 0x27d4eb2dU;
  return static_cast<std::uint8_t>(i ^ (i >> 15U));
}
inline void fill_with_noise(void* first, std::size_t bytes, std::uint32_t seed = 1) {
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<std::uint8_t*>(first)[i] = noise(static_cast<std::uint32_t>(i) + 1000003U * seed);
}

}  // namespace nnrt_test
