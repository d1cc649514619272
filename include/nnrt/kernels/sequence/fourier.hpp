// fourier: mixed-radix fast Fourier transforms of lines of any length, in f64.
// Flow: bind/dft.hpp calls transform_lines() for a part of the lines.
#pragma once

#include <nnrt/kernels/common/part.hpp>
#include <nnrt/ops/detail/turns.hpp>

#include <cstdint>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// A complex number. The product of std::complex handles infinities in a function call, which is slower.
struct complex_number {
  double real, imaginary;

  friend constexpr complex_number operator+(complex_number a, complex_number b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
  friend constexpr complex_number operator-(complex_number a, complex_number b) {
    return {a.real - b.real, a.imaginary - b.imaginary};
  }
  friend constexpr complex_number operator*(complex_number a, complex_number b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  }
  constexpr complex_number conjugate() const { return {real, -imaginary}; }
};

/// Shape of a dft. Complex values are stored as [real, imaginary].
struct fourier_shape {
  std::int64_t outer = 1, inner = 1;   // lines before the axis, and between the axis and the parts
  std::int64_t extent = 1, parts = 1;  // of x
  std::int64_t results = 1, made = 2;  // of y
  std::int64_t length = 1, read = 1;   // N, and the values read per line
  std::int64_t inverse = 0, onesided = 0;

  constexpr bool is_halved() const { return onesided != 0 && inverse == 0 && length % 2 == 0; }
  /// Length of the computed transform; pairs of real values count as complex ones.
  constexpr std::int64_t computed() const { return is_halved() ? length / 2 : length; }
  constexpr std::int64_t scratch_bytes() const {
    return (length + 2 * computed()) * static_cast<std::int64_t>(sizeof(complex_number));
  }
};

namespace detail {

/// One step of Stockham's transform (decimation in frequency): lines of n = p * m values, `step` interleaved, become p
/// times as many lines of m values. `turns` are the powers of the root of unity of order `length`.
struct fourier_step {
  const complex_number* x;
  complex_number* y;
  std::int64_t m, step;
  const complex_number* turns;
  std::int64_t length;
};

/// The step for any radix p.
inline void split_lines(const fourier_step& of, std::int64_t p) {
  const auto [x, y, m, step, turns, length] = of;
  const std::int64_t part = length / (p * m), turn_of_p = length / p;
  for (std::int64_t q = 0; q < m; ++q)
    for (std::int64_t j = 0; j < p; ++j) {
      const complex_number by = turns[j * q * part];
      complex_number* const to = y + (p * q + j) * step;
      for (std::int64_t r = 0; r < step; ++r) {
        complex_number sum = x[q * step + r];
        for (std::int64_t k = 1; k < p; ++k) sum = sum + x[(q + m * k) * step + r] * turns[j * k % p * turn_of_p];
        to[r] = sum * by;
      }
    }
}
/// The step for radix 3 and 5: sums of values k and p - k are multiplied by cosines, differences by sines.
template <int P> inline void split_in_odd(const fourier_step& of) {
  const auto [x, y, m, step, turns, length] = of;
  constexpr int half = P / 2;
  const std::int64_t part = length / (P * m);
  complex_number root[P], by[P];
  for (int k = 0; k < P; ++k) root[k] = turns[k * (length / P)];
  for (std::int64_t q = 0; q < m; ++q) {
    for (int j = 0; j < P; ++j) by[j] = turns[j * q * part];
    for (std::int64_t r = 0; r < step; ++r) {
      complex_number sum[half], difference[half], *const to = y + P * q * step + r;
      const complex_number first = x[q * step + r];
      complex_number all = first;
      for (int k = 0; k < half; ++k) {
        const complex_number a = x[(q + (k + 1) * m) * step + r], b = x[(q + (P - 1 - k) * m) * step + r];
        sum[k] = a + b, difference[k] = a - b;
        all = all + sum[k];
      }
      to[0] = all;
      for (int j = 1; j <= half; ++j) {
        complex_number along = first, across{0, 0};
        for (int k = 0; k < half; ++k) {
          const complex_number at = root[j * (k + 1) % P];
          along = along + complex_number{at.real * sum[k].real, at.real * sum[k].imaginary};
          across = across + complex_number{-at.imaginary * difference[k].imaginary, at.imaginary * difference[k].real};
        }
        to[j * step] = (along + across) * by[j], to[(P - j) * step] = (along - across) * by[P - j];
      }
    }
  }
}
/// The step for radix 2; the one for radix 4 follows. Their roots need additions only; `sign` is the sign of the
/// exponent.
inline void split_in_2(const fourier_step& of) {
  const auto [x, y, m, step, turns, length] = of;
  const std::int64_t part = length / (2 * m);
  for (std::int64_t q = 0; q < m; ++q) {
    const complex_number by = turns[q * part];
    for (std::int64_t r = 0; r < step; ++r) {
      const complex_number a = x[q * step + r], b = x[(q + m) * step + r];
      y[2 * q * step + r] = a + b, y[(2 * q + 1) * step + r] = (a - b) * by;
    }
  }
}
inline void split_in_4(const fourier_step& of, double sign) {
  const auto [x, y, m, step, turns, length] = of;
  const std::int64_t part = length / (4 * m);
  for (std::int64_t q = 0; q < m; ++q) {
    const complex_number by_1 = turns[q * part], by_2 = turns[2 * q * part], by_3 = turns[3 * q * part];
    for (std::int64_t r = 0; r < step; ++r) {
      const complex_number a = x[q * step + r], b = x[(q + m) * step + r], c = x[(q + 2 * m) * step + r],
                           d = x[(q + 3 * m) * step + r];
      const complex_number even = a + c, odd = b + d, difference = a - c, other = b - d,
                           turned{-sign * other.imaginary, sign * other.real};
      complex_number* const to = y + 4 * q * step + r;
      to[0] = even + odd, to[step] = (difference + turned) * by_1;
      to[2 * step] = (even - odd) * by_2, to[3 * step] = (difference - turned) * by_3;
    }
  }
}

/// Transforms n values in one of two buffers; returns the buffer with the result. `turns` are the powers of the root of
/// unity of order `length` (a multiple of n), in the direction of `sign`.
inline complex_number* transform(complex_number* x, complex_number* y, std::int64_t n, const complex_number* turns,
                                 std::int64_t length, double sign) {
  for (std::int64_t left = n, step = 1; left > 1;) {
    std::int64_t p = 2;
    if (left % 4 == 0) p = 4;
    else
      while (left % p != 0) p = p * p > left ? left : p + 1;
    const std::int64_t m = left / p;
    const fourier_step split{x, y, m, step, turns, length};
    if (p == 4) split_in_4(split, sign);
    else if (p == 2) split_in_2(split);
    else if (p == 3) split_in_odd<3>(split);
    else if (p == 5) split_in_odd<5>(split);
    else split_lines(split, p);
    left = m, step *= p;
    std::swap(x, y);
  }
  return x;
}

/// The powers of the root of unity of order s.length, in the transform's direction.
inline void fill_turns(const fourier_shape& s, double sign, complex_number* turns) {
  using ops::detail::turn;
  ops::detail::make_turns(
      s.length,
      [&](std::int64_t k) {
        return turn{turns[k].real, sign * turns[k].imaginary};
      },
      [&](std::int64_t k, turn made) {
        turns[k] = {made.cosine, sign * made.sine};
      });
}

/// Reads one line, `step` floats apart, into s.computed() values.
inline void read_line(const fourier_shape& s, const float* from, std::int64_t step, complex_number* work) {
  for (std::int64_t k = 0; k < s.computed(); ++k) work[k] = {0, 0};
  if (s.is_halved())
    for (std::int64_t k = 0; k < s.read; ++k)
      (k % 2 == 0 ? work[k / 2].real : work[k / 2].imaginary) = double{from[k * step]};
  else
    for (std::int64_t k = 0; k < s.read; ++k)
      work[k] = {double{from[k * step]}, s.parts == 2 ? double{from[k * step + 1]} : 0};
  if (s.onesided != 0 && s.inverse != 0) {  // the omitted conjugates
    work[0].imaginary = 0;
    if (s.length % 2 == 0) work[s.length / 2].imaginary = 0;
    for (std::int64_t k = 1; 2 * k < s.length; ++k) work[s.length - k] = work[k].conjugate();
  }
}

/// Writes one line, `step` floats apart, from its transform. `away` is NaN if an input was infinite or NaN, else 0.
inline void write_line(const fourier_shape& s, const complex_number* made, const complex_number* turns, double away,
                       float* to, std::int64_t step) {
  const std::int64_t n = s.computed();
  const double scale = s.inverse != 0 ? static_cast<double>(s.length) : 1;
  for (std::int64_t m = 0; m < s.results; ++m) {
    complex_number result = made[m % n];
    if (s.is_halved()) {  // combines the transforms of even and odd values, which were computed as one
      const complex_number other = made[(n - m % n) % n].conjugate(), even = result + other, odd = result - other;
      const complex_number turned = complex_number{odd.imaginary, -odd.real} * turns[m];
      result = {0.5 * (even.real + turned.real), 0.5 * (even.imaginary + turned.imaginary)};
    }
    to[m * step] = static_cast<float>(result.real / scale + away);
    if (s.made == 2) to[m * step + 1] = static_cast<float>(result.imaginary / scale + away);
  }
}

}  // namespace detail

/// Transforms this part's share of the lines. `scratch`: s.scratch_bytes() bytes for this part alone.
inline void transform_lines(const fourier_shape& s, const float* x, float* y, complex_number* scratch, part p) {
  const double sign = s.inverse != 0 ? 1 : -1;
  const std::int64_t n = s.computed();
  complex_number *const turns = scratch, *const work = turns + s.length;
  detail::fill_turns(s, sign, turns);
  const std::int64_t from_step = s.inner * s.parts, to_step = s.inner * s.made;
  const interval lines = share(s.outer * s.inner, p);
  for (std::int64_t line = lines.begin; line < lines.end; ++line) {
    const std::int64_t o = line / s.inner, i = line % s.inner;
    detail::read_line(s, x + o * s.extent * from_step + i * s.parts, from_step, work);
    double away = 0;  // NaN if a value is infinite or NaN
    for (std::int64_t k = 0; k < n; ++k)
      away += (work[k].real - work[k].real) + (work[k].imaginary - work[k].imaginary);
    const complex_number* const made = detail::transform(work, work + n, n, turns, s.length, sign);
    detail::write_line(s, made, turns, away, y + o * s.results * to_step + i * s.made, to_step);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
