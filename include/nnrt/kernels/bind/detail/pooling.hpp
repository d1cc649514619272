// pooling: shared bindings of max_pool and avg_pool.
// Flow: bind/pools.hpp selects the fold; bind/max_pool_indices.hpp uses the shape.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/kernels/pooling/int8.hpp>
#include <nnrt/kernels/pooling/pooling.hpp>
#include <nnrt/kernels/pooling/rows.hpp>
#include <nnrt/ops/detail/pooling.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Shape of a pooling node for the kernels.
template <class Attributes> constexpr pooling_shape pooling_shape_for(const Attributes& attrs, const shape_t& x) {
  const ops::detail::window_pair at = ops::detail::windows_of(attrs, x);
  pooling_shape made{x.extents[0], x.extents[3], pooled_axis::of(at.h), pooled_axis::of(at.w)};
  if constexpr (requires { attrs.count_include_pad; }) made.counts_padding = attrs.count_include_pad ? 1 : 0;
  return made;
}
/// Taps of an axis that are inside the image: windows may be much longer than the image.
constexpr std::int64_t taps_in_image(const pooled_axis& at) { return std::min(at.kernel, at.input); }

/// Kernel choice of a pool over an f32 image: one method for few channels, one for many; for maxima, one for pixels of
/// a few vectors.
template <class Op, class Fold> struct pooling_binding {
  static constexpr bool has_rows = std::is_same_v<Fold, maximum_fold>;
  static constexpr int methods = has_rows ? 3 : 2;
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method == 2) return {&run_rows};
    else return {&run<(Method == 0 ? 1 : max_pooled_vectors)>};
  }
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const auto attrs = unpack<typename Op::attrs>(node.attrs);
    const pooling_shape shape = pooling_shape_for(attrs, node.in[0].desc.shape);
    const std::int64_t taps = taps_in_image(shape.h) * taps_in_image(shape.w);
    const bool by_rows = has_rows && has_max_pool_rows<float_maxima>(shape);
    return {.code = {.method = static_cast<std::int16_t>(by_rows                        ? 2
                                                         : pooled_vectors(shape.c) == 1 ? 0
                                                                                        : 1)},
            .plan = plan_of(shape, range_of(attrs.fused)),
            .parts = parts_for(node.out[0].elements() * std::min<std::int64_t>(taps, 64)),
            .name = by_rows ? "pool rows" : "pool channels"};
  }
  static void run_rows(const kernel_call& call) {
    const auto [shape, range] = call.planned<layer_plan<pooling_shape, clamp_range>>();
    max_pool_rows<Fold>(shape, floats_in(call, 0), float_maxima{range}, floats_out(call), part_of(call));
  }
  template <int Vectors> static void run(const kernel_call& call) {
    const auto [shape, range] = call.planned<layer_plan<pooling_shape, clamp_range>>();
    pool_windows<Fold, Vectors>(shape, floats_in(call, 0), range, floats_out(call), part_of(call));
  }
};

/// Kernel choice of a pool over an image of 8-bit quantised values.
template <class Op, class Fold> struct int8_pooling_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    const tensor_desc& x = node.in[0].desc;
    const auto attrs = unpack<typename Op::attrs>(node.attrs);
    const bool is_clamped_as_quantised = attrs.fused == activation::none || x.quantised;
    if (!has_work(node) || (x.type != i8 && x.type != u8) || !is_clamped_as_quantised) return {};
    const pooling_shape shape = pooling_shape_for(attrs, x.shape);
    const std::int64_t h = taps_in_image(shape.h), w = taps_in_image(shape.w);
    if (h > max_mean_pixels / w || shape.counts_padding != 0) return {};
    const std::int64_t taps = std::min<std::int64_t>(h * w, 64);
    return {.run = &run,
            .plan = plan_of(shape, int8_range_of(node.out[0], attrs.fused)),
            .parts = parts_for(node.out[0].elements() * taps / 4),
            .name = "pool int8"};
  }
  static void run(const kernel_call& call) {
    const auto [shape, range] = call.planned<layer_plan<pooling_shape, quantised_range>>();
    const pooled_bytes bytes{call.in[0].type() == u8, range, is_half_to_even(call.out[0].desc->quantised.rounding)};
    if constexpr (std::is_same_v<Fold, int8_maximum>)
      if (has_max_pool_rows<int8_maxima>(shape))
        return max_pool_rows<Fold>(shape, bytes_in(call, 0), int8_maxima(bytes), bytes_out(call), part_of(call));
    if constexpr (std::is_same_v<Fold, int8_maximum>)
      max_pool_bytes<native>(shape, bytes_in(call, 0), bytes, bytes_out(call), part_of(call));
    else pool_int8<Fold>(shape, bytes_in(call, 0), bytes, bytes_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
