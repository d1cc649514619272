// bernoulli2: the table of the accelerator of X3 and J3 boards.
// Flow: bpu<bernoulli2> checks graphs by this table. Another architecture is another file like this one.
#pragma once

#include <nnrt/policy/accelerator.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// X3 and J3. All tensors have four axes; quantised values are i8, with scales that are powers of two. Source: the
/// operator list of the RDK X3 documentation.
///
/// The list does not say how feature maps are aligned; of the two orders that it names, this table uses 8W4C. hswish
/// counts as hard_sigmoid and mul; swish and gelu count as functions by a look-up table.
struct bernoulli2 {
  using enum accelerator_rule;

  static constexpr accelerator_limit general[] = {{rank_must_lie_within_the_limits, 0, 4},
                                                  {batch_must_lie_within_the_limits, 1, 128}};

  static constexpr accelerator_limit convolution[] = {
      {kernel_must_lie_within_the_limits, 1, 7},
      {channels_per_group_must_lie_within_the_limits, 1, 4096, limits_of::plain},
      {channels_per_group_must_lie_within_the_limits, 1, 2048, limits_of::grouped},
      {kernel_volume_must_lie_within_the_limits, 1, 32768},
      {strides_before_a_residual_add_must_lie_within_the_limits, 1, 2},
      {dilations_must_be_powers_of_two},
      {dilations_must_be_multiples_of_the_strides},
      {dilation_height_must_not_exceed_dilation_width}};
  static constexpr accelerator_limit transposed_convolution[] = {{kernel_must_lie_within_the_limits, 2, 14},
                                                                 {channels_must_lie_within_the_limits, 1, 2048},
                                                                 {pads_must_not_exceed_half_of_the_kernel},
                                                                 {strides_must_lie_within_the_limits, 2, 4},
                                                                 {strides_must_be_powers_of_two},
                                                                 {stride_height_must_not_exceed_stride_width},
                                                                 {dilations_must_lie_within_the_limits, 1, 1}};
  static constexpr accelerator_limit product[] = {
      {channels_per_group_must_lie_within_the_limits, 1, 16384, limits_of::one_pixel},
      {channels_per_group_must_lie_within_the_limits, 1, 2048, limits_of::many_pixels},
      {kernel_volume_must_lie_within_the_limits, 1, 32768},
      {aligned_blocks_of_the_result_must_lie_within_the_limits, 1, 1024, limits_of::followed},
      {aligned_blocks_of_the_result_must_lie_within_the_limits, 1, 2047, limits_of::last}};
  static constexpr accelerator_limit matrix_product[] = {
      {batch_must_lie_within_the_limits, 1, 1, limits_of::feature_maps},
      {outer_extents_of_the_second_factor_must_be_1, 1, 1, limits_of::feature_maps},
      {channels_per_group_must_lie_within_the_limits, 1, 2048, limits_of::with_weight},
      {aligned_blocks_of_the_result_must_lie_within_the_limits, 1, 2047, limits_of::with_weight}};
  static constexpr accelerator_limit largest_of_window[] = {
      {kernel_must_lie_within_the_limits, 1, 64, limits_of::windowed},
      {strides_must_lie_within_the_limits, 1, 185, limits_of::windowed},
      {sides_of_a_global_pool_must_lie_within_the_limits, 1, 1024}};
  static constexpr accelerator_limit mean_of_window[] = {
      {kernel_must_lie_within_the_limits, 1, 7, limits_of::windowed},
      {strides_must_lie_within_the_limits, 1, 185, limits_of::windowed},
      {area_of_a_global_pool_must_lie_within_the_limits, 1, 8192}};
  static constexpr accelerator_limit channels[] = {{channels_must_lie_within_the_limits, 1, 2048}};
  static constexpr accelerator_limit sum[] = {{constants_must_not_be_too_many, 0, 0},
                                              {operands_must_have_one_shape_or_one_be_a_pixel}};
  static constexpr accelerator_limit factors[] = {{batch_must_lie_within_the_limits, 1, 1},
                                                  {operands_must_have_one_shape_or_one_be_a_pixel_or_a_number},
                                                  {constants_must_not_hold_0, 0, 0}};
  static constexpr accelerator_limit quotient[] = {{channels_must_lie_within_the_limits, 1, 2048},
                                                   {batch_must_lie_within_the_limits, 1, 1},
                                                   {constants_must_not_be_too_many, 0, 0},
                                                   {operands_must_have_one_shape_or_one_be_a_pixel_or_a_number}};
  static constexpr accelerator_limit sigmoid_table[] = {{aligned_elements_must_lie_within_the_limits, 1, 8192}};
  static constexpr accelerator_limit small_table[] = {{elements_of_an_image_must_lie_within_the_limits, 1, 8192}};
  static constexpr accelerator_limit power[] = {{exponent_must_be_one_number, 1, 1}};
  static constexpr accelerator_limit shares[] = {{axis_must_be_that_of_channels}, {node_must_be_the_last}};
  static constexpr accelerator_limit index_of_largest[] = {{axis_must_be_that_of_channels},
                                                           {extent_of_the_axis_must_lie_within_the_limits, 1, 64},
                                                           {results_must_not_be_too_many, 1, 1}};
  static constexpr accelerator_limit parts[] = {{axis_must_not_be_that_of_the_batch}, {parts_must_be_equal}};
  static constexpr accelerator_limit border[] = {{padding_mode_must_be_constant},
                                                 {height_and_width_alone_may_be_padded}};
  static constexpr accelerator_limit blocks[] = {{block_size_must_lie_within_the_limits, 2, 2}};
  static constexpr accelerator_limit scaling[] = {{enlargement_must_lie_within_the_limits, 0, 256},
                                                  {reduction_must_lie_within_the_limits, 0, 255}};
  static constexpr accelerator_limit mean[] = {{rank_must_lie_within_the_limits, 2, 4},
                                               {axes_must_be_height_and_width}};
  static constexpr accelerator_limit one_sequence[] = {{batch_must_lie_within_the_limits, 1, 1}};

  static constexpr dtype_set bytes = types_of(i8);
  static constexpr placement here = placement::on_accelerator;
  static constexpr accelerator_operator operators[] = {
      {"conv2d", bytes, here, convolution},
      {"depthwise_conv2d", bytes, here, convolution},
      {"conv2d_transpose", bytes, here, transposed_convolution},
      {"full_connection", bytes, here, product},
      {"matmul", bytes, here, matrix_product},
      {"max_pool", bytes, here, largest_of_window},
      {"avg_pool", bytes, here, mean_of_window},
      {"add", bytes, here, sum, channels},
      {"mul", bytes, here, factors, channels},
      {"div", bytes, here, quotient},
      {"relu", bytes},
      {"relu6", bytes},
      {"leaky_relu", bytes},
      {"clip", bytes},
      {"prelu", bytes},
      {"sigmoid", bytes, here, sigmoid_table},
      {"tanh", bytes, here, small_table},
      {"cos", bytes, here, small_table},
      {"sin", bytes, here, small_table},
      {"sqrt", bytes, here, small_table},
      {"swish", bytes, here, small_table},
      {"gelu", bytes, here, small_table},
      {"exp", bytes},
      {"reciprocal", bytes},
      {"pow", bytes, here, power},
      {"softmax", bytes, placement::if_asked, shares},
      {"batch_norm", bytes, placement::fused_only},
      {"scale", bytes, placement::fused_only},
      {"bias_add", bytes, placement::fused_only},
      {"arg_max", bytes, here, index_of_largest},
      {"concat", bytes, here, channels},
      {"split", bytes, here, parts},
      {"slice", bytes},
      {"strided_slice", bytes},
      {"pad", bytes, here, border},
      {"depth_to_space", bytes, here, blocks},
      {"space_to_depth", bytes, here, blocks},
      {"resize_bilinear", bytes, here, scaling},
      {"reduce_mean", bytes, here, mean},
      {"lstm", bytes, here, one_sequence},
      {"reshape", bytes, placement::folded},
      {"flatten", bytes, placement::folded},
      {"squeeze", bytes, placement::folded},
      {"unsqueeze", bytes, placement::folded},
      {"expand_dims", bytes, placement::folded},
      {"shape_of", bytes, placement::folded},
  };

  static constexpr accelerator table{.name = "bernoulli2",
                                     .operators = operators,
                                     .limits = general,
                                     .of_feature_maps = {.width = 8, .channels = 4},
                                     .of_narrow_inputs = {.width = 8, .channels = 4},
                                     .of_planes = {.width = 8, .channels = 4},
                                     .of_images = {.width = 16},
                                     .scales = scale_kind::power_of_two};
};

}}  // namespace nnrt::NNRT_ISA
