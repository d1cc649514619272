// algorithm: std::min, std::max, std::copy, std::fill_n and std::equal, clamping and rounding, without all of
// <algorithm>.
// Flow: included by kernels, passes, the graph and plans. <algorithm> costs every translation unit 0.05 s, half of it
// for std::ranges.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>
#ifdef __GLIBCXX__
#include <bits/stl_algobase.h>  // the part of libstdc++'s <algorithm> that defines these five
#else
#include <algorithm>
#endif

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// x clamped to low … high; low <= high.
constexpr std::int64_t clamped(std::int64_t x, std::int64_t low, std::int64_t high) {
  return x < low ? low : x > high ? high : x;
}

/// ceil(all / size) for all >= 0 and size > 0. Unsigned division saves three instructions, which small layers execute a
/// dozen times.
constexpr std::int64_t pieces_of(std::int64_t all, std::int64_t size) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(all) + static_cast<std::uint64_t>(size) - 1) /
                                   static_cast<std::uint64_t>(size));
}
/// The least multiple of `multiple_of` that is at least x.
constexpr std::int64_t rounded_up(std::int64_t x, std::int64_t multiple_of) {
  return pieces_of(x, multiple_of) * multiple_of;
}

}}}  // namespace nnrt::NNRT_ISA::detail
