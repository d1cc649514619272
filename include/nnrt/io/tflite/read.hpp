// read: reads a .tflite file as a graph and the places of its weights, in constant evaluation or at run time.
// Flow: verifies the file and converts each operator to nodes by the table of operators.hpp; load.hpp makes a model of
// the result.
#pragma once

#include <nnrt/io/tflite/operators.hpp>

#include <optional>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// The result of reading a file: the graph, and the file positions of its weights.
struct file_network {
  ir::graph graph;
  pool<weight_place> weights;
};

namespace detail {

inline constexpr std::int32_t custom_operator = builtin_number("CUSTOM");

/// The row of an operator of the file; null when it is not supported.
[[gnu::cold]] constexpr const operator_row* row_of(const document& file, table_of<schema::operator_code> code) {
  const std::int32_t number = number_of(code);
  if (number < 0 && file.is_circle()) return row_of_circle(number);
  if (number == custom_operator) return row_of_custom(code[schema::operator_code::custom_code]);
  return row_of_builtin(number);
}
/// The name of an operator in messages.
[[gnu::cold]] constexpr pool<char> title_of(const document& file, table_of<schema::operator_code> code) {
  const std::int32_t number = number_of(code);
  if (number < 0 && file.is_circle()) return name_of_circle(number);
  if (number != custom_operator) return name_of_builtin(number);
  constexpr std::size_t longest = 80;  // limits the message: many operators may share one long name
  const std::string_view custom = code[schema::operator_code::custom_code];
  return letters({"CUSTOM ", piece::in_quotes(custom.substr(0, longest)), custom.size() > longest ? "..." : ""});
}

[[gnu::cold]] constexpr void check_count(node_reader& node, std::string_view what, std::size_t got, std::size_t least,
                                         std::size_t most) {
  if (got >= least && got <= most) return;
  const std::string_view bound = least == most ? "" : got < least ? "at least " : "at most ";
  node.refuse(error_code::invalid_file, {what, ": got ", got, ", expected ", bound, got < least ? least : most});
}

/// Refuses an operator with a newer version than its row. A missing version is 1.
[[gnu::cold]] constexpr void check_version(node_reader& node, table_of<schema::operator_code> code,
                                           const operator_row& row) {
  const std::int32_t version = code[schema::operator_code::version];
  if (const auto fault = fault_of_fields(code); !fault.empty()) return node.not_supported({fault});
  if (version < 0 || version > row.newest)
    node.not_supported({"version ", version, "; nnrt knows ", version < 0 ? "1 up to " : "up to ", row.newest});
}

[[gnu::cold]] constexpr void read_node(node_reader& node, table_of<schema::operator_code> code,
                                       const operator_row* row) {
  check_version(node, code, *row);
  node.check_tables(row->options, row->changes_variables);
  check_count(node, "inputs", node.input_count(), row->min_inputs, row->max_inputs);
  check_count(node, "outputs", node.output_count(), row->min_outputs, row->max_outputs);
  for (std::size_t i = 0; node.is_fine() && i < row->min_inputs && i < row->required; ++i)
    if (!node.has(i)) node.refuse(error_code::invalid_file, {"input ", i, ": got none, expected a tensor"});
  if (!node.is_fine()) return;
  const counted_input rows = read_counted(node, row->name, row->counted);
  if (node.is_fine()) row->read(node);
  conclude_counted(node, rows);
}

/// Indices of the first node of each unsupported operator, by name; at most max_missing.
inline constexpr std::size_t max_missing = 100;
[[gnu::cold]] constexpr pool<std::size_t> missing_operators(const document& file, tables_of<schema::node> nodes) {
  const auto title_at = [&](std::size_t i) { return title_of(file, file.code(nodes[i][schema::node::opcode_index])); };
  pool<std::size_t> missing;
  pool<char> is_known;  // for each entry of the operator list: 1 when it was examined
  is_known.assign(file.code_count(), 0);
  for (std::size_t i = 0; i < nodes.size() && missing.size() < max_missing; ++i) {
    const std::uint32_t index = nodes[i][schema::node::opcode_index];
    if (index >= file.code_count() || is_known[index] != 0) continue;
    is_known[index] = 1;
    if (row_of(file, file.code(index)) != nullptr) continue;
    bool is_new = true;
    for (const std::size_t other : missing) is_new = is_new && letters_of(title_at(other)) != letters_of(title_at(i));
    if (is_new) missing.push_back(i);
  }
  return missing;
}

/// Refuses a file with unsupported operators, and names them in one message.
[[gnu::cold]] constexpr result<void> check_operators(const document& file, tables_of<schema::node> nodes) {
  constexpr std::size_t max_named = 8;
  const pool<std::size_t> missing = missing_operators(file, nodes);
  if (missing.empty()) return {};
  const auto title_at = [&](std::size_t i) { return title_of(file, file.code(nodes[i][schema::node::opcode_index])); };
  pool<char> text;
  append(text, {"operator ", missing[0], " ", title_at(missing[0]), ": nnrt has no such operator"});
  for (std::size_t i = 1; i < missing.size() && i < max_named; ++i)
    append(text, {i == 1 ? ", nor " : ", ", title_at(missing[i])});
  if (missing.size() > max_named)
    append(text, {" and ", missing.size() - max_named, missing.size() < max_missing ? " more" : " more, or even more"});
  return fail(error_code::not_supported, text);
}

/// The subgraph to read, and the signature that names its inputs and outputs; without a signature the table is empty.
struct entry {
  std::uint32_t subgraph = 0;
  table_of<schema::signature_def> signature;
};

/// Finds fields of a signature that are newer than the schema. Returns an error message; empty: no error.
[[gnu::cold]] constexpr pool<char> fault_of_signature(table_of<schema::signature_def> signature) {
  pool<char> fault = fault_of_fields(signature);
  for (const auto ends : {signature[schema::signature_def::inputs], signature[schema::signature_def::outputs]})
    for (std::size_t i = 0; i < ends.size() && fault.empty(); ++i) fault = fault_of_fields(ends[i]);
  return fault;
}

/// The subgraph and signature that `key` selects.
[[gnu::cold]] constexpr result<entry> find_entry(const document& file, std::string_view key) {
  if (key.empty()) return entry{};
  pool<char> known;
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

/// The name of input or output i: from the signature, else the tensor's own name, else "#" and its index. If a tensor
/// is listed several times, it gets the signature's names in order. Examines at most ends.size() names.
[[gnu::cold]] constexpr pool<char> called(tables_of<schema::tensor_map> names, list<std::int32_t> ends, std::size_t i,
                                          std::string_view own) {
  std::size_t ends_before = 0;
  for (std::size_t k = 0; k < i; ++k) ends_before += ends[k] == ends[i] ? 1 : 0;
  for (std::size_t k = 0; k < names.size() && k < ends.size(); ++k) {
    if (names[k][schema::tensor_map::tensor_index] != static_cast<std::uint32_t>(ends[i])) continue;
    own = names[k][schema::tensor_map::name];
    if (ends_before-- == 0) break;
  }
  if (own.empty()) return letters({"#", ends[i]});  // no conditional operator: g++ 12 would destroy its result twice
  return letters({own});
}

/// A list of names in one character pool.
class name_list {
 public:
  constexpr std::size_t size() const { return names_.size(); }
  constexpr std::string_view operator[](std::size_t i) const {
    return {text_.data() + names_[i].first, names_[i].size};
  }
  constexpr void push_back(std::string_view name) {
    names_.push_back({text_.size(), name.size()});
    text_.insert(name.begin(), name.end());
  }

 private:
  struct part {
    std::size_t first, size;
  };
  pool<char> text_;
  pool<part> names_;
};

/// Appends numbers to repeated names: x, x_1, x_2. Each number is the lowest that gives a name not used in the file.
[[gnu::cold]] constexpr name_list made_unique(const name_list& names) {
  name_list made;
  pool<int> numbers;
  const auto is_taken = [&](std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return true;
    return false;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::size_t before = i;
    while (before > 0 && names[before - 1] != names[i]) --before;
    numbers.push_back(before == 0 ? 0 : numbers[before - 1]);
    pool<char> numbered = letters({names[i]});
    while (before != 0 && is_taken(letters_of(numbered))) numbered = letters({names[i], "_", ++numbers[i]});
    made.push_back(letters_of(numbered));
  }
  return made;
}

/// Largest number of inputs or outputs: names are compared pairwise.
inline constexpr std::size_t max_ends = 4096;
/// The names of the network's inputs or outputs. `what` names them in errors.
[[gnu::cold]] constexpr result<name_list> names_of_ends(tables_of<schema::tensor_map> names, list<std::int32_t> ends,
                                                        tensor_reader& tensors, std::string_view what) {
  if (ends.size() > max_ends)
    return fail(error_code::invalid_file, {what, "s: got ", ends.size(), ", expected at most ", max_ends});
  name_list made;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    made.push_back(letters_of(called(names, ends, i, tensors.name(ends[i]))));
    auto ok = tensors.count_copy(ends[i], static_cast<std::int64_t>(made[i].size()));
    if (!ok) return fail(std::move(ok.error()).in(letters_of(letters({what, " ", i}))));
  }
  return made_unique(made);
}

[[gnu::cold]] constexpr result<void> read_inputs(table_of<schema::subgraph> graph, const entry& read,
                                                 tensor_reader& tensors) {
  const auto inputs = graph[schema::subgraph::inputs];
  const auto names = names_of_ends(read.signature[schema::signature_def::inputs], inputs, tensors, "input");
  if (!names) return fail(names.error());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto ok = tensors.add_input(inputs[i], (*names)[i]);
    if (!ok) return fail(std::move(ok.error()).in(letters_of(letters({"input ", i}))));
  }
  return {};
}

[[gnu::cold]] constexpr result<void> read_outputs(table_of<schema::subgraph> graph, const entry& read,
                                                  tensor_reader& tensors, graph_builder& network) {
  const auto outputs = graph[schema::subgraph::outputs];
  auto names = names_of_ends(read.signature[schema::signature_def::outputs], outputs, tensors, "output");
  if (!names) return fail(names.error());
  pool<std::int32_t> ids;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto id = tensors.value(outputs[i]);
    if (!id) return fail(error(id.error()).in(letters_of(letters({"output ", i}))));
    ids.push_back(*id);
  }
  // After the file's own outputs come the numbers of valid rows of outputs that have one.
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::int32_t count = tensors.count_of(ids[i]);
    if (count == ir::none) continue;
    names->push_back(letters_of(letters({(*names)[i], "_count"})));
    ids.push_back(count);
  }
  if (ids.size() > outputs.size()) names = made_unique(*names);
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (auto ok = network.output((*names)[i], ids[i]); !ok)
      return fail(std::move(ok.error()).in(letters_of(letters({"output ", i}))));
  return {};
}

/// Reads operator i of a subgraph.
[[gnu::cold]] constexpr result<void> read_operator(document& file, tensor_reader& tensors, graph_builder& network,
                                                   find_operator find, tables_of<schema::node> operators,
                                                   std::size_t i) {
  const table_of<schema::node> found = operators[i];
  constexpr reading_steps steps{check_operators, read_operator, activated};
  node_reader node(file, tensors, network, find, steps, found);
  const std::uint32_t index = found[schema::node::opcode_index];
  if (index < file.code_count()) read_node(node, file.code(index), row_of(file, file.code(index)));
  else node.refuse(error_code::invalid_file, {"opcode_index: got ", index, ", expected one of ", file.code_count()});
  if (node.is_fine()) return {};
  pool<char> place = letters({"operator ", i});
  if (index < file.code_count()) append(place, {" ", title_of(file, file.code(index))});
  return fail(node.reason().in(letters_of(place)));
}

/// A builder whose graph can be taken out and put back.
struct network_builder : graph_builder {
  using graph_builder::readiness;
  using graph_builder::resume;
  using graph_builder::take;
};

}  // namespace detail

/// A partly read network. Plain data that constant evaluation can store.
struct partial_network : tensor_state {
  ir::graph graph;
  pool<passes::readiness> ready;  // of each value
  std::size_t next = 0;           // index of the operator to read next
};

/// Reads a subgraph operator by operator. The compiler can do this in several parts, because clang limits one constant
/// evaluation to a million steps. `file` is verified and must outlive the reader.
class network_reader {
 public:
  constexpr network_reader(document& file, const load_options& wanted, find_operator find)
      : file_(file), wanted_(wanted), find_(find) {}

  /// The extent of the subgraph to read; zeros when there is no such subgraph.
  [[gnu::cold]] constexpr reading_extent extent() {
    if (!find_entry()) return {};
    return {graph_[schema::subgraph::tensors].size(), graph_[schema::subgraph::inputs].size(),
            graph_[schema::subgraph::outputs].size()};
  }
  /// Reads tensor names and inputs. Call it before read_next().
  [[gnu::cold]] constexpr result<void> begin();
  /// Continues a network that another reader of this file began.
  [[gnu::cold]] constexpr result<void> resume(partial_network so_far);

  constexpr bool has_more() const { return next_ < operators().size(); }
  /// Reads one operator.
  [[gnu::cold]] constexpr result<void> read_next();
  /// Reads the outputs and the next values of states. Call it after all operators.
  [[gnu::cold]] constexpr result<void> finish();

  /// Number of nodes added so far.
  constexpr std::size_t nodes() const { return network_.graph().nodes.size(); }
  /// The part of an operator whose absence stopped the reading.
  constexpr const graph_builder::lacking_part& lacking() const { return network_.lacking(); }
  /// File offset of the operator that is read next; 0 when there is none.
  constexpr std::size_t place() const { return has_more() ? operators()[next_].at() : 0; }
  /// Returns the network and leaves the reader empty.
  constexpr partial_network take() {
    partial_network made;
    made.ready = network_.readiness();
    made.graph = network_.take();
    static_cast<tensor_state&>(made) = static_cast<tensor_state&&>(tensors_);
    made.next = next_;
    return made;
  }

 private:
  [[gnu::cold]] constexpr result<void> find_entry() {
    auto start = detail::find_entry(file_, wanted_.signature);
    if (!start) return fail(std::move(start.error()));
    entry_ = *start;
    graph_ = file_.graph(entry_.subgraph);
    return {};
  }
  constexpr tables_of<schema::node> operators() const { return graph_[schema::subgraph::operators]; }
  constexpr tensor_reader& tensors() {
    if (!reader_) {
      reader_.emplace(file_, graph_, wanted_, network_, tensors_,
                      subgraph_place{static_cast<std::int32_t>(entry_.subgraph)});
      if (detail::requantises_i32(file_, graph_)) reader_->keep_scales_of_i32();
    }
    return *reader_;
  }
  [[gnu::cold]] constexpr result<void> in_subgraph(result<void> done) const {
    if (done) return done;
    return fail(std::move(done.error()).in(letters_of(letters({"subgraph ", entry_.subgraph}))));
  }
  [[gnu::cold]] constexpr result<void> read_ends();
  [[gnu::cold]] constexpr result<void> read_operator(std::size_t i);

  document& file_;
  load_options wanted_;
  find_operator find_;
  detail::entry entry_;
  table_of<schema::subgraph> graph_;
  detail::network_builder network_;
  tensor_state tensors_;
  std::optional<tensor_reader> reader_;  // refers to the members above
  std::size_t next_ = 0;
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] constexpr result<void> network_reader::begin() {
  if (auto ok = find_entry(); !ok) return ok;
  return in_subgraph(read_ends());
}

/// Reads names and inputs, and checks that every operator is supported.
[[gnu::cold]] constexpr result<void> network_reader::read_ends() {
  if (auto ok = tensors().read_names(); !ok) return ok;
  if (auto fault = detail::fault_of_subgraph(file_, graph_); !fault.empty())
    return fail(error_code::not_supported, fault);
  if (auto ok = detail::read_inputs(graph_, entry_, tensors()); !ok) return ok;
  return detail::check_operators(file_, operators());
}

[[gnu::cold]] constexpr result<void> network_reader::resume(partial_network so_far) {
  if (auto ok = find_entry(); !ok) return ok;
  network_.resume(static_cast<ir::graph&&>(so_far.graph), static_cast<pool<passes::readiness>&&>(so_far.ready));
  tensors_ = static_cast<tensor_state&&>(so_far);
  next_ = so_far.next;
  return {};
}

[[gnu::cold]] constexpr result<void> network_reader::read_next() {
  auto ok = read_operator(next_);
  if (ok) ++next_;
  return in_subgraph(std::move(ok));
}

[[gnu::cold]] constexpr result<void> network_reader::read_operator(std::size_t i) {
  return detail::read_operator(file_, tensors(), network_, find_, operators(), i);
}

[[gnu::cold]] constexpr result<void> network_reader::finish() {
  // States come last: an output may be the first to read a variable.
  if (auto ok = detail::read_outputs(graph_, entry_, tensors(), network_); !ok) return in_subgraph(std::move(ok));
  return in_subgraph(tensors().finish_states());
}

/// Reads one subgraph of a .tflite file, in constant evaluation or at run time. `find` returns an operator by its code,
/// with the descriptions that the graph shall have. Errors as load().
[[gnu::cold]] constexpr result<file_network> read(std::string_view bytes, find_operator find,
                                                  const load_options& wanted = {}) {
  auto file = document::verify(bytes);
  if (!file) return fail(std::move(file.error()));
  network_reader reader(*file, wanted, find);
  auto ok = reader.begin();
  while (ok && reader.has_more()) ok = reader.read_next();
  if (ok) ok = reader.finish();
  if (!ok) return fail(std::move(ok.error()));
  partial_network made = reader.take();
  return file_network{static_cast<ir::graph&&>(made.graph), static_cast<pool<weight_place>&&>(made.places)};
}

}}}  // namespace nnrt::NNRT_ISA::tflite
