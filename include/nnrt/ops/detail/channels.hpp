// channels: what operators with one parameter for each channel share; channels are the last axis.
// Flow: infer of batch_norm, bias_add and prelu (its input alone), each with its own enum of rules.
#pragma once

#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// The input has a last axis, which holds channels: a tensor that says it is NCHW is refused, like at image operators.
template <class Rule> constexpr verdict check_channels_last(const tensor_desc& x) {
  if (auto v = require_at_least(Rule::input_must_have_a_channel_axis, x.rank(), 1); !v) return v;
  if (x.layout == format::nchw) return require(Rule::input_must_be_nhwc, x.layout, format::nhwc);
  return {};
}

/// A parameter is a row with one element for each of `channels`.
template <class Rule> constexpr verdict check_parameter_row(const tensor_desc& given, std::int64_t channels) {
  if (auto v = require(Rule::parameter_rank_must_be_1, given.rank(), 1); !v) return v;
  return require_same_extent(Rule::parameters_must_have_one_element_for_each_channel, given.shape[0], channels);
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
