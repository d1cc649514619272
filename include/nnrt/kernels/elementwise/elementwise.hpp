// elementwise: functions of one or two operands, element by element, with NumPy's broadcasting.
// Flow: bind/unary.hpp, bind/binary.hpp and their like call map(), zip() and its like, and normalise_channels().
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/kernels/common/broadcast_loops.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

// Tails go through the vector function too: the result of an element must not depend on its place, or on how the work
// is divided.

// --- one operand -----------------------------------------------------------

/// y[i] = f(x[i]) for n elements; y may be x.
template <class F> void map(const float* x, std::int64_t n, float* y, F f) {
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(y + i, f(load(x + i)));
  if (i == n) return;
  // A single number, the result of a micro network perhaps, was stored a moment ago: a vector would wait for that store
  // to leave.
  const bool is_one = n - i == 1;
  const f32_vec result = f(is_one ? load_one(x + i) : load_n(x + i, n - i));
  if (is_one) store_one(y + i, result);
  else store_n(y + i, result, n - i);
}

/// What a fused activation limits results to.
constexpr clamp_range range_of(activation fused) {
  if (fused == activation::none) return {};
  return {0.0F, fused == activation::relu6 ? 6.0F : std::numeric_limits<float>::infinity()};
}

// Functions for map().

/// x limited to a range.
struct clamp_lanes {
  clamp_range range;
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return clamp(x, V(range.lo), V(range.hi)); }
};
/// 1 / (1 + e^-x).
struct sigmoid_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return sigmoid_of(x); }
};
/// tanh x.
struct tanh_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return tanh_of(x); }
};
/// x * relu6(x + 3) / 6.
struct hswish_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const {
    return x * (clamp(x + V(3.0F), V(0.0F), V(6.0F)) * V(1.0F / 6.0F));
  }
};
/// x Phi(x), Phi the normal distribution.
struct gelu_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return gelu_of(x); }
};
/// The approximation of the same by tanh.
struct gelu_tanh_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return gelu_tanh_of(x); }
};

/// The square root of x.
struct sqrt_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return sqrt(x); }
};
/// One over it.
struct rsqrt_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return V(1.0F) / sqrt(x); }
};

// Functions for zip().

/// a + b.
struct add_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a + b; }
};
/// a - b.
struct subtract_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a - b; }
};
/// a b.
struct multiply_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a * b; }
};
/// a / b.
struct divide_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a / b; }
};
/// The larger of both, a NaN where one of them is.
struct maximum_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return maximum_of(a, b); }
};
/// a where it is positive (or a NaN), else a times its slope b.
struct prelu_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return where_less(V(0.0F), a, a, a * b); }
};
/// (a - b)^2.
struct squared_difference_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const {
    const V difference = a - b;
    return difference * difference;
  }
};
/// Whether a <= b.
struct less_equal_lanes {
  template <class V> [[gnu::always_inline]] truth_lanes operator()(V a, V b) const { return at_most(a, b); }
};
/// What the mode says. A branch that goes one way for all elements costs less than loops of their own for three modes.
struct eltwise_lanes {
  eltwise_mode mode;
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const {
    return mode == eltwise_mode::product ? a * b : mode == eltwise_mode::sum ? a + b : maximum_of(a, b);
  }
};
/// F, then an activation.
template <class F> struct clamped {
  F f;
  clamp_range range;
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const {
    return clamp(f(a, b), V(range.lo), V(range.hi));
  }
};

// --- two operands, row by row ----------------------------------------------
// Each of these is a function of its own, not to be inlined: the ways of broadcasting share them, and a call costs
// nothing beside a row.

/// y[i] = f(a[i], b[i]) for n elements; y may be an operand.
template <class Y, class F> [[gnu::noinline]] void zip(const float* a, const float* b, std::int64_t n, Y* y, F f) {
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(y + i, f(load(a + i), load(b + i)));
  if (i < n) store_n(y + i, f(load_n(a + i, n - i), load_n(b + i, n - i)), n - i);
}

/// The same with a single number as first operand.
template <class Y, class F> [[gnu::noinline]] void zip(float a, const float* b, std::int64_t n, Y* y, F f) {
  const f32_vec first = broadcast(&a);
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(y + i, f(first, load(b + i)));
  if (i < n) store_n(y + i, f(first, load_n(b + i, n - i)), n - i);
}

/// The same with a single number as second operand.
template <class Y, class F> [[gnu::noinline]] void zip(const float* a, float b, std::int64_t n, Y* y, F f) {
  const f32_vec second = broadcast(&b);
  std::int64_t i = 0;
  for (; i + f32_lanes <= n; i += f32_lanes) store(y + i, f(load(a + i), second));
  if (i < n) store_n(y + i, f(load_n(a + i, n - i), second), n - i);
}

/// A row that is repeated beside an operand of many such rows.
struct repeated_row {
  const float* first;
  std::int64_t period;  // its elements
  bool comes_first;     // whether it is the first operand
};

namespace detail {

/// The longest rows that are worth being laid end to end, so that they are taken many at a time: channels of a colour
/// image, say.
inline constexpr std::int64_t max_short_row = 64;

/// So many rows end to end as there are lanes: whole vectors, whatever the period.
constexpr std::int64_t length_of_repeated(std::int64_t period) { return period * f32_lanes; }
inline constexpr std::int64_t max_repeated = max_short_row * f32_lanes;

/// Lays a row end to end, from element `phase` of it on, up to n elements (0 < n).
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

/// y = f(x, row) for n elements of x (or f(row, x), as the row says), of which the first meets element `phase` of it; y
/// may be x.
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

/// Whether an operand repeats the row of the innermost loop in the loop around it, while the other one goes on.
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

/// The loops with the innermost two made one.
constexpr broadcast_loops without_inner_rows(broadcast_loops loops) {
  const int inner = --loops.count;
  loops.extents[inner - 1] *= loops.extents[inner];
  return loops;
}

}  // namespace detail

/// y = f(a, b) for the elements of y in `range`, under broadcasting; y may be an operand of its own size.
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

/// One parameter for each of `channels` innermost elements.
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

/// Factors and offsets, as many of each, and what the results are limited to.
struct affine_parameters {
  const float *factor, *offset;
  std::int64_t count;
  clamp_range range;
};

namespace detail {

/// y = x * factor + offset, limited, for n elements.
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

/// y = x * factor + offset, limited, for the elements of y in `range`; the parameters lie along the innermost elements.
/// y may be x.
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

/// The same for parameters of which each serves a row of so many elements.
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
