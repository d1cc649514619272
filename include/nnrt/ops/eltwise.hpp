// eltwise: product, sum or maximum of two tensors, by a mode.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/maximum.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// What the mode says of two tensors, element by element: the arithmetic is that of mul, add and maximum.
///
///   a, b: shapes that broadcast as NumPy's do, of one dtype
///   y: the common shape, of that dtype; a * b (mode product, the default), a + b (sum) or the larger one (maximum)
///
/// Integers wrap around. Broken rules: see `rule`; extents are counted from the innermost. The mode of NNRt's list that
/// has no meaning there (3, "unknown") is refused. Source: NNRt OH_NN_OPS_ELTWISE.
struct eltwise {
  static constexpr op_code code{12};
  static constexpr std::string_view name = "eltwise";
  static constexpr operand_spec inputs[] = {{"a", types::number}, {"b", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 12, .hdi = 52};
  static constexpr nnrt_parameter parameters[] = {{"mode", 30, i8}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (eltwise_mode, mode));
    constexpr attrs() : mode(eltwise_mode::product) {}
  };

  enum class rule { mode_must_be_product_sum_or_maximum, types_must_be_equal, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const auto mode = static_cast<std::int64_t>(a.mode);
    if (auto v = require_between(rule::mode_must_be_product_sum_or_maximum, mode, 0, 2); !v) return v;
    const dtype type = in[0].desc.type;
    if (auto v = require(rule::types_must_be_equal, in[1].desc.type, type); !v) return v;
    return detail::infer_broadcast<rule>(in, type);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs& attributes, T a, T b) {
    using wide = detail::wrapping_t<T>;
    if (attributes.mode == eltwise_mode::maximum) return maximum::element({}, a, b);
    if (attributes.mode == eltwise_mode::sum) return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
    return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
  }
  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::for_each_pair<T>(in, out, [&](T a, T b) { return element(attributes, a, b); });
  }
};

}  // namespace ops

/// eltwise(a, b), where one of the two may be a number, with mode<eltwise_mode::…>.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto eltwise(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::eltwise>(a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
