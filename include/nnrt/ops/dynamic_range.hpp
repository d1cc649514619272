// dynamic_range: activations rounded to 8 bits with a scale for each row, for float layers with 8-bit weights.
// Flow: readers of files put it before layers with dequantised weights; it has no public function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/rounded_rows.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// x after quantisation to 8 bits and back; the values from `axis` on form a row with one scale. A layer on the result
/// with dequantised weights computes what runtimes do that quantise activations at run time ("dynamic range
/// quantisation", "hybrid kernels").
///
///   x: [d0 … d(axis-1), rest …]      y: the same shape
///
///   symmetric: y = s * q, s = max |x| / 127, q = x / s rounded, in [-127, 127]
///   otherwise: y = s * (q - z), s = (max - min) / 255, q = x / s + z rounded, in [-128, 127]; max >= 0 >= min; z is an
///              integer in that range, rounded from the end that is represented better
///
/// Rounding is half away from 0. A row of zeros is unchanged; rows whose 1 / s would be infinite become zeros. `axis`
/// counts from the end when negative; 1 is the default.
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
    return ok(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    const std::int64_t length = x.shape.elements(normalise_axis(a.axis, x.rank()));
    if (length <= 0) return;
    for (std::int64_t first = 0; first < x.elements(); first += length) {
      const auto s = detail::row_steps_of<real>(length, a.symmetric,
                                                [&](std::int64_t i) { return static_cast<real>(x[first + i]); });
      for (std::int64_t i = first; i < first + length; ++i) y[i] = static_cast<T>(s.nearest(static_cast<real>(x[i])));
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
