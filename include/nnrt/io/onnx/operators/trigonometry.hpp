// trigonometry: readers of inverse trigonometric and hyperbolic functions of .onnx files, composed in f64.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/atan2.hpp>
#include <nnrt/ops/cos.hpp>
#include <nnrt/ops/equal.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/greater.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/log.hpp>
#include <nnrt/ops/reciprocal.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/sin.hpp>
#include <nnrt/ops/sqrt.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// Below this size, odd functions equal x to the last bit of f64: the next term of their series is x^3 / 6 to x^3 / 3.
inline constexpr double tiny = 0x1p-30;
/// Above this size, 1 does not count in the logarithms of asinh and acosh.
inline constexpr double huge = 0x1p30;
inline constexpr double log_of_2 = 0x1.62e42fefa39efp-1;

/// An alternative for the elements of x above `bound`; NaN takes `otherwise`.
[[gnu::cold]] constexpr std::int32_t above(node_maker& node, std::int32_t x, double bound, std::int32_t then,
                                           std::int32_t otherwise) {
  return node.add<ops::select>({}, {node.add<ops::greater>({}, {x, number_like(node, x, bound)}), then, otherwise});
}
/// log(1 + u) for f64 and finite u, accurate near 0: the rounding of 1 + u is divided out (Kahan).
[[gnu::cold]] constexpr std::int32_t log_1_plus(node_maker& node, std::int32_t u) {
  const std::int32_t one_more = plus(node, u, 1.0), added = plus(node, one_more, -1.0);
  const std::int32_t log = node.add<ops::log>({}, {one_more});
  const std::int32_t is_lost = node.add<ops::equal>({}, {added, number_like(node, u, 0)});
  return node.add<ops::select>({}, {is_lost, u, over(node, times(node, u, log), added)});
}
/// An odd function: f(|x|) with the sign of x; x itself where it is tiny, so -0 remains.
[[gnu::cold]] constexpr std::int32_t odd(node_maker& node, std::int32_t x, std::int32_t size, std::int32_t of_size) {
  const std::int32_t is_negative = node.add<ops::less>({}, {x, number_like(node, x, 0)});
  const std::int32_t y = node.add<ops::select>({}, {is_negative, negated(node, of_size), of_size});
  return node.add<ops::select>({}, {node.add<ops::less>({}, {size, number_like(node, x, tiny)}), x, y});
}
/// sqrt((1 - x) (1 + x)); NaN outside of [-1, 1].
[[gnu::cold]] constexpr std::int32_t opposite_leg(node_maker& node, std::int32_t x) {
  const std::int32_t one = number_like(node, x, 1);
  return node.add<ops::sqrt>({}, {times(node, minus(node, one, x), plus(node, one, x))});
}
/// exp(size) / 2 for size >= 0, which overflows only where the result does.
[[gnu::cold]] constexpr std::int32_t half_exp(node_maker& node, std::int32_t size) {
  const std::int32_t root = node.add<ops::exp>({}, {times(node, size, 0.5)});
  return times(node, times(node, root, 0.5), root);
}

[[gnu::cold]] constexpr std::int32_t atan(node_maker& node, std::int32_t x) {
  return node.add<ops::atan2>({}, {x, number_like(node, x, 1)});
}
[[gnu::cold]] constexpr std::int32_t asin(node_maker& node, std::int32_t x) {
  return node.add<ops::atan2>({}, {x, opposite_leg(node, x)});
}
[[gnu::cold]] constexpr std::int32_t acos(node_maker& node, std::int32_t x) {
  return node.add<ops::atan2>({}, {opposite_leg(node, x), x});
}
[[gnu::cold]] constexpr std::int32_t tan(node_maker& node, std::int32_t x) {
  return over(node, node.add<ops::sin>({}, {x}), node.add<ops::cos>({}, {x}));
}
/// (e + e / (1 + e)) / 2 with e = exp(|x|) - 1, which keeps the relative accuracy of small x.
[[gnu::cold]] constexpr std::int32_t sinh(node_maker& node, std::int32_t x) {
  const std::int32_t size = node.add<ops::abs>({}, {x}), power = node.add<ops::exp>({}, {size});
  // exp(|x|) - 1, with the rounding of exp divided out (Kahan)
  const std::int32_t less_1 = over(node, times(node, plus(node, power, -1.0), size), node.add<ops::log>({}, {power}));
  const std::int32_t small = times(node, plus(node, less_1, over(node, less_1, power)), 0.5);
  return odd(node, x, size, above(node, size, 20, half_exp(node, size), small));
}
[[gnu::cold]] constexpr std::int32_t cosh(node_maker& node, std::int32_t x) {
  const std::int32_t size = node.add<ops::abs>({}, {x}), power = node.add<ops::exp>({}, {size});
  const std::int32_t small = times(node, plus(node, power, node.add<ops::reciprocal>({}, {power})), 0.5);
  return above(node, size, 20, half_exp(node, size), small);
}
/// log1p(s + s^2 / (1 + sqrt(s^2 + 1))) with s = |x|; log(2 s) for huge s.
[[gnu::cold]] constexpr std::int32_t asinh(node_maker& node, std::int32_t x) {
  const std::int32_t size = node.add<ops::abs>({}, {x}), square = times(node, size, size);
  const std::int32_t root = node.add<ops::sqrt>({}, {plus(node, square, 1.0)});
  const std::int32_t small = log_1_plus(node, plus(node, size, over(node, square, plus(node, root, 1.0))));
  const std::int32_t large = plus(node, node.add<ops::log>({}, {size}), log_of_2);
  return odd(node, x, size, above(node, size, huge, large, small));
}
/// log1p(t + sqrt(t) sqrt(t + 2)) with t = x - 1, NaN for negative t; log(2 x) for huge x.
[[gnu::cold]] constexpr std::int32_t acosh(node_maker& node, std::int32_t x) {
  const std::int32_t t = plus(node, x, -1.0);
  const std::int32_t root = times(node, node.add<ops::sqrt>({}, {t}), node.add<ops::sqrt>({}, {plus(node, t, 2.0)}));
  const std::int32_t small = log_1_plus(node, plus(node, t, root));
  return above(node, x, huge, plus(node, node.add<ops::log>({}, {x}), log_of_2), small);
}
/// (log1p(s) - log1p(-s)) / 2 with s = |x|: infinite for 1, NaN above.
[[gnu::cold]] constexpr std::int32_t atanh(node_maker& node, std::int32_t x) {
  const std::int32_t size = node.add<ops::abs>({}, {x});
  const std::int32_t both = minus(node, log_1_plus(node, size), log_1_plus(node, negated(node, size)));
  return odd(node, x, size, times(node, both, 0.5));
}

}  // namespace detail

/// A function of reals, composed in f64 and rounded to the dtype of x.
template <std::int32_t (*Compose)(node_maker&, std::int32_t)>
[[gnu::cold]] constexpr void read_real(node_reader& node) {
  const std::int32_t x = node.input(0);
  node.define(0, detail::cast_to(node, Compose(node, detail::cast_to(node, x, f64)), node.type(x)));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
