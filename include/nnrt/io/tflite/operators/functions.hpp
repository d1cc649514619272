// functions: readers of exponentials, logarithms, rounding and similar functions of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/atan2.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/greater.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/less_equal.hpp>
#include <nnrt/ops/log_softmax.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/not_equal.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/sub.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Refuses other dtypes than f32. TFLite uses lookup tables for quantised values of these operators, or has f32 only.
[[gnu::cold]] constexpr void require_f32(node_reader& node, std::int32_t x) {
  if (node.is_fine() && node.desc(x).type != f32) node.not_supported_beside(0, x, "f32");
}
[[gnu::cold]] constexpr void require_f32_or_bytes(node_reader& node, std::int32_t x) {
  if (!node.desc(x).quantised || size_of(node.desc(x).type) != 1) require_f32(node, x);
}

}  // namespace detail

/// EXP of f32 and 8-bit values: TFLite's 8-bit table has the nearest values, its 16-bit table does not.
[[gnu::cold]] constexpr void read_exp(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32_or_bytes(node, x);
  node.finish<ops::exp>({}, {x});
}
/// LOG, SIN, COS, FLOOR, CEIL and ROUND.
template <class Op> [[gnu::cold]] constexpr void read_function(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.finish<Op>({}, {x});
}
/// Log-softmax along the last axis.
[[gnu::cold]] constexpr void read_log_softmax(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32_or_bytes(node, x);
  ops::log_softmax::attrs attrs;
  attrs.axis = -1;
  node.finish<ops::log_softmax>(attrs, {x});
}
namespace detail {
/// ELU: x > 0 ? x : exp(x) - 1. The difference is computed in f64, for accuracy near 0.
[[gnu::cold]] constexpr std::int32_t elu_of_reals(node_reader& node, std::int32_t x) {
  const std::int32_t exponential = node.add<ops::exp>({}, {cast_to(node, x, f64)});
  const std::int32_t less = node.add<ops::sub>({}, {exponential, node.scalar(f64, 1)});
  const std::int32_t is_not_positive = node.add<ops::less_equal>({}, {x, node.scalar(f32, 0)});
  return node.add<ops::select>({}, {is_not_positive, cast_to(node, less, f32), x});
}
}  // namespace detail
/// ELU of f32 and i8. TFLite's table has the real results multiplied by 1 / scale and rounded, instead of divided by
/// scale.
[[gnu::cold]] constexpr void read_elu(node_reader& node) {
  const std::int32_t x = node.input(0);
  const tensor_desc to = node.declared(0);
  if (!node.desc(x).quantised || node.desc(x).type != i8) {
    detail::require_f32(node, x);
    return node.conclude(0, detail::elu_of_reals(node, x));
  }
  if (node.is_fine() && to.quantised.mode != quantisation::kind::per_tensor)
    return node.not_supported({"output 0: got ", piece(to.type, to.shape), " without a scale, expected one"});
  const std::int32_t real = detail::elu_of_reals(node, detail::as_real(node, x));
  const std::int32_t steps = node.add<ops::mul>({}, {real, node.scalar(f32, float_quotient(1, to.quantised.scale))});
  tensor_desc in_steps = to;
  in_steps.quantised.scale = 1;
  node.conclude(0, detail::with_scale(node, detail::as_quantised(node, steps, in_steps), to.quantised));
}

/// atan2(y, x) of two tensors with the same shape.
[[gnu::cold]] constexpr void read_atan2(node_reader& node) {
  const std::int32_t y = node.input(0), x = node.input(1);
  for (std::size_t i = 0; i < 2; ++i) {
    const dtype type = node.desc(node.input(i)).type;
    if (node.is_fine() && type != f32 && type != f64) node.not_supported_beside(i, node.input(i), "f32 or f64");
  }
  const tensor_desc of_y = node.desc(y), of_x = node.desc(x);
  bool fits = of_y.type == of_x.type && of_y.rank() == of_x.rank();
  for (int i = 0; fits && i < of_y.rank(); ++i)
    fits = of_y.shape[i] < 0 || of_x.shape[i] < 0 || of_y.shape[i] == of_x.shape[i];
  if (!fits)
    node.refuse(error_code::invalid_file, {"input 1: got ", piece(of_x.type, of_x.shape), ", expected ",
                                           piece(of_y.type, of_y.shape), ", as input 0"});
  node.finish<ops::atan2>({}, {y, x});
}

/// 1, -1, or 0 where x is 0 or NaN.
[[gnu::cold]] constexpr void read_sign(node_reader& node) {
  const std::int32_t x = node.input(0);
  const dtype type = node.desc(x).type;
  if (node.is_fine() && (node.desc(x).quantised || (type != f32 && type != f64 && type != i32)))
    return node.not_supported_beside(0, x, "f32, f64 or i32");
  const std::int32_t zero = node.scalar(type, 0);
  const std::int32_t is_positive = node.add<ops::greater>({}, {x, zero}),
                     is_negative = node.add<ops::less>({}, {x, zero});
  node.finish<ops::sub>({}, {detail::cast_to(node, is_positive, type), detail::cast_to(node, is_negative, type)});
}

namespace detail {
/// The range of quantised values of FAKE_QUANT, shifted so that 0 is one of them.
struct nudged_range {
  float scale = 0, least = 0, most = 0;
  constexpr nudged_range(float min, float max, int num_bits, bool is_narrow) {
    const float first = is_narrow ? 1 : 0, last = static_cast<float>((1 << num_bits) - 1);
    scale = float_quotient(max - min, last - first);
    const float from_min = first - float_quotient(min, scale);
    const float zero = from_min < first  ? first
                       : from_min > last ? last
                                         : static_cast<float>(math::round_half_away(from_min));
    least = float_product(first - zero, scale), most = float_product(last - zero, scale);
  }
};
}  // namespace detail
/// FAKE_QUANT: rounds x to the quantised values, round((x - least) / scale) * scale + least.
[[gnu::cold]] constexpr void read_fake_quant(node_reader& node) {
  using kind = schema::fake_quant_options;
  const auto options = node.options<kind>();
  const std::int32_t x = node.input(0), bits = options[kind::num_bits];
  const float min = options[kind::min], max = options[kind::max];
  detail::require_f32(node, x);
  if (bits < 2 || bits > 16 || !(min < max) || !math::is_finite(max - min))
    node.refuse(error_code::invalid_file,
                {"options: got ", bits, " bits for ", min, " to ", max, ", expected 2 to 16 for a range"});
  if (!node.is_fine()) return;
  const detail::nudged_range range(min, max, bits, options[kind::narrow_range]);
  ops::clip::attrs ends;
  ends.min = range.least, ends.max = range.most;
  const std::int32_t above = node.add<ops::sub>({}, {node.add<ops::clip>(ends, {x}), node.scalar(f32, range.least)});
  const std::int32_t steps = node.add<ops::mul>({}, {above, node.scalar(f32, float_quotient(1, range.scale))});
  const std::int32_t whole = node.add<ops::floor>({}, {steps});
  const std::int32_t goes_up =
      node.add<ops::greater_equal>({}, {node.add<ops::sub>({}, {steps, whole}), node.scalar(f32, 0.5)});
  const std::int32_t nearest = node.add<ops::add>({}, {whole, detail::cast_to(node, goes_up, f32)});
  const std::int32_t real = node.add<ops::mul>({}, {nearest, node.scalar(f32, range.scale)});
  node.finish<ops::add>({}, {real, node.scalar(f32, range.least)});
}

/// Quotients rounded down. div rounds integer quotients toward zero, which is 1 too large where the remainder differs
/// from the result of mod.
[[gnu::cold]] constexpr void read_floor_div(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  if (node.desc(a).type == f32) return node.finish<ops::floor>({}, {node.add<ops::div>({}, {a, b})});
  if (node.is_fine() && node.desc(a).type != i32) node.not_supported_beside(0, a, "f32 or i32");
  const std::int32_t divisor = detail::input_without(node, detail::forbidden::zero, 1, "divisor");
  const std::int32_t quotient = node.add<ops::div>({}, {a, divisor});
  const std::int32_t remainder = node.add<ops::sub>({}, {a, node.add<ops::mul>({}, {quotient, divisor})});
  const std::int32_t is_too_large = node.add<ops::not_equal>({}, {remainder, node.add<ops::mod>({}, {a, divisor})});
  node.finish<ops::sub>({}, {quotient, detail::cast_to(node, is_too_large, i32)});
}

}}}  // namespace nnrt::NNRT_ISA::tflite
