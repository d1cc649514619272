// quant_dtype_cast: kernels of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/quantised.hpp>
#include <nnrt/kernels/int8/casts.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Quantises and dequantises f32 by vectors (one scale); converts 8-bit values by a table. The reference computes other
/// casts.
template <class Isa> struct binding<ops::quant_dtype_cast, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    const tensor_desc &x = node.in[0].desc, &y = node.out[0];
    if (!has_work(node)) return {};
    const int parts = parts_for(x.elements() / 2);
    const bool is_to_even = is_half_to_even(y.quantised.rounding);
    if (x.type == f32 && types::stored.contains(y.type))
      return {.run = is_to_even ? run_to<true>(y.type) : run_to<false>(y.type),
              .parts = parts,
              .name = is_to_even ? "quantise to even" : "quantise"};
    const bool has_one_scale = x.quantised.mode == quantisation::kind::per_tensor;
    if (y.type == f32 && types::stored.contains(x.type) && has_one_scale)
      return {.run = run_from(x.type), .parts = parts, .name = "dequantise"};
    return table_binding<ops::quant_dtype_cast, Isa>::select(node);
  }

 private:
  template <bool IsToEven> static constexpr kernel_function run_to(dtype type) {
    return function_for<types::stored>(type, []<class T>(T) -> kernel_function { return &run_store<IsToEven, T>; });
  }
  static constexpr kernel_function run_from(dtype type) {
    return function_for<types::stored>(type, []<class T>(T) -> kernel_function { return &run_restore<T>; });
  }
  template <bool IsToEven, class T> static void run_store(const kernel_call& call) {
    const interval mine = share_of_floats(call.out[0].elements(), part_of(call));
    store_floats<IsToEven>(floats_in(call, 0) + mine.begin, mine.size(), call.out[0].desc->quantised,
                           call.out[0].data.template get<T>() + mine.begin);
  }
  template <class T> static void run_restore(const kernel_call& call) {
    const interval mine = share_of_floats(call.out[0].elements(), part_of(call));
    restore_floats(call.in[0].data.template get<T>() + mine.begin, mine.size(), call.in[0].desc->quantised,
                   floats_out(call) + mine.begin);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
