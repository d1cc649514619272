// tensor_record: what the record of a tensor in a .tflite file says of its shape and scales, or what is wrong with it.
// Flow: tensors.hpp makes the desc of each tensor of it.
#pragma once

#include <nnrt/core/channel_scales.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/io/tflite/document.hpp>
#include <nnrt/io/tflite/names.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite { namespace detail {

/// Elements that stand for real numbers; of others the quantisation says nothing that operators do not know: the scale
/// of a bias is that of its layer's input times that of its weight.
inline constexpr dtype_set quantised_elements = types_of(i8, u8, i16);

/// What is wrong with a tensor beside its shape and quantisation; empty when nothing is. All of it is well-formed.
[[gnu::cold]] constexpr pool<char> unsupported_part(record<schema::tensor> tensor, bool is_constant, bool is_circle) {
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

/// The extents of a tensor, or what is wrong with them.
[[gnu::cold]] constexpr pool<char> read_shape(record<schema::tensor> tensor, bool unknown_extents, shape_t& shape) {
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

/// One scale and zero point for the whole tensor, or what is wrong with them.
[[gnu::cold]] constexpr pool<char> read_scale(float scale, std::int64_t zero_point, tensor_desc& desc) {
  if (!(scale > 0) || !math::is_finite(scale)) return letters({"scale: got ", scale, ", expected a positive number"});
  constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min(),
                         most = std::numeric_limits<std::int32_t>::max();
  if (zero_point < least || zero_point > most)
    return letters({"zero point: got ", zero_point, ", expected a number of 32 bits"});
  desc.quantised = quant{.scale = scale, .zero_point = static_cast<std::int32_t>(zero_point)};
  return {};
}

/// A scale for each index of an axis, or what is wrong with them. On vectors the axis goes without saying: some
/// converters write that of another tensor.
[[gnu::cold]] constexpr pool<char> read_scales(record<schema::quantization> q, tensor_desc& desc) {
  const auto scales = q[schema::quantization::scale];
  const auto zero_points = q[schema::quantization::zero_point];
  const std::int32_t axis = desc.rank() <= 1 ? 0 : q[schema::quantization::quantized_dimension];
  if (axis < 0 || axis >= desc.rank())
    return letters({"quantized_dimension: got ", axis, ", expected an axis of ", desc.shape});
  if (desc.shape[axis] != static_cast<std::int64_t>(scales.size()))
    return letters({"got ", scales.size(), " scales, expected ", desc.shape[axis], ", the extent of axis ", axis});
  const auto scale_at = [&](std::size_t i) { return scales[i]; };
  // The compiler leaves them to create(), which looks at every scale that it binds.
  if (!__builtin_is_constant_evaluated())
    if (auto fault = fault_of_scales(scales.size(), scale_at); !fault.empty()) return fault;
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (i < zero_points.size() && zero_points[i] != 0)
      return letters({"zero point ", i, ": got ", zero_points[i], ", expected 0 beside several scales"});
  desc.quantised.mode = quantisation::kind::per_channel;
  desc.quantised.axis = axis;
  return {};
}

/// Whether the one scale is that of the one channel of a constant: like one of several, it may be 0.
[[gnu::cold]] constexpr bool is_scale_of_channel(record<schema::quantization> q, const tensor_desc& desc) {
  const std::int32_t axis = q[schema::quantization::quantized_dimension];
  return axis >= 0 && axis < desc.rank() && desc.shape[axis] == 1;
}

/// How the elements are quantised, or what is wrong with that.
[[gnu::cold]] constexpr pool<char> read_quantisation(record<schema::quantization> q, bool is_constant,
                                                     tensor_desc& desc) {
  const auto scales = q[schema::quantization::scale];
  const auto zero_points = q[schema::quantization::zero_point];
  if (scales.empty()) return {};
  if (!zero_points.empty() && zero_points.size() != scales.size())
    return letters({"got ", zero_points.size(), " zero points beside ", scales.size(), " scales"});
  if (scales.size() > 1 || (is_constant && scales[0] == 0 && is_scale_of_channel(q, desc))) return read_scales(q, desc);
  return read_scale(scales[0], zero_points.empty() ? 0 : zero_points[0], desc);
}

}}}}  // namespace nnrt::NNRT_ISA::tflite::detail
