// eltwise: f32 and 8-bit kernels of the operator, with broadcasting.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/kernels/bind/detail/quantised.hpp>
#include <nnrt/ops/eltwise.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::eltwise, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!holds_stored_bytes(node.in[0].desc)) return binary_binding<ops::eltwise, Isa, by_mode>::select(node);
    switch (unpack<ops::eltwise::attrs>(node.attrs).mode) {
      case eltwise_mode::product: return quantised_pair_binding<in_mode<eltwise_mode::product>, Isa>::select(node);
      case eltwise_mode::sum: return quantised_pair_binding<in_mode<eltwise_mode::sum>, Isa>::select(node);
      case eltwise_mode::maximum: return quantised_pair_binding<in_mode<eltwise_mode::maximum>, Isa>::select(node);
    }
    return {};
  }

 private:
  struct by_mode {
    static eltwise_lanes of(array_ref<const word> attrs) { return {unpack<ops::eltwise::attrs>(attrs).mode}; }
  };
  template <eltwise_mode Mode> struct in_mode {
    using attrs = ops::eltwise::attrs;
    template <class T> static constexpr auto stored(const ops::detail::quantised_pair& of) {
      return ops::eltwise::stored<T, Mode>(of);
    }
  };
};

}}}  // namespace nnrt::NNRT_ISA::kernels
