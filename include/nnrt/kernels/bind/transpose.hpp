// transpose: kernel of the operator for every dtype.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/transpose.hpp>
#include <nnrt/ops/transpose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::transpose, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    const tensor_desc& x = node.in[0].desc;
    shape_t perm;
    for (const std::int64_t axis : node.in[1].values) perm.push_back(normalise_axis(axis, x.rank()));
    const bool moves_rows = transposition_of(x.shape, perm, size_of(x.type)).moves_rows;
    return {.run = &run, .parts = parts_for(x.elements()), .name = moves_rows ? "copy rows" : "transpose planes"};
  }
  static void run(const kernel_call& call) {
    const view& x = call.in[0];
    shape_t perm;
    for (int i = 0; i < x.rank(); ++i) perm.push_back(normalise_axis(call.in[1].integer(i), x.rank()));
    transpose(transposition_of(x.shape(), perm, size_of(x.type())), bytes_in(call, 0), bytes_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
