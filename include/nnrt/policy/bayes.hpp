// bayes: the table of the accelerator of J5 and RDK Ultra boards.
// Flow: bpu<bayes> checks graphs by this table. Another architecture is another file like this one.
#pragma once

#include <nnrt/policy/accelerator.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// J5 and RDK Ultra: i8, and i16 for many operators; scales are floats. Source: the operator list of the RDK Ultra
/// documentation.
///
/// Operators that the list does not name: a dense layer counts as a convolution of one pixel; less_equal and
/// greater_equal as a comparison and a negation; swish, gelu and hswish as functions by a look-up table; bias_add as an
/// addition.
struct bayes {
  using enum accelerator_rule;

  static constexpr accelerator_limit general[] = {{batch_must_lie_within_the_limits, 1, 4096},
                                                  {extents_must_lie_within_the_limits, 1, 65536},
                                                  {elements_must_lie_within_the_limits, 1, std::int64_t{1} << 30}};
  static constexpr accelerator_limit image[] = {{rank_must_lie_within_the_limits, 0, 4}};
  static constexpr accelerator_limit layer[] = {{rank_must_lie_within_the_limits, 0, 4},
                                                {kernel_volume_must_lie_within_the_limits, 1, 65535}};

  static constexpr accelerator_limit convolution[] = {
      {filters_must_lie_within_the_limits, 1, 8192},
      {kernel_must_lie_within_the_limits, 1, 31},
      {channels_per_group_must_lie_within_the_limits, 1, 8192, limits_of::followed},
      {channels_per_group_must_lie_within_the_limits, 1, 65536, limits_of::last},
      {strides_must_lie_within_the_limits, 1, 256},
      {strides_before_a_residual_add_must_lie_within_the_limits, 1, 2},
      {strides_of_a_dilated_kernel_must_be_1, 1, 1},
      {dilations_must_lie_within_the_limits, 1, 16},
      {image_must_be_a_multiple_of_the_dilation},
      {result_of_a_dilated_kernel_must_be_i8},
      {pads_must_lie_within_the_limits, 0, 256}};
  static constexpr accelerator_limit transposed_convolution[] = {
      {batch_must_lie_within_the_limits, 1, 128},    {channels_must_lie_within_the_limits, 1, 2048},
      {filters_must_lie_within_the_limits, 1, 2048}, {channels_per_group_must_lie_within_the_limits, 1, 2048},
      {kernel_must_lie_within_the_limits, 1, 14},    {kernel_area_must_lie_within_the_limits, 2, 196},
      {strides_must_lie_within_the_limits, 1, 14},   {stride_area_must_lie_within_the_limits, 2, 196},
      {pads_must_not_exceed_kernel_over_stride},     {output_paddings_must_lie_within_the_limits, 0, 1},
      {dilations_must_lie_within_the_limits, 1, 1}};
  static constexpr accelerator_limit product[] = {
      {filters_must_lie_within_the_limits, 1, 8192},
      {channels_per_group_must_lie_within_the_limits, 1, 8192, limits_of::followed},
      {channels_per_group_must_lie_within_the_limits, 1, 65536, limits_of::last}};
  static constexpr accelerator_limit matrix_product[] = {
      {ranks_of_factors_must_be_equal, 0, 0, limits_of::feature_maps},
      {extents_of_matrices_must_lie_within_the_limits, 1, 8192, limits_of::feature_maps},
      {outer_extents_must_lie_within_the_limits, 1, 4096, limits_of::feature_maps},
      {first_factor_must_be_broadcast_as_a_whole_or_not_at_all, 0, 0, limits_of::feature_maps},
      {broadcast_extents_of_the_second_factor_must_follow_the_others, 0, 0, limits_of::feature_maps},
      {filters_must_lie_within_the_limits, 1, 8192, limits_of::with_weight},
      {channels_per_group_must_lie_within_the_limits, 1, 8192, limits_of::followed}};
  static constexpr accelerator_limit product_with_weight[] = {
      {kernel_volume_must_lie_within_the_limits, 1, 65535, limits_of::with_weight}};
  static constexpr accelerator_limit windows[] = {{kernel_must_lie_within_the_limits, 1, 256, limits_of::windowed},
                                                  {strides_must_lie_within_the_limits, 1, 256, limits_of::windowed},
                                                  {pads_must_lie_within_the_limits, 0, 256, limits_of::windowed}};
  static constexpr accelerator_limit global_largest[] = {{sides_of_a_global_pool_must_lie_within_the_limits, 1, 256}};
  static constexpr accelerator_limit sum[] = {{constants_must_not_be_too_many, 0, 1},
                                              {rank_must_lie_within_the_limits, 2, 5},
                                              {batch_must_not_be_broadcast},
                                              {collapsed_rank_must_lie_within_the_limits, 0, 4}};
  static constexpr accelerator_limit choice[] = {{rank_must_lie_within_the_limits, 2, 5},
                                                 {one_operand_alone_may_be_broadcast}};
  static constexpr accelerator_limit ranked[] = {{rank_must_lie_within_the_limits, 1, 10}};
  static constexpr accelerator_limit up_to_10d[] = {{rank_must_lie_within_the_limits, 1, 10},
                                                    {first_extent_must_lie_within_the_limits, 1, 4096}};
  static constexpr accelerator_limit power[] = {{exponent_must_be_one_number, 1, 1}};
  static constexpr accelerator_limit shares[] = {{axis_must_not_be_that_of_the_batch}, {axes_must_be_one}};
  static constexpr accelerator_limit index_of_largest[] = {{axis_must_be_that_of_channels},
                                                           {extent_of_the_axis_must_lie_within_the_limits, 1, 64},
                                                           {results_must_not_be_too_many, 1, 1}};
  static constexpr accelerator_limit joined[] = {{axis_must_not_be_that_of_the_batch}};
  static constexpr accelerator_limit parts[] = {{axis_must_not_be_that_of_the_batch}, {parts_must_be_equal}};
  static constexpr accelerator_limit border[] = {{padding_mode_must_be_constant}};
  static constexpr accelerator_limit blocks[] = {{block_size_must_lie_within_the_limits, 2, 2}};
  static constexpr accelerator_limit blocks_of_4[] = {{result_channels_must_be_multiples_of_4}};
  static constexpr accelerator_limit scaling[] = {{sides_must_lie_within_the_limits, 1, 8192}};
  static constexpr accelerator_limit mean[] = {
      {rank_must_lie_within_the_limits, 2, 5}, {axes_must_be_one_or_height_and_width}, {axes_must_be_kept}};
  static constexpr accelerator_limit total[] = {{rank_must_lie_within_the_limits, 2, 5}, {axes_must_be_one}};
  static constexpr accelerator_limit largest[] = {
      {axes_must_be_one}, {extent_of_the_axis_must_lie_within_the_limits, 1, 8192}, {axes_must_be_kept}};
  static constexpr accelerator_limit lookup[] = {{computed_indices_must_be_i32}};
  static constexpr accelerator_limit repeated[] = {{extents_that_change_must_not_be_too_many, 0, 1}};
  static constexpr accelerator_limit sorted[] = {{results_must_be_sorted}};
  static constexpr accelerator_limit one_sequence[] = {{batch_must_lie_within_the_limits, 1, 1}};

  static constexpr dtype_set bytes = types_of(i8), either = types_of(i8) | types_of(i16);
  static constexpr placement here = placement::on_accelerator, if_asked = placement::if_asked;
  static constexpr accelerator_operator operators[] = {
      {"conv2d", either, here, convolution, layer},
      {"depthwise_conv2d", either, here, convolution, layer},
      {"conv2d_transpose", bytes, here, transposed_convolution, layer},
      {"full_connection", bytes, here, product, layer},
      {"matmul", bytes, here, matrix_product, product_with_weight},
      {"max_pool", either, here, windows, global_largest},
      {"avg_pool", bytes, here, windows},
      {"add", either, here, sum},
      {"sub", either, here, sum},
      {"mul", either, here, sum},
      {"div", either, here, sum},
      {"bias_add", either},
      {"maximum", either, here, choice},
      {"minimum", either, if_asked, choice},
      {"equal", either, if_asked, choice},
      {"greater", either, if_asked, choice},
      {"less", either, if_asked, choice},
      {"greater_equal", either, if_asked, choice},
      {"less_equal", either, if_asked, choice},
      {"relu", either, here, up_to_10d},
      {"relu6", either, here, up_to_10d},
      {"leaky_relu", either, here, up_to_10d},
      {"clip", either, here, up_to_10d},
      {"sigmoid", either, here, up_to_10d},
      {"tanh", either, here, up_to_10d},
      {"cos", either, here, up_to_10d},
      {"sin", either, here, up_to_10d},
      {"sqrt", either, here, up_to_10d},
      {"swish", either, here, up_to_10d},
      {"gelu", either, here, up_to_10d},
      {"hswish", either, here, up_to_10d},
      {"exp", either, here, up_to_10d},
      {"reciprocal", either, here, up_to_10d},
      {"pow", either, here, up_to_10d, power},
      {"log", either, here, up_to_10d},
      {"abs", either, here, up_to_10d},
      {"ceil", either, here, up_to_10d},
      {"floor", either, here, up_to_10d},
      {"hard_sigmoid", either, here, up_to_10d},
      {"softmax", either, if_asked, shares, image},
      {"batch_norm", bytes},
      {"scale", bytes},
      {"arg_max", either, here, index_of_largest, image},
      {"concat", either, here, joined},
      {"split", either, here, parts},
      {"slice", either},
      {"strided_slice", either},
      {"pad", either, here, border},
      {"reshape", either, here, ranked},
      {"flatten", either, here, ranked},
      {"squeeze", either, here, ranked},
      {"unsqueeze", either, here, ranked},
      {"expand_dims", either, here, ranked},
      {"shape_of", bytes, placement::folded},
      {"transpose", either},
      {"depth_to_space", bytes, here, blocks, blocks_of_4},
      {"space_to_depth", bytes, here, blocks},
      {"resize_bilinear", bytes, here, scaling, image},
      {"reduce_mean", either, here, mean},
      {"reduce_sum", either, here, total},
      {"reduce_max", either, here, largest},
      {"gather", bytes, here, lookup, image},
      {"broadcast_to", either, here, repeated},
      {"tile", either, here, repeated},
      {"top_k", either, here, sorted},
      {"lstm", bytes, here, one_sequence},
  };

  static constexpr accelerator table{.name = "bayes",
                                     .operators = operators,
                                     .limits = general,
                                     .of_feature_maps = {.innermost_in_steps = true},
                                     .of_narrow_inputs = {.height = 2, .width = 32},
                                     .of_planes = {.innermost_in_steps = true},
                                     .of_images = {.width = 16},
                                     .scales = scale_kind::real};
};

}}  // namespace nnrt::NNRT_ISA
