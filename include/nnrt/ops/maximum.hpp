// maximum: the larger of a and b, with broadcasting.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/extreme.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The larger of two tensors, element by element.
///
///   a, b: shapes that broadcast as in NumPy      y: the common shape, a where a > b, else b; NaN if either is NaN
///
/// y has the dtype of higher precision of the two: floats before integers before booleans, which count as 0 and 1. No
/// activation is fused.
///
/// Quantised: a and b i8, u8 or i16 with one scale each, y with the scale given by `into<quant{…}>`. Both are rescaled
/// to y, then compared. (TFLite compares quantised values and requires equal scales.)
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on), numbers of scales. Source: NNRt
/// OH_NN_OPS_MAXIMUM; NaN as in NumPy and ONNX.
struct maximum : detail::extreme<detail::larger_first> {
  static constexpr op_code code{20};
  static constexpr std::string_view name = "maximum";
  static constexpr foreign_numbers foreign{.nnrt = 20, .hdi = 90, .tells_quantisation = 0};
  using rule = detail::arithmetic_rule;
};

}  // namespace ops

/// maximum(a, b), one of which may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
  requires dsl::operand_pair<A, B>
constexpr auto maximum(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::maximum>(a, b, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
