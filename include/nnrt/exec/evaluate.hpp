// evaluate: computes a network in the compiler, with its operators' references.
// Flow: static_assert(nnrt::evaluate<net>(input)[0] == …); tests compare executors with it.
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
  typed_buffers buffers;  // by value id; empty for weights

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
  /// Runs all nodes. A node that rejects its values is a broken contract, which is not a constant expression; the rest
  /// is skipped.
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

/// Copies the elements of a range into input I; false if their number differs from the declared one. Not std::copy,
/// which is not constexpr in standard libraries that check iterators.
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

/// Computes the outputs of network G with the references, in constant evaluation or at run time. Returns an array, or a
/// tuple of arrays for several outputs. For a network with states it is the first run.
///
/// G must have no named weights, or be the network of a model file. For a file above 1 MiB it works at run time only,
/// because the compiler does not see its weights.
///
/// Inputs are ranges of the element type, in order of declaration. A wrong size, or values that break an operator's
/// rule, are a broken contract, which is not a constant expression.
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
