// unary: reference loop of operators that compute one element from one.
// Flow: called by reference() of ops/relu.hpp, ops/sigmoid.hpp and similar operators.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// y = f(x), element by element; f takes a T and returns an R.
template <class T, class R = T, class F> constexpr void for_each_element(arguments in, results out, F f) {
  const auto x = in[0].as<const T>();
  const auto y = out[0].as<R>();
  for (std::int64_t i = 0; i < x.elements(); ++i) y[i] = f(x[i]);
}

/// y = f(x) for a function that is computed in double and rounded once; float and float16 lose no precision.
template <class T, class F> constexpr void for_each_real(arguments in, results out, F f) {
  for_each_element<T>(in, out, [&](T x) { return math::convert<T>(f(math::convert<double>(x))); });
}

/// y = f(x) for any number: integers are passed to f as unsigned 64-bit numbers, and wrap around in their width.
template <class T, class F> constexpr void for_each_number(arguments in, results out, F f) {
  if constexpr (!std::is_integral_v<T>) return for_each_real<T>(in, out, f);
  else for_each_element<T>(in, out, [&](T x) { return static_cast<T>(f(static_cast<std::uint64_t>(x))); });
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
