// transforms: one-dimensional Winograd transforms for 3 taps of stride 1 and 2, and their use on rectangles.
// Flow: f32/winograd/winograd.hpp transforms pixels, products and weights with them: rows first, then columns.
//
// With stride 2 the taps form two phases: taps 0 and 2 use the even pixels, as 2 taps of stride 1; tap 1 uses the odd
// ones, as 1 tap. Both phases are interpolated at the same points, so their products are added before the inverse
// transform. The phase of one tap has no product at infinity, the last point.
//
// Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2015).
// Interpolation points: 0, 1 and infinity for two outputs of stride 2; -1 as well for two outputs of stride 1; 2 as
// well for four outputs of stride 2; -2 as well for four outputs of stride 1.
#pragma once

#include <nnrt/kernels/simd/lanes.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels::detail {

/// Taps of the longest phase of a 3-tap line.
constexpr int winograd_taps(int stride) { return stride == 1 ? 3 : 2; }

/// Transforms for `Tile` outputs of a line: input(d, t) for the pixels of one phase, weights(g, u) for its taps,
/// output(m, y) for the sums of products (the inverse transform).
template <int Tile, int Stride> struct winograd_line;

template <> struct winograd_line<2, 1> {
  template <class Vector> [[gnu::always_inline]] static void input(const Vector (&d)[4], Vector (&t)[4]) {
    t[0] = d[0] - d[2], t[1] = d[1] + d[2], t[2] = d[2] - d[1], t[3] = d[1] - d[3];
  }
  template <class Vector> [[gnu::always_inline]] static void output(const Vector (&m)[4], Vector (&y)[2]) {
    y[0] = m[0] + m[1] + m[2], y[1] = m[1] - m[2] - m[3];
  }
  [[gnu::always_inline]] static void weights(const f32_vec (&g)[3], f32_vec (&u)[4]) {
    const f32_vec half(0.5F), ends = half * (g[0] + g[2]), middle = half * g[1];
    u[0] = g[0], u[1] = ends + middle, u[2] = ends - middle, u[3] = g[2];
  }
};

template <> struct winograd_line<4, 1> {
  [[gnu::always_inline]] static void input(const f32_vec (&d)[6], f32_vec (&t)[6]) {
    const f32_vec two(2.0F), four(4.0F), five(5.0F);
    const f32_vec even = d[4] - four * d[2], odd = d[3] - four * d[1], e = d[4] - d[2], o = two * (d[3] - d[1]);
    t[0] = fma(four, d[0], d[4] - five * d[2]);
    t[1] = even + odd, t[2] = even - odd;
    t[3] = e + o, t[4] = e - o;
    t[5] = fma(four, d[1], d[5] - five * d[3]);
  }
  [[gnu::always_inline]] static void output(const f32_vec (&m)[6], f32_vec (&y)[4]) {
    const f32_vec two(2.0F), four(4.0F), eight(8.0F);
    const f32_vec a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], d = m[3] - m[4];
    y[0] = m[0] + a + c, y[1] = fma(two, d, b), y[2] = fma(four, c, a), y[3] = fma(eight, d, b + m[5]);
  }
  [[gnu::always_inline]] static void weights(const f32_vec (&g)[3], f32_vec (&u)[6]) {
    const f32_vec sixth(1.0F / 6), twelfth(1.0F / 12), quarter(0.25F), both = g[0] + g[2];
    const f32_vec near = sixth * (both + g[1]), far = twelfth * g[1], sum = sixth * fma(quarter, g[0], g[2]);
    u[0] = quarter * g[0], u[1] = -near, u[2] = sixth * (g[1] - both);
    u[3] = sum + far, u[4] = sum - far, u[5] = g[2];
  }
};

template <> struct winograd_line<2, 2> {
  template <int N> [[gnu::always_inline]] static void input(const f32_vec (&d)[N], f32_vec (&t)[N]) {
    t[0] = d[0] - d[1], t[1] = d[1];
    if constexpr (N == 3) t[2] = d[2] - d[1];
  }
  [[gnu::always_inline]] static void output(const f32_vec (&m)[3], f32_vec (&y)[2]) {
    y[0] = m[0] + m[1], y[1] = m[1] + m[2];
  }
  [[gnu::always_inline]] static void weights(const f32_vec (&g)[2], f32_vec (&u)[3]) {
    u[0] = g[0], u[1] = g[0] + g[1], u[2] = g[1];
  }
  [[gnu::always_inline]] static void weights(const f32_vec (&g)[1], f32_vec (&u)[2]) { u[0] = u[1] = g[0]; }
};

template <> struct winograd_line<4, 2> {
  template <int N> [[gnu::always_inline]] static void input(const f32_vec (&d)[N], f32_vec (&t)[N]) {
    const f32_vec two(2.0F), outer = d[3] - d[1];
    t[0] = fma(two, d[0] - d[2], outer);
    t[1] = outer - d[1] - d[2];
    t[2] = fma(two, d[1] - d[2], d[3] - d[2]);
    t[3] = outer;
    if constexpr (N == 5) t[4] = d[4] - d[2] - two * outer;
  }
  [[gnu::always_inline]] static void output(const f32_vec (&m)[5], f32_vec (&y)[4]) {
    const f32_vec two(2.0F), four(4.0F), eight(8.0F), a = m[1] + m[2], b = m[1] - m[2];
    y[0] = m[0] + a + m[3], y[1] = fma(two, m[3], b), y[2] = fma(four, m[3], a), y[3] = fma(eight, m[3], b + m[4]);
  }
  [[gnu::always_inline]] static void weights(const f32_vec (&g)[2], f32_vec (&u)[5]) {
    const f32_vec half(0.5F), sixth(1.0F / 6), two(2.0F);
    u[0] = half * g[0], u[1] = -half * (g[0] + g[1]), u[2] = sixth * (g[1] - g[0]), u[3] = sixth * fma(two, g[1], g[0]),
    u[4] = g[1];
  }
  [[gnu::always_inline]] static void weights(const f32_vec (&g)[1], f32_vec (&u)[4]) {
    const f32_vec half = f32_vec(0.5F) * g[0], sixth = f32_vec(1.0F / 6) * g[0];
    u[0] = half, u[1] = -half, u[2] = -sixth, u[3] = sixth;
  }
};

/// Transforms the rows of a rectangle, then its columns.
/// - `from`: from(i, j) returns element j of row i; called row by row.
/// - `to`: to(i, j, value) receives element i of column j; called column by column.
template <int Rows, int Columns, int ToRows, int ToColumns, class Vector = f32_vec, class Line, class Give, class Take>
[[gnu::always_inline]] inline void transform_rectangle(Line line, Give from, Take to) {
  Vector half[Rows][ToColumns];
  each<Rows>([&](auto i) __attribute__((always_inline)) {
    Vector row[Columns];
    each<Columns>([&](auto j) __attribute__((always_inline)) { row[j] = from(i, j); });
    line(row, half[i]);
  });
  each<ToColumns>([&](auto j) __attribute__((always_inline)) {
    Vector column[Rows], transformed[ToRows];
    each<Rows>([&](auto i) __attribute__((always_inline)) { column[i] = half[i][j]; });
    line(column, transformed);
    each<ToRows>([&](auto i) __attribute__((always_inline)) { to(i, j, transformed[i]); });
  });
}

}}}  // namespace nnrt::NNRT_ISA::kernels::detail
