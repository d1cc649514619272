// session: runs a program in one thread - with separate inputs, arena, states and outputs.
// Flow: fill input<T>(i), run(), read output<T>(i); sessions of one program share its weights.
#pragma once

#include <nnrt/core/contract.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/exec/memory_account.hpp>
#include <nnrt/exec/program.hpp>
#include <nnrt/exec/run_stripes.hpp>
#include <nnrt/exec/saved_state.hpp>
#include <nnrt/exec/thread_autotuner.hpp>
#include <nnrt/exec/threads.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Runs one program. One thread at a time uses a session. It allocates memory when it is made or resized, and none
/// while it runs. It is movable; calls on a session that was moved away report that.
class session {
 public:
  /// If memory is exhausted or threads cannot start, every run() reports it. A program with unknown extents needs
  /// resize() before the first run.
  explicit session(const program& compiled) : program_(compiled) {
    result<void> ready = start_threads();
    if (ready && program_.has_plan()) ready = allocate();
    if (!ready) broken_ = std::move(ready.error());
  }
  session(session&&) noexcept = default;
  session& operator=(session&&) noexcept = default;

  /// Whether the session has its memory and threads. Error: out_of_memory, which run() reports, too.
  result<void> ready() const {
    if (broken_.message().empty() && program_.family_) return {};
    return fail(reason());
  }

  /// Gives every input a shape, in order. A program with known extents accepts only these. Afterwards inputs are zero,
  /// earlier spans are invalid, and states keep their values. Plans of recent sets of shapes are reused.
  /// Errors: invalid_argument (wrong number of shapes, a shape that does not fit its input), rule_broken
  /// (`add: extents must be equal or 1 (got 3, expected 4)`), out_of_memory. After an error the session is unchanged.
  result<void> resize(std::span<const shape_t> shapes) {
    if (auto ok = ready(); !ok) return ok;
    auto fitted = program_.with_shapes(shapes);
    if (!fitted) return fail(std::move(fitted.error()));
    session resized(std::move(*fitted), threads_);
    if (auto ready = resized.allocate(); !ready) return ready;
    if (program_.has_plan()) {
      if (auto ok = resized.load_state(save_state()); !ok) return ok;
      resized.is_torn_ = is_torn_;
    }
    *this = std::move(resized);
    return {};
  }
  result<void> resize(std::initializer_list<shape_t> shapes) {
    return resize(std::span(shapes.begin(), shapes.size()));
  }

  /// Descs of input and output i, with the extents of the last resize().
  const tensor_desc& input_desc(std::size_t i) const { return program_.input_desc(i); }
  const tensor_desc& output_desc(std::size_t i) const { return program_.output_desc(i); }

  /// The elements of input i. Write them before run(); they are kept until they are written again. T must be the
  /// input's element type; any other is a broken contract and gives an empty span.
  template <class T> std::span<T> input(std::size_t i) {
    return elements<T>(i < plan().inputs.size() ? &plan().inputs[i] : nullptr, "input", i);
  }
  /// The elements of output i of the last run.
  template <class T> std::span<const T> output(std::size_t i) {
    return elements<T>(i < plan().outputs.size() ? &plan().outputs[i] : nullptr, "output", i);
  }

  /// Runs the network on the present inputs. Errors:
  ///
  /// * out_of_memory from when the session was made;
  /// * invalid_argument if extents are still unknown;
  /// * invalid_argument if values of an input break an operator's rule:
  ///   `gather: indices must lie in the axis (got 7, expected 4) at element 3`. Then outputs have no meaning, and
  ///   states keep their values from before the run;
  /// * invalid_argument if an earlier run was stopped while it changed states, see run_until().
  result<void> run() { return run_until(no_deadline); }
  /// As run(), but skips the steps that would begin after `deadline`, in nanoseconds of the steady clock. Error:
  /// deadline_missed; then outputs have no meaning. If the run is stopped while it changes states, some states are old
  /// and some new. Later runs are refused until reset() or load_state() is called.
  result<void> run_until(std::int64_t deadline) {
    if (deadline != no_deadline)
      return run_while([=] { return steady_now() < deadline; }, "the run was given less time than it takes");
    if (!may_run()) return fail(reason());
    run_fault fault;
    run_context context = context_for(fault);
    if (const step* const failed = trials_.run(context, [&] { return run_plan(plan(), context); }))
      return fail(error_of(plan(), *failed, fault));
    return {};
  }
  /// As run(), but calls goes_on() before each step or group of steps that share rows; goes_on() may do other work.
  /// Once it returns false, the remaining steps are skipped. Errors: deadline_missed with the text `stopped`, and those
  /// of run(). After an error outputs have no meaning.
  template <class GoesOn> result<void> run_while(GoesOn goes_on, std::string_view stopped = "the run was stopped") {
    if (!may_run()) return fail(reason());
    run_fault fault;
    run_context context = context_for(fault);
    trials_.choose(context);
    for (std::size_t next = 0; next < plan().steps.size();) {
      if (!goes_on()) {
        is_torn_ = static_cast<std::int64_t>(next) > plan().steps_before_states;
        return fail(error_code::deadline_missed, stopped);
      }
      if (const step* const failed = run_next(plan(), next, context)) return fail(error_of(plan(), *failed, fault));
    }
    return {};
  }

  /// As run(), and measures the steps with `times`, a step_times of nnrt/profile.hpp; profile(session, times) names the
  /// steps. Errors: those of run().
  template <class Times> result<void> run(Times& times) {
    if (!may_run()) return fail(reason());
    run_fault fault;
    if (const step* const failed = times.run(plan(), context_for(fault))) return fail(error_of(plan(), *failed, fault));
    return {};
  }

  /// Resets all states to their values in a first run.
  void reset() {
    if (bases_.empty()) return;  // run() reports why
    detail::reset_states(plan(), memory_.data(), bases_);
    is_torn_ = false;
  }
  /// A copy of all states after the last run; empty if the session cannot run. Allocates memory, unlike runs.
  saved_state save_state() const {
    return bases_.empty() ? saved_state() : detail::save_states(plan(), memory_.data());
  }
  /// Replaces all states. Errors: invalid_argument (states of another network; then no state changes), and those of
  /// run().
  result<void> load_state(const saved_state& from) {
    if (bases_.empty()) return fail(reason());
    auto loaded = detail::load_states(plan(), memory_.data(), from);
    if (loaded) is_torn_ = false;
    return loaded;
  }

  /// The program, and its plan for the present shapes: for profiles.
  const program& compiled() const { return program_; }
  plan_view plan_of_steps() const { return plan(); }

  /// From now on, runs read input i at `first`, which must have as many bytes as its desc says and live until the next
  /// call. Null: the session's memory again. Alignment to 64 bytes is fastest. Memory of this session's results is a
  /// broken contract, because a run overwrites it before it has read all inputs; then nothing changes. input() and
  /// input_bytes() return the memory that runs read.
  void read_input_from(std::size_t i, const std::byte* first) {
    if (bases_.empty()) return;  // run() reports why
    if (own_inputs_.empty())
      own_inputs_.assign(bases_.begin() + first_input,
                         bases_.begin() + first_input + static_cast<std::ptrdiff_t>(plan().inputs.size()));
    if (i >= own_inputs_.size()) return;
    if (reinterpret_cast<std::uintptr_t>(first) - reinterpret_cast<std::uintptr_t>(memory_.data()) <
        static_cast<std::uintptr_t>(plan().arena_bytes))
      return broken_contract(
          joined({"input ", piece::in_quotes(plan().name_of(plan().inputs[i])),
                  " lies in the session's own results, which the run overwrites; give it memory of your own"}));
    bases_[first_input + i] = first != nullptr ? const_cast<std::byte*>(first) : own_inputs_[i];
    has_views_ = false;
  }
  /// The bytes of input i, for any dtype; otherwise as input(). Empty if there is no such input or no memory.
  std::span<std::byte> input_bytes(std::size_t i) {
    return i < plan().inputs.size() ? bytes_of(plan().inputs[i]) : std::span<std::byte>();
  }
  /// The bytes of output i of the last run, for any dtype.
  std::span<const std::byte> output_bytes(std::size_t i) const {
    return i < plan().outputs.size() ? bytes_of(plan().outputs[i]) : std::span<std::byte>();
  }

 private:
  session(program&& fitted, const shared<thread_pool>& threads) : program_(std::move(fitted)), threads_(threads) {}

  run_context context_for(run_fault& fault) {
    if (!has_views_) make_views(plan(), bases_, views_);
    has_views_ = true;
    run_context context;
    context.bases = bases_;
    context.views = views_;
    context.threads = threads_.get();
    context.further_scratch = further_scratch_.data();
    if (!plan().fallible.empty()) context.fault = &fault;
    return context;
  }

  plan_view plan() const { return program_.has_plan() ? program_.plan() : plan_view{}; }
  bool may_run() const { return program_.has_plan() && broken_.message().empty() && !is_torn_; }

  /// Why the session cannot run.
  error reason() const {
    if (!broken_.message().empty()) return broken_;
    if (!program_.family_) return {error_code::invalid_argument, "the session was moved away"};
    if (is_torn_)
      return {error_code::invalid_argument,
              "a run was stopped while it changed states; reset() the session, or load_state()"};
    std::string inputs;
    for (std::size_t i = 0; i < program_.input_count(); ++i)
      if (!program_.input_desc(i).shape.is_known())
        inputs += joined({inputs.empty() ? "" : ", ", piece::in_quotes(program_.input_name(i)), " ",
                          ir::to_string(program_.input_desc(i))});
    return {error_code::invalid_argument, joined({"unknown extents: ", inputs, "; resize() the session first"})};
  }

  result<void> allocate() {
    const plan_view p = plan();
    std::int64_t input_bytes = 0;
    for (const port& in : p.inputs) input_bytes += passes::aligned(p.desc_of(in).bytes());
    const std::int64_t scratch_bytes = threads_ ? p.part_scratch_bytes * (threads_->threads() - 1) : 0;
    if (auto ok =
            accounted_.take(program_.family_->wanted.account, p.arena_bytes + input_bytes + scratch_bytes, "session");
        !ok)
      return ok;
    if (auto ok = memory_.allocate(p.arena_bytes + input_bytes, "session"); !ok) return ok;
    bases_.assign(p.base_count(), nullptr);
    views_.resize(p.slots.size());
    program_.plan_->weights.set_bases(p, bases_);
    bases_[in_arena] = memory_.data();
    std::byte* next = memory_.data() + p.arena_bytes;
    for (std::size_t i = 0; i < p.inputs.size(); ++i) {
      bases_[first_input + i] = next;
      next += passes::aligned(p.desc_of(p.inputs[i]).bytes());
    }
    clear_ports(p, p.inputs, bases_);
    clear_ports(p, p.outputs, bases_);
    detail::reset_states(p, memory_.data(), bases_);  // last: an output may share memory with the state that it becomes
    if (!threads_) return {};
    return further_scratch_.allocate(scratch_bytes, "scratch memory of the threads");
  }
  result<void> start_threads() {
    if (!program_.family_) return fail(error_code::invalid_argument, "the program was moved away");
    const options& wanted = program_.family_->wanted;
    if (wanted.threads == 1) return {};
    threads_ = shared<thread_pool>::make();
    return threads_->start(wanted.threads, wanted.pin_threads);
  }

  std::span<std::byte> bytes_of(const port& p) const {
    if (bases_.empty()) return {};  // run() reports why
    const operand_slot& slot = plan().slot_of(p);
    return {bases_[static_cast<std::size_t>(slot.base)] + slot.offset,
            static_cast<std::size_t>(plan().desc_of(slot).bytes())};
  }
  template <class T> std::span<T> elements(const port* p, const char* what, std::size_t i) {
    if (!program_.has_plan() || !broken_.message().empty()) return broken_contract(reason().message()), std::span<T>();
    if (p == nullptr) return broken_contract(joined({what, " ", i, " does not exist"})), std::span<T>();
    const operand_slot& slot = plan().slot_of(*p);
    const tensor_desc& desc = plan().desc_of(slot);
    if (desc.type != dtype_for<T>()) {
      broken_contract(joined({what, " ", piece::in_quotes(plan().name_of(*p)), " has elements of ", name_of(desc.type),
                              ", asked for ", name_of(dtype_for<T>())}));
      return {};
    }
    return {reinterpret_cast<T*>(bases_[static_cast<std::size_t>(slot.base)] + slot.offset),
            static_cast<std::size_t>(desc.elements())};
  }

  program program_;
  heap_block memory_;
  heap_block further_scratch_;
  accounted_bytes accounted_;  // of memory_ and further_scratch_
  shared<thread_pool> threads_;
  thread_autotuner trials_;
  std::vector<std::byte*> bases_;
  std::vector<std::byte*> own_inputs_;  // set once an input is read from elsewhere
  std::vector<view> views_;
  bool has_views_ = false;                       // whether views_ match bases_
  bool is_torn_ = false;                         // a run was stopped after it had changed some states
  error broken_{error_code::out_of_memory, ""};  // an empty message: no error
};

}}  // namespace nnrt::NNRT_ISA
