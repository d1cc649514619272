// functions: readers of exponentials, logarithms and roundings of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/io/tflite/operators/reductions.hpp>
#include <nnrt/ops/pow.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

namespace detail {

/// Operators that TFLite looks up in a table when their numbers are quantised, or that it has for f32 alone.
[[gnu::cold]] inline void require_f32(node_reader& node, std::int32_t x) {
  const tensor_desc desc = node.desc(x);
  if (desc.type != f32) node.not_supported({desc.quantised ? "quantised " : "", name_of(desc.type)});
}

/// e to the power of x, computed in f64.
[[gnu::cold]] inline std::int32_t exponential(node_reader& node, std::int32_t x) {
  return node.add<ops::pow>({}, {node.scalar(f64, 2.718281828459045235), x});
}

/// The logarithm of f64 by the slope of powers at 0: (x^h - x^-h) / 2h, which is off by less than h^2 ln(x)^3 / 6, 2e-9
/// for the logarithms up to 10 and 2e-6 for those of all f32; rounding adds 1e-10.
[[gnu::cold]] inline std::int32_t logarithm(node_reader& node, std::int32_t x) {
  constexpr double h = 0x1p-18;
  const std::int32_t up = node.add<ops::pow>({}, {x, node.scalar(f64, h)});
  const std::int32_t down = node.add<ops::pow>({}, {x, node.scalar(f64, -h)});
  return node.add<ops::mul>({}, {node.add<ops::sub>({}, {up, down}), node.scalar(f64, 0.5 / h)});
}

/// The nearest integer, halves to even: beside 1.5 * 2^23 there is no room for a fraction. Numbers beyond 2^22 are left
/// as they are: those without a fraction have none to lose, and the others are NaN.
[[gnu::cold]] inline std::int32_t rounded(node_reader& node, std::int32_t x) {
  const std::int32_t magic = node.scalar(f32, 0x1.8p23);
  return node.add<ops::sub>({}, {node.add<ops::add>({}, {x, magic}), magic});
}
[[gnu::cold]] inline std::int32_t is_small(node_reader& node, std::int32_t x) {
  const std::int32_t size = node.add<ops::maximum>({}, {negated(node, x), x});
  return at_most(node, size, node.scalar(f32, 0x1p22));
}
[[gnu::cold]] inline std::int32_t one_where(node_reader& node, std::int32_t condition, dtype type) {
  return cast_to(node, condition, type);
}
[[gnu::cold]] inline std::int32_t floor(node_reader& node, std::int32_t x) {
  const std::int32_t nearest = rounded(node, x);
  const std::int32_t above = denied(node, at_most(node, nearest, x));
  const std::int32_t below = node.add<ops::sub>({}, {nearest, one_where(node, above, f32)});
  return chosen(node, is_small(node, x), below, x);
}

/// Whether a remainder of i32 and its divisor differ in sign, neither being 0.
[[gnu::cold]] inline std::int32_t differ_in_sign(node_reader& node, std::int32_t remainder, std::int32_t divisor) {
  const std::int32_t product = node.add<ops::mul>({}, {cast_to(node, remainder, i64), cast_to(node, divisor, i64)});
  return denied(node, at_most(node, node.scalar(i64, 0), product));
}
/// Quotients that are rounded toward zero, and what remains.
struct division {
  std::int32_t quotient, remainder, is_off;  // is_off: 1 where the quotient is one too large
};
[[gnu::cold]] inline division divided(node_reader& node, std::int32_t a, std::int32_t b) {
  if (node.desc(a).type != i32) node.not_supported({name_of(node.desc(a).type)});
  const std::int32_t quotient = node.add<ops::div>({}, {a, b});
  const std::int32_t remainder = node.add<ops::sub>({}, {a, node.add<ops::mul>({}, {quotient, b})});
  return {quotient, remainder, one_where(node, differ_in_sign(node, remainder, b), i32)};
}

}  // namespace detail

[[gnu::cold]] inline void read_exp(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.conclude(0, detail::cast_to(node, detail::exponential(node, x), f32));
}
[[gnu::cold]] inline void read_log(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.conclude(0, detail::cast_to(node, detail::logarithm(node, x), f32));
}
/// x less the logarithm of the sum of all exp(x), along the last axis; the largest x is taken away first.
[[gnu::cold]] inline void read_log_softmax(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  detail::reduction r{x, {}, true};
  r.axes.push_back(node.desc(x).rank() - 1);
  const std::int32_t less = node.add<ops::sub>({}, {x, detail::largest(node, x, r)});
  const std::int32_t sum = detail::sum(node, detail::exponential(node, less), r);
  node.conclude(0, detail::cast_to(node, node.add<ops::sub>({}, {less, detail::logarithm(node, sum)}), f32));
}
/// x where it is positive, else exp(x) - 1.
[[gnu::cold]] inline void read_elu(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  const std::int32_t less = node.add<ops::sub>({}, {detail::exponential(node, x), node.scalar(f64, 1)});
  const std::int32_t is_not_positive = detail::at_most(node, x, node.scalar(f32, 0));
  node.conclude(0, detail::chosen(node, is_not_positive, detail::cast_to(node, less, f32), x));
}
[[gnu::cold]] inline void read_floor(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.conclude(0, detail::floor(node, x));
}
[[gnu::cold]] inline void read_ceil(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.conclude(0, detail::negated(node, detail::floor(node, detail::negated(node, x))));
}
[[gnu::cold]] inline void read_round(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.conclude(0, detail::chosen(node, detail::is_small(node, x), detail::rounded(node, x), x));
}

/// Quotients that are rounded down.
[[gnu::cold]] inline void read_floor_div(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  if (node.desc(a).type == f32) return node.conclude(0, detail::floor(node, node.add<ops::div>({}, {a, b})));
  const detail::division d = detail::divided(node, a, b);
  node.finish<ops::sub>({}, {d.quotient, d.is_off});
}
/// What then remains, with the sign of the divisor.
[[gnu::cold]] inline void read_floor_mod(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  const detail::division d = detail::divided(node, a, b);
  node.finish<ops::add>({}, {d.remainder, node.add<ops::mul>({}, {d.is_off, b})});
}

}  // namespace nnrt::inline NNRT_ISA::tflite
