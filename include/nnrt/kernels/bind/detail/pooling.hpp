// pooling: what the bindings of max_pool and avg_pool have in common.
// Flow: bind/max_pool.hpp and bind/avg_pool.hpp derive from pooling_binding and say how a window is folded.
#pragma once

#include <nnrt/kernels/call.hpp>
#include <nnrt/kernels/elementwise.hpp>
#include <nnrt/kernels/fast.hpp>
#include <nnrt/kernels/pooling.hpp>
#include <nnrt/ops/detail/pooling.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

/// Kernel choice of a pool over an f32 image.
template <class Fold> struct pooling_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const pooling_shape shape = shape_for(unpack<ops::detail::pooling_attributes>(node.attrs), node.in[0].desc.shape);
    const std::int64_t taps = saturated(shape.h) * saturated(shape.w);
    return {.run = &run, .parts = parts_for(node.out[0].elements() * (taps < 64 ? taps : 64)), .name = "pool channels"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::detail::pooling_attributes>(call.attrs);
    pool_windows<Fold>(shape_for(attrs, call.in[0].shape()), floats_in(call, 0), range_of(attrs.fused),
                       floats_out(call), part_of(call));
  }

 private:
  static constexpr pooling_shape shape_for(const ops::detail::pooling_attributes& attrs, const shape_t& x) {
    const ops::detail::window_pair at = ops::detail::windows_of(attrs, x);
    return {x.extents[0], x.extents[3], at.h, at.w};
  }
  /// A window may be longer than the image, far longer.
  static constexpr std::int64_t saturated(const window& at) { return at.kernel < at.input ? at.kernel : at.input; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
