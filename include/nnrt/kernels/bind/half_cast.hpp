// half_cast: kernels of the operator, from f32 to f16 and back.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/f16/convert.hpp>
#include <nnrt/ops/half_cast.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::half_cast, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = node.out[0].type == f32 ? &run_widen_f16<Isa> : &run_narrow_floats<Isa>,
            .parts = parts_for(node.out[0].elements() / 2),
            .name = "convert"};
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
