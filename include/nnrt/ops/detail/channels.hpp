// channels: rules of operators with one parameter for each channel; channels are the last axis.
// Flow: used by infer of batch_norm, bias_add and prelu (only for its input), each with its enum of rules.
#pragma once

#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Requires a last axis, the channels; NCHW is refused, as by image operators.
template <class Rule> constexpr verdict check_channels_last(const tensor_desc& x) {
  if (auto v = require_at_least(Rule::input_must_have_a_channel_axis, x.rank(), 1); !v) return v;
  if (x.layout == format::nchw) return require(Rule::input_must_be_nhwc, x.layout, format::nhwc);
  return {};
}

/// Requires a parameter to be a row with one element for each of `channels`.
template <class Rule> constexpr verdict check_parameter_row(const tensor_desc& given, std::int64_t channels) {
  if (auto v = require(Rule::parameter_rank_must_be_1, given.rank(), 1); !v) return v;
  return require_same_extent(Rule::parameters_must_have_one_element_for_each_channel, given.shape[0], channels);
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
