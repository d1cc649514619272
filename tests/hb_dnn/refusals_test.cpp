// refusals_test: what set_log() hears of calls that hbDNN refuses - which argument, tensor or region, got and expected.
// Flow: the codes are in codes_test.cpp and memory_test.cpp.
#include "hb_dnn/client.hpp"
#include "support/refusal_words.hpp"

#include <string>

using namespace nnrt_test;

namespace {

void* const nobody = reinterpret_cast<void*>(0x1234567);

}  // namespace

TEST_CASE("refusals: an argument that is missing is named, and a handle that stands for nothing") {
  const packed models({pair()});
  const hbDNNHandle_t model = models.model();
  hbPackedDNNHandle_t never = nullptr;
  hbDNNHandle_t found = nullptr;
  const char *no_file[] = {nullptr}, *name = nullptr;
  const void *data = "some", *no_data = nullptr;
  std::int32_t length = 4, none = 0, number = 0;
  const refusal table[] = {
      {[&] { hbDNNInitializeFromFiles(nullptr, no_file, 1); }, "hbDNNInitializeFromFiles: packedDNNHandle is null"},
      {[&] { hbDNNInitializeFromFiles(&never, no_file, 1); }, "hbDNNInitializeFromFiles: modelFileNames[0] is null"},
      {[&] { hbDNNInitializeFromFiles(&never, no_file, 0); },
       "hbDNNInitializeFromFiles: modelFileCount: got 0, expected at least 1"},
      {[&] { hbDNNInitializeFromDDR(&never, &no_data, &length, 1); }, "hbDNNInitializeFromDDR: modelData[0] is null"},
      {[&] { hbDNNInitializeFromDDR(&never, &data, &none, 1); },
       "hbDNNInitializeFromDDR: modelDataLengths[0]: got 0, expected at least 1"},
      {[&] { hbDNNGetModelNameList(nullptr, &number, models.handle); }, "hbDNNGetModelNameList: modelNameList is null"},
      {[&] { hbDNNGetModelHandle(&found, models.handle, "pears"); },
       "hbDNNGetModelHandle: no model is called \"pears\""},
      {[&] { hbDNNGetInputCount(nullptr, model); }, "hbDNNGetInputCount: inputCount is null"},
      {[&] { hbDNNGetInputName(&name, model, 2); }, "hbDNNGetInputName: input 2 of 2"},
      {[&] { hbDNNGetOutputName(&name, model, -1); }, "hbDNNGetOutputName: output -1 of 2"},
      {[&] { hbDNNGetInputCount(&number, nobody); }, "hbDNNGetInputCount: no such model, or it was released"},
      {[&] { hbDNNRelease(nobody); }, "hbDNNRelease: no such models, or they were released"},
      {[&] { hbDNNWaitTaskDone(nobody, 0); }, "hbDNNWaitTaskDone: no such task, or it was released"},
  };
  check_words(table);
}

TEST_CASE("refusals: memory says which of its numbers is wrong") {
  hbSysMem mem{}, none{};
  char byte[8] = {};
  REQUIRE(hbSysAllocMem(&mem, 64) == HB_SYS_SUCCESS);
  hbSysMem claimed = mem;
  claimed.memSize = 100;
  const refusal table[] = {
      {[] { hbSysAllocMem(nullptr, 1); }, "hbSysAllocMem: mem is null"},
      {[&] { hbSysAllocMem(&none, 0); }, "hbSysAllocMem: size: got 0, expected at least 1"},
      {[&] { hbSysFlushMem(&none, HB_SYS_MEM_CACHE_CLEAN); }, "hbSysFlushMem: mem->virAddr is null"},
      {[&] { hbSysFlushMem(&mem, 3); }, "hbSysFlushMem: flag: got 3, expected 1 or 2"},
      {[&] { hbSysFreeMem(&none); }, "hbSysFreeMem: no allocated memory begins at mem->virAddr, or it was freed"},
      {[&] { hbSysWriteMem(&mem, byte, 65); }, "hbSysWriteMem: size: got 65, expected at most dest->memSize, 64"},
      {[&] { hbSysWriteMem(&none, byte, 8); }, "hbSysWriteMem: dest->virAddr is null"},
      {[&] { hbSysReadMem(byte, &claimed, 65); },
       "hbSysReadMem: src: got memory of fewer bytes than 65 from virAddr on, as it was allocated or registered"},
      {[&] { hbSysRegisterMem(&claimed); }, "hbSysRegisterMem: the memory overlaps other memory of the accelerator"},
      {[&] { hbSysRegisterMem(&none); },
       "hbSysRegisterMem: mem->memSize is 0, or mem has neither a virAddr nor a phyAddr"},
      {[&] { hbSysUnregisterMem(&mem); }, "hbSysUnregisterMem: no registered memory begins at mem->virAddr"},
  };
  check_words(table);
  CHECK(hbSysFreeMem(&mem) == HB_SYS_SUCCESS);
}

TEST_CASE("refusals: a call of a model says which tensor or parameter is wrong, got and expected") {
  const packed models({pair()});
  const hbDNNHandle_t model = models.model();
  tensors in = inputs_for(model), out = outputs_for(model);
  const auto with_control = [&](auto change) {
    hbDNNInferCtrlParam control = plainly();
    change(control);
    hbDNNTaskHandle_t task = nullptr;
    CHECK(begin(&task, model, in.data(), out, control) != HB_DNN_SUCCESS);
  };
  const auto with_input = [&](auto change) {
    std::vector<hbDNNTensor> changed = in.list;
    change(changed[1]);
    hbDNNTaskHandle_t task = nullptr;
    CHECK(begin(&task, model, changed.data(), out) != HB_DNN_SUCCESS);
  };
  const auto with_output = [&](auto change) {
    std::vector<hbDNNTensor> changed = out.list;
    change(changed[1]);
    hbDNNTensor* first = changed.data();
    hbDNNTaskHandle_t task = nullptr;
    hbDNNInferCtrlParam control = plainly();
    CHECK(hbDNNInfer(&task, &first, in.data(), model, &control) != HB_DNN_SUCCESS);
  };
  const hbDNNTensorProperties& p = in[1].properties;
  const auto words_of = [](const hbDNNTensorShape& shape) {
    std::string all;
    for (std::int32_t i = 0; i < shape.numDimensions; ++i)
      all += (i > 0 ? ", " : "") + std::to_string(shape.dimensionSize[i]);
    return "[" + all + "]";
  };
  hbDNNTensorShape flat = p.validShape;
  flat.numDimensions = 3;
  const std::string input = "hbDNNInfer: input 1 \"b\": ", output = "hbDNNInfer: output 1 \"product\": ";
  const refusal table[] = {
      {[&] { with_control([](auto& c) { c.bpuCoreId = 4; }); }, "hbDNNInfer: bpuCoreId: got 4, expected 0 to 3"},
      {[&] { with_control([](auto& c) { c.dspCoreId = -1; }); }, "hbDNNInfer: dspCoreId: got -1, expected 0 to 3"},
      {[&] { with_control([](auto& c) { c.priority = 256; }); }, "hbDNNInfer: priority: got 256, expected 0 to 255"},
      {[&] { with_input([](auto& t) { t.sysMem[0].virAddr = nullptr; }); },
       input + "its memory has no address: virAddr is null"},
      {[&] { with_input([](auto& t) { t.sysMem[0].memSize = 1; }); },
       input + "memSize: got 1, expected at least its aligned size, " + std::to_string(p.alignedByteSize)},
      {[&] { with_input([](auto& t) { t.properties.validShape.numDimensions = 3; }); },
       input + "validShape: got " + words_of(flat) + ", expected " + words_of(p.validShape)},
      {[&] { with_input([](auto& t) { t.properties.validShape.numDimensions = 9; }); },
       input + "validShape: got 9 axes, expected " + words_of(p.validShape)},
      {[&] { with_input([](auto& t) { t.properties.tensorType = HB_DNN_TENSOR_TYPE_S32; }); },
       input + "tensorType: got " + std::to_string(HB_DNN_TENSOR_TYPE_S32) + ", expected the model's, " +
           std::to_string(p.tensorType)},
      {[&] { with_output([](auto& t) { t.sysMem[0].virAddr = static_cast<char*>(t.sysMem[0].virAddr) + 4; }); },
       output + "its memory: expected " + std::to_string(out[1].properties.alignedByteSize) +
           " bytes from virAddr on, got fewer in what was allocated or registered"},
  };
  check_words(table);
}

TEST_CASE("refusals: an image that cannot be resized says which of its sides, got and expected") {
  tensors images;
  images.add(image_of(HB_DNN_IMG_TYPE_Y, 32, 16, 32));
  images.add(image_of(HB_DNN_IMG_TYPE_Y, 16, 16, 16));
  images.add(image_of(HB_DNN_IMG_TYPE_Y, 256, 16, 256));
  static constexpr int seven = 7;
  const auto resize = [&](auto change) {
    std::vector<hbDNNTensor> changed = images.list;
    hbDNNResizeCtrlParam control = plain_resize();
    hbDNNRoi roi{0, 0, 31, 15};
    change(changed[0], changed[1], roi, control);
    hbDNNTaskHandle_t task = nullptr;
    CHECK(hbDNNResize(&task, &changed[1], &changed[0], &roi, &control) != HB_DNN_SUCCESS);
  };
  const refusal table[] = {
      {[&] { resize([](auto& from, auto&, auto&, auto&) { from.properties.tensorType = HB_DNN_TENSOR_TYPE_S8; }); },
       "hbDNNResize: input: tensorType: got " + std::to_string(HB_DNN_TENSOR_TYPE_S8) +
           ", expected that of an image, 0 to " + std::to_string(HB_DNN_IMG_TYPE_BGR)},
      {[&] { resize([](auto&, auto& to, auto&, auto&) { to.properties.validShape.numDimensions = 3; }); },
       "hbDNNResize: output: validShape: got 3 axes, expected 4"},
      {[&] { resize([](auto& from, auto&, auto&, auto&) { from.properties.alignedShape.dimensionSize[3] = 31; }); },
       "hbDNNResize: input: alignedShape: got rows of 31 bytes, expected at least the 32 of validShape"},
      {[&] { resize([](auto& from, auto&, auto&, auto&) { from.properties.alignedShape.dimensionSize[2] = 15; }); },
       "hbDNNResize: input: alignedShape: got 15 rows, expected at least the 16 of validShape"},
      {[&] { resize([](auto&, auto&, auto& roi, auto&) { roi.right = 32; }); },
       "hbDNNResize: region [left 0, top 0, right 32, bottom 15]: must lie within the image of 32 x 16 pixels"},
      {[&] {
         resize([](auto&, auto&, auto&, auto& control) { std::memcpy(&control.resizeType, &seven, sizeof seven); });
       },
       "hbDNNResize: resizeType: got 7, expected 0"},
      {[&] { resize([&](auto&, auto& to, auto& roi, auto&) {
               to = images[2], roi = {0, 0, 0, 0};
             }); },
       "hbDNNResize: width: got 256 pixels of 1, expected at least 1/185 of them, and fewer than 256 times as many"},
  };
  check_words(table);
}
