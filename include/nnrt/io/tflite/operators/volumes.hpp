// volumes: readers of .tflite convolutions over three axes, which are expressed by convolutions over two.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/composed_volumes.hpp>
#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/pad.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/transpose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Refuses operand i unless it is f32 of this rank, as TFLite requires for convolutions over three axes.
[[gnu::cold]] constexpr void require_volume(node_reader& node, std::size_t i, int rank) {
  const std::int32_t id = node.input(i);
  const tensor_desc got = node.desc(id);
  if (!node.is_fine() || (got.type == f32 && got.rank() == rank)) return;
  node.not_supported_beside(i, id, rank == 5 ? "f32 of rank 5" : "f32 of rank 1");
}

}  // namespace detail

/// CONV_3D: filters [D, H, W, I, O].
[[gnu::cold]] constexpr void read_conv_3d(node_reader& node) {
  using kind = schema::conv3d_options;
  const auto options = node.options<kind>();
  detail::require_volume(node, 0, 5), detail::require_volume(node, 1, 5);
  if (node.has(2)) detail::require_volume(node, 2, 1);
  if (!node.is_fine()) return;
  std::int32_t x = node.input(0), filters = node.weight(1, x);
  const std::int32_t bias = node.weight(2, x);
  if (!node.is_fine()) return;
  const shape_t of_x = node.desc(x).shape, of_filters = node.desc(filters).shape;
  if (of_filters.elements() < 1 || (of_x[4] >= 0 && of_x[4] != of_filters[3]))
    return node.refuse(error_code::invalid_file, {"filters: got ", of_filters, ", expected [D, H, W, I, O] of the ",
                                                  of_x[4], " channels of the input"});
  detail::depth_windows depth(of_filters[0], options[kind::stride_d], options[kind::dilation_d]);
  if (!depth.is_fine())
    return node.refuse(error_code::invalid_file, {"options: got stride ", depth.stride, " and dilation ",
                                                  depth.dilation, " in depth, expected at least 1"});
  ops::conv2d::attrs attrs;
  attrs.stride = {options[kind::stride_h], options[kind::stride_w]};
  attrs.dilation = {options[kind::dilation_h], options[kind::dilation_w]};
  attrs.pad = node.padding(options[kind::padding]);
  attrs.fused = node.fused(options[kind::fused]);
  const bool is_same = attrs.pad.mode == pad_mode::same;
  // Without padding, windows must fit inside; with SAME padding, they must begin inside.
  const std::int64_t more = is_same ? depth.stride - 1 : depth.stride - depth.reach;
  if (of_x[1] >= 0) depth.known_count = of_x[1] + more < 0 ? 0 : (of_x[1] + more) / depth.stride;
  if (depth.known_count == 0)
    return node.refuse(error_code::invalid_file, {"input 0: got ", of_x[1], " planes, expected at least ",
                                                  is_same ? 1 : depth.reach, ", as many as a window has"});
  depth.count = depth.known_count >= 0
                    ? node.integer_list({depth.known_count})
                    : node.add<ops::div>(
                          {}, {node.add<ops::add>({}, {detail::extents_of(node, x, 1, 1), node.integer_list({more})}),
                               node.integer_list({depth.stride})});
  if (is_same) x = detail::padded_in_depth(node, x, depth);
  filters = node.add<ops::transpose>({}, {filters, node.integer_list({4, 1, 2, 0, 3})});
  filters = node.add<ops::reshape>(
      {}, {filters, node.integer_list({of_filters[4], of_filters[1], of_filters[2], of_filters[0] * of_filters[3]})});
  node.conclude(0, detail::convolved_in_depth(node, x, filters, bias, depth, attrs));
}

namespace detail {

/// One axis of a transposed convolution: the number of input positions for an output extent, and the number of leading
/// results that are cropped.
struct transposed_axis {
  std::int64_t from = 0, before = 0;

  constexpr transposed_axis(std::int64_t to, std::int64_t reach, std::int64_t stride, bool is_same) {
    from = is_same ? (to + stride - 1) / stride : to < reach ? 0 : (to - reach) / stride + 1;
    if (is_same) before = std::max<std::int64_t>((from - 1) * stride + reach - to, 0) / 2;
  }
};

/// Spreads planes of x [N, D, rest] to `to` planes: plane d becomes plane d * stride + offset; the others are zeros.
/// Returns ir::none when all planes fall outside.
[[gnu::cold]] constexpr std::int32_t planes_in_place(node_reader& node, std::int32_t x, const shape_t& shape,
                                                     std::int64_t stride, std::int64_t offset, std::int64_t to) {
  const std::int64_t all = shape[1] * stride, first = std::max<std::int64_t>(-offset, 0),
                     front = std::max<std::int64_t>(offset, 0);
  const std::int64_t count = std::min(all - first, to - front);
  if (count <= 0) return ir::none;
  if (stride > 1) {
    x = reshaped(node, x, pool<std::int64_t>{shape[0], shape[1], 1, shape[2]});
    x = node.add<ops::pad>({}, {x, node.integer_list({0, 0, 0, 0, 0, stride - 1, 0, 0})});
    x = reshaped(node, x, pool<std::int64_t>{shape[0], all, shape[2]});
  }
  if (count < all)
    x = node.add<ops::slice>({}, {x, node.integer_list({0, first, 0}), node.integer_list({-1, count, -1})});
  return count == to ? x : node.add<ops::pad>({}, {x, node.integer_list({0, 0, front, to - front - count, 0, 0})});
}

}  // namespace detail

namespace detail {

/// What CONV_3D_TRANSPOSE computes with: the shapes of output, input and filters [D, H, W, O, I], and its windows.
struct transposed_volume {
  shape_t to, from, filters;
  depth_windows axes[3];
  bool is_same;

  constexpr transposed_axis axis(int i) const { return {to[i + 1], axes[i].reach, axes[i].stride, is_same}; }
  /// Finds the input's shape [N, D, H, W, I], `x` with extents that may be unknown. False: there is none.
  constexpr bool find_input(const shape_t& x) {
    if (to.rank != 5 || to.elements() <= 0 || to[4] != filters[3] || filters[4] <= 0) return false;
    from = shape_t{to[0]};
    for (int i = 0; i < 3; ++i) {
      if (!axes[i].is_fine()) return false;
      from.push_back(axis(i).from);
    }
    from.push_back(filters[4]);
    for (int i = 0; i < 5; ++i)
      if (from[i] <= 0 || (x[i] >= 0 && x[i] != from[i])) return false;
    return true;
  }
};

/// Contributions of all kernel planes [N * D * H' * W', planes, O], by one conv2d_transpose.
[[gnu::cold]] constexpr std::int32_t contributions_of_planes(node_reader& node, const transposed_volume& v,
                                                             const ops::conv2d_transpose::attrs& attrs, std::int32_t x,
                                                             std::int32_t filters) {
  const shape_t &from = v.from, &to = v.to, &of_filters = v.filters;
  const std::int64_t planes = of_filters[0], channels = to[4], images = from[0] * from[1];
  std::int32_t kernel = node.add<ops::transpose>({}, {filters, node.integer_list({0, 3, 1, 2, 4})});
  kernel = reshaped(node, kernel, pool<std::int64_t>{planes * channels, of_filters[1], of_filters[2], of_filters[4]});
  x = reshaped(node, x, pool<std::int64_t>{images, from[2], from[3], from[4]});
  const std::int32_t all = node.add<ops::conv2d_transpose>(
      attrs, {x, kernel, ir::none}, {f32, format::nhwc, {images, to[2], to[3], planes * channels}});
  return reshaped(node, all, pool<std::int64_t>{images * to[2] * to[3], planes, channels});
}

/// Their sums along the depth, [N, D', H', W', O]; ir::none after a refusal.
[[gnu::cold]] constexpr std::int32_t sum_of_planes(node_reader& node, const transposed_volume& v, std::int32_t all) {
  const shape_t &from = v.from, &to = v.to;
  const std::int64_t planes = v.filters[0];
  // estimated size of the nodes below, counted for any source of the filters
  constexpr std::int64_t bytes_of_plane = 512;
  node.count_copy(bytes_of_plane * planes);
  std::int32_t y = ir::none;
  for (std::int64_t k = 0; node.is_fine() && k < planes; ++k) {
    const std::int32_t plane =
        node.add<ops::slice>({}, {all, node.integer_list({0, k, 0}), node.integer_list({-1, 1, -1})});
    const shape_t shape{from[0], from[1], to[2] * to[3] * to[4]};
    const std::int32_t shaped = reshaped(node, plane, pool<std::int64_t>{shape[0], shape[1], shape[2]});
    const std::int32_t placed =
        planes_in_place(node, shaped, shape, v.axes[0].stride, k * v.axes[0].dilation - v.axis(0).before, to[1]);
    if (placed != ir::none) y = y == ir::none ? placed : node.add<ops::add>({}, {y, placed});
  }
  return node.is_fine() ? reshaped(node, y, pool<std::int64_t>{to[0], to[1], to[2], to[3], to[4]}) : ir::none;
}

}  // namespace detail

/// CONV_3D_TRANSPOSE: the output's shape, filters [D, H, W, O, I], then the input. One conv2d_transpose computes the
/// contributions of all kernel planes; then they are added along the depth.
[[gnu::cold]] constexpr void read_conv_3d_transpose(node_reader& node) {
  using kind = schema::conv3d_options;
  const auto options = node.options<kind>();
  const shape_t to = node.shape(0);
  detail::require_volume(node, 1, 5), detail::require_volume(node, 2, 5);
  if (node.has(3)) detail::require_volume(node, 3, 1);
  const std::int32_t x = node.input(2), filters = node.weight(1, x);
  const shape_t of_x = node.desc(x).shape, of_filters = node.desc(filters).shape;
  ops::conv2d_transpose::attrs attrs;
  attrs.stride = {options[kind::stride_h], options[kind::stride_w]};
  attrs.dilation = {options[kind::dilation_h], options[kind::dilation_w]};
  attrs.pad = node.padding(options[kind::padding]);
  ops::add::attrs sum;
  sum.fused = node.fused(options[kind::fused]);
  if (!node.is_fine()) return;
  detail::transposed_volume v{to,
                              {},
                              of_filters,
                              {{of_filters[0], options[kind::stride_d], options[kind::dilation_d]},
                               {of_filters[1], attrs.stride.h, attrs.dilation.h},
                               {of_filters[2], attrs.stride.w, attrs.dilation.w}},
                              attrs.pad.mode == pad_mode::same};
  if (!v.find_input(of_x))
    return node.refuse(error_code::invalid_file,
                       {"output_shape: got ", to, ", expected one whose convolution with filters ", of_filters,
                        " has the input's shape, ", of_x});
  const std::int32_t y = detail::sum_of_planes(node, v, detail::contributions_of_planes(node, v, attrs, x, filters));
  if (!node.is_fine()) return;
  node.conclude(0, node.add<ops::add>(sum, {y, node.has(3) ? node.weight(3, x) : node.scalar(f32, 0)}));
}

}}}  // namespace nnrt::NNRT_ISA::tflite
