// pad: kernel of the operator for every dtype.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/pad.hpp>
#include <nnrt/ops/pad.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::pad, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "pad rows"};
  }
  static void run(const kernel_call& call) {
    const view &x = call.in[0], &y = call.out[0];
    const auto attrs = unpack<ops::pad::attrs>(call.attrs);
    std::int64_t before[max_rank] = {};
    for (int i = 0; i < x.rank(); ++i) before[i] = call.in[1].integer(2 * i);
    std::byte outside[8] = {};
    with_element<types::any>(x.type(), [&]<class T>(T) {
      const T value = ops::pad::element_for<T>(attrs.pad_value, x.desc->quantised);
      std::memcpy(outside, &value, sizeof(T));
    });
    const std::int64_t size = size_of(x.type());
    const auto source = [&](std::int64_t i, std::int64_t extent) { return ops::pad::source(i, extent, attrs.mode); };
    pad(padded_rows_of(x.shape(), y.shape(), before, size), bytes_in(call, 0), {outside, size}, bytes_out(call), source,
        part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
