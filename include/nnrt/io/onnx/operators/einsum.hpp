// einsum: readers of products with named axes and of determinants of .onnx files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/equal.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/select.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// Names of axes, in order. No term has more than 24.
struct axis_names {
  char items[24] = {};
  std::size_t count = 0;

  constexpr std::size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr char operator[](std::size_t i) const { return items[i]; }
  constexpr const char* begin() const { return items; }
  constexpr const char* end() const { return items + count; }
  constexpr bool is_full() const { return count == sizeof items; }
  constexpr void push_back(char name) {
    if (!is_full()) items[count++] = name;
  }
  constexpr bool operator==(const axis_names& other) const {
    if (count != other.count) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (items[i] != other.items[i]) return false;
    return true;
  }
};

/// A tensor and the names of its axes: letters, and numbers below 32 for the axes of an ellipsis.
struct named_tensor {
  std::int32_t id = ir::none;
  axis_names axes;

  constexpr int find(char name, std::size_t from = 0) const {
    for (std::size_t i = from; i < axes.size(); ++i)
      if (axes[i] == name) return static_cast<int>(i);
    return -1;
  }
  constexpr bool has(char name) const { return find(name) >= 0; }
  constexpr void forget(int axis) {
    axis_names rest;
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (static_cast<int>(i) != axis) rest.push_back(axes[i]);
    axes = rest;
  }
};

/// Sums x along an axis.
[[gnu::cold]] constexpr void sum_out(node_maker& node, named_tensor& x, int axis) {
  if (node.desc(x.id).shape[axis] == 1) x.id = without_axis(node, x.id, axis);
  else x.id = node.add<ops::reduce_sum>({}, {x.id, node.integer_list({axis})});
  x.forget(axis);
}
/// Orders the axes of x by these names.
[[gnu::cold]] constexpr void order_axes(node_maker& node, named_tensor& x, const axis_names& names) {
  pool<std::int64_t> order;
  for (const char name : names) order.push_back(x.find(name));
  x.id = transposed(node, x.id, order);
  x.axes = names;
}
/// Keeps the diagonal of axes with one name: other elements become 0 and are summed.
[[gnu::cold]] constexpr void take_diagonals(node_maker& node, named_tensor& x) {
  for (std::size_t i = 0; node.is_fine() && i < x.axes.size(); ++i)
    for (int k = x.find(x.axes[i], i + 1); node.is_fine() && k >= 0; k = x.find(x.axes[i], i + 1)) {
      const shape_t is = node.desc(x.id).shape;
      const std::int64_t extent = is[static_cast<int>(i)];
      if (extent < 1 || is[k] != extent)
        return node.not_supported({"a diagonal of ", is, ", expected known and equal extents"});
      node.count_copy(8 * extent);
      pool<std::int64_t> places, row, column;
      for (std::int64_t n = 0; node.is_fine() && n < extent; ++n) places.push_back(n);
      for (int n = 0; n < is.rank; ++n)
        row.push_back(n == static_cast<int>(i) ? extent : 1), column.push_back(n == k ? extent : 1);
      const std::int32_t counted = node.integer_list(places);
      const std::int32_t is_equal =
          node.add<ops::equal>({}, {reshaped(node, counted, row), reshaped(node, counted, column)});
      x.id = node.add<ops::select>({}, {is_equal, x.id, number_like(node, x.id, 0)});
      sum_out(node, x, k);
    }
}

/// Some axes of both factors of a product.
struct axis_group {
  axis_names names;
  pool<std::int64_t> extents;  // -1: unknown

  constexpr std::int64_t product() const {
    std::int64_t all = 1;
    for (const std::int64_t extent : extents) all = all < 0 || extent < 0 ? -1 : all * extent;
    return all;
  }
};
[[gnu::cold]] constexpr axis_names joined(std::initializer_list<const axis_names*> lists) {
  axis_names all;
  for (const axis_names* const list : lists)
    for (const char name : *list) all.push_back(name);
  return all;
}
/// Reshapes x to these extents, of which at most one may be unknown.
[[gnu::cold]] constexpr std::int32_t regrouped(node_maker& node, std::int32_t x, array_ref<const std::int64_t> to) {
  int unknown = 0;
  for (const std::int64_t extent : to) unknown += extent < 0 ? 1 : 0;
  if (unknown > 1) node.not_supported({"Einsum that joins axes of ", node.desc(x).shape, ", expected known extents"});
  return node.is_fine() ? reshaped(node, x, to) : ir::none;
}
/// x with the axes batch, rows, columns as matrices, and transposed when its axes are batch, columns, rows.
[[gnu::cold]] constexpr std::int32_t as_matrix(node_maker& node, named_tensor x, const axis_group& batch,
                                               const axis_group& rows, const axis_group& columns, bool& is_transposed) {
  is_transposed = x.axes == joined({&batch.names, &columns.names, &rows.names}) && !rows.names.empty();
  const axis_group &first = is_transposed ? columns : rows, &second = is_transposed ? rows : columns;
  order_axes(node, x, joined({&batch.names, &first.names, &second.names}));
  const int at = static_cast<int>(batch.names.size());
  if (first.names.size() <= 1 && second.names.size() <= 1) {
    if (first.names.empty()) x.id = with_axis(node, x.id, at);
    if (second.names.empty()) x.id = with_axis(node, x.id, at + 1);
    return x.id;
  }
  pool<std::int64_t> to;
  for (const std::int64_t extent : batch.extents) to.push_back(extent);
  to.push_back(first.product()), to.push_back(second.product());
  return regrouped(node, x.id, to);
}

/// The axes of a product by what becomes of them: in both factors and the result, in both and summed, in one factor.
struct product_axes {
  axis_group batch, summed, of_a, of_b;

  constexpr axis_names of_result() const { return joined({&batch.names, &of_a.names, &of_b.names}); }
};

/// Drops axes of extent 1 that repeat along those of the other factor. Refuses other extents that differ.
[[gnu::cold]] constexpr void drop_repeated(node_maker& node, named_tensor& a, named_tensor& b) {
  for (const char name : axis_names(a.axes)) {
    if (!b.has(name)) continue;
    const std::int64_t of_a = node.desc(a.id).shape[a.find(name)], of_b = node.desc(b.id).shape[b.find(name)];
    if (of_a == 1 && of_b != 1) a.id = without_axis(node, a.id, a.find(name)), a.forget(a.find(name));
    else if (of_b == 1 && of_a != 1) b.id = without_axis(node, b.id, b.find(name)), b.forget(b.find(name));
    else if (of_a >= 0 && of_b >= 0 && of_a != of_b)
      node.refuse(error_code::invalid_file, {"got extents ", of_a, " and ", of_b, " for one letter"});
    if (!node.is_fine()) return;
  }
}
/// Groups the axes of both factors. Those of one alone that are not `kept` are summed at once.
[[gnu::cold]] constexpr product_axes grouped_axes(node_maker& node, named_tensor& a, named_tensor& b,
                                                  const pool<char>& kept) {
  product_axes axes;
  const auto is_kept = [&](char name) {
    for (const char one : kept)
      if (one == name) return true;
    return false;
  };
  const auto extent_in = [&](const named_tensor& x, char name) { return node.desc(x.id).shape[x.find(name)]; };
  const auto put = [&](axis_group& group, const named_tensor& x, char name) {
    group.names.push_back(name);
    group.extents.push_back(extent_in(x, name));
  };
  for (const char name : axis_names(a.axes)) {
    if (!b.has(name) && !is_kept(name)) sum_out(node, a, a.find(name));
    else if (!b.has(name)) put(axes.of_a, a, name);
    else put(is_kept(name) ? axes.batch : axes.summed, extent_in(a, name) >= 0 ? a : b, name);
  }
  for (const char name : axis_names(b.axes)) {
    if (a.has(name)) continue;
    if (is_kept(name)) put(axes.of_b, b, name);
    else sum_out(node, b, b.find(name));
  }
  return axes;
}
/// Products of elements: no axis of both factors is summed.
[[gnu::cold]] constexpr std::int32_t product_of_elements(node_maker& node, named_tensor a, named_tensor b,
                                                         const product_axes& axes) {
  order_axes(node, a, joined({&axes.batch.names, &axes.of_a.names}));
  order_axes(node, b, joined({&axes.batch.names, &axes.of_b.names}));
  for (std::size_t i = 0; i < axes.of_b.names.size(); ++i)
    a.id = with_axis(node, a.id, static_cast<int>(a.axes.size()));
  for (std::size_t i = 0; i < axes.of_a.names.size(); ++i)
    b.id = with_axis(node, b.id, static_cast<int>(axes.batch.names.size()));
  return times(node, a.id, b.id);
}
/// A product of matrices, whose rows and columns are all axes of one factor.
[[gnu::cold]] constexpr std::int32_t product_of_matrices(node_maker& node, const named_tensor& a, const named_tensor& b,
                                                         const product_axes& axes) {
  ops::matmul::attrs attrs;
  const std::int32_t left = as_matrix(node, a, axes.batch, axes.of_a, axes.summed, attrs.transpose_a);
  const std::int32_t right = as_matrix(node, b, axes.batch, axes.summed, axes.of_b, attrs.transpose_b);
  std::int32_t y = node.add<ops::matmul>(attrs, {left, right});
  const int rows = static_cast<int>(axes.batch.names.size());
  if (axes.of_a.names.size() <= 1 && axes.of_b.names.size() <= 1) {
    if (axes.of_b.names.empty()) y = without_axis(node, y, rows + 1);
    if (axes.of_a.names.empty()) y = without_axis(node, y, rows);
    return y;
  }
  pool<std::int64_t> to;
  for (const axis_group* const group : {&axes.batch, &axes.of_a, &axes.of_b})
    for (const std::int64_t extent : group->extents) to.push_back(extent);
  return regrouped(node, y, to);
}
/// The product of two tensors. Axes that are not `kept` are summed.
[[gnu::cold]] constexpr named_tensor product(node_maker& node, named_tensor a, named_tensor b, const pool<char>& kept) {
  drop_repeated(node, a, b);
  if (!node.is_fine()) return {};
  const product_axes axes = grouped_axes(node, a, b, kept);
  if (!node.is_fine()) return {};
  named_tensor y;
  y.axes = axes.of_result();
  if (y.axes.size() > max_rank || axes.batch.names.size() + 2 > max_rank) {
    node.not_supported({"Einsum with ", y.axes.size(), " axes, expected at most ", max_rank});
    return {};
  }
  y.id = axes.summed.names.empty() ? product_of_elements(node, a, b, axes) : product_of_matrices(node, a, b, axes);
  return y;
}

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The terms of an equation: names of axes, where an ellipsis is one '.'.
struct einsum_equation {
  pool<axis_names> inputs;
  axis_names output;
  bool has_output = false, is_valid = true;

  explicit constexpr einsum_equation(std::string_view text) {
    inputs.push_back({});
    for (std::size_t i = 0; i < text.size(); ++i) {
      axis_names& term = has_output ? output : inputs[inputs.size() - 1];
      const char c = text[i];
      if (c == ' ') continue;
      is_valid = is_valid && !term.is_full();
      if (is_letter(c)) {
        term.push_back(c);
      } else if (c == ',' && !has_output) {
        inputs.push_back({});
      } else if (text.substr(i, 2) == "->" && !has_output) {
        has_output = true, ++i;
      } else if (text.substr(i, 3) == "...") {
        for (const char other : term) is_valid = is_valid && other != '.';
        term.push_back('.'), i += 2;
      } else {
        is_valid = false;
      }
    }
  }
  /// How often a name occurs in the terms of the inputs.
  constexpr std::size_t count_of(char name) const {
    std::size_t count = 0;
    for (const axis_names& term : inputs)
      for (const char other : term) count += other == name ? 1U : 0U;
    return count;
  }
};

}  // namespace detail

namespace detail {

/// Adds the names of `count` axes of an ellipsis, which count from its end.
constexpr void add_dots(axis_names& to, int count) {
  for (int i = count; i-- > 0;) to.push_back(static_cast<char>(i));
}
/// Factor i in the type of sums; the ellipsis of its term stands for `dots` axes.
[[gnu::cold]] constexpr named_tensor read_factor(node_reader& node, const einsum_equation& equation, std::size_t i,
                                                 std::string_view text, int& dots) {
  named_tensor x;
  x.id = node.input(i);
  if (!node.is_fine()) return x;
  const shape_t is = node.desc(x.id).shape;
  int letters = 0;
  bool has_dots = false;
  for (const char name : equation.inputs[i])
    if (name == '.') has_dots = true;
    else ++letters;
  dots = is.rank - letters;
  if (dots < 0 || (dots > 0 && !has_dots))
    node.refuse(error_code::invalid_file, {"equation: got ", piece::in_quotes(text), " for input ", i, ", ", is});
  for (const std::int64_t extent : is)
    if (extent == 0) node.not_supported({"input ", i, ": got ", is, ", expected elements"});
  if (!node.is_fine()) return x;
  for (const char name : equation.inputs[i])
    if (name == '.') add_dots(x.axes, dots);
    else x.axes.push_back(name);
  // integers wrap around
  const dtype type = node.type(x.id);
  const bool is_summed = ops::matmul::inputs[0].accepts.contains(type) && size_of(type) > 1 && type != i16;
  x.id = cast_to(node, x.id, is_summed ? type : i64);
  take_diagonals(node, x);
  return x;
}
/// The names of the result's axes; without a result in the equation, those that occur once, in alphabetical order.
[[gnu::cold]] constexpr axis_names names_of_result(node_reader& node, const einsum_equation& equation,
                                                   std::string_view text, int dots) {
  axis_names output;
  if (!equation.has_output) {
    add_dots(output, dots);
    for (int c = 'A'; c <= 'z'; ++c)
      if (is_letter(static_cast<char>(c)) && equation.count_of(static_cast<char>(c)) == 1)
        output.push_back(static_cast<char>(c));
    return output;
  }
  bool has_dots = false;
  for (const char name : equation.output) {
    has_dots = has_dots || name == '.';
    if (name == '.') add_dots(output, dots);
    else output.push_back(name);
    std::size_t twice = 0;
    for (const char other : equation.output) twice += other == name ? 1U : 0U;
    if (twice != 1 || (name != '.' && equation.count_of(name) == 0))
      node.refuse(error_code::invalid_file, {"equation: got ", piece::in_quotes(text)});
  }
  if (dots > 0 && !has_dots) node.not_supported({"a result without the ellipsis of its factors"});
  return output;
}
/// Sums the axes that the result does not have, and orders the others.
[[gnu::cold]] constexpr void finish_result(node_maker& node, named_tensor& all, const axis_names& output) {
  for (const char name : axis_names(all.axes)) {
    bool is_kept = false;
    for (const char one : output) is_kept = is_kept || one == name;
    if (!is_kept) sum_out(node, all, all.find(name));
  }
  order_axes(node, all, output);
}

}  // namespace detail

/// Einsum: products with named axes, from left to right. A name that the result does not have is summed over.
[[gnu::cold]] constexpr void read_einsum(node_reader& node) {
  const std::string_view text = node.text_attribute("equation", "");
  const detail::einsum_equation equation(text);
  if (!equation.is_valid || equation.inputs.size() != node.input_count())
    return node.refuse(error_code::invalid_file,
                       {"equation: got ", piece::in_quotes(text), " for ", node.input_count(), " inputs"});
  pool<detail::named_tensor> tensors;
  int most_dots = 0;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    int dots = 0;
    tensors.push_back(detail::read_factor(node, equation, i, text, dots));
    if (!node.is_fine()) return;
    most_dots = std::max(most_dots, dots);
  }
  const detail::axis_names output = detail::names_of_result(node, equation, text, most_dots);
  if (output.size() > std::size_t{max_rank})
    return node.not_supported({"Einsum with ", output.size(), " axes, expected at most ", max_rank});
  if (!node.is_fine() || tensors.empty()) return;
  detail::named_tensor all = tensors[0];
  for (std::size_t i = 1; node.is_fine() && i < tensors.size(); ++i) {
    pool<char> kept;
    for (const char name : output) kept.push_back(name);
    for (std::size_t k = i + 1; k < tensors.size(); ++k)
      for (const char name : tensors[k].axes) kept.push_back(name);
    all = detail::product(node, all, tensors[i], kept);
  }
  if (!node.is_fine()) return;
  detail::finish_result(node, all, output);
  node.define(0, detail::cast_to(node, all.id, node.type(node.input(0))));
}

/// Det of matrices [N…, M, M] with M <= 4, by products of minors in f64.
[[gnu::cold]] constexpr void read_det(node_reader& node) {
  const std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return;
  if (is.rank < 2 || is[-1] != is[-2] || is[-1] < 1 || is[-1] > 4)
    return node.not_supported({"input 0: got ", is, ", expected matrices of 1 to 4 rows and as many columns"});
  const std::int64_t size = is[-1];
  const std::int32_t wide = detail::cast_to(node, x, f64);
  std::int32_t elements[4][4] = {};
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int32_t row =
        node.add<ops::gather>({}, {wide, node.scalar(i64, static_cast<double>(i)), node.integer_list({is.rank - 2})});
    for (std::int64_t k = 0; k < size; ++k)
      elements[i][k] =
          node.add<ops::gather>({}, {row, node.scalar(i64, static_cast<double>(k)), node.integer_list({is.rank - 2})});
  }
  // the minor of two rows and two columns
  const auto minor = [&](int row, int a, int b) {
    return detail::minus(node, detail::times(node, elements[row][a], elements[row + 1][b]),
                         detail::times(node, elements[row][b], elements[row + 1][a]));
  };
  const auto product = [&](std::int32_t a, std::int32_t b) { return detail::times(node, a, b); };
  std::int32_t y = elements[0][0];
  if (size == 2) y = minor(0, 0, 1);
  if (size == 3)
    y = detail::plus(
        node, detail::minus(node, product(elements[0][0], minor(1, 1, 2)), product(elements[0][1], minor(1, 0, 2))),
        product(elements[0][2], minor(1, 0, 1)));
  if (size == 4) {
    const std::int32_t outer = detail::plus(node, product(minor(0, 0, 1), minor(2, 2, 3)),
                                            product(minor(0, 2, 3), minor(2, 0, 1))),
                       middle = detail::plus(node, product(minor(0, 0, 3), minor(2, 1, 2)),
                                             product(minor(0, 1, 2), minor(2, 0, 3))),
                       crossed = detail::plus(node, product(minor(0, 0, 2), minor(2, 1, 3)),
                                              product(minor(0, 1, 3), minor(2, 0, 2)));
    y = detail::minus(node, detail::plus(node, outer, middle), crossed);
  }
  node.define(0, detail::cast_to(node, y, node.type(x)));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
