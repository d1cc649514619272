// dump: graphs as text for people - shapes, attributes, one line a node - and as Graphviz pictures.
// Flow: graph<f>::text() and ::dot(), tools and error messages; run time only.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ir/graph.hpp>

#include <charconv>
#include <string>

namespace nnrt::inline NNRT_ISA::ir {

namespace detail {

inline void append(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}
inline void append_real(std::string& out, float number) {
  char digits[48];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

}  // namespace detail

/// "[1, 8, 8, 16]"; an unknown extent is "?".
inline std::string to_string(const shape_t& shape) {
  std::string out = "[";
  for (int i = 0; i < shape.rank; ++i) {
    if (i > 0) out += ", ";
    if (shape[i] < 0) out += '?';
    else detail::append(out, shape[i]);
  }
  return out + "]";
}

/// "f32 [1, 8, 8, 16]", with quantisation where there is one.
inline std::string to_string(const tensor_desc& desc) {
  std::string out(name_of(desc.type));
  out += ' ';
  out += to_string(desc.shape);
  if (desc.layout == format::nchw) out += " nchw";
  if (desc.quantised.mode == quantisation::kind::per_tensor) {
    out += " scale ";
    detail::append_real(out, desc.quantised.scale);
    out += " zero point ";
    detail::append(out, desc.quantised.zero_point);
  } else if (desc.quantised.mode == quantisation::kind::per_channel) {
    out += " per channel of axis ";
    detail::append(out, desc.quantised.axis);
  }
  return out;
}

namespace detail {

/// One attribute's words as text.
inline std::string attribute_text(attribute_kind kind, array_ref<const word> words) {
  std::string out;
  word_reader reader{words};
  switch (kind) {
    case attribute_kind::flag: out = reader.take() != 0 ? "true" : "false"; break;
    case attribute_kind::real: {
      float v = 0;
      reader.get(v);
      append_real(out, v);
      break;
    }
    case attribute_kind::fused: out = name_of(static_cast<activation>(reader.take())); break;
    case attribute_kind::extent:
      append(out, reader.take());
      out += 'x';
      append(out, reader.take());
      break;
    case attribute_kind::padding: {
      pads p;
      reader.get(p);
      if (p.mode == pad_mode::same) out = "same";
      else if (p.mode == pad_mode::valid) out = "valid";
      else {
        for (const std::int64_t side : {p.top, p.bottom, p.left, p.right}) {
          if (!out.empty()) out += ',';
          append(out, side);
        }
      }
      break;
    }
    case attribute_kind::list:
    case attribute_kind::reals:
      for (std::size_t i = 1; i < words.size(); ++i) {  // behind the length
        if (!out.empty()) out += ',';
        out += attribute_text(kind == attribute_kind::list ? attribute_kind::integer : attribute_kind::real, words.subspan(i, 1));
      }
      break;
    case attribute_kind::integer:
    case attribute_kind::choice: append(out, reader.take()); break;
  }
  return out;
}

}  // namespace detail

/// "stride=2x2 pad=same fused=relu": every attribute of a node by name.
inline std::string attributes_text(const graph& g, const node& n) {
  std::string out;
  array_ref<const word> left = g.attrs_of(n);
  for (const attribute_field& field : n.label->attributes) {
    const std::size_t count = words_of(field.kind, left);
    const std::string text = detail::attribute_text(field.kind, left.first(count));
    left = left.subspan(count);
    if (text.empty()) continue;
    if (!out.empty()) out += ' ';
    out += field.name;
    out += '=';
    out += text;
  }
  return out;
}

/// `conv2d "stem"`, or the operator's name alone.
inline std::string node_title(const graph& g, const operator_label& op, range name) {
  std::string out(op.name);
  if (name.count > 0) {
    out += " \"";
    out += g.name_of(name);
    out += '"';
  }
  return out;
}

/// What the passes did, a line each.
inline std::string log_text(const graph& g) {
  constexpr std::string_view verbs[] = {"evaluated", "merged", "folded", "fused", "removed"};
  std::string out;
  for (const event& e : g.log) {
    out += verbs[static_cast<int>(e.what)];
    out += ' ';
    out += e.op->name;
    if (e.into != nullptr) {
      out += " into ";
      out += node_title(g, *e.into, e.name);
    } else if (e.name.count > 0) {
      out += " \"";
      out += g.name_of(e.name);
      out += '"';
    }
    out += '\n';
  }
  return out;
}

namespace detail {

inline void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
}

inline std::string value_label(const graph& g, std::int32_t id) {
  std::string out;
  append_escaped(out, g.name_of(g.at(id).name));
  if (!out.empty()) out += "\\n";
  return out + to_string(g.at(id).desc);
}

}  // namespace detail

/// The graph as a Graphviz digraph: ovals for inputs and outputs, boxes for nodes, shapes on the arrows; weights are named in their node.
/// fills: a colour for each node, or none.
inline std::string dot(const graph& g, array_ref<const std::string_view> fills = {}) {
  std::string out = "digraph network {\n  rankdir=TB;\n  node [fontname=\"Helvetica\", fontsize=11];\n  edge [fontname=\"Helvetica\", fontsize=9];\n";
  const auto line = [&](std::initializer_list<std::string_view> parts) {
    out += "  ";
    for (const std::string_view part : parts) out += part;
    out += ";\n";
  };
  for (const std::int32_t id : g.inputs) line({"v", std::to_string(id), " [shape=oval, style=filled, fillcolor=\"#e8f0fe\", label=\"", detail::value_label(g, id), "\"]"});
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    std::string label;
    detail::append_escaped(label, node_title(g, *n.label, n.name));
    const std::string attributes = attributes_text(g, n);
    if (!attributes.empty()) label += "\\n" + attributes;
    const std::string me = "n" + std::to_string(i);
    line({me, " [shape=box, style=\"rounded,filled\", fillcolor=\"", fills.empty() ? "#f6f6f6" : fills[i], "\", label=\"", label, "\"]"});
    for (const std::int32_t id : g.inputs_of(n)) {
      if (id == none || g.at(id).is != kind::input) continue;
      line({"v", std::to_string(id), " -> ", me});
    }
  }
  std::vector<std::string> maker(g.values.size());
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (const std::int32_t id : g.outputs_of(g.nodes[i])) maker[static_cast<std::size_t>(id)] = "n" + std::to_string(i);
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (const std::int32_t id : g.inputs_of(g.nodes[i]))
      if (id != none && !maker[static_cast<std::size_t>(id)].empty())
        line({maker[static_cast<std::size_t>(id)], " -> n", std::to_string(i), " [label=\"", to_string(g.at(id).desc.shape), "\"]"});
  for (std::size_t i = 0; i < g.outputs.size(); ++i) {
    const std::string me = "out" + std::to_string(i);
    std::string label;
    detail::append_escaped(label, g.name_of(g.outputs[i].name));
    line({me, " [shape=oval, style=filled, fillcolor=\"#e6f4ea\", label=\"", label, "\\n", to_string(g.at(g.outputs[i].value).desc), "\"]"});
    const std::string& from = maker[static_cast<std::size_t>(g.outputs[i].value)];
    line({from.empty() ? "v" + std::to_string(g.outputs[i].value) : from, " -> ", me});
  }
  return out + "}\n";
}

}  // namespace nnrt::inline NNRT_ISA::ir
