// flexbuffer: reads maps of numbers and lists of texts from the options of custom operators in .tflite files.
// Flow: readers of custom operators make a named_numbers or listed_texts from a node's custom_options.
#pragma once

#include <nnrt/core/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Bytes in the FlexBuffer format, from an untrusted file. References outside the bytes give no value.
///
/// The last byte is the width of the root, and the preceding byte has its type and the width of its elements. The root
/// precedes both bytes; it is the distance back to its elements.
struct flexbuffer_bytes {
  std::string_view bytes;

  static constexpr bool is_width(std::uint64_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }
  constexpr std::size_t at(std::size_t i) const { return static_cast<unsigned char>(bytes[i]); }

  /// The unsigned number of this width at offset `place`.
  constexpr std::optional<std::size_t> number(std::size_t place, std::size_t width) const {
    if (place > bytes.size() || bytes.size() - place < width) return std::nullopt;
    std::uint64_t made = 0;
    for (std::size_t i = width; i-- > 0;) made = made << 8U | at(place + i);
    return static_cast<std::size_t>(made);
  }
  /// Follows the distance at offset `place` backwards.
  constexpr std::optional<std::size_t> back_from(std::size_t place, std::size_t width) const {
    const auto distance = number(place, width);
    if (!distance || *distance > place) return std::nullopt;
    return place - *distance;
  }

  /// The elements of the root: offset of the first, bytes of each, and their number. One type byte per element follows
  /// them.
  struct elements {
    std::size_t first = 0, width = 1, count = 0;
  };
  /// The elements of a root of this type. At least `numbers` numbers precede them; the last of these is the number of
  /// elements. Empty for a root of another type, or with more than `most` elements.
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

/// A map of names to numbers in the FlexBuffer format, from an untrusted file. A name with invalid references, or in a
/// map with other bytes, counts as missing.
///
/// Before its values a map has the distance back to its names, their width, and the number of values.
class named_numbers {
 public:
  /// Reads the bytes as a map. Without a valid map the object is empty.
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

  /// The number with this name; none when the name is missing or its value is no number.
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

/// A list of texts in the FlexBuffer format, from an untrusted file. Invalid references and other types give an empty
/// text.
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
    const auto size = bytes_.number(*letters - width, width);  // precedes the letters
    return size && *size <= bytes_.bytes.size() - *letters ? bytes_.bytes.substr(*letters, *size) : std::string_view();
  }

 private:
  detail::flexbuffer_bytes bytes_;
  detail::flexbuffer_bytes::elements texts_;
};

}}}  // namespace nnrt::NNRT_ISA::tflite
