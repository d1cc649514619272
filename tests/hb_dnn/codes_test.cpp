// codes: which function answers what - one row for each (function, condition, code). Those on memory stand in
// memory_test.cpp.
#include "hb_dnn/client.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

using namespace nnrt_test;

namespace {

struct row {
  const char* what;
  std::int32_t got, expected;
};
void check(const std::vector<row>& table) {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(r.got == r.expected);
  }
}
void* const nobody = reinterpret_cast<void*>(0x1234567);

}  // namespace

TEST_CASE("codes: of functions that load models") {
  const std::string bytes = bytes_of({pair()}), other = bytes_of({pair(), counter()});
  const void* data = bytes.data();
  const void* twice[] = {bytes.data(), other.data()};
  const void* no_data = nullptr;
  std::int32_t length = static_cast<std::int32_t>(bytes.size()), none = 0,
               lengths[] = {length, static_cast<std::int32_t>(other.size())};
  const temporary_folder folder;
  const std::string path = folder.file("pair.safetensors"), wrong_path = folder.file("wrong.safetensors"),
                    empty_path = folder.file("empty"), missing = folder.file("missing");
  std::ofstream(path) << bytes;
  std::ofstream(wrong_path) << bytes.substr(0, bytes.size() / 2);
  std::ofstream{empty_path};
  const char *files[] = {path.c_str()}, *wrong[] = {wrong_path.c_str()}, *empty[] = {empty_path.c_str()},
             *no_file[] = {missing.c_str()}, *null_file[] = {nullptr}, *same[] = {path.c_str(), path.c_str()};
  const char* a_folder[] = {folder.path().c_str()};
  hbPackedDNNHandle_t from_file = nullptr, from_memory = nullptr, moved_ends = nullptr, never = nullptr;
  check({{"files: all is well", hbDNNInitializeFromFiles(&from_file, files, 1), HB_DNN_SUCCESS},
         {"files: null handle", hbDNNInitializeFromFiles(nullptr, files, 1), HB_DNN_INVALID_ARGUMENT},
         {"files: null list", hbDNNInitializeFromFiles(&never, nullptr, 1), HB_DNN_INVALID_ARGUMENT},
         {"files: null name", hbDNNInitializeFromFiles(&never, null_file, 1), HB_DNN_INVALID_ARGUMENT},
         {"files: none", hbDNNInitializeFromFiles(&never, files, 0), HB_DNN_INVALID_ARGUMENT},
         {"files: -1", hbDNNInitializeFromFiles(&never, files, -1), HB_DNN_INVALID_ARGUMENT},
         {"files: missing", hbDNNInitializeFromFiles(&never, no_file, 1), HB_DNN_CAN_NOT_OPEN_FILE},
         {"files: a folder", hbDNNInitializeFromFiles(&never, a_folder, 1), HB_DNN_CAN_NOT_OPEN_FILE},
         {"files: half of one", hbDNNInitializeFromFiles(&never, wrong, 1), HB_DNN_INVALID_MODEL},
         {"files: an empty one", hbDNNInitializeFromFiles(&never, empty, 1), HB_DNN_INVALID_MODEL},
         {"files: one model twice", hbDNNInitializeFromFiles(&never, same, 2), HB_DNN_INVALID_MODEL},
         {"memory: all is well", hbDNNInitializeFromDDR(&from_memory, &data, &length, 1), HB_DNN_SUCCESS},
         {"memory: null handle", hbDNNInitializeFromDDR(nullptr, &data, &length, 1), HB_DNN_INVALID_ARGUMENT},
         {"memory: null list", hbDNNInitializeFromDDR(&never, nullptr, &length, 1), HB_DNN_INVALID_ARGUMENT},
         {"memory: null lengths", hbDNNInitializeFromDDR(&never, &data, nullptr, 1), HB_DNN_INVALID_ARGUMENT},
         {"memory: null model", hbDNNInitializeFromDDR(&never, &no_data, &length, 1), HB_DNN_INVALID_ARGUMENT},
         {"memory: length 0", hbDNNInitializeFromDDR(&never, &data, &none, 1), HB_DNN_INVALID_ARGUMENT},
         {"memory: none", hbDNNInitializeFromDDR(&never, &data, &length, 0), HB_DNN_INVALID_ARGUMENT},
         {"memory: one model twice", hbDNNInitializeFromDDR(&never, twice, lengths, 2), HB_DNN_INVALID_MODEL},
         {"memory: another architecture than what is loaded", load(&never, bytes_of({stored("bernoulli2")})),
          HB_DNN_INCOMPATIBLE_MODEL},
         {"memory: two architectures", load(&never, bytes_of({stored("bernoulli2"), counter()})),
          HB_DNN_INCOMPATIBLE_MODEL},
         {"memory: no architecture", load(&never, bytes_of({stored("nobody's")})), HB_DNN_INVALID_MODEL},
         {"memory: a name that ends too early", load(&never, bytes_of({renamed(counter(), std::string("a\0b", 3))})),
          HB_DNN_INVALID_MODEL},
         {"memory: an input of no items", load(&never, bytes_of({of_no_items()})), HB_DNN_INVALID_MODEL},
         {"memory: a zero point that int8_t has not", load(&never, bytes_of({moved(true)})), HB_DNN_INVALID_MODEL},
         {"memory: one that it has", load(&moved_ends, bytes_of({moved(false)})), HB_DNN_SUCCESS},
         {"release: that", hbDNNRelease(moved_ends), HB_DNN_SUCCESS},
         {"release: all is well", hbDNNRelease(from_file), HB_DNN_SUCCESS},
         {"release: twice", hbDNNRelease(from_file), HB_DNN_INVALID_PACKED_DNN_HANDLE},
         {"release: null", hbDNNRelease(nullptr), HB_DNN_INVALID_PACKED_DNN_HANDLE},
         {"release: nobody", hbDNNRelease(nobody), HB_DNN_INVALID_PACKED_DNN_HANDLE},
         {"release: the other", hbDNNRelease(from_memory), HB_DNN_SUCCESS},
         {"memory: another architecture when nothing is loaded", load(&from_memory, bytes_of({stored("bernoulli2")})),
          HB_DNN_SUCCESS},
         {"release: that", hbDNNRelease(from_memory), HB_DNN_SUCCESS}});
  CHECK(never == nullptr);
  CHECK(std::string_view(hbDNNGetVersion()) == "1.1.0");
}

TEST_CASE("codes: a packed handle has up to 255 models, of one file or of several") {
  hbPackedDNNHandle_t all = nullptr, none = nullptr;
  const std::string most = bytes_of(many(counter(), 255)), one = bytes_of({pair()});
  const void* both[] = {most.data(), one.data()};
  std::int32_t lengths[] = {static_cast<std::int32_t>(most.size()), static_cast<std::int32_t>(one.size())}, count = 0;
  CHECK(load(&none, bytes_of(many(counter(), 256))) == HB_DNN_MODEL_NUMBER_EXCEED_LIMIT);
  CHECK(hbDNNInitializeFromDDR(&none, both, lengths, 2) == HB_DNN_MODEL_NUMBER_EXCEED_LIMIT);
  REQUIRE(hbDNNInitializeFromDDR(&all, both, lengths, 1) == HB_DNN_SUCCESS);
  const char** names = nullptr;
  REQUIRE(hbDNNGetModelNameList(&names, &count, all) == HB_DNN_SUCCESS);
  CHECK((none == nullptr && count == 255 && std::string_view(names[254]) == "counter254"));
  CHECK(hbDNNRelease(all) == HB_DNN_SUCCESS);
}

TEST_CASE("codes: HB_DNN_SIM_PLATFORM says which models are compatible") {
  struct platform {
    const char *name, *architecture;
    std::int32_t code;
  };
  constexpr platform table[] = {{"BAYES", "bayes", HB_DNN_SUCCESS},
                                {"BAYES", "bernoulli2", HB_DNN_INCOMPATIBLE_MODEL},
                                {"BERNOULLI2", "bernoulli2", HB_DNN_SUCCESS},
                                {"BERNOULLI2", "bayes", HB_DNN_INCOMPATIBLE_MODEL},
                                {"BERNOULLI", "bernoulli2", HB_DNN_INCOMPATIBLE_MODEL}};
  for (const platform& p : table) {
    CAPTURE(p.name);
    REQUIRE(setenv("HB_DNN_SIM_PLATFORM", p.name, 1) == 0);
    hbPackedDNNHandle_t made = nullptr;
    CHECK(load(&made, bytes_of({stored(p.architecture)})) == p.code);
    if (made != nullptr) CHECK(hbDNNRelease(made) == HB_DNN_SUCCESS);
  }
  REQUIRE(unsetenv("HB_DNN_SIM_PLATFORM") == 0);
}

TEST_CASE("codes: of functions that tell of models") {
  hbDNNHandle_t gone = nullptr;
  {
    const packed released({pair()});
    gone = released.model();
  }
  const packed models({pair(), counter()});
  const hbDNNHandle_t model = models.model();
  hbDNNHandle_t found = nullptr;
  const char** names = nullptr;
  const char* name = nullptr;
  std::int32_t number = 0;
  hbDNNTensorProperties p;
  check({{"names: null list", hbDNNGetModelNameList(nullptr, &number, models.handle), HB_DNN_INVALID_ARGUMENT},
         {"names: null count", hbDNNGetModelNameList(&names, nullptr, models.handle), HB_DNN_INVALID_ARGUMENT},
         {"names: nobody", hbDNNGetModelNameList(&names, &number, nobody), HB_DNN_INVALID_PACKED_DNN_HANDLE},
         {"names: a model", hbDNNGetModelNameList(&names, &number, model), HB_DNN_INVALID_PACKED_DNN_HANDLE},
         {"model: null handle", hbDNNGetModelHandle(nullptr, models.handle, "pair"), HB_DNN_INVALID_ARGUMENT},
         {"model: null name", hbDNNGetModelHandle(&found, models.handle, nullptr), HB_DNN_INVALID_ARGUMENT},
         {"model: unknown name", hbDNNGetModelHandle(&found, models.handle, "pears"), HB_DNN_INVALID_ARGUMENT},
         {"model: nobody", hbDNNGetModelHandle(&found, nullptr, "pair"), HB_DNN_INVALID_PACKED_DNN_HANDLE},
         {"inputs: null", hbDNNGetInputCount(nullptr, model), HB_DNN_INVALID_ARGUMENT},
         {"inputs: nobody", hbDNNGetInputCount(&number, nobody), HB_DNN_INVALID_DNN_HANDLE},
         {"inputs: released", hbDNNGetInputCount(&number, gone), HB_DNN_INVALID_DNN_HANDLE},
         {"inputs: packed", hbDNNGetInputCount(&number, models.handle), HB_DNN_INVALID_DNN_HANDLE},
         {"outputs: null", hbDNNGetOutputCount(nullptr, model), HB_DNN_INVALID_ARGUMENT},
         {"outputs: nobody", hbDNNGetOutputCount(&number, nullptr), HB_DNN_INVALID_DNN_HANDLE},
         {"input name: null", hbDNNGetInputName(nullptr, model, 0), HB_DNN_INVALID_ARGUMENT},
         {"input name: -1", hbDNNGetInputName(&name, model, -1), HB_DNN_INVALID_ARGUMENT},
         {"input name: count", hbDNNGetInputName(&name, model, 2), HB_DNN_INVALID_ARGUMENT},
         {"input name: nobody", hbDNNGetInputName(&name, nobody, 0), HB_DNN_INVALID_DNN_HANDLE},
         {"output name: null", hbDNNGetOutputName(nullptr, model, 0), HB_DNN_INVALID_ARGUMENT},
         {"output name: -1", hbDNNGetOutputName(&name, model, -1), HB_DNN_INVALID_ARGUMENT},
         {"output name: count", hbDNNGetOutputName(&name, model, 2), HB_DNN_INVALID_ARGUMENT},
         {"output name: nobody", hbDNNGetOutputName(&name, gone, 0), HB_DNN_INVALID_DNN_HANDLE},
         {"input: null", hbDNNGetInputTensorProperties(nullptr, model, 0), HB_DNN_INVALID_ARGUMENT},
         {"input: -1", hbDNNGetInputTensorProperties(&p, model, -1), HB_DNN_INVALID_ARGUMENT},
         {"input: count", hbDNNGetInputTensorProperties(&p, model, 2), HB_DNN_INVALID_ARGUMENT},
         {"input: nobody", hbDNNGetInputTensorProperties(&p, nobody, 0), HB_DNN_INVALID_DNN_HANDLE},
         {"output: null", hbDNNGetOutputTensorProperties(nullptr, model, 0), HB_DNN_INVALID_ARGUMENT},
         {"output: -1", hbDNNGetOutputTensorProperties(&p, model, -1), HB_DNN_INVALID_ARGUMENT},
         {"output: count", hbDNNGetOutputTensorProperties(&p, model, 2), HB_DNN_INVALID_ARGUMENT},
         {"output: nobody", hbDNNGetOutputTensorProperties(&p, nobody, 0), HB_DNN_INVALID_DNN_HANDLE},
         {"source: null", hbDNNGetInputSource(nullptr, model, 0), HB_DNN_INVALID_ARGUMENT},
         {"source: count", hbDNNGetInputSource(&number, model, 2), HB_DNN_INVALID_ARGUMENT},
         {"source: nobody", hbDNNGetInputSource(&number, nobody, 0), HB_DNN_INVALID_DNN_HANDLE},
         {"source", hbDNNGetInputSource(&number, model, 0), HB_DNN_SUCCESS}});
  CHECK(number == HB_DNN_INPUT_FROM_DDR);
  REQUIRE(hbDNNGetModelNameList(&names, &number, models.handle) == HB_DNN_SUCCESS);
  CHECK((number == 2 && std::string_view(names[0]) == "pair" && std::string_view(names[1]) == "counter"));
  CHECK(models.model(0) == model);
  CHECK(models.model(1) != model);
  REQUIRE(hbDNNGetInputName(&name, model, 1) == HB_DNN_SUCCESS);
  CHECK(std::string_view(name) == "b");
  REQUIRE(hbDNNGetOutputName(&name, model, 1) == HB_DNN_SUCCESS);
  CHECK(std::string_view(name) == "product");
  const packed with_images({camera(), patches()});
  REQUIRE(hbDNNGetInputSource(&number, with_images.model(0), 0) == HB_DNN_SUCCESS);
  CHECK(number == HB_DNN_INPUT_FROM_PYRAMID);
  REQUIRE(hbDNNGetInputSource(&number, with_images.model(1), 0) == HB_DNN_SUCCESS);
  CHECK(number == HB_DNN_INPUT_FROM_RESIZER);
}

TEST_CASE("codes: of hbDNNInfer and of functions on tasks") {
  const packed models({pair(), patches()});
  const hbDNNHandle_t model = models.model(0), with_regions = models.model(1);
  tensors in = inputs_for(model), out = outputs_for(model);
  const auto with_control = [&](auto change) {
    hbDNNInferCtrlParam control = plainly();
    change(control);
    hbDNNTaskHandle_t task = nullptr;
    const std::int32_t code = begin(&task, model, in.data(), out, control);
    if (task != nullptr) CHECK(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
    return code;
  };
  const auto with_input = [&](auto change) {
    std::vector<hbDNNTensor> changed = in.list;
    change(changed[1]);
    hbDNNTaskHandle_t task = nullptr;
    const std::int32_t code = begin(&task, model, changed.data(), out);
    CHECK(task == nullptr);
    return code;
  };
  const auto with_output = [&](auto change) {
    std::vector<hbDNNTensor> changed = out.list;
    change(changed[1]);
    hbDNNTensor* first = changed.data();
    hbDNNTaskHandle_t task = nullptr;
    hbDNNInferCtrlParam control = plainly();
    return hbDNNInfer(&task, &first, in.data(), model, &control);
  };
  hbDNNInferCtrlParam control = plainly();
  hbDNNTensor *first = out.data(), *none = nullptr;
  hbDNNTaskHandle_t task = nullptr, done = nullptr, stale = nobody;
  REQUIRE(begin(&done, model, in.data(), out) == HB_DNN_SUCCESS);
  check({{"infer: null task", hbDNNInfer(nullptr, &first, in.data(), model, &control), HB_DNN_INVALID_ARGUMENT},
         {"infer: null output", hbDNNInfer(&task, nullptr, in.data(), model, &control), HB_DNN_INVALID_ARGUMENT},
         {"infer: null outputs", hbDNNInfer(&task, &none, in.data(), model, &control), HB_DNN_INVALID_ARGUMENT},
         {"infer: null input", hbDNNInfer(&task, &first, nullptr, model, &control), HB_DNN_INVALID_ARGUMENT},
         {"infer: null control", hbDNNInfer(&task, &first, in.data(), model, nullptr), HB_DNN_INVALID_ARGUMENT},
         {"infer: nobody", hbDNNInfer(&task, &first, in.data(), nobody, &control), HB_DNN_INVALID_DNN_HANDLE},
         {"infer: a model that reads regions", hbDNNInfer(&task, &first, in.data(), with_regions, &control),
          HB_DNN_API_USE_ERROR},
         {"infer: a task that was submitted", hbDNNInfer(&done, &first, in.data(), model, &control),
          HB_DNN_API_USE_ERROR},
         {"infer: a task that never was", hbDNNInfer(&stale, &first, in.data(), model, &control),
          HB_DNN_INVALID_TASK_HANDLE},
         {"infer: core 0", with_control([](auto& c) { c.bpuCoreId = HB_BPU_CORE_0; }), HB_DNN_SUCCESS},
         {"infer: both cores", with_control([](auto& c) { c.bpuCoreId = HB_BPU_CORE_0 | HB_BPU_CORE_1; }),
          HB_DNN_SUCCESS},
         {"infer: core 2", with_control([](auto& c) { c.bpuCoreId = 4; }), HB_DNN_INVALID_ARGUMENT},
         {"infer: core -1", with_control([](auto& c) { c.bpuCoreId = -1; }), HB_DNN_INVALID_ARGUMENT},
         {"infer: dsp 1", with_control([](auto& c) { c.dspCoreId = HB_DSP_CORE_1; }), HB_DNN_SUCCESS},
         {"infer: dsp 2", with_control([](auto& c) { c.dspCoreId = 4; }), HB_DNN_INVALID_ARGUMENT},
         {"infer: priority 255", with_control([](auto& c) { c.priority = HB_DNN_PRIORITY_PREEMP; }), HB_DNN_SUCCESS},
         {"infer: priority 256", with_control([](auto& c) { c.priority = 256; }), HB_DNN_INVALID_ARGUMENT},
         {"infer: priority -1", with_control([](auto& c) { c.priority = -1; }), HB_DNN_INVALID_ARGUMENT},
         {"infer: input without memory", with_input([](auto& t) { t.sysMem[0].virAddr = nullptr; }),
          HB_DNN_INVALID_ARGUMENT},
         {"infer: input a byte short", with_input([](auto& t) { --t.sysMem[0].memSize; }), HB_DNN_INVALID_ARGUMENT},
         {"infer: input claims more than it has",
          with_input([](auto& t) { t.sysMem[0].virAddr = static_cast<char*>(t.sysMem[0].virAddr) + 4; }),
          HB_DNN_INVALID_ARGUMENT},
         {"infer: input of another shape", with_input([](auto& t) { t.properties.validShape.dimensionSize[1] = 4; }),
          HB_DNN_INVALID_ARGUMENT},
         {"infer: input of another aligned shape",
          with_input([](auto& t) { t.properties.alignedShape.dimensionSize[3] = 5; }), HB_DNN_INVALID_ARGUMENT},
         {"infer: input of another rank", with_input([](auto& t) { t.properties.validShape.numDimensions = 3; }),
          HB_DNN_INVALID_ARGUMENT},
         {"infer: input of another type", with_input([](auto& t) { t.properties.tensorType = HB_DNN_TENSOR_TYPE_S32; }),
          HB_DNN_INVALID_ARGUMENT},
         {"infer: output without memory", with_output([](auto& t) { t.sysMem[0].virAddr = nullptr; }),
          HB_DNN_INVALID_ARGUMENT},
         {"infer: output a byte short", with_output([](auto& t) { --t.sysMem[0].memSize; }), HB_DNN_INVALID_ARGUMENT},
         {"wait: null", hbDNNWaitTaskDone(nullptr, 0), HB_DNN_INVALID_TASK_HANDLE},
         {"wait: nobody", hbDNNWaitTaskDone(nobody, 1), HB_DNN_INVALID_TASK_HANDLE},
         {"wait: all is well", hbDNNWaitTaskDone(done, -1), HB_DNN_SUCCESS},
         {"wait: again", hbDNNWaitTaskDone(done, 1), HB_DNN_SUCCESS},
         {"release models while a task is alive", hbDNNRelease(models.handle), HB_DNN_MODEL_IS_RUNNING},
         {"release: null", hbDNNReleaseTask(nullptr), HB_DNN_INVALID_TASK_HANDLE},
         {"release: a model", hbDNNReleaseTask(model), HB_DNN_INVALID_TASK_HANDLE},
         {"release: all is well", hbDNNReleaseTask(done), HB_DNN_SUCCESS},
         {"release: twice", hbDNNReleaseTask(done), HB_DNN_INVALID_TASK_HANDLE},
         {"wait: released", hbDNNWaitTaskDone(done, 0), HB_DNN_INVALID_TASK_HANDLE}});
  CHECK((task == nullptr && stale == nobody));
}

TEST_CASE("codes: damaged models are refused whichever byte is wrong, and end nothing") {
  const std::string bytes = bytes_of({counter()});
  hbPackedDNNHandle_t made = nullptr;
  int accepted = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    accepted += load(&made, damaged) == HB_DNN_INVALID_MODEL ? 0 : 1;
  }
  for (std::size_t length = 1; length < bytes.size(); length += 7)
    accepted += load(&made, bytes.substr(0, length)) == HB_DNN_INVALID_MODEL ? 0 : 1;
  CHECK(accepted == 0);
  CHECK(made == nullptr);
}
