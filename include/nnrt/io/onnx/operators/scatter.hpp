// scatter: readers of .onnx operators that write updates into a tensor at listed places.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/elementwise.hpp>
#include <nnrt/io/onnx/operators/shapes.hpp>
#include <nnrt/ops/scatter_nd.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// How an update changes the element at its place.
enum class scatter_reduction { none, add, mul, min, max };

/// A tensor as lines [places, width], and updates [count, width]. Update i belongs to line at[i].
struct scattered_lines {
  std::int32_t data = ir::none, updates = ir::none;
  std::int32_t at = ir::none;  // i64 [count]; none: `known` has the places
  pool<std::int64_t> known;    // used when `at` is none
  std::int64_t places = 0, width = 0, count = 0;
};

/// Largest number of lines for which a list with one number for each line is made.
inline constexpr std::int64_t max_listed_lines = std::int64_t{1} << 16;

/// The numbers 0 … count - 1 as i64.
[[gnu::cold]] constexpr std::int32_t numbered(node_maker& node, std::int64_t count) {
  if (count > max_listed_lines) return counted_up(node, node.integer_list({count}));
  node.count_copy(8 * count);
  pool<std::int64_t> list;
  for (std::int64_t i = 0; node.is_fine() && i < count; ++i) list.push_back(i);
  return node.integer_list(list);
}
/// Indices of an axis with this extent, from 0 on. An index out of range ends a run with a fault: the lookup in the
/// list of all indices finds it.
[[gnu::cold]] constexpr std::int32_t checked_indices(node_maker& node, std::int32_t indices, std::int64_t extent) {
  return node.add<ops::gather>({}, {numbered(node, extent), cast_to(node, indices, i64), node.integer_list({0})});
}

[[gnu::cold]] constexpr std::int32_t lines_at(node_maker& node, std::int32_t lines, std::int32_t at) {
  return node.add<ops::gather>({}, {lines, at, node.integer_list({0})});
}
[[gnu::cold]] constexpr std::int32_t joined_lines(node_maker& node, std::int32_t a, std::int32_t b) {
  ops::concat::attrs attrs;
  attrs.axis = 0;
  return node.add<ops::concat>(attrs, {a, b});
}

/// The reduction of two tensors of lines.
[[gnu::cold]] constexpr std::int32_t reduced_pair(node_maker& node, std::int32_t a, std::int32_t b,
                                                  scatter_reduction by) {
  switch (by) {
    case scatter_reduction::none: return b;
    case scatter_reduction::add: return pair<ops::add>(node, a, b, false);
    case scatter_reduction::mul: return pair<ops::mul>(node, a, b, false);
    case scatter_reduction::min: return pair<ops::minimum>(node, a, b, false);
    case scatter_reduction::max: return pair<ops::maximum>(node, a, b, false);
  }
  return ir::none;
}

/// Writes updates at known places. Updates of one place are applied one after the other, in their order; without a
/// reduction the last one remains.
[[gnu::cold]] constexpr std::int32_t written_at_known(node_maker& node, const scattered_lines& s,
                                                      scatter_reduction by) {
  std::int32_t y = s.data;
  pool<std::int64_t> turn, used;  // number of the round of each update; rounds of each line so far
  used.assign(static_cast<std::size_t>(s.places), 0);
  std::int64_t rounds = by == scatter_reduction::none ? 1 : 0;
  for (const std::int64_t at : s.known) {
    turn.push_back(by == scatter_reduction::none ? 0 : used[static_cast<std::size_t>(at)]++);
    rounds = std::max(rounds, turn.back() + 1);
  }
  if (rounds > 256) node.not_supported({"got ", rounds, " updates of one place, expected at most 256"});
  for (std::int64_t round = 0; node.is_fine() && round < rounds; ++round) {
    node.count_copy(8 * s.places);
    pool<std::int64_t> from, places, chosen;  // of all lines of y and changed ones; changed lines; their updates
    for (std::int64_t i = 0; node.is_fine() && i < s.places; ++i) from.push_back(i);
    for (std::size_t i = 0; node.is_fine() && i < s.known.size(); ++i) {
      if (turn[i] != round) continue;
      from[static_cast<std::size_t>(s.known[i])] = s.places + static_cast<std::int64_t>(chosen.size());
      places.push_back(s.known[i]), chosen.push_back(static_cast<std::int64_t>(i));
    }
    std::int32_t changed = s.updates;
    if (chosen.size() != s.known.size()) changed = lines_at(node, changed, node.integer_list(chosen));
    if (by != scatter_reduction::none)
      changed = reduced_pair(node, lines_at(node, y, node.integer_list(places)), changed, by);
    y = lines_at(node, joined_lines(node, y, changed), node.integer_list(from));
  }
  return y;
}

/// Writes updates at computed places; of several updates of one place the last one remains. Sorting by place and
/// number makes updates of one place neighbours, the last one first.
[[gnu::cold]] constexpr std::int32_t written_at_computed(node_maker& node, const scattered_lines& s) {
  const std::int32_t count = node.scalar(i64, static_cast<double>(s.count)), zero = node.scalar(i64, 0);
  const std::int32_t keys = plus(node, times(node, s.at, count), numbered(node, s.count));
  ops::top_k::attrs attrs;
  attrs.axis = 0, attrs.sorted = true;
  const std::int32_t ranked = s.count == 1 ? keys : node.add<ops::top_k>(attrs, {keys, count});
  const std::int32_t places = over(node, ranked, count);
  std::int32_t source = plus(node, minus(node, ranked, times(node, places, count)), 1.0);  // update + 1
  if (s.count > 1) {
    const std::int32_t before = joined_lines(node, node.integer_list({-1}), part_of_list(node, places, 0, s.count - 1));
    source = node.add<ops::select>({}, {node.add<ops::not_equal>({}, {places, before}), source, zero});
  }
  const std::int32_t tuples = reshaped(node, places, pool<std::int64_t>{s.count, 1});
  source = node.add<ops::scatter_nd>({}, {tuples, source, node.integer_list({s.places})});
  const std::int32_t is_written =
      reshaped(node, node.add<ops::greater>({}, {source, zero}), pool<std::int64_t>{s.places, 1});
  const std::int32_t update = pair<ops::maximum>(node, plus(node, source, -1.0), zero, false);
  return node.add<ops::select>({}, {is_written, lines_at(node, s.updates, update), s.data});
}

[[gnu::cold]] constexpr std::int32_t written(node_maker& node, scattered_lines s, scatter_reduction by) {
  const bool is_known = s.at == ir::none;
  if (is_known && by != scatter_reduction::add && s.places <= max_listed_lines) return written_at_known(node, s, by);
  if (is_known) {
    node.count_copy(8 * s.count);
    s.at = node.integer_list(s.known);
  }
  if (by == scatter_reduction::none) return written_at_computed(node, s);
  if (by != scatter_reduction::add) {
    node.not_supported({"a reduction other than none and add at ",
                        is_known ? "places of more than 65536 lines" : "indices that only a run knows"});
    return ir::none;
  }
  const dtype type = node.desc(s.data).type, wide = type == boolean ? u8 : type;
  const std::int32_t tuples = reshaped(node, s.at, pool<std::int64_t>{s.count, 1});
  const std::int32_t sums =
      node.add<ops::scatter_nd>({}, {tuples, cast_to(node, s.updates, wide), node.integer_list({s.places, s.width})});
  return cast_to(node, pair<ops::add>(node, cast_to(node, s.data, wide), sums, false), type);
}

[[gnu::cold]] constexpr scatter_reduction read_reduction(node_reader& node) {
  const std::string_view text = node.text_attribute("reduction", "none");
  constexpr std::string_view names[] = {"none", "add", "mul", "min", "max"};
  for (int i = 0; i < 5; ++i)
    if (text == names[i]) return static_cast<scatter_reduction>(i);
  node.refuse(error_code::invalid_file, {"reduction: got ", piece::in_quotes(text)});
  return scatter_reduction::none;
}

/// Index `at` of an axis, from 0 on. Refuses one out of range.
[[gnu::cold]] constexpr std::int64_t known_index(node_maker& node, double at, std::int64_t extent) {
  const auto index = static_cast<std::int64_t>(at);
  if (index < -extent || index >= extent)
    node.refuse(error_code::invalid_file, {"indices: got ", index, ", expected ", -extent, " to ", extent - 1});
  return node.is_fine() && index < 0 ? index + extent : index;
}

/// Writes lines into x and gives the result the shape of x.
[[gnu::cold]] constexpr void define_written(node_reader& node, std::int32_t x, std::int32_t updates, scattered_lines& s,
                                            scatter_reduction by) {
  const shape_t is = node.desc(x).shape;
  if (node.is_fine() && node.type(x) != node.type(updates))
    return node.refuse(error_code::invalid_file, {"updates: got ", name_of(node.type(updates)), " for data of ",
                                                  name_of(node.type(x)), ", expected the same type"});
  s.data = reshaped(node, x, pool<std::int64_t>{s.places, s.width});
  s.updates = reshaped(node, updates, pool<std::int64_t>{s.count, s.width});
  node.define(0, reshaped(node, written(node, s, by), std::span(is.begin(), is.end())));
}

}  // namespace detail

namespace detail {

/// The lines that tuples of indices [i…, k] choose from data of this shape: the first k axes are places, the others
/// lines. Refuses updates of another shape than [i…, b…].
[[gnu::cold]] constexpr scattered_lines lines_of_tuples(node_reader& node, const shape_t& is, const shape_t& listed,
                                                        const shape_t& given) {
  scattered_lines s;
  s.places = s.width = s.count = 1;
  const std::int64_t length = listed.rank == 0 ? 0 : listed[-1];
  if (length < 1 || length > is.rank) {
    node.refuse(error_code::invalid_file, {"indices: got ", listed, " for data ", is});
    return s;
  }
  shape_t expected;
  for (int i = 0; i + 1 < listed.rank; ++i) {
    expected.push_back(listed[i]);
    s.count = nnrt::detail::saturated_product(s.count, listed[i]);
  }
  for (int i = 0; i < is.rank; ++i) {
    std::int64_t& of = i < length ? s.places : s.width;
    of = nnrt::detail::saturated_product(of, is[i]);
  }
  if (expected.rank + is.rank - length > max_rank) {
    node.refuse(error_code::invalid_file, {"updates: got ", given, " for data ", is});
    return s;
  }
  for (int i = static_cast<int>(length); i < is.rank; ++i) expected.push_back(is[i]);
  if (given != expected) node.refuse(error_code::invalid_file, {"updates: got ", given, ", expected ", expected});
  return s;
}
/// Finds the places of constant tuples with this length.
[[gnu::cold]] constexpr void read_known_tuples(node_reader& node, const shape_t& is, std::int64_t length,
                                               scattered_lines& s) {
  const pool<double> numbers = node.reals(1);
  node.count_copy(8 * s.count);
  for (std::int64_t i = 0; node.is_fine() && i < s.count; ++i) {
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < length; ++k) {
      const std::int64_t extent = is[static_cast<int>(k)];
      at = at * extent + known_index(node, numbers[static_cast<std::size_t>(i * length + k)], extent);
    }
    s.known.push_back(at);
  }
}
/// Computes the places of tuples with this length.
[[gnu::cold]] constexpr void read_computed_tuples(node_reader& node, const shape_t& is, std::int64_t length,
                                                  scattered_lines& s) {
  const std::int32_t tuples = reshaped(node, node.input(1), pool<std::int64_t>{s.count, length});
  for (std::int64_t k = 0; node.is_fine() && k < length; ++k) {
    const std::int64_t extent = is[static_cast<int>(k)];
    std::int32_t column = node.add<ops::slice>({}, {tuples, node.integer_list({0, k}), node.integer_list({-1, 1})});
    column = checked_indices(node, reshaped(node, column, pool<std::int64_t>{s.count}), extent);
    s.at = k == 0 ? column : plus(node, times(node, s.at, static_cast<double>(extent)), column);
  }
}

}  // namespace detail

/// ScatterND: updates are [i…, b…]; a tuple of indices [i…, k] is the place of a part b… of the data. Indices count
/// from the end when negative. Without a reduction, the last of several updates of one place remains.
[[gnu::cold]] constexpr void read_scatter_nd(node_reader& node) {
  const std::int32_t x = node.input(0), indices = node.input(1), updates = node.input(2);
  const shape_t is = node.desc(x).shape, listed = node.desc(indices).shape, given = node.desc(updates).shape;
  const detail::scatter_reduction by = detail::read_reduction(node);
  if (!node.is_fine()) return;
  if (!is.is_known() || !listed.is_known() || !given.is_known())
    return node.not_supported({"data ", is, ", indices ", listed, " and updates ", given, ", expected known extents"});
  detail::scattered_lines s = detail::lines_of_tuples(node, is, listed, given);
  if (!node.is_fine()) return;
  if (given.elements() == 0 || is.elements() == 0) return node.define(0, x);
  if (node.is_known(1)) detail::read_known_tuples(node, is, listed[-1], s);
  else detail::read_computed_tuples(node, is, listed[-1], s);
  if (node.is_fine()) detail::define_written(node, x, updates, s, by);
}

/// ScatterElements, and Scatter before opset 11: an index replaces the coordinate of its update along `axis`.
[[gnu::cold]] constexpr void read_scatter_elements(node_reader& node) {
  const std::int32_t x = node.input(0), indices = node.input(1), updates = node.input(2);
  const shape_t is = node.desc(x).shape, to = node.desc(indices).shape;
  const int axis = node.axis_attribute("axis", 0, is.rank);
  const detail::scatter_reduction by = detail::read_reduction(node);
  if (!node.is_fine()) return;
  if (is.rank != to.rank || to != node.desc(updates).shape)
    return node.refuse(error_code::invalid_file, {"got data ", is, ", indices ", to, " and updates ",
                                                  node.desc(updates).shape, ", expected equal ranks and extents"});
  if (!is.is_known() || !to.is_known())
    return node.not_supported({"data ", is, " and indices ", to, ", expected known extents"});
  for (int i = 0; i < is.rank; ++i)
    if (i != axis && to[i] > is[i])
      return node.refuse(error_code::invalid_file, {"indices: got ", to, " for data ", is});
  if (to.elements() == 0 || is.elements() == 0) return node.define(0, x);
  detail::scattered_lines s;
  s.places = is.elements(), s.count = to.elements(), s.width = 1;
  if (node.is_known(1)) {
    const pool<double> numbers = node.reals(1);
    node.count_copy(8 * s.count);
    for (std::int64_t i = 0; node.is_fine() && i < s.count; ++i) {
      std::int64_t at = 0;
      for (int k = 0; k < is.rank; ++k)
        at = at * is[k] + (k == axis ? detail::known_index(node, numbers[static_cast<std::size_t>(i)], is[k])
                                     : i / to.elements(k + 1) % to[k]);
      s.known.push_back(at);
    }
  } else {
    const std::int32_t chosen = detail::checked_indices(node, indices, is[axis]);
    s.at = detail::reshaped(node, detail::flat_places(node, chosen, is, axis), pool<std::int64_t>{s.count});
  }
  if (node.is_fine()) detail::define_written(node, x, updates, s, by);
}

}}}  // namespace nnrt::NNRT_ISA::onnx
