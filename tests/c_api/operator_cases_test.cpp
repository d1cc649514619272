// operator_cases_test: operations of NNRt with numbers, on every way in which a program can have them computed, here
// and in another process. Flow: operator_case.hpp runs each row; expected numbers follow from the formulas of NNRt's
// documents.
#include "c_api/operator_case.hpp"
#include "c_api/remote_device.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnrt_test;

namespace {

/// Ways of a case; those of `without` are not for it: an operator may need a constant there, or an extent that is
/// known.
struct row {
  operator_case of;
  std::vector<way> without = {};
};

void check_on(std::size_t device, const row& r) {
  for (const way how : all_ways) {
    if (std::find(r.without.begin(), r.without.end(), how) != r.without.end()) continue;
    CAPTURE(r.of.what);
    CAPTURE(name_of(how));
    CAPTURE(device);
    const case_result got = run(r.of, how, device);
    CAPTURE(got.why);
    REQUIRE(got.code == OH_NN_SUCCESS);
    REQUIRE(got.out.size() == r.of.out.size());
    for (std::size_t i = 0; i < got.out.size(); ++i)
      for (std::size_t k = 0; k < got.out[i].size(); ++k) {
        CAPTURE(i);
        CAPTURE(k);
        CHECK(got.out[i][k] == doctest::Approx(r.of.out[i].numbers[k]).epsilon(1e-5));
      }
    if (!r.of.shape.empty()) CHECK(got.shape == r.of.shape);
  }
}

/// On the first device, and by the same driver in another process.
void check(const row& r) {
  static const remote_device other;
  REQUIRE(other.id() != 0);
  check_on(0, r);
  check_on(other.id(), r);
}

given typed(OH_NN_DataType type, given one) { return one.type = type, one; }

constexpr double low32 = -2147483648.0;

}  // namespace

TEST_CASE("top_k without an axis sorts the last one, whatever dtype k has") {
  for (const OH_NN_DataType type : {OH_NN_INT8, OH_NN_INT32, OH_NN_INT64, OH_NN_UINT8}) {
    const given x = f32s({2, 3}, {1, 5, 2, 9, 7, 8}), k = constant(typed(type, i32s({1}, {2})));
    check({{"two of three",
            OH_NN_OPS_TOP_K,
            {x, k},
            {},
            {f32s({2, 2}, {5, 2, 9, 8}), i32s({2, 2}, {1, 2, 0, 2})},
            {2, 2}},
           {way::all_inputs}});
    check({{"the smallest first",
            OH_NN_OPS_TOP_K,
            {x, k},
            {{OH_NN_TOP_K_SORTED, OH_NN_BOOL, {0}}},
            {f32s({2, 2}, {2, 5, 8, 9}), i32s({2, 2}, {2, 1, 2, 0})},
            {}},
           {way::all_inputs}});
    check({{"of the first axis",
            OH_NN_OPS_TOP_K,
            {x, constant(i32s({}, {1}))},
            {{OH_NN_TOP_K_AXIS, OH_NN_INT64, {0}}},
            {f32s({1, 3}, {9, 7, 8}), i32s({1, 3}, {1, 1, 1})},
            {}},
           {way::all_inputs}});
  }
}

TEST_CASE("what is left out is what the documents say") {
  const double length = std::sqrt(1 + 9.0), other = std::sqrt(4 + 16.0);
  check({{"l2_normalize along the first axis",
          OH_NN_OPS_L2_NORMALIZE,
          {f32s({2, 2}, {1, 2, 3, 4})},
          {},
          {f32s({2, 2}, {1 / length, 2 / other, 3 / length, 4 / other})},
          {}}});
  check({{"lrn with bias 1, alpha 1, beta 0.5",
          OH_NN_OPS_LRN,
          {f32s({1, 1, 1, 2}, {3, -4})},
          {},
          {f32s({1, 1, 1, 2}, {3 / std::sqrt(10), -4 / std::sqrt(17)})},
          {}}});
  check({{"full_connection with the use of an axis",
          OH_NN_OPS_FULL_CONNECTION,
          {f32s({2, 2}, {1, 2, 3, 4}), constant(f32s({1, 4}, {1, 10, 100, 1000})), constant(f32s({1}, {0.5}))},
          {{OH_NN_FULL_CONNECTION_USE_AXIS, OH_NN_BOOL, {1}}},
          {f32s({1}, {4321.5})},
          {}},
         {way::dynamic}});
  check({{"softmax of the last axis",
          OH_NN_OPS_SOFTMAX,
          {f32s({2, 2}, {0, 0, 5, 5})},
          {},
          {f32s({2, 2}, {0.5, 0.5, 0.5, 0.5})},
          {}}});
  check({{"arg_max of the last axis", OH_NN_OPS_ARG_MAX, {f32s({2, 2}, {0, 3, 5, 5})}, {}, {i32s({2}, {1, 0})}, {}}});
  check({{"reduce_sum to the end without a coefficient",
          OH_NN_OPS_REDUCE_SUM,
          {f32s({2, 2}, {1, 2, 3, 4}), constant(i32s({1}, {0}))},
          {{OH_NN_REDUCE_SUM_REDUCE_TO_END, OH_NN_BOOL, {1}}},
          {f32s({1}, {10})},
          {}},
         {way::all_inputs}});
}

TEST_CASE("a result of rank 0 may be declared without an axis, with one of extent 1 and with one of unknown extent") {
  for (const std::vector<std::int32_t>& declared : {std::vector<std::int32_t>{}, {1}, {-1}, {1, 1}}) {
    operator_case sum{"sum", OH_NN_OPS_REDUCE_SUM,   {f32s({2, 2}, {1, 2, 3, 4}), constant(i32s({2}, {0, 1}))},
                      {},    {f32s(declared, {10})}, {}};
    check({sum, {way::all_inputs}});
    operator_case rank{"rank", OH_NN_OPS_RANK, {f32s({2, 2}, {1, 2, 3, 4})}, {}, {i32s(declared, {2})}, {}};
    check({rank});
    operator_case mean{"mean of rows",
                       OH_NN_OPS_REDUCE_MEAN,
                       {f32s({2, 2}, {1, 2, 3, 4}), constant(i32s({1}, {1}))},
                       {},
                       {f32s({2, 1}, {1.5, 3.5})},
                       {2}};
    check({mean, {way::all_inputs}});
  }
}

TEST_CASE("quant_dtype_cast takes a scale for each channel of an extent that only a run knows") {
  const double scales[] = {0.5, 2};
  const std::int32_t zeros[] = {0, 0};
  const std::uint32_t bits[] = {8, 8};
  const OH_NN_QuantParam quant{2, bits, scales, zeros};
  for (const bool last_is_known : {true, false}) {
    CAPTURE(last_is_known);
    OH_NNModel* model = OH_NNModel_Construct();
    add_tensor(model, OH_NN_INT8, {-1, last_is_known ? 2 : -1}, OH_NN_TENSOR, &quant);
    add_tensor(model, OH_NN_INT64, {}, OH_NN_QUANT_DTYPE_CAST_SRC_T),
        add_tensor(model, OH_NN_INT64, {}, OH_NN_QUANT_DTYPE_CAST_DST_T);
    add_tensor(model, OH_NN_INT64, {}, OH_NN_QUANT_DTYPE_CAST_AXIS);
    add_tensor(model, OH_NN_FLOAT32, {-1, -1});
    const std::int64_t from = OH_NN_INT8, to = OH_NN_FLOAT32, axis = 1;
    OH_NNModel_SetTensorData(model, 1, &from, 8), OH_NNModel_SetTensorData(model, 2, &to, 8),
        OH_NNModel_SetTensorData(model, 3, &axis, 8);
    REQUIRE(OH_NNModel_AddOperation(model, OH_NN_OPS_QUANT_DTYPE_CAST, indices{1, 2, 3}, indices{0}, indices{4}) ==
            OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_SpecifyInputsAndOutputs(model, indices{0}, indices{4}) == OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_Finish(model) == OH_NN_SUCCESS);
    OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
    REQUIRE(OH_NNCompilation_Build(compilation) == OH_NN_SUCCESS);
    OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
    NN_Tensor *x = small_executor::make_tensor({3, 2}, 0, OH_NN_INT8), *y = small_executor::make_tensor({3, 2}),
              *wide = small_executor::make_tensor({3, 3}, 0, OH_NN_INT8);
    const std::int8_t numbers[] = {1, 1, -4, 3, 100, -128};
    std::memcpy(OH_NNTensor_GetDataBuffer(x), numbers, sizeof numbers);
    CHECK(OH_NNExecutor_RunSync(executor, &x, 1, &y, 1) == OH_NN_SUCCESS);
    const auto* const real = static_cast<const float*>(OH_NNTensor_GetDataBuffer(y));
    CHECK(std::vector<float>(real, real + 6) == std::vector<float>{0.5F, 2, -2, 6, 50, -256});
    CHECK(OH_NNExecutor_RunSync(executor, &wide, 1, &y, 1) != OH_NN_SUCCESS);  // there is no scale for a third channel
    OH_NNTensor_Destroy(&x), OH_NNTensor_Destroy(&y), OH_NNTensor_Destroy(&wide);
    OH_NNExecutor_Destroy(&executor), OH_NNCompilation_Destroy(&compilation), OH_NNModel_Destroy(&model);
  }
}

TEST_CASE("select and where bring quantised values of two scales to that of the result") {
  // a is (q - 1) * 0.5: 1, -2, 3; b is (q + 2) * 0.25: 0.5, 1, -5; y is round(x / 0.25) + 3
  for (const OH_NN_OperationType operation : {OH_NN_OPS_SELECT, OH_NN_OPS_WHERE})
    check({{"two scales",
            operation,
            {bools({3}, {1, 0, 1}), i8s({3}, {3, -3, 7}, 0.5, 1), i8s({3}, {0, 2, -22}, 0.25, -2)},
            {},
            {i8s({3}, {7, 7, 15}, 0.25, 3)},
            {}}});
}

TEST_CASE("reduce_max and reduce_min take booleans") {
  check({{"max",
          OH_NN_OPS_REDUCE_MAX,
          {bools({2, 2}, {0, 1, 0, 0}), constant(i32s({1}, {1}))},
          {},
          {bools({2}, {1, 0})},
          {}},
         {way::all_inputs}});
  check({{"min",
          OH_NN_OPS_REDUCE_MIN,
          {bools({2, 2}, {1, 1, 0, 1}), constant(i64s({1}, {-1}))},
          {{OH_NN_REDUCE_MIN_KEEP_DIMS, OH_NN_BOOL, {1}}},
          {bools({2, 1}, {1, 0})},
          {}},
         {way::all_inputs}});
}

TEST_CASE("layers and pools take integers without a scale, which wrap around in their own width") {
  for (const OH_NN_DataType type : {OH_NN_INT32, OH_NN_INT64}) {
    const auto of = [&](given one) { return typed(type, std::move(one)); };
    check({{"matmul",
            OH_NN_OPS_MATMUL,
            {of(i32s({2, 2}, {1, -2, 3, 4})), constant(of(i32s({2, 2}, {5, 6, 7, -8})))},
            {},
            {of(i32s({2, 2}, {-9, 22, 43, -14}))},
            {}}});
    check({{"matmul, transposed, relu",
            OH_NN_OPS_MATMUL,
            {of(i32s({1, 2, 2}, {1, -2, 3, 4})), of(i32s({2, 2}, {5, 6, 7, -8}))},
            {{OH_NN_MATMUL_TRANSPOSE_B, OH_NN_BOOL, {1}}, {OH_NN_MATMUL_ACTIVATION_TYPE, OH_NN_INT8, {1}}},
            {of(i32s({1, 2, 2}, {0, 23, 39, 0}))},
            {}}});
    check({{"full_connection",
            OH_NN_OPS_FULL_CONNECTION,
            {of(i32s({1, 2}, {2, -3})), constant(of(i32s({2, 2}, {1, 10, 100, 1}))), constant(of(i32s({2}, {5, -7})))},
            {},
            {of(i32s({1, 2}, {-23, 190}))},
            {}}});
    check({{"avg_pool",
            OH_NN_OPS_AVG_POOL,
            {of(i32s({1, 2, 2, 1}, {1, 2, -9, 1}))},
            {{OH_NN_AVG_POOL_KERNEL_SIZE, OH_NN_INT64, {1, 2}}, {OH_NN_AVG_POOL_STRIDE, OH_NN_INT64, {1, 2}}},
            {of(i32s({1, 2, 1, 1}, {1, -4}))},
            {}}});
    check({{"clip",
            OH_NN_OPS_CLIP,
            {of(i32s({4}, {-9, -1, 2, 9}))},
            {{OH_NN_CLIP_MIN, OH_NN_FLOAT32, {-1.5}}, {OH_NN_CLIP_MAX, OH_NN_FLOAT32, {2.5}}},
            {of(i32s({4}, {-1, -1, 2, 2}))},
            {}}});
    check({{"all",
            OH_NN_OPS_ALL,
            {of(i32s({2, 2}, {1, -2, 0, 4})), constant(i32s({1}, {1}))},
            {},
            {bools({2}, {1, 0})},
            {}},
           {way::all_inputs}});
  }
  check({{"matmul beyond 32 bits",
          OH_NN_OPS_MATMUL,
          {i32s({1, 2}, {2147483647, 1}), i32s({2, 1}, {1, 1})},
          {},
          {i32s({1, 1}, {low32})},
          {}}});
}

TEST_CASE(
    "a model may be destroyed as soon as compilations were constructed; all of them build, with caches, too, and what "
    "they built lives on") {
  const operator_case sum{"sum", OH_NN_OPS_ADD,         {f32s({2}, {1, 2}), constant(f32s({2}, {10, 20}))},
                          {},    {f32s({2}, {11, 22})}, {}};
  const temporary_folder folder;
  nnrt_test::detail::model_of_case model(sum, way::plain);
  REQUIRE(model.code == OH_NN_SUCCESS);
  OH_NNCompilation* all[] = {OH_NNCompilation_Construct(model.handle), OH_NNCompilation_Construct(model.handle),
                             OH_NNCompilation_Construct(model.handle)};
  OH_NNModel* const gone = model.handle;
  OH_NNModel_Destroy(&model.handle);
  CHECK(model.handle == nullptr);
  CHECK(OH_NNCompilation_Construct(gone) == nullptr);
  for (int i = 0; i < 3; ++i) {
    if (i > 0)
      OH_NNCompilation_SetCache(all[i], folder.path().c_str(), 1);  // the second one stores, the third one restores
    REQUIRE(OH_NNCompilation_Build(all[i]) == OH_NN_SUCCESS);
    OH_NNExecutor* executor = OH_NNExecutor_Construct(all[i]);
    OH_NNCompilation_Destroy(&all[i]);
    case_result got;
    nnrt_test::detail::run(executor, sum, model.inputs, 0, got);
    CHECK(got.code == OH_NN_SUCCESS);
    CHECK(got.out == std::vector<std::vector<double>>{{11, 22}});
    OH_NNExecutor_Destroy(&executor);
  }
}

TEST_CASE("a model that is finished after its compilation was constructed is built; one that never was, is not") {
  for (const bool finishes : {true, false}) {
    small_model m(stage::ends);
    OH_NNCompilation* compilation = OH_NNCompilation_Construct(m.handle);
    if (finishes) CHECK(OH_NNModel_Finish(m.handle) == OH_NN_SUCCESS);
    OH_NNModel_Destroy(&m.handle);
    CHECK(OH_NNCompilation_Build(compilation) == (finishes ? OH_NN_SUCCESS : OH_NN_INVALID_PARAMETER));
    OH_NNCompilation_Destroy(&compilation);
  }
}
