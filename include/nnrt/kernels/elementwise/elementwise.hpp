// elementwise: functions of one or two operands per element, with NumPy's broadcasting.
// Flow: the bindings of elementwise operators call map(), zip(), their variants, and normalise_channels().
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/kernels/common/broadcast_loops.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

// Tails use the vector functions, too: the result of an element must not depend on its position or on the division into
// parts.

// --- one operand -----------------------------------------------------------

/// y[i] = f(x[i]) for n elements; y may be x.
template <class F> void map(const float* x, std::int64_t n, float* y, F f) {
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(y + i, f(load(x + i)));
  if (i == n) return;
  // A single value, such as the result of a micro network, may just have been stored: a vector load would stall on that
  // store.
  const bool is_one = n - i == 1;
  const f32_vec result = f(is_one ? load_one(x + i) : load_n(x + i, n - i));
  if (is_one) store_one(y + i, result);
  else store_n(y + i, result, n - i);
}

// Functions for map().

/// clamp(x, range) per lane.
struct clamp_lanes {
  clamp_range range;
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return clamp(x, V(range.lo), V(range.hi)); }
};
/// 1 / (1 + e^-x) per lane.
/// Domain: all floats; NaN gives NaN. Results below the smallest normal float may be 0.
/// Error: at most 2.5 ULP (test: kernels/bounds_test.cpp).
struct sigmoid_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return sigmoid_of(x); }
};
/// tanh(x) per lane.
/// Domain: all floats; NaN gives NaN.
/// Error: at most 5 ULP (test: kernels/bounds_test.cpp).
struct tanh_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return tanh_of(x); }
};
/// x * relu6(x + 3) / 6 per lane.
/// Domain: all floats; NaN and -inf give NaN.
/// Error: at most 2.5 ULP (test: kernels/bounds_test.cpp).
struct hswish_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const {
    return x * (clamp(x + V(3.0F), V(0.0F), V(6.0F)) * V(1.0F / 6.0F));
  }
};
/// x * Phi(x) per lane; Phi is the standard normal distribution function.
/// Domain: all floats; NaN and -inf give NaN, +inf gives +inf.
/// Error: at most 8 ULP (test: kernels/bounds_test.cpp).
struct gelu_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return gelu_of(x); }
};
/// The tanh approximation of gelu per lane: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
/// Domain: all floats; NaN and -inf give NaN, +inf gives +inf.
/// Error: at most 8 ULP of this formula (test: kernels/bounds_test.cpp).
struct gelu_tanh_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return gelu_tanh_of(x); }
};

/// sqrt(x) per lane.
/// Domain: all floats; negative values and NaN give NaN.
/// Error: correctly rounded (test: kernels/simd/lane_math_test.cpp).
struct sqrt_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return sqrt(x); }
};
/// 1 / sqrt(x) per lane.
/// Domain: all floats; negative values and NaN give NaN.
/// Error: at most 1.5 ULP (test: kernels/bounds_test.cpp).
struct rsqrt_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return V(1.0F) / sqrt(x); }
};

// Functions for zip().

/// a + b per lane.
struct add_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a + b; }
};
/// a - b per lane.
struct subtract_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a - b; }
};
/// a * b per lane.
struct multiply_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a * b; }
};
/// a / b per lane.
struct divide_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a / b; }
};
/// max(a, b) per lane; NaN if either is NaN.
struct maximum_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return maximum_of(a, b); }
};
/// a if a > 0 or NaN, else a * b (b is the slope), per lane.
struct prelu_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return where_less(V(0.0F), a, a, a * b); }
};
/// (a - b)^2 per lane.
struct squared_difference_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const {
    const V difference = a - b;
    return difference * difference;
  }
};
/// a <= b per lane, as booleans.
struct less_equal_lanes {
  template <class V> [[gnu::always_inline]] boolean_lanes operator()(V a, V b) const { return at_most(a, b); }
};
/// The operation of `mode` per lane. A branch that always goes one way is cheaper than separate loops for three modes.
struct eltwise_lanes {
  eltwise_mode mode;
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const {
    return mode == eltwise_mode::product ? a * b : mode == eltwise_mode::sum ? a + b : maximum_of(a, b);
  }
};
/// F, then a fused activation as a clamp.
template <class F> struct clamped {
  F f;
  clamp_range range;
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const {
    return clamp(f(a, b), V(range.lo), V(range.hi));
  }
};

// --- two operands, row by row ----------------------------------------------
// Not inlined: the kinds of broadcasts share these functions, and a call per row is cheap.

/// y[i] = f(a[i], b[i]) for n elements; y may be an operand.
template <class Y, class F> [[gnu::noinline]] void zip(const float* a, const float* b, std::int64_t n, Y* y, F f) {
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(y + i, f(load(a + i), load(b + i)));
  if (i < n) store_n(y + i, f(load_n(a + i, n - i), load_n(b + i, n - i)), n - i);
}

/// y[i] = f(a, b[i]) for n elements and a single value a; y may be b.
template <class Y, class F> [[gnu::noinline]] void zip(float a, const float* b, std::int64_t n, Y* y, F f) {
  const f32_vec first = broadcast(&a);
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(y + i, f(first, load(b + i)));
  if (i < n) store_n(y + i, f(first, load_n(b + i, n - i)), n - i);
}

/// y[i] = f(a[i], b) for n elements and a single value b; y may be a.
template <class Y, class F> [[gnu::noinline]] void zip(const float* a, float b, std::int64_t n, Y* y, F f) {
  const f32_vec second = broadcast(&b);
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(y + i, f(load(a + i), second));
  if (i < n) store_n(y + i, f(load_n(a + i, n - i), second), n - i);
}

/// An operand that consists of one row, repeated over the rows of the other operand.
struct repeated_row {
  const float* first;
  std::int64_t period;  // its elements
  bool comes_first;     // the row is the first operand
};

namespace detail {

/// Maximum length of rows that are repeated in a buffer and then processed together, such as the channels of a colour
/// image.
inline constexpr std::int64_t max_short_row = 64;

/// Length of the buffer: f32_lanes copies of the row, hence whole vectors for any period.
constexpr std::int64_t length_of_repeated(std::int64_t period) { return period * f32_lanes; }
inline constexpr std::int64_t max_repeated = max_short_row * f32_lanes;

/// Writes n elements (n > 0) of the repeated row, starting at element `phase`.
inline void repeat(const float* row, std::int64_t period, std::int64_t phase, std::int64_t n, float* to) {
  copy_floats(row + phase, period - phase, to);
  copy_floats(row, phase, to + period - phase);
  for (std::int64_t filled = period; filled < n; filled *= 2)
    copy_floats(to, filled < n - filled ? filled : n - filled, to + filled);
}

template <class Y, class F>
void zip_short_rows(const float* x, repeated_row row, std::int64_t phase, std::int64_t n, Y* y, F f) {
  alignas(64) float rows[max_repeated];
  const std::int64_t length = length_of_repeated(row.period);
  repeat(row.first, row.period, phase, n < length ? n : length, rows);
  for (std::int64_t i = 0; i < n; i += length) {
    const std::int64_t left = n - i < length ? n - i : length;
    zip(row.comes_first ? rows : x + i, row.comes_first ? x + i : rows, left, y + i, f);
  }
}

}  // namespace detail

/// y = f(x, row) for n elements of x, or f(row, x) if row.comes_first. The first element of x pairs with element
/// `phase` of the row. y may be x.
template <class Y, class F>
void zip_channels(const float* x, repeated_row row, std::int64_t phase, std::int64_t n, Y* y, F f) {
  if (row.period <= detail::max_short_row) return detail::zip_short_rows(x, row, phase, n, y, f);
  for (std::int64_t i = 0; i < n; phase = 0) {
    const std::int64_t whole = row.period - phase, count = whole < n - i ? whole : n - i;
    const float* const from = row.first + phase;
    zip(row.comes_first ? from : x + i, row.comes_first ? x + i : from, count, y + i, f);
    i += count;
  }
}

namespace detail {

/// Which operand repeats its innermost row in the next outer loop while the other one advances.
struct inner_rows {
  bool a_repeats = false, b_repeats = false;
  constexpr explicit operator bool() const { return a_repeats || b_repeats; }
};

constexpr inner_rows inner_rows_of(const broadcast_loops& loops) {
  const int inner = loops.count - 1, outer = inner - 1;
  if (outer < 0 || loops.inner_step(0) != 1 || loops.inner_step(1) != 1) return {};
  const std::int64_t a_step = loops.steps[0][outer], b_step = loops.steps[1][outer], row = loops.extents[inner];
  return {b_step == row && a_step == 0, a_step == row && b_step == 0};
}

/// The loops with the two innermost ones merged.
constexpr broadcast_loops without_inner_rows(broadcast_loops loops) {
  const int inner = --loops.count;
  loops.extents[inner - 1] *= loops.extents[inner];
  return loops;
}

}  // namespace detail

/// y = f(a, b) for the elements of y in `range`, under broadcasting; y may alias an operand of equal shape.
template <class Y, class F>
void zip_broadcast(const broadcast_loops& loops, const float* a, const float* b, Y* y, interval range, F f) {
  const detail::inner_rows repeats = detail::inner_rows_of(loops);
  const broadcast_loops around = repeats ? detail::without_inner_rows(loops) : loops;
  const int inner = loops.count - 1;
  const std::int64_t extent = around.extents[around.count - 1], period = loops.extents[inner];
  const std::int64_t a_step = loops.inner_step(0), b_step = loops.inner_step(1);
  std::int64_t begin = range.begin, skipped = begin % extent;
  for (broadcast_position<2> at(around, begin / extent); begin < range.end; at.next_row(around)) {
    const std::int64_t left = range.end - begin, row = extent - skipped, n = row < left ? row : left;
    const float *from_a = a + at.of[0], *from_b = b + at.of[1];
    if (repeats.a_repeats) zip_channels(from_b + skipped, {from_a, period, true}, skipped % period, n, y + begin, f);
    else if (repeats.b_repeats)
      zip_channels(from_a + skipped, {from_b, period, false}, skipped % period, n, y + begin, f);
    else if (a_step == 0) zip(*from_a, from_b + skipped * b_step, n, y + begin, f);
    else if (b_step == 0) zip(from_a + skipped, *from_b, n, y + begin, f);
    else zip(from_a + skipped, from_b + skipped, n, y + begin, f);
    begin += n;
    skipped = 0;
  }
}

// --- per channel -----------------------------------------------------------

/// One parameter for each of the `channels` innermost elements.
struct channel_parameters {
  const float *mean, *factor, *offset;
};

/// y = (x - mean) * factor + offset; y may be x.
template <class Isa = native>
void normalise_channels(const float* x, interval rows, std::int64_t channels, const channel_parameters& by, float* y) {
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const float* const from = x + row * channels;
    float* const to = y + row * channels;
    std::int64_t c = 0;
    for (; c + f32_lanes <= channels; c += f32_lanes)
      store(to + c, fma(load(from + c) - load(by.mean + c), load(by.factor + c), load(by.offset + c)));
    if (const std::int64_t left = channels - c; left > 0) {
      const f32_vec centred = load_n(from + c, left) - load_n(by.mean + c, left);
      store_n(to + c, fma(centred, load_n(by.factor + c, left), load_n(by.offset + c, left)), left);
    }
  }
}

/// `count` factors and offsets, and the range of results.
struct affine_parameters {
  const float *factor, *offset;
  std::int64_t count;
  clamp_range range;
};

namespace detail {

/// y = clamp(x * factor + offset) for n elements.
template <class Isa>
[[gnu::noinline]] void affine(const float* x, const affine_parameters& by, std::int64_t n, float* y) {
  const f32_vec lo(by.range.lo), hi(by.range.hi);
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes)
    store(y + i, clamp(fma(load(x + i), load(by.factor + i), load(by.offset + i)), lo, hi));
  if (const std::int64_t left = n - i; left > 0) {
    const f32_vec sum = fma(load_n(x + i, left), load_n(by.factor + i, left), load_n(by.offset + i, left));
    store_n(y + i, clamp(sum, lo, hi), left);
  }
}

}  // namespace detail

/// y = clamp(x * factor + offset) for the elements of y in `range`; parameters repeat along the innermost elements. y
/// may be x.
template <class Isa = native>
void affine_channels(const float* x, interval range, const affine_parameters& by, float* y) {
  std::int64_t phase = range.begin % by.count;
  if (by.count > detail::max_short_row) {
    for (std::int64_t i = range.begin; i < range.end; phase = 0) {
      const std::int64_t whole = by.count - phase, left = range.end - i, n = whole < left ? whole : left;
      detail::affine<Isa>(x + i, {by.factor + phase, by.offset + phase, n, by.range}, n, y + i);
      i += n;
    }
    return;
  }
  alignas(64) float factors[detail::max_repeated], offsets[detail::max_repeated];
  const std::int64_t length = detail::length_of_repeated(by.count),
                     used = range.size() < length ? range.size() : length;
  detail::repeat(by.factor, by.count, phase, used, factors);
  detail::repeat(by.offset, by.count, phase, used, offsets);
  for (std::int64_t i = range.begin; i < range.end; i += length) {
    const std::int64_t n = range.end - i < length ? range.end - i : length;
    detail::affine<Isa>(x + i, {factors, offsets, n, by.range}, n, y + i);
  }
}

/// y = clamp(x * factor + offset) for the elements of y in `range`; each parameter applies to `row` consecutive
/// elements. y may be x.
template <class Isa = native>
void affine_rows(const float* x, interval range, std::int64_t row, const affine_parameters& by, float* y) {
  const f32_vec lo(by.range.lo), hi(by.range.hi);
  for (std::int64_t begin = range.begin; begin < range.end;) {
    const std::int64_t which = begin / row, left = (which + 1) * row - begin;
    const std::int64_t end = begin + (left < range.end - begin ? left : range.end - begin);
    const f32_vec factor = broadcast(by.factor + which % by.count), offset = broadcast(by.offset + which % by.count);
    std::int64_t i = begin;
    for (; i + f32_lanes <= end; i += f32_lanes) store(y + i, clamp(fma(load(x + i), factor, offset), lo, hi));
    if (i < end) store_n(y + i, clamp(fma(load_n(x + i, end - i), factor, offset), lo, hi), end - i);
    begin = end;
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
