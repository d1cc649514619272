// c_functions_fuzz: any sequence of the C functions, with handles that are null, unfinished, failed or shared, and
// numbers that are no enumerators. What a handle may do follows from what was done with it, and a sum that runs is the
// sum, whether its model was destroyed by then or not.
//
// Input: calls of two bytes, the function and what it is called with; numbers come from the bytes after them. Memory
// that the functions may read until a handle is destroyed lives as long as that.
// nightly: its seeds take a compiler longer than those of the readers
#include "require.hpp"

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>
#ifdef NNRT_C_FUNCTIONS_HERE
#include <nnrt/c_api.hpp>  // compiled here, libFuzzer follows them; seeds are replayed on the shared library
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

using namespace nnrt_fuzz;

namespace {

class caller {
 public:
  explicit caller(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  ~caller() {
    for (model_state& m : models_) destroy(m);
    for (executor_state& e : executors_) OH_NNExecutor_Destroy(&e.handle);
    for (NN_Tensor*& t : tensors_) OH_NNTensor_Destroy(&t);
    for (NN_TensorDesc*& d : descs_) OH_NNTensorDesc_Destroy(&d);
    for (NN_QuantParam*& q : quants_) OH_NNQuantParam_Destroy(&q);
    for (compilation_state& c : compilations_) OH_NNCompilation_Destroy(&c.handle);
  }

  void run() {
    for (int calls = 0; next_ < bytes_.size() && calls < 400; ++calls) call(byte() % 45);
  }

 private:
  struct model_state {
    OH_NNModel* handle = nullptr;
    bool is_finished = false;
    bool is_sum = false;  // as make_sum() finishes it
  };
  struct compilation_state {
    OH_NNCompilation* handle = nullptr;
    bool is_built = false;
    bool is_sum = false;  // of such a model, with no option set
  };
  struct executor_state {
    OH_NNExecutor* handle = nullptr;
    bool is_sum = false;  // of such a compilation
  };

  std::uint8_t byte() { return next_ < bytes_.size() ? bytes_[next_++] : std::uint8_t{0}; }
  /// Small, or one at an edge.
  std::int32_t number() {
    const std::uint8_t first = byte();
    if (first < 200) return first % 16;
    constexpr std::int32_t edges[] = {-1,     -2, 16, 100, 127, 128, 255, 4096, 65536, 2147483647, -2147483647 - 1,
                                      1 << 20};
    return edges[first % 12];
  }
  template <class Enum> Enum any() { return static_cast<Enum>(number()); }
  template <class T, std::size_t Count> T& one_of(std::array<T, Count>& all) { return all[byte() % Count]; }
  std::vector<std::int32_t> extents() {
    std::vector<std::int32_t> made;
    for (int rank = byte() % 5; rank > 0; --rank) made.push_back(byte() < 230 ? 1 + byte() % 4 : number());
    return made;
  }
  std::vector<std::uint32_t> indices() {
    std::vector<std::uint32_t> made;
    for (int count = byte() % 4; count > 0; --count) made.push_back(static_cast<std::uint32_t>(number()));
    return made;
  }
  static OH_NN_UInt32Array array(std::vector<std::uint32_t>& list) {
    return {list.empty() ? nullptr : list.data(), static_cast<std::uint32_t>(list.size())};
  }

  /// y = relu(a + b), or how far of it a byte says.
  void make_sum(model_state& m) {
    destroy(m);
    m = {OH_NNModel_Construct()};
    const std::int32_t shape[] = {2, 3};
    const OH_NN_Tensor data{OH_NN_FLOAT32, 2, shape, nullptr, OH_NN_TENSOR},
        activation{OH_NN_INT8, 0, nullptr, nullptr, OH_NN_ADD_ACTIVATIONTYPE};
    const std::int8_t relu = OH_NN_FUSED_RELU;
    std::uint32_t in[] = {0, 1}, out[] = {3}, parameters[] = {2};
    const OH_NN_UInt32Array ins{in, 2}, outs{out, 1}, params{parameters, 1};
    const int steps = byte() % 8;
    for (const OH_NN_Tensor* t : {&data, &data, &activation, &data})
      require(OH_NNModel_AddTensor(m.handle, t) == OH_NN_SUCCESS);
    require(OH_NNModel_SetTensorData(m.handle, 2, &relu, 1) == OH_NN_SUCCESS);
    if (steps == 1) return;
    require(OH_NNModel_AddOperation(m.handle, OH_NN_OPS_ADD, &params, &ins, &outs) == OH_NN_SUCCESS);
    if (steps == 2) return;
    require(OH_NNModel_SpecifyInputsAndOutputs(m.handle, &ins, &outs) == OH_NN_SUCCESS);
    if (steps == 3) return;
    require(OH_NNModel_Finish(m.handle) == OH_NN_SUCCESS);
    m.is_finished = m.is_sum = true;
  }

  /// Destroys a model, which compilations may share. It is no handle from then on, although they keep its memory.
  static void destroy(model_state& m) {
    OH_NNModel* const gone = m.handle;
    OH_NNModel_Destroy(&m.handle);
    require(m.handle == nullptr && OH_NNCompilation_Construct(gone) == nullptr &&
            OH_NNModel_Finish(gone) != OH_NN_SUCCESS);
    m = {};
  }

  /// A whole run of the sum: its results are known. Its model and its compilation may be destroyed at any moment after
  /// what was made of them.
  void check_sum() {
    model_state m;
    make_sum(m);
    const int moment = byte() % 4;
    if (m.is_finished) {
      OH_NNCompilation* c = OH_NNCompilation_Construct(m.handle);
      if (moment == 0) destroy(m);
      require(OH_NNCompilation_Build(c) == OH_NN_SUCCESS);
      if (moment == 1) destroy(m);
      executor_state e{OH_NNExecutor_Construct(c)};
      require(e.handle != nullptr);
      if (moment == 2) OH_NNCompilation_Destroy(&c), destroy(m);
      run_sum(e);
      OH_NNExecutor_Destroy(&e.handle);
      OH_NNCompilation_Destroy(&c);
      require(e.handle == nullptr && c == nullptr);
    }
    destroy(m);
  }
  void run_sum(executor_state& e) {
    std::array<NN_Tensor*, 3> tensors{};
    for (std::size_t i = 0; i < 3; ++i) {
      NN_TensorDesc* desc =
          i < 2 ? OH_NNExecutor_CreateInputTensorDesc(e.handle, i) : OH_NNExecutor_CreateOutputTensorDesc(e.handle, 0);
      tensors[i] = OH_NNTensor_Create(0, desc);
      require(tensors[i] != nullptr);
      OH_NNTensorDesc_Destroy(&desc);
    }
    float* const a = static_cast<float*>(OH_NNTensor_GetDataBuffer(tensors[0]));
    float* const b = static_cast<float*>(OH_NNTensor_GetDataBuffer(tensors[1]));
    for (int i = 0; i < 6; ++i) a[i] = static_cast<float>(number() % 100), b[i] = static_cast<float>(-(byte() % 64));
    require(OH_NNExecutor_RunSync(e.handle, tensors.data(), 2, tensors.data() + 2, 1) == OH_NN_SUCCESS);
    const float* const y = static_cast<const float*>(OH_NNTensor_GetDataBuffer(tensors[2]));
    for (int i = 0; i < 6; ++i) require(y[i] == (a[i] + b[i] > 0 ? a[i] + b[i] : 0.0F));
    for (NN_Tensor*& t : tensors) require(OH_NNTensor_Destroy(&t) == OH_NN_SUCCESS && t == nullptr);
  }

  void call(int function) {
    switch (function) {
      case 0:
      case 1: return make_sum(one_of(models_));
      case 2: return check_sum();
      case 43: return check_others();
      case 44: {
        executor_state& e = one_of(executors_);
        if (compilation_state& c = one_of(compilations_); c.is_sum) {
          if (!c.is_built) call_compilation(20, c);
          make_executor(e, c);
        }
        if (e.is_sum) run_sum(e);
        return;
      }
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
      case 9:
      case 10:
      case 11: return call_model(function, one_of(models_));
      case 12:
      case 13:
      case 14:
      case 15:
      case 16:
      case 17:
      case 18:
      case 19:
      case 20: return call_compilation(function, one_of(compilations_));
      case 21:
      case 22:
      case 23:
      case 24:
      case 25:
      case 26:
      case 27: return call_desc(function, one_of(descs_));
      case 28:
      case 29:
      case 30:
      case 31:
      case 32: return call_tensor(function, one_of(tensors_));
      case 33:
      case 34:
      case 35:
      case 36:
      case 37:
      case 38:
      case 39:
      case 40: return call_executor(function, one_of(executors_));
      default: return call_quant(one_of(quants_));
    }
  }

  /// Memory that no function made, and handles of other kinds, are no handles.
  void check_others() {
    alignas(64) std::array<std::uint8_t, 512> memory{};
    for (std::uint8_t& one : memory) one = byte();
    void* others[] = {memory.data(), one_of(models_).handle, one_of(descs_)};
    void* const other = others[byte() % 3];
    std::size_t count = 0;
    static_cast<void>(OH_NNExecutor_GetInputCount(static_cast<OH_NNExecutor*>(gone_),
                                                  &count));  // destroyed; another may stand there now
    if (other == nullptr) return;
    auto* const as_compilation = static_cast<OH_NNCompilation*>(other);
    auto* const as_executor = static_cast<OH_NNExecutor*>(other);
    auto* const as_tensor = static_cast<NN_Tensor*>(other);
    std::size_t size = 0;
    require(OH_NNCompilation_SetDevice(as_compilation, 0) != OH_NN_SUCCESS &&
            OH_NNCompilation_Build(as_compilation) != OH_NN_SUCCESS);
    require(OH_NNExecutor_GetInputCount(as_executor, &size) != OH_NN_SUCCESS &&
            OH_NNExecutor_Run(as_executor) != OH_NN_SUCCESS);
    require(OH_NNTensor_GetSize(as_tensor, &size) != OH_NN_SUCCESS && OH_NNTensor_GetDataBuffer(as_tensor) == nullptr);
    require(OH_NNExecutor_Construct(as_compilation) == nullptr);
    if (other == memory.data())
      require(OH_NNModel_Finish(static_cast<OH_NNModel*>(other)) != OH_NN_SUCCESS &&
              OH_NNCompilation_Construct(static_cast<OH_NNModel*>(other)) == nullptr);
  }

  void call_model(int function, model_state& m) {
    const bool was_finished = m.is_finished;
    OH_NN_ReturnCode code = OH_NN_FAILED;
    switch (function) {
      case 3:
        destroy(m);
        m = {byte() % 4 == 0 ? nullptr : OH_NNModel_Construct()};
        return;
      case 4: {
        const std::vector<std::int32_t> shape = extents();
        const OH_NN_Tensor t{any<OH_NN_DataType>(), static_cast<std::uint32_t>(shape.size()),
                             shape.empty() ? nullptr : shape.data(), nullptr, any<OH_NN_TensorType>()};
        code = OH_NNModel_AddTensor(m.handle, byte() % 16 == 0 ? nullptr : &t);
        break;
      }
      case 5: code = OH_NNModel_AddTensorToModel(m.handle, one_of(descs_)); break;
      case 6: {
        std::array<std::int8_t, 64> data{};
        for (std::int8_t& one : data) one = static_cast<std::int8_t>(byte());
        code = OH_NNModel_SetTensorData(m.handle, static_cast<std::uint32_t>(number()),
                                        byte() % 16 == 0 ? nullptr : data.data(), byte() % 65U);
        break;
      }
      case 7:
        code = OH_NNModel_SetTensorType(m.handle, static_cast<std::uint32_t>(number()), any<OH_NN_TensorType>());
        break;
      case 8:
        code = OH_NNModel_SetTensorQuantParams(m.handle, static_cast<std::uint32_t>(number()), one_of(quants_));
        break;
      case 9: {
        auto p = indices(), i = indices(), o = indices();
        const OH_NN_UInt32Array params = array(p), ins = array(i), outs = array(o);
        code = OH_NNModel_AddOperation(
            m.handle, static_cast<OH_NN_OperationType>(byte() < 240 ? byte() % 110 : number()), &params, &ins, &outs);
        break;
      }
      case 10: {
        auto i = indices(), o = indices();
        const OH_NN_UInt32Array ins = array(i), outs = array(o);
        code = OH_NNModel_SpecifyInputsAndOutputs(m.handle, &ins, &outs);
        break;
      }
      default: {
        code = OH_NNModel_Finish(m.handle);
        if (code == OH_NN_SUCCESS) m.is_finished = true;
        const bool* supported = nullptr;
        std::uint32_t count = 0;
        if (OH_NNModel_GetAvailableOperations(m.handle, static_cast<std::size_t>(byte() % 2), &supported, &count) ==
            OH_NN_SUCCESS)
          for (std::uint32_t k = 0; k < count; ++k) require(supported[k] || !supported[k]);
      }
    }
    // Nothing is changed in a model that is finished, nor in none. One that is finished takes a description of a
    // tensor, as upstream has it, to no effect.
    const bool has_no_effect = function == 5 && m.handle != nullptr;
    if (m.handle == nullptr || was_finished) require(code != OH_NN_SUCCESS || has_no_effect);
  }

  void call_compilation(int function, compilation_state& c) {
    const bool was_built = c.is_built;
    OH_NN_ReturnCode code = OH_NN_FAILED;
    if (function >= 15 && function <= 19) c.is_sum = false;  // options may be refused when it is built
    switch (function) {
      case 12:
      case 13: {
        OH_NNCompilation_Destroy(&c.handle);
        const model_state& m = one_of(models_);
        c = {OH_NNCompilation_Construct(m.handle), false, m.is_sum};
        require((c.handle != nullptr) == (m.handle != nullptr));
        return;
      }
      case 14:
        OH_NNCompilation_Destroy(&c.handle);
        c = {byte() % 2 == 0 ? OH_NNCompilation_ConstructForCache() : nullptr};
        return;
      case 15: code = OH_NNCompilation_SetDevice(c.handle, static_cast<std::size_t>(number())); break;
      case 16: code = OH_NNCompilation_SetPerformanceMode(c.handle, any<OH_NN_PerformanceMode>()); break;
      case 17: code = OH_NNCompilation_SetPriority(c.handle, any<OH_NN_Priority>()); break;
      case 18: code = OH_NNCompilation_EnableFloat16(c.handle, byte() % 2 == 0); break;
      case 19: {
        std::vector<std::uint8_t>& cache = lasting_.emplace_back(256);  // must outlive the compilation
        for (std::uint8_t& one : cache) one = byte();
        if (byte() % 2 == 0) {
          code = OH_NNCompilation_ImportCacheFromBuffer(c.handle, cache.data(), byte());
        } else {
          std::size_t size = 0;
          if (OH_NNCompilation_ExportCacheToBuffer(c.handle, cache.data(), cache.size(), &size) == OH_NN_SUCCESS)
            require(c.is_built && size <= cache.size());
          return;
        }
        break;
      }
      default:
        code = OH_NNCompilation_Build(c.handle);
        require(!(was_built && code == OH_NN_SUCCESS));
        if (c.is_sum && !was_built) require(code == OH_NN_SUCCESS);
        if (code == OH_NN_SUCCESS) c.is_built = true;
    }
    if (c.handle == nullptr) require(code != OH_NN_SUCCESS);
  }

  void call_desc(int function, NN_TensorDesc*& d) {
    switch (function) {
      case 21:
        OH_NNTensorDesc_Destroy(&d);
        require(d == nullptr);
        d = byte() % 4 == 0 ? nullptr : OH_NNTensorDesc_Create();
        return;
      case 22: return static_cast<void>(OH_NNTensorDesc_SetDataType(d, any<OH_NN_DataType>()));
      case 23: {
        const auto shape = extents();
        const bool is_set = OH_NNTensorDesc_SetShape(d, shape.data(), shape.size()) == OH_NN_SUCCESS;
        std::int32_t* got = nullptr;
        std::size_t rank = 0;
        if (is_set)
          require(OH_NNTensorDesc_GetShape(d, &got, &rank) == OH_NN_SUCCESS && rank == shape.size() &&
                  std::equal(shape.begin(), shape.end(), got));
        return;
      }
      case 24: return static_cast<void>(OH_NNTensorDesc_SetFormat(d, any<OH_NN_Format>()));
      case 25: {
        const char name[] = {static_cast<char>('a' + byte() % 26), static_cast<char>(byte()), '\0'};
        const char* got = nullptr;
        if (OH_NNTensorDesc_SetName(d, name) == OH_NN_SUCCESS)
          require(OH_NNTensorDesc_GetName(d, &got) == OH_NN_SUCCESS && std::string_view(got) == name);
        return;
      }
      case 26: {
        std::size_t size = 0, count = 0;
        if (OH_NNTensorDesc_GetByteSize(d, &size) == OH_NN_SUCCESS)
          require(OH_NNTensorDesc_GetElementCount(d, &count) == OH_NN_SUCCESS && size >= count);
        return;
      }
      default: {
        OH_NN_DataType type{};
        OH_NN_Format layout{};
        const bool is_there = OH_NNTensorDesc_GetDataType(d, &type) == OH_NN_SUCCESS;
        require(is_there == (d != nullptr));
        static_cast<void>(OH_NNTensorDesc_GetFormat(d, &layout));
      }
    }
  }

  void call_tensor(int function, NN_Tensor*& t) {
    switch (function) {
      case 28:
      case 29: {
        OH_NNTensor_Destroy(&t);
        NN_TensorDesc* const desc = one_of(descs_);
        std::size_t size = 0;
        if (OH_NNTensorDesc_GetByteSize(desc, &size) == OH_NN_SUCCESS && size > 1U << 20U) return;
        t = function == 28 ? OH_NNTensor_Create(static_cast<std::size_t>(byte() % 2), desc)
                           : OH_NNTensor_CreateWithSize(0, desc, byte() * 64U);
        if (desc == nullptr) require(t == nullptr);
        return;
      }
      case 30: {
        std::size_t size = 0;
        void* const data = OH_NNTensor_GetDataBuffer(t);
        if (data != nullptr && OH_NNTensor_GetSize(t, &size) == OH_NN_SUCCESS)
          for (std::size_t i = 0; i < size; ++i) static_cast<unsigned char*>(data)[i] = 0;  // ends where it says
        return;
      }
      case 31: {
        int fd = 0;
        std::size_t offset = 0;
        static_cast<void>(OH_NNTensor_GetFd(t, &fd));
        static_cast<void>(OH_NNTensor_GetOffset(t, &offset));
        return;
      }
      default: require((OH_NNTensor_GetTensorDesc(t) != nullptr) == (t != nullptr));
    }
  }

  void make_executor(executor_state& e, const compilation_state& c) {
    if (e.handle != nullptr) gone_ = e.handle;
    OH_NNExecutor_Destroy(&e.handle);
    require(e.handle == nullptr);
    e = {OH_NNExecutor_Construct(c.handle), c.is_sum && c.is_built};
    if (!c.is_built) require(e.handle == nullptr);
    if (e.is_sum) require(e.handle != nullptr);
  }
  void call_executor(int function, executor_state& e) {
    switch (function) {
      case 33:
      case 34: return make_executor(e, one_of(compilations_));
      case 35: {
        std::size_t ins = 0, outs = 0, *least = nullptr, *most = nullptr, rank = 0;
        require((OH_NNExecutor_GetInputCount(e.handle, &ins) == OH_NN_SUCCESS) == (e.handle != nullptr));
        require((OH_NNExecutor_GetOutputCount(e.handle, &outs) == OH_NN_SUCCESS) == (e.handle != nullptr));
        for (std::size_t i = 0; i <= ins; ++i)
          if (OH_NNExecutor_GetInputDimRange(e.handle, i, &least, &most, &rank) == OH_NN_SUCCESS) {
            require(i < ins);
            for (std::size_t axis = 0; axis < rank; ++axis) require(least[axis] <= most[axis]);
          }
        return;
      }
      case 36: {
        NN_TensorDesc*& d = one_of(descs_);
        OH_NNTensorDesc_Destroy(&d);
        d = byte() % 2 == 0 ? OH_NNExecutor_CreateInputTensorDesc(e.handle, byte() % 4U)
                            : OH_NNExecutor_CreateOutputTensorDesc(e.handle, byte() % 4U);
        return;
      }
      case 37:
      case 38: {
        std::array<NN_Tensor*, 4> in{}, out{};
        for (NN_Tensor*& t : in) t = one_of(tensors_);
        for (NN_Tensor*& t : out) t = one_of(tensors_);
        static_cast<void>(OH_NNExecutor_RunSync(e.handle, in.data(), byte() % 5U, out.data(), byte() % 5U));
        return;
      }
      case 39: {
        std::int32_t* shape = nullptr;
        std::uint32_t rank = 0;
        if (OH_NNExecutor_GetOutputShape(e.handle, static_cast<std::uint32_t>(byte() % 3), &shape, &rank) ==
            OH_NN_SUCCESS)
          for (std::uint32_t i = 0; i < rank; ++i) require(shape[i] >= 0);
        return;
      }
      default: {
        const std::vector<std::int32_t> shape = extents();
        const OH_NN_Tensor t{any<OH_NN_DataType>(), static_cast<std::uint32_t>(shape.size()),
                             shape.empty() ? nullptr : shape.data(), nullptr, OH_NN_TENSOR};
        static_cast<void>(OH_NNExecutor_SetInput(e.handle, static_cast<std::uint32_t>(byte() % 3), &t,
                                                 lasting_.emplace_back(64).data(), byte() % 65U));
        static_cast<void>(
            OH_NNExecutor_SetOutput(e.handle, static_cast<std::uint32_t>(byte() % 2), data_.data(), byte() % 65U));
        static_cast<void>(OH_NNExecutor_Run(e.handle));
      }
    }
  }

  void call_quant(NN_QuantParam*& q) {
    std::array<double, 4> scales{};
    std::array<std::int32_t, 4> zeros{};
    std::array<std::uint32_t, 4> bits{};
    for (std::size_t i = 0; i < 4; ++i)
      scales[i] = number() / 8.0, zeros[i] = number(), bits[i] = static_cast<std::uint32_t>(number());
    switch (byte() % 4) {
      case 0:
        OH_NNQuantParam_Destroy(&q);
        require(q == nullptr);
        q = byte() % 4 == 0 ? nullptr : OH_NNQuantParam_Create();
        return;
      case 1: return static_cast<void>(OH_NNQuantParam_SetScales(q, scales.data(), byte() % 5U));
      case 2: return static_cast<void>(OH_NNQuantParam_SetZeroPoints(q, zeros.data(), byte() % 5U));
      default: return static_cast<void>(OH_NNQuantParam_SetNumBits(q, bits.data(), byte() % 5U));
    }
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
  std::array<model_state, 2> models_;
  std::array<compilation_state, 2> compilations_;
  std::array<executor_state, 2> executors_;
  std::array<NN_TensorDesc*, 3> descs_{};
  std::array<NN_Tensor*, 4> tensors_{};
  std::array<NN_QuantParam*, 2> quants_{};
  void* gone_ = nullptr;                           // an executor that was destroyed
  std::array<std::uint8_t, 64> data_{};            // API 9 keeps where outputs go
  std::deque<std::vector<std::uint8_t>> lasting_;  // what handles may read until they are destroyed
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  caller({bytes, size}).run();
  return 0;
}
