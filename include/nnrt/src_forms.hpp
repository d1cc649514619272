// src_forms: how every operator stands in HDI models and in the C functions - what NNRT_SEPARATE_FORMS leaves to one
// unit of a program.
// Flow: as src.hpp, which a program of this kind has, too: that unit includes this and nothing else of nnrt, and all
// are compiled for one instruction set.
#pragma once

#include <nnrt/c_api/operations.hpp>
#include <nnrt/hdi/operators.hpp>

// Without the macro each unit has its own, and this one adds nothing.
#ifdef NNRT_SEPARATE_FORMS
namespace nnrt { inline namespace NNRT_ISA {

array_ref<const hdi::operator_form* const> hdi::operator_forms() { return hdi::detail::form_table<ops::list>::entries; }
array_ref<const c_api::operation_kind* const> c_api::operation_kinds() {
  return c_api::detail::operation_table<ops::list>::entries;
}

}}  // namespace nnrt::NNRT_ISA
#endif
