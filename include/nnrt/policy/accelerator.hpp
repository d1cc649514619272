// accelerator: the table of an accelerator - its operators, their limits, alignment, quantisation, rounding.
// Flow: policy/bayes.hpp and others each define such a table; check_node() reads it, bpu<architecture> names it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/verdict.hpp>

#include <array>
#include <iterator>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Rules of an accelerator about a node. A row of its table gives the limits; if a rule compares two facts of a node,
/// the second one is the limit. Extents are those of images [N, H, W, C]; missing axes of tensors of lower rank count
/// as 1.
enum class accelerator_rule {
  operator_must_be_in_the_table,
  operator_must_be_fused_into_a_convolution,
  operator_must_be_folded_away,
  operator_must_be_asked_for,
  node_must_be_wanted_on_the_accelerator,
  operand_type_must_be_accepted_by_the_accelerator,
  zero_point_must_be_0,
  extents_must_be_known,
  rank_must_lie_within_the_limits,
  batch_must_lie_within_the_limits,
  first_extent_must_lie_within_the_limits,
  extents_must_lie_within_the_limits,
  channels_must_lie_within_the_limits,
  sides_must_lie_within_the_limits,
  elements_must_lie_within_the_limits,
  elements_of_an_image_must_lie_within_the_limits,
  aligned_elements_must_lie_within_the_limits,
  aligned_blocks_of_the_result_must_lie_within_the_limits,
  kernel_must_lie_within_the_limits,
  kernel_area_must_lie_within_the_limits,
  kernel_volume_must_lie_within_the_limits,
  decomposed_kernel_volume_must_lie_within_the_limits,
  filters_must_lie_within_the_limits,
  channels_per_group_must_lie_within_the_limits,
  strides_must_lie_within_the_limits,
  strides_must_be_powers_of_two,
  strides_of_a_dilated_kernel_must_be_1,
  strides_before_a_residual_add_must_lie_within_the_limits,
  stride_area_must_lie_within_the_limits,
  stride_height_must_not_exceed_stride_width,
  dilations_must_lie_within_the_limits,
  dilations_must_be_powers_of_two,
  dilations_must_be_multiples_of_the_strides,
  dilation_height_must_not_exceed_dilation_width,
  image_must_be_a_multiple_of_the_dilation,
  result_of_a_dilated_kernel_must_be_i8,
  pads_must_lie_within_the_limits,
  pads_must_not_exceed_half_of_the_kernel,
  pads_must_not_exceed_kernel_over_stride,
  output_paddings_must_lie_within_the_limits,
  area_of_a_global_pool_must_lie_within_the_limits,
  sides_of_a_global_pool_must_lie_within_the_limits,
  constants_must_not_be_too_many,
  constants_must_not_hold_0,
  operands_must_have_one_shape_or_one_be_a_pixel,
  operands_must_have_one_shape_or_one_be_a_pixel_or_a_number,
  batch_must_not_be_broadcast,
  one_operand_alone_may_be_broadcast,
  collapsed_rank_must_lie_within_the_limits,
  exponent_must_be_one_number,
  axis_must_be_that_of_channels,
  axis_must_not_be_that_of_the_batch,
  extent_of_the_axis_must_lie_within_the_limits,
  node_must_be_the_last,
  results_must_not_be_too_many,
  results_must_be_sorted,
  parts_must_be_equal,
  padding_mode_must_be_constant,
  height_and_width_alone_may_be_padded,
  block_size_must_lie_within_the_limits,
  result_channels_must_be_multiples_of_4,
  computed_indices_must_be_i32,
  enlargement_must_lie_within_the_limits,
  reduction_must_lie_within_the_limits,
  extents_that_change_must_not_be_too_many,
  axes_must_be_height_and_width,
  axes_must_be_one_or_height_and_width,
  axes_must_be_one,
  axes_must_be_kept,
  ranks_of_factors_must_be_equal,
  extents_of_matrices_must_lie_within_the_limits,
  outer_extents_must_lie_within_the_limits,
  outer_extents_of_the_second_factor_must_be_1,
  first_factor_must_be_broadcast_as_a_whole_or_not_at_all,
  broadcast_extents_of_the_second_factor_must_follow_the_others,
};

/// The nodes of an operator to which a limit applies.
enum class limits_of {
  all,
  plain,         // convolutions without groups and dilation
  grouped,       // other convolutions
  last,          // no node on the accelerator reads the result
  followed,      // some node on the accelerator reads the result
  windowed,      // pools that are not global
  one_pixel,     // nodes that read an image of one pixel, or rows
  many_pixels,   // other nodes
  feature_maps,  // matrix products of two computed tensors
  with_weight,   // matrix products whose second factor is one known matrix
};

/// One limit: the facts that the rule concerns must be in [least, most]. Rules that compare two facts of a node do not
/// use these numbers.
struct accelerator_limit {
  accelerator_rule rule{};
  std::int64_t least = 0;
  std::int64_t most = 0;
  limits_of nodes = limits_of::all;
};

/// Where the nodes of an operator run if they break no limit.
enum class placement {
  on_accelerator,
  if_asked,    // on the processor, unless the policy is strict
  fused_only,  // only as part of a convolution: a pass must have folded it
  folded,      // nowhere: no work, its data is not moved
};

/// An operator of an accelerator. Float graphs are quantised to i8, or to i16 on request.
struct accelerator_operator {
  std::string_view name;
  dtype_set accepts;  // dtypes of quantised values that it accepts
  placement runs = placement::on_accelerator;
  array_ref<const accelerator_limit> limits = {};
  array_ref<const accelerator_limit> further = {};
};

/// The rows of a table derived from another: `Differing`, then the rows of `Others` with other names.
template <const auto& Others, const auto& Differing> constexpr auto with_rows() {
  const auto is_replaced = [](const accelerator_operator& row) {
    for (const accelerator_operator& own : Differing)
      if (own.name == row.name) return true;
    return false;
  };
  constexpr std::size_t kept = [&] {
    std::size_t count = 0;
    for (const accelerator_operator& row : Others) count += is_replaced(row) ? 0 : 1;
    return count;
  }();
  std::array<accelerator_operator, std::size(Differing) + kept> rows{};
  std::size_t next = 0;
  for (const accelerator_operator& row : Differing) rows[next++] = row;
  for (const accelerator_operator& row : Others)
    if (!is_replaced(row)) rows[next++] = row;
  return rows;
}

/// Layout of tensors in an accelerator's memory: each extent is rounded up to a multiple, then rows to a stride in
/// bytes.
struct alignment {
  std::int64_t height = 1, width = 1, channels = 1;  // multiples, in elements
  // rounds the bytes of the innermost extent up to 256 k + 0, 16, 32, 64 or 128
  bool innermost_in_steps = false;
};

/// The kinds of scales that an accelerator uses.
enum class scale_kind {
  power_of_two,  // quantised = real * 2^shift
  real,          // quantised = real / scale
};

/// Everything that a policy knows about an architecture. A table is data: another architecture is another file like
/// policy/bayes.hpp.
struct accelerator {
  std::string_view name;
  array_ref<const accelerator_operator> operators;
  array_ref<const accelerator_limit> limits;  // of every operator
  alignment of_feature_maps;                  // NHWC
  alignment of_narrow_inputs;                 // inputs of up to 4 channels, NHWC
  alignment of_planes;                        // NCHW
  alignment of_images;                        // Y and NV12
  scale_kind scales = scale_kind::real;
  quantised_rounding rounding = quantised_rounding::half_to_even;
  std::int64_t memory_alignment = 64;  // of a tensor's first byte
};

/// The verdict on one node: no broken rule, or one rule with the value and the limit.
struct accelerator_verdict {
  int rule = -1;  // index into accelerator_rule; -1: no broken rule
  unit counted = unit::number;
  std::int64_t actual = 0;
  std::int64_t expected = 0;

  constexpr explicit operator bool() const { return rule < 0; }
  constexpr bool breaks(accelerator_rule which) const { return rule == static_cast<int>(which); }
  friend constexpr bool operator==(const accelerator_verdict&, const accelerator_verdict&) = default;
};

}}  // namespace nnrt::NNRT_ISA
