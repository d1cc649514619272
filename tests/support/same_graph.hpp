// same_graph: whether two graphs are one, value by value and node by node, numbers and constants included.
// Flow: tests of what writes a graph down and reads it again.
#pragma once

#include <nnrt/ir/graph.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace nnrt_test {

namespace detail {
template <class T> bool equal(nnrt::array_ref<const T> a, nnrt::array_ref<const T> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

inline bool same_value(const nnrt::ir::graph& a, const nnrt::ir::graph& b, const nnrt::ir::value& x,
                       const nnrt::ir::value& y) {
  if (x.is != y.is || !(x.desc == y.desc) || x.scales != y.scales || a.name_of(x.name) != b.name_of(y.name))
    return false;
  const auto bytes = static_cast<std::size_t>(x.is == nnrt::ir::kind::constant ? x.desc.bytes() : 0);
  return bytes == 0 || std::memcmp(a.bytes.data() + x.first_byte, b.bytes.data() + y.first_byte, bytes) == 0;
}

inline bool same_node(const nnrt::ir::graph& a, const nnrt::ir::graph& b, const nnrt::ir::node& x,
                      const nnrt::ir::node& y) {
  return x.op->code == y.op->code && a.name_of(x.name) == b.name_of(y.name) && equal(a.attrs_of(x), b.attrs_of(y)) &&
         equal(a.inputs_of(x), b.inputs_of(y)) && equal(a.outputs_of(x), b.outputs_of(y));
}
}  // namespace detail

/// Where two graphs differ; empty: nowhere.
inline std::string difference_of(const nnrt::ir::graph& a, const nnrt::ir::graph& b) {
  if (a.values.size() != b.values.size() || a.nodes.size() != b.nodes.size() || a.outputs.size() != b.outputs.size())
    return "other numbers of values, nodes or outputs";
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (!detail::same_value(a, b, a.values[i], b.values[i])) return "value " + std::to_string(i);
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    if (!detail::same_node(a, b, a.nodes[i], b.nodes[i])) return "node " + std::to_string(i);
  if (!detail::equal<std::int32_t>(a.inputs, b.inputs)) return "the inputs";
  for (std::size_t i = 0; i < a.outputs.size(); ++i)
    if (a.outputs[i].value != b.outputs[i].value || a.name_of(a.outputs[i].name) != b.name_of(b.outputs[i].name))
      return "output " + std::to_string(i);
  if (a.states.size() != b.states.size()) return "other numbers of states";
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    const nnrt::ir::state &x = a.states[i], &y = b.states[i];
    if (x.value != y.value || x.next != y.next || x.initial != y.initial) return "state " + std::to_string(i);
  }
  return {};
}

}  // namespace nnrt_test
