// flexbuffer: numbers by their names, from the options of custom operators in .tflite files.
// Flow: readers of custom operators ask a named_numbers that was made of a node's custom_options.
#pragma once

#include <nnrt/core/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nnrt::inline NNRT_ISA::tflite {

/// A map of names to numbers in the FlexBuffer format. Nothing is believed: whatever points out of the bytes, or has a
/// form that no such map has, makes it a map without that name.
///
/// The last byte is the width of the root, the one before it the root's type and width, and the root, the distance back
/// to the map, stands in front of both. Before a map's values stand the distance back to its names, their width, and the
/// number of values; behind them a type for each.
class named_numbers {
 public:
  /// A map without names when the bytes hold none.
  constexpr explicit named_numbers(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < 3) return;
    const std::size_t width = at(bytes.size() - 1), place = bytes.size() - 2;
    const std::size_t type = at(place);
    if (!is_width(width) || type >> 2U != map_type || place < width) return;
    const auto map = back_from(place - width, width);
    width_ = std::size_t{1} << (type & 3U);
    if (!map || *map < 3 * width_ || *map > bytes.size()) return;
    const auto names = back_from(*map - 3 * width_, width_);
    const auto name_width = number(*map - 2 * width_, width_), count = number(*map - width_, width_);
    if (!names || !name_width || !is_width(*name_width) || !count || *count > most_names) return;
    const std::size_t room = bytes.size() - *map;
    if (room < *count * (width_ + 1) || bytes.size() - *names < *count * *name_width) return;
    values_ = *map, names_ = *names, name_width_ = *name_width, count_ = *count;
  }

  /// The number of this name; none when the map has no such name, or something else under it.
  constexpr std::optional<double> operator[](std::string_view name) const {
    for (std::size_t i = 0; i < count_; ++i)
      if (is_named(i, name)) return value(i);
    return std::nullopt;
  }

 private:
  static constexpr std::size_t map_type = 9, most_names = 256;

  static constexpr bool is_width(std::uint64_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }
  constexpr std::size_t at(std::size_t i) const { return static_cast<unsigned char>(bytes_[i]); }

  /// The unsigned number of this width at a place.
  constexpr std::optional<std::size_t> number(std::size_t place, std::size_t width) const {
    if (place > bytes_.size() || bytes_.size() - place < width) return std::nullopt;
    std::uint64_t made = 0;
    for (std::size_t i = width; i-- > 0;) made = made << 8U | at(place + i);
    return static_cast<std::size_t>(made);
  }
  /// Where a distance leads that stands at a place.
  constexpr std::optional<std::size_t> back_from(std::size_t place, std::size_t width) const {
    const auto distance = number(place, width);
    if (!distance || *distance > place) return std::nullopt;
    return place - *distance;
  }
  constexpr bool is_named(std::size_t i, std::string_view name) const {
    const auto letters = back_from(names_ + i * name_width_, name_width_);
    if (!letters || bytes_.size() - *letters <= name.size()) return false;
    return bytes_.substr(*letters, name.size()) == name && at(*letters + name.size()) == 0;
  }
  constexpr std::optional<double> value(std::size_t i) const {
    enum { integer = 1, natural = 2, real = 3, integer_elsewhere = 6, natural_elsewhere = 7, real_elsewhere = 8, truth = 26 };
    const std::size_t type = at(values_ + count_ * width_ + i), kind = type >> 2U;
    std::size_t place = values_ + i * width_, width = width_;
    if (kind == integer_elsewhere || kind == natural_elsewhere || kind == real_elsewhere) {
      const auto elsewhere = back_from(place, width);
      if (!elsewhere) return std::nullopt;
      place = *elsewhere, width = std::size_t{1} << (type & 3U);
    }
    const auto word = number(place, width);
    if (!word) return std::nullopt;
    if (kind == natural || kind == natural_elsewhere || kind == truth) return static_cast<double>(*word);
    if (kind == integer || kind == integer_elsewhere) {
      const std::size_t unused = 64 - 8 * width;
      return static_cast<double>(static_cast<std::int64_t>(std::uint64_t{*word} << unused) >> unused);
    }
    if (kind != real && kind != real_elsewhere) return std::nullopt;
    if (width == 4) return double{std::bit_cast<float>(static_cast<std::uint32_t>(*word))};
    return width == 8 ? std::optional<double>(std::bit_cast<double>(std::uint64_t{*word})) : std::nullopt;
  }

  std::string_view bytes_;
  std::size_t width_ = 1, values_ = 0, names_ = 0, name_width_ = 1, count_ = 0;
};

}  // namespace nnrt::inline NNRT_ISA::tflite
