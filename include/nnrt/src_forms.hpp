// src_forms: the tables of operators for HDI models and the C functions, for programs with NNRT_SEPARATE_FORMS.
// Flow: used together with src.hpp. One unit of the program includes this and no other nnrt header; all units are
// compiled for one instruction set.
#pragma once

#include <nnrt/c_api/operations.hpp>
#include <nnrt/hdi/operators.hpp>

// Without the macro each unit defines the tables, and this header adds nothing.
#ifdef NNRT_SEPARATE_FORMS
namespace nnrt { inline namespace NNRT_ISA {

array_ref<const hdi::operator_encoding* const> hdi::operator_encodings() {
  return hdi::detail::encoding_table<ops::list>::entries;
}
array_ref<const c_api::operation_kind* const> c_api::operation_kinds() {
  return c_api::detail::operation_table<ops::list>::entries;
}

}}  // namespace nnrt::NNRT_ISA
#endif
