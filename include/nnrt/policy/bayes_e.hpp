// bayes_e: the table of the accelerator of X5 boards - the table of bayes, with the rows that differ.
// Flow: bpu<bayes_e> checks graphs by this table. Another architecture is another file like this one.
#pragma once

#include <nnrt/policy/bayes.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// X5: i8, and i16 for many operators; scales are floats. Compared with bayes it accepts more operators, broadcasts
/// more freely, and has smaller kernels. Source: the operator list of the RDK X5 documentation. Rows that both boards
/// share, and assumptions about both, are in bayes.
struct bayes_e : bayes {
  static constexpr accelerator_limit layer[] = {{rank_must_lie_within_the_limits, 0, 4},
                                                {kernel_volume_must_lie_within_the_limits, 1, 32767}};
  static constexpr accelerator_limit transposed_layer[] = {
      {rank_must_lie_within_the_limits, 0, 4}, {decomposed_kernel_volume_must_lie_within_the_limits, 1, 32767}};
  static constexpr accelerator_limit product_with_weight[] = {
      {kernel_volume_must_lie_within_the_limits, 1, 32767, limits_of::with_weight}};
  static constexpr accelerator_limit mean_windows[] = {
      {kernel_must_lie_within_the_limits, 1, 256, limits_of::windowed},
      {kernel_area_must_lie_within_the_limits, 2, 8192, limits_of::windowed},
      {strides_must_lie_within_the_limits, 1, 256, limits_of::windowed},
      {pads_must_lie_within_the_limits, 0, 255, limits_of::windowed}};
  static constexpr accelerator_limit sum[] = {{rank_must_lie_within_the_limits, 1, 10},
                                              {constants_must_not_be_too_many, 0, 1},
                                              {collapsed_rank_must_lie_within_the_limits, 0, 4}};
  static constexpr accelerator_limit index_of_largest[] = {{axis_must_be_that_of_channels},
                                                           {extent_of_the_axis_must_lie_within_the_limits, 1, 8191},
                                                           {results_must_not_be_too_many, 1, 1}};

  static constexpr accelerator_operator differing[] = {
      {"conv2d", either, here, convolution, layer},
      {"depthwise_conv2d", either, here, convolution, layer},
      {"conv2d_transpose", bytes, here, transposed_convolution, transposed_layer},
      {"full_connection", bytes, here, product, layer},
      {"matmul", bytes, here, matrix_product, product_with_weight},
      {"avg_pool", bytes, here, mean_windows},
      {"add", either, here, sum},
      {"sub", either, here, sum},
      {"mul", either, here, sum},
      {"div", either, here, sum},
      {"maximum", either, here, ranked},
      {"minimum", either, if_asked, ranked},
      {"equal", either, if_asked, ranked},
      {"greater", either, if_asked, ranked},
      {"less", either, if_asked, ranked},
      {"greater_equal", either, if_asked, ranked},
      {"less_equal", either, if_asked, ranked},
      {"prelu", bytes, here, image},
      {"erf", either, here, up_to_10d},
      {"round", either, here, up_to_10d},
      {"arg_max", either, here, index_of_largest, image},
      {"depth_to_space", either, here, blocks, blocks_of_4},
      {"space_to_depth", either, here, blocks},
  };
  static constexpr auto operators = with_rows<bayes::operators, differing>();

  static constexpr accelerator table = [] {
    accelerator made = bayes::table;
    made.name = "bayes_e";
    made.operators = operators;
    return made;
  }();
};

}}  // namespace nnrt::NNRT_ISA
