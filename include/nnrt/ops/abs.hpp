// abs: magnitude.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Magnitude, element by element.
///
///   x: any shape      y: the same shape, x without its sign
///
/// Of integers the most negative one stays, for it has no counterpart. A NaN stays one.
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_ABS.
struct abs : detail::elementwise<types::number> {
  static constexpr op_code code{58};
  static constexpr std::string_view name = "abs";
  static constexpr foreign_numbers foreign{.nnrt = 58, .hdi = 2};

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (!std::is_integral_v<T>) detail::for_each_real<T>(in, out, [](double x) { return math::abs(x); });
    else detail::for_each_number<T>(in, out, [](std::uint64_t x) { return std::is_signed_v<T> && x >> 63U != 0 ? 0 - x : x; });
  }
};

}  // namespace ops

/// abs(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto abs(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::abs>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
