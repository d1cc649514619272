// resizer: cuts a region out of an image and resizes it, with each architecture's limits and pixel values.
// Flow: inputs of hbDNNRoiInfer and images of hbDNNResize go through resize_region().
#pragma once

#include <nnrt/core/resize.hpp>
#include <nnrt/hb_dnn/support.hpp>
#include <nnrt/policy/accelerator.hpp>
#include <nnrt/policy/image_input.hpp>

#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// Rows of 8-bit samples with one or more channels per pixel.
struct plane {
  const std::uint8_t* first = nullptr;
  std::int64_t stride = 0;  // bytes between rows
  std::int64_t channels = 1;

  const std::uint8_t* row(std::int64_t h) const { return first + h * stride; }
};

/// An image in a client's memory.
struct client_image {
  image_type type = image_type::nv12;
  std::int64_t width = 0, height = 0;
  std::int64_t rows = 0;    // of a plane, with padding
  std::int64_t stride = 0;  // bytes of a row
  bool is_planar = false;   // yuv444, rgb, bgr in three planes
  std::uint8_t* first = nullptr;
  std::uint8_t* second = nullptr;  // U and V of NV12

  bool is_nv12() const { return type == image_type::nv12 || type == image_type::nv12_separate; }
  int planes() const { return is_nv12() ? 2 : is_planar ? 3 : 1; }
  std::uint8_t* plane_first(int p) const { return is_nv12() ? (p == 0 ? first : second) : first + p * rows * stride; }
  /// Pixels per sample of a plane, along each axis.
  std::int64_t shared_by(int p) const { return is_nv12() && p == 1 ? 2 : 1; }
  std::int64_t channels_of_plane(int p) const {
    if (is_nv12()) return p + 1;
    return is_planar || type == image_type::y ? 1 : 3;
  }
  plane plane_of(int p) const { return {plane_first(p), stride, channels_of_plane(p)}; }
};

/// Limits of a resizer.
struct resizer_limits {
  std::string_view architecture;
  int fraction_bits;                   // of the step between samples
  std::int64_t inner_side;             // subtracted from a region's side before scaling
  std::int64_t min_side, max_side;     // of a region
  bool begins_even_ends_odd;           // coordinates of a region: even first, odd last
  std::int64_t max_width, max_stride;  // of a source; 0: no limit
  std::int64_t max_pixels;             // of the network's image; 0: no limit
  bool halves_at_most;                 // 0.5 < result / region <= 8, along each axis
  std::int64_t largest_step;           // 0: no limit
};

/// Source: ROI inference in the documentation of RDK X3 and RDK Ultra. X3's scale limit is read in the direction that
/// its network and region sizes allow; its clients map boxes back with a region's side less one.
inline constexpr resizer_limits resizers[] = {
    {"bernoulli2", 8, 1, 16, 255, true, 0, 0, 18431, true, 0},
    {"bayes", 16, 0, 2, 4096, false, 4096, 131072, 0, false, 262143},
};
/// The resizer of an architecture; bayes_e has bayes' resizer.
constexpr const resizer_limits& resizer_of(const accelerator& table) {
  return table.name == resizers[0].architecture ? resizers[0] : resizers[1];
}

/// hbDNNResize: 16 fraction bits, whole sides.
inline constexpr resizer_limits plain_resizer{"", 16, 0, 1, 4080, false, 4080, 0, 0, false, 0};

inline std::int64_t width_of(const hbDNNRoi& roi) { return std::int64_t{roi.right} - roi.left + 1; }
inline std::int64_t height_of(const hbDNNRoi& roi) { return std::int64_t{roi.bottom} - roi.top + 1; }
inline bool lies_within(const hbDNNRoi& roi, const client_image& image) {
  return roi.left >= 0 && roi.top >= 0 && roi.left <= roi.right && roi.top <= roi.bottom && roi.right < image.width &&
         roi.bottom < image.height;
}

/// Why a region of a source is invalid for an image of this size; empty: it is valid.
inline diagnostic fault_of_region(const resizer_limits& by, const client_image& source, const hbDNNRoi& roi,
                                  std::int64_t width, std::int64_t height) {
  const auto refuse = [&](pieces why) {
    return joined({"region [left ", roi.left, ", top ", roi.top, ", right ", roi.right, ", bottom ", roi.bottom,
                   "]: ", joined(why)});
  };
  if (!lies_within(roi, source))
    return refuse({"must lie within the image of ", source.width, " x ", source.height, " pixels"});
  const std::int64_t sides[] = {width_of(roi), height_of(roi)}, made[] = {width, height};
  if (by.begins_even_ends_odd && (roi.left % 2 != 0 || roi.top % 2 != 0 || roi.right % 2 == 0 || roi.bottom % 2 == 0))
    return refuse({"left and top must be even, right and bottom odd"});
  if (by.max_width != 0 && source.width > by.max_width)
    return joined({"the image: got ", source.width, " columns, expected at most ", by.max_width});
  if (by.max_stride != 0 && (source.stride < 16 || source.stride > by.max_stride || source.stride % 16 != 0))
    return joined(
        {"the image's stride: got ", source.stride, ", expected a multiple of 16 from 16 to ", by.max_stride});
  for (int i = 0; i < 2; ++i) {
    const char* const side = i == 0 ? "width" : "height";
    if (sides[i] < by.min_side || sides[i] > by.max_side)
      return refuse({side, ": got ", sides[i], " pixels, expected ", by.min_side, " to ", by.max_side});
    if (by.halves_at_most && (2 * made[i] <= sides[i] || made[i] > 8 * sides[i]))
      return refuse(
          {side, ": got ", made[i], " pixels of ", sides[i], ", expected more than half as many, and at most 8 times"});
    if (by.largest_step != 0 && (made[i] < 2 || resizing_step(sides[i], made[i], by.fraction_bits) > by.largest_step))
      return refuse({side, ": got ", made[i], " pixels of ", sides[i],
                     ", expected at least 2 of them, and a step of at most ", by.largest_step, " of 1/",
                     std::int64_t{1} << by.fraction_bits, " pixel"});
  }
  return {};
}

namespace detail {

/// One axis of a resized plane: start of the region, its number of samples, number of samples of the result, and the
/// step between them.
struct resized_side {
  std::int64_t begin, input, output, step;
  int bits;

  resized_side(std::int64_t first, std::int64_t last, std::int64_t made, std::int64_t shared_by,
               const resizer_limits& by)
      : begin(first / shared_by),
        input(last / shared_by - begin + 1),
        output(made / shared_by),
        bits(by.fraction_bits) {
    const std::int64_t counted = input - (shared_by == 1 ? by.inner_side : 0);
    step = resizing_step(counted > 0 ? counted : 1, output, bits);
  }
  pixel_pair<std::int64_t> at(std::int64_t i) const {
    pixel_pair<std::int64_t> pair = pixels_around_by_step(step, bits, input, i);
    pair.first += begin, pair.second += begin;
    return pair;
  }
};

/// Bilinear interpolation, rounded half up.
inline void resize_plane(const plane& from, const resized_side& across, const resized_side& down, std::uint8_t* to,
                         std::int64_t to_stride) {
  std::vector<pixel_pair<std::int64_t>> columns;
  for (std::int64_t w = 0; w < across.output; ++w) columns.push_back(across.at(w));
  const std::int64_t one = std::int64_t{1} << across.bits, half = std::int64_t{1} << (2 * across.bits - 1);
  for (std::int64_t h = 0; h < down.output; ++h) {
    const auto pair = down.at(h);
    const std::uint8_t* const above = from.row(pair.first);
    const std::uint8_t* const below = from.row(pair.second);
    std::uint8_t* y = to + h * to_stride;
    for (const auto& column : columns)
      for (std::int64_t c = 0; c < from.channels; ++c) {
        const std::int64_t left = column.first * from.channels + c, right = column.second * from.channels + c;
        const std::int64_t upper = above[left] * (one - column.between) + above[right] * column.between;
        const std::int64_t lower = below[left] * (one - column.between) + below[right] * column.between;
        *y++ = static_cast<std::uint8_t>((upper * (one - pair.between) + lower * pair.between + half) >>
                                         (2 * across.bits));
      }
  }
}

}  // namespace detail

/// Fills `to` with a region of an image of the same type. Sample i is at i steps from the region's first sample, with
/// bilinear interpolation. NV12's U and V are images of half the width and height.
inline void resize_region(const resizer_limits& by, const client_image& from, const hbDNNRoi& roi,
                          const client_image& to) {
  for (int p = 0; p < from.planes(); ++p) {
    const std::int64_t shared_by = from.shared_by(p);
    const detail::resized_side across(roi.left, roi.right, to.width, shared_by, by),
        down(roi.top, roi.bottom, to.height, shared_by, by);
    detail::resize_plane(from.plane_of(p), across, down, to.plane_first(p), to.stride);
  }
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
