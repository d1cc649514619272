// type_numbers: dtypes as NNRt and its driver interface number them in attributes.
// Flow: rules of operators that are told a dtype by its number: cast, quant_dtype_cast, constant_of_shape; passes that
// change dtypes keep attributes true.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/attributes.hpp>
#include <nnrt/core/dtype.hpp>

#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// The dtype behind a number of OH_NN_DataType, or of HDI's DataType; none for any other. No number is in both.
constexpr dtype numbered_type(std::int64_t number) {
  constexpr std::int64_t hdi[] = {0, 30, 32, 33, 34, 35, 37, 38, 39, 40, 42, 43, 44};
  static_assert(std::size(hdi) == dtype_count);
  for (int i = 1; i < dtype_count; ++i)
    if (number == i || number == hdi[i]) return static_cast<dtype>(i);
  return dtype::none;
}

/// An attribute that repeats the dtype of operand 0 as a number. In every operator that has such an attribute it goes
/// by one of these names.
struct repeated_type {
  std::string_view attribute;
  bool is_of_output = false;
};
inline constexpr repeated_type repeated_types[] = {{"src_t", false}, {"dst_t", true}, {"data_type", true}};

/// Writes the dtypes of input 0 and output 0 into the words of the attributes that repeat them, where those name
/// another dtype.
constexpr void repeat_types(array_ref<const attribute_field> fields, array_ref<word> words, dtype input, dtype output) {
  std::size_t at = 0;
  for (const attribute_field& field : fields) {
    const array_ref<word> left = words.subspan(at);
    for (const repeated_type& one : repeated_types) {
      const dtype is = one.is_of_output ? output : input;
      if (one.attribute != field.name || left.empty()) continue;
      const dtype named = left[0] == 0 ? f32 : numbered_type(left[0]);  // 0: the operator's default
      if (named != is) left[0] = static_cast<word>(is);
    }
    at += words_of(field.kind, left);
  }
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
