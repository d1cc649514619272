// images: readers of .onnx operators that resize images and move pixels between space and channels.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/ceil.hpp>
#include <nnrt/ops/depth_to_space.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/greater.hpp>
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
/// What sizes mean: exactly them, or one scale for all axes, the smallest or the largest that they ask for.
enum class aspect_ratio { stretch, not_larger, not_smaller };

/// How Resize computes; one axis of it.
struct resizing {
  interpolation mode = interpolation::nearest;
  coordinate_mode coordinates = coordinate_mode::half_pixel;
  nearest_mode rounding = nearest_mode::round_prefer_floor;
  float cubic_a = -0.75F, extrapolated = 0;
  bool excludes_outside = false, antialiased = false;
  aspect_ratio policy = aspect_ratio::stretch;
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

constexpr coordinates bilinear_coordinates(const resizing& r) {
  if (r.coordinates == coordinate_mode::align_corners) return coordinates::align_corners;
  return r.coordinates == coordinate_mode::asymmetric ? coordinates::asymmetric : coordinates::half_pixel;
}

/// Resizes x along all axes.
[[gnu::cold]] constexpr std::int32_t resized(node_maker& node, std::int32_t x, const resizing& r,
                                             array_ref<const resized_axis> axes) {
  if (is_bilinear(r, axes, node.desc(x).type)) {
    ops::resize_bilinear::attrs attrs;
    attrs.new_height = axes[2].to, attrs.new_width = axes[3].to;
    attrs.coordinate_mode = bilinear_coordinates(r);
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
  if (r.antialiased && r.mode == interpolation::nearest) node.not_supported({"antialias of the mode nearest"});
  constexpr named_number<aspect_ratio> policies[] = {{"stretch", aspect_ratio::stretch},
                                                     {"not_larger", aspect_ratio::not_larger},
                                                     {"not_smaller", aspect_ratio::not_smaller}};
  constexpr std::string_view policy_name = "keep_aspect_ratio_policy";
  r.policy = named(node, policy_name, node.text_attribute(policy_name, "stretch"), policies);
  return r;
}

/// Sizes by the policy that keeps the aspect ratio: one scale for all listed axes.
constexpr void keep_aspect_ratio(aspect_ratio policy, pool<resized_axis>& axes, array_ref<const std::int64_t> listed) {
  if (policy == aspect_ratio::stretch || listed.empty()) return;
  float scale = axes[static_cast<std::size_t>(listed[0])].scale;
  for (const std::int64_t i : listed) {
    const float own = axes[static_cast<std::size_t>(i)].scale;
    if (policy == aspect_ratio::not_larger ? own < scale : own > scale) scale = own;
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
    // at least 1 where there is more than one pixel; for one pixel `at` is 0
    const std::int32_t last = node.add<ops::maximum>({}, {minus(node, times(node, scale, length), one), one});
    at = over(node, times(node, at, minus(node, length, one)), last);
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

/// Height and width of an image before and after, as lists of one number, and their scales.
struct awaited_extents {
  std::int32_t from[2] = {}, to[2] = {}, scale[2] = {};
  bool has_whole_scales = true;
};

/// Refuses sizes of batch and channels that change them: at once, or when a session is resized.
[[gnu::cold]] constexpr void keep_other_axes(node_reader& node, std::int32_t x, std::int32_t sizes,
                                             awaited_extents& e) {
  const shape_t is = node.desc(x).shape;
  for (int i = 0; node.is_fine() && i < 2; ++i) {
    const std::int32_t part = part_of_list(node, sizes, i, 1);
    pool<std::int64_t> known;
    if (is[i] >= 0) known = node.integers_of(part);
    if (!known.empty() && known[0] != is[i])
      return node.not_supported({"sizes of batch or channels: got ", known[0], " for axis ", i, " of ", is,
                                 ", whose extents are unknown; give the input's shape in load_options::shapes"});
    if (!known.empty()) continue;
    const std::int32_t own = extents_of(node, x, i, 1);
    e.to[i] = plus(node, e.to[i], minus(node, equal_to(node, own, part), own));
  }
}
/// Extents by scales, or, when there are none, by sizes of all axes.
[[gnu::cold]] constexpr awaited_extents extents_after(node_reader& node, std::int32_t x, array_ref<const double> scales,
                                                      std::int32_t sizes) {
  awaited_extents e;
  for (int i = 0; i < 2; ++i) {
    e.from[i] = extents_of(node, x, i + 2, 1);
    if (scales.empty()) {
      e.to[i] = part_of_list(node, sizes, i + 2, 1);
      continue;
    }
    const double given = scales[static_cast<std::size_t>(i) + 2];
    e.has_whole_scales = e.has_whole_scales && given == math::trunc(given);
    e.scale[i] = node.real_number(static_cast<float>(given));
    const std::int32_t real = times(node, cast_to(node, e.from[i], f32), e.scale[i]);
    e.to[i] = cast_to(node, node.add<ops::floor>({}, {real}), i64);
  }
  if (scales.empty()) keep_other_axes(node, x, sizes, e);
  return e;
}
/// pytorch_half_pixel takes the first pixel where one remains: x without the others there.
[[gnu::cold]] constexpr std::int32_t without_unused_pixels(node_maker& node, std::int32_t x, awaited_extents& e) {
  const std::int32_t one = node.integer_list({1});
  for (int i = 0; i < 2; ++i) {
    const pool<std::int64_t> known = node.integers_of(e.to[i]);
    if (!known.empty() && known[0] > 1) continue;
    ops::slice::attrs attrs;
    attrs.axes.push_back(i + 2);
    e.from[i] = node.add<ops::select>({}, {node.add<ops::greater>({}, {e.to[i], one}), e.from[i], one});
    x = node.add<ops::slice>(attrs, {x, node.integer_list({0}), e.from[i]});
  }
  return x;
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
  if (scales.empty() && r.policy != aspect_ratio::stretch) return refuse("keep_aspect_ratio_policy");
  if (!scales.empty() && (scales.size() != 4 || scales[0] != 1 || scales[1] != 1))
    return refuse("scales of batch or channels");
  awaited_extents e = extents_after(node, x, scales, sizes);
  // scales from 1 on leave one pixel of one alone
  const bool can_lose_pixels = scales.empty() || scales[2] < 1 || scales[3] < 1;
  if (r.coordinates == coordinate_mode::pytorch_half_pixel && can_lose_pixels) x = without_unused_pixels(node, x, e);
  for (int i = 0; scales.empty() && i < 2; ++i)
    e.scale[i] = over(node, cast_to(node, e.to[i], f32), cast_to(node, e.from[i], f32));
  if (r.mode == interpolation::nearest) {
    for (int i = 0; i < 2; ++i) {
      const std::int32_t places = nearest_places(node, e.from[i], e.to[i], e.scale[i], r);
      x = node.add<ops::gather>({}, {x, places, node.integer_list({i + 2})});
    }
    return node.define(0, x);
  }
  if (!e.has_whole_scales) return refuse("scales that are no integers");
  ops::resize_bilinear::attrs attrs;
  attrs.coordinate_mode = bilinear_coordinates(r);
  const std::int32_t size = joined_lists(node, {e.to[0], e.to[1]});
  node.define(0, channels_second(node, node.add<ops::resize_bilinear>(attrs, {channels_last(node, x), size})));
}

/// Operands of Resize: scales or sizes of the listed axes, and the region of tf_crop_and_resize.
struct resize_operands {
  pool<double> scales, sizes, region;
  std::int32_t awaited_sizes = ir::none;  // of all axes, when extents that are not known yet decide them
  pool<std::int64_t> axes;

  constexpr bool has_sizes() const { return scales.empty(); }
};
[[gnu::cold]] constexpr resize_operands read_resize_operands(node_reader& node, const resizing& r) {
  resize_operands given;
  const bool is_upsample = node.file().bytes(node.entry().op_type.at, node.entry().op_type.size) == "Upsample";
  const std::size_t scales_at = node.version() < 11 ? 1 : 2;
  if (is_upsample && node.version() < 9) {
    for (const float scale : node.reals_attribute("scales")) given.scales.push_back(double{scale});
  } else if (node.has_elements(scales_at)) {
    given.scales = node.reals(scales_at);
  }
  if (node.version() >= 11 && node.has_elements(3)) {
    if (!given.scales.empty()) node.refuse(error_code::invalid_file, {"got scales and sizes, expected one of them"});
    const bool is_awaited = !node.is_known(3) && !node.is_computed(node.input(3)) && !node.has_attribute("axes");
    if (is_awaited) given.awaited_sizes = cast_to(node, node.input(3), i64);
    else given.sizes = node.reals(3);
  }
  if (r.coordinates == coordinate_mode::tf_crop_and_resize) given.region = node.reals(1);
  given.axes = node.integers_attribute("axes");
  return given;
}
/// Checks operands against the rank of the input, and lists all axes when the file lists none.
[[gnu::cold]] constexpr void check_resize_operands(node_reader& node, int rank, resize_operands& given) {
  if (!node.has_attribute("axes"))
    for (int i = 0; i < rank; ++i) given.axes.push_back(i);
  given.axes = node.axes_in(given.axes, rank);
  const std::size_t count = given.axes.size();
  const pool<double>& numbers = given.has_sizes() ? given.sizes : given.scales;
  const std::string_view what = given.has_sizes() ? "sizes" : "scales";
  if (given.awaited_sizes == ir::none && numbers.size() != count)
    node.refuse(error_code::invalid_file, {what, ": got ", numbers.size(), " numbers, expected ", count});
  for (const double number : numbers)
    if (!(number > 0 && number < 0x1p31))
      node.refuse(error_code::invalid_file, {what, ": got a number that is not above 0 and below 2^31"});
  if (!given.region.empty() && given.region.size() != 2 * count)
    node.refuse(error_code::invalid_file, {"roi: got ", given.region.size(), " numbers, expected ", 2 * count});
}

/// What Resize makes of each axis of a tensor of this shape.
[[gnu::cold]] constexpr pool<resized_axis> axes_after(node_reader& node, const shape_t& is, const resizing& r,
                                                      const resize_operands& given) {
  pool<resized_axis> axes;
  for (const std::int64_t extent : is) axes.push_back({extent, extent});
  for (std::size_t i = 0; i < given.axes.size(); ++i) {
    resized_axis& axis = axes[static_cast<std::size_t>(given.axes[i])];
    const double number = given.has_sizes() ? given.sizes[i] : given.scales[i];
    if (!given.region.empty()) {
      axis.start = static_cast<float>(given.region[i]);
      axis.end = static_cast<float>(given.region[given.axes.size() + i]);
    }
    if (!given.has_sizes() && number == 1) continue;
    if (axis.from < 1) {
      node.not_supported({"resizes ", is, ", expected known extents; give the input's shape in load_options::shapes"});
      return axes;
    }
    const auto from = static_cast<float>(axis.from), wanted = static_cast<float>(number);
    axis.scale = given.has_sizes() ? wanted / from : wanted;
    axis.to = static_cast<std::int64_t>(given.has_sizes() ? number : math::floor(double{from * wanted}));
  }
  if (given.has_sizes()) keep_aspect_ratio(r.policy, axes, given.axes);
  constexpr std::int64_t most = std::int64_t{1} << 24;
  for (const std::int64_t i : given.axes)
    if (const resized_axis& axis = axes[static_cast<std::size_t>(i)]; axis.from >= 0 && (axis.to < 1 || axis.to > most))
      node.refuse(error_code::invalid_file, {"axis ", i, ": got ", axis.to, " pixels, expected 1 to ", most});
  return axes;
}

}  // namespace detail

/// Resize and Upsample: scales or sizes for all axes, or for those of the attribute `axes`.
[[gnu::cold]] constexpr void read_resize(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  const detail::resizing r = detail::read_resizing(node);
  detail::resize_operands given = detail::read_resize_operands(node, r);
  if (node.is_fine()) detail::check_resize_operands(node, is.rank, given);
  if (!node.is_fine()) return;
  if (given.awaited_sizes != ir::none) return detail::read_resize_of_extents(node, x, r, {}, given.awaited_sizes);
  if (is.rank == 4 && (is[2] < 0 || is[3] < 0) && !node.has_attribute("axes")) {
    const std::int32_t sizes = given.has_sizes() ? node.integer_list(node.integers(3)) : ir::none;
    return detail::read_resize_of_extents(node, x, r, given.scales, sizes);
  }
  const pool<detail::resized_axis> axes = detail::axes_after(node, is, r, given);
  if (node.is_fine()) node.define(0, detail::resized(node, x, r, axes));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
