// pooling: common parts of max_pool and avg_pool - attributes, rules, window positions, and iteration over pixels.
// Flow: used by infer and reference of both; kernels call windows_of().
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/requantise.hpp>
#include <nnrt/ops/detail/window_rules.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Attributes of max_pool, which avg_pool has, too. The kernel is required, unless `global` makes it the image's size.
struct pooling_attributes {
  NNRT_ATTRIBUTES(pooling_attributes, (extent2, kernel), (extent2, stride), (pads, pad), (bool, ceil_mode),
                  (bool, global), (activation, fused));
  constexpr pooling_attributes()
      : kernel{0, 0}, stride{1, 1}, ceil_mode(false), global(false), fused(activation::none) {}
};

/// NNRt accepts the parameters of either pool for both. Padding is a list of four or a mode, distinguished by the
/// count.
inline constexpr nnrt_parameter pooling_parameters[] = {
    {"kernel", 2, i64, -1},  {"stride", 3, i64, -1},  {"pad", 4, i8},           {"pad", 5, i64, 4},
    {"fused", 6, i8},        {"ceil_mode", 109, i32}, {"global", 110, boolean}, {"kernel", 36, i64, -1},
    {"stride", 37, i64, -1}, {"pad", 38, i8},         {"pad", 39, i64, 4},      {"fused", 40, i8},
    {"ceil_mode", 114, i32}, {"global", 115, boolean}};

/// Windows over an image [N, H, W, C]; a global pool has one, without padding.
template <class Attributes> constexpr window_pair windows_of(const Attributes& a, const shape_t& x) {
  if (a.global) return windows_over(x, {x[1], x[2]}, {1, 1}, {1, 1}, {});
  return windows_over(x, a.kernel, a.stride, {1, 1}, a.pad, a.ceil_mode);
}

/// Requires that each window has a pixel of the image: none is only in the padding.
template <class Rule> constexpr verdict check_pads_of(const window& at) {
  if (at.mode != pad_mode::explicit_pads) return {};
  const std::int64_t widest = std::max(at.before, at.after);
  return require_at_most(Rule::pads_must_be_smaller_than_kernel, widest, at.kernel - 1);
}

/// Output of a pool over x, with x's dtype; or the broken rule.
template <class Rule, class Attributes> constexpr verdict infer_pool(const Attributes& a, const tensor_desc& x) {
  if (auto v = check_image<Rule>(x); !v) return v;
  const window_pair at = windows_of(a, x.shape);
  for (const window& axis : {at.h, at.w}) {
    if (a.global && axis.kernel == -1) continue;
    if (auto v = require_at_least(Rule::kernel_must_be_positive, axis.kernel, 1); !v) return v;
  }
  if (a.global) return ok(tensor_desc{x.type, format::nhwc, {x.shape[0], 1, 1, x.shape[3]}});
  if (auto v = check_windows<Rule>(at); !v) return v;
  for (const window& axis : {at.h, at.w})
    if (auto v = check_pads_of<Rule>(axis); !v) return v;
  return ok(tensor_desc{x.type, format::nhwc, {x.shape[0], at.h.outputs(), at.w.outputs(), x.shape[3]}});
}

/// Pixels of window i inside the image: [first, last).
struct pixels {
  std::int64_t first, last;
};
constexpr pixels pixels_of(const window& at, std::int64_t i) {
  const std::int64_t first = i * at.stride - at.pad_before(), last = first + at.kernel;
  return {std::max<std::int64_t>(first, 0), std::min(last, at.input)};
}

/// Number of positions of window i in the image or its padding; the last window of ceil_mode may exceed both.
constexpr std::int64_t places_of(const window& at, std::int64_t i) {
  const std::int64_t first = i * at.stride - at.pad_before(), last = first + at.kernel, end = at.input + at.pad_after();
  return std::min(last, end) - first;
}

/// Folds each window of x: step(state, x[n, h, w, c], h, w) for its pixels inside the image, row by row, then put(n,
/// h', w', c, state).
template <class T, class Attributes, class State, class Step, class Put>
constexpr void fold_windows(const Attributes& a, const tensor_view<const T>& x, const shape_t& y, State start,
                            Step step, Put put) {
  if (y.elements() == 0) return;  // a batch without channels may have any length
  const window_pair at = windows_of(a, x.shape);
  for (std::int64_t n = 0; n < y[0]; ++n)
    for (std::int64_t oh = 0; oh < y[1]; ++oh)
      for (std::int64_t ow = 0; ow < y[2]; ++ow)
        for (std::int64_t c = 0; c < y[3]; ++c) {
          const pixels rows = pixels_of(at.h, oh), columns = pixels_of(at.w, ow);
          State state = start;
          for (std::int64_t h = rows.first; h < rows.last; ++h)
            for (std::int64_t w = columns.first; w < columns.last; ++w) step(state, x(n, h, w, c), h, w);
          put(n, oh, ow, c, state);
        }
}

/// y[n, h', w', c]: f(state, x) for each pixel of the window, then g(state, places) for the result; places as in
/// places_of().
template <class T, class Attributes, class State, class Step, class Finish>
constexpr void pool(const Attributes& a, arguments in, results out, State start, Step step, Finish finish) {
  const auto x = in[0].as<const T>();
  const auto y = out[0].as<T>();
  const window_pair at = windows_of(a, x.shape);
  fold_windows<T>(
      a, x, y.shape, start, [&](State& state, T pixel, std::int64_t, std::int64_t) { step(state, pixel); },
      [&](std::int64_t n, std::int64_t oh, std::int64_t ow, std::int64_t c, State state) {
        y(n, oh, ow, c) = finish(state, places_of(at.h, oh) * places_of(at.w, ow));
      });
}

// --- maxima ----------------------------------------------------------------

/// The least number of T.
template <class T> constexpr T min_of() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::min();
  else return static_cast<T>(-math::infinity<math::compute_t<T>>);
}
template <class T> constexpr bool is_nan_of(T x) {
  if constexpr (std::is_integral_v<T>) return false;
  else return math::is_nan(math::compute_t<T>(x));
}
/// The maximum after the fused activation, in quantised values if y is quantised.
template <class T> constexpr T activated_maximum(T largest, const tensor_desc& y, activation fused) {
  if constexpr (types::quantised.contains(dtype_for<T>()))
    if (y.quantised) {
      const quantised_range range = quantised_range_of<T>(y.quantised, fused);
      return largest < range.low    ? static_cast<T>(range.low)
             : largest > range.high ? static_cast<T>(range.high)
                                    : largest;
    }
  if constexpr (std::is_integral_v<T>) return activate(largest, fused);
  else return static_cast<T>(activate(math::compute_t<T>(largest), fused));
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
