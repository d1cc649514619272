// fault: turns a value that an operator rejected in a run into an error with the node's name.
// Flow: executor, session and prepare() call it on the result of run_steps(), for plans with nodes that may fail.
#pragma once

#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/exec/plan_view.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// `gather "lookup": indices must lie in the axis (got 7, expected 4) at element 3`: the node, the rule, the value, the
/// bound that it breaks, and the index of the value in its operand.
[[gnu::cold]] inline error error_of(const run_fault& fault, const rule_list& rules, std::string_view op,
                                    std::string_view name) {
  pool<char> rule;
  for (const char letter : rules[static_cast<std::size_t>(fault.rule)]) rule.push_back(letter == '_' ? ' ' : letter);
  return {error_code::invalid_argument,
          {op, name.empty() ? "" : " ", name.empty() ? piece("") : piece::in_quotes(name), ": ", letters_of(rule),
           " (got ", fault.actual, ", expected ", fault.expected, ") at element ", fault.position}};
}

/// The error of a run in which step `failed` reported this fault.
[[gnu::cold]] inline error error_of(const plan_view& plan, const step& failed, const run_fault& fault) {
  std::string_view op, name;
  rule_list rules;
  for (const fallible_node& n : plan.fallible) {
    if (n.node != failed.node) continue;
    op = n.op;
    rules = n.rules;
    name = {plan.text.data() + n.name.first, static_cast<std::size_t>(n.name.count)};
  }
  return error_of(fault, rules, op, name);
}

/// A pointer to error_of, for code that runs plans. It is nullptr for static networks without nodes that may fail, so
/// that no text of errors is compiled.
using fault_wording = error (*)(const plan_view& plan, const step& failed, const run_fault& fault);

}}  // namespace nnrt::NNRT_ISA
