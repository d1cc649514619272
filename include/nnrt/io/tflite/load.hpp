// load: a .tflite file as a model.
// Flow: verifies the file, turns each operator into nodes by the table of operators.hpp; compile() takes the model.
#pragma once

#include <nnrt/io/tflite/operators.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

/// Reads a TensorFlow Lite file. Weights stay in the file, which is mapped as long as the model or a program made of it
/// lives; what the file keeps in another form (depthwise filters, quantised weights of a float network) is converted.
///
/// Read is one subgraph of the builtin operators in operators.hpp, float or quantised: the first, or that of a
/// signature. Inputs and outputs have the names of their tensors, or those of the signature; where several are called x, or a tensor
/// is an output twice, they are x, x_1, x_2 in the file's order.
///
/// Where TensorFlow Lite 2.14 leaves NaN to the order of operands, or far floats and the lowest integers undefined, results are those of our
/// operators; a fused TANH is computed everywhere, which it ignores in ADD, SUB, MUL, DIV, convolutions and pools.
///
/// Errors, which name the file, operator and tensor, what was got and what was expected: not_found and io_failed;
/// invalid_argument (no such signature); invalid_file (not a .tflite file, or one that contradicts itself);
/// not_supported (operators, their versions, types, options and fields of tables that nothing here computes or knows); rule_broken (operators whose operands break
/// a rule of ours).
[[gnu::cold]] inline result<model> load(std::string_view path, const load_options& wanted = {});
/// Reads such a file in memory, for example an embedded one. Its bytes must outlive the model and the programs made of
/// it; bytes that do not begin at a multiple of 16 are copied. Errors as those of load.
[[gnu::cold]] inline result<model> parse(std::span<const std::byte> file, const load_options& wanted = {});

// --- details ---------------------------------------------------------------
namespace detail {

/// What a node calls: its name, and how it is read; no row where nothing here computes it.
struct called_operator {
  std::string name;
  const operator_row* row = nullptr;
};
[[gnu::cold]] inline called_operator operator_of(const document& file, record<schema::node> node) {
  const std::uint32_t index = node[schema::node::opcode_index];
  const auto code = file.code(index);
  // Numbers from 127 on do not fit into the older of the two fields, which then holds 127.
  const std::int32_t older = code[schema::operator_code::deprecated_builtin_code];
  const std::int32_t newer = code[schema::operator_code::builtin_code];
  const std::int32_t number = newer > older ? newer : older;
  const std::string_view custom = code[schema::operator_code::custom_code];
  constexpr std::size_t longest = 80;  // many operators may have one long name
  if (number == builtin_number("CUSTOM"))
    return {joined({"CUSTOM ", piece::in_quotes(custom.substr(0, longest)), custom.size() > longest ? "..." : ""}), find_row(custom, true)};
  std::string name = name_of_builtin(number);
  const operator_row* const row = find_row(name);
  return {std::move(name), row};
}

[[gnu::cold]] inline void check_count(node_reader& node, std::string_view what, std::size_t got, std::size_t least,
                                      std::size_t most) {
  if (got >= least && got <= most) return;
  const std::string_view bound = least == most ? "" : got < least ? "at least " : "at most ";
  node.refuse(error_code::invalid_file, {what, ": got ", got, ", expected ", bound, got < least ? least : most});
}

/// Refuses an operator in a version that is newer than its row: what it means nobody here knows. Missing or 0 it is 1.
[[gnu::cold]] inline void check_version(node_reader& node, record<schema::operator_code> code, const operator_row& row) {
  const std::int32_t version = code[schema::operator_code::version];
  if (const auto fault = fault_of_fields(code); !fault.empty()) return node.not_supported({fault});
  if (version < 0 || version > row.newest)
    node.not_supported({"version ", version, "; nnrt knows ", version < 0 ? "1 up to " : "up to ", row.newest});
}

[[gnu::cold]] inline void read_node(node_reader& node, record<schema::operator_code> code, const operator_row* row) {
  check_version(node, code, *row);
  node.check_tables(row->options);
  check_count(node, "inputs", node.input_count(), row->least_inputs, row->most_inputs);
  check_count(node, "outputs", node.output_count(), row->least_outputs, row->most_outputs);
  if (node.is_fine()) row->read(node);
}

/// Names of operators without a row, each once, in the order of the nodes; more than so many are not looked for.
inline constexpr std::size_t most_missing = 100;
[[gnu::cold]] inline std::vector<std::string> missing_operators(const document& file, records<schema::node> nodes, std::size_t& first) {
  std::vector<std::string> names;
  pool<char> is_known;  // of the file's list of operators: which have been looked at
  is_known.assign(file.code_count(), 0);
  for (std::size_t i = 0; i < nodes.size() && names.size() < most_missing; ++i) {
    const std::uint32_t index = nodes[i][schema::node::opcode_index];
    if (index >= file.code_count() || std::exchange(is_known[index], 1) != 0) continue;
    called_operator called = operator_of(file, nodes[i]);
    if (called.row != nullptr) continue;
    if (names.empty()) first = i;
    bool is_new = true;
    for (const std::string& other : names) is_new = is_new && other != called.name;
    if (is_new) names.push_back(std::move(called.name));
  }
  return names;
}

/// An operator of nnrt that computes what this one of TensorFlow Lite does, though none is read from files; empty: there is none.
[[gnu::cold]] inline std::string_view unread_counterpart(std::string_view name) {
  return name == "LSTM" || name == "UNIDIRECTIONAL_SEQUENCE_LSTM" || name == "BIDIRECTIONAL_SEQUENCE_LSTM" ? "lstm" : "";
}

/// Refuses a file for all operators that nothing here computes: whoever mends it wants to know them at once.
[[gnu::cold]] inline result<void> check_operators(const document& file, records<schema::node> nodes) {
  constexpr std::size_t most_named = 8;
  std::size_t first = 0;
  const std::vector<std::string> names = missing_operators(file, nodes, first);
  if (names.empty()) return {};
  const std::string_view counterpart = unread_counterpart(names[0]);
  std::string text = joined({"operator ", first, " ", names[0], counterpart.empty() ? ": nnrt has no such operator" : ": nnrt reads no such operator from files, though it has "});
  append(text, {counterpart});
  for (std::size_t i = 1; i < names.size() && i < most_named; ++i) append(text, {i == 1 ? ", nor " : ", ", names[i]});
  if (names.size() > most_named) append(text, {" and ", names.size() - most_named, names.size() < most_missing ? " more" : " more, or even more"});
  return fail(error_code::not_supported, std::move(text));
}

/// What is read of a file: a subgraph, and the signature that names its inputs and outputs, if there is one.
struct entry {
  std::uint32_t subgraph = 0;
  record<schema::signature_def> signature;
};

/// Fields of a signature that are newer than the schema; empty when there are none.
[[gnu::cold]] inline std::string fault_of_signature(record<schema::signature_def> signature) {
  std::string fault = fault_of_fields(signature);
  for (const auto ends : {signature[schema::signature_def::inputs], signature[schema::signature_def::outputs]})
    for (std::size_t i = 0; i < ends.size() && fault.empty(); ++i) fault = fault_of_fields(ends[i]);
  return fault;
}

/// The entry that was asked for.
[[gnu::cold]] inline result<entry> find_entry(const document& file, std::string_view key) {
  if (key.empty()) return entry{};
  std::string known;
  for (std::size_t i = 0; i < file.signatures().size(); ++i) {
    const auto found = file.signatures()[i];
    const std::string_view name = found[schema::signature_def::signature_key];
    if (name != key) {
      if (known.size() < 200) append(known, {i == 0 ? "" : ", ", piece::in_quotes(name)});
      continue;
    }
    const std::uint32_t index = found[schema::signature_def::subgraph_index];
    if (index >= file.graph_count())
      return fail(error_code::invalid_file, {"signature ", piece::in_quotes(key), ": subgraph: got ", index,
                                                    ", expected one of ", file.graph_count()});
    if (auto fault = fault_of_signature(found); !fault.empty())
      return fail(error_code::not_supported, {"signature ", piece::in_quotes(key), ": ", fault});
    return entry{index, found};
  }
  return fail(error_code::invalid_argument, {"signature: got ", piece::in_quotes(key), ", expected ",
                                                    known.empty() ? "none: the file has none" : "one of ", known});
}

/// What the file calls end i of the network: by the tensor's own name, or its number where it has none, unless a signature
/// says otherwise. A tensor that is several ends has several names, in order. No more names are looked at than there
/// are ends.
[[gnu::cold]] inline std::string called(records<schema::tensor_map> names, list<std::int32_t> ends, std::size_t i,
                                        std::string_view own) {
  std::size_t ends_before = 0;
  for (std::size_t k = 0; k < i; ++k) ends_before += ends[k] == ends[i] ? 1 : 0;
  for (std::size_t k = 0; k < names.size() && k < ends.size(); ++k) {
    if (names[k][schema::tensor_map::tensor_index] != static_cast<std::uint32_t>(ends[i])) continue;
    own = names[k][schema::tensor_map::name];
    if (ends_before-- == 0) break;
  }
  return own.empty() ? joined({"#", ends[i]}) : std::string(own);
}

/// Gives a name that an end before has a number, so that all differ: x, x_1, x_2; the least that makes a name which the file gives nobody.
[[gnu::cold]] inline void make_unique(std::vector<std::string>& names) {
  struct part {
    std::size_t size;  // of what the file says
    int number = 0;
  };
  pool<part> parts;
  for (const std::string& name : names) parts.push_back({name.size()});
  const auto own = [&](std::size_t i) { return std::string_view(names[i]).substr(0, parts[i].size); };
  const auto is_taken = [&](std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (own(i) == name) return true;
    return false;
  };
  for (std::size_t i = 1; i < names.size(); ++i) {
    std::size_t before = i;
    while (before > 0 && own(before - 1) != own(i)) --before;
    if (before == 0) continue;
    std::string numbered;
    parts[i].number = parts[before - 1].number;
    do numbered = joined({own(i), "_", ++parts[i].number});
    while (is_taken(numbered));
    names[i] = std::move(numbered);
  }
}

/// A network with more inputs, or outputs, than this is none: names are compared one by one.
inline constexpr std::size_t most_ends = 4096;
/// What callers call the ends of the network. `what` they are is for errors.
[[gnu::cold]] inline result<std::vector<std::string>> names_of_ends(records<schema::tensor_map> names, list<std::int32_t> ends,
                                                                    tensor_reader& tensors, std::string_view what) {
  if (ends.size() > most_ends) return fail(error_code::invalid_file, {what, "s: got ", ends.size(), ", expected at most ", most_ends});
  std::vector<std::string> made;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    made.push_back(called(names, ends, i, tensors.name(ends[i])));
    auto ok = tensors.count_copy(ends[i], static_cast<std::int64_t>(made.back().size()));
    if (!ok) return fail(std::move(ok.error()).in(joined({what, " ", i})));
  }
  make_unique(made);
  return made;
}

[[gnu::cold]] inline result<void> read_inputs(record<schema::subgraph> graph, const entry& read,
                                              tensor_reader& tensors) {
  const auto inputs = graph[schema::subgraph::inputs];
  const auto names = names_of_ends(read.signature[schema::signature_def::inputs], inputs, tensors, "input");
  if (!names) return fail(names.error());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto ok = tensors.add_input(inputs[i], (*names)[i]);
    if (!ok) return fail(std::move(ok.error()).in(joined({"input ", i})));
  }
  return {};
}

[[gnu::cold]] inline result<void> read_operators(document& file, record<schema::subgraph> graph, tensor_reader& tensors,
                                                 model_builder& network) {
  const auto operators = graph[schema::subgraph::operators];
  if (auto ok = check_operators(file, operators); !ok) return ok;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const record<schema::node> found = operators[i];
    node_reader node(file, tensors, network, found);
    std::string name;
    if (found[schema::node::opcode_index] < file.code_count()) {
      called_operator called = operator_of(file, found);
      read_node(node, file.code(found[schema::node::opcode_index]), called.row);
      name = std::move(called.name);
    } else {
      node.refuse(error_code::invalid_file,
                  {"opcode_index: got ", found[schema::node::opcode_index], ", expected one of ", file.code_count()});
    }
    if (!node.is_fine()) return fail(node.reason().in(joined({"operator ", i, name.empty() ? "" : " ", name})));
  }
  return {};
}

[[gnu::cold]] inline result<void> read_outputs(record<schema::subgraph> graph, const entry& read,
                                               tensor_reader& tensors, model_builder& network) {
  const auto outputs = graph[schema::subgraph::outputs];
  const auto names = names_of_ends(read.signature[schema::signature_def::outputs], outputs, tensors, "output");
  if (!names) return fail(names.error());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto id = tensors.value(outputs[i]);
    auto ok = id ? network.output((*names)[i], *id) : result<void>(fail(id.error()));
    if (!ok) return fail(std::move(ok.error()).in(joined({"output ", i})));
  }
  return {};
}

/// One subgraph of the file. `weights` keeps the file.
[[gnu::cold]] inline result<model> read(std::span<const std::byte> bytes, weights_builder weights,
                                        const load_options& wanted) {
  auto file = document::verify(bytes);
  if (!file) return fail(std::move(file.error()));
  const auto start = find_entry(*file, wanted.signature);
  if (!start) return fail(start.error());
  const auto graph = file->graph(start->subgraph);
  model_builder network;
  tensor_reader tensors(*file, graph, wanted, network, weights);
  auto ok = tensors.read_names();
  if (auto fault = fault_of_fields(graph); !fault.empty()) ok = fail(error_code::not_supported, std::move(fault));
  if (ok) ok = read_inputs(graph, *start, tensors);
  if (ok) ok = read_operators(*file, graph, tensors, network);
  if (ok) ok = read_outputs(graph, *start, tensors, network);
  if (!ok) return fail(std::move(ok.error()).in(joined({"subgraph ", start->subgraph})));
  auto kept = std::move(weights).finish();
  if (!kept) return fail(std::move(kept.error()));
  return network.finish(*kept);
}

}  // namespace detail

[[gnu::cold]] inline result<model> load(std::string_view path, const load_options& wanted) {
  auto file = mapped_file::open(path);
  if (!file) return fail(std::move(file.error()));
  const std::span<const std::byte> bytes = file->bytes();
  weights_builder weights;
  weights.keep(std::move(*file));
  auto made = detail::read(bytes, std::move(weights), wanted);
  if (!made) return fail(std::move(made.error()).in(path));
  return made;
}

[[gnu::cold]] inline result<model> parse(std::span<const std::byte> file, const load_options& wanted) {
  weights_builder weights;
  if (reinterpret_cast<std::uintptr_t>(file.data()) % 16 != 0) {
    const std::span<std::byte> copy = weights.allocate(file.size());
    std::memcpy(copy.data(), file.data(), file.size());
    file = copy;
  }
  return detail::read(file, std::move(weights), wanted);
}

}  // namespace nnrt::inline NNRT_ISA::tflite
