// sqrt: square root.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Square root, element by element.
///
///   x: any shape      y: the same shape, the root of x, correctly rounded; NaN below zero, -0 at -0
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_SQRT.
struct sqrt {
  static constexpr op_code code{33};
  static constexpr std::string_view name = "sqrt";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 33, .hdi = 146};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return math::sqrt(x); });
  }
};

}  // namespace ops

/// sqrt(x). A function, as tanh is: an object of this name would hide, or clash with, that of <cmath>.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto sqrt(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::sqrt>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
