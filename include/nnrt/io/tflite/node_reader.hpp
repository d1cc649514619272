// node_reader: access to one operator of a .tflite file for its reader: operands, options, and the nodes to add.
// Flow: read_operator() makes one for each operator and calls the operator's reader in operators.hpp.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/io/node_maker.hpp>
#include <nnrt/io/tflite/flexbuffer.hpp>
#include <nnrt/io/tflite/options.hpp>
#include <nnrt/io/tflite/tensors.hpp>
#include <nnrt/ops/stack.hpp>

#include <algorithm>
#include <optional>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// The node whose first result is value `id`; null when there is none. The graph must come from a builder, in which
/// later nodes have higher values.
[[gnu::cold]] constexpr const ir::node* maker_of(const ir::graph& g, std::int32_t id) {
  const auto is_before = [&](const ir::node& n, std::int32_t value) { return g.outputs_of(n)[0] < value; };
  const ir::node* const found = std::lower_bound(g.nodes.begin(), g.nodes.end(), id, is_before);
  return found != g.nodes.end() && g.outputs_of(*found)[0] == id ? found : nullptr;
}

}  // namespace detail

class node_reader;
/// Functions of read.hpp that need the readers of all operators. They are pointers because compilers warn of functions
/// that are declared here but not defined.
struct reading_steps {
  /// Refuses operators that have no reader.
  result<void> (*check_operators)(const document& file, tables_of<schema::node> operators);
  /// Reads operator i.
  result<void> (*read_operator)(document& file, tensor_reader& tensors, graph_builder& network, find_operator find,
                                tables_of<schema::node> operators, std::size_t i);
  /// Adds the nodes of a fused activation, which no operator of nnrt fuses, to value `id`. Returns the result.
  std::int32_t (*activated)(node_reader& node, std::int32_t id, std::int8_t number);
};

/// Reads an operator and adds nodes to the network.
class node_reader : public node_maker {
  // Declared first: in constant evaluation clang 16 finds no member template that is declared after its use.
  /// Adds a node whose outputs are declared in the file, from output `first` on. If the node breaks a rule, it is
  /// retried without the shapes of tensors that are not network outputs. TFLite recomputes those shapes, so files may
  /// have outdated ones.
  template <class Op>
  constexpr pool<std::int32_t> apply_declared(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs,
                                              const pool<tensor_desc>& wanted, std::size_t first) {
    pool<word> words;
    pack(attrs, words);
    return apply(*find_(Op::code), words, inputs, wanted, without_old_shapes(wanted, first));
  }

 public:
  /// `find` returns the description of an operator for the network, by its code.
  constexpr node_reader(document& file, tensor_reader& tensors, graph_builder& network, find_operator find,
                        const reading_steps& steps, table_of<schema::node> node)
      : node_maker(network, find, tensors.limit(name_of_output(tensors, node)), name_of_output(tensors, node)),
        steps_(steps),
        file_(file),
        tensors_(tensors),
        node_(node),
        inputs_(node[schema::node::inputs]),
        outputs_(node[schema::node::outputs]) {}

  constexpr tensor_reader& tensors() { return tensors_; }
  constexpr document& file() { return file_; }
  constexpr const reading_steps& steps() const { return steps_; }
  /// Refuses a quantised operand of an operator that supports only unquantised ones.
  [[gnu::cold]] constexpr void refuse_quantised(std::size_t i, std::int32_t id) {
    if (is_fine() && desc(id).quantised) not_supported_beside(i, id, "numbers without a scale");
  }

  /// The options of this kind. When the file has none, all fields have the format's defaults.
  template <class Options> constexpr table_of<Options> options();
  /// Refuses unknown parts of the operator's tables: options of another kind, fields newer than the schema, and fields
  /// that change the meaning of operators. `changes_variables` is true when the operator's reader handles variables
  /// that it changes.
  [[gnu::cold]] constexpr void check_tables(schema::options_kind expected, bool changes_variables);
  /// The options of a custom operator, as bytes and as a map of names to numbers.
  constexpr std::string_view custom_bytes() const { return node_[schema::node::custom_options].bytes(); }
  constexpr named_numbers custom_options() const { return named_numbers(custom_bytes()); }
  /// The number with this name in the options. Refuses a missing number.
  [[gnu::cold]] constexpr double required_option(const named_numbers& options, std::string_view name) {
    const auto number = options[name];
    if (!number) refuse(error_code::invalid_file, {"options: ", name, " is missing"});
    return number.value_or(0);
  }

  constexpr std::size_t input_count() const { return inputs_.size(); }
  constexpr std::size_t output_count() const { return outputs_.size(); }
  constexpr bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i] != -1; }
  /// The value of input i; ir::none for an optional input that is missing.
  constexpr std::int32_t input(std::size_t i) { return has(i) ? taken(tensors_.value(inputs_[i])) : ir::none; }
  /// True when input i is complex. The value of a complex input is f32, with real and imaginary parts along an
  /// additional last axis.
  constexpr bool is_complex(std::size_t i) const { return has(i) && tensors_.is_complex(inputs_[i]); }
  [[gnu::cold]] constexpr std::int32_t complex_input(std::size_t i) {
    return is_fine() && has(i) ? taken(tensors_.complex_value(inputs_[i])) : ir::none;
  }
  /// Sets output i, of complex numbers, to such a value.
  [[gnu::cold]] constexpr void define_complex(std::size_t i, std::int32_t id) {
    if (is_fine() && i < outputs_.size() && !tensors_.is_complex(outputs_[i]))
      refuse(error_code::invalid_file, {"output ", i, ": got a tensor of other elements than COMPLEX64"});
    define(i, id);
  }
  /// The value of weights (input i) of a layer with this input. For an f32 input, weights of fewer bits are converted.
  constexpr std::int32_t weight(std::size_t i, std::int32_t beside) {
    if (narrow_constant(i, beside)) return constant(i, weights_beside_f32);
    return is_constant(i) ? constant(i, {.stays_in_file = true}) : input(i);
  }
  /// Input i, a variable, as a state of the network. Refuses other tensors.
  [[gnu::cold]] constexpr std::int32_t variable(std::size_t i) {
    if (is_variable(i)) return input(i);
    not_supported({"input ", i, ": got ", has(i) ? "a tensor that is no variable" : "none",
                   ", expected a variable, which keeps its elements between runs"});
    return ir::none;
  }
  /// True when input i is a variable.
  constexpr bool is_variable(std::size_t i) const { return has(i) && tensors_.is_variable(inputs_[i]); }
  /// Sets the value of a variable after the operator.
  [[gnu::cold]] constexpr void change_variable(std::size_t i, std::int32_t id) {
    if (!is_fine()) return;
    if (auto ok = tensors_.define(inputs_[i], id); !ok) refuse(ok.error().code(), {ok.error().letters()});
  }
  /// State number `number` of the operator itself, at this point of the run. `initial` is a constant with its first
  /// value; none: zeros.
  [[gnu::cold]] constexpr std::int32_t memory(std::size_t number, const tensor_desc& desc,
                                              std::int32_t initial = ir::none) {
    return is_fine() && !outputs_.empty() ? taken(tensors_.memory_of(outputs_[0], number, desc, initial)) : ir::none;
  }
  /// Sets such a state after the operator.
  [[gnu::cold]] constexpr void change_memory(std::size_t number, std::int32_t id) {
    if (is_fine() && !outputs_.empty()) tensors_.change_memory(outputs_[0], number, id);
  }
  /// The quantisation of intermediate results, stated by additional tensors of the operator.
  constexpr std::size_t intermediate_count() const { return node_[schema::node::intermediates].size(); }
  [[gnu::cold]] constexpr quantisation intermediate(std::size_t i) {
    const auto found = tensors_.declared(node_[schema::node::intermediates][i]);
    if (!found) refuse(found.error().code(), {"intermediate ", i, ": ", found.error().letters()});
    else if (found->quantised.mode != quantisation::kind::per_tensor)
      refuse(error_code::invalid_file, {"intermediate ", i, ": got no scale, expected one"});
    return found ? found->quantised : quantisation();
  }
  /// Input i, a constant, converted.
  constexpr std::int32_t constant(std::size_t i, constant_conversion conversion) {
    return is_fine() ? taken(tensors_.constant(inputs_[i], conversion)) : ir::none;
  }
  constexpr bool is_constant(std::size_t i) const { return has(i) && tensors_.has_data(inputs_[i]); }
  /// The file's desc of input i if it is a quantised or f16 constant and the layer's input is f32; none otherwise.
  [[gnu::cold]] constexpr std::optional<tensor_desc> narrow_constant(std::size_t i, std::int32_t beside) {
    if (!is_constant(i) || desc(beside).type != f32) return {};
    const auto declared = tensors_.declared(inputs_[i]);
    return declared && (declared->quantised || declared->type == f16) ? std::optional(*declared) : std::nullopt;
  }
  /// True when input i has several scales that are not all equal.
  constexpr bool has_different_scales(std::size_t i) const {
    return has(i) && tensors_.has_different_scales(inputs_[i]);
  }

  /// The scale of input i, of any type; 0 when the file has none or several.
  constexpr float one_scale_or_0(std::size_t i) const { return has(i) ? tensors_.one_scale_or_0(inputs_[i]) : 0; }
  /// The scale of output i; 0 when the file has none or several.
  [[gnu::cold]] constexpr float output_scale_or_0(std::size_t i) const {
    return i < outputs_.size() ? tensors_.one_scale_or_0(outputs_[i]) : 0;
  }
  /// Reports the file as invalid because of input i.
  [[gnu::cold]] constexpr void refuse_input(std::size_t i, pieces why) {
    const error found = tensors_.refusal(inputs_[i], error_code::invalid_file, why);
    refuse(found.code(), {found.letters()});
  }

  /// Input i: a value, a resource or a list.
  constexpr std::int32_t operand(std::size_t i) {
    return is_fine() && has(i) ? taken(tensors_.value_or_handle(inputs_[i])) : ir::none;
  }
  /// Input i, which must be a resource.
  [[gnu::cold]] constexpr std::int32_t resource(std::size_t i) {
    const std::int32_t id = operand(i);
    if (is_fine() && !tensor_reader::is_resource(id)) refuse_operand(i, id, "a resource that VAR_HANDLE makes");
    return id;
  }
  /// The value with the number of valid rows of input i; none: all rows are valid.
  constexpr std::int32_t count_of_input(std::size_t i) const {
    return has(i) ? tensors_.count_of_tensor(inputs_[i]) : ir::none;
  }
  /// The desc of output 0 as added to the network.
  [[gnu::cold]] constexpr tensor_desc output_desc() {
    return outputs_.empty() || !is_fine() ? tensor_desc() : desc(taken(tensors_.value(outputs_[0])));
  }
  /// Marks the first `count` rows of output 0 as valid; `count` is a value.
  [[gnu::cold]] constexpr void count_output(std::int32_t count) {
    if (!is_fine() || outputs_.empty()) return;
    const std::int32_t id = taken(tensors_.value(outputs_[0]));
    if (is_fine()) check(tensors_.set_count(id, count));
  }
  /// The index of input i among all lists; it must be a list of tensors.
  [[gnu::cold]] constexpr std::size_t list_operand(std::size_t i) {
    const std::int32_t id = operand(i);
    if (is_fine() && !tensor_reader::is_list(id)) refuse_operand(i, id, "a list of tensors");
    return is_fine() ? tensor_reader::place_of_list(id) : 0;
  }
  /// Sets output i to a value, resource or list that a called subgraph returned.
  [[gnu::cold]] constexpr void pass_on(std::size_t i, std::int32_t id) {
    if (tensor_reader::is_handle(id)) return define(i, id);
    conclude(i, id);
  }
  /// Reads a boolean that must be known before the network runs. `what` names it in errors.
  [[gnu::cold]] constexpr bool boolean_of(std::int32_t id, std::string_view what);

  /// The file's desc of output i. Extents that shape_signature marks as unknown are -1.
  [[gnu::cold]] constexpr tensor_desc declared(std::size_t i) {
    if (i >= outputs_.size()) return {};
    auto found = tensors_.declared_result(outputs_[i]);
    if (found) return *found;
    refuse(found.error().code(), {found.error().letters()});
    return {};
  }

  /// The field `shape` of output i in the file, also for extents that shape_signature marks as unknown.
  [[gnu::cold]] constexpr shape_t written_shape(std::size_t i) const {
    return i < outputs_.size() ? tensors_.written_shape(outputs_[i]) : shape_t();
  }

  /// Refuses the operator if the integers of input i contain such a number. The check covers constants only. `name`
  /// says in errors what the numbers are.
  [[gnu::cold]] constexpr void require_no(detail::forbidden what, std::size_t i, std::string_view name = "index");
  /// Refuses options whose field `count` differs from the number of operands. Missing options are accepted.
  template <class Options> [[gnu::cold]] constexpr void check_counted(std::string_view what, std::size_t got) {
    const auto options = this->options<Options>();
    if (!options || options[Options::count] == static_cast<std::int64_t>(got)) return;
    refuse(error_code::invalid_file,
           {"options: got ", options[Options::count], " ", what, ", expected ", got, ", as many as the operator has"});
  }
  /// Refuses options whose field `type` differs from the element type of output 0. FLOAT32 means unspecified.
  template <class Options> [[gnu::cold]] constexpr void check_result_type() {
    const std::int8_t type = options<Options>()[Options::type];
    if (type == 0 || !is_fine() || dtype_of_type(type) == declared(0).type) return;
    refuse(error_code::invalid_file, {"options: got an output of ", name_of_type(type),
                                      ", expected that of the tensor, ", name_of(declared(0).type)});
  }

  /// The integers of input i. They must be known before the network runs.
  [[gnu::cold]] constexpr pool<std::int64_t> integers(std::size_t i);
  [[gnu::cold]] constexpr std::int64_t integer(std::size_t i) {
    const pool<std::int64_t> found = integers(i);
    if (is_fine() && found.size() != 1)
      refuse(error_code::invalid_file, {"input ", i, ": got ", found.size(), " numbers, expected 1"});
    return is_fine() ? found[0] : 0;
  }
  /// True when the elements of input i are known before the network runs.
  constexpr bool is_known(std::size_t i) {
    const std::int32_t id = input(i);
    return id != ir::none && network().graph().at(id).is == ir::kind::constant;
  }
  /// True when the elements of input i depend on unknown extents of the network's inputs, and on nothing else.
  constexpr bool is_awaited(std::size_t i) {
    const std::int32_t id = input(i);
    return id != ir::none && !is_known(i) && network().readiness_of(id) == passes::readiness::evaluated;
  }
  /// Reads the integers of input i as a shape.
  [[gnu::cold]] constexpr shape_t shape(std::size_t i) {
    const pool<std::int64_t> extents = integers(i);
    if (extents.size() > max_rank)
      not_supported({"input ", i, ": got rank ", extents.size(), ", expected at most ", max_rank});
    shape_t made;
    for (const std::int64_t extent : extents) made.push_back(extent);
    return made;
  }
  /// As shape(), with -1 for each extent that is unknown before a run; rank 0 when nothing is known. Files build such
  /// lists from single numbers.
  [[gnu::cold]] constexpr shape_t shape_as_far_as_known(std::size_t i);
  /// Reads input i as one real number.
  [[gnu::cold]] constexpr float real(std::size_t i);

  /// The fused activation with this number. An activation that nnrt's operators do not fuse is added as nodes after the
  /// operator.
  [[gnu::cold]] constexpr activation fused(std::int8_t number);
  /// The padding with this number. Refuses invalid numbers.
  [[gnu::cold]] constexpr pads padding(std::int8_t number);

  /// Adds a node whose result is declared as output i in the file.
  template <class Op>
  constexpr std::int32_t add_declared(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs,
                                      std::size_t i = 0) {
    pool<tensor_desc> wanted{declared(i)};
    const pool<std::int32_t> made = apply_declared<Op>(attrs, std::span(inputs.begin(), inputs.size()), wanted, i);
    return made.empty() ? ir::none : made[0];
  }
  /// Adds the node whose results are the operator's outputs.
  template <class Op>
  constexpr void finish(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs) {
    finish<Op>(attrs, std::span(inputs.begin(), inputs.size()));
  }
  template <class Op> constexpr void finish(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs) {
    pool<tensor_desc> wanted;
    for (std::size_t i = 0; i < outputs_.size(); ++i) wanted.push_back(declared(i));
    const pool<std::int32_t> made = apply_declared<Op>(attrs, inputs, wanted, 0);
    for (std::size_t i = 0; i < made.size() && is_fine(); ++i) define(i, made[i]);
  }
  /// Sets output i to this value.
  [[gnu::cold]] constexpr void define(std::size_t i, std::int32_t id);
  /// Sets output i to this value after checking that it matches the file's desc.
  [[gnu::cold]] constexpr void conclude(std::size_t i, std::int32_t id);

 private:
  /// Reports that input i is of the wrong kind: tensor, resource or list.
  [[gnu::cold]] constexpr void refuse_operand(std::size_t i, std::int32_t id, std::string_view expected) {
    const std::string_view got = id == ir::none                   ? "none"
                                 : tensor_reader::is_resource(id) ? "a resource"
                                 : tensor_reader::is_list(id)     ? "a list of tensors"
                                                                  : "a tensor with elements";
    refuse(error_code::invalid_file, {"input ", i, ": got ", got, ", expected ", expected});
  }
  /// The descs without the shapes of tensors that are not network outputs. Empty when nothing was removed.
  [[gnu::cold]] constexpr pool<tensor_desc> without_old_shapes(const pool<tensor_desc>& wanted,
                                                               std::size_t first) const {
    pool<tensor_desc> without;
    bool is_bound = true;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      without.push_back(wanted[i]);
      if (tensors_.is_output(outputs_[first + i])) continue;
      without[i].shape = {};
      is_bound = false;
    }
    if (is_bound) without.clear();
    return without;
  }

  static constexpr std::string_view name_of_output(const tensor_reader& tensors, table_of<schema::node> node) {
    const auto outputs = node[schema::node::outputs];
    return outputs.empty() ? std::string_view() : tensors.name(outputs[0]);
  }

  const reading_steps& steps_;
  document& file_;
  tensor_reader& tensors_;
  table_of<schema::node> node_;
  list<std::int32_t> inputs_, outputs_;  // indices of tensors
  std::int8_t activation_behind_ = 0;    // number of an activation to be added after the operator
};

// --- details ---------------------------------------------------------------
template <class Options> [[gnu::cold]] constexpr table_of<Options> node_reader::options() {
  const table_place found = node_[schema::node::builtin_options];
  // check_tables() refuses other kinds
  if (!found || node_[schema::node::builtin_options_type] != Options::tag) return {};
  if (file_.fits<Options>(found)) return table_of<Options>(found);
  refuse(error_code::invalid_file, {"its options lie outside of the file"});
  return {};
}

[[gnu::cold]] constexpr void node_reader::check_tables(schema::options_kind expected, bool changes_variables) {
  using schema::node;
  if (const auto fault = detail::fault_of_fields(node_); !fault.empty()) return not_supported({fault});
  if (node_[node::builtin_options_2_type] != 0 || node_[node::builtin_options_2])
    return not_supported({"builtin_options_2: got kind ", node_[node::builtin_options_2_type], ", expected none"});
  if (node_[node::large_custom_options_offset] != 0 || node_[node::large_custom_options_size] != 0)
    return not_supported({"its options stand after the FlatBuffer (large_custom_options_offset)"});
  if (node_[node::custom_options_format] != 0)
    return not_supported(
        {"custom_options_format: got ", node_[node::custom_options_format], ", expected 0 (FLEXBUFFERS)"});
  const auto changed = node_[node::mutating_variable_inputs];
  for (std::size_t i = 0; i < changed.size(); ++i)
    if (changed[i] != 0 && !(changes_variables && i < inputs_.size() && tensors_.is_variable(inputs_[i])))
      return not_supported({"changes input ", i, ", a variable (mutating_variable_inputs)"});

  const std::uint8_t tag = node_[node::builtin_options_type];
  const table_place found = node_[node::builtin_options];
  if (!found) return;
  if (tag != expected.tag && expected.tag == 0)
    return refuse(error_code::invalid_file, {"options: got kind ", tag, ", expected none"});
  if (tag != expected.tag)
    return refuse(error_code::invalid_file, {"options: got kind ", tag, ", expected kind ", expected.tag});
  if (!file_.fits<schema::any_table>(found))
    return refuse(error_code::invalid_file, {"its options lie outside of the file"});
  if (const int slot = first_newer_field(found, expected.fields); slot >= 0)
    not_supported({"options: field ", slot, " is newer than the schema that nnrt reads, in which they have ",
                   expected.fields, " fields"});
}

[[gnu::cold]] constexpr bool node_reader::boolean_of(std::int32_t id, std::string_view what) {
  if (!is_fine()) return false;
  const tensor_desc got = desc(id);
  if (got.type != boolean || got.elements() != 1) {
    refuse(error_code::invalid_file, {what, ": got ", ir::letters_of(got), ", expected one boolean"});
    return false;
  }
  const ir::value& v = network().graph().at(id);
  if (v.is == ir::kind::constant) return network().graph().element<bool>(v, 0);
  const bool is_awaited = network().readiness_of(id) == passes::readiness::evaluated;
  not_supported({what, " depends on ", is_awaited ? "extents that are unknown" : "numbers that only a run knows",
                 "; nnrt reads those that follow from shapes and constants"});
  return false;
}

[[gnu::cold]] constexpr void node_reader::require_no(detail::forbidden what, std::size_t i, std::string_view name) {
  if (!is_fine() || !has(i)) return;
  detail::found_integer found = tensors_.first_forbidden(inputs_[i], what);
  if (is_known(i)) {
    pool<std::int64_t> numbers;
    ir::append_integers(network().graph(), network().graph().at(input(i)), numbers);
    for (const std::int64_t number : numbers)
      if (detail::is_forbidden(number, what) && !found.is_there) found = {true, number};
  }
  if (found.is_there)
    refuse(error_code::invalid_file, {"input ", i, ": got ", name, " ", found.number, ", expected none ",
                                      what == detail::forbidden::zero ? "that is 0" : "below 0"});
}

[[gnu::cold]] constexpr pool<std::int64_t> node_reader::integers(std::size_t i) {
  const std::int32_t id = input(i);
  pool<std::int64_t> found;
  if (!is_fine()) return found;
  if (id != ir::none) ir::append_integers(network().graph(), network().graph().at(id), found);
  if (id == ir::none || static_cast<std::int64_t>(found.size()) != desc(id).elements())
    not_supported_beside(i, id, "integers that are known before the network runs");
  return found;
}

[[gnu::cold]] constexpr shape_t node_reader::shape_as_far_as_known(std::size_t i) {
  if (is_known(i)) return shape(i);
  const std::int32_t id = input(i);
  const ir::graph& g = network().graph();
  shape_t made;
  if (desc(id).rank() != 1) return made;
  const ir::node* const maker = detail::maker_of(g, id);
  if (maker == nullptr || maker->op->code != ops::stack::code) return made;
  for (const std::int32_t number : g.inputs_of(*maker)) {
    pool<std::int64_t> extent;
    ir::append_integers(g, g.at(number), extent);
    made.push_back(extent.empty() ? -1 : extent[0]);
  }
  return made;
}

[[gnu::cold]] constexpr float node_reader::real(std::size_t i) {
  const std::int32_t id = is_constant(i) ? constant(i, {.as_f32 = true}) : ir::none;
  if (!is_fine()) return 0;
  if (id != ir::none && desc(id).elements() == 1) {
    if (desc(id).type == f32) return network().graph().element<float>(network().graph().at(id), 0);
    pool<std::int64_t> found;
    ir::append_integers(network().graph(), network().graph().at(id), found);
    if (!found.empty()) return static_cast<float>(found[0]);
  }
  not_supported_beside(i, is_constant(i) ? input(i) : id, "one number that is known before the network runs");
  return 0;
}

[[gnu::cold]] constexpr void node_reader::conclude(std::size_t i, std::int32_t id) {
  const tensor_desc expected = declared(i);
  if (!is_fine()) return;
  tensor_desc made = desc(id);
  constexpr auto same = signature_rule::declared_output_quantisation_must_match;
  verdict v = nnrt::detail::match_declared_shape(made, expected);
  if (!v && !tensors_.is_output(outputs_[i]))
    v = nnrt::detail::match_declared_shape(made, {expected.type, expected.layout, {}});
  if (v) v = nnrt::detail::require_same_quantisation(same, made.quantised, expected.quantised);
  if (v) return define(i, id);
  refuse(error_code::rule_broken,
         {nnrt::detail::words_of(rule_names<signature_rule>()[static_cast<std::size_t>(v.rule)]), " (got ",
          nnrt::detail::value_letters(v.counted, v.actual), ", expected ",
          nnrt::detail::value_letters(v.counted, v.expected), ")"});
}

[[gnu::cold]] constexpr activation node_reader::fused(std::int8_t number) {
  switch (number) {
    case 0: return activation::none;
    case 1: return activation::relu;
    case 3: return activation::relu6;
    case 2:
    case fused_tanh: activation_behind_ = number; return activation::none;
  }
  not_supported({"fused activation ", name_in(activation_names, "number", number)});
  return activation::none;
}

[[gnu::cold]] constexpr pads node_reader::padding(std::int8_t number) {
  if (number == 0) return {.mode = pad_mode::same};
  if (number != 1) refuse(error_code::invalid_file, {"padding: got ", number, ", expected 0 (SAME) or 1 (VALID)"});
  return {.mode = pad_mode::valid};
}

[[gnu::cold]] constexpr void node_reader::define(std::size_t i, std::int32_t id) {
  if (!is_fine()) return;
  if (i >= outputs_.size())
    return refuse(error_code::invalid_file, {"outputs: got ", outputs_.size(), ", expected ", i + 1});
  if (activation_behind_ != 0) id = steps_.activated(*this, id, activation_behind_);
  if (!is_fine()) return;
  check(tensors_.define(outputs_[i], id));
}

}}}  // namespace nnrt::NNRT_ISA::tflite
