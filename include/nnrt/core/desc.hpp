// desc: what is known of a tensor without its elements - dtype, format, shape, quantisation.
// Flow: the type of a DSL handle, the declaration of an IR value, the argument and the answer of every operator's
// infer.
#pragma once

#include <nnrt/core/dtype.hpp>
#include <nnrt/core/shape.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Order of the axes of an image tensor; `nd` for everything else. Source: OH_NN_Format, with ND added.
enum class format { none, nchw, nhwc, nd };

inline constexpr format nchw = format::nchw;
inline constexpr format nhwc = format::nhwc;
inline constexpr format nd = format::nd;

constexpr std::string_view name_of(format layout) {
  constexpr std::string_view names[] = {"none", "nchw", "nhwc", "nd"};
  static_assert(detail::covers<format, std::size(names)>);
  return names[static_cast<int>(layout)];
}

/// The format that a tensor of this rank has unless it says otherwise: images are NHWC.
constexpr format default_format(int rank) { return rank == 4 ? format::nhwc : format::nd; }

/// How what is computed for a tensor becomes its quantised values: a property of the tensor that is made, as its scale
/// is.
enum class quantised_rounding {
  twice,         // as TFLite's reference kernels round, each operator as its own does
  half_to_even,  // once, in the end; halves go to the even quantised value, zero point included
};

inline constexpr int quantised_roundings = 2;
static_assert(detail::covers<quantised_rounding, quantised_roundings>);

/// Whether quantised values are rounded once, half to even; else as the operator's reference in TFLite.
constexpr bool is_half_to_even(quantised_rounding rounding) {
  switch (rounding) {
    case quantised_rounding::twice: return false;
    case quantised_rounding::half_to_even: return true;
  }
  __builtin_unreachable();
}

/// Quantisation of a whole tensor: real = scale * (stored - zero_point).
struct quant {
  float scale = 0;
  std::int32_t zero_point = 0;
  quantised_rounding rounding = quantised_rounding::twice;
  friend constexpr bool operator==(const quant&, const quant&) = default;
};

/// Quantisation with one scale (and zero point) for each index along an axis; the scales come by name: "w.scale".
template <int Axis> struct per_channel_constant {};
template <int Axis> inline constexpr per_channel_constant<Axis> per_channel{};

/// How the quantised values of a tensor stand for real ones.
struct quantisation {
  enum class kind { none, per_tensor, per_channel };
  kind mode = kind::none;
  float scale = 0;
  std::int32_t zero_point = 0;
  int axis = 0;
  quantised_rounding rounding = quantised_rounding::twice;

  constexpr quantisation() = default;
  constexpr quantisation(quant q)
      : mode(kind::per_tensor), scale(q.scale), zero_point(q.zero_point), rounding(q.rounding) {}
  template <int Axis> constexpr quantisation(per_channel_constant<Axis>) : mode(kind::per_channel), axis(Axis) {}

  constexpr explicit operator bool() const { return mode != kind::none; }
  friend constexpr bool operator==(const quantisation&, const quantisation&) = default;
};

/// dtype, format, shape and quantisation of a tensor; a structural type, so that it can be a template argument.
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
  /// Elements, or -1 when an extent is unknown.
  constexpr std::int64_t elements() const { return shape.elements(); }
  /// Bytes of a dense tensor, or -1 when an extent is unknown.
  constexpr std::int64_t bytes() const {
    const std::int64_t n = elements();
    return n < 0 ? -1 : n * size_of(type);
  }
  /// The same kind of tensor in another shape; the format follows the rank when that changes.
  constexpr tensor_desc with_shape(shape_t extents) const {
    return {type, extents.rank == shape.rank ? layout : default_format(extents.rank), extents, quantised};
  }
  constexpr tensor_desc with_type(dtype element) const { return {element, layout, shape, quantised}; }

  friend constexpr bool operator==(const tensor_desc&, const tensor_desc&) = default;
};

}}  // namespace nnrt::NNRT_ISA
