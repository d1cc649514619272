// dft: discrete Fourier transform along an axis, of real or complex numbers, and its inverse.
// Flow: readers of model files make it; kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/ops/detail/sums.hpp>
#include <nnrt/ops/detail/turns.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// Discrete Fourier transform of each line along `axis`. A complex number has its real and imaginary part along the
/// last axis.
///
///   x: [a…, L, b…, K], K = 1 (real numbers) or 2 (complex ones)      y: [a…, M, b…, K']
///   y[m] = sum over n < min(L, N) of x[n] * exp(-2 pi i m n / N), with N = length, or L where length is 0
///   M = N, K' = 2; onesided, for real x: M = N / 2 + 1, as the other values are conjugates of these
///   inverse: + instead of -, and y / N; with onesided x has the values 0 to N / 2 (N = 2 (L - 1) where length is 0),
///     M = N and K' = 1
///
/// Longer lines are cut, shorter ones are continued with zeros. The inverse with onesided does not read the imaginary
/// parts of values 0 and N / 2. If a value read is infinite or NaN, all results of its line are NaN. `axis` counts from
/// the end when negative.
/// Broken rules: see `rule`; axes, extents. Source: ONNX DFT; numpy.fft's fft, ifft, rfft and irfft.
struct dft {
  static constexpr op_code code{1042};
  static constexpr std::string_view name = "dft";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr error_bound errors[] = {{types_of(f16, f32), 0.51, error_unit::terms},
                                           {types_of(f64), 4, error_unit::terms, 1}};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis), (std::int64_t, length), (bool, inverse), (bool, onesided));
    constexpr attrs() : axis(-2), length(0), inverse(false), onesided(false) {}
  };

  enum class rule {
    input_rank_must_be_at_least_2,
    axis_must_be_an_axis_before_the_last,
    last_axis_must_have_one_or_two_parts,
    onesided_input_must_be_real,
    onesided_input_of_the_inverse_must_be_complex,
    length_must_not_be_negative,
    length_must_be_at_most_2_to_the_30,
    lines_must_have_numbers,
  };

  /// N for lines of this extent; -1 if it is unknown.
  static constexpr std::int64_t length_of(const attrs& a, std::int64_t extent) {
    if (a.length != 0 || extent < 0) return a.length != 0 ? a.length : -1;
    return a.inverse && a.onesided ? 2 * (extent - 1) : extent;
  }
  /// Number of values of a line that are read.
  static constexpr std::int64_t read_of(const attrs& a, std::int64_t extent, std::int64_t length) {
    const std::int64_t most = a.inverse && a.onesided ? length / 2 + 1 : length;
    return extent < most ? extent : most;
  }

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require_at_least(Rule::input_rank_must_be_at_least_2, x.rank(), 2); !v) return v;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0 || axis == x.rank() - 1)
      return refuse(Rule::axis_must_be_an_axis_before_the_last, a.axis, x.rank() - 2);
    const std::int64_t parts = x.shape[-1], extent = x.shape[axis];
    if (parts >= 0)
      if (auto v = require_between(Rule::last_axis_must_have_one_or_two_parts, parts, 1, 2); !v) return v;
    if (a.onesided && !a.inverse)
      if (auto v = require_same_extent(Rule::onesided_input_must_be_real, parts, 1); !v) return v;
    if (a.onesided && a.inverse)
      if (auto v = require_same_extent(Rule::onesided_input_of_the_inverse_must_be_complex, parts, 2); !v) return v;
    if (auto v = require_at_least(Rule::length_must_not_be_negative, a.length, 0); !v) return v;
    const std::int64_t length = length_of(a, extent);
    if (length >= 0 || extent >= 0)
      if (auto v = require_at_least(Rule::lines_must_have_numbers, length, 1); !v) return v;
    if (auto v = require_at_most(Rule::length_must_be_at_most_2_to_the_30, length, max_length); !v) return v;
    shape_t y = x.shape;
    y[axis] = length < 0 ? -1 : a.onesided && !a.inverse ? length / 2 + 1 : length;
    y[y.rank - 1] = a.onesided && a.inverse ? 1 : 2;
    return ok(tensor_desc{x.type, x.layout, y});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    const int axis = normalise_axis(a.axis, x.rank());
    const std::int64_t parts = x.extent(x.rank() - 1), made = y.extent(y.rank() - 1), extent = x.extent(axis),
                       results = y.extent(axis);
    const std::int64_t length = length_of(a, extent), read = read_of(a, extent, length);
    const std::int64_t outer = x.shape.elements(0, axis), inner = x.shape.elements(axis + 1) / parts;
    pool<detail::turn> turns;
    detail::make_turns(
        length, [&](std::int64_t k) { return turns[static_cast<std::size_t>(k)]; },
        [&](std::int64_t, detail::turn at) { turns.push_back(at); });
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) {
        const auto number = [&](std::int64_t n) {
          return number_at(a, x.data, ((o * extent + n) * inner + i) * parts, n, parts, length);
        };
        bool is_finite = true;
        for (std::int64_t n = 0; n < read; ++n)
          is_finite = is_finite && math::is_finite(number(n).real) && math::is_finite(number(n).imaginary);
        for (std::int64_t m = 0; m < results; ++m) {
          complex_sum<T> total;
          for (std::int64_t n = 0; is_finite && n < read; ++n)
            total.add_product(number(n), turns[static_cast<std::size_t>(m * n % length)], a.inverse);
          const std::int64_t to = ((o * results + m) * inner + i) * made;
          const auto put = [&](std::int64_t part, const detail::wide_sum<T>& sum) {
            y[to + part] = math::convert<T>(!is_finite  ? math::nan<double>
                                            : a.inverse ? sum.mean(length)
                                                        : sum.value());
          };
          put(0, total.real);
          if (made == 2) put(1, total.imaginary);
        }
      }
  }

 private:
  struct complex {
    double real = 0, imaginary = 0;
  };
  template <class T> struct complex_sum {
    detail::wide_sum<T> real, imaginary;

    /// Adds z times the point at that turn of the unit circle, or times its conjugate for a forward transform.
    constexpr void add_product(complex z, detail::turn by, bool is_inverse) {
      const double sine = is_inverse ? by.sine : -by.sine;
      real.add(math::product(z.real, by.cosine)), imaginary.add(math::product(z.real, sine));
      if (z.imaginary == 0) return;
      real.add(math::product(-z.imaginary, sine)), imaginary.add(math::product(z.imaginary, by.cosine));
    }
  };
  static constexpr std::int64_t max_length = std::int64_t{1} << 30;

  /// Value n of a line that starts at `at`; half a spectrum also gives the conjugates.
  template <class T>
  static constexpr complex number_at(const attrs& a, const T* x, std::int64_t at, std::int64_t n, std::int64_t parts,
                                     std::int64_t length) {
    const bool is_half = a.onesided && a.inverse, is_twice = is_half && n != 0 && 2 * n != length;
    const double times = is_twice ? 2 : 1;
    return {times * static_cast<double>(x[at]),
            parts == 1 || (is_half && !is_twice) ? 0 : times * static_cast<double>(x[at + 1])};
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
