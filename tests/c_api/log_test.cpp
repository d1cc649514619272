// log_test: what set_log() hears of what cannot be made - which function, operation or tensor, what it has and what it
// should.
// Flow: what operators' rules say is theirs; these are the words of the C functions.
#include "c_api/small_model.hpp"
#include "support/hearing.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

using namespace nnrt_test;

namespace {

/// What a compilation says of a model: tensors 0 and 1 of f32 [4] are its inputs, 2 is its output, and `adds` whatever
/// else.
std::string refusal(const std::function<void(OH_NNModel*)>& adds) {
  OH_NNModel* model = OH_NNModel_Construct();
  for (int i = 0; i < 3; ++i) add_tensor(model, OH_NN_FLOAT32, {4});
  adds(model);
  OH_NNModel_SpecifyInputsAndOutputs(model, indices{0, 1}, indices{2});
  OH_NNModel_Finish(model);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  std::string words;
  {
    const hearing now;
    CHECK(OH_NNCompilation_Build(compilation) == OH_NN_FAILED);
    words = now.words;
  }
  OH_NNCompilation_Destroy(&compilation), OH_NNModel_Destroy(&model);
  return words;
}

OH_NN_ReturnCode apply(OH_NNModel* model, OH_NN_OperationType operation, const OH_NN_UInt32Array* in,
                       const OH_NN_UInt32Array* out, const OH_NN_UInt32Array* parameters = indices{}) {
  return OH_NNModel_AddOperation(model, operation, parameters, in, out);
}

}  // namespace

TEST_CASE("a compilation that no device can build names the operation, and the tensor that is wrong") {
  const std::uint32_t bits[] = {8, 8, 8};
  const double scales[] = {1, 1, 1};
  const std::int32_t zeros[] = {0, 0, 0};
  const OH_NN_QuantParam three{3, bits, scales, zeros};
  struct row {
    const char* what;
    std::function<void(OH_NNModel*)> adds;
    const char* words;
  };
  const row table[] = {
      {"an operand that nothing makes",
       [](OH_NNModel* m) {
         add_tensor(m, OH_NN_FLOAT32, {4}), apply(m, OH_NN_OPS_ADD, indices{0, 1}, indices{2}),
             apply(m, OH_NN_OPS_ADD, indices{0, 3}, indices{2});
       },
       "add \"1\": reads tensor 3, which has no data, is no input, and is made by no operation before it"},
      {"two operations that wait for each other",
       [](OH_NNModel* m) {
         add_tensor(m, OH_NN_FLOAT32, {4}), apply(m, OH_NN_OPS_ADD, indices{0, 3}, indices{2}),
             apply(m, OH_NN_OPS_ABS, indices{2}, indices{3});
       },
       "add \"0\": reads tensor 3, which has no data, is no input, and is made by no operation before it"},
      {"a result that is an input",
       [](OH_NNModel* m) {
         apply(m, OH_NN_OPS_ABS, indices{0}, indices{2}), apply(m, OH_NN_OPS_ABS, indices{0}, indices{1});
       },
       "abs \"1\": writes tensor 1, which is an input, a constant, or made by another operation"},
      {"no data type",
       [](OH_NNModel* m) {
         add_tensor(m, OH_NN_UNKNOWN, {4}), apply(m, OH_NN_OPS_ABS, indices{0}, indices{3}),
             apply(m, OH_NN_OPS_ABS, indices{3}, indices{2});
       },
       "abs \"0\": tensor 3 has no data type"},
      {"nine axes",
       [](OH_NNModel* m) {
         add_tensor(m, OH_NN_FLOAT32, {1, 1, 1, 1, 1, 1, 1, 1, 4}), apply(m, OH_NN_OPS_ABS, indices{0}, indices{3}),
             apply(m, OH_NN_OPS_ABS, indices{3}, indices{2});
       },
       "abs \"0\": tensor 3 has 9 axes, expected at most 8"},
      {"scales of no axis",
       [&](OH_NNModel* m) {
         add_tensor(m, OH_NN_INT8, {4}, OH_NN_TENSOR, &three), OH_NNModel_SetTensorData(m, 3, "four", 4),
             apply(m, OH_NN_OPS_ABS, indices{3}, indices{2});
       },
       "abs \"0\": tensor 3 has 3 scales, and no axis of that extent"},
      {"a list that is too long",
       [](OH_NNModel* m) {
         const std::int64_t lengths[] = {1, 1, 1};
         add_tensor(m, OH_NN_INT64, {3}, OH_NN_AVG_POOL_KERNEL_SIZE),
             OH_NNModel_SetTensorData(m, 3, lengths, sizeof lengths);
         apply(m, OH_NN_OPS_AVG_POOL, indices{0}, indices{2}, indices{3});
       },
       "avg_pool \"0\": kernel has 3 numbers, expected 2"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(refusal(r.adds) == "OH_NNCompilation_Build: " + std::string(r.words));
  }
}

TEST_CASE(
    "an operation whose operands and parameters NNRt does not take together is refused with what is wrong, got and "
    "expected") {
  struct row {
    OH_NN_OperationType operation;
    std::vector<std::vector<std::int32_t>> inputs;
    std::vector<OH_NN_TensorType> parameters;  // i64 of value 0
    const char* words;
  };
  const row table[] = {
      {OH_NN_OPS_CONV2D, {{1, 4, 4, 3}, {8, 3, 3}, {8}}, {}, "conv2d: rank of weight: got 3, expected 4"},
      {OH_NN_OPS_CONV2D_TRANSPOSE,
       {{1, 4, 4, 3}, {8, 3, 3, 3, 1}, {8}},
       {},
       "conv2d_transpose: rank of weight: got 5, expected 4"},
      {OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE,
       {{4, 4, 3}, {3, 3, 3, 1}, {3}},
       {},
       "depthwise_conv2d: rank of input: got 3, expected 4"},
      {OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE,
       {{1, 4, 4, 3}, {3, 3, 3}, {3}},
       {},
       "depthwise_conv2d: rank of weight: got 3, expected 4"},
      {OH_NN_OPS_CAST, {{4}, {1}}, {}, "cast: known integers of type: got 0, expected 1"},
      {OH_NN_OPS_LAYER_NORM,
       {{2, 3}, {3}, {3}},
       {OH_NN_LAYER_NORM_BEGIN_NORM_AXIS},
       "layer_norm: begin_norm_axis: got 0, expected 1"},
      {OH_NN_OPS_LAYER_NORM, {{3}, {3}, {3}}, {}, "layer_norm: begin_norm_axis: got 1, expected 0"},
      {OH_NN_OPS_LAYER_NORM, {{2, 3}, {1, 3}, {3}}, {}, "layer_norm: rank of gamma: got 2, expected 1"},
      {OH_NN_OPS_LAYER_NORM, {{2, 3}, {3}, {4}}, {}, "layer_norm: extent of beta: got 4, expected 3"},
  };
  for (const row& r : table) {
    OH_NNModel* model = OH_NNModel_Construct();
    indices in{}, out{static_cast<std::uint32_t>(r.inputs.size())}, parameters{};
    for (const std::vector<std::int32_t>& shape : r.inputs)
      add_tensor(model, OH_NN_FLOAT32, shape), in.list.push_back(static_cast<std::uint32_t>(in.list.size()));
    add_tensor(model, OH_NN_FLOAT32, {1});
    for (const OH_NN_TensorType type : r.parameters) {
      const std::int64_t zero = 0;
      parameters.list.push_back(static_cast<std::uint32_t>(r.inputs.size() + 1 + parameters.list.size()));
      add_tensor(model, OH_NN_INT64, {}, type),
          OH_NNModel_SetTensorData(model, parameters.list.back(), &zero, sizeof zero);
    }
    for (indices* one : {&in, &parameters})
      one->array = {one->list.empty() ? nullptr : one->list.data(), static_cast<std::uint32_t>(one->list.size())};
    CAPTURE(r.words);
    const hearing now;
    CHECK(apply(model, r.operation, in, out, parameters) == OH_NN_INVALID_PARAMETER);
    CHECK(now.words == "OH_NNModel_AddOperation: " + std::string(r.words));
    OH_NNModel_Destroy(&model);
  }
}

TEST_CASE("a dense layer with an axis that it shall not use says so") {
  OH_NNModel* model = OH_NNModel_Construct();
  add_tensor(model, OH_NN_FLOAT32, {2, 3}), add_tensor(model, OH_NN_FLOAT32, {4, 3}),
      add_tensor(model, OH_NN_FLOAT32, {4}), add_tensor(model, OH_NN_FLOAT32, {2, 4});
  add_tensor(model, OH_NN_INT64, {}, OH_NN_FULL_CONNECTION_AXIS),
      add_tensor(model, OH_NN_BOOL, {}, OH_NN_FULL_CONNECTION_USE_AXIS);
  const std::int64_t axis = 1;
  const bool uses = false;
  OH_NNModel_SetTensorData(model, 4, &axis, sizeof axis), OH_NNModel_SetTensorData(model, 5, &uses, sizeof uses);
  const hearing now;
  CHECK(apply(model, OH_NN_OPS_FULL_CONNECTION, indices{0, 1, 2}, indices{3}, indices{4, 5}) ==
        OH_NN_INVALID_PARAMETER);
  CHECK(now.words == "OH_NNModel_AddOperation: full_connection: use of the axis that is given: got 0, expected 1");
  OH_NNModel_Destroy(&model);
}

TEST_CASE("a description that has no size says so of the function that asks for it") {
  struct row {
    OH_NN_DataType type;
    std::vector<std::int32_t> shape;
    const char* words;
  };
  const row table[] = {
      {OH_NN_FLOAT32, {2, -1}, "OH_NNTensor_Create: an extent of the description is not known, and no size is given"},
      {OH_NN_FLOAT32, {}, "OH_NNTensor_Create: the description has no shape"},
      {OH_NN_UNKNOWN, {2}, "OH_NNTensor_Create: the description has no data type"},
      {OH_NN_FLOAT64,
       {0x7fffffff, 0x7fffffff, 0x7fffffff},
       "OH_NNTensor_Create: the description has more bytes than memory can hold"},
  };
  for (const row& r : table) {
    NN_TensorDesc* desc = OH_NNTensorDesc_Create();
    OH_NNTensorDesc_SetDataType(desc, r.type);
    if (!r.shape.empty()) OH_NNTensorDesc_SetShape(desc, r.shape.data(), r.shape.size());
    {
      const hearing now;
      CHECK(OH_NNTensor_Create(0, desc) == nullptr);
      CHECK(now.words == r.words);
    }
    OH_NNTensorDesc_Destroy(&desc);
  }
}

TEST_CASE("reasons go to stderr where the environment asks for them") {
  const auto printed = [](const char* wish) {
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    const int kept = dup(STDERR_FILENO);
    if (wish != nullptr) setenv("NNRT_LOG", wish, 1);
    dup2(fileno(file), STDERR_FILENO);
    CHECK(OH_NNTensor_Create(0, nullptr) == nullptr);
    dup2(kept, STDERR_FILENO), close(kept), unsetenv("NNRT_LOG");
    char text[200] = {};
    std::rewind(file);
    const std::size_t length = std::fread(text, 1, sizeof text, file);
    std::fclose(file);
    return std::string(text, length);
  };
  unsetenv("NNRT_LOG");
  CHECK(printed(nullptr) == "");
  CHECK(printed("0") == "");
  CHECK(printed("1") == "[NNRt] OH_NNTensor_Create: tensorDesc is null, was destroyed or is of another kind\n");
}

TEST_CASE("a step of making a model that is refused says which tensor, what it got and what it expected") {
  struct row {
    const char* what;
    std::function<void(OH_NNModel*)> before, refused;
    const char* words;
  };
  const auto nothing = [](OH_NNModel*) {};
  const auto four = [](OH_NNModel* m) { add_tensor(m, OH_NN_FLOAT32, {4}), add_tensor(m, OH_NN_FLOAT32, {4}); };
  static const float numbers[4] = {};
  const row table[] = {
      {"data of a tensor that is not there", four, [](OH_NNModel* m) { OH_NNModel_SetTensorData(m, 2, numbers, 16); },
       "OH_NNModel_SetTensorData: tensor 2 of 2"},
      {"data of another length", four, [](OH_NNModel* m) { OH_NNModel_SetTensorData(m, 1, numbers, 12); },
       "OH_NNModel_SetTensorData: tensor 1: got 12 bytes, expected 16"},
      {"data twice", [&](OH_NNModel* m) { four(m), OH_NNModel_SetTensorData(m, 1, numbers, 16); },
       [](OH_NNModel* m) { OH_NNModel_SetTensorData(m, 1, numbers, 16); },
       "OH_NNModel_SetTensorData: tensor 1 has its data already"},
      {"data of an unknown extent", [](OH_NNModel* m) { add_tensor(m, OH_NN_FLOAT32, {-1}); },
       [](OH_NNModel* m) { OH_NNModel_SetTensorData(m, 0, numbers, 16); },
       "OH_NNModel_SetTensorData: tensor 0 has an extent that only a run knows"},
      {"an input that is an output", four,
       [](OH_NNModel* m) { OH_NNModel_SpecifyInputsAndOutputs(m, indices{0}, indices{0}); },
       "OH_NNModel_SpecifyInputsAndOutputs: tensor 0 is both input and output"},
      {"ends twice", [&](OH_NNModel* m) { four(m), OH_NNModel_SpecifyInputsAndOutputs(m, indices{0}, indices{1}); },
       [](OH_NNModel* m) { OH_NNModel_SpecifyInputsAndOutputs(m, indices{0}, indices{1}); },
       "OH_NNModel_SpecifyInputsAndOutputs: inputs and outputs are known already"},
      {"an operation that is none", four,
       [](OH_NNModel* m) { apply(m, static_cast<OH_NN_OperationType>(9999), indices{0}, indices{1}); },
       "OH_NNModel_AddOperation: there is no operation 9999"},
      {"nothing", nothing, [](OH_NNModel* m) { OH_NNModel_Finish(m); }, "OH_NNModel_Finish: the model has no tensors"},
      {"tensors alone", four, [](OH_NNModel* m) { OH_NNModel_Finish(m); },
       "OH_NNModel_Finish: the model has no operations"},
      {"no ends", [&](OH_NNModel* m) { four(m), apply(m, OH_NN_OPS_ABS, indices{0}, indices{1}); },
       [](OH_NNModel* m) { OH_NNModel_Finish(m); },
       "OH_NNModel_Finish: the model's inputs and outputs are not specified"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    OH_NNModel* model = OH_NNModel_Construct();
    r.before(model);
    {
      const hearing now;
      r.refused(model);
      CHECK(now.words == r.words);
    }
    OH_NNModel_Destroy(&model);
  }
}
