// unary: shared bindings of operators y = f(x).
// Flow: bind/unary.hpp passes f.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/bind/detail/lanes_for.hpp>
#include <nnrt/kernels/bind/detail/quantised.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Kernel choice of an operator on one f32 tensor: map() with the vector function `Lanes`; `Cost` of an element in
/// additions. Isa makes names dependent, see core/kernel.hpp.
template <class Isa, class Lanes, int Cost> struct float_map_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements() * Cost), .name = "unary"};
  }
  static void run(const kernel_call& call) {
    const interval range = share_of_floats(call.out[0].elements(), part_of(call));
    map(floats_in(call, 0) + range.begin, range.size(), floats_out(call) + range.begin,
        detail::lanes_for<Lanes>(call.attrs));
  }
};

/// float_map_binding, plus a table of 256 entries for 8-bit quantised values.
template <class Op, class Isa, class Lanes, int Cost> struct map_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice table = table_binding<Op, Isa>::select(node)) return table;
    return float_map_binding<Isa, Lanes, Cost>::select(node);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
