// elements: the elements of a constant in a .tflite file, at any address - as real numbers, in another order, searched.
// Flow: tensors.hpp brings constants into the form that operators want with them.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/io/tflite/flatbuffer.hpp>

#include <type_traits>

namespace nnrt::inline NNRT_ISA::tflite::detail {

/// Element i of an array at any address.
template <class T> T element_at(std::span<const std::byte> bytes, std::size_t i) {
  T element;
  std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
  return element;
}

/// Stored numbers as the real ones that they stand for. `inner` is how many elements follow each other with one scale.
template <class T>
[[gnu::cold]] void dequantise(std::span<const std::byte> from, const tensor_desc& desc, list<float> scales,
                              std::span<std::byte> to) {
  const int axis = desc.quantised.axis;
  const bool per_channel = desc.quantised.mode == quantisation::kind::per_channel;
  const auto inner = static_cast<std::size_t>(per_channel ? desc.shape.elements(axis + 1) : 1);
  for (std::size_t i = 0; i < from.size() / sizeof(T); ++i) {
    const float scale = per_channel ? scales[i / inner % scales.size()] : desc.quantised.scale;
    const T stored = element_at<T>(from, i);
    float real = static_cast<float>(stored);
    if constexpr (std::is_integral_v<T>)
      real = scale * static_cast<float>(std::int64_t{stored} - desc.quantised.zero_point);
    std::memcpy(to.data() + i * sizeof real, &real, sizeof real);
  }
}

/// [pixels, filters] as [filters, pixels].
[[gnu::cold]] inline void put_filters_first(std::span<const std::byte> from, std::size_t filters,
                                            std::size_t element_bytes, std::span<std::byte> to) {
  const std::size_t pixels = filters > 0 ? from.size() / filters / element_bytes : 0;
  for (std::size_t i = 0; i < filters; ++i)
    for (std::size_t p = 0; p < pixels; ++p)
      std::memcpy(to.data() + (i * pixels + p) * element_bytes, from.data() + (p * filters + i) * element_bytes,
                  element_bytes);
}

/// The first negative number of integers with a sign; 0 when there is none.
[[gnu::cold]] inline std::int64_t first_negative(std::span<const std::byte> bytes, dtype type) {
  std::int64_t found = 0;
  with_element<types_of(i8, i16, i32, i64)>(type, [&]<class T>(T) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(T) && found == 0; ++i)
      if (const T number = element_at<T>(bytes, i); number < 0) found = number;
  });
  return found;
}

}  // namespace nnrt::inline NNRT_ISA::tflite::detail
