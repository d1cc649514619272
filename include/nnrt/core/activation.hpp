// activation: the activations that operators apply to their results, and the ranges to which they clamp.
// Flow: an attribute of operators; references, kernels and readers of files ask range_of() and activate().
#pragma once

#include <nnrt/core/enumerators.hpp>

#include <limits>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Activation that an operator applies to its result. Numbers: OH_NN_FuseType.
enum class activation { none, relu, relu6 };

constexpr std::string_view name_of(activation fused) {
  constexpr std::string_view names[] = {"none", "relu", "relu6"};
  static_assert(detail::covers<activation, std::size(names)>);
  return names[static_cast<int>(fused)];
}

/// The range to which results are clamped; by default every number.
struct clamp_range {
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
};

/// The range to which a fused activation clamps: [0, inf] for relu, [0, 6] for relu6.
constexpr clamp_range range_of(activation fused) {
  switch (fused) {
    case activation::none: return {};
    case activation::relu: return {.lo = 0};
    case activation::relu6: return {.lo = 0, .hi = 6};
  }
  __builtin_unreachable();
}

}}  // namespace nnrt::NNRT_ISA
