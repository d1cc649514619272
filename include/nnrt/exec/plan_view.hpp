// plan_view: spans over a plan in .rodata or on the heap, and the loop that runs a plan.
// Flow: executors and sessions fill the table of bases and call run_steps() for prepare and for each inference.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/exec/parallel_phases.hpp>
#include <nnrt/exec/plan.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Spans over a plan.
struct plan_view {
  array_ref<const step> steps;
  array_ref<const step> prepare;
  array_ref<const stripe_group> stripes;
  array_ref<const row_window> windows;
  array_ref<const operand_slot> slots;
  array_ref<const tensor_desc> descs;
  array_ref<const word> words;
  array_ref<const port> inputs;
  array_ref<const port> outputs;
  array_ref<const port> weights;
  array_ref<const state_port> states;
  array_ref<const fallible_node> fallible;
  array_ref<const char> text;
  array_ref<const std::byte> constants;
  std::int64_t arena_bytes = 0;
  std::int64_t prepared_bytes = 0;
  std::int64_t prepare_scratch_bytes = 0;
  std::int64_t part_scratch_bytes = 0;
  std::int64_t steps_before_states = 0;

  template <class Plan> static constexpr plan_view of(const Plan& p) {
    return {p.steps,
            p.prepare,
            p.stripes,
            p.windows,
            p.slots,
            p.descs,
            p.words,
            p.inputs,
            p.outputs,
            p.weights,
            p.states,
            p.fallible,
            p.text,
            p.constants,
            p.arena_bytes,
            p.prepared_bytes,
            p.prepare_scratch_bytes,
            p.part_scratch_bytes,
            p.steps_before_states};
  }

  constexpr const operand_slot& slot_of(const port& p) const { return slots[static_cast<std::size_t>(p.slot)]; }
  constexpr const operand_slot& slot_of(const state_port& s) const { return slots[static_cast<std::size_t>(s.slot)]; }
  constexpr const tensor_desc& desc_of(const operand_slot& slot) const {
    return descs[static_cast<std::size_t>(slot.desc)];
  }
  constexpr const tensor_desc& desc_of(const port& p) const { return desc_of(slot_of(p)); }
  constexpr std::string_view name_of(const port& p) const { return text_at(p.name); }
  constexpr std::string_view name_of(const state_port& s) const { return text_at(s.name); }
  constexpr std::string_view text_at(ir::range at) const {
    return {text.data() + at.first, static_cast<std::size_t>(at.count)};
  }
  constexpr std::size_t base_count() const { return first_input + inputs.size() + weights.size(); }
};

/// The address of each base of a plan: arena, prepared, prepare scratch, constants, inputs, weights.
using base_table = array_ref<std::byte* const>;

/// Zeroes the elements of these inputs or outputs: users may read them before the first run.
inline void clear_ports(const plan_view& plan, array_ref<const port> ports, base_table bases) {
  for (const port& p : ports) {
    const operand_slot& slot = plan.slot_of(p);
    std::fill_n(bases[static_cast<std::size_t>(slot.base)] + slot.offset, plan.desc_of(slot).bytes(), std::byte{});
  }
}

namespace detail {

/// The address of a slot's bytes; null if its base is not set.
[[gnu::always_inline]] inline std::byte* address_of(const operand_slot& slot, base_table bases) {
  std::byte* const base = slot.base < 0 ? nullptr : bases[static_cast<std::size_t>(slot.base)];
  return base == nullptr ? nullptr : base + slot.offset;
}
[[gnu::always_inline]] inline view view_of(const operand_slot& slot, array_ref<const operand_slot> slots,
                                           array_ref<const tensor_desc> descs, base_table bases) {
  view v;
  if (slot.desc >= 0) v.desc = descs.data() + slot.desc;
  v.data = any_pointer::bytes(address_of(slot, bases));
  if (slot.scales < 0) return v;
  const operand_slot& scales = slots[static_cast<std::size_t>(slot.scales)];
  v.scales = {reinterpret_cast<const float*>(address_of(scales, bases)),
              static_cast<std::size_t>(descs[static_cast<std::size_t>(scales.desc)].elements())};
  return v;
}

/// End address of the prepared weights.
[[gnu::always_inline]] inline const std::byte* weights_end_of(const plan_view& plan, base_table bases) {
  return bases[in_prepared] + plan.prepared_bytes;
}

}  // namespace detail

/// Memory and helpers of one run.
struct run_context {
  base_table bases;
  part_runner* threads = nullptr;        // nullptr: only this thread
  std::byte* further_scratch = nullptr;  // part_scratch_bytes for each further thread
  array_ref<const view> views;           // one for each of the plan's slots: make_views()
  // where a step reports a fault in its values; nullptr: no step may fail
  run_fault* fault = nullptr;
};

/// Makes the views that steps read, one for each of the plan's slots. Call it when a base changes, not in every run:
/// for small networks it takes as long as a step.
inline void make_views(const plan_view& plan, base_table bases, array_ref<view> views) {
  for (std::size_t i = 0; i < plan.slots.size(); ++i)
    views[i] = detail::view_of(plan.slots[i], plan.slots, plan.descs, bases);
}

namespace detail {
/// Scratch memory of a further thread; thread 0 has its scratch memory in the arena.
[[gnu::always_inline]] inline std::byte* further_scratch_of(const plan_view& plan, const run_context& context,
                                                            int thread) {
  return context.further_scratch + (thread - 1) * plan.part_scratch_bytes;
}

/// The call of a step by a thread. Only thread 0 reports faults in values.
[[gnu::always_inline]] inline kernel_call call_of(const plan_view& plan, const step& s, const run_context& context,
                                                  int thread) {
  kernel_call call;
  call.attrs = {plan.words.data() + s.attrs.first, static_cast<std::size_t>(s.attrs.count)};
  call.in = {context.views.data() + s.inputs.first, static_cast<std::size_t>(s.inputs.count)};
  call.out = {context.views.data() + s.outputs.first, static_cast<std::size_t>(s.outputs.count)};
  call.inner = s.inner;
  call.plan = plan.words.data() + s.kernel_plan;
  call.weights_end = weights_end_of(plan, context.bases);
  if (thread > 0) {
    call.scratch = further_scratch_of(plan, context, thread);
  } else {
    call.fault = context.fault;
    if (s.scratch_bytes > 0) call.scratch = context.bases[in_arena] + s.scratch;
  }
  return call;
}
}  // namespace detail

/// Runs one step.
inline void run_step(const plan_view& plan, const step& s, const run_context& context) {
  s.run(detail::call_of(plan, s, context, 0));
}

/// Runs steps in order until one rejects its values. Returns that step; nullptr: all have run.
inline const step* run_steps(const plan_view& plan, array_ref<const step> steps, const run_context& context) {
  for (const step& s : steps) {
    run_step(plan, s, context);
    if (context.fault != nullptr && *context.fault) return &s;
  }
  return nullptr;
}

}}  // namespace nnrt::NNRT_ISA
