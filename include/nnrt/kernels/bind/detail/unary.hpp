// unary: what the bindings of operators y = f(x) have in common.
// Flow: bind/relu.hpp and its like derive from unary_binding and say which f.
#pragma once

#include <nnrt/kernels/call.hpp>
#include <nnrt/kernels/elementwise.hpp>
#include <nnrt/kernels/fast.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Kernel choice of an operator on one f32 tensor. Binding has `function(attrs words)`, which gives the function for
/// map(), and `cost`, about how many additions one element is worth.
template <class Binding> struct unary_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements() * Binding::cost), .name = "map"};
  }
  static void run(const kernel_call& call) {
    const interval range = share_of_floats(call.out[0].elements(), part_of(call));
    map(floats_in(call, 0) + range.begin, range.size(), floats_out(call) + range.begin, Binding::function(call.attrs));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
