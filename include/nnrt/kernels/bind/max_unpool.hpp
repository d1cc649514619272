// max_unpool: kernels of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/pooling/indices.hpp>
#include <nnrt/ops/max_unpool.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// f32, i32, i8 and u8; the reference computes other dtypes.
template <class Isa> struct binding<ops::max_unpool, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    const dtype type = node.in[0].desc.type;
    if (!has_work(node) || !types_of(f32, i32, i8, u8).contains(type)) return {};
    return {.run = size_of(type) == 4 ? &run<std::int32_t> : &run<std::int8_t>,
            .parts = parts_of(node.out[0].shape[0]),
            .name = "unpool images"};
  }

 private:
  template <class T> static void run(const kernel_call& call) {
    using op = ops::max_unpool;
    const auto attrs = unpack<op::attrs>(call.attrs);
    const shape_t &small = call.in[0].shape(), &large = call.out[0].shape();
    const T *const x = reinterpret_cast<const T*>(bytes_in(call, 0)), zero = op::zero_of<T>(*call.out[0].desc);
    const auto to = [&](auto pixel_of) {
      unpool<T>({.small = small,
                 .x = x,
                 .indices = call.in[1].data.get<std::int32_t>(),
                 .large = large,
                 .y = reinterpret_cast<T*>(bytes_out(call)),
                 .zero = zero},
                part_of(call), pixel_of);
    };
    if (attrs.in_window)
      to([&](std::int32_t index, extent2 from) { return op::pixel_of(attrs, index, from, large[2]); });
    else to([width = large[2]](std::int32_t index, extent2) { return op::pixel_in(index, width); });
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
