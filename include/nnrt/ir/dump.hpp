// dump: graphs as text for people (shapes, attributes, one line a node) and as Graphviz pictures.
// Flow: graph<f>::text() and ::dot(), tools and error messages; run time only.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/ir/graph.hpp>

#include <limits>

#include <string>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace ir {

/// "[1, 8, 8, 16]"; an unknown extent, -1, is "?".
[[gnu::cold]] inline std::string to_string(const shape_t& shape);
/// "f32 [1, 8, 8, 16]", with quantisation where there is one.
[[gnu::cold]] inline std::string to_string(const tensor_desc& desc);
[[gnu::cold]] constexpr pool<char> letters_of(const tensor_desc& desc);
/// "stride=2x2 pad=same fused=relu": every attribute of a node by name.
[[gnu::cold]] inline std::string attributes_text(const graph& g, const node& n);
/// `conv2d "stem"`, or the operator's name alone.
[[gnu::cold]] inline std::string node_title(const graph& g, const operator_label& op, range name);
/// The changes that passes made, one line each.
[[gnu::cold]] inline std::string log_text(const graph& g);
/// The graph as a Graphviz digraph: ovals for inputs, outputs and states, boxes for nodes, shapes on the arrows.
/// Weights are named in their node. A dashed arrow leads from a state's next value to the state. `fills`: a colour for
/// each node, or none.
[[gnu::cold]] inline std::string dot(const graph& g, array_ref<const std::string_view> fills = {});

// --- details ---------------------------------------------------------------
// All text is written into pools (core/text.hpp): concatenated strings would cost compile time in every translation
// unit, even if it prints no graph.
namespace detail {

[[gnu::cold]] constexpr void append_extents(pool<char>& out, const shape_t& shape) {
  out.push_back('[');
  for (int i = 0; i < shape.rank; ++i) {
    append(out, {i > 0 ? ", " : ""});
    if (shape[i] == -1) out.push_back('?');
    else append(out, {shape[i]});
  }
  out.push_back(']');
}

[[gnu::cold]] constexpr void append_desc(pool<char>& out, const tensor_desc& desc) {
  append(out, {name_of(desc.type), " "});
  append_extents(out, desc.shape);
  if (desc.layout == format::nchw) append(out, {" nchw"});
  if (desc.quantised.mode == quantisation::kind::per_tensor) {
    append(out, {" scale ", desc.quantised.scale, " zero point ", desc.quantised.zero_point});
  } else if (desc.quantised.mode == quantisation::kind::per_channel) {
    append(out, {" per channel of axis ", desc.quantised.axis});
  }
}

/// One attribute's words as text; no text for an empty list.
[[gnu::cold]] inline void append_attribute(pool<char>& out, attribute_kind kind, array_ref<const word> words) {
  word_reader reader{words};
  switch (kind) {
    case attribute_kind::flag: return append(out, {reader.take() != 0 ? "true" : "false"});
    case attribute_kind::real: {
      float v = 0;
      reader.get(v);
      return append(out, {v});
    }
    case attribute_kind::fused: return append(out, {name_of(static_cast<activation>(reader.take()))});
    case attribute_kind::extent: {
      const word h = reader.take(), w = reader.take();
      return append(out, {h, "x", w});
    }
    case attribute_kind::padding: {
      pads p;
      reader.get(p);
      if (p.mode == pad_mode::same) return append(out, {"same"});
      if (p.mode == pad_mode::valid) return append(out, {"valid"});
      return append(out, {p.top, ",", p.bottom, ",", p.left, ",", p.right});
    }
    case attribute_kind::list:
    case attribute_kind::reals:
      for (std::size_t i = 1; i < words.size(); ++i) {  // after the length
        append(out, {i > 1 ? "," : ""});
        append_attribute(out, kind == attribute_kind::list ? attribute_kind::integer : attribute_kind::real,
                         words.subspan(i, 1));
      }
      return;
    case attribute_kind::integer: {
      const word v = reader.take();
      if (v == std::numeric_limits<word>::min()) return append(out, {"none"});  // such as no_axis
      return append(out, {v});
    }
    case attribute_kind::choice: return append(out, {reader.take()});
  }
}

[[gnu::cold]] inline void append_attributes(pool<char>& out, const graph& g, const node& n) {
  const std::size_t begin = out.size();
  array_ref<const word> left = g.attrs_of(n);
  for (const attribute_field& field : n.label->attributes) {
    const std::size_t count = words_of(field.kind, left);
    pool<char> text;
    append_attribute(text, field.kind, left.first(count));
    left = left.subspan(count);
    if (!text.empty()) append(out, {out.size() > begin ? " " : "", field.name, "=", letters_of(text)});
  }
}

[[gnu::cold]] inline void append_title(pool<char>& out, const graph& g, const operator_label& op, range name) {
  append(out, {op.name});
  if (name.count > 0) append(out, {" \"", g.name_of(name), "\""});
}

/// Each line begins with `indent`.
[[gnu::cold]] inline void append_log(pool<char>& out, const graph& g, std::string_view indent) {
  constexpr std::string_view verbs[] = {"evaluated", "merged", "folded", "fused", "removed", "widened"};
  for (const event& e : g.log) {
    append(out, {indent, verbs[static_cast<int>(e.what)], " "});
    if (e.into != nullptr) {
      append(out, {e.op->name, " into "});
      append_title(out, g, *e.into, e.name);
    } else {
      append_title(out, g, *e.op, e.name);
    }
    out.push_back('\n');
  }
}

[[gnu::cold]] inline void append_escaped(pool<char>& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
}

// --- the picture: ovals vN of inputs and outN of outputs, boxes nN of nodes ---

[[gnu::cold]] inline void append_oval(pool<char>& out, const graph& g, const value& v, range name) {
  append_escaped(out, g.name_of(name));
  append(out, {name.count > 0 ? "\\n" : ""});
  append_desc(out, v.desc);
  append(out, {"\"];\n"});
}

[[gnu::cold]] inline void append_box(pool<char>& out, const graph& g, const node& n) {
  pool<char> title, attributes;
  append_title(title, g, *n.label, n.name);
  append_escaped(out, letters_of(title));
  append_attributes(attributes, g, n);
  append(out, {attributes.empty() ? "" : "\\n", letters_of(attributes), "\"];\n"});
}

}  // namespace detail

inline std::string to_string(const shape_t& shape) {
  pool<char> out;
  detail::append_extents(out, shape);
  return string_of(out);
}

constexpr pool<char> letters_of(const tensor_desc& desc) {
  pool<char> out;
  detail::append_desc(out, desc);
  return out;
}
inline std::string to_string(const tensor_desc& desc) { return string_of(letters_of(desc)); }

inline std::string attributes_text(const graph& g, const node& n) {
  pool<char> out;
  detail::append_attributes(out, g, n);
  return string_of(out);
}

inline std::string node_title(const graph& g, const operator_label& op, range name) {
  pool<char> out;
  detail::append_title(out, g, op, name);
  return string_of(out);
}

inline std::string log_text(const graph& g) {
  pool<char> out;
  detail::append_log(out, g, "");
  return string_of(out);
}

inline std::string dot(const graph& g, array_ref<const std::string_view> fills) {
  pool<char> out;
  append(out, {"digraph network {\n  rankdir=TB;\n  node [fontname=\"Helvetica\", fontsize=11];\n  edge "
               "[fontname=\"Helvetica\", fontsize=9];\n"});
  for (const std::int32_t id : g.inputs) {
    append(out, {"  v", id, " [shape=oval, style=filled, fillcolor=\"#e8f0fe\", label=\""});
    detail::append_oval(out, g, g.at(id), g.at(id).name);
  }
  for (const state& s : g.states) {
    append(out, {"  v", s.value, " [shape=oval, style=filled, fillcolor=\"#fef7e0\", label=\""});
    detail::append_oval(out, g, g.at(s.value), g.at(s.value).name);
  }
  pool<std::int32_t> maker;  // node that makes each value, or none
  maker.assign(g.values.size(), none);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    append(out, {"  n", i, " [shape=box, style=\"rounded,filled\", fillcolor=\"", fills.empty() ? "#f6f6f6" : fills[i],
                 "\", label=\""});
    detail::append_box(out, g, g.nodes[i]);
    for (const std::int32_t id : g.inputs_of(g.nodes[i]))
      if (id != none && (g.at(id).is == kind::input || g.at(id).is == kind::state))
        append(out, {"  v", id, " -> n", i, ";\n"});
    for (const std::int32_t id : g.outputs_of(g.nodes[i]))
      maker[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(i);
  }
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (const std::int32_t id : g.inputs_of(g.nodes[i])) {
      if (id == none || maker[static_cast<std::size_t>(id)] == none) continue;
      append(out, {"  n", maker[static_cast<std::size_t>(id)], " -> n", i, " [label=\""});
      detail::append_extents(out, g.at(id).desc.shape);
      append(out, {"\"];\n"});
    }
  const auto draw = [&](std::int32_t id) {  // draws values that no node reads: weights or constants at an end
    const bool is_drawn =
        maker[static_cast<std::size_t>(id)] != none || g.at(id).is == kind::input || g.at(id).is == kind::state;
    if (!is_drawn)
      append(out, {"  v", id, " [shape=oval, label=\""}), detail::append_oval(out, g, g.at(id), g.at(id).name);
  };
  for (std::size_t i = 0; i < g.outputs.size(); ++i) {
    const std::int32_t id = g.outputs[i].value, from = maker[static_cast<std::size_t>(id)];
    draw(id);
    append(out, {"  out", i, " [shape=oval, style=filled, fillcolor=\"#e6f4ea\", label=\""});
    detail::append_oval(out, g, g.at(id), g.outputs[i].name);
    append(out, {"  ", from == none ? "v" : "n", from == none ? id : from, " -> out", i, ";\n"});
  }
  for (const state& s : g.states) {
    if (s.next == none) continue;  // of a graph that is being built
    const std::int32_t from = maker[static_cast<std::size_t>(s.next)];
    draw(s.next);
    append(out, {"  ", from == none ? "v" : "n", from == none ? s.next : from, " -> v", s.value,
                 " [style=dashed, label=\""});
    detail::append_extents(out, g.at(s.value).desc.shape);
    append(out, {"\"];\n"});
  }
  append(out, {"}\n"});
  return string_of(out);
}

}}}  // namespace nnrt::NNRT_ISA::ir
