// binary: bindings of operators y = f(a, b) with NumPy's broadcasting, one row per operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/kernels/bind/detail/quantised.hpp>
#include <nnrt/kernels/elementwise/functions.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/atan2.hpp>
#include <nnrt/ops/bias_add.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/equal.hpp>
#include <nnrt/ops/greater.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/less_equal.hpp>
#include <nnrt/ops/logical_and.hpp>
#include <nnrt/ops/logical_or.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/not_equal.hpp>
#include <nnrt/ops/pow.hpp>
#include <nnrt/ops/prelu.hpp>
#include <nnrt/ops/squared_difference.hpp>
#include <nnrt/ops/sub.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// f, clamped to the range of the node's fused activation.
template <class Op, class Lanes> struct fused_of {
  static clamped<Lanes> of(array_ref<const word> attrs) {
    return {{}, range_of(unpack<typename Op::attrs>(attrs).fused)};
  }
};

}  // namespace detail

// Arithmetic with kernels for quantised values: operator, vector function.
template <class Isa>
struct binding<ops::add, family::f32, Isa> : arithmetic_binding<ops::add, Isa, detail::fused_of<ops::add, add_lanes>> {
};
template <class Isa>
struct binding<ops::bias_add, family::f32, Isa> : arithmetic_binding<ops::bias_add, Isa, add_lanes> {};
template <class Isa>
struct binding<ops::div, family::f32, Isa>
    : arithmetic_binding<ops::div, Isa, detail::fused_of<ops::div, divide_lanes>> {};
template <class Isa>
struct binding<ops::maximum, family::f32, Isa> : arithmetic_binding<ops::maximum, Isa, maximum_lanes> {};
template <class Isa>
struct binding<ops::minimum, family::f32, Isa> : arithmetic_binding<ops::minimum, Isa, minimum_lanes> {};
template <class Isa>
struct binding<ops::mul, family::f32, Isa>
    : arithmetic_binding<ops::mul, Isa, detail::fused_of<ops::mul, multiply_lanes>> {};
template <class Isa> struct binding<ops::prelu, family::f32, Isa> : arithmetic_binding<ops::prelu, Isa, prelu_lanes> {};
template <class Isa>
struct binding<ops::squared_difference, family::f32, Isa>
    : arithmetic_binding<ops::squared_difference, Isa, squared_difference_lanes> {};
template <class Isa>
struct binding<ops::sub, family::f32, Isa>
    : arithmetic_binding<ops::sub, Isa, detail::fused_of<ops::sub, subtract_lanes>> {};

// Comparisons; the result is boolean.
template <class Isa>
struct binding<ops::equal, family::f32, Isa> : binary_binding<ops::equal, Isa, equal_lanes, bool> {};
template <class Isa>
struct binding<ops::greater, family::f32, Isa> : binary_binding<ops::greater, Isa, greater_lanes, bool> {};
template <class Isa>
struct binding<ops::greater_equal, family::f32, Isa>
    : binary_binding<ops::greater_equal, Isa, greater_equal_lanes, bool> {};
template <class Isa> struct binding<ops::less, family::f32, Isa> : binary_binding<ops::less, Isa, less_lanes, bool> {};
template <class Isa>
struct binding<ops::less_equal, family::f32, Isa> : binary_binding<ops::less_equal, Isa, less_equal_lanes, bool> {};
template <class Isa>
struct binding<ops::not_equal, family::f32, Isa> : binary_binding<ops::not_equal, Isa, not_equal_lanes, bool> {};

// Operators computed one element at a time by the reference's function: cost of an element in additions, element types.
template <class Isa>
struct binding<ops::atan2, family::f32, Isa> : element_binding<ops::atan2, Isa, 32, float, float16, double> {};
template <class Isa>
struct binding<ops::logical_and, family::f32, Isa> : element_binding<ops::logical_and, Isa, 1, bool> {};
template <class Isa>
struct binding<ops::logical_or, family::f32, Isa> : element_binding<ops::logical_or, Isa, 1, bool> {};
template <class Isa>
struct binding<ops::mod, family::f32, Isa>
    : element_binding<ops::mod, Isa, 8, float, float16, double, std::int32_t, std::int64_t> {};
template <class Isa>
struct binding<ops::pow, family::f32, Isa> : element_binding<ops::pow, Isa, 64, float, float16, double, std::int32_t> {
};

}}}  // namespace nnrt::NNRT_ISA::kernels
