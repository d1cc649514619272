// main: a camera program as boards run it - NV12 frames, hbDNNResize, hbDNNInfer - compared with the network in floats.
// Flow: frames.hpp draws what the camera sees, classifier.cpp compiles the model; everything else here are the C
// functions of dnn/hb_dnn.h.
#include "classifier.hpp"
#include "frames.hpp"

#include <dnn/hb_dnn.h>
#include <dnn/hb_sys.h>

#include <nnrt/io/embed.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

NNRT_EMBED(held_out_file, "held_out.safetensors");

namespace example { namespace {

constexpr std::size_t shown = 10, frames = 100;

void must(std::int32_t code, const char* what) {
  if (code == HB_DNN_SUCCESS) return;
  std::fprintf(stderr, "bpu_camera: %s: %d\n", what, static_cast<int>(code));
  std::exit(1);
}

/// An NV12 image in the accelerator's memory.
hbDNNTensor nv12_tensor(std::int32_t width, std::int32_t height) {
  hbDNNTensor made{};
  made.properties.validShape = made.properties.alignedShape = {{1, 3, height, width}, 4};
  made.properties.tensorLayout = HB_DNN_LAYOUT_NCHW;
  made.properties.tensorType = HB_DNN_IMG_TYPE_NV12;
  must(hbSysAllocCachedMem(&made.sysMem[0], static_cast<std::uint32_t>(width * height * 3 / 2)), "hbSysAllocCachedMem");
  return made;
}

/// The frame's square around the digit, 8 x 8 pixels of it, in `to`.
void cut_out(hbDNNTensor& frame, const square& at, hbDNNTensor& to) {
  const hbDNNRoi roi{at.left, at.top, at.left + at.side - 1, at.top + at.side - 1};
  hbDNNResizeCtrlParam control;
  HB_DNN_INITIALIZE_RESIZE_CTRL_PARAM(&control);
  hbDNNTaskHandle_t task = nullptr;
  must(hbSysFlushMem(&frame.sysMem[0], HB_SYS_MEM_CACHE_CLEAN), "hbSysFlushMem");
  must(hbDNNResize(&task, &to, &frame, &roi, &control), "hbDNNResize");
  must(hbDNNWaitTaskDone(task, 0), "hbDNNWaitTaskDone");
  must(hbDNNReleaseTask(task), "hbDNNReleaseTask");
}

/// Copies an image of 8 x 8 pixels out of the accelerator's memory.
patch patch_of(hbDNNTensor& image) {
  patch made{};
  must(hbSysFlushMem(&image.sysMem[0], HB_SYS_MEM_CACHE_INVALIDATE), "hbSysFlushMem");
  std::memcpy(made.data(), image.sysMem[0].virAddr, made.size());
  return made;
}

/// The model on the accelerator.
class accelerator {
 public:
  explicit accelerator(const std::string& model_bytes) {
    const void* data = model_bytes.data();
    std::int32_t length = static_cast<std::int32_t>(model_bytes.size()), count = 0;
    const char** names = nullptr;
    must(hbDNNInitializeFromDDR(&packed_, &data, &length, 1), "hbDNNInitializeFromDDR");
    must(hbDNNGetModelNameList(&names, &count, packed_), "hbDNNGetModelNameList");
    must(hbDNNGetModelHandle(&model_, packed_, names[0]), "hbDNNGetModelHandle");
    must(hbDNNGetInputTensorProperties(&input_, model_, 0), "hbDNNGetInputTensorProperties");
    must(hbDNNGetOutputTensorProperties(&output_.properties, model_, 0), "hbDNNGetOutputTensorProperties");
    must(hbSysAllocCachedMem(&output_.sysMem[0], static_cast<std::uint32_t>(output_.properties.alignedByteSize)),
         "hbSysAllocCachedMem");
    std::printf("%s: input %d x %d, rows of %d bytes, %d bytes; output %d numbers\n\n", names[0],
                input_.validShape.dimensionSize[3], input_.validShape.dimensionSize[2],
                input_.alignedShape.dimensionSize[3], input_.alignedByteSize, output_.properties.alignedByteSize / 4);
  }
  accelerator(const accelerator&) = delete;
  ~accelerator() {
    must(hbSysFreeMem(&output_.sysMem[0]), "hbSysFreeMem");
    must(hbDNNRelease(packed_), "hbDNNRelease");
  }

  /// The probabilities of the ten digits. The image has no padding: alignedShape says so.
  std::array<float, 10> read(hbDNNTensor image) {
    image.properties = input_;
    image.properties.alignedShape = input_.validShape;
    hbDNNInferCtrlParam control;
    HB_DNN_INITIALIZE_INFER_CTRL_PARAM(&control);
    hbDNNTaskHandle_t task = nullptr;
    hbDNNTensor* outputs = &output_;
    must(hbDNNInfer(&task, &outputs, &image, model_, &control), "hbDNNInfer");
    must(hbDNNWaitTaskDone(task, 0), "hbDNNWaitTaskDone");
    must(hbDNNReleaseTask(task), "hbDNNReleaseTask");
    must(hbSysFlushMem(&output_.sysMem[0], HB_SYS_MEM_CACHE_INVALIDATE), "hbSysFlushMem");
    std::array<float, 10> probability{};
    std::memcpy(probability.data(), output_.sysMem[0].virAddr, sizeof probability);
    return probability;
  }

 private:
  hbPackedDNNHandle_t packed_ = nullptr;
  hbDNNHandle_t model_ = nullptr;
  hbDNNTensorProperties input_{};
  hbDNNTensor output_{};
};

int max_probable(const std::array<float, 10>& p) {
  return static_cast<int>(std::max_element(p.begin(), p.end()) - p.begin());
}
double probability_of_it(const std::array<float, 10>& p) { return double{*std::max_element(p.begin(), p.end())}; }

int run(const held_out& digits) {
  hbDNNTensor frame = nv12_tensor(frame_width, frame_height), image = nv12_tensor(8, 8);
  const auto see = [&](std::size_t digit) {
    draw_frame(digits, digit, static_cast<std::uint32_t>(digit), static_cast<std::uint8_t*>(frame.sysMem[0].virAddr));
    cut_out(frame, place_of_digit(static_cast<std::uint32_t>(digit)), image);
  };

  std::vector<patch> samples;  // other frames than those that are read below
  for (std::size_t digit = frames; digit < 2 * frames; ++digit) see(digit), samples.push_back(patch_of(image));
  const compiled_classifier compiled = compile_classifier(samples);
  std::printf("Frames of %d x %d, NV12. The compiled model has %zu bytes.\n", frame_width, frame_height,
              compiled.bytes.size());

  int right_in_floats = 0, right_on_board = 0, agree = 0;
  {
    accelerator board(compiled.bytes);
    std::printf("frame  at            is   floats      bayes\n");
    for (std::size_t digit = 0; digit < frames; ++digit) {
      see(digit);
      const std::array<float, 10> floats = read_in_floats(patch_of(image)), stored = board.read(image);
      const int label = digits.label(digit), by_floats = max_probable(floats), by_board = max_probable(stored);
      right_in_floats += by_floats == label ? 1 : 0;
      right_on_board += by_board == label ? 1 : 0;
      agree += by_floats == by_board ? 1 : 0;
      const square at = place_of_digit(static_cast<std::uint32_t>(digit));
      if (digit < shown)
        std::printf("%5zu  %3d,%3d %3dpx  %d    %d %.3f     %d %.3f\n", digit, at.left, at.top, at.side, label,
                    by_floats, probability_of_it(floats), by_board, probability_of_it(stored));
    }
  }
  std::printf("\nof %zu frames: floats read %d rightly, bayes %d; they agree on %d\n", frames, right_in_floats,
              right_on_board, agree);
  std::printf("\nSegment and place of each node:\n%s\nEach layer, stored against floats:\n%s",
              compiled.partition.c_str(), compiled.layers.c_str());
  must(hbSysFreeMem(&frame.sysMem[0]), "hbSysFreeMem");
  must(hbSysFreeMem(&image.sysMem[0]), "hbSysFreeMem");
  const int max_lost = static_cast<int>(frames) / 100;
  return right_on_board + max_lost >= right_in_floats && right_in_floats >= static_cast<int>(frames) * 95 / 100 ? 0 : 1;
}

}}  // namespace example

int main() {
  const auto file = nnrt::weights::parse(held_out_file);
  if (!file) return std::fprintf(stderr, "bpu_camera: %s\n", file.error().message().c_str()), 1;
  const auto digits = example::held_out::of(*file);
  if (!digits) return std::fprintf(stderr, "bpu_camera: %s\n", digits.error().message().c_str()), 1;
  return example::run(*digits);
}
