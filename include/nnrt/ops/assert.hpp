// assert: conditions that must be true, or the run ends with an error.
// Flow: front ends call infer(); it runs by its reference; a run whose condition is false ends with a fault.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Booleans that must all be true.
///
///   condition: booleans of any shape      data: values to report, any shape and dtype      y: condition
///
/// A run with a false condition ends with an error that names the first one; a false constant is refused before. `data`
/// is not read: `summarize`, the number of its elements that other implementations print, has no effect. The node is
/// removed if no output of the network needs y.
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_ASSERT.
struct assert {
  static constexpr op_code code{78};
  static constexpr std::string_view name = "assert";
  static constexpr operand_spec inputs[] = {{"condition", types::logical}, {"data", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::logical}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .quantised = quantised_values::computed,
                                          .may_fail = true,
                                          .in_files = file_order::unchanged};
  static constexpr foreign_numbers foreign{.nnrt = 78, .hdi = 13};
  static constexpr nnrt_parameter parameters[] = {{"summarize", 106, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, summarize));
    constexpr attrs() : summarize(0) {}
  };
  enum class rule { condition_must_be_true };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    if (in[0].has_values())
      for (const std::int64_t truth : in[0].values)
        if (truth == 0) return refuse(Rule::condition_must_be_true, 0, 1);
    return ok(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr run_fault reference(const attrs&, arguments in, results out) {
    const auto condition = in[0].as<const bool>();
    const auto y = out[0].as<bool>();
    for (std::int64_t i = 0; i < condition.elements(); ++i)
      if (!condition[i]) return fault_at(i, rule::condition_must_be_true, 0, 1);
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = true;
    return {};
  }
};

}  // namespace ops

/// asserted(condition, data): condition, in a network whose runs fail if it is false. (`<cassert>` defines a macro with
/// the operator's name.)
template <tensor_desc Condition, tensor_desc Data, dsl::keyword_argument... Keywords>
constexpr auto asserted(tensor<Condition> condition, tensor<Data> data, Keywords... keywords) {
  return dsl::apply<ops::assert>(condition, data, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
