// static_graph: graph<f> - a network's function evaluated, optimised and planned by the compiler, with its properties.
// Flow: executor<graph<f>> runs its plan; evaluate<graph<f>> computes it in the compiler; dumps print it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/exec/dump_plan.hpp>
#include <nnrt/exec/frozen.hpp>
#include <nnrt/exec/make_plan.hpp>
#include <nnrt/exec/node_table.hpp>
#include <nnrt/exec/optimised_graph.hpp>
#include <nnrt/exec/placed_graph.hpp>
#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/io/weights.hpp>
#include <nnrt/ir/builder.hpp>
#include <nnrt/passes/optimise.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Name and desc of an input, output, weight or state of a network.
struct tensor_info {
  std::string_view name;
  tensor_desc desc;
};

namespace detail {

template <auto Function> constexpr builder build() {
  builder b;
  constexpr bool is_network = std::is_invocable_v<decltype(Function), builder&>;
  static_assert(is_network, "nnrt: a network is a function of builder&");
  if constexpr (is_network) Function(b), b.finish();
  // Nodes over another graph's tensors, or over one weight in two shapes, cannot be planned. They are dropped, so that
  // the diagnostic is the only error.
  const graph_rule rule = b.diagnostic().rule;
  if (b.diagnostic().made &&
      (rule == graph_rule::tensors_must_belong_to_this_graph || rule == graph_rule::weights_of_one_name_must_be_alike))
    b.graph().nodes.clear();
  return b;
}

/// The name in a diagnostic, letter by letter, as a type.
template <auto Function, class Sequence> struct complaint_name;
template <auto Function, std::size_t... I> struct complaint_name<Function, std::index_sequence<I...>> {
  static constexpr std::array<char, sizeof...(I)> letters = [] {
    const builder b = build<Function>();
    const std::string_view name = b.graph().name_of(b.diagnostic().name);
    return std::array<char, sizeof...(I)>{name[I]...};
  }();
  using type = named<letters[I]...>;
};

/// Sizes of the written graph, and its diagnostic if there is one.
struct built_sizes {
  graph_sizes sizes;
  bool complained;
  graph_rule rule;
  std::size_t letters;
};
template <auto Function>
inline constexpr built_sizes sizes_as_written = [] {
  const builder b = build<Function>();
  return built_sizes{sizes_of(b.graph()), b.diagnostic().made, b.diagnostic().rule,
                     static_cast<std::size_t>(b.diagnostic().name.count)};
}();

/// The base class of a graph: empty, or with a diagnostic that does not compile.
template <auto Function, bool IsComplained> struct accepted_graph {};
template <auto Function> struct accepted_graph<Function, true> {
  using name = typename complaint_name<Function, std::make_index_sequence<sizes_as_written<Function>.letters>>::type;
  using reported = decltype(graph_rejected<sizes_as_written<Function>.rule, name>::report());
};

template <auto Function>
inline constexpr frozen_graph<sizes_as_written<Function>.sizes> graph_as_written{build<Function>().graph()};

/// The names only: a reference to these does not link the graph, with every operator's functions, into the program.
template <auto Function> inline constexpr auto text_as_written = graph_as_written<Function>.text;

template <auto Function>
inline constexpr oversized<frozen_graph<room_to_optimise(sizes_as_written<Function>.sizes)>> roomy_optimised{
    optimised_graph<graph_as_written<Function>>()};

// Not a function that returns the array: g++ took three times as long to evaluate that.
template <auto Function> constexpr decltype(auto) source_of_optimised() {
  if constexpr (roomy_optimised<Function>.holds_all()) return (roomy_optimised<Function>.held);
  else return optimised_graph<graph_as_written<Function>>();
}
template <auto Function>
inline constexpr frozen_graph<roomy_optimised<Function>.sizes> graph_optimised{source_of_optimised<Function>()};

/// A graph for dumps, without operators, whose functions would be linked into the program.
template <graph_sizes Sizes> constexpr frozen_graph<Sizes> without_operators(frozen_graph<Sizes> g) {
  for (ir::node& n : g.nodes) n.op = nullptr;
  return g;
}
template <auto Function> inline constexpr auto printable_as_written = without_operators(graph_as_written<Function>);
template <auto Function> inline constexpr auto printable_optimised = without_operators(graph_optimised<Function>);
template <auto Function> inline constexpr auto text_optimised = graph_optimised<Function>.text;

/// Limits of networks that run unrolled by default: multiply-accumulates plus computed elements, and number of nodes.
inline constexpr std::int64_t micro_work = 4096;
inline constexpr std::size_t micro_nodes = 16;

/// Elements that the nodes compute.
constexpr std::int64_t count_results(const ir::graph& g) {
  std::int64_t elements = 0;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::result) elements += v.desc.elements();
  return elements;
}

/// Whether nodes compute floats, which unrolled layers add in another order.
constexpr bool computes_floats(const ir::graph& g) {
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::result && types::floating.contains(v.desc.type)) return true;
  return false;
}

/// Kernels and memory of a large graph.
template <auto Function, bool Unrolled, nnrt::winograd Winograd>
inline constexpr frozen_placing<room_to_place(sizes_of(graph_optimised<Function>))> placed_graph{
    place_nodes(graph_optimised<Function>.thaw(), {.unrolled = Unrolled, .winograd = Winograd}, deadline_watch())};
template <auto Function, bool Unrolled, nnrt::winograd Winograd> constexpr nnrt::plan make_plan_of() {
  constexpr plan_options options{.unrolled = Unrolled, .winograd = Winograd};
  if constexpr (graph_optimised<Function>.nodes.size() > nodes_in_evaluation) {
    constexpr const auto& placed = placed_graph<Function, Unrolled, Winograd>;
    if constexpr (placed.holds_all())
      return plan_steps(graph_optimised<Function>.thaw(), options, deadline_watch(), placed.thaw());
    else return make_plan(graph_optimised<Function>.thaw(), options);
  } else {
    return make_plan(graph_optimised<Function>.thaw(), options);
  }
}
template <auto Function, bool Unrolled, nnrt::winograd Winograd>
inline constexpr oversized<frozen_plan<room_to_plan(sizes_of(graph_optimised<Function>))>> roomy_planned{
    make_plan_of<Function, Unrolled, Winograd>()};

template <auto Function, bool Unrolled, nnrt::winograd Winograd> constexpr decltype(auto) source_of_plan() {
  if constexpr (roomy_planned<Function, Unrolled, Winograd>.holds_all())
    return (roomy_planned<Function, Unrolled, Winograd>.held);
  else return make_plan_of<Function, Unrolled, Winograd>();
}
template <auto Function, bool Unrolled, nnrt::winograd Winograd>
inline constexpr frozen_plan<roomy_planned<Function, Unrolled, Winograd>.sizes> plan_in_codes{
    source_of_plan<Function, Unrolled, Winograd>()};

/// The codes in a plan, without duplicates.
template <plan_sizes Sizes> constexpr pool<kernel_code> codes_in(const frozen_plan<Sizes>& plan) {
  pool<kernel_code> codes;
  const auto add = [&](const kernel_code& code) {
    for (const kernel_code& known : codes)
      if (known == code) return;
    if (code) codes.push_back(code);
  };
  for (const step& s : plan.steps) add(s.code);
  for (const step& s : plan.prepare) add(s.code);
  return codes;
}
template <auto Function, bool Unrolled, nnrt::winograd Winograd>
inline constexpr std::size_t count_of_codes = codes_in(plan_in_codes<Function, Unrolled, Winograd>).size();
template <auto Function, bool Unrolled, nnrt::winograd Winograd>
inline constexpr std::array<kernel_code, count_of_codes<Function, Unrolled, Winograd>> codes_of = [] {
  std::array<kernel_code, count_of_codes<Function, Unrolled, Winograd>> codes{};
  copy(codes_in(plan_in_codes<Function, Unrolled, Winograd>), codes);
  return codes;
}();

/// The plan with the functions for its codes; only these functions are compiled.
template <auto Function, bool Unrolled, nnrt::winograd Winograd> constexpr auto completed() {
  auto plan = plan_in_codes<Function, Unrolled, Winograd>;
  constexpr const auto& codes = codes_of<Function, Unrolled, Winograd>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const std::array<kernels::step_functions, sizeof...(I)> functions{kernels::functions_for<codes[I]>()...};
    const auto complete = [&](step& s) {
      for (std::size_t i = 0; i < sizeof...(I); ++i)
        if (codes[i] == s.code) s.run = functions[i].run, s.inner = functions[i].inner;
    };
    for (step& s : plan.steps) complete(s);
    for (step& s : plan.prepare) complete(s);
  }(std::make_index_sequence<codes.size()>());
  return plan;
}
template <auto Function, bool Unrolled, nnrt::winograd Winograd = nnrt::winograd::automatic>
inline constexpr auto planned = completed<Function, Unrolled, Winograd>();

/// Multiply-accumulates of one inference, as the operators count them.
constexpr std::int64_t count_macs(const ir::graph& g) {
  std::int64_t macs = 0;
  for (const ir::node& n : g.nodes) macs += macs_of(g, n);
  return macs;
}

/// Elements of all weights and float constants: the number of trained parameters.
constexpr std::int64_t count_parameters(const ir::graph& g) {
  std::int64_t parameters = 0;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::weight || (v.is == ir::kind::constant && types::floating.contains(v.desc.type)))
      parameters += v.desc.elements();
  return parameters;
}

template <class G, std::size_t I> using input_element = element_t<G::inputs[I].desc.type>;
template <class G, std::size_t I> using output_element = element_t<G::outputs[I].desc.type>;
template <class G, std::size_t I>
inline constexpr std::size_t output_size = static_cast<std::size_t>(G::outputs[I].desc.elements());

}  // namespace detail

/// A network: a constexpr function of a builder&, checked, optimised and planned by the compiler. Everything here is
/// known at compile time. Errors of single nodes are compile errors at the line that wrote them. Errors of the whole
/// graph (no output, an unused input, two inputs of one name) are compile errors here.
template <auto Function>
struct graph : private detail::accepted_graph<Function, detail::sizes_as_written<Function>.complained> {
 private:
  static constexpr const auto& written = detail::graph_as_written<Function>;
  static constexpr const auto& optimised = detail::graph_optimised<Function>;

  template <std::size_t N> static constexpr std::string_view text_at(const std::array<char, N>& text, ir::range at) {
    return {text.data() + at.first, static_cast<std::size_t>(at.count)};
  }
  static constexpr tensor_info info_of(std::int32_t id, ir::range name) {
    return {text_at(detail::text_as_written<Function>, name), written.values[static_cast<std::size_t>(id)].desc};
  }

 public:
  /// Number of operators as written.
  static constexpr std::size_t nodes = written.nodes.size();
  /// Multiply-accumulates of one inference.
  static constexpr std::int64_t macs = detail::count_macs(written.thaw());
  /// Elements of weights and float constants.
  static constexpr std::int64_t parameters = detail::count_parameters(written.thaw());

  /// Whether the network runs unrolled: little work, few nodes. A network of a model file must also compute no floats.
  /// Its results then have the same bits as those of the file read at run time.
  static constexpr bool is_micro = macs + detail::count_results(written.thaw()) <= detail::micro_work &&
                                   nodes <= detail::micro_nodes &&
                                   !(requires { Function.weights(); } && detail::computes_floats(written.thaw()));

  /// The plan in .rodata, for the loop over steps or for unrolled steps.
  template <bool Unrolled, nnrt::winograd Winograd = nnrt::winograd::automatic> static constexpr const auto& plan_as() {
    return detail::planned<Function, Unrolled, Winograd>;
  }
  static constexpr const auto& plan = detail::planned<Function, is_micro>;

  /// Kernel calls of one inference.
  static constexpr std::size_t steps = plan.steps.size();
  /// Bytes of memory for intermediate results, and a lower bound for every layout of them: the largest sum of bytes in
  /// use in one step.
  static constexpr std::int64_t arena_bytes = plan.arena_bytes;
  static constexpr std::int64_t arena_lower_bound = plan.arena_lower_bound;

  /// Inputs and outputs in order of declaration; weights in order of first use.
  static constexpr std::array<tensor_info, written.inputs.size()> inputs = [] {
    std::array<tensor_info, written.inputs.size()> list{};
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] = info_of(written.inputs[i], written.values[static_cast<std::size_t>(written.inputs[i])].name);
    return list;
  }();
  static constexpr std::array<tensor_info, written.outputs.size()> outputs = [] {
    std::array<tensor_info, written.outputs.size()> list{};
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = info_of(written.outputs[i].value, written.outputs[i].name);
    return list;
  }();
  /// States in order of declaration.
  static constexpr std::array<tensor_info, written.states.size()> states = [] {
    std::array<tensor_info, written.states.size()> list{};
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] =
          info_of(written.states[i].value, written.values[static_cast<std::size_t>(written.states[i].value)].name);
    return list;
  }();
  static constexpr std::size_t weight_count = [] {
    std::size_t n = 0;
    for (const ir::value& v : written.values) n += v.is == ir::kind::weight ? 1 : 0;
    return n;
  }();
  static constexpr std::array<tensor_info, weight_count> weights = [] {
    std::array<tensor_info, weight_count> list{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < written.values.size(); ++i)
      if (written.values[i].is == ir::kind::weight)
        list[n++] = info_of(static_cast<std::int32_t>(i), written.values[i].name);
    return list;
  }();

  /// The weights for bind_weights(), with the use of each, for files with another order of axes.
  static constexpr std::array<weight_spec, weight_count> weight_specs = [] {
    std::array<weight_spec, weight_count> list{};
    const pool<weight_spec> found = weight_specs_of(written.thaw());
    for (std::size_t i = 0; i < weight_count; ++i) {
      list[i] = found[i];
      list[i].name = weights[i].name;  // the names in `found` were freed with its graph
    }
    return list;
  }();

  /// Whether executors can be made without naming weights: the network has none, or is that of a model file.
  static constexpr bool has_own_weights = weight_count == 0 || requires { Function.weights(); };
  /// Those weights. Errors: those of the file's network.
  [[gnu::cold]] static result<nnrt::weights> own_weights()
    requires(has_own_weights)
  {
    if constexpr (weight_count == 0) return nnrt::weights();
    else return Function.weights();
  }
  /// The graph as written, with the elements of those weights as constants.
  static constexpr ir::graph ir_with_weights()
    requires(has_own_weights)
  {
    if constexpr (weight_count == 0) return ir();
    else return Function.with_constants(ir());
  }

  /// The graph as written, with vectors for pools, and operators from which plans can be made at run time.
  static constexpr ir::graph ir() {
    ir::graph g = written.thaw();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((g.nodes[I].op = &at_run_time<written.nodes[I].op>), ...);
    }(std::make_index_sequence<nodes>());
    return g;
  }

  /// The network node by node, after the passes, with offsets in the arena: net::table()[0].macs.
  static constexpr array_ref<const node_info> table() { return made_table<>::rows; }

  /// A table of the network: the changes by each pass, then each step with its operands, kernel and offset in the
  /// arena.
  static std::string text() {
    return dump_plan(detail::printable_optimised<Function>.thaw(), plan_view::of(plan), arena_lower_bound);
  }
  /// The written network as a Graphviz digraph.
  static std::string dot() { return ir::dot(detail::printable_as_written<Function>.thaw()); }
  /// The network after the passes, with segments of a policy's partition in colours: greens on the accelerator, oranges
  /// on the processor.
  template <class Policy> static std::string dot() {
    // exec/partition.hpp
    return ir::dot(detail::printable_optimised<Function>.thaw(),
                   colours_of_segments(Policy(), static_cast<const graph*>(nullptr)));
  }

 private:
  static constexpr pool<node_info> make_table() {
    return node_table(optimised.thaw(), plan_view::of(plan), detail::text_optimised<Function>);
  }
  /// A template, so that the table is made only if it is used.
  template <class = void> struct made_table {
    static constexpr std::size_t size = make_table().size();
    static constexpr std::array<node_info, size> rows = [] {
      std::array<node_info, size> made{};
      detail::copy(make_table(), made);
      return made;
    }();
  };
};

}}  // namespace nnrt::NNRT_ISA
