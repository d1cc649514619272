// first_release: NNRT_API_LEVEL=9 - what the C functions of NNRt's first release answered otherwise than newer ones.
// Flow: a separate program, as a program has one level; one unit, so that all devices are compiled once.
#define NNRT_API_LEVEL 9
#include <nnrt/c_api.hpp>

#include "c_api/fake_device.cpp"
#include "c_api/small_model.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

using namespace nnrt_test;

namespace {

std::size_t processor() {
  const std::size_t* ids = nullptr;
  std::uint32_t count = 0;
  REQUIRE(OH_NNDevice_GetAllDevicesID(&ids, &count) == OH_NN_SUCCESS);
  REQUIRE(count > 0);
  return ids[0];
}

/// A fake device, only as long as this lives.
struct passing_device {
  std::size_t id;
  explicit passing_device(const fake_behaviour& behaviour = {}) : id(add_fake_device(behaviour)) {}
  passing_device(const passing_device&) = delete;
  ~passing_device() { remove_device(id); }
};

/// The small model's compilation with a device named, but not built.
struct on_device : small_compilation {
  explicit on_device(std::size_t id, bool dynamic = false) : small_compilation(false, dynamic, id) {}
  OH_NN_ReturnCode build() { return OH_NNCompilation_Build(handle); }
};

/// A number that is no enumerator, as a program in C can pass it.
template <class Enum> Enum number(int value) {
  Enum made;
  static_assert(sizeof made == sizeof value);
  std::memcpy(&made, &value, sizeof made);
  return made;
}

void append(const std::string& file) { std::ofstream(file, std::ios::binary | std::ios::app) << 'x'; }

}  // namespace

TEST_CASE("names of devices have no version, and 0 is no device's id") {
  const char* name = nullptr;
  REQUIRE(OH_NNDevice_GetName(processor(), &name) == OH_NN_SUCCESS);
  CHECK(std::string(name) == "cpu_nnrt");
  const passing_device fake;
  name = nullptr;
  REQUIRE(OH_NNDevice_GetName(fake.id, &name) == OH_NN_SUCCESS);
  CHECK(std::string(name) == "fake_tests");
  CHECK(processor() == std::hash<std::string>()("cpu_nnrt"));

  name = nullptr;
  CHECK(OH_NNDevice_GetName(0, &name) == OH_NN_FAILED);
  CHECK(name == nullptr);
  OH_NN_DeviceType type;
  CHECK(OH_NNDevice_GetType(0, &type) == OH_NN_INVALID_PARAMETER);
  small_model m;
  const bool* can = nullptr;
  std::uint32_t count = 0;
  CHECK(OH_NNModel_GetAvailableOperations(m.handle, 0, &can, &count) == OH_NN_FAILED);
  CHECK(OH_NNModel_GetAvailableOperations(m.handle, processor(), &can, &count) == OH_NN_SUCCESS);
}

TEST_CASE("the code of a device that fails is the old one") {
  fake_behaviour fails;
  fails.type_fails = fails.refusals_fail = "out of order";
  const passing_device fake(fails);
  OH_NN_DeviceType type;
  CHECK(OH_NNDevice_GetType(fake.id, &type) == OH_NN_UNAVALIDABLE_DEVICE);
  CHECK(OH_NNCompilation_SetDevice(small_compilation(false).handle, fake.id) == OH_NN_UNAVALIDABLE_DEVICE);
}

TEST_CASE("a compilation wants a finished model, then a device that takes all of it, once") {
  small_model open(stage::ends);
  CHECK(OH_NNCompilation_Construct(open.handle) == nullptr);

  small_compilation c(false);
  CHECK(OH_NNCompilation_Build(c.handle) == OH_NN_OPERATION_FORBIDDEN);
  CHECK(OH_NNCompilation_SetDevice(c.handle, 0) == OH_NN_INVALID_PARAMETER);
  CHECK(OH_NNCompilation_SetDevice(c.handle, 12345) == OH_NN_INVALID_PARAMETER);
  fake_behaviour refuses;
  refuses.refuses = "add";
  const passing_device picky(refuses);
  CHECK(OH_NNCompilation_SetDevice(c.handle, picky.id) == OH_NN_FAILED);
  CHECK(OH_NNCompilation_Build(c.handle) == OH_NN_OPERATION_FORBIDDEN);
  REQUIRE(OH_NNCompilation_SetDevice(c.handle, processor()) == OH_NN_SUCCESS);
  CHECK(OH_NNCompilation_Build(c.handle) == OH_NN_SUCCESS);
  CHECK(OH_NNCompilation_Build(c.handle) == OH_NN_OPERATION_FORBIDDEN);
  CHECK(OH_NNCompilation_SetDevice(c.handle, processor()) == OH_NN_OPERATION_FORBIDDEN);
}

TEST_CASE("a model with unknown extents needs a device that takes such models") {
  small_compilation c(false, true);
  fake_behaviour of_the_fixed;
  of_the_fixed.name = "fixed";
  const passing_device fixed(of_the_fixed);
  CHECK(OH_NNCompilation_SetDevice(c.handle, fixed.id) == OH_NN_FAILED);
  CHECK(OH_NNCompilation_SetDevice(c.handle, processor()) == OH_NN_SUCCESS);
}

TEST_CASE(
    "options are looked at when they are set: after the device, before the build, and as far as the device has them") {
  const temporary_folder folder;
  const passing_device plain;
  using handle = OH_NNCompilation*;
  struct row {
    const char* what;
    OH_NN_ReturnCode (*set)(handle, const char* folder);
    OH_NN_ReturnCode on_processor;  // a device without options forbids each of them
  };
  const row table[] = {
      {"cache", [](handle c, const char* in) { return OH_NNCompilation_SetCache(c, in, 1); }, OH_NN_SUCCESS},
      {"cache in no directory",
       [](handle c, const char*) { return OH_NNCompilation_SetCache(c, "/nowhere/at/all", 1); },
       OH_NN_INVALID_PARAMETER},
      {"no performance",
       [](handle c, const char*) { return OH_NNCompilation_SetPerformanceMode(c, OH_NN_PERFORMANCE_NONE); },
       OH_NN_SUCCESS},
      {"performance",
       [](handle c, const char*) { return OH_NNCompilation_SetPerformanceMode(c, OH_NN_PERFORMANCE_LOW); },
       OH_NN_SUCCESS},
      {"performance 5",
       [](handle c, const char*) { return OH_NNCompilation_SetPerformanceMode(c, number<OH_NN_PerformanceMode>(5)); },
       OH_NN_INVALID_PARAMETER},
      {"no priority", [](handle c, const char*) { return OH_NNCompilation_SetPriority(c, OH_NN_PRIORITY_NONE); },
       OH_NN_SUCCESS},
      {"priority", [](handle c, const char*) { return OH_NNCompilation_SetPriority(c, OH_NN_PRIORITY_HIGH); },
       OH_NN_SUCCESS},
      {"priority 4", [](handle c, const char*) { return OH_NNCompilation_SetPriority(c, number<OH_NN_Priority>(4)); },
       OH_NN_INVALID_PARAMETER},
      {"no float16", [](handle c, const char*) { return OH_NNCompilation_EnableFloat16(c, false); }, OH_NN_SUCCESS},
      {"float16", [](handle c, const char*) { return OH_NNCompilation_EnableFloat16(c, true); }, OH_NN_SUCCESS},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const char* const path = folder.path().c_str();
    CHECK(r.set(nullptr, path) == OH_NN_INVALID_PARAMETER);
    CHECK(r.set(small_compilation(false).handle, path) == OH_NN_OPERATION_FORBIDDEN);
    on_device refused(plain.id);
    CHECK(r.set(refused.handle, path) == OH_NN_OPERATION_FORBIDDEN);
    CHECK(refused.build() == OH_NN_SUCCESS);  // what was refused is not kept
    on_device taken(processor());
    CHECK(r.set(taken.handle, path) == r.on_processor);
    CHECK(taken.build() == OH_NN_SUCCESS);
    CHECK(r.set(taken.handle, path) == OH_NN_OPERATION_FORBIDDEN);
  }
}

TEST_CASE("a cache that cannot be used ends the build, each kind with another code") {
  const temporary_folder folder;
  const auto built = [&](std::uint32_t version, std::size_t device) {
    on_device c(device);
    REQUIRE(OH_NNCompilation_SetCache(c.handle, folder.path().c_str(), version) == OH_NN_SUCCESS);
    return c.build();
  };
  CHECK(built(2, processor()) == OH_NN_SUCCESS);
  CHECK(folder.count() == 2);  // the info, and what the processor exports: no lists of inputs and outputs
  CHECK(built(2, processor()) == OH_NN_SUCCESS);
  CHECK(built(1, processor()) == OH_NN_OPERATION_FORBIDDEN);
  CHECK(built(3, processor()) == OH_NN_SUCCESS);  // an older one is replaced
  CHECK(built(2, processor()) == OH_NN_OPERATION_FORBIDDEN);

  fake_behaviour caches;
  caches.caching = true;
  const passing_device other(caches);
  CHECK(built(3, other.id) == OH_NN_INVALID_PARAMETER);
  for (const char* name : {"0.nncache", "cache_info.nncache"}) {
    CAPTURE(name);
    append(folder.file(name));
    CHECK(built(3, processor()) == OH_NN_INVALID_FILE);
  }
}

TEST_CASE("shapes of outputs are there after a run, until inputs or outputs are set again") {
  small_compilation c(true, false, processor());
  OH_NNExecutor* executor = OH_NNExecutor_Construct(c.handle);
  REQUIRE(executor != nullptr);
  std::vector<float> in(12, 1.5F), out(12);
  const OH_NN_Tensor tensor{OH_NN_FLOAT32, 4, small_shape.data(), nullptr, OH_NN_TENSOR};
  const auto set_input = [&](std::uint32_t i) {
    return OH_NNExecutor_SetInput(executor, i, &tensor, in.data(), in.size() * sizeof(float));
  };
  const auto set_output = [&] { return OH_NNExecutor_SetOutput(executor, 0, out.data(), out.size() * sizeof(float)); };
  const auto shape_of = [&](std::uint32_t i) {
    std::int32_t* shape = nullptr;
    std::uint32_t rank = 0;
    const OH_NN_ReturnCode code = OH_NNExecutor_GetOutputShape(executor, i, &shape, &rank);
    if (code == OH_NN_SUCCESS) CHECK(std::vector<std::int32_t>(shape, shape + rank) == small_shape);
    return code;
  };
  CHECK(shape_of(0) == OH_NN_OPERATION_FORBIDDEN);
  CHECK(shape_of(9) == OH_NN_OPERATION_FORBIDDEN);  // looked at before the index
  REQUIRE((set_input(0) == OH_NN_SUCCESS && set_input(1) == OH_NN_SUCCESS && set_output() == OH_NN_SUCCESS));
  CHECK(shape_of(0) == OH_NN_OPERATION_FORBIDDEN);
  REQUIRE(OH_NNExecutor_Run(executor) == OH_NN_SUCCESS);
  CHECK(out == std::vector<float>(12, 3.0F));
  CHECK(shape_of(0) == OH_NN_SUCCESS);
  CHECK(shape_of(9) == OH_NN_INVALID_PARAMETER);
  REQUIRE(set_input(1) == OH_NN_SUCCESS);
  CHECK(shape_of(0) == OH_NN_OPERATION_FORBIDDEN);
  REQUIRE(OH_NNExecutor_Run(executor) == OH_NN_SUCCESS);
  CHECK(shape_of(0) == OH_NN_SUCCESS);
  REQUIRE(set_output() == OH_NN_SUCCESS);
  CHECK(shape_of(0) == OH_NN_OPERATION_FORBIDDEN);
  OH_NNExecutor_Destroy(&executor);
}

TEST_CASE("an output that the device finds too small fails the run") {
  small_compilation c(true, true, processor());
  OH_NNExecutor* executor = OH_NNExecutor_Construct(c.handle);
  REQUIRE(executor != nullptr);
  std::vector<float> in(12, 1.5F), out(12);
  const OH_NN_Tensor tensor{OH_NN_FLOAT32, 4, small_shape.data(), nullptr, OH_NN_TENSOR};
  for (std::uint32_t i = 0; i < 2; ++i)
    REQUIRE(OH_NNExecutor_SetInput(executor, i, &tensor, in.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetOutput(executor, 0, out.data(), 47) == OH_NN_SUCCESS);
  CHECK(OH_NNExecutor_Run(executor) == OH_NN_FAILED);
  REQUIRE(OH_NNExecutor_SetOutput(executor, 0, out.data(), 48) == OH_NN_SUCCESS);
  CHECK(OH_NNExecutor_Run(executor) == OH_NN_SUCCESS);
  OH_NNExecutor_Destroy(&executor);
}

TEST_CASE("lists may have more than 200 members") {
  OH_NNModel* model = OH_NNModel_Construct();
  std::vector<std::uint32_t> inputs;
  for (std::uint32_t i = 0; i < 201; ++i) {
    REQUIRE(add_tensor(model, OH_NN_FLOAT32, {1}) == OH_NN_SUCCESS);
    inputs.push_back(i);
  }
  REQUIRE(add_tensor(model, OH_NN_FLOAT32, {201}) == OH_NN_SUCCESS);
  REQUIRE(add_tensor(model, OH_NN_INT64, {}, OH_NN_CONCAT_AXIS) == OH_NN_SUCCESS);
  const std::int64_t axis = 0;
  REQUIRE(OH_NNModel_SetTensorData(model, 202, &axis, sizeof axis) == OH_NN_SUCCESS);
  const OH_NN_UInt32Array all{inputs.data(), 201};
  CHECK(OH_NNModel_AddOperation(model, OH_NN_OPS_CONCAT, indices{202}, &all, indices{201}) == OH_NN_SUCCESS);
  CHECK(OH_NNModel_SpecifyInputsAndOutputs(model, &all, indices{201}) == OH_NN_SUCCESS);
  CHECK(OH_NNModel_Finish(model) == OH_NN_SUCCESS);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  CHECK(OH_NNCompilation_SetDevice(compilation, processor()) == OH_NN_SUCCESS);
  CHECK(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
  OH_NNCompilation_Destroy(&compilation);
  OH_NNModel_Destroy(&model);

  model = OH_NNModel_Construct();
  CHECK(add_tensor(model, OH_NN_FLOAT32, std::vector<std::int32_t>(201, 1)) == OH_NN_SUCCESS);
  OH_NNModel_Destroy(&model);
}

TEST_CASE(
    "a model may be destroyed as soon as a compilation was constructed: devices are asked about it, and it is built") {
  OH_NNCompilation* compilation = nullptr;
  {
    const small_model m;
    compilation = OH_NNCompilation_Construct(m.handle);
  }
  fake_behaviour behaviour;
  behaviour.refuses = "add";
  const passing_device unwilling(behaviour);
  CHECK(OH_NNCompilation_SetDevice(compilation, unwilling.id) == OH_NN_FAILED);
  CHECK(OH_NNCompilation_SetDevice(compilation, processor()) == OH_NN_SUCCESS);
  CHECK(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  CHECK(executor != nullptr);
  OH_NNExecutor_Destroy(&executor), OH_NNCompilation_Destroy(&compilation);
}
