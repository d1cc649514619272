// error_bound: how far an operator's results in floating point may be from the exact ones.
// Flow: operators state bounds in their member `errors`; tests/kernels/bounds*_test.cpp measure them, and
// docs/operators.md prints them.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dtype.hpp>

#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// The number whose unit in the last place an error is counted in.
enum class error_unit {
  /// The exact result.
  result,
  /// The largest exact result of the group: of what one sum, mean or maximum is taken over. Of normalisations the
  /// largest normalised number times the largest factor, plus the largest offset, all by magnitude.
  largest,
  /// The sum of the magnitudes of the terms that are added up to the result. Of conv2d, which may transform its
  /// operands, the largest such sum of all windows, those over the borders and between strides, too.
  terms,
  /// The largest magnitude of the first operand.
  operand,
  /// Of an element of a recurrent step: (1 + the magnitudes of its two states before the step) * (the sum of the
  /// magnitudes of the terms of a gate, that of the largest gate; at least 1).
  gate,
};

/// |result - exact| is at most (ulp + per_number * n) units in the last place of these dtypes, where n numbers are
/// added or multiplied to make one result. The exact result is the formula in real numbers, of the stored operands;
/// integers that are computed with in the result's dtype are converted to it first. The bound holds for kernels and
/// references, on every instruction set, where the exact result and the unit are finite in the dtype. The least unit is
/// the smallest subnormal number.
struct error_bound {
  dtype_set types;
  double ulp = 0;
  error_unit of = error_unit::result;
  double per_number = 0;
  bool vanishes = false;         // results below the smallest normal number may be 0
  std::string_view counts = {};  // what n counts where it is not the numbers of a result: "rows and columns of x"
  std::string_view unless = {};  // where the bound does not hold, and what does: "|beta| is above 1: then ..."
};

/// The bound of operators that state none: exact results, rounded once. That is half a unit, and what rounding from f64
/// adds to it.
inline constexpr error_bound rounded_once[] = {{types::floating, 0.51}};

/// The bounds of an operator: its member `errors`, or rounded_once.
template <class Op> constexpr array_ref<const error_bound> errors_of() {
  if constexpr (requires { Op::errors; }) return Op::errors;
  else return rounded_once;
}

/// The first bound that is stated for a dtype; null where none is.
constexpr const error_bound* bound_for(array_ref<const error_bound> bounds, dtype type) {
  for (const error_bound& bound : bounds)
    if (bound.types.contains(type)) return &bound;
  return nullptr;
}

}}  // namespace nnrt::NNRT_ISA
