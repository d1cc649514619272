// quantised: what operators share that compute with quantised integers - the rules about scales, and the wish for the output.
// Flow: their infer(); core/requantise.hpp has the arithmetic that reference() and kernels use.
#pragma once

#include <nnrt/core/operator.hpp>
#include <nnrt/core/requantise.hpp>

namespace nnrt::inline NNRT_ISA::ops::detail {

/// One scale for the whole tensor; the rule counts the scales, which are as many as the channels of a per-channel one.
template <class Rule> constexpr verdict require_one_scale(Rule rule, const tensor_desc& desc) {
  if (desc.quantised.mode == quantisation::kind::per_tensor) return {};
  // The desc of a wish may have no shape: its axis is not looked at.
  return refuse(rule, desc.quantised && desc.quantised.axis < desc.rank() ? desc.shape[desc.quantised.axis] : 0, 1);
}

/// What the caller wants of output 0: an empty desc when nothing is declared.
constexpr tensor_desc wish_of(std::span<const tensor_desc> wanted) { return wanted.empty() ? tensor_desc{} : wanted[0]; }

}  // namespace nnrt::inline NNRT_ISA::ops::detail
