// keywords: attributes in a call of an operator - stride<2, 2>, same, axis<-1>, relu, ….
// Flow: dsl::apply stores each keyword in the attribute of its name, or as a constant in the operand of its name.
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/core/desc.hpp>

#include <array>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// A slot is a name that keywords set: an attribute or an operand. NNRT_SLOT(stride) defines keyword::stride_slot. One
/// line for each name of any operator.
#define NNRT_SLOT(NAME)                             \
  struct NAME##_slot {                              \
    static constexpr std::string_view name = #NAME; \
    template <class Attrs>                          \
      requires requires(Attrs& a) { a.NAME; }       \
    static constexpr auto& of(Attrs& a) {           \
      return a.NAME;                                \
    }                                               \
  }

namespace keyword {

NNRT_SLOT(alpha);
NNRT_SLOT(approximate);
NNRT_SLOT(axes);
NNRT_SLOT(axis);
NNRT_SLOT(base);
NNRT_SLOT(begin);
NNRT_SLOT(begin_mask);
NNRT_SLOT(begin_norm_axis);
NNRT_SLOT(begin_param_axis);
NNRT_SLOT(beta);
NNRT_SLOT(bias);
NNRT_SLOT(bidirectional);
NNRT_SLOT(block);
NNRT_SLOT(block_size);
NNRT_SLOT(ceil_mode);
NNRT_SLOT(coefficient);
NNRT_SLOT(coordinate_mode);
NNRT_SLOT(count_include_pad);
NNRT_SLOT(crd);
NNRT_SLOT(crops);
NNRT_SLOT(data_type);
NNRT_SLOT(delta);
NNRT_SLOT(depth);
NNRT_SLOT(depth_radius);
NNRT_SLOT(detections_per_class);
NNRT_SLOT(dilation);
NNRT_SLOT(dst_t);
NNRT_SLOT(ellipsis_mask);
NNRT_SLOT(end);
NNRT_SLOT(end_mask);
NNRT_SLOT(epsilon);
NNRT_SLOT(exclude_outside);
NNRT_SLOT(fused);
NNRT_SLOT(global);
NNRT_SLOT(group);
NNRT_SLOT(k);
NNRT_SLOT(keep_dims);
NNRT_SLOT(kernel);
NNRT_SLOT(limit);
NNRT_SLOT(linear_before_reset);
NNRT_SLOT(max);
NNRT_SLOT(max_classes_per_detection);
NNRT_SLOT(max_detections);
NNRT_SLOT(min);
NNRT_SLOT(mode);
NNRT_SLOT(multiples);
NNRT_SLOT(negative_indices);
NNRT_SLOT(negative_slope);
NNRT_SLOT(new_axis_mask);
NNRT_SLOT(nms_iou_threshold);
NNRT_SLOT(nms_score_threshold);
NNRT_SLOT(num_classes);
NNRT_SLOT(off_value);
NNRT_SLOT(offset);
NNRT_SLOT(on_value);
NNRT_SLOT(out_max_value);
NNRT_SLOT(output_num);
NNRT_SLOT(output_paddings);
NNRT_SLOT(pad);
NNRT_SLOT(pad_value);
NNRT_SLOT(paddings);
NNRT_SLOT(perm);
NNRT_SLOT(preserve_aspect_ratio);
NNRT_SLOT(reduce_to_end);
NNRT_SLOT(scale);
NNRT_SLOT(shape);
NNRT_SLOT(shift);
NNRT_SLOT(shrink_axis_mask);
NNRT_SLOT(size);
NNRT_SLOT(sizes);
NNRT_SLOT(sorted);
NNRT_SLOT(src_t);
NNRT_SLOT(start);
NNRT_SLOT(stride);
NNRT_SLOT(strides);
NNRT_SLOT(transpose_a);
NNRT_SLOT(transpose_b);
NNRT_SLOT(type);
NNRT_SLOT(use_regular_nms);
NNRT_SLOT(value);
NNRT_SLOT(zoneout_cell);
NNRT_SLOT(zoneout_hidden);

/// Base of all types that dsl::apply accepts as keywords.
struct base {};

/// A real number as a template argument, from any arithmetic type. (clang 16 accepts float only as a member.)
struct real {
  float number;
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr real(T value) : number(static_cast<float>(value)) {}
  constexpr operator float() const { return number; }
};

/// A value for an attribute: a number, a flag, a mode.
template <class Slot, auto Value> struct value : base {
  using slot = Slot;
  template <class Attrs>
    requires requires(Attrs& a) { Slot::of(a) = Value; }
  static constexpr void set(Attrs& a) {
    Slot::of(a) = Value;
  }
};

/// Integers for an attribute (extent2, pads, a list, a number) or for an operand, which becomes a constant.
template <class Slot, std::int64_t... Values> struct integers : base {
  using slot = Slot;
  static constexpr std::array<std::int64_t, sizeof...(Values)> values{Values...};

  template <class Attrs>
    requires requires(Attrs& a) { Slot::of(a); }
  static constexpr void set(Attrs& a) {
    assign(Slot::of(a));
  }
  /// Rank 1; one_integer has rank 0.
  static constexpr tensor_desc desc() { return {i64, {std::int64_t{sizeof...(Values)}}}; }

 private:
  static constexpr void assign(std::int64_t& to) {
    static_assert(sizeof...(Values) == 1, "nnrt: this keyword takes one number");
    to = values[0];
  }
  static constexpr void assign(extent2& to) {
    static_assert(sizeof...(Values) == 2, "nnrt: this keyword takes two numbers: height, width");
    to = {values[0], values[1]};
  }
  static constexpr void assign(pads& to) {
    static_assert(sizeof...(Values) == 4, "nnrt: padding takes four numbers: top, bottom, left, right");
    to = {pad_mode::explicit_pads, values[0], values[1], values[2], values[3]};
  }
  template <int N> static constexpr void assign(int_list<N>& to) {
    static_assert(sizeof...(Values) <= N, "nnrt: too many numbers for this keyword");
    to = {Values...};
  }
};

/// Real numbers for an attribute that is a list.
/// One integer; as an operand it is a scalar.
template <class Slot, real... Values> struct reals : base {
  using slot = Slot;
  template <class Attrs>
    requires requires(Attrs& a) { Slot::of(a) = {float{Values}...}; }
  static constexpr void set(Attrs& a) {
    Slot::of(a) = {float{Values}...};
  }
};

/// One integer: a scalar when it becomes an operand.
template <class Slot, std::int64_t Value> struct one_integer : integers<Slot, Value> {
  static constexpr tensor_desc desc() { return {i64, {}}; }
};

/// An integer of any dtype as a scalar operand.
template <class Slot, dtype Type, std::int64_t Value> struct number : integers<Slot, Value> {
  static constexpr tensor_desc desc() { return {Type, {}}; }
};

/// `axis<1>` as `axes<1>`, for operators with a list of axes; other keywords are unchanged.
template <class Keyword> constexpr Keyword as_axes(Keyword given) { return given; }
template <std::int64_t Axis> constexpr integers<axes_slot, Axis> as_axes(one_integer<axis_slot, Axis>) { return {}; }

/// `axes<…>` as `axis<…>`, for operators whose list of axes is called `axis` in NNRt; other keywords are unchanged.
template <class Keyword> constexpr Keyword as_axis(Keyword other) { return other; }
template <std::int64_t... Axes> constexpr integers<axis_slot, Axes...> as_axis(integers<axes_slot, Axes...>) {
  return {};
}

/// Height and width of a resized image.
template <std::int64_t H, std::int64_t W> struct image_size : base {
  using slot = size_slot;
  template <class Attrs>
    requires requires(Attrs& a) { a.new_height, a.new_width; }
  static constexpr void set(Attrs& a) {
    a.new_height = H, a.new_width = W;
  }
};
/// `size<H, W>` as `image_size<H, W>`, for operators that make images; other keywords are unchanged.
template <class Keyword> constexpr Keyword as_image_size(Keyword other) { return other; }
template <std::int64_t H, std::int64_t W> constexpr image_size<H, W> as_image_size(integers<size_slot, H, W>) {
  return {};
}

/// The padding modes same and valid.
template <pad_mode Mode> struct padding_mode : base {
  using slot = pad_slot;
  template <class Attrs>
    requires requires(Attrs& a) { pad_slot::of(a).mode; }
  static constexpr void set(Attrs& a) {
    pad_slot::of(a).mode = Mode;
  }
};

/// `into<…>`: dtype, shape and quantisation of the output.
template <auto... Wish> struct into : base {
  static constexpr tensor_desc wanted() {
    tensor_desc d;
    (wish(d, Wish), ...);
    return d;
  }

 private:
  static constexpr void wish(tensor_desc& d, dtype type) { d.type = type; }
  static constexpr void wish(tensor_desc& d, quantisation q) { d.quantised = q; }
  template <std::int64_t... Extents> static constexpr void wish(tensor_desc& d, shape_constant<Extents...>) {
    d.shape = {Extents...};
  }
};

}  // namespace keyword

// --- windows, in pixels ---
template <std::int64_t H, std::int64_t W> inline constexpr keyword::integers<keyword::kernel_slot, H, W> kernel{};
template <std::int64_t H, std::int64_t W> inline constexpr keyword::integers<keyword::stride_slot, H, W> stride{};
template <std::int64_t H, std::int64_t W> inline constexpr keyword::integers<keyword::dilation_slot, H, W> dilation{};
/// Explicit padding: top, bottom, left, right.
template <std::int64_t Top, std::int64_t Bottom, std::int64_t Left, std::int64_t Right>
inline constexpr keyword::integers<keyword::pad_slot, Top, Bottom, Left, Right> padding{};
/// ceil(input / stride) outputs. The padding is as needed; an odd pixel is at the bottom and right.
inline constexpr keyword::padding_mode<pad_mode::same> same{};
/// No padding.
inline constexpr keyword::padding_mode<pad_mode::valid> valid{};
/// Pixels that conv2d_transpose() adds at the bottom and right.
template <std::int64_t H, std::int64_t W>
inline constexpr keyword::integers<keyword::output_paddings_slot, H, W> output_paddings{};
template <std::int64_t Groups> inline constexpr keyword::integers<keyword::group_slot, Groups> group{};
/// A pooling window of the image's size.
inline constexpr keyword::value<keyword::global_slot, true> global{};
/// Rounds output extents of pooling up instead of down.
inline constexpr keyword::value<keyword::ceil_mode_slot, true> ceil_mode{};
/// Whether padding counts as zeros in the means of avg_pool(). PyTorch's default is true.
template <bool Counts> inline constexpr keyword::value<keyword::count_include_pad_slot, Counts> count_include_pad{};
/// Position of output pixel i in the input of resize_bilinear(). asymmetric: i * input / output. align_corners: centres
/// of the corner pixels coincide. half_pixel: borders of the images coincide.
inline constexpr keyword::value<keyword::coordinate_mode_slot, coordinates::asymmetric> asymmetric{};
inline constexpr keyword::value<keyword::coordinate_mode_slot, coordinates::align_corners> align_corners{};
inline constexpr keyword::value<keyword::coordinate_mode_slot, coordinates::half_pixel> half_pixel{};
/// resize_bilinear() keeps the aspect ratio; the result fits into the given size.
inline constexpr keyword::value<keyword::preserve_aspect_ratio_slot, true> preserve_aspect_ratio{};
/// resize_bilinear() gives weight 0 to pixels outside the image.
inline constexpr keyword::value<keyword::exclude_outside_slot, true> exclude_outside{};

// --- axes and orders ---
template <std::int64_t Axis> inline constexpr keyword::one_integer<keyword::axis_slot, Axis> axis{};
template <std::int64_t... Axes> inline constexpr keyword::integers<keyword::axes_slot, Axes...> axes{};
template <std::int64_t... Order> inline constexpr keyword::integers<keyword::perm_slot, Order...> perm{};
inline constexpr keyword::value<keyword::keep_dims_slot, true> keep_dims{};
inline constexpr keyword::value<keyword::reduce_to_end_slot, true> reduce_to_end{};
template <keyword::real Factor> inline constexpr keyword::value<keyword::coefficient_slot, Factor> coefficient{};
template <std::int64_t Axis>
inline constexpr keyword::one_integer<keyword::begin_norm_axis_slot, Axis> begin_norm_axis{};
template <std::int64_t Axis>
inline constexpr keyword::one_integer<keyword::begin_param_axis_slot, Axis> begin_param_axis{};

// --- parts of tensors ---
template <std::int64_t... Index> inline constexpr keyword::integers<keyword::begin_slot, Index...> begin{};
template <std::int64_t... Extent> inline constexpr keyword::integers<keyword::size_slot, Extent...> size{};
/// Exclusive end of strided_slice() along each axis, and its steps in elements.
template <std::int64_t... Index> inline constexpr keyword::integers<keyword::end_slot, Index...> end{};
template <std::int64_t... Step> inline constexpr keyword::integers<keyword::strides_slot, Step...> strides{};
/// Bit i: meaning of entry i of strided_slice()'s lists; see ops::strided_slice.
template <std::int64_t Bits> inline constexpr keyword::integers<keyword::begin_mask_slot, Bits> begin_mask{};
template <std::int64_t Bits> inline constexpr keyword::integers<keyword::end_mask_slot, Bits> end_mask{};
template <std::int64_t Bits> inline constexpr keyword::integers<keyword::ellipsis_mask_slot, Bits> ellipsis_mask{};
template <std::int64_t Bits> inline constexpr keyword::integers<keyword::new_axis_mask_slot, Bits> new_axis_mask{};
template <std::int64_t Bits>
inline constexpr keyword::integers<keyword::shrink_axis_mask_slot, Bits> shrink_axis_mask{};
/// Height and width of space_to_batch_nd()'s blocks.
template <std::int64_t H, std::int64_t W> inline constexpr keyword::integers<keyword::block_slot, H, W> block{};
/// Height and width of the blocks that depth_to_space() makes of channels, and space_to_depth() of pixels.
template <std::int64_t Length> inline constexpr keyword::integers<keyword::block_size_slot, Length> block_size{};
/// depth_to_space() splits channels as [depth, row, column]: consecutive input channels form a block.
inline constexpr keyword::value<keyword::crd_slot, true> crd{};
/// depth_to_space() splits channels as [row, column, depth], the default.
inline constexpr keyword::value<keyword::crd_slot, false> dcr{};
/// Pixels that batch_to_space_nd() crops.
template <std::int64_t Top, std::int64_t Bottom, std::int64_t Left, std::int64_t Right>
inline constexpr keyword::integers<keyword::crops_slot, Top, Bottom, Left, Right> crops{};
/// Start, exclusive limit and step of range().
template <std::int64_t Number> inline constexpr keyword::integers<keyword::start_slot, Number> start{};
template <std::int64_t Number> inline constexpr keyword::integers<keyword::limit_slot, Number> limit{};
template <std::int64_t Number> inline constexpr keyword::integers<keyword::delta_slot, Number> delta{};
/// Whether negative indices of gather(), gather_nd() and scatter_nd() count from the end (the default) or are out of
/// range.
template <bool Count> inline constexpr keyword::value<keyword::negative_indices_slot, Count> negative_indices{};
/// Repetitions of tile() along each axis.
template <std::int64_t... Times> inline constexpr keyword::integers<keyword::multiples_slot, Times...> multiples{};
/// Number of equal parts of a split.
template <std::int64_t Parts> inline constexpr keyword::integers<keyword::output_num_slot, Parts> output_num{};
/// Extents of the parts of a split, in order.
template <std::int64_t... Extent> inline constexpr keyword::integers<keyword::sizes_slot, Extent...> sizes{};
/// Number of elements that one_hot() makes of an index.
template <std::int64_t Count> inline constexpr keyword::one_integer<keyword::depth_slot, Count> depth{};
/// Number of largest elements for top_k() and arg_max().
template <std::int64_t Count> inline constexpr keyword::one_integer<keyword::k_slot, Count> k{};
/// top_k() returns elements in ascending order instead of descending.
inline constexpr keyword::value<keyword::sorted_slot, false> unsorted{};
/// arg_max() returns elements instead of indices.
inline constexpr keyword::value<keyword::out_max_value_slot, true> out_max_value{};
/// Padding at the start and end of each axis.
template <std::int64_t... BeforeAfter>
inline constexpr keyword::integers<keyword::paddings_slot, BeforeAfter...> paddings{};
template <keyword::real Value> inline constexpr keyword::value<keyword::pad_value_slot, Value> pad_value{};
/// pad() mirrors the tensor at its outermost elements, without repeating them.
inline constexpr keyword::value<keyword::mode_slot, border::reflect> reflect{};
/// pad() mirrors the tensor at its outermost elements, and repeats them.
inline constexpr keyword::value<keyword::mode_slot, border::symmetric> symmetric{};

/// Start of crop()'s box along each axis from `axis<…>` on.
template <std::int64_t... First> inline constexpr keyword::integers<keyword::offset_slot, First...> offsets{};

// --- sequences ---
/// lstm() and gru() also run from the last step to the first.
inline constexpr keyword::value<keyword::bidirectional_slot, true> bidirectional{};
/// gru() multiplies the state by its weights before the reset gate, as PyTorch does.
inline constexpr keyword::value<keyword::linear_before_reset_slot, true> linear_before_reset{};
/// Share of the previous state that lstm() keeps at each step.
template <keyword::real Share> inline constexpr keyword::value<keyword::zoneout_cell_slot, Share> zoneout_cell{};
template <keyword::real Share> inline constexpr keyword::value<keyword::zoneout_hidden_slot, Share> zoneout_hidden{};

// --- detections ---
/// Divisors of a box's four numbers in detection_post_process().
template <keyword::real Y, keyword::real X, keyword::real Height, keyword::real Width>
inline constexpr keyword::reals<keyword::scale_slot, Y, X, Height, Width> box_scale{};
template <std::int64_t Count> inline constexpr keyword::integers<keyword::num_classes_slot, Count> num_classes{};
template <std::int64_t Count> inline constexpr keyword::integers<keyword::max_detections_slot, Count> max_detections{};
template <std::int64_t Count>
inline constexpr keyword::integers<keyword::max_classes_per_detection_slot, Count> max_classes_per_detection{};
template <std::int64_t Count>
inline constexpr keyword::integers<keyword::detections_per_class_slot, Count> detections_per_class{};
/// Boxes are dropped if they overlap a better one by more than this, or if their score is below the threshold.
template <keyword::real Share> inline constexpr keyword::value<keyword::nms_iou_threshold_slot, Share> iou_threshold{};
template <keyword::real Score>
inline constexpr keyword::value<keyword::nms_score_threshold_slot, Score> score_threshold{};
/// detection_post_process() suppresses boxes in each class separately.
inline constexpr keyword::value<keyword::use_regular_nms_slot, true> regular_nms{};

// --- arithmetic ---
/// Number of channels on each side that lrn() sums, and the numbers of its formula.
template <std::int64_t Radius> inline constexpr keyword::integers<keyword::depth_radius_slot, Radius> depth_radius{};
template <keyword::real Value> inline constexpr keyword::value<keyword::bias_slot, Value> with_bias{};
template <keyword::real Value> inline constexpr keyword::value<keyword::alpha_slot, Value> with_alpha{};
/// Value of constant_of_shape(), and its dtype.
template <dtype Type> inline constexpr keyword::integers<keyword::data_type_slot, static_cast<int>(Type)> of_type{};
template <keyword::real Value> inline constexpr keyword::value<keyword::value_slot, Value> with_value{};
template <keyword::real Value> inline constexpr keyword::value<keyword::beta_slot, Value> beta{};
template <keyword::real Value> inline constexpr keyword::value<keyword::epsilon_slot, Value> epsilon{};
inline constexpr keyword::value<keyword::transpose_a_slot, true> transpose_a{};
inline constexpr keyword::value<keyword::transpose_b_slot, true> transpose_b{};
inline constexpr keyword::value<keyword::approximate_slot, true> approximate{};
/// Mode of an operator: `mode<eltwise_mode::sum>`.
template <auto Mode> inline constexpr keyword::value<keyword::mode_slot, Mode> mode{};
/// Base of exp(), instead of e.
template <keyword::real Base> inline constexpr keyword::value<keyword::base_slot, Base> with_base{};
/// Bounds of clip().
template <keyword::real Value> inline constexpr keyword::value<keyword::min_slot, Value> at_least{};
template <keyword::real Value> inline constexpr keyword::value<keyword::max_slot, Value> at_most{};
/// Factor of leaky_relu() for elements below zero.
template <keyword::real Slope> inline constexpr keyword::value<keyword::negative_slope_slot, Slope> negative_slope{};
/// Factor and offset that pow() applies to its base and exp() to its argument, in this order.
template <keyword::real Factor> inline constexpr keyword::value<keyword::scale_slot, Factor> scaled_by{};
template <keyword::real Offset> inline constexpr keyword::value<keyword::shift_slot, Offset> shifted_by{};
/// Properties of the output, one or several, if the operator leaves a choice: `into<nnrt::f16>`,
/// `into<nnrt::quant{.scale = 0.02F, .zero_point = -3}>`, `into<nnrt::shape<1, 15, 15, 8>>`.
template <auto... Wish> inline constexpr keyword::into<Wish...> into{};

}}  // namespace nnrt::NNRT_ISA
