// elements: searches the elements of a constant in a .tflite file for values that operators forbid.
// Flow: tensors.hpp calls it for operators that must know constants before a network runs.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/io/numbers_at.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite::detail {

/// Kinds of integers at which TFLite stops a run: negative indices or exponents, and zero divisors.
enum class forbidden { negative, zero };
constexpr bool is_forbidden(std::int64_t number, forbidden what) {
  return what == forbidden::zero ? number == 0 : number < 0;
}

/// Finds the first forbidden number among signed integers at any address.
struct found_integer {
  bool is_there = false;
  std::int64_t number = 0;
};
[[gnu::cold]] constexpr found_integer first_forbidden(std::string_view bytes, dtype type, forbidden what) {
  found_integer found;
  with_element<types_of(i8, i16, i32, i64)>(type, [&]<class T>(T) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(T) && !found.is_there; ++i)
      if (const T number = number_at<T>(bytes.data(), i * sizeof(T)); is_forbidden(number, what))
        found = {true, number};
  });
  return found;
}

}}}  // namespace nnrt::NNRT_ISA::tflite::detail
