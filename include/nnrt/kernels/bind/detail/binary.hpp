// binary: what the bindings of operators y = f(a, b) with broadcasting have in common.
// Flow: bind/add.hpp and its like derive from binary_binding and say which f.
#pragma once

#include <nnrt/kernels/call.hpp>
#include <nnrt/kernels/elementwise.hpp>
#include <nnrt/kernels/fast.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

/// Kernel choice of an operator on two f32 tensors. Binding has `function(attrs words)`, which gives the function for
/// zip().
template <class Binding> struct binary_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const int parts = parts_for(node.out[0].elements());
    if (is_flat(node.in[0].desc, node.in[1].desc, node.out[0]))
      return {.run = &run_flat, .parts = parts, .name = "zip"};
    return {.run = &run_broadcast, .parts = parts, .name = "zip broadcast"};
  }

  /// For operands that have as many elements as the result, or a single one.
  static void run_flat(const kernel_call& call) {
    const interval range = share_of_floats(call.out[0].elements(), part_of(call));
    zip(operand_of(call, 0, range.begin), operand_of(call, 1, range.begin), range.size(),
        floats_out(call) + range.begin, Binding::function(call.attrs));
  }
  static void run_broadcast(const kernel_call& call) {
    const broadcast_loops loops = loops_of(call.in[0].shape(), call.in[1].shape(), call.out[0].shape());
    zip_broadcast(loops, floats_in(call, 0), floats_in(call, 1), floats_out(call),
                  share_of_floats(call.out[0].elements(), part_of(call)), Binding::function(call.attrs));
  }

 private:
  static constexpr bool is_flat(const tensor_desc& a, const tensor_desc& b, const tensor_desc& y) {
    const auto fills = [&](const tensor_desc& x) { return x.elements() == y.elements() || x.elements() == 1; };
    return fills(a) && fills(b);
  }
  static row_operand operand_of(const kernel_call& call, std::size_t i, std::int64_t begin) {
    const bool is_scalar = call.in[i].elements() != call.out[0].elements();
    return {floats_in(call, i) + (is_scalar ? 0 : begin), is_scalar};
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
