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

/// Ovals, boxes and arrows of a graph's picture.
class picture {
 public:
  [[gnu::cold]] picture(pool<char>& out, const graph& g) : out_(out), g_(g) {
    maker_.assign(g.values.size(), none);
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      for (const std::int32_t id : g.outputs_of(g.nodes[i]))
        maker_[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(i);
  }
  /// `fills`: colours of the nodes' boxes; empty: all are grey.
  [[gnu::cold]] void append_all(array_ref<const std::string_view> fills) {
    for (const std::int32_t id : g_.inputs) append_source(id, "#e8f0fe");
    for (const state& s : g_.states) append_source(s.value, "#fef7e0");
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) append_node(i, fills.empty() ? "#f6f6f6" : fills[i]);
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) append_arrows_to(i);
    for (std::size_t i = 0; i < g_.outputs.size(); ++i) append_output(i);
    for (const state& s : g_.states) append_next(s);
  }

 private:
  std::int32_t maker(std::int32_t id) const { return maker_[static_cast<std::size_t>(id)]; }
  bool is_source(std::int32_t id) const { return g_.at(id).is == kind::input || g_.at(id).is == kind::state; }

  [[gnu::cold]] void append_source(std::int32_t id, std::string_view fill) {
    append(out_, {"  v", id, " [shape=oval, style=filled, fillcolor=\"", fill, "\", label=\""});
    append_oval(out_, g_, g_.at(id), g_.at(id).name);
  }
  [[gnu::cold]] void append_node(std::size_t i, std::string_view fill) {
    append(out_, {"  n", i, " [shape=box, style=\"rounded,filled\", fillcolor=\"", fill, "\", label=\""});
    append_box(out_, g_, g_.nodes[i]);
    for (const std::int32_t id : g_.inputs_of(g_.nodes[i]))
      if (id != none && is_source(id)) append(out_, {"  v", id, " -> n", i, ";\n"});
  }
  [[gnu::cold]] void append_arrows_to(std::size_t i) {
    for (const std::int32_t id : g_.inputs_of(g_.nodes[i])) {
      if (id == none || maker(id) == none) continue;
      append(out_, {"  n", maker(id), " -> n", i, " [label=\""});
      append_extents(out_, g_.at(id).desc.shape);
      append(out_, {"\"];\n"});
    }
  }
  /// Draws a value at an end of the network that no node makes or reads: a weight or a constant.
  [[gnu::cold]] void append_if_missing(std::int32_t id) {
    if (maker(id) != none || is_source(id)) return;
    append(out_, {"  v", id, " [shape=oval, label=\""});
    append_oval(out_, g_, g_.at(id), g_.at(id).name);
  }
  [[gnu::cold]] void append_output(std::size_t i) {
    const std::int32_t id = g_.outputs[i].value;
    append_if_missing(id);
    append(out_, {"  out", i, " [shape=oval, style=filled, fillcolor=\"#e6f4ea\", label=\""});
    append_oval(out_, g_, g_.at(id), g_.outputs[i].name);
    append(out_, {"  ", maker(id) == none ? "v" : "n", maker(id) == none ? id : maker(id), " -> out", i, ";\n"});
  }
  [[gnu::cold]] void append_next(const state& s) {
    if (s.next == none) return;  // of a graph that is being built
    append_if_missing(s.next);
    append(out_, {"  ", maker(s.next) == none ? "v" : "n", maker(s.next) == none ? s.next : maker(s.next), " -> v",
                  s.value, " [style=dashed, label=\""});
    append_extents(out_, g_.at(s.value).desc.shape);
    append(out_, {"\"];\n"});
  }

  pool<char>& out_;
  const graph& g_;
  pool<std::int32_t> maker_;  // node that makes each value, or none
};

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
  detail::picture(out, g).append_all(fills);
  append(out, {"}\n"});
  return string_of(out);
}

}}}  // namespace nnrt::NNRT_ISA::ir
