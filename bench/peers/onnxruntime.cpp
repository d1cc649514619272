// onnxruntime: networks through ONNX Runtime's C API, with its own threads, all graph optimisations and bound memory.
// Flow: bench/peers.cmake builds it where the library and its header are; the model is onnx_model.hpp's.
#include "peers/onnx_model.hpp"
#include "support/runner.hpp"

#include <onnxruntime_c_api.h>

namespace {

using namespace bench;

const OrtApi& api() {
  // The library may be older or newer than the header; version 13 has all that is used here.
  static const OrtApi* const made = OrtGetApiBase()->GetApi(13);
  if (made == nullptr) throw cannot_run("this ONNX Runtime is too old");
  return *made;
}

void require(OrtStatus* status) {
  if (status == nullptr) return;
  const std::string why = api().GetErrorMessage(status);
  api().ReleaseStatus(status);
  throw cannot_run("ONNX Runtime: " + why);
}

OrtEnv* environment() {
  static OrtEnv* const made = [] {
    OrtEnv* env = nullptr;
    require(api().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bench", &env));
    return env;
  }();
  return made;
}

class onnxruntime_runner final : public runner {
 public:
  onnxruntime_runner(const description& network, int threads) : model_(network, onnx::activations::of_uint8) {
    OrtSessionOptions* options = nullptr;
    require(api().CreateSessionOptions(&options));
    require(api().SetIntraOpNumThreads(options, threads));
    require(api().SetInterOpNumThreads(options, 1));
    require(api().SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
    OrtStatus* const status =
        model_.file.empty()
            ? api().CreateSessionFromArray(environment(), model_.bytes.data(), model_.bytes.size(), options, &session_)
            : api().CreateSession(environment(), model_.file.c_str(), options, &session_);
    api().ReleaseSessionOptions(options);
    require(status);
    model_.bytes = {};
    require(api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory_));
    require(api().CreateIoBinding(session_, &binding_));
    for (const auto& port : model_.inputs)
      require(api().BindInput(binding_, port.name.c_str(), add_value(port, inputs_)));
    for (const auto& port : model_.outputs)
      require(api().BindOutput(binding_, port.name.c_str(), add_value(port, outputs_)));
  }
  ~onnxruntime_runner() override {
    for (OrtValue* value : values_) api().ReleaseValue(value);
    if (binding_ != nullptr) api().ReleaseIoBinding(binding_);
    if (memory_ != nullptr) api().ReleaseMemoryInfo(memory_);
    if (session_ != nullptr) api().ReleaseSession(session_);
  }
  void set_input(std::size_t i, const std::byte* elements) override {
    model_.inputs[i].put(elements, inputs_[i].data());
  }
  void run() override { require(api().RunWithBinding(session_, nullptr, binding_)); }
  void get_output(std::size_t i, std::byte* elements) override { model_.outputs[i].get(outputs_[i].data(), elements); }

 private:
  OrtValue* add_value(const onnx::model::port& port, std::vector<lines>& memory) {
    memory.emplace_back(port.tensor.bytes());
    OrtValue* value = nullptr;
    const auto type =
        port.tensor.type == element::f32 ? ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT : ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8;
    require(api().CreateTensorWithDataAsOrtValue(memory_, memory.back().data(), port.tensor.bytes(), port.shape.data(),
                                                 port.shape.size(), type, &value));
    values_.push_back(value);
    return value;
  }

  onnx::model model_;
  OrtSession* session_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
  OrtIoBinding* binding_ = nullptr;
  std::vector<lines> inputs_, outputs_;
  std::vector<OrtValue*> values_;
};

const registered_peer registered("onnxruntime", std::string("ONNX Runtime ") + OrtGetApiBase()->GetVersionString(),
                                 [](const description& network, int threads) -> std::unique_ptr<runner> {
                                   return std::make_unique<onnxruntime_runner>(network, threads);
                                 });

}  // namespace
