// reduce_mean: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/kernels/call.hpp>
#include <nnrt/kernels/fast.hpp>
#include <nnrt/kernels/reduce.hpp>
#include <nnrt/ops/reduce_mean.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::reduce_mean, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    const tensor_desc& x = node.in[0].desc;
    if (x.type != f32 || !has_work(node)) return {};
    const bool has_list = node.in.size() > 1 && node.in[1];
    const axis_block block = block_for(unpack<ops::reduce_mean::attrs>(node.attrs), x.shape,
                                       has_list ? node.in[1].values : std::span<const std::int64_t>{});
    if (!block.found) return {};
    return {.run = &run,
            .parts = parts_for(block.elements()),
            .name = block.inner == 1 ? "mean of rows" : "mean of columns"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::reduce_mean::attrs>(call.attrs);
    std::int64_t list[max_rank];
    const bool has_list = call.in.size() > 1 && call.in[1];
    const std::int64_t count = has_list ? call.in[1].elements() : 0;
    for (std::int64_t i = 0; i < count; ++i) list[i] = call.in[1].integer(i);
    const axis_block block = block_for(attrs, call.in[0].shape(), {list, static_cast<std::size_t>(count)});
    mean(block, floats_in(call, 0), attrs.reduce_to_end && attrs.coefficient != 0 ? attrs.coefficient : 1.0F,
         floats_out(call), part_of(call));
  }

 private:
  static constexpr axis_block block_for(const ops::reduce_mean::attrs& attrs, const shape_t& shape,
                                        std::span<const std::int64_t> list) {
    ops::chosen_axes axes;
    for (const std::int64_t axis : list) axes.items[axes.count++] = normalise_axis(axis, shape.rank);
    axes = ops::reduce_mean::reduced(attrs, axes, shape.rank);
    bool listed[max_rank] = {};
    for (int i = 0; i < axes.count; ++i) listed[axes.items[i]] = true;
    return block_of(shape, listed);
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
