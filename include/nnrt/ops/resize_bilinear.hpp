// resize_bilinear: resizes an image; each pixel is interpolated between the four around its position.
// Flow: front ends call infer(); kernels/select.hpp binds float32 to the kernel over channels, others to reference().
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/resize.hpp>
#include <nnrt/ops/detail/window_rules.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Bilinear interpolation.
///
///   x: [N, H, W, C]      size: [2] integers, constant, or none
///   y: [N, H', W', C], H' = new_height, W' = new_width, or the extents in `size`
///   y[n, i, j, c] = the weighted mean of the four pixels around position (h(i), w(j)) of x[n, …, c]
///   h(i) = i * H / H' (asymmetric), i * (H - 1) / (H' - 1) (align_corners; for H' = 1: 0),
///          (i + 0.5) * H / H' - 0.5 (half_pixel); likewise w(j)
///
/// Lengths are in pixels. Positions outside of the image use the nearest pixel inside. exclude_outside (such pixels
/// have weight 0, the others more) gives the same results, as one of two neighbours is always inside.
///
/// preserve_aspect_ratio: both sides are scaled by the smaller of new_height / H and new_width / W, rounded half to
/// even, and at least 1, as in TensorFlow's image.resize.
///
/// dtypes: floating point (f16 interpolates in float; pixels of weight 0 are ignored, even if infinite), or i8, i16,
/// u8, quantised or not. Quantised values are interpolated, and y has the quantisation of x. i8 and i16 are computed in
/// fixed point with positions in 1/1024 pixel, rounded half away from zero, or as y's quantisation says; u8 in float,
/// rounded half up.
///
/// Broken rules: see `rule`; values: pixels. Source: NNRt OH_NN_OPS_RESIZE_BILINEAR; integers: the reference kernels of
/// TFLite's RESIZE_BILINEAR.
struct resize_bilinear {
  static constexpr dtype_set interpolated = types::floating | types_of(i8, i16, u8);

  static constexpr op_code code{43};
  static constexpr std::string_view name = "resize_bilinear";
  static constexpr operand_spec inputs[] = {{"x", interpolated}, {"size", types::index, presence::optional, true}};
  static constexpr std::size_t nnrt_inputs = 1;
  static constexpr operand_spec outputs[] = {{"y", interpolated}};
  static constexpr unlike_default to_be_said[] = {{"coordinate_mode", "half pixels"}};
  static constexpr operator_traits traits{
      .quantised = quantised_values::kept, .in_files = file_order::image, .to_be_said = to_be_said};
  // Positions are computed in the dtype of the tensor (f16: in f32): their errors grow with the extents.
  static constexpr std::string_view extents = "rows and columns of x";
  static constexpr error_bound errors[] = {{types_of(f32), 4, error_unit::operand, 6, false, extents},
                                           {types_of(f16), 0.51, error_unit::operand, 0.001, false, extents},
                                           {types_of(f64), 4, error_unit::operand, 6, false, extents}};
  static constexpr foreign_numbers foreign{.nnrt = 43, .hdi = 120};
  static constexpr hdi_field hdi_fields[] = {
      hdi_field::choice("method", 0), hdi_field::named("coordinateTransformMode", "coordinate_mode"),
      hdi_field::always("cubicCoeff", 0), hdi_field::always("extrapolationValue", 0),
      hdi_field::always("nearestMode", 0)};
  static constexpr nnrt_parameter parameters[] = {{"new_height", 61, i64},
                                                  {"new_width", 62, i64},
                                                  {"preserve_aspect_ratio", 63, boolean},
                                                  {"coordinate_mode", 64, i8},
                                                  {"exclude_outside", 65, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, new_height), (std::int64_t, new_width), (bool, preserve_aspect_ratio),
                    (coordinates, coordinate_mode), (bool, exclude_outside));
    constexpr attrs()
        : new_height(0),
          new_width(0),
          preserve_aspect_ratio(false),
          coordinate_mode(coordinates::asymmetric),
          exclude_outside(false) {}
  };

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    input_must_have_pixels,
    size_must_be_height_and_width,
    size_must_be_known,
    new_size_must_be_positive,
    coordinate_mode_must_be_asymmetric_align_corners_or_half_pixel,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::check_image<Rule>(x); !v) return v;
    for (const std::int64_t extent : {x.shape[1], x.shape[2]})
      if (extent == 0) return refuse(Rule::input_must_have_pixels, extent, 1);
    attrs asked = a;
    if (auto v = read_size<Rule>(asked, in); !v) return v;
    constexpr auto known = Rule::coordinate_mode_must_be_asymmetric_align_corners_or_half_pixel;
    if (auto v = require_between(known, static_cast<std::int64_t>(a.coordinate_mode), 0, 2); !v) return v;
    const extent2 size = output_size(asked, {x.shape[1], x.shape[2]});
    return ok(tensor_desc{x.type, format::nhwc, {x.shape[0], size.h, size.w, x.shape[3]}});
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() <= 0) return;
    const resized_axis height{x.extent(1), y.extent(1), a.coordinate_mode},
        width{x.extent(2), y.extent(2), a.coordinate_mode};
    for (std::int64_t n = 0; n < y.extent(0); ++n)
      for (std::int64_t i = 0; i < y.extent(1); ++i)
        for (std::int64_t j = 0; j < y.extent(2); ++j) {
          const auto h = around<T>(height, i);
          const auto w = around<T>(width, j);
          for (std::int64_t c = 0; c < y.extent(3); ++c)
            y(n, i, j, c) = interpolate<T>(h.between, w.between, x(n, h.first, w.first, c), x(n, h.second, w.first, c),
                                           x(n, h.first, w.second, c), x(n, h.second, w.second, c),
                                           out[0].desc->quantised.rounding);
        }
  }

 private:
  /// Reads the size from the operand, if given; -1 while it is unknown.
  template <class Rule> static constexpr verdict read_size(attrs& a, array_ref<const operand> in) {
    if (in.size() > 1 && in[1]) {
      if (auto v = require_same_extent(Rule::size_must_be_height_and_width, in[1].desc.elements(), 2); !v) return v;
      if (!in[1].has_values() && !in[1].awaited) return refuse(Rule::size_must_be_known, 0, 1);
      a.new_height = in[1].has_values() ? in[1].values[0] : -1;
      a.new_width = in[1].has_values() ? in[1].values[1] : -1;
      if (!in[1].has_values()) return {};
    }
    for (const std::int64_t length : {a.new_height, a.new_width})
      if (auto v = require_at_least(Rule::new_size_must_be_positive, length, 1); !v) return v;
    return {};
  }
  /// -1 if it depends on an unknown extent.
  static constexpr extent2 output_size(const attrs& a, extent2 x) {
    if (!a.preserve_aspect_ratio) return {a.new_height, a.new_width};
    if (x.h == -1 || x.w == -1 || a.new_height == -1) return {-1, -1};
    // In double: exact for all sizes that fit into memory.
    const auto h = static_cast<double>(x.h), w = static_cast<double>(x.w);
    const auto new_h = static_cast<double>(a.new_height), new_w = static_cast<double>(a.new_width);
    const auto scaled = [](double length, double to, double from) -> std::int64_t {
      const double result = math::round_half_even(math::product(length, to) / from);
      constexpr std::int64_t too_many = max_elements + 1;
      return static_cast<std::int64_t>(std::max(1.0, std::min(result, double{too_many})));
    };
    if (math::product(new_h, w) < math::product(new_w, h)) return {a.new_height, scaled(w, new_h, h)};
    return {scaled(h, new_w, w), a.new_width};
  }

  template <class T> static constexpr auto around(const resized_axis& axis, std::int64_t i) {
    if constexpr (std::is_same_v<T, std::uint8_t>) return pixels_around<float>(axis, i);
    else if constexpr (std::is_integral_v<T>) return pixels_around_in_1024ths(axis, i);
    else return distinct_pixels_around<math::compute_t<T>>(axis, i);
  }

  /// Interpolates between pixels a (above, left), b (below, left), c (above, right) and d (below, right); h and w as in
  /// a pixel_pair. The rounding is for integers in fixed point.
  template <class T>
  static constexpr T interpolate(math::compute_t<T> h, math::compute_t<T> w, T a, T b, T c, T d, quantised_rounding)
    requires(!std::is_integral_v<T>)
  {
    using real = math::compute_t<T>;
    const real one{1}, weights[] = {(one - h) * (one - w), h * (one - w), (one - h) * w, h * w};
    const T pixels[] = {a, b, c, d};
    real sum{0};
    for (int i = 0; i < 4; ++i)
      if (weights[i] != 0) sum += math::product(weights[i], static_cast<real>(pixels[i]));
    return static_cast<T>(sum);
  }
  template <class T>
  static constexpr T interpolate(std::int64_t h, std::int64_t w, T a, T b, T c, T d, quantised_rounding rounding)
    requires std::is_integral_v<T>
  {
    constexpr std::int64_t one = 1024, half = one * one / 2;
    const std::int64_t sum = a * (one - h) * (one - w) + b * h * (one - w) + c * (one - h) * w + d * h * w;
    if (is_half_to_even(rounding)) return static_cast<T>(math::quotient_to_even(sum, one * one));
    return static_cast<T>((sum + (sum > 0 ? half : -half)) / (one * one));
  }
  template <class T>
  static constexpr T interpolate(float h, float w, T a, T b, T c, T d, quantised_rounding)
    requires std::is_same_v<T, std::uint8_t>
  {
    const auto part = [](T pixel, float of_row, float of_column) {
      return math::product(math::product(static_cast<float>(pixel), of_row), of_column);
    };
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): what the contract says, in floats; pixels are not negative.
    return static_cast<T>(part(a, 1 - h, 1 - w) + part(b, h, 1 - w) + part(c, 1 - h, w) + part(d, h, w) + 0.5F);
  }
};

}  // namespace ops

/// `resize_bilinear(x, size<64, 48>)`, with half_pixel or align_corners (asymmetric otherwise), preserve_aspect_ratio,
/// exclude_outside.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto resize_bilinear(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::resize_bilinear>(x, keyword::as_image_size(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
