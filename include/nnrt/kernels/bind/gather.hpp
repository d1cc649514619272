// gather: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/axis_block.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/gather.hpp>
#include <nnrt/ops/gather.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::gather, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "gather rows"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::gather::attrs>(call.attrs);
    if (call.fault != nullptr) call.report(ops::gather::check(attrs, call.in));
    const view &x = call.in[0], &indices = call.in[1];
    const axis_block block = block_of(x.shape(), normalise_axis(call.in[2].integer(0), x.rank()));
    gather_rows(
        {block.outer, block.extent, indices.elements(), block.inner * size_of(x.type()), attrs.negative_indices},
        bytes_in(call, 0), {bytes_in(call, 1), indices.type() == i64}, bytes_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
