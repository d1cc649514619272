// depthwise: int8 depthwise convolution over NHWC images; any kernel, stride, dilation and multiplier.
// Flow: a prepare step packs weights, bias and scales with int8_depthwise_pack(); a plan's step calls int8_depthwise().
//
// Registers of bytes from four input rows are interleaved, so that one dot product adds four taps of a column for each
// channel. With a vertical stride of 1, two output rows share the interleaved bytes; their taps are shifted by one row.
//
// The input is read in place if a pixel fills a register. It is also read in place for 3x3 taps if a register holds
// several pixels and rows are whole registers. Other inputs are copied in stripes (int8/depthwise/copy_rows.hpp). The
// copy has zero points around it, repeats channels for a multiplier, and separates columns by the remainder of the
// stride.
//
// In the copy, the inputs of output byte j are at fixed distances from j. So registers may hold many pixels with few
// channels as well as many channels of one pixel.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/int8/depthwise/blocks.hpp>
#include <nnrt/kernels/int8/depthwise/copy_rows.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Computes the given output rows of one image.
template <class Isa, bool LeavesSums> struct int8_depthwise_rows {
  const int8_depthwise_plan& plan;
  const int8_depthwise_buffers& of;
  const std::byte* x;
  std::byte* y;
  std::int64_t column_offsets[max_depthwise_columns];
  int8_block_rows at{};

  int8_depthwise_rows(const int8_depthwise_plan& made, const int8_depthwise_buffers& buffers, std::int64_t image)
      : plan(made), of(buffers) {
    const depthwise_shape& s = plan.s;
    x = of.x + image * s.height * s.width * s.channels, y = of.y + image * s.out_height * s.out_width * s.out();
    for (std::int64_t column = 0; column < plan.columns(); ++column)
      column_offsets[column] = plan.column_offset(column);
    at.column_offsets = column_offsets, at.columns = plan.columns(), at.fours = plan.fours();
    at.step = plan.step(), at.x_step = plan.x_step(), at.total = s.out_width * s.out(),
    at.scale_bytes = plan.scale_bytes();
    at.pixel = s.channels, at.tap_step = s.dilation_h, at.row_step = plan.rows_at_once() * s.stride_h;
    at.flip = (int8_vector)int_lanes_of(of.factors.flip_of_rows());
    at.padding = at.flip ^ (static_cast<std::int8_t>(of.factors.a_zero) - int8_vector{});
  }

  void run(interval rows, interval sets) {
    if (reads_in_place()) in_place(rows, sets);
    else in_stripes(rows, sets);
  }

 private:
  bool reads_in_place() const {
    if (plan.is_in_place()) return true;
    return !LeavesSums && plan.has_pixels_in_place() &&
           has_function_for_pixels(*reinterpret_cast<const channel_scales*>(of.packed));
  }
  void in_place(interval rows, interval sets) {
    const depthwise_shape& s = plan.s;
    at.x = {address_of_bytes(x), s.width * s.channels, s.height, address_of_bytes(x)};
    const std::int64_t top = rows.begin * s.stride_h - s.pad_top,
                       below = top + (rows.size() - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h;
    if (top < 0 || below >= s.height) {
      fill_registers(of.scratch, at.x.line, at.padding ^ at.flip);
      at.x.outside = address_of_bytes(of.scratch);
    }
    // Each set of channels passes over all rows of a stripe; L2 holds the rows for the next set. A stripe is 4096 *
    // register bytes: 128 KiB with 32-byte registers, more with wider registers, which need fewer passes. Rows are
    // computed in pairs.
    const std::int64_t line = std::max<std::int64_t>(1, at.x.line * s.stride_h),
                       stripe = std::max<std::int64_t>(2, 4096 * register_bytes / line / 2 * 2);
    for (std::int64_t first = rows.begin; first < rows.end; first += stripe) {
      at.top = first * s.stride_h - s.pad_top;
      blocks<true>({first, std::min(rows.end, first + stripe)}, sets);
    }
  }
  void in_stripes(interval rows, interval sets) {
    const depthwise_shape& s = plan.s;
    const std::int64_t line = plan.row_bytes();
    at.x = {address_of_bytes(of.scratch), line, plan.copied_rows_for(plan.stripe()) + plan.rows_below(), 0};
    for (std::int64_t first = rows.begin; first < rows.end; first += plan.stripe()) {
      const std::int64_t count = std::min(plan.stripe(), rows.end - first);
      for (std::int64_t i = 0; i < plan.copied_rows_for(count); ++i)
        copy_row(plan, x, first * s.stride_h - s.pad_top + i, at.flip, at.padding, of.scratch + i * line);
      blocks<false>({first, first + count}, sets);
    }
  }
  template <bool InPlace> void blocks(interval rows, interval sets) {
    at.rows = rows.size(), at.y = y + rows.begin * at.total;
    if (plan.rows_at_once() == 2) depthwise_sets<Isa, LeavesSums, 2, InPlace>(plan, of, at, sets);
    else depthwise_sets<Isa, LeavesSums, 1, InPlace>(plan, of, at, sets);
  }
};

}  // namespace detail

/// y = clamp(depthwise_conv2d(x, w) + bias) of quantised values. Parts are output rows or sets of channels; every
/// division into parts gives the same bits. y must not overlap x.
///
/// LeavesSums: the accumulators get an addend or are kept; the weights must be packed with LeavesSums.
template <class Isa = native, bool LeavesSums = false>
void int8_depthwise(const depthwise_shape& s, const int8_depthwise_buffers& of, part p = {}) {
  if (s.batch * s.out_height * s.out_width * s.out() <= 0) return;
  const detail::int8_depthwise_plan plan(s, of.factors.b_zero_as_seen());
  const rectangle work = detail::share_of_layer(s, 64, plan.sets(), p);
  for (std::int64_t done = work.rows.begin; done < work.rows.end;) {
    const std::int64_t image = done / s.out_height, first = done - image * s.out_height,
                       last = std::min(s.out_height, first + work.rows.end - done);
    detail::int8_depthwise_rows<Isa, LeavesSums>(plan, of, image).run({first, last}, work.columns);
    done += last - first;
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
