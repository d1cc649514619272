// desc: a tensor's dtype, format, shape and quantisation.
// Flow: type of a DSL handle, declaration of an IR value, argument and result of every operator's infer.
#pragma once

#include <nnrt/core/dtype.hpp>
#include <nnrt/core/shape.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Order of the axes of an image tensor; `nd` for other tensors. Source: OH_NN_Format, with ND added.
enum class format { none, nchw, nhwc, nd };

inline constexpr format nchw = format::nchw;
inline constexpr format nhwc = format::nhwc;
inline constexpr format nd = format::nd;

constexpr std::string_view name_of(format layout) {
  constexpr std::string_view names[] = {"none", "nchw", "nhwc", "nd"};
  static_assert(detail::covers<format, std::size(names)>);
  return names[static_cast<int>(layout)];
}

/// Default format of a rank: images are NHWC.
constexpr format default_format(int rank) { return rank == 4 ? format::nhwc : format::nd; }

/// Rounding of a tensor's quantised values when they are computed. Like its scale, it is a property of the result.
enum class quantised_rounding {
  tflite,        // like TFLite's reference kernels, each operator in its way
  half_to_even,  // once at the end; halves go to the even quantised value, including the zero point
};

inline constexpr int quantised_roundings = 2;
static_assert(detail::covers<quantised_rounding, quantised_roundings>);

/// Whether quantised values are rounded once, half to even; else as the operator's reference in TFLite.
constexpr bool is_half_to_even(quantised_rounding rounding) {
  switch (rounding) {
    case quantised_rounding::tflite: return false;
    case quantised_rounding::half_to_even: return true;
  }
  __builtin_unreachable();
}

/// Quantisation of a whole tensor: real = scale * (quantised - zero_point).
struct quant {
  float scale = 0;
  std::int32_t zero_point = 0;
  quantised_rounding rounding = quantised_rounding::tflite;
  friend constexpr bool operator==(const quant&, const quant&) = default;
};

/// Quantisation with a scale (and zero point) for each index of an axis; scales are weights named "w.scale".
template <int Axis> struct per_channel_constant {};
template <int Axis> inline constexpr per_channel_constant<Axis> per_channel{};

/// Quantisation of a tensor.
struct quantisation {
  enum class kind { none, per_tensor, per_channel };
  kind mode = kind::none;
  float scale = 0;
  std::int32_t zero_point = 0;
  int axis = 0;
  quantised_rounding rounding = quantised_rounding::tflite;

  constexpr quantisation() = default;
  constexpr quantisation(quant q)
      : mode(kind::per_tensor), scale(q.scale), zero_point(q.zero_point), rounding(q.rounding) {}
  template <int Axis> constexpr quantisation(per_channel_constant<Axis>) : mode(kind::per_channel), axis(Axis) {}

  constexpr explicit operator bool() const { return mode != kind::none; }
  friend constexpr bool operator==(const quantisation&, const quantisation&) = default;
};

/// dtype, format, shape and quantisation of a tensor; a structural type, usable as a template argument.
struct tensor_desc {
  dtype type = dtype::none;
  format layout = format::nd;
  shape_t shape;
  quantisation quantised;

  constexpr tensor_desc() = default;
  constexpr tensor_desc(dtype element, shape_t extents)
      : type(element), layout(default_format(extents.rank)), shape(extents) {}
  constexpr tensor_desc(dtype element, format order, shape_t extents, quantisation q = {})
      : type(element), layout(order), shape(extents), quantised(q) {}

  constexpr int rank() const { return shape.rank; }
  /// Number of elements; -1 if an extent is unknown.
  constexpr std::int64_t elements() const { return shape.elements(); }
  /// Bytes without padding; -1 if an extent is unknown.
  constexpr std::int64_t bytes() const {
    const std::int64_t n = elements();
    return n < 0 ? -1 : n * size_of(type);
  }
  /// This desc with another shape. If the rank changes, the format becomes the new rank's default.
  constexpr tensor_desc with_shape(shape_t extents) const {
    return {type, extents.rank == shape.rank ? layout : default_format(extents.rank), extents, quantised};
  }
  constexpr tensor_desc with_type(dtype element) const { return {element, layout, shape, quantised}; }

  friend constexpr bool operator==(const tensor_desc&, const tensor_desc&) = default;
};

}}  // namespace nnrt::NNRT_ISA
