// hswish: x * relu6(x + 3) / 6, a cheap relative of swish.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Hard swish, element by element.
///
///   x: any shape      y: the same shape, x * relu6(x + 3) / 6
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_HSWISH.
struct hswish {
  static constexpr op_code code{17};
  static constexpr std::string_view name = "hswish";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 17, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return x * (activate(x + 3, activation::relu6) / 6); });
  }
};

}  // namespace ops

/// hswish(x).
struct hswish_t {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::hswish>(x, keywords...);
  }
};
inline constexpr hswish_t hswish{};

}  // namespace nnrt::inline NNRT_ISA
