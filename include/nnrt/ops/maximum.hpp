// maximum: the larger of a and b, with broadcasting.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/binary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The larger of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do, of one dtype      y: the common shape, a where a > b, else b; NaN where
///   one is
///
/// Rules: the dtypes must be equal (cast one operand where they are not); extents, counted from the innermost, must be
/// equal or 1. No activation is fused. Source: NNRt OH_NN_OPS_MAXIMUM; NaN as in NumPy and ONNX.
struct maximum {
  static constexpr op_code code{20};
  static constexpr std::string_view name = "maximum";
  static constexpr operand_spec inputs[] = {{"a", types::number}, {"b", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 20, .hdi = 90};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule { types_must_be_equal, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_binary<rule>(in);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_pair<T>(in, out, [](T a, T b) {
      if constexpr (!std::is_integral_v<T>)
        if (math::is_nan(static_cast<math::compute_t<T>>(a))) return a;
      return a > b ? a : b;
    });
  }
};

}  // namespace ops

/// maximum(a, b), where one of the two may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto maximum(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::maximum>(a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
