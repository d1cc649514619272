// pools: readers of pooling over one to three axes of .onnx files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/windows.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/max_pool_indices.hpp>
#include <nnrt/ops/max_unpool.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/reduce_max.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/strided_slice.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// Pools the last two spatial axes of an image [N, H, W, C].
template <class Op>
[[gnu::cold]] constexpr typename Op::attrs pool_attributes(const window_axes& w, bool ceil_mode, bool counts_pads) {
  typename Op::attrs attrs;
  attrs.kernel = w.pair(w.kernel), attrs.stride = w.pair(w.stride), attrs.pad = w.padding(),
  attrs.ceil_mode = ceil_mode;
  if constexpr (requires { attrs.count_include_pad; }) attrs.count_include_pad = counts_pads;
  return attrs;
}

/// Pools x [N, C, …]. Over three axes: first height and width of all planes, then the depth. Maxima and means of boxes
/// are those of their planes.
template <class Op>
[[gnu::cold]] constexpr std::int32_t pooled(node_maker& node, std::int32_t x, const window_axes& w, bool ceil_mode,
                                            bool counts_pads) {
  std::int32_t image = channels_last(node, x);
  if (w.count == 1) image = with_axis(node, image, 1);
  if (w.count < 3) {
    std::int32_t y = node.add<Op>(pool_attributes<Op>(w, ceil_mode, counts_pads), {image});
    if (w.count == 1) y = without_axis(node, y, 1);
    return channels_second(node, y);
  }
  const shape_t is = node.desc(image).shape;
  if (!is.is_known()) {
    node.not_supported({"a pool over three axes of ", is, "; expected known extents"});
    return ir::none;
  }
  image = reshaped(node, image, pool<std::int64_t>{is[0] * is[1], is[2], is[3], is[4]});
  image = node.add<Op>(pool_attributes<Op>(w, ceil_mode, counts_pads), {image});
  const shape_t plane = node.desc(image).shape;
  if (!node.is_fine()) return ir::none;
  window_axes depth;
  depth.count = 2;
  depth.kernel[0] = w.kernel[0], depth.stride[0] = w.stride[0];
  depth.before[0] = w.before[0], depth.after[0] = w.after[0];
  image = reshaped(node, image, pool<std::int64_t>{is[0], is[1], plane[1] * plane[2], plane[3]});
  image = node.add<Op>(pool_attributes<Op>(depth, ceil_mode, counts_pads), {image});
  if (!node.is_fine()) return ir::none;
  image = reshaped(node, image, pool<std::int64_t>{is[0], node.desc(image).shape[1], plane[1], plane[2], plane[3]});
  return channels_second(node, image);
}

/// Number of windows along an axis, as ONNX counts them: with ceil_mode without one that begins in the end padding.
constexpr std::int64_t window_count(const window_axes& w, int axis, std::int64_t from, bool ceil_mode) {
  const std::int64_t room = from + w.before[axis] + w.after[axis] - w.reach(axis);
  if (room < 0) return 0;
  std::int64_t count = room / w.stride[axis] + 1;
  if (ceil_mode && room % w.stride[axis] != 0 && count * w.stride[axis] < from + w.before[axis]) ++count;
  return count;
}

/// Reduces windows by an operator whose order does not matter (maximum, or add up to rounding): first along the last
/// axis, then along the one before. So a window of k1 x k2 pixels takes k1 + k2 steps. `value` fills the pads.
struct window_fold {
  window_axes w;
  std::int64_t to[3] = {};  // number of windows of each axis

  /// Windows over x [N, C, …], as ONNX counts them; `counts`, if not null, are the numbers of windows.
  [[gnu::cold]] constexpr window_fold(node_maker& node, std::int32_t x, const window_axes& windows, bool ceil_mode,
                                      const std::int64_t* counts = nullptr)
      : w(windows) {
    const shape_t is = node.desc(x).shape;
    std::int64_t steps = 0;
    for (int i = 0; node.is_fine() && i < w.count; ++i) {
      steps += w.kernel[i];
      if (is[i + 2] < 0) {
        node.not_supported({"windows over ", is, "; expected known extents"});
        return;
      }
      to[i] = counts != nullptr ? counts[i] : window_count(w, i, is[i + 2], ceil_mode);
      if (to[i] < 1) {
        node.refuse(error_code::invalid_file, {"windows do not fit ", is});
        return;
      }
      // the last window ends inside
      w.after[i] = std::max<std::int64_t>((to[i] - 1) * w.stride[i] + w.reach(i) - is[i + 2] - w.before[i], 0);
    }
    if (steps > 4096) node.not_supported({"a window of ", steps, " pixels along its axes, expected at most 4096"});
  }

  /// The results [N, C, …].
  template <class Op>
  [[gnu::cold]] constexpr std::int32_t reduced(node_maker& node, std::int32_t x, double value) const {
    if (!node.is_fine()) return ir::none;
    std::int32_t y = padded(node, channels_last(node, x), w, value);
    for (int axis = w.count - 1; axis >= 0; --axis) {
      const std::int32_t line = y;
      for (std::int64_t k = 0; node.is_fine() && k < w.kernel[axis]; ++k) {
        const std::int32_t seen = seen_at(node, line, axis, k * w.dilation[axis]);
        y = k == 0 ? seen : node.add<Op>({}, {y, seen});
      }
    }
    return channels_second(node, y);
  }

 private:
  /// The pixel at `offset` of all windows along an axis of y [N, …, C].
  [[gnu::cold]] constexpr std::int32_t seen_at(node_maker& node, std::int32_t y, int axis, std::int64_t offset) const {
    if (to[axis] == node.desc(y).shape[axis + 1] && w.stride[axis] == 1) return y;
    pool<std::int64_t> begin, end, step;
    ops::strided_slice::attrs attrs;
    for (int i = 0; i < w.count + 2; ++i) {
      const bool is_cut = i == axis + 1;
      begin.push_back(is_cut ? offset : 0), step.push_back(is_cut ? w.stride[axis] : 1);
      end.push_back(is_cut ? offset + (to[axis] - 1) * w.stride[axis] + 1 : 0);
      if (!is_cut) attrs.begin_mask |= std::int64_t{1} << i, attrs.end_mask |= std::int64_t{1} << i;
    }
    return node.add<ops::strided_slice>(attrs,
                                        {y, node.integer_list(begin), node.integer_list(end), node.integer_list(step)});
  }
};

/// The lowest number of a dtype, which padding has in maxima.
constexpr double lowest_of(dtype type) {
  if (types::floating.contains(type)) return -math::infinity<double>;
  double lowest = 0;
  with_element<types::integer>(type, [&]<class T>(T) { lowest = static_cast<double>(std::numeric_limits<T>::min()); });
  return lowest;
}

/// max_pool's result with flat indices in the whole tensor [N, C, H, W], as i64.
[[gnu::cold]] constexpr void max_pool_with_indices(node_reader& node, std::int32_t x, const window_axes& w,
                                                   bool ceil_mode) {
  const shape_t is = node.desc(x).shape;
  if (w.count > 2 || w.has_dilation() || !is.is_known())
    return node.not_supported(
        {"Indices of windows over ", w.count, " axes of ", is, w.has_dilation() ? " with dilations" : ""});
  std::int32_t image = channels_last(node, x);
  if (w.count == 1) image = with_axis(node, image, 1);
  const pool<std::int32_t> made =
      node.add_all<ops::max_pool_indices>(pool_attributes<ops::max_pool_indices>(w, ceil_mode, false), {image});
  if (!node.is_fine()) return;
  std::int32_t y = made[0], indices = cast_to(node, made[1], i64);
  const std::int64_t height = w.count == 1 ? 1 : is[2], width = is[w.count + 1];
  if (node.integer_attribute("storage_order", 0) != 0) {
    const std::int32_t across = node.scalar(i64, static_cast<double>(width)),
                       down = node.scalar(i64, static_cast<double>(height));
    indices = plus(node, times(node, node.add<ops::mod>({}, {indices, across}), down), over(node, indices, across));
  }
  pool<std::int64_t> firsts;  // of each image and channel
  node.count_copy(8 * is[0] * is[1]);
  for (std::int64_t i = 0; node.is_fine() && i < is[0] * is[1]; ++i) firsts.push_back(i * height * width);
  const std::int32_t first = reshaped(node, node.integer_list(firsts), pool<std::int64_t>{is[0], 1, 1, is[1]});
  indices = plus(node, indices, first);
  if (w.count == 1) y = without_axis(node, y, 1), indices = without_axis(node, indices, 1);
  node.define(0, channels_second(node, y));
  node.define(1, channels_second(node, indices));
}

}  // namespace detail

namespace detail {

/// Mean pool with dilated windows: the sum of all positions over their number, as wide as the windows.
[[gnu::cold]] constexpr std::int32_t dilated_mean(node_maker& node, std::int32_t x, const window_axes& w,
                                                  bool ceil_mode, bool counts_pads) {
  const window_fold all(node, x, w, ceil_mode);
  shape_t ones = node.desc(x).shape;
  if (!node.is_fine()) return ir::none;
  ones[0] = ones[1] = 1;
  window_axes of_ones = w;
  std::int32_t counted = filled(node, node.desc(x).type, ones, 1);
  if (counts_pads) {  // pads count, what is beyond them does not
    const std::int32_t with_pads = padded(node, channels_last(node, counted), w, 1);
    counted = channels_second(node, with_pads);
    for (int i = 0; i < 3; ++i) of_ones.before[i] = of_ones.after[i] = 0;
  }
  const window_fold divisors(node, counted, of_ones, ceil_mode, all.to);
  return over(node, all.reduced<ops::add>(node, x, 0), divisors.reduced<ops::add>(node, counted, 0));
}

}  // namespace detail

namespace detail {

/// AveragePool of x [N, C, …], by the node's attributes.
[[gnu::cold]] constexpr std::int32_t mean_pooled(node_reader& node, std::int32_t x) {
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return ir::none;
  window_axes w = read_windows(node, is, nullptr);
  read_pads(node, is, w);
  const bool ceil_mode = node.integer_attribute("ceil_mode", 0) != 0,
             counts_pads = node.integer_attribute("count_include_pad", 0) != 0;
  if (!node.is_fine()) return ir::none;
  if (w.has_dilation()) return dilated_mean(node, x, w, ceil_mode, counts_pads);
  return pooled<ops::avg_pool>(node, x, w, ceil_mode, counts_pads);
}
/// MaxPool of x [N, C, …], by the node's attributes.
[[gnu::cold]] constexpr std::int32_t max_pooled(node_reader& node, std::int32_t x) {
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return ir::none;
  window_axes w = read_windows(node, is, nullptr);
  read_pads(node, is, w);
  const bool ceil_mode = node.integer_attribute("ceil_mode", 0) != 0;
  if (!node.is_fine()) return ir::none;
  if (!w.has_dilation()) return pooled<ops::max_pool>(node, x, w, ceil_mode, false);
  return window_fold(node, x, w, ceil_mode).reduced<ops::maximum>(node, x, lowest_of(node.type(x)));
}

}  // namespace detail

[[gnu::cold]] constexpr void read_max_pool(node_reader& node) {
  const std::int32_t x = node.input(0);
  if (!node.has_output(1)) return node.define(0, detail::max_pooled(node, x));
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return;
  detail::window_axes w = detail::read_windows(node, is, nullptr);
  detail::read_pads(node, is, w);
  if (node.is_fine()) detail::max_pool_with_indices(node, x, w, node.integer_attribute("ceil_mode", 0) != 0);
}
[[gnu::cold]] constexpr void read_average_pool(node_reader& node) {
  node.define(0, detail::mean_pooled(node, node.input(0)));
}

/// LpPool: (sum of |x|^p)^(1 / p); pads count as zeros.
[[gnu::cold]] constexpr void read_lp_pool(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return;
  detail::window_axes w = detail::read_windows(node, is, nullptr);
  detail::read_pads(node, is, w);
  const double p = static_cast<double>(node.integer_attribute("p", 2));
  const bool ceil_mode = node.integer_attribute("ceil_mode", 0) != 0;
  if (!node.is_fine()) return;
  const std::int32_t power = node.add<ops::pow>({}, {node.add<ops::abs>({}, {x}), detail::number_like(node, x, p)});
  const detail::window_fold all(node, power, w, ceil_mode);
  const std::int32_t sum = all.reduced<ops::add>(node, power, 0);
  const std::int32_t y = node.add<ops::pow>({}, {sum, detail::number_like(node, x, 1 / p)});
  node.define(0, y);
}

namespace detail {

/// The axes of height and width, and further ones, of x [N, C, …].
[[gnu::cold]] constexpr pool<std::int64_t> spatial_axes(node_reader& node, std::int32_t x) {
  pool<std::int64_t> axes;
  for (int i = 2; i < node.rank(x); ++i) axes.push_back(i);
  if (node.is_fine() && axes.empty())
    node.refuse(error_code::invalid_file, {"got ", node.desc(x).shape, ", expected [N, C, …]"});
  return axes;
}

}  // namespace detail

/// One window of the image's size; extents of 1 remain.
template <class Op> [[gnu::cold]] constexpr void read_global_pool(node_reader& node) {
  const std::int32_t x = node.input(0);
  const pool<std::int64_t> axes = detail::spatial_axes(node, x);
  typename Op::attrs attrs;
  attrs.keep_dims = true;
  if (node.is_fine()) node.finish<Op>(attrs, {x, node.integer_list(axes)});
}
[[gnu::cold]] constexpr void read_global_lp_pool(node_reader& node) {
  const std::int32_t x = node.input(0);
  const pool<std::int64_t> axes = detail::spatial_axes(node, x);
  const double p = static_cast<double>(node.integer_attribute("p", 2));
  if (!node.is_fine()) return;
  const std::int32_t power = node.add<ops::pow>({}, {node.add<ops::abs>({}, {x}), detail::number_like(node, x, p)});
  ops::reduce_sum::attrs attrs;
  attrs.keep_dims = true;
  const std::int32_t sum = node.add<ops::reduce_sum>(attrs, {power, node.integer_list(axes)});
  node.finish<ops::pow>({}, {sum, detail::number_like(node, x, 1 / p)});
}

/// MaxUnpool: indices are those of the whole tensor [N, C, H, W] of the given or natural size.
[[gnu::cold]] constexpr void read_max_unpool(node_reader& node) {
  const std::int32_t x = node.input(0), indices = node.input(1);
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return;
  if (is.rank != 4 || !is.is_known())
    return node.not_supported({"input 0: got ", is, ", expected known extents of rank 4"});
  detail::window_axes w = detail::read_windows(node, is, nullptr);
  detail::read_pads(node, is, w);
  if (!node.is_fine()) return;
  std::int64_t own[2] = {}, to[2] = {};
  for (int i = 0; i < 2; ++i) own[i] = to[i] = (is[i + 2] - 1) * w.stride[i] + w.kernel[i] - w.before[i] - w.after[i];
  if (node.has_elements(2)) {
    const pool<std::int64_t> given = node.integers(2);
    if (!node.is_fine()) return;
    if (given.size() != 4)
      return node.refuse(error_code::invalid_file, {"input 2: got ", given.size(), " numbers, expected 4"});
    to[0] = given[2], to[1] = given[3];
  }
  // Indices are those of a tensor of the natural size.
  std::int32_t at = detail::channels_last(node, indices);
  at = node.add<ops::mod>({}, {at, node.scalar(i64, static_cast<double>(own[0] * own[1]))});
  if (to[1] != own[1]) {  // the same row and column of a wider output
    const std::int32_t width = node.scalar(i64, static_cast<double>(own[1]));
    const std::int32_t row = detail::over(node, at, width), column = node.add<ops::mod>({}, {at, width});
    at = detail::plus(node, detail::times(node, row, node.scalar(i64, static_cast<double>(to[1]))), column);
  }
  ops::max_unpool::attrs attrs;
  attrs.kernel = w.pair(w.kernel), attrs.stride = w.pair(w.stride), attrs.pad = w.padding();
  const std::int32_t y =
      node.add<ops::max_unpool>(attrs, {detail::channels_last(node, x), detail::cast_to(node, at, i32)},
                                {node.type(x), format::nhwc, {is[0], to[0], to[1], is[1]}});
  node.define(0, detail::channels_second(node, y));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
