// square: a number times itself.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_binary.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Square, element by element.
///
///   x: any shape      y: the same shape, x * x
///
/// Integers wrap around in their width.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`; the square is rescaled in
/// fixed point.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_SQUARE; quantised: as TFLite's MUL.
struct square : detail::number_function {
  static constexpr op_code code{63};
  static constexpr std::string_view name = "square";
  static constexpr foreign_numbers foreign{.nnrt = 63, .hdi = 148};
  using rule = detail::number_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) {
        const quantisation &from = in[0].desc->quantised, &to = out[0].desc->quantised;
        const detail::quantised_product<T> product({from, from, to});
        return detail::for_each_element<T>(in, out, [&](T x) { return product(x, x); });
      }
    detail::for_each_number<T>(in, out, [](auto x) { return x * x; });
  }
};

}  // namespace ops

/// square(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto square(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::square>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
