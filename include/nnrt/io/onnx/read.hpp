// read: reads an .onnx file as a graph and the places of its weights, in constant evaluation or at run time.
// Flow: parses the file and converts each node by the table of operators.hpp; load.hpp makes a model of the result.
#pragma once

#include <nnrt/io/onnx/control.hpp>
#include <nnrt/io/onnx/counted_rows.hpp>
#include <nnrt/io/onnx/operators.hpp>
#include <nnrt/io/onnx/quantised_weights.hpp>

#include <optional>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// The result of reading a file: the graph, the places of its weights, and the names of files with external data.
struct file_network {
  ir::graph graph;
  pool<weight_place> weights;
  pool<byte_range> file_names;
};

namespace detail {

/// Refused nodes, in one message. Plain data that constant evaluation can store.
struct refusals {
  static constexpr std::size_t max_named = 20;
  pool<char> reasons;
  std::size_t refused = 0;        // number of nodes
  std::size_t first_refused = 0;  // offset in the file of the first one
  error_code refused_as{};

  [[gnu::cold]] constexpr void add(const error& found, std::size_t at) {
    if (refused == 0) refused_as = found.code(), first_refused = at;
    if (refused++ >= max_named) return;
    if (refused > 1) append(reasons, {"; "});
    append(reasons, {found.letters()});
  }
  [[gnu::cold]] constexpr result<void> finish() {
    if (refused == 0) return {};
    if (refused > max_named) append(reasons, {"; and ", refused - max_named, " more nodes"});
    return fail(refused_as, reasons);
  }
};

[[gnu::cold]] constexpr void check_count(node_reader& node, std::string_view what, std::size_t got, std::size_t least,
                                         std::size_t most) {
  if (got >= least && got <= most) return;
  node.refuse(error_code::invalid_file,
              {what, ": got ", got, ", expected ", got < least ? "at least " : "at most ", got < least ? least : most});
}

/// The function of the model that a node calls; null when it is none.
[[gnu::cold]] constexpr const function_entry* find_function(const document& model, const node_entry& n) {
  for (const function_entry& one : model.functions)
    if (model.text(one.name) == model.text(n.op_type) && is_same_domain(model.text(one.domain), model.text(n.domain)) &&
        model.text(one.overload) == model.text(n.overload))
      return &one;
  return nullptr;
}

[[gnu::cold]] constexpr void read_by_table(node_reader& node, const operator_row& row) {
  check_count(node, "inputs", node.input_count(), row.min_inputs, row.max_inputs);
  check_count(node, "outputs", node.output_count(), 0, row.max_outputs);
  for (std::size_t i = 0; node.is_fine() && i < row.min_inputs; ++i)
    if (!node.has(i)) node.refuse(error_code::invalid_file, {"input ", i, ": got none, expected a value"});
  const counted_input counted = node.is_fine() ? read_counted(node, row.name) : counted_input();
  if (node.is_fine()) row.read(node);
  if (node.is_fine()) node.refuse_unread(row.name);
  mark_counted(node, counted);
}

/// Converts one node.
[[gnu::cold]] constexpr void convert(node_reader& node, const document& model, const node_entry& n) {
  const std::string_view type = model.text(n.op_type), domain = model.text(n.domain);
  if (const function_entry* const function = find_function(model, n)) return read_function(node, *function);
  if (domain == "com.microsoft.nchwc" || domain == "com.ms.internal.nhwc")
    return node.not_supported({"domain ", piece::in_quotes(domain),
                               ": written by ONNX Runtime's layout optimisation; save the model without it, with a "
                               "graph optimisation level of at most ORT_ENABLE_EXTENDED"});
  if (domain == "com.microsoft")
    if (const operator_row* const row = find_row(microsoft_table, type)) return read_by_table(node, *row);
  if (!is_default_domain(domain))
    return node.not_supported({"domain ", piece::in_quotes(domain), ": nnrt has no such operator"});
  if (node.graph().version_of(domain) == 0 && model.ir_version >= 3)
    return node.refuse(error_code::invalid_file, {"opset: the file imports no version of ONNX's own operators"});
  if (type == "If" || type == "Loop" || type == "Scan") (void)read_counted(node, type);
  if (!node.is_fine()) return;
  if (type == "If" || type == "Loop" || type == "Scan") {
    if (type == "If") read_if(node);
    else if (type == "Loop") read_loop(node);
    else read_scan(node);
    if (node.is_fine()) node.refuse_unread(type);
    return;
  }
  if (const operator_row* const row = find_row(operator_table, type)) return read_by_table(node, *row);
  node.not_supported({"nnrt has no such operator"});
}

constexpr result<void> read_nodes(graph_reader& graph, find_operator find, array_ref<const attribute> of_function);
inline constexpr reading_steps all_steps{read_nodes, plain_integers};

/// Reads node i of a graph. The error names the node. Nodes that read results of refused ones are skipped.
[[gnu::cold]] constexpr result<void> read_node(graph_reader& graph, std::size_t i, find_operator find,
                                               array_ref<const attribute> of_function) {
  const document& model = graph.model();
  const node_entry& n = graph.graph().nodes[i];
  const std::int64_t version = std::max<std::int64_t>(graph.version_of(model.text(n.domain)), 1);
  node_reader node(graph, n, find, all_steps, version, of_function);
  if (node.is_fine()) convert(node, model, n);
  if (node.is_fine()) return {};
  node.fail_outputs();
  if (node.has_failed()) return {};
  pool<char> place = letters({"node ", i, " "});
  const auto outputs = graph.graph().outputs_of(n);
  const std::string_view name = !n.name.empty()   ? model.text(n.name)
                                : outputs.empty() ? std::string_view()
                                                  : graph.name(outputs[0]);
  append(place, {piece::in_quotes(name), " ", model.text(n.op_type), " (opset ", version, ")"});
  return fail(node.reason().in(letters_of(place)));
}

/// Reads all nodes of an inner graph, up to the first error.
[[gnu::cold]] constexpr result<void> read_nodes(graph_reader& graph, find_operator find,
                                                array_ref<const attribute> of_function) {
  for (std::size_t i = 0; i < graph.graph().nodes.size(); ++i)
    if (auto ok = read_node(graph, i, find, of_function); !ok) return ok;
  return {};
}

/// The declaration of an input: element type and extents; -1 where the file does not know them.
struct declared_input {
  std::int64_t element_type = 0;
  bool is_tensor = false, has_shape = false;
  shape_t shape;
  pool<byte_range> params;  // the name of each extent, or empty
};

[[gnu::cold]] constexpr result<declared_input> read_declaration(const document& model, const byte_range& message) {
  declared_input made;
  byte_range tensor, shape;
  for (message_fields info(model.file, message); info.next();)
    if (info.number() == schema::value_info::type)
      for (message_fields type(model.file, info.place()); type.next();)
        if (type.number() == schema::type::tensor_type) made.is_tensor = true, tensor = type.place();
  for (message_fields part(model.file, tensor); part.next();) {
    if (part.number() == schema::tensor_type::elem_type) made.element_type = static_cast<std::int64_t>(part.integer());
    if (part.number() == schema::tensor_type::shape) made.has_shape = true, shape = part.place();
  }
  for (message_fields dim(model.file, shape); dim.next();) {
    if (dim.number() != schema::shape::dim) continue;
    std::int64_t extent = -1;
    byte_range param;
    for (message_fields part(model.file, dim.place()); part.next();) {
      if (part.number() == schema::dimension::value) extent = static_cast<std::int64_t>(part.integer());
      if (part.number() == schema::dimension::param) param = part.place();
    }
    if (made.shape.rank == max_rank) return fail(error_code::not_supported, {"more than ", max_rank, " axes"});
    made.shape.push_back(extent > 0 && extent <= max_elements ? extent : -1);
    made.params.push_back(param);
  }
  return made;
}

/// Values of named extents (dim_param) that follow from the shapes that the caller gives.
struct named_extents {
  struct one {
    byte_range name;
    std::int64_t extent;
  };
  pool<one> all;

  constexpr std::int64_t find(const document& model, const byte_range& name) const {
    if (name.empty()) return -1;
    for (const one& known : all)
      if (model.text(known.name) == model.text(name)) return known.extent;
    return -1;
  }
};

/// A builder whose graph can be taken out and put back.
struct network_builder : graph_builder {
  using graph_builder::readiness;
  using graph_builder::resume;
  using graph_builder::take;
};

}  // namespace detail

/// A partly read network. Plain data that constant evaluation can store.
struct partial_network : network_state, value_state, detail::refusals {
  ir::graph graph;
  pool<passes::readiness> ready;  // of each value
  std::size_t next = 0;           // index of the node to read next
};

/// Reads the main graph of a file node by node. The compiler can do this in several parts, because clang limits one
/// constant evaluation to a million steps.
class network_reader {
 public:
  /// `model`, `wanted` and the lists that `g`, its main graph, borrows must outlive the reader.
  constexpr network_reader(const document& model, const graph_document& g, const load_options& wanted,
                           find_operator find)
      : model_(model), wanted_(wanted), find_(find), reader_(model, g, network_, all_, values_) {
    if (!wanted.exact) reader_.quantise_values();
  }

  /// The sizes of the graph that are known before it is read.
  constexpr reading_extent extent() const {
    const graph_document& g = reader_.graph();
    return {g.names.size(), g.inputs.size(), g.outputs.size()};
  }
  /// Refuses what a static network cannot have: unknown extents of inputs and external data. Call it before begin().
  constexpr void read_for_compiler() { all_.is_for_compiler = true; }
  /// Checks versions and declares the inputs. Call it before read_next().
  [[gnu::cold]] constexpr result<void> begin();
  /// Continues a network that another reader of this graph began.
  [[gnu::cold]] constexpr result<void> resume(partial_network so_far) {
    const bool is_for_compiler = all_.is_for_compiler;
    network_.resume(static_cast<ir::graph&&>(so_far.graph), static_cast<pool<passes::readiness>&&>(so_far.ready));
    all_ = static_cast<network_state&&>(so_far);
    values_ = static_cast<value_state&&>(so_far);
    refused_ = static_cast<detail::refusals&&>(so_far);
    all_.is_for_compiler = is_for_compiler;
    next_ = so_far.next;
    return {};
  }
  constexpr bool has_more() const { return next_ < reader_.graph().nodes.size(); }
  /// Reads one node. A refused node is noted; finish() has the errors of all.
  [[gnu::cold]] constexpr result<void> read_next() {
    const std::size_t at = place();
    if (auto ok = detail::read_node(reader_, next_++, find_, {}); !ok) refused_.add(ok.error(), at);
    return {};
  }
  /// Reads the outputs. Error: all refused nodes, in one message.
  [[gnu::cold]] constexpr result<void> finish();

  /// Number of nodes added so far.
  constexpr std::size_t nodes() const { return network_.graph().nodes.size(); }
  /// The part of an operator whose absence stopped the reading.
  constexpr const graph_builder::lacking_part& lacking() const { return network_.lacking(); }
  /// File offset of the first refused node, else of the node that is read next; 0 when there is none.
  constexpr std::size_t place() const {
    if (refused_.refused > 0) return refused_.first_refused;
    return has_more() ? reader_.graph().nodes[next_].message.at : 0;
  }
  /// Returns the network and leaves the reader empty.
  constexpr partial_network take() {
    partial_network made;
    static_cast<network_state&>(made) = static_cast<network_state&&>(all_);
    static_cast<value_state&>(made) = static_cast<value_state&&>(values_);
    static_cast<detail::refusals&>(made) = static_cast<detail::refusals&&>(refused_);
    made.ready = network_.readiness();
    made.graph = network_.take();
    made.next = next_;
    return made;
  }

 private:
  [[gnu::cold]] constexpr result<void> check_versions() const;
  [[gnu::cold]] constexpr result<void> check_options() const;
  [[gnu::cold]] constexpr const shape_t* given_shape(std::string_view name) const {
    for (const named_shape& one : wanted_.shapes)
      if (one.name == name) return &one.shape;
    return nullptr;
  }
  [[gnu::cold]] constexpr result<detail::named_extents> extents_of_params() const;
  /// An error about an input.
  [[gnu::cold]] constexpr error input_error(const named_entry& input, error_code code, pieces why) const {
    pool<char> text = letters({"input ", piece::in_quotes(reader_.name(input.name)), ": "});
    append(text, why);
    return {code, text};
  }
  [[gnu::cold]] constexpr result<detail::declared_input> declaration_of(const named_entry& input) const {
    auto declared = detail::read_declaration(model_, input.message);
    if (declared) return declared;
    return fail(input_error(input, declared.error().code(), {declared.error().letters()}));
  }
  [[gnu::cold]] constexpr result<void> check_shape(const named_entry& input, const detail::declared_input& declared,
                                                   const shape_t& given) const;
  [[gnu::cold]] constexpr result<void> bind_constant(const named_entry& input, const named_constant& given);
  [[gnu::cold]] constexpr result<shape_t> shape_of(const named_entry& input, const detail::declared_input& declared,
                                                   const detail::named_extents& params) const;
  [[gnu::cold]] constexpr result<void> add_input(const named_entry& input, const detail::named_extents& params);
  [[gnu::cold]] constexpr void join_pairs();

  const document& model_;
  const load_options& wanted_;
  find_operator find_;
  detail::network_builder network_;
  network_state all_;
  value_state values_;
  graph_reader reader_;  // refers to the members above
  detail::refusals refused_;
  std::size_t next_ = 0;
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] constexpr result<void> network_reader::check_versions() const {
  return check_opsets(model_, model_.opsets);
}

/// Names that the caller gives must be inputs.
[[gnu::cold]] constexpr result<void> network_reader::check_options() const {
  const auto check = [&](std::string_view name) -> result<void> {
    pool<char> known;
    for (const named_entry& input : reader_.graph().inputs) {
      if (reader_.name(input.name) == name) return {};
      if (known.size() < 200) append(known, {known.empty() ? "" : ", ", piece::in_quotes(reader_.name(input.name))});
    }
    return fail(error_code::invalid_argument,
                {"got a shape or constant for ", piece::in_quotes(name), ", expected one of ", known});
  };
  for (const named_shape& one : wanted_.shapes)
    if (auto ok = check(one.name); !ok) return ok;
  for (const named_constant& one : wanted_.constants)
    if (auto ok = check(one.name); !ok) return ok;
  return {};
}

[[gnu::cold]] constexpr result<detail::named_extents> network_reader::extents_of_params() const {
  detail::named_extents made;
  for (const named_entry& input : reader_.graph().inputs) {
    const shape_t* const given = given_shape(reader_.name(input.name));
    if (given == nullptr) continue;
    const auto declared = declaration_of(input);
    if (!declared) return fail(declared.error());
    for (int i = 0; i < given->rank && i < declared->shape.rank; ++i) {
      const byte_range& param = declared->params[static_cast<std::size_t>(i)];
      const std::int64_t extent = (*given)[i], known = made.find(model_, param);
      if (param.empty() || extent <= 0) continue;
      if (known >= 0 && known != extent)
        return fail(input_error(input, error_code::invalid_argument,
                                {"got the extent ", extent, " for ", piece::in_quotes(model_.text(param)),
                                 ", which is ", known, " elsewhere"}));
      made.all.push_back({param, extent});
    }
  }
  return made;
}

/// Refuses a shape from the caller that contradicts the file.
[[gnu::cold]] constexpr result<void> network_reader::check_shape(const named_entry& input,
                                                                 const detail::declared_input& declared,
                                                                 const shape_t& given) const {
  const shape_t& shape = declared.shape;
  if (!declared.has_shape) return {};
  if (given.rank != shape.rank)
    return fail(input_error(input, error_code::invalid_argument,
                            {"got the shape ", given, ", expected ", shape.rank, " axes"}));
  for (int i = 0; i < shape.rank; ++i)
    if (shape[i] >= 0 && shape[i] != given[i])
      return fail(input_error(input, error_code::invalid_argument, {"got the shape ", given, ", expected ", shape}));
  return {};
}

[[gnu::cold]] constexpr result<void> network_reader::bind_constant(const named_entry& input,
                                                                   const named_constant& given) {
  const auto declared = declaration_of(input);
  if (!declared) return fail(declared.error());
  const schema::element_type type = schema::element_type_of(declared->element_type);
  if (!declared->is_tensor || type.type != given.desc.type || !type.is_kept())
    return fail(input_error(input, error_code::invalid_argument,
                            {"got a constant of ", name_of(given.desc.type), ", expected ",
                             declared->is_tensor ? type.name : "no tensor"}));
  if (auto ok = check_shape(input, *declared, given.desc.shape); !ok) return ok;
  const auto id = network_.constant_bytes(given.desc, given.bytes);
  if (!id) return fail(error(id.error()).in(reader_.name(input.name)));
  reader_.bind(input.name, *id);
  return {};
}

/// The shape of an input: the caller's or the file's, with extents that follow from others of the same name.
[[gnu::cold]] constexpr result<shape_t> network_reader::shape_of(const named_entry& input,
                                                                 const detail::declared_input& declared,
                                                                 const detail::named_extents& params) const {
  const std::string_view name = reader_.name(input.name);
  shape_t shape = declared.shape;
  if (const shape_t* const given = given_shape(name)) {
    if (auto ok = check_shape(input, declared, *given); !ok) return fail(std::move(ok.error()));
    shape = *given;
  } else if (!declared.has_shape) {
    return fail(
        input_error(input, error_code::not_supported, {"the file has no shape; give one in load_options::shapes"}));
  }
  for (int i = 0; i < shape.rank && static_cast<std::size_t>(i) < declared.params.size(); ++i)
    if (shape[i] < 0) shape[i] = params.find(model_, declared.params[static_cast<std::size_t>(i)]);
  if (all_.is_for_compiler && !shape.is_known())
    return fail(
        input_error(input, error_code::not_supported,
                    {"has the shape ", shape, "; the compiler needs all extents: NNRT_MODEL(network, \"file.onnx\", ",
                     "{.shapes = {{", piece::in_quotes(name), ", {...}}}})"}));
  return shape;
}

[[gnu::cold]] constexpr result<void> network_reader::add_input(const named_entry& input,
                                                               const detail::named_extents& params) {
  const std::string_view name = reader_.name(input.name);
  for (const named_constant& one : wanted_.constants)
    if (one.name == name) return bind_constant(input, one);
  // an input that is an initializer, too, is a constant (always before IR version 4; a default since)
  if (input.name == no_name || reader_.is_initializer(input.name)) return {};
  const auto declared = declaration_of(input);
  if (!declared) return fail(declared.error());
  if (!declared->is_tensor) return fail(input_error(input, error_code::not_supported, {"is no tensor"}));
  const schema::element_type type = schema::element_type_of(declared->element_type);
  if (!type.is_kept())
    return fail(input_error(input, error_code::not_supported,
                            {"elements of type ", type.name, " (", declared->element_type, ")"}));
  const auto shape = shape_of(input, *declared, params);
  if (!shape) return fail(shape.error());
  const auto id = network_.input(name, {type.type, default_format(shape->rank), *shape});
  if (!id) return fail(id.error());
  reader_.bind(input.name, *id);
  return {};
}

[[gnu::cold]] constexpr result<void> network_reader::begin() {
  if (auto ok = reader_.begin(); !ok) return ok;
  if (auto ok = check_versions(); !ok) return ok;
  if (auto ok = check_options(); !ok) return ok;
  const auto params = extents_of_params();
  if (!params) return fail(params.error());
  for (const named_entry& input : reader_.graph().inputs)
    if (auto ok = add_input(input, *params); !ok) return ok;
  return {};
}

[[gnu::cold]] constexpr result<void> network_reader::finish() {
  if (auto ok = refused_.finish(); !ok) return ok;
  for (const named_entry& output : reader_.graph().outputs) {
    if (output.name == no_name) return fail(error_code::invalid_file, "an output has no name");
    const auto id = reader_.value(output.name);
    if (!id) return fail(error(id.error()).in("output"));
    if (auto ok = network_.output(reader_.name(output.name), *id); !ok) return ok;
  }
  // After the file's own outputs come the numbers of valid rows of outputs that have one.
  for (const named_entry& output : reader_.graph().outputs) {
    const auto id = reader_.value(output.name);
    const std::int32_t count = id ? reader_.count_of(*id) : ir::none;
    if (count == ir::none) continue;
    const pool<char> name = letters({reader_.name(output.name), "_count"});
    if (auto ok = network_.output(letters_of(name), count); !ok) return ok;
  }
  if (!wanted_.exact) join_pairs();
  return {};
}

/// Makes operators on integers of what stands between DequantizeLinear and QuantizeLinear.
[[gnu::cold]] constexpr void network_reader::join_pairs() {
  pool<passes::readiness> ready = network_.readiness();
  ir::graph g = network_.take();
  detail::moved_weights moved{all_.places, all_.weights_made};
  passes::join_quantised_pairs(g, find_, {&moved, &detail::moved_weights::move});
  ready.assign(g.values.size(), passes::readiness::computed);
  network_.resume(static_cast<ir::graph&&>(g), static_cast<pool<passes::readiness>&&>(ready));
}

/// Reads an .onnx file, in constant evaluation or at run time. `find` returns an operator by its code, in the form that
/// the graph shall have. Errors as load().
[[gnu::cold]] constexpr result<file_network> read(const file_view& bytes, find_operator find,
                                                  const load_options& wanted = {}) {
  const auto model = parse_document(bytes);
  if (!model) return fail(model.error());
  const auto graph = parse_graph(bytes, model->graph);
  if (!graph) return fail(graph.error());
  network_reader reader(*model, graph->view(), wanted, find);
  auto ok = reader.begin();
  while (ok && reader.has_more()) ok = reader.read_next();
  if (ok) ok = reader.finish();
  if (!ok) return fail(std::move(ok.error()));
  partial_network made = reader.take();
  return file_network{static_cast<ir::graph&&>(made.graph), static_cast<pool<weight_place>&&>(made.places),
                      static_cast<pool<byte_range>&&>(made.file_names)};
}

}}}  // namespace nnrt::NNRT_ISA::onnx
