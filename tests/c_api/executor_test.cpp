// executor: what runs compute - on tensors, on inputs and outputs that were set, asynchronously, for shapes that only a
// run knows.
// Flow: codes are contract_test's subject, numbers are this one's.
#include <nnrt/c_api/support.hpp>

#include "c_api/fake_device.hpp"
#include "c_api/small_model.hpp"
#include "support/failing_memory.hpp"

#include <doctest/doctest.h>

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

using namespace nnrt_test;

namespace {

/// A client's own static object: it is destroyed after everything that the first call has made.
struct executor_of_program {
  OH_NNExecutor* handle = nullptr;
  OH_NN_Memory* memory = nullptr;
  OH_NNCompilation* compilation = nullptr;  // its device is looked for when it is destroyed

  ~executor_of_program() {
    OH_NNExecutor_DestroyInputMemory(handle, 0, &memory);
    OH_NNExecutor_Destroy(&handle);
    OH_NNCompilation_Destroy(&compilation);
    if (handle != nullptr || memory != nullptr || compilation != nullptr) std::_Exit(EXIT_FAILURE);
  }
} executor_of_program;

/// a = -6 … 5 and b = 1, so that y = relu(a + b) has zeros and others.
std::vector<float> ramp() {
  std::vector<float> a(12);
  std::iota(a.begin(), a.end(), -6.0F);
  return a;
}
std::vector<float> expected_sums() {
  std::vector<float> y;
  for (const float a : ramp()) y.push_back(std::max(a + 1, 0.0F));
  return y;
}
void fill(small_executor& e) {
  const std::vector<float> a = ramp();
  std::copy(a.begin(), a.end(), e.data(0));
  std::fill_n(e.data(1), 12, 1.0F);
}
std::vector<float> result_of(small_executor& e) { return {e.data(2), e.data(2) + 12}; }

const OH_NN_Tensor small_tensor{OH_NN_FLOAT32, 4, small_shape.data(), nullptr, OH_NN_TENSOR};

/// What the end of an asynchronous run tells.
struct ending {
  std::atomic<bool> is_there{false};
  OH_NN_ReturnCode code = OH_NN_FAILED;
  std::vector<void*> outputs;
  static void tell(void* user, OH_NN_ReturnCode code, void** outputs, std::int32_t count) {
    auto& end = *static_cast<ending*>(user);
    end.code = code;
    end.outputs.assign(outputs, outputs + count);
    end.is_there = true;
    end.is_there.notify_all();
  }
  void wait() const { is_there.wait(false); }
};

}  // namespace

TEST_CASE(
    "scales of channels run along the axis that the operation needs, where a tensor has several of their number") {
  const std::uint32_t bits[] = {8, 8};
  const double scales[] = {1, 0.5};
  const std::int32_t zeros[] = {0, 0};
  const OH_NN_QuantParam one{1, bits, scales, zeros}, two{2, bits, scales, zeros};
  OH_NNModel* model = OH_NNModel_Construct();
  add_tensor(model, OH_NN_INT8, {1, 2}, OH_NN_TENSOR, &one);
  add_tensor(model, OH_NN_INT8, {2, 2}, OH_NN_TENSOR, &two);
  add_tensor(model, OH_NN_INT8, {1, 2}, OH_NN_TENSOR, &one);
  const std::int8_t matrix[] = {4, 6, 8, -2};
  REQUIRE(OH_NNModel_SetTensorData(model, 1, matrix, sizeof matrix) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_AddOperation(model, OH_NN_OPS_MATMUL, indices{}, indices{0, 1}, indices{2}) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_SpecifyInputsAndOutputs(model, indices{0}, indices{2}) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_Finish(model) == OH_NN_SUCCESS);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  // a scale for each row would be refused: each column is a sum over the rows
  CHECK(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  NN_Tensor* x = small_executor::make_tensor({1, 2}, 0, OH_NN_INT8);
  NN_Tensor* y = small_executor::make_tensor({1, 2}, 0, OH_NN_INT8);
  const std::int8_t row[] = {3, 2};
  std::memcpy(OH_NNTensor_GetDataBuffer(x), row, sizeof row);
  CHECK(OH_NNExecutor_RunSync(executor, &x, 1, &y, 1) == OH_NN_SUCCESS);
  const auto* const products = static_cast<const std::int8_t*>(OH_NNTensor_GetDataBuffer(y));
  CHECK(products[0] == 28);
  CHECK(products[1] == 7);  // half of 14
  OH_NNTensor_Destroy(&x), OH_NNTensor_Destroy(&y);
  OH_NNExecutor_Destroy(&executor), OH_NNCompilation_Destroy(&compilation), OH_NNModel_Destroy(&model);
}

TEST_CASE("a run on tensors computes the model, again and again") {
  small_executor e;
  for (int round = 0; round < 3; ++round) {
    fill(e);
    REQUIRE(e.run() == OH_NN_SUCCESS);
    CHECK(result_of(e) == expected_sums());
    std::fill_n(e.data(2), 12, -1.0F);
  }
}

TEST_CASE("of booleans every byte but 0 is true, in constants and inputs") {
  OH_NNModel* model = OH_NNModel_Construct();
  for (int i = 0; i < 2; ++i) add_tensor(model, OH_NN_BOOL, {5});
  for (int i = 0; i < 2; ++i) add_tensor(model, OH_NN_INT32, {5});
  add_tensor(model, OH_NN_BOOL, {5}), add_tensor(model, OH_NN_INT32, {5});
  const std::uint8_t mask[] = {0, 1, 128, 255, 2}, other[] = {255, 2, 0, 16, 1};
  const std::int32_t yes[] = {1, 2, 3, 4, 5}, no[] = {-1, -2, -3, -4, -5};
  REQUIRE(OH_NNModel_SetTensorData(model, 1, mask, sizeof mask) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_SetTensorData(model, 2, yes, sizeof yes) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_SetTensorData(model, 3, no, sizeof no) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_AddOperation(model, OH_NN_OPS_LOGICAL_AND, indices{}, indices{0, 1}, indices{4}) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_AddOperation(model, OH_NN_OPS_SELECT, indices{}, indices{0, 2, 3}, indices{5}) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_SpecifyInputsAndOutputs(model, indices{0}, indices{4, 5}) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_Finish(model) == OH_NN_SUCCESS);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  REQUIRE(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  NN_Tensor* x = small_executor::make_tensor({5}, 0, OH_NN_BOOL);
  NN_Tensor* y[] = {small_executor::make_tensor({5}, 0, OH_NN_BOOL), small_executor::make_tensor({5}, 0, OH_NN_INT32)};
  const auto bytes = [](NN_Tensor* t) { return static_cast<const std::uint8_t*>(OH_NNTensor_GetDataBuffer(t)); };
  std::memcpy(OH_NNTensor_GetDataBuffer(x), other, sizeof other);
  REQUIRE(OH_NNExecutor_RunSync(executor, &x, 1, y, 2) == OH_NN_SUCCESS);
  CHECK(std::vector<std::uint8_t>(bytes(y[0]), bytes(y[0]) + 5) == std::vector<std::uint8_t>{0, 1, 0, 1, 1});
  const auto* const chosen = static_cast<const std::int32_t*>(OH_NNTensor_GetDataBuffer(y[1]));
  CHECK(std::vector<std::int32_t>(chosen, chosen + 5) == std::vector<std::int32_t>{1, 2, -3, 4, 5});
  // the program's own bytes stay
  CHECK(std::vector<std::uint8_t>(bytes(x), bytes(x) + 5) == std::vector<std::uint8_t>(other, other + 5));
  OH_NNTensor_Destroy(&x), OH_NNTensor_Destroy(&y[0]), OH_NNTensor_Destroy(&y[1]);
  OH_NNExecutor_Destroy(&executor), OH_NNCompilation_Destroy(&compilation), OH_NNModel_Destroy(&model);
}

TEST_CASE("every tensor is NHWC: channels that are brought to axis 1 are rows of the next layer") {
  for (const bool is_dynamic : {false, true}) {
    CAPTURE(is_dynamic);
    const std::int32_t batch = is_dynamic ? -1 : 1;
    OH_NNModel* model = OH_NNModel_Construct();
    add_tensor(model, OH_NN_FLOAT32, {batch, 1, 2, 2}), add_tensor(model, OH_NN_INT32, {4}),
        add_tensor(model, OH_NN_FLOAT32, {batch, 2, 1, 2});
    add_tensor(model, OH_NN_FLOAT32, {1, 1, 1, 2}), add_tensor(model, OH_NN_FLOAT32, {1}),
        add_tensor(model, OH_NN_FLOAT32, {batch, 2, 1, 1});
    const std::int32_t order[] = {0, 3, 1, 2};
    const float weight[] = {1, 10}, bias[] = {0};
    REQUIRE(OH_NNModel_SetTensorData(model, 1, order, sizeof order) == OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_SetTensorData(model, 3, weight, sizeof weight) == OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_SetTensorData(model, 4, bias, sizeof bias) == OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_AddOperation(model, OH_NN_OPS_TRANSPOSE, indices{}, indices{0, 1}, indices{2}) == OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_AddOperation(model, OH_NN_OPS_CONV2D, indices{}, indices{2, 3, 4}, indices{5}) == OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_SpecifyInputsAndOutputs(model, indices{0}, indices{5}) == OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_Finish(model) == OH_NN_SUCCESS);
    const bool* can = nullptr;
    std::uint32_t count = 0;
    REQUIRE(OH_NNModel_GetAvailableOperations(model, 0, &can, &count) == OH_NN_SUCCESS);
    REQUIRE((count == 2 && can[0] && can[1]));
    OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
    REQUIRE(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
    OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
    NN_Tensor *x = small_executor::make_tensor({1, 1, 2, 2}), *y = small_executor::make_tensor({1, 2, 1, 1});
    const float pixels[] = {1, 2, 3, 4};
    std::memcpy(OH_NNTensor_GetDataBuffer(x), pixels, sizeof pixels);
    REQUIRE(OH_NNExecutor_RunSync(executor, &x, 1, &y, 1) == OH_NN_SUCCESS);
    const auto* const made = static_cast<const float*>(OH_NNTensor_GetDataBuffer(y));
    CHECK(made[0] == 31);
    CHECK(made[1] == 42);
    OH_NNTensor_Destroy(&x), OH_NNTensor_Destroy(&y);
    OH_NNExecutor_Destroy(&executor), OH_NNCompilation_Destroy(&compilation), OH_NNModel_Destroy(&model);
  }
}

TEST_CASE("runs take nothing from the heap, once the first one has been") {
  small_executor e;
  std::vector<float> a = ramp(), b(12, 1.0F), y(12);
  REQUIRE(OH_NNExecutor_SetInput(e.handle, 0, &small_tensor, a.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetInput(e.handle, 1, &small_tensor, b.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetOutput(e.handle, 0, y.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(e.run() == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_Run(e.handle) == OH_NN_SUCCESS);
  const long before = allocations();
  CHECK(before > 0);
  const OH_NN_ReturnCode on_tensors = e.run(), on_what_is_set = OH_NNExecutor_Run(e.handle);
  CHECK(allocations() == before);
  CHECK(on_tensors == OH_NN_SUCCESS);
  CHECK(on_what_is_set == OH_NN_SUCCESS);
}

TEST_CASE("inputs and outputs that were set run, and stay set") {
  small_executor e;
  std::vector<float> a = ramp(), b(12, 1.0F), y(12, -1.0F);
  REQUIRE(OH_NNExecutor_SetInput(e.handle, 0, &small_tensor, a.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetInput(e.handle, 1, &small_tensor, b.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetOutput(e.handle, 0, y.data(), 48) == OH_NN_SUCCESS);
  std::fill(a.begin(), a.end(), 1e9F);  // inputs were copied
  REQUIRE(OH_NNExecutor_Run(e.handle) == OH_NN_SUCCESS);
  CHECK(y == expected_sums());
  REQUIRE(OH_NNExecutor_SetInput(e.handle, 1, &small_tensor, a.data(), 48) == OH_NN_SUCCESS);  // replaces b
  REQUIRE(OH_NNExecutor_Run(e.handle) == OH_NN_SUCCESS);
  CHECK(y[0] == 1e9F - 6);
}

TEST_CASE("shared memory is read and written where it lies") {
  small_executor e;
  OH_NN_Memory* in[] = {OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48),
                        OH_NNExecutor_AllocateInputMemory(e.handle, 1, 100)};
  OH_NN_Memory* out = OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 48);
  for (std::uint32_t i = 0; i < 2; ++i)
    REQUIRE(OH_NNExecutor_SetInputWithMemory(e.handle, i, &small_tensor, in[i]) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetOutputWithMemory(e.handle, 0, out) == OH_NN_SUCCESS);
  CHECK(in[1]->length == 100);
  const std::vector<float> a = ramp(), b(12, 1.0F);
  std::memcpy(in[0]->data, a.data(), 48);  // after it was set: nothing was copied
  std::memcpy(in[1]->data, b.data(), 48);
  REQUIRE(OH_NNExecutor_Run(e.handle) == OH_NN_SUCCESS);
  CHECK(std::memcmp(out->data, expected_sums().data(), 48) == 0);
}

TEST_CASE("what one executor writes another one reads in the same memory") {
  small_executor first, second;
  OH_NN_Memory* between = OH_NNExecutor_AllocateOutputMemory(first.handle, 0, 48);
  std::vector<float> a = ramp(), b(12, 1.0F), y(12, -1.0F);
  for (small_executor* const e : {&first, &second})
    REQUIRE(OH_NNExecutor_SetInput(e->handle, 1, &small_tensor, b.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetInput(first.handle, 0, &small_tensor, a.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetOutputWithMemory(first.handle, 0, between) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetInputWithMemory(second.handle, 0, &small_tensor, between) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetOutput(second.handle, 0, y.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_Run(first.handle) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_Run(second.handle) == OH_NN_SUCCESS);
  for (std::size_t i = 0; i < 12; ++i) CHECK(y[i] == expected_sums()[i] + 1);
  OH_NNExecutor_DestroyOutputMemory(second.handle, 0, &between);  // not its own
  CHECK(between != nullptr);
  OH_NNExecutor_DestroyOutputMemory(first.handle, 0, &between);
  CHECK(OH_NNExecutor_Run(second.handle) == OH_NN_INVALID_PARAMETER);
}

TEST_CASE("who hears that memory is not an input's may allocate some") {
  ::alarm(60);  // a hang ends the test
  struct state {
    small_executor of;
    OH_NN_Memory* heard = nullptr;
  } all;
  OH_NNExecutor* const e = all.of.handle;
  OH_NN_Memory* memory = OH_NNExecutor_AllocateOutputMemory(e, 0, 48);
  REQUIRE(memory != nullptr);
  OH_NN_Memory* const other = memory;
  const auto hears = [](std::string_view, void* user) {
    auto& mine = *static_cast<state*>(user);
    mine.heard = OH_NNExecutor_AllocateInputMemory(mine.of.handle, 0, 48);
  };
  nnrt::set_log(hears, &all);
  OH_NNExecutor_DestroyInputMemory(e, 0, &memory);
  nnrt::set_log(nullptr);
  CHECK(memory == other);
  CHECK(all.heard != nullptr);
  OH_NNExecutor_DestroyInputMemory(e, 0, &all.heard), OH_NNExecutor_DestroyOutputMemory(e, 0, &memory);
  CHECK(all.heard == nullptr);
  CHECK(memory == nullptr);
  ::alarm(0);
}

TEST_CASE("of data and memory for one end, the last one set is used") {
  small_executor e;
  std::vector<float> a = ramp(), b(12, 1.0F), y(12, -1.0F);
  OH_NN_Memory* in = OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48);
  OH_NN_Memory* out = OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 48);
  REQUIRE(OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor, in) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetInput(e.handle, 0, &small_tensor, a.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetInput(e.handle, 1, &small_tensor, b.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetOutput(e.handle, 0, y.data(), 48) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetOutputWithMemory(e.handle, 0, out) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_Run(e.handle) == OH_NN_SUCCESS);
  CHECK(std::memcmp(out->data, expected_sums().data(), 48) == 0);
  CHECK(y[0] == -1);
}

TEST_CASE("extents that only a run knows: each shape in turn, and what it made of the output") {
  small_executor e(true);
  for (const std::int32_t height : {1, 5, 2, 5}) {
    const std::vector<std::int32_t> shape{1, height, 2, 3};
    const auto elements = static_cast<std::size_t>(6 * height);
    NN_Tensor* t[3];
    for (NN_Tensor*& tensor : t) tensor = small_executor::make_tensor(shape);
    for (int i = 0; i < 2; ++i)
      std::fill_n(static_cast<float*>(OH_NNTensor_GetDataBuffer(t[i])), elements, static_cast<float>(height));
    REQUIRE(OH_NNExecutor_RunSync(e.handle, t, 2, t + 2, 1) == OH_NN_SUCCESS);
    const auto* const y = static_cast<const float*>(OH_NNTensor_GetDataBuffer(t[2]));
    CHECK(std::all_of(y, y + elements, [&](float x) { return x == 2.0F * static_cast<float>(height); }));
    std::int32_t* made = nullptr;
    std::uint32_t rank = 0;
    REQUIRE(OH_NNExecutor_GetOutputShape(e.handle, 0, &made, &rank) == OH_NN_SUCCESS);
    CHECK(std::vector<std::int32_t>(made, made + rank) == shape);
    for (NN_Tensor*& tensor : t) OH_NNTensor_Destroy(&tensor);
  }
}

TEST_CASE("an output's description has the real shape after a run") {
  small_executor e(true);
  NN_TensorDesc* desc = OH_NNTensorDesc_Create();
  const std::int32_t open[] = {1, -1, 2, 3};
  OH_NNTensorDesc_SetDataType(desc, OH_NN_FLOAT32);
  OH_NNTensorDesc_SetShape(desc, open, 4);
  NN_Tensor* out = OH_NNTensor_CreateWithSize(0, desc, 4096);
  OH_NNTensorDesc_Destroy(&desc);
  REQUIRE(OH_NNExecutor_RunSync(e.handle, e.tensors, 2, &out, 1) == OH_NN_SUCCESS);
  std::size_t bytes = 0;
  REQUIRE(OH_NNTensorDesc_GetByteSize(OH_NNTensor_GetTensorDesc(out), &bytes) == OH_NN_SUCCESS);
  CHECK(bytes == 48);
  OH_NNTensor_Destroy(&out);
}

TEST_CASE("an asynchronous run tells its end, the outputs and the code") {
  small_executor e;
  fill(e);
  REQUIRE(OH_NNExecutor_SetOnRunDone(e.handle, &ending::tell) == OH_NN_SUCCESS);
  for (int round = 0; round < 20; ++round) {
    ending end;
    std::fill_n(e.data(2), 12, -1.0F);
    REQUIRE(OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 10'000, &end) == OH_NN_SUCCESS);
    end.wait();
    CHECK(end.code == OH_NN_SUCCESS);
    REQUIRE(end.outputs.size() == 1);
    CHECK(end.outputs[0] == e.tensors[2]);
    CHECK(result_of(e) == expected_sums());
  }
}

TEST_CASE("a device that dies in an asynchronous run is told to both functions") {
  fake_behaviour behaviour;
  behaviour.asynchronous = true;
  behaviour.run_fails = "the service is gone";
  const std::size_t id = add_fake_device(behaviour);
  {
    static std::atomic<int> deaths{0};
    small_executor e(false, id);
    ending end;
    REQUIRE(OH_NNExecutor_SetOnRunDone(e.handle, &ending::tell) == OH_NN_SUCCESS);
    REQUIRE(OH_NNExecutor_SetOnServiceDied(e.handle, [](void*) { ++deaths; }) == OH_NN_SUCCESS);
    REQUIRE(OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 0, &end) == OH_NN_SUCCESS);
    end.wait();
    CHECK(end.code == OH_NN_UNAVAILABLE_DEVICE);
    CHECK(deaths == 1);
  }
  remove_device(id);
}

TEST_CASE("a run whose tensors do not fit fails, and no device has died of it") {
  static std::atomic<int> deaths{0};
  small_executor e(true);
  NN_Tensor* too_small = small_executor::make_tensor({1, 1, 2, 3});  // the inputs make [1, 2, 2, 3]
  ending end;
  REQUIRE(OH_NNExecutor_SetOnRunDone(e.handle, &ending::tell) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_SetOnServiceDied(e.handle, [](void*) { ++deaths; }) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, &too_small, 1, 0, &end) == OH_NN_SUCCESS);
  end.wait();
  CHECK(end.code == OH_NN_UNAVAILABLE_DEVICE);
  CHECK(deaths == 0);
  OH_NNTensor_Destroy(&too_small);
}

TEST_CASE("a tensor over the file of another one shares its bytes") {
  small_executor e;
  int fd = -1;
  REQUIRE(OH_NNTensor_GetFd(e.tensors[0], &fd) == OH_NN_SUCCESS);
  NN_Tensor* twin = OH_NNTensor_CreateWithFd(0, OH_NNTensor_GetTensorDesc(e.tensors[0]), fd, 48, 0);
  REQUIRE(twin != nullptr);
  e.data(0)[7] = 42;
  CHECK(static_cast<float*>(OH_NNTensor_GetDataBuffer(twin))[7] == 42);
  OH_NNTensor_Destroy(&twin);
  e.data(0)[7] = 43;  // still mapped by its own tensor
  fill(e);
  CHECK(e.run() == OH_NN_SUCCESS);
}

TEST_CASE("executors of one compilation run in several threads") {
  small_compilation c;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      OH_NNExecutor* executor = OH_NNExecutor_Construct(c.handle);
      NN_Tensor* t[3];
      for (NN_Tensor*& tensor : t) tensor = small_executor::make_tensor(small_shape);
      for (int round = 0; round < 200; ++round) {
        const auto value = static_cast<float>(k * 1000 + round);
        for (int i = 0; i < 2; ++i) std::fill_n(static_cast<float*>(OH_NNTensor_GetDataBuffer(t[i])), 12, value);
        if (OH_NNExecutor_RunSync(executor, t, 2, t + 2, 1) != OH_NN_SUCCESS) ++wrong;
        if (static_cast<float*>(OH_NNTensor_GetDataBuffer(t[2]))[11] != 2 * value) ++wrong;
      }
      for (NN_Tensor*& tensor : t) OH_NNTensor_Destroy(&tensor);
      OH_NNExecutor_Destroy(&executor);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("an executor outlives its compilation and its model") {
  small_model* m = new small_model();
  OH_NNCompilation* c = OH_NNCompilation_Construct(m->handle);
  REQUIRE(OH_NNCompilation_Build(c) == OH_NN_SUCCESS);
  delete m;
  OH_NNExecutor* executor = OH_NNExecutor_Construct(c);
  OH_NNCompilation_Destroy(&c);
  small_executor other;
  fill(other);
  REQUIRE(OH_NNExecutor_RunSync(executor, other.tensors, 2, other.tensors + 2, 1) == OH_NN_SUCCESS);
  CHECK(result_of(other) == expected_sums());
  OH_NNExecutor_Destroy(&executor);
}

TEST_CASE("a compilation, an executor and its memory may be destroyed at the program's very end") {
  small_compilation c(true);
  executor_of_program.handle = OH_NNExecutor_Construct(c.handle);
  executor_of_program.memory = OH_NNExecutor_AllocateInputMemory(executor_of_program.handle, 0, 48);
  CHECK(executor_of_program.memory != nullptr);
  std::swap(executor_of_program.compilation, c.handle);
}
