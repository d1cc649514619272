// plan_view: a plan as its users see it, whether it is frozen in .rodata or on the heap; and the loop that runs one.
// Flow: executors and sessions fill the table of bases and call run_steps() for prepare and for each inference.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/exec/plan.hpp>

namespace nnrt::inline NNRT_ISA {

/// Spans over a plan.
struct plan_view {
  array_ref<const step> steps;
  array_ref<const step> prepare;
  array_ref<const band_group> bands;
  array_ref<const row_window> windows;
  array_ref<const operand_slot> slots;
  array_ref<const tensor_desc> descs;
  array_ref<const word> words;
  array_ref<const port> inputs;
  array_ref<const port> outputs;
  array_ref<const port> weights;
  array_ref<const fallible_node> fallible;
  array_ref<const char> text;
  array_ref<const std::byte> constants;
  std::int64_t arena_bytes = 0;
  std::int64_t prepared_bytes = 0;
  std::int64_t prepare_scratch_bytes = 0;
  std::int64_t part_scratch_bytes = 0;

  template <class Plan>
  static constexpr plan_view of(const Plan& p) {
    return {p.steps, p.prepare, p.bands, p.windows, p.slots, p.descs, p.words, p.inputs, p.outputs, p.weights, p.fallible, p.text, p.constants, p.arena_bytes, p.prepared_bytes, p.prepare_scratch_bytes, p.part_scratch_bytes};
  }

  constexpr const operand_slot& slot_of(const port& p) const { return slots[static_cast<std::size_t>(p.slot)]; }
  constexpr const tensor_desc& desc_of(const operand_slot& slot) const { return descs[static_cast<std::size_t>(slot.desc)]; }
  constexpr const tensor_desc& desc_of(const port& p) const { return desc_of(slot_of(p)); }
  constexpr std::string_view name_of(const port& p) const { return {text.data() + p.name.first, static_cast<std::size_t>(p.name.count)}; }
  constexpr std::size_t base_count() const { return first_input + inputs.size() + weights.size(); }
};

/// Where each base of a plan begins: arena, prepared, prepare scratch, constants, inputs, weights.
using base_table = array_ref<std::byte* const>;

/// Zeroes the elements of these inputs or outputs: users may look at them before the first run.
inline void clear_ports(const plan_view& plan, array_ref<const port> ports, base_table bases) {
  for (const port& p : ports) {
    const operand_slot& slot = plan.slot_of(p);
    std::fill_n(bases[static_cast<std::size_t>(slot.base)] + slot.offset, plan.desc_of(slot).bytes(), std::byte{});
  }
}

/// Whoever can run the parts of a step at the same time.
class part_runner {
 public:
  /// Calls job(context, part) for part = 0 … parts - 1 and returns when all are done.
  virtual void run(void (*job)(void* context, int part), void* context, int parts) = 0;
  virtual int threads() const = 0;

 protected:
  ~part_runner() = default;
};

namespace detail {

/// Where a slot's bytes begin; null where its base has none (yet).
[[gnu::always_inline]] inline std::byte* address_of(const operand_slot& slot, base_table bases) {
  std::byte* const base = slot.base < 0 ? nullptr : bases[static_cast<std::size_t>(slot.base)];
  return base == nullptr ? nullptr : base + slot.offset;
}
[[gnu::always_inline]] inline view view_of(const operand_slot& slot, array_ref<const operand_slot> slots, array_ref<const tensor_desc> descs, base_table bases) {
  view v;
  if (slot.desc >= 0) v.desc = descs.data() + slot.desc;
  v.data = any_pointer::bytes(address_of(slot, bases));
  if (slot.scales < 0) return v;
  const operand_slot& scales = slots[static_cast<std::size_t>(slot.scales)];
  v.scales = {reinterpret_cast<const float*>(address_of(scales, bases)), static_cast<std::size_t>(descs[static_cast<std::size_t>(scales.desc)].elements())};
  return v;
}

/// Where the prepared weights end.
[[gnu::always_inline]] inline const std::byte* weights_end_of(const plan_view& plan, base_table bases) { return bases[in_prepared] + plan.prepared_bytes; }

/// One step cut into parts.
struct step_job {
  kernel_call call;
  kernel_function run;
  std::byte* further_scratch;     // for parts 1, 2, …
  std::int64_t scratch_stride;

  static void run_part(void* context, int part) {
    const auto& job = *static_cast<const step_job*>(context);
    kernel_call call = job.call;
    call.tile = part;
    if (part > 0) {
      call.scratch = job.further_scratch + (part - 1) * job.scratch_stride;
      call.fault = nullptr;
    }
    job.run(call);
  }
};

}  // namespace detail

/// Memory and helpers of one run.
struct run_context {
  base_table bases;
  part_runner* threads = nullptr;         // nullptr: this thread alone
  std::byte* further_scratch = nullptr;   // part_scratch_bytes for each further thread
  array_ref<const view> views;            // of the plan's slots, one for each: make_views()
  run_fault* fault = nullptr;             // where a step says what is wrong with its values; nullptr: the plan has none that may fail
};

/// Makes the views that steps read, one for each of the plan's slots: once for as long as no base changes, since a step of a small network
/// takes no longer than its views do.
inline void make_views(const plan_view& plan, base_table bases, array_ref<view> views) {
  for (std::size_t i = 0; i < plan.slots.size(); ++i) views[i] = detail::view_of(plan.slots[i], plan.slots, plan.descs, bases);
}

/// Runs one step.
inline void run_step(const plan_view& plan, const step& s, const run_context& context) {
  kernel_call call;
  call.attrs = {plan.words.data() + s.attrs.first, static_cast<std::size_t>(s.attrs.count)};
  call.in = {context.views.data() + s.inputs.first, static_cast<std::size_t>(s.inputs.count)};
  call.out = {context.views.data() + s.outputs.first, static_cast<std::size_t>(s.outputs.count)};
  call.fault = context.fault;
  call.inner = s.inner;
  call.record = plan.words.data() + s.record;
  call.weights_end = detail::weights_end_of(plan, context.bases);
  if (s.scratch_bytes > 0) call.scratch = context.bases[in_arena] + s.scratch;
  if (context.threads == nullptr || s.parts < 2) return s.run(call);
  call.tiles = std::min(s.parts, context.threads->threads());
  detail::step_job job{call, s.run, context.further_scratch, plan.part_scratch_bytes};
  context.threads->run(&detail::step_job::run_part, &job, call.tiles);
}

/// Runs steps one after the other, up to the first that finds fault with its values; that one, or nullptr when all have run.
inline const step* run_steps(const plan_view& plan, array_ref<const step> steps, const run_context& context) {
  for (const step& s : steps) {
    run_step(plan, s, context);
    if (context.fault != nullptr && *context.fault) return &s;
  }
  return nullptr;
}

}  // namespace nnrt::inline NNRT_ISA
