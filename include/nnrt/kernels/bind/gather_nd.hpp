// gather_nd: kernel of the operator for every dtype; copies blocks.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/core/shape.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/gather.hpp>
#include <nnrt/ops/gather_nd.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::gather_nd, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "gather slices"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::gather_nd::attrs>(call.attrs);
    if (call.fault != nullptr) call.report(ops::gather_nd::check(attrs, call.in));
    const view &x = call.in[0], &indices = call.in[1];
    const int length = static_cast<int>(indices.shape()[-1]);
    gather_places({x.shape(), length, indices.shape().elements(0, indices.rank() - 1),
                   x.shape().elements(length) * size_of(x.type()), attrs.negative_indices},
                  bytes_in(call, 0), {bytes_in(call, 1), indices.type() == i64}, bytes_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
