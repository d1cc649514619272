// cpu_driver: the processor as a device - compiles models to programs of this library and runs them in sessions.
// Flow: hal/registry.hpp registers one at the start.
#pragma once

#include <nnrt/core/boolean_bytes.hpp>
#include <nnrt/exec/program.hpp>
#include <nnrt/exec/session.hpp>
#include <nnrt/exec/stored_program.hpp>
#include <nnrt/hal/driver.hpp>

#include <unistd.h>
#include <atomic>
#include <cstring>
#include <span>
#include <string>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

namespace detail {

/// An execution with one session. Inputs are read from the caller's memory without a copy.
class cpu_execution final : public execution {
 public:
  explicit cpu_execution(const program& compiled) : session_(compiled), output_bytes_(compiled.output_count()) {
    look_up_outputs();
  }
  /// Error: out_of_memory.
  result<void> ready() const { return session_.ready(); }

  result<void> run(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) override {
    if (auto ok = fit_shapes(inputs); !ok) return ok;
    for (std::size_t i = 0; i < inputs.size(); ++i) give_input(i, inputs[i].data);
    // too small is possible where the model leaves extents open; hal::model_io reports which output and how much
    bool is_room = true;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].shape = session_.output_desc(i).shape;
      is_room = is_room && outputs[i].bytes >= output_bytes_[i];
    }
    if (!is_room) return fail(error_code::invalid_argument, "an output's memory is too small");
    if (auto done = run_until(deadline); !done) return done;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (output_bytes_[i] != 0) std::memcpy(outputs[i].data, session_.output_bytes(i).data(), output_bytes_[i]);
    return {};
  }
  void stop_when(const std::atomic<bool>* is_unwanted) override { is_unwanted_ = is_unwanted; }

 private:
  /// Reshapes the session to the shapes of these inputs, if they differ.
  result<void> fit_shapes(array_ref<const argument> inputs) {
    bool is_same = true;
    for (std::size_t i = 0; is_same && i < inputs.size(); ++i)
      is_same = inputs[i].shape == session_.input_desc(i).shape;
    if (is_same) return {};
    std::vector<shape_t> shapes;
    for (const argument& input : inputs) shapes.push_back(input.shape);
    auto done = session_.resize(shapes);
    took_ = no_deadline;
    look_up_outputs();
    return done;
  }
  /// Nanoseconds. Runs shorter than this do not poll `is_unwanted_`: polling makes threads meet between steps.
  static constexpr std::int64_t short_run = 5'000'000;

  result<void> run_until(std::int64_t deadline) {
    if (is_unwanted_ == nullptr || (deadline == no_deadline && took_ < short_run)) return session_.run_until(deadline);
    if (is_unwanted_->load(std::memory_order_relaxed))
      return fail(error_code::deadline_missed, "nobody wants the run any more");
    const std::int64_t begin = steady_now();
    auto done = session_.run_while([&] { return !is_unwanted_->load(std::memory_order_relaxed) && !is_over(deadline); },
                                   "the run was given less time than it takes");
    if (done) took_ = steady_now() - begin;
    return done;
  }
  /// Lets the session read an input in place. Booleans other than 0 and 1, which C programs may write, are first copied
  /// into the session's memory and made 1.
  void give_input(std::size_t i, const std::byte* bytes) {
    const tensor_desc& desc = session_.input_desc(i);
    const auto count = desc.type == boolean ? static_cast<std::size_t>(desc.bytes()) : 0;
    if (first_no_boolean({bytes, count}) == count) return session_.read_input_from(i, bytes);
    session_.read_input_from(i, nullptr);
    const std::span<std::byte> own = session_.input_bytes(i);
    if (own.size() != count) return;  // out of memory: run() reports it
    std::memcpy(own.data(), bytes, count);
    make_booleans(own);
  }
  void look_up_outputs() {
    for (std::size_t i = 0; i < output_bytes_.size(); ++i)
      if (const std::int64_t bytes = session_.output_desc(i).bytes(); bytes >= 0)
        output_bytes_[i] = static_cast<std::size_t>(bytes);
  }

  session session_;
  std::vector<std::size_t> output_bytes_;  // at the shapes of the last run
  const std::atomic<bool>* is_unwanted_ = nullptr;
  std::int64_t took_ = no_deadline;  // nanoseconds of the last run at the present shapes
};

/// A compiled program, or one restored from bytes that hold its weights.
class cpu_prepared_model final : public prepared_model {
 public:
  /// `device`: name of the device that the program belongs to; stored programs carry it.
  cpu_prepared_model(program compiled, std::string_view device, shared_bytes restored_from = {})
      : program_(std::move(compiled)), device_(device), quantised_(std::move(restored_from)) {}

  std::size_t input_count() const override { return program_.input_count(); }
  std::size_t output_count() const override { return program_.output_count(); }
  const tensor_desc& input_desc(std::size_t i) const override { return program_.input_desc(i); }
  const tensor_desc& output_desc(std::size_t i) const override { return program_.output_desc(i); }
  std::string_view input_name(std::size_t i) const override { return program_.input_name(i); }
  std::string_view output_name(std::size_t i) const override { return program_.output_name(i); }
  result<extent_range> input_range(std::size_t i) const override {
    extent_range range;
    for (const std::int64_t extent : input_desc(i).shape) {
      range.least.push_back(extent < 0 ? 1 : extent);
      range.most.push_back(extent < 0 ? largest_extent : extent);
    }
    return range;
  }
  result<std::unique_ptr<execution>> make_execution() override {
    auto made = std::make_unique<cpu_execution>(program_);
    if (auto ready = made->ready(); !ready) return fail(std::move(ready.error()));
    return made;
  }
  /// Returns one buffer.
  result<std::vector<byte_list>> exported() const override {
    std::vector<byte_list> buffers(1);
    if (const array_ref<const std::byte> kept = quantised_.bytes(); !kept.empty()) {
      buffers[0].assign(kept.begin(), kept.end());
      return buffers;
    }
    auto stored = store_program(program_, device_);
    if (!stored) return fail(std::move(stored.error()));
    buffers[0] = std::move(*stored);
    return buffers;
  }

 private:
  /// Largest extent that the C API's 32-bit integers hold.
  static constexpr std::int64_t largest_extent = 0x7fffffff;

  program program_;
  std::string device_;
  shared_bytes quantised_;
};

}  // namespace detail

/// The processor that runs the program.
///
/// float16: weights are kept in 16 bits (options::float16_weights); inputs, outputs and intermediate tensors are
/// float32.
/// Speed: `high` and `extreme` use every core, other values one. Priorities are accepted and ignored: runs use their
/// callers' threads, and the system schedules those.
/// Simulated devices derive from this class.
class cpu_driver : public driver {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string_view vendor() const override { return "nnrt"; }
  result<device_type> type() override { return device_type::cpu; }
  result<device_status> status() override { return device_status::available; }
  result<features> supported_features() override {
    features all;
    all.float16 = all.performance = all.priority = all.dynamic_inputs = all.caching = all.asynchronous = true;
    return all;
  }

  /// Checks the rules of every operator. Error: rule_broken (the first).
  result<void> check(const model& network) override {
    auto reasons = cpu_driver::refusals(network);
    if (!reasons) return fail(std::move(reasons.error()));
    for (std::string& reason : *reasons)
      if (!reason.empty()) return fail(error_code::rule_broken, reason);
    return {};
  }
  /// For each node the rule of its operator that it breaks, with both values; empty if none.
  result<std::vector<std::string>> refusals(const model& network) override {
    const ir::graph& g = network.graph;
    std::vector<std::string> reasons(g.nodes.size());
    passes::judge_nodes(g, [&](std::size_t i, const verdict& v) {
      if (!v) reasons[i] = to_string(v, *g.nodes[i].op, g.name_of(g.nodes[i].name));
    });
    return reasons;
  }

  result<std::shared_ptr<prepared_model>> prepare(const model& network, const preferences& wanted) override {
    auto compiled = compile(network, {.threads = threads_for(wanted.speed),
                                      .float16_weights = wanted.float16,
                                      .deadline = wanted.deadline,
                                      .is_unwanted = wanted.is_unwanted,
                                      .account = wanted.account});
    if (!compiled) return fail(std::move(compiled.error()));
    return std::make_shared<detail::cpu_prepared_model>(std::move(*compiled), name());
  }
  result<std::shared_ptr<prepared_model>> restore(array_ref<const array_ref<const std::byte>> buffers,
                                                  const preferences& wanted) override {
    return first_restored(buffers, wanted,
                          [](array_ref<const std::byte> bytes) { return shared_bytes::copy_of(bytes); });
  }
  result<std::shared_ptr<prepared_model>> restore_kept(array_ref<const shared_bytes> buffers,
                                                       const preferences& wanted) override {
    return first_restored(buffers, wanted, [](const shared_bytes& bytes) { return bytes; });
  }
  /// Takes what exported() of a prepared model of this device returns.
  result<std::shared_ptr<prepared_model>> prepare_offline(array_ref<const std::byte> file,
                                                          const preferences& wanted) override {
    return restored(shared_bytes::copy_of(file), wanted, false);
  }

 private:
  /// Restores the first buffer that suits this machine; each holds a program for one instruction set. Error: the first
  /// that is not about the instruction set.
  template <class Buffer, class Keep>
  result<std::shared_ptr<prepared_model>> first_restored(array_ref<const Buffer> buffers, const preferences& wanted,
                                                         Keep keep) const {
    result<std::shared_ptr<prepared_model>> refusal =
        fail(error_code::invalid_file, "stored program: there are no buffers");
    for (const Buffer& one : buffers) {
      auto made = restored(keep(one), wanted, true);
      if (made) return made;
      if (&one == buffers.begin() || refusal.error().code() == error_code::not_supported) refusal = std::move(made);
    }
    return refusal;
  }
  result<std::shared_ptr<prepared_model>> restored(const shared_bytes& bytes, const preferences& wanted,
                                                   bool is_checked) const {
    auto made = restore_program(bytes,
                                {.threads = threads_for(wanted.speed),
                                 .deadline = wanted.deadline,
                                 .is_unwanted = wanted.is_unwanted,
                                 .account = wanted.account},
                                is_checked, name());
    if (!made) return fail(std::move(made.error()));
    return std::make_shared<detail::cpu_prepared_model>(std::move(*made), name(), bytes);
  }
  static int threads_for(performance speed) {
    if (speed < performance::high) return 1;
    const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 64 ? 64 : static_cast<int>(cores);
  }
};

}}}  // namespace nnrt::NNRT_ISA::hal
