// check_graph: checks a graph that arrived at run time - its structure, then its operators' rules.
// Flow: compile() calls both checks first; the compiler has checked static graphs by the same rules.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/boolean_bytes.hpp>
#include <nnrt/core/channel_scales.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/ir/diagnose.hpp>
#include <nnrt/ir/dump.hpp>
#include <nnrt/passes/shapes.hpp>

#include <algorithm>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

[[gnu::cold]] inline failure compiled_too_late() {
  return fail(error_code::deadline_missed, "the model was given less time than its preparation takes");
}

inline error broken_graph(const std::string& what) { return {error_code::invalid_argument, "graph: " + what}; }

inline bool lies_in(ir::range at, std::size_t pool) {
  return at.first >= 0 && at.count >= 0 &&
         static_cast<std::size_t>(at.first) + static_cast<std::size_t>(at.count) <= pool;
}

[[gnu::cold]] inline std::string at_node(const ir::graph& g, std::size_t i) {
  return "node " + std::to_string(i) + " (" + std::string(g.nodes[i].op->name) + ")";
}

/// Checks that a node's operands and results are values of the graph.
[[gnu::cold]] inline result<void> check_node_ids(const ir::graph& g, std::size_t i) {
  const auto count = static_cast<std::int32_t>(g.values.size());
  const auto complain = [&](std::string_view does, std::int32_t id) {
    return fail(broken_graph(at_node(g, i) + std::string(does) + std::to_string(id) + " of " + std::to_string(count)));
  };
  for (const std::int32_t id : g.inputs_of(g.nodes[i]))
    if (id != ir::none && (id < 0 || id >= count)) return complain(" reads value ", id);
  for (const std::int32_t id : g.outputs_of(g.nodes[i]))
    if (id < 0 || id >= count) return complain(" writes value ", id);
  return {};
}

/// Checks that the ranges of node i are within their pools.
[[gnu::cold]] inline result<void> check_node_ranges(const ir::graph& g, std::size_t i) {
  const ir::node& n = g.nodes[i];
  if (n.op == nullptr || n.label == nullptr || n.removed)
    return fail(broken_graph("node " + std::to_string(i) + " has no operator"));
  if (!lies_in(n.attrs, g.words.size()) || !lies_in(n.inputs, g.operands.size()) ||
      !lies_in(n.outputs, g.operands.size()) || !lies_in(n.name, g.text.size()))
    return fail(broken_graph(at_node(g, i) + " points outside the graph's pools"));
  if (n.outputs.count < 1) return fail(broken_graph(at_node(g, i) + " has no output"));
  return check_node_ids(g, i);
}

/// Marks a range of a pool; false if part of it was marked already.
inline bool take_range(std::vector<char>& taken, ir::range at) {
  for (std::int32_t i = at.first; i < at.first + at.count; ++i)
    if (std::exchange(taken[static_cast<std::size_t>(i)], char{1}) != 0) return false;
  return true;
}

/// Checks that no two nodes share operands or attributes: passes rewrite both in place.
[[gnu::cold]] inline result<void> check_sharing(const ir::graph& g) {
  std::vector<char> operands(g.operands.size(), 0), words(g.words.size(), 0);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    if (!take_range(operands, n.inputs) || !take_range(operands, n.outputs) || !take_range(words, n.attrs))
      return fail(broken_graph(at_node(g, i) + " shares its operands or attributes with another node"));
  }
  return {};
}

/// The error in the desc of a value; empty if there is none.
[[gnu::cold]] inline std::string fault_of(const tensor_desc& desc) {
  const auto type = static_cast<int>(desc.type), layout = static_cast<int>(desc.layout),
             mode = static_cast<int>(desc.quantised.mode);
  if (desc.shape.rank < 0 || desc.shape.rank > max_rank)
    return " has rank " + std::to_string(desc.shape.rank) + ", expected 0 to 8";
  if (type == 0) return " has no dtype";
  if (type < 0 || type >= dtype_count)
    return " has dtype " + std::to_string(type) + ", expected 1 to " + std::to_string(dtype_count - 1);
  if (layout < 0 || layout > static_cast<int>(format::nd))
    return " has format " + std::to_string(layout) + ", expected 0 to 3";
  if (mode < 0 || mode > static_cast<int>(quantisation::kind::per_channel))
    return " has quantisation " + std::to_string(mode) + ", expected 0 to 2";
  if (const auto rounding = static_cast<int>(desc.quantised.rounding); rounding < 0 || rounding >= quantised_roundings)
    return " has rounding " + std::to_string(rounding) + ", expected 0 to 1";
  for (const std::int64_t extent : desc.shape)
    if (extent < -1) return " has extent " + std::to_string(extent) + ", expected -1 (unknown) or more";
  if (desc.shape.is_known() && desc.elements() < 0) return " has more elements than memory can hold";
  return {};
}

/// Extents of inputs and results may be unknown until inputs have shapes; extents of other values must be known.
[[gnu::cold]] inline std::string fault_of_extents(const ir::value& v) {
  const bool may_be_unknown = v.is == ir::kind::input || v.is == ir::kind::result;
  return may_be_unknown || v.desc.shape.is_known() ? "" : " has unknown extents";
}

/// Whether a constant's elements are within the graph's bytes.
[[gnu::cold]] inline bool lies_in_bytes(const ir::graph& g, const ir::value& v) {
  const auto bytes = static_cast<std::int64_t>(g.bytes.size());
  return v.first_byte >= 0 && v.first_byte <= bytes && v.desc.bytes() <= bytes - v.first_byte;
}
[[gnu::cold]] inline array_ref<const std::byte> bytes_of(const ir::graph& g, const ir::value& v) {
  return array_ref<const std::byte>(g.bytes).subspan(static_cast<std::size_t>(v.first_byte),
                                                     static_cast<std::size_t>(v.desc.bytes()));
}

/// The error in the scales of a per-channel quantised value; its descs have been checked. is_right[id]: whether value
/// id was checked as scales already, since many values may share scales.
[[gnu::cold]] inline std::string fault_of_scales(const ir::graph& g, const ir::value& v, std::vector<char>& is_right) {
  if (v.desc.quantised.mode != quantisation::kind::per_channel)
    return v.scales == ir::none ? "" : " has scales, but is not quantised per channel";
  if (v.desc.quantised.axis < 0 || v.desc.quantised.axis >= v.desc.rank())
    return " is quantised along axis " + std::to_string(v.desc.quantised.axis) + ", which it has not";
  if (v.scales < 0 || static_cast<std::size_t>(v.scales) >= g.values.size())
    return " is quantised per channel, but its scales are no value";
  const ir::value& scales = g.at(v.scales);
  const bool is_known = scales.is == ir::kind::constant || scales.is == ir::kind::weight;
  // an unknown extent is checked again when it is known
  const std::int64_t extent = v.desc.shape[v.desc.quantised.axis];
  if (!is_known || scales.desc.type != f32 || scales.desc.quantised ||
      (extent >= 0 && scales.desc.elements() != extent))
    return " is quantised per channel, but its scales are not one known f32 for each index of the axis";
  // the scales of weights are checked when weights are bound
  if (scales.is != ir::kind::constant || !lies_in_bytes(g, scales)) return {};
  if (std::exchange(is_right[static_cast<std::size_t>(v.scales)], char{1}) != 0) return {};
  const std::string fault = fault_of_channel_scales(bytes_of(g, scales));
  return fault.empty() ? fault : " is quantised per channel by constant " + std::to_string(v.scales) + ": " + fault;
}

/// Checks that bytes of boolean constants are 0 or 1. Bytes that constants share are checked once.
[[gnu::cold]] inline result<void> check_booleans(const ir::graph& g) {
  std::vector<std::int32_t> ids;
  for (std::size_t id = 0; id < g.values.size(); ++id)
    if (g.values[id].is == ir::kind::constant && g.values[id].desc.type == boolean)
      ids.push_back(static_cast<std::int32_t>(id));
  std::sort(ids.begin(), ids.end(),
            [&](std::int32_t a, std::int32_t b) { return g.at(a).first_byte < g.at(b).first_byte; });
  std::size_t end = 0;  // of the checked bytes
  for (const std::int32_t id : ids) {
    const array_ref<const std::byte> bytes = bytes_of(g, g.at(id));
    const auto first = static_cast<std::size_t>(g.at(id).first_byte);
    const array_ref<const std::byte> rest = bytes.subspan(std::min(bytes.size(), end > first ? end - first : 0));
    if (first_no_boolean(rest) != rest.size())
      return fail(
          broken_graph("value " + std::to_string(id) + " is a boolean constant with a byte that is neither 0 nor 1"));
    end = std::max(end, first + bytes.size());
  }
  return {};
}

[[gnu::cold]] inline std::string fault_of(const ir::graph& g, const ir::value& v, std::vector<char>& scales_are_right) {
  if (static_cast<int>(v.is) < 0 || v.is > ir::kind::state) return " is of no kind";
  if (!lies_in(v.name, g.text.size())) return " has a name outside the graph's text";
  if (std::string fault = fault_of_extents(v); !fault.empty()) return fault;
  if (v.is == ir::kind::constant && !lies_in_bytes(g, v)) return " is a constant outside the graph's bytes";
  if (v.is == ir::kind::constant && v.first_byte % size_of(v.desc.type) != 0)
    return " is a constant whose bytes are not aligned";
  return fault_of_scales(g, v, scales_are_right);
}

[[gnu::cold]] inline result<void> check_values(const ir::graph& g, const deadline_watch& watch) {
  constexpr std::int64_t max_bytes = std::int64_t{1} << 60;  // a sum of two sizes cannot overflow then
  std::int64_t bytes = 0;
  for (std::size_t id = 0; id < g.values.size(); ++id) {
    if (watch.is_over()) return compiled_too_late();
    if (const std::string fault = fault_of(g.values[id].desc); !fault.empty())
      return fail(broken_graph("value " + std::to_string(id) + fault));
    if (!g.values[id].desc.shape.is_known()) continue;
    bytes += g.values[id].desc.bytes();
    if (bytes > max_bytes) return fail(broken_graph("has more bytes in its values than memory can hold"));
  }
  std::vector<char> scales_are_right(g.values.size(), 0);
  for (std::size_t id = 0; id < g.values.size(); ++id) {
    if (watch.is_over()) return compiled_too_late();
    if (const std::string fault = fault_of(g, g.values[id], scales_are_right); !fault.empty())
      return fail(broken_graph("value " + std::to_string(id) + fault));
  }
  return check_booleans(g);
}

/// Checks that the list of inputs has every value of that kind exactly once, and no other value.
[[gnu::cold]] inline result<void> check_inputs_of(const ir::graph& g) {
  std::vector<char> listed(g.values.size(), 0);
  for (const std::int32_t id : g.inputs) {
    if (id < 0 || static_cast<std::size_t>(id) >= g.values.size() || g.at(id).is != ir::kind::input)
      return fail(broken_graph("lists value " + std::to_string(id) + " as an input, which it is not"));
    if (std::exchange(listed[static_cast<std::size_t>(id)], char{1}) != 0)
      return fail(broken_graph("lists input " + std::to_string(id) + " twice"));
  }
  for (std::size_t id = 0; id < g.values.size(); ++id)
    if (g.values[id].is == ir::kind::input && listed[id] == 0)
      return fail(broken_graph("value " + std::to_string(id) + " is an input that the graph does not list"));
  return {};
}

/// The error in a state's initial value; empty if there is none.
[[gnu::cold]] inline std::string fault_of_initial(const ir::graph& g, const ir::state& s) {
  if (s.initial == ir::none) return {};
  if (s.initial < 0 || static_cast<std::size_t>(s.initial) >= g.values.size()) return " begins as no value";
  const ir::value& initial = g.at(s.initial);
  if (initial.is != ir::kind::constant && initial.is != ir::kind::weight)
    return " begins as a value that is neither a constant nor a weight";
  if (!ir::can_be_next(g.at(s.value).desc, initial.desc))
    return " is " + ir::to_string(g.at(s.value).desc) + ", but begins as " + ir::to_string(initial.desc);
  return {};
}

/// Checks that the list of states has every value of that kind exactly once, no other value, and no name twice.
/// check_order() and infer_graph() check the next values.
[[gnu::cold]] inline result<void> check_states(const ir::graph& g) {
  std::vector<char> listed(g.values.size(), 0);
  for (const ir::state& s : g.states) {
    if (s.value < 0 || static_cast<std::size_t>(s.value) >= g.values.size() || g.at(s.value).is != ir::kind::state)
      return fail(broken_graph("lists value " + std::to_string(s.value) + " as a state, which it is not"));
    if (std::exchange(listed[static_cast<std::size_t>(s.value)], char{1}) != 0)
      return fail(broken_graph("lists state " + std::to_string(s.value) + " twice"));
    const std::string in_words = joined({"state ", piece::in_quotes(g.name_of(g.at(s.value).name))});
    if (g.at(s.value).desc.quantised.mode == quantisation::kind::per_channel)
      return fail(broken_graph(in_words + " has a scale for each channel, expected one"));
    if (const std::string fault = fault_of_initial(g, s); !fault.empty()) return fail(broken_graph(in_words + fault));
  }
  for (std::size_t id = 0; id < g.values.size(); ++id)
    if (g.values[id].is == ir::kind::state && listed[id] == 0)
      return fail(broken_graph("value " + std::to_string(id) + " is a state that the graph does not list"));
  std::vector<std::string_view> names;
  for (const ir::state& s : g.states) names.push_back(g.name_of(g.at(s.value).name));
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    return fail(broken_graph(joined({"two states are called ", piece::in_quotes(*twice)})));
  return {};
}

/// Checks that each next value fits its state, as far as extents are known.
[[gnu::cold]] inline result<void> check_next(const ir::graph& g) {
  for (const ir::state& s : g.states) {
    const ir::value &state = g.at(s.value), &next = g.at(s.next);
    if (ir::can_be_next(state.desc, next.desc)) continue;
    return fail(broken_graph(joined({"state ", piece::in_quotes(g.name_of(state.name)), " is ",
                                     ir::to_string(state.desc), ", but becomes ", ir::to_string(next.desc)})));
  }
  return {};
}

/// Checks that every value is made exactly once, before it is read: by a node, or as an input, weight, constant or
/// state.
[[gnu::cold]] inline result<void> check_order(const ir::graph& g, const deadline_watch& watch) {
  std::vector<char> made(g.values.size(), 0);
  for (std::size_t id = 0; id < g.values.size(); ++id) made[id] = g.values[id].is != ir::kind::result ? 1 : 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    if (watch.is_over()) return compiled_too_late();
    for (const std::int32_t id : g.inputs_of(g.nodes[i]))
      if (id != ir::none && made[static_cast<std::size_t>(id)] == 0)
        return fail(broken_graph(at_node(g, i) + " reads value " + std::to_string(id) + " before it is made"));
    for (const std::int32_t id : g.outputs_of(g.nodes[i])) {
      if (made[static_cast<std::size_t>(id)] != 0)
        return fail(broken_graph(at_node(g, i) + " makes value " + std::to_string(id) + ", which is made already"));
      made[static_cast<std::size_t>(id)] = 1;
    }
  }
  for (const ir::output& out : g.outputs) {
    if (!lies_in(out.name, g.text.size())) return fail(broken_graph("an output has a name outside the graph's text"));
    if (out.value < 0 || static_cast<std::size_t>(out.value) >= g.values.size() ||
        made[static_cast<std::size_t>(out.value)] == 0)
      return fail(broken_graph("output \"" + std::string(g.name_of(out.name)) + "\" is not made by any node"));
  }
  for (const ir::state& s : g.states)
    if (s.next < 0 || static_cast<std::size_t>(s.next) >= g.values.size() ||
        made[static_cast<std::size_t>(s.next)] == 0)
      return fail(
          broken_graph(joined({"state ", piece::in_quotes(g.name_of(g.at(s.value).name)), " has no next value"})));
  return {};
}

/// Checks that the operator has a reference for the dtype: one from a static graph may have fewer than its rules allow.
[[gnu::cold]] inline result<void> check_reference(const ir::graph& g, std::size_t i) {
  const ir::node& n = g.nodes[i];
  const array_ref<const std::int32_t> inputs = g.inputs_of(n);
  const auto type_of = [&](std::size_t k) {
    return k < inputs.size() && inputs[k] != ir::none ? g.at(inputs[k]).desc.type : dtype::none;
  };
  const operator_traits& traits = n.op->traits;
  const dtype type = reference_type(traits, type_of);
  const dtype_set meant = traits.typed_in_common.empty()
                              ? n.op->inputs[static_cast<std::size_t>(traits.typed_by)].accepts
                              : traits.typed_in_common;
  if (n.op->computes_on.contains(type) || !meant.contains(type)) return {};  // the rules reject other dtypes
  return fail(broken_graph(at_node(g, i) + " is not for " + std::string(name_of(type)) +
                           ": ops::find() has the operator for every dtype"));
}

}  // namespace detail

/// Checks ids, order and sizes. Errors: invalid_argument (a graph that no builder could have made); deadline_missed.
template <class = void> [[gnu::cold]] result<void> check_graph(const ir::graph& g, const deadline_watch& watch = {}) {
  if (g.outputs.empty()) return fail(detail::broken_graph("has no output"));
  if (auto ok = detail::check_values(g, watch); !ok) return ok;
  if (auto ok = detail::check_inputs_of(g); !ok) return ok;
  if (auto ok = detail::check_states(g); !ok) return ok;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    if (watch.is_over()) return detail::compiled_too_late();
    if (auto ok = detail::check_node_ranges(g, i); !ok) return ok;
  }
  if (auto ok = detail::check_sharing(g); !ok) return ok;
  if (auto ok = detail::check_order(g, watch); !ok) return ok;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    if (watch.is_over()) return detail::compiled_too_late();
    if (auto ok = detail::check_reference(g, i); !ok) return ok;
  }
  return {};
}
NNRT_COMPILED_ONCE(result<void> check_graph<>(const ir::graph&, const deadline_watch&))

/// Runs every operator's rules over a graph that passed check_graph(), and sets the extents of its results. Errors:
/// rule_broken, as `conv2d "stem": input channels must equal weight channels times group (got 3, expected 4)`;
/// invalid_argument (results larger than memory, a next value that does not fit its state); deadline_missed.
template <class = void> [[gnu::cold]] result<void> infer_graph(ir::graph& g, const deadline_watch& watch = {}) {
  const passes::shape_inference inferred = passes::infer_shapes(g, watch);
  if (watch.is_over()) return detail::compiled_too_late();
  if (inferred) {
    auto ok = detail::check_next(g);
    return ok ? detail::check_values(g, watch) : ok;
  }
  const ir::node& n = g.nodes[static_cast<std::size_t>(inferred.node)];
  return fail(error_code::rule_broken, to_string(inferred.broken, *n.op, g.name_of(n.name)));
}
NNRT_COMPILED_ONCE(result<void> infer_graph<>(ir::graph&, const deadline_watch&))

/// infer_graph() for a copy of a declared graph. If a rule is broken, it tries again after adapt_declared() has
/// adapted axes of extent 1. Errors: as infer_graph().
[[gnu::cold]] inline result<void> infer_declared(const ir::graph& declared, ir::graph& g,
                                                 const deadline_watch& watch = {}) {
  g = declared;
  auto done = infer_graph(g, watch);
  if (done || done.error().code() != error_code::rule_broken) return done;
  g = declared;
  passes::adapt_declared(g, watch);
  return infer_graph(g, watch);
}

/// What planning requires of an inferred graph. Error: invalid_argument, which names an input with unknown extents, a
/// node or an operand. The extents of the node's result depend on values of the inputs; the operand must be constant
/// and is not.
[[gnu::cold]] inline result<void> require_known_extents(const ir::graph& g) {
  for (const std::int32_t id : g.inputs)
    if (const ir::value& in = g.at(id); !in.desc.shape.is_known())
      return fail(error_code::invalid_argument, {"input ", piece::in_quotes(g.name_of(in.name)), " is ",
                                                 ir::to_string(in.desc), ", expected known extents"});
  for (const ir::node& n : g.nodes) {
    for (const std::int32_t id : g.outputs_of(n))
      if (!g.at(id).desc.shape.is_known())
        return fail(detail::broken_graph(joined({"the result of ", n.op->name, " \"", g.name_of(n.name),
                                                 "\" has extents that do not follow from the shapes of the inputs"})));
    for (std::size_t i = 0; i < g.inputs_of(n).size(); ++i) {
      const operand_spec& row = n.op->inputs[detail::row_of(n.op->inputs, i)];
      const std::int32_t id = g.inputs_of(n)[i];
      if (row.constant && id != ir::none && g.at(id).is != ir::kind::constant)
        return fail(detail::broken_graph(joined(
            {row.role, " of ", n.op->name, " \"", g.name_of(n.name), "\" is not known before the network runs"})));
    }
  }
  return {};
}

}}  // namespace nnrt::NNRT_ISA
