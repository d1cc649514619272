// evaluate: a network computed by the compiler, by its operators' references.
// Flow: static_assert(nnrt::evaluate<net>(input)[0] == …); tests hold executors against it.
#pragma once

#include <nnrt/core/contract.hpp>
#include <nnrt/core/typed_buffer.hpp>
#include <nnrt/exec/fault.hpp>
#include <nnrt/exec/static_graph.hpp>

#include <tuple>

namespace nnrt { inline namespace NNRT_ISA {

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
    for (const ir::state& s : g.states)
      if (s.initial != ir::none && g.at(s.initial).is == ir::kind::constant)
        buffers[static_cast<std::size_t>(s.value)] = passes::detail::load(g, g.at(s.initial));
  }
  constexpr view view_of(std::int32_t id) const {
    if (id == ir::none) return {};
    view v{&g.at(id).desc, buffers[static_cast<std::size_t>(id)].data()};
    if (g.at(id).scales != ir::none) v.scales = buffers[static_cast<std::size_t>(g.at(id).scales)].as<float>();
    return v;
  }
  /// Up to the first node that finds fault with its values, which is a broken contract, and in constant evaluation no
  /// constant.
  constexpr void run() {
    for (const ir::node& n : g.nodes) {
      pool<view> in, out;
      for (const std::int32_t id : g.inputs_of(n)) in.push_back(view_of(id));
      for (const std::int32_t id : g.outputs_of(n)) out.push_back(view_of(id));
      if (const run_fault fault = n.op->reference(g.attrs_of(n), in, out))
        return broken_contract(error_of(fault, n.op->rules, n.op->name, g.name_of(n.name)).message());
    }
  }
};

/// Puts the elements of a range into input I; false when there are more or fewer of them than the network declares.
/// (std::copy is no constant where the standard library checks its iterators.)
template <class G, std::size_t I, class Range> constexpr bool put_elements(evaluation& e, const Range& range) {
  using element = std::remove_cvref_t<decltype(*std::begin(range))>;
  static_assert(dtype_for<element>() == G::inputs[I].desc.type,
                "nnrt::evaluate takes ranges of the inputs' element types");
  const auto to = e.buffers[static_cast<std::size_t>(e.g.inputs[I])].template as<input_element<G, I>>();
  if (std::size(range) != to.size()) return false;
  std::size_t i = 0;
  for (const element& number : range) to[i++] = number;
  return true;
}

}  // namespace detail

/// The outputs of network G for these inputs (of its first run, where it has states), an array each (a tuple of arrays
/// when there are several), computed by the references, in constant evaluation or at run time. G names no weights, or
/// is the network of a model file, which has them (of a file above 1 MiB at run time alone: the compiler does not see
/// its weights). Inputs are ranges of the element type, in order of declaration, and of the size that the network
/// declares (another size is a broken contract, in constant evaluation no constant). Values that break an operator's
/// rule (an index outside of its tensor) are a broken contract, which is no constant either.
template <class G, class... Inputs> constexpr auto evaluate(const Inputs&... inputs) {
  static_assert(G::has_own_weights,
                "nnrt::evaluate takes networks without weights, or of model files: use constants, or an executor");
  static_assert(sizeof...(Inputs) == G::inputs.size(),
                "nnrt::evaluate takes one argument for each input of the network");
  detail::evaluation e(G::ir_with_weights());
  const bool fits = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (detail::put_elements<G, I>(e, inputs) && ...);
  }(std::index_sequence_for<Inputs...>{});
  if (fits) e.run();
  else broken_contract("evaluate: an input has another number of elements than the network declares");
  const auto output = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    std::array<detail::output_element<G, I>, detail::output_size<G, I>> result{};
    const auto elements =
        e.buffers[static_cast<std::size_t>(e.g.outputs[I].value)].template as<detail::output_element<G, I>>();
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = elements[i];
    return result;
  };
  if constexpr (G::outputs.size() == 1) return output(std::integral_constant<std::size_t, 0>{});
  else
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::make_tuple(output(std::integral_constant<std::size_t, I>{})...);
    }(std::make_index_sequence<G::outputs.size()>{});
}

}}  // namespace nnrt::NNRT_ISA
