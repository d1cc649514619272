// attribute_words: attributes of any operator given by name, as the words that graphs hold.
// Flow: importers and batteries treat all operators alike: defaults come from the catalogue, fields from operator_info.
#pragma once

#include "support/catalogue.hpp"

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace nnrt_test {

using namespace nnrt;

/// One attribute by name. Lengths are height, width; padding is the mode and top, bottom, left, right.
struct named_attribute {
  std::string_view name;
  std::vector<word> words;

  named_attribute(std::string_view attribute, std::int64_t number) : name(attribute), words{number} {}
  named_attribute(std::string_view attribute, int number) : name(attribute), words{number} {}
  named_attribute(std::string_view attribute, bool flag) : name(attribute), words{flag ? 1 : 0} {}
  named_attribute(std::string_view attribute, float real) : name(attribute), words{std::bit_cast<std::int32_t>(real)} {}
  named_attribute(std::string_view attribute, std::vector<std::int64_t> numbers)
      : name(attribute), words(std::move(numbers)) {}
};

/// Puts the attribute into the words; false when the operator has none of this name.
inline bool set_attribute(const operator_info& op, std::vector<word>& words, const named_attribute& given) {
  std::size_t at = 0;
  for (const attribute_field& field : op.label->attributes) {
    const std::size_t count = words_of(field.kind, array_ref<const word>(words).subspan(at));
    if (field.name != given.name) {
      at += count;
      continue;
    }
    const auto place = words.begin() + static_cast<std::ptrdiff_t>(at);
    words.erase(place, place + static_cast<std::ptrdiff_t>(count));
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), given.words.begin(), given.words.end());
    if (field.kind == attribute_kind::list || field.kind == attribute_kind::reals)
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), static_cast<word>(given.words.size()));
    return true;
  }
  return false;
}

}  // namespace nnrt_test
