// half_cast: float16 as float32, and float32 as float16; internal.
// Flow: exec/f16_emulation.hpp puts it around operators with kernels only for float32; it has no public function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/unary.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// Conversion between f16 and f32: cast without its type operand, and without code for other dtypes.
///
///   x: any shape      y: the same shape; f32 for x f16, and f16 for x f32, rounded to nearest, infinity on overflow
///
/// Broken rules: those of the signature. Source: this library.
struct half_cast {
  static constexpr op_code code{1006};
  static constexpr std::string_view name = "half_cast";
  static constexpr operand_spec inputs[] = {{"x", types_of(f16, f32)}};
  static constexpr operand_spec outputs[] = {{"y", types_of(f16, f32)}};
  static constexpr operator_traits traits{.axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    tensor_desc y = in[0].desc;
    y.type = y.type == f16 ? f32 : f16;
    return ok(y);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    using other = std::conditional_t<std::is_same_v<T, float>, float16, float>;
    detail::for_each_element<T, other>(in, out, [](T x) { return math::convert<other>(x); });
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
