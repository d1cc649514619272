// images: readers of .onnx operators that resize images and move pixels between space and channels.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/ceil.hpp>
#include <nnrt/ops/depth_to_space.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/logical_and.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/resize_bilinear.hpp>
#include <nnrt/ops/space_to_depth.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

[[gnu::cold]] constexpr void read_depth_to_space(node_reader& node) {
  const std::int32_t x = node.input(0);
  const std::string_view mode = node.text_attribute("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return node.refuse(error_code::invalid_file, {"mode: got ", piece::in_quotes(mode), ", expected DCR or CRD"});
  ops::depth_to_space::attrs attrs;
  attrs.block_size = node.integer_attribute("blocksize", 0);
  attrs.crd = mode == "CRD";
  node.define(0, detail::channels_second(node, node.add<ops::depth_to_space>(attrs, {detail::channels_last(node, x)})));
}
[[gnu::cold]] constexpr void read_space_to_depth(node_reader& node) {
  const std::int32_t x = node.input(0);
  ops::space_to_depth::attrs attrs;
  attrs.block_size = node.integer_attribute("blocksize", 0);
  if (attrs.block_size == 1) return node.define(0, x);
  node.define(0, detail::channels_second(node, node.add<ops::space_to_depth>(attrs, {detail::channels_last(node, x)})));
}

namespace detail {

enum class interpolation { nearest, linear, cubic };
enum class coordinate_mode {
  half_pixel,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_crop_and_resize,
  tf_half_pixel_for_nn,
  half_pixel_symmetric,
};
enum class nearest_mode { round_prefer_floor, round_prefer_ceil, floor, ceil };

/// How Resize computes; one axis of it.
struct resizing {
  interpolation mode = interpolation::nearest;
  coordinate_mode coordinates = coordinate_mode::half_pixel;
  nearest_mode rounding = nearest_mode::round_prefer_floor;
  float cubic_a = -0.75F, extrapolated = 0;
  bool excludes_outside = false, antialiased = false;
};
struct resized_axis {
  std::int64_t from = 0, to = 0;
  float scale = 1;
  float start = 0, end = 1;  // of the region, for tf_crop_and_resize

  constexpr bool is_unchanged() const { return from == to && scale == 1; }
  /// The coordinate in the input of pixel i of the output.
  constexpr float coordinate(coordinate_mode mode, std::int64_t i) const {
    const auto at = static_cast<float>(i), size = static_cast<float>(to), length = static_cast<float>(from);
    switch (mode) {
      case coordinate_mode::half_pixel: return (at + 0.5F) / scale - 0.5F;
      case coordinate_mode::pytorch_half_pixel: return to > 1 ? (at + 0.5F) / scale - 0.5F : 0;
      case coordinate_mode::align_corners: {
        const float resized = scale * length;  // not rounded, as in ONNX's reference
        return to > 1 ? at * (length - 1) / (resized - 1) : 0;
      }
      case coordinate_mode::asymmetric: return at / scale;
      case coordinate_mode::tf_half_pixel_for_nn: return (at + 0.5F) / scale;
      case coordinate_mode::tf_crop_and_resize:
        return to > 1 ? start * (length - 1) + at * (end - start) * (length - 1) / (size - 1)
                      : 0.5F * (start + end) * (length - 1);
      case coordinate_mode::half_pixel_symmetric: {
        const float adjusted = size / (scale * length), center = length / 2;
        return center * (1 - adjusted) + (at + 0.5F) / scale - 0.5F;
      }
    }
    return 0;
  }
  constexpr bool is_outside(float coordinate) const {
    return coordinate < 0 || coordinate > static_cast<float>(from - 1);
  }
};

constexpr std::int64_t nearest_pixel(nearest_mode mode, float coordinate) {
  const float down = static_cast<float>(math::floor(coordinate)), part = coordinate - down;
  switch (mode) {
    case nearest_mode::floor: return static_cast<std::int64_t>(down);
    case nearest_mode::ceil: return static_cast<std::int64_t>(part > 0 ? down + 1 : down);
    case nearest_mode::round_prefer_ceil: return static_cast<std::int64_t>(part >= 0.5F ? down + 1 : down);
    case nearest_mode::round_prefer_floor: return static_cast<std::int64_t>(part > 0.5F ? down + 1 : down);
  }
  return 0;
}

/// Weight of a tap at this distance, in pixels of the filter.
constexpr float tap_weight(const resizing& r, float distance) {
  const float d = distance < 0 ? -distance : distance, a = r.cubic_a;
  if (r.mode == interpolation::linear) return d < 1 ? 1 - d : 0;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// The weights of the input's pixels for pixel i of the output, added to `row`.
constexpr void add_taps(const resizing& r, const resized_axis& axis, std::int64_t i, float* row) {
  const float at = axis.coordinate(r.coordinates, i);
  const bool is_stretched = r.antialiased && axis.scale < 1;
  const float stretch = is_stretched ? axis.scale : 1;
  const float reach = (r.mode == interpolation::linear ? 1.0F : 2.0F) / stretch;
  const auto first = static_cast<std::int64_t>(math::ceil(at - reach)),
             last = static_cast<std::int64_t>(math::floor(at + reach));
  float sum = 0;
  for (std::int64_t k = first; k <= last; ++k) {
    const float weight = tap_weight(r, (static_cast<float>(k) - at) * stretch);
    const bool is_outside = k < 0 || k >= axis.from;
    if (is_outside && r.excludes_outside) continue;
    sum += weight;
    row[std::max<std::int64_t>(0, std::min(axis.from - 1, k))] += weight;
  }
  if ((r.excludes_outside || is_stretched) && sum != 0)
    for (std::int64_t k = 0; k < axis.from; ++k) row[k] /= sum;
}

/// Resizes x along one axis.
[[gnu::cold]] constexpr std::int32_t resized(node_maker& node, std::int32_t x, int axis, const resizing& r,
                                             const resized_axis& along) {
  if (r.mode == interpolation::nearest) {
    node.count_copy(8 * along.to);
    pool<std::int64_t> places;
    for (std::int64_t i = 0; node.is_fine() && i < along.to; ++i) {
      const std::int64_t pixel = nearest_pixel(r.rounding, along.coordinate(r.coordinates, i));
      places.push_back(std::max<std::int64_t>(0, std::min(along.from - 1, pixel)));
    }
    return node.add<ops::gather>({}, {x, node.integer_list(places), node.integer_list({axis})});
  }
  node.count_copy(4 * along.from * along.to);
  if (!node.is_fine()) return ir::none;
  pool<float> matrix;
  matrix.assign(static_cast<std::size_t>(along.from * along.to), 0.0F);
  for (std::int64_t i = 0; i < along.to; ++i) add_taps(r, along, i, matrix.data() + i * along.from);
  const std::int32_t weights = node.taken(node.network().constant<float>({f32, {along.to, along.from}}, matrix));
  const int rank = node.desc(x).rank();
  pool<std::int64_t> order;
  for (int i = 0; i < rank; ++i) order.push_back(i);
  order[static_cast<std::size_t>(axis)] = rank - 1, order[static_cast<std::size_t>(rank - 1)] = axis;
  const dtype type = node.desc(x).type;
  std::int32_t y = transposed(node, cast_to(node, x, f32), order);
  if (rank == 1) y = with_axis(node, y, 0);
  ops::matmul::attrs attrs;
  attrs.transpose_b = true;
  y = node.add<ops::matmul>(attrs, {y, weights});
  if (rank == 1) y = without_axis(node, y, 0);
  return cast_to(node, transposed(node, y, order), type);
}

/// nnrt's resize_bilinear computes the two spatial axes of an image, where it has the coordinates.
constexpr bool is_bilinear(const resizing& r, array_ref<const resized_axis> axes, dtype type) {
  if (axes.size() != 4 || r.mode != interpolation::linear || r.excludes_outside || r.antialiased) return false;
  if (type != f32 && type != f16) return false;
  if (!axes[0].is_unchanged() || !axes[1].is_unchanged()) return false;
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}}) {
    const float exact = static_cast<float>(axes[i].to) / static_cast<float>(axes[i].from);
    if (axes[i].scale != exact) return false;
    if (r.coordinates == coordinate_mode::pytorch_half_pixel && axes[i].to == 1) return false;
  }
  return r.coordinates != coordinate_mode::tf_crop_and_resize &&
         r.coordinates != coordinate_mode::tf_half_pixel_for_nn &&
         r.coordinates != coordinate_mode::half_pixel_symmetric;
}

/// Resizes x along all axes.
[[gnu::cold]] constexpr std::int32_t resized(node_maker& node, std::int32_t x, const resizing& r,
                                             array_ref<const resized_axis> axes) {
  if (is_bilinear(r, axes, node.desc(x).type)) {
    ops::resize_bilinear::attrs attrs;
    attrs.new_height = axes[2].to, attrs.new_width = axes[3].to;
    attrs.coordinate_mode = r.coordinates == coordinate_mode::align_corners ? coordinates::align_corners
                            : r.coordinates == coordinate_mode::asymmetric  ? coordinates::asymmetric
                                                                            : coordinates::half_pixel;
    return channels_second(node, node.add<ops::resize_bilinear>(attrs, {channels_last(node, x)}));
  }
  std::int32_t inside = ir::none;  // whether pixels of the output are inside of the input
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool crops = r.coordinates == coordinate_mode::tf_crop_and_resize;
    if (axes[i].is_unchanged() && !(crops && (axes[i].start != 0 || axes[i].end != 1))) continue;
    x = resized(node, x, static_cast<int>(i), r, axes[i]);
    if (!crops) continue;
    pool<std::byte> is_inside;
    pool<std::int64_t> shape;
    for (std::int64_t k = 0; k < axes[i].to; ++k)
      is_inside.push_back(std::byte(axes[i].is_outside(axes[i].coordinate(r.coordinates, k)) ? 0 : 1));
    for (std::size_t k = 0; k < axes.size(); ++k) shape.push_back(k == i ? axes[i].to : 1);
    const std::int32_t mask =
        reshaped(node, node.taken(node.network().constant_bytes({boolean, {axes[i].to}}, is_inside)), shape);
    inside = inside == ir::none ? mask : node.add<ops::logical_and>({}, {inside, mask});
  }
  if (inside == ir::none) return x;
  return node.add<ops::select>({}, {inside, x, number_like(node, x, double{r.extrapolated})});
}

template <class Enum> struct named_number {
  std::string_view name;
  Enum number;
};
template <class Enum, std::size_t N>
[[gnu::cold]] constexpr Enum named(node_reader& node, std::string_view attribute, std::string_view text,
                                   const named_number<Enum> (&table)[N]) {
  for (const named_number<Enum>& one : table)
    if (one.name == text) return one.number;
  node.not_supported({attribute, ": got ", piece::in_quotes(text)});
  return table[0].number;
}

[[gnu::cold]] constexpr resizing read_resizing(node_reader& node) {
  resizing r;
  constexpr named_number<interpolation> modes[] = {
      {"nearest", interpolation::nearest}, {"linear", interpolation::linear}, {"cubic", interpolation::cubic}};
  r.mode = named(node, "mode", node.text_attribute("mode", "nearest"), modes);
  if (node.version() < 11) {
    r.coordinates = coordinate_mode::asymmetric, r.rounding = nearest_mode::floor;
    return r;
  }
  constexpr named_number<coordinate_mode> coordinates[] = {
      {"half_pixel", coordinate_mode::half_pixel},
      {"pytorch_half_pixel", coordinate_mode::pytorch_half_pixel},
      {"align_corners", coordinate_mode::align_corners},
      {"asymmetric", coordinate_mode::asymmetric},
      {"tf_crop_and_resize", coordinate_mode::tf_crop_and_resize},
      {"tf_half_pixel_for_nn", coordinate_mode::tf_half_pixel_for_nn},
      {"half_pixel_symmetric", coordinate_mode::half_pixel_symmetric}};
  constexpr named_number<nearest_mode> roundings[] = {{"round_prefer_floor", nearest_mode::round_prefer_floor},
                                                      {"round_prefer_ceil", nearest_mode::round_prefer_ceil},
                                                      {"floor", nearest_mode::floor},
                                                      {"ceil", nearest_mode::ceil}};
  constexpr std::string_view coordinates_name = "coordinate_transformation_mode";
  r.coordinates = named(node, coordinates_name, node.text_attribute(coordinates_name, "half_pixel"), coordinates);
  r.rounding = named(node, "nearest_mode", node.text_attribute("nearest_mode", "round_prefer_floor"), roundings);
  r.cubic_a = node.real_attribute("cubic_coeff_a", -0.75F);
  r.extrapolated = node.real_attribute("extrapolation_value", 0);
  r.excludes_outside = node.integer_attribute("exclude_outside", 0) != 0;
  r.antialiased = node.integer_attribute("antialias", 0) != 0;
  return r;
}

/// Sizes by the policy that keeps the aspect ratio: one scale for all axes.
[[gnu::cold]] constexpr void keep_aspect_ratio(node_reader& node, std::string_view policy, pool<resized_axis>& axes,
                                               array_ref<const std::int64_t> listed) {
  if (policy == "stretch") return;
  if (policy != "not_larger" && policy != "not_smaller")
    return node.refuse(error_code::invalid_file, {"keep_aspect_ratio_policy: got ", piece::in_quotes(policy)});
  float scale = 0;
  bool is_first = true;
  for (const std::int64_t i : listed) {
    const float own = axes[static_cast<std::size_t>(i)].scale;
    if (is_first || (policy == "not_larger" ? own < scale : own > scale)) scale = own;
    is_first = false;
  }
  for (const std::int64_t i : listed) {
    resized_axis& axis = axes[static_cast<std::size_t>(i)];
    axis.scale = scale;
    axis.to = static_cast<std::int64_t>(math::floor(static_cast<float>(axis.from) * scale + 0.5F));
  }
}

/// The pixels of the nearest mode along an axis whose extents are lists of one number, known when a session is resized.
[[gnu::cold]] constexpr std::int32_t nearest_places(node_maker& node, std::int32_t from, std::int32_t to,
                                                    std::int32_t scale, const resizing& r) {
  const std::int32_t one = node.real_number(1), half = node.real_number(0.5F), length = cast_to(node, from, f32);
  std::int32_t at = cast_to(node, counted_up(node, to), f32);
  if (r.coordinates == coordinate_mode::align_corners) {
    at = over(node, times(node, at, minus(node, length, one)), minus(node, times(node, scale, length), one));
  } else {
    const bool is_centred = r.coordinates != coordinate_mode::asymmetric;
    at = over(node, is_centred ? plus(node, at, half) : at, scale);
    if (is_centred) at = minus(node, at, half);
  }
  switch (r.rounding) {
    case nearest_mode::floor: at = node.add<ops::floor>({}, {at}); break;
    case nearest_mode::ceil: at = node.add<ops::ceil>({}, {at}); break;
    case nearest_mode::round_prefer_ceil: at = node.add<ops::floor>({}, {plus(node, at, half)}); break;
    case nearest_mode::round_prefer_floor: at = node.add<ops::ceil>({}, {minus(node, at, half)}); break;
  }
  const std::int32_t last = minus(node, from, node.integer_list({1}));
  const std::int32_t places = node.add<ops::minimum>({}, {cast_to(node, at, i64), last});
  return node.add<ops::maximum>({}, {places, node.integer_list({0})});
}

/// Resizes an image whose height or width, or wanted sizes, follow from extents that are not known yet. `scales` may be
/// empty: then `sizes` is a list of all output extents.
[[gnu::cold]] constexpr void read_resize_of_extents(node_reader& node, std::int32_t x, const resizing& r,
                                                    array_ref<const double> scales, std::int32_t sizes) {
  const shape_t is = node.desc(x).shape;
  const bool fits = r.coordinates == coordinate_mode::half_pixel || r.coordinates == coordinate_mode::asymmetric ||
                    r.coordinates == coordinate_mode::pytorch_half_pixel ||
                    r.coordinates == coordinate_mode::align_corners;
  const auto refuse = [&](std::string_view why) {
    node.not_supported(
        {why, " of ", is, ", whose extents are unknown; give the input's shape in load_options::shapes"});
  };
  if (is.rank != 4 || !fits || r.mode == interpolation::cubic || r.antialiased || r.excludes_outside)
    return refuse("this mode");
  if (!scales.empty() && (scales.size() != 4 || scales[0] != 1 || scales[1] != 1))
    return refuse("scales of batch or channels");
  std::int32_t from[2] = {}, to[2] = {}, scale[2] = {};
  bool is_exact = true;
  for (int i = 0; i < 2; ++i) {
    from[i] = extents_of(node, x, i + 2, 1);
    if (scales.empty()) {
      to[i] = part_of_list(node, sizes, i + 2, 1);
      scale[i] = over(node, cast_to(node, to[i], f32), cast_to(node, from[i], f32));
    } else {
      const double given = scales[static_cast<std::size_t>(i) + 2];
      is_exact = is_exact && given == math::trunc(given);
      scale[i] = node.real_number(static_cast<float>(given));
      const std::int32_t real = times(node, cast_to(node, from[i], f32), scale[i]);
      to[i] = cast_to(node, node.add<ops::floor>({}, {real}), i64);
    }
  }
  if (r.mode == interpolation::nearest) {
    for (int i = 0; i < 2; ++i)
      x = node.add<ops::gather>({}, {x, nearest_places(node, from[i], to[i], scale[i], r), node.integer_list({i + 2})});
    return node.define(0, x);
  }
  if (!is_exact) return refuse("scales that are no integers");
  ops::resize_bilinear::attrs attrs;
  attrs.coordinate_mode = r.coordinates == coordinate_mode::align_corners ? coordinates::align_corners
                          : r.coordinates == coordinate_mode::asymmetric  ? coordinates::asymmetric
                                                                          : coordinates::half_pixel;
  const std::int32_t size = joined_lists(node, {to[0], to[1]});
  node.define(0, channels_second(node, node.add<ops::resize_bilinear>(attrs, {channels_last(node, x), size})));
}

}  // namespace detail

/// Resize and Upsample: scales or sizes for all axes, or for those of the attribute `axes`.
[[gnu::cold]] constexpr void read_resize(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  const detail::resizing r = detail::read_resizing(node);
  const bool is_upsample = node.file().bytes(node.entry().op_type.at, node.entry().op_type.size) == "Upsample";
  const std::size_t scales_at = node.version() < 11 ? 1 : 2;
  pool<double> scales, sizes, region;
  if (is_upsample && node.version() < 9) {
    for (const float scale : node.reals_attribute("scales")) scales.push_back(double{scale});
  } else {
    if (node.has_elements(scales_at)) scales = node.reals(scales_at);
    const bool has_awaited_sizes =
        node.version() >= 11 && node.has_elements(3) && !node.is_known(3) && !node.is_computed(node.input(3));
    if (scales.empty() && has_awaited_sizes && !node.has_attribute("axes"))
      return detail::read_resize_of_extents(node, x, r, {}, detail::cast_to(node, node.input(3), i64));
    if (node.version() >= 11 && node.has_elements(3)) sizes = node.reals(3);
    if (r.coordinates == detail::coordinate_mode::tf_crop_and_resize) region = node.reals(1);
  }
  pool<std::int64_t> listed = node.integers_attribute("axes");
  if (!node.has_attribute("axes"))
    for (int i = 0; i < is.rank; ++i) listed.push_back(i);
  if (!node.is_fine()) return;
  const bool has_sizes = scales.empty();
  const pool<double>& given = has_sizes ? sizes : scales;
  if (given.size() != listed.size())
    return node.refuse(error_code::invalid_file,
                       {has_sizes ? "sizes" : "scales", ": got ", given.size(), " numbers, expected ", listed.size()});
  if (!region.empty() && region.size() != 2 * listed.size())
    return node.refuse(error_code::invalid_file,
                       {"roi: got ", region.size(), " numbers, expected ", 2 * listed.size()});
  const bool resizes_unknown = is.rank == 4 && (is[2] < 0 || is[3] < 0) && !node.has_attribute("axes");
  if (resizes_unknown && !has_sizes) return detail::read_resize_of_extents(node, x, r, scales, ir::none);
  if (resizes_unknown) return detail::read_resize_of_extents(node, x, r, {}, node.integer_list(node.integers(3)));
  pool<detail::resized_axis> axes;
  for (const std::int64_t extent : is) axes.push_back({extent, extent});
  for (std::size_t i = 0; i < listed.size(); ++i) {
    listed[i] = node.axis_in(listed[i], is.rank);
    if (!node.is_fine()) return;
    detail::resized_axis& axis = axes[static_cast<std::size_t>(listed[i])];
    if (!region.empty())
      axis.start = static_cast<float>(region[i]), axis.end = static_cast<float>(region[listed.size() + i]);
    if (!has_sizes && given[i] == 1) continue;
    if (axis.from < 1)
      return node.not_supported(
          {"resizes ", is, ", expected known extents; give the input's shape in load_options::shapes"});
    axis.scale =
        has_sizes ? static_cast<float>(given[i]) / static_cast<float>(axis.from) : static_cast<float>(given[i]);
    axis.to = has_sizes ? static_cast<std::int64_t>(given[i])
                        : static_cast<std::int64_t>(math::floor(static_cast<float>(axis.from) * axis.scale));
    if (axis.to < 1 || axis.to > (std::int64_t{1} << 24) || !(axis.scale > 0))
      return node.refuse(error_code::invalid_file,
                         {"axis ", listed[i], ": got ", axis.to, " pixels, expected 1 to ", std::int64_t{1} << 24});
  }
  if (has_sizes)
    detail::keep_aspect_ratio(node, node.text_attribute("keep_aspect_ratio_policy", "stretch"), axes, listed);
  if (node.is_fine()) node.define(0, detail::resized(node, x, r, axes));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
