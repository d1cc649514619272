// cast: kernels of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/convert.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/f16/convert.hpp>
#include <nnrt/kernels/int8/casts.hpp>
#include <nnrt/ops/cast.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Casts to and from f32, and between i32 and i64; the reference computes other casts.
template <class Isa> struct binding<ops::cast, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    const dtype from = node.in[0].desc.type, to = node.out[0].type;
    if (!has_work(node)) return {};
    const int parts = parts_for(node.out[0].elements() / 2);
    if (to == f32 && widened.contains(from)) return {.run = run_widen(from), .parts = parts, .name = "widen"};
    if (to == f32 && converted.contains(from)) return {.run = run_to_f32(from), .parts = parts, .name = "convert"};
    if (from == f32 && from_f32.contains(to)) return {.run = run_from_f32(to), .parts = parts, .name = "convert"};
    if (from == i32 && to == i64) return {.run = &run<std::int32_t, std::int64_t>, .parts = parts, .name = "convert"};
    if (from == i64 && to == i32) return {.run = &run<std::int64_t, std::int32_t>, .parts = parts, .name = "convert"};
    return {};
  }

 private:
  // Booleans are bytes of 0 and 1.
  static constexpr dtype_set widened = types_of(boolean, i8, u8, i16), converted = types_of(i32, i64, f16, f64),
                             from_f32 = types_of(boolean, i8, u8, i32, i64, f16, f64);

  static constexpr kernel_function run_widen(dtype from) {
    if (from == boolean) from = u8;
    return function_for<types_of(i8, u8, i16)>(from, []<class T>(T) -> kernel_function { return &run_widened<T>; });
  }
  static constexpr kernel_function run_to_f32(dtype from) {
    if (from == f16) return &run_widen_f16<Isa>;
    return function_for<types_of(i32, i64, f64)>(from, []<class T>(T) -> kernel_function { return &run<T, float>; });
  }
  static constexpr kernel_function run_from_f32(dtype to) {
    if (to == f16) return &run_narrow_floats<Isa>;
    return function_for<types_of(boolean, i8, u8, i32, i64, f64)>(
        to, []<class T>(T) -> kernel_function { return &run<float, T>; });
  }

  template <class T> static void run_widened(const kernel_call& call) {
    const interval mine = share_of_floats(call.out[0].elements(), part_of(call));
    restore_floats(reinterpret_cast<const T*>(bytes_in(call, 0)) + mine.begin, mine.size(), quant{1, 0},
                   floats_out(call) + mine.begin);
  }
  template <class From, class To> static void run(const kernel_call& call) {
    const interval mine = share_of_floats(call.out[0].elements(), part_of(call));
    const From* const x = call.in[0].data.template get<From>();
    To* const y = call.out[0].data.template get<To>();
    for (std::int64_t i = mine.begin; i < mine.end; ++i) y[i] = math::convert<To>(x[i]);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
