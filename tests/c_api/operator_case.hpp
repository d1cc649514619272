// operator_case: one operation with its numbers, and the ways in which a program can have it computed through the C
// functions. Flow: tables of tests say what goes in and what must come out; run() builds, compiles and runs it on one
// of the ways.
#pragma once

#include "c_api/small_model.hpp"

#include "support/temporary_folder.hpp"

#include <nnrt/c_api/support.hpp>
#include <nnrt/core/convert.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace nnrt_test {

/// A tensor with its elements as doubles. A scale of 0: it has none.
struct given {
  OH_NN_DataType type = OH_NN_FLOAT32;
  std::vector<std::int32_t> shape;
  std::vector<double> numbers;
  double scale = 0;
  std::int32_t zero_point = 0;
  bool is_constant = false;
};
/// A parameter tensor; one number is a scalar unless `has_axis`.
struct parameter_of_case {
  OH_NN_TensorType kind;
  OH_NN_DataType type;
  std::vector<double> numbers;
  bool has_axis = false;
};
struct operator_case {
  const char* what;
  OH_NN_OperationType operation;
  std::vector<given> in;
  std::vector<parameter_of_case> parameters;
  std::vector<given> out;           // shapes as declared, numbers as expected
  std::vector<std::int32_t> shape;  // of output 0 where it is another one than declared
};

inline given constant(given one) { return one.is_constant = true, one; }
inline given f32s(std::vector<std::int32_t> shape, std::vector<double> numbers) {
  return {OH_NN_FLOAT32, std::move(shape), std::move(numbers)};
}
inline given i32s(std::vector<std::int32_t> shape, std::vector<double> numbers) {
  return {OH_NN_INT32, std::move(shape), std::move(numbers)};
}
inline given i64s(std::vector<std::int32_t> shape, std::vector<double> numbers) {
  return {OH_NN_INT64, std::move(shape), std::move(numbers)};
}
inline given bools(std::vector<std::int32_t> shape, std::vector<double> numbers) {
  return {OH_NN_BOOL, std::move(shape), std::move(numbers)};
}
inline given i8s(std::vector<std::int32_t> shape, std::vector<double> numbers, double scale, std::int32_t zero) {
  return {OH_NN_INT8, std::move(shape), std::move(numbers), scale, zero};
}

/// How a case is computed. dynamic: extents of inputs are known when it runs. from_cache: by what an earlier
/// compilation left in a directory. without_model: the model is destroyed when the compilation was constructed.
/// all_inputs: constants come as inputs.
enum class way { plain, dynamic, from_cache, without_model, all_inputs };
inline constexpr way all_ways[] = {way::plain, way::dynamic, way::from_cache, way::without_model, way::all_inputs};
inline const char* name_of(way w) {
  constexpr const char* names[] = {"plain", "dynamic", "from cache", "without model", "all inputs"};
  return names[static_cast<int>(w)];
}

struct case_result {
  OH_NN_ReturnCode code = OH_NN_FAILED;
  std::string why;  // what the log says
  std::vector<std::vector<double>> out;
  std::vector<std::int32_t> shape;  // of output 0
};

namespace detail {

template <class F> void with_type(OH_NN_DataType type, F f) {
  nnrt::with_element<nnrt::types::any>(static_cast<nnrt::dtype>(type), [&]<class T>(T) { f(T{}); });
}
inline std::vector<std::byte> bytes_of(OH_NN_DataType type, const std::vector<double>& numbers) {
  std::vector<std::byte> bytes;
  with_type(type, [&]<class T>(T) {
    bytes.resize(numbers.size() * sizeof(T));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const T element = nnrt::math::convert<T>(numbers[i]);
      std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return bytes;
}
inline std::vector<double> numbers_of(OH_NN_DataType type, const void* data, std::size_t count) {
  std::vector<double> numbers;
  with_type(type, [&]<class T>(T) {
    for (std::size_t i = 0; i < count; ++i) {
      T element;
      std::memcpy(&element, static_cast<const std::byte*>(data) + i * sizeof(T), sizeof(T));
      numbers.push_back(nnrt::math::convert<double>(element));
    }
  });
  return numbers;
}

/// The case as a finished model; which tensors are its inputs.
class model_of_case {
 public:
  model_of_case(const operator_case& of, way how) {
    std::vector<std::uint32_t> in, parameters, out;
    for (const given& one : of.in) {
      const bool is_input = !one.is_constant || how == way::all_inputs;
      in.push_back(add(one, OH_NN_TENSOR, how == way::dynamic && is_input, !is_input));
      if (is_input) inputs.push_back(&one), ends_.push_back(in.back());
    }
    for (const parameter_of_case& one : of.parameters) {
      const auto count = static_cast<std::int32_t>(one.numbers.size());
      const bool is_scalar = count == 1 && !one.has_axis;
      parameters.push_back(
          add({one.type, is_scalar ? std::vector<std::int32_t>{} : std::vector<std::int32_t>{count}, one.numbers},
              one.kind, false, true));
    }
    for (const given& one : of.out) out.push_back(add(one, OH_NN_TENSOR, how == way::dynamic, false));
    const OH_NN_UInt32Array p = list(parameters), i = list(in), o = list(out), ends = list(ends_);
    code = OH_NNModel_AddOperation(handle, of.operation, &p, &i, &o);
    if (code == OH_NN_SUCCESS) code = OH_NNModel_SpecifyInputsAndOutputs(handle, &ends, &o);
    if (code == OH_NN_SUCCESS) code = OH_NNModel_Finish(handle);
  }
  model_of_case(const model_of_case&) = delete;
  ~model_of_case() { OH_NNModel_Destroy(&handle); }

  OH_NNModel* handle = OH_NNModel_Construct();
  OH_NN_ReturnCode code = OH_NN_SUCCESS;
  std::vector<const given*> inputs;

 private:
  static OH_NN_UInt32Array list(std::vector<std::uint32_t>& of) {
    return {of.empty() ? nullptr : of.data(), static_cast<std::uint32_t>(of.size())};
  }
  std::uint32_t add(const given& one, OH_NN_TensorType kind, bool is_open, bool has_data) {
    std::vector<std::int32_t> shape = one.shape;
    if (is_open)
      for (std::int32_t& extent : shape) extent = -1;
    const std::uint32_t bits = 8;
    const OH_NN_QuantParam quant{1, &bits, &one.scale, &one.zero_point};
    (void)add_tensor(handle, one.type, shape, kind, one.scale != 0 ? &quant : nullptr);
    if (has_data) {
      const std::vector<std::byte> bytes = bytes_of(one.type, one.numbers);
      (void)OH_NNModel_SetTensorData(handle, next_, bytes.data(), bytes.size());
    }
    return next_++;
  }

  std::vector<std::uint32_t> ends_;
  std::uint32_t next_ = 0;
};

inline NN_Tensor* tensor_of_case(std::size_t device, OH_NN_DataType type, const std::vector<std::int32_t>& shape,
                                 std::size_t bytes) {
  NN_TensorDesc* desc = OH_NNTensorDesc_Create();
  OH_NNTensorDesc_SetDataType(desc, type);
  OH_NNTensorDesc_SetShape(desc, shape.empty() ? std::vector<std::int32_t>{1}.data() : shape.data(),
                           shape.empty() ? 1 : shape.size());
  NN_Tensor* const made = OH_NNTensor_CreateWithSize(device, desc, bytes);
  OH_NNTensorDesc_Destroy(&desc);
  return made;
}

inline void run(OH_NNExecutor* executor, const operator_case& of, const std::vector<const given*>& inputs,
                std::size_t device, case_result& made) {
  std::vector<NN_Tensor*> in, out;
  for (const given* one : inputs) {
    const std::vector<std::byte> bytes = bytes_of(one->type, one->numbers);
    in.push_back(tensor_of_case(device, one->type, one->shape, bytes.size()));
    std::memcpy(OH_NNTensor_GetDataBuffer(in.back()), bytes.data(), bytes.size());
  }
  for (const given& one : of.out)
    out.push_back(tensor_of_case(device, one.type, one.shape, bytes_of(one.type, one.numbers).size()));
  made.code = OH_NNExecutor_RunSync(executor, in.data(), in.size(), out.data(), out.size());
  for (std::size_t i = 0; made.code == OH_NN_SUCCESS && i < out.size(); ++i)
    made.out.push_back(numbers_of(of.out[i].type, OH_NNTensor_GetDataBuffer(out[i]), of.out[i].numbers.size()));
  std::int32_t* shape = nullptr;
  std::uint32_t rank = 0;
  if (OH_NNExecutor_GetOutputShape(executor, 0, &shape, &rank) == OH_NN_SUCCESS) made.shape.assign(shape, shape + rank);
  for (NN_Tensor*& one : in) OH_NNTensor_Destroy(&one);
  for (NN_Tensor*& one : out) OH_NNTensor_Destroy(&one);
}

}  // namespace detail

/// Computes a case. `device`: 0 is the first one.
inline case_result run(const operator_case& of, way how, std::size_t device = 0) {
  case_result made;
  nnrt::set_log(
      [](std::string_view line, void* user) { static_cast<std::string*>(user)->append(line).push_back('\n'); },
      &made.why);
  const temporary_folder folder;
  for (int round = how == way::from_cache ? 0 : 1; round < 2; ++round) {
    detail::model_of_case model(of, how);
    made.code = model.code;
    OH_NNCompilation* compilation = OH_NNCompilation_Construct(model.handle);
    OH_NNCompilation_SetDevice(compilation, device);
    if (how == way::from_cache) OH_NNCompilation_SetCache(compilation, folder.path().c_str(), 1);
    const std::vector<const given*> inputs = model.inputs;
    if (how == way::without_model) OH_NNModel_Destroy(&model.handle);
    if (made.code == OH_NN_SUCCESS) made.code = OH_NNCompilation_Build(compilation);
    OH_NNExecutor* executor = made.code == OH_NN_SUCCESS ? OH_NNExecutor_Construct(compilation) : nullptr;
    OH_NNCompilation_Destroy(&compilation);
    if (executor != nullptr) made.out.clear(), detail::run(executor, of, inputs, device, made);
    OH_NNExecutor_Destroy(&executor);
  }
  nnrt::set_log(nullptr);
  return made;
}

}  // namespace nnrt_test
