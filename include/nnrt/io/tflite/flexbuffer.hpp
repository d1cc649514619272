// flexbuffer: numbers by their names, and lists of texts, from the options of custom operators in .tflite files.
// Flow: readers of custom operators ask a named_numbers or listed_texts that was made of a node's custom_options.
#pragma once

#include <nnrt/core/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Bytes in the FlexBuffer format. Nothing is believed: what points out of the bytes is none.
///
/// The last byte is the width of the root, the one before it the root's type and width, and the root, the distance back
/// to what it is, stands in front of both.
struct flexbuffer_bytes {
  std::string_view bytes;

  static constexpr bool is_width(std::uint64_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }
  constexpr std::size_t at(std::size_t i) const { return static_cast<unsigned char>(bytes[i]); }

  /// The unsigned number of this width at a place.
  constexpr std::optional<std::size_t> number(std::size_t place, std::size_t width) const {
    if (place > bytes.size() || bytes.size() - place < width) return std::nullopt;
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

  /// The elements that the root has: where they begin, how wide each is, and how many. Behind them stands a type for
  /// each.
  struct elements {
    std::size_t first = 0, width = 1, count = 0;
  };
  /// Those of a root of this type, before whose elements at least `numbers` numbers stand, the last of which counts the
  /// elements; none of another one.
  constexpr elements elements_of_root(std::size_t type, std::size_t numbers, std::size_t most) const {
    if (bytes.size() < 3) return {};
    const std::size_t width = at(bytes.size() - 1), place = bytes.size() - 2, found = at(place);
    if (!is_width(width) || found >> 2U != type || place < width) return {};
    const auto first = back_from(place - width, width);
    const std::size_t each = std::size_t{1} << (found & 3U);
    if (!first || *first < numbers * each || *first > bytes.size()) return {};
    const auto count = number(*first - each, each);
    if (!count || *count > most || bytes.size() - *first < *count * (each + 1)) return {};
    return {*first, each, *count};
  }
};

}  // namespace detail

/// A map of names to numbers in the FlexBuffer format. Nothing is believed: whatever points out of the bytes, or has a
/// form that no such map has, makes it a map without that name.
///
/// Before a map's values stand the distance back to its names, their width, and the number of values.
class named_numbers {
 public:
  /// A map without names when the bytes hold none.
  constexpr explicit named_numbers(std::string_view bytes) : bytes_{bytes} {
    constexpr std::size_t map_type = 9, max_names = 256;
    const auto found = bytes_.elements_of_root(map_type, 3, max_names);
    if (found.count == 0) return;
    const auto names = bytes_.back_from(found.first - 3 * found.width, found.width);
    const auto name_width = bytes_.number(found.first - 2 * found.width, found.width);
    if (!names || !name_width || !bytes_.is_width(*name_width) || bytes.size() - *names < found.count * *name_width)
      return;
    values_ = found, names_ = *names, name_width_ = *name_width;
  }

  /// The number of this name; none when the map has no such name, or something else under it.
  constexpr std::optional<double> operator[](std::string_view name) const {
    for (std::size_t i = 0; i < values_.count; ++i)
      if (is_named(i, name)) return value(i);
    return std::nullopt;
  }

 private:
  constexpr bool is_named(std::size_t i, std::string_view name) const {
    const auto letters = bytes_.back_from(names_ + i * name_width_, name_width_);
    const std::string_view all = bytes_.bytes;
    if (!letters || all.size() - *letters <= name.size()) return false;
    return all.substr(*letters, name.size()) == name && bytes_.at(*letters + name.size()) == 0;
  }
  constexpr std::optional<double> value(std::size_t i) const {
    enum {
      integer = 1,
      natural = 2,
      real = 3,
      integer_elsewhere = 6,
      natural_elsewhere = 7,
      real_elsewhere = 8,
      truth = 26
    };
    const std::size_t type = bytes_.at(values_.first + values_.count * values_.width + i), kind = type >> 2U;
    std::size_t width = values_.width, place = values_.first + i * width;
    if (kind == integer_elsewhere || kind == natural_elsewhere || kind == real_elsewhere) {
      const auto elsewhere = bytes_.back_from(place, width);
      if (!elsewhere) return std::nullopt;
      place = *elsewhere, width = std::size_t{1} << (type & 3U);
    }
    const auto word = bytes_.number(place, width);
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

  detail::flexbuffer_bytes bytes_;
  detail::flexbuffer_bytes::elements values_;
  std::size_t names_ = 0, name_width_ = 1;
};

/// A list of texts in the FlexBuffer format. What points out of the bytes, or is no text, is an empty one.
class listed_texts {
 public:
  constexpr explicit listed_texts(std::string_view bytes) : bytes_{bytes} {
    constexpr std::size_t list_type = 10, max_texts = 256;
    texts_ = bytes_.elements_of_root(list_type, 1, max_texts);
  }

  constexpr std::string_view operator[](std::size_t i) const {
    constexpr std::size_t text_type = 5;
    if (i >= texts_.count) return {};
    const std::size_t type = bytes_.at(texts_.first + texts_.count * texts_.width + i),
                      width = std::size_t{1} << (type & 3U);
    const auto letters = bytes_.back_from(texts_.first + i * texts_.width, texts_.width);
    if (type >> 2U != text_type || !letters || *letters < width) return {};
    const auto size = bytes_.number(*letters - width, width);  // stands in front of the letters
    return size && *size <= bytes_.bytes.size() - *letters ? bytes_.bytes.substr(*letters, *size) : std::string_view();
  }

 private:
  detail::flexbuffer_bytes bytes_;
  detail::flexbuffer_bytes::elements texts_;
};

}}}  // namespace nnrt::NNRT_ISA::tflite
