// sound: whether a verdict is one that callers can work with, whatever an operator was asked.
// Flow: the battery asks it of hostile nodes, the fuzzer of any bytes.
#pragma once

#include <nnrt/core/operator.hpp>

namespace nnrt_test {

using namespace nnrt;

/// Whether a verdict is one that callers can print and work with.
inline bool is_sound(const operator_info& op, const verdict& v) {
  constexpr auto signature_rules = rule_names<signature_rule>();
  if (!v) return static_cast<std::size_t>(v.rule) < (v.by_signature ? signature_rules.size() : op.rules.size());
  if (v.outputs.empty()) return false;
  for (std::size_t i = 0; i < v.outputs.size(); ++i) {
    const tensor_desc& y = v.outputs[i];
    const std::size_t row = detail::row_of(op.outputs, i);
    if (row == op.outputs.size() || !op.outputs[row].accepts.contains(y.type)) return false;
    if (y.rank() < 0 || y.rank() > max_rank) return false;
    for (const std::int64_t extent : y.shape)
      if (extent < -1 || extent > max_elements) return false;
    if (y.shape.is_known() && y.elements() < 0) return false;
  }
  return true;
}

}  // namespace nnrt_test
