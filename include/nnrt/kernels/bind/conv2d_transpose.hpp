// conv2d_transpose: the fast kernels of the operator - products of pixels and filters, or one over channels.
// Flow: included by kernels/select.hpp; plans call the chosen functions.
#pragma once

#include <nnrt/kernels/bind/detail/convolution.hpp>
#include <nnrt/kernels/conv_transpose.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::conv2d_transpose, Isa> {
  /// A kernel of 64 x 64 with a stride of 32 has as many; with more the choice would take the compiler too long.
  static constexpr std::int64_t most_phases = 1024;

  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const auto attrs = unpack<ops::conv2d_transpose::attrs>(node.attrs);
    const conv_transpose_shape shape =
        shape_for(attrs, node.in[0].desc.shape, node.in[1].desc.shape, node.out[0].shape);
    if (conv_transpose_phases(shape) > most_phases) return {};
    kernel_choice choice;
    choice.pack = &pack;
    choice.packs = 0b110;
    choice.packed_bytes = conv_transpose_packed_floats(shape) * size_of(f32);
    choice.parts = parts_of_macs(ops::conv2d_transpose::macs(attrs, node.in, node.out));
    if (shape.is_depthwise()) {
      choice.run = &run_depthwise;
      choice.name = "depthwise phases";
    } else {
      choice.run = &run;
      choice.inner = tiles_for<native_for<Isa>>(conv_transpose_tile_set(shape));
      choice.scratch_bytes = conv_transpose_scratch_floats(shape) * size_of(f32);
      choice.name = "gemm phases";
    }
    return choice;
  }

  static void pack(const kernel_call& call) {
    // The size of the output is not known here, and does not matter.
    const shape_t &x = call.in[0].shape(), &weight = call.in[1].shape();
    conv_transpose_pack(shape_for(attrs_of(call), x, weight, {x[0], 0, 0, weight[0]}), floats_in(call, 1),
                        optional_floats_in(call, 2), floats_out(call));
  }
  static void run(const kernel_call& call) {
    conv_transpose<native>(shape_of(call), floats_in(call, 0), floats_in(call, call.in.size() - 1), floats_out(call),
                           scratch_floats(call), range_of(attrs_of(call).fused), part_of(call), tiles_in(call));
  }
  static void run_depthwise(const kernel_call& call) {
    depthwise_transpose<native>(shape_of(call), floats_in(call, 0), floats_in(call, call.in.size() - 1),
                                floats_out(call), range_of(attrs_of(call).fused), part_of(call));
  }

 private:
  static ops::conv2d_transpose::attrs attrs_of(const kernel_call& call) {
    return unpack<ops::conv2d_transpose::attrs>(call.attrs);
  }
  static constexpr transposed_axis axis_for(const ops::detail::transposed_window& at, std::int64_t output) {
    return {at.input, output, at.kernel, at.stride, at.dilation, at.pad_before(output)};
  }
  static constexpr conv_transpose_shape shape_for(const ops::conv2d_transpose::attrs& a, const shape_t& x,
                                                  const shape_t& weight, const shape_t& y) {
    const auto at = ops::conv2d_transpose::windows(a, x, weight);
    return {x[0], x[3], weight[0], a.group, axis_for(at.h, y[1]), axis_for(at.w, y[2])};
  }
  static conv_transpose_shape shape_of(const kernel_call& call) {
    return shape_for(attrs_of(call), call.in[0].shape(), call.in[1].shape(), call.out[0].shape());
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
