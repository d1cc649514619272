// conv2d_transpose: float transposed convolution over NHWC images, as one ordinary convolution per phase of the output.
// Flow: a prepare step packs weights and bias once with conv_transpose_pack(); a plan's step calls conv_transpose().
//
// Output pixels a stride apart use the same taps of the kernel, on adjacent input pixels. They form a phase: a
// convolution of stride 1 with some of the taps, in reverse order, computed by f32/conv/conv2d.hpp. The output of a
// phase has gaps, which the other phases fill. Each product is computed once and added in a register: no scatter, and
// parts never add to the same sum.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/conv/conv2d.hpp>
#include <nnrt/kernels/f32/depthwise/depthwise.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// One axis, in pixels. Input pixel i adds to output pixels i * stride - pad + k * dilation, k < kernel.
struct transposed_axis {
  std::int64_t input = 0, output = 0, kernel = 1, stride = 1, dilation = 1, pad = 0;
};

/// Shape of a transposed convolution. x: [batch, h.input, w.input, in], w: [out, h.kernel, w.kernel, in / group], y:
/// [batch, h.output, w.output, out].
///
/// Images may be empty; kernel, stride and dilation are at least 1; group divides in and out.
struct conv_transpose_shape {
  std::int64_t batch = 1, in = 0, out = 0, group = 1;
  transposed_axis h, w;

  constexpr bool is_depthwise() const { return group > 1 && group == in; }
};

namespace detail {

/// Output pixels of an axis that use the same taps, as a convolution of stride 1.
struct phase {
  std::int64_t first_output, outputs;  // outputs are a stride apart
  std::int64_t first_tap, taps;        // taps of the kernel; `every` apart
  std::int64_t every;
  std::int64_t dilation, pad;  // of the convolution, whose taps are in reverse order
};

constexpr std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) {
    const std::int64_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}
/// Distance between taps of the same phase.
constexpr std::int64_t taps_apart(const transposed_axis& a) {
  return a.stride / greatest_common_divisor(a.stride, a.dilation);
}
/// Number of phases with taps. Output pixels of other phases get the bias alone; they exist if the kernel is smaller
/// than the stride, or if dilation and stride have a common divisor.
constexpr std::int64_t phases_of(const transposed_axis& a) { return std::min(a.kernel, taps_apart(a)); }

/// The phase of tap `first`, first < phases_of(a).
constexpr phase phase_of(const transposed_axis& a, std::int64_t first) {
  phase p{};
  p.first_tap = first, p.every = taps_apart(a), p.taps = (a.kernel - 1 - first) / p.every + 1;
  p.dilation = p.every * a.dilation / a.stride;
  // Relative to the start of the first window, the phase's outputs are at `within` + q * stride; the first tap of
  // output q reads input pixel q - before.
  const std::int64_t within = first * a.dilation % a.stride, before = first * a.dilation / a.stride;
  const std::int64_t first_q = a.pad > within ? (a.pad - within + a.stride - 1) / a.stride : 0;
  p.first_output = first_q * a.stride + within - a.pad;
  p.outputs = p.first_output < a.output ? (a.output - 1 - p.first_output) / a.stride + 1 : 0;
  p.pad = before + (p.taps - 1) * p.dilation - first_q;
  return p;
}
constexpr bool meets_taps(const transposed_axis& a, std::int64_t output) {
  for (std::int64_t tap = 0; tap < phases_of(a); ++tap)
    if (tap * a.dilation % a.stride == (output + a.pad) % a.stride) return true;
  return false;
}

/// Calls f(phase of height, phase of width) for each pair.
template <class F> constexpr void for_each_phase(const conv_transpose_shape& s, F f) {
  for (std::int64_t i = 0; i < phases_of(s.h); ++i)
    for (std::int64_t j = 0; j < phases_of(s.w); ++j) f(phase_of(s.h, i), phase_of(s.w, j));
}

/// The convolution of one phase.
constexpr conv_shape conv_of(const conv_transpose_shape& s, const phase& h, const phase& w) {
  conv_shape c{.batch = s.batch,
               .height = s.h.input,
               .width = s.w.input,
               .in = s.in,
               .out = s.out,
               .kernel_h = h.taps,
               .kernel_w = w.taps,
               .dilation_h = h.dilation,
               .dilation_w = w.dilation,
               .pad_top = h.pad,
               .pad_left = w.pad,
               .out_height = h.outputs,
               .out_width = w.outputs,
               .group = s.group};
  if (s.h.stride == 1 && s.w.stride == 1) return c;
  const std::int64_t line = s.w.output * s.out;
  c.y_pixel = s.w.stride * s.out, c.y_row = s.h.stride * line, c.y_image = s.h.output * line;
  return c;
}
constexpr depthwise_shape depthwise_of(const conv_transpose_shape& s, const phase& h, const phase& w) {
  return {.batch = s.batch,
          .height = s.h.input,
          .width = s.w.input,
          .channels = s.in,
          .multiplier = s.out / s.in,
          .kernel_h = h.taps,
          .kernel_w = w.taps,
          .dilation_h = h.dilation,
          .dilation_w = w.dilation,
          .pad_top = h.pad,
          .pad_left = w.pad,
          .out_height = h.outputs,
          .out_width = w.outputs};
}
constexpr std::int64_t packed_floats_of(const conv_transpose_shape& s, const phase& h, const phase& w) {
  return s.is_depthwise() ? depthwise_packed_floats(depthwise_of(s, h, w)) : conv_packed_floats(conv_of(s, h, w));
}

/// Index in the kernel of tap `tap` of a phase's convolution.
constexpr std::int64_t place_of_tap(const conv_transpose_shape& s, const phase& h, const phase& w, std::int64_t tap) {
  const std::int64_t i = h.taps - 1 - tap / w.taps, j = w.taps - 1 - tap % w.taps;
  return (h.first_tap + i * h.every) * s.w.kernel + w.first_tap + j * w.every;
}

inline void pack_phase(const conv_transpose_shape& s, const phase& h, const phase& w, const float* weights,
                       const float* bias, float* out) {
  const std::int64_t channels = s.in / s.group, taps = s.h.kernel * s.w.kernel;
  if (s.is_depthwise())
    return depthwise_pack_taps(
        depthwise_of(s, h, w), weights, taps, [&](std::int64_t tap) { return place_of_tap(s, h, w, tap); }, bias, out);
  const std::int64_t k = h.taps * w.taps * channels, n = s.out / s.group, filter = taps * channels;
  for (std::int64_t g = 0; g < s.group; ++g) {
    const float* const of_group = weights + g * n * filter;
    const auto row_of = [&](std::int64_t i) {
      return of_group + place_of_tap(s, h, w, i / channels) * channels + i % channels;
    };
    pack_rows(row_of, filter,
              {.k = k, .n = n, .bias = bias == nullptr ? nullptr : bias + g * n, .run = w.taps * channels},
              out + g * packed_floats(k, n));
  }
}

/// True if some output pixels have no tap.
constexpr bool has_gaps(const conv_transpose_shape& s) {
  return phases_of(s.h) != s.h.stride || phases_of(s.w) != s.w.stride;
}
/// Calls fill(offset of the first element) for each pixel without taps in this part of the output rows.
template <class Fill> void for_each_gap(const conv_transpose_shape& s, part p, Fill fill) {
  if (!has_gaps(s)) return;
  const interval rows = share(s.batch * s.h.output, p);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const bool row_meets_taps = meets_taps(s.h, row % s.h.output);
    for (std::int64_t ox = 0; ox < s.w.output; ++ox)
      if (!row_meets_taps || !meets_taps(s.w, ox)) fill((row * s.w.output + ox) * s.out);
  }
}

/// Writes the bias to the output pixels without taps.
inline void fill_gaps(const conv_transpose_shape& s, const float* bias, float* y, clamp_range range, part p) {
  const f32_vec lo = broadcast(&range.lo), hi = broadcast(&range.hi);
  for_each_gap(s, p, [&](std::int64_t pixel) {
    for (std::int64_t o = 0; o < s.out; o += f32_lanes)
      store_n(y + pixel + o, clamp(load(bias + o), lo, hi), std::min(f32_lanes, s.out - o));
  });
}

/// Calls f(phase of height, phase of width, operands) for each pair of phases with outputs: the operands have the
/// phase's packed weights and first output pixel.
template <class F> void for_each_output(const conv_transpose_shape& s, const layer_operands& of, F f) {
  layer_operands of_phase = of;
  of_phase.packed += whole_vectors(s.out);
  for_each_phase(s, [&](const phase& h, const phase& w) {
    of_phase.y = of.y + (h.first_output * s.w.output + w.first_output) * s.out;
    if (h.outputs > 0 && w.outputs > 0) f(h, w, of_phase);
    of_phase.packed += packed_floats_of(s, h, w);
  });
}

}  // namespace detail

/// Number of phases, hence of convolutions.
constexpr std::int64_t conv_transpose_phases(const conv_transpose_shape& s) {
  return detail::phases_of(s.h) * detail::phases_of(s.w);
}

/// Floats that conv_transpose_pack() writes: the bias and the packed weights of each phase. Each tap belongs to one
/// phase.
constexpr std::int64_t conv_transpose_packed_floats(const conv_transpose_shape& s) {
  const std::int64_t taps = s.h.kernel * s.w.kernel, phases = conv_transpose_phases(s);
  const std::int64_t of_phases = s.is_depthwise()
                                     ? detail::channel_vectors(s.out) * f32_lanes * (taps + phases)
                                     : s.group * whole_vectors(s.out / s.group) * (taps * (s.in / s.group) + phases);
  return whole_vectors(s.out) + of_phases;
}

/// Packs weights [out, kernel_h, kernel_w, in / group] and bias [out] (null: zeros). Image extents are not used.
inline void conv_transpose_pack(const conv_transpose_shape& s, const float* weights, const float* bias, float* out) {
  for (std::int64_t o = 0; o < whole_vectors(s.out); ++o) *out++ = bias != nullptr && o < s.out ? bias[o] : 0.0F;
  detail::for_each_phase(s, [&](const detail::phase& h, const detail::phase& w) {
    detail::pack_phase(s, h, w, weights, bias, out);
    out += detail::packed_floats_of(s, h, w);
  });
}

/// Floats of scratch for each part of conv_transpose().
constexpr std::int64_t conv_transpose_scratch_floats(const conv_transpose_shape& s) {
  std::int64_t most = 0;
  detail::for_each_phase(s, [&](const detail::phase& h, const detail::phase& w) {
    if (h.outputs > 0 && w.outputs > 0) most = std::max(most, conv_scratch_floats(detail::conv_of(s, h, w)));
  });
  return most;
}

/// The tile functions that conv_transpose() needs.
constexpr tile_set conv_transpose_tile_set(const conv_transpose_shape& s) {
  tile_set set;
  detail::for_each_phase(s, [&](const detail::phase& h, const detail::phase& w) {
    if (h.outputs > 0 && w.outputs > 0) set = set | conv_tile_set(detail::conv_of(s, h, w));
  });
  return set;
}

/// y = clamp(transposed conv2d(x, w) + bias), for shapes that are not depthwise.
///
/// Results do not depend on the number of parts. Pixels outside the image may be multiplied as zeros: infinite weights
/// can give NaN at the border.
///
/// - `of.packed`: output of conv_transpose_pack() for weights and bias.
/// - `of.scratch`: conv_transpose_scratch_floats(s) floats.
/// - `tiles`: the functions of conv_transpose_tile_set(s), or more.
template <class Isa = native>
void conv_transpose(const conv_transpose_shape& s, const layer_operands& of, part p = {},
                    const tiling& tiles = tiles_of<Isa>) {
  detail::fill_gaps(s, of.packed, of.y, of.range, p);
  detail::for_each_output(s, of, [&](const detail::phase& h, const detail::phase& w, const layer_operands& of_phase) {
    conv<Isa>(detail::conv_of(s, h, w), of_phase, p, tiles);
  });
}

/// y = clamp(transposed conv2d(x, w) + bias) for depthwise shapes, vectorised over channels. Pixels outside the image
/// are skipped. Other arguments as for conv_transpose().
template <class Isa = native>
void depthwise_transpose(const conv_transpose_shape& s, const layer_operands& of, part p = {}) {
  detail::fill_gaps(s, of.packed, of.y, of.range, p);
  const std::int64_t image = s.h.input * s.w.input * s.in, line = s.w.output * s.out;
  detail::for_each_output(s, of, [&](const detail::phase& h, const detail::phase& w, const layer_operands& of_phase) {
    const depthwise_shape shape = detail::depthwise_of(s, h, w);
    const interval rows = share(s.batch * h.outputs, p);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const std::int64_t n = row / h.outputs, i = row % h.outputs;
      float* const to = of_phase.y + n * s.h.output * line + i * s.h.stride * line;
      layer_operands of_image = of_phase;
      of_image.x += n * image;
      for (std::int64_t j = 0; j < w.outputs; ++j)
        detail::depthwise_pixel(shape, of_image, to + j * s.w.stride * s.out, i, j,
                                {0, detail::channel_vectors(shape.out())});
    }
  });
}

}}}  // namespace nnrt::NNRT_ISA::kernels
