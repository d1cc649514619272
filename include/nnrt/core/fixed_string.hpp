// fixed_string: a string as a template argument.
// Flow: used for executor::output<"name">().
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// The N - 1 characters of a literal and the terminating zero.
template <std::size_t N> struct fixed_string {
  char letters[N] = {};
  constexpr fixed_string(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) letters[i] = literal[i];
  }
  constexpr std::string_view view() const { return {letters, N - 1}; }
};

}}  // namespace nnrt::NNRT_ISA
