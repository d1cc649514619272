// fill: kernel of the operator for every dtype.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/fill.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::fill, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "fill"};
  }
  static void run(const kernel_call& call) {
    call.report(ops::fill::check(call.in, call.out));
    const std::int64_t bytes = size_of(call.out[0].type());
    const interval range = share(call.out[0].elements(), part_of(call));
    fill_numbers({bytes_in(call, 0), bytes}, range.size() * bytes, bytes_out(call) + range.begin * bytes);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
