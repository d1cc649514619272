// type_numbers: numbers of dtypes in attributes, as in NNRt and its driver interface.
// Flow: used by rules of operators with a dtype's number: cast, quant_dtype_cast, constant_of_shape; passes that change
// dtypes update attributes with it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/attributes.hpp>
#include <nnrt/core/dtype.hpp>

#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// The dtype for a number of OH_NN_DataType or HDI's DataType, which do not overlap; none for other numbers.
constexpr dtype numbered_type(std::int64_t number) {
  constexpr std::int64_t hdi[] = {0, 30, 32, 33, 34, 35, 37, 38, 39, 40, 42, 43, 44};
  static_assert(std::size(hdi) == dtype_count);
  for (int i = 1; i < dtype_count; ++i)
    if (number == i || number == hdi[i]) return static_cast<dtype>(i);
  return dtype::none;
}

/// An attribute that repeats the dtype of operand 0 or of the output as a number. Operators use these names for such
/// attributes.
struct repeated_type {
  std::string_view attribute;
  bool is_of_output = false;
};
inline constexpr repeated_type repeated_types[] = {{"src_t", false}, {"dst_t", true}, {"data_type", true}};

/// Updates attributes that repeat the dtypes of input 0 or output 0, if they name another dtype.
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
