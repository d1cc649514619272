// idioms: replaces what exporters write as several nodes by the operator that computes the same.
// Flow: optimise() runs it before transposes are moved and after; idiom_table.hpp has the
// patterns.
#pragma once

#include <nnrt/core/deadline.hpp>
#include <nnrt/passes/idiom_matcher.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Operators that a pass may add to a graph. A static graph has those that its idioms need; other graphs have all of
/// the table.
struct idiom_operators {
  array_ref<const operator_info* const> list;
  /// If given, nothing is replaced: receives the operators that the list would need.
  pool<typed_operator>* wanted = nullptr;
};

namespace detail {

/// Which operators a graph has, by code; others than those of the tables need not be known.
struct present_operators {
  bool has[128] = {};

  constexpr explicit present_operators(const ir::graph& g) {
    for (const ir::node& n : g.nodes)
      if (static_cast<std::size_t>(n.op->code) < 128) has[static_cast<std::size_t>(n.op->code)] = true;
  }
  template <class... Ops> constexpr bool any() const { return (has[static_cast<std::size_t>(Ops::code)] || ...); }
  /// Whether a term may occur.
  constexpr bool allows(const term& t) const {
    switch (t.is) {
      case term_kind::capture:
      case term_kind::clamp:
      case term_kind::at_least:
      case term_kind::inverse: return true;
      case term_kind::product:
        return any<ops::mul, ops::div, ops::neg, ops::square, ops::pow, ops::reciprocal, ops::rsqrt>();
      case term_kind::sum: return any<ops::add, ops::sub>();
      case term_kind::function:
        return t.code == ops::sqrt::code ? any<ops::sqrt, ops::rsqrt, ops::pow>()
                                         : has[static_cast<std::size_t>(t.code)];
      case term_kind::difference:
      case term_kind::reduction: return has[static_cast<std::size_t>(t.code)];
    }
    __builtin_unreachable();
  }
  constexpr bool allows(const idiom& row) const {
    if (!row.is_formula()) return any<ops::transpose>() && any<ops::reshape>();
    for (int i = 0; i < row.written->count; ++i)
      if (!allows(row.written->terms[i])) return false;
    return true;
  }
};

/// Whether a graph has all operators of an idiom, and not the one that replaces it, for each of its real dtypes.
constexpr bool may_need_operators(const ir::graph& g) {
  const present_operators present(g);
  for (const idiom& row : idiom_table) {
    if (!present.allows(row)) continue;
    for (const dtype type : {f32, f16, f64}) {
      bool is_used = !row.is_formula(), is_there = false;
      for (const ir::node& n : g.nodes) {
        is_used = is_used || g.at(g.outputs_of(n)[0]).desc.type == type;
        is_there = is_there || (row.is_formula() && n.op->code == row.result && n.op->computes_on.contains(type));
      }
      if (is_used && !is_there) return true;
    }
  }
  return false;
}

/// One run of find_idioms on a graph.
class idiom_search {
 public:
  constexpr idiom_search(ir::graph& g, const idiom_operators& operators)
      : g_(g), operators_(operators), table_(g), matcher_(g, table_) {
    const present_operators present(g);
    for (const idiom& row : idiom_table)
      if (present.allows(row)) rows_.push_back(&row);
    if (rows_.empty()) return;
    taken_.assign(g.nodes.size(), 0);
    for (const operator_info* op : operators.list) known_.push_back(op);
    for (const ir::node& n : g.nodes)
      if (!has_operator(n.op->code, n.op->computes_on)) known_.push_back(n.op);
  }
  /// Searches from the last node on, so that the largest match is found first. Returns false after the deadline.
  constexpr bool run(const deadline_watch& watch) {
    if (rows_.empty()) return !watch.is_over();
    for (std::size_t i = g_.nodes.size(); i-- > 0;) {
      if (watch.is_over()) return false;
      if (g_.nodes[i].removed || taken_[i] != 0 || g_.nodes[i].outputs.count != 1) continue;
      replace(static_cast<std::int32_t>(i));
    }
    insert_nodes();
    return true;
  }

 private:
  constexpr void replace(std::int32_t root) {
    for (const idiom* row : rows_) {
      const bool is_found =
          row->is_formula() ? matcher_.matches(*row->written, root) : matcher_.matches_rearrangement(*row, root);
      if (is_found && put(*row, root)) return;
    }
  }
  constexpr bool has_operator(op_code code, dtype_set types) const {
    for (const operator_info* op : known_)
      if (op->code == code && op->computes_on == types) return true;
    return false;
  }
  /// The given operator, or the graph's, with this code for this dtype: an index in known_; its size: there is none.
  constexpr std::size_t find(op_code code, dtype type) const {
    std::size_t i = 0;
    while (i < known_.size() && !(known_[i]->code == code && known_[i]->computes_on.contains(type))) ++i;
    return i;
  }

  /// Puts the row's operator in place of a match. Returns false and changes nothing where it computes something else.
  constexpr bool put(const idiom& row, std::int32_t root) {
    const partial_match m = matcher_.found();
    const dtype type = g_.at(m.found.values[0]).desc.type;
    const std::size_t values = g_.values.size(), bytes = g_.bytes.size(), first = added_.size();
    const ir::node n = g_.nodes[static_cast<std::size_t>(root)];
    idiom_result made;
    bool is_done = row.write(made, g_, n, m.found);
    if (is_done) {
      const std::size_t op = find(row.result, type);
      const bool is_there = op < known_.size();
      if (!is_there && operators_.wanted != nullptr) want({row.result, type}, m);
      is_done = is_there && operators_.wanted == nullptr && add_nodes(row, *known_[op], made, root);
    }
    if (is_done) {
      finish(m, root, first);
      return true;
    }
    while (added_.size() > first) added_.pop_back();
    while (g_.values.size() > values) g_.values.pop_back();
    while (g_.bytes.size() > bytes) g_.bytes.pop_back();
    return false;
  }
  constexpr void want(const typed_operator& op, const partial_match& m) {
    for (int i = 0; i < m.count; ++i) taken_[static_cast<std::size_t>(m.nodes[i])] = 1;
    for (const typed_operator& known : *operators_.wanted)
      if (known == op) return;
    operators_.wanted->push_back(op);
  }

  /// Adds the node, between transposes where it needs them. The result of the last one has the desc of the root's.
  constexpr bool add_nodes(const idiom& row, const operator_info& op, idiom_result& made, std::int32_t root) {
    const std::int32_t y = g_.outputs_of(g_.nodes[static_cast<std::size_t>(root)])[0];
    if (row.is_channels_second) {
      made.operands[0] = transposed(made.operands[0], {0, 2, 3, 1});
      if (made.operands[0] == ir::none) return false;
    }
    std::int32_t last = applied(op, made.words, made.operands);
    if (row.is_channels_second && last != ir::none) last = transposed(last, {0, 3, 1, 2});
    return last != ir::none && g_.at(last).desc == g_.at(y).desc;
  }
  constexpr std::int32_t transposed(std::int32_t x, std::initializer_list<std::int64_t> order) {
    const std::size_t transpose = find(ops::transpose::code, g_.at(x).desc.type);
    if (transpose == known_.size() || g_.at(x).desc.layout != format::nhwc) return ir::none;
    const array_ref<const std::int64_t> axes(order.begin(), order.size());
    const pool<std::int32_t> operands{x, g_.add_constant<std::int64_t>({i64, {4}}, axes)};
    const std::int32_t y = applied(*known_[transpose], {}, operands);
    if (y != ir::none) g_.at(y).desc.layout = format::nhwc;  // graphs of files have no formats
    return y;
  }
  /// The result of a new node; none: it breaks a rule of its operator.
  constexpr std::int32_t applied(const operator_info& op, array_ref<const word> words,
                                 array_ref<const std::int32_t> operands) {
    const verdict v = op.infer(words, ir::operand_list(g_, operands).operands, {});
    if (!v || v.outputs.size() != 1) return ir::none;
    const std::int32_t y = g_.add_value({v.outputs[0], ir::kind::result, {}, 0, ir::none});
    ir::node n;
    n.op = &op, n.label = op.label;
    n.attrs = g_.add_words(words);
    n.inputs = g_.add_operands(operands);
    n.outputs = g_.add_operands(array_ref<const std::int32_t>(&y, 1));
    added_.push_back(n);
    return y;
  }
  /// The last added node takes the place of the root; the others of the match are removed.
  constexpr void finish(const partial_match& m, std::int32_t root, std::size_t first) {
    ir::node& n = g_.nodes[static_cast<std::size_t>(root)];
    ir::node last = added_.back();
    added_.pop_back();
    last.outputs = n.outputs, last.name = n.name;
    for (int i = 0; i < m.count; ++i) {
      ir::node& old = g_.nodes[static_cast<std::size_t>(m.nodes[i])];
      g_.log.push_back({ir::change::fused, old.label, last.label, n.name});
      old.removed = true;
    }
    for (std::size_t i = first; i < added_.size(); ++i) added_[i].name = n.name, places_.push_back(root);
    n = last;
    has_changed_ = true;
  }
  /// Puts the added transposes before the nodes that read them, and drops the removed nodes.
  constexpr void insert_nodes() {
    if (!has_changed_) return;
    pool<ir::node> ordered;
    ordered.reserve(g_.nodes.size() + added_.size());
    std::size_t next = added_.size();  // places descend
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      std::size_t first = next;
      while (first > 0 && places_[first - 1] == static_cast<std::int32_t>(i)) --first;
      for (std::size_t k = first; k < next; ++k) ordered.push_back(added_[k]);
      next = first;
      if (!g_.nodes[i].removed) ordered.push_back(g_.nodes[i]);
    }
    g_.nodes = static_cast<pool<ir::node>&&>(ordered);
  }

  ir::graph& g_;
  const idiom_operators& operators_;
  use_table table_;
  idiom_matcher matcher_;
  pool<const idiom*> rows_;           // that may occur
  pool<const operator_info*> known_;  // those given, and those of the graph
  pool<char> taken_;                  // nodes of matches whose operator is wanted
  pool<ir::node> added_;
  pool<std::int32_t> places_;  // of added nodes: before this node
  bool has_changed_ = false;
};

}  // namespace detail

/// Replaces every match of idiom_table whose operator is among `operators` or in the graph. A match has no other
/// readers of its inner values, and constants that are those of the formula up to rounding. Results change by no more
/// than the rounding of the replaced nodes. After the deadline it returns false and leaves the graph incomplete.
constexpr bool find_idioms(ir::graph& g, const idiom_operators& operators, const deadline_watch& watch = {}) {
  return detail::idiom_search(g, operators).run(watch);
}

}}}  // namespace nnrt::NNRT_ISA::passes
