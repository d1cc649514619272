// compilation: builds a prepared model from a model, a device and options.
// Flow: the OH_NNCompilation functions fill and build it; executors run the result.
#pragma once

#include <nnrt/c_api/cache.hpp>
#include <nnrt/c_api/devices.hpp>
#include <nnrt/c_api/model.hpp>
#include <nnrt/io/file.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// Code for a failing device; API 9 has a separate one.
inline constexpr OH_NN_ReturnCode device_failure =
    api_level < 11 ? OH_NN_UNAVALIDABLE_DEVICE : OH_NN_UNAVAILABLE_DEVICE;

/// The device of this id. Since API 11, id 0 is the first device.
inline hal::device_registry::entry find_device(std::size_t id) {
  return api_level < 11 && id == 0 ? nullptr : device_of(id);
}

/// A prepared model and its device.
struct built_model {
  hal::prepared_model_handle ready;
  hal::device device;
  std::size_t device_id;
  const char* device_name;

  const hal::prepared_model& model() const { return ready.model(); }
};

/// Options of a compilation, checked when it is built.
struct compilation_options {
  const char* cache_directory = nullptr;
  std::uint32_t cache_version = 0;
  int performance_mode = OH_NN_PERFORMANCE_NONE;
  int priority = OH_NN_PRIORITY_NONE;
  bool float16 = false;
};

/// OH_NNCompilation.
class compilation : public compilation_options {
 public:
  static constexpr object kind = object::compilation;

  // Source: at most one of these is set.
  std::shared_ptr<const model_under_construction> network;  // shared: its handle may be destroyed before the build
  const char* offline_file = nullptr;
  array_ref<const std::byte> bytes;  // an offline model or an imported cache
  bool bytes_are_a_cache = false;

  std::size_t device_id = 0;
  bool has_device = false;
  std::vector<hal::extension> extensions;

  bool is_built() const { return built_.has_value(); }
  const built_model& built() const { return *built_; }

  OH_NN_ReturnCode build(const char* me) {
    const int sources = (network != nullptr) + (offline_file != nullptr) + (bytes.data() != nullptr);
    if (sources > 1)
      return fails(OH_NN_INVALID_PARAMETER,
                   {me, ": got ", sources,
                    " of a model, an offline model's file, and an offline model's or a cache's bytes, expected 1"});
    if (was_tried_)
      return fails(api_level < 11 ? OH_NN_OPERATION_FORBIDDEN : OH_NN_INVALID_PARAMETER,
                   {me, ": was called for this compilation before"});
    if (api_level < 11 && !has_device) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": no device was set"});
    const auto device = find_device(device_id);
    if (device == nullptr) return fails(OH_NN_FAILED, {me, ": no device ", device_id});
    was_tried_ = true;
    hal::preferences wanted;
    if (const OH_NN_ReturnCode code = resolve_options(me, device->device, wanted); code != OH_NN_SUCCESS) return code;
    const model_under_construction* const model = network.get();
    if (model != nullptr && !model->is_finished())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": the model is not finished"});
    mapped_file file;
    given_bytes given;
    if (const OH_NN_ReturnCode code = find_bytes(me, file, given); code != OH_NN_SUCCESS) return code;
    const cache_label label{device->name, wants_cache() ? fingerprint(model, given, wanted) : 0};
    outcome made = wants_cache() ? restore_from_directory(me, device->device, label, wanted) : outcome{};
    const bool is_restored = made.model.has_value();
    const std::vector<shared_bytes> of_others = std::move(made.of_others);
    if (made.code == OH_NN_SUCCESS && !is_restored)
      made = model != nullptr ? prepare_network(me, device->device, *model, wanted)
                              : prepare_bytes(me, *device, given, wanted);
    if (made.code != OH_NN_SUCCESS) return made.code;
    if (wants_cache() && !is_restored)
      if (const OH_NN_ReturnCode code = keep_in_directory(me, made.model->model(), label, of_others);
          code != OH_NN_SUCCESS)
        return code;
    built_.emplace(built_model{std::move(*made.model), device->device, device->id_by(names_of_devices), device->name});
    network.reset();  // the prepared model is independent of it
    return OH_NN_SUCCESS;
  }

  /// Exports the built model into a buffer of `length` bytes.
  OH_NN_ReturnCode export_to(const char* me, void* to, std::size_t length, std::size_t& written) const {
    const auto buffers = built_->model().exported();
    if (!buffers && buffers.error().code() == error_code::not_supported)
      return fails(OH_NN_UNSUPPORTED, {me, ": ", buffers.error().message()});
    if (!buffers)
      return buffers.error().code() == error_code::out_of_memory
                 ? refused(me, buffers.error())
                 : fails(OH_NN_FAILED, {me, ": ", buffers.error().message()});
    const byte_list all = bundle({built_->device_name, 0}, *buffers);
    if (all.size() > length)
      return fails(OH_NN_INVALID_PARAMETER,
                   {me, ": got ", length, " bytes for the cache, expected at least ", all.size()});
    std::memcpy(to, all.data(), all.size());
    written = all.size();
    return OH_NN_SUCCESS;
  }

  /// Whether options may be set. API 9 requires a device and no build before.
  OH_NN_ReturnCode allow_option(const char* me) const {
    if constexpr (api_level < 11) {
      if (is_built()) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the compilation is built"});
      if (!has_device) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": no device was set"});
    }
    return OH_NN_SUCCESS;
  }
  OH_NN_ReturnCode set_device(const char* me, std::size_t id) {
    if constexpr (api_level < 11) {
      if (is_built()) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the compilation is built"});
      if (const OH_NN_ReturnCode code = check_device(me, id); code != OH_NN_SUCCESS) return code;
    }
    device_id = id;
    has_device = true;
    return OH_NN_SUCCESS;
  }
  void add_extension(const char* name, array_ref<const std::byte> value) {
    for (hal::extension& known : extensions) {
      if (known.name != name) continue;
      known.value.push_back(std::byte{'|'});
      known.value.insert(known.value.end(), value.begin(), value.end());
      return;
    }
    extensions.push_back({name, {value.begin(), value.end()}});
  }

  OH_NN_ReturnCode check_cache(const char* me, const hal::device& device) const {
    if (!wants_cache()) return OH_NN_SUCCESS;
    const auto can = device.supported_features();
    if (!can) return fails(device_failure, {me, ": ", can.error().message()});
    return can->caching ? OH_NN_SUCCESS : fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the device keeps no cache"});
  }
  OH_NN_ReturnCode check_cache_directory(const char* me) const {
    const auto where = place();
    return where ? OH_NN_SUCCESS : fails(OH_NN_INVALID_PARAMETER, {me, ": ", where.error().message()});
  }
  OH_NN_ReturnCode check_float16(const char* me, const hal::device& device) const {
    if (!float16 && api_level >= 11) return OH_NN_SUCCESS;
    const auto can = device.supported_features();
    if (!can) return fails(device_failure, {me, ": ", can.error().message()});
    return can->float16 ? OH_NN_SUCCESS
                        : fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the device does not compute in float16"});
  }
  /// Checks the performance mode or the priority against the device's features. `is_chosen`: the program set it after
  /// the build, so that even "none" needs the feature.
  OH_NN_ReturnCode check_performance(const char* me, const hal::device& device, bool is_chosen = false) const {
    const auto can = device.supported_features();
    if (!can) return fails(OH_NN_FAILED, {me, ": ", can.error().message()});
    if (!can->performance && (is_chosen || performance_mode != OH_NN_PERFORMANCE_NONE))
      return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the device has no performance modes"});
    if (performance_mode < OH_NN_PERFORMANCE_NONE || performance_mode > OH_NN_PERFORMANCE_EXTREME)
      return fails(OH_NN_INVALID_PARAMETER, {me, ": got performance mode ", performance_mode, ", expected 0 to 4"});
    return OH_NN_SUCCESS;
  }
  OH_NN_ReturnCode check_priority(const char* me, const hal::device& device, bool is_chosen = false) const {
    const auto can = device.supported_features();
    if (!can) return fails(device_failure, {me, ": ", can.error().message()});
    if (!can->priority && (is_chosen || priority != OH_NN_PRIORITY_NONE))
      return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the device has no priorities"});
    if (priority < OH_NN_PRIORITY_NONE || priority > OH_NN_PRIORITY_HIGH)
      return fails(OH_NN_INVALID_PARAMETER, {me, ": got priority ", priority, ", expected 0 to 3"});
    return OH_NN_SUCCESS;
  }

 private:
  struct outcome {
    OH_NN_ReturnCode code = OH_NN_SUCCESS;
    std::optional<hal::prepared_model_handle> model = {};
    std::vector<shared_bytes> of_others = {};  // valid cache buffers of other machines
  };

  /// Bytes of an offline model or an imported cache, possibly 0; empty if the compilation has another source.
  using given_bytes = std::optional<array_ref<const std::byte>>;

  OH_NN_ReturnCode find_bytes(const char* me, mapped_file& file, given_bytes& given) const {
    if (bytes.data() != nullptr) given = bytes;
    if (offline_file == nullptr) return OH_NN_SUCCESS;
    if (const auto opened = file.map(offline_file, max_cache_file_bytes); !opened)
      return fails(OH_NN_FAILED, {me, ": ", opened.error().message()});
    given = file.bytes();
    return OH_NN_SUCCESS;
  }

  /// API 9: checks when the device is set that it supports the whole model.
  OH_NN_ReturnCode check_device(const char* me, std::size_t id) const {
    const auto device = find_device(id);
    if (device == nullptr) return fails(OH_NN_INVALID_PARAMETER, {me, ": no device ", id});
    const model_under_construction* const model = network.get();
    if (model == nullptr || !model->is_finished()) return OH_NN_SUCCESS;
    const auto refusals = model->refusals(device->device);
    if (!refusals) return refused(me, refusals.error());
    for (const std::string& why : *refusals)
      if (!why.empty()) return fails(OH_NN_FAILED, {me, ": ", why});
    const ir::graph& g = model->graph().graph;
    if (std::all_of(g.inputs.begin(), g.inputs.end(),
                    [&](std::int32_t input) { return g.at(input).desc.shape.is_known(); }))
      return OH_NN_SUCCESS;
    const auto can = device->device.supported_features();
    if (!can) return fails(device_failure, {me, ": ", can.error().message()});
    return can->dynamic_inputs ? OH_NN_SUCCESS
                               : fails(OH_NN_FAILED, {me, ": the device runs no models with unknown extents"});
  }

  bool wants_cache() const { return cache_directory != nullptr && *cache_directory != '\0'; }
  /// Hash of the source, or 0 if only the location of its cache is known.
  static std::uint64_t fingerprint(const model_under_construction* model, const given_bytes& given,
                                   const hal::preferences& wanted) {
    if (model != nullptr) return fingerprint_of(model->graph(), model->constants_digest(), wanted);
    return given ? fingerprint_of(*given, wanted) : 0;
  }

  OH_NN_ReturnCode resolve_options(const char* me, const hal::device& device, hal::preferences& wanted) const {
    if (const OH_NN_ReturnCode code = check_cache(me, device); code != OH_NN_SUCCESS) return code;
    if (const OH_NN_ReturnCode code = check_float16(me, device); float16 && code != OH_NN_SUCCESS) return code;
    if (const OH_NN_ReturnCode code = check_performance(me, device); code != OH_NN_SUCCESS) return code;
    if (const OH_NN_ReturnCode code = check_priority(me, device); code != OH_NN_SUCCESS) return code;
    wanted.speed = static_cast<hal::performance>(performance_mode);
    wanted.turn = static_cast<hal::priority>(priority);
    wanted.float16 = float16;
    wanted.extensions = extensions;
    return OH_NN_SUCCESS;
  }

  static outcome prepare_network(const char* me, const hal::device& device, const model_under_construction& model,
                                 const hal::preferences& wanted) {
    const auto refusals = model.refusals(device);
    if (!refusals) return {refused(me, refusals.error()), {}};
    for (const std::string& why : *refusals)
      if (!why.empty()) return {fails(OH_NN_FAILED, {me, ": ", why}), {}};
    return outcome_of(me, device.prepare(model.graph(), wanted));
  }

  /// Restores from bytes: a cache in a buffer, or an offline model. An exported cache is valid as either.
  outcome prepare_bytes(const char* me, const hal::device_registry::device_entry& on, const given_bytes& given,
                        const hal::preferences& wanted) const {
    if (!given)
      return {fails(OH_NN_INVALID_PARAMETER, {me, ": there is no model, no offline model and no cache to build from"}),
              {}};
    const hal::device& device = on.device;
    if (!bytes_are_a_cache && !is_bundle(*given)) return outcome_of(me, device.prepare_offline(*given, wanted));
    auto buffers = unbundle(on.name, *given);
    if (!buffers) return {fails(OH_NN_FAILED, {me, ": ", buffers.error().message()}), {}};
    return outcome_of(me, device.restore(*buffers, wanted));
  }

  // ---- The cache directory ----

  /// Version number that is reserved, as upstream uses it internally.
  static constexpr std::uint32_t reserved_version = std::numeric_limits<std::uint32_t>::max();
  static OH_NN_ReturnCode refuse_reserved_version(const char* me) {
    return fails(OH_NN_INVALID_PARAMETER,
                 {me, ": cache version: got ", reserved_version, ", expected at most ", reserved_version - 1});
  }

  /// Number of files after a device's buffers: the lists of inputs and outputs. API 9 has none.
  static constexpr std::size_t further_files = api_level < 11 ? 0 : 2;

  /// Limit of kept buffers of other machines that share the directory. It bounds the number of instruction sets, and of
  /// buffers that drivers never restore.
  static constexpr std::size_t max_buffers_of_others = 8;

  /// Whether the stored lists of inputs and outputs equal the restored model's.
  static bool has_ends_of(const std::vector<shared_bytes>& files, const hal::prepared_model& restored) {
    if constexpr (further_files > 0)
      for (const bool inputs : {true, false}) {
        const array_ref<const std::byte> stored = files[files.size() - (inputs ? 2 : 1)].bytes();
        const byte_list expected = described_ends(restored, inputs);
        if (!std::equal(stored.begin(), stored.end(), expected.begin(), expected.end())) return false;
      }
    return true;
  }

  result<cache_place> place() const {
    std::string_view prefix;
    for (const hal::extension& known : extensions)
      if (known.name == "ModelName") prefix = {reinterpret_cast<const char*>(known.value.data()), known.value.size()};
    while (!prefix.empty() && prefix.back() == '\0') prefix.remove_suffix(1);
    return place_in(cache_directory, prefix);
  }

  /// Restores a model from the directory. No model: no usable cache. An error code ends the build.
  outcome restore_from_directory(const char* me, const hal::device& device, const cache_label& label,
                                 const hal::preferences& wanted) const {
    const auto where = place();
    if (!where || cache_version == reserved_version) {
      if (network != nullptr) return {};
      return {where ? refuse_reserved_version(me) : fails(OH_NN_INVALID_PARAMETER, {me, ": ", where.error().message()}),
              {}};
    }
    found_cache found = look_up(*where, label, cache_version);
    if (found.state == cache_state::newer) return {fails(OH_NN_OPERATION_FORBIDDEN, {me, ": ", found.why}), {}};
    if (found.state == cache_state::usable) {
      const std::size_t own = found.files.size() - std::min(found.files.size(), further_files);
      auto restored = device.restore_kept({found.files.data(), own}, wanted);
      if (restored && found.files.size() == own + further_files && has_ends_of(found.files, restored->model()))
        return {OH_NN_SUCCESS, std::move(*restored)};
      if (!restored && restored.error().code() == error_code::out_of_memory && network == nullptr)
        return {refused(me, restored.error()), {}};
      found.why = restored ? "the device restored a model with other inputs or outputs" : restored.error().message();
      if (!restored && restored.error().code() == error_code::not_supported && own < max_buffers_of_others)
        found.files.resize(own);
      else found.files.clear();
    }
    log({me, ": no cache: ", found.why});
    if constexpr (api_level < 11) {
      if (found.state == cache_state::of_another_device) return {OH_NN_INVALID_PARAMETER, {}};
      if (found.state == cache_state::missing && ::access(where->info().c_str(), F_OK) == 0)
        return {OH_NN_INVALID_FILE, {}};
    }
    return {OH_NN_SUCCESS, {}, std::move(found.files)};
  }

  /// Buffers to store in the directory: the prepared model's, then those of other machines that share it. Without the
  /// latter, machines would keep replacing each other's cache.
  static result<byte_lists> buffers_of(const hal::prepared_model& made, const std::vector<shared_bytes>& of_others) {
    auto buffers = made.exported();
    if (!buffers) return buffers;
    if (buffers->empty() || buffers->size() > max_cache_files - further_files)
      return fail(error_code::device_failed, {"the device exports ", buffers->size(), " buffers, expected 1 to ",
                                              max_cache_files - further_files});
    for (const shared_bytes& other : of_others)
      if (buffers->size() < max_cache_files - further_files)
        buffers->emplace_back(other.bytes().begin(), other.bytes().end());
    if constexpr (further_files > 0)
      for (const bool inputs : {true, false}) buffers->push_back(described_ends(made, inputs));
    return buffers;
  }

  /// Stores the prepared model in the directory. An invalid location and a newer cache are errors. Other failures are
  /// only logged, as the model is prepared.
  OH_NN_ReturnCode keep_in_directory(const char* me, const hal::prepared_model& made, const cache_label& label,
                                     const std::vector<shared_bytes>& of_others) const {
    if (cache_version == reserved_version) return refuse_reserved_version(me);
    const auto where = place();
    if (!where) return fails(OH_NN_INVALID_PARAMETER, {me, ": ", where.error().message()});
    return guarded(me, OH_NN_SUCCESS, [&](const char* function) {
      const auto buffers = buffers_of(made, of_others);
      if (!buffers)
        return fails(OH_NN_SUCCESS, {function, ": nothing was kept in the cache: ", buffers.error().message()});
      const auto stored = store(*where, label, cache_version, *buffers);
      if (stored) return OH_NN_SUCCESS;
      if (stored.error().code() == error_code::invalid_argument)
        return fails(OH_NN_OPERATION_FORBIDDEN, {function, ": ", stored.error().message()});  // a newer one exists
      return fails(OH_NN_SUCCESS, {function, ": nothing was kept in the cache: ", stored.error().message()});
    });
  }

  static OH_NN_ReturnCode refused(const char* me, const error& why) {
    const bool is_memory = why.code() == error_code::out_of_memory, is_device = why.code() == error_code::device_failed;
    return fails(is_memory ? OH_NN_MEMORY_ERROR : is_device ? device_failure : OH_NN_FAILED, {me, ": ", why.message()});
  }
  static outcome outcome_of(const char* me, result<hal::prepared_model_handle>&& made) {
    if (!made) return {refused(me, made.error()), {}};
    return {OH_NN_SUCCESS, std::move(*made)};
  }

  bool was_tried_ = false;
  std::optional<built_model> built_;
};

}}}  // namespace nnrt::NNRT_ISA::c_api
