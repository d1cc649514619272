// batch_norm: f32 kernel of the operator; pack() computes one factor and offset per channel.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/ops/batch_norm.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::batch_norm, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const tensor_desc& x = node.in[0].desc;
    return {.run = &run,
            .pack = &pack,
            .packs = 0b11110,
            .packed_bytes = (3 * x.shape[-1] + 1) * size_of(f32),
            .parts = parts_for(x.elements()),
            .name = "normalise channels"};
  }

  /// Packed: means, factors scale / sqrt(variance + epsilon), offsets. Then 1 if a mean is so large that x - mean may
  /// overflow, else 0.
  static void pack(const kernel_call& call) {
    const std::int64_t channels = call.in[0].shape()[-1];
    const float epsilon = unpack<ops::batch_norm::attrs>(call.attrs).epsilon;
    const float *scale = floats_in(call, 1), *offset = floats_in(call, 2), *mean = floats_in(call, 3),
                *variance = floats_in(call, 4);
    float* const packed = floats_out(call);
    packed[3 * channels] = 0;
    for (std::int64_t c = 0; c < channels; ++c) {
      if (math::abs(mean[c]) >= 0x1p102F) packed[3 * channels] = 1;
      packed[c] = mean[c];
      packed[channels + c] = static_cast<float>(double{scale[c]} / math::sqrt(double{variance[c]} + double{epsilon}));
      packed[2 * channels + c] = offset[c];
    }
  }
  static void run(const kernel_call& call) {
    const shape_t& x = call.in[0].shape();
    const std::int64_t channels = x[-1];
    const float* const packed = floats_in(call, call.in.size() - 1);
    const interval rows = share(x.elements() / channels, part_of(call));
    if (packed[3 * channels] != 0) return normalise_far(floats_in(call, 0), rows, channels, packed, floats_out(call));
    normalise_channels(floats_in(call, 0), rows, channels, {packed, packed + channels, packed + 2 * channels},
                       floats_out(call));
  }

 private:
  /// run() in f64, for means that are so large.
  [[gnu::noinline, gnu::cold]] static void normalise_far(const float* x, interval rows, std::int64_t channels,
                                                         const float* packed, float* y) {
    for (std::int64_t i = rows.begin * channels; i < rows.end * channels; ++i) {
      const std::int64_t c = i % channels;
      const double off = double{x[i]} - double{packed[c]};
      y[i] = static_cast<float>(off * double{packed[channels + c]} + double{packed[2 * channels + c]});
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
