// hb_dnn_fuzz: any sequence of hbDNN's functions, with handles that are null, released or of another kind, models whose
// bytes were changed, and tensors whose properties and memory are not those of the model. What runs as it should gives
// x + 1.
//
// Input: calls of one byte each, numbers come from the bytes after them.
// nightly: its seeds take a compiler longer than those of the readers
#include "require.hpp"

#include <dnn/hb_dnn.h>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/io/saved_model.hpp>
#include <nnrt/ops/add.hpp>
#ifdef NNRT_C_FUNCTIONS_HERE
#include <nnrt/hb_dnn.hpp>  // compiled here, libFuzzer follows them; seeds are replayed on the shared library
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

using namespace nnrt_fuzz;

namespace {

constexpr int extent = 4;

/// "y" = "x" + 1, f32 [1, 4].
const nnrt::byte_list& model_bytes() {
  static const nnrt::byte_list made = [] {
    nnrt::model_builder b;
    const std::int32_t x = b.input("x", {nnrt::f32, {1, extent}}).value();
    const std::int32_t one = b.constant<float>({nnrt::f32, {1}}, std::vector<float>{1}).value();
    require(b.output("y", b.apply<nnrt::ops::add>({}, {x, one}).value()[0]).has_value());
    nnrt::saved_model network;
    network.network = b.finish();
    network.name = "sum", network.architecture = "bayes";
    network.places.push_back({});
    auto bytes = nnrt::models_to_bytes(std::span(&network, 1));
    if (!bytes) std::fprintf(stderr, "%s\n", bytes.error().message().c_str());
    require(bytes.has_value());
    return std::move(*bytes);
  }();
  return made;
}

class caller {
 public:
  explicit caller(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  ~caller() {
    for (hbDNNTaskHandle_t& task : tasks_)
      if (task != nullptr) static_cast<void>(hbDNNReleaseTask(task));
    for (hbPackedDNNHandle_t& packed : packed_)
      if (packed != nullptr) static_cast<void>(hbDNNRelease(packed));
    for (hbSysMem& mem : memory_)
      if (mem.virAddr != nullptr) static_cast<void>(hbSysFreeMem(&mem));
  }

  void run() {
    for (int calls = 0; next_ < bytes_.size() && calls < 100; ++calls) call(byte() % 14);
  }

 private:
  std::uint8_t byte() { return next_ < bytes_.size() ? bytes_[next_++] : std::uint8_t{0}; }
  std::int32_t number() {
    const std::uint8_t first = byte();
    if (first < 200) return first % 8;
    constexpr std::int32_t edges[] = {-1, 16, 255, 256, 4080, 2147483647, -2147483647 - 1, 65536};
    return edges[first % 8];
  }
  template <class T, std::size_t Count> T& one_of(std::array<T, Count>& all) { return all[byte() % Count]; }

  void load(hbPackedDNNHandle_t& packed) {
    if (packed != nullptr && hbDNNRelease(packed) == HB_DNN_SUCCESS) packed = nullptr;
    if (packed != nullptr) return;  // a model of it runs
    nnrt::byte_list bytes = model_bytes();
    const bool is_changed = byte() % 4 == 0;
    if (is_changed)
      bytes[(std::size_t{byte()} << 8U | byte()) % bytes.size()] ^= static_cast<std::byte>(1 + byte() % 255);
    const void* data = bytes.data();
    auto length = static_cast<std::int32_t>(bytes.size());
    if (byte() % 8 == 0) length = length - 1 - byte();
    const bool is_whole = length == static_cast<std::int32_t>(bytes.size()) && !is_changed;
    const std::int32_t code = hbDNNInitializeFromDDR(&packed, &data, &length, 1);
    require(!is_whole || code == HB_DNN_SUCCESS);
    require(is_whole || code != HB_DNN_SUCCESS);  // digests cover every byte
    if (code != HB_DNN_SUCCESS) packed = nullptr;
  }
  hbDNNHandle_t model_of(hbPackedDNNHandle_t packed) {
    const char** names = nullptr;
    std::int32_t count = 0;
    hbDNNHandle_t found = nullptr;
    if (hbDNNGetModelNameList(&names, &count, packed) != HB_DNN_SUCCESS)
      return require(packed == nullptr || packed == gone_), nullptr;
    require(count == 1 && hbDNNGetModelHandle(&found, packed, names[0]) == HB_DNN_SUCCESS && found != nullptr);
    return found;
  }

  void infer(hbDNNHandle_t model, hbDNNTaskHandle_t& task) {
    std::array<hbDNNTensor, 2> in{}, out{};
    const bool is_there = hbDNNGetInputTensorProperties(&in[0].properties, model, 0) == HB_DNN_SUCCESS &&
                          hbDNNGetOutputTensorProperties(&out[0].properties, model, 0) == HB_DNN_SUCCESS;
    require(is_there == (model != nullptr));
    in[0].sysMem[0] = one_of(memory_), out[0].sysMem[0] = one_of(memory_);
    if (byte() % 4 == 0) {  // properties of others
      auto* const raw = reinterpret_cast<std::int32_t*>(&in[0].properties.validShape);
      raw[byte() % (2 * sizeof(hbDNNTensorShape) / 4)] = number();
      if (byte() % 2 == 0) in[0].properties.tensorType = number();
      if (byte() % 2 == 0) in[0].properties.tensorLayout = number();
    }
    hbDNNInferCtrlParam how{};
    how.bpuCoreId = number(), how.priority = number(), how.more = byte() % 3 == 0 ? 1 : 0, how.customId = byte();
    hbDNNTensor* outputs = out.data();
    if (byte() % 4 != 0) how.bpuCoreId = 0, how.priority = 0;
    static_cast<void>(hbDNNInfer(&task, byte() % 16 == 0 ? nullptr : &outputs, in.data(), model, &how));
  }

  /// The whole way: x + 1.
  void check_sum() {
    hbPackedDNNHandle_t packed = nullptr;
    const void* data = model_bytes().data();
    auto length = static_cast<std::int32_t>(model_bytes().size());
    require(hbDNNInitializeFromDDR(&packed, &data, &length, 1) == HB_DNN_SUCCESS);
    const hbDNNHandle_t model = model_of(packed);
    hbDNNTensor in{}, out{};
    require(hbDNNGetInputTensorProperties(&in.properties, model, 0) == HB_DNN_SUCCESS);
    require(hbDNNGetOutputTensorProperties(&out.properties, model, 0) == HB_DNN_SUCCESS);
    for (hbDNNTensor* t : {&in, &out})
      require(hbSysAllocCachedMem(&t->sysMem[0], static_cast<std::uint32_t>(t->properties.alignedByteSize)) ==
              HB_SYS_SUCCESS);
    std::array<float, extent> x{};
    for (float& number : x) number = static_cast<float>(byte());
    std::memcpy(in.sysMem[0].virAddr, x.data(), sizeof x);
    require(hbSysFlushMem(&in.sysMem[0], HB_SYS_MEM_CACHE_CLEAN) == HB_SYS_SUCCESS);
    hbDNNTaskHandle_t task = nullptr;
    hbDNNInferCtrlParam how{};
    hbDNNTensor* outputs = &out;
    const std::int32_t started = hbDNNInfer(&task, &outputs, &in, model, &how);
    require(started == HB_DNN_SUCCESS || started == HB_DNN_TASK_NUM_EXCEED_LIMIT);
    if (started == HB_DNN_SUCCESS) {
      require(hbDNNWaitTaskDone(task, 0) == HB_DNN_SUCCESS && hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
      require(hbSysFlushMem(&out.sysMem[0], HB_SYS_MEM_CACHE_INVALIDATE) == HB_SYS_SUCCESS);
      std::array<float, extent> y{};
      std::memcpy(y.data(), out.sysMem[0].virAddr, sizeof y);
      for (std::size_t i = 0; i < x.size(); ++i) require(y[i] == x[i] + 1);
    }
    for (hbDNNTensor* t : {&in, &out}) require(hbSysFreeMem(&t->sysMem[0]) == HB_SYS_SUCCESS);
    require(hbDNNRelease(packed) == HB_DNN_SUCCESS);
  }

  void allocate(hbSysMem& mem) {
    if (mem.virAddr != nullptr) {
      for (const hbDNNTaskHandle_t task : tasks_)
        if (task != nullptr) return;  // a task may use it
      require(hbSysFreeMem(&mem) == HB_SYS_SUCCESS);
    }
    mem = {};
    const std::uint32_t size = byte() % 8 == 0 ? static_cast<std::uint32_t>(byte()) : 16U + byte() % 256U;
    const std::int32_t code = byte() % 2 == 0 ? hbSysAllocMem(&mem, size) : hbSysAllocCachedMem(&mem, size);
    if (code != HB_SYS_SUCCESS) mem = {};
    else std::memset(mem.virAddr, 0, mem.memSize);
  }

  void call(int function) {
    switch (function) {
      case 0:
      case 1: return load(one_of(packed_));
      case 2: {
        hbPackedDNNHandle_t& packed = one_of(packed_);
        if (hbDNNRelease(packed) == HB_DNN_SUCCESS) gone_ = packed, packed = nullptr;
        return;
      }
      case 3: {
        const hbDNNHandle_t model = model_of(one_of(packed_));
        std::int32_t inputs = 0;
        const char* name = nullptr;
        hbDNNTensorProperties properties;
        require((hbDNNGetInputCount(&inputs, model) == HB_DNN_SUCCESS) == (model != nullptr));
        const std::int32_t i = number();
        require((hbDNNGetInputTensorProperties(&properties, model, i) == HB_DNN_SUCCESS) ==
                (model != nullptr && i == 0));
        require((hbDNNGetOutputName(&name, model, i) == HB_DNN_SUCCESS) == (model != nullptr && i == 0));
        return;
      }
      case 4:
      case 5:
      case 6: return infer(model_of(one_of(packed_)), one_of(tasks_));
      case 7: return static_cast<void>(hbDNNWaitTaskDone(one_of(tasks_), 1 + byte() % 4));
      case 8: {
        hbDNNTaskHandle_t& task = one_of(tasks_);
        require((hbDNNReleaseTask(task) == HB_DNN_SUCCESS) == (task != nullptr));
        task = nullptr;
        return;
      }
      case 9:
      case 10: return allocate(one_of(memory_));
      case 11: {
        hbSysMem& mem = one_of(memory_);
        std::array<char, 512> bytes{};
        const auto size = static_cast<std::uint32_t>(2 * byte());
        const bool fits = mem.virAddr != nullptr && size <= mem.memSize;
        if (mem.virAddr != nullptr && hbSysWriteMem(&mem, bytes.data(), size) == HB_SYS_SUCCESS) require(fits);
        if (mem.virAddr != nullptr && hbSysReadMem(bytes.data(), &mem, size) == HB_SYS_SUCCESS) require(fits);
        static_cast<void>(hbSysFlushMem(&mem, number()));
        return;
      }
      case 12: {  // handles that are none, or were
        std::int32_t count = 0;
        hbDNNTaskHandle_t task = nullptr;
        std::memcpy(&task, &packed_[0], sizeof task);
        require(task == nullptr || hbDNNWaitTaskDone(task, 1) != HB_DNN_SUCCESS);
        hbDNNHandle_t model = nullptr;
        std::memcpy(&model, &packed_[0], sizeof model);
        require(hbDNNGetInputCount(&count, model) != HB_DNN_SUCCESS);
        static_cast<void>(hbDNNRelease(nullptr));
        return;
      }
      default: return check_sum();
    }
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
  std::array<hbPackedDNNHandle_t, 2> packed_{};
  std::array<hbDNNTaskHandle_t, 3> tasks_{};
  std::array<hbSysMem, 3> memory_{};
  hbPackedDNNHandle_t gone_ = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const bool is_quiet = ::setenv("HB_DNN_LOG_LEVEL", "0", 1) == 0;
  require(is_quiet);
  caller({bytes, size}).run();
  return 0;
}
