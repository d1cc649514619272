// small_model: y = relu(a + b) over f32 [1, 2, 2, 3], in the C functions' own words, for tests that are about something
// else.
// Flow: tests ask for the model at the stage they need.
#pragma once

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace nnrt_test {

/// A list of indices as C wants it.
struct indices {
  std::vector<std::uint32_t> list;
  OH_NN_UInt32Array array;
  indices(std::initializer_list<std::uint32_t> of)
      : list(of), array{list.empty() ? nullptr : list.data(), static_cast<std::uint32_t>(list.size())} {}
  indices(const indices&) = delete;
  operator const OH_NN_UInt32Array*() const { return &array; }
};

/// Adds a tensor with API 9's structure.
inline OH_NN_ReturnCode add_tensor(OH_NNModel* model, OH_NN_DataType type, const std::vector<std::int32_t>& shape,
                                   OH_NN_TensorType kind = OH_NN_TENSOR, const OH_NN_QuantParam* quant = nullptr) {
  const OH_NN_Tensor tensor{type, static_cast<std::uint32_t>(shape.size()), shape.empty() ? nullptr : shape.data(),
                            quant, kind};
  return OH_NNModel_AddTensor(model, &tensor);
}

inline const std::vector<std::int32_t> small_shape{1, 2, 2, 3};

/// How far the small model is.
enum class stage { tensors, operation, ends, finished };

/// The small model; tensors: 0 a, 1 b, 2 the activation, 3 y. With `dynamic`, the second extent is known when it runs.
class small_model {
 public:
  explicit small_model(stage until = stage::finished, bool dynamic = false) : handle(OH_NNModel_Construct()) {
    std::vector<std::int32_t> shape = small_shape;
    if (dynamic) shape[1] = -1;
    const std::int8_t relu = OH_NN_FUSED_RELU;
    bool ok = add_tensor(handle, OH_NN_FLOAT32, shape) == OH_NN_SUCCESS &&
              add_tensor(handle, OH_NN_FLOAT32, shape) == OH_NN_SUCCESS &&
              add_tensor(handle, OH_NN_INT8, {}, OH_NN_ADD_ACTIVATIONTYPE) == OH_NN_SUCCESS &&
              add_tensor(handle, OH_NN_FLOAT32, shape) == OH_NN_SUCCESS &&
              OH_NNModel_SetTensorData(handle, 2, &relu, 1) == OH_NN_SUCCESS;
    if (until >= stage::operation)
      ok = ok && OH_NNModel_AddOperation(handle, OH_NN_OPS_ADD, indices{2}, indices{0, 1}, indices{3}) == OH_NN_SUCCESS;
    if (until >= stage::ends)
      ok = ok && OH_NNModel_SpecifyInputsAndOutputs(handle, indices{0, 1}, indices{3}) == OH_NN_SUCCESS;
    if (until >= stage::finished) ok = ok && OH_NNModel_Finish(handle) == OH_NN_SUCCESS;
    is_good = ok;
  }
  small_model(const small_model&) = delete;
  ~small_model() { OH_NNModel_Destroy(&handle); }

  OH_NNModel* handle;
  bool is_good = false;
};

/// The small model compiled on a device.
class small_compilation {
 public:
  explicit small_compilation(bool builds = true, bool dynamic = false, std::size_t device = 0)
      : model(stage::finished, dynamic), handle(OH_NNCompilation_Construct(model.handle)) {
    if (device != 0) OH_NNCompilation_SetDevice(handle, device);
    if (builds) code = OH_NNCompilation_Build(handle);
  }
  small_compilation(const small_compilation&) = delete;
  ~small_compilation() { OH_NNCompilation_Destroy(&handle); }

  small_model model;
  OH_NNCompilation* handle;
  OH_NN_ReturnCode code = OH_NN_SUCCESS;
};

/// An executor of it with a tensor for each end.
class small_executor {
 public:
  explicit small_executor(bool dynamic = false, std::size_t device = 0)
      : compilation(true, dynamic, device), handle(OH_NNExecutor_Construct(compilation.handle)) {
    for (NN_Tensor*& tensor : tensors) tensor = make_tensor(small_shape, device);
  }
  small_executor(const small_executor&) = delete;
  ~small_executor() {
    OH_NNExecutor_Destroy(&handle);  // waits for a run that has not ended
    for (NN_Tensor*& tensor : tensors) OH_NNTensor_Destroy(&tensor);
  }

  static NN_Tensor* make_tensor(const std::vector<std::int32_t>& shape, std::size_t device = 0,
                                OH_NN_DataType type = OH_NN_FLOAT32) {
    NN_TensorDesc* desc = OH_NNTensorDesc_Create();
    OH_NNTensorDesc_SetDataType(desc, type);
    OH_NNTensorDesc_SetShape(desc, shape.data(), shape.size());
    NN_Tensor* const made = OH_NNTensor_Create(device, desc);
    OH_NNTensorDesc_Destroy(&desc);
    return made;
  }
  float* data(int i) { return static_cast<float*>(OH_NNTensor_GetDataBuffer(tensors[i])); }
  OH_NN_ReturnCode run() { return OH_NNExecutor_RunSync(handle, tensors, 2, tensors + 2, 1); }

  small_compilation compilation;
  OH_NNExecutor* handle;
  NN_Tensor* tensors[3] = {};
};

}  // namespace nnrt_test
