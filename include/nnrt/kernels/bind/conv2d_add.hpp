// conv2d_add: the fast kernel of the operator - that of conv2d of bytes, which adds a tensor to its sums before it scales them.
// Flow: included by kernels/select.hpp; plans call the chosen functions.
#pragma once

#include <nnrt/kernels/bind/conv2d.hpp>
#include <nnrt/ops/conv2d_add.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

template <> struct operator_of<ops::conv2d_add::code> {
  using type = ops::conv2d_add;
};

/// The packed form is that of the convolution, then the factors of the addend (see byte_addend), then their scales, then whether any is wide.
template <class Isa> struct fast_on_bytes<ops::conv2d_add, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!is_layer_of_bytes(node, node.in[1].desc.shape.elements(1)) || node.in[3].desc.type != node.in[0].desc.type) return {};
    const conv_shape shape = conv_shape_for(unpack<ops::conv2d_add::attrs>(node.attrs), node.in[0].desc.shape, node.in[1].desc.shape);
    return {.run = &run,
            .pack = &pack,
            .packs = 0b110,
            .packed_bytes = wide_at(shape) + 64,
            .scratch_bytes = byte_conv_scratch_bytes(shape),
            .parts = parts_of_byte_macs(ops::conv2d_add::macs({}, node.in, node.out)),
            .name = "dot windows, sum"};
  }

  static void pack(const kernel_call& call) {
    const conv_shape shape = conv_shape_of(call);
    const byte_factors f = factors_of(call);
    const std::int64_t filter = call.in[1].shape().elements(1);
    std::byte* const packed = bytes_out(call);
    byte_conv_pack(
        shape, f, scaled_range_of(call, result_behind_packed(call), fused_of(call)), [&](std::int64_t o, std::int64_t i) { return f.at(bytes_in(call, 1), o * filter + i); },
        [&](std::int64_t o) {
          byte_channel c = channel_of(call, o, convolution_scale(call, o));
          c.addend = reach_of(call, addend_factor(call, o));
          return c;
        },
        packed);
    auto* const factors = reinterpret_cast<double*>(packed + factors_at(shape));
    auto* const scales = reinterpret_cast<addend_scale*>(packed + scales_at(shape));
    std::int32_t any_wide = 0;
    for (std::int64_t o = 0; o < shape.out; ++o) {
      const fixed_point factor = addend_factor(call, o);
      scales[o] = {factor, is_wide(call, o, factor) ? 1 : 0};
      // Factors that keep sums within 32 bits are below 2^31.
      factors[o] = scales[o].is_wide != 0 ? 0 : static_cast<double>(factor.mantissa) / static_cast<double>(std::int64_t{1} << (31 - factor.exponent));
      any_wide |= scales[o].is_wide;
    }
    for (std::int64_t i = 0; i < int_lanes; ++i) factors[shape.out + i] = factors[i % shape.out];
    *reinterpret_cast<std::int32_t*>(packed + wide_at(shape)) = any_wide;
  }
  static void run(const kernel_call& call) {
    const conv_shape shape = conv_shape_of(call);
    const std::byte* const packed = bytes_in(call, call.in.size() - 1);
    const quantisation& y = call.out[0].desc->quantised;
    const byte_addend addend{.x = bytes_in(call, 3),
                             .c = bytes_out(call),
                             .columns = shape.out,
                             .factors = reinterpret_cast<const double*>(packed + factors_at(shape)),
                             .scales = reinterpret_cast<const addend_scale*>(packed + scales_at(shape)),
                             .zero = call.in[3].desc->quantised.zero_point,
                             .y_zero = y.zero_point,
                             .range = range_of_bytes(call, *call.out[0].desc, fused_of(call)),
                             .is_unsigned = call.in[0].type() == u8,
                             .any_wide = *reinterpret_cast<const std::int32_t*>(packed + wide_at(shape)) != 0};
    byte_product p = product_of(call, byte_conv_layout(shape), fused_of(call));
    p.addend = &addend;
    byte_conv<native_for<Isa>>(shape, p, {bytes_in(call, 0), bytes_out(call), call.scratch}, part_of(call));
  }

 private:
  static constexpr std::int64_t factors_at(const conv_shape& s) { return byte_conv_packed_bytes(s); }
  static constexpr std::int64_t scales_at(const conv_shape& s) { return factors_at(s) + (s.out + int_lanes) * 8; }
  static constexpr std::int64_t wide_at(const conv_shape& s) { return (scales_at(s) + s.out * std::int64_t{sizeof(addend_scale)} + 63) / 64 * 64; }

  static activation fused_of(const kernel_call& call) { return unpack<ops::conv2d_add::attrs>(call.attrs).fused; }
  static fixed_point addend_factor(const kernel_call& call, std::int64_t o) {
    return ops::conv2d_add::addend_factor(call.in[3].desc->quantised.scale, convolution_scale(call, o));
  }
  /// What the addend can come to in the scale of a channel's sums.
  static sum_range reach_of(const kernel_call& call, fixed_point factor) {
    const byte_factors f = factors_of(call);
    const std::int32_t zero = call.in[3].desc->quantised.zero_point;
    return {rounding::half_to_even::scale(f.lowest() - zero, factor), rounding::half_to_even::scale(f.highest() - zero, factor)};
  }
  /// Whether a sum with its bias and addend, or the addend alone, may leave 32 bits.
  static bool is_wide(const kernel_call& call, std::int64_t o, fixed_point factor) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const byte_factors f = factors_of(call);
    const sum_range addend = reach_of(call, factor);
    const std::int64_t filter = call.in[1].shape().elements(1), bias = channel_of(call, o, 1).bias;
    detail::byte_column column;
    for (std::int64_t i = 0; i < filter; ++i) column.add(f.at(bytes_in(call, 1), o * filter + i), f);
    const auto leaves = [&](std::int64_t begin) { return column.reach.low + addend.low + begin < -most - 1 || column.reach.high + addend.high + begin > most; };
    return addend.low == -most - 1 || addend.high == most || leaves(bias) || leaves(0);
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
