// addend: shared parts of the int8 bindings of layers that add a tensor to their accumulators before requantisation.
// Flow: bind/conv2d_add.hpp and bind/conv2d_transpose_add.hpp use it; int8/requantise/addend.hpp does the addition of
// operand 3.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/bind/detail/int8.hpp>
#include <nnrt/kernels/int8/requantise/addend.hpp>

#include <cstdint>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Offsets in the packed weights, after the packed layer: factors of the addend (see int8_addend), their fixed-point
/// scales, and a flag whether any is wide.
struct addend_places {
  std::int64_t factors, scales, wide;
  constexpr addend_places(std::int64_t packed_bytes, std::int64_t out)
      : factors(packed_bytes),
        scales(factors + (out + int_lanes) * 8),
        wide(rounded_up(scales + out * std::int64_t{sizeof(addend_scale)}, 64)) {}

  constexpr std::int64_t bytes() const { return wide + 64; }
};

inline fixed_point addend_factor(const kernel_call& call, std::int64_t o) {
  return ops::detail::addend_factor(call.in[3].desc->quantised.scale, convolution_scale(call, o));
}
/// Range of the addend in the scale of a channel's accumulators.
inline sum_range reach_of_addend(const kernel_call& call, fixed_point factor) {
  const int8_factors f = factors_of(call);
  const std::int32_t zero = call.in[3].desc->quantised.zero_point;
  return {rounding::half_to_even::scale(f.lowest() - zero, factor),
          rounding::half_to_even::scale(f.highest() - zero, factor)};
}
/// True if an accumulator with bias and addend, or the addend alone, may exceed 32 bits.
inline bool is_wide(const kernel_call& call, std::int64_t o, fixed_point factor) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const int8_factors f = factors_of(call);
  const sum_range addend = reach_of_addend(call, factor);
  const std::int64_t filter = call.in[1].shape().elements(1), bias = channel_of(call, o, 1).bias,
                     of_any = filter * 255 * 255;
  const auto leaves = [&](sum_range sums) {
    return sums.low + addend.low + std::min<std::int64_t>(0, bias) < -most - 1 ||
           sums.high + addend.high + std::max<std::int64_t>(0, bias) > most;
  };
  if (addend.low == -most - 1 || addend.high == most) return true;
  if (!leaves({-of_any, of_any})) return false;  // for any weights, so they need not be read
  detail::int8_column column;
  for (std::int64_t i = 0; i < filter; ++i) column.add(f.at(bytes_in(call, 1), o * filter + i), f);
  return leaves(column.reach);
}

/// An output channel with the range of its addend. Channels with wide sums get a range beyond 32 bits, which selects
/// scaling one element at a time.
inline int8_channel channel_with_addend(const kernel_call& call, std::int64_t o) {
  const fixed_point factor = addend_factor(call, o);
  int8_channel c = channel_of(call, o, convolution_scale(call, o));
  c.addend = reach_of_addend(call, factor);
  if (is_wide(call, o, factor)) c.reach = beyond_32_bits;
  return c;
}

inline void pack_addend(const kernel_call& call, const addend_places& at, std::byte* packed) {
  const std::int64_t out = call.in[1].shape()[0];
  auto* const factors = reinterpret_cast<double*>(packed + at.factors);
  auto* const scales = reinterpret_cast<addend_scale*>(packed + at.scales);
  std::int32_t any_wide = 0;
  for (std::int64_t o = 0; o < out; ++o) {
    const fixed_point factor = addend_factor(call, o);
    scales[o] = {factor, is_wide(call, o, factor) ? 1 : 0};
    // Factors that keep sums within 32 bits are below 2^31.
    factors[o] = scales[o].is_wide != 0 ? 0
                                        : static_cast<double>(factor.mantissa) /
                                              static_cast<double>(std::int64_t{1} << (31 - factor.exponent));
    any_wide |= scales[o].is_wide;
  }
  for (std::int64_t i = 0; i < int_lanes; ++i) factors[out + i] = factors[i % out];
  *reinterpret_cast<std::int32_t*>(packed + at.wide) = any_wide;
}
/// The addend for a call of run().
inline int8_addend addend_of(const kernel_call& call, const addend_places& at, const quantised_range& range) {
  const std::byte* const packed = bytes_in(call, call.in.size() - 1);
  const tensor_desc& y = *call.out[0].desc;
  return {.x = bytes_in(call, 3),
          .c = bytes_out(call),
          .columns = call.in[1].shape()[0],
          .factors = reinterpret_cast<const double*>(packed + at.factors),
          .scales = reinterpret_cast<const addend_scale*>(packed + at.scales),
          .zero = call.in[3].desc->quantised.zero_point,
          .y_zero = y.quantised.zero_point,
          .range = range,
          .is_unsigned = call.in[0].type() == u8,
          .any_wide = *reinterpret_cast<const std::int32_t*>(packed + at.wide) != 0};
}

}}}  // namespace nnrt::NNRT_ISA::kernels
