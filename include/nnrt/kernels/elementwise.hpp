// elementwise: functions of one or two operands, element by element, with NumPy's broadcasting.
// Flow: bind/relu.hpp, bind/add.hpp and their like call map(), zip(), zip_broadcast() and normalise_channels().
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/shape.hpp>
#include <nnrt/kernels/lane_math.hpp>
#include <nnrt/kernels/part.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

// Tails go through the vector function too: the result of an element must not depend on its place, or on how the work
// is divided.

// --- one operand -----------------------------------------------------------

/// y[i] = f(x[i]) for n elements; y may be x.
template <class F> void map(const float* x, std::int64_t n, float* y, F f) {
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store(y + i, f(load(x + i)));
  if (i < n) store_first(y + i, f(load_first(x + i, n - i)), n - i);
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

// --- two operands ----------------------------------------------------------

// Functions for zip() and zip_broadcast().

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
/// F, then an activation.
template <class F> struct clamped {
  F f;
  clamp_range range;
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const {
    return clamp(f(a, b), V(range.lo), V(range.hi));
  }
};

/// An operand along a row: one element after the other, or one for all.
struct row_operand {
  const float* first;
  bool is_scalar;
};

/// y[i] = f(a[i], b[i]) for n elements; y may be an operand that is no scalar.
template <class F> void zip(row_operand a, row_operand b, std::int64_t n, float* y, F f) {
  const auto row = [&](auto at_a, auto at_b) __attribute__((always_inline)) {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) store(y + i, f(at_a(i, lanes), at_b(i, lanes)));
    if (i < n) store_first(y + i, f(at_a(i, n - i), at_b(i, n - i)), n - i);
  };
  const auto many = [](const float* p) {
    return [p](std::int64_t i, std::int64_t left) __attribute__((always_inline)) {
      return left == lanes ? load(p + i) : load_first(p + i, left);
    };
  };
  const auto one = [](const float* p) {
    return [v = broadcast(p)](std::int64_t, std::int64_t) __attribute__((always_inline)) { return v; };
  };
  if (a.is_scalar) row(one(a.first), many(b.first));
  else if (b.is_scalar) row(many(a.first), one(b.first));
  else row(many(a.first), many(b.first));
}

/// The loops of a broadcast, outermost first: extents of 1 left out, neighbouring axes that both operands walk alike
/// made one.
struct broadcast_loops {
  int count = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t a_steps[max_rank] = {};  // in elements; 0: repeated
  std::int64_t b_steps[max_rank] = {};
};

constexpr broadcast_loops loops_of(const shape_t& a, const shape_t& b, const shape_t& y) {
  const shape_t a_steps = broadcast_strides(a, row_major_strides(a), y),
                b_steps = broadcast_strides(b, row_major_strides(b), y);
  broadcast_loops loops;
  for (int axis = 0; axis < y.rank; ++axis) {
    const std::int64_t extent = y.extents[axis], step_a = a_steps.extents[axis], step_b = b_steps.extents[axis];
    if (extent == 1) continue;
    const int last = loops.count - 1;
    if (last >= 0 && loops.a_steps[last] == step_a * extent && loops.b_steps[last] == step_b * extent)
      loops.extents[last] *= extent;
    else loops.extents[loops.count++] = extent;
    loops.a_steps[loops.count - 1] = step_a;
    loops.b_steps[loops.count - 1] = step_b;
  }
  if (loops.count == 0) loops.extents[loops.count++] = 1;  // a single element: both steps may be 0
  return loops;
}

/// Where the rows of a broadcast lie; the row is the innermost loop.
struct broadcast_position {
  std::int64_t index[max_rank] = {};
  std::int64_t a = 0, b = 0;

  /// The place of row `row`, counted in row-major order.
  constexpr broadcast_position(const broadcast_loops& loops, std::int64_t row) {
    for (int i = loops.count - 1; i-- > 0; row /= loops.extents[i]) {
      index[i] = row % loops.extents[i];
      a += index[i] * loops.a_steps[i];
      b += index[i] * loops.b_steps[i];
    }
  }
  constexpr void next_row(const broadcast_loops& loops) {
    for (int i = loops.count - 1; i-- > 0;) {
      a += loops.a_steps[i];
      b += loops.b_steps[i];
      if (++index[i] < loops.extents[i]) return;
      a -= index[i] * loops.a_steps[i];
      b -= index[i] * loops.b_steps[i];
      index[i] = 0;
    }
  }
};

namespace detail {

/// The longest rows that are worth being laid end to end, see short_rows.
inline constexpr std::int64_t longest_short_row = 64;

/// Which operand is one short row for all rows of the innermost two loops, while the other goes on from row to row:
/// channels of a colour image, say. Such rows are taken many at a time.
struct short_rows {
  bool a_repeats = false, b_repeats = false;
  constexpr explicit operator bool() const { return a_repeats || b_repeats; }
};

constexpr short_rows short_rows_of(const broadcast_loops& loops) {
  const int inner = loops.count - 1, outer = inner - 1;
  if (outer < 0 || loops.extents[inner] > longest_short_row || loops.a_steps[inner] != 1 || loops.b_steps[inner] != 1)
    return {};
  const bool a_goes_on = loops.a_steps[outer] == loops.extents[inner],
             b_goes_on = loops.b_steps[outer] == loops.extents[inner];
  return {b_goes_on && loops.a_steps[outer] == 0, a_goes_on && loops.b_steps[outer] == 0};
}

/// zip() of n elements of `many` with a row of `period` elements that is repeated, from element `phase` of it on.
template <bool RowIsFirst, class F>
void zip_repeated(const float* many, const float* row, std::int64_t period, std::int64_t phase, std::int64_t n,
                  float* y, F f) {
  // So many rows end to end as there are lanes: whole vectors, whatever the period.
  alignas(64) float rows[longest_short_row * lanes];
  const std::int64_t length = period * lanes;
  for (std::int64_t i = 0, at = phase; i < length && i < n; ++i, at = at + 1 < period ? at + 1 : 0) rows[i] = row[at];
  for (std::int64_t i = 0; i < n; i += length) {
    const std::int64_t left = n - i < length ? n - i : length;
    const row_operand first{many + i, false}, second{rows, false};
    zip(RowIsFirst ? second : first, RowIsFirst ? first : second, left, y + i, f);
  }
}

/// The loops with the innermost two made one.
constexpr broadcast_loops without_short_rows(broadcast_loops loops) {
  const int inner = --loops.count;
  loops.extents[inner - 1] *= loops.extents[inner];
  return loops;
}

}  // namespace detail

/// y = f(a, b) for the elements of y in `range`, under broadcasting; y may be an operand of its own size.
template <class F>
void zip_broadcast(const broadcast_loops& loops, const float* a, const float* b, float* y, interval range, F f) {
  const detail::short_rows repeats = detail::short_rows_of(loops);
  const broadcast_loops around = repeats ? detail::without_short_rows(loops) : loops;
  const int inner = loops.count - 1;
  const std::int64_t extent = around.extents[around.count - 1], period = loops.extents[inner];
  const std::int64_t a_step = loops.a_steps[inner], b_step = loops.b_steps[inner];
  std::int64_t begin = range.begin, skipped = begin % extent;
  for (broadcast_position at(around, begin / extent); begin < range.end; at.next_row(around)) {
    const std::int64_t left = range.end - begin, row = extent - skipped, n = row < left ? row : left;
    const float *from_a = a + at.a, *from_b = b + at.b;
    if (repeats.a_repeats)
      detail::zip_repeated<true>(from_b + skipped, from_a, period, skipped % period, n, y + begin, f);
    else if (repeats.b_repeats)
      detail::zip_repeated<false>(from_a + skipped, from_b, period, skipped % period, n, y + begin, f);
    else zip({from_a + skipped * a_step, a_step == 0}, {from_b + skipped * b_step, b_step == 0}, n, y + begin, f);
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
    for (; c + lanes <= channels; c += lanes)
      store(to + c, fma(load(from + c) - load(by.mean + c), load(by.factor + c), load(by.offset + c)));
    if (const std::int64_t left = channels - c; left > 0) {
      const vf centred = load_first(from + c, left) - load_first(by.mean + c, left);
      store_first(to + c, fma(centred, load_first(by.factor + c, left), load_first(by.offset + c, left)), left);
    }
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
