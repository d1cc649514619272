// image_input: converts pixels of a camera or file to a network's input - colours, pixel - 128, mean and scale.
// Flow: programs convert frames with it before they run a network, and samples before they calibrate one.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/core/shape.hpp>
#include <nnrt/core/verdict.hpp>

#include <iterator>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Layout of an image in memory. The values are those of hbDNNDataType.
enum class image_type {
  y,              // [H, W]
  nv12,           // [H, W] Y, then [H / 2, W / 2, 2] U and V
  nv12_separate,  // as nv12, in two pieces of memory
  yuv444,         // [H, W, 3], or planes
  rgb,
  bgr,
};
constexpr std::string_view name_of(image_type type) {
  constexpr std::string_view names[] = {"y", "nv12", "nv12_separate", "yuv444", "rgb", "bgr"};
  const auto i = static_cast<std::size_t>(type);
  return i < std::size(names) ? names[i] : "unknown";
}

/// The colours with which a network was trained.
enum class colours { gray, yuv444, rgb, bgr };
constexpr std::string_view name_of(colours seen) {
  constexpr std::string_view names[] = {"gray", "yuv444", "rgb", "bgr"};
  const auto i = static_cast<std::size_t>(seen);
  return i < std::size(names) ? names[i] : "unknown";
}

/// The range of Y, U and V. Ignored for networks that read Y, U and V.
enum class colour_range {
  full,         // 0 … 255, as in JPEG files
  bt601_video,  // Y 16 … 235, U and V 16 … 240
};
constexpr std::string_view name_of(colour_range range) {
  constexpr std::string_view names[] = {"full", "bt601_video"};
  const auto i = static_cast<std::size_t>(range);
  return i < std::size(names) ? names[i] : "unknown";
}

/// An image of 8-bit channels; owns nothing. `stride` is the distance of rows in bytes, for all planes; 0: rows are
/// contiguous.
struct image_view {
  image_type type = image_type::rgb;
  std::int64_t height = 0, width = 0;
  const std::uint8_t* first = nullptr;
  const std::uint8_t* second = nullptr;  // nv12_separate: U and V
  std::int64_t stride = 0;
  bool is_planar = false;  // yuv444, rgb, bgr: [3, H, W]
  colour_range range = colour_range::full;
};

/// Why an image does not fit a network's input.
enum class image_rule {
  image_must_have_pixels,
  sides_of_nv12_must_be_even,
  stride_must_cover_a_row,
  image_must_hold_the_colours_of_the_network,
  type_of_the_image_must_be_known,
  colours_of_the_network_must_be_known,
  range_of_the_image_must_be_known,
  image_must_fit_into_memory,
};

namespace detail {

constexpr bool is_nv12(image_type type) { return type == image_type::nv12 || type == image_type::nv12_separate; }
constexpr std::int64_t row_bytes(const image_view& image) {
  const bool is_plane = image.type == image_type::y || is_nv12(image.type) || image.is_planar;
  return is_plane ? image.width : saturated_product(3, image.width);
}
/// Maximum size of an image; three planes of this size can still be counted in 64 bits.
inline constexpr std::int64_t max_image_bytes = std::int64_t{1} << 60;

/// Three channels of one pixel, in the order of the image's type.
struct pixel {
  std::int32_t of[3] = {};
};

class image_reader {
 public:
  constexpr explicit image_reader(const image_view& image)
      : image_(image), stride_(image.stride != 0 ? image.stride : row_bytes(image)) {}

  constexpr pixel at(std::int64_t h, std::int64_t w) const {
    if (image_.type == image_type::y) return {{image_.first[h * stride_ + w], 0, 0}};
    if (is_nv12(image_.type)) {  // four pixels share U and V
      const std::uint8_t* const uv =
          (image_.type == image_type::nv12 ? image_.first + image_.height * stride_ : image_.second) + h / 2 * stride_ +
          w / 2 * 2;
      return {{image_.first[h * stride_ + w], uv[0], uv[1]}};
    }
    const std::int64_t step = image_.is_planar ? image_.height * stride_ : 1;
    const std::uint8_t* const p = image_.first + h * stride_ + (image_.is_planar ? w : 3 * w);
    return {{p[0], p[step], p[2 * step]}};
  }

 private:
  const image_view& image_;
  std::int64_t stride_;
};

constexpr std::int32_t limited_to_byte(std::int64_t x) {
  return x < 0 ? 0 : x > 255 ? 255 : static_cast<std::int32_t>(x);
}

/// R, G and B of Y, U and V: ITU-R BT.601 with factors in 16-bit fixed point, rounding halves up.
constexpr pixel rgb_of_yuv(const pixel& p, colour_range range) {
  constexpr std::int64_t half = 1 << 15;
  const std::int64_t u = p.of[1] - 128, v = p.of[2] - 128;
  if (range == colour_range::full) {
    const std::int64_t y = std::int64_t{p.of[0]} * 65536 + half;
    return {{limited_to_byte((y + 91881 * v) >> 16), limited_to_byte((y - 22554 * u - 46802 * v) >> 16),
             limited_to_byte((y + 116130 * u) >> 16)}};
  }
  const std::int64_t y = std::int64_t{p.of[0] - 16} * 76309 + half;
  return {{limited_to_byte((y + 104597 * v) >> 16), limited_to_byte((y - 25675 * u - 53279 * v) >> 16),
           limited_to_byte((y + 132201 * u) >> 16)}};
}

constexpr pixel seen_by_network(const pixel& p, const image_view& image, colours wanted) {
  const bool is_yuv = is_nv12(image.type) || image.type == image_type::yuv444;
  if (wanted == colours::gray || wanted == colours::yuv444) return p;
  const pixel rgb = is_yuv ? rgb_of_yuv(p, image.range) : p;
  const bool is_turned = is_yuv ? wanted == colours::bgr : (image.type == image_type::rgb) != (wanted == colours::rgb);
  return is_turned ? pixel{{rgb.of[2], rgb.of[1], rgb.of[0]}} : rgb;
}

/// Calls put(index of the pixel, pixel) for each pixel, row by row.
template <class Put> constexpr void for_each_pixel(const image_view& image, colours wanted, Put put) {
  const image_reader read(image);
  for (std::int64_t h = 0; h < image.height; ++h)
    for (std::int64_t w = 0; w < image.width; ++w)
      put(h * image.width + w, seen_by_network(read.at(h, w), image, wanted));
}

}  // namespace detail

/// Channels of a network's input: 1 or 3.
constexpr std::int64_t channels_of(colours of) { return of == colours::gray ? 1 : 3; }

namespace detail {

/// Checks that an enumerator from a caller is in 0 … last.
template <class Enum> constexpr verdict require_known(image_rule rule, Enum given, Enum last) {
  const auto number = static_cast<int>(given), bound = static_cast<int>(last);
  return number >= 0 && number <= bound ? verdict{} : refuse(rule, number, bound);
}

/// Checks that the image has pixels and its rows fit into memory.
constexpr verdict check_rows(const image_view& image) {
  if (image.height < 1 || image.width < 1 || image.first == nullptr)
    return refuse(image_rule::image_must_have_pixels, image.height < image.width ? image.height : image.width, 1);
  if (image.type == image_type::nv12_separate && image.second == nullptr)
    return refuse(image_rule::image_must_have_pixels, 1, 2);
  if (is_nv12(image.type) && (image.height % 2 != 0 || image.width % 2 != 0))
    return refuse(image_rule::sides_of_nv12_must_be_even, image.height % 2 != 0 ? image.height : image.width, 2);
  if (image.stride != 0) {
    if (auto v = require_at_least(image_rule::stride_must_cover_a_row, image.stride, row_bytes(image)); !v) return v;
  }
  const std::int64_t bytes = saturated_product(image.height, image.stride != 0 ? image.stride : row_bytes(image));
  return bytes <= max_image_bytes ? verdict{} : refuse(image_rule::image_must_fit_into_memory, bytes, max_image_bytes);
}

}  // namespace detail

/// Checks that the image has the network's colours: gray from Y only, yuv444 from NV12 and YUV444, rgb and bgr from all
/// but Y. The two values of a broken rule are the image's and the bound.
constexpr verdict check_image(const image_view& image, colours wanted) {
  if (auto v = detail::require_known(image_rule::type_of_the_image_must_be_known, image.type, image_type::bgr); !v)
    return v;
  if (auto v = detail::require_known(image_rule::colours_of_the_network_must_be_known, wanted, colours::bgr); !v)
    return v;
  if (auto v =
          detail::require_known(image_rule::range_of_the_image_must_be_known, image.range, colour_range::bt601_video);
      !v)
    return v;
  if (auto v = detail::check_rows(image); !v) return v;
  const bool is_gray = image.type == image_type::y,
             is_colour = image.type == image_type::rgb || image.type == image_type::bgr;
  const bool holds = wanted == colours::gray ? is_gray : wanted == colours::yuv444 ? !is_gray && !is_colour : !is_gray;
  return holds ? verdict{}
               : refuse(image_rule::image_must_hold_the_colours_of_the_network, static_cast<int>(image.type),
                        static_cast<int>(wanted));
}

namespace detail {

/// Calls put(element of [H, W, C], channel, pixel value) for all elements of the network's input. Returns false and
/// calls nothing if check_image() fails or `room` is not the number of elements.
template <class Put>
constexpr bool for_each_element(const image_view& image, colours wanted, std::size_t room, Put put) {
  const std::int64_t channels = channels_of(wanted);
  if (!check_image(image, wanted) || static_cast<std::int64_t>(room) != image.height * image.width * channels)
    return false;
  for_each_pixel(image, wanted, [&](std::int64_t i, const pixel& p) {
    for (std::int64_t c = 0; c < channels; ++c) put(static_cast<std::size_t>(i * channels + c), c, p.of[c]);
  });
  return true;
}

}  // namespace detail

/// Converts an image to pixel - 128 as i8, [H, W, C]: the input of an accelerator's network. Returns false and writes
/// nothing if check_image() fails or `to` has another size.
/// Four pixels of NV12, two by two, share U and V. Source: hbDNN's image inputs; ITU-R BT.601 for colours.
constexpr bool store_image(const image_view& image, colours wanted, array_ref<std::int8_t> to) {
  return detail::for_each_element(image, wanted, to.size(), [&](std::size_t i, std::int64_t, std::int32_t number) {
    to[i] = static_cast<std::int8_t>(number - 128);
  });
}

/// Mean and scale of each channel, or one for all: the network's input is (pixel - mean) * scale.
struct normalisation {
  float mean[3] = {0, 0, 0};
  float scale[3] = {1, 1, 1};
  /// The network's input for a pixel value, and the inverse.
  constexpr float seen(std::int32_t number, std::size_t c) const {
    return static_cast<float>((static_cast<double>(number) - double{mean[c]}) * double{scale[c]});
  }
  constexpr double number(float x, std::size_t c) const { return double{x} / double{scale[c]} + double{mean[c]}; }
  /// The normalisation as a layer on store_image()'s q = pixel - 128: q * scale + (128 - mean) * scale.
  constexpr float weight(int c) const { return scale[c]; }
  constexpr float bias(int c) const { return static_cast<float>((128.0 - double{mean[c]}) * double{scale[c]}); }
};

/// Converts an image to (pixel - mean) * scale as f32, [H, W, C]: for inputs of float networks and samples for
/// calibration. Returns false as store_image().
constexpr bool image_to_floats(const image_view& image, colours wanted, const normalisation& by, array_ref<float> to) {
  return detail::for_each_element(image, wanted, to.size(), [&](std::size_t i, std::int64_t c, std::int32_t number) {
    to[i] = by.seen(number, static_cast<std::size_t>(c));
  });
}

}}  // namespace nnrt::NNRT_ISA
