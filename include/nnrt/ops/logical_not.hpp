// logical_not: negation of booleans.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Negation of booleans, element by element.
///
///   x: any shape      y: the same shape, true where x is false
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_LOGICAL_NOT.
struct logical_not {
  static constexpr op_code code{82};
  static constexpr std::string_view name = "logical_not";
  static constexpr operand_spec inputs[] = {{"x", types::logical}};
  static constexpr operand_spec outputs[] = {{"y", types::logical}};
  static constexpr operator_traits traits{.result = storage::in_place, .axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{.nnrt = 82, .hdi = 82};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return ok(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_element<T>(in, out, [](bool x) { return !x; });
  }
};

}  // namespace ops

/// logical_not(x).
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto logical_not(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::logical_not>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
