// quantised: readers of quantisation in .onnx files, computed as written: on real values, rounded half to even.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/layers.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/greater.hpp>
#include <nnrt/ops/reduce_max.hpp>
#include <nnrt/ops/reduce_min.hpp>
#include <nnrt/ops/round.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// Scales or zero points [C] along `axis` of x, as a tensor that broadcasts; one number stays as it is.
[[gnu::cold]] constexpr std::int32_t along_axis(node_reader& node, std::int32_t list, std::int32_t x, int axis) {
  const tensor_desc is = node.desc(list);
  if (is.rank() == 0) return list;
  if (is.elements() == 1) return reshaped(node, list, pool<std::int64_t>{});
  if (is.rank() != 1) {
    node.not_supported({"scales ", is.shape, ", expected one or one for each index of an axis"});
    return ir::none;
  }
  pool<std::int64_t> shape{is.shape[0]};
  for (int i = axis + 1; i < node.rank(x); ++i) shape.push_back(1);
  return reshaped(node, list, shape);
}

/// Repeats scales or zero points of blocks along `axis` of x: each is that of `block` elements, the last of the rest.
[[gnu::cold]] constexpr std::int32_t along_blocks(node_reader& node, std::int32_t list, std::int32_t x, int axis,
                                                  std::int64_t block) {
  const shape_t blocks = node.desc(list).shape, is = node.desc(x).shape;
  if (!node.is_fine()) return ir::none;
  bool fits = blocks.rank == is.rank;
  for (int i = 0; fits && i < is.rank; ++i)
    fits = i == axis ? is[i] > 0 && blocks[i] == (is[i] - 1) / block + 1 : blocks[i] == is[i];
  if (!fits) {
    node.not_supported({"scales ", blocks, " of blocks of ", block, " along axis ", axis, " of ", is,
                        ", expected one for each block and known extents"});
    return ir::none;
  }
  if (block == 1) return list;
  node.count_copy(8 * is[axis]);
  pool<std::int64_t> places;
  for (std::int64_t i = 0; node.is_fine() && i < is[axis]; ++i) places.push_back(i / block);
  return node.add<ops::gather>({}, {list, node.integer_list(places), node.integer_list({axis})});
}
/// The scale (input 1) or zero point (input 2) of x, as a tensor that broadcasts: of all elements, of each index along
/// the attribute `axis`, or of blocks along it.
[[gnu::cold]] constexpr std::int32_t spread_over(node_reader& node, std::size_t i, std::int32_t x) {
  const std::int32_t list = node.input(i);
  const std::int64_t block = node.integer_attribute("block_size", 0);
  if (node.is_fine() && block < 0)
    node.refuse(error_code::invalid_file, {"block_size: got ", block, ", expected at least 0"});
  const bool is_one = node.desc(list).elements() == 1 && block == 0;
  node.ignore_attribute("axis");
  const int axis = is_one || !node.is_fine() ? 0 : node.axis_attribute("axis", 1, node.rank(x));
  return block == 0 ? along_axis(node, list, x, axis) : along_blocks(node, list, x, axis, block);
}

/// The least and the largest number of an integer dtype.
struct number_range {
  double least = 0, most = 0;
  constexpr explicit number_range(dtype type) {
    with_element<types::integer>(type, [&]<class T>(T) {
      least = static_cast<double>(std::numeric_limits<T>::min()),
      most = static_cast<double>(std::numeric_limits<T>::max());
    });
  }
};

/// saturate(round(x / scale) + zero point), rounded half to even. The scale broadcasts.
[[gnu::cold]] constexpr std::int32_t quantised(node_maker& node, std::int32_t x, std::int32_t scale, std::int32_t zero,
                                               dtype to) {
  std::int32_t y = node.add<ops::round>({}, {over(node, cast_to(node, x, f32), cast_to(node, scale, f32))});
  if (zero != ir::none) y = plus(node, y, cast_to(node, zero, f32));
  const number_range range(to);
  ops::clip::attrs attrs;
  attrs.min = static_cast<float>(range.least), attrs.max = static_cast<float>(range.most);
  return cast_to(node, node.add<ops::clip>(attrs, {y}), to);
}
/// (x - zero point) * scale
[[gnu::cold]] constexpr std::int32_t real_of(node_maker& node, std::int32_t x, std::int32_t scale, std::int32_t zero) {
  // differences of 32-bit integers are exact in f64 alone
  const bool is_wide = size_of(node.desc(x).type) > 2;
  const dtype computed = is_wide ? f64 : f32;
  std::int32_t y = cast_to(node, x, computed);
  if (zero != ir::none) y = minus(node, y, cast_to(node, zero, computed));
  return times(node, cast_to(node, y, f32), cast_to(node, scale, f32));
}

/// x without its zero point, as real numbers.
[[gnu::cold]] constexpr std::int32_t centred(node_maker& node, std::int32_t x, std::int32_t zero, dtype computed) {
  const std::int32_t y = cast_to(node, x, computed);
  return zero == ir::none ? y : minus(node, y, cast_to(node, zero, computed));
}

/// Input i, an optional zero point.
[[gnu::cold]] constexpr std::int32_t optional_input(node_reader& node, std::size_t i) {
  return node.has(i) ? node.input(i) : ir::none;
}

}  // namespace detail

namespace detail {

/// The quantisation of one scale (input 1) and zero point (input 2), both known; none: they are others.
[[gnu::cold]] constexpr quantisation known_quantisation(node_reader& node, dtype type) {
  if (!types_of(i8, u8).contains(type) || !node.can_be_read(1) || (node.has(2) && !node.can_be_read(2))) return {};
  const std::int32_t scale = node.input(1), zero = optional_input(node, 2);
  if (!node.is_fine() || node.type(scale) != f32 || node.desc(scale).elements() != 1) return {};
  if (zero != ir::none && (node.type(zero) != type || node.desc(zero).elements() != 1)) return {};
  const double step = node.real(1);
  if (!(step >= double{std::numeric_limits<float>::min()} && step <= double{std::numeric_limits<float>::max()}))
    return {};
  const double start = zero == ir::none ? 0 : node.real(2);
  return quant{static_cast<float>(step), static_cast<std::int32_t>(start), quantised_rounding::half_to_even};
}
/// Whether the scales (input 1) are positive, and the zero points (input 2) 0.
[[gnu::cold]] constexpr bool are_centred(node_reader& node) {
  if (!node.can_be_read(1) || (node.has(2) && !node.can_be_read(2))) return false;
  for (const double scale : node.reals(1))
    if (!(scale >= double{std::numeric_limits<float>::min()} && scale <= double{std::numeric_limits<float>::max()}))
      return false;
  if (!node.has(2)) return true;
  for (const double zero : node.reals(2))
    if (zero != 0) return false;
  return true;
}
/// DequantizeLinear of a value that has this scale, or of a weight that can have it. ir::none: it is computed in steps.
[[gnu::cold]] constexpr std::int32_t dequantised(node_reader& node) {
  if (!node.graph().quantises() || node.integer_attribute("block_size", 0) != 0) return ir::none;
  if (node.dtype_attribute("output_dtype", f32) != f32) return ir::none;
  node.ignore_attribute("axis");
  const std::int32_t x = node.quantised_input(0);
  if (!node.is_fine() || x == ir::none) return ir::none;
  const quantisation given = known_quantisation(node, node.type(x));
  const quantisation& is = node.desc(x).quantised;
  if (is) return is == given ? as_real(node, x) : ir::none;
  if (!node.is_initializer(0)) return ir::none;
  if (given) {
    const std::int32_t weight = node.quantised_weight(0, given, ir::none);
    return weight == ir::none ? weight : as_real(node, weight);
  }
  const std::int32_t scales = node.weight(1);
  if (!node.is_fine() || node.type(x) != i8 || node.type(scales) != f32 || node.rank(scales) != 1) return ir::none;
  if (node.desc(scales).elements() < 2 || !are_centred(node)) return ir::none;
  quantisation q;
  q.mode = quantisation::kind::per_channel, q.rounding = quantised_rounding::half_to_even;
  q.axis = node.axis_attribute("axis", 1, node.rank(x));
  if (!node.is_fine() || node.desc(scales).elements() != node.desc(x).shape[q.axis]) return ir::none;
  const std::int32_t weight = node.quantised_weight(0, q, scales);
  if (weight == ir::none) return ir::none;
  ops::quant_dtype_cast::attrs attrs;
  attrs.src_t = static_cast<std::int64_t>(i8), attrs.dst_t = static_cast<std::int64_t>(f32), attrs.axis = q.axis;
  return node.add<ops::quant_dtype_cast>(attrs, {weight});
}

}  // namespace detail

/// The integers of a quantised value: its real numbers, quantised as QuantizeLinear says.
[[gnu::cold]] constexpr std::int32_t plain_integers(node_maker& node, std::int32_t quantised) {
  const tensor_desc is = node.desc(quantised);
  const std::int32_t scale = node.scalar(f32, double{is.quantised.scale}),
                     zero = node.scalar(is.type, static_cast<double>(is.quantised.zero_point));
  return detail::quantised(node, detail::as_real(node, quantised), scale, zero, is.type);
}

[[gnu::cold]] constexpr void read_quantize_linear(node_reader& node) {
  const std::int32_t x = node.input(0);
  if (node.is_widened(2)) return node.not_supported({"input 2: an element type that nnrt widens"});
  const bool has_zero = node.has(2);
  const dtype of_zero = has_zero ? node.type(node.input(2)) : u8, to = node.dtype_attribute("output_dtype", of_zero);
  if (node.is_fine() && has_zero && to != of_zero)
    return node.refuse(error_code::invalid_file,
                       {"output_dtype: got ", name_of(to), " with a zero point of ", name_of(of_zero)});
  if (node.is_fine() && !types::integer.contains(to)) return node.not_supported({"a result of ", name_of(to)});
  if (node.graph().quantises() && node.is_fine() && node.type(x) == f32 && node.integer_attribute("block_size", 0) == 0)
    if (const quantisation q = detail::known_quantisation(node, to); q) {
      node.ignore_attribute("axis");
      return node.define(0, detail::as_quantised(node, x, {to, format::nd, {}, q}));
    }
  const std::int32_t scale = detail::spread_over(node, 1, x),
                     zero = node.has(2) ? detail::spread_over(node, 2, x) : ir::none;
  node.define(0, detail::quantised(node, x, scale, zero, to));
}
[[gnu::cold]] constexpr void read_dequantize_linear(node_reader& node) {
  if (const std::int32_t y = detail::dequantised(node); y != ir::none) return node.define(0, y);
  const std::int32_t x = node.input(0);
  const std::int32_t scale = detail::spread_over(node, 1, x),
                     zero = node.has(2) ? detail::spread_over(node, 2, x) : ir::none;
  const dtype to = node.dtype_attribute("output_dtype", node.type(node.input(1)));
  node.define(0, detail::cast_to(node, detail::real_of(node, x, scale, zero), to));
}
namespace detail {

/// x as u8, by a range that includes 0, with its scale and zero point.
struct dynamic_bytes {
  std::int32_t y = ir::none, scale = ir::none, zero = ir::none;
};
[[gnu::cold]] constexpr dynamic_bytes as_dynamic_bytes(node_maker& node, std::int32_t x) {
  const std::int32_t zero = node.scalar(f32, 0);
  const std::int32_t least = node.add<ops::minimum>({}, {node.add<ops::reduce_min>({}, {x}), zero}),
                     most = node.add<ops::maximum>({}, {node.add<ops::reduce_max>({}, {x}), zero});
  dynamic_bytes made;
  const std::int32_t step = over(node, minus(node, most, least), node.scalar(f32, 255));
  // zeros alone have no range
  made.scale = node.add<ops::select>({}, {node.add<ops::greater>({}, {step, zero}), step, node.scalar(f32, 1)});
  ops::clip::attrs bytes;
  bytes.min = 0, bytes.max = 255;
  const std::int32_t start =
      node.add<ops::round>({}, {node.add<ops::clip>(bytes, {over(node, minus(node, zero, least), made.scale)})});
  made.zero = cast_to(node, start, u8);
  made.y = quantised(node, x, made.scale, made.zero, u8);
  return made;
}

}  // namespace detail

/// DynamicQuantizeLinear: to u8, by a range that includes 0.
[[gnu::cold]] constexpr void read_dynamic_quantize_linear(node_reader& node) {
  const detail::dynamic_bytes made = detail::as_dynamic_bytes(node, node.input(0));
  node.define(0, made.y);
  node.define(1, made.scale);
  node.define(2, made.zero);
}

/// QLinearConv: exact sums of integers, times the scales.
[[gnu::cold]] constexpr void read_qlinear_conv(node_reader& node) {
  const std::int32_t x = detail::centred(node, node.input(0), node.input(2), f32), w_scale = node.input(4);
  std::int32_t weight = node.input(3);
  weight = detail::centred(node, weight, detail::along_axis(node, node.input(5), weight, 0), f32);
  const std::int32_t bias = node.has(8) ? detail::cast_to(node, node.input(8), f32) : ir::none;
  const std::int32_t sums = detail::convolution(node, x, weight, bias);
  const std::int32_t scale =
      detail::times(node, detail::along_axis(node, node.input(1), x, 1), detail::along_axis(node, w_scale, sums, 1));
  const std::int32_t real = detail::times(node, sums, scale), to = node.input(7);
  node.define(0, detail::quantised(node, real, detail::along_axis(node, node.input(6), real, 1),
                                   detail::along_axis(node, to, real, 1), node.type(to)));
}
[[gnu::cold]] constexpr void read_qlinear_matmul(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(3), to = node.input(7);
  const int rank_a = node.rank(a), rank_b = node.rank(b);
  if (!node.is_fine()) return;
  const int row = std::max(rank_a - 2, 0), column = std::max(rank_b - 1, 0);
  const std::int32_t product =
      detail::matrix_product(node, detail::centred(node, a, detail::along_axis(node, node.input(2), a, row), f32),
                             detail::centred(node, b, detail::along_axis(node, node.input(5), b, column), f32));
  const std::int32_t scale = detail::times(node, detail::along_axis(node, node.input(1), a, row),
                                           detail::along_axis(node, node.input(4), b, column));
  const std::int32_t real = detail::times(node, product, scale);
  node.define(0, detail::quantised(node, real, detail::along_axis(node, node.input(6), real, row),
                                   detail::along_axis(node, to, real, row), node.type(to)));
}
[[gnu::cold]] constexpr void read_matmul_integer(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  const int rank_a = node.rank(a), rank_b = node.rank(b);
  if (!node.is_fine()) return;
  const std::int32_t zero_a =
                         node.has(2) ? detail::along_axis(node, node.input(2), a, std::max(rank_a - 2, 0)) : ir::none,
                     zero_b =
                         node.has(3) ? detail::along_axis(node, node.input(3), b, std::max(rank_b - 1, 0)) : ir::none;
  node.define(
      0, detail::matrix_product(node, detail::centred(node, a, zero_a, i32), detail::centred(node, b, zero_b, i32)));
}
[[gnu::cold]] constexpr void read_conv_integer(node_reader& node) {
  const std::int32_t weight = node.input(1);
  const std::int32_t zero_x = node.has(2) ? node.input(2) : ir::none,
                     zero_w = node.has(3) ? detail::along_axis(node, node.input(3), weight, 0) : ir::none;
  node.define(0, detail::convolution(node, detail::centred(node, node.input(0), zero_x, i32),
                                     detail::centred(node, weight, zero_w, i32), ir::none));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
