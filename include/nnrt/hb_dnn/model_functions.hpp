// model_functions: the functions hbDNNInitialize..., hbDNNRelease and hbDNNGet..., which load and describe models.
// Flow: part of hb_dnn.hpp; contract in dnn/hb_dnn.h and dnn/hb_dnn_ext.h.
#pragma once

#include <nnrt/hb_dnn/models.hpp>
#include <nnrt/hb_dnn/runtime.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// Whether HB_DNN_SIM_PLATFORM names this architecture, or is not set. BAYES includes X5's bayes_e.
inline bool is_simulated(std::string_view architecture) {
  const char* const platform = std::getenv("HB_DNN_SIM_PLATFORM");
  if (platform == nullptr || *platform == '\0') return true;
  const std::string_view named = platform;
  if (named == "BERNOULLI2") return architecture == "bernoulli2";
  if (named == "BAYES") return architecture == "bayes" || architecture == "bayes_e";
  return named == "BAYES_E" && architecture == "bayes_e";
}

/// The first model of an architecture that differs from the other models' or from the simulated one:
/// HB_DNN_SIM_PLATFORM's, else the loaded models'. Null: none. The caller holds runtime::admission.
inline const loaded_model* find_incompatible(const packed_models& made) {
  const accelerator* simulated = made.models.front()->table;
  for (const auto& [handle, other] : runtime::the().packed.all()) simulated = other->models.front()->table;
  for (const auto& each : made.models)
    if (each->table != simulated || !is_simulated(each->table->name)) return each.get();
  return nullptr;
}

/// Loads the models of a file into memory: clients may replace the file while its models are loaded, as on boards.
inline result<std::vector<saved_model>> load_copied(const char* path) {
  const auto file = mapped_file::open(path);
  if (!file) return fail(file.error());
  auto made = load_models(file->bytes());
  if (!made) return fail(std::move(made.error()).in(path));
  return made;
}

/// Makes a packed handle of `count` files; load(i) reads one.
template <class Load>
std::int32_t load_packed(const char* me, hbPackedDNNHandle_t* handle, std::int32_t count, Load load) {
  auto made = std::make_shared<packed_models>();
  for (std::int32_t i = 0; i < count; ++i) {
    result<std::vector<saved_model>> networks = load(i);
    if (!networks) return fails(code_of_loading(networks.error()), {me, ": ", networks.error().message()});
    if (made->models.size() + networks->size() > max_models)
      return fails(HB_DNN_MODEL_NUMBER_EXCEED_LIMIT,
                   {me, ": got ", made->models.size() + networks->size(), " models, expected at most ", max_models});
    if (auto ok = made->add(*networks); !ok)
      return fails(code_of_loading(ok.error()), {me, ": ", ok.error().message()});
  }
  runtime& all = runtime::the();
  std::unique_lock lock(all.admission);
  if (const loaded_model* const other = find_incompatible(*made)) {
    lock.unlock();  // the log function may load models
    return fails(HB_DNN_INCOMPATIBLE_MODEL,
                 {me, ": ", piece::in_quotes(other->name), ": got a model compiled for ", other->table->name,
                  ", expected the architecture of HB_DNN_SIM_PLATFORM, or of the models that are loaded"});
  }
  // If memory runs out in between, no model must be left with a handle that the client does not know.
  const auto forget = [](packed_models* models) {
    for (void* const model : models->handles) (void)runtime::the().models.take(model);
  };
  std::unique_ptr<packed_models, decltype(forget)> undo(made.get(), forget);
  made->handles.reserve(made->models.size());
  for (const auto& each : made->models)
    made->handles.push_back(all.models.add(std::make_shared<model_entry>(model_entry{each, made})));
  *handle = all.packed.add(made);
  (void)undo.release();
  return HB_DNN_SUCCESS;
}

/// Runs body(model) for a live handle.
template <class Body>
std::int32_t on_model(const char* me, const void* handle, const c_api::argument& to_be_set, Body body) noexcept {
  return coded(me, [&](const char* function) -> std::int32_t {
    if (misses(function, {to_be_set})) return HB_DNN_INVALID_ARGUMENT;
    const auto found = runtime::the().models.find(handle);
    if (found == nullptr) return fails(HB_DNN_INVALID_DNN_HANDLE, {function, ": no such model, or it was released"});
    return body(*found->model);
  });
}
/// Runs body(spec) for input or output `index` of a live handle.
template <class Body>
std::int32_t with_spec(const char* me, const void* handle, bool is_input, std::int32_t index,
                       const c_api::argument& to_be_set, Body body) noexcept {
  return on_model(me, handle, to_be_set, [&](const loaded_model& model) -> std::int32_t {
    const auto& list = is_input ? model.inputs : model.outputs;
    if (index < 0 || static_cast<std::size_t>(index) >= list.size())
      return fails(HB_DNN_INVALID_ARGUMENT, {me, is_input ? ": input " : ": output ", index, " of ", list.size()});
    body(list[static_cast<std::size_t>(index)]);
    return HB_DNN_SUCCESS;
  });
}
/// Runs body(packed models) for a live handle.
template <class Body>
std::int32_t on_packed(const char* me, const void* handle, std::initializer_list<c_api::argument> given,
                       Body body) noexcept {
  return coded(me, [&](const char* function) -> std::int32_t {
    if (misses(function, given)) return HB_DNN_INVALID_ARGUMENT;
    const auto found = runtime::the().packed.find(handle);
    if (found == nullptr)
      return fails(HB_DNN_INVALID_PACKED_DNN_HANDLE, {function, ": no such models, or they were released"});
    return body(*found);
  });
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn

NNRT_C_API const char* hbDNNGetVersion(void) { return "1.1.0"; }

// ---- Loading ----

// NOLINTBEGIN(readability-identifier-naming): parameters are named as in the C header.

NNRT_C_API int32_t hbDNNInitializeFromFiles(hbPackedDNNHandle_t* packedDNNHandle, const char** modelFileNames,
                                            int32_t modelFileCount) {
  using namespace nnrt::hb_dnn;
  return coded("hbDNNInitializeFromFiles", [&](const char* me) -> int32_t {
    if (misses(me, {{"packedDNNHandle", packedDNNHandle}, {"modelFileNames", modelFileNames}}))
      return HB_DNN_INVALID_ARGUMENT;
    if (modelFileCount < 1)
      return fails(HB_DNN_INVALID_ARGUMENT, {me, ": modelFileCount: got ", modelFileCount, ", expected at least 1"});
    for (int32_t i = 0; i < modelFileCount; ++i)
      if (modelFileNames[i] == nullptr)
        return fails(HB_DNN_INVALID_ARGUMENT, {me, ": modelFileNames[", i, "] is null"});
    return load_packed(me, packedDNNHandle, modelFileCount, [&](int32_t i) { return load_copied(modelFileNames[i]); });
  });
}
NNRT_C_API int32_t hbDNNInitializeFromDDR(hbPackedDNNHandle_t* packedDNNHandle, const void** modelData,
                                          int32_t* modelDataLengths, int32_t modelDataCount) {
  using namespace nnrt::hb_dnn;
  return coded("hbDNNInitializeFromDDR", [&](const char* me) -> int32_t {
    if (misses(
            me,
            {{"packedDNNHandle", packedDNNHandle}, {"modelData", modelData}, {"modelDataLengths", modelDataLengths}}))
      return HB_DNN_INVALID_ARGUMENT;
    if (modelDataCount < 1)
      return fails(HB_DNN_INVALID_ARGUMENT, {me, ": modelDataCount: got ", modelDataCount, ", expected at least 1"});
    for (int32_t i = 0; i < modelDataCount; ++i) {
      if (modelData[i] == nullptr) return fails(HB_DNN_INVALID_ARGUMENT, {me, ": modelData[", i, "] is null"});
      if (modelDataLengths[i] < 1)
        return fails(HB_DNN_INVALID_ARGUMENT,
                     {me, ": modelDataLengths[", i, "]: got ", modelDataLengths[i], ", expected at least 1"});
    }
    return load_packed(me, packedDNNHandle, modelDataCount, [&](int32_t i) {
      return nnrt::load_models(
          std::span(static_cast<const std::byte*>(modelData[i]), static_cast<std::size_t>(modelDataLengths[i])));
    });
  });
}
NNRT_C_API int32_t hbDNNRelease(hbPackedDNNHandle_t packedDNNHandle) {
  using namespace nnrt::hb_dnn;
  return on_packed("hbDNNRelease", packedDNNHandle, {}, [&](const packed_models& models) -> int32_t {
    runtime& all = runtime::the();
    std::unique_lock lock(all.admission);
    if (all.runs(models)) {
      lock.unlock();  // the log function may release the task
      return fails(HB_DNN_MODEL_IS_RUNNING, {"hbDNNRelease: a task of its models has not been released"});
    }
    if (all.packed.take(packedDNNHandle) == nullptr)
      return fails(HB_DNN_INVALID_PACKED_DNN_HANDLE, {"hbDNNRelease: no such models, or they were released"});
    for (void* const each : models.handles) (void)all.models.take(each);
    return HB_DNN_SUCCESS;
  });
}
NNRT_C_API int32_t hbDNNGetModelNameList(const char*** modelNameList, int32_t* modelNameCount,
                                         hbPackedDNNHandle_t packedDNNHandle) {
  return nnrt::hb_dnn::on_packed("hbDNNGetModelNameList", packedDNNHandle,
                                 {{"modelNameList", modelNameList}, {"modelNameCount", modelNameCount}},
                                 [&](nnrt::hb_dnn::packed_models& models) -> int32_t {
                                   *modelNameList = models.names.data();
                                   *modelNameCount = static_cast<int32_t>(models.names.size());
                                   return HB_DNN_SUCCESS;
                                 });
}
NNRT_C_API int32_t hbDNNGetModelHandle(hbDNNHandle_t* dnnHandle, hbPackedDNNHandle_t packedDNNHandle,
                                       const char* modelName) {
  using namespace nnrt::hb_dnn;
  return on_packed("hbDNNGetModelHandle", packedDNNHandle, {{"dnnHandle", dnnHandle}, {"modelName", modelName}},
                   [&](const packed_models& models) -> int32_t {
                     for (std::size_t i = 0; i < models.names.size(); ++i)
                       if (models.models[i]->name == modelName) return *dnnHandle = models.handles[i], HB_DNN_SUCCESS;
                     return fails(HB_DNN_INVALID_ARGUMENT,
                                  {"hbDNNGetModelHandle: no model is called ", nnrt::piece::in_quotes(modelName)});
                   });
}

// ---- Queries ----

NNRT_C_API int32_t hbDNNGetInputCount(int32_t* inputCount, hbDNNHandle_t dnnHandle) {
  return nnrt::hb_dnn::on_model("hbDNNGetInputCount", dnnHandle, {"inputCount", inputCount},
                                [&](const auto& model) -> int32_t {
                                  *inputCount = static_cast<int32_t>(model.inputs.size());
                                  return HB_DNN_SUCCESS;
                                });
}
NNRT_C_API int32_t hbDNNGetOutputCount(int32_t* outputCount, hbDNNHandle_t dnnHandle) {
  return nnrt::hb_dnn::on_model("hbDNNGetOutputCount", dnnHandle, {"outputCount", outputCount},
                                [&](const auto& model) -> int32_t {
                                  *outputCount = static_cast<int32_t>(model.outputs.size());
                                  return HB_DNN_SUCCESS;
                                });
}
NNRT_C_API int32_t hbDNNGetInputName(const char** name, hbDNNHandle_t dnnHandle, int32_t inputIndex) {
  return nnrt::hb_dnn::with_spec("hbDNNGetInputName", dnnHandle, true, inputIndex, {"name", name},
                                 [&](const auto& spec) { *name = spec.name.c_str(); });
}
NNRT_C_API int32_t hbDNNGetOutputName(const char** name, hbDNNHandle_t dnnHandle, int32_t outputIndex) {
  return nnrt::hb_dnn::with_spec("hbDNNGetOutputName", dnnHandle, false, outputIndex, {"name", name},
                                 [&](const auto& spec) { *name = spec.name.c_str(); });
}
NNRT_C_API int32_t hbDNNGetInputTensorProperties(hbDNNTensorProperties* properties, hbDNNHandle_t dnnHandle,
                                                 int32_t inputIndex) {
  return nnrt::hb_dnn::with_spec("hbDNNGetInputTensorProperties", dnnHandle, true, inputIndex,
                                 {"properties", properties}, [&](const auto& spec) { *properties = spec.properties; });
}
NNRT_C_API int32_t hbDNNGetOutputTensorProperties(hbDNNTensorProperties* properties, hbDNNHandle_t dnnHandle,
                                                  int32_t outputIndex) {
  return nnrt::hb_dnn::with_spec("hbDNNGetOutputTensorProperties", dnnHandle, false, outputIndex,
                                 {"properties", properties}, [&](const auto& spec) { *properties = spec.properties; });
}
NNRT_C_API int32_t hbDNNGetInputSource(int32_t* source, hbDNNHandle_t dnnHandle, int32_t inputIndex) {
  return nnrt::hb_dnn::with_spec(
      "hbDNNGetInputSource", dnnHandle, true, inputIndex, {"source", source}, [&](const auto& spec) {
        const bool is_of_camera = spec.given.is_image && nnrt::hb_dnn::is_nv12(spec.properties.tensorType);
        *source = spec.from_resizer() ? HB_DNN_INPUT_FROM_RESIZER
                  : is_of_camera      ? HB_DNN_INPUT_FROM_PYRAMID
                                      : HB_DNN_INPUT_FROM_DDR;
      });
}

// NOLINTEND(readability-identifier-naming)
