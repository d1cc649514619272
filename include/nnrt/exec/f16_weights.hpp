// f16_weights: the planner's choice to keep packed weights as float16, and the two conversions that it needs.
// Flow: compile() hands it to make_plan() where options ask for it; static networks never see it.
#pragma once

#include <nnrt/exec/make_plan.hpp>
#include <nnrt/kernels/f16/convert.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Smaller weights are those of layers with large images, which run in stripes; widening them each time would cost more
/// than they take.
inline constexpr std::int64_t min_halved_bytes = 128 * 1024;

/// The planner's choices for programs that are made at run time.
inline plan_options plan_options_for(nnrt::winograd winograd, bool float16_weights) {
  plan_options chosen{.winograd = winograd};
  if (!float16_weights) return chosen;
  // Winograd's method multiplies the error of rounded weights by ten, and its weights take up to four times the memory.
  chosen.winograd = nnrt::winograd::off;
  chosen.halves_from = min_halved_bytes;
  chosen.narrow = &kernels::run_narrow<>;
  chosen.widen = &kernels::run_widen_halves<>;
  return chosen;
}

}}  // namespace nnrt::NNRT_ISA
