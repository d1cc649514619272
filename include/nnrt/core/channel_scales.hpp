// channel_scales: checks of per-channel scales.
// Flow: everything that reads scales from outside calls it before kernels run: .tflite files, weights by name,
// constants of run-time graphs.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/core/text.hpp>

#include <cstddef>
#include <cstring>
#include <string>

namespace nnrt { inline namespace NNRT_ISA {

/// Finite and not negative. Converters write 0 for channels of zeros. Works on bits with -ffast-math.
constexpr bool is_channel_scale(float scale) { return math::is_finite(scale) && scale >= 0; }

/// The first invalid one of `count` scales, as "scale 2: got -0.5, expected a finite number of at least 0"; empty if
/// all are valid. scale_at(i) returns a scale.
template <class ScaleAt> [[gnu::cold]] constexpr pool<char> fault_of_scales(std::size_t count, ScaleAt scale_at) {
  for (std::size_t i = 0; i < count; ++i)
    if (const float scale = scale_at(i); !is_channel_scale(scale))
      return letters({"scale ", i, ": got ", scale, ", expected a finite number of at least 0"});
  return {};
}
/// Checks the f32 scales in these bytes, at any alignment.
[[gnu::cold]] inline std::string fault_of_channel_scales(array_ref<const std::byte> bytes) {
  return string_of(fault_of_scales(bytes.size() / sizeof(float), [&](std::size_t i) {
    float scale = 0;
    std::memcpy(&scale, bytes.data() + i * sizeof scale, sizeof scale);
    return scale;
  }));
}

}}  // namespace nnrt::NNRT_ISA
