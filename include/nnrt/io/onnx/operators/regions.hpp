// regions: readers of .onnx operators that sample an image at computed coordinates, or select boxes.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/images.hpp>
#include <nnrt/io/onnx/operators/scatter.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/logical_and.hpp>
#include <nnrt/ops/non_max_suppression.hpp>
#include <nnrt/ops/reduce_max.hpp>
#include <nnrt/ops/round.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

enum class grid_padding { zeros, border, reflection };

/// How GridSample computes; shared by all axes.
struct grid_sampling {
  interpolation mode = interpolation::linear;
  grid_padding padding = grid_padding::zeros;
  bool align_corners = false;
};

/// One tap of an interpolation along an axis. `inside` is none when pixels outside do not count as 0.
struct grid_tap {
  std::int32_t index = ir::none, weight = ir::none, inside = ir::none;
};

/// x limited to [least, most].
[[gnu::cold]] constexpr std::int32_t limited(node_maker& node, std::int32_t x, double least, double most) {
  return pair<ops::minimum>(node, pair<ops::maximum>(node, x, number_like(node, x, least), false),
                            number_like(node, x, most), false);
}
[[gnu::cold]] constexpr std::int32_t is_between(node_maker& node, std::int32_t x, double least, double most) {
  return node.add<ops::logical_and>({}, {node.add<ops::greater_equal>({}, {x, number_like(node, x, least)}),
                                         node.add<ops::less_equal>({}, {x, number_like(node, x, most)})});
}
/// x reflected at both ends of [least, most] until it is inside.
[[gnu::cold]] constexpr std::int32_t reflected(node_maker& node, std::int32_t x, double least, double most) {
  const double range = most - least;
  if (range <= 0) return times(node, x, 0.0);
  const std::int32_t period = number_like(node, x, 2 * range);
  const std::int32_t rest = node.add<ops::mod>({}, {plus(node, x, -least), period});
  const std::int32_t back = minus(node, period, rest);
  return plus(node, pair<ops::minimum>(node, rest, back, false), least);
}

/// The interval at whose ends coordinates are reflected.
constexpr double first_edge(const grid_sampling& how) { return how.align_corners ? 0 : -0.5; }
constexpr double last_edge(const grid_sampling& how, std::int64_t extent) {
  return static_cast<double>(extent) - (how.align_corners ? 1 : 0.5);
}

/// A tap at pixel `at`, a whole number as real number, of an axis with this extent.
[[gnu::cold]] constexpr grid_tap tap_at(node_maker& node, const grid_sampling& how, std::int32_t at,
                                        std::int32_t weight, std::int64_t extent) {
  grid_tap tap;
  tap.weight = weight;
  const double last = static_cast<double>(extent - 1);
  if (how.padding == grid_padding::zeros) tap.inside = is_between(node, at, 0, last);
  if (how.padding == grid_padding::reflection) at = reflected(node, at, first_edge(how), last_edge(how, extent));
  tap.index = cast_to(node, limited(node, at, 0, last), i64);
  return tap;
}

/// Weight of a cubic tap at distance `d` from it; `is_near`: d is at most 1, else 1 to 2.
[[gnu::cold]] constexpr std::int32_t cubic_weight(node_maker& node, std::int32_t d, bool is_near) {
  constexpr double a = -0.75;
  if (is_near) return plus(node, times(node, times(node, plus(node, times(node, d, a + 2), -(a + 3)), d), d), 1.0);
  const std::int32_t inner = times(node, plus(node, times(node, d, a), -5 * a), d);
  return plus(node, times(node, plus(node, inner, 8 * a), d), -4 * a);
}

/// The taps of coordinates in [-1, 1] along an axis.
[[gnu::cold]] constexpr pool<grid_tap> taps_along(node_maker& node, const grid_sampling& how, std::int32_t grid,
                                                  std::int64_t extent) {
  pool<grid_tap> taps;
  const double size = static_cast<double>(extent);
  std::int32_t at = plus(node, grid, 1.0);
  at = how.align_corners ? times(node, times(node, at, 0.5), size - 1)
                         : times(node, plus(node, times(node, at, size), -1.0), 0.5);
  if (how.mode == interpolation::nearest) at = node.add<ops::round>({}, {at});
  const double first = first_edge(how), last = last_edge(how, extent);
  if (how.padding != grid_padding::zeros) {
    // coordinates between the outermost pixels and the edges stay: their taps are bounded one by one
    const std::int32_t moved =
        how.padding == grid_padding::border ? limited(node, at, 0, size - 1) : reflected(node, at, first, last);
    at = node.add<ops::select>({}, {is_between(node, at, first, last), at, moved});
  }
  if (how.mode == interpolation::nearest) {
    if (how.padding == grid_padding::reflection) at = node.add<ops::round>({}, {at});
    taps.push_back(tap_at(node, how, at, ir::none, extent));
    return taps;
  }
  const std::int32_t low = node.add<ops::floor>({}, {at}), part = minus(node, at, low);
  const std::int32_t one = number_like(node, part, 1), rest = minus(node, one, part);
  if (how.mode == interpolation::linear) {
    taps.push_back(tap_at(node, how, low, rest, extent));
    taps.push_back(tap_at(node, how, plus(node, low, 1.0), part, extent));
    return taps;
  }
  taps.push_back(tap_at(node, how, plus(node, low, -1.0), cubic_weight(node, plus(node, part, 1.0), false), extent));
  taps.push_back(tap_at(node, how, low, cubic_weight(node, part, true), extent));
  taps.push_back(tap_at(node, how, plus(node, low, 1.0), cubic_weight(node, rest, true), extent));
  taps.push_back(tap_at(node, how, plus(node, low, 2.0), cubic_weight(node, plus(node, rest, 1.0), false), extent));
  return taps;
}

/// Sums of weighted pixels, one axis after the other. `pixels` are lines [N * D1 * … * Dn, C].
struct grid_sum {
  std::int32_t pixels = ir::none;
  shape_t extents;
  pool<grid_tap> taps;  // of all axes, equally many of each

  /// The sum over axes from `axis` on; `flat` are the indices of the axes before, `inside` whether they are pixels.
  [[gnu::cold]] constexpr std::int32_t over_axes(node_maker& node, int axis, std::int32_t flat,
                                                 std::int32_t inside) const {
    if (axis == extents.rank) {
      const std::int32_t seen = lines_at(node, pixels, flat);
      if (inside == ir::none) return seen;
      const std::int32_t mask = with_axis(node, inside, node.desc(inside).rank());
      return node.add<ops::select>({}, {mask, seen, number_like(node, seen, 0)});
    }
    std::int32_t sum = ir::none;
    const std::size_t count = taps.size() / static_cast<std::size_t>(extents.rank);
    for (std::size_t i = 0; i < count; ++i) {
      const grid_tap& tap = taps[static_cast<std::size_t>(axis) * count + i];
      const std::int32_t at = plus(node, times(node, flat, static_cast<double>(extents[axis])), tap.index);
      std::int32_t here = tap.inside;
      if (here == ir::none) here = inside;
      else if (inside != ir::none) here = node.add<ops::logical_and>({}, {inside, here});
      std::int32_t part = over_axes(node, axis + 1, at, here);
      if (!node.is_fine()) return ir::none;
      if (tap.weight != ir::none) part = times(node, part, with_axis(node, tap.weight, node.desc(tap.weight).rank()));
      sum = sum == ir::none ? part : plus(node, sum, part);
    }
    return sum;
  }
};

[[gnu::cold]] constexpr grid_sampling read_grid_sampling(node_reader& node) {
  grid_sampling how;
  constexpr named_number<interpolation> modes[] = {{"bilinear", interpolation::linear},
                                                   {"linear", interpolation::linear},
                                                   {"nearest", interpolation::nearest},
                                                   {"bicubic", interpolation::cubic},
                                                   {"cubic", interpolation::cubic}};
  constexpr named_number<grid_padding> paddings[] = {
      {"zeros", grid_padding::zeros}, {"border", grid_padding::border}, {"reflection", grid_padding::reflection}};
  how.mode = named(node, "mode", node.text_attribute("mode", "bilinear"), modes);
  how.padding = named(node, "padding_mode", node.text_attribute("padding_mode", "zeros"), paddings);
  how.align_corners = node.integer_attribute("align_corners", 0) != 0;
  return how;
}

}  // namespace detail

/// GridSample: pixels of x [N, C, D1 … Dn] at coordinates grid [N, …, n] in [-1, 1], the last axis first.
[[gnu::cold]] constexpr void read_grid_sample(node_reader& node) {
  const std::int32_t x = node.input(0);
  std::int32_t grid = node.input(1);
  const shape_t is = node.desc(x).shape, to = node.desc(grid).shape;
  const detail::grid_sampling how = detail::read_grid_sampling(node);
  if (!node.is_fine()) return;
  const int count = is.rank - 2;
  if (count < 1 || to.rank != is.rank || !is.is_known() || !to.is_known())
    return node.not_supported({"input ", is, " and grid ", to, ", expected equal ranks from 3 on and known extents"});
  if (to[-1] != count || to[0] != is[0])
    return node.refuse(error_code::invalid_file, {"grid: got ", to, " for an input ", is});
  if (is.elements() == 0 || to.elements() == 0) return node.not_supported({"input ", is, " and grid ", to});
  const dtype type = node.type(x), real = type == f64 || node.type(grid) == f64 ? f64 : f32;
  const bool is_nearest = how.mode == detail::interpolation::nearest;
  if (!is_nearest && !types::floating.contains(type))
    return node.not_supported({"a mode other than nearest of ", name_of(type)});
  grid = detail::cast_to(node, grid, real);
  detail::grid_sum sum;
  std::int32_t pixels = detail::channels_last(node, x);
  if (type == boolean) pixels = detail::cast_to(node, pixels, u8);
  if (!is_nearest) pixels = detail::cast_to(node, pixels, real);
  sum.pixels = detail::reshaped(node, pixels, pool<std::int64_t>{-1, is[1]});
  const int last = to.rank - 1;
  for (int i = 0; i < count; ++i) {
    const std::int32_t place = node.scalar(i64, static_cast<double>(count - 1 - i));
    const std::int32_t along = node.add<ops::gather>({}, {grid, place, node.integer_list({last})});
    for (const detail::grid_tap& tap : detail::taps_along(node, how, along, is[i + 2])) sum.taps.push_back(tap);
    sum.extents.push_back(is[i + 2]);
  }
  pool<std::int64_t> shape{is[0]};
  for (int i = 1; i < last; ++i) shape.push_back(1);
  const std::int32_t image = detail::reshaped(node, detail::numbered(node, is[0]), shape);
  const std::int32_t y = sum.over_axes(node, 0, image, ir::none);
  node.define(0, detail::channels_second(node, detail::cast_to(node, y, type)));
}

namespace detail {

/// How RoiAlign samples one axis of its regions.
struct region_axis {
  std::int32_t start = ir::none, bin = ir::none;  // [R, 1], in pixels: of the region's first bin, and of a bin
  std::int32_t samples = ir::none;                // [R, 1], as real numbers: for each bin
  std::int64_t bins = 0, most_samples = 0, extent = 0;
};
/// The two taps of one sample of each bin, [R, bins]; `used` is none when all regions have the sample.
struct region_taps {
  grid_tap low, high;
  std::int32_t used = ir::none;
};

[[gnu::cold]] constexpr region_taps taps_of_sample(node_maker& node, const region_axis& axis, std::int64_t sample,
                                                   bool has_all) {
  pool<float> places;
  for (std::int64_t i = 0; i < axis.bins; ++i) places.push_back(static_cast<float>(i));
  const std::int32_t number = node.real_list(places);
  const std::int32_t step = over(node, axis.bin, axis.samples);
  std::int32_t at = plus(node, axis.start, times(node, number, axis.bin));
  at = plus(node, at, times(node, step, static_cast<double>(sample) + 0.5));
  region_taps taps;
  // a sample more than a pixel outside is 0
  std::int32_t used = is_between(node, at, -1, static_cast<double>(axis.extent));
  if (!has_all)
    used = node.add<ops::logical_and>(
        {}, {used, node.add<ops::greater>({}, {axis.samples, node.scalar(f32, static_cast<double>(sample))})});
  taps.used = used;
  at = node.add<ops::select>({}, {used, at, node.scalar(f32, 0)});
  at = limited(node, at, 0, static_cast<double>(axis.extent - 1));
  const std::int32_t low = node.add<ops::floor>({}, {at});
  taps.high.weight = minus(node, at, low);
  taps.low.weight = minus(node, number_like(node, low, 1), taps.high.weight);
  taps.low.index = cast_to(node, low, i64);
  taps.high.index = cast_to(node, limited(node, plus(node, low, 1.0), 0, static_cast<double>(axis.extent - 1)), i64);
  return taps;
}
/// Adds axes of extent 1 to [R, bins]: rows are [R, bins, 1, 1], columns [R, 1, bins, 1]; without channels one less.
[[gnu::cold]] constexpr std::int32_t as_rows(node_maker& node, std::int32_t x, bool has_channels) {
  x = with_axis(node, x, 2);
  return has_channels ? with_axis(node, x, 3) : x;
}
[[gnu::cold]] constexpr std::int32_t as_columns(node_maker& node, std::int32_t x, bool has_channels) {
  x = with_axis(node, x, 1);
  return has_channels ? with_axis(node, x, 3) : x;
}

/// Column `i` of regions [R, 4], as [R, 1].
[[gnu::cold]] constexpr std::int32_t region_column(node_maker& node, std::int32_t regions, std::int64_t i) {
  return node.add<ops::slice>({}, {regions, node.integer_list({0, i}), node.integer_list({-1, 1})});
}

/// What RoiAlign computes, by its attributes. Pairs are rows and columns.
struct region_pooling {
  bool is_max = false, is_half_pixel = true;
  std::int64_t ratio = 0;  // samples of a bin along an axis; 0: they depend on the region
  float scale = 1;
  std::int64_t bins[2] = {1, 1};

  constexpr float shift() const { return is_half_pixel ? 0.5F : 0.0F; }
};
[[gnu::cold]] constexpr region_pooling read_region_pooling(node_reader& node) {
  region_pooling how;
  const std::string_view mode = node.text_attribute("mode", "avg"),
                         coordinates = node.text_attribute("coordinate_transformation_mode",
                                                           node.version() < 16 ? "output_half_pixel" : "half_pixel");
  how.ratio = node.integer_attribute("sampling_ratio", 0);
  how.scale = node.real_attribute("spatial_scale", 1);
  how.is_half_pixel = coordinates == "half_pixel", how.is_max = mode == "max";
  how.bins[0] = node.integer_attribute("output_height", 1), how.bins[1] = node.integer_attribute("output_width", 1);
  if ((mode != "avg" && !how.is_max) || (!how.is_half_pixel && coordinates != "output_half_pixel"))
    node.refuse(error_code::invalid_file,
                {"got mode ", piece::in_quotes(mode), " and coordinates ", piece::in_quotes(coordinates)});
  constexpr std::int64_t most = 4096;
  if (how.ratio < 0 || how.bins[0] < 1 || how.bins[1] < 1 || how.bins[0] > most || how.bins[1] > most)
    node.refuse(error_code::invalid_file, {"got a sampling_ratio of ", how.ratio, " and ", how.bins[0], " x ",
                                           how.bins[1], " bins, expected 1 to ", most});
  return how;
}
/// Refuses regions or images that cannot be sampled while the file is read.
[[gnu::cold]] constexpr void check_regions(node_reader& node, const region_pooling& how, std::int32_t x,
                                           std::int32_t regions) {
  const shape_t is = node.desc(x).shape, given = node.desc(regions).shape;
  if (!node.is_fine()) return;
  if (is.rank != 4 || given.rank != 2 || given[1] != 4)
    return node.refuse(error_code::invalid_file,
                       {"got ", is, " and regions ", given, ", expected rank 4 and regions [R, 4]"});
  if (!is.is_known() || !given.is_known() || is.elements() == 0 || given[0] == 0)
    return node.not_supported({"input ", is, " and regions ", given, ", expected known extents above 0"});
  if (how.ratio == 0 && !node.is_known(1))
    return node.not_supported({"sampling_ratio 0: the number of samples depends on regions that only a run knows"});
  if (!types::floating.contains(node.type(x))) node.not_supported_beside(0, x, "floating-point elements");
}

/// The largest number of samples of a bin: ceil(length of the bin), for constant regions. `first` is the column of
/// their starts.
constexpr std::int64_t most_samples_of(array_ref<const double> regions, std::size_t first, const region_pooling& how,
                                       std::int64_t bins) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i + 3 < regions.size(); i += 4) {
    const float start = static_cast<float>(regions[i + first]) * how.scale - how.shift(),
                end = static_cast<float>(regions[i + first + 2]) * how.scale - how.shift();
    float length = end - start;
    if (!how.is_half_pixel && length < 1) length = 1;
    const double samples = math::ceil(double{length / static_cast<float>(bins)});
    if (!(samples < 1e6)) return std::int64_t{1} << 20;
    most = std::max(most, static_cast<std::int64_t>(samples));
  }
  return most;
}
/// How regions `boxes` are sampled along the rows (i = 0) or columns of an image with this extent. `known` has their
/// numbers when the number of samples depends on them.
[[gnu::cold]] constexpr region_axis region_along(node_maker& node, const region_pooling& how, std::int32_t boxes,
                                                 array_ref<const double> known, std::size_t i, std::int64_t extent) {
  region_axis axis;
  const std::size_t first = 1 - i;  // of y is 1, of x 0
  axis.bins = how.bins[i], axis.extent = extent;
  const auto scaled = [&](std::size_t column) {
    const std::int32_t made =
        times(node, region_column(node, boxes, static_cast<std::int64_t>(column)), double{how.scale});
    return how.is_half_pixel ? plus(node, made, -0.5) : made;
  };
  axis.start = scaled(first);
  std::int32_t length = minus(node, scaled(first + 2), axis.start);
  if (!how.is_half_pixel) length = pair<ops::maximum>(node, length, node.scalar(f32, 1), false);
  axis.bin = over(node, length, node.scalar(f32, static_cast<double>(axis.bins)));
  axis.most_samples = how.ratio > 0 ? how.ratio : most_samples_of(known, first, how, axis.bins);
  axis.samples = how.ratio > 0 ? node.scalar(f32, static_cast<double>(how.ratio)) : function<ops::ceil>(node, axis.bin);
  return axis;
}

/// The samples of all bins of `count` regions. Pixels are lines [N * H * W, C]; `image` is that of each region.
struct region_samples {
  region_pooling how;
  region_axis rows, columns;
  std::int32_t pixels = ir::none, image = ir::none;
  std::int64_t count = 0;

  /// The means or maxima [R, rows, columns, C]; none when no region has a sample.
  [[gnu::cold]] constexpr std::int32_t reduced(node_maker& node) const {
    std::int32_t y = ir::none;
    for (std::int64_t i = 0; node.is_fine() && i < rows.most_samples; ++i) {
      const region_taps of_row = taps_of_sample(node, rows, i, how.ratio > 0);
      for (std::int64_t k = 0; node.is_fine() && k < columns.most_samples; ++k) {
        const std::int32_t sample = sampled(node, of_row, taps_of_sample(node, columns, k, how.ratio > 0));
        if (y == ir::none) y = sample;
        else if (!how.is_max) y = plus(node, y, sample);
        else y = larger(node, y, sample, i, k);
      }
    }
    return y == ir::none || how.is_max ? y : over(node, y, divisor(node));
  }

 private:
  /// One sample of each bin; 0 where a region does not have it.
  [[gnu::cold]] constexpr std::int32_t sampled(node_maker& node, const region_taps& of_row,
                                               const region_taps& of_column) const {
    std::int32_t sample = ir::none;
    for (const grid_tap& row : {of_row.low, of_row.high})
      for (const grid_tap& column : {of_column.low, of_column.high}) {
        std::int32_t at =
            plus(node, times(node, image, static_cast<double>(rows.extent)), as_rows(node, row.index, false));
        at = plus(node, times(node, at, static_cast<double>(columns.extent)), as_columns(node, column.index, false));
        const std::int32_t weight = times(node, as_rows(node, row.weight, true), as_columns(node, column.weight, true));
        const std::int32_t part = times(node, lines_at(node, pixels, at), weight);
        if (sample == ir::none) sample = part;
        else sample = how.is_max ? pair<ops::maximum>(node, sample, part, false) : plus(node, sample, part);
      }
    const std::int32_t used =
        node.add<ops::logical_and>({}, {as_rows(node, of_row.used, true), as_columns(node, of_column.used, true)});
    return node.add<ops::select>({}, {used, sample, node.scalar(f32, 0)});
  }
  /// The maximum with sample (i, k); regions with fewer samples keep what they have.
  [[gnu::cold]] constexpr std::int32_t larger(node_maker& node, std::int32_t y, std::int32_t sample, std::int64_t i,
                                              std::int64_t k) const {
    const std::int32_t larger_one = pair<ops::maximum>(node, y, sample, false);
    if (how.ratio > 0) return larger_one;
    const auto has = [&](const region_axis& axis, std::int64_t number) {
      return node.add<ops::greater>({}, {axis.samples, node.scalar(f32, static_cast<double>(number))});
    };
    const std::int32_t both = node.add<ops::logical_and>({}, {has(rows, i), has(columns, k)});
    return node.add<ops::select>({}, {reshaped(node, both, pool<std::int64_t>{count, 1, 1, 1}), larger_one, y});
  }
  /// The number of samples of each region's bins, at least 1.
  [[gnu::cold]] constexpr std::int32_t divisor(node_maker& node) const {
    const std::int32_t samples = times(node, rows.samples, columns.samples);
    const std::int32_t least = pair<ops::maximum>(node, samples, node.scalar(f32, 1), false);
    if (how.ratio > 0) return least;
    return reshaped(node, least, pool<std::int64_t>{count, 1, 1, 1});
  }
};

}  // namespace detail

/// RoiAlign: means or maxima of samples in each bin of regions [R, 4] (x1, y1, x2, y2) of x [N, C, H, W]. Maxima are
/// those of weighted pixels, as in ONNX's reference. Without a sampling_ratio the regions must be constants, because
/// the number of samples depends on them.
[[gnu::cold]] constexpr void read_roi_align(node_reader& node) {
  using namespace detail;
  const std::int32_t x = node.input(0), regions = node.input(1), images = node.input(2);
  const shape_t is = node.desc(x).shape, given = node.desc(regions).shape;
  region_samples all;
  all.how = read_region_pooling(node);
  check_regions(node, all.how, x, regions);
  if (!node.is_fine()) return;
  pool<double> known;
  if (all.how.ratio == 0) known = node.reals(1);
  const dtype type = node.type(x);
  const std::int32_t boxes = cast_to(node, regions, f32);
  all.rows = region_along(node, all.how, boxes, known, 0, is[2]);
  all.columns = region_along(node, all.how, boxes, known, 1, is[3]);
  all.count = given[0];
  if (!node.is_fine()) return;
  constexpr std::int64_t most = 1024;
  if (all.rows.most_samples > most || all.columns.most_samples > most ||
      all.rows.most_samples * all.columns.most_samples > most)
    return node.not_supported(
        {"got bins of ", all.rows.most_samples, " x ", all.columns.most_samples, " samples, expected at most ", most});
  all.pixels = reshaped(node, channels_last(node, cast_to(node, x, f32)), pool<std::int64_t>{-1, is[1]});
  all.image = reshaped(node, checked_indices(node, images, is[0]), pool<std::int64_t>{given[0], 1, 1});
  const std::int32_t y = all.reduced(node);
  if (!node.is_fine()) return;
  if (y == ir::none)  // no region has a sample
    return node.define(0, filled(node, type, {given[0], is[1], all.how.bins[0], all.how.bins[1]}, 0));
  node.define(0, channels_second(node, cast_to(node, y, type)));
}

[[gnu::cold]] constexpr void read_max_roi_pool(node_reader& node) {
  node.not_supported({"the bins' bounds are rounded to pixels and depend on regions; export RoiAlign instead"});
}

namespace detail {

/// The first `count` rows of the boxes that NonMaxSuppression selects, or all rows and their number.
[[gnu::cold]] constexpr void define_selected(node_reader& node, std::int32_t rows, std::int32_t count) {
  if (!node.is_constant_value(count)) {
    node.define(0, rows);
    return node.count_rows(rows, count);
  }
  const ir::graph& g = node.network().graph();
  const std::int64_t known = g.element<std::int32_t>(g.at(count), 0);
  if (known == 0) return node.define(0, node.taken(node.network().constant<std::int64_t>({i64, {0, 3}}, {})));
  node.define(0, node.add<ops::slice>({}, {rows, node.integer_list({0, 0}), node.integer_list({known, 3})}));
}

}  // namespace detail

/// NonMaxSuppression: rows (image, class, box) of the selected boxes, as i64. With constant operands exactly these.
/// Otherwise there are as many rows as there may be, the rows after the selected ones are 0, and their number is a
/// further output of the network: see node_reader::count_rows().
[[gnu::cold]] constexpr void read_non_max_suppression(node_reader& node) {
  std::int32_t boxes = node.input(0), scores = node.input(1);
  const std::int64_t format = node.integer_attribute("center_point_box", 0);
  std::int64_t most = node.has_elements(2) ? node.integer(2) : 0;
  const bool has_share = node.has_elements(3), has_lowest = node.has_elements(4);
  if (!node.is_fine()) return;
  const shape_t is = node.desc(boxes).shape, given = node.desc(scores).shape;
  if (is.rank != 3 || given.rank != 3 || is[2] != 4)
    return node.refuse(error_code::invalid_file,
                       {"got boxes ", is, " and scores ", given, ", expected [N, boxes, 4] and [N, classes, boxes]"});
  if (is[1] >= 0) most = std::min(most, is[1]);
  if (format != 0 && format != 1)
    return node.refuse(error_code::invalid_file, {"center_point_box: got ", format, ", expected 0 or 1"});
  if (most <= 0 || is.elements() == 0 || given.elements() == 0)
    return node.define(0, node.taken(node.network().constant<std::int64_t>({i64, {0, 3}}, {})));
  if (!is.is_known() || !given.is_known())
    return node.not_supported({"boxes ", is, " and scores ", given, ", expected known extents: they bound the rows"});
  bool is_known = true;  // then the boxes are selected while the file is read
  for (std::size_t i = 0; i < node.input_count(); ++i) is_known = is_known && (!node.has(i) || node.is_known(i));
  if (is_known) boxes = node.readable(0), scores = node.readable(1);
  if (!node.is_fine()) return;
  const std::int32_t lowest = has_lowest ? node.input(4) : node.scalar(node.type(scores), -math::infinity<double>),
                     share = has_share ? node.input(3) : node.scalar(node.type(boxes), 0);
  ops::non_max_suppression::attrs attrs;
  attrs.max_detections = most, attrs.center_point_box = format == 1;
  const pool<std::int32_t> made = node.add_all<ops::non_max_suppression>(attrs, {boxes, scores, share, lowest});
  if (node.is_fine()) detail::define_selected(node, detail::cast_to(node, made[0], i64), made[2]);
}

}}}  // namespace nnrt::NNRT_ISA::onnx
