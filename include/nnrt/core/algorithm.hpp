// algorithm: std::min, std::max, std::copy, std::fill_n and std::equal, and clamped and rounded numbers, without the
// rest of <algorithm>.
// Flow: included by kernels, passes, the graph and what every plan needs, instead of <algorithm>, which costs every
// translation unit 0.05 s, half of it for std::ranges.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>
#include <vector>  // what std::min and its like come with, in every standard library

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// x, or the bound that it is beyond; low <= high.
constexpr std::int64_t clamped(std::int64_t x, std::int64_t low, std::int64_t high) {
  return x < low ? low : x > high ? high : x;
}

/// How many pieces of this size so much falls into. Not less than none: dividing as a signed number takes three
/// instructions more, which small layers have a dozen times.
constexpr std::int64_t pieces_of(std::int64_t all, std::int64_t size) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(all) + static_cast<std::uint64_t>(size) - 1) /
                                   static_cast<std::uint64_t>(size));
}
/// The least multiple that is not less.
constexpr std::int64_t rounded_up(std::int64_t x, std::int64_t multiple_of) {
  return pieces_of(x, multiple_of) * multiple_of;
}

}}}  // namespace nnrt::NNRT_ISA::detail
