// composed_volumes: convolutions over three axes, expressed by convolutions over two.
// Flow: the node readers of the file formats call it; each function adds nodes and returns the value of the last one.
#pragma once

#include <nnrt/io/composed_extents.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/pad.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/transpose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace composed {

/// The extents of x along `count` axes from axis `first` on, as a list. It is a constant when they are known.
[[gnu::cold]] constexpr std::int32_t extent_list(node_maker& node, std::int32_t x, int first, int count) {
  pool<std::int64_t> known;
  for (int i = first; i < first + count; ++i) {
    if (node.desc(x).shape[i] < 0) return extents_of(node, x, first, count);
    known.push_back(node.desc(x).shape[i]);
  }
  return node.integer_list(known);
}
/// Reshapes x to the concatenated lists; `planned` has the extents that are known.
[[gnu::cold]] constexpr std::int32_t in_shape_of(node_maker& node, std::int32_t x,
                                                 std::initializer_list<std::int32_t> lists, const shape_t& planned) {
  const tensor_desc is = node.desc(x);
  return node.add<ops::reshape>({}, {x, joined_lists(node, lists)},
                                {is.type, default_format(planned.rank), planned, is.quantised});
}

/// Windows along the depth axis. Each spans `reach` planes, from the first to the last plane of the kernel. `count` is
/// the number of windows, a list of one number.
struct depth_windows {
  std::int64_t kernel = 1, stride = 1, dilation = 1, reach = 1;
  std::int64_t known_count = -1;
  std::int32_t count = ir::none;

  constexpr depth_windows(std::int64_t planes, std::int64_t step, std::int64_t between)
      : kernel(planes), stride(step), dilation(between) {
    if (is_fine()) reach = (planes - 1) * between + 1;
  }
  /// True when all numbers are positive and small enough that their sums do not overflow.
  constexpr bool is_fine() const {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    return kernel > 0 && stride > 0 && dilation > 0 && kernel <= most && dilation <= most / kernel && stride <= most;
  }
};

/// Pads x [N, D, …] with zero planes before and after, as padding SAME requires.
[[gnu::cold]] constexpr std::int32_t padded_in_depth(node_maker& node, std::int32_t x, const depth_windows& depth) {
  if (!node.is_fine()) return ir::none;
  const std::int32_t zero = node.integer_list({0}), one = node.integer_list({1}), extent = extent_list(node, x, 1, 1);
  const std::int32_t last =
      node.add<ops::mul>({}, {node.add<ops::sub>({}, {depth.count, one}), node.integer_list({depth.stride})});
  const std::int32_t covered = node.add<ops::add>({}, {last, node.integer_list({depth.reach})});
  const std::int32_t all = node.add<ops::maximum>({}, {node.add<ops::sub>({}, {covered, extent}), zero});
  const std::int32_t before = node.add<ops::div>({}, {all, node.integer_list({2})}),
                     after = node.add<ops::sub>({}, {all, before});
  const std::int32_t others = node.integer_list({0, 0, 0, 0, 0, 0});
  const std::int32_t paddings = joined_lists(node, {zero, zero, before, after, others});
  shape_t planned = node.desc(x).shape;
  const bool is_known = planned[1] >= 0;
  planned[1] = is_known ? std::max(planned[1], (depth.known_count - 1) * depth.stride + depth.reach) : -1;
  return is_known && planned[1] == node.desc(x).shape[1]
             ? x
             : node.add<ops::pad>({}, {x, paddings}, {node.desc(x).type, format::nd, planned});
}

/// Converts the planes of x [N, D, H, W, C] in each window to channels of an image [N * count, H, W, kernel * C]. The
/// channels of a group are contiguous.
[[gnu::cold]] constexpr std::int32_t planes_as_channels(node_maker& node, std::int32_t x, const depth_windows& depth,
                                                        std::int64_t groups) {
  if (!node.is_fine()) return ir::none;
  const shape_t shape = node.desc(x).shape;
  const std::int64_t in_group = shape[4] < 0 ? -1 : shape[4] / groups;
  const bool takes_all = depth.kernel == 1 && depth.stride == 1;
  std::int32_t picked = x;
  if (!takes_all) {
    const std::int64_t listed =
        nnrt::detail::saturated_product(depth.known_count < 1 ? 1 : depth.known_count, depth.kernel);
    node.count_copy(8 * std::min(listed, max_elements));
    pool<std::int64_t> inside;  // offsets within a window
    for (std::int64_t k = 0; node.is_fine() && k < depth.kernel; ++k) inside.push_back(k * depth.dilation);
    std::int32_t places = ir::none;
    if (depth.known_count >= 0) {
      pool<std::int64_t> numbers;
      for (std::int64_t i = 0; node.is_fine() && i < depth.known_count; ++i)
        for (const std::int64_t k : inside) numbers.push_back(i * depth.stride + k);
      places = node.integer_list(numbers);
    } else {
      const std::int32_t firsts =
          node.add<ops::mul>({}, {counted_up(node, depth.count), node.integer_list({depth.stride})});
      const std::int32_t column = node.add<ops::reshape>({}, {firsts, node.integer_list({-1, 1})});
      places = node.add<ops::reshape>(
          {}, {node.add<ops::add>({}, {column, node.integer_list(inside)}), node.integer_list({-1})});
    }
    picked = node.add<ops::gather>(ops::detail::index_attributes::from_start(), {x, places, node.integer_list({1})});
  }
  const std::int32_t image = extent_list(node, x, 2, 2), any = node.integer_list({-1});
  if (depth.kernel > 1) {
    const std::int32_t channels = node.integer_list({groups, in_group});
    picked = in_shape_of(node, picked, {any, node.integer_list({depth.kernel}), image, channels},
                         {-1, depth.kernel, shape[2], shape[3], groups, in_group});
    picked = node.add<ops::transpose>({}, {picked, node.integer_list({0, 2, 3, 4, 1, 5})});
  }
  const std::int64_t channels = shape[4] < 0 ? -1 : depth.kernel * shape[4];
  return in_shape_of(node, picked, {any, image, node.integer_list({channels})}, {-1, shape[2], shape[3], channels});
}

/// Convolves x [N, D, H, W, C] with filters [O, H, W, kernel * C / groups]. The filters' channels are ordered by plane,
/// then by channel. `attrs` describes the axes H and W. The sums are those of a convolution over three axes, in another
/// order.
[[gnu::cold]] constexpr std::int32_t convolved_in_depth(node_maker& node, std::int32_t x, std::int32_t filters,
                                                        std::int32_t bias, const depth_windows& depth,
                                                        const ops::conv2d::attrs& attrs) {
  const std::int32_t images = planes_as_channels(node, x, depth, attrs.group);
  const std::int32_t y = node.add<ops::conv2d>(attrs, {images, filters, bias});
  if (!node.is_fine()) return ir::none;
  const shape_t made = node.desc(y).shape;
  const std::int32_t count = depth.known_count >= 0 ? node.integer_list({depth.known_count}) : depth.count;
  return in_shape_of(node, y, {node.integer_list({-1}), count, extent_list(node, y, 1, 3)},
                     {node.desc(x).shape[0], depth.known_count, made[1], made[2], made[3]});
}

}}}  // namespace nnrt::NNRT_ISA::composed
