// single_node: graphs of one node, or of a few, for tests of what policies say of them; at compile time and at run
// time.
#pragma once

#include <nnrt/core/operator.hpp>
#include <nnrt/ir/graph.hpp>

namespace nnrt_test {

using namespace nnrt;

/// An operand of such a node: computed by the network, a weight, or a constant with these integers.
struct node_operand {
  tensor_desc desc;
  ir::kind is = ir::kind::input;
  std::int64_t integers[8] = {};
  int count = 0;
};
constexpr node_operand of(dtype type, shape_t shape) { return {tensor_desc{type, shape}}; }
constexpr node_operand of(shape_t shape) { return of(f32, shape); }
constexpr node_operand weight_of(shape_t shape, dtype type = f32) {
  return {tensor_desc{type, shape}, ir::kind::weight};
}
constexpr node_operand listed(std::initializer_list<std::int64_t> integers, shape_t shape = {}) {
  node_operand made{tensor_desc{i64, shape.rank > 0 ? shape : shape_t{static_cast<std::int64_t>(integers.size())}},
                    ir::kind::constant};
  for (const std::int64_t v : integers) made.integers[made.count++] = v;
  return made;
}

/// Appends a node over values of the graph; answers its first result. When the operator's rules refuse it, the graph
/// has no node and a test that counts on it fails.
template <class Op>
constexpr std::int32_t append(ir::graph& g, const typename Op::attrs& attrs, std::initializer_list<std::int32_t> ids,
                              std::string_view name = "node", tensor_desc wanted = {}) {
  pool<std::int32_t> inputs(ids);
  const ir::operand_list in(g, inputs);
  const tensor_desc wishes[] = {wanted};
  const verdict v = infer_node<Op>(attrs, in.operands, wishes);
  if (!v) return ir::none;
  pool<word> words;
  pack(attrs, words);
  ir::node n;
  n.op = &static_operator<Op, nnrt::detail::first_of(reference_types<Op>()), false>;
  n.label = n.op->label;
  n.attrs = g.add_words(words);
  n.inputs = g.add_operands(inputs);
  pool<std::int32_t> made;
  for (const tensor_desc& d : v.outputs) made.push_back(g.add_value({d, ir::kind::result, {}, 0, ir::none}));
  n.outputs = g.add_operands(made);
  n.name = g.add_text(name);
  g.nodes.push_back(n);
  return made[0];
}

constexpr std::int32_t add(ir::graph& g, const node_operand& o) {
  if (o.is == ir::kind::constant)
    return g.add_constant<std::int64_t>(o.desc,
                                        array_ref<const std::int64_t>(o.integers, static_cast<std::size_t>(o.count)));
  const std::int32_t id = g.add_value({o.desc, o.is, g.add_text("value"), 0, ir::none});
  if (o.is == ir::kind::input) g.inputs.push_back(id);
  return id;
}

/// A graph of one node over these operands.
template <class Op>
constexpr ir::graph single(const typename Op::attrs& attrs, std::initializer_list<node_operand> operands,
                           tensor_desc wanted = {}) {
  ir::graph g;
  std::int32_t ids[8] = {};
  std::size_t count = 0;
  for (const node_operand& o : operands) ids[count++] = add(g, o);
  std::int32_t out = ir::none;
  if (count == 1) out = append<Op>(g, attrs, {ids[0]}, "node", wanted);
  if (count == 2) out = append<Op>(g, attrs, {ids[0], ids[1]}, "node", wanted);
  if (count == 3) out = append<Op>(g, attrs, {ids[0], ids[1], ids[2]}, "node", wanted);
  g.outputs.push_back({out, {}});
  return g;
}
template <class Op> constexpr ir::graph single(std::initializer_list<node_operand> operands) {
  return single<Op>({}, operands);
}

/// Attributes with some of them set: with<ops::concat>([](auto& a) { a.axis = 0; }).
template <class Op, class Set> constexpr typename Op::attrs with(Set set) {
  typename Op::attrs a;
  set(a);
  return a;
}

}  // namespace nnrt_test
