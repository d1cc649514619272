// options: the option tables of operators in a .tflite file, with tags, fields and slots.
// Flow: readers of operators read their options with these types; omitted fields have the format's defaults.
#pragma once

#include <nnrt/io/tflite/flatbuffer.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite::schema {

// Slots, tags and defaults are from TensorFlow Lite's schema. Enumerations are bytes; padding is SAME 0, VALID 1.
// `fields` is the number of fields in the schema's table, including fields that are not read. Files with more fields
// are refused.

/// The options table of an operator: its tag (0: none), and the number of fields in the schema's table.
struct options_kind {
  std::uint8_t tag = 0;
  int fields = 0;
};
template <class Options> inline constexpr options_kind kind_of{Options::tag, Options::fields};
inline constexpr options_kind no_options{};
/// Options with this tag and without fields.
constexpr options_kind empty_options(int tag) { return {static_cast<std::uint8_t>(tag), 0}; }

/// A table of which no field is read.
struct any_table {
  static constexpr bool each(auto) { return true; }
};

/// CONV_2D.
struct conv2d_options {
  static constexpr std::uint8_t tag = 1;
  static constexpr int fields = 7;
  static constexpr scalar<std::int8_t> padding{0}, fused{3}, quantized_bias_type{6};
  static constexpr scalar<std::int32_t> stride_w{1}, stride_h{2}, dilation_w{4, 1}, dilation_h{5, 1};
  static constexpr bool each(auto f) {
    return f(padding) && f(stride_w) && f(stride_h) && f(fused) && f(dilation_w) && f(dilation_h) &&
           f(quantized_bias_type);
  }
};

/// DEPTHWISE_CONV_2D. The channel multiplier (slot 3) is not read: it follows from the weights' shape.
struct depthwise_conv2d_options {
  static constexpr std::uint8_t tag = 2;
  static constexpr int fields = 7;
  static constexpr scalar<std::int8_t> padding{0}, fused{4};
  static constexpr scalar<std::int32_t> stride_w{1}, stride_h{2}, dilation_w{5, 1}, dilation_h{6, 1};
  static constexpr bool each(auto f) {
    return f(padding) && f(stride_w) && f(stride_h) && f(fused) && f(dilation_w) && f(dilation_h);
  }
};

/// AVERAGE_POOL_2D and MAX_POOL_2D.
struct pool2d_options {
  static constexpr std::uint8_t tag = 5;
  static constexpr int fields = 6;
  static constexpr scalar<std::int8_t> padding{0}, fused{5};
  static constexpr scalar<std::int32_t> stride_w{1}, stride_h{2}, filter_w{3}, filter_h{4};
  static constexpr bool each(auto f) {
    return f(padding) && f(stride_w) && f(stride_h) && f(filter_w) && f(filter_h) && f(fused);
  }
};

/// FULLY_CONNECTED. `asymmetric` applies to float inputs with 8-bit weights, as in BATCH_MATMUL.
struct fully_connected_options {
  static constexpr std::uint8_t tag = 8;
  static constexpr int fields = 5;
  static constexpr scalar<std::int8_t> fused{0}, weights_format{1}, quantized_bias_type{4};
  static constexpr scalar<bool> keep_num_dims{2}, asymmetric{3};
  static constexpr bool each(auto f) {
    return f(fused) && f(weights_format) && f(keep_num_dims) && f(asymmetric) && f(quantized_bias_type);
  }
};

/// SOFTMAX.
struct softmax_options {
  static constexpr std::uint8_t tag = 9;
  static constexpr int fields = 1;
  static constexpr scalar<float> beta{0};
  static constexpr bool each(auto f) { return f(beta); }
};

/// CONCATENATION.
struct concatenation_options {
  static constexpr std::uint8_t tag = 10;
  static constexpr int fields = 2;
  static constexpr scalar<std::int32_t> axis{0};
  static constexpr scalar<std::int8_t> fused{1};
  static constexpr bool each(auto f) { return f(axis) && f(fused); }
};

/// Options of which only a fused activation is read.
template <std::uint8_t Tag> struct fused_options {
  static constexpr std::uint8_t tag = Tag;
  static constexpr int fields = 1;
  static constexpr scalar<std::int8_t> fused{0};
  static constexpr bool each(auto f) { return f(fused); }
};
using mul_options = fused_options<21>;
using div_options = fused_options<29>;

/// ADD and SUB.
template <std::uint8_t Tag> struct sum_options {
  static constexpr std::uint8_t tag = Tag;
  static constexpr int fields = 2;
  static constexpr scalar<std::int8_t> fused{0};
  static constexpr scalar<bool> pot_scale_int16{1, true};
  static constexpr bool each(auto f) { return f(fused) && f(pot_scale_int16); }
};
using add_options = sum_options<11>;
using sub_options = sum_options<28>;

/// L2_NORMALIZATION.
using l2_norm_options = fused_options<12>;

/// RESIZE_BILINEAR.
struct resize_bilinear_options {
  static constexpr std::uint8_t tag = 15;
  static constexpr int fields = 4;
  static constexpr scalar<bool> align_corners{2}, half_pixel_centers{3};
  static constexpr bool each(auto f) { return f(align_corners) && f(half_pixel_centers); }
};

/// RESHAPE.
struct reshape_options {
  static constexpr std::uint8_t tag = 17;
  static constexpr int fields = 1;
  static constexpr vector<std::int32_t> new_shape{0};
  static constexpr bool each(auto f) { return f(new_shape); }
};

/// DEPTH_TO_SPACE and SPACE_TO_DEPTH.
template <std::uint8_t Tag> struct block_options {
  static constexpr std::uint8_t tag = Tag;
  static constexpr int fields = 1;
  static constexpr scalar<std::int32_t> block_size{0};
  static constexpr bool each(auto f) { return f(block_size); }
};
using space_to_depth_options = block_options<19>;
using depth_to_space_options = block_options<94>;

/// GATHER.
struct gather_options {
  static constexpr std::uint8_t tag = 23;
  static constexpr int fields = 2;
  static constexpr scalar<std::int32_t> axis{0}, batch_dims{1};
  static constexpr bool each(auto f) { return f(axis) && f(batch_dims); }
};

/// MEAN and the other reductions.
struct reducer_options {
  static constexpr std::uint8_t tag = 27;
  static constexpr int fields = 1;
  static constexpr scalar<bool> keep_dims{0};
  static constexpr bool each(auto f) { return f(keep_dims); }
};

/// SQUEEZE.
struct squeeze_options {
  static constexpr std::uint8_t tag = 30;
  static constexpr int fields = 1;
  static constexpr vector<std::int32_t> squeeze_dims{0};
  static constexpr bool each(auto f) { return f(squeeze_dims); }
};

/// STRIDED_SLICE.
struct strided_slice_options {
  static constexpr std::uint8_t tag = 32;
  static constexpr int fields = 6;
  static constexpr scalar<std::int32_t> begin_mask{0}, end_mask{1}, ellipsis_mask{2}, new_axis_mask{3},
      shrink_axis_mask{4};
  static constexpr scalar<bool> offset{5};
  static constexpr bool each(auto f) {
    return f(begin_mask) && f(end_mask) && f(ellipsis_mask) && f(new_axis_mask) && f(shrink_axis_mask) && f(offset);
  }
};

/// UNIQUE: the element type of the indices.
struct unique_options {
  static constexpr std::uint8_t tag = 80;
  static constexpr int fields = 1;
  static constexpr scalar<std::int8_t> type{0, 2};
  static constexpr bool each(auto f) { return f(type); }
};

/// CONV_3D and CONV_3D_TRANSPOSE.
struct conv3d_options {
  static constexpr std::uint8_t tag = 106;
  static constexpr int fields = 8;
  static constexpr scalar<std::int8_t> padding{0}, fused{4};
  static constexpr scalar<std::int32_t> stride_d{1}, stride_w{2}, stride_h{3}, dilation_d{5, 1}, dilation_w{6, 1},
      dilation_h{7, 1};
  static constexpr bool each(auto f) {
    return f(padding) && f(stride_d) && f(stride_w) && f(stride_h) && f(fused) && f(dilation_d) && f(dilation_w) &&
           f(dilation_h);
  }
};

/// TRANSPOSE_CONV.
struct transpose_conv_options {
  static constexpr std::uint8_t tag = 49;
  static constexpr int fields = 5;
  static constexpr scalar<std::int8_t> padding{0}, fused{3}, quantized_bias_type{4};
  static constexpr scalar<std::int32_t> stride_w{1}, stride_h{2};
  static constexpr bool each(auto f) {
    return f(padding) && f(stride_w) && f(stride_h) && f(fused) && f(quantized_bias_type);
  }
};

/// PACK. `count` is the number of inputs.
struct pack_options {
  static constexpr std::uint8_t tag = 59;
  static constexpr int fields = 2;
  static constexpr scalar<std::int32_t> count{0}, axis{1};
  static constexpr bool each(auto f) { return f(count) && f(axis); }
};

/// SPLIT and SPLIT_V. `count` is the number of outputs.
template <std::uint8_t Tag> struct parts_options {
  static constexpr std::uint8_t tag = Tag;
  static constexpr int fields = 1;
  static constexpr scalar<std::int32_t> count{0};
  static constexpr bool each(auto f) { return f(count); }
};
using split_options = parts_options<35>;
using split_v_options = parts_options<79>;

/// ARG_MAX, ARG_MIN and SHAPE: the element type of the output.
template <std::uint8_t Tag> struct result_options {
  static constexpr std::uint8_t tag = Tag;
  static constexpr int fields = 1;
  static constexpr scalar<std::int8_t> type{0};
  static constexpr bool each(auto f) { return f(type); }
};
using arg_max_options = result_options<40>;
using arg_min_options = result_options<57>;
using shape_options = result_options<55>;

/// ONE_HOT.
struct one_hot_options {
  static constexpr std::uint8_t tag = 61;
  static constexpr int fields = 1;
  static constexpr scalar<std::int32_t> axis{0};
  static constexpr bool each(auto f) { return f(axis); }
};

/// UNPACK. `count` is the number of outputs.
struct unpack_options {
  static constexpr std::uint8_t tag = 64;
  static constexpr int fields = 2;
  static constexpr scalar<std::int32_t> count{0}, axis{1};
  static constexpr bool each(auto f) { return f(count) && f(axis); }
};

/// RESIZE_NEAREST_NEIGHBOR.
struct resize_nearest_neighbor_options {
  static constexpr std::uint8_t tag = 74;
  static constexpr int fields = 2;
  static constexpr scalar<bool> align_corners{0}, half_pixel_centers{1};
  static constexpr bool each(auto f) { return f(align_corners) && f(half_pixel_centers); }
};

/// LEAKY_RELU.
struct leaky_relu_options {
  static constexpr std::uint8_t tag = 75;
  static constexpr int fields = 1;
  static constexpr scalar<float> alpha{0};
  static constexpr bool each(auto f) { return f(alpha); }
};

/// LOCAL_RESPONSE_NORMALIZATION.
struct local_response_normalization_options {
  static constexpr std::uint8_t tag = 13;
  static constexpr int fields = 4;
  static constexpr scalar<std::int32_t> radius{0};
  static constexpr scalar<float> bias{1}, alpha{2}, beta{3};
  static constexpr bool each(auto f) { return f(radius) && f(bias) && f(alpha) && f(beta); }
};

/// MIRROR_PAD: REFLECT 0, SYMMETRIC 1.
struct mirror_pad_options {
  static constexpr std::uint8_t tag = 77;
  static constexpr int fields = 1;
  static constexpr scalar<std::int8_t> mode{0};
  static constexpr bool each(auto f) { return f(mode); }
};

/// BATCH_MATMUL.
struct batch_matmul_options {
  static constexpr std::uint8_t tag = 101;
  static constexpr int fields = 3;
  static constexpr scalar<bool> adj_x{0}, adj_y{1}, asymmetric{2};
  static constexpr bool each(auto f) { return f(adj_x) && f(adj_y) && f(asymmetric); }
};

/// CALL and CALL_ONCE: index of the called subgraph.
template <std::uint8_t Tag, class Index> struct call_options_of {
  static constexpr std::uint8_t tag = Tag;
  static constexpr int fields = 1;
  static constexpr scalar<Index> subgraph{0};
  static constexpr bool each(auto f) { return f(subgraph); }
};
using call_options = call_options_of<16, std::uint32_t>;
using call_once_options = call_options_of<103, std::int32_t>;

/// IF: the subgraphs for a true and a false condition. WHILE: the subgraphs of the condition and the body.
template <std::uint8_t Tag> struct two_subgraphs_options {
  static constexpr std::uint8_t tag = Tag;
  static constexpr int fields = 2;
  static constexpr scalar<std::int32_t> first{0}, second{1};
  static constexpr bool each(auto f) { return f(first) && f(second); }
};
using if_options = two_subgraphs_options<92>;
using while_options = two_subgraphs_options<93>;

/// VAR_HANDLE: the names that identify the variable.
struct var_handle_options {
  static constexpr std::uint8_t tag = 111;
  static constexpr int fields = 2;
  static constexpr text container{0}, shared_name{1};
  static constexpr bool each(auto f) { return f(container) && f(shared_name); }
};

/// INSTANCE_NORM of Circle files.
struct instance_norm_options {
  static constexpr std::uint8_t tag = 254;
  static constexpr int fields = 2;
  static constexpr scalar<float> epsilon{0};
  static constexpr scalar<std::int8_t> fused{1};
  static constexpr bool each(auto f) { return f(epsilon) && f(fused); }
};

/// CUMSUM.
struct cumsum_options {
  static constexpr std::uint8_t tag = 102;
  static constexpr int fields = 2;
  static constexpr scalar<bool> exclusive{0}, reverse{1};
  static constexpr bool each(auto f) { return f(exclusive) && f(reverse); }
};

/// FAKE_QUANT.
struct fake_quant_options {
  static constexpr std::uint8_t tag = 58;
  static constexpr int fields = 4;
  static constexpr scalar<float> min{0}, max{1};
  static constexpr scalar<std::int32_t> num_bits{2};
  static constexpr scalar<bool> narrow_range{3};
  static constexpr bool each(auto f) { return f(min) && f(max) && f(num_bits) && f(narrow_range); }
};

/// REVERSE_SEQUENCE.
struct reverse_sequence_options {
  static constexpr std::uint8_t tag = 87;
  static constexpr int fields = 2;
  static constexpr scalar<std::int32_t> seq_dim{0}, batch_dim{1};
  static constexpr bool each(auto f) { return f(seq_dim) && f(batch_dim); }
};

/// GELU.
struct gelu_options {
  static constexpr std::uint8_t tag = 116;
  static constexpr int fields = 1;
  static constexpr scalar<bool> approximate{0};
  static constexpr bool each(auto f) { return f(approximate); }
};

/// LSTM. `kernel` is 0 for FULL, 1 for BASIC.
struct lstm_options {
  static constexpr std::uint8_t tag = 14;
  static constexpr int fields = 5;
  static constexpr scalar<std::int8_t> fused{0}, kernel{3};
  static constexpr scalar<float> cell_clip{1}, projection_clip{2};
  static constexpr scalar<bool> asymmetric{4};
  static constexpr bool each(auto f) {
    return f(fused) && f(kernel) && f(cell_clip) && f(projection_clip) && f(asymmetric);
  }
};

/// UNIDIRECTIONAL_SEQUENCE_LSTM.
struct sequence_lstm_options {
  static constexpr std::uint8_t tag = 71;
  static constexpr int fields = 6;
  static constexpr scalar<std::int8_t> fused{0};
  static constexpr scalar<float> cell_clip{1}, projection_clip{2};
  static constexpr scalar<bool> time_major{3}, asymmetric{4}, diagonal{5};
  static constexpr bool each(auto f) {
    return f(fused) && f(cell_clip) && f(projection_clip) && f(time_major) && f(asymmetric) && f(diagonal);
  }
};

/// BIDIRECTIONAL_SEQUENCE_LSTM.
struct two_way_lstm_options {
  static constexpr std::uint8_t tag = 69;
  static constexpr int fields = 6;
  static constexpr scalar<std::int8_t> fused{0};
  static constexpr scalar<float> cell_clip{1}, projection_clip{2};
  static constexpr scalar<bool> merge_outputs{3}, time_major{4, true}, asymmetric{5};
  static constexpr bool each(auto f) {
    return f(fused) && f(cell_clip) && f(projection_clip) && f(merge_outputs) && f(time_major) && f(asymmetric);
  }
};

/// RNN.
struct rnn_options {
  static constexpr std::uint8_t tag = 7;
  static constexpr int fields = 2;
  static constexpr scalar<std::int8_t> fused{0};
  static constexpr scalar<bool> asymmetric{1};
  static constexpr bool each(auto f) { return f(fused) && f(asymmetric); }
};

/// UNIDIRECTIONAL_SEQUENCE_RNN.
struct sequence_rnn_options {
  static constexpr std::uint8_t tag = 31;
  static constexpr int fields = 3;
  static constexpr scalar<bool> time_major{0}, asymmetric{2};
  static constexpr scalar<std::int8_t> fused{1};
  static constexpr bool each(auto f) { return f(time_major) && f(fused) && f(asymmetric); }
};

/// BIDIRECTIONAL_SEQUENCE_RNN.
struct two_way_rnn_options {
  static constexpr std::uint8_t tag = 70;
  static constexpr int fields = 4;
  static constexpr scalar<bool> time_major{0}, merge_outputs{2}, asymmetric{3};
  static constexpr scalar<std::int8_t> fused{1};
  static constexpr bool each(auto f) { return f(time_major) && f(fused) && f(merge_outputs) && f(asymmetric); }
};

/// SVDF.
struct svdf_options {
  static constexpr std::uint8_t tag = 6;
  static constexpr int fields = 3;
  static constexpr scalar<std::int32_t> rank{0};
  static constexpr scalar<std::int8_t> fused{1};
  static constexpr scalar<bool> asymmetric{2};
  static constexpr bool each(auto f) { return f(rank) && f(fused) && f(asymmetric); }
};

}}}  // namespace nnrt::NNRT_ISA::tflite::schema
