// pack: blocking of an int8 depthwise convolution, and packing of its weights, bias and scales.
// Flow: a prepare step calls int8_depthwise_pack(); int8/depthwise/depthwise.hpp reads the packed weights.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/depthwise/depthwise.hpp>
#include <nnrt/kernels/int8/gemm/pack.hpp>

#include <cstdint>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Blocking of a depthwise convolution. It depends on the shape and the zero point of the weights only.
struct int8_depthwise_plan {
  depthwise_shape s;
  /// Dot products per column of the kernel. A weight zero point z is handled as additional weights of -z; 128 needs
  /// two.
  std::int64_t repeats = 1;

  constexpr int8_depthwise_plan(const depthwise_shape& shape, std::int32_t weight_zero)
      : s(shape),
        repeats(weight_zero == 0      ? 1
                : weight_zero == -128 ? 3
                                      : 2) {
    // With a single tap along an axis, the dilation has no effect.
    if (s.kernel_h == 1) s.dilation_h = 1;
    if (s.kernel_w == 1) s.dilation_w = 1;
  }

  /// Output rows computed together.
  constexpr std::int64_t rows_at_once() const { return s.stride_h == 1 && s.dilation_h == 1 ? 2 : 1; }
  /// Groups of four input rows under them.
  constexpr std::int64_t fours() const { return (s.kernel_h + rows_at_once() - 1 + 3) / 4; }
  constexpr std::int64_t columns() const { return s.kernel_w * repeats; }

  /// Whether the input is read in place: each register holds channels of one pixel.
  constexpr bool is_in_place() const { return s.multiplier == 1 && s.channels >= register_bytes; }

  /// Whether the input may be read in place although a register holds several pixels. The middle one of three columns
  /// is whole registers of the image; the outer columns are combined from neighbouring registers. Rows must be whole
  /// registers, so that only padding is next to them.
  constexpr bool has_pixels_in_place() const {
    const bool is_part_of_register =
        (s.channels == 8 || s.channels == 16 || s.channels == 32) && s.channels < register_bytes;
    return is_part_of_register && s.multiplier == 1 && rows_at_once() == 2 && fours() == 1 && columns() == 3 &&
           s.kernel_w == 3 && s.stride_w == 1 && s.dilation_w == 1 && s.pad_left == 1 && s.out_width == s.width &&
           s.width * s.channels % register_bytes == 0;
  }

  // Row of the copy. If registers hold several pixels, the columns of each remainder modulo the stride are contiguous,
  // in separate planes.
  constexpr std::int64_t planes() const { return s.out() < register_bytes ? s.stride_w : 1; }
  constexpr std::int64_t columns_under() const {
    return (s.out_width - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w + 1;
  }
  constexpr std::int64_t plane_pixels() const { return (columns_under() + planes() - 1) / planes(); }
  constexpr std::int64_t row_bytes() const { return planes() * plane_pixels() * s.out(); }
  /// Offset, from the start of a row, of the input byte for output byte 0 and a column of the kernel.
  constexpr std::int64_t column_offset(std::int64_t column) const {
    const std::int64_t x = column % s.kernel_w * s.dilation_w;
    if (is_in_place()) return (x - s.pad_left) * s.channels;
    return (x % planes() * plane_pixels() + x / planes()) * s.out();
  }
  constexpr std::int64_t copied_rows_for(std::int64_t outputs) const {
    return (outputs - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h + 1;
  }
  /// Rows below the copied ones that dot products read, with weights of 0.
  constexpr std::int64_t rows_below() const { return (4 * fours() - s.kernel_h) * s.dilation_h; }
  /// Output rows per stripe, such that the copy (160 KiB) remains in L2.
  constexpr std::int64_t stripe() const {
    const std::int64_t row = std::max<std::int64_t>(1, row_bytes()),
                       fitting = (160 * 1024 / row - (s.kernel_h - 1) * s.dilation_h) / s.stride_h;
    const std::int64_t rows = nnrt::detail::clamped(fitting, 1, std::max<std::int64_t>(1, s.out_height));
    return (rows + rows_at_once() - 1) / rows_at_once() * rows_at_once();
  }
  /// Bytes of the copy, or of a row of zero points.
  constexpr std::int64_t scratch_bytes() const {
    if (is_in_place()) return rounded_up(s.width * s.channels + register_bytes, 64);
    const std::int64_t rows = copied_rows_for(std::min(stripe(), s.out_height)) + rows_below();
    return rounded_up(rows * row_bytes() + register_bytes, 64);
  }

  // Sets of channels: the channels that the bytes of a register belong to.
  /// Number of sets. With many channels, a set is a vector of channels; the last set ends with the last channel. With
  /// few channels, there is a set for each alignment of pixels to registers. A register has a power of two of bytes, so
  /// its greatest common divisor with the number of channels c is c & -c.
  constexpr std::int64_t sets() const {
    const std::int64_t c = s.out();
    return c >= register_bytes ? (c + register_bytes - 1) / register_bytes : c / (c & -c);
  }
  constexpr std::int64_t first_byte(std::int64_t set) const {
    return s.out() >= register_bytes ? std::min(set * register_bytes, s.out() - register_bytes) : set * register_bytes;
  }
  constexpr std::int64_t step() const { return s.out() >= register_bytes ? s.out() : sets() * register_bytes; }
  /// Input bytes from one register to the next.
  constexpr std::int64_t x_step() const { return s.out() >= register_bytes ? s.stride_w * s.out() : step(); }
  constexpr std::int64_t scale_bytes() const { return 4 * std::int64_t{sizeof(channel_scales)}; }
  constexpr std::int64_t column_bytes() const { return rows_at_once() * 4 * dot_bytes; }
  /// Bytes of a packed set: [scales of four vectors][start values][four rows][column][output row][vector].
  constexpr std::int64_t set_bytes() const {
    return rounded_up(scale_bytes() + 4 * register_bytes + fours() * columns() * column_bytes(), 64);
  }
};

/// Lane and vector of a byte of a register, see interleaved.
struct lane_place {
  std::int64_t vector, lane;
  constexpr explicit lane_place(std::int64_t byte) : vector(byte % 16 / 4), lane(byte / 16 * 4 + byte % 4) {}
  /// Lane of its scale: the same lane, or, if finish_sums() ends the accumulators, the lane by the order of the bytes.
  static constexpr lane_place of_scale(std::int64_t byte, bool leaves_sums) {
    lane_place at(byte);
    if (leaves_sums) at.vector = byte / int_lanes, at.lane = byte % int_lanes;
    return at;
  }
};

}  // namespace detail

/// Number of output rows that share interleaved input.
constexpr std::int64_t int8_depthwise_rows_at_once(const depthwise_shape& s) {
  return detail::int8_depthwise_plan(s, 0).rows_at_once();
}

constexpr std::int64_t int8_depthwise_packed_bytes(const depthwise_shape& s, const int8_factors& f) {
  const detail::int8_depthwise_plan plan(s, f.b_zero_as_seen());
  return plan.sets() * plan.set_bytes();
}
constexpr std::int64_t int8_depthwise_scratch_bytes(const depthwise_shape& s, const int8_factors& f) {
  return detail::int8_depthwise_plan(s, f.b_zero_as_seen()).scratch_bytes();
}

namespace detail {

/// The additional weight that replaces the zero point of the weights; used `repeats` - 1 times.
constexpr std::int32_t weight_of_zero(const int8_depthwise_plan& plan, std::int32_t zero) {
  return -zero / static_cast<std::int32_t>(plan.repeats - 1);
}

/// Sums over the taps of a channel.
inline int8_column column_of_taps(const int8_depthwise_plan& plan, const int8_factors& f, const std::byte* w,
                                  std::int64_t channel) {
  int8_column column;
  for (std::int64_t tap = 0; tap < plan.s.taps(); ++tap) column.add(f.at(w, channel * plan.s.taps() + tap), f);
  const std::int32_t zero = f.b_zero_as_seen();
  column.sum -= std::int64_t{zero} * plan.s.taps();
  if (plan.repeats > 1) column.left_out += (plan.repeats - 1) * plan.s.taps() * left_out(weight_of_zero(plan, zero));
  return column;
}

/// Packs the taps of one byte of a set.
inline void pack_taps(const int8_depthwise_plan& plan, const int8_factors& f, const std::byte* w, std::int64_t channel,
                      lane_place at, std::byte* weights) {
  const depthwise_shape& s = plan.s;
  const std::int32_t zero = f.b_zero_as_seen();
  for (std::int64_t ky = 0; ky < s.kernel_h; ++ky)
    for (std::int64_t kx = 0; kx < s.kernel_w; ++kx) {
      const std::int32_t stored = f.at(w, (channel * s.kernel_h + ky) * s.kernel_w + kx);
      for (std::int64_t repeat = 0; repeat < plan.repeats; ++repeat) {
        const std::int32_t value = repeat == 0 ? stored + f.b_offset() : weight_of_zero(plan, zero);
        for (std::int64_t row = 0; row < plan.rows_at_once(); ++row)
          put_weight(weights + ((ky + row) / 4 * plan.columns() + repeat * s.kernel_w + kx) * plan.column_bytes() +
                         (row * 4 + at.vector) * dot_bytes,
                     at.lane, place_of_byte((ky + row) % 4), static_cast<std::int8_t>(value), f.a_flip());
      }
    }
}

}  // namespace detail

/// Packs weights [out, kernel_h, kernel_w].
///
/// channel_of(o) returns factor and bias of output channel o. LeavesSums: int8_depthwise() will run with LeavesSums.
template <bool LeavesSums = false, class ChannelOf>
void int8_depthwise_pack(const depthwise_shape& s, const int8_factors& f, scaled_range range, const std::byte* w,
                         ChannelOf channel_of, std::byte* out) {
  const detail::int8_depthwise_plan plan(s, f.b_zero_as_seen());
  std::fill_n(out, plan.sets() * plan.set_bytes(), std::byte{});
  possible_scales of_few[4];  // of fewer channels than a register has bytes: each is in several sets
  for (std::int64_t set = 0; set < plan.sets(); ++set) {
    auto* const scales = reinterpret_cast<channel_scales*>(out + set * plan.set_bytes());
    std::byte* const sums = out + set * plan.set_bytes() + plan.scale_bytes();
    possible_scales possible[4];
    detail::int8_column columns[register_bytes];
    for (std::int64_t byte = 0; byte < register_bytes; ++byte) {
      const detail::lane_place at(byte), scale_at = detail::lane_place::of_scale(byte, LeavesSums);
      const std::int64_t place = plan.first_byte(set) + byte, channel = place % s.out();
      detail::int8_column& column = columns[byte] = detail::column_of_taps(plan, f, w, channel);
      int8_channel made = channel_of(channel);
      if (made.reach.low == made.reach.high)
        made.reach = {column.reach.low + made.bias + made.addend.low, column.reach.high + made.bias + made.addend.high};
      const bool is_one_number = made.addend.low == made.addend.high && is_constant(made, range);
      if (is_one_number) made = constant_channel(made, range), column = {};
      else detail::pack_taps(plan, f, w, channel, at, sums + 4 * register_bytes);
      const bool is_one_of_few = s.out() < register_bytes;
      possible_scales& few = of_few[is_one_of_few ? channel / int_lanes : 0];
      if (is_one_of_few && place >= s.out()) {
        copy_lane(possible[scale_at.vector], scale_at.lane, few, channel % int_lanes);
      } else {
        set_lane(possible[scale_at.vector], scale_at.lane, made, range);
        if (is_one_of_few) copy_lane(few, channel % int_lanes, possible[scale_at.vector], scale_at.lane);
      }
    }
    const scale_method method = method_for(possible, 4);
    for (std::int64_t v = 0; v < 4; ++v) choose_scales(possible[v], method, scales[v]);
    agree_on_halves(scales, 4);
    for (std::int64_t byte = 0; byte < register_bytes; ++byte) {
      const detail::lane_place at(byte), scale_at = detail::lane_place::of_scale(byte, LeavesSums);
      const std::int64_t included = included_in_sums(possible[scale_at.vector], scale_at.lane, method);
      const std::int32_t start = detail::starting_sum(included, columns[byte], 0, f);
      std::memcpy(sums + at.vector * register_bytes + at.lane * 4, &start, sizeof start);
    }
  }
}

/// Largest number of columns of a kernel, with repeats for the zero point of the weights.
inline constexpr std::int64_t max_depthwise_columns = 64;
/// Whether int8_depthwise() supports a convolution: it has at most max_depthwise_columns columns, and the copy is not
/// much larger than the image, as it would be with very large padding. The reference computes others.
constexpr bool is_for_byte_depthwise(const depthwise_shape& s, const int8_factors& f) {
  const detail::int8_depthwise_plan plan(s, f.b_zero_as_seen());
  if (plan.columns() > max_depthwise_columns) return false;
  return plan.is_in_place() ||
         (plan.copied_rows_for(s.out_height) <= 2 * s.height + 64 && plan.columns_under() <= 2 * s.width + 64);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
