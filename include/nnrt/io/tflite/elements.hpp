// elements: the elements of a constant in a .tflite file, at any address, searched.
// Flow: tensors.hpp asks what operators need to know of constants before a network runs.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/io/numbers_at.hpp>

namespace nnrt::inline NNRT_ISA::tflite::detail {

/// The first negative number of integers with a sign; 0 when there is none.
[[gnu::cold]] constexpr std::int64_t first_negative(std::string_view bytes, dtype type) {
  std::int64_t found = 0;
  with_element<types_of(i8, i16, i32, i64)>(type, [&]<class T>(T) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(T) && found == 0; ++i)
      if (const T number = number_at<T>(bytes.data(), i * sizeof(T)); number < 0) found = number;
  });
  return found;
}

/// Index of the first byte that is neither 0 nor 1; the number of bytes when there is none.
[[gnu::cold]] constexpr std::size_t first_no_boolean(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size() && static_cast<unsigned char>(bytes[i]) <= 1) ++i;
  return i;
}

}  // namespace nnrt::inline NNRT_ISA::tflite::detail
