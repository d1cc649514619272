// numbers: weights and inputs of plausible size that follow from a tensor's name.
// Flow: prepared.cpp fills networks with them; the same name gives the same numbers in every program.
#pragma once

#include "support/lines.hpp"

#include <nnrt/core/desc.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bench {

/// Spread so that results keep their size from layer to layer: weights by the number of inputs, factors and variances
/// of normalisation around 1, scales of stored weights around 0.01, everything else within 1.
inline std::vector<float> numbers_for(std::string_view name, const nnrt::tensor_desc& desc) {
  const bool is_weight = name.ends_with("weight") && desc.rank() > 1, is_scale = name.ends_with(".scale");
  const bool is_factor = name.ends_with("running_var") || (name.ends_with("weight") && desc.rank() == 1);
  const double inputs = desc.rank() < 2 ? 1.0 : static_cast<double>(desc.elements() / desc.shape[0]);
  const double width = is_weight ? std::sqrt(6.0 / inputs) : is_factor ? 0.5 : is_scale ? 0.005 : 1.0;
  const double middle = is_factor ? 1.0 : is_scale ? 0.01 : 0.0;
  std::uint32_t state = 12345;
  for (const char letter : name) state = (state ^ static_cast<unsigned char>(letter)) * 16777619U;
  std::vector<float> numbers(static_cast<std::size_t>(desc.elements()));
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = static_cast<float>(middle + width * (static_cast<double>(state >> 8U) * 0x1p-23 - 1.0));
  }
  return numbers;
}

/// The elements of such a tensor. Quantised values take all of their range, sums of 32 bits some thousands, whatever
/// the name.
inline lines elements_for(std::string_view name, const nnrt::tensor_desc& desc) {
  lines made(static_cast<std::size_t>(desc.bytes()));
  const std::vector<float> numbers = numbers_for(name, desc);
  const auto fill = [&]<class T>(T) {
    float largest = 0;
    for (const float number : numbers) largest = std::max(largest, std::abs(number));
    const float factor = std::is_same_v<T, float> ? 1.0F : (sizeof(T) == 1 ? 127.0F : 3000.0F) / largest;
    auto* to = reinterpret_cast<T*>(made.data());
    for (const float number : numbers)
      if constexpr (std::is_same_v<T, float>) *to++ = number;
      else *to++ = static_cast<T>(std::round(number * factor));
  };
  if (desc.type == nnrt::f32) fill(float{});
  else if (desc.type == nnrt::i8) fill(std::int8_t{});
  else fill(std::int32_t{});
  return made;
}

}  // namespace bench
