// top_k: kernels of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/reduce/largest.hpp>
#include <nnrt/ops/top_k.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// f32, i32, i8 and u8; the reference computes other dtypes. A part is a share of the lines.
template <class Isa> struct binding<ops::top_k, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    const kernel_function chosen = function_for<types_of(f32, i32, i8, u8)>(
        node.in[0].desc.type, []<class T>(T) -> kernel_function { return &run<T>; });
    if (!has_work(node) || chosen == nullptr) return {};
    const int axis = normalise_axis(unpack<ops::top_k::attrs>(node.attrs).axis, node.in[0].desc.rank());
    const std::int64_t k = node.out[0].shape[axis], room = sizeof(ranked<float>);
    return {
        .run = chosen, .scratch_bytes = k * room, .parts = parts_for(node.in[0].desc.elements()), .name = "top k heap"};
  }

 private:
  template <class T> static void run(const kernel_call& call) {
    static_assert(sizeof(ranked<T>) <= sizeof(ranked<float>));
    const auto attrs = unpack<ops::top_k::attrs>(call.attrs);
    const int axis = normalise_axis(attrs.axis, call.in[0].rank());
    const axis_block block = block_of(call.in[0].shape(), axis);
    const std::int64_t k = call.out[0].shape()[axis], step = block.inner;
    auto* const best = reinterpret_cast<ranked<T>*>(call.scratch);
    const interval lines = share(block.outer * step, part_of(call));
    for (std::int64_t line = lines.begin; line < lines.end; ++line) {
      const std::int64_t row = line / step, column = line % step;
      ranking<T>(best, k).choose(call.in[0].data.template get<T>() + row * block.extent * step + column, block.extent,
                                 step);
      T* const values = call.out[0].data.template get<T>() + row * k * step + column;
      std::int32_t* const indices = call.out[1].data.template get<std::int32_t>() + row * k * step + column;
      for (std::int64_t i = 0; i < k; ++i) {
        const ranked<T>& from = best[attrs.sorted ? i : k - 1 - i];
        values[i * step] = from.value, indices[i * step] = from.index;
      }
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
