// refused: a node that must break one rule with two values, checked by the compiler and again at run time.
#pragma once

#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace nnrt_test {

template <class Op> struct refused {
  const char* what;
  typename Op::attrs a;
  std::initializer_list<operand> in;
  std::initializer_list<tensor_desc> wanted;
  typename Op::rule broken;
  std::int64_t actual, expected;
};

template <class Op> constexpr bool is_refused(const refused<Op>& r) {
  return breaks(infer<Op>(r.a, r.in, r.wanted), r.broken, r.actual, r.expected);
}

}  // namespace nnrt_test

/// NNRT_CHECK_REFUSED(op, {what, attributes, {operands}, {wanted descs}, rule, actual, expected}); operands must be
/// constants.
#define NNRT_CHECK_REFUSED(OP, ...)                                               \
  do {                                                                            \
    static_assert(nnrt_test::is_refused<OP>(nnrt_test::refused<OP> __VA_ARGS__)); \
    const nnrt_test::refused<OP> refused_row __VA_ARGS__;                         \
    CAPTURE(refused_row.what);                                                    \
    CHECK(nnrt_test::is_refused<OP>(refused_row));                                \
  } while (false)
