// refusals_test: what set_log() hears of compilations, executors, tensors and caches that are refused - which argument,
// got and expected. Flow: log_test.cpp has the words of models; the codes are in contract_test.cpp.
#include "c_api/small_model.hpp"
#include "support/refusal_words.hpp"
#include "support/temporary_folder.hpp"

#include <nnrt/c_api/cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

using namespace nnrt_test;

namespace {

/// A description of f32 of this shape.
class description {
 public:
  explicit description(const std::vector<std::int32_t>& shape) : handle(OH_NNTensorDesc_Create()) {
    OH_NNTensorDesc_SetDataType(handle, OH_NN_FLOAT32);
    OH_NNTensorDesc_SetShape(handle, shape.data(), shape.size());
  }
  description(const description&) = delete;
  ~description() { OH_NNTensorDesc_Destroy(&handle); }
  NN_TensorDesc* handle;
};

/// A tensor of this shape, with memory for as many elements or `bytes`.
class tensor {
 public:
  explicit tensor(const std::vector<std::int32_t>& shape, std::size_t bytes = 0) {
    const description desc(shape);
    handle = bytes == 0 ? OH_NNTensor_Create(0, desc.handle) : OH_NNTensor_CreateWithSize(0, desc.handle, bytes);
  }
  tensor(const tensor&) = delete;
  ~tensor() { OH_NNTensor_Destroy(&handle); }
  NN_Tensor* handle;
};

}  // namespace

TEST_CASE("an argument that is missing is named, and said to be null, 0 or destroyed") {
  small_executor e;
  OH_NNCompilation* const compilation = e.compilation.handle;
  NN_Tensor* destroyed = small_executor::make_tensor({4});
  NN_Tensor* const gone = destroyed;
  OH_NNTensor_Destroy(&destroyed);
  std::size_t size = 0;
  char bytes[8] = {};
  OH_NN_Memory empty{nullptr, 8};
  const refusal table[] = {
      {[] { OH_NNCompilation_Construct(nullptr); },
       "OH_NNCompilation_Construct: model is null, was destroyed or is of another kind"},
      {[&] { OH_NNCompilation_Construct(reinterpret_cast<OH_NNModel*>(compilation)); },
       "OH_NNCompilation_Construct: model is null, was destroyed or is of another kind"},
      {[] { OH_NNCompilation_ConstructWithOfflineModelFile(nullptr); },
       "OH_NNCompilation_ConstructWithOfflineModelFile: modelPath is null"},
      {[] { OH_NNCompilation_ConstructWithOfflineModelBuffer(nullptr, 8); },
       "OH_NNCompilation_ConstructWithOfflineModelBuffer: modelBuffer is null"},
      {[&] { OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes, 0); },
       "OH_NNCompilation_ConstructWithOfflineModelBuffer: modelSize: got 0, expected at least 1"},
      {[&] { OH_NNCompilation_ExportCacheToBuffer(compilation, bytes, 8, nullptr); },
       "OH_NNCompilation_ExportCacheToBuffer: modelSize is null"},
      {[&] { OH_NNCompilation_SetCache(compilation, nullptr, 1); }, "OH_NNCompilation_SetCache: cachePath is null"},
      {[] { OH_NNCompilation_SetCache(nullptr, nullptr, 1); },
       "OH_NNCompilation_SetCache: compilation is null, was destroyed or is of another kind"},
      {[&] { OH_NNCompilation_AddExtensionConfig(compilation, "", bytes, 8); },
       "OH_NNCompilation_AddExtensionConfig: configName is empty"},
      {[&] { OH_NNCompilation_AddExtensionConfig(compilation, "a", bytes, 0); },
       "OH_NNCompilation_AddExtensionConfig: configValueSize: got 0, expected at least 1"},
      {[] { OH_NNModel_AddTensor(nullptr, nullptr); },
       "OH_NNModel_AddTensor: model is null, was destroyed or is of another kind"},
      {[&] { OH_NNExecutor_GetInputCount(e.handle, nullptr); }, "OH_NNExecutor_GetInputCount: inputCount is null"},
      {[&] { OH_NNExecutor_CreateInputTensorDesc(nullptr, 0); },
       "OH_NNExecutor_CreateInputTensorDesc: executor is null, was destroyed or is of another kind"},
      {[&] { OH_NNExecutor_RunSync(e.handle, e.tensors, 0, e.tensors + 2, 1); },
       "OH_NNExecutor_RunSync: inputCount: got 0, expected at least 1"},
      {[&] { OH_NNExecutor_RunSync(e.handle, e.tensors, 2, e.tensors + 2, 201); },
       "OH_NNExecutor_RunSync: outputCount: got 201, expected 1 to 200"},
      {[&] { OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 0, nullptr); },
       "OH_NNExecutor_RunAsync: userData is null"},
      {[&] { OH_NNExecutor_SetOnRunDone(e.handle, nullptr); }, "OH_NNExecutor_SetOnRunDone: onRunDone is null"},
      {[&] { OH_NNExecutor_SetOutputWithMemory(e.handle, 0, &empty); },
       "OH_NNExecutor_SetOutputWithMemory: memory->data is null"},
      {[&] { OH_NNTensor_GetSize(gone, &size); },
       "OH_NNTensor_GetSize: tensor is null, was destroyed or is of another kind"},
      {[] { OH_NNTensor_Destroy(nullptr); }, "OH_NNTensor_Destroy: handle is null"},
      {[&] { OH_NNTensor_Destroy(&destroyed); },
       "OH_NNTensor_Destroy: *handle is null, was destroyed or is of another kind"},
      {[] { OH_NNQuantParam_Destroy(nullptr); }, "OH_NNQuantParam_Destroy: handle is null"},
      {[] {
         const char* name = "x";
         OH_NNDevice_GetName(0, &name);
       },
       "OH_NNDevice_GetName: *name is not null, and would be overwritten"},
      {[] {
         const double one = 1;
         OH_NNQuantParam_SetScales(nullptr, &one, 1);
       },
       "OH_NNQuantParam_SetScales: quantParams is null, was destroyed or is of another kind"},
  };
  check_words(table);
}

TEST_CASE("a tensor that cannot be made, or has no size, says what it got and expected") {
  const description two({2}), unknown({2, -1}), huge({1 << 15, 1 << 15});
  std::size_t count = 0;
  const refusal table[] = {
      {[&] { OH_NNTensor_CreateWithSize(0, two.handle, 7); },
       "OH_NNTensor_CreateWithSize: got 7 bytes, expected 8 to 1073741824"},
      {[&] { OH_NNTensor_CreateWithSize(0, unknown.handle, 0); },
       "OH_NNTensor_CreateWithSize: got 0 bytes, expected 1 to 1073741824"},
      {[&] { OH_NNTensor_Create(0, huge.handle); },
       "OH_NNTensor_Create: got 4294967296 bytes, expected 1 to 1073741824"},
      {[&] { OH_NNTensor_Create(99, two.handle); }, "OH_NNTensor_Create: no device 99"},
      {[&] { OH_NNTensor_CreateWithFd(0, two.handle, -1, 8, 0); },
       "OH_NNTensor_CreateWithFd: got file descriptor -1, expected at least 0"},
      {[&] { OH_NNTensor_CreateWithFd(0, two.handle, 0, 8, 9); },
       "OH_NNTensor_CreateWithFd: got size 8, expected more than the offset 9"},
      {[&] { OH_NNTensor_CreateWithFd(0, two.handle, 0, 8, 1); },
       "OH_NNTensor_CreateWithFd: got 7 bytes from the offset on, expected 8"},
      {[&] { OH_NNTensorDesc_GetElementCount(unknown.handle, &count); },
       "OH_NNTensorDesc_GetElementCount: an extent of the description is not known"},
      {[&] { OH_NNTensorDesc_SetShape(two.handle, small_shape.data(), 0); },
       "OH_NNTensorDesc_SetShape: got 0 extents, expected 1 to 10"},
      {[&] { OH_NNTensorDesc_SetDataType(two.handle, static_cast<OH_NN_DataType>(13)); },
       "OH_NNTensorDesc_SetDataType: got data type 13, expected 0 to 12"},
      {[&] { OH_NNTensorDesc_SetFormat(two.handle, static_cast<OH_NN_Format>(4)); },
       "OH_NNTensorDesc_SetFormat: got format 4, expected 0 to 3"},
  };
  check_words(table);
}

TEST_CASE("a compilation that is refused says which of its sources or options is wrong") {
  small_compilation built, unbuilt(false), two_sources(false), no_performance(false), no_priority(false);
  char bytes[8] = {};
  std::size_t written = 0;
  OH_NNCompilation_ImportCacheFromBuffer(two_sources.handle, bytes, 8);
  OH_NNCompilation* nothing = OH_NNCompilation_ConstructForCache();
  const refusal table[] = {
      {[&] { OH_NNCompilation_Build(built.handle); }, "OH_NNCompilation_Build: was called for this compilation before"},
      {[&] { OH_NNCompilation_Build(two_sources.handle); },
       "OH_NNCompilation_Build: got 2 of a model, an offline model's file, and an offline model's or a cache's bytes, "
       "expected 1"},
      {[&] { OH_NNCompilation_Build(nothing); },
       "OH_NNCompilation_Build: there is no model, no offline model and no cache to build from"},
      {[&] { OH_NNCompilation_SetPerformanceMode(built.handle, static_cast<OH_NN_PerformanceMode>(5)); },
       "OH_NNCompilation_SetPerformanceMode: got performance mode 5, expected 0 to 4"},
      {[&] { OH_NNCompilation_SetPriority(built.handle, static_cast<OH_NN_Priority>(4)); },
       "OH_NNCompilation_SetPriority: got priority 4, expected 0 to 3"},
      {[&] { OH_NNCompilation_ExportCacheToBuffer(unbuilt.handle, bytes, 8, &written); },
       "OH_NNCompilation_ExportCacheToBuffer: the compilation is not built"},
      {[&] { OH_NNExecutor_Construct(unbuilt.handle); }, "OH_NNExecutor_Construct: the compilation is not built"},
      {[&] { OH_NNCompilation_SetDevice(unbuilt.handle, 99), OH_NNCompilation_Build(unbuilt.handle); },
       "OH_NNCompilation_Build: no device 99"},
  };
  check_words(table);
  OH_NNCompilation_Destroy(&nothing);
}

TEST_CASE("a run that is refused says which input or output is wrong, what it got and expected") {
  small_executor e, dynamic(true);
  const tensor other({1, 2, 2, 4}), longer({1, 2, 2, 3, 1, 1, 1, 1, 1}, 48), short_one({1, 2, -1, 3}, 44),
      unknown({1, -1, 2, 3}, 48);
  float numbers[12] = {};
  const std::int32_t extents[] = {1, 2, 2, 3};
  const OH_NN_Tensor good{OH_NN_FLOAT32, 4, extents, nullptr, OH_NN_TENSOR},
      parameter{OH_NN_FLOAT32, 4, extents, nullptr, OH_NN_ADD_ACTIVATIONTYPE},
      flat{OH_NN_FLOAT32, 3, extents, nullptr, OH_NN_TENSOR}, integers{OH_NN_INT32, 4, extents, nullptr, OH_NN_TENSOR};
  OH_NN_Memory* const memory = OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 48);
  REQUIRE(memory != nullptr);
  OH_NN_Memory foreign{numbers, sizeof numbers}, claimed{memory->data, 52};
  NN_Tensor* tensors[3] = {e.tensors[0], e.tensors[1], e.tensors[2]};
  const auto run = [&](int i, NN_Tensor* instead) {
    std::copy(e.tensors, e.tensors + 3, tensors);
    tensors[i] = instead;
    OH_NNExecutor_RunSync(e.handle, tensors, 2, tensors + 2, 1);
  };
  const auto run_on = [&](const OH_NN_Memory* output) {
    for (std::uint32_t i = 0; i < 2; ++i) OH_NNExecutor_SetInput(e.handle, i, &good, numbers, sizeof numbers);
    OH_NNExecutor_SetOutputWithMemory(e.handle, 0, output);
    OH_NNExecutor_Run(e.handle);
  };
  std::size_t *least = nullptr, *most = nullptr, rank = 0;
  const refusal table[] = {
      {[&] { OH_NNExecutor_Run(e.handle); }, "OH_NNExecutor_Run: input 0 is not set"},
      {[&] { OH_NNExecutor_RunSync(e.handle, e.tensors, 1, e.tensors + 2, 1); },
       "OH_NNExecutor_RunSync: got 1 inputs and 1 outputs, expected 2 and 1"},
      {[&] { run(1, other.handle); }, "OH_NNExecutor_RunSync: input 1: got shape [1, 2, 2, 4], expected [1, 2, 2, 3]"},
      {[&] { run(1, longer.handle); }, "OH_NNExecutor_RunSync: input 1: got rank 9, expected 4"},
      {[&] { run(0, nullptr); }, "OH_NNExecutor_RunSync: input 0 is null, was destroyed or is no tensor"},
      {[&] { run(2, nullptr); }, "OH_NNExecutor_RunSync: output 0 is null, was destroyed or is no tensor"},
      {[&] { OH_NNExecutor_SetInput(e.handle, 2, &good, numbers, 48); }, "OH_NNExecutor_SetInput: input 2 of 2"},
      {[&] { OH_NNExecutor_SetInput(e.handle, 1, &good, numbers, 47); },
       "OH_NNExecutor_SetInput: input 1: got 47 bytes, expected at least 48"},
      {[&] { OH_NNExecutor_SetInput(e.handle, 1, &parameter, numbers, 48); },
       "OH_NNExecutor_SetInput: input 1: got a parameter, of type 1, expected a tensor, of type 0"},
      {[&] { OH_NNExecutor_SetInput(e.handle, 1, &flat, numbers, 48); },
       "OH_NNExecutor_SetInput: input 1: got rank 3, expected 4"},
      {[&] { OH_NNExecutor_SetInput(e.handle, 1, &integers, numbers, 48); },
       "OH_NNExecutor_SetInput: input 1: got i32, expected f32"},
      {[&] { OH_NNExecutor_SetOutput(e.handle, 1, numbers, 48); }, "OH_NNExecutor_SetOutput: output 1 of 1"},
      {[&] { OH_NNExecutor_SetOutput(e.handle, 0, numbers, 47); },
       "OH_NNExecutor_SetOutput: output 0: got 47 bytes, expected at least 48"},
      {[&] { run_on(&foreign); },
       "OH_NNExecutor_Run: output 0: its memory was not allocated by an executor of this device, or was destroyed"},
      {[&] { run_on(&claimed); }, "OH_NNExecutor_Run: output 0: its memory has 48 bytes, expected at least 52"},
      {[&] { OH_NNExecutor_AllocateInputMemory(e.handle, 2, 8); }, "OH_NNExecutor_AllocateInputMemory: input 2 of 2"},
      {[&] { OH_NNExecutor_AllocateInputMemory(e.handle, 0, 0); },
       "OH_NNExecutor_AllocateInputMemory: got 0 bytes, expected 1 to 1073741824"},
      {[&] {
         OH_NN_Memory* its = memory;
         OH_NNExecutor_DestroyInputMemory(e.handle, 0, &its);
       },
       "OH_NNExecutor_DestroyInputMemory: *memory was not allocated for input 0 of this executor, or was destroyed"},
      {[&] { OH_NNExecutor_GetInputDimRange(e.handle, 2, &least, &most, &rank); },
       "OH_NNExecutor_GetInputDimRange: input 2 of 2"},
      {[&] { OH_NNExecutor_CreateOutputTensorDesc(e.handle, 1); },
       "OH_NNExecutor_CreateOutputTensorDesc: output 1 of 1"},
  };
  check_words(table);
  {
    const hearing now;
    NN_Tensor* const inputs[] = {short_one.handle, short_one.handle};
    OH_NNExecutor_RunSync(dynamic.handle, const_cast<NN_Tensor**>(inputs), 2, e.tensors + 2, 1);
    CHECK(now.words ==
          "OH_NNExecutor_RunSync: input 0: got shape [1, 2, -1, 3], expected [1, 1, 2, 3] to [1, 2147483647, 2, 3]");
  }
}

TEST_CASE("bytes that are no cache of a device say what they lack") {
  const nnrt::c_api::cache_label label{"one", 0};
  const nnrt::byte_list good = nnrt::c_api::bundle(label, {nnrt::byte_list(5)});
  const auto words = [](const char* device, nnrt::byte_list bytes, bool is_sealed = true) {
    if (is_sealed) {  // its checksum is right
      bytes.resize(bytes.size() - 8);
      nnrt::byte_writer to;
      to.bytes = bytes;
      to.put(nnrt::digest_of(bytes));
      bytes = to.bytes;
    }
    const auto buffers = nnrt::c_api::unbundle(device, bytes);
    return buffers ? std::string("taken") : buffers.error().message();
  };
  CHECK(words("one", good) == "taken");
  CHECK(words("two", good) == "cache: is for device \"one\", expected \"two\"");
  CHECK(words("one", {}, false) == "cache: has 0 bytes, expected at least 8");
  nnrt::byte_list changed = good;
  changed[20] ^= std::byte{1};
  CHECK(words("one", changed, false) == "cache: its checksum is wrong");
  changed = good;
  changed[8] = std::byte{'N'};
  CHECK(words("one", changed) == "cache: begins with \"Nnrt cache 3\", expected \"nnrt cache 3\"");
  changed = good;
  changed.resize(changed.size() - 1);
  CHECK(words("one", changed) == "cache: ends within its 1 buffers");
  changed = good;
  changed.resize(changed.size() + 3);
  CHECK(words("one", changed) == "cache: has 3 bytes after its 1 buffers");
}

TEST_CASE("a cache directory that serves a build no more says what it is for") {
  const temporary_folder folder;
  const nnrt::c_api::cache_place place{folder.path(), "a"};
  const nnrt::c_api::cache_label label{"one", 7};
  REQUIRE(nnrt::c_api::store(place, label, 3, {nnrt::byte_list(5)}));
  const std::string info = place.info();
  CHECK(nnrt::c_api::look_up(place, {"two", 7}, 3).why == info + ": is for device \"one\", expected \"two\"");
  CHECK(nnrt::c_api::look_up(place, label, 4).why == info + ": has version 3, expected 4");
  CHECK(nnrt::c_api::look_up(place, {"one", 8}, 3).why == info + ": is of another model, or of other options");
  const auto stored = nnrt::c_api::store(place, label, 2, {nnrt::byte_list(5)});
  REQUIRE_FALSE(stored);
  CHECK(stored.error().message() == info + ": has version 3 by now, expected at most 2");

  small_compilation reserved(false);
  OH_NNCompilation_SetCache(reserved.handle, folder.path().c_str(), std::numeric_limits<std::uint32_t>::max());
  const hearing now;
  CHECK(OH_NNCompilation_Build(reserved.handle) == OH_NN_INVALID_PARAMETER);
  CHECK(now.words == "OH_NNCompilation_Build: cache version: got 4294967295, expected at most 4294967294");
}
