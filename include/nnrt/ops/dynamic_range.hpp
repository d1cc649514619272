// dynamic_range: activations rounded to 8 bits with a scale of their own, as float layers with 8-bit weights see them.
// Flow: readers of files put it before layers whose weights they dequantise; it has no function for users.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/core/operator.hpp>

#include <limits>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// What is left of x when the numbers from `axis` on, one row, are kept as 8-bit integers with one scale between them.
/// A layer on these rows with dequantised weights gives what a runtime computes that quantises activations on the fly
/// ("dynamic range quantisation", "hybrid kernels").
///
///   x: [d0 … d(axis-1), rest …]      y: the same shape
///
///   symmetric: y = s * q, s = max |x| / 127, q = x / s rounded, in [-127, 127]
///   otherwise: y = s * (q - z), s = (max - min) / 255, q = x / s + z rounded, in [-128, 127]; max >= 0 >= min; z is an
///              integer in that range, the one nearer to what the better represented end asks for
///
/// Halves are rounded away from 0; a row of zeros stays, and as zeros count rows so small that 1 / s would be infinite.
/// `axis` counts from the end when negative; 1 is the default.
/// Broken rules: see `rule`. Source: the quantisation of activations in TFLite's reference kernels for mixed types.
struct dynamic_range {
  static constexpr op_code code{1001};
  static constexpr std::string_view name = "dynamic_range";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.in_files = file_order::unchanged};
  static constexpr std::string_view near = "x / s, or z before it is rounded, is within 2^-13 of a half: then s more",
                                    nearer = "x / s, or z before it is rounded, is within 2^-42 of a half: then s more";
  static constexpr error_bound errors[] = {{types_of(f32), 2, error_unit::result, 0, false, {}, near},
                                           {types_of(f16), 0.51, error_unit::result, 0, false, {}, near},
                                           {types_of(f64), 2, error_unit::result, 0, false, {}, nearer}};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis), (bool, symmetric));
    constexpr attrs() : axis(1), symmetric(true) {}
  };

  enum class rule { axis_must_be_an_axis_of_the_input };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (normalise_axis(a.axis, x.rank()) < 0)
      return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    const std::int64_t length = x.shape.elements(normalise_axis(a.axis, x.rank()));
    if (length <= 0) return;
    for (std::int64_t first = 0; first < x.elements(); first += length) {
      real least = 0, most = 0;
      for (std::int64_t i = first; i < first + length; ++i) {
        const real element = static_cast<real>(x[i]);
        least = element < least ? element : least;
        most = element > most ? element : most;
      }
      const steps<real> s = a.symmetric ? even_steps(least, most) : shifted_steps(least, most);
      for (std::int64_t i = first; i < first + length; ++i) y[i] = static_cast<T>(s.nearest(static_cast<real>(x[i])));
    }
  }

 private:
  /// The numbers that a row may have: scale * (q - zero), q from `least` to 127.
  template <class Real> struct steps {
    Real scale = 0, inverse = 0, zero = 0, least = 0;

    constexpr Real nearest(Real x) const {
      const Real q = math::round_half_away(zero + math::product(x, inverse));
      const Real bounded = q < least ? least : q > 127 ? Real{127} : q;
      return (bounded - zero) * scale;
    }
  };
  template <class Real> static constexpr steps<Real> even_steps(Real least, Real most) {
    const Real magnitude = -least > most ? -least : most;
    if (magnitude < 127 / std::numeric_limits<Real>::max()) return {};
    return {magnitude / 127, 127 / magnitude, 0, -127};
  }
  template <class Real> static constexpr steps<Real> shifted_steps(Real least, Real most) {
    const double exact = (double{most} - double{least}) / 255;
    const Real scale = static_cast<Real>(exact);
    if (scale <= 1 / std::numeric_limits<Real>::max()) return {};
    const double low = double{least} / exact, high = double{most} / exact;
    const double zero = math::round_half_away(128 + math::abs(low) < 127 + math::abs(high) ? -128 - low : 127 - high);
    return {scale, 1 / scale, static_cast<Real>(zero < -128 ? -128 : zero > 127 ? 127 : zero), -128};
  }
};

}  // namespace ops
}  // namespace nnrt::inline NNRT_ISA
