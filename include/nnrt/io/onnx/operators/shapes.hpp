// shapes: readers of .onnx operators that move, cut, repeat or join elements, and that compute shapes.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/arg_max.hpp>
#include <nnrt/ops/broadcast_to.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/equal.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/gather_nd.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/less_equal.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/nonzero.hpp>
#include <nnrt/ops/one_hot.hpp>
#include <nnrt/ops/pad.hpp>
#include <nnrt/ops/reduce_prod.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/strided_slice.hpp>
#include <nnrt/ops/tile.hpp>
#include <nnrt/ops/top_k.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// An empty tensor in place of x, whose elements are as few.
[[gnu::cold]] constexpr std::int32_t empty_tensor(node_maker& node, std::int32_t x, const shape_t& shape) {
  const tensor_desc is = node.desc(x);
  return node.taken(node.network().constant_bytes({is.type, default_format(shape.rank), shape}, {}));
}

}  // namespace detail

namespace detail {

/// Puts the extents of x in place of zeros. `is_awaited` becomes true when one of them is not known yet.
[[gnu::cold]] constexpr void copy_extents(node_reader& node, const shape_t& is, pool<std::int64_t>& to,
                                          bool& is_awaited) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] != 0) continue;
    if (i >= static_cast<std::size_t>(is.rank))
      return node.refuse(error_code::invalid_file, {"shape: got 0 at ", i, ", an axis that ", is, " does not have"});
    to[i] = is[static_cast<int>(i)];
    is_awaited = is_awaited || to[i] < 0;
  }
}
/// Defines output 0: x without elements in this shape, of which one extent may be -1.
[[gnu::cold]] constexpr void define_empty(node_reader& node, std::int32_t x, const pool<std::int64_t>& to) {
  const shape_t is = node.desc(x).shape;
  if (is.elements() != 0) return node.refuse(error_code::invalid_file, {"shape: got an extent of 0 for ", is});
  if (to.size() > max_rank) return node.not_supported({"shape: got ", to.size(), " axes, expected at most ", max_rank});
  std::int64_t product = 1;
  for (const std::int64_t extent : to)
    if (extent >= 0) product = nnrt::detail::saturated_product(product, extent);
  shape_t made;
  for (const std::int64_t extent : to)
    made.push_back(extent >= 0 ? extent : product == 0 ? 0 : is.elements() / product);
  node.define(0, empty_tensor(node, x, made));
}

}  // namespace detail

/// Reshape: 0 copies the extent of x at this place, unless allowzero is set; -1 is what remains.
[[gnu::cold]] constexpr void read_reshape(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  const bool allows_zero = node.integer_attribute("allowzero", 0) != 0;
  pool<std::int64_t> given;
  if (node.version() < 5) {
    given = node.integers_attribute("shape");
  } else {
    const std::int32_t shape = node.input(1);
    if (!node.is_fine()) return;
    if (!node.is_known(1)) return node.finish<ops::reshape>({}, {x, detail::cast_to(node, shape, i64)});
    given = node.integers(1);
  }
  pool<std::int64_t> to = given;
  bool is_awaited = false, has_zero = is.is_known() && is.elements() == 0;
  if (!allows_zero) detail::copy_extents(node, is, to, is_awaited);
  if (!node.is_fine()) return;
  for (const std::int64_t extent : to) has_zero = has_zero || extent == 0;
  if (has_zero) return detail::define_empty(node, x, to);
  if (!is_awaited) return node.finish<ops::reshape>({}, {x, node.integer_list(to)});
  pool<std::int32_t> parts;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] == 0) parts.push_back(detail::extents_of(node, x, static_cast<std::int64_t>(i), 1));
    else parts.push_back(node.integer_list({given[i]}));
  node.finish<ops::reshape>({}, {x, node.add<ops::concat>({}, parts)});
}

/// Flatten: a matrix; the axes before `axis` are its rows.
[[gnu::cold]] constexpr void read_flatten(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  const std::int64_t axis = node.integer_attribute("axis", 1), first = axis < 0 ? axis + is.rank : axis;
  if (node.is_fine() && (first < 0 || first > is.rank))
    return node.refuse(error_code::invalid_file, {"axis: got ", axis, ", expected ", -is.rank, " to ", is.rank});
  if (!node.is_fine()) return;
  std::int64_t rows = 1, columns = 1;
  for (int i = 0; i < is.rank; ++i) {
    std::int64_t& of = i < first ? rows : columns;
    of = of < 0 || is[i] < 0 ? -1 : nnrt::detail::saturated_product(of, is[i]);
  }
  if (is.is_known() && is.elements() == 0) return node.define(0, detail::empty_tensor(node, x, {rows, columns}));
  if (rows >= 0 || columns >= 0) return node.define(0, detail::reshaped(node, x, pool<std::int64_t>{rows, columns}));
  const std::int32_t list =
      detail::product_of_list(node, detail::part_of_list(node, detail::shape_list(node, x), 0, first));
  node.finish<ops::reshape>({}, {x, detail::joined_lists(node, {list, node.integer_list({-1})})});
}

[[gnu::cold]] constexpr void read_transpose(node_reader& node) {
  const std::int32_t x = node.input(0);
  pool<std::int64_t> order = node.integers_attribute("perm");
  if (order.empty())
    for (int i = node.rank(x); i-- > 0;) order.push_back(i);
  node.define(0, detail::transposed(node, x, order));
}

[[gnu::cold]] constexpr void read_concat(node_reader& node) {
  pool<std::int32_t> inputs;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const std::int32_t id = node.input(i);
    // an empty list joins anything
    if (node.is_fine() && node.rank(id) == 1 && node.desc(id).elements() == 0 && node.input_count() > 1) continue;
    inputs.push_back(id);
  }
  if (!node.is_fine()) return;
  node.ignore_attribute("axis");
  if (inputs.empty()) return node.define(0, node.input(0));
  ops::concat::attrs attrs;
  attrs.axis = node.axis_attribute("axis", node.version() < 4 ? 1 : 0, node.rank(inputs[0]));
  if (inputs.size() == 1) return node.define(0, inputs[0]);
  node.finish<ops::concat>(attrs, inputs);
}

/// Split: parts by a list, or equal ones of which the last may be smaller.
[[gnu::cold]] constexpr void read_split(node_reader& node) {
  const std::int32_t x = node.input(0);
  ops::split::attrs attrs;
  attrs.axis = node.axis_attribute("axis", 0, node.rank(x));
  pool<std::int64_t> sizes;
  if (node.version() < 13) sizes = node.integers_attribute("split");
  if (node.version() < 2 && node.has(1)) sizes = node.integers(1);
  if (node.version() >= 13 && node.has_elements(1)) sizes = node.integers(1);
  if (!node.is_fine()) return;
  const auto parts = static_cast<std::int64_t>(node.output_count());
  const std::int64_t extent = node.desc(x).shape[static_cast<int>(attrs.axis)];
  const std::int64_t wanted = node.integer_attribute("num_outputs", parts);
  if (sizes.empty() && wanted != parts)
    return node.refuse(error_code::invalid_file, {"num_outputs: got ", wanted, ", expected ", parts});
  if (sizes.empty() && extent >= 0 && parts > 0 && extent % parts != 0) {
    const std::int64_t size = (extent + parts - 1) / parts;
    for (std::int64_t i = 0; i < parts; ++i)
      sizes.push_back(std::max<std::int64_t>(std::min(size, extent - i * size), 0));
  }
  if (!sizes.empty() && static_cast<std::int64_t>(sizes.size()) != parts)
    return node.refuse(error_code::invalid_file, {"split: got ", sizes.size(), " sizes, expected ", parts});
  if (parts == 1 && (sizes.empty() || sizes[0] == extent)) return node.define(0, x);
  if (sizes.empty()) attrs.output_num = parts;
  else attrs.sizes = detail::as_list<int_list<64>>(node, sizes);
  node.finish<ops::split>(attrs, {x});
}

namespace detail {

/// What Slice reads, equally many numbers of each kind. Starts and ends may follow from extents that are not known yet.
struct slice_lists {
  pool<std::int64_t> starts, ends, axes, steps;
  bool is_known = true;
  std::size_t count = 0;
};
[[gnu::cold]] constexpr slice_lists read_slice_lists(node_reader& node) {
  slice_lists made;
  if (node.version() < 10) {
    made.starts = node.integers_attribute("starts"), made.ends = node.integers_attribute("ends");
    made.axes = node.integers_attribute("axes");
  } else {
    made.is_known = node.is_known(1) && node.is_known(2);
    if (node.has_elements(3)) made.axes = node.integers(3);
    if (node.has_elements(4)) made.steps = node.integers(4);
    if (made.is_known) made.starts = node.integers(1), made.ends = node.integers(2);
  }
  if (!node.is_fine()) return made;
  made.count = made.starts.size();
  if (!made.is_known)
    made.count = static_cast<std::size_t>(std::max<std::int64_t>(node.desc(node.input(1)).elements(), 0));
  for (std::size_t i = 0; made.axes.size() == i && i < made.count; ++i)
    made.axes.push_back(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; made.steps.size() == i && i < made.count; ++i) made.steps.push_back(1);
  if (made.axes.size() != made.count || made.steps.size() != made.count ||
      (made.is_known && made.ends.size() != made.count))
    node.refuse(error_code::invalid_file,
                {"got ", made.count, " starts, ", made.axes.size(), " axes and ", made.steps.size(), " steps"});
  for (const std::int64_t step : made.steps)
    if (step == 0) node.refuse(error_code::invalid_file, {"steps: got 0"});
  return made;
}

/// The lists of strided_slice, one number for each axis of x.
struct slice_cuts {
  ops::strided_slice::attrs attrs;
  pool<std::int64_t> begin, end, step;
  bool is_whole = true;

  constexpr void take_all(int axis) {
    attrs.begin_mask |= std::int64_t{1} << axis, attrs.end_mask |= std::int64_t{1} << axis;
    begin.push_back(0), end.push_back(0), step.push_back(1);
  }
  /// Cuts an axis with this extent; -1: it is unknown.
  constexpr void cut(int axis, std::int64_t extent, std::int64_t from, std::int64_t to, std::int64_t by) {
    constexpr std::int64_t far = std::int64_t{1} << 40;
    from = std::max(-far, std::min(far, from)), to = std::max(-far, std::min(far, to));
    if (extent >= 0) {
      if (from < 0) from += extent;
      if (to < 0) to += extent;
      const std::int64_t last = by > 0 ? extent : extent - 1, least = by > 0 ? 0 : -1;
      from = std::max<std::int64_t>(0, std::min(last, from)), to = std::max(least, std::min(last, to));
      if (extent == 0) from = to = 0;
      if (to < 0 || (by > 0 && to == extent)) attrs.end_mask |= std::int64_t{1} << axis;
      is_whole = is_whole && by == 1 && from == 0 && to == extent;
    } else {
      // counted from the end, or cut there, when the extent is known
      if (by > 0 ? to >= far : to <= -far) attrs.end_mask |= std::int64_t{1} << axis;
      if (by < 0 && from >= far) attrs.begin_mask |= std::int64_t{1} << axis;
      is_whole = is_whole && by == 1 && from == 0 && to >= far;
    }
    begin.push_back(from), end.push_back(to), step.push_back(by);
  }
  /// Cuts an axis by numbers that are known later.
  constexpr void cut_later(std::int64_t by) {
    begin.push_back(0), end.push_back(0), step.push_back(by);
    is_whole = false;
  }
};
/// Starts or ends for each axis: number of_axis[axis] of input i; else those of `known`.
[[gnu::cold]] constexpr std::int32_t awaited_list(node_reader& node, std::size_t i,
                                                  array_ref<const std::int64_t> of_axis,
                                                  array_ref<const std::int64_t> known) {
  const std::int32_t list = cast_to(node, node.input(i), i64);
  pool<std::int32_t> parts;
  for (std::size_t axis = 0; axis < of_axis.size(); ++axis)
    parts.push_back(of_axis[axis] >= 0 ? part_of_list(node, list, of_axis[axis], 1) : node.integer_list({known[axis]}));
  return node.add<ops::concat>({}, parts);
}

}  // namespace detail

/// Slice: starts and ends are clamped, negative ones count from the end. Lists that are not known yet are refused by
/// the rules of strided_slice unless they follow from shapes.
[[gnu::cold]] constexpr void read_slice(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  const detail::slice_lists lists = detail::read_slice_lists(node);
  pool<std::int64_t> of_axis;  // the number of the cut along each axis; -1: it is not cut
  of_axis.assign(static_cast<std::size_t>(is.rank), -1);
  const pool<std::int64_t> axes = node.axes_in(lists.axes, is.rank);
  if (!node.is_fine()) return;
  for (std::size_t i = 0; i < axes.size(); ++i)
    of_axis[static_cast<std::size_t>(axes[i])] = static_cast<std::int64_t>(i);
  detail::slice_cuts cuts;
  for (int axis = 0; axis < is.rank; ++axis) {
    const std::int64_t number = of_axis[static_cast<std::size_t>(axis)];
    const auto i = static_cast<std::size_t>(number);
    if (number < 0) cuts.take_all(axis);
    else if (!lists.is_known) cuts.cut_later(lists.steps[i]);
    else cuts.cut(axis, is[axis], lists.starts[i], lists.ends[i], lists.steps[i]);
  }
  if (cuts.is_whole) return node.define(0, x);
  const std::int32_t first = lists.is_known ? node.integer_list(cuts.begin)
                                            : detail::awaited_list(node, 1, of_axis, cuts.begin),
                     last = lists.is_known ? node.integer_list(cuts.end)
                                           : detail::awaited_list(node, 2, of_axis, cuts.end);
  node.finish<ops::strided_slice>(cuts.attrs, {x, first, last, node.integer_list(cuts.step)});
}

namespace detail {

/// Indices along an axis of x, as i64 from 0 on.
[[gnu::cold]] constexpr std::int32_t from_start(node_maker& node, std::int32_t indices, std::int32_t extent) {
  const std::int32_t wide = cast_to(node, indices, i64), zero = node.scalar(i64, 0);
  return node.add<ops::select>({}, {node.add<ops::less>({}, {wide, zero}), plus(node, wide, extent), wide});
}

/// Places in a flat tensor of shape `of`: an index, from 0 on, replaces the coordinate along `axis`.
[[gnu::cold]] constexpr std::int32_t flat_places(node_maker& node, std::int32_t indices, const shape_t& of, int axis) {
  const shape_t to = node.desc(indices).shape;
  std::int32_t flat = times(node, indices, static_cast<double>(of.elements(axis + 1)));
  for (int i = 0; i < of.rank; ++i) {
    if (i == axis || to[i] == 1) continue;
    node.count_copy(8 * to[i]);
    pool<std::int64_t> places, shape;
    for (std::int64_t k = 0; node.is_fine() && k < to[i]; ++k) places.push_back(k * of.elements(i + 1));
    for (int k = 0; k < of.rank; ++k) shape.push_back(k == i ? to[i] : 1);
    flat = plus(node, flat, reshaped(node, node.integer_list(places), shape));
  }
  return flat;
}

}  // namespace detail

[[gnu::cold]] constexpr void read_gather(node_reader& node) {
  const std::int32_t x = node.input(0), indices = node.input(1);
  const int axis = node.axis_attribute("axis", 0, node.rank(x));
  node.finish<ops::gather>({}, {x, indices, node.integer_list({axis})});
}

/// GatherND; batch_dims axes are counted, and become part of the indices.
[[gnu::cold]] constexpr void read_gather_nd(node_reader& node) {
  const std::int32_t x = node.input(0);
  std::int32_t indices = node.input(1);
  const std::int64_t batch = node.integer_attribute("batch_dims", 0);
  if (!node.is_fine()) return;
  const shape_t is = node.desc(indices).shape;
  if (batch != 0) {
    if (batch < 0 || batch >= is.rank || !is.is_known())
      return node.not_supported({"batch_dims: got ", batch, " for indices ", is, ", expected known extents"});
    for (int axis = static_cast<int>(batch) - 1; axis >= 0; --axis) {
      pool<std::int64_t> places, shape;
      for (std::int64_t i = 0; i < is[axis]; ++i) places.push_back(i);
      for (int i = 0; i < is.rank; ++i) shape.push_back(i == axis ? is[axis] : 1);
      shape_t repeated = is;
      repeated[is.rank - 1] = 1;
      ops::broadcast_to::attrs attrs;
      attrs.shape = detail::as_list<axis_list>(node, std::span(repeated.begin(), repeated.end()));
      const std::int32_t counted =
          node.add<ops::broadcast_to>(attrs, {detail::reshaped(node, node.integer_list(places), shape)});
      ops::concat::attrs last;
      last.axis = is.rank - 1;
      indices = node.add<ops::concat>(last, {counted, detail::cast_to(node, indices, i64)});
    }
  }
  node.finish<ops::gather_nd>({}, {x, indices});
}

/// GatherElements: an index replaces the coordinate along `axis`; computed on the flat tensor.
[[gnu::cold]] constexpr void read_gather_elements(node_reader& node) {
  const std::int32_t x = node.input(0), indices = node.input(1);
  const shape_t is = node.desc(x).shape, to = node.desc(indices).shape;
  const int axis = node.axis_attribute("axis", 0, is.rank);
  if (!node.is_fine()) return;
  if (is.rank != to.rank)
    return node.refuse(error_code::invalid_file, {"input 1: got ", to, " for ", is, ", expected the same rank"});
  if (!is.is_known() || !to.is_known())
    return node.not_supported({"GatherElements of ", is, " and ", to, ", expected known extents"});
  const std::int32_t chosen = detail::from_start(node, indices, node.scalar(i64, static_cast<double>(is[axis])));
  const std::int32_t flat = detail::flat_places(node, chosen, is, axis);
  const std::int32_t line = detail::reshaped(node, x, pool<std::int64_t>{-1});
  node.finish<ops::gather>({}, {line, flat, node.integer_list({0})});
}

[[gnu::cold]] constexpr void read_expand(node_reader& node) {
  const std::int32_t x = node.input(0);
  if (!node.is_known(1)) {
    const std::int32_t shape = detail::cast_to(node, node.input(1), i64);
    const std::int32_t ones = node.add<ops::fill>({}, {node.scalar(boolean, 1), shape});
    return node.finish<ops::select>({}, {ones, x, x});
  }
  const shape_t is = node.desc(x).shape;
  shape_t wanted;
  for (const std::int64_t extent : node.integers(1)) wanted.push_back(extent);
  const broadcast_result common = broadcast(is, wanted);
  if (node.is_fine() && !common.fits)
    return node.refuse(error_code::invalid_file, {"shape: got ", wanted, " for ", is});
  if (!node.is_fine()) return;
  if (common.shape == is) return node.define(0, x);
  ops::broadcast_to::attrs attrs;
  attrs.shape = detail::as_list<axis_list>(node, std::span(common.shape.begin(), common.shape.end()));
  node.finish<ops::broadcast_to>(attrs, {x});
}
[[gnu::cold]] constexpr void read_tile(node_reader& node) {
  node.finish<ops::tile>({}, {node.input(0), detail::cast_to(node, node.input(1), i64)});
}

namespace detail {

/// Copies the outermost elements (edge) or continues from the other end (wrap), by gathering along each axis.
[[gnu::cold]] constexpr std::int32_t gathered_pad(node_maker& node, std::int32_t x,
                                                  array_ref<const std::int64_t> before,
                                                  array_ref<const std::int64_t> after, bool wraps) {
  for (int axis = 0; node.is_fine() && axis < node.desc(x).rank(); ++axis) {
    const std::int64_t extent = node.desc(x).shape[axis], front = before[static_cast<std::size_t>(axis)],
                       back = after[static_cast<std::size_t>(axis)];
    if (front == 0 && back == 0) continue;
    if (extent < 1) {
      node.not_supported({"mode edge or wrap of ", node.desc(x).shape, ", expected known extents"});
      return ir::none;
    }
    node.count_copy(8 * (extent + front + back));
    pool<std::int64_t> places;
    for (std::int64_t i = -front; node.is_fine() && i < extent + back; ++i)
      places.push_back(wraps ? (i % extent + extent) % extent : std::max<std::int64_t>(0, std::min(extent - 1, i)));
    x = node.add<ops::gather>({}, {x, node.integer_list(places), node.integer_list({axis})});
  }
  return x;
}
/// Cuts elements where pads are negative, which then are 0.
[[gnu::cold]] constexpr std::int32_t cropped(node_maker& node, std::int32_t x, pool<std::int64_t>& before,
                                             pool<std::int64_t>& after) {
  bool crops = false;
  pool<std::int64_t> begin, end, step;
  ops::strided_slice::attrs attrs;
  for (std::size_t i = 0; i < before.size(); ++i) {
    begin.push_back(before[i] < 0 ? -before[i] : 0);
    end.push_back(after[i] < 0 ? after[i] : 0);
    step.push_back(1);
    if (after[i] >= 0) attrs.end_mask |= std::int64_t{1} << i;
    crops = crops || before[i] < 0 || after[i] < 0;
    before[i] = std::max<std::int64_t>(before[i], 0), after[i] = std::max<std::int64_t>(after[i], 0);
  }
  if (!crops) return x;
  return node.add<ops::strided_slice>(attrs,
                                      {x, node.integer_list(begin), node.integer_list(end), node.integer_list(step)});
}

/// Pads with a number that pad's attribute, a float, may not be able to hold.
[[gnu::cold]] constexpr std::int32_t constant_pad(node_maker& node, std::int32_t x,
                                                  array_ref<const std::int64_t> before,
                                                  array_ref<const std::int64_t> after, double value) {
  pool<std::int64_t> list;
  bool pads = false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    list.push_back(before[i]), list.push_back(after[i]);
    pads = pads || before[i] != 0 || after[i] != 0;
  }
  if (!pads) return x;
  ops::pad::attrs attrs;
  attrs.pad_value = static_cast<float>(value);
  const dtype type = node.desc(x).type;
  const std::int32_t paddings = node.integer_list(list);
  if (type == boolean) {
    const std::int32_t bytes = node.add<ops::pad>(attrs, {cast_to(node, x, u8), paddings});
    return cast_to(node, bytes, boolean);
  }
  if (static_cast<double>(attrs.pad_value) == value || value != value || type == f32 || type == f16)
    return node.add<ops::pad>(attrs, {x, paddings});
  // pads differ from value: choose it where a padded mask of ones is 0
  attrs.pad_value = 0;
  const std::int32_t there = node.add<ops::fill>({}, {node.scalar(u8, 1), shape_list(node, x)});
  const std::int32_t mask = cast_to(node, node.add<ops::pad>(attrs, {there, paddings}), boolean);
  return node.add<ops::select>({}, {mask, node.add<ops::pad>(attrs, {x, paddings}), node.scalar(type, value)});
}

}  // namespace detail

/// Pad: attributes up to opset 10, then operands; pads may be negative.
[[gnu::cold]] constexpr void read_pad(node_reader& node) {
  const std::int32_t x = node.input(0);
  const int rank = node.rank(x);
  const std::string_view mode = node.text_attribute("mode", "constant");
  pool<std::int64_t> list, axes;
  double value = 0;
  if (node.version() < 11) {
    list = node.integers_attribute(node.version() < 2 ? "paddings" : "pads");
    value = double{node.real_attribute("value", 0)};
  } else {
    list = node.integers(1);
    if (node.has_elements(2)) value = node.real(2);
    if (node.has_elements(3)) axes = node.integers(3);
  }
  if (!node.has_elements(3))
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  axes = node.axes_in(axes, rank);
  if (!node.is_fine()) return;
  if (list.size() != 2 * axes.size())
    return node.refuse(error_code::invalid_file, {"pads: got ", list.size(), " numbers, expected ", 2 * axes.size()});
  pool<std::int64_t> before, after;
  before.assign(static_cast<std::size_t>(rank), 0), after.assign(static_cast<std::size_t>(rank), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    before[axis] = list[i], after[axis] = list[axes.size() + i];
  }
  const std::int32_t cut = detail::cropped(node, x, before, after);
  if (mode == "constant") return node.define(0, detail::constant_pad(node, cut, before, after, value));
  if (mode == "edge" || mode == "wrap")
    return node.define(0, detail::gathered_pad(node, cut, before, after, mode == "wrap"));
  if (mode != "reflect") return node.refuse(error_code::invalid_file, {"mode: got ", piece::in_quotes(mode)});
  ops::pad::attrs attrs;
  attrs.mode = border::reflect;
  list.clear();
  for (std::size_t i = 0; i < before.size(); ++i) list.push_back(before[i]), list.push_back(after[i]);
  node.finish<ops::pad>(attrs, {cut, node.integer_list(list)});
}

namespace detail {

/// The axes of Squeeze, Unsqueeze and reductions: an attribute up to an opset, then an operand.
[[gnu::cold]] constexpr pool<std::int64_t> listed_axes(node_reader& node, std::int64_t operand_since, std::size_t i) {
  if (node.version() < operand_since) return node.integers_attribute("axes");
  if (!node.has_elements(i)) return {};
  return node.integers(i);
}

}  // namespace detail

[[gnu::cold]] constexpr void read_squeeze(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  const pool<std::int64_t> axes = node.axes_in(detail::listed_axes(node, 13, 1), is.rank);
  if (!node.is_fine()) return;
  bool leaves_out[max_rank] = {};
  for (const std::int64_t axis : axes) {
    leaves_out[axis] = true;
    if (const std::int64_t extent = is[static_cast<int>(axis)]; extent >= 0 && extent != 1)
      return node.refuse(error_code::invalid_file, {"axes: got ", axis, " of ", is, ", expected an extent of 1"});
  }
  if (axes.empty()) {
    if (node.is_fine() && !is.is_known())
      return node.not_supported({"no axes for ", is, "; give the input's shape in load_options::shapes"});
    for (int i = 0; i < is.rank; ++i) leaves_out[i] = is[i] == 1;
  }
  if (!node.is_fine()) return;
  if (is.is_known() && is.elements() == 0) {
    shape_t made;
    for (int i = 0; i < is.rank; ++i)
      if (!leaves_out[i]) made.push_back(is[i]);
    return node.define(0, detail::empty_tensor(node, x, made));
  }
  ops::squeeze::attrs attrs;
  for (int i = 0; i < is.rank; ++i)
    if (leaves_out[i]) attrs.axes.push_back(i);
  if (attrs.axes.empty()) return node.define(0, x);
  node.finish<ops::squeeze>(attrs, {x});
}
/// Axes count in the result.
[[gnu::cold]] constexpr void read_unsqueeze(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  pool<std::int64_t> axes = detail::listed_axes(node, 13, 1);
  const int rank = is.rank + static_cast<int>(std::min<std::size_t>(axes.size(), max_rank + 1));
  axes = node.axes_in(axes, rank);
  if (!node.is_fine()) return;
  if (is.is_known() && is.elements() == 0) {
    bool is_new[max_rank] = {};
    for (const std::int64_t axis : axes) is_new[axis] = true;
    shape_t made;
    for (int i = 0, k = 0; i < rank; ++i) made.push_back(is_new[i] ? 1 : is[k++]);
    return node.define(0, detail::empty_tensor(node, x, made));
  }
  ops::unsqueeze::attrs attrs;
  attrs.axes = detail::as_list<axis_list>(node, axes);
  node.finish<ops::unsqueeze>(attrs, {x});
}

/// Shape, from `start` to `end`.
[[gnu::cold]] constexpr void read_shape(node_reader& node) {
  const std::int32_t x = node.input(0);
  const std::int64_t rank = node.rank(x);
  std::int64_t start = node.integer_attribute("start", 0), end = node.integer_attribute("end", rank);
  start = std::max<std::int64_t>(0, std::min(rank, start < 0 ? start + rank : start));
  end = std::max<std::int64_t>(start, std::min(rank, end < 0 ? end + rank : end));
  if (!node.is_fine()) return;
  const shape_t is = node.desc(x).shape;
  bool is_known = true;
  for (std::int64_t i = start; i < end; ++i) is_known = is_known && is[static_cast<int>(i)] >= 0;
  if (is_known) {
    pool<std::int64_t> list;
    for (std::int64_t i = start; i < end; ++i) list.push_back(is[static_cast<int>(i)]);
    return node.define(0, node.integer_list(list));
  }
  const std::int32_t all = detail::shape_list(node, x);
  node.define(0, start == 0 && end == rank ? all : detail::part_of_list(node, all, start, end - start));
}
[[gnu::cold]] constexpr void read_size(node_reader& node) {
  const std::int32_t x = node.input(0);
  const std::int64_t elements = node.desc(x).elements();
  if (elements >= 0) return node.define(0, node.scalar(i64, static_cast<double>(elements)));
  const std::int32_t list = detail::shape_list(node, x);
  node.finish<ops::reduce_prod>({}, {list, node.integer_list({0})});
}

/// A tensor of one value; f32 zeros by default.
[[gnu::cold]] constexpr void read_constant_of_shape(node_reader& node) {
  const std::int32_t value = node.has_attribute("value") ? node.tensor_attribute("value") : node.scalar(f32, 0);
  if (node.is_fine() && node.desc(value).elements() != 1)
    return node.refuse(error_code::invalid_file, {"value: got ", node.desc(value).shape, ", expected one element"});
  if (node.is_known(0)) {
    shape_t shape;
    const pool<std::int64_t> list = node.integers(0);
    for (const std::int64_t extent : list) shape.push_back(extent);
    if (node.is_fine() && list.size() <= max_rank && shape.is_known() && shape.elements() == 0)
      return node.define(0, detail::empty_tensor(node, value, shape));
  }
  const std::int32_t shape = node.input(0);
  const std::int32_t scalar = detail::reshaped(node, value, pool<std::int64_t>{});
  node.finish<ops::fill>({}, {scalar, detail::cast_to(node, shape, i64)});
}

/// Constant: a tensor, or one of the short forms.
[[gnu::cold]] constexpr void read_constant(node_reader& node) {
  if (node.has_attribute("value")) return node.define(0, node.tensor_attribute("value"));
  if (node.has_attribute("value_int"))
    return node.define(0, node.taken(node.network().constant<std::int64_t>(
                              {i64, {}}, pool<std::int64_t>{node.integer_attribute("value_int", 0)})));
  if (node.has_attribute("value_float"))
    return node.define(0, node.scalar(f32, double{node.real_attribute("value_float", 0)}));
  if (node.has_attribute("value_ints")) return node.define(0, node.integer_list(node.integers_attribute("value_ints")));
  if (node.has_attribute("value_floats")) return node.define(0, node.real_list(node.reals_attribute("value_floats")));
  node.not_supported({"a constant of a kind other than numbers"});
}

/// Range; a count that is not known yet must follow from shapes.
[[gnu::cold]] constexpr void read_range(node_reader& node) {
  const std::int32_t start = node.input(0);
  const dtype type = node.type(start);
  if (!node.is_known(0) || !node.is_known(1) || !node.is_known(2)) {
    if (types::floating.contains(type) || !node.is_known(2))
      return node.not_supported({"ends or a step of a range that only a run knows"});
    const std::int64_t step = node.integer(2);
    if (!node.is_fine() || step == 0) return node.refuse(error_code::invalid_file, {"delta: got 0"});
    const std::int32_t from = detail::reshaped(node, detail::cast_to(node, start, i64), pool<std::int64_t>{1}),
                       to = detail::reshaped(node, detail::cast_to(node, node.input(1), i64), pool<std::int64_t>{1});
    const std::int64_t size = step < 0 ? -step : step;
    const std::int32_t way = step > 0 ? detail::minus(node, to, from) : detail::minus(node, from, to);
    const std::int32_t most =
        node.add<ops::maximum>({}, {detail::plus(node, way, static_cast<double>(size - 1)), node.integer_list({0})});
    const std::int32_t count = detail::over(node, most, node.integer_list({size}));
    const std::int32_t steps = detail::times(node, detail::counted_up(node, count), static_cast<double>(step));
    return node.define(0, detail::cast_to(node, detail::plus(node, steps, from), type));
  }
  const double first = node.real(0), last = node.real(1), step = node.real(2);
  if (!node.is_fine()) return;
  const double count = math::ceil((last - first) / step);
  if (step == 0 || !(count < 0x1p30))
    return node.refuse(error_code::invalid_file, {"ends and step give no count of numbers"});
  const std::int64_t whole = count > 0 ? static_cast<std::int64_t>(count) : 0;
  node.count_copy(8 * whole);
  if (!node.is_fine()) return;
  pool<std::byte> bytes;
  with_element<types::any>(type, [&]<class T>(T) {
    for (std::int64_t i = 0; i < whole; ++i)
      detail::append_element(bytes, math::convert<T>(first + static_cast<double>(i) * step));
  });
  node.define(0, node.taken(node.network().constant_bytes({type, {whole}}, bytes)));
}

/// OneHot: negative indices count from the end; others outside give off values.
[[gnu::cold]] constexpr void read_one_hot(node_reader& node) {
  const std::int32_t indices = node.input(0), values = node.input(2);
  ops::one_hot::attrs attrs;
  attrs.axis = node.integer_attribute("axis", -1);
  std::int32_t depth = node.input(1);
  if (node.is_fine() && node.is_computed(depth))
    return node.not_supported_beside(1, depth, "a number that is known before the network runs");
  if (node.is_known(1)) depth = node.scalar(i64, math::trunc(node.real(1)));
  else depth = detail::cast_to(node, depth, i64);
  if (!node.is_fine()) return;
  const std::int32_t whole = detail::from_start(node, indices, depth);
  const std::int32_t off = detail::part_of_list(node, values, 0, 1), on = detail::part_of_list(node, values, 1, 1);
  node.finish<ops::one_hot>(attrs, {whole, depth, on, off});
}

/// TopK: values and i64 indices. The smallest are the largest of the complement.
[[gnu::cold]] constexpr void read_top_k(node_reader& node) {
  const std::int32_t x = node.input(0);
  ops::top_k::attrs attrs;
  attrs.axis = node.axis_attribute("axis", -1, node.rank(x));
  attrs.sorted = true;
  const std::int64_t k = node.version() < 10 ? node.integer_attribute("k", 0) : node.integer(1);
  const bool is_largest = node.version() < 11 || node.integer_attribute("largest", 1) != 0;
  const dtype type = node.type(x);
  if (node.is_fine() && !is_largest && type == u64) return node.not_supported({"the smallest of uint64"});
  // -1 - x reverses the order of integers, too, without an overflow
  const dtype wide = is_largest ? type : types::floating.contains(type) ? type : i64;
  std::int32_t ranked = detail::cast_to(node, x, wide);
  if (!is_largest)
    ranked = types::floating.contains(type) ? detail::negated(node, ranked)
                                            : detail::minus(node, node.scalar(i64, -1), ranked);
  const pool<std::int32_t> made = node.add_all<ops::top_k>(attrs, {ranked, node.scalar(i64, static_cast<double>(k))});
  if (!node.is_fine()) return;
  std::int32_t best = made[0];
  if (!is_largest)
    best =
        types::floating.contains(type) ? detail::negated(node, best) : detail::minus(node, node.scalar(i64, -1), best);
  node.define(0, detail::cast_to(node, best, type));
  node.define(1, detail::cast_to(node, made[1], i64));
}

/// ArgMax and ArgMin as i64. The last of equal ones is the first of the reversed line.
template <bool IsMax> [[gnu::cold]] constexpr void read_arg(node_reader& node) {
  std::int32_t x = node.input(0);
  const dtype type = node.type(x);
  ops::arg_max::attrs attrs;
  attrs.axis = node.axis_attribute("axis", 0, node.rank(x));
  attrs.keep_dims = node.integer_attribute("keepdims", 1) != 0;
  const bool takes_last = node.integer_attribute("select_last_index", 0) != 0;
  if (!node.is_fine()) return;
  if (!IsMax && type == u64) return node.not_supported({"ArgMin of uint64"});
  if (!IsMax)
    x = types::floating.contains(type) ? detail::negated(node, x)
                                       : detail::minus(node, node.scalar(i64, -1), detail::cast_to(node, x, i64));
  const std::int64_t extent = node.desc(x).shape[static_cast<int>(attrs.axis)];
  if (takes_last) {
    if (extent < 0) return node.not_supported({"select_last_index along an unknown extent"});
    pool<std::int64_t> begin, step;
    for (int i = 0; i < node.rank(x); ++i) begin.push_back(0), step.push_back(i == attrs.axis ? -1 : 1);
    ops::strided_slice::attrs reversed;
    reversed.begin_mask = reversed.end_mask = (std::int64_t{1} << node.rank(x)) - 1;
    const std::int32_t none = node.integer_list(begin);
    x = node.add<ops::strided_slice>(reversed, {x, none, none, node.integer_list(step)});
  }
  std::int32_t y = detail::cast_to(node, node.add<ops::arg_max>(attrs, {x}), i64);
  if (takes_last) y = detail::minus(node, node.scalar(i64, static_cast<double>(extent - 1)), y);
  node.define(0, y);
}

/// Trilu: the upper or lower triangle of matrices, zeros elsewhere.
[[gnu::cold]] constexpr void read_trilu(node_reader& node) {
  const std::int32_t x = node.input(0);
  const std::int64_t k = node.has_elements(1) ? node.integer(1) : 0;
  const bool is_upper = node.integer_attribute("upper", 1) != 0;
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return;
  if (is.rank < 2 || is[-1] < 0 || is[-2] < 0)
    return node.not_supported({"input 0: got ", is, ", expected known rows and columns"});
  if (is.elements() == 0) return node.define(0, x);
  pool<std::int64_t> rows, columns;
  node.count_copy(8 * (is[-1] + is[-2]));
  const std::int64_t bounded =
      std::max<std::int64_t>(std::min<std::int64_t>(k, std::int64_t{1} << 40), -(std::int64_t{1} << 40));
  for (std::int64_t i = 0; node.is_fine() && i < is[-2]; ++i) rows.push_back(i + bounded);
  for (std::int64_t i = 0; node.is_fine() && i < is[-1]; ++i) columns.push_back(i);
  const std::int32_t row = detail::reshaped(node, node.integer_list(rows), pool<std::int64_t>{is[-2], 1}),
                     column = node.integer_list(columns);
  const std::int32_t kept =
      is_upper ? node.add<ops::greater_equal>({}, {column, row}) : node.add<ops::less_equal>({}, {column, row});
  node.finish<ops::select>({}, {kept, x, detail::number_like(node, x, 0)});
}

/// EyeLike: ones on a diagonal of a matrix with the shape of x.
[[gnu::cold]] constexpr void read_eye_like(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  const std::int64_t k = node.integer_attribute("k", 0);
  const dtype type = node.dtype_attribute("dtype", node.type(x));
  if (!node.is_fine()) return;
  if (is.rank != 2 || !is.is_known())
    return node.not_supported({"input 0: got ", is, ", expected a matrix of known extents"});
  pool<std::int64_t> rows, columns;
  for (std::int64_t i = 0; i < is[0]; ++i) rows.push_back(i + k);
  for (std::int64_t i = 0; i < is[1]; ++i) columns.push_back(i);
  const std::int32_t row = detail::reshaped(node, node.integer_list(rows), pool<std::int64_t>{is[0], 1});
  node.define(0, detail::cast_to(node, node.add<ops::equal>({}, {row, node.integer_list(columns)}), type));
}

/// Compress with a condition that is known: the chosen indices are gathered.
[[gnu::cold]] constexpr void read_compress(node_reader& node) {
  std::int32_t x = node.input(0);
  const pool<std::int64_t> condition = node.integers(1);
  int axis = 0;
  if (node.has_attribute("axis")) axis = node.axis_attribute("axis", 0, node.rank(x));
  else x = detail::reshaped(node, x, pool<std::int64_t>{-1});
  pool<std::int64_t> places;
  for (std::size_t i = 0; i < condition.size(); ++i)
    if (condition[i] != 0) places.push_back(static_cast<std::int64_t>(i));
  if (!node.is_fine()) return;
  node.finish<ops::gather>({}, {x, node.integer_list(places), node.integer_list({axis})});
}

/// ReverseSequence: for each batch entry the first sequence_lens steps, reversed.
[[gnu::cold]] constexpr void read_reverse_sequence(node_reader& node) {
  std::int32_t x = node.input(0);
  const std::int64_t batch_axis = node.integer_attribute("batch_axis", 1),
                     time_axis = node.integer_attribute("time_axis", 0);
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return;
  if (!is.is_known() || is.rank < 2 || batch_axis + time_axis != 1 || (batch_axis != 0 && batch_axis != 1))
    return node.not_supported({"input 0: got ", is, ", expected known extents, time and batch as its first two axes"});
  if (time_axis == 0) {
    pool<std::int64_t> order{1, 0};
    for (int i = 2; i < is.rank; ++i) order.push_back(i);
    x = detail::transposed(node, x, order);
  }
  const std::int64_t batch = is[static_cast<int>(batch_axis)], time = is[static_cast<int>(time_axis)];
  pool<std::int64_t> steps;
  for (std::int64_t i = 0; i < time; ++i) steps.push_back(i);
  const std::int32_t step = node.integer_list(steps);  // [T]
  const std::int32_t length =
      detail::reshaped(node, detail::cast_to(node, node.input(1), i64), pool<std::int64_t>{batch, 1});
  const std::int32_t back = detail::plus(node, detail::minus(node, length, step), -1.0);
  std::int32_t from = node.add<ops::select>({}, {node.add<ops::less>({}, {step, length}), back, step});  // [B, T]
  pool<std::int64_t> firsts;
  for (std::int64_t i = 0; i < batch; ++i) firsts.push_back(i * time);
  from = detail::plus(node, from, detail::reshaped(node, node.integer_list(firsts), pool<std::int64_t>{batch, 1}));
  pool<std::int64_t> flat{batch * time};
  for (int i = 2; i < is.rank; ++i) flat.push_back(is[i]);
  std::int32_t y = node.add<ops::gather>({}, {detail::reshaped(node, x, flat), from, node.integer_list({0})});
  if (time_axis == 0) {
    pool<std::int64_t> order{1, 0};
    for (int i = 2; i < is.rank; ++i) order.push_back(i);
    y = detail::transposed(node, y, order);
  }
  node.define(0, y);
}

/// NonZero of constants: indices in columns, [rank, count].
[[gnu::cold]] constexpr void read_nonzero(node_reader& node) {
  const pool<double> elements = node.reals(0);
  if (!node.is_fine()) return;
  const shape_t is = node.desc(node.input(0)).shape;
  pool<std::int64_t> chosen, places;
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (elements[i] != 0) chosen.push_back(static_cast<std::int64_t>(i));
  for (int axis = 0; axis < is.rank; ++axis)
    for (const std::int64_t i : chosen) places.push_back(i / is.elements(axis + 1) % is[axis]);
  const auto count = static_cast<std::int64_t>(chosen.size());
  node.count_copy(8 * count * is.rank);
  node.define(0, node.taken(node.network().constant<std::int64_t>({i64, {is.rank, count}}, places)));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
