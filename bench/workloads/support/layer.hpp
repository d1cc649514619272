// layer: what single layers have in common - steps of quantised values that spread results over their range.
// Flow: headers of bench/workloads.
#pragma once

#include <nnrt/nnrt.hpp>

namespace layer {

inline constexpr nnrt::quant step_of_x{.scale = 0.05F, .zero_point = 3}, step_of_b{.scale = 0.02F, .zero_point = -5},
    step_of_weights{.scale = 0.01F, .zero_point = 0};

/// For sums of Depth products.
template <std::int64_t Depth>
inline constexpr auto result = nnrt::into<nnrt::quant{.scale = 0.00006F * Depth + 0.01F, .zero_point = -128}>;

}  // namespace layer
