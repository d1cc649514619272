// make_model: static networks as models of the C functions, and the example in C linked to this unit, which defines the
// functions.
// Flow: the other files of this program know the C headers alone.
#include <nnrt/c_api.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

extern "C" int nnrt_c_main(int count, char** arguments);  // examples/nnrt_c/main.c

namespace {

constexpr auto affine = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  auto w = g.constant<nnrt::f32, nnrt::shape<2, 4>>({1, 2, 3, 4, 5, 6, 7, 8});
  g.output("y", nnrt::full_connection(x, w, nnrt::relu));
};
constexpr auto with_weights = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  auto w = g.weight<nnrt::f32, nnrt::shape<2, 4>>("w");
  g.output("y", nnrt::full_connection(x, w));
};

NN_Tensor* tensor_of(std::array<std::int32_t, 2> shape) {
  NN_TensorDesc* desc = OH_NNTensorDesc_Create();
  OH_NNTensorDesc_SetDataType(desc, OH_NN_FLOAT32);
  OH_NNTensorDesc_SetShape(desc, shape.data(), shape.size());
  NN_Tensor* const made = OH_NNTensor_Create(0, desc);
  OH_NNTensorDesc_Destroy(&desc);
  return made;
}

}  // namespace

TEST_CASE("a static network compiles and runs through the C functions") {
  OH_NNModel* model = nnrt::c_api::make_model<nnrt::graph<affine>>();
  REQUIRE(model != nullptr);
  const bool* can = nullptr;
  std::uint32_t count = 0;
  REQUIRE(OH_NNModel_GetAvailableOperations(model, 0, &can, &count) == OH_NN_SUCCESS);
  CHECK(count == 1);
  CHECK(can[0]);
  CHECK(OH_NNModel_Finish(model) == OH_NN_OPERATION_FORBIDDEN);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  REQUIRE(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
  OH_NNModel_Destroy(&model);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  NN_Tensor *x = tensor_of({1, 4}), *y = tensor_of({1, 2});
  const std::array<float, 4> row{1, 0, 0, -1};
  std::memcpy(OH_NNTensor_GetDataBuffer(x), row.data(), sizeof row);
  REQUIRE(OH_NNExecutor_RunSync(executor, &x, 1, &y, 1) == OH_NN_SUCCESS);
  const auto* const made = static_cast<const float*>(OH_NNTensor_GetDataBuffer(y));
  CHECK(made[0] == 0);
  CHECK(made[1] == 0);
  OH_NNTensor_Destroy(&x), OH_NNTensor_Destroy(&y);
  OH_NNExecutor_Destroy(&executor);
  OH_NNCompilation_Destroy(&compilation);
}

/// A running sum, and twice what it was.
constexpr auto remembers = [](nnrt::builder& g) {
  auto total = g.state<nnrt::f32, nnrt::shape<1, 4>>("total");
  g.next(total, total + g.input<nnrt::f32, nnrt::shape<1, 4>>("x"));
  g.output("y", total + total);
};

TEST_CASE("a state is an input and an output of one name") {
  OH_NNModel* model = nnrt::c_api::make_model<nnrt::graph<remembers>>();
  REQUIRE(model != nullptr);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  REQUIRE(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
  OH_NNModel_Destroy(&model);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  std::size_t inputs = 0, outputs = 0;
  REQUIRE(OH_NNExecutor_GetInputCount(executor, &inputs) == OH_NN_SUCCESS);
  REQUIRE(OH_NNExecutor_GetOutputCount(executor, &outputs) == OH_NN_SUCCESS);
  CHECK(inputs == 2);
  CHECK(outputs == 2);
  for (const bool is_input : {true, false}) {
    NN_TensorDesc* desc =
        is_input ? OH_NNExecutor_CreateInputTensorDesc(executor, 1) : OH_NNExecutor_CreateOutputTensorDesc(executor, 1);
    const char* name = nullptr;
    REQUIRE(OH_NNTensorDesc_GetName(desc, &name) == OH_NN_SUCCESS);
    CHECK(std::string(name) == "total");
    OH_NNTensorDesc_Destroy(&desc);
  }
  NN_Tensor *x = tensor_of({1, 4}), *before = tensor_of({1, 4}), *after = tensor_of({1, 4}), *y = tensor_of({1, 4});
  const std::array<float, 4> row{1, 0, 0, -1};
  std::memcpy(OH_NNTensor_GetDataBuffer(x), row.data(), sizeof row);
  std::memset(OH_NNTensor_GetDataBuffer(before), 0, sizeof row);
  for (int run = 0; run < 3; ++run) {
    NN_Tensor *in[] = {x, before}, *out[] = {y, after};
    REQUIRE(OH_NNExecutor_RunSync(executor, in, 2, out, 2) == OH_NN_SUCCESS);
    CHECK(static_cast<const float*>(OH_NNTensor_GetDataBuffer(y))[3] == static_cast<float>(-2 * run));
    std::swap(before, after);
  }
  OH_NNTensor_Destroy(&x), OH_NNTensor_Destroy(&y), OH_NNTensor_Destroy(&before), OH_NNTensor_Destroy(&after);
  OH_NNExecutor_Destroy(&executor);
  OH_NNCompilation_Destroy(&compilation);
}

TEST_CASE("weights that do not fit make no model, and the log names them") {
  std::string heard;
  nnrt::set_log([](std::string_view line, void* user) { static_cast<std::string*>(user)->append(line); }, &heard);
  CHECK(nnrt::c_api::make_model<nnrt::graph<with_weights>>() == nullptr);
  nnrt::set_log(nullptr);
  CHECK(heard.find("make_model: ") == 0);
  CHECK(heard.find("\"w\"") != heard.npos);
}

TEST_CASE("who hears the log may call C functions that fail, and change the log") {
  int lines = 0;
  nnrt::set_log(
      [](std::string_view, void* user) {
        ++*static_cast<int*>(user);
        CHECK(OH_NNModel_Finish(nullptr) == OH_NN_INVALID_PARAMETER);  // nobody hears this
        nnrt::set_log(nullptr);
      },
      &lines);
  CHECK(OH_NNModel_Finish(nullptr) == OH_NN_INVALID_PARAMETER);
  CHECK(OH_NNModel_Finish(nullptr) == OH_NN_INVALID_PARAMETER);
  CHECK(lines == 1);
}

TEST_CASE("a rule that a model breaks is in the log, with both numbers") {
  std::string heard;
  nnrt::set_log([](std::string_view line, void* user) { static_cast<std::string*>(user)->append(line); }, &heard);
  OH_NNModel* model = OH_NNModel_Construct();
  const auto add = [&](std::vector<std::int32_t> shape, bool is_constant) {
    const OH_NN_Tensor tensor{OH_NN_FLOAT32, static_cast<std::uint32_t>(shape.size()), shape.data(), nullptr,
                              OH_NN_TENSOR};
    REQUIRE(OH_NNModel_AddTensor(model, &tensor) == OH_NN_SUCCESS);
    static std::uint32_t index = 0;
    std::size_t elements = 1;
    for (const std::int32_t extent : shape) elements *= static_cast<std::size_t>(extent);
    const std::vector<float> zeros(elements);
    if (is_constant) REQUIRE(OH_NNModel_SetTensorData(model, index, zeros.data(), 4 * elements) == OH_NN_SUCCESS);
    return index++;
  };
  std::uint32_t inputs[] = {add({1, 8, 8, 3}, false), add({8, 3, 3, 4}, true), add({8}, true)},
                output = add({1, 6, 6, 8}, false);
  const OH_NN_UInt32Array none{nullptr, 0}, in{inputs, 3}, first{inputs, 1}, out{&output, 1};
  REQUIRE(OH_NNModel_AddOperation(model, OH_NN_OPS_CONV2D, &none, &in, &out) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_SpecifyInputsAndOutputs(model, &first, &out) == OH_NN_SUCCESS);
  REQUIRE(OH_NNModel_Finish(model) == OH_NN_SUCCESS);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  CHECK(OH_NNCompilation_Build(compilation) == OH_NN_FAILED);
  nnrt::set_log(nullptr);
  CHECK(heard ==
        "OH_NNCompilation_Build: conv2d \"0\": input channels must equal weight channels times group (got 3, expected "
        "4)");
  OH_NNCompilation_Destroy(&compilation);
  OH_NNModel_Destroy(&model);
}

TEST_CASE("the example in plain C runs on functions that a C++ unit defines") {
  char name[] = "nnrt_c", unknown[] = "--fast", help[] = "--help";
  char* arguments[] = {name, nullptr};
  CHECK(nnrt_c_main(1, arguments) == 0);
  arguments[1] = help;
  CHECK(nnrt_c_main(2, arguments) == 0);
  arguments[1] = unknown;
  CHECK(nnrt_c_main(2, arguments) == 2);
}
