// tensor_table: reads shape and quantisation from the table of a tensor in a .tflite file.
// Flow: tensors.hpp makes the desc of each tensor from it.
#pragma once

#include <nnrt/core/channel_scales.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/io/tflite/document.hpp>
#include <nnrt/io/tflite/names.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite { namespace detail {

/// Dtypes whose quantisation is read. Others need none: the scale of a bias is the product of the scales of input and
/// weight.
inline constexpr dtype_set quantised_elements = types_of(i8, u8, i16);

/// Checks properties of a tensor other than shape and quantisation. Returns an error message for an unsupported one;
/// empty: none. The table is well-formed.
[[gnu::cold]] constexpr pool<char> unsupported_part(table_of<schema::tensor> tensor, bool is_constant, bool is_circle) {
  if (tensor[schema::tensor::is_variable] && is_constant) return letters({"is a variable and a constant"});
  if (tensor[schema::tensor::sparsity] && !is_constant) return letters({"is sparse, but no constant of the file"});
  if (tensor[schema::tensor::external_buffer] != 0)
    return letters({is_circle ? "has compressed elements" : "has its elements in another file"});
  if (!tensor[schema::tensor::variant_tensors].empty()) return letters({"has tensors as elements (variant_tensors)"});
  if (auto fault = fault_of_fields(tensor); !fault.empty()) return fault;
  if (auto fault = fault_of_fields(tensor[schema::tensor::quantization]); !fault.empty()) return fault;
  const std::int32_t type = tensor[schema::tensor::type];
  const bool is_packed = type == type_of_four_bits && is_constant;
  if (dtype_of_type(type) == dtype::none && !is_packed)
    return letters(
        {"has elements of ", name_of_type(type),
         type == type_of_four_bits ? ", which nnrt reads in constants alone" : ", which nnrt does not have"});
  return {};
}

/// Reads the extents of a tensor. Returns an error message; empty: success.
[[gnu::cold]] constexpr pool<char> read_shape(table_of<schema::tensor> tensor, bool unknown_extents, shape_t& shape) {
  const auto extents = tensor[schema::tensor::shape], signature = tensor[schema::tensor::shape_signature];
  if (extents.size() > max_rank) return letters({"rank: got ", extents.size(), ", expected at most 8"});
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] < 0) return letters({"extent ", i, ": got ", extents[i], ", expected at least 0"});
    shape.push_back(extents[i]);
  }
  if (shape.elements() < 0) return letters({"got ", shape, ", which is more than memory can hold"});
  if (!unknown_extents || signature.empty()) return {};
  if (signature.size() != extents.size())
    return letters({"shape_signature: got rank ", signature.size(), ", expected that of the shape, ", extents.size()});
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (signature[i] == -1) shape.extents[i] = -1;
  return {};
}

/// Reads one scale and zero point for the whole tensor. Returns an error message; empty: success.
[[gnu::cold]] constexpr pool<char> read_scale(float scale, std::int64_t zero_point, tensor_desc& desc) {
  if (!(scale > 0) || !math::is_finite(scale)) return letters({"scale: got ", scale, ", expected a positive number"});
  constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min(),
                         most = std::numeric_limits<std::int32_t>::max();
  if (zero_point < least || zero_point > most)
    return letters({"zero point: got ", zero_point, ", expected a number of 32 bits"});
  desc.quantised = quant{.scale = scale, .zero_point = static_cast<std::int32_t>(zero_point)};
  return {};
}

/// Reads a scale for each index of an axis. Returns an error message; empty: success. The axis of vectors is always 0,
/// because some converters write the axis of another tensor.
[[gnu::cold]] constexpr pool<char> read_scales(table_of<schema::quantization> q, tensor_desc& desc) {
  const auto scales = q[schema::quantization::scale];
  const auto zero_points = q[schema::quantization::zero_point];
  const std::int32_t axis = desc.rank() <= 1 ? 0 : q[schema::quantization::quantized_dimension];
  if (axis < 0 || axis >= desc.rank())
    return letters({"quantized_dimension: got ", axis, ", expected an axis of ", desc.shape});
  if (desc.shape[axis] != static_cast<std::int64_t>(scales.size()))
    return letters({"got ", scales.size(), " scales, expected ", desc.shape[axis], ", the extent of axis ", axis});
  const auto scale_at = [&](std::size_t i) { return scales[i]; };
  // In constant evaluation create() checks the scales when it binds them.
  if (!__builtin_is_constant_evaluated())
    if (auto fault = fault_of_scales(scales.size(), scale_at); !fault.empty()) return fault;
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (i < zero_points.size() && zero_points[i] != 0)
      return letters({"zero point ", i, ": got ", zero_points[i], ", expected 0 with several scales"});
  desc.quantised.mode = quantisation::kind::per_channel;
  desc.quantised.axis = axis;
  return {};
}

/// True when the single scale belongs to the single channel of a constant. Such a scale may be 0.
[[gnu::cold]] constexpr bool is_scale_of_channel(table_of<schema::quantization> q, const tensor_desc& desc) {
  const std::int32_t axis = q[schema::quantization::quantized_dimension];
  return axis >= 0 && axis < desc.rank() && desc.shape[axis] == 1;
}

/// Reads the quantisation of a tensor. Returns an error message; empty: success.
[[gnu::cold]] constexpr pool<char> read_quantisation(table_of<schema::quantization> q, bool is_constant,
                                                     tensor_desc& desc) {
  const auto scales = q[schema::quantization::scale];
  const auto zero_points = q[schema::quantization::zero_point];
  if (scales.empty()) return {};
  if (!zero_points.empty() && zero_points.size() != scales.size())
    return letters({"got ", zero_points.size(), " zero points with ", scales.size(), " scales"});
  if (scales.size() > 1 || (is_constant && scales[0] == 0 && is_scale_of_channel(q, desc))) return read_scales(q, desc);
  return read_scale(scales[0], zero_points.empty() ? 0 : zero_points[0], desc);
}

}}}}  // namespace nnrt::NNRT_ISA::tflite::detail
