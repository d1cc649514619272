// session: one thread's way to run a program - its own inputs, arena and outputs.
// Flow: fill input<T>(i), run(), read output<T>(i); sessions of one program share its weights.
#pragma once

#include <nnrt/core/contract.hpp>
#include <nnrt/exec/program.hpp>
#include <nnrt/exec/threads.hpp>

namespace nnrt::inline NNRT_ISA {

/// Runs one program. Movable; used by one thread at a time. Memory is taken when it is made, none while it runs.
class session {
 public:
  /// When there is no memory or threads cannot start, the session says so at every run().
  explicit session(const program& compiled) : program_(compiled) {
    if (auto ready = allocate(); !ready) broken_ = ready.error().message();
  }
  session(session&&) noexcept = default;
  session& operator=(session&&) noexcept = default;

  /// The elements of input i, to be written before run(); they stay until they are written again.
  /// T is the element type: another one is a broken contract, and gives an empty span.
  template <class T> std::span<T> input(std::size_t i) { return elements<T>(i < plan().inputs.size() ? &plan().inputs[i] : nullptr, "input", i); }
  /// The elements of output i of the last run.
  template <class T> std::span<const T> output(std::size_t i) { return elements<T>(i < plan().outputs.size() ? &plan().outputs[i] : nullptr, "output", i); }

  /// Runs the network on the present inputs. Errors: out_of_memory, from when the session was made; invalid_argument (an input whose values
  /// break an operator's rule: `gather: indices must lie in the axis (got 7, expected 4) at element 3`), and then the outputs mean nothing.
  result<void> run() {
    if (!broken_.empty()) return fail(error_code::out_of_memory, broken_);
    run_context context;
    context.bases = bases_;
    context.views = views_;
    context.threads = threads_.get();
    context.further_scratch = further_scratch_.data();
    run_fault fault;
    if (!plan().fallible.empty()) context.fault = &fault;
    if (const step* const failed = run_steps(plan(), plan().steps, context)) return fail(error_of(plan(), *failed, fault));
    return {};
  }

 private:
  plan_view plan() const { return program_.plan(); }

  result<void> allocate() {
    const plan_view p = plan();
    std::int64_t input_bytes = 0;
    for (const port& in : p.inputs) input_bytes += passes::aligned(p.desc_of(in).bytes());
    auto memory = heap_block::allocate(p.arena_bytes + input_bytes, "session");
    if (!memory) return fail(std::move(memory.error()));
    memory_ = std::move(*memory);
    bases_.assign(p.base_count(), nullptr);
    views_.resize(static_cast<std::size_t>(p.most_operands));
    program_.state_->weights.set_bases(p, bases_);
    bases_[in_arena] = memory_.data();
    std::byte* next = memory_.data() + p.arena_bytes;
    for (std::size_t i = 0; i < p.inputs.size(); ++i) {
      bases_[first_input + i] = next;
      next += passes::aligned(p.desc_of(p.inputs[i]).bytes());
    }
    clear_ports(p, p.inputs, bases_);
    clear_ports(p, p.outputs, bases_);
    return start_threads(program_.state_->wanted.threads);
  }
  result<void> start_threads(int count) {
    if (count == 1) return {};
    threads_ = shared<thread_pool>::make();
    if (auto started = threads_->start(count); !started) return started;
    auto scratch = heap_block::allocate(plan().part_scratch_bytes * (count - 1), "scratch memory of the threads");
    if (!scratch) return fail(std::move(scratch.error()));
    further_scratch_ = std::move(*scratch);
    return {};
  }

  template <class T> std::span<T> elements(const port* p, const char* what, std::size_t i) {
    if (p == nullptr || !broken_.empty()) {
      broken_contract(!broken_.empty() ? broken_ : std::string(what) + " " + std::to_string(i) + " does not exist");
      return {};
    }
    const operand_slot& slot = plan().slot_of(*p);
    const tensor_desc& desc = plan().desc_of(slot);
    if (desc.type != dtype_for<T>()) {
      broken_contract(std::string(what) + " \"" + std::string(plan().name_of(*p)) + "\" has elements of " + std::string(name_of(desc.type)) + ", asked for " +
                      std::string(name_of(dtype_for<T>())));
      return {};
    }
    return {reinterpret_cast<T*>(bases_[static_cast<std::size_t>(slot.base)] + slot.offset), static_cast<std::size_t>(desc.elements())};
  }

  program program_;
  heap_block memory_;
  heap_block further_scratch_;
  shared<thread_pool> threads_;
  std::vector<std::byte*> bases_;
  std::vector<view> views_;
  std::string broken_;
};

}  // namespace nnrt::inline NNRT_ISA
