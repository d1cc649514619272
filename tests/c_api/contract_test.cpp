// contract: a row for each code that a C function answers, and the condition under which it does.
// Flow: tests/support/contract_rows.py counts these rows against the list of functions.
#include "c_api/fake_device.hpp"
#include "c_api/small_model.hpp"

#include <doctest/doctest.h>

#include <unistd.h>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>

using namespace nnrt_test;

namespace {

/// What a function shall answer under a condition. Functions that return a pointer answer NULL_OBJECT or AN_OBJECT,
/// those that return nothing NOTHING_DONE or DONE.
enum answer {
  SUCCESS = OH_NN_SUCCESS,
  FAILED = OH_NN_FAILED,
  INVALID = OH_NN_INVALID_PARAMETER,
  FORBIDDEN = OH_NN_OPERATION_FORBIDDEN,
  NULL_PTR = OH_NN_NULL_PTR,
  UNSUPPORTED = OH_NN_UNSUPPORTED,
  DYNAMIC = OH_NN_DYNAMIC_SHAPE,
  UNAVAILABLE = OH_NN_UNAVAILABLE_DEVICE,
  NULL_OBJECT = 100,
  AN_OBJECT,
  NOTHING_DONE,
  DONE
};

struct row {
  const char* function;
  const char* condition;
  int expected;
  std::function<int()> call;
};

constexpr std::size_t unknown_device = 12345;
const std::size_t gibibyte = std::size_t{1} << 30;

/// A number that is no enumerator, as a program in C can pass it: each is a value of the type.
template <class Enum> constexpr Enum number(int value) {
  static_assert(std::is_same_v<std::underlying_type_t<Enum>, int>);
  return static_cast<Enum>(value);
}

int object(const void* made) { return made == nullptr ? NULL_OBJECT : AN_OBJECT; }

/// A description with these properties; destroyed at the end.
struct description {
  NN_TensorDesc* handle = OH_NNTensorDesc_Create();
  explicit description(OH_NN_DataType type = OH_NN_FLOAT32, std::vector<std::int32_t> shape = small_shape) {
    OH_NNTensorDesc_SetDataType(handle, type);
    if (!shape.empty()) OH_NNTensorDesc_SetShape(handle, shape.data(), shape.size());
  }
  description(const description&) = delete;
  ~description() { OH_NNTensorDesc_Destroy(&handle); }
};

/// A tensor that is made or not; destroyed at the end.
int made_tensor(NN_Tensor* tensor) {
  const int answered = object(tensor);
  OH_NNTensor_Destroy(&tensor);
  return answered;
}

struct quantisation {
  NN_QuantParam* handle = OH_NNQuantParam_Create();
  explicit quantisation(std::vector<double> scales = {0.5}, std::vector<std::int32_t> zeros = {0},
                        std::vector<std::uint32_t> bits = {8}) {
    if (!scales.empty()) OH_NNQuantParam_SetScales(handle, scales.data(), scales.size());
    if (!zeros.empty()) OH_NNQuantParam_SetZeroPoints(handle, zeros.data(), zeros.size());
    if (!bits.empty()) OH_NNQuantParam_SetNumBits(handle, bits.data(), bits.size());
  }
  quantisation(const quantisation&) = delete;
  ~quantisation() { OH_NNQuantParam_Destroy(&handle); }
};

struct fake {
  std::size_t id;
  explicit fake(fake_behaviour behaviour) : id(add_fake_device((behaviour.name = "fake", behaviour))) {}
  fake(const fake&) = delete;
  ~fake() { remove_device(id); }
};

/// A model of one operation with float32 inputs of one shape, its output declared as given; with it a compilation and
/// an executor, where they can be.
struct one_operation {
  OH_NNModel* model = OH_NNModel_Construct();
  OH_NNCompilation* compilation = nullptr;
  OH_NNExecutor* executor = nullptr;
  int built = OH_NN_FAILED;

  one_operation(OH_NN_OperationType operation, std::vector<std::int32_t> in, OH_NN_DataType type,
                std::vector<std::int32_t> out, const OH_NN_QuantParam* quant = nullptr) {
    add_tensor(model, OH_NN_FLOAT32, in, OH_NN_TENSOR, quant);
    add_tensor(model, type, out, OH_NN_TENSOR, quant);
    OH_NNModel_AddOperation(model, operation, indices{}, indices{0}, indices{1});
    OH_NNModel_SpecifyInputsAndOutputs(model, indices{0}, indices{1});
    OH_NNModel_Finish(model);
    compilation = OH_NNCompilation_Construct(model);
    built = OH_NNCompilation_Build(compilation);
    executor = OH_NNExecutor_Construct(compilation);
  }
  one_operation(const one_operation&) = delete;
  ~one_operation() {
    OH_NNExecutor_Destroy(&executor), OH_NNCompilation_Destroy(&compilation), OH_NNModel_Destroy(&model);
  }

  /// Runs on a tensor of this shape and one that the executor describes, as often as asked; the last code.
  int run(const std::vector<std::int32_t>& shape, int times) {
    NN_TensorDesc* described = OH_NNExecutor_CreateOutputTensorDesc(executor, 0);
    NN_Tensor *in = small_executor::make_tensor(shape), *out = OH_NNTensor_Create(0, described);
    int code = -1;
    for (int i = 0; i < times; ++i) code = OH_NNExecutor_RunSync(executor, &in, 1, &out, 1);
    OH_NNTensor_Destroy(&in), OH_NNTensor_Destroy(&out), OH_NNTensorDesc_Destroy(&described);
    return code;
  }
};

/// The code of the question whether a device can do the small model's operation, between ends that no graph can have;
/// -1 unless it can, and a compilation refuses the whole.
int available_between(const OH_NN_UInt32Array* inputs, const OH_NN_UInt32Array* outputs) {
  small_model m(stage::operation);
  add_tensor(m.handle, OH_NN_FLOAT32, small_shape);  // tensor 4, which nothing makes
  OH_NNModel_SpecifyInputsAndOutputs(m.handle, inputs, outputs);
  OH_NNModel_Finish(m.handle);
  const bool* can = nullptr;
  std::uint32_t n = 0;
  const int code = OH_NNModel_GetAvailableOperations(m.handle, 0, &can, &n);
  OH_NNCompilation* c = OH_NNCompilation_Construct(m.handle);
  const int built = OH_NNCompilation_Build(c);
  OH_NNCompilation_Destroy(&c);
  return n == 1 && can[0] && built == OH_NN_FAILED ? code : -1;
}

/// Code for a model whose only operation reads a tensor that nothing writes; -1 if it is available.
int available_without_nodes() {
  small_model m(stage::operation);
  add_tensor(m.handle, OH_NN_FLOAT32, small_shape);
  OH_NNModel_SpecifyInputsAndOutputs(m.handle, indices{4}, indices{3});
  OH_NNModel_Finish(m.handle);
  const bool* can = nullptr;
  std::uint32_t n = 0;
  const int code = OH_NNModel_GetAvailableOperations(m.handle, 0, &can, &n);
  return n == 1 && !can[0] ? code : -1;
}

/// squeeze gives its result the scale of what it reads, though that is declared without one, and abs reads it: the code
/// of the question whether a device can do both, or -1 where the answer is not what the compilation's is.
int undeclared_scale() {
  small_model m(stage::tensors);
  const std::uint32_t bits = 8;
  const double scale = 0.5;
  const std::int32_t zero = 0;
  const OH_NN_QuantParam q{1, &bits, &scale, &zero};
  for (const OH_NN_QuantParam* quant :
       {&q, static_cast<const OH_NN_QuantParam*>(nullptr), static_cast<const OH_NN_QuantParam*>(nullptr)})
    add_tensor(m.handle, OH_NN_INT8, {2, 3}, OH_NN_TENSOR, quant);
  OH_NNModel_AddOperation(m.handle, OH_NN_OPS_SQUEEZE, indices{}, indices{4}, indices{5});
  OH_NNModel_AddOperation(m.handle, OH_NN_OPS_ABS, indices{}, indices{5}, indices{6});
  OH_NNModel_SpecifyInputsAndOutputs(m.handle, indices{4}, indices{6});
  OH_NNModel_Finish(m.handle);
  OH_NNCompilation* c = OH_NNCompilation_Construct(m.handle);
  const int built = OH_NNCompilation_Build(c);
  OH_NNCompilation_Destroy(&c);
  const bool* can = nullptr;
  std::uint32_t n = 0;
  const int code = OH_NNModel_GetAvailableOperations(m.handle, 0, &can, &n);
  return n == 2 && can[0] && can[1] == (built == OH_NN_SUCCESS) ? code : -1;
}

fake_behaviour that(const std::function<void(fake_behaviour&)>& set) {
  fake_behaviour made;
  set(made);
  return made;
}

// ---- Devices ----

const row devices[] = {
    {"OH_NNDevice_GetAllDevicesID", "both pointers", SUCCESS,
     [] {
       const std::size_t* ids = nullptr;
       std::uint32_t n = 0;
       const int code = OH_NNDevice_GetAllDevicesID(&ids, &n);
       return n >= 1 && ids != nullptr ? code : -1;
     }},
    {"OH_NNDevice_GetAllDevicesID", "ids null", INVALID,
     [] {
       std::uint32_t n = 0;
       return OH_NNDevice_GetAllDevicesID(nullptr, &n);
     }},
    {"OH_NNDevice_GetAllDevicesID", "*ids not null", INVALID,
     [] {
       const std::size_t some = 0, *ids = &some;
       std::uint32_t n = 0;
       return OH_NNDevice_GetAllDevicesID(&ids, &n);
     }},
    {"OH_NNDevice_GetAllDevicesID", "count null", INVALID,
     [] {
       const std::size_t* ids = nullptr;
       return OH_NNDevice_GetAllDevicesID(&ids, nullptr);
     }},
    {"OH_NNDevice_GetName", "id 0 is the first", SUCCESS,
     [] {
       const char* name = nullptr;
       const int code = OH_NNDevice_GetName(0, &name);
       return std::strcmp(name, "cpu_nnrt_v2_1") == 0 ? code : -1;
     }},
    {"OH_NNDevice_GetName", "an id of the list", SUCCESS,
     [] {
       const std::size_t* ids = nullptr;
       std::uint32_t n = 0;
       OH_NNDevice_GetAllDevicesID(&ids, &n);
       const char* name = nullptr;
       return OH_NNDevice_GetName(ids[0], &name);
     }},
    {"OH_NNDevice_GetName", "name null", INVALID, [] { return OH_NNDevice_GetName(0, nullptr); }},
    {"OH_NNDevice_GetName", "*name not null", INVALID,
     [] {
       const char* name = "";
       return OH_NNDevice_GetName(0, &name);
     }},
    {"OH_NNDevice_GetName", "*name not null and id unknown", INVALID,
     [] {
       const char* name = "";
       return OH_NNDevice_GetName(unknown_device, &name);
     }},
    {"OH_NNDevice_GetName", "id unknown", FAILED,
     [] {
       const char* name = nullptr;
       const int code = OH_NNDevice_GetName(unknown_device, &name);
       return name == nullptr ? code : -1;
     }},
    {"OH_NNDevice_GetType", "id 0", SUCCESS,
     [] {
       OH_NN_DeviceType type = OH_NN_OTHERS;
       const int code = OH_NNDevice_GetType(0, &type);
       return type == OH_NN_CPU ? code : -1;
     }},
    {"OH_NNDevice_GetType", "id unknown", INVALID,
     [] {
       OH_NN_DeviceType type;
       return OH_NNDevice_GetType(unknown_device, &type);
     }},
    {"OH_NNDevice_GetType", "id unknown and type null", INVALID,
     [] { return OH_NNDevice_GetType(unknown_device, nullptr); }},
    {"OH_NNDevice_GetType", "type null", INVALID, [] { return OH_NNDevice_GetType(0, nullptr); }},
    {"OH_NNDevice_GetType", "the device fails", UNAVAILABLE,
     [] {
       const fake device(that([](auto& b) { b.type_fails = "gone"; }));
       OH_NN_DeviceType type;
       return OH_NNDevice_GetType(device.id, &type);
     }},
};

// ---- Quantisation parameters ----

const row quantisations[] = {
    {"OH_NNQuantParam_Create", "memory", AN_OBJECT, [] { return object(quantisation().handle); }},
    {"OH_NNQuantParam_SetScales", "one", SUCCESS,
     [] {
       const double s = 1;
       return OH_NNQuantParam_SetScales(quantisation().handle, &s, 1);
     }},
    {"OH_NNQuantParam_SetScales", "object null", INVALID,
     [] {
       const double s = 1;
       return OH_NNQuantParam_SetScales(nullptr, &s, 1);
     }},
    {"OH_NNQuantParam_SetScales", "list null", INVALID,
     [] { return OH_NNQuantParam_SetScales(quantisation().handle, nullptr, 1); }},
    {"OH_NNQuantParam_SetScales", "count 0", INVALID,
     [] {
       const double s = 1;
       return OH_NNQuantParam_SetScales(quantisation().handle, &s, 0);
     }},
    {"OH_NNQuantParam_SetZeroPoints", "one", SUCCESS,
     [] {
       const std::int32_t z = 0;
       return OH_NNQuantParam_SetZeroPoints(quantisation().handle, &z, 1);
     }},
    {"OH_NNQuantParam_SetZeroPoints", "object null", INVALID,
     [] {
       const std::int32_t z = 0;
       return OH_NNQuantParam_SetZeroPoints(nullptr, &z, 1);
     }},
    {"OH_NNQuantParam_SetZeroPoints", "list null", INVALID,
     [] { return OH_NNQuantParam_SetZeroPoints(quantisation().handle, nullptr, 1); }},
    {"OH_NNQuantParam_SetZeroPoints", "count 0", INVALID,
     [] {
       const std::int32_t z = 0;
       return OH_NNQuantParam_SetZeroPoints(quantisation().handle, &z, 0);
     }},
    {"OH_NNQuantParam_SetNumBits", "any number", SUCCESS,
     [] {
       const std::uint32_t b = 16;
       return OH_NNQuantParam_SetNumBits(quantisation().handle, &b, 1);
     }},
    {"OH_NNQuantParam_SetNumBits", "object null", INVALID,
     [] {
       const std::uint32_t b = 8;
       return OH_NNQuantParam_SetNumBits(nullptr, &b, 1);
     }},
    {"OH_NNQuantParam_SetNumBits", "list null", INVALID,
     [] { return OH_NNQuantParam_SetNumBits(quantisation().handle, nullptr, 1); }},
    {"OH_NNQuantParam_SetNumBits", "count 0", INVALID,
     [] {
       const std::uint32_t b = 8;
       return OH_NNQuantParam_SetNumBits(quantisation().handle, &b, 0);
     }},
    {"OH_NNQuantParam_Destroy", "an object", SUCCESS,
     [] {
       NN_QuantParam* q = OH_NNQuantParam_Create();
       const int code = OH_NNQuantParam_Destroy(&q);
       return q == nullptr ? code : -1;
     }},
    {"OH_NNQuantParam_Destroy", "null", INVALID, [] { return OH_NNQuantParam_Destroy(nullptr); }},
    {"OH_NNQuantParam_Destroy", "*handle null", INVALID,
     [] {
       NN_QuantParam* q = nullptr;
       return OH_NNQuantParam_Destroy(&q);
     }},
    {"OH_NNQuantParam_Destroy", "destroyed before", INVALID,
     [] {
       NN_QuantParam *q = OH_NNQuantParam_Create(), *again = q;
       OH_NNQuantParam_Destroy(&q);
       return OH_NNQuantParam_Destroy(&again);
     }},
};

// ---- Tensor descriptions ----

const row descriptions[] = {
    {"OH_NNTensorDesc_Create", "memory", AN_OBJECT, [] { return object(description().handle); }},
    {"OH_NNTensorDesc_Destroy", "an object", SUCCESS,
     [] {
       NN_TensorDesc* d = OH_NNTensorDesc_Create();
       const int code = OH_NNTensorDesc_Destroy(&d);
       return d == nullptr ? code : -1;
     }},
    {"OH_NNTensorDesc_Destroy", "null", INVALID, [] { return OH_NNTensorDesc_Destroy(nullptr); }},
    {"OH_NNTensorDesc_Destroy", "*handle null", INVALID,
     [] {
       NN_TensorDesc* d = nullptr;
       return OH_NNTensorDesc_Destroy(&d);
     }},
    {"OH_NNTensorDesc_Destroy", "that of a tensor", INVALID,
     [] {
       small_executor e;
       NN_TensorDesc* d = OH_NNTensor_GetTensorDesc(e.tensors[0]);
       return OH_NNTensorDesc_Destroy(&d);
     }},
    {"OH_NNTensorDesc_SetName", "an empty name", SUCCESS,
     [] { return OH_NNTensorDesc_SetName(description().handle, ""); }},
    {"OH_NNTensorDesc_SetName", "object null", INVALID, [] { return OH_NNTensorDesc_SetName(nullptr, "x"); }},
    {"OH_NNTensorDesc_SetName", "name null", INVALID,
     [] { return OH_NNTensorDesc_SetName(description().handle, nullptr); }},
    {"OH_NNTensorDesc_GetName", "not set", SUCCESS,
     [] {
       description d;
       const char* name = nullptr;
       const int code = OH_NNTensorDesc_GetName(d.handle, &name);
       return *name == '\0' ? code : -1;
     }},
    {"OH_NNTensorDesc_GetName", "set", SUCCESS,
     [] {
       description d;
       OH_NNTensorDesc_SetName(d.handle, "image");
       const char* name = nullptr;
       const int code = OH_NNTensorDesc_GetName(d.handle, &name);
       return std::strcmp(name, "image") == 0 ? code : -1;
     }},
    {"OH_NNTensorDesc_GetName", "object null", INVALID,
     [] {
       const char* name = nullptr;
       return OH_NNTensorDesc_GetName(nullptr, &name);
     }},
    {"OH_NNTensorDesc_GetName", "name null", INVALID,
     [] { return OH_NNTensorDesc_GetName(description().handle, nullptr); }},
    {"OH_NNTensorDesc_GetName", "*name not null", INVALID,
     [] {
       const char* name = "";
       return OH_NNTensorDesc_GetName(description().handle, &name);
     }},
    {"OH_NNTensorDesc_SetDataType", "the last one", SUCCESS,
     [] { return OH_NNTensorDesc_SetDataType(description().handle, OH_NN_FLOAT64); }},
    {"OH_NNTensorDesc_SetDataType", "object null", INVALID,
     [] { return OH_NNTensorDesc_SetDataType(nullptr, OH_NN_INT8); }},
    {"OH_NNTensorDesc_SetDataType", "13", INVALID,
     [] { return OH_NNTensorDesc_SetDataType(description().handle, number<OH_NN_DataType>(13)); }},
    {"OH_NNTensorDesc_GetDataType", "not set", SUCCESS,
     [] {
       description d(OH_NN_UNKNOWN);
       OH_NN_DataType type = OH_NN_INT8;
       const int code = OH_NNTensorDesc_GetDataType(d.handle, &type);
       return type == OH_NN_UNKNOWN ? code : -1;
     }},
    {"OH_NNTensorDesc_GetDataType", "object null", INVALID,
     [] {
       OH_NN_DataType type;
       return OH_NNTensorDesc_GetDataType(nullptr, &type);
     }},
    {"OH_NNTensorDesc_GetDataType", "type null", INVALID,
     [] { return OH_NNTensorDesc_GetDataType(description().handle, nullptr); }},
    {"OH_NNTensorDesc_SetShape", "any extents", SUCCESS,
     [] {
       const std::int32_t shape[] = {-7, 0, 3};
       return OH_NNTensorDesc_SetShape(description().handle, shape, 3);
     }},
    {"OH_NNTensorDesc_SetShape", "ten extents", SUCCESS,
     [] {
       const std::int32_t shape[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
       return OH_NNTensorDesc_SetShape(description().handle, shape, 10);
     }},
    {"OH_NNTensorDesc_SetShape", "eleven extents", INVALID,
     [] {
       const std::int32_t shape[11] = {};
       return OH_NNTensorDesc_SetShape(description().handle, shape, 11);
     }},
    {"OH_NNTensorDesc_SetShape", "no extents", INVALID,
     [] {
       const std::int32_t shape[1] = {};
       return OH_NNTensorDesc_SetShape(description().handle, shape, 0);
     }},
    {"OH_NNTensorDesc_SetShape", "shape null", INVALID,
     [] { return OH_NNTensorDesc_SetShape(description().handle, nullptr, 1); }},
    {"OH_NNTensorDesc_SetShape", "object null", INVALID,
     [] {
       const std::int32_t shape[1] = {1};
       return OH_NNTensorDesc_SetShape(nullptr, shape, 1);
     }},
    {"OH_NNTensorDesc_GetShape", "set", SUCCESS,
     [] {
       description d;
       std::int32_t* shape = nullptr;
       std::size_t rank = 0;
       const int code = OH_NNTensorDesc_GetShape(d.handle, &shape, &rank);
       return rank == 4 && shape[3] == 3 ? code : -1;
     }},
    {"OH_NNTensorDesc_GetShape", "not set", SUCCESS,
     [] {
       description d(OH_NN_INT8, {});
       std::int32_t* shape = nullptr;
       std::size_t rank = 9;
       const int code = OH_NNTensorDesc_GetShape(d.handle, &shape, &rank);
       return rank == 0 && shape == nullptr ? code : -1;
     }},
    {"OH_NNTensorDesc_GetShape", "object null", INVALID,
     [] {
       std::int32_t* shape = nullptr;
       std::size_t rank;
       return OH_NNTensorDesc_GetShape(nullptr, &shape, &rank);
     }},
    {"OH_NNTensorDesc_GetShape", "shape null", INVALID,
     [] {
       std::size_t rank;
       return OH_NNTensorDesc_GetShape(description().handle, nullptr, &rank);
     }},
    {"OH_NNTensorDesc_GetShape", "*shape not null", INVALID,
     [] {
       std::int32_t some = 0, *shape = &some;
       std::size_t rank;
       return OH_NNTensorDesc_GetShape(description().handle, &shape, &rank);
     }},
    {"OH_NNTensorDesc_GetShape", "length null", INVALID,
     [] {
       std::int32_t* shape = nullptr;
       return OH_NNTensorDesc_GetShape(description().handle, &shape, nullptr);
     }},
    {"OH_NNTensorDesc_SetFormat", "the last one", SUCCESS,
     [] { return OH_NNTensorDesc_SetFormat(description().handle, OH_NN_FORMAT_ND); }},
    {"OH_NNTensorDesc_SetFormat", "object null", INVALID,
     [] { return OH_NNTensorDesc_SetFormat(nullptr, OH_NN_FORMAT_ND); }},
    {"OH_NNTensorDesc_SetFormat", "4", INVALID,
     [] { return OH_NNTensorDesc_SetFormat(description().handle, number<OH_NN_Format>(4)); }},
    {"OH_NNTensorDesc_GetFormat", "not set", SUCCESS,
     [] {
       description d;
       OH_NN_Format f = OH_NN_FORMAT_ND;
       const int code = OH_NNTensorDesc_GetFormat(d.handle, &f);
       return f == OH_NN_FORMAT_NONE ? code : -1;
     }},
    {"OH_NNTensorDesc_GetFormat", "object null", INVALID,
     [] {
       OH_NN_Format f;
       return OH_NNTensorDesc_GetFormat(nullptr, &f);
     }},
    {"OH_NNTensorDesc_GetFormat", "format null", INVALID,
     [] { return OH_NNTensorDesc_GetFormat(description().handle, nullptr); }},
    {"OH_NNTensorDesc_GetElementCount", "a shape", SUCCESS,
     [] {
       description d;
       std::size_t n = 0;
       const int code = OH_NNTensorDesc_GetElementCount(d.handle, &n);
       return n == 12 ? code : -1;
     }},
    {"OH_NNTensorDesc_GetElementCount", "an unknown extent after others that overflow", DYNAMIC,
     [] {
       description d(OH_NN_INT8, {0x7fffffff, 0x7fffffff, 0x7fffffff, -1});
       std::size_t n = 9;
       const int code = OH_NNTensorDesc_GetElementCount(d.handle, &n);
       return n == 0 ? code : -1;
     }},
    {"OH_NNTensorDesc_GetElementCount", "an unknown extent", DYNAMIC,
     [] {
       description d(OH_NN_INT8, {2, -1});
       std::size_t n = 9;
       const int code = OH_NNTensorDesc_GetElementCount(d.handle, &n);
       return n == 0 ? code : -1;
     }},
    {"OH_NNTensorDesc_GetElementCount", "no shape", INVALID,
     [] {
       description d(OH_NN_INT8, {});
       std::size_t n;
       return OH_NNTensorDesc_GetElementCount(d.handle, &n);
     }},
    {"OH_NNTensorDesc_GetElementCount", "an executor's description of a scalar", SUCCESS,
     [] {
       one_operation o(OH_NN_OPS_ABS, {}, OH_NN_FLOAT32, {});
       NN_TensorDesc* d = OH_NNExecutor_CreateInputTensorDesc(o.executor, 0);
       std::size_t n = 0;
       const int code = OH_NNTensorDesc_GetElementCount(d, &n);
       OH_NNTensorDesc_Destroy(&d);
       return n == 1 ? code : -1;
     }},
    {"OH_NNTensorDesc_GetElementCount", "too many", INVALID,
     [] {
       description d(OH_NN_INT8, {2147483647, 2147483647, 2147483647});
       std::size_t n;
       return OH_NNTensorDesc_GetElementCount(d.handle, &n);
     }},
    {"OH_NNTensorDesc_GetElementCount", "object null", INVALID,
     [] {
       std::size_t n;
       return OH_NNTensorDesc_GetElementCount(nullptr, &n);
     }},
    {"OH_NNTensorDesc_GetElementCount", "count null", INVALID,
     [] { return OH_NNTensorDesc_GetElementCount(description().handle, nullptr); }},
    {"OH_NNTensorDesc_GetByteSize", "a shape", SUCCESS,
     [] {
       description d;
       std::size_t n = 0;
       const int code = OH_NNTensorDesc_GetByteSize(d.handle, &n);
       return n == 48 ? code : -1;
     }},
    {"OH_NNTensorDesc_GetByteSize", "an unknown extent", SUCCESS,
     [] {
       description d(OH_NN_INT8, {2, -1});
       std::size_t n = 9;
       const int code = OH_NNTensorDesc_GetByteSize(d.handle, &n);
       return n == 0 ? code : -1;
     }},
    {"OH_NNTensorDesc_GetByteSize", "no shape", INVALID,
     [] {
       description d(OH_NN_INT8, {});
       std::size_t n;
       return OH_NNTensorDesc_GetByteSize(d.handle, &n);
     }},
    {"OH_NNTensorDesc_GetByteSize", "no type", INVALID,
     [] {
       description d(OH_NN_UNKNOWN);
       std::size_t n;
       return OH_NNTensorDesc_GetByteSize(d.handle, &n);
     }},
    {"OH_NNTensorDesc_GetByteSize", "too many", INVALID,
     [] {
       description d(OH_NN_INT64, {2147483647, 2147483647, 4});
       std::size_t n = 9;
       const int code = OH_NNTensorDesc_GetByteSize(d.handle, &n);
       return n == 0 ? code : -1;
     }},
    {"OH_NNTensorDesc_GetByteSize", "object null", INVALID,
     [] {
       std::size_t n;
       return OH_NNTensorDesc_GetByteSize(nullptr, &n);
     }},
    {"OH_NNTensorDesc_GetByteSize", "size null", INVALID,
     [] { return OH_NNTensorDesc_GetByteSize(description().handle, nullptr); }},
};

// ---- Tensors ----

const row tensors[] = {
    {"OH_NNTensor_Create", "a shape", AN_OBJECT,
     [] { return made_tensor(OH_NNTensor_Create(0, description().handle)); }},
    {"OH_NNTensor_Create", "description null", NULL_OBJECT, [] { return made_tensor(OH_NNTensor_Create(0, nullptr)); }},
    {"OH_NNTensor_Create", "device unknown", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_Create(unknown_device, description().handle)); }},
    {"OH_NNTensor_Create", "no shape", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_Create(0, description(OH_NN_INT8, {}).handle)); }},
    {"OH_NNTensor_Create", "an unknown extent", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_Create(0, description(OH_NN_INT8, {-1}).handle)); }},
    {"OH_NNTensor_Create", "more than 1 GiB", NULL_OBJECT,
     [] {
       return made_tensor(OH_NNTensor_Create(0, description(OH_NN_INT8, {1 << 30, 2}).handle));
     }},
    {"OH_NNTensor_Create", "an executor's description of a scalar", AN_OBJECT,
     [] {
       one_operation o(OH_NN_OPS_ABS, {}, OH_NN_FLOAT32, {});
       NN_TensorDesc* d = OH_NNExecutor_CreateInputTensorDesc(o.executor, 0);
       const int made = made_tensor(OH_NNTensor_Create(0, d));
       OH_NNTensorDesc_Destroy(&d);
       return made;
     }},
    {"OH_NNTensor_CreateWithSize", "more than needed", AN_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithSize(0, description().handle, 64)); }},
    {"OH_NNTensor_CreateWithSize", "an unknown extent, 1 byte", AN_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithSize(0, description(OH_NN_INT8, {-1}).handle, 1)); }},
    {"OH_NNTensor_CreateWithSize", "less than needed", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithSize(0, description().handle, 47)); }},
    {"OH_NNTensor_CreateWithSize", "size 0", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithSize(0, description(OH_NN_INT8, {-1}).handle, 0)); }},
    {"OH_NNTensor_CreateWithSize", "more than 1 GiB", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithSize(0, description().handle, gibibyte + 1)); }},
    {"OH_NNTensor_CreateWithSize", "description null", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithSize(0, nullptr, 8)); }},
    {"OH_NNTensor_CreateWithSize", "device unknown", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithSize(unknown_device, description().handle, 64)); }},
    {"OH_NNTensor_CreateWithFd", "that of another tensor", AN_OBJECT,
     [] {
       small_executor e;
       int fd = -1;
       OH_NNTensor_GetFd(e.tensors[0], &fd);
       return made_tensor(OH_NNTensor_CreateWithFd(0, description().handle, fd, 48, 0));
     }},
    {"OH_NNTensor_CreateWithFd", "description null", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithFd(0, nullptr, 0, 48, 0)); }},
    {"OH_NNTensor_CreateWithFd", "fd negative", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithFd(0, description().handle, -1, 48, 0)); }},
    {"OH_NNTensor_CreateWithFd", "size 0", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithFd(0, description().handle, 0, 0, 0)); }},
    {"OH_NNTensor_CreateWithFd", "size less than offset", NULL_OBJECT,
     [] { return made_tensor(OH_NNTensor_CreateWithFd(0, description().handle, 0, 48, 4096)); }},
    {"OH_NNTensor_CreateWithFd", "too little after the offset", NULL_OBJECT,
     [] {
       small_executor e;
       int fd = -1;
       OH_NNTensor_GetFd(e.tensors[0], &fd);
       return made_tensor(OH_NNTensor_CreateWithFd(0, description().handle, fd, 47, 0));
     }},
    {"OH_NNTensor_CreateWithFd", "device unknown", NULL_OBJECT,
     [] {
       small_executor e;
       int fd = -1;
       OH_NNTensor_GetFd(e.tensors[0], &fd);
       return made_tensor(OH_NNTensor_CreateWithFd(unknown_device, description().handle, fd, 48, 0));
     }},
    {"OH_NNTensor_CreateWithFd", "a file that cannot be mapped", NULL_OBJECT,
     [] {
       int ends[2];
       if (pipe(ends) != 0) return -1;
       const int answered = made_tensor(OH_NNTensor_CreateWithFd(0, description().handle, ends[0], 48, 0));
       close(ends[0]), close(ends[1]);
       return answered;
     }},
    {"OH_NNTensor_Destroy", "its device is gone, until it comes again", NULL_PTR,
     [] {
       NN_Tensor* t = nullptr;
       {
         const fake device(fake_behaviour{});
         t = OH_NNTensor_Create(device.id, description().handle);
       }
       const int code = OH_NNTensor_Destroy(&t);
       const fake again(fake_behaviour{});
       return t != nullptr && OH_NNTensor_Destroy(&t) == OH_NN_SUCCESS ? code : -1;
     }},
    {"OH_NNTensor_Destroy", "an object", SUCCESS,
     [] {
       NN_Tensor* t = small_executor::make_tensor({1});
       const int code = OH_NNTensor_Destroy(&t);
       return t == nullptr ? code : -1;
     }},
    {"OH_NNTensor_Destroy", "null", INVALID, [] { return OH_NNTensor_Destroy(nullptr); }},
    {"OH_NNTensor_Destroy", "*handle null", INVALID,
     [] {
       NN_Tensor* t = nullptr;
       return OH_NNTensor_Destroy(&t);
     }},
    {"OH_NNTensor_Destroy", "destroyed before", INVALID,
     [] {
       NN_Tensor *t = small_executor::make_tensor({1}), *again = t;
       OH_NNTensor_Destroy(&t);
       return OH_NNTensor_Destroy(&again);
     }},
    {"OH_NNTensor_GetTensorDesc", "an object", AN_OBJECT,
     [] { return object(OH_NNTensor_GetTensorDesc(small_executor().tensors[0])); }},
    {"OH_NNTensor_GetTensorDesc", "null", NULL_OBJECT, [] { return object(OH_NNTensor_GetTensorDesc(nullptr)); }},
    {"OH_NNTensor_GetDataBuffer", "an object", AN_OBJECT,
     [] { return object(OH_NNTensor_GetDataBuffer(small_executor().tensors[0])); }},
    {"OH_NNTensor_GetDataBuffer", "null", NULL_OBJECT, [] { return object(OH_NNTensor_GetDataBuffer(nullptr)); }},
    {"OH_NNTensor_GetFd", "an object", SUCCESS,
     [] {
       int fd = -1;
       const int code = OH_NNTensor_GetFd(small_executor().tensors[0], &fd);
       return fd >= 0 ? code : -1;
     }},
    {"OH_NNTensor_GetFd", "null", INVALID,
     [] {
       int fd;
       return OH_NNTensor_GetFd(nullptr, &fd);
     }},
    {"OH_NNTensor_GetFd", "fd null", INVALID, [] { return OH_NNTensor_GetFd(small_executor().tensors[0], nullptr); }},
    {"OH_NNTensor_GetSize", "of the description", SUCCESS,
     [] {
       std::size_t n = 0;
       const int code = OH_NNTensor_GetSize(small_executor().tensors[0], &n);
       return n == 48 ? code : -1;
     }},
    {"OH_NNTensor_GetSize", "null", INVALID,
     [] {
       std::size_t n;
       return OH_NNTensor_GetSize(nullptr, &n);
     }},
    {"OH_NNTensor_GetSize", "size null", INVALID,
     [] { return OH_NNTensor_GetSize(small_executor().tensors[0], nullptr); }},
    {"OH_NNTensor_GetOffset", "without one", SUCCESS,
     [] {
       std::size_t n = 9;
       const int code = OH_NNTensor_GetOffset(small_executor().tensors[0], &n);
       return n == 0 ? code : -1;
     }},
    {"OH_NNTensor_GetOffset", "null", INVALID,
     [] {
       std::size_t n;
       return OH_NNTensor_GetOffset(nullptr, &n);
     }},
    {"OH_NNTensor_GetOffset", "offset null", INVALID,
     [] { return OH_NNTensor_GetOffset(small_executor().tensors[0], nullptr); }},
};

// ---- Models ----

/// AddTensor with these properties, to a model at the stage `tensors`.
int added(OH_NN_DataType type, const std::vector<std::int32_t>& shape, OH_NN_TensorType kind = OH_NN_TENSOR,
          const OH_NN_QuantParam* quant = nullptr) {
  small_model m(stage::tensors);
  return add_tensor(m.handle, type, shape, kind, quant);
}
int added_description(OH_NN_DataType type, const std::vector<std::int32_t>& shape) {
  small_model m(stage::tensors);
  description d(type, shape);
  return OH_NNModel_AddTensorToModel(m.handle, d.handle);
}
int operation(std::initializer_list<std::uint32_t> parameters, std::initializer_list<std::uint32_t> inputs,
              std::initializer_list<std::uint32_t> outputs, OH_NN_OperationType type = OH_NN_OPS_ADD) {
  small_model m(stage::tensors);
  return OH_NNModel_AddOperation(m.handle, type, indices(parameters), indices(inputs), indices(outputs));
}
int ends(std::initializer_list<std::uint32_t> inputs, std::initializer_list<std::uint32_t> outputs) {
  small_model m(stage::operation);
  return OH_NNModel_SpecifyInputsAndOutputs(m.handle, indices(inputs), indices(outputs));
}
const float twelve[12] = {};
const std::uint32_t bits8 = 8, bits4 = 4;
const double half = 0.5;
const std::int32_t zero = 0;
const OH_NN_QuantParam good_quant{1, &bits8, &half, &zero}, no_bits{1, nullptr, &half, &zero},
    no_scale{1, &bits8, nullptr, &zero}, no_zero{1, &bits8, &half, nullptr}, four_bits{1, &bits4, &half, &zero};

const row models[] = {
    {"OH_NNModel_Construct", "memory", AN_OBJECT, [] { return object(small_model().handle); }},
    {"OH_NNModel_Destroy", "an object", DONE,
     [] {
       OH_NNModel* m = OH_NNModel_Construct();
       OH_NNModel_Destroy(&m);
       return m == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNModel_Destroy", "null", NOTHING_DONE,
     [] {
       OH_NNModel* m = nullptr;
       OH_NNModel_Destroy(nullptr), OH_NNModel_Destroy(&m);
       return NOTHING_DONE;
     }},
    {"OH_NNModel_AddTensor", "a tensor", SUCCESS,
     [] {
       return added(OH_NN_FLOAT32, {2, 3});
     }},
    {"OH_NNModel_AddTensor", "an unknown extent", SUCCESS,
     [] {
       return added(OH_NN_FLOAT32, {2, -1});
     }},
    {"OH_NNModel_AddTensor", "no type", SUCCESS, [] { return added(OH_NN_UNKNOWN, {2}); }},
    {"OH_NNModel_AddTensor", "quantised", SUCCESS, [] { return added(OH_NN_INT8, {2}, OH_NN_TENSOR, &good_quant); }},
    {"OH_NNModel_AddTensor", "model null", INVALID, [] { return add_tensor(nullptr, OH_NN_FLOAT32, {1}); }},
    {"OH_NNModel_AddTensor", "tensor null", INVALID,
     [] { return OH_NNModel_AddTensor(small_model(stage::tensors).handle, nullptr); }},
    {"OH_NNModel_AddTensor", "finished", FORBIDDEN,
     [] { return add_tensor(small_model().handle, OH_NN_FLOAT32, {1}); }},
    {"OH_NNModel_AddTensor", "type 13", INVALID, [] { return added(number<OH_NN_DataType>(13), {1}); }},
    {"OH_NNModel_AddTensor", "tensor type 163", INVALID,
     [] { return added(OH_NN_INT8, {1}, number<OH_NN_TensorType>(163)); }},
    {"OH_NNModel_AddTensor", "extent 0", INVALID, [] { return added(OH_NN_INT8, {0}); }},
    {"OH_NNModel_AddTensor", "extent -2", INVALID, [] { return added(OH_NN_INT8, {-2}); }},
    {"OH_NNModel_AddTensor", "count without extents", INVALID,
     [] {
       const OH_NN_Tensor t{OH_NN_INT8, 1, nullptr, nullptr, OH_NN_TENSOR};
       return OH_NNModel_AddTensor(small_model(stage::tensors).handle, &t);
     }},
    {"OH_NNModel_AddTensor", "extents without count", INVALID,
     [] {
       const OH_NN_Tensor t{OH_NN_INT8, 0, small_shape.data(), nullptr, OH_NN_TENSOR};
       return OH_NNModel_AddTensor(small_model(stage::tensors).handle, &t);
     }},
    {"OH_NNModel_AddTensor", "201 extents", INVALID,
     [] { return added(OH_NN_INT8, std::vector<std::int32_t>(201, 1)); }},
    {"OH_NNModel_AddTensor", "more than 4 GiB", INVALID,
     [] {
       return added(OH_NN_INT8, {65536, 65536});
     }},
    {"OH_NNModel_AddTensor", "quantised without widths", INVALID,
     [] { return added(OH_NN_INT8, {2}, OH_NN_TENSOR, &no_bits); }},
    {"OH_NNModel_AddTensor", "quantised without scales", INVALID,
     [] { return added(OH_NN_INT8, {2}, OH_NN_TENSOR, &no_scale); }},
    {"OH_NNModel_AddTensor", "quantised without zero points", INVALID,
     [] { return added(OH_NN_INT8, {2}, OH_NN_TENSOR, &no_zero); }},
    {"OH_NNModel_AddTensor", "quantised to 4 bits", INVALID,
     [] { return added(OH_NN_INT8, {2}, OH_NN_TENSOR, &four_bits); }},
    {"OH_NNModel_AddTensorToModel", "a tensor", SUCCESS,
     [] {
       return added_description(OH_NN_FLOAT32, {2, 3});
     }},
    {"OH_NNModel_AddTensorToModel", "a scalar", SUCCESS, [] { return added_description(OH_NN_FLOAT32, {}); }},
    {"OH_NNModel_AddTensorToModel", "finished", SUCCESS,
     [] {
       description d;
       return OH_NNModel_AddTensorToModel(small_model().handle, d.handle);
     }},
    {"OH_NNModel_AddTensorToModel", "model null", INVALID,
     [] { return OH_NNModel_AddTensorToModel(nullptr, description().handle); }},
    {"OH_NNModel_AddTensorToModel", "description null", INVALID,
     [] { return OH_NNModel_AddTensorToModel(small_model(stage::tensors).handle, nullptr); }},
    {"OH_NNModel_AddTensorToModel", "extent 0", INVALID, [] { return added_description(OH_NN_INT8, {0}); }},
    {"OH_NNModel_AddTensorToModel", "more than 4 GiB", INVALID,
     [] {
       return added_description(OH_NN_INT8, {65536, 65536});
     }},
    {"OH_NNModel_SetTensorData", "all bytes", SUCCESS,
     [] { return OH_NNModel_SetTensorData(small_model(stage::tensors).handle, 0, twelve, 48); }},
    {"OH_NNModel_SetTensorData", "model null", INVALID,
     [] { return OH_NNModel_SetTensorData(nullptr, 0, twelve, 48); }},
    {"OH_NNModel_SetTensorData", "data null", INVALID,
     [] { return OH_NNModel_SetTensorData(small_model(stage::tensors).handle, 0, nullptr, 48); }},
    {"OH_NNModel_SetTensorData", "length 0", INVALID,
     [] { return OH_NNModel_SetTensorData(small_model(stage::tensors).handle, 0, twelve, 0); }},
    {"OH_NNModel_SetTensorData", "finished", FORBIDDEN,
     [] { return OH_NNModel_SetTensorData(small_model().handle, 0, twelve, 48); }},
    {"OH_NNModel_SetTensorData", "finished and index out of range", FORBIDDEN,
     [] { return OH_NNModel_SetTensorData(small_model().handle, 9, twelve, 48); }},
    {"OH_NNModel_SetTensorData", "index out of range", INVALID,
     [] { return OH_NNModel_SetTensorData(small_model(stage::tensors).handle, 4, twelve, 48); }},
    {"OH_NNModel_SetTensorData", "set before", INVALID,
     [] {
       small_model m(stage::tensors);
       OH_NNModel_SetTensorData(m.handle, 0, twelve, 48);
       return OH_NNModel_SetTensorData(m.handle, 0, twelve, 48);
     }},
    {"OH_NNModel_SetTensorData", "an unknown extent", FORBIDDEN,
     [] { return OH_NNModel_SetTensorData(small_model(stage::tensors, true).handle, 0, twelve, 48); }},
    {"OH_NNModel_SetTensorData", "a byte too few", INVALID,
     [] { return OH_NNModel_SetTensorData(small_model(stage::tensors).handle, 0, twelve, 47); }},
    {"OH_NNModel_SetTensorData", "a byte too many", INVALID,
     [] { return OH_NNModel_SetTensorData(small_model(stage::tensors).handle, 0, twelve, 49); }},
    {"OH_NNModel_SetTensorQuantParams", "one", SUCCESS,
     [] { return OH_NNModel_SetTensorQuantParams(small_model(stage::tensors).handle, 0, quantisation().handle); }},
    {"OH_NNModel_SetTensorQuantParams", "nothing set", SUCCESS,
     [] {
       return OH_NNModel_SetTensorQuantParams(small_model(stage::tensors).handle, 0, quantisation({}, {}, {}).handle);
     }},
    {"OH_NNModel_SetTensorQuantParams", "model null", INVALID,
     [] { return OH_NNModel_SetTensorQuantParams(nullptr, 0, quantisation().handle); }},
    {"OH_NNModel_SetTensorQuantParams", "parameters null", INVALID,
     [] { return OH_NNModel_SetTensorQuantParams(small_model(stage::tensors).handle, 0, nullptr); }},
    {"OH_NNModel_SetTensorQuantParams", "finished", FORBIDDEN,
     [] { return OH_NNModel_SetTensorQuantParams(small_model().handle, 0, quantisation().handle); }},
    {"OH_NNModel_SetTensorQuantParams", "index out of range", INVALID,
     [] { return OH_NNModel_SetTensorQuantParams(small_model(stage::tensors).handle, 4, quantisation().handle); }},
    {"OH_NNModel_SetTensorQuantParams", "lengths differ", INVALID,
     [] {
       return OH_NNModel_SetTensorQuantParams(small_model(stage::tensors).handle, 0,
                                              quantisation({1, 2}, {0}, {8}).handle);
     }},
    {"OH_NNModel_SetTensorQuantParams", "widths missing", INVALID,
     [] {
       return OH_NNModel_SetTensorQuantParams(small_model(stage::tensors).handle, 0, quantisation({1}, {0}, {}).handle);
     }},
    {"OH_NNModel_SetTensorQuantParams", "16 bits", INVALID,
     [] {
       return OH_NNModel_SetTensorQuantParams(small_model(stage::tensors).handle, 0,
                                              quantisation({1}, {0}, {16}).handle);
     }},
    {"OH_NNModel_SetTensorType", "a parameter", SUCCESS,
     [] { return OH_NNModel_SetTensorType(small_model(stage::tensors).handle, 0, OH_NN_REDUCE_L2_COEFF); }},
    {"OH_NNModel_SetTensorType", "model null", INVALID,
     [] { return OH_NNModel_SetTensorType(nullptr, 0, OH_NN_TENSOR); }},
    {"OH_NNModel_SetTensorType", "type 163", INVALID,
     [] { return OH_NNModel_SetTensorType(small_model(stage::tensors).handle, 0, number<OH_NN_TensorType>(163)); }},
    {"OH_NNModel_SetTensorType", "type 163, finished", INVALID,
     [] { return OH_NNModel_SetTensorType(small_model().handle, 0, number<OH_NN_TensorType>(163)); }},
    {"OH_NNModel_SetTensorType", "finished", FORBIDDEN,
     [] { return OH_NNModel_SetTensorType(small_model().handle, 0, OH_NN_TENSOR); }},
    {"OH_NNModel_SetTensorType", "index out of range", INVALID,
     [] { return OH_NNModel_SetTensorType(small_model(stage::tensors).handle, 4, OH_NN_TENSOR); }},
    {"OH_NNModel_AddOperation", "good", SUCCESS,
     [] {
       return operation({2}, {0, 1}, {3});
     }},
    {"OH_NNModel_AddOperation", "without its parameter", SUCCESS,
     [] {
       return operation({}, {0, 1}, {3});
     }},
    {"OH_NNModel_AddOperation", "model null", INVALID,
     [] {
       return OH_NNModel_AddOperation(nullptr, OH_NN_OPS_ADD, indices{}, indices{0, 1}, indices{3});
     }},
    {"OH_NNModel_AddOperation", "parameters null", INVALID,
     [] {
       return OH_NNModel_AddOperation(small_model(stage::tensors).handle, OH_NN_OPS_ADD, nullptr, indices{0, 1},
                                      indices{3});
     }},
    {"OH_NNModel_AddOperation", "inputs null", INVALID,
     [] {
       return OH_NNModel_AddOperation(small_model(stage::tensors).handle, OH_NN_OPS_ADD, indices{}, nullptr,
                                      indices{3});
     }},
    {"OH_NNModel_AddOperation", "outputs null", INVALID,
     [] {
       return OH_NNModel_AddOperation(small_model(stage::tensors).handle, OH_NN_OPS_ADD, indices{}, indices{0, 1},
                                      nullptr);
     }},
    {"OH_NNModel_AddOperation", "finished", FORBIDDEN,
     [] {
       return OH_NNModel_AddOperation(small_model().handle, OH_NN_OPS_ADD, indices{2}, indices{0, 1}, indices{3});
     }},
    {"OH_NNModel_AddOperation", "no inputs", INVALID, [] { return operation({2}, {}, {3}); }},
    {"OH_NNModel_AddOperation", "no outputs", INVALID,
     [] {
       return operation({2}, {0, 1}, {});
     }},
    {"OH_NNModel_AddOperation", "201 inputs", INVALID,
     [] {
       small_model m(stage::tensors);
       std::vector<std::uint32_t> many(201, 0);
       const OH_NN_UInt32Array in{many.data(), 201};
       return OH_NNModel_AddOperation(m.handle, OH_NN_OPS_CONCAT, indices{}, &in, indices{3});
     }},
    {"OH_NNModel_AddOperation", "size without data", INVALID,
     [] {
       small_model m(stage::tensors);
       const OH_NN_UInt32Array in{nullptr, 2};
       return OH_NNModel_AddOperation(m.handle, OH_NN_OPS_ADD, indices{}, &in, indices{3});
     }},
    {"OH_NNModel_AddOperation", "parameters: data without size", INVALID,
     [] {
       small_model m(stage::tensors);
       std::uint32_t two = 2;
       const OH_NN_UInt32Array p{&two, 0};
       return OH_NNModel_AddOperation(m.handle, OH_NN_OPS_ADD, &p, indices{0, 1}, indices{3});
     }},
    {"OH_NNModel_AddOperation", "input index out of range", INVALID,
     [] {
       return operation({2}, {0, 4}, {3});
     }},
    {"OH_NNModel_AddOperation", "output index out of range", INVALID,
     [] {
       return operation({2}, {0, 1}, {4});
     }},
    {"OH_NNModel_AddOperation", "parameter index out of range", INVALID,
     [] {
       return operation({4}, {0, 1}, {3});
     }},
    {"OH_NNModel_AddOperation", "an input is a parameter", INVALID,
     [] {
       return operation({}, {0, 2}, {3});
     }},
    {"OH_NNModel_AddOperation", "an output is a parameter", INVALID,
     [] {
       return operation({}, {0, 1}, {2});
     }},
    {"OH_NNModel_AddOperation", "a tensor is both", INVALID,
     [] {
       return operation({2}, {0, 1}, {1});
     }},
    {"OH_NNModel_AddOperation", "an unknown operation", INVALID,
     [] {
       return operation({2}, {0, 1}, {3}, number<OH_NN_OperationType>(0));
     }},
    {"OH_NNModel_AddOperation", "one input too many", INVALID,
     [] {
       return operation({2}, {0, 1, 0}, {3});
     }},
    {"OH_NNModel_AddOperation", "one output too many", INVALID,
     [] {
       small_model m(stage::tensors);
       add_tensor(m.handle, OH_NN_FLOAT32, small_shape);
       return OH_NNModel_AddOperation(m.handle, OH_NN_OPS_ADD, indices{2}, indices{0, 1}, indices{3, 4});
     }},
    {"OH_NNModel_AddOperation", "another operation's parameter", INVALID,
     [] {
       return operation({2}, {0, 1}, {3}, OH_NN_OPS_SUB);
     }},
    {"OH_NNModel_AddOperation", "a plain tensor as parameter", INVALID,
     [] {
       return operation({0}, {0, 1}, {3});
     }},
    {"OH_NNModel_AddOperation", "a parameter without data", INVALID,
     [] {
       small_model m(stage::tensors);
       add_tensor(m.handle, OH_NN_INT8, {}, OH_NN_ADD_ACTIVATIONTYPE);
       return OH_NNModel_AddOperation(m.handle, OH_NN_OPS_ADD, indices{4}, indices{0, 1}, indices{3});
     }},
    {"OH_NNModel_AddOperation", "a parameter of another type", INVALID,
     [] {
       small_model m(stage::tensors);
       add_tensor(m.handle, OH_NN_INT32, {}, OH_NN_ADD_ACTIVATIONTYPE);
       const std::int32_t none = 0;
       OH_NNModel_SetTensorData(m.handle, 4, &none, 4);
       return OH_NNModel_AddOperation(m.handle, OH_NN_OPS_ADD, indices{4}, indices{0, 1}, indices{3});
     }},
    {"OH_NNModel_AddOperation", "an activation that is none", INVALID,
     [] {
       small_model m(stage::tensors);
       add_tensor(m.handle, OH_NN_INT8, {}, OH_NN_ADD_ACTIVATIONTYPE);
       const std::int8_t three = 3;
       OH_NNModel_SetTensorData(m.handle, 4, &three, 1);
       return OH_NNModel_AddOperation(m.handle, OH_NN_OPS_ADD, indices{4}, indices{0, 1}, indices{3});
     }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "good", SUCCESS,
     [] {
       return ends({0, 1}, {3});
     }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "before any operation", SUCCESS,
     [] {
       return OH_NNModel_SpecifyInputsAndOutputs(small_model(stage::tensors).handle, indices{0, 1}, indices{3});
     }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "model null", INVALID,
     [] { return OH_NNModel_SpecifyInputsAndOutputs(nullptr, indices{0}, indices{3}); }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "inputs null", INVALID,
     [] { return OH_NNModel_SpecifyInputsAndOutputs(small_model(stage::operation).handle, nullptr, indices{3}); }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "outputs null", INVALID,
     [] { return OH_NNModel_SpecifyInputsAndOutputs(small_model(stage::operation).handle, indices{0}, nullptr); }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "finished", FORBIDDEN,
     [] {
       return OH_NNModel_SpecifyInputsAndOutputs(small_model().handle, indices{0, 1}, indices{3});
     }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "a second time", FORBIDDEN,
     [] {
       return OH_NNModel_SpecifyInputsAndOutputs(small_model(stage::ends).handle, indices{0, 1}, indices{3});
     }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "no inputs", INVALID, [] { return ends({}, {3}); }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "no outputs", INVALID,
     [] {
       return ends({0, 1}, {});
     }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "index out of range", INVALID,
     [] {
       return ends({0, 4}, {3});
     }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "a parameter", INVALID,
     [] {
       return ends({0, 2}, {3});
     }},
    {"OH_NNModel_SpecifyInputsAndOutputs", "a tensor is both", INVALID,
     [] {
       return ends({0, 1}, {1});
     }},
    {"OH_NNModel_Finish", "good", SUCCESS, [] { return OH_NNModel_Finish(small_model(stage::ends).handle); }},
    {"OH_NNModel_Finish", "model null", INVALID, [] { return OH_NNModel_Finish(nullptr); }},
    {"OH_NNModel_Finish", "a second time", FORBIDDEN, [] { return OH_NNModel_Finish(small_model().handle); }},
    {"OH_NNModel_Finish", "no tensors", FORBIDDEN,
     [] {
       OH_NNModel* m = OH_NNModel_Construct();
       const int code = OH_NNModel_Finish(m);
       OH_NNModel_Destroy(&m);
       return code;
     }},
    {"OH_NNModel_Finish", "no operations", FORBIDDEN,
     [] {
       small_model m(stage::tensors);
       OH_NNModel_SpecifyInputsAndOutputs(m.handle, indices{0, 1}, indices{3});
       return OH_NNModel_Finish(m.handle);
     }},
    {"OH_NNModel_Finish", "no inputs and outputs", FORBIDDEN,
     [] { return OH_NNModel_Finish(small_model(stage::operation).handle); }},
    {"OH_NNModel_Finish", "a parameter that must be is missing", FAILED,
     [] {
       small_model m(stage::tensors);
       OH_NNModel_AddOperation(m.handle, OH_NN_OPS_QUANT_DTYPE_CAST, indices{}, indices{0}, indices{3});
       OH_NNModel_SpecifyInputsAndOutputs(m.handle, indices{0}, indices{3});
       return OH_NNModel_Finish(m.handle);
     }},
    {"OH_NNModel_Finish", "after such a failure", FORBIDDEN,
     [] {
       small_model m(stage::tensors);
       OH_NNModel_AddOperation(m.handle, OH_NN_OPS_QUANT_DTYPE_CAST, indices{}, indices{0}, indices{3});
       OH_NNModel_SpecifyInputsAndOutputs(m.handle, indices{0}, indices{3});
       OH_NNModel_Finish(m.handle);
       return OH_NNModel_Finish(m.handle);
     }},
    {"OH_NNModel_GetAvailableOperations", "the processor", SUCCESS,
     [] {
       small_model m;
       const bool* can = nullptr;
       std::uint32_t n = 0;
       const int code = OH_NNModel_GetAvailableOperations(m.handle, 0, &can, &n);
       return n == 1 && can[0] ? code : -1;
     }},
    {"OH_NNModel_GetAvailableOperations", "a device that refuses", SUCCESS,
     [] {
       const fake device(that([](auto& b) { b.refuses = "add"; }));
       small_model m;
       const bool* can = nullptr;
       std::uint32_t n = 0;
       const int code = OH_NNModel_GetAvailableOperations(m.handle, device.id, &can, &n);
       return n == 1 && !can[0] ? code : -1;
     }},
    {"OH_NNModel_GetAvailableOperations", "a scalar that is declared as [1]", SUCCESS,
     [] {
       one_operation o(OH_NN_OPS_RANK, {2, 3}, OH_NN_INT32, {1});
       const bool* can = nullptr;
       std::uint32_t n = 0;
       const int code = OH_NNModel_GetAvailableOperations(o.model, 0, &can, &n);
       return n == 1 && can[0] ? code : -1;
     }},
    {"OH_NNModel_GetAvailableOperations", "declared with another extent", SUCCESS,
     [] {
       one_operation o(OH_NN_OPS_ABS, {2, 3}, OH_NN_FLOAT32, {3, 2});
       const bool* can = nullptr;
       std::uint32_t n = 0;
       const int code = OH_NNModel_GetAvailableOperations(o.model, 0, &can, &n);
       return n == 1 && !can[0] ? code : -1;
     }},
    {"OH_NNModel_GetAvailableOperations", "an operand without data type", SUCCESS,
     [] {
       one_operation o(OH_NN_OPS_ABS, {2, 3}, OH_NN_UNKNOWN, {2, 3});
       const bool* can = nullptr;
       std::uint32_t n = 0;
       const int code = OH_NNModel_GetAvailableOperations(o.model, 0, &can, &n);
       return n == 1 && !can[0] && o.built == FAILED ? code : -1;
     }},
    {"OH_NNModel_GetAvailableOperations", "a result that has a scale without having been declared so", SUCCESS,
     [] { return undeclared_scale(); }},
    {"OH_NNModel_GetAvailableOperations", "an input that is listed twice", SUCCESS,
     [] {
       return available_between(indices{0, 1, 0}, indices{3});
     }},
    {"OH_NNModel_GetAvailableOperations", "an output that nothing makes", SUCCESS,
     [] {
       return available_between(indices{0, 1}, indices{3, 4});
     }},
    {"OH_NNModel_GetAvailableOperations", "no operation that finds its inputs", SUCCESS,
     [] { return available_without_nodes(); }},
    {"OH_NNModel_GetAvailableOperations", "model null", INVALID,
     [] {
       const bool* can = nullptr;
       std::uint32_t n = 0;
       return OH_NNModel_GetAvailableOperations(nullptr, 0, &can, &n);
     }},
    {"OH_NNModel_GetAvailableOperations", "list null", INVALID,
     [] {
       std::uint32_t n = 0;
       return OH_NNModel_GetAvailableOperations(small_model().handle, 0, nullptr, &n);
     }},
    {"OH_NNModel_GetAvailableOperations", "*list not null", INVALID,
     [] {
       const bool some = true, *can = &some;
       std::uint32_t n = 0;
       return OH_NNModel_GetAvailableOperations(small_model().handle, 0, &can, &n);
     }},
    {"OH_NNModel_GetAvailableOperations", "count null", INVALID,
     [] {
       const bool* can = nullptr;
       return OH_NNModel_GetAvailableOperations(small_model().handle, 0, &can, nullptr);
     }},
    {"OH_NNModel_GetAvailableOperations", "not finished", FORBIDDEN,
     [] {
       const bool* can = nullptr;
       std::uint32_t n = 0;
       return OH_NNModel_GetAvailableOperations(small_model(stage::ends).handle, 0, &can, &n);
     }},
    {"OH_NNModel_GetAvailableOperations", "device unknown", FAILED,
     [] {
       const bool* can = nullptr;
       std::uint32_t n = 0;
       return OH_NNModel_GetAvailableOperations(small_model().handle, unknown_device, &can, &n);
     }},
    {"OH_NNModel_GetAvailableOperations", "the device fails", FAILED,
     [] {
       const fake device(that([](auto& b) { b.refusals_fail = "gone"; }));
       const bool* can = nullptr;
       std::uint32_t n = 0;
       return OH_NNModel_GetAvailableOperations(small_model().handle, device.id, &can, &n);
     }},
};

// ---- Compilations ----

/// A compilation of the small model on a device, built after `set` gave it options.
int built(
    std::size_t device, const std::function<void(OH_NNCompilation*)>& set = [](OH_NNCompilation*) {}) {
  small_compilation c(false, false, device);
  set(c.handle);
  return OH_NNCompilation_Build(c.handle);
}
int built_on(
    const std::function<void(fake_behaviour&)>& behave,
    const std::function<void(OH_NNCompilation*)>& set = [](OH_NNCompilation*) {}) {
  const fake device(that(behave));
  return built(device.id, set);
}
int destroyed(OH_NNCompilation* c) {
  const int made = object(c);
  OH_NNCompilation_Destroy(&c);
  return made;
}
const char some_bytes[4] = {1, 2, 3, 4};

const row compilations[] = {
    {"OH_NNCompilation_Construct", "a finished model", AN_OBJECT,
     [] { return destroyed(OH_NNCompilation_Construct(small_model().handle)); }},
    {"OH_NNCompilation_Construct", "an unfinished model", AN_OBJECT,
     [] { return destroyed(OH_NNCompilation_Construct(small_model(stage::tensors).handle)); }},
    {"OH_NNCompilation_Construct", "null", NULL_OBJECT, [] { return destroyed(OH_NNCompilation_Construct(nullptr)); }},
    {"OH_NNCompilation_ConstructWithOfflineModelFile", "a path", AN_OBJECT,
     [] { return destroyed(OH_NNCompilation_ConstructWithOfflineModelFile("x")); }},
    {"OH_NNCompilation_ConstructWithOfflineModelFile", "null", NULL_OBJECT,
     [] { return destroyed(OH_NNCompilation_ConstructWithOfflineModelFile(nullptr)); }},
    {"OH_NNCompilation_ConstructWithOfflineModelBuffer", "bytes", AN_OBJECT,
     [] { return destroyed(OH_NNCompilation_ConstructWithOfflineModelBuffer(some_bytes, 4)); }},
    {"OH_NNCompilation_ConstructWithOfflineModelBuffer", "null", NULL_OBJECT,
     [] { return destroyed(OH_NNCompilation_ConstructWithOfflineModelBuffer(nullptr, 4)); }},
    {"OH_NNCompilation_ConstructWithOfflineModelBuffer", "size 0", NULL_OBJECT,
     [] { return destroyed(OH_NNCompilation_ConstructWithOfflineModelBuffer(some_bytes, 0)); }},
    {"OH_NNCompilation_ConstructForCache", "memory", AN_OBJECT,
     [] { return destroyed(OH_NNCompilation_ConstructForCache()); }},
    {"OH_NNCompilation_ExportCacheToBuffer", "a device with caches", SUCCESS,
     [] {
       const fake device(that([](auto& b) { b.caching = true; }));
       small_compilation c(true, false, device.id);
       std::vector<char> to(1 << 16);
       std::size_t n = 0;
       const int code = OH_NNCompilation_ExportCacheToBuffer(c.handle, to.data(), to.size(), &n);
       return n > 0 ? code : -1;
     }},
    {"OH_NNCompilation_ExportCacheToBuffer", "a device without", UNSUPPORTED,
     [] {
       const fake device(fake_behaviour{});
       small_compilation c(true, false, device.id);
       std::vector<char> to(1 << 16);
       std::size_t n = 0;
       return OH_NNCompilation_ExportCacheToBuffer(c.handle, to.data(), to.size(), &n);
     }},
    {"OH_NNCompilation_ExportCacheToBuffer", "too short", INVALID,
     [] {
       const fake device(that([](auto& b) { b.caching = true; }));
       small_compilation c(true, false, device.id);
       char to[1] = {};
       std::size_t n = 0;
       return OH_NNCompilation_ExportCacheToBuffer(c.handle, to, 1, &n);
     }},
    {"OH_NNCompilation_ExportCacheToBuffer", "not built", INVALID,
     [] {
       small_compilation c(false);
       char to[8] = {};
       std::size_t n = 0;
       return OH_NNCompilation_ExportCacheToBuffer(c.handle, to, 8, &n);
     }},
    {"OH_NNCompilation_ExportCacheToBuffer", "compilation null", INVALID,
     [] {
       char to[8] = {};
       std::size_t n = 0;
       return OH_NNCompilation_ExportCacheToBuffer(nullptr, to, 8, &n);
     }},
    {"OH_NNCompilation_ExportCacheToBuffer", "buffer null", INVALID,
     [] {
       std::size_t n = 0;
       return OH_NNCompilation_ExportCacheToBuffer(small_compilation().handle, nullptr, 8, &n);
     }},
    {"OH_NNCompilation_ExportCacheToBuffer", "length 0", INVALID,
     [] {
       char to[8] = {};
       std::size_t n = 0;
       return OH_NNCompilation_ExportCacheToBuffer(small_compilation().handle, to, 0, &n);
     }},
    {"OH_NNCompilation_ExportCacheToBuffer", "size null", INVALID,
     [] {
       char to[8] = {};
       return OH_NNCompilation_ExportCacheToBuffer(small_compilation().handle, to, 8, nullptr);
     }},
    {"OH_NNCompilation_ImportCacheFromBuffer", "bytes", SUCCESS,
     [] { return OH_NNCompilation_ImportCacheFromBuffer(small_compilation(false).handle, some_bytes, 4); }},
    {"OH_NNCompilation_ImportCacheFromBuffer", "compilation null", INVALID,
     [] { return OH_NNCompilation_ImportCacheFromBuffer(nullptr, some_bytes, 4); }},
    {"OH_NNCompilation_ImportCacheFromBuffer", "buffer null", INVALID,
     [] { return OH_NNCompilation_ImportCacheFromBuffer(small_compilation(false).handle, nullptr, 4); }},
    {"OH_NNCompilation_ImportCacheFromBuffer", "size 0", INVALID,
     [] { return OH_NNCompilation_ImportCacheFromBuffer(small_compilation(false).handle, some_bytes, 0); }},
    {"OH_NNCompilation_AddExtensionConfig", "any name", SUCCESS,
     [] { return OH_NNCompilation_AddExtensionConfig(small_compilation(false).handle, "what", some_bytes, 4); }},
    {"OH_NNCompilation_AddExtensionConfig", "compilation null", INVALID,
     [] { return OH_NNCompilation_AddExtensionConfig(nullptr, "what", some_bytes, 4); }},
    {"OH_NNCompilation_AddExtensionConfig", "name null", INVALID,
     [] { return OH_NNCompilation_AddExtensionConfig(small_compilation(false).handle, nullptr, some_bytes, 4); }},
    {"OH_NNCompilation_AddExtensionConfig", "name empty", INVALID,
     [] { return OH_NNCompilation_AddExtensionConfig(small_compilation(false).handle, "", some_bytes, 4); }},
    {"OH_NNCompilation_AddExtensionConfig", "value null", INVALID,
     [] { return OH_NNCompilation_AddExtensionConfig(small_compilation(false).handle, "what", nullptr, 4); }},
    {"OH_NNCompilation_AddExtensionConfig", "size 0", INVALID,
     [] { return OH_NNCompilation_AddExtensionConfig(small_compilation(false).handle, "what", some_bytes, 0); }},
    {"OH_NNCompilation_SetDevice", "any id", SUCCESS,
     [] { return OH_NNCompilation_SetDevice(small_compilation(false).handle, unknown_device); }},
    {"OH_NNCompilation_SetDevice", "built", SUCCESS,
     [] { return OH_NNCompilation_SetDevice(small_compilation().handle, 0); }},
    {"OH_NNCompilation_SetDevice", "null", INVALID, [] { return OH_NNCompilation_SetDevice(nullptr, 0); }},
    {"OH_NNCompilation_SetCache", "any path", SUCCESS,
     [] { return OH_NNCompilation_SetCache(small_compilation(false).handle, "/no/such/directory", 1); }},
    {"OH_NNCompilation_SetCache", "compilation null", INVALID,
     [] { return OH_NNCompilation_SetCache(nullptr, "x", 1); }},
    {"OH_NNCompilation_SetCache", "path null", INVALID,
     [] { return OH_NNCompilation_SetCache(small_compilation(false).handle, nullptr, 1); }},
    {"OH_NNCompilation_SetPerformanceMode", "any number", SUCCESS,
     [] {
       return OH_NNCompilation_SetPerformanceMode(small_compilation(false).handle, number<OH_NN_PerformanceMode>(9));
     }},
    {"OH_NNCompilation_SetPerformanceMode", "null", INVALID,
     [] { return OH_NNCompilation_SetPerformanceMode(nullptr, OH_NN_PERFORMANCE_LOW); }},
    {"OH_NNCompilation_SetPerformanceMode", "built, a number that means nothing", INVALID,
     [] { return OH_NNCompilation_SetPerformanceMode(small_compilation().handle, number<OH_NN_PerformanceMode>(5)); }},
    {"OH_NNCompilation_SetPerformanceMode", "built on a device without", FORBIDDEN,
     [] {
       const fake device(fake_behaviour{});
       small_compilation c(true, false, device.id);
       return OH_NNCompilation_SetPerformanceMode(c.handle, OH_NN_PERFORMANCE_LOW);
     }},
    {"OH_NNCompilation_SetPriority", "any number", SUCCESS,
     [] { return OH_NNCompilation_SetPriority(small_compilation(false).handle, number<OH_NN_Priority>(9)); }},
    {"OH_NNCompilation_SetPriority", "null", INVALID,
     [] { return OH_NNCompilation_SetPriority(nullptr, OH_NN_PRIORITY_LOW); }},
    {"OH_NNCompilation_SetPriority", "built, a number that means nothing", INVALID,
     [] { return OH_NNCompilation_SetPriority(small_compilation().handle, number<OH_NN_Priority>(4)); }},
    {"OH_NNCompilation_SetPriority", "built on a device without", FORBIDDEN,
     [] {
       const fake device(fake_behaviour{});
       small_compilation c(true, false, device.id);
       return OH_NNCompilation_SetPriority(c.handle, OH_NN_PRIORITY_LOW);
     }},
    {"OH_NNCompilation_EnableFloat16", "true", SUCCESS,
     [] { return OH_NNCompilation_EnableFloat16(small_compilation(false).handle, true); }},
    {"OH_NNCompilation_EnableFloat16", "null", INVALID, [] { return OH_NNCompilation_EnableFloat16(nullptr, true); }},
    {"OH_NNCompilation_Build", "a model", SUCCESS, [] { return built(0); }},
    {"OH_NNCompilation_Build", "a scalar that is declared as [1]", SUCCESS,
     [] {
       return one_operation(OH_NN_OPS_RANK, {2, 3}, OH_NN_INT32, {1}).built;
     }},
    {"OH_NNCompilation_Build", "a result that is declared with an axis of extent 1 more", SUCCESS,
     [] {
       return one_operation(OH_NN_OPS_SQUEEZE, {2, 1, 3}, OH_NN_FLOAT32, {2, 3, 1}).built;
     }},
    {"OH_NNCompilation_Build", "a result that is declared with another extent", FAILED,
     [] {
       return one_operation(OH_NN_OPS_SQUEEZE, {2, 1, 3}, OH_NN_FLOAT32, {3, 2}).built;
     }},
    {"OH_NNCompilation_Build", "floats with a scale, which means nothing", SUCCESS,
     [] {
       const std::uint32_t bits = 8;
       const double scale = 0.5;
       const std::int32_t zero = 1;
       const OH_NN_QuantParam q{1, &bits, &scale, &zero};
       return one_operation(OH_NN_OPS_ABS, {2, 3}, OH_NN_FLOAT32, {2, 3}, &q).built;
     }},
    {"OH_NNCompilation_Build", "floats with a scale per channel", SUCCESS,
     [] {
       const std::uint32_t bits[] = {8, 8};
       const double scales[] = {0.5, 1};
       const std::int32_t zeros[] = {1, 2};
       const OH_NN_QuantParam q{2, bits, scales, zeros};
       return one_operation(OH_NN_OPS_ABS, {2, 3}, OH_NN_FLOAT32, {2, 3}, &q).built;
     }},
    {"OH_NNCompilation_Build", "null", INVALID, [] { return OH_NNCompilation_Build(nullptr); }},
    {"OH_NNCompilation_Build", "a model and a cache's bytes", INVALID,
     [] { return built(0, [](OH_NNCompilation* c) { OH_NNCompilation_ImportCacheFromBuffer(c, some_bytes, 4); }); }},
    {"OH_NNCompilation_Build", "a second time", INVALID,
     [] { return OH_NNCompilation_Build(small_compilation().handle); }},
    {"OH_NNCompilation_Build", "a second time, after a failure", INVALID,
     [] {
       small_compilation c(false);
       OH_NNCompilation_SetPriority(c.handle, number<OH_NN_Priority>(4));
       OH_NNCompilation_Build(c.handle);
       OH_NNCompilation_SetPriority(c.handle, OH_NN_PRIORITY_LOW);
       return OH_NNCompilation_Build(c.handle);
     }},
    {"OH_NNCompilation_Build", "device unknown", FAILED, [] { return built(unknown_device); }},
    {"OH_NNCompilation_Build", "an offline file", FAILED,
     [] {
       OH_NNCompilation* c = OH_NNCompilation_ConstructWithOfflineModelFile("/no/such/file");
       const int code = OH_NNCompilation_Build(c);
       OH_NNCompilation_Destroy(&c);
       return code;
     }},
    {"OH_NNCompilation_Build", "an offline buffer", FAILED,
     [] {
       OH_NNCompilation* c = OH_NNCompilation_ConstructWithOfflineModelBuffer(some_bytes, 4);
       const int code = OH_NNCompilation_Build(c);
       OH_NNCompilation_Destroy(&c);
       return code;
     }},
    {"OH_NNCompilation_Build", "for a cache, without one", INVALID,
     [] {
       OH_NNCompilation* c = OH_NNCompilation_ConstructForCache();
       const int code = OH_NNCompilation_Build(c);
       OH_NNCompilation_Destroy(&c);
       return code;
     }},
    {"OH_NNCompilation_Build", "a cache, which the device has not", FORBIDDEN,
     [] { return built_on([](auto&) {}, [](OH_NNCompilation* c) { OH_NNCompilation_SetCache(c, "/", 1); }); }},
    {"OH_NNCompilation_Build", "an empty path is no cache", SUCCESS,
     [] { return built_on([](auto&) {}, [](OH_NNCompilation* c) { OH_NNCompilation_SetCache(c, "", 1); }); }},
    {"OH_NNCompilation_Build", "a cache, and the device fails", UNAVAILABLE,
     [] {
       return built_on([](auto& b) { b.features_fail = "gone"; },
                       [](OH_NNCompilation* c) { OH_NNCompilation_SetCache(c, "/", 1); });
     }},
    {"OH_NNCompilation_Build", "float16, which the device has not", FORBIDDEN,
     [] { return built_on([](auto&) {}, [](OH_NNCompilation* c) { OH_NNCompilation_EnableFloat16(c, true); }); }},
    {"OH_NNCompilation_Build", "float16, which it has", SUCCESS,
     [] {
       return built_on([](auto& b) { b.float16 = true; },
                       [](OH_NNCompilation* c) { OH_NNCompilation_EnableFloat16(c, true); });
     }},
    {"OH_NNCompilation_Build", "no float16", SUCCESS,
     [] { return built_on([](auto&) {}, [](OH_NNCompilation* c) { OH_NNCompilation_EnableFloat16(c, false); }); }},
    {"OH_NNCompilation_Build", "float16, and the device fails", UNAVAILABLE,
     [] {
       return built_on([](auto& b) { b.features_fail = "gone"; },
                       [](OH_NNCompilation* c) { OH_NNCompilation_EnableFloat16(c, true); });
     }},
    {"OH_NNCompilation_Build", "a performance mode that the device has not", FORBIDDEN,
     [] {
       return built_on([](auto&) {},
                       [](OH_NNCompilation* c) { OH_NNCompilation_SetPerformanceMode(c, OH_NN_PERFORMANCE_LOW); });
     }},
    {"OH_NNCompilation_Build", "performance mode 9, and it has none", FORBIDDEN,
     [] {
       return built_on(
           [](auto&) {},
           [](OH_NNCompilation* c) { OH_NNCompilation_SetPerformanceMode(c, number<OH_NN_PerformanceMode>(9)); });
     }},
    {"OH_NNCompilation_Build", "performance mode 5", INVALID,
     [] {
       return built_on(
           [](auto& b) { b.performance = true; },
           [](OH_NNCompilation* c) { OH_NNCompilation_SetPerformanceMode(c, number<OH_NN_PerformanceMode>(5)); });
     }},
    {"OH_NNCompilation_Build", "no performance mode, and the device fails", FAILED,
     [] { return built_on([](auto& b) { b.features_fail = "gone"; }); }},
    {"OH_NNCompilation_Build", "a priority that the device has not", FORBIDDEN,
     [] {
       return built_on([](auto&) {}, [](OH_NNCompilation* c) { OH_NNCompilation_SetPriority(c, OH_NN_PRIORITY_HIGH); });
     }},
    {"OH_NNCompilation_Build", "priority 4", INVALID,
     [] {
       return built_on([](auto& b) { b.priority = true; },
                       [](OH_NNCompilation* c) { OH_NNCompilation_SetPriority(c, number<OH_NN_Priority>(4)); });
     }},
    {"OH_NNCompilation_Build", "an unfinished model", INVALID,
     [] {
       small_model m(stage::ends);
       OH_NNCompilation* c = OH_NNCompilation_Construct(m.handle);
       const int code = OH_NNCompilation_Build(c);
       OH_NNCompilation_Destroy(&c);
       return code;
     }},
    {"OH_NNCompilation_Build", "an operation that the device refuses", FAILED,
     [] { return built_on([](auto& b) { b.refuses = "add"; }); }},
    {"OH_NNCompilation_Build", "the device fails to say what it can", UNAVAILABLE,
     [] { return built_on([](auto& b) { b.refusals_fail = "gone"; }); }},
    {"OH_NNCompilation_Build", "the device fails to prepare", UNAVAILABLE,
     [] { return built_on([](auto& b) { b.prepare_fails = "gone"; }); }},
    {"OH_NNCompilation_Destroy", "an object", DONE,
     [] {
       OH_NNCompilation* c = OH_NNCompilation_ConstructForCache();
       OH_NNCompilation_Destroy(&c);
       return c == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNCompilation_Destroy", "built, and the device is unknown by now", NOTHING_DONE,
     [] {
       small_compilation c;
       OH_NNCompilation_SetDevice(c.handle, unknown_device);
       OH_NNCompilation* same = c.handle;
       OH_NNCompilation_Destroy(&same);
       OH_NNCompilation_SetDevice(c.handle, 0);
       return same == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNCompilation_Destroy", "null", NOTHING_DONE,
     [] {
       OH_NNCompilation* c = nullptr;
       OH_NNCompilation_Destroy(nullptr), OH_NNCompilation_Destroy(&c);
       return NOTHING_DONE;
     }},
};

// ---- Executors ----

/// RunSync with these lists in place of the right ones.
int ran(const std::function<int(small_executor&)>& call, bool dynamic = false) {
  small_executor e(dynamic);
  return call(e);
}
int with_input(const std::function<void(OH_NN_Tensor&)>& change, std::size_t length = 48) {
  small_executor e;
  OH_NN_Tensor t{OH_NN_FLOAT32, 4, small_shape.data(), nullptr, OH_NN_TENSOR};
  change(t);
  return OH_NNExecutor_SetInput(e.handle, 0, &t, twelve, length);
}
const OH_NN_Tensor small_tensor{OH_NN_FLOAT32, 4, small_shape.data(), nullptr, OH_NN_TENSOR};
const std::int32_t other_shape[] = {1, 2, 2, 4}, unknown_shape[] = {1, -1, 2, 3};

/// Both inputs and the output set, but for what `leave` says; then Run.
int ran_set(const std::function<void(small_executor&)>& change) {
  small_executor e;
  float out[12];
  for (std::uint32_t i = 0; i < 2; ++i) OH_NNExecutor_SetInput(e.handle, i, &small_tensor, twelve, 48);
  OH_NNExecutor_SetOutput(e.handle, 0, out, sizeof out);
  change(e);
  return OH_NNExecutor_Run(e.handle);
}
/// Looks one of four numbers up, on inputs and outputs that are set.
int looked_up(std::int32_t place) {
  OH_NNModel* model = OH_NNModel_Construct();
  const std::int32_t axis = 0;
  const float four[] = {1, 2, 3, 4};
  add_tensor(model, OH_NN_FLOAT32, {4}), add_tensor(model, OH_NN_INT32, {1}), add_tensor(model, OH_NN_INT32, {}),
      add_tensor(model, OH_NN_FLOAT32, {1});
  OH_NNModel_SetTensorData(model, 0, four, sizeof four), OH_NNModel_SetTensorData(model, 2, &axis, sizeof axis);
  OH_NNModel_AddOperation(model, OH_NN_OPS_GATHER, indices{}, indices{0, 1, 2}, indices{3});
  OH_NNModel_SpecifyInputsAndOutputs(model, indices{1}, indices{3});
  OH_NNModel_Finish(model);
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  OH_NNCompilation_Build(compilation);
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  const std::int32_t one = 1;
  const OH_NN_Tensor places{OH_NN_INT32, 1, &one, nullptr, OH_NN_TENSOR};
  float found = 0;
  OH_NNExecutor_SetInput(executor, 0, &places, &place, sizeof place),
      OH_NNExecutor_SetOutput(executor, 0, &found, sizeof found);
  const int code = OH_NNExecutor_Run(executor);
  OH_NNExecutor_Destroy(&executor), OH_NNCompilation_Destroy(&compilation), OH_NNModel_Destroy(&model);
  return code;
}
void never(void*, OH_NN_ReturnCode, void**, std::int32_t) {}
void never_died(void*) {}

const row executors[] = {
    {"OH_NNExecutor_Construct", "a built compilation", AN_OBJECT, [] { return object(small_executor().handle); }},
    {"OH_NNExecutor_Construct", "null", NULL_OBJECT, [] { return object(OH_NNExecutor_Construct(nullptr)); }},
    {"OH_NNExecutor_Construct", "not built", NULL_OBJECT,
     [] { return object(OH_NNExecutor_Construct(small_compilation(false).handle)); }},
    {"OH_NNExecutor_Construct", "the device is unknown by now", NULL_OBJECT,
     [] {
       small_compilation c;
       OH_NNCompilation_SetDevice(c.handle, unknown_device);
       const int made = object(OH_NNExecutor_Construct(c.handle));
       OH_NNCompilation_SetDevice(c.handle, 0);
       return made;
     }},
    {"OH_NNExecutor_Destroy", "an object", DONE,
     [] {
       small_compilation c;
       OH_NNExecutor* e = OH_NNExecutor_Construct(c.handle);
       OH_NNExecutor_Destroy(&e);
       return e == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNExecutor_Destroy", "null", NOTHING_DONE,
     [] {
       OH_NNExecutor* e = nullptr;
       OH_NNExecutor_Destroy(nullptr), OH_NNExecutor_Destroy(&e);
       return NOTHING_DONE;
     }},
    {"OH_NNExecutor_GetInputCount", "an object", SUCCESS,
     [] {
       std::size_t n = 0;
       const int code = OH_NNExecutor_GetInputCount(small_executor().handle, &n);
       return n == 2 ? code : -1;
     }},
    {"OH_NNExecutor_GetInputCount", "null", INVALID,
     [] {
       std::size_t n;
       return OH_NNExecutor_GetInputCount(nullptr, &n);
     }},
    {"OH_NNExecutor_GetInputCount", "count null", INVALID,
     [] { return OH_NNExecutor_GetInputCount(small_executor().handle, nullptr); }},
    {"OH_NNExecutor_GetOutputCount", "an object", SUCCESS,
     [] {
       std::size_t n = 0;
       const int code = OH_NNExecutor_GetOutputCount(small_executor().handle, &n);
       return n == 1 ? code : -1;
     }},
    {"OH_NNExecutor_GetOutputCount", "null", INVALID,
     [] {
       std::size_t n;
       return OH_NNExecutor_GetOutputCount(nullptr, &n);
     }},
    {"OH_NNExecutor_GetOutputCount", "count null", INVALID,
     [] { return OH_NNExecutor_GetOutputCount(small_executor().handle, nullptr); }},
    {"OH_NNExecutor_CreateInputTensorDesc", "an input", AN_OBJECT,
     [] {
       NN_TensorDesc* d = OH_NNExecutor_CreateInputTensorDesc(small_executor().handle, 1);
       const int made = object(d);
       OH_NNTensorDesc_Destroy(&d);
       return made;
     }},
    {"OH_NNExecutor_CreateInputTensorDesc", "index out of range", NULL_OBJECT,
     [] { return object(OH_NNExecutor_CreateInputTensorDesc(small_executor().handle, 2)); }},
    {"OH_NNExecutor_CreateInputTensorDesc", "null", NULL_OBJECT,
     [] { return object(OH_NNExecutor_CreateInputTensorDesc(nullptr, 0)); }},
    {"OH_NNExecutor_CreateOutputTensorDesc", "an output", AN_OBJECT,
     [] {
       NN_TensorDesc* d = OH_NNExecutor_CreateOutputTensorDesc(small_executor().handle, 0);
       const int made = object(d);
       OH_NNTensorDesc_Destroy(&d);
       return made;
     }},
    {"OH_NNExecutor_CreateOutputTensorDesc", "index out of range", NULL_OBJECT,
     [] { return object(OH_NNExecutor_CreateOutputTensorDesc(small_executor().handle, 1)); }},
    {"OH_NNExecutor_CreateOutputTensorDesc", "null", NULL_OBJECT,
     [] { return object(OH_NNExecutor_CreateOutputTensorDesc(nullptr, 0)); }},
    {"OH_NNExecutor_GetInputDimRange", "known extents", SUCCESS,
     [] {
       small_executor e;
       std::size_t *least = nullptr, *most = nullptr, rank = 0;
       const int code = OH_NNExecutor_GetInputDimRange(e.handle, 0, &least, &most, &rank);
       return rank == 4 && least[1] == 2 && most[1] == 2 ? code : -1;
     }},
    {"OH_NNExecutor_GetInputDimRange", "an unknown extent", SUCCESS,
     [] {
       small_executor e(true);
       std::size_t *least = nullptr, *most = nullptr, rank = 0;
       const int code = OH_NNExecutor_GetInputDimRange(e.handle, 0, &least, &most, &rank);
       return rank == 4 && least[1] == 1 && most[1] > 1000 ? code : -1;
     }},
    {"OH_NNExecutor_GetInputDimRange", "null", INVALID,
     [] {
       std::size_t *least = nullptr, *most = nullptr, rank = 0;
       return OH_NNExecutor_GetInputDimRange(nullptr, 0, &least, &most, &rank);
     }},
    {"OH_NNExecutor_GetInputDimRange", "least null", INVALID,
     [] {
       small_executor e;
       std::size_t *most = nullptr, rank = 0;
       return OH_NNExecutor_GetInputDimRange(e.handle, 0, nullptr, &most, &rank);
     }},
    {"OH_NNExecutor_GetInputDimRange", "most null", INVALID,
     [] {
       small_executor e;
       std::size_t *least = nullptr, rank = 0;
       return OH_NNExecutor_GetInputDimRange(e.handle, 0, &least, nullptr, &rank);
     }},
    {"OH_NNExecutor_GetInputDimRange", "rank null", INVALID,
     [] {
       small_executor e;
       std::size_t *least = nullptr, *most = nullptr;
       return OH_NNExecutor_GetInputDimRange(e.handle, 0, &least, &most, nullptr);
     }},
    {"OH_NNExecutor_GetInputDimRange", "index out of range", INVALID,
     [] {
       small_executor e;
       std::size_t *least = nullptr, *most = nullptr, rank = 0;
       return OH_NNExecutor_GetInputDimRange(e.handle, 2, &least, &most, &rank);
     }},
    {"OH_NNExecutor_GetInputDimRange", "the device cannot tell", FORBIDDEN,
     [] {
       const fake device(that([](auto& b) { b.knows_ranges = false; }));
       small_executor e(false, device.id);
       std::size_t *least = nullptr, *most = nullptr, rank = 0;
       return OH_NNExecutor_GetInputDimRange(e.handle, 0, &least, &most, &rank);
     }},
    {"OH_NNExecutor_GetInputDimRange", "the device tells of other axes", FORBIDDEN,
     [] {
       const fake device(that([](auto& b) { b.forgets_axes = true; }));
       small_executor e(false, device.id);
       std::size_t *least = nullptr, *most = nullptr, rank = 0;
       return OH_NNExecutor_GetInputDimRange(e.handle, 0, &least, &most, &rank);
     }},
    {"OH_NNExecutor_GetOutputShape", "before a run", SUCCESS,
     [] {
       small_executor e(true);
       std::int32_t* shape = nullptr;
       std::uint32_t rank = 0;
       const int code = OH_NNExecutor_GetOutputShape(e.handle, 0, &shape, &rank);
       return rank == 4 && shape[1] == -1 ? code : -1;
     }},
    {"OH_NNExecutor_GetOutputShape", "after a run", SUCCESS,
     [] {
       small_executor e(true);
       e.run();
       std::int32_t* shape = nullptr;
       std::uint32_t rank = 0;
       const int code = OH_NNExecutor_GetOutputShape(e.handle, 0, &shape, &rank);
       return rank == 4 && shape[1] == 2 ? code : -1;
     }},
    {"OH_NNExecutor_GetOutputShape", "null", INVALID,
     [] {
       std::int32_t* shape = nullptr;
       std::uint32_t rank = 0;
       return OH_NNExecutor_GetOutputShape(nullptr, 0, &shape, &rank);
     }},
    {"OH_NNExecutor_GetOutputShape", "shape null", INVALID,
     [] {
       std::uint32_t rank = 0;
       return OH_NNExecutor_GetOutputShape(small_executor().handle, 0, nullptr, &rank);
     }},
    {"OH_NNExecutor_GetOutputShape", "*shape not null", INVALID,
     [] {
       std::int32_t some = 0, *shape = &some;
       std::uint32_t rank = 0;
       return OH_NNExecutor_GetOutputShape(small_executor().handle, 0, &shape, &rank);
     }},
    {"OH_NNExecutor_GetOutputShape", "length null", INVALID,
     [] {
       std::int32_t* shape = nullptr;
       return OH_NNExecutor_GetOutputShape(small_executor().handle, 0, &shape, nullptr);
     }},
    {"OH_NNExecutor_GetOutputShape", "index out of range", INVALID,
     [] {
       std::int32_t* shape = nullptr;
       std::uint32_t rank = 0;
       return OH_NNExecutor_GetOutputShape(small_executor().handle, 1, &shape, &rank);
     }},
    {"OH_NNExecutor_SetOnRunDone", "the processor", SUCCESS,
     [] { return OH_NNExecutor_SetOnRunDone(small_executor().handle, never); }},
    {"OH_NNExecutor_SetOnRunDone", "null", INVALID, [] { return OH_NNExecutor_SetOnRunDone(nullptr, never); }},
    {"OH_NNExecutor_SetOnRunDone", "function null", INVALID,
     [] { return OH_NNExecutor_SetOnRunDone(small_executor().handle, nullptr); }},
    {"OH_NNExecutor_SetOnRunDone", "a device without", FORBIDDEN,
     [] {
       const fake device(fake_behaviour{});
       return OH_NNExecutor_SetOnRunDone(small_executor(false, device.id).handle, never);
     }},
    {"OH_NNExecutor_SetOnServiceDied", "the processor", SUCCESS,
     [] { return OH_NNExecutor_SetOnServiceDied(small_executor().handle, never_died); }},
    {"OH_NNExecutor_SetOnServiceDied", "null", INVALID,
     [] { return OH_NNExecutor_SetOnServiceDied(nullptr, never_died); }},
    {"OH_NNExecutor_SetOnServiceDied", "function null", INVALID,
     [] { return OH_NNExecutor_SetOnServiceDied(small_executor().handle, nullptr); }},
    {"OH_NNExecutor_SetOnServiceDied", "a device without", FORBIDDEN,
     [] {
       const fake device(fake_behaviour{});
       return OH_NNExecutor_SetOnServiceDied(small_executor(false, device.id).handle, never_died);
     }},
    {"OH_NNExecutor_RunSync", "a scalar result, again and again", SUCCESS,
     [] {
       return one_operation(OH_NN_OPS_RANK, {2, 3}, OH_NN_INT32, {1}).run({2, 3}, 3);
     }},
    {"OH_NNExecutor_RunSync", "[1] for a scalar input", SUCCESS,
     [] { return one_operation(OH_NN_OPS_ABS, {}, OH_NN_FLOAT32, {}).run({1}, 2); }},
    {"OH_NNExecutor_RunSync", "[2] for a scalar input", INVALID,
     [] { return one_operation(OH_NN_OPS_ABS, {}, OH_NN_FLOAT32, {}).run({2}, 1); }},
    {"OH_NNExecutor_RunSync", "good", SUCCESS, [] { return small_executor().run(); }},
    {"OH_NNExecutor_RunSync", "null", INVALID,
     [] { return ran([](auto& e) { return OH_NNExecutor_RunSync(nullptr, e.tensors, 2, e.tensors + 2, 1); }); }},
    {"OH_NNExecutor_RunSync", "inputs null", INVALID,
     [] { return ran([](auto& e) { return OH_NNExecutor_RunSync(e.handle, nullptr, 2, e.tensors + 2, 1); }); }},
    {"OH_NNExecutor_RunSync", "no inputs", INVALID,
     [] { return ran([](auto& e) { return OH_NNExecutor_RunSync(e.handle, e.tensors, 0, e.tensors + 2, 1); }); }},
    {"OH_NNExecutor_RunSync", "201 inputs", INVALID,
     [] { return ran([](auto& e) { return OH_NNExecutor_RunSync(e.handle, e.tensors, 201, e.tensors + 2, 1); }); }},
    {"OH_NNExecutor_RunSync", "outputs null", INVALID,
     [] { return ran([](auto& e) { return OH_NNExecutor_RunSync(e.handle, e.tensors, 2, nullptr, 1); }); }},
    {"OH_NNExecutor_RunSync", "no outputs", INVALID,
     [] { return ran([](auto& e) { return OH_NNExecutor_RunSync(e.handle, e.tensors, 2, e.tensors + 2, 0); }); }},
    {"OH_NNExecutor_RunSync", "one input too few", INVALID,
     [] { return ran([](auto& e) { return OH_NNExecutor_RunSync(e.handle, e.tensors, 1, e.tensors + 2, 1); }); }},
    {"OH_NNExecutor_RunSync", "an input null", NULL_PTR,
     [] {
       return ran([](auto& e) {
         NN_Tensor* in[] = {e.tensors[0], nullptr};
         return OH_NNExecutor_RunSync(e.handle, in, 2, e.tensors + 2, 1);
       });
     }},
    {"OH_NNExecutor_RunSync", "an input null, and no ranges", INVALID,
     [] {
       const fake device(that([](auto& b) { b.knows_ranges = false; }));
       small_executor e(false, device.id);
       NN_Tensor* in[] = {e.tensors[0], nullptr};
       return OH_NNExecutor_RunSync(e.handle, in, 2, e.tensors + 2, 1);
     }},
    {"OH_NNExecutor_RunSync", "an output null", INVALID,
     [] {
       return ran([](auto& e) {
         NN_Tensor* out[] = {nullptr};
         return OH_NNExecutor_RunSync(e.handle, e.tensors, 2, out, 1);
       });
     }},
    {"OH_NNExecutor_RunSync", "an extent out of range", INVALID,
     [] {
       return ran([](auto& e) {
         NN_Tensor *other = small_executor::make_tensor({1, 3, 2, 3}), *in[] = {e.tensors[0], other};
         const int code = OH_NNExecutor_RunSync(e.handle, in, 2, e.tensors + 2, 1);
         OH_NNTensor_Destroy(&other);
         return code;
       });
     }},
    {"OH_NNExecutor_RunSync", "another rank", INVALID,
     [] {
       return ran([](auto& e) {
         NN_Tensor *other = small_executor::make_tensor({12}), *in[] = {e.tensors[0], other};
         const int code = OH_NNExecutor_RunSync(e.handle, in, 2, e.tensors + 2, 1);
         OH_NNTensor_Destroy(&other);
         return code;
       });
     }},
    {"OH_NNExecutor_RunSync", "a tensor whose shape outgrew it", FAILED,
     [] {
       return ran([](auto& e) {
         const std::int32_t larger[] = {1, 2, 2, 4};
         OH_NNTensorDesc_SetShape(OH_NNTensor_GetTensorDesc(e.tensors[2]), larger, 4);
         return e.run();
       });
     }},
    {"OH_NNExecutor_RunSync", "an output with too few bytes", UNAVAILABLE,
     [] {
       return ran([](auto& e) {
         NN_Tensor* small = small_executor::make_tensor({11});
         const int code = OH_NNExecutor_RunSync(e.handle, e.tensors, 2, &small, 1);
         OH_NNTensor_Destroy(&small);
         return code;
       });
     }},
    {"OH_NNExecutor_RunSync", "an input of a smaller type", UNAVAILABLE,
     [] {
       return ran([](auto& e) {
         NN_Tensor *small = small_executor::make_tensor(small_shape, 0, OH_NN_INT8), *in[] = {e.tensors[0], small};
         const int code = OH_NNExecutor_RunSync(e.handle, in, 2, e.tensors + 2, 1);
         OH_NNTensor_Destroy(&small);
         return code;
       });
     }},
    {"OH_NNExecutor_RunSync", "the device fails", UNAVAILABLE,
     [] {
       const fake device(that([](auto& b) { b.run_fails = "gone"; }));
       return small_executor(false, device.id).run();
     }},
    {"OH_NNExecutor_RunAsync", "null", INVALID,
     [] {
       return ran([](auto& e) { return OH_NNExecutor_RunAsync(nullptr, e.tensors, 2, e.tensors + 2, 1, 100, &e); });
     }},
    {"OH_NNExecutor_RunAsync", "inputs null", INVALID,
     [] {
       return ran([](auto& e) { return OH_NNExecutor_RunAsync(e.handle, nullptr, 2, e.tensors + 2, 1, 100, &e); });
     }},
    {"OH_NNExecutor_RunAsync", "no inputs", INVALID,
     [] {
       return ran([](auto& e) { return OH_NNExecutor_RunAsync(e.handle, e.tensors, 0, e.tensors + 2, 1, 100, &e); });
     }},
    {"OH_NNExecutor_RunAsync", "outputs null", INVALID,
     [] { return ran([](auto& e) { return OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, nullptr, 1, 100, &e); }); }},
    {"OH_NNExecutor_RunAsync", "201 outputs", INVALID,
     [] {
       return ran([](auto& e) { return OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 201, 100, &e); });
     }},
    {"OH_NNExecutor_RunAsync", "user data null", INVALID,
     [] {
       return ran(
           [](auto& e) { return OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 100, nullptr); });
     }},
    {"OH_NNExecutor_RunAsync", "a device without", FORBIDDEN,
     [] {
       const fake device(fake_behaviour{});
       small_executor e(false, device.id);
       return OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 100, &e);
     }},
    {"OH_NNExecutor_RunAsync", "good", SUCCESS,
     [] {
       return ran([](auto& e) { return OH_NNExecutor_RunAsync(e.handle, e.tensors, 2, e.tensors + 2, 1, 100, &e); });
     }},
    {"OH_NNExecutor_SetInput", "good", SUCCESS, [] { return with_input([](auto&) {}); }},
    {"OH_NNExecutor_SetInput", "more bytes than needed", SUCCESS, [] { return with_input([](auto&) {}, 49); }},
    {"OH_NNExecutor_SetInput", "null", INVALID,
     [] { return OH_NNExecutor_SetInput(nullptr, 0, &small_tensor, twelve, 48); }},
    {"OH_NNExecutor_SetInput", "tensor null", INVALID,
     [] { return OH_NNExecutor_SetInput(small_executor().handle, 0, nullptr, twelve, 48); }},
    {"OH_NNExecutor_SetInput", "data null", INVALID,
     [] { return OH_NNExecutor_SetInput(small_executor().handle, 0, &small_tensor, nullptr, 48); }},
    {"OH_NNExecutor_SetInput", "length 0", INVALID, [] { return with_input([](auto&) {}, 0); }},
    {"OH_NNExecutor_SetInput", "a byte too few", INVALID, [] { return with_input([](auto&) {}, 47); }},
    {"OH_NNExecutor_SetInput", "index out of range", INVALID,
     [] { return OH_NNExecutor_SetInput(small_executor().handle, 2, &small_tensor, twelve, 48); }},
    {"OH_NNExecutor_SetInput", "another type", INVALID,
     [] { return with_input([](auto& t) { t.dataType = OH_NN_INT32; }); }},
    {"OH_NNExecutor_SetInput", "another rank", INVALID,
     [] { return with_input([](auto& t) { t.dimensionCount = 3; }); }},
    {"OH_NNExecutor_SetInput", "another extent", INVALID,
     [] { return with_input([](auto& t) { t.dimensions = other_shape; }); }},
    {"OH_NNExecutor_SetInput", "an unknown extent", INVALID,
     [] { return with_input([](auto& t) { t.dimensions = unknown_shape; }); }},
    {"OH_NNExecutor_SetInput", "a parameter", INVALID,
     [] { return with_input([](auto& t) { t.type = OH_NN_CONV2D_PAD; }); }},
    {"OH_NNExecutor_SetInput", "quantised", SUCCESS,
     [] { return with_input([](auto& t) { t.quantParam = &good_quant; }); }},
    {"OH_NNExecutor_SetInput", "quantised by 4 bits", INVALID,
     [] { return with_input([](auto& t) { t.quantParam = &four_bits; }); }},
    {"OH_NNExecutor_SetInput", "quantised without scales", INVALID,
     [] { return with_input([](auto& t) { t.quantParam = &no_scale; }); }},
    {"OH_NNExecutor_SetOutput", "good", SUCCESS,
     [] {
       float out[12];
       return OH_NNExecutor_SetOutput(small_executor().handle, 0, out, 48);
     }},
    {"OH_NNExecutor_SetOutput", "an unknown extent, 1 byte", SUCCESS,
     [] {
       float out[12];
       return OH_NNExecutor_SetOutput(small_executor(true).handle, 0, out, 1);
     }},
    {"OH_NNExecutor_SetOutput", "null", INVALID,
     [] {
       float out[12];
       return OH_NNExecutor_SetOutput(nullptr, 0, out, 48);
     }},
    {"OH_NNExecutor_SetOutput", "data null", INVALID,
     [] { return OH_NNExecutor_SetOutput(small_executor().handle, 0, nullptr, 48); }},
    {"OH_NNExecutor_SetOutput", "length 0", INVALID,
     [] {
       float out[12];
       return OH_NNExecutor_SetOutput(small_executor().handle, 0, out, 0);
     }},
    {"OH_NNExecutor_SetOutput", "a byte too few", INVALID,
     [] {
       float out[12];
       return OH_NNExecutor_SetOutput(small_executor().handle, 0, out, 47);
     }},
    {"OH_NNExecutor_SetOutput", "index out of range", INVALID,
     [] {
       float out[12];
       return OH_NNExecutor_SetOutput(small_executor().handle, 1, out, 48);
     }},
    {"OH_NNExecutor_AllocateInputMemory", "good", AN_OBJECT,
     [] { return object(OH_NNExecutor_AllocateInputMemory(small_executor().handle, 0, 48)); }},
    {"OH_NNExecutor_AllocateInputMemory", "null", NULL_OBJECT,
     [] { return object(OH_NNExecutor_AllocateInputMemory(nullptr, 0, 48)); }},
    {"OH_NNExecutor_AllocateInputMemory", "length 0", NULL_OBJECT,
     [] { return object(OH_NNExecutor_AllocateInputMemory(small_executor().handle, 0, 0)); }},
    {"OH_NNExecutor_AllocateInputMemory", "index out of range", NULL_OBJECT,
     [] { return object(OH_NNExecutor_AllocateInputMemory(small_executor().handle, 2, 48)); }},
    {"OH_NNExecutor_AllocateInputMemory", "more than 1 GiB", NULL_OBJECT,
     [] { return object(OH_NNExecutor_AllocateInputMemory(small_executor().handle, 0, gibibyte + 1)); }},
    {"OH_NNExecutor_AllocateOutputMemory", "good", AN_OBJECT,
     [] { return object(OH_NNExecutor_AllocateOutputMemory(small_executor().handle, 0, 1)); }},
    {"OH_NNExecutor_AllocateOutputMemory", "null", NULL_OBJECT,
     [] { return object(OH_NNExecutor_AllocateOutputMemory(nullptr, 0, 48)); }},
    {"OH_NNExecutor_AllocateOutputMemory", "length 0", NULL_OBJECT,
     [] { return object(OH_NNExecutor_AllocateOutputMemory(small_executor().handle, 0, 0)); }},
    {"OH_NNExecutor_AllocateOutputMemory", "index out of range", NULL_OBJECT,
     [] { return object(OH_NNExecutor_AllocateOutputMemory(small_executor().handle, 1, 48)); }},
    {"OH_NNExecutor_AllocateOutputMemory", "more than 1 GiB", NULL_OBJECT,
     [] { return object(OH_NNExecutor_AllocateOutputMemory(small_executor().handle, 0, gibibyte + 1)); }},
    {"OH_NNExecutor_DestroyInputMemory", "its own", DONE,
     [] {
       small_executor e;
       OH_NN_Memory* m = OH_NNExecutor_AllocateInputMemory(e.handle, 1, 48);
       OH_NNExecutor_DestroyInputMemory(e.handle, 1, &m);
       return m == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNExecutor_DestroyInputMemory", "another index's", NOTHING_DONE,
     [] {
       small_executor e;
       OH_NN_Memory* m = OH_NNExecutor_AllocateInputMemory(e.handle, 1, 48);
       OH_NNExecutor_DestroyInputMemory(e.handle, 0, &m);
       return m == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNExecutor_DestroyInputMemory", "an output's", NOTHING_DONE,
     [] {
       small_executor e;
       OH_NN_Memory* m = OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 48);
       OH_NNExecutor_DestroyInputMemory(e.handle, 0, &m);
       return m == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNExecutor_DestroyInputMemory", "index out of range, or null", NOTHING_DONE,
     [] {
       small_executor e;
       OH_NN_Memory* m = OH_NNExecutor_AllocateInputMemory(e.handle, 1, 48);
       OH_NNExecutor_DestroyInputMemory(e.handle, 2, &m), OH_NNExecutor_DestroyInputMemory(nullptr, 1, &m),
           OH_NNExecutor_DestroyInputMemory(e.handle, 1, nullptr);
       return m == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNExecutor_DestroyOutputMemory", "its own", DONE,
     [] {
       small_executor e;
       OH_NN_Memory* m = OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 48);
       OH_NNExecutor_DestroyOutputMemory(e.handle, 0, &m);
       return m == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNExecutor_DestroyOutputMemory", "an input's", NOTHING_DONE,
     [] {
       small_executor e;
       OH_NN_Memory* m = OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48);
       OH_NNExecutor_DestroyOutputMemory(e.handle, 0, &m);
       return m == nullptr ? DONE : NOTHING_DONE;
     }},
    {"OH_NNExecutor_SetInputWithMemory", "good", SUCCESS,
     [] {
       small_executor e;
       return OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor,
                                               OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48));
     }},
    {"OH_NNExecutor_SetInputWithMemory", "null", INVALID,
     [] {
       small_executor e;
       return OH_NNExecutor_SetInputWithMemory(nullptr, 0, &small_tensor,
                                               OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48));
     }},
    {"OH_NNExecutor_SetInputWithMemory", "tensor null", INVALID,
     [] {
       small_executor e;
       return OH_NNExecutor_SetInputWithMemory(e.handle, 0, nullptr,
                                               OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48));
     }},
    {"OH_NNExecutor_SetInputWithMemory", "memory null", INVALID,
     [] { return OH_NNExecutor_SetInputWithMemory(small_executor().handle, 0, &small_tensor, nullptr); }},
    {"OH_NNExecutor_SetInputWithMemory", "too short", INVALID,
     [] {
       small_executor e;
       return OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor,
                                               OH_NNExecutor_AllocateInputMemory(e.handle, 0, 47));
     }},
    {"OH_NNExecutor_SetInputWithMemory", "quantised by 4 bits", INVALID,
     [] {
       small_executor e;
       OH_NN_Tensor t = small_tensor;
       t.quantParam = &four_bits;
       return OH_NNExecutor_SetInputWithMemory(e.handle, 0, &t, OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48));
     }},
    {"OH_NNExecutor_SetInputWithMemory", "index out of range", INVALID,
     [] {
       small_executor e;
       return OH_NNExecutor_SetInputWithMemory(e.handle, 2, &small_tensor,
                                               OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48));
     }},
    {"OH_NNExecutor_SetOutputWithMemory", "good", SUCCESS,
     [] {
       small_executor e;
       return OH_NNExecutor_SetOutputWithMemory(e.handle, 0, OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 48));
     }},
    {"OH_NNExecutor_SetOutputWithMemory", "null", INVALID,
     [] {
       small_executor e;
       return OH_NNExecutor_SetOutputWithMemory(nullptr, 0, OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 48));
     }},
    {"OH_NNExecutor_SetOutputWithMemory", "memory null", INVALID,
     [] { return OH_NNExecutor_SetOutputWithMemory(small_executor().handle, 0, nullptr); }},
    {"OH_NNExecutor_SetOutputWithMemory", "too short", INVALID,
     [] {
       small_executor e;
       return OH_NNExecutor_SetOutputWithMemory(e.handle, 0, OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 47));
     }},
    {"OH_NNExecutor_SetOutputWithMemory", "index out of range", INVALID,
     [] {
       small_executor e;
       return OH_NNExecutor_SetOutputWithMemory(e.handle, 1, OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 48));
     }},
    {"OH_NNExecutor_Run", "everything set", SUCCESS, [] { return ran_set([](auto&) {}); }},
    {"OH_NNExecutor_Run", "null", INVALID, [] { return OH_NNExecutor_Run(nullptr); }},
    {"OH_NNExecutor_Run", "nothing set", INVALID, [] { return OH_NNExecutor_Run(small_executor().handle); }},
    {"OH_NNExecutor_Run", "no output set", INVALID,
     [] {
       small_executor e;
       for (std::uint32_t i = 0; i < 2; ++i) OH_NNExecutor_SetInput(e.handle, i, &small_tensor, twelve, 48);
       return OH_NNExecutor_Run(e.handle);
     }},
    {"OH_NNExecutor_Run", "memory of another executor of the device", SUCCESS,
     [] {
       small_executor other;
       return ran_set([&](auto& e) {
         OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor,
                                          OH_NNExecutor_AllocateInputMemory(other.handle, 0, 48));
       });
     }},
    {"OH_NNExecutor_Run", "memory that was destroyed", INVALID,
     [] {
       return ran_set([&](auto& e) {
         OH_NN_Memory* m = OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48);
         OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor, m);
         OH_NNExecutor_DestroyInputMemory(e.handle, 0, &m);
       });
     }},
    {"OH_NNExecutor_Run", "memory that was destroyed, and other memory in its place", INVALID,
     [] {
       return ran_set([&](auto& e) {
         OH_NN_Memory* m = OH_NNExecutor_AllocateInputMemory(e.handle, 0, 48);
         OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor, m);
         OH_NNExecutor_DestroyInputMemory(e.handle, 0, &m);
         OH_NNExecutor_AllocateInputMemory(e.handle, 0, 1);
       });
     }},
    {"OH_NNExecutor_Run", "memory of an executor that was destroyed", INVALID,
     [] {
       return ran_set([&](auto& e) {
         small_executor other;
         OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor,
                                          OH_NNExecutor_AllocateInputMemory(other.handle, 0, 48));
       });
     }},
    {"OH_NNExecutor_Run", "memory of another device", INVALID,
     [] {
       const fake device(fake_behaviour{});
       small_executor other(false, device.id);
       return ran_set([&](auto& e) {
         OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor,
                                          OH_NNExecutor_AllocateInputMemory(other.handle, 0, 48));
       });
     }},
    {"OH_NNExecutor_Run", "memory of nobody's", INVALID,
     [] {
       std::vector<float> bytes(12);
       const OH_NN_Memory own{bytes.data(), 48};
       return ran_set([&](auto& e) { OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor, &own); });
     }},
    {"OH_NNExecutor_Run", "memory that is said to be longer than it is", INVALID,
     [] {
       return ran_set([&](auto& e) {
         const OH_NN_Memory longer{OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 47)->data, 48};
         OH_NNExecutor_SetOutputWithMemory(e.handle, 0, &longer);
       });
     }},
    {"OH_NNExecutor_Run", "an output's memory as input", SUCCESS,
     [] {
       return ran_set([&](auto& e) {
         OH_NNExecutor_SetInputWithMemory(e.handle, 0, &small_tensor,
                                          OH_NNExecutor_AllocateOutputMemory(e.handle, 0, 48));
       });
     }},
    {"OH_NNExecutor_Run", "an index that an operation looks up", SUCCESS, [] { return looked_up(3); }},
    {"OH_NNExecutor_Run", "an index that is none", UNAVAILABLE, [] { return looked_up(4); }},
    {"OH_NNExecutor_Run", "an output that is too short for its real shape", INVALID,
     [] {
       small_executor e(true);
       float out[12];
       for (std::uint32_t i = 0; i < 2; ++i) OH_NNExecutor_SetInput(e.handle, i, &small_tensor, twelve, 48);
       OH_NNExecutor_SetOutput(e.handle, 0, out, 47);
       return OH_NNExecutor_Run(e.handle);
     }},
};

void check(const row& r) {
  INFO(std::string(r.function), ": ", std::string(r.condition));
  CHECK(r.call() == r.expected);
}

}  // namespace

TEST_CASE("devices answer as the contract says") {
  for (const row& r : devices) check(r);
}
TEST_CASE("quantisation parameters answer as the contract says") {
  for (const row& r : quantisations) check(r);
}
TEST_CASE("tensor descriptions answer as the contract says") {
  for (const row& r : descriptions) check(r);
}
TEST_CASE("tensors answer as the contract says") {
  for (const row& r : tensors) check(r);
}
TEST_CASE("models answer as the contract says") {
  for (const row& r : models) check(r);
}
TEST_CASE("compilations answer as the contract says") {
  for (const row& r : compilations) check(r);
}
TEST_CASE("executors answer as the contract says") {
  for (const row& r : executors) check(r);
}
