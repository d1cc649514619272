// integers: readers of bitwise operators of .onnx files, and of sorted lists of what a constant holds.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/core/sort_ids.hpp>
#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/reduce_sum.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// BitwiseNot: -1 - x, whose low bits are those of any integer.
[[gnu::cold]] constexpr void read_bitwise_not(node_reader& node) {
  const std::int32_t x = node.input(0);
  const std::int32_t y = detail::minus(node, node.scalar(i64, -1), detail::cast_to(node, x, i64));
  node.define(0, detail::cast_to(node, y, node.type(x)));
}

/// BitwiseAnd, BitwiseOr and BitwiseXor.
enum class bit_function { both, either, one };

namespace detail {

/// The hexadecimal digits of integers, along a new last axis, the lowest first. Negative numbers have those of two's
/// complement: x mod 16^k is not negative.
[[gnu::cold]] constexpr std::int32_t digits_of(node_maker& node, std::int32_t x, std::int32_t powers) {
  const std::int32_t wide = with_axis(node, cast_to(node, x, i64), node.desc(x).rank());
  const std::int32_t rest = node.add<ops::mod>({}, {wide, powers});
  return node.add<ops::mod>({}, {over(node, minus(node, wide, rest), powers), node.scalar(i64, 16)});
}

}  // namespace detail

/// BitwiseAnd, BitwiseOr and BitwiseXor by a table of digits: the digit pairs (a, b) are at index 16 a + b.
template <bit_function Bits> [[gnu::cold]] constexpr void read_bitwise(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  const dtype type = node.type(a);
  if (!node.is_fine()) return;
  if (!types::integer.contains(type) || node.type(b) != type)
    return node.refuse(error_code::invalid_file,
                       {"got ", piece(type, node.desc(a).shape), " and ", piece(node.type(b), node.desc(b).shape)});
  if (node.rank(a) == max_rank || node.rank(b) == max_rank) return node.not_supported({"operands of rank ", max_rank});
  const int count = 2 * static_cast<int>(size_of(type));
  pool<std::int64_t> powers, table;
  for (int i = 0; i < count; ++i) powers.push_back(std::int64_t{1} << (4 * i));
  for (int i = 0; i < 256; ++i) {
    const int high = i / 16, low = i % 16;
    table.push_back(Bits == bit_function::both ? high & low : Bits == bit_function::either ? high | low : high ^ low);
  }
  node.count_copy(256 * 8);
  const std::int32_t steps = node.integer_list(powers);
  const std::int32_t pair = detail::plus(node, detail::times(node, detail::digits_of(node, a, steps), 16.0),
                                         detail::digits_of(node, b, steps));
  const std::int32_t digits = node.add<ops::gather>({}, {node.integer_list(table), pair, node.integer_list({0})});
  const std::int32_t sum =
      node.add<ops::reduce_sum>({}, {detail::times(node, digits, steps), node.integer_list({node.rank(digits) - 1})});
  node.define(0, detail::cast_to(node, sum, type));
}

namespace detail {

/// The slices of a constant along an axis; slice n has the elements (outer, n, inner).
struct constant_slices {
  const pool<double>& numbers;
  std::int64_t count = 0, outer = 1, inner = 1;

  constexpr double at(std::int64_t o, std::int64_t n, std::int64_t i) const {
    return numbers[static_cast<std::size_t>((o * count + n) * inner + i)];
  }
  /// Negative, 0 or positive: the first difference decides.
  constexpr int compare(std::int64_t a, std::int64_t b) const {
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i)
        if (at(o, a, i) != at(o, b, i)) return at(o, a, i) < at(o, b, i) ? -1 : 1;
    return 0;
  }
};

/// Equal slices as groups: the first slice and the size of each group, and the group of each slice.
struct equal_slices {
  pool<std::int32_t> firsts;
  pool<std::int64_t> sizes, group_of;

  /// Groups in the order of their elements.
  constexpr explicit equal_slices(const constant_slices& slices) {
    pool<std::int32_t> order;
    for (std::int64_t n = 0; n < slices.count; ++n) order.push_back(static_cast<std::int32_t>(n));
    nnrt::detail::sort_ids(order, [&](std::int32_t a, std::int32_t b) {
      const int way = slices.compare(a, b);
      return way == 0 ? a < b : way < 0;
    });
    group_of.assign(order.size(), 0);
    for (std::size_t n = 0; n < order.size(); ++n) {
      if (n == 0 || slices.compare(order[n - 1], order[n]) != 0) firsts.push_back(order[n]), sizes.push_back(0);
      ++sizes[sizes.size() - 1];
      group_of[static_cast<std::size_t>(order[n])] = static_cast<std::int64_t>(firsts.size()) - 1;
    }
  }
  /// Orders the groups by their first slices.
  constexpr void order_by_firsts() {
    pool<std::int32_t> ranked, moved;
    for (std::size_t n = 0; n < firsts.size(); ++n) ranked.push_back(static_cast<std::int32_t>(n));
    nnrt::detail::sort_ids(ranked, [&](std::int32_t a, std::int32_t b) {
      return firsts[static_cast<std::size_t>(a)] < firsts[static_cast<std::size_t>(b)];
    });
    pool<std::int64_t> place, counted;
    place.assign(firsts.size(), 0);
    for (std::size_t n = 0; n < ranked.size(); ++n) {
      const auto from = static_cast<std::size_t>(ranked[n]);
      place[from] = static_cast<std::int64_t>(n);
      moved.push_back(firsts[from]), counted.push_back(sizes[from]);
    }
    for (std::int64_t& one : group_of) one = place[static_cast<std::size_t>(one)];
    firsts = moved, sizes = counted;
  }
};

/// Refuses numbers that doubles do not hold or that have no order.
[[gnu::cold]] constexpr void require_ordered(node_reader& node, const pool<double>& numbers, dtype type) {
  for (const double number : numbers) {
    if (types_of(i64, u64).contains(type) && !(math::abs(number) <= 0x1p53))
      return node.not_supported({"integers above 2^53"});
    if (math::is_nan(number)) return node.not_supported({"NaN, which ONNX leaves open"});
  }
}

}  // namespace detail

/// Unique elements of a constant, or unique slices along an axis. Results: y, the first place of each, the place in y
/// of each element, and how often each occurs.
[[gnu::cold]] constexpr void read_unique(node_reader& node) {
  const pool<double> known = node.reals(0);
  const bool is_sorted = node.integer_attribute("sorted", 1) != 0, has_axis = node.has_attribute("axis");
  if (!node.is_fine()) return;
  const tensor_desc is = node.desc(node.input(0));
  detail::require_ordered(node, known, is.type);
  const int axis = has_axis ? node.axis_attribute("axis", 0, is.rank()) : 0;
  if (!node.is_fine()) return;
  detail::constant_slices slices{known, is.elements()};
  if (has_axis)
    slices.count = is.shape[axis], slices.outer = is.shape.elements(0, axis),
    slices.inner = is.shape.elements(axis + 1);
  if (slices.count > (std::int64_t{1} << 24) || is.elements() == 0)
    return node.not_supported({"input 0: got ", is.shape, ", expected elements, at most 2^24"});
  node.count_copy(8 * slices.count + is.bytes());
  if (!node.is_fine()) return;
  detail::equal_slices groups(slices);
  if (!is_sorted) groups.order_by_firsts();
  pool<double> chosen;
  for (std::int64_t o = 0; o < slices.outer; ++o)
    for (const std::int32_t n : groups.firsts)
      for (std::int64_t i = 0; i < slices.inner; ++i) chosen.push_back(slices.at(o, n, i));
  pool<std::int64_t> places;
  for (const std::int32_t one : groups.firsts) places.push_back(one);
  shape_t to{slices.count};
  if (has_axis) to = is.shape;
  to[axis] = static_cast<std::int64_t>(places.size());
  node.define(0, detail::numbers(node, is.type, to, chosen));
  if (node.has_output(1)) node.define(1, node.integer_list(places));
  if (node.has_output(2)) node.define(2, node.integer_list(groups.group_of));
  if (node.has_output(3)) node.define(3, node.integer_list(groups.sizes));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
