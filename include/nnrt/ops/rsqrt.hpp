// rsqrt: one over the square root.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Reciprocal of the square root, element by element.
///
///   x: any shape      y: the same shape, 1 / sqrt(x); NaN below zero, an infinity of its sign at zero
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_RSQRT, with IEEE 754's answers where that asks for x >= 0.
struct rsqrt {
  static constexpr op_code code{44};
  static constexpr std::string_view name = "rsqrt";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 44, .hdi = 126};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) {
      // Constant evaluation refuses to divide by zero.
      return x == 0 ? math::copysign(math::infinity<double>, x) : 1 / math::sqrt(x);
    });
  }
};

}  // namespace ops

/// rsqrt(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto rsqrt(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::rsqrt>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
