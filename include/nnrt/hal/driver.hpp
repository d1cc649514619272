// driver: interface of a device - its description, the operations that it supports, and prepared models to run.
// Flow: hal/registry.hpp lists drivers; the C API compiles and runs models through these interfaces only.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/exec/memory_account.hpp>
#include <nnrt/hal/memory.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/io/shared_bytes.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// Kind of a device. Numbers: OH_NN_DeviceType.
enum class device_type { other, cpu, gpu, accelerator };

/// Availability of a device. Numbers: DeviceStatus of NN HAL 1.3 and of HDI.
enum class device_status { available, busy, offline, unknown };

/// Trade of speed for power. Numbers: OH_NN_PerformanceMode.
enum class performance { none, low, medium, high, extreme };

/// Scheduling priority of models that share a device. Numbers: OH_NN_Priority.
enum class priority { none, low, medium, high };

/// Optional abilities, besides float32 models with known shapes.
struct features {
  bool float16 = false;         // can store and compute models in float16
  bool performance = false;     // uses preferences::speed
  bool priority = false;        // uses preferences::turn
  bool dynamic_inputs = false;  // accepts inputs whose extents are known only at run time
  bool caching = false;         // exports and restores prepared models
  bool asynchronous = false;    // a run may be started in one thread and awaited in another
};

/// Time and power of work on a device relative to the processor: below 1 is better.
struct work_cost {
  float time = 1, power = 1;
};

/// A device-specific option.
struct extension {
  std::string name;
  std::vector<std::byte> value;
};

/// Options of preparations and runs.
struct preferences {
  performance speed = performance::none;
  priority turn = priority::none;
  bool float16 = false;
  std::vector<extension> extensions;
  // nanoseconds of the steady clock; a longer preparation may end with deadline_missed
  std::int64_t deadline = no_deadline;
  /// Cancels the preparation when true; it must not become false again. It must outlive the preparation, not the
  /// prepared model. Null: no cancelling.
  const std::atomic<bool>* is_unwanted = nullptr;
  /// Account for the memory of the prepared model and its executions: prepared weights, arenas, copies of inputs.
  /// Drivers that can tell use it and fail with out_of_memory at its limit. Null: no account. It must outlive both.
  memory_account* account = nullptr;

  constexpr time_limit limit() const { return {deadline, is_unwanted}; }
};

/// A tensor of one run: memory, size in bytes, shape. A run sets the shapes of outputs.
struct argument {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  shape_t shape;
};

/// Least and largest extents that an input may have, inclusive.
struct extent_range {
  shape_t least, most;

  /// Whether the range has the declared rank, and 0 <= least <= most on every axis.
  bool is_for(const shape_t& declared) const {
    if (least.rank != declared.rank || most.rank != declared.rank) return false;
    for (int axis = 0; axis < declared.rank; ++axis)
      if (least[axis] < 0 || least[axis] > most[axis]) return false;
    return true;
  }
};

/// One caller's way to run a prepared model. One thread at a time may use it.
class execution {
 public:
  virtual ~execution() = default;
  /// Runs the model. Arguments are in the model's order; hal/arguments.hpp has checked their number, shapes and memory.
  /// Inputs are only read; outputs are filled and their shapes set.
  /// The run is abandoned after `deadline`, nanoseconds of the steady clock (no_deadline: never).
  /// Errors: invalid_argument (an output with open extents has too little memory; its shape is set to the one needed),
  /// deadline_missed, device_failed, out_of_memory.
  virtual result<void> run(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) = 0;
  /// Sets a flag that cancels runs: once *is_unwanted is true, a run ends as soon as possible with deadline_missed.
  /// Null: no cancelling. Drivers that cannot cancel ignore it.
  virtual void stop_when(const std::atomic<bool>* is_unwanted) { (void)is_unwanted; }
};

/// A model that a device has prepared. Any number of executions may run at once.
class prepared_model {
 public:
  virtual ~prepared_model() = default;
  /// Descs and names in the model's order; unknown extents are -1.
  virtual std::size_t input_count() const = 0;
  virtual std::size_t output_count() const = 0;
  virtual const tensor_desc& input_desc(std::size_t i) const = 0;
  virtual const tensor_desc& output_desc(std::size_t i) const = 0;
  virtual std::string_view input_name(std::size_t i) const = 0;
  virtual std::string_view output_name(std::size_t i) const = 0;
  /// Extents that input i may have. Error: not_supported (the device cannot tell).
  virtual result<extent_range> input_range(std::size_t i) const = 0;
  /// Errors: out_of_memory, device_failed.
  virtual result<std::unique_ptr<execution>> make_execution() = 0;
  /// The prepared model as buffers for driver::restore(). Error: not_supported.
  virtual result<std::vector<std::vector<std::byte>>> exported() const {
    return fail(error_code::not_supported, "this device cannot export prepared models");
  }
};

/// A device. Its functions may be called from several threads at once.
class driver {
 public:
  virtual ~driver() = default;
  /// Programs identify the device as `"<name>_<vendor>_v<major>_<minor>"`.
  virtual std::string_view name() const = 0;
  virtual std::string_view vendor() const = 0;
  virtual int major_version() const { return 2; }
  virtual int minor_version() const { return 1; }
  /// Error of the next three functions: device_failed.
  virtual result<device_type> type() = 0;
  virtual result<device_status> status() = 0;
  virtual result<features> supported_features() = 0;
  /// Relative cost of work on tensors of this dtype; both numbers are above 0.
  virtual work_cost cost_of(dtype type) const {
    (void)type;
    return {};
  }

  /// For each node of the graph why the device cannot run it; empty: it can. Result descs are those declared.
  /// Operators may have operands of any dtype and shape: the driver must refuse what it cannot compute. The processor's
  /// driver reports broken operator rules (cpu_driver).
  /// Errors: device_failed, out_of_memory.
  virtual result<std::vector<std::string>> refusals(const model& network) = 0;
  /// Checks a model against the device's own rules before a preparation. Indices, operand counts, attributes, scales
  /// and weights have been checked; dtypes, ranks, extents and declared results have not.
  /// The default accepts everything, for drivers that check in refusals() and prepare(). Error: rule_broken.
  virtual result<void> check(const model& network) {
    (void)network;
    return {};
  }
  /// Prepares a model of which no node is refused. Errors: rule_broken, invalid_argument, out_of_memory, device_failed,
  /// deadline_missed.
  virtual result<std::shared_ptr<prepared_model>> prepare(const model& network, const preferences& wanted) = 0;
  /// Restores a model from the buffers of prepared_model::exported(). The caller guarantees with checksums that the
  /// bytes are unchanged.
  /// Errors: as prepare(); invalid_file (other bytes, or another version's); not_supported (valid bytes of another
  /// machine, or no support).
  /// After not_supported a caller may append those buffers to its own exported ones and pass all of them to either
  /// device. Each driver uses the buffers that suit it.
  virtual result<std::shared_ptr<prepared_model>> restore(array_ref<const array_ref<const std::byte>> buffers,
                                                          const preferences& wanted) {
    (void)buffers, (void)wanted;
    return fail(error_code::not_supported, "this device cannot restore prepared models");
  }
  /// Restores a model that may read the bytes in place for as long as it keeps the handles. Errors: as restore().
  virtual result<std::shared_ptr<prepared_model>> restore_kept(array_ref<const shared_bytes> buffers,
                                                               const preferences& wanted) {
    std::vector<array_ref<const std::byte>> views;
    for (const shared_bytes& one : buffers) views.push_back(one.bytes());
    return restore(views, wanted);
  }
  /// Prepares a model in the device's own format, unchecked. Errors: as prepare(); invalid_file; not_supported.
  virtual result<std::shared_ptr<prepared_model>> prepare_offline(array_ref<const std::byte> file,
                                                                  const preferences& wanted) {
    (void)file, (void)wanted;
    return fail(error_code::not_supported, "this device takes no offline models");
  }
  /// Allocates memory that the device can reach. Errors: out_of_memory, io_failed.
  virtual result<shared_memory> allocate(std::size_t bytes) { return shared_memory::allocate(bytes); }
};

}}}  // namespace nnrt::NNRT_ISA::hal
