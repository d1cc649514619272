/* nnrt_c: a network put together, compiled and run from plain C, with the functions of Neural Network Runtime.
 * Flow: links against libneural_network_runtime.so; nothing here depends on nnrt. */
#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>
#include <stdio.h>
#include <string.h>

/* Ends main() with 1, and says where, when a call fails. */
#define REQUIRE(call)                                                \
  do {                                                               \
    const OH_NN_ReturnCode code = (call);                            \
    if (code != OH_NN_SUCCESS) {                                     \
      fprintf(stderr, "nnrt_c: %s answered %d\n", #call, (int)code); \
      return 1;                                                      \
    }                                                                \
  } while (0)

enum { ROWS = 1, INNER = 4, HIDDEN = 3, CLASSES = 2 };

/* The index that the next tensor of the model will have. */
static uint32_t next_index = 0;

/* Adds a tensor with these extents, and its value where there is one; returns its index. */
static OH_NN_ReturnCode add_tensor(OH_NNModel* model, OH_NN_DataType type, OH_NN_TensorType kind, const int32_t* shape,
                                   size_t rank, const void* value, size_t bytes, uint32_t* index) {
  NN_TensorDesc* desc = OH_NNTensorDesc_Create();
  OH_NN_ReturnCode code = OH_NNTensorDesc_SetDataType(desc, type);
  if (code == OH_NN_SUCCESS && rank > 0) code = OH_NNTensorDesc_SetShape(desc, shape, rank);
  if (code == OH_NN_SUCCESS) code = OH_NNModel_AddTensorToModel(model, desc);
  OH_NNTensorDesc_Destroy(&desc);
  if (code != OH_NN_SUCCESS) return code;
  *index = next_index++;
  code = OH_NNModel_SetTensorType(model, *index, kind);
  if (code == OH_NN_SUCCESS && value != NULL) code = OH_NNModel_SetTensorData(model, *index, value, bytes);
  return code;
}

static OH_NN_ReturnCode add_operation(OH_NNModel* model, OH_NN_OperationType type, uint32_t* parameters,
                                      uint32_t parameter_count, uint32_t* inputs, uint32_t input_count,
                                      uint32_t* output) {
  const OH_NN_UInt32Array of_parameters = {parameters, parameter_count}, of_inputs = {inputs, input_count},
                          of_outputs = {output, 1};
  return OH_NNModel_AddOperation(model, type, &of_parameters, &of_inputs, &of_outputs);
}

/* probability = softmax(weight2 * relu(weight1 * x + bias1) + bias2) */
static int build(OH_NNModel* model) {
  static const float weight1[HIDDEN * INNER] = {1, -1, 0, 0, 0, 1, -1, 0, 0, 0, 1, -1}, bias1[HIDDEN] = {0, 0.5F, 0};
  static const float weight2[CLASSES * HIDDEN] = {1, 0, 1, 0, 2, 0}, bias2[CLASSES] = {0, 0};
  static const int8_t relu = OH_NN_FUSED_RELU;
  const int32_t of_input[] = {ROWS, INNER}, of_weight1[] = {HIDDEN, INNER}, of_hidden[] = {ROWS, HIDDEN};
  const int32_t of_weight2[] = {CLASSES, HIDDEN}, of_output[] = {ROWS, CLASSES}, of_bias1[] = {HIDDEN},
                of_bias2[] = {CLASSES};
  uint32_t x, w1, b1, activation, hidden, w2, b2, score, probability;
  REQUIRE(add_tensor(model, OH_NN_FLOAT32, OH_NN_TENSOR, of_input, 2, NULL, 0, &x));
  REQUIRE(add_tensor(model, OH_NN_FLOAT32, OH_NN_TENSOR, of_weight1, 2, weight1, sizeof weight1, &w1));
  REQUIRE(add_tensor(model, OH_NN_FLOAT32, OH_NN_TENSOR, of_bias1, 1, bias1, sizeof bias1, &b1));
  REQUIRE(
      add_tensor(model, OH_NN_INT8, OH_NN_FULL_CONNECTION_ACTIVATIONTYPE, NULL, 0, &relu, sizeof relu, &activation));
  REQUIRE(add_tensor(model, OH_NN_FLOAT32, OH_NN_TENSOR, of_hidden, 2, NULL, 0, &hidden));
  REQUIRE(add_tensor(model, OH_NN_FLOAT32, OH_NN_TENSOR, of_weight2, 2, weight2, sizeof weight2, &w2));
  REQUIRE(add_tensor(model, OH_NN_FLOAT32, OH_NN_TENSOR, of_bias2, 1, bias2, sizeof bias2, &b2));
  REQUIRE(add_tensor(model, OH_NN_FLOAT32, OH_NN_TENSOR, of_output, 2, NULL, 0, &score));
  REQUIRE(add_tensor(model, OH_NN_FLOAT32, OH_NN_TENSOR, of_output, 2, NULL, 0, &probability));
  uint32_t first[] = {x, w1, b1}, second[] = {hidden, w2, b2};
  REQUIRE(add_operation(model, OH_NN_OPS_FULL_CONNECTION, &activation, 1, first, 3, &hidden));
  REQUIRE(add_operation(model, OH_NN_OPS_FULL_CONNECTION, NULL, 0, second, 3, &score));
  REQUIRE(add_operation(model, OH_NN_OPS_SOFTMAX, NULL, 0, &score, 1, &probability));
  const OH_NN_UInt32Array inputs = {&x, 1}, outputs = {&probability, 1};
  REQUIRE(OH_NNModel_SpecifyInputsAndOutputs(model, &inputs, &outputs));
  REQUIRE(OH_NNModel_Finish(model));
  return 0;
}

/* Runs the network on one row and prints the probabilities. */
static int run(OH_NNExecutor* executor, const float row[INNER]) {
  NN_TensorDesc* of_input = OH_NNExecutor_CreateInputTensorDesc(executor, 0);
  NN_TensorDesc* of_output = OH_NNExecutor_CreateOutputTensorDesc(executor, 0);
  NN_Tensor *input = OH_NNTensor_Create(0, of_input), *output = OH_NNTensor_Create(0, of_output);
  OH_NNTensorDesc_Destroy(&of_input);
  OH_NNTensorDesc_Destroy(&of_output);
  if (input == NULL || output == NULL) return fprintf(stderr, "nnrt_c: no memory for tensors\n"), 1;
  memcpy(OH_NNTensor_GetDataBuffer(input), row, INNER * sizeof *row);
  REQUIRE(OH_NNExecutor_RunSync(executor, &input, 1, &output, 1));
  const float* probability = (const float*)OH_NNTensor_GetDataBuffer(output);
  printf("[%g, %g, %g, %g]  ->  %.4f, %.4f\n", row[0], row[1], row[2], row[3], probability[0], probability[1]);
  const float sum = probability[0] + probability[1];
  REQUIRE(OH_NNTensor_Destroy(&input));
  REQUIRE(OH_NNTensor_Destroy(&output));
  return sum > 0.999F && sum < 1.001F ? 0 : 1;
}

/* Compiles the network; with a directory for caches (one that nobody else writes to) or takes what an earlier start has
   compiled. */
static OH_NN_ReturnCode compile(OH_NNCompilation* compilation, const char* directory) {
  static const char name[] = "nnrt_c_"; /* what the cache's files begin with */
  OH_NN_ReturnCode code = directory != NULL ? OH_NNCompilation_SetCache(compilation, directory, 1) : OH_NN_SUCCESS;
  if (code == OH_NN_SUCCESS) code = OH_NNCompilation_AddExtensionConfig(compilation, "ModelName", name, sizeof name);
  if (code == OH_NN_SUCCESS) code = OH_NNCompilation_SetPerformanceMode(compilation, OH_NN_PERFORMANCE_MEDIUM);
  return code == OH_NN_SUCCESS ? OH_NNCompilation_Build(compilation) : code;
}

int main(int count, char** arguments) {
  if (count > 2 || (count == 2 && arguments[1][0] == '-')) {
    const int is_help = count == 2 && strcmp(arguments[1], "--help") == 0;
    fprintf(is_help ? stdout : stderr, "usage: nnrt_c [directory that keeps what was compiled]\n");
    return is_help ? 0 : 2;
  }
  const float rows[][INNER] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  const char* name = NULL;
  REQUIRE(OH_NNDevice_GetName(0, &name));
  printf("device %s\n", name);
  OH_NNModel* model = OH_NNModel_Construct();
  if (build(model) != 0) return 1;
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  REQUIRE(compile(compilation, count == 2 ? arguments[1] : NULL));
  OH_NNModel_Destroy(&model);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  OH_NNCompilation_Destroy(&compilation);
  int failed = executor == NULL;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && !failed; ++i) failed = run(executor, rows[i]);
  OH_NNExecutor_Destroy(&executor);
  return failed;
}
