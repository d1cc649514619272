// fixed_fourier: Fourier transforms of real numbers in 16- or 32-bit fixed point, with kissfft's bits.
// Flow: used by fixed_signal's functions rfft and irfft.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/core/pool.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Transforms of an even length N. Numbers have 15 or 31 fraction bits; each step divides by its radix, so that both
/// transforms are their definition's sums divided by N. Products are rounded half up; sums wrap around.
///
/// Source: kissfft version 130, kiss_fftr and kiss_fftri with FIXED_POINT 16 and 32, to the bit: radices 4, 2, 3, 5;
/// others by definition.
template <class T> class fixed_fourier {
 public:
  struct number {
    T real = 0, imaginary = 0;
  };

  constexpr fixed_fourier(std::int64_t length, bool inverse) : count_(length / 2), inverse_(inverse) {
    constexpr double pi = 3.14159265358979323846;
    const auto n = static_cast<double>(count_);
    for (std::int64_t i = 0; i < count_; ++i) {
      const double phase = -2 * pi * static_cast<double>(i) / n;
      turns_.push_back(turn_of(inverse ? -phase : phase));
    }
    for (std::int64_t i = 0; i < count_ / 2; ++i) {
      const double phase = math::product(-pi, static_cast<double>(i + 1) / n + 0.5);
      half_turns_.push_back(turn_of(inverse ? -phase : phase));
    }
    find_factors();
    buffer_.assign(static_cast<std::size_t>(count_), {});
    made_.assign(static_cast<std::size_t>(count_), {});
  }

  /// Transforms `read` numbers of x, followed by zeros, to N / 2 + 1 complex numbers, interleaved real and imaginary
  /// parts.
  constexpr void forward(const T* x, std::int64_t read, T* y) {
    for (std::int64_t i = 0; i < count_; ++i)
      at(buffer_, i) = {2 * i < read ? x[2 * i] : T{}, 2 * i + 1 < read ? x[2 * i + 1] : T{}};
    transform(made_, buffer_);
    const number first = divided(at(made_, 0), 2);
    const auto put = [&](std::int64_t k, number z) { y[2 * k] = z.real, y[2 * k + 1] = z.imaginary; };
    put(0, {sum(first.real, first.imaginary), 0}), put(count_, {difference(first.real, first.imaginary), 0});
    for (std::int64_t k = 1; k <= count_ / 2; ++k) {
      const number here = divided(at(made_, k), 2), there = divided(conjugate(at(made_, count_ - k)), 2);
      const number even = sum(here, there), odd = product(difference(here, there), at(half_turns_, k - 1));
      put(k, {half_of_sum(even.real, odd.real), half_of_sum(even.imaginary, odd.imaginary)});
      put(count_ - k, {half_of_difference(even.real, odd.real), half_of_difference(odd.imaginary, even.imaginary)});
    }
  }
  /// Inverse: N / 2 + 1 complex numbers to N real ones.
  constexpr void backward(const T* x, T* y) {
    const auto get = [&](std::int64_t k) { return number{x[2 * k], x[2 * k + 1]}; };
    at(buffer_, 0) = divided({sum(get(0).real, get(count_).real), difference(get(0).real, get(count_).real)}, 2);
    for (std::int64_t k = 1; k <= count_ / 2; ++k) {
      const number here = divided(get(k), 2), there = divided(conjugate(get(count_ - k)), 2);
      const number even = sum(here, there), odd = product(difference(here, there), at(half_turns_, k - 1));
      at(buffer_, k) = sum(even, odd);
      at(buffer_, count_ - k) = conjugate(difference(even, odd));
    }
    transform(made_, buffer_);
    for (std::int64_t i = 0; i < count_; ++i) y[2 * i] = at(made_, i).real, y[2 * i + 1] = at(made_, i).imaginary;
  }

 private:
  using wide = std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>;
  using unsigned_wide = std::make_unsigned_t<wide>;
  static constexpr int bits = static_cast<int>(8 * sizeof(T)) - 1;
  static constexpr wide most = std::numeric_limits<T>::max();
  using numbers = nnrt::pool<number>;

  static constexpr auto& at(auto& list, std::int64_t i) { return list[static_cast<std::size_t>(i)]; }

  // Sums wrap around, like C's conversions, and so do sums of 32-bit products.
  static constexpr T cut(wide x) { return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x)); }
  static constexpr T sum(T a, T b) { return cut(wide{a} + b); }
  static constexpr T difference(T a, T b) { return cut(wide{a} - b); }
  static constexpr number sum(number a, number b) { return {sum(a.real, b.real), sum(a.imaginary, b.imaginary)}; }
  static constexpr number difference(number a, number b) {
    return {difference(a.real, b.real), difference(a.imaginary, b.imaginary)};
  }
  static constexpr number conjugate(number a) { return {a.real, cut(-wide{a.imaginary})}; }
  // C computes sums of 16-bit numbers in 32 bits, and of 32-bit numbers in 32 bits.
  static constexpr T half_of_sum(T a, T b) { return cut((sizeof(T) == 2 ? wide{a} + b : wide{sum(a, b)}) >> 1); }
  static constexpr T half_of_difference(T a, T b) {
    return cut((sizeof(T) == 2 ? wide{a} - b : wide{difference(a, b)}) >> 1);
  }

  static constexpr wide wrapped_sum(wide a, wide b) {
    return static_cast<wide>(static_cast<unsigned_wide>(a) + static_cast<unsigned_wide>(b));
  }
  static constexpr T rounded(wide x) { return cut(wrapped_sum(x, wide{1} << (bits - 1)) >> bits); }
  static constexpr T product(T a, T b) { return rounded(wide{a} * b); }
  static constexpr number product(number a, number b) {
    const wide cross = -(wide{a.imaginary} * b.imaginary);
    return {rounded(wrapped_sum(wide{a.real} * b.real, cross)),
            rounded(wrapped_sum(wide{a.real} * b.imaginary, wide{a.imaginary} * b.real))};
  }
  static constexpr number divided(number a, std::int64_t by) {
    const wide factor = most / static_cast<wide>(by);
    return {rounded(wide{a.real} * factor), rounded(wide{a.imaginary} * factor)};
  }
  static constexpr number turn_of(double phase) {
    const auto scaled = [](double x) {
      return static_cast<T>(math::floor(0.5 + math::product(static_cast<double>(most), x)));
    };
    return {scaled(math::cos(phase)), scaled(math::sin(phase))};
  }

  /// Radices, and the remaining length after each.
  constexpr void find_factors() {
    std::int64_t n = count_, p = 4, root = 0;
    while ((root + 1) * (root + 1) <= n) ++root;
    do {
      while (n % p != 0) {
        p = p == 4 ? 2 : p == 2 ? 3 : p + 2;
        if (p > root) p = n;
      }
      n /= p;
      radices_.push_back(p), left_.push_back(n);
    } while (n > 1);
  }

  constexpr void transform(numbers& to, const numbers& from) { transform(to, 0, from, 0, 1, 0); }
  constexpr void transform(numbers& to, std::int64_t first, const numbers& from, std::int64_t begin, std::int64_t step,
                           std::size_t stage) {
    const std::int64_t p = radices_[stage], m = left_[stage];
    for (std::int64_t i = 0; i < p; ++i) {
      if (m == 1) at(to, first + i) = at(from, begin + i * step);
      else transform(to, first + i * m, from, begin + i * step, step * p, stage + 1);
    }
    for (std::int64_t u = 0; u < m; ++u) {
      number* const x = &at(to, first + u);
      if (p == 2) combine_2(x, m, u * step);
      else if (p == 3) combine_3(x, m, u * step, step * m);
      else if (p == 4) combine_4(x, m, u * step);
      else if (p == 5) combine_5(x, m, u * step, step * m);
      else combine(x, m, u, p, step);
    }
  }

  constexpr void combine_2(number* x, std::int64_t m, std::int64_t turn) const {
    const number a = divided(x[0], 2), b = product(divided(x[m], 2), at(turns_, turn));
    x[m] = difference(a, b), x[0] = sum(a, b);
  }
  constexpr void combine_4(number* x, std::int64_t m, std::int64_t turn) const {
    const number a = divided(x[0], 4), b = product(divided(x[m], 4), at(turns_, turn)),
                 c = product(divided(x[2 * m], 4), at(turns_, 2 * turn)),
                 d = product(divided(x[3 * m], 4), at(turns_, 3 * turn));
    const number even = sum(a, c), odd = sum(b, d), apart = difference(a, c), other = difference(b, d);
    const number less{difference(apart.real, other.imaginary), sum(apart.imaginary, other.real)},
        more{sum(apart.real, other.imaginary), difference(apart.imaginary, other.real)};
    x[0] = sum(even, odd), x[2 * m] = difference(even, odd);
    x[m] = inverse_ ? less : more, x[3 * m] = inverse_ ? more : less;
  }
  constexpr void combine_3(number* x, std::int64_t m, std::int64_t turn, std::int64_t third) const {
    const number a = divided(x[0], 3), b = product(divided(x[m], 3), at(turns_, turn)),
                 c = product(divided(x[2 * m], 3), at(turns_, 2 * turn));
    const number both = sum(b, c), apart = difference(b, c);
    const T sine = at(turns_, third).imaginary;
    const number across{product(apart.real, sine), product(apart.imaginary, sine)};
    const number along{difference(a.real, static_cast<T>(both.real >> 1)),
                       difference(a.imaginary, static_cast<T>(both.imaginary >> 1))};
    x[0] = sum(a, both);
    x[2 * m] = {sum(along.real, across.imaginary), difference(along.imaginary, across.real)};
    x[m] = {difference(along.real, across.imaginary), sum(along.imaginary, across.real)};
  }
  constexpr void combine_5(number* x, std::int64_t m, std::int64_t turn, std::int64_t fifth) const {
    const number first = at(turns_, fifth), second = at(turns_, 2 * fifth), a = divided(x[0], 5);
    number by[5];
    for (std::int64_t k = 1; k < 5; ++k) by[k] = product(divided(x[k * m], 5), at(turns_, k * turn));
    const number outer = sum(by[1], by[4]), outer_apart = difference(by[1], by[4]), inner = sum(by[2], by[3]),
                 inner_apart = difference(by[2], by[3]);
    x[0] = sum(a, sum(outer, inner));
    const auto along = [&](T c1, T c2) {
      return number{sum(sum(a.real, product(outer.real, c1)), product(inner.real, c2)),
                    sum(sum(a.imaginary, product(outer.imaginary, c1)), product(inner.imaginary, c2))};
    };
    const number across_1{
        sum(product(outer_apart.imaginary, first.imaginary), product(inner_apart.imaginary, second.imaginary)),
        cut(-wide{product(outer_apart.real, first.imaginary)} - product(inner_apart.real, second.imaginary))};
    const number across_2{
        difference(product(inner_apart.imaginary, first.imaginary), product(outer_apart.imaginary, second.imaginary)),
        difference(product(outer_apart.real, second.imaginary), product(inner_apart.real, first.imaginary))};
    const number along_1 = along(first.real, second.real), along_2 = along(second.real, first.real);
    x[m] = difference(along_1, across_1), x[4 * m] = sum(along_1, across_1);
    x[2 * m] = sum(along_2, across_2), x[3 * m] = difference(along_2, across_2);
  }
  constexpr void combine(number* x, std::int64_t m, std::int64_t u, std::int64_t p, std::int64_t step) {
    parts_.clear();
    for (std::int64_t q = 0; q < p; ++q) parts_.push_back(divided(x[q * m], p));
    for (std::int64_t q = 0; q < p; ++q) {
      number made = parts_[0];
      for (std::int64_t k = 1, turn = 0; k < p; ++k) {
        turn = (turn + step * (u + q * m)) % count_;
        made = sum(made, product(at(parts_, k), at(turns_, turn)));
      }
      x[q * m] = made;
    }
  }

  std::int64_t count_;
  bool inverse_;
  nnrt::pool<std::int64_t> radices_, left_;
  numbers turns_, half_turns_, buffer_, made_, parts_;
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
