// composed: what readers of model files build from several nodes, such as conversions and clamping.
// Flow: the node readers of the file formats call it; each function adds nodes and returns the value of the last one.
#pragma once

#include <nnrt/io/node_maker.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/ops/reshape.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace composed {

[[gnu::cold]] constexpr std::int32_t cast_to(node_maker& node, std::int32_t x, dtype type) {
  if (node.desc(x).type == type) return x;
  return node.add<ops::cast>({}, {x, node.integer_list({static_cast<std::int64_t>(type)})});
}
[[gnu::cold]] constexpr std::int32_t negated(node_maker& node, std::int32_t x) { return node.add<ops::neg>({}, {x}); }
[[gnu::cold]] constexpr std::int32_t reshaped(node_maker& node, std::int32_t x, array_ref<const std::int64_t> shape) {
  return node.add<ops::reshape>({}, {x, node.integer_list(shape)});
}

// Operators on real values are exact on quantised values if they keep the scale: scale * (q - zero point), divided by
// scale and rounded, is q - zero point again.

[[gnu::cold]] constexpr std::int32_t as_real(node_maker& node, std::int32_t x) {
  if (!node.desc(x).quantised) return x;
  ops::quant_dtype_cast::attrs attrs;
  attrs.src_t = static_cast<std::int64_t>(node.desc(x).type);
  attrs.dst_t = static_cast<std::int64_t>(f32);
  return node.add<ops::quant_dtype_cast>(attrs, {x});
}
/// Quantises real values, or requantises quantised ones, to the dtype and quantisation of `like`. Returns x if `like`
/// is not quantised.
[[gnu::cold]] constexpr std::int32_t as_quantised(node_maker& node, std::int32_t x, const tensor_desc& like) {
  if (!like.quantised) return x;
  ops::quant_dtype_cast::attrs attrs;
  attrs.src_t = static_cast<std::int64_t>(node.desc(x).type);
  attrs.dst_t = static_cast<std::int64_t>(like.type);
  return node.add<ops::quant_dtype_cast>(attrs, {x}, tensor_desc{like.type, format::nd, {}, like.quantised});
}
/// With this quantisation, stored and real values are equal.
inline constexpr quantisation steps_of_1 = quant{.scale = 1, .zero_point = 0};

/// Replaces the scale of x by the scale of `to`; stored integers do not change. Multiplies by one step whose scale is
/// the quotient of both scales, which is exact.
[[gnu::cold]] constexpr std::int32_t with_scale(node_maker& node, std::int32_t x, const quantisation& to) {
  const tensor_desc from = node.desc(x);
  if (from.quantised.scale == to.scale) return x;
  const quantisation step = quant{.scale = to.scale / from.quantised.scale, .zero_point = 0};
  const quantisation made = quant{.scale = to.scale, .zero_point = from.quantised.zero_point};
  return node.add<ops::mul>({}, {x, node.scalar(from.type, 1, step)}, {from.type, format::nd, {}, made});
}
/// Replaces the zero point of x by the one of `to`; stored integers do not change. The scales are equal. Adds as many
/// steps as the zero points differ. A step is 1 in the fixed point of the sum, so the sum is exact.
[[gnu::cold]] constexpr std::int32_t with_zero_point(node_maker& node, std::int32_t x, const quantisation& to) {
  const tensor_desc from = node.desc(x);
  const std::int64_t steps = std::int64_t{from.quantised.zero_point} - to.zero_point;
  // no 8-bit values have such zero points
  if (steps == 0 || size_of(from.type) != 1 || steps < -255 || steps > 255) return x;
  const int lowest = from.type == u8 ? 0 : -128, end = steps > 0 ? lowest : lowest + 255;
  const quantisation from_end = quant{.scale = to.scale, .zero_point = end};
  return node.add<ops::add>({}, {x, node.scalar(from.type, static_cast<double>(end + steps), from_end)},
                            {from.type, format::nd, {}, to});
}
/// Replaces scale and zero point of x by those in `to`, if both have one scale; stored integers do not change.
[[gnu::cold]] constexpr std::int32_t moved_to(node_maker& node, std::int32_t x, const quantisation& to) {
  constexpr auto one = quantisation::kind::per_tensor;
  if (node.desc(x).quantised.mode != one || to.mode != one) return x;
  return with_zero_point(node, with_scale(node, x, to), to);
}
/// Clamps x to [least, most]. Quantised values keep their quantisation.
[[gnu::cold]] constexpr std::int32_t clamped(node_maker& node, std::int32_t x, float least, float most) {
  const tensor_desc like = node.desc(x);
  if (like.quantised || types::floating.contains(like.type)) {
    ops::clip::attrs attrs;
    attrs.min = least, attrs.max = most;
    return node.add<ops::clip>(attrs, {x}, {like.type, format::nd, {}, like.quantised});
  }
  const std::int32_t above = node.add<ops::maximum>({}, {x, node.scalar(like.type, double{least})});
  return node.add<ops::minimum>({}, {above, node.scalar(like.type, double{most})});
}

}}}  // namespace nnrt::NNRT_ISA::composed
