// document: the structure of an .onnx file - graphs, nodes, names and opsets - as places in the file.
// Flow: read() parses a file once; graph_reader.hpp converts its nodes in order.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/name_set.hpp>
#include <nnrt/io/onnx/schema.hpp>
#include <nnrt/io/protobuf.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// A domain with its version.
struct opset {
  byte_range domain;
  std::int64_t version = 1;
};

/// The operator of a node, and where its operands begin in graph_document::operands.
struct node_entry {
  byte_range message, op_type, domain, name, overload;
  std::int32_t first_operand = 0, inputs = 0, outputs = 0;
};

/// A tensor or declaration of a graph.
struct named_entry {
  byte_range message;
  std::int32_t name = -1;  // index of the name
};

/// Index of the name "": an operand that is missing.
inline constexpr std::int32_t no_name = -1;

/// The nodes and names of one graph or function of a file. Borrows the lists of a parsed_graph, or of constants.
struct graph_document {
  array_ref<const node_entry> nodes;       // sorted so that every value is made before it is read
  array_ref<const std::int32_t> operands;  // names of the inputs, then of the outputs of each node
  array_ref<const byte_range> names;
  array_ref<const named_entry> initializers, inputs, outputs;
  array_ref<const opset> opsets;  // a function's own
  bool has_sparse = false;
  nnrt::detail::name_slots lookup;  // of `names`

  constexpr array_ref<const std::int32_t> inputs_of(const node_entry& n) const {
    return {operands.data() + n.first_operand, static_cast<std::size_t>(n.inputs)};
  }
  constexpr array_ref<const std::int32_t> outputs_of(const node_entry& n) const {
    return {operands.data() + n.first_operand + n.inputs, static_cast<std::size_t>(n.outputs)};
  }
};

/// The lists of a graph_document. Plain data that constant evaluation can store.
struct parsed_graph {
  pool<node_entry> nodes;
  pool<std::int32_t> operands;
  pool<byte_range> names;
  pool<named_entry> initializers, inputs, outputs;
  pool<opset> opsets;
  pool<std::int32_t> slots;  // of the names' hash table
  bool has_sparse = false;

  constexpr graph_document view() const {
    return {nodes, operands, names, initializers, inputs, outputs, opsets, has_sparse, nnrt::detail::name_slots(slots)};
  }
};

/// A model-local function.
struct function_entry {
  byte_range message, domain, name, overload;
};

/// A parsed file. Borrows the bytes.
struct document {
  file_view file;
  std::int64_t ir_version = 0;
  pool<opset> opsets;
  pool<function_entry> functions;
  byte_range graph;

  constexpr std::string_view text(const byte_range& place) const { return file.bytes(place.at, place.size); }
};

namespace detail {

[[gnu::cold]] constexpr error malformed(std::size_t at, std::string_view what) {
  return {error_code::invalid_file, {"byte ", at, ": no valid field of ", what}};
}

/// ONNX's domain has two spellings.
constexpr bool is_default_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }
constexpr bool is_same_domain(std::string_view a, std::string_view b) {
  return a == b || (is_default_domain(a) && is_default_domain(b));
}

/// Parses a graph or a function into lists. Names are hashed once; nodes refer to them by index.
class graph_parser {
 public:
  constexpr graph_parser(const file_view& file, parsed_graph& to) : file_(file), to_(to) {}

  /// Reads the fields of a graph in `rest`, at most `most` fields, and leaves those that follow in `rest`. Error:
  /// invalid_file (malformed fields).
  [[gnu::cold]] constexpr result<void> read_graph(byte_range& rest, std::size_t most) {
    message_fields field(file_, rest);
    for (; most > 0 && field.next(); --most) {
      if (field.type() != wire::counted_bytes) continue;
      switch (field.number()) {
        case schema::graph::node:
          if (auto ok = read_node(field.place()); !ok) return ok;
          break;
        case schema::graph::initializer:
          if (auto ok = add(to_.initializers, field.place(), schema::tensor::name, "a tensor"); !ok) return ok;
          break;
        case schema::graph::input:
          if (auto ok = add(to_.inputs, field.place(), schema::value_info::name, "an input"); !ok) return ok;
          break;
        case schema::graph::output:
          if (auto ok = add(to_.outputs, field.place(), schema::value_info::name, "an output"); !ok) return ok;
          break;
        case schema::graph::sparse_initializer: to_.has_sparse = true; break;
      }
    }
    rest = field.rest();
    return ended(field, "a graph");
  }
  [[gnu::cold]] constexpr result<void> read_function(const byte_range& message) {
    message_fields field(file_, message);
    while (field.next()) {
      if (field.type() != wire::counted_bytes) continue;
      switch (field.number()) {
        case schema::function::node:
          if (auto ok = read_node(field.place()); !ok) return ok;
          break;
        case schema::function::input: to_.inputs.push_back({field.place(), name(field.place())}); break;
        case schema::function::output: to_.outputs.push_back({field.place(), name(field.place())}); break;
        case schema::function::opset_import:
          if (auto ok = read_opset(file_, field.place(), to_.opsets); !ok) return ok;
          break;
      }
    }
    return ended(field, "a function");
  }
  [[gnu::cold]] static constexpr result<void> read_opset(const file_view& file, const byte_range& message,
                                                         pool<opset>& to) {
    opset made;
    message_fields field(file, message);
    while (field.next()) {
      if (field.number() == schema::opset::domain) made.domain = field.place();
      if (field.number() == schema::opset::version) made.version = static_cast<std::int64_t>(field.integer());
    }
    to.push_back(made);
    return ended(field, "an opset");
  }
  static constexpr result<void> ended(const message_fields& field, std::string_view what) {
    if (field.is_valid()) return {};
    return fail(malformed(field.at(), what));
  }
  /// The index of a name, new or known; no_name for "".
  constexpr std::int32_t name(const byte_range& place) {
    if (place.empty()) return no_name;
    const auto name_of = [&](std::size_t i) { return file_.bytes(to_.names[i].at, to_.names[i].size); };
    const std::string_view text = file_.bytes(place.at, place.size);
    const std::int32_t known = nnrt::detail::name_slots(to_.slots).find(text, name_of);
    if (known >= 0) return known;
    to_.names.push_back(place);
    nnrt::detail::add_to_slots(to_.slots, to_.names.size() - 1, text, name_of);
    return static_cast<std::int32_t>(to_.names.size()) - 1;
  }

 private:
  [[gnu::cold]] constexpr result<void> add(pool<named_entry>& list, const byte_range& message, schema::number number,
                                           std::string_view what) {
    byte_range found;
    message_fields field(file_, message);
    while (field.next())
      if (field.number() == number) found = field.place();
    list.push_back({message, name(found)});
    return ended(field, what);
  }
  [[gnu::cold]] constexpr result<void> read_node(const byte_range& message) {
    node_entry made;
    made.message = message;
    made.first_operand = static_cast<std::int32_t>(to_.operands.size());
    pool<std::int32_t> outputs;
    message_fields field(file_, message);
    while (field.next()) {
      const std::uint64_t number = field.number();
      if (number == schema::node::input) to_.operands.push_back(name(field.place())), ++made.inputs;
      else if (number == schema::node::output) outputs.push_back(name(field.place())), ++made.outputs;
      else if (number == schema::node::name) made.name = field.place();
      else if (number == schema::node::op_type) made.op_type = field.place();
      else if (number == schema::node::domain) made.domain = field.place();
      else if (number == schema::node::overload) made.overload = field.place();
    }
    to_.operands.insert(outputs.begin(), outputs.end());
    to_.nodes.push_back(made);
    return ended(field, "a node");
  }

  const file_view& file_;
  parsed_graph& to_;
};

/// The node that makes each name, or -1. Error: invalid_file (a name that two nodes make).
[[gnu::cold]] constexpr result<pool<std::int32_t>> makers_of(const file_view& file, const graph_document& g) {
  pool<std::int32_t> maker;
  maker.assign(g.names.size(), -1);
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (const std::int32_t name : g.outputs_of(g.nodes[i])) {
      if (name == no_name) continue;
      std::int32_t& made = maker[static_cast<std::size_t>(name)];
      if (made >= 0) {
        const byte_range& text = g.names[static_cast<std::size_t>(name)];
        return fail(error_code::invalid_file, {"value ", piece::in_quotes(file.bytes(text.at, text.size)),
                                               " is made by two nodes, ", made, " and ", i});
      }
      made = static_cast<std::int32_t>(i);
    }
  return maker;
}

constexpr bool is_sorted(const graph_document& g, const pool<std::int32_t>& maker) {
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (const std::int32_t name : g.inputs_of(g.nodes[i]))
      if (name != no_name && maker[static_cast<std::size_t>(name)] >= static_cast<std::int32_t>(i)) return false;
  return true;
}

/// The nodes in an order in which each follows those whose results it reads (Kahn's algorithm). Nodes on cycles are
/// missing.
[[gnu::cold]] constexpr pool<std::int32_t> order_of_nodes(const graph_document& g, const pool<std::int32_t>& maker) {
  pool<std::int32_t> missing, ready, first_reader, next_reader, reader;
  missing.assign(g.nodes.size(), 0);
  first_reader.assign(g.names.size(), -1);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    for (const std::int32_t name : g.inputs_of(g.nodes[i])) {
      if (name == no_name || maker[static_cast<std::size_t>(name)] < 0) continue;
      ++missing[i];
      reader.push_back(static_cast<std::int32_t>(i));
      next_reader.push_back(first_reader[static_cast<std::size_t>(name)]);
      first_reader[static_cast<std::size_t>(name)] = static_cast<std::int32_t>(reader.size()) - 1;
    }
    if (missing[i] == 0) ready.push_back(static_cast<std::int32_t>(i));
  }
  for (std::size_t next = 0; next < ready.size(); ++next)
    for (const std::int32_t name : g.outputs_of(g.nodes[static_cast<std::size_t>(ready[next])])) {
      if (name == no_name) continue;
      for (std::int32_t k = first_reader[static_cast<std::size_t>(name)]; k >= 0;
           k = next_reader[static_cast<std::size_t>(k)])
        if (--missing[static_cast<std::size_t>(reader[static_cast<std::size_t>(k)])] == 0)
          ready.push_back(reader[static_cast<std::size_t>(k)]);
    }
  return ready;
}

/// Sorts nodes that some tool wrote out of order. Names of outer graphs count as known. Error: invalid_file (a cycle, a
/// name that two nodes make).
[[gnu::cold]] constexpr result<void> sort_nodes(const file_view& file, parsed_graph& parsed) {
  const graph_document g = parsed.view();
  auto maker = makers_of(file, g);
  if (!maker) return fail(std::move(maker.error()));
  if (is_sorted(g, *maker)) return {};
  const pool<std::int32_t> order = order_of_nodes(g, *maker);
  if (order.size() != g.nodes.size())
    return fail(error_code::invalid_file,
                {"nodes: ", g.nodes.size() - order.size(), " of ", g.nodes.size(), " read each other's results"});
  pool<node_entry> sorted;
  for (const std::int32_t i : order) sorted.push_back(g.nodes[static_cast<std::size_t>(i)]);
  parsed.nodes = static_cast<pool<node_entry>&&>(sorted);
  return {};
}

[[gnu::cold]] constexpr result<void> read_function_entry(const file_view& file, const byte_range& message,
                                                         pool<function_entry>& to) {
  function_entry made;
  made.message = message;
  message_fields field(file, message);
  while (field.next()) {
    if (field.number() == schema::function::name) made.name = field.place();
    if (field.number() == schema::function::domain) made.domain = field.place();
    if (field.number() == schema::function::overload) made.overload = field.place();
  }
  to.push_back(made);
  return graph_parser::ended(field, "a function");
}

}  // namespace detail

/// Parses a graph: of the model, of an attribute, or of a function. Error: invalid_file.
[[gnu::cold]] constexpr result<parsed_graph> parse_graph(const file_view& file, const byte_range& message,
                                                         bool is_function = false) {
  parsed_graph made;
  detail::graph_parser parser(file, made);
  result<void> ok;
  byte_range rest = message;
  if (is_function) ok = parser.read_function(message);
  else ok = parser.read_graph(rest, message.size);  // no limit: each field has at least one byte
  if (ok) ok = detail::sort_nodes(file, made);
  if (!ok) return fail(std::move(ok.error()));
  return made;
}

/// Parses the outer message of a file. Errors: invalid_file (malformed fields, no graph or several, no version).
[[gnu::cold]] constexpr result<document> parse_document(const file_view& file) {
  document made;
  made.file = file;
  bool has_graph = false;
  message_fields field(file, {0, file.size()});
  while (field.next()) {
    if (field.number() == schema::model::ir_version) made.ir_version = static_cast<std::int64_t>(field.integer());
    if (field.type() != wire::counted_bytes) continue;
    if (field.number() == schema::model::graph) {
      if (has_graph) return fail(error_code::invalid_file, {"byte ", field.at(), ": a second graph"});
      has_graph = true;
      made.graph = field.place();
    } else if (field.number() == schema::model::opset_import) {
      if (auto ok = detail::graph_parser::read_opset(file, field.place(), made.opsets); !ok)
        return fail(std::move(ok.error()));
    } else if (field.number() == schema::model::functions) {
      if (auto ok = detail::read_function_entry(file, field.place(), made.functions); !ok)
        return fail(std::move(ok.error()));
    }
  }
  if (!field.is_valid()) return fail(detail::malformed(field.at(), "an ONNX model"));
  if (!has_graph) return fail(error_code::invalid_file, "got no graph, expected an ONNX model with one");
  return made;
}

}}}  // namespace nnrt::NNRT_ISA::onnx
