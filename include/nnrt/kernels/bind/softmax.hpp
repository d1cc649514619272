// softmax: kernels of the operator for f32 and for 8-bit and 16-bit quantised values.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/softmax/quantised.hpp>
#include <nnrt/kernels/softmax/softmax.hpp>
#include <nnrt/ops/softmax.hpp>

#include <new>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::softmax::code> {
  using type = ops::softmax;
};

/// The axis block of a softmax node, which is stored in its plan.
constexpr axis_block softmax_block(const ops::softmax::attrs& attrs, const shape_t& shape) {
  bool listed[max_rank] = {};
  for (const std::int64_t axis : attrs.axis) listed[normalise_axis(axis, shape.rank)] = true;
  if (attrs.axis.empty()) listed[shape.rank - 1] = true;
  return block_of(shape, listed);
}

template <class Isa> struct binding<ops::softmax, family::f32, Isa> {
  enum : std::int16_t { rows, int16_rows, columns, methods };
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method == rows) return {&run_rows};
    else if constexpr (Method == int16_rows) return {&run_short_rows};
    else return {&run_columns};
  }
  static constexpr kernel_choice select(const kernel_request& node) {
    const auto attrs = unpack<ops::softmax::attrs>(node.attrs);
    if (!all_of_type(node, f32) || !has_work(node) || attrs.beta != 1) return {};
    const axis_block block = softmax_block(attrs, node.in[0].desc.shape);
    if (!block.is_contiguous()) return {};
    constexpr std::int64_t cost = 8;  // cost of an element in additions
    const auto method = block.inner != 1 ? columns : block.extent <= f32_lanes ? int16_rows : rows;
    return {.code = {.method = method},
            .plan = kernel_plan::of(block),
            .parts = parts_for(block.elements() * cost),
            .name = block.inner == 1 ? "softmax rows" : "softmax columns"};
  }
  static void run_rows(const kernel_call& call) {
    softmax_rows(call.planned<axis_block>(), floats_in(call, 0), floats_out(call), part_of(call));
  }
  static void run_short_rows(const kernel_call& call) {
    softmax_short_rows(call.planned<axis_block>(), floats_in(call, 0), floats_out(call), part_of(call));
  }
  static void run_columns(const kernel_call& call) {
    softmax_columns(call.planned<axis_block>(), floats_in(call, 0), floats_out(call), part_of(call));
  }
};

template <class Isa> struct binding<ops::softmax, family::int8, Isa> {
  static constexpr int methods = 3;
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method == 0) return functions_of<std::int8_t, int8_powers<std::int8_t>>();
    else if constexpr (Method == 1) return functions_of<std::uint8_t, int8_powers<std::uint8_t>>();
    else return functions_of<std::int16_t, int16_powers>();
  }
  static constexpr kernel_choice select(const kernel_request& node) {
    const tensor_desc &x = node.in[0].desc, &y = node.out[0];
    if (!types::stored.contains(x.type) || !has_work(node)) return {};
    const axis_block block = softmax_block(unpack<ops::softmax::attrs>(node.attrs), x.shape);
    if (!block.is_contiguous() || (x.type == i16 && !ops::detail::are_usual_shares<std::int16_t>(y.quantised)))
      return {};
    return {.code = {.method = x.type == i8   ? std::int16_t{0}
                               : x.type == u8 ? std::int16_t{1}
                                              : std::int16_t{2}},
            .packed_bytes = static_cast<std::int64_t>(x.type == i8   ? sizeof(int8_powers<std::int8_t>)
                                                      : x.type == u8 ? sizeof(int8_powers<std::uint8_t>)
                                                                     : sizeof(int16_powers)),
            .plan = kernel_plan::of(block),
            .parts = parts_for(block.elements()),
            .name = "softmax quantised"};
  }

 private:
  template <class T, class Powers> static constexpr kernel_functions functions_of() {
    return {&run<T, Powers>, &make_powers<T, Powers>};
  }
  template <class T, class Powers> static void make_powers(const kernel_call& call) {
    const float beta = unpack<ops::softmax::attrs>(call.attrs).beta;
    const quantisation &x = call.in[0].desc->quantised, &y = call.out[1].desc->quantised;
    void* const to = call.out[0].data.raw();
    if constexpr (sizeof(T) == 2) ::new (to) Powers({x, beta});
    else ::new (to) Powers({x, y, beta});
  }
  template <class T, class Powers> static void run(const kernel_call& call) {
    const auto block = call.planned<axis_block>();
    const auto& powers = *static_cast<const Powers*>(call.in[1].data.raw());
    const T* const x = call.in[0].data.template get<T>();
    T* const y = call.out[0].data.template get<T>();
    if constexpr (sizeof(T) == 2) int16_softmax(block, x, powers, y, part_of(call));
    else int8_softmax<Isa>(block, x, powers, y, part_of(call));
  }
};

template <class Isa> struct binding<ops::softmax, family::int16, Isa> : binding<ops::softmax, family::int8, Isa> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
