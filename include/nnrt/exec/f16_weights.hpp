// f16_weights: the planner's options for packed weights stored as f16, with the two conversions.
// Flow: compile() passes them to make_plan() on request; static networks do not use them.
#pragma once

#include <nnrt/exec/make_plan.hpp>
#include <nnrt/kernels/f16/convert.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Minimum size of f32 weights that are stored as f16. Smaller weights belong to layers with large images, which run in
/// stripes; widening them in each run would cost more than it saves.
inline constexpr std::int64_t min_halved_bytes = 128 * 1024;

/// The planner's options for programs that are made at run time.
inline plan_options plan_options_for(nnrt::winograd winograd, bool float16_weights) {
  plan_options chosen{.winograd = winograd};
  if (!float16_weights) return chosen;
  // Winograd's method multiplies the error of rounded weights by ten, and its weights need up to four times the memory.
  chosen.winograd = nnrt::winograd::off;
  chosen.halves_from = min_halved_bytes;
  chosen.narrow = &kernels::run_narrow<>;
  chosen.widen = &kernels::run_widen_f16<>;
  return chosen;
}

}}  // namespace nnrt::NNRT_ISA
