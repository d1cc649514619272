// one_hot: kernel of the operator for every dtype.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/one_hot.hpp>

#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Fills with the off value, then writes the on value at each index.
template <class Isa> struct binding<ops::one_hot, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "one hot"};
  }
  static void run(const kernel_call& call) {
    const view &indices = call.in[0], &y = call.out[0];
    const int axis = normalise_axis(unpack<ops::one_hot::attrs>(call.attrs).axis, y.rank());
    const std::int64_t depth = y.shape()[axis], inner = indices.shape().elements(axis), size = size_of(y.type());
    call.report(ops::one_hot::check(call.in, depth));
    // A part has whole blocks of depth * inner elements.
    const interval blocks = share(indices.elements() / inner, part_of(call));
    const std::int64_t bytes = depth * inner * size;
    fill_numbers({bytes_in(call, 3), size}, blocks.size() * bytes, bytes_out(call) + blocks.begin * bytes);
    for (std::int64_t i = blocks.begin * inner; i < blocks.end * inner; ++i) {
      const std::int64_t index = indices.integer(i);
      if (index < 0 || index >= depth) continue;
      std::memcpy(bytes_out(call) + i / inner * bytes + (index * inner + i % inner) * size, bytes_in(call, 2),
                  static_cast<std::size_t>(size));
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
