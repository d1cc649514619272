// weight_paths: finds the weights from which an operand's elements come, and their positions in it.
// Flow: weight_specs.hpp follows operands back to weights through reshapes, joins and arithmetic.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/ir/graph.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// The first word of a node's attribute of this name; `otherwise` if it has none.
constexpr word attribute_word(const ir::graph& g, const ir::node& n, std::string_view name, word otherwise) {
  array_ref<const word> left = g.attrs_of(n);
  for (const attribute_field& field : n.op->label->attributes) {
    if (field.name == name) return left.empty() ? otherwise : left[0];
    left = left.subspan(words_of(field.kind, left));
  }
  return otherwise;
}

/// Whether the first operands of a node exist: its rules may not have been checked yet.
constexpr bool has_operands(const ir::graph& g, const ir::node& n, std::size_t count) {
  const auto ids = g.inputs_of(n);
  for (std::size_t i = 0; i < count; ++i)
    if (i >= ids.size() || ids[i] == ir::none) return false;
  return true;
}

/// Whether a node only converts its operand to another dtype; it may also have single constants as operands.
constexpr bool converts(const ir::graph& g, const ir::node& n) {
  const auto ids = g.inputs_of(n);
  if (ids.empty() || ids[0] == ir::none || g.outputs_of(n).size() != 1) return false;
  for (const std::int32_t id : ids.subspan(1, ids.size() - 1))
    if (id != ir::none && !(g.at(id).is == ir::kind::constant && g.at(id).desc.elements() == 1)) return false;
  const tensor_desc &from = g.at(ids[0]).desc, &to = g.at(g.outputs_of(n)[0]).desc;
  return from.type != to.type && from.shape == to.shape;
}

/// Position of a value's elements in the followed operand: element e is at base + e / run * stride + e % run.
struct weight_path {
  std::int64_t run = 0, stride = 0, base = 0;
  bool is_followed = true;  // false: elements are cut, moved or computed on the way, so that the formula does not hold
  bool keeps_axes = true;   // it has the operand's axes, and was joined along the first axis only
  bool is_transposed = false;  // it was transposed on the way: the network sets the order of axes

  constexpr weight_path lost() const { return {run, stride, base, false, false, is_transposed}; }
  friend constexpr bool operator==(const weight_path&, const weight_path&) = default;
};

/// The path of elements [begin, begin + part * rows) of a value with `elements` elements, whose rows of `part` elements
/// begin every `row` elements.
constexpr weight_path part_of(const weight_path& whole, std::int64_t elements, std::int64_t begin, std::int64_t part,
                              std::int64_t row) {
  weight_path at = whole;
  const std::int64_t rows = row > 0 ? elements / row : 0;
  if (!whole.is_followed || part < 1 || rows < 1) return whole.lost();
  if (whole.run >= elements) {  // the value is contiguous in the operand
    at.run = part, at.stride = row, at.base = whole.base + begin;
    if (rows == 1) at.stride = part;
    return at;
  }
  const auto place = [&](std::int64_t e) { return whole.base + e / whole.run * whole.stride + e % whole.run; };
  if (rows == 1) {
    const bool is_within_a_run = begin / whole.run == (begin + part - 1) / whole.run,
               is_whole_runs = begin % whole.run == 0 && part % whole.run == 0;
    if (is_within_a_run) at.run = part, at.stride = part, at.base = place(begin);
    else if (is_whole_runs) at.base = place(begin);
    else return whole.lost();
    return at;
  }
  if (whole.run != row) return whole.lost();
  at.run = part, at.base = whole.base + begin;
  return at;
}

/// Finds the weights from which a value is made.
class weight_walk {
 public:
  constexpr weight_walk(const ir::graph& g, const passes::use_table& table) : g_(g), table_(table) {}

  /// Calls visit(id, path) for each weight from which this operand's elements come, once for each different path.
  template <class Visit> constexpr void follow(std::int32_t operand, Visit&& visit) {
    const std::int64_t elements = g_.at(operand).desc.elements();
    const weight_path whole = elements < 1 ? weight_path{}.lost() : weight_path{elements, elements, 0};
    if (g_.at(operand).is != ir::kind::result) {  // the most frequent case
      if (g_.at(operand).is == ir::kind::weight) visit(operand, whole);
      return;
    }
    if (state_.empty()) paths_.assign(g_.values.size(), {}), state_.assign(g_.values.size(), unseen);
    for (const std::int32_t id : touched_) state_[static_cast<std::size_t>(id)] = unseen;
    touched_.clear();
    go(operand, whole);
    while (!left_.empty()) {
      const std::int32_t id = left_.back();
      left_.pop_back();
      const weight_path at = paths_[static_cast<std::size_t>(id)];
      if (g_.at(id).is == ir::kind::weight) visit(id, at);
      else if (table_.producer_of(id) != ir::none)
        go_through(g_.nodes[static_cast<std::size_t>(table_.producer_of(id))], id, at);
    }
  }

 private:
  static constexpr unsigned char unseen = 0, followed = 1, lost = 2;

  constexpr void go(std::int32_t id, weight_path at) {
    if (id == ir::none) return;
    unsigned char& state = state_[static_cast<std::size_t>(id)];
    weight_path& before = paths_[static_cast<std::size_t>(id)];
    if (state == lost || (state == followed && at == before)) return;
    if (state == followed) at = before.lost();  // it has two positions
    if (state == unseen) touched_.push_back(id);
    state = at.is_followed ? followed : lost;
    before = at;
    left_.push_back(id);
  }

  constexpr void go_through(const ir::node& n, std::int32_t id, const weight_path& at) {
    const auto ids = g_.inputs_of(n);
    const tensor_desc& made = g_.at(id).desc;
    if (!has_operands(g_, n, 1)) return;
    if (converts(g_, n)) return go(ids[0], at);
    if (n.op->traits.result == storage::alias_of_input) {
      weight_path reshaped = at;
      reshaped.keeps_axes = at.keeps_axes && g_.at(ids[0]).desc.shape == made.shape;
      return go(ids[0], reshaped);
    }
    if (n.op->traits.in_files == file_order::joined && made.shape.is_known())
      return go_through_joint(n, made.shape, at);
    if (n.op->traits.result == storage::in_place && g_.outputs_of(n).size() == 1) {
      for (const std::int32_t from : ids) {
        if (from == ir::none) continue;
        const shape_t& shape = g_.at(from).desc.shape;
        if (shape == made.shape) go(from, at);
        else if (shape.elements() != 1) go(from, at.lost());
      }
      return;
    }
    weight_path elsewhere = at.lost();
    elsewhere.is_transposed = n.op->inputs.size() > 1 && n.op->inputs[1].role == "perm";
    for (const std::int32_t from : ids) go(from, elsewhere);
  }

  constexpr void go_through_joint(const ir::node& n, const shape_t& made, const weight_path& at) {
    const auto ids = g_.inputs_of(n);
    const int axis = normalise_axis(attribute_word(g_, n, "axis", 0), made.rank);
    if (axis < 0) return;
    const std::int64_t row = made.elements(axis), elements = made.elements();
    std::int64_t begin = 0;
    for (const std::int32_t from : ids) {
      if (from == ir::none) continue;
      const shape_t& shape = g_.at(from).desc.shape;
      const std::int64_t part = shape.rank == made.rank       ? shape.elements(axis)
                                : shape.rank + 1 == made.rank ? made.elements(axis + 1)
                                                              : 0;
      weight_path joined = part_of(at, elements, begin, part, row);
      joined.keeps_axes = at.keeps_axes && axis == 0 && shape.rank == made.rank;
      go(from, joined);
      begin += part;
    }
  }

  const ir::graph& g_;
  const passes::use_table& table_;
  pool<weight_path> paths_;
  pool<unsigned char> state_;
  pool<std::int32_t> left_, touched_;
};

}}}  // namespace nnrt::NNRT_ISA::detail
