// fixed_string: a string as a template argument.
// Flow: executor::output<"name">().
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// N - 1 letters and the final zero of a literal.
template <std::size_t N> struct fixed_string {
  char letters[N] = {};
  constexpr fixed_string(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) letters[i] = literal[i];
  }
  constexpr std::string_view view() const { return {letters, N - 1}; }
};

}}  // namespace nnrt::NNRT_ISA
