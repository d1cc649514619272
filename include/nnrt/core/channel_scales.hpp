// channel_scales: which numbers can be scales of a tensor's channels.
// Flow: whatever takes some from elsewhere - .tflite files, weights by name, constants of graphs that arrive at run
// time - asks before kernels do.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/core/text.hpp>

#include <cstddef>
#include <cstring>
#include <string>

namespace nnrt { inline namespace NNRT_ISA {

/// Finite, and not negative. 0 is the scale of a channel of zeros, as converters write it. Looks at bits first, for
/// -ffast-math.
constexpr bool is_channel_scale(float scale) { return math::is_finite(scale) && scale >= 0; }

/// What is wrong with `count` scales of channels, of which scale_at(i) gives one: "scale 2: got -0.5, expected a finite
/// number of at least 0" of the first that is none; empty when all are.
template <class ScaleAt> [[gnu::cold]] constexpr pool<char> fault_of_scales(std::size_t count, ScaleAt scale_at) {
  for (std::size_t i = 0; i < count; ++i)
    if (const float scale = scale_at(i); !is_channel_scale(scale))
      return letters({"scale ", i, ": got ", scale, ", expected a finite number of at least 0"});
  return {};
}
/// The same of the f32 in these bytes, at any address.
[[gnu::cold]] inline std::string fault_of_channel_scales(array_ref<const std::byte> bytes) {
  return string_of(fault_of_scales(bytes.size() / sizeof(float), [&](std::size_t i) {
    float scale = 0;
    std::memcpy(&scale, bytes.data() + i * sizeof scale, sizeof scale);
    return scale;
  }));
}

}}  // namespace nnrt::NNRT_ISA
