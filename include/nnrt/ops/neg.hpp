// neg: a number with the opposite sign.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Negation, element by element.
///
///   x: any shape      y: the same shape, -x
///
/// Integers wrap around in their width: the most negative one is unchanged, unsigned ones give 2^bits - x.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`; the distance from the zero
/// point is rescaled in fixed point.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_NEG.
struct neg : detail::number_function {
  static constexpr op_code code{84};
  static constexpr std::string_view name = "neg";
  static constexpr foreign_numbers foreign{.nnrt = 84, .hdi = 101};
  using rule = detail::number_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) return detail::rescale_quantised<T>(in, out, [](std::int64_t x) { return -x; });
    detail::for_each_number<T>(in, out, [](auto x) { return -x; });
  }
};

}  // namespace ops

/// neg(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto neg(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::neg>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
