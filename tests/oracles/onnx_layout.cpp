// onnx_layout: rows for operators that move elements, choose some of them, or reduce axes.
#include "oracles/onnx_import.hpp"

#include <nnrt/core/broadcast.hpp>

#include <algorithm>
#include <iterator>

namespace nnrt_test::onnx_import {

namespace {

using onnx_file::node;
using numbers_t = std::vector<std::int64_t>;

std::int64_t product(const shape_t& shape, std::int64_t from, std::int64_t to) {
  return shape.elements(static_cast<int>(from), static_cast<int>(to));
}

/// Numbers that were an attribute in older opsets and are an operand now; none when neither is there.
numbers_t operand_or_attribute(network& net, const node& n, std::size_t i, std::string_view name) {
  if (net.has(n, i)) return net.integers(n, i);
  return integers(n, name);
}

// --- shapes ----------------------------------------------------------------

/// An extent of 0 stands for that of the input, unless allowzero says that it is 0.
void reshape(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  numbers_t to = operand_or_attribute(net, n, 1, "shape");
  const bool has_zeros = integer(n, "allowzero", 0) != 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] != 0) continue;
    if (has_zeros) throw left_out{reasons::no_elements};
    to[i] = net.shape(x)[static_cast<int>(i)];
  }
  net.define(n, 0, net.one(op, {x, net.list(to)}));
}
void flatten(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const shape_t from = net.shape(x);
  const std::int64_t axis = from_front(integer(n, "axis", 1), from.rank);
  net.define(n, 0, net.one(op, {x, net.list({product(from, 0, axis), product(from, axis, max_rank)})}));
}
void squeeze(network& net, const node& n, std::string_view op) {
  net.define(n, 0, net.one(op, {net.value(n, 0)}, {{"axes", operand_or_attribute(net, n, 1, "axes")}}));
}
void unsqueeze(network& net, const node& n, std::string_view op) {
  net.define(n, 0, net.one(op, {net.value(n, 0)}, {{"axes", operand_or_attribute(net, n, 1, "axes")}}));
}
/// One new axis after the other, the outermost first.
void expand_dims(network& net, const node& n, std::string_view op) {
  std::int32_t x = net.value(n, 0);
  numbers_t axes = operand_or_attribute(net, n, 1, "axes");
  const int rank = net.shape(x).rank + static_cast<int>(axes.size());
  for (std::int64_t& axis : axes) axis = from_front(axis, rank);
  std::ranges::sort(axes);
  for (const std::int64_t axis : axes) x = net.one(op, {x, net.number(i32, static_cast<double>(axis))});
  net.define(n, 0, x);
}
void transpose(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  numbers_t perm = integers(n, "perm");
  if (perm.empty())
    for (int i = net.shape(x).rank; i-- > 0;) perm.push_back(i);
  net.define(n, 0, net.one(op, {x, net.list(perm)}));
}
/// Our shape_of counts in 32 bits and has no part of a shape: a slice takes it.
void shape_of(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const std::int64_t rank = net.shape(x).rank;
  const auto bound = [&](std::string_view name, std::int64_t otherwise) {
    return std::clamp(from_front(integer(n, name, otherwise), static_cast<int>(rank)), std::int64_t{0}, rank);
  };
  const std::int64_t start = bound("start", 0), end = bound("end", rank);
  const std::int32_t whole = net.one(op, {x});
  if (end <= start) throw left_out{reasons::no_elements};
  net.define(n, 0, net.one("slice", {whole, net.list({start}), net.list({end - start})}));
}

// --- parts and wholes ------------------------------------------------------

void concat(network& net, const node& n, std::string_view op) {
  std::vector<std::int32_t> parts;
  for (std::size_t i = 0; i < n.inputs.size(); ++i) parts.push_back(net.value(n, i));
  net.define(n, 0, net.one(op, parts, {{"axis", integer(n, "axis", 1)}}));
}
void split(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const numbers_t sizes = operand_or_attribute(net, n, 1, "split");
  if (std::ranges::find(sizes, 0) != sizes.end()) throw left_out{reasons::no_elements};
  const named_attribute axis{"axis", integer(n, "axis", 0)};
  const auto count = static_cast<std::int64_t>(n.outputs.size());
  const auto parts =
      sizes.empty() ? net.apply(op, {x}, {axis, {"output_num", count}}) : net.apply(op, {x}, {axis, {"sizes", sizes}});
  for (std::size_t i = 0; i < parts.size(); ++i) net.define(n, i, parts[i]);
}

/// One slice along an axis, as ONNX has it: bounds may lie outside, and count from the end when negative.
struct cut {
  std::int64_t start = 0, end = 0, step = 1;
};
std::vector<cut> cuts_of(network& net, const node& n, const shape_t& x) {
  const numbers_t starts = operand_or_attribute(net, n, 1, "starts"), ends = operand_or_attribute(net, n, 2, "ends"),
                  steps = net.has(n, 4) ? net.integers(n, 4) : numbers_t{};
  numbers_t axes = operand_or_attribute(net, n, 3, "axes");
  if (axes.empty())
    for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  std::vector<cut> cuts;
  for (const std::int64_t extent : x) cuts.push_back({0, extent, 1});
  for (std::size_t i = 0; i < axes.size(); ++i)
    cuts[static_cast<std::size_t>(from_front(axes[i], x.rank))] = {starts[i], ends[i], steps.empty() ? 1 : steps[i]};
  return cuts;
}
/// A bound, which counts from the end when negative, kept between least and most.
std::int64_t inside(std::int64_t bound, std::int64_t least, std::int64_t most, std::int64_t extent) {
  return std::clamp(bound < 0 ? bound + extent : bound, least, most);
}
void slice(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const std::vector<cut> cuts = cuts_of(net, n, net.shape(x));
  numbers_t begin, size;
  for (int i = 0; i < net.shape(x).rank; ++i) {
    const cut& c = cuts[static_cast<std::size_t>(i)];
    if (c.step != 1) throw left_out{reasons::step};
    const std::int64_t extent = net.shape(x)[i], first = inside(c.start, 0, extent, extent);
    begin.push_back(first);
    size.push_back(inside(c.end, 0, extent, extent) - first);
    if (size.back() <= 0) throw left_out{reasons::no_elements};
  }
  net.define(n, 0, net.one(op, {x, net.list(begin), net.list(size)}));
}
/// An end in front of the first element, which a backward slice needs to reach it, can only be said by the mask.
void strided_slice(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const std::vector<cut> cuts = cuts_of(net, n, net.shape(x));
  numbers_t begin, end, strides;
  std::int64_t end_mask = 0;
  for (int i = 0; i < net.shape(x).rank; ++i) {
    const cut& c = cuts[static_cast<std::size_t>(i)];
    const std::int64_t extent = net.shape(x)[i], least = c.step > 0 ? 0 : -1, most = c.step > 0 ? extent : extent - 1;
    begin.push_back(inside(c.start, 0, most, extent));
    end.push_back(inside(c.end, least, most, extent));
    strides.push_back(c.step);
    if ((end.back() - begin.back()) * c.step <= 0) throw left_out{reasons::no_elements};
    if (end.back() < 0) end_mask |= std::int64_t{1} << i, end.back() = 0;
  }
  net.define(n, 0, net.one(op, {x, net.list(begin), net.list(end), net.list(strides)}, {{"end_mask", end_mask}}));
}

/// ONNX: all that comes before, then all that comes after; ours: pairs.
void pad(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const std::string_view mode = text(n, "mode", "constant");
  if (mode == "edge") throw left_out{reasons::edge_border};
  const numbers_t sides = operand_or_attribute(net, n, 1, "pads");
  const std::size_t rank = sides.size() / 2;
  numbers_t pairs;
  for (std::size_t i = 0; i < rank; ++i) pairs.insert(pairs.end(), {sides[i], sides[rank + i]});
  const auto value = net.has(n, 2) ? static_cast<float>(net.reals(n, 2)[0]) : real(n, "value", 0);
  const auto border_of = [&] { return mode == "reflect" ? border::reflect : border::constant; };
  net.define(n, 0, net.one(op, {x, net.list(pairs)}, {{"mode", static_cast<int>(border_of())}, {"pad_value", value}}));
}
void tile(network& net, const node& n, std::string_view op) {
  net.define(n, 0, net.one(op, {net.value(n, 0), net.list(net.integers(n, 1))}));
}

/// The shape that an operand is repeated to, which may be larger than what `expand` says.
shape_t expanded(network& net, const node& n, std::int32_t x) {
  const shape_t from = net.shape(x);
  shape_t to;
  for (const std::int64_t extent : net.integers(n, 1)) to.push_back(extent);
  while (to.rank < from.rank) to = to.with_axis(0, 1);
  for (int i = 1; i <= from.rank; ++i)
    if (to[-i] == 1) to[-i] = from[-i];
  return to;
}
void expand_by_tile(network& net, const node& n, std::string_view) {
  const std::int32_t x = net.value(n, 0);
  net.define(n, 0, net.repeated_to(x, expanded(net, n, x)));
}
/// Added to zeros of the wanted shape.
void expand_by_fill(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const shape_t to = expanded(net, n, x);
  const std::int32_t zeros = net.one(op, {net.number(net.desc(x).type, 0), net.list(std::span(to.begin(), to.end()))});
  net.define(n, 0, net.one("add", {x, zeros}));
}
void constant_of_shape(network& net, const node& n, std::string_view op) {
  const auto found = n.attributes.find("value");
  const std::int32_t value = found == n.attributes.end()
                                 ? net.number(f32, 0)
                                 : net.constant({found->second.value.desc.type, {}}, found->second.value.bytes);
  const numbers_t shape = net.integers(n, 0);
  if (std::ranges::find(shape, 0) != shape.end()) throw left_out{reasons::no_elements};
  net.define(n, 0, net.one(op, {value, net.list(shape)}));
}

// --- choices ---------------------------------------------------------------

void gather(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0), indices = net.value(n, 1);
  net.define(n, 0, net.one(op, {x, indices, net.number(i32, static_cast<double>(integer(n, "axis", 0)))}));
}
/// ONNX's values are off and on in one tensor; its indices may be real numbers, and count from the end when negative.
void one_hot(network& net, const node& n, std::string_view op) {
  const double depth = net.reals(n, 1)[0];
  std::int32_t indices = net.cast(net.value(n, 0), i64);
  const auto given = net.integers(n, 0);
  if (std::ranges::any_of(given, [](std::int64_t i) { return i < 0; })) {
    // i + depth * (i < 0), the latter as 1 - (0 <= i).
    const std::int32_t is_positive = net.cast(net.one("less_equal", {net.number(i64, 0), indices}), i64);
    const std::int32_t turns = net.one("sub", {net.number(i64, 1), is_positive});
    indices = net.one("add", {indices, net.one("mul", {turns, net.number(i64, depth)})});
  }
  const std::int32_t values = net.value(n, 2);
  const auto value = [&](std::int64_t i) {
    return net.reshaped(net.one("slice", {values, net.list({i}), net.list({1})}), {});
  };
  net.define(n, 0,
             net.one(op, {indices, net.number(i32, depth), value(1), value(0)}, {{"axis", integer(n, "axis", -1)}}));
}
/// The smallest are the largest of what is negated.
void top_k(network& net, const node& n, std::string_view op) {
  std::int32_t x = net.value(n, 0);
  const dtype type = net.desc(x).type;
  const bool is_largest = integer(n, "largest", 1) != 0;
  const auto negated = [&](std::int32_t a) { return net.one("sub", {net.number(type, 0), a}); };
  const std::int64_t k = net.has(n, 1) ? net.integers(n, 1)[0] : integer(n, "k", 1);
  if (!is_largest) x = negated(x);
  const auto found =
      net.apply(op, {x, net.list({k})}, {{"axis", integer(n, "axis", -1)}, {"sorted", integer(n, "sorted", 1) != 0}});
  net.define(n, 0, is_largest ? found[0] : negated(found[0]));
  net.define(n, 1, found[1]);
}
void arg_max(network& net, const node& n, std::string_view op) {
  if (integer(n, "select_last_index", 0) != 0) throw left_out{reasons::last_of_equals};
  net.define(
      n, 0,
      net.one(op, {net.value(n, 0)}, {{"axis", integer(n, "axis", 0)}, {"keep_dims", integer(n, "keepdims", 1) != 0}}));
}
void cast(network& net, const node& n, std::string_view op) {
  // By the test's own table of dtypes: of the output, as far as the case tells, else by number.
  constexpr dtype types[] = {dtype::none, f32, u8, i8, u16, i16, i32, i64, dtype::none, boolean, f16, f64, u32, u64};
  const std::int64_t to = integer(n, "to", 0);
  const dtype type = to > 0 && to < std::ssize(types) ? types[to] : dtype::none;
  if (type == dtype::none) throw left_out{reasons::element_type};
  net.define(n, 0, net.one(op, {net.value(n, 0), net.number(i32, static_cast<int>(type))}));
}
void cast_like(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  net.define(n, 0, net.one(op, {x, net.number(i32, static_cast<int>(net.desc_of(n, 1).type))}));
}

// --- reductions ------------------------------------------------------------

numbers_t reduced_axes(network& net, const node& n, int rank) {
  numbers_t axes = operand_or_attribute(net, n, 1, "axes");
  if (axes.empty())
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  return axes;
}
void reduce(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const numbers_t axes = reduced_axes(net, n, net.shape(x).rank);
  net.define(n, 0, net.one(op, {x, net.list(axes)}, {{"keep_dims", integer(n, "keepdims", 1) != 0}}));
}
/// A sum is the mean times the number of elements.
std::int32_t sum_of(network& net, const node& n, std::int32_t x) {
  const numbers_t axes = reduced_axes(net, n, net.shape(x).rank);
  double count = 1;
  for (const std::int64_t axis : axes) count *= static_cast<double>(net.shape(x)[static_cast<int>(axis)]);
  const std::int32_t mean =
      net.one("reduce_mean", {x, net.list(axes)}, {{"keep_dims", integer(n, "keepdims", 1) != 0}});
  return net.one("mul", {mean, net.number(net.desc(x).type, count)});
}
void sum_by_mean(network& net, const node& n, std::string_view) {
  const std::int32_t x = net.value(n, 0);
  if (integer(n, "noop_with_empty_axes", 0) != 0 && operand_or_attribute(net, n, 1, "axes").empty())
    throw left_out{reasons::no_axes};
  net.define(n, 0, sum_of(net, n, x));
}
void sum_of_squares(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  net.define(n, 0, sum_of(net, n, net.one(op, {x, net.number(net.desc(x).type, 0)})));
}

/// Whether both: all of a stack of the two.
std::int32_t both(network& net, const node& n) {
  const std::int32_t a = net.value(n, 0), b = net.value(n, 1);
  const shape_t to = broadcast(net.shape(a), net.shape(b)).shape;
  const auto repeated = [&](std::int32_t x) { return net.shape(x) == to ? x : net.repeated_to(x, to); };
  const std::int32_t stacked = net.one("stack", {repeated(a), repeated(b)}, {{"axis", 0}});
  return net.one("reduce_all", {stacked, net.list({0})});
}
void logical_and(network& net, const node& n, std::string_view) { net.define(n, 0, both(net, n)); }

/// Up to opset 12 the axes from `axis` on are one; since then it is one axis.
void softmax(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const int rank = net.shape(x).rank;
  numbers_t axes{integer(n, "axis", net.opset() < 13 ? 1 : -1)};
  if (net.opset() < 13)
    for (std::int64_t axis = from_front(axes[0], rank) + 1; axis < rank; ++axis) axes.push_back(axis);
  net.define(n, 0, net.one(op, {x}, {{"axis", axes}}));
}

// --- depth, space and batch ------------------------------------------------

/// [N, b * b * C, H, W] with blocks in the batch: [b * b * N, H, W, C] to [N, b * H, b * W, C].
void depth_to_space(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const shape_t s = net.shape(x);
  const std::int64_t b = integer(n, "blocksize", 1), channels = s[1] / (b * b);
  const bool has_blocks_first = text(n, "mode", "DCR") == "DCR";
  const std::int32_t parts =
      has_blocks_first ? net.transposed(net.reshaped(x, {s[0], b * b, channels, s[2], s[3]}), {1, 0, 3, 4, 2})
                       : net.transposed(net.reshaped(x, {s[0], channels, b * b, s[2], s[3]}), {2, 0, 3, 4, 1});
  const std::int32_t batches = net.reshaped(parts, {b * b * s[0], s[2], s[3], channels});
  const std::int32_t y = net.one(op, {batches}, {{"block", numbers_t{b, b}}, {"crops", numbers_t{0, 0, 0, 0}}});
  net.define(n, 0, net.transposed(y, {0, 3, 1, 2}));
}
void space_to_depth(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const shape_t s = net.shape(x);
  const std::int64_t b = integer(n, "blocksize", 1);
  const std::int32_t y =
      net.one(op, {net.transposed(x, {0, 2, 3, 1})}, {{"block", numbers_t{b, b}}, {"paddings", numbers_t{0, 0, 0, 0}}});
  const std::int32_t parts = net.transposed(net.reshaped(y, {b * b, s[0], s[2] / b, s[3] / b, s[1]}), {1, 0, 4, 2, 3});
  net.define(n, 0, net.reshaped(parts, {s[0], b * b * s[1], s[2] / b, s[3] / b}));
}

// --- no operators ----------------------------------------------------------

void constant(network& net, const node& n, std::string_view) {
  const auto found = n.attributes.find("value");
  if (found == n.attributes.end()) throw left_out{reasons::element_type};
  net.define(n, found->second.value);
}
void same(network& net, const node& n, std::string_view) { net.define(n, 0, net.value(n, 0)); }

constexpr row table[] = {
    {"Constant", "", constant},
    {"Identity", "", same},
    {"Reshape", "reshape", reshape},
    {"Flatten", "reshape", flatten},
    {"Squeeze", "squeeze", squeeze},
    {"Unsqueeze", "unsqueeze", unsqueeze},
    {"Unsqueeze", "expand_dims", expand_dims},
    {"Transpose", "transpose", transpose},
    {"Shape", "shape_of", shape_of},
    {"Concat", "concat", concat},
    {"Split", "split", split},
    {"Slice", "slice", slice},
    {"Slice", "strided_slice", strided_slice},
    {"Pad", "pad", pad},
    {"Tile", "tile", tile},
    {"Expand", "tile", expand_by_tile},
    {"Expand", "fill", expand_by_fill},
    {"ConstantOfShape", "fill", constant_of_shape},
    {"Gather", "gather", gather},
    {"OneHot", "one_hot", one_hot},
    {"TopK", "top_k", top_k},
    {"ArgMax", "arg_max", arg_max},
    {"Cast", "cast", cast},
    {"CastLike", "cast", cast_like},
    {"ReduceMean", "reduce_mean", reduce},
    {"ReduceSum", "reduce_mean", sum_by_mean},
    {"ReduceSumSquare", "squared_difference", sum_of_squares},
    {"ReduceProd", "reduce_prod", reduce},
    {"And", "stack", logical_and},
    {"And", "reduce_all", logical_and},
    {"Softmax", "softmax", softmax},
    {"DepthToSpace", "batch_to_space_nd", depth_to_space},
    {"SpaceToDepth", "space_to_batch_nd", space_to_depth},
};

}  // namespace

std::span<const row> layout_rows() { return table; }

}  // namespace nnrt_test::onnx_import
