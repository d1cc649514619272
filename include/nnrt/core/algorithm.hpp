// algorithm: std::min, std::max, std::copy, std::fill_n and std::equal, and clamped numbers, without the rest of <algorithm>.
// Flow: included by kernels, passes, the graph and what every plan needs, instead of <algorithm>, which costs every translation unit 0.05 s, half of it for std::ranges.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>
#include <vector>  // what std::min and its like come with, in every standard library

namespace nnrt::inline NNRT_ISA::detail {

/// x, or the bound that it is beyond; low <= high.
constexpr std::int64_t clamped(std::int64_t x, std::int64_t low, std::int64_t high) { return x < low ? low : x > high ? high : x; }

}  // namespace nnrt::inline NNRT_ISA::detail
