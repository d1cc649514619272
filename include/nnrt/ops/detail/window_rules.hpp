// window_rules: rules of all operators with windows over an image - convolutions and pools.
// Flow: their infer functions call these with their enum of rules, which names the broken one.
#pragma once

#include <nnrt/core/verdict.hpp>
#include <nnrt/core/window.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Windows of an operator along both axes of an image.
struct window_pair {
  window h, w;
};

constexpr window_pair windows_over(const shape_t& x, extent2 kernel, extent2 stride, extent2 dilation, const pads& pad,
                                   bool ceil_mode = false) {
  return {window_of_height(x[1], kernel.h, stride, dilation, pad, ceil_mode),
          window_of_width(x[2], kernel.w, stride, dilation, pad, ceil_mode)};
}

/// Requires rank 4 and NHWC. A format without an order counts as NHWC, as in NNRt; only NCHW is refused.
template <class Rule> constexpr verdict check_image(const tensor_desc& x) {
  if (auto v = require(Rule::input_rank_must_be_4, x.rank(), 4); !v) return v;
  if (x.layout == format::nchw) return require(Rule::input_must_be_nhwc, x.layout, format::nhwc);
  return {};
}

/// Checks lengths along one axis: positive or not negative, and small enough for arithmetic.
template <class Rule, class Window> constexpr verdict check_lengths(const Window& at) {
  if (auto v = require_at_least(Rule::stride_must_be_positive, at.stride, 1); !v) return v;
  if constexpr (requires { Rule::dilation_must_be_positive; })
    if (auto v = require_at_least(Rule::dilation_must_be_positive, at.dilation, 1); !v) return v;
  if (at.kernel != -1)
    if (auto v = require_at_least(Rule::kernel_must_be_positive, at.kernel, 1); !v) return v;
  for (const std::int64_t pad : {at.before, at.after})
    if (auto v = require_at_least(Rule::pads_must_not_be_negative, pad, 0); !v) return v;
  for (const std::int64_t length : {at.stride, at.dilation, at.kernel, at.before, at.after})
    if (auto v = require_at_most(Rule::window_lengths_must_not_exceed_the_size_limit, length, max_window_length); !v)
      return v;
  return {};
}

/// Requires that a window fits, unless SAME padding adds what is missing, or ceil_mode accepts a partial one.
template <class Rule> constexpr verdict check_cover(const window& at) {
  if (at.mode == pad_mode::same || at.input < 0 || at.kernel == -1 || at.outputs() > 0) return {};
  return require_at_least(Rule::padded_input_must_cover_kernel, at.padded(), at.span());
}

template <class Rule> constexpr verdict check_windows(const window_pair& at) {
  for (const window& axis : {at.h, at.w})
    if (auto v = check_lengths<Rule>(axis); !v) return v;
  for (const window& axis : {at.h, at.w})
    if (auto v = check_cover<Rule>(axis); !v) return v;
  return {};
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
