// refusal: the broken limit of an accelerator in words.
// Flow: partitions print it for nodes on the processor; hal/bpu_driver.hpp returns it for nodes that a device refuses.
#pragma once

#include <nnrt/ir/diagnose.hpp>
#include <nnrt/policy/accelerator.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// `kernel must lie within the limits (got 9, expected 7)`: rule, value and limit.
[[gnu::cold]] inline std::string to_string(const accelerator_verdict& v) {
  return joined({detail::words_of(rule_names<accelerator_rule>()[static_cast<std::size_t>(v.rule)]), " (got ",
                 detail::value_letters(v.counted, v.actual), ", expected ",
                 detail::value_letters(v.counted, v.expected), ")"});
}
/// `conv2d "stem": kernel must lie within the limits (got 9, expected 7)`: operator and node, then the broken limit.
/// The compiler's error has the same parts.
[[gnu::cold]] inline std::string to_string(const accelerator_verdict& v, std::string_view op,
                                           std::string_view node_name) {
  std::string text(op);
  if (!node_name.empty()) append(text, {" ", piece::in_quotes(node_name)});
  return text + ": " + to_string(v);
}

}}  // namespace nnrt::NNRT_ISA
