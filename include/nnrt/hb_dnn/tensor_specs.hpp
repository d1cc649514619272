// tensor_specs: an input or output of a model as clients see it - its properties, and its layout in their memory.
// Flow: models.hpp makes one for each; functions check and copy clients' tensors by it.
#pragma once

#include <nnrt/hb_dnn/resizer.hpp>
#include <nnrt/io/saved_model.hpp>
#include <nnrt/policy/alignment.hpp>

#include <cmath>
#include <cstring>
#include <span>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// The tensor type for elements of this dtype; MAX: hbDNN has none.
constexpr hbDNNDataType data_type_of(dtype type) {
  switch (type) {
    case dtype::i8: return HB_DNN_TENSOR_TYPE_S8;
    case dtype::u8:
    case dtype::boolean: return HB_DNN_TENSOR_TYPE_U8;
    case dtype::f16: return HB_DNN_TENSOR_TYPE_F16;
    case dtype::i16: return HB_DNN_TENSOR_TYPE_S16;
    case dtype::u16: return HB_DNN_TENSOR_TYPE_U16;
    case dtype::f32: return HB_DNN_TENSOR_TYPE_F32;
    case dtype::i32: return HB_DNN_TENSOR_TYPE_S32;
    case dtype::u32: return HB_DNN_TENSOR_TYPE_U32;
    case dtype::f64: return HB_DNN_TENSOR_TYPE_F64;
    case dtype::i64: return HB_DNN_TENSOR_TYPE_S64;
    case dtype::u64: return HB_DNN_TENSOR_TYPE_U64;
    case dtype::none: break;
  }
  return HB_DNN_TENSOR_TYPE_MAX;
}

inline bool is_nv12(std::int32_t type) { return type == HB_DNN_IMG_TYPE_NV12 || type == HB_DNN_IMG_TYPE_NV12_SEPARATE; }
inline bool equal(const hbDNNTensorShape& a, const hbDNNTensorShape& b) {
  return a.numDimensions == b.numDimensions && a.numDimensions >= 0 &&
         a.numDimensions <= HB_DNN_TENSOR_MAX_DIMENSIONS &&
         std::memcmp(a.dimensionSize, b.dimensionSize,
                     sizeof(std::int32_t) * static_cast<std::size_t>(a.numDimensions)) == 0;
}

/// Extent of the innermost axis; 1 for a scalar.
inline std::int64_t innermost(const shape_t& shape) { return shape.rank > 0 ? shape[shape.rank - 1] : 1; }

/// An input or output of a model. Move only: the properties have pointers into it.
class tensor_spec {
 public:
  std::string name;
  tensor_desc desc;     // the graph's
  saved_input given;    // for outputs only `packed` is set
  aligned_tensor lies;  // layout with padding; for images only bytes
  hbDNNTensorProperties properties{};

  /// `scales`: of a per-channel quantised tensor.
  tensor_spec(std::string_view its_name, const tensor_desc& its_desc, const saved_input& input,
              const accelerator& table, tensor_use use, std::span<const float> scales)
      : name(its_name), desc(its_desc), given(input) {
    if (given.is_image) describe_image(table);
    else describe_elements(table, use, scales);
  }
  tensor_spec(const tensor_spec&) = delete;
  tensor_spec& operator=(const tensor_spec&) = delete;
  tensor_spec(tensor_spec&&) = default;

  /// Elements and bytes of an innermost row in clients' memory.
  std::int64_t row_elements() const { return innermost(lies.valid); }
  std::int64_t row_bytes() const {
    return given.packed ? packed_bytes(row_elements()) : row_elements() * size_of(desc.type);
  }
  /// Bytes of the tensor without padding.
  std::int64_t dense_bytes() const {
    std::int64_t strides[max_rank];
    return dense_strides(strides);
  }
  std::int64_t dense_strides(std::int64_t (&strides)[max_rank]) const {
    std::int64_t bytes = row_bytes();
    for (int axis = lies.valid.rank - 1; axis-- > 0; bytes *= lies.valid[axis]) strides[axis] = bytes;
    return bytes;
  }
  std::int64_t batch() const { return given.is_image ? desc.shape[0] : lies.valid[0]; }
  /// Whether the properties' 8 bits hold the zero point. Images have none in their properties.
  bool zero_point_fits() const {
    const std::int32_t zero_point = desc.quantised.zero_point;
    return given.is_image || !desc.quantised || zero_point == static_cast<std::int8_t>(zero_point);
  }
  bool from_resizer() const { return given.source == input_source::resizer; }
  /// Of the image that the network reads.
  std::int64_t height() const { return desc.shape[1]; }
  std::int64_t width() const { return desc.shape[2]; }

 private:
  static hbDNNTensorShape shape_of(const shape_t& extents) {
    hbDNNTensorShape made{};
    made.numDimensions = extents.rank;
    for (int i = 0; i < extents.rank; ++i) made.dimensionSize[i] = static_cast<std::int32_t>(extents[i]);
    return made;
  }
  void set_strides(std::span<const std::int64_t> strides) {
    for (std::size_t i = 0; i < strides.size(); ++i) properties.stride[i] = static_cast<std::int32_t>(strides[i]);
  }

  void describe_image(const accelerator& table) {
    const bool is_interleaved =
        given.given == image_type::yuv444 || given.given == image_type::rgb || given.given == image_type::bgr;
    const std::int64_t n = batch(), h = height(), w = width(), c = given.given == image_type::y ? 1 : 3;
    const std::int64_t stride = is_interleaved ? 3 * w : aligned_width(table, n, c, h, w);
    properties.validShape = shape_of(is_interleaved ? shape_t{n, h, w, c} : shape_t{n, c, h, w});
    properties.alignedShape = properties.validShape;
    if (!is_interleaved) properties.alignedShape.dimensionSize[3] = static_cast<std::int32_t>(stride);
    properties.tensorLayout = is_interleaved ? HB_DNN_LAYOUT_NHWC : HB_DNN_LAYOUT_NCHW;
    properties.tensorType = static_cast<std::int32_t>(given.given);
    // may exceed hbDNN's limit, which loaded_model checks
    lies.bytes = n * h * stride * (is_nv12(properties.tensorType) ? 3 : 2) / 2;
    properties.alignedByteSize = static_cast<std::int32_t>(lies.bytes);
    const std::int64_t strides[] = {h * stride, is_interleaved ? stride : h * stride, is_interleaved ? 3 : stride, 1};
    if (!is_nv12(properties.tensorType)) set_strides(strides);
  }
  static std::int64_t aligned_width(const accelerator& table, std::int64_t n, std::int64_t c, std::int64_t h,
                                    std::int64_t w) {
    return aligned(table, {u8, format::nchw, shape_t{n, c, h, w}}, tensor_use::image).aligned[3];
  }

  void describe_elements(const accelerator& table, tensor_use use, std::span<const float> scales) {
    if (desc.quantised || given.packed) lies = aligned(table, desc, use, given.packed.has_value());
    else lie_densely();
    properties.validShape = shape_of(lies.valid);
    properties.alignedShape = shape_of(lies.aligned);
    properties.tensorLayout =
        desc.layout == format::nchw || (!desc.quantised && desc.rank() < 4) ? HB_DNN_LAYOUT_NCHW : HB_DNN_LAYOUT_NHWC;
    properties.tensorType = !given.packed                    ? data_type_of(desc.type)
                            : *given.packed == half_byte::s4 ? HB_DNN_TENSOR_TYPE_S4
                                                             : HB_DNN_TENSOR_TYPE_U4;
    properties.alignedByteSize = static_cast<std::int32_t>(lies.bytes);
    set_strides({lies.strides, static_cast<std::size_t>(lies.aligned.rank)});
    describe_scales(table, scales);
  }
  /// Layout without padding, for tensors that the processor reads or writes. Ranks below 4 get trailing extents of 1,
  /// as on boards: classifiers have [N, C, 1, 1], detectors [N, boxes, numbers, 1]. A single axis counts as channels.
  void lie_densely() {
    lies.valid = desc.rank() == 1 ? desc.shape.with_axis(0, 1) : desc.shape;
    while (lies.valid.rank < 4) lies.valid = lies.valid.with_axis(lies.valid.rank, 1);
    lies.aligned = lies.valid;
    lies.bytes = size_of(desc.type);
    for (int axis = lies.valid.rank; axis-- > 0; lies.bytes *= lies.valid[axis]) lies.strides[axis] = lies.bytes;
  }

  void describe_scales(const accelerator& table, std::span<const float> scales) {
    const quantisation& q = desc.quantised;
    if (!q) return;
    const bool is_whole = q.mode == quantisation::kind::per_tensor;
    scales_.assign(is_whole ? 1 : scales.size(), q.scale);
    if (!is_whole) std::copy(scales.begin(), scales.end(), scales_.begin());
    properties.quantizeAxis = is_whole ? 0 : q.axis + lies.valid.rank - desc.rank();
    if (table.scales == scale_kind::power_of_two && find_shifts()) {
      properties.quantiType = SHIFT;
      properties.shift = {static_cast<std::int32_t>(shifts_.size()), shifts_.data()};
      return;
    }
    zero_points_.assign(scales_.size(), static_cast<std::int8_t>(q.zero_point));
    properties.quantiType = SCALE;
    properties.scale = {static_cast<std::int32_t>(scales_.size()), scales_.data(),
                        static_cast<std::int32_t>(zero_points_.size()), zero_points_.data()};
  }
  /// Whether all scales are 2^-shift; fills `shifts_`.
  bool find_shifts() {
    for (const float scale : scales_) {
      int exponent = 0;
      if (std::frexp(scale, &exponent) != 0.5F || exponent > 1 || desc.quantised.zero_point != 0) return false;
      shifts_.push_back(static_cast<std::uint8_t>(1 - exponent));
    }
    return true;
  }

  std::vector<std::uint8_t> shifts_;
  std::vector<float> scales_;
  std::vector<std::int8_t> zero_points_;
};

/// Calls f(offset in a dense tensor, offset with these strides), in bytes, for each innermost row.
template <class F>
void for_each_row(const shape_t& shape, const std::int64_t* strides, std::int64_t element_bytes, F f) {
  std::int64_t index[max_rank] = {}, dense = 0;
  if (shape.elements() == 0) return;
  for (;;) {
    std::int64_t at = 0;
    for (int axis = 0; axis + 1 < shape.rank; ++axis) at += index[axis] * strides[axis];
    f(dense, at);
    dense += innermost(shape) * element_bytes;
    int axis = shape.rank - 2;
    while (axis >= 0 && ++index[axis] == shape[axis]) index[axis--] = 0;
    if (axis < 0) return;
  }
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
