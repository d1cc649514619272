// images: readers of .tflite operators that move pixels between space, channels and batch, and that resize images.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/composed_extents.hpp>
#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/batch_to_space_nd.hpp>
#include <nnrt/ops/depth_to_space.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/resize_bilinear.hpp>
#include <nnrt/ops/space_to_batch_nd.hpp>
#include <nnrt/ops/space_to_depth.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/unsqueeze.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// BATCH_TO_SPACE_ND and SPACE_TO_BATCH_ND, whose nnrt operators take images. Sequences [N, T, C] become images of
/// width 1.
template <class Op, auto Borders> [[gnu::cold]] constexpr void read_blocks(node_reader& node) {
  const std::int32_t x = node.input(0);
  const pool<std::int64_t> block = node.integers(1), borders = node.integers(2);
  const bool is_sequence = block.size() == 1;
  if (!node.is_fine()) return;
  if (block.empty() || block.size() > 2 || borders.size() != 2 * block.size())
    return node.not_supported({"got blocks along ", block.size(), " axes with ", borders.size(),
                               " borders, expected 1 or 2 axes, and 2 borders for each"});
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

/// Indices of the nearest pixels along an axis, as a value; ir::none when no pixel moves.
[[gnu::cold]] constexpr std::int32_t nearest_pixels(node_reader& node, std::int64_t from, std::int64_t to,
                                                    bool align_corners, bool half_pixels) {
  const float scale = align_corners && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                              : static_cast<float>(from) / static_cast<float>(to);
  node.count_copy(to * 8);
  const bool all_stay = from == to && !(align_corners && half_pixels);  // halves rounded up move each pixel
  if (!node.is_fine() || all_stay) return ir::none;
  pool<std::int64_t> places;
  for (std::int64_t i = 0; i < to; ++i) {
    const float place = (static_cast<float>(i) + (half_pixels ? 0.5F : 0.0F)) * scale;
    const auto pixel = static_cast<std::int64_t>(align_corners ? math::round_half_away(place) : math::floor(place));
    places.push_back(pixel < from ? pixel : from - 1);
  }
  return node.integer_list(places);
}

/// The distance between sampled pixels, computed in the same float operations. The extents are lists of one number and
/// may be unknown.
[[gnu::cold]] constexpr std::int32_t nearest_step(node_reader& node, std::int32_t from, std::int32_t to,
                                                  bool align_corners) {
  const auto quotient = [&](std::int32_t a, std::int32_t b) {
    return node.add<ops::div>({}, {cast_to(node, a, f32), cast_to(node, b, f32)});
  };
  if (!align_corners) return quotient(from, to);
  const std::int32_t one = node.integer_list({1});
  const std::int32_t last = node.add<ops::maximum>({}, {node.add<ops::sub>({}, {to, one}), one});
  return node.add<ops::select>({}, {node.add<ops::greater_equal>({}, {one, to}), quotient(from, to),
                                    quotient(node.add<ops::sub>({}, {from, one}), last)});
}
/// nearest_pixels() for extents that may be unknown.
[[gnu::cold]] constexpr std::int32_t nearest_pixels_of_extents(node_reader& node, std::int32_t from, std::int32_t to,
                                                               bool align_corners, bool half_pixels) {
  const std::int32_t half = node.real_number(0.5F);
  std::int32_t places = cast_to(node, counted_up(node, to), f32);
  if (half_pixels) places = node.add<ops::add>({}, {places, half});
  places = node.add<ops::mul>({}, {places, nearest_step(node, from, to, align_corners)});
  std::int32_t pixels = node.add<ops::floor>({}, {places});
  if (align_corners) {  // halves are rounded up, which ops::round does not do
    const std::int32_t goes_up = node.add<ops::greater_equal>({}, {node.add<ops::sub>({}, {places, pixels}), half});
    pixels = node.add<ops::add>({}, {pixels, cast_to(node, goes_up, f32)});
  }
  return node.add<ops::minimum>({},
                                {cast_to(node, pixels, i64), node.add<ops::sub>({}, {from, node.integer_list({1})})});
}

/// RESIZE_NEAREST_NEIGHBOR with a size or extent that is known only when the inputs have their shapes.
[[gnu::cold]] constexpr void resize_nearest_of_extents(node_reader& node, std::int32_t x, bool align_corners,
                                                       bool half_pixels) {
  if (node.desc(x).rank() != 4)
    return node.refuse(error_code::invalid_file, {"input 0: got rank ", node.desc(x).rank(), ", expected 4, an image"});
  const std::int32_t size = cast_to(node, node.input(1), i64);
  for (int axis = 1; axis <= 2; ++axis) {
    const std::int32_t from = extents_of(node, x, axis, 1), to = part_of_list(node, size, axis - 1, 1);
    x = node.add<ops::gather>(
        {}, {x, nearest_pixels_of_extents(node, from, to, align_corners, half_pixels), node.integer_list({axis})});
  }
  node.conclude(0, x);
}

}  // namespace detail

[[gnu::cold]] constexpr void read_batch_to_space_nd(node_reader& node) {
  detail::read_blocks<ops::batch_to_space_nd, &ops::batch_to_space_nd::attrs::crops>(node);
}
[[gnu::cold]] constexpr void read_space_to_batch_nd(node_reader& node) {
  detail::read_blocks<ops::space_to_batch_nd, &ops::space_to_batch_nd::attrs::paddings>(node);
}

[[gnu::cold]] constexpr void read_depth_to_space(node_reader& node) {
  ops::depth_to_space::attrs attrs;
  attrs.block_size = node.options<schema::depth_to_space_options>()[schema::depth_to_space_options::block_size];
  node.finish<ops::depth_to_space>(attrs, {detail::moved_input(node)});
}
/// With blocks of one pixel nothing changes.
[[gnu::cold]] constexpr void read_space_to_depth(node_reader& node) {
  ops::space_to_depth::attrs attrs;
  attrs.block_size = node.options<schema::space_to_depth_options>()[schema::space_to_depth_options::block_size];
  const std::int32_t x = detail::moved_input(node);
  if (attrs.block_size == 1) return node.conclude(0, x);
  node.finish<ops::space_to_depth>(attrs, {x});
}

[[gnu::cold]] constexpr void read_resize_bilinear(node_reader& node) {
  using kind = schema::resize_bilinear_options;
  const auto options = node.options<kind>();
  if (options[kind::align_corners] && options[kind::half_pixel_centers])
    return node.refuse(error_code::invalid_file, {"align_corners and half_pixel_centers contradict each other"});
  ops::resize_bilinear::attrs attrs;
  attrs.coordinate_mode = options[kind::align_corners]        ? coordinates::align_corners
                          : options[kind::half_pixel_centers] ? coordinates::half_pixel
                                                              : coordinates::asymmetric;
  const std::int32_t x = detail::moved_input(node);
  if (node.is_awaited(1)) return node.finish<ops::resize_bilinear>(attrs, {x, node.input(1)});
  const pool<std::int64_t> size = node.integers(1);
  if (!node.is_fine()) return;
  if (size.size() != 2)
    return node.refuse(error_code::invalid_file, {"size: got ", size.size(), " numbers, expected 2"});
  attrs.new_height = size[0], attrs.new_width = size[1];
  node.finish<ops::resize_bilinear>(attrs, {x});
}

/// Gathers the nearest rows, then the nearest columns.
[[gnu::cold]] constexpr void read_resize_nearest_neighbor(node_reader& node) {
  using kind = schema::resize_nearest_neighbor_options;
  const auto options = node.options<kind>();
  std::int32_t x = detail::moved_input(node);
  const shape_t shape = node.desc(x).shape;
  const bool is_unknown = shape.rank == 4 && (shape[1] < 0 || shape[2] < 0);
  if (node.is_fine() && (node.is_awaited(1) || (node.is_known(1) && is_unknown)))
    return detail::resize_nearest_of_extents(node, x, options[kind::align_corners], options[kind::half_pixel_centers]);
  const pool<std::int64_t> size = node.integers(1);
  if (!node.is_fine()) return;
  if (shape.rank != 4 || size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > 1 << 20 || size[1] > 1 << 20)
    return node.refuse(error_code::invalid_file, {"size: got ", size.size(), " numbers for rank ", shape.rank,
                                                  ", expected height and width for 4"});
  if (shape[1] < 1 || shape[2] < 1)
    return node.not_supported({"input 0: got ", shape, ", expected an image with pixels"});
  for (int axis = 1; axis <= 2; ++axis) {
    const std::int32_t places = detail::nearest_pixels(node, shape[axis], size[static_cast<std::size_t>(axis - 1)],
                                                       options[kind::align_corners], options[kind::half_pixel_centers]);
    if (places != ir::none) x = node.add<ops::gather>({}, {x, places, node.integer_list({axis})});
  }
  node.conclude(0, x);
}

}}}  // namespace nnrt::NNRT_ISA::tflite
