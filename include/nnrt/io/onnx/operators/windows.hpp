// windows: positions of the windows of convolutions and pools in .onnx files - kernels, strides, dilations and pads.
// Flow: layers.hpp and pools.hpp read them from a node's attributes.
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/pad.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx { namespace detail {

/// Windows along the spatial axes, at most three. Lengths are in pixels.
struct window_axes {
  int count = 0;
  std::int64_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  std::int64_t before[3] = {}, after[3] = {};

  constexpr std::int64_t reach(int i) const { return (kernel[i] - 1) * dilation[i] + 1; }
  /// The last two axes as nnrt's operators take them; a missing axis comes first and has one pixel.
  constexpr extent2 pair(const std::int64_t (&list)[3]) const {
    return count == 1 ? extent2{1, list[0]} : extent2{list[count - 2], list[count - 1]};
  }
  constexpr pads padding() const {
    pads made;
    made.left = before[count - 1], made.right = after[count - 1];
    if (count > 1) made.top = before[count - 2], made.bottom = after[count - 2];
    return made;
  }
  constexpr bool has_dilation() const { return dilation[0] != 1 || dilation[1] != 1 || dilation[2] != 1; }
  constexpr bool has_pads() const {
    for (int i = 0; i < 3; ++i)
      if (before[i] != 0 || after[i] != 0) return true;
    return false;
  }
};

/// Reads a list of one number for each spatial axis; `to` is unchanged when the attribute is missing.
[[gnu::cold]] constexpr void read_axis_list(node_reader& node, std::string_view name, int count, std::int64_t (&to)[3],
                                            std::int64_t least) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  if (!node.has_attribute(name)) return;
  const pool<std::int64_t> list = node.integers_attribute(name);
  if (static_cast<int>(list.size()) != count)
    return node.refuse(error_code::invalid_file, {name, ": got ", list.size(), " numbers, expected ", count});
  for (int i = 0; i < count; ++i) {
    to[i] = list[static_cast<std::size_t>(i)];
    if (to[i] < least || to[i] > most)
      node.refuse(error_code::invalid_file, {name, ": got ", to[i], ", expected ", least, " to ", most});
  }
}

/// Reads the windows over x [N, C, …]. `kernel` has the extents of the filters, or is null: the attribute is required.
[[gnu::cold]] constexpr window_axes read_windows(node_reader& node, const shape_t& x, const std::int64_t* kernel) {
  window_axes w;
  w.count = x.rank - 2;
  if (w.count < 1 || w.count > 3) {
    node.not_supported({"input 0: got ", x, ", expected 1 to 3 axes after batch and channels"});
    return {.count = 1};
  }
  if (kernel == nullptr && !node.has_attribute("kernel_shape"))
    node.refuse(error_code::invalid_file, {"attribute kernel_shape is missing"});
  for (int i = 0; kernel != nullptr && i < w.count; ++i) w.kernel[i] = kernel[i];
  read_axis_list(node, "kernel_shape", w.count, w.kernel, 1);
  for (int i = 0; kernel != nullptr && i < w.count; ++i)
    if (w.kernel[i] != kernel[i])
      node.refuse(error_code::invalid_file, {"kernel_shape: got ", w.kernel[i], ", expected the filters' ", kernel[i]});
  read_axis_list(node, "strides", w.count, w.stride, 1);
  read_axis_list(node, "dilations", w.count, w.dilation, 1);
  return w;
}

/// The attribute auto_pad.
enum class auto_pad { from_list, none, same_upper, same_lower };
[[gnu::cold]] constexpr auto_pad read_auto_pad(node_reader& node) {
  const std::string_view mode = node.text_attribute("auto_pad", "NOTSET");
  if (mode == "SAME_UPPER") return auto_pad::same_upper;
  if (mode == "SAME_LOWER") return auto_pad::same_lower;
  if (mode == "VALID") return auto_pad::none;
  if (mode != "NOTSET" && !mode.empty())
    node.refuse(error_code::invalid_file, {"auto_pad: got ", piece::in_quotes(mode)});
  return auto_pad::from_list;
}

/// Reads the pads: explicit ones, or those of auto_pad for an input x [N, C, …].
[[gnu::cold]] constexpr void read_pads(node_reader& node, const shape_t& x, window_axes& w) {
  const auto_pad mode = read_auto_pad(node);
  const pool<std::int64_t> list = node.integers_attribute("pads");
  if (mode == auto_pad::none) return;
  if (mode == auto_pad::from_list) {
    if (list.empty()) return;
    const auto count = static_cast<std::size_t>(w.count);
    if (list.size() != 2 * count)
      return node.refuse(error_code::invalid_file, {"pads: got ", list.size(), " numbers, expected ", 2 * count});
    for (std::size_t i = 0; i < count; ++i) w.before[i] = list[i], w.after[i] = list[count + i];
    return;
  }
  for (int i = 0; i < w.count; ++i) {
    const std::int64_t from = x[i + 2];
    if (from < 0 && w.stride[i] != 1)
      return node.not_supported(
          {"auto_pad with a stride needs known extents: got ", x, "; give the input's shape in load_options::shapes"});
    // with a stride of 1 the total does not depend on the extent
    const std::int64_t to = from < 0 ? 0 : (from + w.stride[i] - 1) / w.stride[i];
    const std::int64_t all =
        from < 0 ? w.reach(i) - 1 : std::max<std::int64_t>((to - 1) * w.stride[i] + w.reach(i) - from, 0);
    w.before[i] = mode == auto_pad::same_upper ? all / 2 : all - all / 2;
    w.after[i] = all - w.before[i];
  }
}

/// Pads x [N, …, C] (channels last) with `value` where pads are negative (they crop) or an operator cannot pad.
[[gnu::cold]] constexpr std::int32_t padded(node_maker& node, std::int32_t x, const window_axes& w, double value) {
  pool<std::int64_t> list{0, 0};
  for (int i = 0; i < w.count; ++i) list.push_back(w.before[i]), list.push_back(w.after[i]);
  list.push_back(0), list.push_back(0);
  ops::pad::attrs attrs;
  attrs.pad_value = static_cast<float>(value);
  return node.add<ops::pad>(attrs, {x, node.integer_list(list)});
}

}}}}  // namespace nnrt::NNRT_ISA::onnx::detail
