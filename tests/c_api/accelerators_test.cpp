// The accelerators that this library has tables of, as devices of the C functions.
#include <c_api/small_model.hpp>

#include <nnrt/c_api/support.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

using namespace nnrt_test;

namespace {

/// The id of the device of this name; 0: there is none.
std::size_t device_of(std::string_view wanted) {
  const std::size_t* ids = nullptr;
  std::uint32_t count = 0;
  REQUIRE(OH_NNDevice_GetAllDevicesID(&ids, &count) == OH_NN_SUCCESS);
  for (std::uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    REQUIRE(OH_NNDevice_GetName(ids[i], &name) == OH_NN_SUCCESS);
    if (name == wanted) return ids[i];
  }
  return 0;
}

/// y = conv2d(x) of i8, [1, 4, 4, 1] to [1, 4, 4, 1]: weights 1, `kernel` pixels high and wide, sums divided by 2.
class layer_of_bytes {
 public:
  explicit layer_of_bytes(std::int32_t kernel) : handle(OH_NNModel_Construct()) {
    const double half = 0.5, one = 1;
    const std::int32_t zero = 0, bias = 0;
    const std::uint32_t bits = 8;
    const OH_NN_QuantParam by_one{1, &bits, &one, &zero}, by_half{1, &bits, &half, &zero};
    const std::int64_t ones[] = {1, 1};
    const std::int8_t same = 0, none = OH_NN_FUSED_NONE;
    const std::vector<std::int8_t> filter(static_cast<std::size_t>(kernel) * static_cast<std::size_t>(kernel), 1);
    add(OH_NN_INT8, {1, 4, 4, 1}, OH_NN_TENSOR, nullptr, 0, &by_half);
    add(OH_NN_INT8, {1, kernel, kernel, 1}, OH_NN_TENSOR, filter.data(), filter.size(), &by_one);
    add(OH_NN_INT32, {1}, OH_NN_TENSOR, &bias, sizeof bias);
    add(OH_NN_INT64, {2}, OH_NN_CONV2D_STRIDES, ones, sizeof ones);
    add(OH_NN_INT64, {2}, OH_NN_CONV2D_DILATION, ones, sizeof ones);
    add(OH_NN_INT8, {}, OH_NN_CONV2D_PAD_MODE, &same, 1);
    add(OH_NN_INT8, {}, OH_NN_CONV2D_ACTIVATION_TYPE, &none, 1);
    add(OH_NN_INT8, {1, 4, 4, 1}, OH_NN_TENSOR, nullptr, 0, &by_one);
    REQUIRE(OH_NNModel_AddOperation(handle, OH_NN_OPS_CONV2D, indices{3, 4, 5, 6}, indices{0, 1, 2}, indices{7}) ==
            OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_SpecifyInputsAndOutputs(handle, indices{0}, indices{7}) == OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_Finish(handle) == OH_NN_SUCCESS);
  }
  layer_of_bytes(const layer_of_bytes&) = delete;
  ~layer_of_bytes() { OH_NNModel_Destroy(&handle); }

  OH_NNModel* handle;

 private:
  void add(OH_NN_DataType type, const std::vector<std::int32_t>& shape, OH_NN_TensorType kind, const void* data,
           std::size_t bytes, const OH_NN_QuantParam* quant = nullptr) {
    REQUIRE(add_tensor(handle, type, shape, kind, quant) == OH_NN_SUCCESS);
    if (data != nullptr) REQUIRE(OH_NNModel_SetTensorData(handle, next_, data, bytes) == OH_NN_SUCCESS);
    ++next_;
  }
  std::uint32_t next_ = 0;
};

/// The bytes that a layer of one pixel makes of x on a device.
std::vector<std::int8_t> run_on(std::size_t device, const std::vector<std::int8_t>& x) {
  const layer_of_bytes model(1);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model.handle);
  REQUIRE(OH_NNCompilation_SetDevice(compilation, device) == OH_NN_SUCCESS);
  REQUIRE(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  NN_Tensor* in = small_executor::make_tensor({1, 4, 4, 1}, device, OH_NN_INT8);
  NN_Tensor* out = small_executor::make_tensor({1, 4, 4, 1}, device, OH_NN_INT8);
  std::memcpy(OH_NNTensor_GetDataBuffer(in), x.data(), x.size());
  REQUIRE(OH_NNExecutor_RunSync(executor, &in, 1, &out, 1) == OH_NN_SUCCESS);
  std::vector<std::int8_t> y(x.size());
  std::memcpy(y.data(), OH_NNTensor_GetDataBuffer(out), y.size());
  OH_NNTensor_Destroy(&in);
  OH_NNTensor_Destroy(&out);
  OH_NNExecutor_Destroy(&executor);
  OH_NNCompilation_Destroy(&compilation);
  return y;
}

}  // namespace

TEST_CASE("accelerators: three are listed after the processor, with names and types") {
  const std::size_t* ids = nullptr;
  std::uint32_t count = 0;
  REQUIRE(OH_NNDevice_GetAllDevicesID(&ids, &count) == OH_NN_SUCCESS);
  REQUIRE(count >= 4);
  OH_NN_DeviceType type = OH_NN_OTHERS;
  CHECK(OH_NNDevice_GetType(ids[0], &type) == OH_NN_SUCCESS);
  CHECK(type == OH_NN_CPU);
  for (const char* name : {"bernoulli2_nnrt_v2_1", "bayes_nnrt_v2_1", "bayes_e_nnrt_v2_1"}) {
    CAPTURE(name);
    const std::size_t id = device_of(name);
    REQUIRE(id != 0);
    CHECK(OH_NNDevice_GetType(id, &type) == OH_NN_SUCCESS);
    CHECK(type == OH_NN_ACCELERATOR);
  }
}

TEST_CASE("accelerators: one that is selected by its id runs a convolution of bytes, halves rounded to even numbers") {
  const std::vector<std::int8_t> x{1, 3, 5, 7, -1, -3, -5, -7, 2, 4, 127, -128, 0, 9, 11, 13};
  const std::vector<std::int8_t> even{0, 2, 2, 4, 0, -2, -2, -4, 1, 2, 64, -64, 0, 4, 6, 6};
  for (const char* name : {"bernoulli2_nnrt_v2_1", "bayes_nnrt_v2_1", "bayes_e_nnrt_v2_1"})
    CHECK(run_on(device_of(name), x) == even);
  CHECK(run_on(device_of("cpu_nnrt_v2_1"), x) != even);
}

TEST_CASE("accelerators: a model with a node that is refused is not built, and the log says why") {
  std::string heard;
  nnrt::set_log([](std::string_view line, void* user) { static_cast<std::string*>(user)->append(line); }, &heard);
  const layer_of_bytes model(9);
  const std::size_t device = device_of("bernoulli2_nnrt_v2_1");
  const bool* is_supported = nullptr;
  std::uint32_t count = 0;
  CHECK(OH_NNModel_GetAvailableOperations(model.handle, device, &is_supported, &count) == OH_NN_SUCCESS);
  REQUIRE(count == 1);
  CHECK_FALSE(is_supported[0]);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model.handle);
  REQUIRE(OH_NNCompilation_SetDevice(compilation, device) == OH_NN_SUCCESS);
  CHECK(OH_NNCompilation_Build(compilation) != OH_NN_SUCCESS);
  OH_NNCompilation_Destroy(&compilation);
  nnrt::set_log(nullptr);
  CHECK(heard.find("kernel must lie within the limits (got 9, expected 7)") != std::string::npos);
}
