// range: numbers with a constant step.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// start, start + delta, start + 2 * delta … up to limit, exclusive.
///
///   x: any shape      y: [n] numbers of the dtype of x, n = max(ceil((limit - start) / delta), 0)
///
/// start and limit are 0 by default, delta is 1. NNRt requires an input; only its dtype is used. Numbers that the dtype
/// cannot hold are converted as by cast.
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_RANGE, whose attributes are integers.
struct range {
  static constexpr op_code code{66};
  static constexpr std::string_view name = "range";
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 66, .hdi = 115};
  static constexpr hdi_field hdi_fields[] = {hdi_field::always("dataType", 0)};
  static constexpr nnrt_parameter parameters[] = {{"start", 82, i64}, {"limit", 83, i64}, {"delta", 84, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, start), (std::int64_t, limit), (std::int64_t, delta));
    constexpr attrs() : start(0), limit(0), delta(1) {}
  };
  enum class rule { delta_must_not_be_zero };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    if (a.delta == 0) return refuse(Rule::delta_must_not_be_zero, 0, 1);
    return ok(tensor_desc{in[0].desc.type, {count(a)}});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments, results out) {
    const auto y = out[0].as<T>();
    std::int64_t number = a.start;
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      if (i > 0) number += a.delta;  // not after the last one, where it might overflow
      y[i] = math::convert<T>(number);
    }
  }

 private:
  /// Unsigned: any distance between two integers fits. Counts above max_elements become max_elements + 1.
  static constexpr std::int64_t count(const attrs& a) {
    if (a.delta > 0 ? a.limit <= a.start : a.limit >= a.start) return 0;
    const auto start = static_cast<std::uint64_t>(a.start), limit = static_cast<std::uint64_t>(a.limit),
               delta = static_cast<std::uint64_t>(a.delta);
    const std::uint64_t before_last = a.delta > 0 ? (limit - start - 1) / delta : (start - limit - 1) / (0 - delta);
    const auto most = static_cast<std::uint64_t>(max_elements);
    return before_last < most ? static_cast<std::int64_t>(before_last) + 1 : max_elements + 1;
  }
};

}  // namespace ops

/// `range(x, start<1>, limit<10>, delta<3>)`: 1, 4, 7 in the dtype of x.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto range(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::range>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
