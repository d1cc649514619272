// reading_fault: why the compiler cannot read a model file, as a constant.
// Flow: the formats and frozen_reading.hpp make it; file_network.hpp puts its words into the compile error.
#pragma once

#include <nnrt/core/result.hpp>

#include <array>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Why a file is not a valid network.
struct reading_fault {
  error_code code{};
  std::size_t at = 0;  // offset of the operator that cannot be read; 0: no particular operator
  std::size_t size = 0;
  std::array<char, 480> words{};  // the text, truncated to this size

  constexpr reading_fault() = default;
  constexpr reading_fault(const error& found, std::size_t place) : code(found.code()), at(place) {
    for (const char letter : found.letters())
      if (size < words.size()) words[size++] = letter;
  }
};

}}}  // namespace nnrt::NNRT_ISA::detail
