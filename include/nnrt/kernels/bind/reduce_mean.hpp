// reduce_mean: f32 and int8 kernels of the operator, along adjacent axes.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/reduction.hpp>
#include <nnrt/kernels/pooling/int8.hpp>
#include <nnrt/ops/reduce_mean.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::reduce_mean, family::f32, Isa> : reduction_binding<mean_fold, Isa> {};

template <class Isa> struct binding<ops::reduce_mean, family::int8, Isa> {
  using blocks = reduction_blocks<Isa>;

  static constexpr kernel_choice select(const kernel_request& node) {
    const tensor_desc& x = node.in[0].desc;
    if ((x.type != i8 && x.type != u8) || !has_work(node)) return {};
    if (is_half_to_even(node.out[0].quantised.rounding)) return {};
    const axis_block block = blocks::block_for(node);
    if (!block.is_contiguous() || block.inner < 8 || block.extent > max_mean_pixels) return {};
    return {.run = &run, .parts = parts_for(block.elements() / 4), .name = "reduce int8"};
  }
  static void run(const kernel_call& call) {
    const axis_block block = blocks::block_for(call);
    const double coefficient = unpack<ops::reduce_mean::attrs>(call.attrs).factor();
    const quantisation &x = call.in[0].desc->quantised, &y = call.out[0].desc->quantised;
    const bool is_unsigned = call.in[0].type() == u8;
    scaled_bytes how;
    how.is_unsigned = is_unsigned, how.is_turned = coefficient < 0;
    how.zero = x.zero_point * block.extent, how.zero_point = y.zero_point;
    how.factor = ops::reduce_mean::shared_out(ops::reduce_mean::scale_of_sums(coefficient, x, y), block.extent);
    how.range = int8_range_of(*call.out[0].desc, activation::none);
    scale_column_sums(block, bytes_in(call, 0), how, bytes_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
