// evaluate: computes nodes whose operands are all constants, at planning time.
// Flow: before folding, so that arithmetic on constants costs nothing at run time; nodes on weights become prepare
// steps instead.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/core/typed_buffer.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Larger results remain nodes: they become prepare steps, which run at full speed when an executor is made.
inline constexpr std::int64_t max_evaluated_elements = 1024;

namespace detail {

/// Copies the elements of a constant into a buffer that references can read.
constexpr typed_buffer load(const ir::graph& g, const ir::value& constant) {
  typed_buffer buffer(constant.desc.type, constant.desc.elements());
  with_element<types::any>(constant.desc.type, [&]<class T>(T) {
    const array_ref<T> elements = buffer.as<T>();
    for (std::size_t i = 0; i < elements.size(); ++i)
      elements[i] = g.element<T>(constant, static_cast<std::int64_t>(i));
  });
  return buffer;
}

/// Makes the value a constant with these elements.
constexpr void store(ir::graph& g, std::int32_t id, const typed_buffer& buffer) {
  with_element<types::any>(buffer.type(), [&]<class T>(T) {
    const std::int32_t made = g.add_constant<T>(g.at(id).desc, buffer.as<T>());
    g.at(id).is = ir::kind::constant;
    g.at(id).first_byte = g.at(made).first_byte;
    g.values.pop_back();
  });
}

constexpr bool can_evaluate(const ir::graph& g, const ir::node& n) {
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none) continue;
    if (n.op->traits.reads_descs_alone) {
      if (!g.at(id).desc.shape.is_known()) return false;
      continue;
    }
    const ir::value& v = g.at(id);
    if (v.is != ir::kind::constant || v.desc.elements() > max_evaluated_elements || v.scales != ir::none) return false;
  }
  for (const std::int32_t id : g.outputs_of(n)) {
    const std::int64_t elements = g.at(id).desc.elements();
    if (elements < 0 || elements > max_evaluated_elements) return false;
  }
  const array_ref<const tensor_desc> out(&g.at(g.outputs_of(n)[0]).desc, 1);
  return n.op->macs(g.attrs_of(n), ir::operand_list(g, g.inputs_of(n)).operands, out) <= max_evaluated_elements;
}

/// Computes a node. Returns false and changes nothing if the node rejects the constants: then a run reports it; or if
/// its reference is not instantiated for their dtype.
constexpr bool evaluate(ir::graph& g, const ir::node& n) {
  if (!n.op->computes_on.contains(ir::typed_operator_of(g, n).type)) return false;
  const auto first_output = static_cast<std::size_t>(n.inputs.count),
             count = first_output + static_cast<std::size_t>(n.outputs.count);
  typed_buffers buffers(count);
  pool<tensor_desc> descs;
  descs.reserve(count);  // no reallocation: views point into it
  pool<view> in, out;
  for (std::size_t i = 0; i < first_output; ++i) {
    const std::int32_t id = g.inputs_of(n)[i];
    if (id == ir::none) {
      in.push_back({});
      continue;
    }
    descs.push_back(g.at(id).desc);
    // not with ?: - g++ 12 destroys the chosen operand twice
    if (n.op->traits.reads_descs_alone) buffers[i] = typed_buffer(g.at(id).desc.type, 0);
    else buffers[i] = load(g, g.at(id));
    in.push_back({&descs.back(), buffers[i].data()});
  }
  for (std::size_t i = first_output; i < count; ++i) {
    descs.push_back(g.at(g.outputs_of(n)[i - first_output]).desc);
    buffers[i] = typed_buffer(descs.back().type, descs.back().elements());
    out.push_back({&descs.back(), buffers[i].data()});
  }
  if (n.op->reference(g.attrs_of(n), in, out)) return false;
  for (std::size_t i = first_output; i < count; ++i) store(g, g.outputs_of(n)[i - first_output], buffers[i]);
  return true;
}

}  // namespace detail

/// Evaluates every node that reads small constants or only shapes; its outputs become constants. After the deadline it
/// returns false and leaves the graph incomplete.
constexpr bool evaluate_constants(ir::graph& g, const deadline_watch& watch = {}) {
  bool changed = false;
  for (ir::node& n : g.nodes) {
    if (watch.is_over()) return false;
    if (!detail::can_evaluate(g, n) || !detail::evaluate(g, n)) continue;
    g.log.push_back({ir::change::evaluated, n.label, nullptr, n.name});
    n.removed = true;
    changed = true;
  }
  if (changed) compact(g);
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::passes
