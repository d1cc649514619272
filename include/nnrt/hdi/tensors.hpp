// tensors: converts tensor descs to HDI and back - dtypes, formats, extents, quantisation.
// Flow: hdi/write_model.hpp and hdi/read_model.hpp call these functions.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/hdi/types.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

namespace detail {

/// In the order of nnrt::dtype.
inline constexpr DataType data_types[] = {DATA_TYPE_UNKNOWN, DATA_TYPE_BOOL,   DATA_TYPE_INT8,    DATA_TYPE_INT16,
                                          DATA_TYPE_INT32,   DATA_TYPE_INT64,  DATA_TYPE_UINT8,   DATA_TYPE_UINT16,
                                          DATA_TYPE_UINT32,  DATA_TYPE_UINT64, DATA_TYPE_FLOAT16, DATA_TYPE_FLOAT32,
                                          DATA_TYPE_FLOAT64};
static_assert(sizeof data_types / sizeof data_types[0] == dtype_count);

}  // namespace detail

constexpr DataType data_type_of(dtype type) { return detail::data_types[static_cast<int>(type)]; }
/// dtype::none for an unknown data type.
constexpr dtype dtype_of(DataType type) {
  for (int i = 1; i < dtype_count; ++i)
    if (detail::data_types[i] == type) return static_cast<dtype>(i);
  return dtype::none;
}

/// FORMAT_NONE for layouts that HDI has no name for.
constexpr Format format_of(format layout) {
  switch (layout) {
    case format::nchw: return FORMAT_NCHW;
    case format::nhwc: return FORMAT_NHWC;
    case format::none:
    case format::nd: break;
  }
  return FORMAT_NONE;
}

namespace detail {

/// Default axis of per-channel scales: the first axis with as many indices as there are scales, else the first of
/// unknown extent, else -1. In weights, the output channels come first.
constexpr int usual_axis(const shape_t& shape, std::size_t scales) {
  for (int i = 0; i < shape.rank; ++i)
    if (shape[i] == static_cast<std::int64_t>(scales)) return i;
  for (int i = 0; i < shape.rank; ++i)
    if (shape[i] < 0) return i;
  return -1;
}
/// numBits holds the axis + 1 in the bits from `axis_shift` on, if the scales' axis is not the default.
inline constexpr int axis_shift = 8, axis_mask = 0xff;
/// Set in numBits of tensors that round once, half to even. Only `lossless` writes it.
inline constexpr std::int32_t half_to_even_mark = 1 << 16;

/// A desc's quantisation as HDI's list, with or without this library's marks. `scales`: those of a per-channel
/// quantised tensor.
inline std::vector<QuantParam> quant_params_of(const tensor_desc& desc, array_ref<const float> scales, bool has_marks) {
  const quantisation& q = desc.quantised;
  const bool is_marked = has_marks && is_half_to_even(q.rounding);
  const std::int32_t bits = static_cast<std::int32_t>(8 * size_of(desc.type)) | (is_marked ? half_to_even_mark : 0);
  if (q.mode == quantisation::kind::none) return {};
  if (q.mode == quantisation::kind::per_tensor) return {{bits, q.zero_point, double{q.scale}}};
  std::vector<QuantParam> list;
  const bool is_usual = !has_marks || (scales.size() > 1 && usual_axis(desc.shape, scales.size()) == q.axis);
  for (const float scale : scales)
    list.push_back({is_usual ? bits : bits | (q.axis + 1) << axis_shift, q.zero_point, double{scale}});
  return list;
}

/// Sets a desc's quantisation from HDI's list; per-channel scales remain in the list. Returns why the list is invalid;
/// empty: it is valid.
inline std::string take_quantisation(const std::vector<QuantParam>& list, tensor_desc& desc) {
  if (list.empty()) return {};
  desc.quantised.zero_point = list[0].zeroPoint;
  const int marked = list[0].numBits >> axis_shift & axis_mask;
  const quantised_rounding rounding =
      (list[0].numBits & half_to_even_mark) != 0 ? quantised_rounding::half_to_even : quantised_rounding::tflite;
  if (list.size() == 1 && marked == 0) {
    desc.quantised = quant{static_cast<float>(list[0].scale), list[0].zeroPoint, rounding};
    return {};
  }
  desc.quantised.rounding = rounding;
  desc.quantised.mode = quantisation::kind::per_channel;
  desc.quantised.axis = marked != 0 ? marked - 1 : usual_axis(desc.shape, list.size());
  const int axis = desc.quantised.axis;
  if (axis < 0 || axis >= desc.rank() ||
      (desc.shape[axis] >= 0 && desc.shape[axis] != static_cast<std::int64_t>(list.size())))
    return joined({"quantParams: has ", list.size(), " scales, and no axis of that extent"});
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].zeroPoint != list[0].zeroPoint)
      return joined({"quantParams[", i, "].zeroPoint: got ", list[i].zeroPoint, ", expected ", list[0].zeroPoint,
                     " as of the others"});
  return {};
}

/// Sets a desc from a tensor of HDI. Returns why the tensor is invalid; empty: it is valid.
inline std::string take_desc(const Tensor& t, tensor_desc& desc) {
  const dtype type = dtype_of(t.dataType);
  if (type == dtype::none)
    return joined({"dataType: got ", static_cast<std::int64_t>(t.dataType), ", which is no data type"});
  if (t.dims.size() > static_cast<std::size_t>(max_rank))
    return joined({"dims: has ", t.dims.size(), " axes, expected at most ", max_rank});
  if (t.format < FORMAT_NONE || t.format > FORMAT_NHWC)
    return joined({"format: got ", static_cast<std::int64_t>(t.format), ", expected -1 to 1"});
  shape_t shape;
  for (std::size_t i = 0; i < t.dims.size(); ++i) {
    if (t.dims[i] < -1) return joined({"dims[", i, "]: got ", t.dims[i], ", expected -1 (unknown) or more"});
    shape.push_back(t.dims[i]);
  }
  desc = tensor_desc(type, shape);
  if (t.format == FORMAT_NCHW) desc.layout = format::nchw;
  if (t.format == FORMAT_NONE) desc.layout = format::nd;
  if (shape.is_known() && desc.elements() < 0) return "dims: more elements than memory can hold";
  return take_quantisation(t.quantParams, desc);
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::hdi
