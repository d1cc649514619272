// text: messages put together from pieces.
// Flow: readers and binders word their errors with it; chains of + on strings cost compilers several times as much.
#pragma once

#include <nnrt/core/config.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace nnrt::inline NNRT_ISA {

/// The pieces, one after the other: joined({"got ", std::to_string(3), ", expected ", std::to_string(4)}).
[[gnu::cold]] inline std::string joined(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace nnrt::inline NNRT_ISA
