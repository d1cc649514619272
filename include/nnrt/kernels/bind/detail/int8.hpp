// int8: shared parts of the bindings of int8 layers: zero points, scales, packing and running of products.
// Flow: the int8 bindings of conv2d, conv2d_transpose, depthwise_conv2d, full_connection and matmul use it.
#pragma once

#include <nnrt/kernels/bind/detail/convolution.hpp>
#include <nnrt/kernels/int8/conv/conv2d.hpp>
#include <nnrt/kernels/int8/depthwise/depthwise.hpp>
#include <nnrt/kernels/int8/gemm/gemm.hpp>
#include <nnrt/ops/detail/convolution.hpp>
#include <nnrt/ops/detail/quantised.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// True if operands 0 and 1 and the result are 8-bit quantised values of one type. All extents must be known, and a sum
/// of `products` products must fit in 32 bits.
constexpr bool is_int8_layer(const kernel_request& node, std::int64_t products) {
  const tensor_desc &x = node.in[0].desc, &w = node.in[1].desc, &y = node.out[0];
  const auto is_quantised = [&](const tensor_desc& t) {
    return ops::detail::bytes.contains(t.type) && t.type == x.type && bool(t.quantised);
  };
  return has_work(node) && is_quantised(x) && is_quantised(w) && is_quantised(y) && products <= max_byte_products;
}

/// Maximum number of parts for `macs` multiply-accumulates of int8. A register holds four times as many as of floats;
/// matrix blocks are four times faster again.
constexpr int parts_of_int8_macs(std::int64_t macs, bool in_blocks = false) {
  return parts_of_macs(macs / (in_blocks ? 16 : 4));
}

/// Zero points and signedness of a layer's factors.
inline int8_factors factors_of(const kernel_call& call) {
  return {call.in[0].desc->quantised.zero_point, call.in[1].desc->quantised.zero_point, call.in[0].type() == u8};
}

constexpr int8_factors factors_for(const kernel_request& node) {
  return {node.in[0].desc.quantised.zero_point, node.in[1].desc.quantised.zero_point, node.in[0].desc.type == u8};
}

/// Range of a layer's results relative to the zero point.
inline scaled_range scaled_range_of(const tensor_desc& y, const quantised_range& range) {
  return scaled_range::of(range, y.quantised.zero_point, y.type == u8);
}

/// In a call of pack(): the description of the layer's result, which follows the packed weights.
inline const tensor_desc& result_behind_packed(const kernel_call& call) { return *call.out[1].desc; }

/// Factor and bias of output channel i, whose accumulators have this scale. Operand 2 is the optional bias.
inline int8_channel channel_of(const kernel_call& call, std::int64_t i, double scale) {
  const bool has_bias = call.in.size() > 2 && call.in[2];
  const double factor = scale / double{result_behind_packed(call).quantised.scale};
  const quantisation& y = result_behind_packed(call).quantised;
  return {
      fixed_point_of(factor), has_bias ? call.in[2].data.get<std::int32_t>()[i] : 0, {}, y.rounding, y.zero_point & 1};
}

/// Storage of a layer's operands and result. It is copied into the plan: a small layer would wait longer for three
/// tensor descriptions, each in another cache line, than for its products.
struct int8_layer {
  quantised_range range;  // of results
  std::int32_t x_zero = 0, w_zero = 0, y_zero = 0, is_unsigned = 0;

  static constexpr int8_layer of(const tensor_desc& x, const tensor_desc& w, const tensor_desc& y, activation fused) {
    return {int8_range_of(y, fused), x.quantised.zero_point, w.quantised.zero_point, y.quantised.zero_point,
            x.type == u8};
  }
  static constexpr int8_layer of(const kernel_request& node, activation fused) {
    return of(node.in[0].desc, node.in[1].desc, node.out[0], fused);
  }
  constexpr int8_factors factors() const { return {x_zero, w_zero, is_unsigned != 0}; }
  [[gnu::always_inline]] narrowing narrowed() const { return {range.low, range.high, y_zero, is_unsigned != 0}; }
};

/// In a call of run(): the product; its packed weights are the last operand.
inline int8_product product_of(const kernel_call& call, const int8_packing& packing, const int8_layer& layer) {
  return {packing, bytes_in(call, call.in.size() - 1), layer.factors(), layer.narrowed()};
}

/// Scale of the accumulators of output channel o of a convolution.
inline double convolution_scale(const kernel_call& call, std::int64_t o) {
  return call.in[0].type() == u8 ? ops::detail::sum_scale<std::uint8_t>(call.in[0], call.in[1], o)
                                 : ops::detail::sum_scale<std::int8_t>(call.in[0], call.in[1], o);
}

/// Packs a convolution of this shape, weights [out, kernel_h, kernel_w, in / group].
template <class Isa> void pack_convolution(const kernel_call& call, const conv_shape& shape, const int8_layer& layer) {
  int8_conv_pack(
      shape, layer.factors(), scaled_range_of(result_behind_packed(call), layer.range), bytes_in(call, 1),
      [&](std::int64_t o) { return channel_of(call, o, convolution_scale(call, o)); }, bytes_out(call));
}
template <class Isa>
void run_convolution(const kernel_call& call, const int8_conv_plan& plan, const int8_layer& layer) {
  int8_conv<native_for<Isa>>(plan, product_of(call, int8_conv_packing(plan), layer),
                             {bytes_in(call, 0), bytes_out(call), call.scratch}, part_of(call));
}

/// True if a layer's operands 0 and 1 are 8-bit quantised values and its result are the accumulators; other conditions
/// as in is_int8_layer().
constexpr bool keeps_int8_accumulators(const kernel_request& node) {
  const tensor_desc &x = node.in[0].desc, &w = node.in[1].desc;
  const bool is_quantised =
      ops::detail::bytes.contains(x.type) && w.type == x.type && bool(x.quantised) && bool(w.quantised);
  return has_work(node) && is_quantised && w.shape.elements(1) <= max_byte_products;
}
/// An output channel of such a layer, for packing.
inline int8_channel unscaled_channel_of(const kernel_call& call, std::int64_t o) {
  const bool has_bias = call.in.size() > 2 && call.in[2];
  return unscaled_channel(has_bias ? call.in[2].data.get<std::int32_t>()[o] : 0);
}
/// Target of the accumulators, and the product of a call of run() that writes them there.
inline int8_accumulators_target kept_in(const kernel_call& call) {
  return {call.out[0].data.get<std::int32_t>(), bytes_out(call)};
}
inline int8_product product_of_kept(const kernel_call& call, const int8_packing& packing,
                                    const int8_accumulators_target& kept) {
  return {.packing = packing,
          .packed = bytes_in(call, call.in.size() - 1),
          .factors = factors_of(call),
          .to = narrowing(-128, 127, 0, false),
          .kept = &kept};
}

/// A convolution whose accumulators get an addend or are the result. Depthwise if each channel is a group.
struct left_sums {
  conv_shape shape;
  int8_factors factors;

  constexpr bool is_depthwise() const {
    return shape.group > 1 && shape.group == shape.in && is_for_byte_depthwise(depthwise(), factors);
  }
  constexpr depthwise_shape depthwise() const {
    const conv_shape& s = shape;
    return {.batch = s.batch,
            .height = s.height,
            .width = s.width,
            .channels = s.in,
            .multiplier = s.out / s.in,
            .kernel_h = s.kernel_h,
            .kernel_w = s.kernel_w,
            .stride_h = s.stride_h,
            .stride_w = s.stride_w,
            .dilation_h = s.dilation_h,
            .dilation_w = s.dilation_w,
            .pad_top = s.pad_top,
            .pad_left = s.pad_left,
            .out_height = s.out_height,
            .out_width = s.out_width};
  }
  constexpr std::int64_t packed_bytes() const {
    return is_depthwise() ? int8_depthwise_packed_bytes(depthwise(), factors)
                          : int8_conv_packed_bytes(int8_conv_plan::of(shape));
  }
  constexpr std::int64_t scratch_bytes() const {
    return is_depthwise() ? int8_depthwise_scratch_bytes(depthwise(), factors)
                          : int8_conv_scratch_bytes(int8_conv_plan::of(shape));
  }
  constexpr int parts(std::int64_t macs) const {
    return is_depthwise() ? parts_of_macs(macs) : parts_of_int8_macs(macs, packing().in_blocks);
  }
  constexpr int8_packing packing() const { return int8_conv_packing(int8_conv_plan::of(shape)); }
};

/// Packs its operands, weights [out, kernel_h, kernel_w, in / group].
template <class ChannelOf>
void pack_left_sums(const kernel_call& call, const left_sums& sums, scaled_range range, ChannelOf channel_of) {
  const int8_factors& f = sums.factors;
  if (sums.is_depthwise())
    return int8_depthwise_pack<true>(sums.depthwise(), f, range, bytes_in(call, 1), channel_of, bytes_out(call));
  int8_conv_pack(sums.shape, f, range, bytes_in(call, 1), channel_of, bytes_out(call));
}
/// Runs it. The product has the packing of a convolution, and the addend or the target of the accumulators.
template <class Isa> void run_left_sums(const kernel_call& call, const left_sums& sums, const int8_product& p) {
  if (!sums.is_depthwise())
    return int8_conv<native_for<Isa>>(int8_conv_plan::of(sums.shape), p,
                                      {bytes_in(call, 0), bytes_out(call), call.scratch}, part_of(call));
  int8_depthwise<native_for<Isa>, true>(
      sums.depthwise(), {bytes_in(call, 0), p.packed, bytes_out(call), call.scratch, p.factors, p.to, p.addend, p.kept},
      part_of(call));
}

/// The int8 depthwise kernel, see depthwise_binding. Images of one channel use the ordinary convolution.
template <class Op, class Isa> struct int8_depthwise_binding {
  static constexpr int methods = 2;
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method == 0) return {&run, &pack};
    else return {&run_one_channel, &pack_one_channel};
  }
  static constexpr kernel_choice choose(const kernel_request& node, std::int16_t first_method = 0) {
    const auto attrs = unpack<typename Op::attrs>(node.attrs);
    const tensor_desc &x = node.in[0].desc, &w = node.in[1].desc;
    const int8_factors f = factors_for(node);
    const depthwise_shape shape = depthwise_shape_for<Op>(attrs, x.shape, w.shape);
    const kernel_plan plan = plan_of(shape, int8_layer::of(node, attrs.fused));
    const std::int64_t macs = Op::macs(attrs, node.in, node.out);
    if (shape.channels == 1)
      return {.code = {.method = static_cast<std::int16_t>(first_method + 1)},
              .packs = 0b110,
              .packed_bytes = int8_conv_packed_bytes(int8_conv_plan::of(conv_of(shape))),
              .plan = plan,
              .scratch_bytes = int8_conv_scratch_bytes(int8_conv_plan::of(conv_of(shape))),
              .parts = parts_of_int8_macs(macs),
              .name = "dot windows"};
    if (!is_for_byte_depthwise(shape, f)) return {};
    return {.code = {.method = first_method},
            .packs = 0b110,
            .packed_bytes = int8_depthwise_packed_bytes(shape, f),
            .plan = plan,
            .scratch_bytes = int8_depthwise_scratch_bytes(shape, f),
            // Taps take as long as float taps: four per lane at a quarter of the peak. With one row at a time they take
            // twice as long.
            .parts = parts_of_macs(2 * macs / int8_depthwise_rows_at_once(shape)),
            .rows = row_window_of(shape),
            .name = "dot taps"};
  }
  static void pack(const kernel_call& call) {
    int8_depthwise_pack(
        shape_of(call), layer_of(call).factors(), scaled_range_of(result_behind_packed(call), layer_of(call).range),
        bytes_in(call, 1), [&](std::int64_t o) { return channel_of(call, o, convolution_scale(call, o)); },
        bytes_out(call));
  }
  static void run(const kernel_call& call) {
    const int8_layer layer = layer_of(call);
    int8_depthwise<native>(shape_of(call),
                           {bytes_in(call, 0), bytes_in(call, call.in.size() - 1), bytes_out(call), call.scratch,
                            layer.factors(), layer.narrowed()},
                           part_of(call));
  }
  static void pack_one_channel(const kernel_call& call) {
    pack_convolution<Isa>(call, conv_of(shape_of(call)), layer_of(call));
  }
  static void run_one_channel(const kernel_call& call) {
    run_convolution<Isa>(call, int8_conv_plan::of(conv_of(shape_of(call))), layer_of(call));
  }

 private:
  static int8_layer layer_of(const kernel_call& call) { return planned_range<depthwise_shape, int8_layer>(call); }
  static depthwise_shape shape_of(const kernel_call& call) { return recorded_rows<depthwise_shape>(call); }
  static constexpr conv_shape conv_of(const depthwise_shape& s) {
    return {.batch = s.batch,
            .height = s.height,
            .width = s.width,
            .in = 1,
            .out = s.out(),
            .kernel_h = s.kernel_h,
            .kernel_w = s.kernel_w,
            .stride_h = s.stride_h,
            .stride_w = s.stride_w,
            .dilation_h = s.dilation_h,
            .dilation_w = s.dilation_w,
            .pad_top = s.pad_top,
            .pad_left = s.pad_left,
            .out_height = s.out_height,
            .out_width = s.out_width};
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
