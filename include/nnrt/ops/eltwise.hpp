// eltwise: product, sum or maximum of two tensors, by a mode.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/maximum.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Combines two tensors element by element, with the arithmetic of mul, add or maximum.
///
///   a, b: shapes that broadcast as in NumPy, of one dtype
///   y: the common shape, of that dtype; a * b (mode product, the default), a + b (sum) or the larger one (maximum)
///
/// Integers wrap around. Quantised operands and results are as in mul, add and maximum.
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on), numbers of scales. NNRt's mode 3 ("unknown")
/// is refused. Source: NNRt OH_NN_OPS_ELTWISE.
struct eltwise {
  static constexpr op_code code{12};
  static constexpr std::string_view name = "eltwise";
  static constexpr operand_spec inputs[] = {{"a", types::number}, {"b", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .quantised = quantised_values::computed,
                                          .in_files = file_order::broadcast,
                                          .axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{.nnrt = 12, .hdi = 52};
  static constexpr nnrt_parameter parameters[] = {nnrt_parameter{"mode", 30, i8}.up_to(3)};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (eltwise_mode, mode));
    constexpr attrs() : mode(eltwise_mode::product) {}
  };

  enum class rule {
    mode_must_be_product_sum_or_maximum,
    types_must_be_equal,
    extents_must_be_equal_or_1,
    operands_must_both_be_quantised_or_both_plain,
    quantised_types_must_be_i8_u8_or_i16,
    quantised_types_must_be_equal,
    quantised_operands_must_have_one_scale,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const auto mode = static_cast<std::int64_t>(a.mode);
    if (auto v = require_between(Rule::mode_must_be_product_sum_or_maximum, mode, 0, 2); !v) return v;
    const tensor_desc &x = in[0].desc, &y = in[1].desc;
    const bool is_quantised = x.quantised || y.quantised;
    if (is_quantised) {
      if (auto v = detail::check_quantised_pair<Rule>(x, y, wanted); !v) return v;
    } else if (auto v = require(Rule::types_must_be_equal, y.type, x.type); !v) {
      return v;
    }
    verdict v = detail::infer_broadcast<Rule>(in, x.type);
    if (v && is_quantised) v.outputs[0].quantised = wanted[0].quantised;
    return v;
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs& attributes, T a, T b) {
    using wide = detail::wrapping_t<T>;
    if (attributes.mode == eltwise_mode::maximum) return maximum::element({}, a, b);
    if (attributes.mode == eltwise_mode::sum) return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
    return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
  }
  /// The function of two quantised values for this mode.
  template <class T, eltwise_mode Mode> static constexpr auto stored(const detail::quantised_pair& of) {
    if constexpr (Mode == eltwise_mode::maximum) return maximum::stored<T>(of);
    else if constexpr (Mode == eltwise_mode::sum) return detail::quantised_sum<T>(of, 1);
    else return detail::quantised_product<T>(of);
  }

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) return compute_quantised<T>(attributes.mode, in, out);
    detail::for_each_pair<T>(in, out, [&](T a, T b) { return element(attributes, a, b); });
  }

 private:
  template <class T> static constexpr void compute_quantised(eltwise_mode mode, arguments in, results out) {
    const detail::quantised_pair of(in, out, activation::none);
    switch (mode) {
      case eltwise_mode::product: return detail::for_each_pair<T>(in, out, stored<T, eltwise_mode::product>(of));
      case eltwise_mode::sum: return detail::for_each_pair<T>(in, out, stored<T, eltwise_mode::sum>(of));
      case eltwise_mode::maximum: return detail::for_each_pair<T>(in, out, stored<T, eltwise_mode::maximum>(of));
    }
  }
};

}  // namespace ops

/// eltwise(a, b), one of which may be a number, with `mode<eltwise_mode::…>`.
template <class A, class B, dsl::keyword_argument... Keywords>
  requires dsl::operand_pair<A, B>
constexpr auto eltwise(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::eltwise>(a, b, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
