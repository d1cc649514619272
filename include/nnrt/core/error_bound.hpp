// error_bound: bounds of the error of an operator's floating-point results.
// Flow: operators declare bounds in their member `errors`; tests/kernels/bounds*_test.cpp measure them;
// docs/operators.md lists them.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dtype.hpp>

#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// The number whose unit in the last place (ULP) is the unit of the error.
enum class error_unit {
  /// The exact result.
  result,
  /// The largest exact result of the group over which a sum, mean or maximum is taken. For normalisations: the largest
  /// normalised number times the largest factor, plus the largest offset, by magnitude.
  largest,
  /// The sum of the terms' magnitudes. For conv2d, which may transform its operands: the largest such sum of all
  /// windows, including those across borders and between strides.
  terms,
  /// The largest magnitude of the first operand.
  operand,
  /// For an element of a recurrent step: (1 + the magnitudes of its two states before the step) * (the sum of the
  /// magnitudes of the terms of the gate with the largest sum; at least 1).
  gate,
};

/// |result - exact| is at most (ulp + per_number * n) ULP of these dtypes; n is the number of values added or
/// multiplied for one result. The exact result is the formula in real numbers on the stored operands; integers used in
/// the result's dtype are converted first.
/// The bound holds for kernels and references, on every instruction set, if the exact result and the unit are finite in
/// the dtype. The least unit is the smallest subnormal.
struct error_bound {
  dtype_set types;
  double ulp = 0;
  error_unit of = error_unit::result;
  double per_number = 0;
  bool vanishes = false;         // results below the smallest normal number may be 0
  std::string_view counts = {};  // what n counts, if not the values of a result: "rows and columns of x"
  std::string_view unless = {};  // exceptions, with their bounds: "|beta| is above 1: then ..."
};

/// Bound of operators that declare none: exact results, rounded once. Rounding from f64 adds 0.01 to half a unit.
inline constexpr error_bound rounded_once[] = {{types::floating, 0.51}};

/// Bounds of an operator: its member `errors`, or rounded_once.
template <class Op> constexpr array_ref<const error_bound> errors_of() {
  if constexpr (requires { Op::errors; }) return Op::errors;
  else return rounded_once;
}

/// The first bound for a dtype; null if there is none.
constexpr const error_bound* bound_for(array_ref<const error_bound> bounds, dtype type) {
  for (const error_bound& bound : bounds)
    if (bound.types.contains(type)) return &bound;
  return nullptr;
}

}}  // namespace nnrt::NNRT_ISA
