// elementwise: readers of arithmetic, comparisons, activations and conversions of .onnx files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/equal.hpp>
#include <nnrt/ops/erf.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/gelu.hpp>
#include <nnrt/ops/greater.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/leaky_relu.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/log.hpp>
#include <nnrt/ops/logical_not.hpp>
#include <nnrt/ops/logical_or.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/not_equal.hpp>
#include <nnrt/ops/prelu.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/ops/swish.hpp>
#include <nnrt/ops/tanh.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// The second operand of operators before opset 7: with broadcast = 1 its axes begin at `axis` of the first one.
[[gnu::cold]] constexpr std::int32_t aligned(node_reader& node, std::int32_t a, std::int32_t b) {
  if (node.version() >= 7) return b;
  node.ignore_attribute("broadcast");
  if (!node.has_attribute("axis")) return b;
  pool<std::int64_t> shape;
  for (const std::int64_t extent : node.desc(b).shape) shape.push_back(extent);
  const int axis = node.axis_attribute("axis", 0, node.rank(a));
  while (node.is_fine() && static_cast<int>(shape.size()) + axis < node.rank(a)) shape.push_back(1);
  return static_cast<int>(shape.size()) == node.rank(b) ? b : reshaped(node, b, shape);
}

/// A function of two tensors of one dtype. Dtypes that nnrt's operator does not have are converted.
template <class Op>
[[gnu::cold]] constexpr std::int32_t pair(node_maker& node, std::int32_t a, std::int32_t b, bool is_comparison) {
  const dtype type = node.desc(a).type;
  if (Op::inputs[0].accepts.contains(type)) return node.add<Op>({}, {a, b});
  if (type == u64) node.not_supported({"elements of uint64"});
  const dtype wide = types::floating.contains(type) ? f32 : i64;
  const std::int32_t made = node.add<Op>({}, {cast_to(node, a, wide), cast_to(node, b, wide)});
  return is_comparison ? made : cast_to(node, made, type);
}

}  // namespace detail

template <class Op> [[gnu::cold]] constexpr void read_unary(node_reader& node) {
  node.define(0, detail::function<Op>(node, node.input(0)));
}
template <class Op> [[gnu::cold]] constexpr void read_binary(node_reader& node) {
  const std::int32_t a = node.input(0), b = detail::aligned(node, a, node.input(1));
  node.define(0, detail::pair<Op>(node, a, b, false));
}
template <class Op> [[gnu::cold]] constexpr void read_comparison(node_reader& node) {
  const std::int32_t a = node.input(0), b = detail::aligned(node, a, node.input(1));
  node.define(0, detail::pair<Op>(node, a, b, true));
}
/// Any number of operands: Sum, Max and Min.
template <class Op> [[gnu::cold]] constexpr void read_chain(node_reader& node) {
  std::int32_t all = node.input(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) all = detail::pair<Op>(node, all, node.input(i), false);
  node.define(0, all);
}
[[gnu::cold]] constexpr void read_mean(node_reader& node) {
  std::int32_t all = node.input(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) all = detail::plus(node, all, node.input(i));
  node.define(0, detail::over(node, all, detail::number_like(node, all, static_cast<double>(node.input_count()))));
}

/// Signs of numbers; NaN stays.
[[gnu::cold]] constexpr void read_sign(node_reader& node) {
  const std::int32_t x = node.input(0);
  const dtype type = node.type(x);
  const std::int32_t zero = detail::number_like(node, x, 0);
  const std::int32_t above = detail::cast_to(node, node.add<ops::greater>({}, {x, zero}),
                                             types::floating.contains(type) ? type : i64),
                     below = detail::cast_to(node, node.add<ops::less>({}, {x, zero}),
                                             types::floating.contains(type) ? type : i64);
  const std::int32_t sign = detail::cast_to(node, detail::minus(node, above, below), type);
  if (!types::floating.contains(type)) return node.define(0, sign);
  node.define(0, node.add<ops::select>({}, {node.add<ops::not_equal>({}, {x, x}), x, sign}));
}

/// The result has the dtype of the base.
[[gnu::cold]] constexpr void read_pow(node_reader& node) {
  const std::int32_t x = node.input(0), y = detail::aligned(node, x, node.input(1));
  const dtype type = node.type(x);
  const bool is_mixed = !types::floating.contains(type) && types::floating.contains(node.type(y));
  const dtype computed = is_mixed ? f64 : type;
  const std::int32_t made =
      detail::pair<ops::pow>(node, detail::cast_to(node, x, computed), detail::cast_to(node, y, computed), false);
  node.define(0, detail::cast_to(node, made, type));
}

/// Mod: fmod = 0 has the sign of the divisor, fmod = 1 that of the dividend.
[[gnu::cold]] constexpr void read_mod(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  if (node.integer_attribute("fmod", 0) == 0) return node.define(0, detail::pair<ops::mod>(node, a, b, false));
  const dtype type = node.type(a), wide = types::floating.contains(type) ? type : i64;
  const std::int32_t of_a = detail::cast_to(node, a, wide), of_b = detail::cast_to(node, b, wide);
  // the remainder of absolute values is exact, and both definitions agree
  const std::int32_t rest =
      node.add<ops::mod>({}, {detail::function<ops::abs>(node, of_a), detail::function<ops::abs>(node, of_b)});
  const std::int32_t is_negative = node.add<ops::less>({}, {of_a, detail::number_like(node, of_a, 0)});
  const std::int32_t opposite = detail::minus(node, detail::number_like(node, rest, 0), rest);
  node.define(0, detail::cast_to(node, node.add<ops::select>({}, {is_negative, opposite, rest}), type));
}

namespace detail {

/// Clamps x to constant or computed bounds: min(max(x, low), high), also for low > high.
[[gnu::cold]] constexpr std::int32_t clipped(node_maker& node, std::int32_t x, std::int32_t low, std::int32_t high) {
  if (low != ir::none) x = pair<ops::maximum>(node, x, low, false);
  return high == ir::none ? x : pair<ops::minimum>(node, x, high, false);
}
[[gnu::cold]] constexpr std::int32_t clipped(node_maker& node, std::int32_t x, double low, double high) {
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  const dtype type = node.desc(x).type;
  if (!types_of(f16, f32).contains(type) || !(low <= high)) {
    const bool has_low = low > -math::infinity<double>, has_high = high < math::infinity<double>;
    return clipped(node, x, has_low ? number_like(node, x, low) : ir::none,
                   has_high ? number_like(node, x, high) : ir::none);
  }
  if (low == 0 && high >= most) return node.add<ops::relu>({}, {x});
  if (low == 0 && high == 6) return node.add<ops::relu6>({}, {x});
  if (low <= -most && high >= most) return x;
  ops::clip::attrs attrs;
  attrs.min = static_cast<float>(low), attrs.max = static_cast<float>(high);
  return node.add<ops::clip>(attrs, {x});
}

}  // namespace detail

/// Clip: bounds are attributes up to opset 10, then operands.
[[gnu::cold]] constexpr void read_clip(node_reader& node) {
  const std::int32_t x = node.input(0);
  constexpr double infinity = math::infinity<double>;
  if (node.version() < 11) {
    constexpr float most = std::numeric_limits<float>::max();
    const double low = double{node.real_attribute("min", -most)}, high = double{node.real_attribute("max", most)};
    return node.define(0, detail::clipped(node, x, low, high));
  }
  const bool has_low = node.has_elements(1), has_high = node.has_elements(2);
  const bool is_known = (!has_low || node.is_known(1)) && (!has_high || node.is_known(2));
  if (is_known)
    return node.define(
        0, detail::clipped(node, x, has_low ? node.real(1) : -infinity, has_high ? node.real(2) : infinity));
  node.define(0, detail::clipped(node, x, has_low ? node.input(1) : ir::none, has_high ? node.input(2) : ir::none));
}

[[gnu::cold]] constexpr void read_relu(node_reader& node) {
  const std::int32_t x = node.input(0);
  if (ops::relu::inputs[0].accepts.contains(node.type(x))) return node.finish<ops::relu>({}, {x});
  node.define(0, detail::clipped(node, x, detail::number_like(node, x, 0), ir::none));
}

namespace detail {

/// x < 0 ? negative : x
[[gnu::cold]] constexpr std::int32_t below_zero(node_maker& node, std::int32_t x, std::int32_t negative) {
  return node.add<ops::select>({}, {node.add<ops::less>({}, {x, number_like(node, x, 0)}), negative, x});
}
/// exp(x) - 1, computed in f64 for accuracy near 0.
[[gnu::cold]] constexpr std::int32_t exp_minus_1(node_maker& node, std::int32_t x) {
  return cast_to(node, plus(node, node.add<ops::exp>({}, {cast_to(node, x, f64)}), -1.0), node.desc(x).type);
}
/// log(1 + exp(x)), computed in f64 as max(x, 0) + log(1 + exp(-|x|)).
[[gnu::cold]] constexpr std::int32_t softplus(node_maker& node, std::int32_t x) {
  const std::int32_t wide = cast_to(node, x, f64);
  const std::int32_t size = negated(node, node.add<ops::abs>({}, {wide}));
  const std::int32_t small = node.add<ops::log>({}, {plus(node, node.add<ops::exp>({}, {size}), 1.0)});
  const std::int32_t large = pair<ops::maximum>(node, wide, number_like(node, wide, 0), false);
  return cast_to(node, plus(node, large, small), node.desc(x).type);
}
/// max(0, min(1, alpha x + beta))
[[gnu::cold]] constexpr std::int32_t hard_sigmoid(node_maker& node, std::int32_t x, double alpha, double beta) {
  return clipped(node, plus(node, times(node, x, alpha), beta), 0.0, 1.0);
}

}  // namespace detail

[[gnu::cold]] constexpr void read_elu(node_reader& node) {
  const std::int32_t x = node.input(0);
  const double alpha = double{node.real_attribute("alpha", 1)};
  node.define(0, detail::below_zero(node, x, detail::times(node, detail::exp_minus_1(node, x), alpha)));
}
[[gnu::cold]] constexpr void read_selu(node_reader& node) {
  const std::int32_t x = node.input(0);
  const double alpha = double{node.real_attribute("alpha", 1.67326319217681884765625F)},
               gamma = double{node.real_attribute("gamma", 1.05070102214813232421875F)};
  const std::int32_t negative = detail::times(node, detail::exp_minus_1(node, x), alpha);
  node.define(0, detail::times(node, detail::below_zero(node, x, negative), gamma));
}
[[gnu::cold]] constexpr void read_celu(node_reader& node) {
  const std::int32_t x = node.input(0);
  const double alpha = double{node.real_attribute("alpha", 1)};
  const std::int32_t ratio = detail::over(node, x, detail::number_like(node, x, alpha));
  node.define(0, detail::below_zero(node, x, detail::times(node, detail::exp_minus_1(node, ratio), alpha)));
}
[[gnu::cold]] constexpr void read_softplus(node_reader& node) { node.define(0, detail::softplus(node, node.input(0))); }
[[gnu::cold]] constexpr void read_softsign(node_reader& node) {
  const std::int32_t x = node.input(0);
  node.define(0, detail::over(node, x, detail::plus(node, node.add<ops::abs>({}, {x}), 1.0)));
}
[[gnu::cold]] constexpr void read_mish(node_reader& node) {
  const std::int32_t x = node.input(0);
  node.define(0, detail::times(node, x, node.add<ops::tanh>({}, {detail::softplus(node, x)})));
}
/// x < -lambd ? x + bias : x > lambd ? x - bias : 0
[[gnu::cold]] constexpr void read_shrink(node_reader& node) {
  const std::int32_t x = node.input(0);
  const double bias = double{node.real_attribute("bias", 0)}, lambd = double{node.real_attribute("lambd", 0.5F)};
  const dtype type = node.type(x), computed = types::floating.contains(type) ? type : f32;
  const std::int32_t real = detail::cast_to(node, x, computed);
  const std::int32_t is_low = node.add<ops::less>({}, {real, node.scalar(computed, -lambd)}),
                     is_high = node.add<ops::greater>({}, {real, node.scalar(computed, lambd)});
  const std::int32_t high =
      node.add<ops::select>({}, {is_high, detail::plus(node, real, -bias), node.scalar(computed, 0)});
  node.define(0,
              detail::cast_to(node, node.add<ops::select>({}, {is_low, detail::plus(node, real, bias), high}), type));
}
[[gnu::cold]] constexpr void read_thresholded_relu(node_reader& node) {
  const std::int32_t x = node.input(0);
  const std::int32_t is_above =
      node.add<ops::greater>({}, {x, detail::number_like(node, x, double{node.real_attribute("alpha", 1)})});
  node.define(0, node.add<ops::select>({}, {is_above, x, detail::number_like(node, x, 0)}));
}
[[gnu::cold]] constexpr void read_hard_sigmoid(node_reader& node) {
  const double alpha = double{node.real_attribute("alpha", 0.2F)}, beta = double{node.real_attribute("beta", 0.5F)};
  node.define(0, detail::hard_sigmoid(node, node.input(0), alpha, beta));
}
[[gnu::cold]] constexpr void read_leaky_relu(node_reader& node) {
  ops::leaky_relu::attrs attrs;
  attrs.negative_slope = node.real_attribute("alpha", 0.01F);
  node.finish<ops::leaky_relu>(attrs, {node.input(0)});
}
[[gnu::cold]] constexpr void read_gelu(node_reader& node) {
  const std::string_view kind = node.text_attribute("approximate", "none");
  if (kind != "none" && kind != "tanh") node.not_supported({"approximate: got ", piece::in_quotes(kind)});
  ops::gelu::attrs attrs;
  attrs.approximate = kind == "tanh";
  node.finish<ops::gelu>(attrs, {node.input(0)});
}
namespace detail {

/// x * sigmoid(alpha x), where alpha has this value when the file has none.
[[gnu::cold]] constexpr void define_swish(node_reader& node, float otherwise) {
  const std::int32_t x = node.input(0);
  const float alpha = node.real_attribute("alpha", otherwise);
  if (alpha == 1) return node.finish<ops::swish>({}, {x});
  node.define(0, times(node, x, node.add<ops::sigmoid>({}, {times(node, x, double{alpha})})));
}

}  // namespace detail

[[gnu::cold]] constexpr void read_swish(node_reader& node) { detail::define_swish(node, 1); }
/// Slopes broadcast to x. Before opset 7 a list of slopes is one for each channel.
[[gnu::cold]] constexpr void read_prelu(node_reader& node) {
  const std::int32_t x = node.input(0);
  std::int32_t slope = node.weight(1);
  if (node.version() < 7 && node.rank(slope) == 1 && node.rank(x) > 2 && node.desc(slope).elements() > 1) {
    pool<std::int64_t> shape{node.desc(slope).shape[0]};
    for (int i = 2; i < node.rank(x); ++i) shape.push_back(1);
    slope = detail::reshaped(node, slope, shape);
  }
  if (ops::prelu::inputs[0].accepts.contains(node.type(x))) return node.finish<ops::prelu>({}, {x, slope});
  node.define(0, detail::below_zero(node, x, detail::pair<ops::mul>(node, x, slope, false)));
}

[[gnu::cold]] constexpr void read_is_nan(node_reader& node) {
  const std::int32_t x = node.input(0);
  node.finish<ops::not_equal>({}, {x, x});
}
[[gnu::cold]] constexpr void read_is_inf(node_reader& node) {
  const std::int32_t x = node.input(0);
  const auto is = [&](double number) { return node.add<ops::equal>({}, {x, detail::number_like(node, x, number)}); };
  constexpr double infinity = math::infinity<double>;
  const bool up = node.integer_attribute("detect_positive", 1) != 0,
             down = node.integer_attribute("detect_negative", 1) != 0;
  if (up && down) return node.finish<ops::logical_or>({}, {is(infinity), is(-infinity)});
  if (up || down) return node.define(0, is(up ? infinity : -infinity));
  node.finish<ops::less>({}, {x, detail::number_like(node, x, -infinity)});  // always false
}
/// Xor of booleans.
[[gnu::cold]] constexpr void read_xor(node_reader& node) {
  const std::int32_t a = node.input(0), b = detail::aligned(node, a, node.input(1));
  node.finish<ops::not_equal>({}, {detail::cast_to(node, a, u8), detail::cast_to(node, b, u8)});
}
/// Equal of any dtype.
[[gnu::cold]] constexpr void read_equal(node_reader& node) {
  const std::int32_t a = node.input(0), b = detail::aligned(node, a, node.input(1));
  if (node.type(a) == boolean)
    return node.finish<ops::equal>({}, {detail::cast_to(node, a, u8), detail::cast_to(node, b, u8)});
  node.define(0, detail::pair<ops::equal>(node, a, b, true));
}
[[gnu::cold]] constexpr void read_where(node_reader& node) {
  node.finish<ops::select>({}, {node.input(0), node.input(1), node.input(2)});
}
[[gnu::cold]] constexpr void read_identity(node_reader& node) { node.define(0, node.input(0)); }
/// Dropout at inference: x, and a mask that is true everywhere.
[[gnu::cold]] constexpr void read_dropout(node_reader& node) {
  if (node.has_elements(2) && node.integer(2) != 0) return node.not_supported({"training_mode: got 1, expected 0"});
  const std::int32_t x = node.input(0);
  node.define(0, x);
  if (node.has_output(1))
    node.define(1, node.add<ops::fill>({}, {node.scalar(node.version() < 10 ? node.type(x) : boolean, 1),
                                            node.add<ops::shape_of>({}, {x})}));
}

[[gnu::cold]] constexpr void read_cast(node_reader& node) {
  const dtype to = node.dtype_attribute("to", dtype::none);
  node.define(0, detail::cast_to(node, node.input(0), to));
}
[[gnu::cold]] constexpr void read_cast_like(node_reader& node) {
  if (node.is_widened(1)) return node.not_supported({"input 1: an element type that nnrt widens"});
  node.define(0, detail::cast_to(node, node.input(0), node.type(node.input(1))));
}

/// Shifts of unsigned integers, as products and quotients of i64. A right shift of numbers from 2^63 on, negative as
/// i64, takes its first step from (x - min) / 2 + 2^62.
[[gnu::cold]] constexpr void read_bit_shift(node_reader& node) {
  const std::int32_t x = node.input(0), y = node.input(1);
  const dtype type = node.type(x);
  const std::string_view direction = node.text_attribute("direction", "");
  if (node.is_fine() && direction != "LEFT" && direction != "RIGHT")
    return node.refuse(error_code::invalid_file,
                       {"direction: got ", piece::in_quotes(direction), ", expected LEFT or RIGHT"});
  const std::int32_t wide = detail::cast_to(node, x, i64), steps = detail::cast_to(node, y, i64);
  const std::int32_t two = node.scalar(i64, 2), zero = node.scalar(i64, 0);
  if (direction == "LEFT")
    return node.define(0, detail::cast_to(node, detail::times(node, wide, node.add<ops::pow>({}, {two, steps})), type));
  const double least = static_cast<double>(std::numeric_limits<std::int64_t>::min());
  const std::int32_t upper =
      detail::plus(node, detail::over(node, detail::minus(node, wide, node.scalar(i64, least)), two), 0x1p62);
  const std::int32_t is_upper = node.add<ops::less>({}, {wide, zero});
  const std::int32_t once = node.add<ops::select>({}, {is_upper, upper, detail::over(node, wide, two)});
  const std::int32_t rest = detail::pair<ops::maximum>(node, detail::plus(node, steps, -1.0), zero, false);
  const std::int32_t shifted = detail::over(node, once, node.add<ops::pow>({}, {two, rest}));
  node.define(0, detail::cast_to(
                     node, node.add<ops::select>({}, {node.add<ops::equal>({}, {steps, zero}), wide, shifted}), type));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
