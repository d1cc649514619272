// unrolled: the steps of a micro network as straight-line code with compile-time extents.
// Flow: executor calls run_unrolled() instead of looping over the table of steps.
#pragma once

#include <nnrt/exec/plan_view.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/kernels/f32/gemm/unrolled.hpp>
#include <nnrt/kernels/int8/gemm/unrolled.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

template <const auto& Plan, std::int32_t Slot>
[[gnu::always_inline]] inline std::byte* address_of_slot(base_table bases) {
  constexpr operand_slot slot = Plan.slots[static_cast<std::size_t>(Slot)];
  return bases[static_cast<std::size_t>(slot.base)] + slot.offset;
}

/// A dense layer whose extents are template arguments. Operands: x, the desc of the weight, optionally the desc of the
/// bias, and the packed weights.
template <const auto& Plan, std::size_t I> [[gnu::always_inline]] inline void unrolled_dense(base_table bases) {
  constexpr step s = Plan.steps[I];
  constexpr operand_slot weight = Plan.slots[static_cast<std::size_t>(s.inputs.first) + 1],
                         y = Plan.slots[static_cast<std::size_t>(s.outputs.first)];
  constexpr shape_t w = Plan.descs[static_cast<std::size_t>(weight.desc)].shape;
  constexpr std::int64_t rows = Plan.descs[static_cast<std::size_t>(y.desc)].elements() / w[0];
  constexpr std::int32_t fused_word = s.attrs.first + s.fused_word;
  constexpr auto fused = static_cast<activation>(Plan.words[static_cast<std::size_t>(fused_word)]);
  kernels::dense<static_cast<int>(w[1]), static_cast<int>(w[0]), fused>(
      reinterpret_cast<const float*>(address_of_slot<Plan, s.inputs.first>(bases)),
      reinterpret_cast<const float*>(address_of_slot<Plan, s.inputs.first + s.inputs.count - 1>(bases)),
      reinterpret_cast<float*>(address_of_slot<Plan, s.outputs.first>(bases)), rows);
}

/// As above for int8. Returns false if the zero points need an ordinary call.
template <const auto& Plan, std::size_t I> [[gnu::always_inline]] inline bool unrolled_int8_dense(base_table bases) {
  constexpr step s = Plan.steps[I];
  constexpr auto desc_at = [](std::int32_t slot) {
    return Plan.descs[static_cast<std::size_t>(Plan.slots[static_cast<std::size_t>(slot)].desc)];
  };
  constexpr tensor_desc x = desc_at(s.inputs.first), w = desc_at(s.inputs.first + 1), y = desc_at(s.outputs.first);
  constexpr std::int32_t fused_word = s.attrs.first + s.fused_word;
  constexpr auto fused = static_cast<activation>(Plan.words[static_cast<std::size_t>(fused_word)]);
  constexpr kernels::int8_factors factors{x.quantised.zero_point, w.quantised.zero_point, x.type == u8};
  constexpr quantised_range range = int8_range_of(y, fused);
  constexpr std::int64_t rows = y.elements() / w.shape[0];
  if constexpr (factors.b_zero_as_seen() != 0) return false;
  else
    return kernels::int8_dense<kernels::int8_packing::of(rows, w.shape[1], w.shape[0])>(
        address_of_slot<Plan, s.inputs.first>(bases), address_of_slot<Plan, s.inputs.first + s.inputs.count - 1>(bases),
        address_of_slot<Plan, s.outputs.first>(bases), rows, factors.a_flip(),
        {range.low, range.high, y.quantised.zero_point, y.type == u8});
}

/// A function of 8-bit values by a look-up table, which is the last operand.
template <const auto& Plan, std::size_t I> [[gnu::always_inline]] inline void unrolled_table(base_table bases) {
  constexpr step s = Plan.steps[I];
  constexpr operand_slot y = Plan.slots[static_cast<std::size_t>(s.outputs.first)];
  kernels::look_up_all<Plan.descs[static_cast<std::size_t>(y.desc)].elements()>(
      address_of_slot<Plan, s.inputs.first + s.inputs.count - 1>(bases), address_of_slot<Plan, s.inputs.first>(bases),
      address_of_slot<Plan, s.outputs.first>(bases));
}

/// A direct call of the step's kernel, in which only addresses are unknown to the compiler.
template <const auto& Plan, std::size_t I, std::int32_t... In, std::int32_t... Out>
[[gnu::always_inline]] inline void unrolled_call(base_table bases, run_fault* fault,
                                                 std::integer_sequence<std::int32_t, In...>,
                                                 std::integer_sequence<std::int32_t, Out...>) {
  constexpr step s = Plan.steps[I];
  const std::array<view, sizeof...(In)> in{
      view_of(Plan.slots[static_cast<std::size_t>(s.inputs.first + In)], Plan.slots, Plan.descs, bases)...};
  const std::array<view, sizeof...(Out)> out{
      view_of(Plan.slots[static_cast<std::size_t>(s.outputs.first + Out)], Plan.slots, Plan.descs, bases)...};
  kernel_call call;
  call.attrs = {Plan.words.data() + s.attrs.first, static_cast<std::size_t>(s.attrs.count)};
  call.in = in;
  call.out = out;
  call.inner = s.inner;
  call.plan = Plan.words.data() + s.kernel_plan;
  if constexpr (s.scratch_bytes > 0) call.scratch = bases[in_arena] + s.scratch;
  if constexpr (!Plan.fallible.empty()) call.fault = fault;
  s.run(call);
}

template <const auto& Plan, std::size_t I>
[[gnu::always_inline]] inline void unrolled_step(base_table bases, run_fault* fault) {
  constexpr unrolled_kernel unrolled = Plan.steps[I].unrolled;
  if constexpr (unrolled == unrolled_kernel::dense) return unrolled_dense<Plan, I>(bases);
  else if constexpr (unrolled == unrolled_kernel::table) return unrolled_table<Plan, I>(bases);
  else {
    if constexpr (unrolled == unrolled_kernel::int8_dense)
      if (unrolled_int8_dense<Plan, I>(bases)) return;
    unrolled_call<Plan, I>(bases, fault, std::make_integer_sequence<std::int32_t, Plan.steps[I].inputs.count>{},
                           std::make_integer_sequence<std::int32_t, Plan.steps[I].outputs.count>{});
  }
}

/// As run_steps(): returns the step that rejected its values, or nullptr.
template <const auto& Plan, std::size_t... I>
[[gnu::always_inline]] inline const step* run_unrolled(base_table bases, run_fault* fault, std::index_sequence<I...>) {
  const step* failed = nullptr;
  const auto has_run = [&](const step& s) {
    if constexpr (!Plan.fallible.empty())
      if (*fault) failed = &s;
    return failed == nullptr;
  };
  (void)((unrolled_step<Plan, I>(bases, fault), has_run(Plan.steps[I])) && ...);
  return failed;
}

}}}  // namespace nnrt::NNRT_ISA::detail
