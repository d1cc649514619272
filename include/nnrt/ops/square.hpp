// square: a number times itself.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Square, element by element.
///
///   x: any shape      y: the same shape, x * x
///
/// Integers wrap around in their width.
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_SQUARE.
struct square : detail::elementwise<types::number> {
  static constexpr op_code code{63};
  static constexpr std::string_view name = "square";
  static constexpr foreign_numbers foreign{.nnrt = 63, .hdi = 148};

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_number<T>(in, out, [](auto x) { return x * x; });
  }
};

}  // namespace ops

/// square(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto square(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::square>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
