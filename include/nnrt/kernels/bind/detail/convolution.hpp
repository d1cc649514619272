// convolution: shared parts of the bindings of convolutions: depthwise kernel, tile tables, optional operands.
// Flow: bind/conv2d.hpp, bind/depthwise_conv2d.hpp, bind/conv2d_transpose.hpp, bind/full_connection.hpp and
// bind/matmul.hpp use it.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/kernels/f32/depthwise/depthwise.hpp>
#include <nnrt/kernels/f32/gemm/gemm.hpp>
#include <nnrt/kernels/f32/layer_operands.hpp>
#include <nnrt/ops/detail/window_rules.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// The elements of operand i, or null if it is missing.
constexpr const float* optional_floats_in(const kernel_call& call, std::size_t i) {
  return i < call.in.size() && call.in[i] ? floats_in(call, i) : nullptr;
}

/// Scratch memory of a call as floats.
inline float* scratch_floats(const kernel_call& call) { return reinterpret_cast<float*>(call.scratch); }

/// Operands of a layer of which input 0 is x and the last one the packed weights.
inline layer_operands layer_operands_of(const kernel_call& call, clamp_range range) {
  return {.x = floats_in(call, 0),
          .packed = floats_in(call, call.in.size() - 1),
          .y = floats_out(call),
          .scratch = scratch_floats(call),
          .range = range};
}

/// Maximum number of parts for `macs` multiply-accumulates: one vector of them costs as much as one element of a map.
constexpr int parts_of_macs(std::int64_t macs) { return parts_for(macs / 16); }

/// Maximum number of parts for products with `weights` weights. With few rows, reading the weights takes longer than
/// the products.
constexpr int parts_of_products(std::int64_t macs, std::int64_t weights) {
  return std::max(parts_of_macs(macs), parts_for(weights / 4));
}

/// `native`, as a dependent name. Otherwise clang would compile the functions whose addresses a binding takes, in every
/// program.
template <class Isa> using native_for = std::conditional_t<std::is_void_v<Isa>, native, Isa>;

/// The tile tables of a binding of products: each plan gets the table with the tiles of its rows and columns.
template <class Isa> struct with_tiles {
  static constexpr int every_table = tile_tables - 1;
  template <int Table> static constexpr const void* table() { return &some_tiles<native_for<Isa>, Table>; }
};
/// The code of a method of such a binding.
constexpr kernel_code code_of(int method, tile_set tiles) {
  return {.method = static_cast<std::int16_t>(method), .table = static_cast<std::int16_t>(tile_table_for(tiles))};
}
/// The tile table that a plan selected for its products.
inline tiling tiles_in(const kernel_call& call) {
  return {*static_cast<const tile_table*>(call.inner), reinterpret_cast<address>(call.weights_end)};
}

/// Shape of a node whose weights are [outC, kh, kw, 1], for the depthwise kernels.
template <class Op>
constexpr depthwise_shape depthwise_shape_for(const typename Op::attrs& a, const shape_t& x, const shape_t& w) {
  const ops::detail::window_pair at = Op::windows(a, x, w);
  return {.batch = x[0],
          .height = x[1],
          .width = x[2],
          .channels = x[3],
          .multiplier = w[0] / x[3],
          .kernel_h = w[1],
          .kernel_w = w[2],
          .stride_h = a.stride.h,
          .stride_w = a.stride.w,
          .dilation_h = a.dilation.h,
          .dilation_w = a.dilation.w,
          .pad_top = at.h.pad_before(),
          .pad_left = at.w.pad_before(),
          .out_height = at.h.outputs(),
          .out_width = at.w.outputs()};
}

/// The depthwise kernel for an operator with weights [outC, kh, kw, 1]; output channel o reads channel o / multiplier.
///
/// Isa only makes names dependent. Clang compiles constexpr functions, and functions whose addresses they take, if a
/// template names them without a dependent name. Every program with this header would then compile these kernels.
template <class Op, class Isa> struct depthwise_binding {
  static constexpr int methods = depthwise_methods.count;
  template <int Method> static constexpr kernel_functions functions() {
    return {&run<depthwise_methods.of[Method]>, &pack};
  }
  static constexpr kernel_choice choose(const kernel_request& node, int first_method = 0) {
    const auto attrs = unpack<typename Op::attrs>(node.attrs);
    const depthwise_shape shape = depthwise_shape_for<Op>(attrs, node.in[0].desc.shape, node.in[1].desc.shape);
    const int method = number_of(depthwise_method_of(shape));
    return {.code = {.method = static_cast<std::int16_t>(first_method + method)},
            .packs = 0b110,
            .packed_bytes = depthwise_packed_floats(shape) * size_of(f32),
            .plan = plan_of(shape, range_of(attrs.fused)),
            .parts = parts_of_macs(Op::macs(attrs, node.in, node.out)),
            .rows = row_window_of(shape),
            .name = "depthwise"};
  }
  static void pack(const kernel_call& call) {
    depthwise_pack(call.planned<depthwise_shape>(), floats_in(call, 1), optional_floats_in(call, 2), floats_out(call));
  }
  template <depthwise_method Method> static void run(const kernel_call& call) {
    depthwise_by<native, Method>(recorded_rows<depthwise_shape>(call),
                                 layer_operands_of(call, planned_range<depthwise_shape, clamp_range>(call)),
                                 part_of(call), !call.rows.is_all(), call.reads_stripe);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
