// resize: hbDNNResize and the regions of hbDNNRoiInfer have the pixels of their formulas, and each limit has its code.
#include <nnrt/c_api/support.hpp>

#include "hb_dnn/client.hpp"

#include <unistd.h>
#include <array>
#include <cmath>
#include <limits>

using namespace nnrt_test;

namespace {

std::int32_t resize(hbDNNTensor& out, const hbDNNTensor& in, const hbDNNRoi* roi,
                    hbDNNResizeCtrlParam control = plain_resize()) {
  hbDNNTaskHandle_t task = reinterpret_cast<void*>(0xdeadbeef);  // as clients leave it
  const std::int32_t code = hbDNNResize(&task, &out, &in, roi, &control);
  if (code != HB_DNN_SUCCESS) {
    CHECK(task == reinterpret_cast<void*>(0xdeadbeef));
    return code;
  }
  const std::int32_t done = hbDNNWaitTaskDone(task, 0);
  CHECK(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
  return done;
}

/// Output sample i of an axis with `dst` samples lies at i * step / 2^bits; the weighted mean of its four neighbours,
/// halves up, in double.
int sampled(const std::uint8_t* first, int stride, int channels, int src_w, int src_h, int dst_w, int dst_h, int bits,
            int counted_w, int counted_h, int x, int y, int c) {
  const auto place = [&](int i, int src, int counted, int dst, int& below, double& between) {
    const long long one = 1LL << bits, step = dst > 1 ? ((counted - 1) * one + (dst - 1) / 2) / (dst - 1) : 0,
                    at = i * step;
    below = static_cast<int>(at / one);
    between = static_cast<double>(at % one) / static_cast<double>(one);
    if (below >= src - 1) below = src - 1, between = 0;
  };
  int left = 0, top = 0;
  double fx = 0, fy = 0;
  place(x, src_w, counted_w, dst_w, left, fx);
  place(y, src_h, counted_h, dst_h, top, fy);
  const int right = fx > 0 ? left + 1 : left, bottom = fy > 0 ? top + 1 : top;
  const auto at = [&](int h, int w) { return static_cast<double>(first[h * stride + w * channels + c]); };
  const double upper = at(top, left) * (1 - fx) + at(top, right) * fx,
               lower = at(bottom, left) * (1 - fx) + at(bottom, right) * fx;
  return static_cast<int>(std::floor(upper * (1 - fy) + lower * fy + 0.5));
}

}  // namespace

TEST_CASE("resize: every sample is the bilinear one, of whole images and of regions, for each type") {
  struct row {
    hbDNNDataType type;
    hbDNNTensorLayout layout;
    int w, h, stride, to_w, to_h, to_stride;
    bool has_roi;
    hbDNNRoi roi;
  };
  const row table[] = {
      {HB_DNN_IMG_TYPE_Y, HB_DNN_LAYOUT_NCHW, 30, 20, 32, 15, 33, 16, false, {}},
      {HB_DNN_IMG_TYPE_Y, HB_DNN_LAYOUT_NCHW, 30, 20, 30, 1, 1, 1, false, {}},
      {HB_DNN_IMG_TYPE_Y, HB_DNN_LAYOUT_NHWC, 1, 1, 1, 8, 8, 8, false, {}},
      {HB_DNN_IMG_TYPE_NV12, HB_DNN_LAYOUT_NCHW, 64, 48, 64, 32, 24, 32, false, {}},
      {HB_DNN_IMG_TYPE_NV12, HB_DNN_LAYOUT_NCHW, 62, 48, 64, 32, 40, 48, true, {3, 5, 40, 31}},
      {HB_DNN_IMG_TYPE_NV12_SEPARATE, HB_DNN_LAYOUT_NCHW, 62, 48, 62, 20, 50, 20, true, {10, 4, 29, 13}},
      {HB_DNN_IMG_TYPE_BGR, HB_DNN_LAYOUT_NHWC, 27, 19, 27, 33, 11, 33, false, {}},
      {HB_DNN_IMG_TYPE_RGB, HB_DNN_LAYOUT_NCHW, 27, 19, 32, 14, 38, 16, true, {0, 0, 26, 18}},
      {HB_DNN_IMG_TYPE_YUV444, HB_DNN_LAYOUT_NHWC, 27, 19, 27, 27, 19, 27, true, {26, 18, 26, 18}},
  };
  for (const row& r : table) {
    CAPTURE(static_cast<int>(r.type));
    CAPTURE(r.to_w);
    const bool is_nv12 = r.type == HB_DNN_IMG_TYPE_NV12 || r.type == HB_DNN_IMG_TYPE_NV12_SEPARATE,
               is_separate = r.type == HB_DNN_IMG_TYPE_NV12_SEPARATE;
    tensors t;
    for (const bool is_input : {true, false}) {
      hbDNNTensor& one = t.add(is_input ? image_of(r.type, r.w, r.h, r.stride, r.layout)
                                        : image_of(r.type, r.to_w, r.to_h, r.to_stride, r.layout));
      fill_with_noise(one.sysMem[0].virAddr, one.sysMem[0].memSize, is_input ? 1 : 2);
      if (!is_separate) continue;
      REQUIRE(hbSysAllocMem(&one.sysMem[1], one.sysMem[0].memSize / 3) == HB_SYS_SUCCESS);
      fill_with_noise(one.sysMem[1].virAddr, one.sysMem[1].memSize, 3);
    }
    REQUIRE(resize(t[1], t[0], r.has_roi ? &r.roi : nullptr) == HB_DNN_SUCCESS);
    const hbDNNRoi roi = r.has_roi ? r.roi : hbDNNRoi{0, 0, r.w - 1, r.h - 1};
    const int planes = is_nv12 ? 2 : r.layout == HB_DNN_LAYOUT_NCHW && r.type != HB_DNN_IMG_TYPE_Y ? 3 : 1;
    int wrong = 0;
    for (int p = 0; p < planes; ++p) {
      const int half = is_nv12 && p == 1 ? 2 : 1,
                channels = is_nv12                                                         ? p + 1
                           : r.layout == HB_DNN_LAYOUT_NHWC && r.type != HB_DNN_IMG_TYPE_Y ? 3
                                                                                           : 1;
      const int row_of = channels == 3 ? 3 : 1;  // bytes of a pixel in the stride
      const std::uint8_t* const from =
          is_separate ? t.at<std::uint8_t>(0, p) : t.at<std::uint8_t>(0) + p * r.h * r.stride;
      const std::uint8_t* const to =
          is_separate ? t.at<std::uint8_t>(1, p) : t.at<std::uint8_t>(1) + p * r.to_h * r.to_stride;
      const int left = roi.left / half, top = roi.top / half, w = roi.right / half - left + 1,
                h = roi.bottom / half - top + 1;
      for (int y = 0; y < r.to_h / half; ++y)
        for (int x = 0; x < r.to_w / half; ++x)
          for (int c = 0; c < channels; ++c)
            wrong += to[y * r.to_stride * row_of + x * channels + c] !=
                             sampled(from + top * r.stride * row_of + left * channels, r.stride * row_of, channels, w,
                                     h, r.to_w / half, r.to_h / half, 16, w, h, x, y, c)
                         ? 1
                         : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("resize: an image of the same size is a copy") {
  tensors t;
  for (int i = 0; i < 2; ++i)
    fill_with_noise(t.add(image_of(HB_DNN_IMG_TYPE_NV12, 48, 30, 48)).sysMem[0].virAddr, 48 * 45,
                    static_cast<std::uint32_t>(i));
  REQUIRE(resize(t[1], t[0], nullptr) == HB_DNN_SUCCESS);
  CHECK(std::memcmp(t.at<char>(0), t.at<char>(1), 48 * 45) == 0);
}

TEST_CASE("resize: no padding is so large that its bytes cannot be counted") {
  constexpr int most = std::numeric_limits<std::int32_t>::max();
  const hbDNNDataType types[] = {HB_DNN_IMG_TYPE_Y,      HB_DNN_IMG_TYPE_NV12, HB_DNN_IMG_TYPE_NV12_SEPARATE,
                                 HB_DNN_IMG_TYPE_YUV444, HB_DNN_IMG_TYPE_RGB,  HB_DNN_IMG_TYPE_BGR};
  for (const hbDNNDataType type : types)
    for (const hbDNNTensorLayout layout : {HB_DNN_LAYOUT_NCHW, HB_DNN_LAYOUT_NHWC}) {
      CAPTURE(static_cast<int>(type));
      CAPTURE(static_cast<int>(layout));
      const int h = layout == HB_DNN_LAYOUT_NHWC ? 1 : 2;
      std::vector<std::uint8_t> bytes(3 * 32 * 32);  // of no region of the accelerator's, whose end nobody knows
      hbDNNTensor in{}, out{};
      for (hbDNNTensor* const each : {&in, &out}) {
        each->properties = image_of(type, 32, 32, 32, layout);
        for (hbSysMem& mem : each->sysMem) mem = {0, bytes.data(), 3 * 32 * 32};
      }
      for (const auto& [rows, stride] :
           {std::array{most, most}, std::array{most - 1, most - 1}, std::array{1 << 30, 1 << 30},
            std::array{1 << 30, 32}, std::array{most - 1, 1 << 30}}) {
        hbDNNTensor tall = in;
        tall.properties.alignedShape.dimensionSize[h] = rows,
        tall.properties.alignedShape.dimensionSize[h + 1] = stride;
        CHECK(resize(out, tall, nullptr) == HB_DNN_INVALID_ARGUMENT);
        CHECK(resize(tall, in, nullptr) == HB_DNN_INVALID_ARGUMENT);
      }
    }
}

TEST_CASE("resize: each broken limit has its code") {
  tensors t;
  t.add(image_of(HB_DNN_IMG_TYPE_NV12, 64, 48, 64));
  t.add(image_of(HB_DNN_IMG_TYPE_NV12, 32, 24, 32));
  const auto changed = [&](bool is_input, auto change) {
    hbDNNTensor tensor = t[is_input ? 0 : 1];
    change(tensor.properties);
    return is_input ? resize(t[1], tensor, nullptr) : resize(tensor, t[0], nullptr);
  };
  const auto region = [&](int left, int top, int right, int bottom) {
    const hbDNNRoi roi{left, top, right, bottom};
    return resize(t[1], t[0], &roi);
  };
  hbDNNTaskHandle_t task = nullptr;
  hbDNNResizeCtrlParam control = plain_resize(),
                       positional = {HB_BPU_CORE_0, HB_DNN_PRIORITY_HIGHEST, HB_DNN_RESIZE_TYPE_BILINEAR, 0, 0, 0, 0},
                       bad_core = {8, 0, HB_DNN_RESIZE_TYPE_BILINEAR, 0, 0, 0, 0},
                       bad_priority = {0, 256, HB_DNN_RESIZE_TYPE_BILINEAR, 0, 0, 0, 0}, bad_type = control;
  const std::int32_t seven = 7;  // no enumerator: memory that was never set
  std::memcpy(&bad_type.resizeType, &seven, sizeof seven);
  struct row {
    const char* what;
    std::int32_t got, expected;
  };
  const row table[] = {
      {"null task", hbDNNResize(nullptr, &t[1], &t[0], nullptr, &control), HB_DNN_INVALID_ARGUMENT},
      {"null output", hbDNNResize(&task, nullptr, &t[0], nullptr, &control), HB_DNN_INVALID_ARGUMENT},
      {"null input", hbDNNResize(&task, &t[1], nullptr, nullptr, &control), HB_DNN_INVALID_ARGUMENT},
      {"null control", hbDNNResize(&task, &t[1], &t[0], nullptr, nullptr), HB_DNN_INVALID_ARGUMENT},
      {"positional control", resize(t[1], t[0], nullptr, positional), HB_DNN_SUCCESS},
      {"no such core", resize(t[1], t[0], nullptr, bad_core), HB_DNN_INVALID_ARGUMENT},
      {"no such priority", resize(t[1], t[0], nullptr, bad_priority), HB_DNN_INVALID_ARGUMENT},
      {"no such interpolation", resize(t[1], t[0], nullptr, bad_type), HB_DNN_INVALID_ARGUMENT},
      {"types differ", changed(false, [](auto& p) { p.tensorType = HB_DNN_IMG_TYPE_Y; }), HB_DNN_INVALID_ARGUMENT},
      {"no image", changed(true, [](auto& p) { p.tensorType = HB_DNN_TENSOR_TYPE_F32; }), HB_DNN_INVALID_ARGUMENT},
      {"odd width", changed(true, [](auto& p) { p.validShape.dimensionSize[3] = 63; }), HB_DNN_INVALID_ARGUMENT},
      {"odd height", changed(false, [](auto& p) { p.validShape.dimensionSize[2] = 23; }), HB_DNN_INVALID_ARGUMENT},
      {"odd rows of padding",
       changed(true, [](auto& p) { p.validShape.dimensionSize[2] = 46, p.alignedShape.dimensionSize[2] = 47; }),
       HB_DNN_INVALID_ARGUMENT},
      {"even ones",
       changed(true, [](auto& p) { p.validShape.dimensionSize[2] = 44, p.alignedShape.dimensionSize[2] = 46; }),
       HB_DNN_SUCCESS},
      {"no pixels", changed(false, [](auto& p) { p.validShape.dimensionSize[2] = 0; }), HB_DNN_INVALID_ARGUMENT},
      {"aligned less than valid", changed(true, [](auto& p) { p.validShape.dimensionSize[3] = 66; }),
       HB_DNN_INVALID_ARGUMENT},
      {"more rows than memory",
       changed(true, [](auto& p) { p.validShape.dimensionSize[2] = p.alignedShape.dimensionSize[2] = 50; }),
       HB_DNN_INVALID_ARGUMENT},
      {"stride no multiple of 16",
       changed(true, [](auto& p) { p.validShape.dimensionSize[3] = 50, p.alignedShape.dimensionSize[3] = 56; }),
       HB_DNN_INVALID_ARGUMENT},
      {"stride no multiple of 16, but without padding",
       changed(true, [](auto& p) { p.validShape.dimensionSize[3] = p.alignedShape.dimensionSize[3] = 56; }),
       HB_DNN_SUCCESS},
      {"rank 3", changed(true, [](auto& p) { p.validShape.numDimensions = 3; }), HB_DNN_INVALID_ARGUMENT},
      {"region: all", region(0, 0, 63, 47), HB_DNN_SUCCESS},
      {"region: beyond the right", region(0, 0, 64, 47), HB_DNN_INVALID_ARGUMENT},
      {"region: beyond the bottom", region(0, 0, 63, 48), HB_DNN_INVALID_ARGUMENT},
      {"region: before the left", region(-1, 0, 63, 47), HB_DNN_INVALID_ARGUMENT},
      {"region: before the top", region(0, -1, 63, 47), HB_DNN_INVALID_ARGUMENT},
      {"region: right before left", region(9, 0, 8, 47), HB_DNN_INVALID_ARGUMENT},
      {"region: one pixel", region(9, 9, 9, 9), HB_DNN_SUCCESS},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(r.got == r.expected);
  }
  CHECK(task == nullptr);
}

TEST_CASE("resize: sides up to 4080, and their ratio, have their limits") {
  struct row {
    int from, to;
    std::int32_t code;
  };
  constexpr row table[] = {{4080, 23, HB_DNN_SUCCESS},          {4080, 22, HB_DNN_INVALID_ARGUMENT},
                           {4081, 40, HB_DNN_INVALID_ARGUMENT}, {1, 255, HB_DNN_SUCCESS},
                           {1, 256, HB_DNN_INVALID_ARGUMENT},   {20, 4080, HB_DNN_SUCCESS},
                           {20, 4081, HB_DNN_INVALID_ARGUMENT}, {185, 1, HB_DNN_SUCCESS},
                           {186, 1, HB_DNN_INVALID_ARGUMENT}};
  for (const row& r : table) {
    CAPTURE(r.from);
    CAPTURE(r.to);
    tensors t;
    t.add(image_of(HB_DNN_IMG_TYPE_Y, r.from, 2, r.from));
    t.add(image_of(HB_DNN_IMG_TYPE_Y, r.to, 2, r.to));
    CHECK(resize(t[1], t[0], nullptr) == r.code);
    tensors u;
    u.add(image_of(HB_DNN_IMG_TYPE_Y, 2, r.from, 2));
    u.add(image_of(HB_DNN_IMG_TYPE_Y, 2, r.to, 2));
    CHECK(resize(u[1], u[0], nullptr) == r.code);
  }
}

TEST_CASE(
    "resize: 32 tasks may be alive; one that somebody has waited for makes room, since some clients release none") {
  tensors t;  // the image, and a result for each task: two of them run at once
  for (int i = 0; i < 34; ++i) t.add(image_of(HB_DNN_IMG_TYPE_Y, 16, 16, 16));
  hbDNNResizeCtrlParam control = plain_resize();
  std::array<hbDNNTaskHandle_t, 33> list{};
  const auto begin = [&](std::size_t i) { return hbDNNResize(&list[i], &t[i + 1], &t[0], nullptr, &control); };
  for (std::size_t i = 0; i < 32; ++i) REQUIRE(begin(i) == HB_DNN_SUCCESS);
  CHECK(begin(32) == HB_DNN_TASK_NUM_EXCEED_LIMIT);
  CHECK(hbDNNWaitTaskDone(list[3], 0) == HB_DNN_SUCCESS);
  CHECK(begin(32) == HB_DNN_SUCCESS);
  CHECK(hbDNNReleaseTask(list[3]) == HB_DNN_INVALID_TASK_HANDLE);
  for (std::size_t i = 0; i < list.size(); ++i)
    if (i != 3) CHECK(hbDNNReleaseTask(list[i]) == HB_DNN_SUCCESS);
  for (int frame = 0; frame < 100; ++frame) {  // a client that releases none
    hbDNNTaskHandle_t task;
    REQUIRE(hbDNNResize(&task, &t[1], &t[0], nullptr, &control) == HB_DNN_SUCCESS);
    REQUIRE(hbDNNWaitTaskDone(task, 0) == HB_DNN_SUCCESS);
    list[static_cast<std::size_t>(frame % 32)] = task;
  }
  for (std::size_t i = 0; i < 32; ++i) CHECK(hbDNNReleaseTask(list[i]) == HB_DNN_SUCCESS);
}

TEST_CASE("resize: who hears that there are too many tasks may make and release some") {
  ::alarm(60);  // a hang ends the test
  struct state {
    tensors images;
    hbDNNResizeCtrlParam control = plain_resize();
    std::array<hbDNNTaskHandle_t, 33> list{};
    int heard = 0;
    std::int32_t begin(std::size_t i) { return hbDNNResize(&list[i], &images[i + 1], &images[0], nullptr, &control); }
  } all;
  for (int i = 0; i < 34; ++i) all.images.add(image_of(HB_DNN_IMG_TYPE_Y, 16, 16, 16));
  for (std::size_t i = 0; i < 32; ++i) REQUIRE(all.begin(i) == HB_DNN_SUCCESS);
  const auto hears = [](std::string_view, void* user) {
    auto& mine = *static_cast<state*>(user);
    ++mine.heard;
    CHECK(mine.begin(32) == HB_DNN_TASK_NUM_EXCEED_LIMIT);
    CHECK(hbDNNReleaseTask(mine.list[0]) == HB_DNN_SUCCESS);
    CHECK(mine.begin(32) == HB_DNN_SUCCESS);
  };
  nnrt::set_log(hears, &all);
  hbDNNTaskHandle_t task = nullptr;
  CHECK(hbDNNResize(&task, &all.images[1], &all.images[0], nullptr, &all.control) == HB_DNN_TASK_NUM_EXCEED_LIMIT);
  nnrt::set_log(nullptr);
  CHECK(all.heard == 1);
  for (std::size_t i = 1; i < 33; ++i) CHECK(hbDNNReleaseTask(all.list[i]) == HB_DNN_SUCCESS);
  ::alarm(0);
}

// ---- Regions ----

namespace {

/// "patches" with `sets` regions of one image, 96 x 80.
struct regions {
  packed models;
  hbDNNHandle_t model;
  int batch;
  std::vector<hbDNNRoi> rois;
  tensors in, out;
  regions(const char* architecture, int model_batch, std::vector<hbDNNRoi> wanted)
      : models({patches(architecture, model_batch)}),
        model(models.model()),
        batch(model_batch),
        rois(std::move(wanted)) {
    const int sets = static_cast<int>(rois.size());
    for (int i = 0; i < sets; ++i) {
      hbDNNTensorProperties image = input_of(model, 0), offset = input_of(model, 1);
      image.validShape = image.alignedShape = {{1, 3, 80, 96}, 4};
      fill_with_noise(in.add(image, 96 * 120).sysMem[0].virAddr, 96 * 120, 1);
      offset.validShape.dimensionSize[0] = offset.alignedShape.dimensionSize[0] = 1;
      const hbDNNTensor& t = in.add(offset, 16);
      for (int k = 0; k < 4; ++k) static_cast<float*>(t.sysMem[0].virAddr)[k] = static_cast<float>(10 * i + k);
    }
    out = outputs_for(model, (sets + batch - 1) / batch);
  }
  std::int32_t begin(hbDNNTaskHandle_t* task, int count, hbDNNInferCtrlParam control = plainly()) {
    hbDNNTensor* first = out.data();
    return hbDNNRoiInfer(task, &first, in.data(), rois.data(), count, model, &control);
  }
  std::int32_t run() {
    hbDNNTaskHandle_t task = nullptr;
    if (const std::int32_t code = begin(&task, static_cast<int>(rois.size())); code != HB_DNN_SUCCESS) return code;
    const std::int32_t code = hbDNNWaitTaskDone(task, 0);
    CHECK(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
    return code;
  }
};

}  // namespace

TEST_CASE("resize: a region goes into the network as the resizer of its architecture makes it") {
  struct row {
    const char* architecture;
    int bits, inner;
    hbDNNRoi roi;
  };
  constexpr row table[] = {{"bayes", 16, 0, {4, 6, 51, 45}},
                           {"bayes", 16, 0, {3, 7, 4, 8}},
                           {"bayes", 16, 0, {36, 20, 95, 79}},
                           {"bernoulli2", 8, 1, {4, 6, 27, 35}},
                           {"bernoulli2", 8, 1, {64, 48, 93, 77}}};
  for (const row& r : table) {
    CAPTURE(r.architecture);
    CAPTURE(r.roi.left);
    regions used(r.architecture, 1, {r.roi});
    REQUIRE(used.run() == HB_DNN_SUCCESS);
    // The same pixels, resized here, through the network of a model that reads whole images: as big a region as the
    // network's image, 16 x 16.
    std::vector<std::uint8_t> patch(16 * 24);
    const std::uint8_t* const image = used.in.at<std::uint8_t>(0);
    for (int p = 0; p < 2; ++p) {
      const int half = p + 1, left = r.roi.left / half, top = r.roi.top / half, w = r.roi.right / half - left + 1,
                h = r.roi.bottom / half - top + 1, inner = p == 0 ? r.inner : 0;
      for (int y = 0; y < 16 / half; ++y)
        for (int x = 0; x < 16 / half; ++x)
          for (int c = 0; c < half; ++c)
            patch[static_cast<std::size_t>(p * 256 + y * 16 + x * half + c)] =
                static_cast<std::uint8_t>(sampled(image + p * 96 * 80 + top * 96 + left * half, 96, half, w, h,
                                                  16 / half, 16 / half, r.bits, w - inner, h - inner, x, y, c));
    }
    const std::vector<float> expected = patches_run(r.architecture, patch, used.in.at<float>(1));
    for (std::size_t k = 0; k < 4; ++k) CHECK(used.out.at<float>(0)[k] == expected[k]);
  }
}

TEST_CASE("resize: sets of regions follow each other; a model's batch takes several, its last one is filled up") {
  const std::vector<hbDNNRoi> rois = {{0, 0, 31, 31}, {2, 2, 33, 33}, {40, 20, 71, 61}};
  std::vector<float> alone;
  for (std::size_t i = 0; i < 3; ++i) {
    regions one("bayes", 1, {rois[i]});
    for (int k = 0; k < 4; ++k) one.in.at<float>(1)[k] = static_cast<float>(10 * static_cast<int>(i) + k);
    REQUIRE(one.run() == HB_DNN_SUCCESS);
    alone.insert(alone.end(), one.out.at<float>(0), one.out.at<float>(0) + 4);
  }
  regions three("bayes", 1, rois), pair_lanes("bayes", 2, rois);
  REQUIRE(three.run() == HB_DNN_SUCCESS);
  for (std::size_t k = 0; k < 12; ++k) CHECK(three.out.at<float>(0)[k] == alone[k]);
  CHECK(pair_lanes.out[0].sysMem[0].memSize == 4 * 16);  // N = ceil(3 / 2) * 2
  REQUIRE(pair_lanes.run() == HB_DNN_SUCCESS);
  const std::vector<float> batch = {pair_lanes.out.at<float>(0), pair_lanes.out.at<float>(0) + 12};
  // calibrated apart
  for (std::size_t k = 0; k < 12; ++k) CHECK(std::fabs(batch[k] - alone[k]) < 0.1F * (1 + std::fabs(alone[k])));
  --pair_lanes.out[0].sysMem[0].memSize;
  CHECK(pair_lanes.run() == HB_DNN_INVALID_ARGUMENT);
}

TEST_CASE("resize: each broken limit of a region has its code, as its architecture has it") {
  struct row {
    const char* what;
    const char* architecture;
    hbDNNRoi roi;
    std::int32_t code;
  };
  constexpr row table[] = {
      {"16 x 16", "bernoulli2", {0, 0, 15, 15}, HB_DNN_SUCCESS},
      {"14 x 16", "bernoulli2", {0, 0, 13, 15}, HB_DNN_INVALID_ARGUMENT},
      {"16 x 14", "bernoulli2", {0, 0, 15, 13}, HB_DNN_INVALID_ARGUMENT},
      {"odd left", "bernoulli2", {1, 0, 17, 15}, HB_DNN_INVALID_ARGUMENT},
      {"odd top", "bernoulli2", {0, 1, 15, 17}, HB_DNN_INVALID_ARGUMENT},
      {"even right", "bernoulli2", {0, 0, 16, 15}, HB_DNN_INVALID_ARGUMENT},
      {"even bottom", "bernoulli2", {0, 0, 15, 16}, HB_DNN_INVALID_ARGUMENT},
      {"30 becomes 16", "bernoulli2", {0, 0, 29, 29}, HB_DNN_SUCCESS},
      {"32 becomes 16: half", "bernoulli2", {0, 0, 31, 31}, HB_DNN_INVALID_ARGUMENT},
      {"2 x 2", "bayes", {5, 5, 6, 6}, HB_DNN_SUCCESS},
      {"1 x 2", "bayes", {5, 5, 5, 6}, HB_DNN_INVALID_ARGUMENT},
      {"odd everything", "bayes", {1, 1, 40, 40}, HB_DNN_SUCCESS},
      {"60 become 16: steps of 257775 / 65536", "bayes", {0, 0, 59, 59}, HB_DNN_SUCCESS},
      {"61 become 16: steps of 262144 / 65536", "bayes", {0, 0, 60, 59}, HB_DNN_INVALID_ARGUMENT},
      {"beyond the right", "bayes", {0, 0, 96, 79}, HB_DNN_INVALID_ARGUMENT},
      {"beyond the bottom", "bayes", {0, 0, 95, 80}, HB_DNN_INVALID_ARGUMENT},
      {"before the left", "bayes", {-2, 0, 95, 79}, HB_DNN_INVALID_ARGUMENT},
      {"turned", "bayes", {20, 0, 10, 79}, HB_DNN_INVALID_ARGUMENT},
  };
  for (const row& r : table) {
    CAPTURE(r.architecture);
    CAPTURE(r.what);
    regions used(r.architecture, 1, {r.roi});
    CHECK(used.run() == r.code);
  }
}

TEST_CASE("resize: hbDNNRoiInfer's own arguments have their codes") {
  regions used("bayes", 1, {{0, 0, 31, 31}});
  hbDNNTensor *first = used.out.data(), *none = nullptr;
  hbDNNTaskHandle_t task = nullptr;
  hbDNNInferCtrlParam control = plainly();
  const packed others({pair()});
  const auto with_image = [&](auto change) {
    std::vector<hbDNNTensor> changed = used.in.list;
    change(changed[0]);
    hbDNNTaskHandle_t made = nullptr;
    const std::int32_t code = hbDNNRoiInfer(&made, &first, changed.data(), used.rois.data(), 1, used.model, &control);
    if (made != nullptr) CHECK(hbDNNReleaseTask(made) == HB_DNN_SUCCESS);
    return code;
  };
  struct row {
    const char* what;
    std::int32_t got, expected;
  };
  const row table[] = {
      {"null task", hbDNNRoiInfer(nullptr, &first, used.in.data(), used.rois.data(), 1, used.model, &control),
       HB_DNN_INVALID_ARGUMENT},
      {"null output", hbDNNRoiInfer(&task, nullptr, used.in.data(), used.rois.data(), 1, used.model, &control),
       HB_DNN_INVALID_ARGUMENT},
      {"null outputs", hbDNNRoiInfer(&task, &none, used.in.data(), used.rois.data(), 1, used.model, &control),
       HB_DNN_INVALID_ARGUMENT},
      {"null input", hbDNNRoiInfer(&task, &first, nullptr, used.rois.data(), 1, used.model, &control),
       HB_DNN_INVALID_ARGUMENT},
      {"null regions", hbDNNRoiInfer(&task, &first, used.in.data(), nullptr, 1, used.model, &control),
       HB_DNN_INVALID_ARGUMENT},
      {"null control", hbDNNRoiInfer(&task, &first, used.in.data(), used.rois.data(), 1, used.model, nullptr),
       HB_DNN_INVALID_ARGUMENT},
      {"0 regions", used.begin(&task, 0), HB_DNN_INVALID_ARGUMENT},
      {"-1 regions", used.begin(&task, -1), HB_DNN_INVALID_ARGUMENT},
      {"256 regions", used.begin(&task, 256), HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT},
      {"nobody", hbDNNRoiInfer(&task, &first, used.in.data(), used.rois.data(), 1, used.models.handle, &control),
       HB_DNN_INVALID_DNN_HANDLE},
      {"a model that reads no regions",
       hbDNNRoiInfer(&task, &first, used.in.data(), used.rois.data(), 1, others.model(), &control),
       HB_DNN_API_USE_ERROR},
      {"image: all is well", with_image([](auto&) {}), HB_DNN_SUCCESS},
      {"image: only alignedShape is set",
       with_image([&](auto& t) { t.properties.validShape = input_of(used.model).validShape; }), HB_DNN_SUCCESS},
      {"image: a byte short", with_image([](auto& t) { --t.sysMem[0].memSize; }), HB_DNN_INVALID_ARGUMENT},
      {"image: stride no multiple of 16", with_image([](auto& t) {
         t.properties.validShape.dimensionSize[3] = t.properties.alignedShape.dimensionSize[3] = 90;
       }),
       HB_DNN_INVALID_ARGUMENT},
      {"image: odd height", with_image([](auto& t) { t.properties.validShape.dimensionSize[2] = 79; }),
       HB_DNN_INVALID_ARGUMENT},
      {"image: no NV12", with_image([](auto& t) { t.properties.tensorType = HB_DNN_IMG_TYPE_RGB; }),
       HB_DNN_INVALID_ARGUMENT},
      {"image: two of them", with_image([](auto& t) { t.properties.validShape.dimensionSize[0] = 2; }),
       HB_DNN_INVALID_ARGUMENT},
      {"image: no memory", with_image([](auto& t) { t.sysMem[0].virAddr = nullptr; }), HB_DNN_INVALID_ARGUMENT},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(r.got == r.expected);
  }
  CHECK(task == nullptr);
}
