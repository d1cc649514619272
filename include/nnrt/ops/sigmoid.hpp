// sigmoid: 1 / (1 + exp(-x)).
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Logistic function, element by element.
///
///   x: any shape      y: the same shape, 1 / (1 + exp(-x))
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_SIGMOID.
struct sigmoid {
  static constexpr op_code code{28};
  static constexpr std::string_view name = "sigmoid";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 28, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) {
      const double e = math::exp(-math::abs(x));  // at most 1: the sum keeps its digits on both sides
      return (x < 0 ? e : 1.0) / (1.0 + e);
    });
  }
};

}  // namespace ops

/// sigmoid(x).
struct sigmoid_t {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::sigmoid>(x, keywords...);
  }
};
inline constexpr sigmoid_t sigmoid{};

}  // namespace nnrt::inline NNRT_ISA
