// type_numbers: dtypes as NNRt and its driver interface number them in attributes.
// Flow: rules of operators that are told a dtype by its number: cast, quant_dtype_cast, constant_of_shape.
#pragma once

#include <nnrt/core/dtype.hpp>

namespace nnrt::inline NNRT_ISA::ops::detail {

/// The dtype behind a number of OH_NN_DataType, or of HDI's DataType; none for any other. No number is in both.
constexpr dtype numbered_type(std::int64_t number) {
  constexpr std::int64_t hdi[dtype_count] = {0, 30, 32, 33, 34, 35, 37, 38, 39, 40, 42, 43, 44};
  for (int i = 1; i < dtype_count; ++i)
    if (number == i || number == hdi[i]) return static_cast<dtype>(i);
  return dtype::none;
}

}  // namespace nnrt::inline NNRT_ISA::ops::detail
