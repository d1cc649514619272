// images: readers of operators of .tflite files that move pixels between places, channels and a batch, and of resizing.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/batch_to_space_nd.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/resize_bilinear.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/space_to_batch_nd.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/ops/unsqueeze.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

namespace detail {

/// Blocks and borders of BATCH_TO_SPACE_ND and SPACE_TO_BATCH_ND, operators of ours on images. Sequences [N, T, C]
/// become images one pixel wide.
template <class Op, auto Borders> [[gnu::cold]] void read_blocks(node_reader& node) {
  const std::int32_t x = node.input(0);
  const pool<std::int64_t> block = node.integers(1), borders = node.integers(2);
  const bool is_sequence = block.size() == 1;
  if (!node.is_fine()) return;
  if (block.empty() || block.size() > 2 || borders.size() != 2 * block.size())
    return node.not_supported({"blocks along ", block.size(), " axes with ", borders.size(), " borders"});
  typename Op::attrs attrs;
  attrs.block = {block[0], is_sequence ? 1 : block[1]};
  for (std::size_t i = 0; i < 4; ++i) (attrs.*Borders).push_back(i < borders.size() ? borders[i] : 0);
  if (!is_sequence) return node.finish<Op>(attrs, {x});
  ops::unsqueeze::attrs widened;
  widened.axes.push_back(2);
  ops::squeeze::attrs narrowed;
  narrowed.axes.push_back(2);
  node.finish<ops::squeeze>(narrowed, {node.add<Op>(attrs, {node.add<ops::unsqueeze>(widened, {x})})});
}

/// A value reshaped to extents 0 to 2 of an image, which may be unknown, and others.
[[gnu::cold]] inline std::int32_t reshaped_behind(node_reader& node, std::int32_t x, std::int32_t batch_and_size,
                                                  array_ref<const std::int64_t> others) {
  const std::int32_t shape = node.add<ops::concat>({}, {batch_and_size, node.integer_list(others)});
  return node.add<ops::reshape>({}, {x, shape});
}
/// The first three extents of an image as a list of i64.
[[gnu::cold]] inline std::int32_t batch_and_size(node_reader& node, std::int32_t x) {
  const std::int32_t extents = node.add<ops::shape_of>({}, {x});
  return cast_to(node, node.add<ops::slice>({}, {extents, node.integer_list({0}), node.integer_list({3})}), i64);
}
/// The axes of [N, H, a, W, b, c] and of [N, H, W, a, b, c], each in the other's order.
[[gnu::cold]] inline std::int32_t with_blocks_swapped(node_reader& node, std::int32_t x) {
  return node.add<ops::transpose>({}, {x, node.integer_list({0, 1, 3, 2, 4, 5})});
}
/// The channels of an image that are cut into blocks. Refused: no image, and block sizes that do not fit.
[[gnu::cold]] inline std::int64_t channels_for(node_reader& node, std::int32_t x, std::int64_t block,
                                               std::int64_t parts) {
  const tensor_desc desc = node.desc(x);
  if (!node.is_fine()) return 0;
  if (desc.rank() != 4) node.refuse(error_code::invalid_file, {"input: got rank ", desc.rank(), ", expected 4"});
  else if (block < 1 || block > 1 << 15) node.refuse(error_code::invalid_file, {"block size: got ", block});
  else if (desc.shape[3] < 0) node.not_supported({"an unknown number of channels"});
  else if (desc.shape[3] == 0 || desc.shape[3] % parts != 0)
    node.refuse(error_code::invalid_file,
                {"channels: got ", desc.shape[3], ", expected a multiple of ", parts, " for blocks of ", block});
  return node.is_fine() ? desc.shape[3] : 0;
}

/// Where along an axis the nearest pixels are, as a value; ir::none when all stay where they are.
[[gnu::cold]] inline std::int32_t nearest_pixels(node_reader& node, std::int64_t from, std::int64_t to,
                                                 bool align_corners, bool half_pixels) {
  const float scale = align_corners && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                              : static_cast<float>(from) / static_cast<float>(to);
  node.count_copy(to * 8);
  if (!node.is_fine() || from == to) return ir::none;
  pool<std::int64_t> places;
  for (std::int64_t i = 0; i < to; ++i) {
    const float place = (static_cast<float>(i) + (half_pixels ? 0.5F : 0.0F)) * scale;
    const auto pixel = static_cast<std::int64_t>(align_corners ? std::round(place) : std::floor(place));
    places.push_back(pixel < from ? pixel : from - 1);
  }
  return node.integer_list(places);
}

}  // namespace detail

[[gnu::cold]] inline void read_batch_to_space_nd(node_reader& node) {
  detail::read_blocks<ops::batch_to_space_nd, &ops::batch_to_space_nd::attrs::crops>(node);
}
[[gnu::cold]] inline void read_space_to_batch_nd(node_reader& node) {
  detail::read_blocks<ops::space_to_batch_nd, &ops::space_to_batch_nd::attrs::paddings>(node);
}

/// [N, H, W, b * b * C] as [N, H * b, W * b, C].
[[gnu::cold]] inline void read_depth_to_space(node_reader& node) {
  const std::int64_t b = node.options<schema::depth_to_space_options>()[schema::depth_to_space_options::block_size];
  const std::int32_t x = node.input(0);
  const std::int64_t channels = detail::channels_for(node, x, b, b * b);
  if (!node.is_fine()) return;
  const std::int64_t each = channels / (b * b);
  const std::int32_t size = detail::batch_and_size(node, x);
  const std::int32_t larger = node.add<ops::mul>({}, {size, node.integer_list({1, b, b})});
  const std::int32_t cut = detail::reshaped_behind(node, x, size, pool<std::int64_t>{b, b, each});
  node.finish<ops::reshape>(
      {}, {detail::with_blocks_swapped(node, cut), node.add<ops::concat>({}, {larger, node.integer_list({each})})});
}
/// [N, H * b, W * b, C] as [N, H, W, b * b * C].
[[gnu::cold]] inline void read_space_to_depth(node_reader& node) {
  const std::int64_t b = node.options<schema::space_to_depth_options>()[schema::space_to_depth_options::block_size];
  const std::int32_t x = node.input(0);
  const std::int64_t channels = detail::channels_for(node, x, b, 1);
  if (!node.is_fine()) return;
  const std::int32_t size = node.add<ops::div>({}, {detail::batch_and_size(node, x), node.integer_list({1, b, b})});
  const auto part = [&](std::int64_t i) {
    return node.add<ops::slice>({}, {size, node.integer_list({i}), node.integer_list({1})});
  };
  const std::int32_t cut =
      node.add<ops::concat>({}, {part(0), part(1), node.integer_list({b}), part(2), node.integer_list({b, channels})});
  const std::int32_t moved = detail::with_blocks_swapped(node, node.add<ops::reshape>({}, {x, cut}));
  node.finish<ops::reshape>({}, {moved, node.add<ops::concat>({}, {size, node.integer_list({b * b * channels})})});
}

[[gnu::cold]] inline void read_resize_bilinear(node_reader& node) {
  using kind = schema::resize_bilinear_options;
  const auto options = node.options<kind>();
  const pool<std::int64_t> size = node.integers(1);
  if (!node.is_fine()) return;
  if (size.size() != 2)
    return node.refuse(error_code::invalid_file, {"size: got ", size.size(), " numbers, expected 2"});
  if (options[kind::align_corners] && options[kind::half_pixel_centers])
    return node.refuse(error_code::invalid_file, {"align_corners and half_pixel_centers contradict each other"});
  ops::resize_bilinear::attrs attrs;
  attrs.new_height = size[0], attrs.new_width = size[1];
  attrs.coordinate_mode = options[kind::align_corners]        ? coordinates::align_corners
                          : options[kind::half_pixel_centers] ? coordinates::half_pixel
                                                              : coordinates::asymmetric;
  node.finish<ops::resize_bilinear>(attrs, {node.input(0)});
}

/// Rows and columns, as often as they are the nearest ones.
[[gnu::cold]] inline void read_resize_nearest_neighbor(node_reader& node) {
  using kind = schema::resize_nearest_neighbor_options;
  const auto options = node.options<kind>();
  std::int32_t x = node.input(0);
  const shape_t shape = node.desc(x).shape;
  const pool<std::int64_t> size = node.integers(1);
  if (!node.is_fine()) return;
  if (shape.rank != 4 || size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > 1 << 20 || size[1] > 1 << 20)
    return node.refuse(error_code::invalid_file, {"size: got ", size.size(), " numbers for rank ", shape.rank,
                                                  ", expected height and width for 4"});
  if (shape[1] < 1 || shape[2] < 1) return node.not_supported({"an image of unknown size, or of none"});
  for (int axis = 1; axis <= 2; ++axis) {
    const std::int32_t places = detail::nearest_pixels(node, shape[axis], size[static_cast<std::size_t>(axis - 1)],
                                                       options[kind::align_corners], options[kind::half_pixel_centers]);
    if (places != ir::none) x = node.add<ops::gather>({}, {x, places, node.integer_list({axis})});
  }
  node.conclude(0, x);
}

}  // namespace nnrt::inline NNRT_ISA::tflite
