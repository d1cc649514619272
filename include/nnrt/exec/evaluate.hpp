// evaluate: a network computed by the compiler, by its operators' references.
// Flow: static_assert(nnrt::evaluate<net>(input)[0] == …); tests hold executors against it.
#pragma once

#include <nnrt/core/contract.hpp>
#include <nnrt/core/typed_buffer.hpp>
#include <nnrt/exec/fault.hpp>
#include <nnrt/exec/static_graph.hpp>

#include <tuple>

namespace nnrt::inline NNRT_ISA {

namespace detail {

/// The tensors of one evaluation.
struct evaluation {
  ir::graph g;
  typed_buffers buffers;  // by value id; of weights none

  constexpr explicit evaluation(ir::graph graph) : g(static_cast<ir::graph&&>(graph)), buffers(g.values.size()) {
    for (std::size_t i = 0; i < g.values.size(); ++i) {
      const ir::value& v = g.values[i];
      if (v.is == ir::kind::constant) buffers[i] = passes::detail::load(g, v);
      else buffers[i] = typed_buffer(v.desc.type, v.desc.elements());
    }
  }
  constexpr view view_of(std::int32_t id) const {
    if (id == ir::none) return {};
    view v{&g.at(id).desc, buffers[static_cast<std::size_t>(id)].data()};
    if (g.at(id).scales != ir::none) v.scales = buffers[static_cast<std::size_t>(g.at(id).scales)].as<float>();
    return v;
  }
  /// Up to the first node that finds fault with its values, which is a broken contract, and in constant evaluation no constant.
  constexpr void run() {
    for (const ir::node& n : g.nodes) {
      pool<view> in, out;
      for (const std::int32_t id : g.inputs_of(n)) in.push_back(view_of(id));
      for (const std::int32_t id : g.outputs_of(n)) out.push_back(view_of(id));
      if (const run_fault fault = n.op->reference(g.attrs_of(n), in, out)) return broken_contract(error_of(fault, n.op->rules, n.op->name, g.name_of(n.name)).message());
    }
  }
};

}  // namespace detail

/// The outputs of network G for these inputs, an array each (a tuple of arrays when there are several), computed by the references, in
/// constant evaluation or at run time. G names no weights; inputs are ranges of the element type, in order of declaration, and of the size
/// that the network declares (anything else is a compile error or, in constant evaluation, none). Values that break an operator's rule (an index
/// outside of its tensor) are a broken contract, which is no constant either.
template <class G, class... Inputs> constexpr auto evaluate(const Inputs&... inputs) {
  static_assert(G::weights.empty(), "nnrt::evaluate takes networks without weights: use constants, or an executor");
  static_assert(sizeof...(Inputs) == G::inputs.size(), "nnrt::evaluate takes one argument for each input of the network");
  detail::evaluation e(G::ir());
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (std::copy(std::begin(inputs), std::end(inputs), e.buffers[static_cast<std::size_t>(e.g.inputs[I])].template as<detail::input_element<G, I>>().begin()), ...);
  }(std::make_index_sequence<sizeof...(Inputs)>{});
  e.run();
  const auto output = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    std::array<detail::output_element<G, I>, detail::output_size<G, I>> result{};
    const auto elements = e.buffers[static_cast<std::size_t>(e.g.outputs[I].value)].template as<detail::output_element<G, I>>();
    std::copy(elements.begin(), elements.end(), result.begin());
    return result;
  };
  if constexpr (G::outputs.size() == 1) return output(std::integral_constant<std::size_t, 0>{});
  else
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::make_tuple(output(std::integral_constant<std::size_t, I>{})...); }(
        std::make_index_sequence<G::outputs.size()>{});
}

}  // namespace nnrt::inline NNRT_ISA
