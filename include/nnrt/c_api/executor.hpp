// executor: runs a compilation - on tensors passed to each run, or on inputs and outputs that are set before.
// Flow: the OH_NNExecutor functions call it; it calls the device's execution.
#pragma once

#include <nnrt/c_api/background.hpp>
#include <nnrt/c_api/compilation.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// An OH_NN_Memory. While it exists, every executor of its device may use it as an input or output; it is found by its
/// unique address.
class memory_of_executor {
 public:
  OH_NN_Memory seen;

  memory_of_executor(hal::shared_memory&& of, std::size_t length, std::size_t device)
      : seen{of.data(), length}, memory_(std::move(of)), device_id_(device) {}
  memory_of_executor(const memory_of_executor&) = delete;
  memory_of_executor& operator=(const memory_of_executor&) = delete;
  ~memory_of_executor() {
    table& all = everyones();
    const std::lock_guard lock(all.mutex);
    all.by_address.erase(seen.data);  // first: after the bytes are freed another memory may have this address
  }

  static std::shared_ptr<memory_of_executor> make(hal::shared_memory&& of, std::size_t length, std::size_t device) {
    auto made = std::make_shared<memory_of_executor>(std::move(of), length, device);
    table& all = everyones();
    const std::lock_guard lock(all.mutex);
    all.by_address.emplace(made->seen.data, made);
    return made;
  }
  /// The memory of this device at this address; empty if none was allocated or it is destroyed.
  static std::weak_ptr<memory_of_executor> find(const void* data, std::size_t device) {
    table& all = everyones();
    // may become the last reference: its destructor takes the lock, so release it outside
    std::shared_ptr<memory_of_executor> memory;
    {
      const std::lock_guard lock(all.mutex);
      if (const auto found = all.by_address.find(data); found != all.by_address.end()) memory = found->second.lock();
    }
    return memory != nullptr && memory->device_id_ == device ? memory : nullptr;
  }

 private:
  struct table {
    std::mutex mutex;
    std::unordered_map<const void*, std::weak_ptr<memory_of_executor>> by_address;
  };
  static table& everyones() {
    static nnrt::detail::kept<table> one;
    return one.value;
  }

  hal::shared_memory memory_;
  std::size_t device_id_;
};

/// An input or output set for OH_NNExecutor_Run.
struct bound_end {
  bool is_set = false;
  std::vector<std::byte> copied;  // by OH_NNExecutor_SetInput
  void* borrowed = nullptr;       // by OH_NNExecutor_SetOutput
  // by the functions ...WithMemory; `shared` is empty after the memory is destroyed
  bool is_shared = false;
  std::weak_ptr<memory_of_executor> shared;
  std::size_t bytes = 0;  // that a run may read or write
  shape_t shape;          // of an input

  /// Uses a device's memory, or none (null).
  void share(const OH_NN_Memory* memory, std::size_t device) {
    is_shared = memory != nullptr;
    shared = is_shared ? memory_of_executor::find(memory->data, device) : std::weak_ptr<memory_of_executor>();
  }
};

/// Code for an output that is too small for the result; only OH_NNExecutor_Run can return it.
inline constexpr OH_NN_ReturnCode too_small_output = api_level < 11 ? OH_NN_FAILED : OH_NN_INVALID_PARAMETER;

/// OH_NNExecutor.
class executor_of_compilation {
 public:
  static constexpr object kind = object::executor;

  executor_of_compilation(const built_model& of, std::unique_ptr<hal::checked_execution> runs)
      : built_(of),
        execution_(std::move(runs)),
        inputs_(of.model().input_count()),
        outputs_(of.model().output_count()) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) ranges_.push_back(hal::input_range_of(of.model(), i));
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      output_shapes_.push_back(as_extents(of.model().output_desc(i).shape));
    min_.resize(inputs_.size()), max_.resize(inputs_.size());
  }
  executor_of_compilation(const executor_of_compilation&) = delete;
  executor_of_compilation& operator=(const executor_of_compilation&) = delete;

  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  std::vector<std::int32_t>& output_shape(std::size_t i) { return output_shapes_[i]; }
  bool has_run() const { return has_run_; }

  /// Makes a description of an input or output.
  tensor_description describe(bool is_input, std::size_t i) const {
    const tensor_desc& desc = is_input ? built_.model().input_desc(i) : built_.model().output_desc(i);
    tensor_description made;
    made.type = static_cast<OH_NN_DataType>(desc.type);
    made.format = OH_NN_FORMAT_NHWC;
    made.shape = as_extents(desc.shape);
    made.is_scalar = desc.rank() == 0;
    made.name = std::string(is_input ? built_.model().input_name(i) : built_.model().output_name(i));
    return made;
  }

  OH_NN_ReturnCode range_of(const char* me, std::size_t i, std::size_t** least, std::size_t** most, std::size_t* rank) {
    for (const auto& range : ranges_)
      if (!range) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": ", range.error().message()});
    if (i >= ranges_.size()) return fails(OH_NN_INVALID_PARAMETER, {me, ": input ", i, " of ", ranges_.size()});
    min_[i].assign(ranges_[i]->least.begin(), ranges_[i]->least.end());
    max_[i].assign(ranges_[i]->most.begin(), ranges_[i]->most.end());
    *least = min_[i].data(), *most = max_[i].data(), *rank = min_[i].size();
    return OH_NN_SUCCESS;
  }

  // ---- Runs on tensors that are passed ----

  OH_NN_ReturnCode allow_asynchronous(const char* me) const {
    const auto can = built_.device.supported_features();
    return can && can->asynchronous ? OH_NN_SUCCESS
                                    : fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the device runs synchronously only"});
  }

  OH_NN_ReturnCode run(const char* me, NN_Tensor* const* inputs, std::size_t input_count, NN_Tensor* const* outputs,
                       std::size_t output_count, std::int64_t deadline = no_deadline) {
    background_.wait();
    if (const OH_NN_ReturnCode code = gather(me, inputs, input_count, outputs, output_count, arguments_);
        code != OH_NN_SUCCESS)
      return code;
    error_code why{};
    return run(me, arguments_, deadline, why);
  }

  NN_OnRunDone on_run_done = nullptr;
  NN_OnServiceDied on_service_died = nullptr;

  /// Starts a run in another thread. One run at a time: a second call waits for the first to end.
  OH_NN_ReturnCode start(const char* me, NN_Tensor** inputs, std::size_t input_count, NN_Tensor** outputs,
                         std::size_t output_count, std::int32_t timeout, void* user) {
    background_.wait();
    asynchronous_run next;
    next.tensors = std::move(spare_);
    if (const OH_NN_ReturnCode code = gather(me, inputs, input_count, outputs, output_count, next.tensors);
        code != OH_NN_SUCCESS)
      return code;
    next.deadline = timeout > 0 ? steady_now() + std::int64_t{timeout} * 1'000'000 : no_deadline;
    next.user = user;
    next.handed.assign(outputs, outputs + output_count);
    next_ = std::move(next);
    background_.begin();
    return OH_NN_SUCCESS;
  }

  // ---- API 9: inputs and outputs that are set before a run ----

  OH_NN_ReturnCode set_input(const char* me, std::size_t i, const OH_NN_Tensor& tensor, const void* data,
                             std::size_t length, const OH_NN_Memory* memory) {
    std::size_t bytes = 0;
    if (const OH_NN_ReturnCode code = check_input(me, i, tensor, bytes); code != OH_NN_SUCCESS) return code;
    if (length < bytes)
      return fails(OH_NN_INVALID_PARAMETER, {me, ": input ", i, ": got ", length, " bytes, expected at least ", bytes});
    bound_end& end = inputs_[i];
    std::vector<std::byte> copy;
    if (data != nullptr) copy.assign(static_cast<const std::byte*>(data), static_cast<const std::byte*>(data) + bytes);
    end.copied = std::move(copy);
    end.share(memory, built_.device_id);
    end.bytes = bytes;
    end.shape = {};
    for (std::uint32_t axis = 0; axis < tensor.dimensionCount; ++axis) end.shape.push_back(tensor.dimensions[axis]);
    end.is_set = true;
    if constexpr (api_level < 11) has_run_ = false;
    return OH_NN_SUCCESS;
  }

  OH_NN_ReturnCode set_output(const char* me, std::size_t i, void* data, std::size_t length,
                              const OH_NN_Memory* memory) {
    if (i >= outputs_.size()) return fails(OH_NN_INVALID_PARAMETER, {me, ": output ", i, " of ", outputs_.size()});
    const std::int64_t bytes = built_.model().output_desc(i).bytes();
    if (length == 0 || (bytes > 0 && length < static_cast<std::size_t>(bytes)))
      return fails(OH_NN_INVALID_PARAMETER,
                   {me, ": output ", i, ": got ", length, " bytes, expected at least ", bytes > 0 ? bytes : 1});
    bound_end& end = outputs_[i];
    end.borrowed = data;
    end.share(memory, built_.device_id);
    end.bytes = length;
    end.is_set = true;
    if constexpr (api_level < 11) has_run_ = false;
    return OH_NN_SUCCESS;
  }

  OH_NN_ReturnCode run_set(const char* me) {
    background_.wait();
    arguments_.clear();
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (const OH_NN_ReturnCode code = add(me, "input", i, inputs_[i], arguments_.inputs); code != OH_NN_SUCCESS)
        return code;
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (const OH_NN_ReturnCode code = add(me, "output", i, outputs_[i], arguments_.outputs); code != OH_NN_SUCCESS)
        return code;
    const auto done = execution_->run(arguments_.inputs, arguments_.outputs, no_deadline);
    if (!done)
      return fails(done.error().code() == error_code::out_of_memory ? OH_NN_MEMORY_ERROR
                   : is_too_small(arguments_.outputs)               ? too_small_output
                                                                    : device_failure,
                   {me, ": ", done.error().message()});
    keep_shapes(arguments_.outputs);
    return OH_NN_SUCCESS;
  }

  OH_NN_Memory* allocate(const char* me, bool is_input, std::size_t i, std::size_t length) {
    const std::size_t count = is_input ? inputs_.size() : outputs_.size();
    if (i >= count) return log({me, is_input ? ": input " : ": output ", i, " of ", count}), nullptr;
    if (length == 0 || length > max_shared_bytes)
      return log({me, ": got ", length, " bytes, expected 1 to ", max_shared_bytes}), nullptr;
    auto memory = built_.device.allocate(length);
    if (!memory) return log({me, ": ", memory.error().message()}), nullptr;
    const std::lock_guard lock(memories_mutex_);
    auto& all = is_input ? input_memories_ : output_memories_;
    all.push_back({i, memory_of_executor::make(std::move(*memory), length, built_.device_id)});
    return &all.back().memory->seen;
  }
  void free(const char* me, bool is_input, std::size_t i, OH_NN_Memory** memory) {
    if (forget(is_input, i, *memory)) *memory = nullptr;
    else
      log({me, ": *memory was not allocated for ", is_input ? "input " : "output ", i,
           " of this executor, or was destroyed"});  // the log function may allocate memory
  }

 private:
  /// Shared memory and the input or output that it was allocated for.
  struct owned_memory {
    std::size_t end;
    std::shared_ptr<memory_of_executor> memory;
  };
  /// False: it was not allocated for this input or output.
  bool forget(bool is_input, std::size_t i, const OH_NN_Memory* memory) {
    const std::lock_guard lock(memories_mutex_);
    auto& all = is_input ? input_memories_ : output_memories_;
    return std::erase_if(all, [&](const owned_memory& one) { return one.end == i && &one.memory->seen == memory; }) !=
           0;
  }
  struct tensors_of_run {
    std::vector<hal::argument> inputs, outputs;
    std::vector<tensor_in_memory*> results;
    void clear() { inputs.clear(), outputs.clear(), results.clear(); }
  };

  struct asynchronous_run {
    tensors_of_run tensors;
    std::int64_t deadline = no_deadline;
    void* user = nullptr;
    std::vector<void*> handed;  // handles of the outputs
  };
  /// The background job. Callbacks may start the next run or destroy the executor, so nothing is accessed after the
  /// last callback.
  static void run_next(void* executor) noexcept {
    auto& me = *static_cast<executor_of_compilation*>(executor);
    asynchronous_run now = std::move(me.next_);
    error_code why{};
    const OH_NN_ReturnCode code = coded("OH_NNExecutor_RunAsync", [&](const char* function) {
      return me.run(function, now.tensors, now.deadline, why);
    });
    me.spare_ = std::move(now.tensors);
    const NN_OnRunDone done = me.on_run_done;
    if (why == error_code::device_failed && me.on_service_died != nullptr) me.on_service_died(now.user);
    if (done != nullptr) done(now.user, code, now.handed.data(), static_cast<std::int32_t>(now.handed.size()));
  }

  /// Does not allocate if `extents` has had this rank before.
  static void put_extents(const shape_t& shape, std::vector<std::int32_t>& extents) {
    extents.clear();
    for (const std::int64_t extent : shape) extents.push_back(static_cast<std::int32_t>(extent));
  }
  static std::vector<std::int32_t> as_extents(const shape_t& shape) {
    std::vector<std::int32_t> extents;
    put_extents(shape, extents);
    return extents;
  }

  /// Whether the device accepts this shape for input i.
  bool lies_in_range(std::size_t i, const shape_t& shape) const {
    if (!ranges_[i]) return true;
    const hal::extent_range& range = *ranges_[i];
    if (shape.rank != range.least.rank) return false;
    for (int axis = 0; axis < shape.rank; ++axis)
      if (shape[axis] < range.least[axis] || shape[axis] > range.most[axis]) return false;
    return true;
  }

  /// The error for a shape outside the range.
  OH_NN_ReturnCode refuse_shape(const char* me, std::size_t i, const shape_t& got) const {
    const hal::extent_range& range = *ranges_[i];
    if (range.least == range.most)
      return fails(OH_NN_INVALID_PARAMETER, {me, ": input ", i, ": got shape ", got, ", expected ", range.least});
    return fails(OH_NN_INVALID_PARAMETER,
                 {me, ": input ", i, ": got shape ", got, ", expected ", range.least, " to ", range.most});
  }

  static shape_t shape_of(const std::vector<std::int32_t>& extents) {
    shape_t shape;
    for (const std::int32_t extent : extents) shape.push_back(extent);
    return shape;
  }

  OH_NN_ReturnCode gather(const char* me, NN_Tensor* const* inputs, std::size_t input_count, NN_Tensor* const* outputs,
                          std::size_t output_count, tensors_of_run& made) const {
    made.clear();
    if (input_count != inputs_.size() || output_count != outputs_.size())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": got ", input_count, " inputs and ", output_count,
                                             " outputs, expected ", inputs_.size(), " and ", outputs_.size()});
    for (std::size_t i = 0; i < input_count; ++i) {
      const auto* const tensor = alive<tensor_in_memory>(inputs[i]);
      if (tensor == nullptr)
        return fails(ranges_[i] ? OH_NN_NULL_PTR : OH_NN_INVALID_PARAMETER,
                     {me, ": input ", i, " is null, was destroyed or is no tensor"});
      shape_t shape = shape_of(tensor->desc.shape);
      // programs cannot describe a scalar: they pass shape [1]
      if (shape.rank == 1 && shape[0] == 1 && built_.model().input_desc(i).rank() == 0) shape = {};
      if (const std::size_t axes = tensor->desc.shape.size(); axes > static_cast<std::size_t>(max_rank))
        return fails(OH_NN_INVALID_PARAMETER,
                     {me, ": input ", i, ": got rank ", axes, ", expected ", built_.model().input_desc(i).rank()});
      if (!lies_in_range(i, shape)) return refuse_shape(me, i, shape);
      made.inputs.push_back({tensor->memory.data(), tensor->room(), shape});
    }
    for (std::size_t i = 0; i < output_count; ++i) {
      auto* const tensor = alive<tensor_in_memory>(outputs[i]);
      if (tensor == nullptr)
        return fails(OH_NN_INVALID_PARAMETER, {me, ": output ", i, " is null, was destroyed or is no tensor"});
      made.outputs.push_back({tensor->memory.data(), tensor->room(), {}});
      made.results.push_back(tensor);
    }
    for (std::size_t i = 0; i < input_count; ++i)
      if (const OH_NN_ReturnCode code = check_room(me, "input", i, *alive<tensor_in_memory>(inputs[i]));
          code != OH_NN_SUCCESS)
        return code;
    for (std::size_t i = 0; i < output_count; ++i)
      if (const OH_NN_ReturnCode code = check_room(me, "output", i, *made.results[i]); code != OH_NN_SUCCESS)
        return code;
    return OH_NN_SUCCESS;
  }
  static OH_NN_ReturnCode check_room(const char* me, const char* what, std::size_t i, const tensor_in_memory& tensor) {
    std::size_t bytes = 0;
    if (const std::string fault = fault_of_size(tensor.desc, bytes); !fault.empty())
      return fails(OH_NN_FAILED, {me, ": ", what, " ", i, ": ", fault});
    if (tensor.room() < bytes)
      return fails(OH_NN_FAILED,
                   {me, ": ", what, " ", i, ": got ", tensor.room(), " bytes, expected at least ", bytes});
    return OH_NN_SUCCESS;
  }

  /// `why` is set on failure and is more precise than the code: invalid tensors are not the device's fault.
  OH_NN_ReturnCode run(const char* me, tensors_of_run& tensors, std::int64_t deadline, error_code& why) {
    const auto done = execution_->run(tensors.inputs, tensors.outputs, deadline);
    if (!done) {
      why = done.error().code();
      const OH_NN_ReturnCode code = why == error_code::out_of_memory     ? OH_NN_MEMORY_ERROR
                                    : why == error_code::deadline_missed ? OH_NN_TIMEOUT
                                                                         : device_failure;
      return fails(code, {me, ": ", done.error().message()});
    }
    for (std::size_t i = 0; i < tensors.results.size(); ++i) {
      put_extents(tensors.outputs[i].shape, tensors.results[i]->desc.shape);
      tensors.results[i]->desc.is_scalar = tensors.outputs[i].shape.rank == 0;
    }
    keep_shapes(tensors.outputs);
    return OH_NN_SUCCESS;
  }
  void keep_shapes(const std::vector<hal::argument>& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) put_extents(outputs[i].shape, output_shapes_[i]);
    has_run_ = true;
  }

  /// Whether a failed run reported a shape that exceeds an output's memory.
  bool is_too_small(const std::vector<hal::argument>& outputs) const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const tensor_desc& desc = built_.model().output_desc(i);
      const std::int64_t elements = outputs[i].shape.elements();
      if (outputs[i].shape.rank == desc.rank() && elements >= 0 &&
          outputs[i].bytes < static_cast<std::size_t>(elements * size_of(desc.type)))
        return true;
    }
    return false;
  }

  /// Checks a tensor for OH_NNExecutor_SetInput. `bytes` is set to its size.
  OH_NN_ReturnCode check_input(const char* me, std::size_t i, const OH_NN_Tensor& tensor, std::size_t& bytes) const {
    const auto refuse = [&](pieces why) {
      return fails(OH_NN_INVALID_PARAMETER, {me, ": input ", i, ": ", joined(why)});
    };
    if (i >= inputs_.size()) return fails(OH_NN_INVALID_PARAMETER, {me, ": input ", i, " of ", inputs_.size()});
    if (const std::string fault = fault_of_tensor(tensor.dataType, tensor.dimensions, tensor.dimensionCount);
        !fault.empty())
      return refuse({fault});
    if (const std::string fault = fault_of_quantisation(tensor.quantParam); !fault.empty()) return refuse({fault});
    const tensor_desc& desc = built_.model().input_desc(i);
    if (static_cast<dtype>(tensor.dataType) != desc.type)
      return refuse({"got ", name_of(static_cast<dtype>(tensor.dataType)), ", expected ", name_of(desc.type)});
    if (tensor.type != OH_NN_TENSOR)
      return refuse({"got a parameter, of type ", static_cast<int>(tensor.type), ", expected a tensor, of type 0"});
    if (tensor.dimensionCount != static_cast<std::uint32_t>(desc.rank()))
      return refuse({"got rank ", tensor.dimensionCount, ", expected ", desc.rank()});
    shape_t shape;
    for (std::uint32_t axis = 0; axis < tensor.dimensionCount; ++axis) shape.push_back(tensor.dimensions[axis]);
    for (int axis = 0; axis < shape.rank; ++axis)
      if (shape[axis] < 0 || (desc.shape[axis] >= 0 && shape[axis] != desc.shape[axis]))
        return refuse({"got shape ", shape, ", expected ", desc.shape});
    if (!lies_in_range(i, shape)) return refuse_shape(me, i, shape);
    bytes = static_cast<std::size_t>(shape.elements() * size_of(desc.type));
    return OH_NN_SUCCESS;
  }

  static OH_NN_ReturnCode add(const char* me, const char* what, std::size_t i, const bound_end& end,
                              std::vector<hal::argument>& arguments) {
    if (!end.is_set) return fails(OH_NN_INVALID_PARAMETER, {me, ": ", what, " ", i, " is not set"});
    const auto shared = end.shared.lock();
    if (end.is_shared && shared == nullptr)
      return fails(
          OH_NN_INVALID_PARAMETER,
          {me, ": ", what, " ", i, ": its memory was not allocated by an executor of this device, or was destroyed"});
    if (end.is_shared && end.bytes > shared->seen.length)
      return fails(OH_NN_INVALID_PARAMETER, {me, ": ", what, " ", i, ": its memory has ", shared->seen.length,
                                             " bytes, expected at least ", end.bytes});
    const void* data = end.is_shared ? shared->seen.data : end.borrowed != nullptr ? end.borrowed : end.copied.data();
    arguments.push_back({static_cast<std::byte*>(const_cast<void*>(data)), end.bytes, end.shape});
    return OH_NN_SUCCESS;
  }

  built_model built_;
  std::unique_ptr<hal::checked_execution> execution_;
  std::vector<bound_end> inputs_, outputs_;
  tensors_of_run arguments_;           // of the last synchronous run; reused so that runs do not allocate
  mutable std::mutex memories_mutex_;  // programs may prepare inputs in several threads
  std::vector<owned_memory> input_memories_, output_memories_;
  std::vector<result<hal::extent_range>> ranges_;
  std::vector<std::vector<std::size_t>> min_, max_;
  std::vector<std::vector<std::int32_t>> output_shapes_;
  bool has_run_ = false;
  asynchronous_run next_;
  tensors_of_run spare_;                                                    // lists of an ended run, to reuse
  background_thread background_{&executor_of_compilation::run_next, this};  // last member: destroyed first
};

}}}  // namespace nnrt::NNRT_ISA::c_api
