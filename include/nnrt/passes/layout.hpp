// layout: moves transposes towards the end of a graph, where they cancel, become reshapes or are fewer.
// Flow: optimise() runs it after constants are evaluated. How a transpose passes an operator is a trait of that
// operator.
#pragma once

#include <nnrt/core/deadline.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/passes/eliminate.hpp>
#include <nnrt/passes/fold.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

namespace detail {

/// An order of axes: axis i of a transposed tensor is axis axes[i] of its source.
struct axis_order {
  int rank = 0;
  int axes[max_rank] = {};

  constexpr int operator[](int i) const { return axes[i]; }
  constexpr bool is_identity() const {
    for (int i = 0; i < rank; ++i)
      if (axes[i] != i) return false;
    return true;
  }
  friend constexpr bool operator==(const axis_order& a, const axis_order& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (a.axes[i] != b.axes[i]) return false;
    return true;
  }
  /// The shape of the source of a tensor of this shape.
  constexpr shape_t source_of(const shape_t& y) const {
    shape_t source = y;
    for (int i = 0; i < rank; ++i) source[axes[i]] = y[i];
    return source;
  }
  /// Whether axes with more than one element keep their order: then a transpose moves no element.
  constexpr bool keeps_elements(const shape_t& y) const {
    int last = -1;
    for (int i = 0; i < rank; ++i) {
      if (y[i] == 1) continue;
      if (axes[i] < last) return false;
      last = axes[i];
    }
    return true;
  }
};

/// A value that is a transpose of `source`; none: it is not.
struct transposed_value {
  std::int32_t source = ir::none;
  axis_order order;
};

/// One run of sink_transposes on a graph.
class transpose_sinking {
 public:
  constexpr transpose_sinking(ir::graph& g, array_ref<const operator_info* const> operators)
      : g_(g), operators_(operators), given_(g.values.size()), known_(known_values(g)), to_(identity_of(g)) {
    is_output_.assign(given_, 0);
    for (const ir::output& out : g.outputs) is_output_[static_cast<std::size_t>(out.value)] = 1;
    of_.assign(g.values.size(), transposed_value());
    flat_.assign(g.values.size(), transposed_value());
  }
  /// Rewrites all nodes. Returns false after the deadline.
  constexpr bool run(const deadline_watch& watch) {
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      if (watch.is_over()) return false;
      ir::node n = g_.nodes[i];
      for (std::int32_t& id : g_.inputs_of(n))
        if (id != ir::none) id = to_[static_cast<std::size_t>(id)];
      rewrite(n);
    }
    g_.nodes = static_cast<pool<ir::node>&&>(made_);
    redirect(g_, to_);
    return true;
  }

 private:
  constexpr bool is_known(std::int32_t id) const { return known_[static_cast<std::size_t>(id)] != 0; }
  constexpr const transposed_value& of(std::int32_t id) const { return of_[static_cast<std::size_t>(id)]; }
  constexpr std::int32_t add_value(const ir::value& v, bool known) {
    known_.push_back(known ? 1 : 0), is_output_.push_back(0);
    of_.push_back({}), flat_.push_back({});
    const std::int32_t id = g_.add_value(v);
    to_.push_back(id);
    return id;
  }
  constexpr std::int32_t add_integers(array_ref<const std::int64_t> list) {
    const std::int32_t id = g_.add_constant<std::int64_t>({i64, {static_cast<std::int64_t>(list.size())}}, list);
    known_.push_back(1), is_output_.push_back(0);
    of_.push_back({}), flat_.push_back({});
    to_.push_back(id);
    return id;
  }
  /// The integers of a constant; false when they are not known.
  constexpr bool read(std::int32_t id, pool<std::int64_t>& list) const {
    if (id == ir::none || g_.at(id).is != ir::kind::constant) return false;
    ir::append_integers(g_, g_.at(id), list);
    return static_cast<std::int64_t>(list.size()) == g_.at(id).desc.elements();
  }

  /// The result of find(). Not a pointer alone: with its sanitizer, g++ does not compare pointers to variable templates
  /// in constant evaluation.
  struct found_operator {
    const operator_info* op = nullptr;
    bool is_there = false;
    constexpr explicit operator bool() const { return is_there; }
    constexpr const operator_info& operator*() const { return *op; }
  };
  /// An operator of the graph, or one of the given ones, that has this code and computes on this dtype. Static graphs
  /// instantiate operators for the dtypes that they name.
  constexpr found_operator find(op_code code, dtype type) const {
    for (const ir::node& n : g_.nodes)
      if (n.op->code == code && n.op->computes_on.contains(type)) return {n.op, true};
    for (const operator_info* const op : operators_)
      if (op->code == code && op->computes_on.contains(type)) return {op, true};
    return {};
  }
  /// Adds a node without attributes.
  constexpr void push(const operator_info& op, array_ref<const std::int32_t> inputs, std::int32_t y, ir::range name) {
    ir::node n;
    n.op = &op, n.label = op.label, n.name = name;
    n.inputs = g_.add_operands(inputs);
    n.outputs = g_.add_operands(array_ref<const std::int32_t>(&y, 1));
    made_.push_back(n);
  }
  /// Makes y from x, whose elements are the same in the same order. Adds nothing when `y` can be `x`: outputs of the
  /// graph keep their formats. Returns false when no node can do it.
  constexpr bool push_same(std::int32_t x, std::int32_t y, ir::range name) {
    char& is_wanted = is_output_[static_cast<std::size_t>(x)];
    const format own = g_.at(y).desc.layout;
    const bool has_format = is_output_[static_cast<std::size_t>(y)] == 0 || g_.at(x).desc.layout == own;
    const bool is_made_here = static_cast<std::size_t>(x) >= given_ && is_wanted == 0;
    if (has_format || is_made_here) {
      if (!has_format) g_.at(x).desc.layout = own;
      is_wanted = is_wanted | is_output_[static_cast<std::size_t>(y)] ? 1 : 0;
      to_[static_cast<std::size_t>(y)] = x;
      return true;
    }
    const found_operator reshape = find(ops::reshape::code, g_.at(x).desc.type);
    const shape_t shape = g_.at(y).desc.shape;
    if (!reshape || !shape.is_known() || shape.elements() == 0) return false;
    const std::int32_t operands[] = {x, add_integers(std::span(shape.begin(), shape.end()))};
    push(*reshape, operands, y, name);
    return true;
  }
  constexpr void push_transpose(std::int32_t x, const axis_order& order, std::int32_t y, ir::range name) {
    const dtype type = g_.at(x).desc.type;
    pool<std::int64_t> list;
    const found_operator reshape = find(ops::reshape::code, type);
    const shape_t shape = g_.at(y).desc.shape;
    int unknown = 0;
    for (const std::int64_t extent : shape) unknown += extent < 0 ? 1 : 0;
    const bool is_alias = reshape && unknown <= 1 && shape.elements() != 0 && order.keeps_elements(shape);
    if (is_alias) list.insert(shape.begin(), shape.end());
    else
      for (int i = 0; i < order.rank; ++i) list.push_back(order[i]);
    const std::int32_t operands[] = {x, add_integers(list)};
    push(is_alias ? *reshape : *find(ops::transpose::code, type), operands, y, name);
    of_[static_cast<std::size_t>(y)] = {x, order};
  }

  /// Passes a transpose through: merged with the one before, or dropped when both cancel.
  constexpr void rewrite_transpose(const ir::node& n) {
    const std::int32_t x = g_.inputs_of(n)[0], y = g_.outputs_of(n)[0];
    pool<std::int64_t> list;
    axis_order order;
    order.rank = g_.at(x).desc.rank();
    if (!read(g_.inputs_of(n)[1], list) || static_cast<int>(list.size()) != order.rank) return made_.push_back(n);
    for (int i = 0; i < order.rank; ++i) order.axes[i] = normalise_axis(list[static_cast<std::size_t>(i)], order.rank);
    transposed_value whole{x, order};
    if (const transposed_value& before = of(x); before.source != ir::none) {
      whole.source = before.source;
      for (int i = 0; i < order.rank; ++i) whole.order.axes[i] = before.order[order[i]];
    }
    if (whole.order.is_identity()) {
      if (!push_same(whole.source, y, n.name)) made_.push_back(n);
      return;
    }
    push_transpose(whole.source, whole.order, y, n.name);
  }

  /// The operand `id` of an elementwise node over transposed operands, in the source's order; none: there is none.
  constexpr std::int32_t in_source_order(std::int32_t id, const axis_order& order, ir::range name) {
    const tensor_desc desc = g_.at(id).desc;
    if (of(id).source != ir::none && of(id).order == order) return of(id).source;
    if (desc.shape.is_known() && desc.elements() == 1 && desc.rank() <= order.rank) return id;
    if (!is_known(id) || !desc.shape.is_known() || desc.rank() > order.rank || g_.at(id).scales != ir::none)
      return ir::none;
    // leading axes of extent 1, as broadcasting adds them
    shape_t padded;
    for (int i = desc.rank(); i < order.rank; ++i) padded.push_back(1);
    for (const std::int64_t extent : desc.shape) padded.push_back(extent);
    shape_t source = order.source_of(padded);
    const bool keeps_elements = order.keeps_elements(padded);
    while (keeps_elements && source.rank > 1 && source[0] == 1) {  // a vector along the last axis is a bias
      for (int i = 1; i < source.rank; ++i) source[i - 1] = source[i];
      --source.rank;
    }
    const tensor_desc made{desc.type, default_format(source.rank), source, desc.quantised};
    if (g_.at(id).is == ir::kind::constant && keeps_elements) {
      ir::value v = g_.at(id);
      v.desc = made;
      return add_value(v, true);
    }
    const found_operator reshape = find(ops::reshape::code, desc.type);
    if (!reshape && (keeps_elements || desc.rank() < order.rank)) return ir::none;
    if (keeps_elements) return reshaped(*reshape, id, made, name);
    const found_operator transpose = find(ops::transpose::code, desc.type);
    if (!transpose) return ir::none;
    std::int32_t x = id;
    if (desc.rank() < order.rank)
      x = reshaped(*reshape, id, {desc.type, default_format(padded.rank), padded, desc.quantised}, name);
    pool<std::int64_t> inverse;
    inverse.assign(static_cast<std::size_t>(order.rank), 0);
    for (int i = 0; i < order.rank; ++i) inverse[static_cast<std::size_t>(order[i])] = i;
    const std::int32_t y = add_value({made, ir::kind::result, {}, 0, ir::none}, true);
    const std::int32_t operands[] = {x, add_integers(inverse)};
    push(*transpose, operands, y, name);
    return y;
  }
  /// A known value with another shape, by a node that is executed when weights are prepared.
  constexpr std::int32_t reshaped(const operator_info& reshape, std::int32_t x, const tensor_desc& to, ir::range name) {
    const std::int32_t y = add_value({to, ir::kind::result, {}, 0, ir::none}, is_known(x));
    pool<std::int64_t> shape;
    shape.insert(to.shape.begin(), to.shape.end());
    const std::int32_t operands[] = {x, add_integers(shape)};
    push(reshape, operands, y, name);
    return y;
  }

  /// Adds `n` with these operands and words; its results, in the order and format of `source`, are transposed by
  /// `order`.
  constexpr void push_in_source_order(const ir::node& n, array_ref<const std::int32_t> inputs,
                                      array_ref<const word> words, const axis_order& order, std::int32_t source) {
    const tensor_desc like = g_.at(source).desc;
    ir::node made = n;
    made.inputs = g_.add_operands(inputs);
    made.attrs = g_.add_words(words);
    pool<std::int32_t> results;
    for (const std::int32_t y : g_.outputs_of(n)) {
      ir::value v = g_.at(y);
      v.desc.shape = order.source_of(v.desc.shape);
      v.desc.layout = v.desc.rank() == like.rank() ? like.layout : default_format(v.desc.rank());
      results.push_back(order.is_identity() ? y : add_value(v, false));
    }
    made.outputs = g_.add_operands(results);
    made_.push_back(made);
    if (order.is_identity()) return;
    const pool<std::int32_t> outputs = copied(g_.outputs_of(n));
    for (std::size_t i = 0; i < outputs.size(); ++i) push_transpose(results[i], order, outputs[i], n.name);
  }
  template <class T> static constexpr pool<T> copied(array_ref<const T> list) {
    pool<T> made;
    made.insert(list.begin(), list.end());
    return made;
  }
  static constexpr pool<std::int32_t> copied(array_ref<std::int32_t> list) {
    return copied(array_ref<const std::int32_t>(list.data(), list.size()));
  }

  constexpr bool has_one_scale(const ir::node& n) const {
    for (const std::int32_t y : g_.outputs_of(n))
      if (g_.at(y).desc.quantised.mode == quantisation::kind::per_channel) return false;
    return true;
  }
  /// The transpose that all data operands of an elementwise node share.
  constexpr bool rewrite_elementwise(const ir::node& n) {
    const std::int32_t y = g_.outputs_of(n)[0];
    const pool<std::int32_t> inputs = copied(g_.inputs_of(n));
    axis_order order;
    std::int32_t source = ir::none;
    for (const std::int32_t id : inputs)
      if (id != ir::none && of(id).source != ir::none && of(id).order.rank == g_.at(y).desc.rank())
        order = of(id).order, source = of(id).source;
    if (order.rank == 0 || n.outputs.count != 1 || !has_transpose(g_.at(y).desc.type)) return false;
    // an operand that is neither transposed nor known would need a further transpose
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::none || is_constant_operand(n, i)) continue;
      const tensor_desc& desc = g_.at(inputs[i]).desc;
      const bool is_one = desc.shape.is_known() && desc.elements() == 1 && desc.rank() <= order.rank;
      const bool fits = of(inputs[i]).source != ir::none && of(inputs[i]).order == order;
      if (!fits && !is_one && !is_known(inputs[i])) return false;
    }
    pool<std::int32_t> moved;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool stays = inputs[i] == ir::none || is_constant_operand(n, i);
      moved.push_back(stays ? inputs[i] : in_source_order(inputs[i], order, n.name));
      if (!stays && moved[i] == ir::none) return false;
    }
    push_in_source_order(n, moved, copied(array_ref<const word>(g_.attrs_of(n))), order, source);
    return true;
  }
  constexpr bool has_transpose(dtype type) const { return find(ops::transpose::code, type).is_there; }
  static constexpr bool is_constant_operand(const ir::node& n, std::size_t i) {
    const std::size_t row = nnrt::detail::row_of(n.op->inputs, i);
    return row < n.op->inputs.size() && n.op->inputs[row].constant;
  }

  /// Nodes with axes among their attributes or constant operands.
  constexpr bool rewrite_axes(const ir::node& n) {
    const pool<std::int32_t> inputs = copied(g_.inputs_of(n));
    if (inputs.empty() || inputs[0] == ir::none || of(inputs[0]).source == ir::none) return false;
    const transposed_value x = of(inputs[0]);
    const int rank = x.order.rank;
    if (!has_transpose(g_.at(g_.outputs_of(n)[0]).desc.type)) return false;
    pool<word> words = copied(array_ref<const word>(g_.attrs_of(n)));
    pool<std::int32_t> moved = inputs;
    moved[0] = x.source;
    axis_order order = x.order;
    const auto renamed = [&](std::int64_t axis) -> std::int64_t {
      const int found = normalise_axis(axis, rank);
      return found < 0 ? -1 : x.order[found];
    };
    switch (n.op->traits.axes) {
      case axis_role::fixed:
      case axis_role::elementwise: return false;
      case axis_role::first_attribute:
        words[0] = renamed(words[0]);
        for (std::size_t i = 1; i < moved.size(); ++i) {
          if (of(inputs[i]).source == ir::none || !(of(inputs[i]).order == order)) return false;
          moved[i] = of(inputs[i]).source;
        }
        break;
      case axis_role::listed: {
        const std::size_t first = 2;  // after another attribute and the length of the list
        if (words.size() < first || rank == 0) return false;
        if (words[first - 1] == 0) words[first - 1] = 1, words.push_back(-1);  // an empty list is the last axis
        for (std::size_t i = first; i < words.size(); ++i) words[i] = renamed(words[i]);
        break;
      }
      case axis_role::reduced:
        if (!rename_reduced(moved, words, x.order, order)) return false;
        break;
      case axis_role::padded: {
        pool<std::int64_t> list, made;
        if (!read(moved[1], list) || static_cast<int>(list.size()) != 2 * rank) return false;
        made = list;
        for (int i = 0; i < 2 * rank; ++i)
          made[static_cast<std::size_t>(2 * x.order[i / 2] + i % 2)] = list[static_cast<std::size_t>(i)];
        moved[1] = add_integers(made);
        break;
      }
      case axis_role::strided:
        if (!rename_strided(moved, words, x.order)) return false;
        break;
      case axis_role::gathered: {
        pool<std::int64_t> axis;
        if (!read(moved[2], axis) || axis.size() != 1 || g_.at(moved[1]).desc.rank() != 1) return false;
        axis[0] = renamed(axis[0]);
        moved[2] = add_integers(axis);
        break;
      }
    }
    push_in_source_order(n, moved, words, order, x.source);
    return true;
  }
  /// Renames the axes of a reduction; `order` becomes the one of the result.
  constexpr bool rename_reduced(pool<std::int32_t>& moved, const pool<word>& words, const axis_order& of_x,
                                axis_order& order) {
    const bool keeps = words[0] != 0, to_end = words.size() > 1 && words[1] != 0;
    const int rank = of_x.rank;
    bool is_reduced[max_rank] = {};
    if (to_end) return false;
    pool<std::int64_t> list;
    if (moved.size() > 1 && moved[1] != ir::none) {
      if (!read(moved[1], list)) return false;
      for (std::int64_t& axis : list) {
        const int found = normalise_axis(axis, rank);
        if (found < 0) return false;
        is_reduced[found] = true;
        axis = of_x[found];
      }
      if (!list.empty()) moved[1] = add_integers(list);
    }
    if (list.empty())
      for (bool& one : is_reduced) one = true;
    if (keeps) return true;
    order = {};
    int place[max_rank] = {};  // of axes of the source in the result
    int count = 0;
    for (int s = 0; s < rank; ++s)
      for (int i = 0; i < rank; ++i)
        if (of_x[i] == s && !is_reduced[i]) place[s] = count++;
    for (int i = 0; i < rank; ++i)
      if (!is_reduced[i]) order.axes[order.rank++] = place[of_x[i]];
    return true;
  }
  constexpr bool rename_strided(pool<std::int32_t>& moved, pool<word>& words, const axis_order& of_x) {
    const int rank = of_x.rank;
    if (words.size() != 5 || words[2] != 0 || words[3] != 0 || words[4] != 0) return false;
    for (std::size_t k = 1; k < 4; ++k) {
      pool<std::int64_t> list, made;
      if (!read(moved[k], list) || static_cast<int>(list.size()) != rank) return false;
      made = list;
      for (int i = 0; i < rank; ++i) made[static_cast<std::size_t>(of_x[i])] = list[static_cast<std::size_t>(i)];
      moved[k] = add_integers(made);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      word mask = 0;
      for (int i = 0; i < rank; ++i)
        if ((words[k] >> i & 1) != 0) mask |= word{1} << of_x[i];
      words[k] = mask;
    }
    return true;
  }

  /// A reshape of a transpose that moves no element is one of its source. One to a matrix is remembered for the dense
  /// layer that reads it.
  constexpr void rewrite_reshape(const ir::node& n) {
    const std::int32_t x = g_.inputs_of(n)[0], y = g_.outputs_of(n)[0];
    const transposed_value before = of(x);
    if (before.source == ir::none) return made_.push_back(n);
    const shape_t is = g_.at(x).desc.shape, to = g_.at(y).desc.shape;
    if (before.order.keeps_elements(is)) {
      pool<std::int32_t> inputs = copied(g_.inputs_of(n));
      inputs[0] = before.source;
      ir::node made = n;
      made.inputs = g_.add_operands(inputs);
      return made_.push_back(made);
    }
    made_.push_back(n);
    bool is_matrix = to.rank == 2 && before.order[0] == 0 && to[0] == is[0] && to[1] >= 0;
    for (int i = 1; i < is.rank; ++i) is_matrix = is_matrix && is[i] >= 0;
    if (is_matrix) flat_[static_cast<std::size_t>(y)] = {x, before.order};
  }
  /// A dense layer over the elements of a transposed tensor: its columns are put in the order of the source.
  constexpr bool rewrite_dense(const ir::node& n) {
    const pool<std::int32_t> inputs = copied(g_.inputs_of(n));
    const transposed_value flat = flat_[static_cast<std::size_t>(inputs[0])];
    if (flat.source == ir::none || !is_known(inputs[1]) || g_.at(inputs[1]).scales != ir::none) return false;
    const tensor_desc weight = g_.at(inputs[1]).desc;
    const found_operator of_weight = find(ops::reshape::code, weight.type);
    const found_operator of_x = find(ops::reshape::code, g_.at(inputs[0]).desc.type);
    if (!of_weight || !of_x || !has_transpose(weight.type) || weight.rank() != 2) return false;
    const shape_t is = g_.at(flat.source).desc.shape;  // in y's order
    shape_t split{weight.shape[0]};
    for (int i = 1; i < is.rank; ++i) split.push_back(is[i]);
    const shape_t moved = flat.order.source_of(split);
    const auto like_weight = [&](const shape_t& shape) {
      return tensor_desc{weight.type, default_format(shape.rank), shape, weight.quantised};
    };
    pool<std::int64_t> inverse;
    inverse.assign(static_cast<std::size_t>(is.rank), 0);
    for (int i = 0; i < is.rank; ++i) inverse[static_cast<std::size_t>(flat.order[i])] = i;
    const std::int32_t parts = reshaped(*of_weight, inputs[1], like_weight(split), n.name);
    const std::int32_t turned = add_value({like_weight(moved), ir::kind::result, {}, 0, ir::none}, true);
    const std::int32_t operands[] = {parts, add_integers(inverse)};
    push(*find(ops::transpose::code, weight.type), operands, turned, n.name);
    const std::int32_t columns = reshaped(*of_weight, turned, like_weight(weight.shape), n.name);
    const tensor_desc rows = g_.at(inputs[0]).desc;
    pool<std::int32_t> operands_of_layer = inputs;
    operands_of_layer[0] = reshaped(*of_x, of(flat.source).source, rows, n.name);
    operands_of_layer[1] = columns;
    ir::node made = n;
    made.inputs = g_.add_operands(operands_of_layer);
    made_.push_back(made);
    return true;
  }

  constexpr void rewrite(const ir::node& n) {
    bool is_prepared = true;
    for (const std::int32_t id : g_.inputs_of(n)) is_prepared = is_prepared && (id == ir::none || is_known(id));
    if (is_prepared || n.inputs.count == 0) return made_.push_back(n);
    if (n.op->code == ops::transpose::code) return rewrite_transpose(n);
    if (n.op->code == ops::reshape::code) return rewrite_reshape(n);
    if (n.op->code == ops::full_connection::code && rewrite_dense(n)) return;
    if (n.op->traits.axes == axis_role::fixed || !has_one_scale(n)) return made_.push_back(n);
    const bool is_done = n.op->traits.axes == axis_role::elementwise ? rewrite_elementwise(n) : rewrite_axes(n);
    if (!is_done) made_.push_back(n);
  }

  ir::graph& g_;
  array_ref<const operator_info* const> operators_;
  std::size_t given_;  // number of values before the run
  pool<char> known_, is_output_;
  pool<std::int32_t> to_;        // what each value became
  pool<transposed_value> of_;    // for each value
  pool<transposed_value> flat_;  // for each value: the transposed value whose elements it lists in rows
  pool<ir::node> made_;
};

/// Bytes that the transposes of a graph move in a run; unknown extents count as 64.
constexpr std::int64_t transposed_bytes(const ir::graph& g) {
  const pool<char> known = known_values(g);
  std::int64_t bytes = 0;
  for (const ir::node& n : g.nodes) {
    const std::int32_t y = g.outputs_of(n)[0];
    if (n.op->code != ops::transpose::code || known[static_cast<std::size_t>(y)] != 0) continue;
    std::int64_t of_one = size_of(g.at(y).desc.type);
    for (const std::int64_t extent : g.at(y).desc.shape)
      of_one = nnrt::detail::saturated_product(of_one, extent < 0 ? 64 : extent);
    bytes += of_one;
  }
  return bytes;
}

}  // namespace detail

/// Moves transposes through the operators after them, which then compute in the order of the source: element by
/// element, along renamed axes, with constants transposed. Transposes that meet their inverse disappear; a dense layer
/// takes one into its weights. The graph changes only if fewer bytes are transposed. `operators` are transposes and
/// reshapes of dtypes for which the graph has none. Returns false after the deadline.
constexpr bool sink_transposes(ir::graph& g, array_ref<const operator_info* const> operators = {},
                               const deadline_watch& watch = {}) {
  const std::int64_t before = detail::transposed_bytes(g);
  if (before == 0) return true;
  ir::graph moved = g;
  if (!detail::transpose_sinking(moved, operators).run(watch)) return false;
  const std::size_t events = moved.log.size();
  if (!remove_dead_nodes(moved, watch)) return false;
  if (detail::transposed_bytes(moved) >= before) return true;
  while (moved.log.size() > events) moved.log.pop_back();
  g = static_cast<ir::graph&&>(moved);
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::passes
