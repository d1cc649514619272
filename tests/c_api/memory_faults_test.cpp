// memory_faults: a heap that ends at any allocation - what each call then answers, and that nothing is lost or leaked.
// Flow: the life of a small network, from its first tensor to its last run, once for every allocation in it.
#include "c_api/fake_device.hpp"
#include "c_api/small_model.hpp"
#include "support/failing_memory.hpp"

#include <nnrt/c_api/support.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <string>

#include <unistd.h>

#include "support/temporary_folder.hpp"

using namespace nnrt_test;

namespace {

template <class Object> int made(const Object* object) {
  return object != nullptr ? OH_NN_SUCCESS : OH_NN_MEMORY_ERROR;
}

/// y = relu(a + 1) * transpose(weight) + bias, with a [rows, 4], weight [3, 4]: a pass fuses something, a kernel packs
/// something.
constexpr float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, weight[12] = {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1},
                bias[3] = {0.5F, 0, -1};
constexpr float a[12] = {-3, 2, 0, 1, 4, -1, -1, 7, 0, 1, 2, 3};
float expected(int row, int column) {
  float sum = bias[column];
  for (int i = 0; i < 4; ++i) sum += std::max(a[4 * row + i] + 1, 0.0F) * weight[4 * column + i];
  return sum;
}

/// How an asynchronous run ended; takes no memory.
struct ending {
  std::atomic<int> code{-1};
  static void tell(void* user, OH_NN_ReturnCode code, void**, std::int32_t) {
    auto& end = static_cast<ending*>(user)->code;
    end = code;
    end.notify_all();
  }
  int wait() const { return code.wait(-1), code.load(); }
};

/// The life of that network on a device; every call in it meets the shortage that was begun, and is then made again
/// with memory.
class life {
 public:
  life(std::size_t device, std::string folder, bool is_dynamic)
      : device_(device), folder_(std::move(folder)), is_dynamic_(is_dynamic) {}

  void live() {
    build_model();
    build();
    if (!folder_.empty()) restore();
    make_ends();
    run_on_tensors(2);
    if (is_dynamic_) run_on_tensors(3);
    if (is_dynamic_) run_on_tensors(2);
    run_on_what_is_set();
    run_on_memory();
    destroy();
  }
  /// Calls that were refused.
  int refused() const { return refused_; }

 private:
  template <class Call>
  void ask(const char* what, Call call, std::initializer_list<int> answers = {OH_NN_MEMORY_ERROR}) {
    const int code = lacking(call);
    if (code == OH_NN_SUCCESS) return;
    ++refused_;
    INFO(std::string(what));
    CHECK(has_failed());
    CHECK(std::find(answers.begin(), answers.end(), code) != answers.end());
    REQUIRE(call() == OH_NN_SUCCESS);
  }

  // ---- The model ----

  void add(OH_NN_DataType type, std::initializer_list<std::int32_t> shape) {
    NN_TensorDesc* desc = nullptr;
    ask("OH_NNTensorDesc_Create", [&] { return made(desc = OH_NNTensorDesc_Create()); });
    ask("OH_NNTensorDesc_SetName",
        [&] { return OH_NNTensorDesc_SetName(desc, "a name that is too long for a string to keep within itself"); });
    ask("OH_NNTensorDesc_SetDataType", [&] { return OH_NNTensorDesc_SetDataType(desc, type); });
    if (shape.size() > 0)
      ask("OH_NNTensorDesc_SetShape", [&] { return OH_NNTensorDesc_SetShape(desc, shape.begin(), shape.size()); });
    ask("OH_NNModel_AddTensorToModel", [&] { return OH_NNModel_AddTensorToModel(model_, desc); });
    ask("OH_NNTensorDesc_Destroy", [&] { return OH_NNTensorDesc_Destroy(&desc); });
  }
  void add_as_in_api_9(OH_NN_DataType type, std::initializer_list<std::int32_t> shape,
                       OH_NN_TensorType kind = OH_NN_TENSOR) {
    const OH_NN_Tensor tensor{type, static_cast<std::uint32_t>(shape.size()),
                              shape.size() > 0 ? shape.begin() : nullptr, nullptr, kind};
    ask("OH_NNModel_AddTensor", [&] { return OH_NNModel_AddTensor(model_, &tensor); });
  }
  void fill(std::uint32_t index, const void* data, std::size_t bytes) {
    ask("OH_NNModel_SetTensorData", [&] { return OH_NNModel_SetTensorData(model_, index, data, bytes); });
  }
  void quantise(std::uint32_t index) {
    NN_QuantParam* parameters = nullptr;
    const double scale = 0.25;
    const std::int32_t zero = 0;
    const std::uint32_t bits = 8;
    ask("OH_NNQuantParam_Create", [&] { return made(parameters = OH_NNQuantParam_Create()); });
    ask("OH_NNQuantParam_SetScales", [&] { return OH_NNQuantParam_SetScales(parameters, &scale, 1); });
    ask("OH_NNQuantParam_SetZeroPoints", [&] { return OH_NNQuantParam_SetZeroPoints(parameters, &zero, 1); });
    ask("OH_NNQuantParam_SetNumBits", [&] { return OH_NNQuantParam_SetNumBits(parameters, &bits, 1); });
    ask("OH_NNModel_SetTensorQuantParams", [&] { return OH_NNModel_SetTensorQuantParams(model_, index, parameters); });
    ask("OH_NNQuantParam_Destroy", [&] { return OH_NNQuantParam_Destroy(&parameters); });
  }
  void build_model() {
    const std::int32_t rows = is_dynamic_ ? -1 : 2;
    const std::int8_t relu = OH_NN_FUSED_RELU, none = OH_NN_FUSED_NONE;
    const indices no_parameters{}, fused{2}, sum_of{0, 1}, sum{3}, fused_too{6}, layer_of{3, 4, 5}, y{7}, input{0};
    ask("OH_NNModel_Construct", [&] { return made(model_ = OH_NNModel_Construct()); });
    add(OH_NN_FLOAT32, {rows, 4});                              // 0: a
    add_as_in_api_9(OH_NN_FLOAT32, {1, 4});                     // 1
    add_as_in_api_9(OH_NN_INT8, {}, OH_NN_ADD_ACTIVATIONTYPE);  // 2
    add(OH_NN_FLOAT32, {rows, 4});                              // 3
    add_as_in_api_9(OH_NN_FLOAT32, {3, 4});                     // 4: the weight
    add(OH_NN_FLOAT32, {3});                                    // 5: the bias
    add(OH_NN_INT8, {});                                        // 6
    add(OH_NN_FLOAT32, {rows, 3});                              // 7: y
    ask("OH_NNModel_SetTensorType",
        [&] { return OH_NNModel_SetTensorType(model_, 6, OH_NN_FULL_CONNECTION_ACTIVATIONTYPE); });
    quantise(0);
    fill(1, ones, 16), fill(2, &relu, 1), fill(4, weight, sizeof weight), fill(5, bias, sizeof bias), fill(6, &none, 1);
    ask("OH_NNModel_AddOperation", [&] { return OH_NNModel_AddOperation(model_, OH_NN_OPS_ADD, fused, sum_of, sum); });
    ask("OH_NNModel_AddOperation",
        [&] { return OH_NNModel_AddOperation(model_, OH_NN_OPS_FULL_CONNECTION, fused_too, layer_of, y); });
    ask("OH_NNModel_SpecifyInputsAndOutputs", [&] { return OH_NNModel_SpecifyInputsAndOutputs(model_, input, y); });
    ask("OH_NNModel_Finish", [&] { return OH_NNModel_Finish(model_); });
    const bool* can = nullptr;
    std::uint32_t count = 0;
    // An error of the device has another code here, also if the device has no memory.
    ask("OH_NNModel_GetAvailableOperations",
        [&] { return OH_NNModel_GetAvailableOperations(model_, device_, &can, &count); },
        {OH_NN_MEMORY_ERROR, OH_NN_FAILED});
    CHECK((count == 2 && can[0] && can[1]));
  }

  // ---- Compilations ----

  /// A compilation is built once, even if that fails: each attempt needs a new one.
  int built(OH_NNCompilation* fresh) {
    OH_NNCompilation_Destroy(&compilation_);
    compilation_ = fresh;
    int code = made(fresh);
    if (code == OH_NN_SUCCESS) code = OH_NNCompilation_SetDevice(fresh, device_);
    if (code == OH_NN_SUCCESS && !folder_.empty()) code = OH_NNCompilation_SetCache(fresh, folder_.c_str(), 1);
    if (code == OH_NN_SUCCESS) code = OH_NNCompilation_AddExtensionConfig(fresh, "ModelName", "small", 5);
    if (code == OH_NN_SUCCESS) code = OH_NNCompilation_AddExtensionConfig(fresh, "ModelName", "er", 2);
    if (code == OH_NN_SUCCESS) code = OH_NNCompilation_Build(fresh);
    return code;
  }
  void build() {
    ask("OH_NNCompilation_Build", [&] { return built(OH_NNCompilation_Construct(model_)); }, {OH_NN_MEMORY_ERROR});
    // A cache that there is no memory for is not kept, and the model is built all the same.
    if (!folder_.empty() && ::access((folder_ + "/small|ercache_info.nncache").c_str(), F_OK) != 0) {
      CHECK(has_failed());
      REQUIRE(built(OH_NNCompilation_Construct(model_)) == OH_NN_SUCCESS);
    }
    ask("OH_NNModel_Destroy",
        [&] { return OH_NNModel_Destroy(&model_), model_ == nullptr ? OH_NN_SUCCESS : OH_NN_FAILED; });
  }
  /// From the files that build() left, and from a buffer.
  void restore() {
    ask("OH_NNCompilation_ConstructForCache", [&] { return built(OH_NNCompilation_ConstructForCache()); });
    static char bytes[1 << 16];
    std::size_t written = 0;
    ask("OH_NNCompilation_ExportCacheToBuffer",
        [&] { return OH_NNCompilation_ExportCacheToBuffer(compilation_, bytes, sizeof bytes, &written); });
    ask("OH_NNCompilation_ImportCacheFromBuffer", [&] {
      OH_NNCompilation* imported = OH_NNCompilation_ConstructForCache();
      if (imported == nullptr) return OH_NN_MEMORY_ERROR;
      OH_NN_ReturnCode code = OH_NNCompilation_SetDevice(imported, device_);
      if (code == OH_NN_SUCCESS) code = OH_NNCompilation_ImportCacheFromBuffer(imported, bytes, written);
      if (code == OH_NN_SUCCESS) code = OH_NNCompilation_Build(imported);
      OH_NNCompilation_Destroy(&imported);
      return code;
    });
  }

  // ---- Runs ----

  void make_ends() {
    ask("OH_NNExecutor_Construct", [&] { return made(executor_ = OH_NNExecutor_Construct(compilation_)); });
    ask("OH_NNCompilation_Destroy", [&] {
      return OH_NNCompilation_Destroy(&compilation_), compilation_ == nullptr ? OH_NN_SUCCESS : OH_NN_FAILED;
    });
    ask("OH_NNExecutor_SetOnRunDone", [&] { return OH_NNExecutor_SetOnRunDone(executor_, ending::tell); },
        {OH_NN_MEMORY_ERROR, OH_NN_OPERATION_FORBIDDEN});
    std::size_t *least = nullptr, *most = nullptr, rank = 0;
    ask("OH_NNExecutor_GetInputDimRange",
        [&] { return OH_NNExecutor_GetInputDimRange(executor_, 0, &least, &most, &rank); });
    CHECK((rank == 2 && least[1] == 4));
  }
  NN_Tensor* made_tensor(NN_TensorDesc* (*describe)(const OH_NNExecutor*, std::size_t), std::int32_t rows,
                         std::int32_t columns) {
    NN_TensorDesc* desc = nullptr;
    NN_Tensor* tensor = nullptr;
    const std::int32_t shape[] = {rows, columns};
    ask("OH_NNExecutor_Create...TensorDesc", [&] { return made(desc = describe(executor_, 0)); });
    ask("OH_NNTensorDesc_SetShape", [&] { return OH_NNTensorDesc_SetShape(desc, shape, 2); });
    ask("OH_NNTensor_Create", [&] { return made(tensor = OH_NNTensor_Create(device_, desc)); });
    ask("OH_NNTensorDesc_Destroy", [&] { return OH_NNTensorDesc_Destroy(&desc); });
    return tensor;
  }
  void check(const float* y, int rows) {
    if (device_ != 0) return;  // the fake one computes nothing
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < 3; ++column) CHECK(y[3 * row + column] == expected(row, column));
  }
  void run_on_tensors(int rows) {
    NN_Tensor* in[] = {made_tensor(OH_NNExecutor_CreateInputTensorDesc, rows, 4)};
    NN_Tensor* out[] = {made_tensor(OH_NNExecutor_CreateOutputTensorDesc, rows, 3)};
    std::memcpy(OH_NNTensor_GetDataBuffer(in[0]), a, static_cast<std::size_t>(rows) * 16);
    const auto* const y = static_cast<const float*>(OH_NNTensor_GetDataBuffer(out[0]));
    ask("OH_NNExecutor_RunSync", [&] { return OH_NNExecutor_RunSync(executor_, in, 1, out, 1); });
    check(y, rows);
    std::memset(OH_NNTensor_GetDataBuffer(out[0]), 0, static_cast<std::size_t>(rows) * 12);
    ask("OH_NNExecutor_RunAsync", [&] {
      ending end;
      const int code = OH_NNExecutor_RunAsync(executor_, in, 1, out, 1, 60000, &end);
      return code == OH_NN_SUCCESS ? end.wait() : code;
    });
    check(y, rows);
    ask("OH_NNTensor_Destroy", [&] { return OH_NNTensor_Destroy(in); });
    ask("OH_NNTensor_Destroy", [&] { return OH_NNTensor_Destroy(out); });
  }
  void run_on_what_is_set() {
    const std::int32_t shape[] = {2, 4};
    const OH_NN_Tensor tensor{OH_NN_FLOAT32, 2, shape, nullptr, OH_NN_TENSOR};
    float y[6] = {};
    ask("OH_NNExecutor_SetInput", [&] { return OH_NNExecutor_SetInput(executor_, 0, &tensor, a, 32); });
    ask("OH_NNExecutor_SetOutput", [&] { return OH_NNExecutor_SetOutput(executor_, 0, y, sizeof y); });
    ask("OH_NNExecutor_Run", [&] { return OH_NNExecutor_Run(executor_); });
    check(y, 2);
  }
  void run_on_memory() {
    const std::int32_t shape[] = {2, 4};
    const OH_NN_Tensor tensor{OH_NN_FLOAT32, 2, shape, nullptr, OH_NN_TENSOR};
    OH_NN_Memory *in = nullptr, *out = nullptr;
    ask("OH_NNExecutor_AllocateInputMemory",
        [&] { return made(in = OH_NNExecutor_AllocateInputMemory(executor_, 0, 32)); });
    ask("OH_NNExecutor_AllocateOutputMemory",
        [&] { return made(out = OH_NNExecutor_AllocateOutputMemory(executor_, 0, 24)); });
    std::memcpy(in->data, a, 32);
    ask("OH_NNExecutor_SetInputWithMemory",
        [&] { return OH_NNExecutor_SetInputWithMemory(executor_, 0, &tensor, in); });
    ask("OH_NNExecutor_SetOutputWithMemory", [&] { return OH_NNExecutor_SetOutputWithMemory(executor_, 0, out); });
    ask("OH_NNExecutor_Run", [&] { return OH_NNExecutor_Run(executor_); });
    check(static_cast<const float*>(out->data), 2);
    ask("OH_NNExecutor_DestroyInputMemory", [&] {
      return OH_NNExecutor_DestroyInputMemory(executor_, 0, &in), in == nullptr ? OH_NN_SUCCESS : OH_NN_FAILED;
    });
  }
  void destroy() {
    ask("OH_NNExecutor_Destroy",
        [&] { return OH_NNExecutor_Destroy(&executor_), executor_ == nullptr ? OH_NN_SUCCESS : OH_NN_FAILED; });
  }

  std::size_t device_;
  std::string folder_;  // of the cache; empty: none
  bool is_dynamic_;
  OH_NNModel* model_ = nullptr;
  OH_NNCompilation* compilation_ = nullptr;
  OH_NNExecutor* executor_ = nullptr;
  int refused_ = 0;
};

/// Lives once for each allocation of a life, and looks at what is left of it. Returns how many there were.
int live_through(std::size_t device, bool keeps_caches, bool is_dynamic, bool lasts) {
  const auto once = [&](const shortage& which) {
    const temporary_folder folder("/dev/shm");  // where writing through costs nothing: there are thousands of lives
    begin_shortage(which);
    life l(device, keeps_caches ? folder.path() : "", is_dynamic);
    l.live();
    return l.refused();
  };
  (void)once({0, true});  // tables that stay have their places then, the tests' own as well
  CHECK(once({1L << 40, true}) == 0);
  const long living = living_allocations();
  for (int number = 0;; ++number) {
    CAPTURE(number);
    (void)once({number, lasts});
    if (!has_failed()) return number;
    REQUIRE(living_allocations() == living);
  }
}

/// Lines of the log, which need memory, too.
struct listener {
  static void hear(std::string_view, void* count) { ++*static_cast<int*>(count); }
  int lines = 0;
  listener() { nnrt::set_log(hear, &lines); }
  listener(const listener&) = delete;
  ~listener() { nnrt::set_log(nullptr); }
};

struct caching_device {
  std::size_t id;
  caching_device() {
    fake_behaviour behaviour;
    behaviour.name = "caching";
    behaviour.caching = behaviour.asynchronous = true;
    id = add_fake_device(behaviour);
  }
  caching_device(const caching_device&) = delete;
  ~caching_device() { remove_device(id); }
};

}  // namespace

TEST_CASE("a single allocation that fails costs the call that made it, and no more") {
  const listener hears;
  CHECK(live_through(0, false, false, false) > 100);
  CHECK(hears.lines > 0);
}
TEST_CASE("a refusal stays one where there is no memory to say why") {
  small_compilation c(false);
  const listener hears;
  const auto without_memory = [](auto call) {
    begin_shortage({0, true});
    const auto answered = lacking(call);
    CHECK(has_failed());
    return answered;
  };
  CHECK(without_memory([] { return OH_NNCompilation_Construct(nullptr); }) == nullptr);
  CHECK(without_memory([] { return OH_NNCompilation_ConstructWithOfflineModelFile(nullptr); }) == nullptr);
  CHECK(without_memory([] { return OH_NNCompilation_ConstructWithOfflineModelBuffer(nullptr, 1); }) == nullptr);
  CHECK(without_memory([&] { return OH_NNCompilation_SetCache(c.handle, nullptr, 1); }) == OH_NN_MEMORY_ERROR);
}
TEST_CASE("a heap that has ended costs each call that needs it, and nothing that was there before") {
  CHECK(live_through(0, false, false, true) > 100);
}
TEST_CASE("where shapes are known at runs alone, a failed one leaves the executor as it was") {
  CHECK(live_through(0, false, true, false) > 100);
  CHECK(live_through(0, false, true, true) > 100);
}
TEST_CASE("caches are written and read, or the code says that memory ended") {
  const caching_device device;
  CHECK(live_through(device.id, true, false, false) > 100);
  CHECK(live_through(device.id, true, false, true) > 100);
}
TEST_CASE("so are the processor's caches") {
  CHECK(live_through(0, true, false, false) > 100);
  CHECK(live_through(0, true, false, true) > 100);
  CHECK(live_through(0, true, true, true) > 100);
}
