// driver: what a device offers - what it is, which operations it runs, and models made ready to run on it.
// Flow: hal/registry.hpp lists drivers; the C API compiles and runs models through these interfaces and knows no device
// otherwise.
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

/// Whether a device can be used now. Numbers: DeviceStatus of NN HAL 1.3 and of HDI.
enum class device_status { available, busy, offline, unknown };

/// Speed against power. Numbers: OH_NN_PerformanceMode.
enum class performance { none, low, medium, high, extreme };

/// Whose turn it is when models wait for one device. Numbers: OH_NN_Priority.
enum class priority { none, low, medium, high };

/// What a device can do besides running models of float32 with known shapes.
struct features {
  bool float16 = false;         // models may be stored and computed in float16
  bool performance = false;     // preferences::speed means something to it
  bool priority = false;        // preferences::turn does
  bool dynamic_inputs = false;  // extents of inputs may be unknown until a run
  bool caching = false;         // prepared models can be exported and restored
  bool asynchronous = false;    // a run may be started and waited for elsewhere
};

/// Time and power of work on a device relative to the processor's: less is better, 1 is as good.
struct work_cost {
  float time = 1, power = 1;
};

/// An option that only one kind of device knows.
struct extension {
  std::string name;
  std::vector<std::byte> value;
};

/// How a model should run.
struct preferences {
  performance speed = performance::none;
  priority turn = priority::none;
  bool float16 = false;
  std::vector<extension> extensions;
  // nanoseconds of the steady clock: a preparation that takes longer may end as deadline_missed
  std::int64_t deadline = no_deadline;
  /// A preparation may end so, too, once this is true, which it stays. Null: it is wanted, whatever happens. It
  /// outlives the preparation, not the prepared model.
  const std::atomic<bool>* is_unwanted = nullptr;
  /// What the prepared model and its executions take memory from (prepared weights, arenas, copies of inputs), where
  /// the driver can say how much that is; null: nobody counts. It outlives them. More than it has is out_of_memory.
  memory_account* account = nullptr;

  constexpr time_limit limit() const { return {deadline, is_unwanted}; }
};

/// A tensor of one run: its first byte, how many there are, and its shape. A run sets the shapes of outputs.
struct argument {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  shape_t shape;
};

/// The least and largest extents that an input may have.
struct extent_range {
  shape_t least, most;

  /// Whether they are those of an input that is declared so: as many, none below 0, and none at least more than it is
  /// at most.
  bool is_for(const shape_t& declared) const {
    if (least.rank != declared.rank || most.rank != declared.rank) return false;
    for (int axis = 0; axis < declared.rank; ++axis)
      if (least[axis] < 0 || least[axis] > most[axis]) return false;
    return true;
  }
};

/// One caller's way to run a prepared model: used by one thread at a time.
class execution {
 public:
  virtual ~execution() = default;
  /// Runs the model; arguments in the model's order, checked by hal/arguments.hpp: as many as it has, of shapes that
  /// its descs allow, with memory for them. The memory of inputs is only read, that of outputs filled, and their shapes
  /// are set. After `deadline`, nanoseconds of the steady clock (no_deadline: never), the run stops where it is.
  /// Errors: invalid_argument (an output whose extents the model leaves open has too little memory: its shape says for
  /// what), deadline_missed, device_failed, out_of_memory.
  virtual result<void> run(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) = 0;
  /// From now on a run ends as soon as it can, as deadline_missed, once *is_unwanted is true; null: whatever happens,
  /// it is wanted. A driver that cannot end a run does not ask.
  virtual void stop_when(const std::atomic<bool>* is_unwanted) { (void)is_unwanted; }
};

/// A model that a device is ready to run, for any number of executions at once.
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
  /// The prepared model as buffers that driver::restore() takes. Error: not_supported.
  virtual result<std::vector<std::vector<std::byte>>> exported() const {
    return fail(error_code::not_supported, "this device cannot export prepared models");
  }
};

/// A device. Its functions may be called from several threads at once.
class driver {
 public:
  virtual ~driver() = default;
  /// Together "<name>_<vendor>_v<major>_<minor>", by which programs know the device.
  virtual std::string_view name() const = 0;
  virtual std::string_view vendor() const = 0;
  virtual int major_version() const { return 2; }
  virtual int minor_version() const { return 1; }
  /// Errors of these three: device_failed.
  virtual result<device_type> type() = 0;
  virtual result<device_status> status() = 0;
  virtual result<features> supported_features() = 0;
  /// What work on tensors of this dtype costs; both numbers above 0.
  virtual work_cost cost_of(dtype type) const {
    (void)type;
    return {};
  }

  /// For each node of the graph why the device cannot run it; empty: it can. Descs of results are what was declared.
  /// Operators may have operands of any dtype and shape: what a device cannot compute it must say here. That of the
  /// processor says which of their rules nodes break (cpu_driver). Errors: device_failed, out_of_memory.
  virtual result<std::vector<std::string>> refusals(const model& network) = 0;
  /// What of a model breaks a rule of the device's own, before a preparation begins. Its form has been checked
  /// (indices, counts of operands, attributes, scales, weights), and nothing else: dtypes, ranks, extents and declared
  /// results are what somebody else's program says they are. Drivers that leave these to refusals() and prepare() find
  /// nothing here. Error: rule_broken.
  virtual result<void> check(const model& network) {
    (void)network;
    return {};
  }
  /// Makes a model ready, of whose nodes none is refused. Errors: rule_broken, invalid_argument, out_of_memory,
  /// device_failed, deadline_missed.
  virtual result<std::shared_ptr<prepared_model>> prepare(const model& network, const preferences& wanted) = 0;
  /// Makes ready what prepared_model::exported() gave; the caller answers for their being those bytes, by checksums
  /// that it keeps. Errors: invalid_file (not those bytes, or another version's), not_supported, as prepare().
  /// not_supported says that the bytes are sound, but another machine's. Whoever keeps them may then put them behind
  /// those that this device exports instead, and give all of them to the devices of both: a driver that says so takes
  /// what is its own out of them.
  virtual result<std::shared_ptr<prepared_model>> restore(array_ref<const array_ref<const std::byte>> buffers,
                                                          const preferences& wanted) {
    (void)buffers, (void)wanted;
    return fail(error_code::not_supported, "this device cannot restore prepared models");
  }
  /// The same for bytes that the prepared model may go on reading where they are, as long as it keeps the handles.
  virtual result<std::shared_ptr<prepared_model>> restore_kept(array_ref<const shared_bytes> buffers,
                                                               const preferences& wanted) {
    std::vector<array_ref<const std::byte>> views;
    for (const shared_bytes& one : buffers) views.push_back(one.bytes());
    return restore(views, wanted);
  }
  /// Makes ready a model in the device's own format, of which nobody has checked anything. Errors: invalid_file,
  /// not_supported, as prepare().
  virtual result<std::shared_ptr<prepared_model>> prepare_offline(array_ref<const std::byte> file,
                                                                  const preferences& wanted) {
    (void)file, (void)wanted;
    return fail(error_code::not_supported, "this device takes no offline models");
  }
  /// Memory that the device can reach. Errors: out_of_memory, io_failed.
  virtual result<shared_memory> allocate(std::size_t bytes) { return shared_memory::allocate(bytes); }
};

}}}  // namespace nnrt::NNRT_ISA::hal
