// onnx_format: how the compiler reads .onnx files.
// Flow: the text of `nnrt embed` for an .onnx file includes it, so that NNRT_MODEL reads the file; frozen_reading.hpp
// reads in parts through it. The graph's structure is parsed in parts, too, and sorted once.
#pragma once

#include <nnrt/exec/frozen_reading.hpp>
#include <nnrt/io/onnx/read.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// The nnrt operators that operators of a file usually become. Only compile time depends on this list.
struct likely_onnx_operator {
  std::string_view type;
  op_code becomes;
};
inline constexpr likely_onnx_operator likely_onnx_operators[] = {
    {"Add", ops::add::code},
    {"AveragePool", ops::avg_pool::code},
    {"AveragePool", ops::transpose::code},
    {"Concat", ops::concat::code},
    {"Conv", ops::conv2d::code},
    {"Conv", ops::transpose::code},
    {"Gemm", ops::full_connection::code},
    {"GlobalAveragePool", ops::reduce_mean::code},
    {"MatMul", ops::matmul::code},
    {"MaxPool", ops::max_pool::code},
    {"MaxPool", ops::transpose::code},
    {"Mul", ops::mul::code},
    {"Relu", ops::relu::code},
    {"Reshape", ops::reshape::code},
    {"Sigmoid", ops::sigmoid::code},
    {"Softmax", ops::softmax::code},
    {"Transpose", ops::transpose::code},
};
constexpr pool<typed_operator> likely_operators(const file_view& file, const onnx::graph_document& g) {
  pool<typed_operator> found;
  for (const likely_onnx_operator& likely : likely_onnx_operators) {
    bool is_known = false;
    for (const typed_operator& one : found) is_known = is_known || one.code == likely.becomes;
    for (const onnx::node_entry& n : g.nodes) {
      if (is_known) break;
      if (file.bytes(n.op_type.at, n.op_type.size) != likely.type) continue;
      found.push_back({likely.becomes, dtype::none});
      is_known = true;
    }
  }
  return found;
}

/// A partly parsed graph.
struct graph_parsing {
  onnx::parsed_graph graph;
  byte_range rest;  // the fields that follow
  reading_fault fault;
};
using parsed_lists = members<&onnx::parsed_graph::nodes, &onnx::parsed_graph::operands, &onnx::parsed_graph::names,
                             &onnx::parsed_graph::initializers, &onnx::parsed_graph::inputs,
                             &onnx::parsed_graph::outputs, &onnx::parsed_graph::opsets, &onnx::parsed_graph::slots>;
using parsed_sizes = list_sizes<parsed_lists::count>;

/// A parsed graph as arrays.
template <parsed_sizes N> struct frozen_parsing {
  static constexpr parsed_sizes sizes = N;
  parsed_sizes used;
  frozen_lists<parsed_lists, N> lists;
  byte_range rest;
  reading_fault fault;
  bool has_sparse;

  constexpr explicit frozen_parsing(const graph_parsing& p)
      : used(sizes_of_lists(p.graph, parsed_lists())),
        lists(p.graph),
        rest(p.rest),
        fault(p.fault),
        has_sparse(p.graph.has_sparse) {}

  constexpr graph_parsing thaw(const parsed_sizes& first) const {
    graph_parsing made;
    lists.thaw(made.graph, first);
    made.graph.has_sparse = has_sparse;
    made.rest = rest;
    return made;
  }
  constexpr onnx::graph_document view() const {
    using g = onnx::parsed_graph;
    const auto& l = lists;
    const array_ref<const std::int32_t> slots = l.template get<&g::slots>();
    return {l.template get<&g::nodes>(),
            l.template get<&g::operands>(),
            l.template get<&g::names>(),
            l.template get<&g::initializers>(),
            l.template get<&g::inputs>(),
            l.template get<&g::outputs>(),
            l.template get<&g::opsets>(),
            has_sparse,
            name_slots(slots)};
  }
};

/// Number of the graph's fields - nodes, initializers, inputs and outputs - that one evaluation parses.
#ifdef __clang__
inline constexpr std::size_t fields_in_part = 128;
#else
inline constexpr std::size_t fields_in_part = 1024;
#endif
constexpr parsed_sizes room_to_parse(parsed_sizes n) {
  auto& [nodes, operands, names, initializers, inputs, outputs, opsets, slots] = n.each;
  nodes += fields_in_part, operands += 5 * fields_in_part, names += 3 * fields_in_part;
  initializers += fields_in_part, inputs += 8, outputs += 8;
  slots = 64;
  while (slots < 2 * names) slots *= 2;
  return n;
}

/// The state before the first part, or why the file's outer message is malformed.
template <class File> struct nothing_parsed {
  static constexpr parsed_sizes used{};
  static constexpr graph_parsing thaw() {
    graph_parsing made;
    const auto model = onnx::parse_document(File::bytes());
    if (model) made.rest = model->graph;
    else made.fault = reading_fault(model.error(), 0);
    return made;
  }
};
/// Part number `Part` of a graph.
template <class File, std::size_t Part> struct parsed_part {
  struct before_first : nothing_parsed<File> {};
  template <std::size_t P> static constexpr auto before() {
    if constexpr (P == 0) return std::type_identity<before_first>();
    else return std::type_identity<parsed_part<File, P - 1>>();
  }
  using part_before = typename decltype(before<Part>())::type;

  static constexpr graph_parsing parse() {
    graph_parsing made = part_before::thaw();
    if (made.fault.size != 0) return made;
    const file_view file = File::bytes();
    auto ok = onnx::detail::graph_parser(file, made.graph).read_graph(made.rest, fields_in_part);
    if (!ok) made.fault = reading_fault(ok.error(), 0);
    return made;
  }
  static constexpr frozen_parsing<room_to_parse(part_before::used)> oversized{parse()};
  static constexpr parsed_sizes used = oversized.used;
  static constexpr bool is_last = oversized.rest.empty() || oversized.fault.size != 0;

  /// In arrays of exact size, if the estimated sizes were too small.
  template <class = void> struct exact {
    static constexpr frozen_parsing<used> held{parse()};
  };
  static constexpr graph_parsing thaw() {
    if constexpr (used.fit(oversized.sizes)) return oversized.thaw(used);
    else return exact<>::held.thaw(used);
  }
};
template <class File, std::size_t Part = 0> constexpr auto find_last_parsed() {
  if constexpr (parsed_part<File, Part>::is_last) return std::type_identity<parsed_part<File, Part>>();
  else return find_last_parsed<File, Part + 1>();
}
template <class File> using last_parsed = typename decltype(find_last_parsed<File>())::type;

/// The parsed graph of a file with sorted nodes.
template <class File>
inline constexpr frozen_parsing<last_parsed<File>::used> graph_of_onnx{[] {
  graph_parsing made = last_parsed<File>::thaw();
  made.fault = last_parsed<File>::oversized.fault;
  if (made.fault.size != 0) return made;
  if (auto ok = onnx::detail::sort_nodes(File::bytes(), made.graph); !ok) made.fault = reading_fault(ok.error(), 0);
  return made;
}()};

template <> struct format_with_bytes<model_format::onnx> {
  static constexpr bool is_included = true;

  template <class File> struct of {
    using options = onnx::load_options;
    using network = onnx::partial_network;
    using lists = members<&network::places, &network::file_names, &network::counted, &network::ids, &network::weights,
                          &network::initializers, &network::reasons>;
    using numbers = members<&network::copied_bytes, &network::called_nodes, &network::weights_made, &network::refused,
                            &network::first_refused, &network::refused_as, &network::next>;

    static constexpr reading_fault fault() { return graph_of_onnx<File>.fault; }
    static constexpr reading_extent extent() {
      const onnx::graph_document g = graph_of_onnx<File>.view();
      return {g.names.size(), g.inputs.size(), g.outputs.size()};
    }
    static constexpr pool<typed_operator> likely() {
      return likely_operators(File::bytes(), graph_of_onnx<File>.view());
    }
    static constexpr auto room(list_sizes<lists::count> n, const reading_extent& whole) {
      auto& [places, file_names, counted, ids, weights, initializers, reasons] = n.each;
      ids = weights = initializers = whole.names;
      places += 4 * most_nodes_in_part;
      return n;
    }
    template <class Act> static constexpr void read(find_operator find, Act act) {
      const auto model = onnx::parse_document(File::bytes());
      const onnx::load_options wanted = File::choices();
      onnx::network_reader reader(*model, graph_of_onnx<File>.view(), wanted, find);
      reader.read_for_compiler();
      act(reader);
    }
  };
};

/// The third argument of NNRT_MODEL for an .onnx file: {.shapes = …, .constants = …}.
constexpr onnx::load_options choices_of(onnx::load_options wanted, no_choices) { return wanted; }

}}}  // namespace nnrt::NNRT_ISA::detail
