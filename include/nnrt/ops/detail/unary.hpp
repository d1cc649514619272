// unary: the naive loop of operators that compute one element from one.
// Flow: ops/relu.hpp, ops/sigmoid.hpp and their like call it from reference().
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

/// The same for a function that is computed in double and rounded once: float and float16 lose nothing on the way.
template <class T, class F> constexpr void for_each_real(arguments in, results out, F f) {
  for_each_element<T>(in, out, [&](T x) { return math::convert<T>(f(math::convert<double>(x))); });
}

/// The same for any number: integers reach f as 64 bits without a sign, and wrap around in their own width.
template <class T, class F> constexpr void for_each_number(arguments in, results out, F f) {
  if constexpr (!std::is_integral_v<T>) return for_each_real<T>(in, out, f);
  else for_each_element<T>(in, out, [&](T x) { return static_cast<T>(f(static_cast<std::uint64_t>(x))); });
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
