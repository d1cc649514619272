// tensors: maps the tensors of a .tflite file to values of a graph; checks descs, finds and converts constants.
// Flow: node_reader.hpp gets the values of an operator's operands from it and sets the values of its outputs.
#pragma once

#include <nnrt/core/boolean_bytes.hpp>
#include <nnrt/core/half_bytes.hpp>
#include <nnrt/core/hash.hpp>
#include <nnrt/core/sort_ids.hpp>
#include <nnrt/io/node_maker.hpp>
#include <nnrt/io/tflite/document.hpp>
#include <nnrt/io/tflite/elements.hpp>
#include <nnrt/io/tflite/names.hpp>
#include <nnrt/io/tflite/sparse.hpp>
#include <nnrt/io/tflite/tensor_list.hpp>
#include <nnrt/io/tflite/tensor_table.hpp>
#include <nnrt/io/tflite/variables.hpp>
#include <nnrt/io/weight_place.hpp>

#include <algorithm>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// Options for loading a file.
struct load_options {
  /// Keep extents unknown that the file calls unknown (-1 in shape_signature); sessions set them at run time. Otherwise
  /// the extents of `shape` are used, which converters write for a batch of one.
  bool unknown_extents = false;
  /// Key of the signature to read. Inputs and outputs then have the signature's names. Empty: read the first subgraph,
  /// with the names of its tensors.
  std::string_view signature = {};
};

/// The conversion of a constant that an operator needs.
struct constant_conversion {
  bool as_f32 = false;         // quantised values and f16 are converted to real values
  bool filters_first = false;  // [1, H, W, O] is transposed to [O, H, W, 1]
  bool as_i8 = false;          // u8 bytes are reinterpreted as i8, with zero point 0
  bool stays_in_file = false;  // a weight, even if it has few elements: no rule reads them
  bool is_read = false;        // a graph constant, even if it has many elements: the reader uses them

  constexpr std::size_t number() const {
    return (as_f32 ? 1U : 0U) + (filters_first ? 2U : 0U) + (as_i8 ? 4U : 0U) + (stays_in_file ? 8U : 0U) +
           (is_read ? 16U : 0U);
  }
};
/// The conversion of weights of float layers. Old files label i8 weights as u8; TFLite reads them as i8, too.
inline constexpr constant_conversion weights_beside_f32{.as_f32 = true, .as_i8 = true, .stays_in_file = true};

/// A value of which only the first rows are valid; `count` is a value with their number, computed at run time.
struct counted_rows {
  std::int32_t value = ir::none, count = ir::none;
};

/// The state of a subgraph's tensors after some of its operators. Plain data that constant evaluation can store.
struct tensor_state {
  /// A constant of the file after one conversion. `next` is the same tensor after another one, or none.
  struct converted_constant {
    std::int32_t conversion = 0, id = ir::none, next = ir::none;
  };

  pool<weight_place> places;        // of the graph's weights, in order
  pool<std::int32_t> ids;           // value of each tensor; none: not yet defined
  pool<std::int32_t> first_formed;  // first constant of each tensor in `formed`, or none
  pool<converted_constant> formed;
  pool<std::int32_t> uses;        // number of weights that have the tensor's name
  pool<char> shared;              // 1 when other tensors have the same name
  std::int64_t copied_bytes = 0;  // of constants and names
  // Shared by all subgraphs, in the state of the subgraph that is read:
  pool<variable> variables;
  pool<tensor_list> lists;
  pool<counted_rows> counted;         // sorted by value
  pool<std::int32_t> called_once;     // numbers of subgraphs
  std::int64_t called_operators = 0;  // in called subgraphs, counted for each call
};

/// Limit of operators in called subgraphs, counted for each call.
inline constexpr std::int64_t max_called_operators = 8192;

class tensor_reader;
/// The subgraph that is read, and its caller.
struct subgraph_place {
  std::int32_t number = 0;
  tensor_reader* caller = nullptr;  // reader whose operator calls it; null: it is the network
  bool is_once = false;             // it runs once before the network and initialises variables
};

/// The tensors of one subgraph. Errors name the tensor.
class tensor_reader {
 public:
  /// `state` is empty, and read_names() must be called first; or it is the state of an earlier reader of the same
  /// subgraph.
  constexpr tensor_reader(const document& file, table_of<schema::subgraph> graph, const load_options& wanted,
                          graph_builder& network, tensor_state& state, const subgraph_place& place = {})
      : file_(file),
        tensors_(graph[schema::subgraph::tensors]),
        wanted_(wanted),
        network_(network),
        place_(place),
        state_(state),
        of_all_(place.caller == nullptr ? state : place.caller->of_all_) {
    is_output_.assign(tensors_.size(), 0);
    for (pool<std::int32_t>& known : known_) known.assign(tensors_.size(), ir::none);
    const auto outputs = graph[schema::subgraph::outputs];
    for (std::size_t i = 0; place.caller == nullptr && i < outputs.size(); ++i)
      if (is_index(outputs[i])) is_output_[static_cast<std::size_t>(outputs[i])] = 1;
  }

  /// Keeps the file's scales of i32 tensors, except constants. QUANTIZE needs them; other operators take i32 without
  /// scale.
  constexpr void keep_scales_of_i32() { keeps_scales_of_i32_ = true; }

  /// Reads all tensor names. Call it first. Error: invalid_file (names longer than a file of this size can need).
  [[gnu::cold]] constexpr result<void> read_names();

  /// The file's desc of a tensor. Errors: invalid_file (an invalid index, extent, scale …), not_supported (unknown
  /// element types; variables; sparse, external or otherwise quantised elements).
  [[gnu::cold]] constexpr result<tensor_desc> declared(std::int32_t index) {
    return declared(index, wanted_.unknown_extents);
  }
  /// The desc of a network input, which has at most one scale.
  [[gnu::cold]] constexpr result<tensor_desc> declared_input(std::int32_t index) {
    return of_one_scale(index, wanted_.unknown_extents);
  }
  /// The desc of a computed tensor. Unknown extents are kept unknown: files have 1 in their place, and the operators'
  /// rules compute them.
  [[gnu::cold]] constexpr result<tensor_desc> declared_result(std::int32_t index) { return of_one_scale(index, true); }
  /// The field `shape` of a computed tensor, also for extents that shape_signature marks as unknown.
  [[gnu::cold]] constexpr shape_t written_shape(std::int32_t index) {
    const auto desc = of_one_scale(index, false);
    return desc ? desc->shape : shape_t();
  }
  /// The tensor's name; empty when there is no such tensor.
  constexpr std::string_view name(std::int32_t index) const {
    return is_index(index) ? at(index)[schema::tensor::name] : std::string_view();
  }
  /// True when it is an output of the network. Callers rely on the shapes of outputs.
  constexpr bool is_output(std::int32_t index) const {
    return is_index(index) && is_output_[static_cast<std::size_t>(index)] != 0;
  }
  /// The first forbidden number among the integers of a constant.
  [[gnu::cold]] constexpr detail::found_integer first_forbidden(std::int32_t index, detail::forbidden what) const {
    if (!has_data(index)) return {};
    return detail::first_forbidden(elements(index), dtype_of_type(at(index)[schema::tensor::type]), what);
  }
  /// True when it keeps its elements between runs.
  constexpr bool is_variable(std::int32_t index) const {
    return is_index(index) && at(index)[schema::tensor::is_variable];
  }
  /// True when its elements are complex numbers of two f32.
  constexpr bool is_complex(std::int32_t index) const {
    return is_index(index) && at(index)[schema::tensor::type] == type_of_complex;
  }
  /// True when the file has its elements.
  constexpr bool has_data(std::int32_t index) const { return is_index(index) && !place_of(index).empty(); }

  /// True when it has several scales that are not all equal.
  [[gnu::cold]] constexpr bool has_different_scales(std::int32_t index) const {
    if (!is_index(index)) return false;
    const auto scales = at(index)[schema::tensor::quantization][schema::quantization::scale];
    for (std::size_t i = 1; i < scales.size(); ++i)
      if (scales[i] != scales[0]) return true;
    return false;
  }

  /// The scale of a tensor of any type, as in TFLite: 0 when there is none or several.
  [[gnu::cold]] constexpr float one_scale_or_0(std::int32_t index) const {
    if (!is_index(index)) return 0;
    const auto scales = at(index)[schema::tensor::quantization][schema::quantization::scale];
    return scales.size() == 1 ? scales[0] : 0;
  }
  /// Makes an error that names this tensor.
  [[gnu::cold]] constexpr error refusal(std::int32_t index, error_code code, pieces why) const;

  constexpr const subgraph_place& place() const { return place_; }
  constexpr const load_options& options() const { return wanted_; }
  /// The state shared by all subgraphs.
  constexpr tensor_state& of_all() { return of_all_; }
  /// Forgets the values of tensors, except constants, before the subgraph is called again.
  constexpr void begin_call() { state_.ids.assign(tensors_.size(), ir::none); }
  /// Sets the value, resource or list of an input of a called subgraph. Errors: invalid_file (a tensor that is a
  /// constant or already has a value; another element type or scale), not_supported (a variable).
  [[gnu::cold]] constexpr result<void> bind(std::int32_t index, std::int32_t id);
  /// The result of value(), or a resource or list.
  [[gnu::cold]] constexpr result<std::int32_t> value_or_handle(std::int32_t index) {
    if (is_index(index) && is_handle(id_of(index))) return id_of(index);
    return value(index);
  }

  /// Handles of resources and lists are ids below ir::none. Resources have the first max_variables of them, lists the
  /// others.
  static constexpr bool is_handle(std::int32_t id) { return id < ir::none; }
  static constexpr bool is_resource(std::int32_t id) { return is_handle(id) && id > first_list; }
  static constexpr bool is_list(std::int32_t id) { return id <= first_list; }
  static constexpr std::int32_t resource(std::size_t variable) {
    return ir::none - 1 - static_cast<std::int32_t>(variable);
  }
  /// Adds a list. Error: not_supported (too many lists).
  [[gnu::cold]] constexpr result<std::int32_t> add_list(const tensor_list& made) {
    if (of_all_.lists.size() == max_lists)
      return fail(error_code::not_supported, {"lists of tensors: got more than ", max_lists});
    of_all_.lists.push_back(made);
    return first_list - static_cast<std::int32_t>(of_all_.lists.size() - 1);
  }
  /// The index of a list among all lists.
  static constexpr std::size_t place_of_list(std::int32_t id) { return static_cast<std::size_t>(first_list - id); }
  /// Marks the first `count` rows of value `id` as valid. Values must be marked in ascending order. Error:
  /// not_supported.
  [[gnu::cold]] constexpr result<void> set_count(std::int32_t id, std::int32_t count);
  /// The value with the number of valid rows; none: all rows are valid.
  [[gnu::cold]] constexpr std::int32_t count_of(std::int32_t id) const;
  /// The number of valid rows of a tensor that an operator made; none: all rows.
  constexpr std::int32_t count_of_tensor(std::int32_t index) const {
    return !of_all_.counted.empty() && is_index(index) ? count_of(state_.ids[static_cast<std::size_t>(index)])
                                                       : ir::none;
  }
  /// Counts operators of called subgraphs, for each call: loops are unrolled. Error: not_supported (too many).
  [[gnu::cold]] constexpr result<void> count_called(std::size_t operators);
  /// The resource with this name. Error: not_supported (too many variables).
  [[gnu::cold]] constexpr result<std::int32_t> named_resource(std::string_view container, std::string_view name) {
    const auto found = detail::named_variable(of_all_.variables, container, name);
    if (!found) return fail(found.error());
    return resource(*found);
  }
  /// The value of a resource at this point of the run, or of the subgraph that runs once. `like` is the reader's desc.
  /// Errors: not_supported (nothing was assigned), and the errors of `graph_builder::state()`.
  [[gnu::cold]] constexpr result<std::int32_t> read_resource(std::int32_t id, const tensor_desc& like) {
    return detail::read_variable(network_, variable_of(id), like, place_.is_once);
  }
  /// Assigns a value to a resource. Errors: not_supported (values that cannot initialise a state).
  [[gnu::cold]] constexpr result<void> assign_resource(std::int32_t id, std::int32_t value) {
    return detail::assign_variable(network_, variable_of(id), value, place_.is_once);
  }
  /// The quantisation of a resource that is a state of the network; none when it is not.
  constexpr quantisation scale_of_state(std::int32_t id) {
    const variable& v = variable_of(id);
    return v.state == ir::none ? quantisation() : network_.desc(v.state).quantised;
  }
  /// State number `number` of the operator with this output, or its value at this point of the run. Errors:
  /// not_supported (too many variables; a subgraph that runs once), and the errors of `graph_builder::state()`.
  [[gnu::cold]] constexpr result<std::int32_t> memory_of(std::int32_t output, std::size_t number,
                                                         const tensor_desc& desc, std::int32_t initial);
  [[gnu::cold]] constexpr void change_memory(std::int32_t output, std::size_t number, std::int32_t id) {
    if (variable* const found = find_variable(memory_index(output, number))) found->now = id;
  }
  /// Sets the next values of all states, after the last operator.
  [[gnu::cold]] constexpr result<void> finish_states() { return detail::finish_variables(network_, of_all_.variables); }

  /// Declares an input of the network with this name.
  [[gnu::cold]] constexpr result<void> add_input(std::int32_t index, std::string_view called);
  /// The value of a tensor that an operator reads: a defined value, else a constant of the file.
  [[gnu::cold]] constexpr result<std::int32_t> value(std::int32_t index);
  /// The value of a complex tensor that an operator made. Errors: not_supported (other tensors, inputs and constants).
  [[gnu::cold]] constexpr result<std::int32_t> complex_value(std::int32_t index) {
    if (is_complex(index) && id_of(index) != ir::none) return id_of(index);
    return fail(refusal(index, error_code::not_supported, {"is no tensor of COMPLEX64 that RFFT2D has made"}));
  }
  /// A constant of the file after a conversion. All callers with the same conversion get the same value.
  [[gnu::cold]] constexpr result<std::int32_t> constant(std::int32_t index, constant_conversion conversion);
  /// Sets the value of a tensor. Error: invalid_file (it is an input, a constant, or already has a value).
  [[gnu::cold]] constexpr result<void> define(std::int32_t index, std::int32_t id);
  /// Counts bytes that are copied from the file. Many tensors may share one buffer, so the total is limited in
  /// proportion to the file's size. Error: invalid_file (limit exceeded).
  [[gnu::cold]] constexpr result<void> count_copy(std::int32_t index, std::int64_t bytes);
  /// The limit of copied bytes, shared by all subgraphs. Errors name this tensor, unless it is "".
  constexpr copy_limit limit(std::string_view tensor = {}) { return {of_all_.copied_bytes, file_.size(), tensor}; }

 private:
  static constexpr std::int32_t first_list = ir::none - 1 - static_cast<std::int32_t>(max_variables);

  constexpr bool is_index(std::int32_t index) const {
    return index >= 0 && static_cast<std::size_t>(index) < tensors_.size();
  }
  constexpr table_of<schema::tensor> at(std::int32_t index) const { return tensors_[static_cast<std::size_t>(index)]; }
  constexpr std::int32_t& id_of(std::int32_t index) { return state_.ids[static_cast<std::size_t>(index)]; }

  constexpr byte_range place_of(std::int32_t index) const { return file_.buffer(at(index)[schema::tensor::buffer]); }
  /// The bytes of a constant. Literals of large files omit bytes that only programs need.
  constexpr std::string_view elements(std::int32_t index) const {
    const byte_range place = place_of(index);
    return file_.bytes().bytes(place.at, place.size);
  }
  constexpr variable& variable_of(std::int32_t resource) {
    return of_all_.variables[static_cast<std::size_t>(ir::none - 1 - resource)];
  }
  [[gnu::cold]] constexpr variable* find_variable(std::int32_t tensor) {
    for (variable& v : of_all_.variables)
      if (v.tensor == tensor && v.graph == place_.number) return &v;
    return nullptr;
  }
  /// An id for a state of an operator, used as a tensor index; lower than all tensor indices.
  static constexpr std::int32_t memory_index(std::int32_t output, std::size_t number) {
    return ir::none - 1 - 4 * output - static_cast<std::int32_t>(number);
  }
  [[gnu::cold]] constexpr result<variable*> variable_tensor(std::int32_t index);
  [[gnu::cold]] constexpr result<std::int32_t> zeros(const tensor_desc& desc, std::int32_t index);
  constexpr bool is_packed(std::int32_t index) const { return at(index)[schema::tensor::type] == type_of_four_bits; }
  [[gnu::cold]] constexpr result<tensor_desc> declared(std::int32_t index, bool unknown_extents);
  [[gnu::cold]] constexpr result<tensor_desc> find_declared(std::int32_t index, bool unknown_extents) const;
  [[gnu::cold]] constexpr result<tensor_desc> of_one_scale(std::int32_t index, bool unknown_extents);
  [[gnu::cold]] constexpr result<void> check_elements(std::int32_t index, const tensor_desc& desc) const;
  [[gnu::cold]] constexpr result<std::int32_t> copy(std::int32_t index, const tensor_desc& desc,
                                                    const weight_place& place);
  [[gnu::cold]] constexpr result<std::int32_t> make_dense(std::int32_t index, const tensor_desc& desc,
                                                          weight_place place);
  constexpr bool is_sparse(std::int32_t index) const { return static_cast<bool>(at(index)[schema::tensor::sparsity]); }
  [[gnu::cold]] constexpr result<std::int32_t> keep(const pool<char>& called, const tensor_desc& desc,
                                                    weight_place place);
  [[gnu::cold]] constexpr result<std::int32_t> make_constant(std::int32_t index, constant_conversion conversion);
  [[gnu::cold]] constexpr result<void> choose_conversion(std::int32_t index, constant_conversion conversion,
                                                         tensor_desc& desc, weight_place& place);
  [[gnu::cold]] constexpr pool<char> weight_name(std::int32_t index);
  constexpr std::int64_t max_copied() { return limit().most(); }

  const document& file_;
  tables_of<schema::tensor> tensors_;
  load_options wanted_;
  graph_builder& network_;
  subgraph_place place_;
  tensor_state& state_;
  tensor_state& of_all_;
  pool<char> is_output_;  // of the network
  // Descs found before, with known and with unknown extents; none: not yet read.
  pool<std::int32_t> known_[2];
  pool<tensor_desc> descs_;
  bool keeps_scales_of_i32_ = false;
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] constexpr error tensor_reader::refusal(std::int32_t index, error_code code, pieces why) const {
  pool<char> text;
  append(text, {"tensor ", index, " "});
  if (is_index(index)) append(text, {piece::in_quotes(name(index)), " "});
  append(text, why);
  return {code, text};
}

[[gnu::cold]] constexpr result<tensor_desc> tensor_reader::declared(std::int32_t index, bool unknown_extents) {
  if (!is_index(index)) return find_declared(index, unknown_extents);
  std::int32_t& known = known_[unknown_extents ? 1 : 0][static_cast<std::size_t>(index)];
  if (known != ir::none) return descs_[static_cast<std::size_t>(known)];
  auto found = find_declared(index, unknown_extents);
  if (!found) return found;
  known = static_cast<std::int32_t>(descs_.size());
  descs_.push_back(*found);
  return found;
}

[[gnu::cold]] constexpr result<tensor_desc> tensor_reader::find_declared(std::int32_t index,
                                                                         bool unknown_extents) const {
  if (!is_index(index))
    return fail(refusal(index, error_code::invalid_file, {"does not exist: the file has ", tensors_.size()}));
  const table_of<schema::tensor> tensor = at(index);
  if (const auto fault = detail::unsupported_part(tensor, has_data(index), file_.is_circle()); !fault.empty())
    return fail(refusal(index, error_code::not_supported, {fault}));
  shape_t shape;
  if (const auto fault = detail::read_shape(tensor, unknown_extents && !has_data(index), shape); !fault.empty())
    return fail(refusal(index, error_code::invalid_file, {fault}));
  // Buffer 0 means "no elements", also in files without a list of buffers.
  if (const auto buffer = tensor[schema::tensor::buffer]; buffer != 0 && buffer >= file_.buffer_count())
    return fail(
        refusal(index, error_code::invalid_file, {"buffer: got ", buffer, ", expected one of ", file_.buffer_count()}));
  if (const auto buffer = tensor[schema::tensor::buffer]; !file_.holds_buffer(buffer))
    return fail(refusal(index, error_code::invalid_file, {"buffer ", buffer, ": its bytes lie outside of the file"}));
  if (const auto fault = detail::fault_of_fields(file_.buffer_table(tensor[schema::tensor::buffer])); !fault.empty())
    return fail(refusal(index, error_code::not_supported, {"buffer ", tensor[schema::tensor::buffer], ": ", fault}));
  tensor_desc desc{is_packed(index) ? i8 : dtype_of_type(tensor[schema::tensor::type]), shape};
  const auto quantised = tensor[schema::tensor::quantization];
  if (quantised[schema::quantization::details_type] != 0)
    return fail(
        refusal(index, error_code::not_supported,
                {"quantization details: got kind ", quantised[schema::quantization::details_type], ", expected none"}));
  const bool has_scale =
      detail::quantised_elements.contains(desc.type) || (desc.type == i32 && keeps_scales_of_i32_ && !has_data(index));
  if (!has_scale) return desc;
  if (const auto fault = detail::read_quantisation(quantised, has_data(index), desc); !fault.empty())
    return fail(refusal(index, error_code::invalid_file, {fault}));
  return desc;
}

[[gnu::cold]] constexpr result<tensor_desc> tensor_reader::of_one_scale(std::int32_t index, bool unknown_extents) {
  auto desc = declared(index, unknown_extents);
  if (desc && desc->quantised.mode == quantisation::kind::per_channel)
    return fail(refusal(index, error_code::not_supported,
                        {"is no constant, but has ", desc->shape[desc->quantised.axis], " scales"}));
  return desc;
}

[[gnu::cold]] constexpr result<void> tensor_reader::add_input(std::int32_t index, std::string_view called) {
  auto desc = declared_input(index);
  if (!desc) return fail(std::move(desc.error()));
  if (has_data(index))
    return fail(refusal(index, error_code::invalid_file, {"is an input of the network and a constant"}));
  if (is_variable(index))
    return fail(refusal(index, error_code::not_supported, {"is an input of the network and a variable"}));
  if (id_of(index) != ir::none)
    return fail(refusal(index, error_code::invalid_file, {"is an input of the network twice"}));
  auto id = network_.input(called, *desc);
  if (!id) return fail(std::move(id.error()));
  return define(index, *id);
}

[[gnu::cold]] constexpr result<std::int32_t> tensor_reader::value(std::int32_t index) {
  if (is_index(index) && is_handle(id_of(index)))
    return fail(refusal(
        index, error_code::invalid_file,
        {is_list(id_of(index)) ? "is a list of tensors" : "is a resource", ", expected one that has elements"}));
  if (is_complex(index) && id_of(index) != ir::none)
    return fail(
        refusal(index, error_code::not_supported,
                {"has complex numbers, of which nnrt reads RESHAPE, SQUEEZE, COMPLEX_ABS, REAL and IMAG alone"}));
  if (is_index(index) && id_of(index) != ir::none) return id_of(index);
  const auto desc = declared(index);
  if (!desc) return fail(desc.error());
  if (is_variable(index)) {
    const auto found = variable_tensor(index);
    if (!found) return fail(found.error());
    return (*found)->now == ir::none ? (*found)->state : (*found)->now;
  }
  if (!has_data(index) && desc->elements() != 0)
    return fail(refusal(index, error_code::invalid_file,
                        {"is read, but neither an input nor a constant, nor made by an operator before"}));
  return constant(index, {});
}

[[gnu::cold]] constexpr result<void> tensor_reader::define(std::int32_t index, std::int32_t id) {
  if (!is_index(index)) return fail(declared(index).error());
  if (has_data(index) || id_of(index) != ir::none)
    return fail(refusal(
        index, error_code::invalid_file,
        {"is made by this operator, but is ",
         has_data(index) ? "a constant of the file" : "an input of the network, or made by another one before"}));
  if (!is_variable(index)) {
    id_of(index) = id;
    return {};
  }
  const auto found = variable_tensor(index);
  if (!found) return fail(found.error());
  (*found)->now = id;
  return {};
}

[[gnu::cold]] constexpr result<void> tensor_reader::bind(std::int32_t index, std::int32_t id) {
  if (is_index(index) && is_variable(index))
    return fail(refusal(index, error_code::not_supported, {"is an input of a subgraph and a variable"}));
  if (!is_handle(id)) {
    const auto desc = declared_result(index);
    if (!desc) return fail(desc.error());
    const tensor_desc got = network_.desc(id);
    constexpr auto same = signature_rule::declared_output_quantisation_must_match;
    if (got.type != desc->type || !nnrt::detail::require_same_quantisation(same, got.quantised, desc->quantised))
      return fail(refusal(index, error_code::invalid_file,
                          {"is given ", ir::letters_of(got), " by the operator that calls the subgraph, expected ",
                           ir::letters_of(*desc)}));
  }
  return define(index, id);
}

[[gnu::cold]] constexpr result<void> tensor_reader::count_called(std::size_t operators) {
  of_all_.called_operators += static_cast<std::int64_t>(operators);
  if (of_all_.called_operators <= max_called_operators) return {};
  return fail(error_code::not_supported, {"called again and again it has more than ", max_called_operators,
                                          " operators; nnrt unrolls no longer loops"});
}

/// The initial value of a variable tensor: zeros, or for i8 the zero point.
[[gnu::cold]] constexpr result<std::int32_t> tensor_reader::zeros(const tensor_desc& desc, std::int32_t index) {
  if (desc.type != i8 || desc.quantised.zero_point == 0) return ir::none;
  if (auto ok = count_copy(index, desc.bytes()); !ok) return fail(std::move(ok.error()));
  pool<std::byte> elements;
  elements.assign(static_cast<std::size_t>(desc.bytes()), static_cast<std::byte>(desc.quantised.zero_point));
  return network_.constant_bytes(desc, elements);
}

/// The variable of a tensor, a state of the network.
[[gnu::cold]] constexpr result<variable*> tensor_reader::variable_tensor(std::int32_t index) {
  if (variable* const known = find_variable(index)) return known;
  if (place_.is_once)
    return fail(refusal(index, error_code::not_supported, {"is a variable of a subgraph that runs once"}));
  if (auto ok = detail::check_room(of_all_.variables); !ok) return fail(std::move(ok.error()));
  const auto desc = of_one_scale(index, false);  // states have known extents
  if (!desc) return fail(desc.error());
  const auto initial = zeros(*desc, index);
  if (!initial) return fail(initial.error());
  auto state = network_.state(letters_of(detail::state_name(network_.graph(), name(index))), *desc, *initial);
  if (!state) return fail(state.error());
  variable made;
  made.name = name(index), made.graph = place_.number, made.tensor = index, made.state = *state;
  of_all_.variables.push_back(made);
  return &of_all_.variables.back();
}

[[gnu::cold]] constexpr result<std::int32_t> tensor_reader::memory_of(std::int32_t output, std::size_t number,
                                                                      const tensor_desc& desc, std::int32_t initial) {
  if (!is_index(output)) return fail(declared(output).error());
  if (const variable* const known = find_variable(memory_index(output, number)))
    return known->now == ir::none ? known->state : known->now;
  if (place_.is_once)
    return fail(refusal(output, error_code::not_supported,
                        {"is made by an operator with memory, in a subgraph that runs once"}));
  if (auto ok = detail::check_room(of_all_.variables); !ok) return fail(std::move(ok.error()));
  auto state = network_.state(letters_of(detail::state_name(network_.graph(), name(output))), desc, initial);
  if (!state) return state;
  variable made;
  made.name = name(output), made.graph = place_.number, made.tensor = memory_index(output, number), made.state = *state;
  of_all_.variables.push_back(made);
  return state;
}

[[gnu::cold]] constexpr result<void> tensor_reader::set_count(std::int32_t id, std::int32_t count) {
  if (count_of(id) != ir::none) return {};
  pool<counted_rows>& counted = of_all_.counted;
  if (!counted.empty() && counted.back().value > id)
    return fail(error_code::not_supported, "rows that a run counts are made out of order");
  counted.push_back({id, count});
  return {};
}

[[gnu::cold]] constexpr std::int32_t tensor_reader::count_of(std::int32_t id) const {
  const pool<counted_rows>& counted = of_all_.counted;
  const auto is_before = [](const counted_rows& rows, std::int32_t value) { return rows.value < value; };
  const counted_rows* const found = std::lower_bound(counted.begin(), counted.end(), id, is_before);
  return found != counted.end() && found->value == id ? found->count : ir::none;
}

[[gnu::cold]] constexpr result<std::int32_t> tensor_reader::constant(std::int32_t index,
                                                                     constant_conversion conversion) {
  if (!is_index(index)) return fail(declared(index).error());
  const auto number = static_cast<std::int32_t>(conversion.number());
  const auto i = static_cast<std::size_t>(index);
  for (std::int32_t k = state_.first_formed[i]; k != ir::none; k = state_.formed[static_cast<std::size_t>(k)].next)
    if (state_.formed[static_cast<std::size_t>(k)].conversion == number)
      return state_.formed[static_cast<std::size_t>(k)].id;
  auto id = make_constant(index, conversion);
  if (!id) return id;
  state_.formed.push_back({number, *id, state_.first_formed[i]});
  state_.first_formed[i] = static_cast<std::int32_t>(state_.formed.size()) - 1;
  return id;
}

[[gnu::cold]] constexpr result<std::int32_t> tensor_reader::make_constant(std::int32_t index,
                                                                          constant_conversion conversion) {
  auto desc = declared(index);
  if (!desc) return fail(std::move(desc.error()));
  if (auto ok = check_elements(index, *desc); !ok) return fail(std::move(ok.error()));
  const byte_range bytes = place_of(index);
  weight_place place;
  place.first = bytes.at, place.size = bytes.size;
  if (auto ok = choose_conversion(index, conversion, *desc, place); !ok) return fail(std::move(ok.error()));
  const bool is_kept = conversion.stays_in_file || (desc->elements() > ir::max_read_list && !conversion.is_read);
  if ((!is_kept || is_sparse(index)) && !file_.bytes().has(bytes.at, bytes.size))
    return fail(refusal(index, error_code::not_supported,
                        {"is computed with, and the literal of this file leaves out its elements"}));
  auto id = is_sparse(index) ? make_dense(index, *desc, place)
            : is_kept        ? keep(weight_name(index), *desc, place)
                             : copy(index, *desc, place);
  if (!id || desc->quantised.mode != quantisation::kind::per_channel) return id;
  const auto scales = at(index)[schema::tensor::quantization][schema::quantization::scale];
  weight_place of_scales;
  of_scales.first = scales.at(), of_scales.size = scales.size() * sizeof(float);
  of_scales.stored = {f32, {static_cast<std::int64_t>(scales.size())}};
  const auto made = keep(letters({weight_name(index), ".scale"}), of_scales.stored, of_scales);
  if (!made) return fail(made.error());
  network_.set_scales(*id, *made);
  return id;
}

/// Checks the number of bytes of a constant, and that booleans are 0 or 1.
[[gnu::cold]] constexpr result<void> tensor_reader::check_elements(std::int32_t index, const tensor_desc& desc) const {
  const std::uint32_t buffer = at(index)[schema::tensor::buffer];
  const byte_range place = place_of(index);
  if (is_sparse(index)) return {};  // make_dense() checks them
  const std::int64_t expected = is_packed(index) ? packed_bytes(desc.elements()) : desc.bytes();
  if (static_cast<std::int64_t>(place.size) != expected)
    return fail(refusal(index, error_code::invalid_file,
                        {"buffer ", buffer, ": got ", place.size, " bytes, expected ", expected, " for ",
                         piece(desc.type, desc.shape)}));
  if (desc.type != boolean) return {};
  const std::string_view bytes = elements(index);
  const std::size_t i = first_no_boolean(bytes);
  if (i == bytes.size()) return {};
  return fail(refusal(index, error_code::invalid_file,
                      {"buffer ", buffer, ": element ", i, ": got ", static_cast<unsigned char>(bytes[i]),
                       ", expected 0 or 1 for a boolean"}));
}

/// Determines the conversion from the file's bytes to what the operator needs, and the resulting desc.
[[gnu::cold]] constexpr result<void> tensor_reader::choose_conversion(std::int32_t index,
                                                                      constant_conversion conversion, tensor_desc& desc,
                                                                      weight_place& place) {
  place.is_packed = is_packed(index);
  if (place.is_packed)
    if (auto ok = count_copy(index, desc.bytes()); !ok) return ok;
  if (conversion.as_i8 && desc.type == u8) {
    desc.type = i8;
    desc.quantised.zero_point = 0;
  }
  place.stored = desc;
  if (conversion.as_f32 && (desc.quantised || desc.type == f16)) {
    const auto scales = at(index)[schema::tensor::quantization][schema::quantization::scale];
    if (desc.quantised.mode == quantisation::kind::per_channel) place.first_scale = scales.at();
    place.as_f32 = true;
    desc = tensor_desc{f32, desc.shape};
    if (auto ok = count_copy(index, desc.bytes()); !ok) return ok;
  }
  if (conversion.filters_first) {
    if (desc.rank() != 4 || desc.shape[0] != 1)
      return fail(refusal(index, error_code::invalid_file, {"got filters ", desc.shape, ", expected [1, H, W, O]"}));
    if (auto ok = count_copy(index, desc.bytes()); !ok) return ok;
    place.rows = static_cast<std::size_t>(desc.shape[1] * desc.shape[2]);
    place.columns = static_cast<std::size_t>(desc.shape[3]);
    desc.shape = {desc.shape[3], desc.shape[1], desc.shape[2], 1};
    if (desc.quantised.axis == 3) desc.quantised.axis = 0;
  }
  return {};
}

[[gnu::cold]] constexpr result<void> tensor_reader::count_copy(std::int32_t index, std::int64_t bytes) {
  auto ok = limit().count(bytes);
  if (ok) return ok;
  return fail(refusal(index, ok.error().code(), {ok.error().letters()}));
}

/// Makes a graph constant, whose elements rules and other constants can read.
[[gnu::cold]] constexpr result<std::int32_t> tensor_reader::copy(std::int32_t index, const tensor_desc& desc,
                                                                 const weight_place& place) {
  if (auto ok = count_copy(index, desc.bytes()); !ok) return fail(std::move(ok.error()));
  pool<std::byte> elements;
  elements.assign(static_cast<std::size_t>(desc.bytes()), std::byte{});
  convert_elements(file_.bytes(), place, elements.data());
  return network_.constant_bytes(desc, elements);
}

/// Makes a dense constant from a sparse one.
[[gnu::cold]] constexpr result<std::int32_t> tensor_reader::make_dense(std::int32_t index, const tensor_desc& desc,
                                                                       weight_place place) {
  const tensor_desc& stored = place.stored;
  if (place.is_packed) return fail(refusal(index, error_code::not_supported, {"is sparse and has numbers of 4 bits"}));
  if (auto ok = count_copy(index, stored.bytes() + desc.bytes()); !ok) return fail(std::move(ok.error()));
  sparse_elements elements(file_, at(index)[schema::tensor::sparsity], stored.shape, this->elements(index),
                           static_cast<std::size_t>(size_of(stored.type)));
  pool<char> dense;
  dense.assign(static_cast<std::size_t>(stored.bytes()), 0);
  pool<char> fault = elements.read_axes();
  if (fault.empty()) fault = elements.write(dense);
  if (!fault.empty()) return fail(refusal(index, error_code::invalid_file, {fault}));
  // Appends the scales to the elements, for the conversion.
  place.first = 0, place.first_scale = dense.size();
  const std::string_view scales = at(index)[schema::tensor::quantization][schema::quantization::scale].bytes();
  dense.insert(scales.begin(), scales.end());
  pool<std::byte> made;
  made.assign(static_cast<std::size_t>(desc.bytes()), std::byte{});
  convert_elements(file_view(letters_of(dense)), place, made.data());
  return network_.constant_bytes(desc, made);
}

/// Adds a weight whose elements are read from the file.
[[gnu::cold]] constexpr result<std::int32_t> tensor_reader::keep(const pool<char>& called, const tensor_desc& desc,
                                                                 weight_place place) {
  auto id = network_.weight(letters_of(called), desc);
  if (!id) return id;
  place.value = *id;
  of_all_.places.push_back(place);
  return id;
}

/// The name of a weight: the tensor's name. A number is appended when other tensors or an earlier weight have that
/// name.
[[gnu::cold]] constexpr pool<char> tensor_reader::weight_name(std::int32_t index) {
  const auto i = static_cast<std::size_t>(index);
  pool<char> made = letters({name(index)});
  if (made.empty() || state_.shared[i] != 0) append(made, {"#", index});
  if (state_.uses[i]++ > 0) append(made, {"#", state_.uses[i]});
  // other subgraphs may have a tensor with this name
  if (place_.caller != nullptr) append(made, {"@", of_all_.places.size()});
  return made;
}

[[gnu::cold]] constexpr result<void> tensor_reader::read_names() {
  state_.ids.assign(tensors_.size(), ir::none);
  state_.first_formed.assign(tensors_.size(), ir::none);
  state_.uses.assign(tensors_.size(), 0);
  struct named {
    std::string_view name;
    std::uint64_t hash;
  };
  pool<named> names;
  pool<std::int32_t> order;
  std::int64_t letters = 0;  // many tensors may refer to one long name
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const std::string_view name = tensors_[i][schema::tensor::name];
    letters += static_cast<std::int64_t>(name.size());
    if (letters > max_copied())
      return fail(error_code::invalid_file,
                  {"names of tensors: got more than ", max_copied(), " bytes in a file of ", file_.size()});
    names.push_back({name, nnrt::detail::hash_of(name)});
    order.push_back(static_cast<std::int32_t>(i));
  }
  // Sorts by hash first. Equal hashes, which a hostile file may cause, are ordered by name.
  const auto at = [&](std::int32_t i) -> const named& { return names[static_cast<std::size_t>(i)]; };
  nnrt::detail::sort_ids(order, [&](std::int32_t a, std::int32_t b) {
    return at(a).hash != at(b).hash ? at(a).hash < at(b).hash : at(a).name < at(b).name;
  });
  state_.shared.assign(tensors_.size(), 0);
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (at(order[i]).hash != at(order[i - 1]).hash || at(order[i]).name != at(order[i - 1]).name) continue;
    for (const std::int32_t one : {order[i], order[i - 1]}) state_.shared[static_cast<std::size_t>(one)] = 1;
  }
  return {};
}

}}}  // namespace nnrt::NNRT_ISA::tflite
