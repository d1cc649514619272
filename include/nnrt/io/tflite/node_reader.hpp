// node_reader: one operator of a .tflite file as its reader sees it - operands, options, and the nodes that it becomes.
// Flow: load() makes one for each operator and calls the reader that operators.hpp has for it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/io/tflite/flexbuffer.hpp>
#include <nnrt/io/tflite/options.hpp>
#include <nnrt/io/tflite/tensors.hpp>
#include <nnrt/ops/stack.hpp>

#include <algorithm>
#include <optional>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// The node whose first result a value is; nullptr: of none. For graphs of a builder, where later nodes make later
/// values.
[[gnu::cold]] constexpr const ir::node* maker_of(const ir::graph& g, std::int32_t id) {
  const auto is_before = [&](const ir::node& n, std::int32_t value) { return g.outputs_of(n)[0] < value; };
  const ir::node* const found = std::lower_bound(g.nodes.begin(), g.nodes.end(), id, is_before);
  return found != g.nodes.end() && g.outputs_of(*found)[0] == id ? found : nullptr;
}

}  // namespace detail

/// An operator by its code; never null for those of ops::list.
using find_operator = const operator_info* (*)(op_code);

class node_reader;
/// Steps of reading that are defined by all operators together, in read.hpp. (Functions that are only declared here
/// could be called, too, but compilers warn of them where this header stands alone.)
struct reading_steps {
  /// Refuses operators that nothing here reads.
  result<void> (*check_operators)(const document& file, records<schema::node> operators);
  /// Reads operator i.
  result<void> (*read_operator)(document& file, tensor_reader& tensors, graph_builder& network, find_operator find,
                                records<schema::node> operators, std::size_t i);
  /// The nodes of a fused activation that no operator of ours fuses, behind a value.
  std::int32_t (*activated)(node_reader& node, std::int32_t id, std::int8_t number);
};

/// Reads an operator and adds nodes to the network. The first thing that is wrong is kept; what is asked for afterwards
/// is harmless and adds nothing, so that readers of operators need not check each step.
class node_reader {
  // These stand first: clang 16 finds no member template after its use, in constant evaluation.
  template <class Op>
  constexpr pool<std::int32_t> apply(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs,
                                     array_ref<const tensor_desc> wanted) {
    pool<word> words;
    pack(attrs, words);
    return apply(*find_(Op::code), words, inputs, wanted);
  }
  /// The same for what the file declares of its outputs from `first` on. The shape of a tensor between operators binds
  /// nobody: TFLite computes it anew, so files have old ones whose inputs were resized.
  template <class Op>
  constexpr pool<std::int32_t> apply_declared(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs,
                                              const pool<tensor_desc>& wanted, std::size_t first) {
    pool<word> words;
    pack(attrs, words);
    return apply(*find_(Op::code), words, inputs, wanted, without_old_shapes(wanted, first));
  }

 public:
  /// `find` gives the form of an operator that the network is to have, by its code.
  constexpr node_reader(document& file, tensor_reader& tensors, graph_builder& network, find_operator find,
                        const reading_steps& steps, record<schema::node> node)
      : find_(find),
        steps_(steps),
        file_(file),
        tensors_(tensors),
        network_(network),
        node_(node),
        inputs_(node[schema::node::inputs]),
        outputs_(node[schema::node::outputs]) {}

  constexpr bool is_fine() const { return message_.empty(); }
  constexpr tensor_reader& tensors() { return tensors_; }
  constexpr find_operator finder() const { return find_; }
  constexpr document& file() { return file_; }
  constexpr graph_builder& network() { return network_; }
  constexpr const reading_steps& steps() const { return steps_; }
  /// What went wrong first.
  constexpr error reason() const { return {code_, message_}; }
  /// Keeps an error, unless there is one.
  [[gnu::cold]] constexpr void refuse(error_code code, pieces what) {
    if (!is_fine()) return;
    code_ = code;
    message_ = letters(what);
  }
  constexpr void check(const result<void>& done) {
    if (!done) refuse(done.error().code(), {done.error().letters()});
  }
  /// The value, or ir::none beside a refusal.
  constexpr std::int32_t taken(const result<std::int32_t>& made) {
    if (made) return *made;
    refuse(made.error().code(), {made.error().letters()});
    return ir::none;
  }
  [[gnu::cold]] constexpr void not_supported(pieces what) { refuse(error_code::not_supported, what); }
  /// Refuses operand `id`, which is input i of the operator, for what it is; `expected` is what nnrt reads in its
  /// place.
  [[gnu::cold]] constexpr void not_supported_beside(std::size_t i, std::int32_t id, std::string_view expected);
  /// The same for quantised numbers, of an operator that is read for others alone.
  [[gnu::cold]] constexpr void refuse_quantised(std::size_t i, std::int32_t id) {
    if (is_fine() && desc(id).quantised) not_supported_beside(i, id, "numbers without a scale");
  }

  /// The options of this kind; those with the format's defaults when the file has none.
  template <class Options> constexpr record<Options> options();
  /// Refuses what the operator's own tables say and no reader would see: options of another kind than the operator has,
  /// and fields that are newer than the schema, or that change the meaning of any operator.
  /// `changes_variables` is whether the operator's reader says what becomes of variables that it changes.
  [[gnu::cold]] constexpr void check_tables(schema::options_kind expected, bool changes_variables);
  /// Those of a custom operator, as they stand in the file, and where they have names.
  constexpr std::string_view custom_bytes() const { return node_[schema::node::custom_options].bytes(); }
  constexpr named_numbers custom_options() const { return named_numbers(custom_bytes()); }
  /// A number of these. Refused: one that is missing.
  [[gnu::cold]] constexpr double required_option(const named_numbers& options, std::string_view name) {
    const auto number = options[name];
    if (!number) refuse(error_code::invalid_file, {"options: ", name, " is missing"});
    return number.value_or(0);
  }

  constexpr std::size_t input_count() const { return inputs_.size(); }
  constexpr std::size_t output_count() const { return outputs_.size(); }
  constexpr bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i] != -1; }
  /// The value of input i; ir::none for an optional one that is missing.
  constexpr std::int32_t input(std::size_t i) { return has(i) ? taken(tensors_.value(inputs_[i])) : ir::none; }
  /// Whether input i has complex numbers; the value of such an input, of f32 with real and imaginary parts along one
  /// more axis, the last.
  constexpr bool is_complex(std::size_t i) const { return has(i) && tensors_.is_complex(inputs_[i]); }
  [[gnu::cold]] constexpr std::int32_t complex_input(std::size_t i) {
    return is_fine() && has(i) ? taken(tensors_.complex_value(inputs_[i])) : ir::none;
  }
  /// Says that output i, of complex numbers, is such a value.
  [[gnu::cold]] constexpr void define_complex(std::size_t i, std::int32_t id) {
    if (is_fine() && i < outputs_.size() && !tensors_.is_complex(outputs_[i]))
      refuse(error_code::invalid_file, {"output ", i, ": got a tensor of other elements than COMPLEX64"});
    define(i, id);
  }
  /// The same for weights beside f32, which the file may keep in fewer bits.
  constexpr std::int32_t weight(std::size_t i, std::int32_t beside) {
    if (narrow_constant(i, beside)) return constant(i, weights_beside_f32);
    return is_constant(i) ? constant(i, {.stays_in_file = true}) : input(i);
  }
  /// Input i, a variable, as a state of the network. Refused: another tensor.
  [[gnu::cold]] constexpr std::int32_t variable(std::size_t i) {
    if (is_variable(i)) return input(i);
    not_supported({"input ", i, ": got ", has(i) ? "a tensor that is no variable" : "none",
                   ", expected a variable, which keeps its elements between runs"});
    return ir::none;
  }
  /// Whether input i is such a variable.
  constexpr bool is_variable(std::size_t i) const { return has(i) && tensors_.is_variable(inputs_[i]); }
  /// What that variable is behind the operator.
  [[gnu::cold]] constexpr void change_variable(std::size_t i, std::int32_t id) {
    if (!is_fine()) return;
    if (auto ok = tensors_.define(inputs_[i], id); !ok) refuse(ok.error().code(), {ok.error().letters()});
  }
  /// What the operator itself keeps from run to run, a state of the network, at this point of the run; it has several
  /// by number. `initial` is what it begins with, a constant; none: zeros.
  [[gnu::cold]] constexpr std::int32_t memory(std::size_t number, const tensor_desc& desc,
                                              std::int32_t initial = ir::none) {
    return is_fine() && !outputs_.empty() ? taken(tensors_.memory_of(outputs_[0], number, desc, initial)) : ir::none;
  }
  /// What it keeps behind the operator.
  [[gnu::cold]] constexpr void change_memory(std::size_t number, std::int32_t id) {
    if (is_fine() && !outputs_.empty()) tensors_.change_memory(outputs_[0], number, id);
  }
  /// How the operator stores what it computes on the way, by the tensors that it names for that.
  constexpr std::size_t intermediate_count() const { return node_[schema::node::intermediates].size(); }
  [[gnu::cold]] constexpr quantisation intermediate(std::size_t i) {
    const auto found = tensors_.declared(node_[schema::node::intermediates][i]);
    if (!found) refuse(found.error().code(), {"intermediate ", i, ": ", found.error().letters()});
    else if (found->quantised.mode != quantisation::kind::per_tensor)
      refuse(error_code::invalid_file, {"intermediate ", i, ": got no scale, expected one"});
    return found ? found->quantised : quantisation();
  }
  /// A constant in another form than the file has it in.
  constexpr std::int32_t constant(std::size_t i, constant_form form) {
    return is_fine() ? taken(tensors_.constant(inputs_[i], form)) : ir::none;
  }
  constexpr bool is_constant(std::size_t i) const { return has(i) && tensors_.has_data(inputs_[i]); }
  /// What the file declares of a constant that stands for real numbers in fewer bits than the f32 beside it.
  [[gnu::cold]] constexpr std::optional<tensor_desc> narrow_constant(std::size_t i, std::int32_t beside) {
    if (!is_constant(i) || desc(beside).type != f32) return {};
    const auto declared = tensors_.declared(inputs_[i]);
    return declared && (declared->quantised || declared->type == f16) ? std::optional(*declared) : std::nullopt;
  }
  /// Whether input i has several scales, and not all of them equal.
  constexpr bool has_different_scales(std::size_t i) const {
    return has(i) && tensors_.has_different_scales(inputs_[i]);
  }

  /// The one scale of input i, whatever its type; 0 where the file gives it none, or several.
  constexpr float one_scale_or_0(std::size_t i) const { return has(i) ? tensors_.one_scale_or_0(inputs_[i]) : 0; }
  /// The same of output i.
  [[gnu::cold]] constexpr float output_scale_or_0(std::size_t i) const {
    return i < outputs_.size() ? tensors_.one_scale_or_0(outputs_[i]) : 0;
  }
  /// Refuses the file for what it says of input i.
  [[gnu::cold]] constexpr void refuse_input(std::size_t i, pieces why) {
    const error found = tensors_.refusal(inputs_[i], error_code::invalid_file, why);
    refuse(found.code(), {found.letters()});
  }

  /// The value of input i, or the resource or list that it is.
  constexpr std::int32_t operand(std::size_t i) {
    return is_fine() && has(i) ? taken(tensors_.value_or_handle(inputs_[i])) : ir::none;
  }
  /// Input i, which must be a resource.
  [[gnu::cold]] constexpr std::int32_t resource(std::size_t i) {
    const std::int32_t id = operand(i);
    if (is_fine() && !tensor_reader::is_resource(id)) refuse_operand(i, id, "a resource that VAR_HANDLE makes");
    return id;
  }
  /// How many rows of input i count, as a value of one number; none: all of them.
  constexpr std::int32_t count_of_input(std::size_t i) const {
    return has(i) ? tensors_.count_of_tensor(inputs_[i]) : ir::none;
  }
  /// What output 0 has become.
  [[gnu::cold]] constexpr tensor_desc output_desc() {
    return outputs_.empty() || !is_fine() ? tensor_desc() : desc(taken(tensors_.value(outputs_[0])));
  }
  /// Says that only as many rows of output 0 count.
  [[gnu::cold]] constexpr void count_output(std::int32_t count) {
    if (!is_fine() || outputs_.empty()) return;
    const std::int32_t id = taken(tensors_.value(outputs_[0]));
    if (is_fine()) check(tensors_.set_count(id, count));
  }
  /// Input i, which must be a list of tensors, by its place among all lists.
  [[gnu::cold]] constexpr std::size_t list_operand(std::size_t i) {
    const std::int32_t id = operand(i);
    if (is_fine() && !tensor_reader::is_list(id)) refuse_operand(i, id, "a list of tensors");
    return is_fine() ? tensor_reader::place_of_list(id) : 0;
  }
  /// Says that output i is a value of which the subgraph that was called has said all, a resource, or a list.
  [[gnu::cold]] constexpr void pass_on(std::size_t i, std::int32_t id) {
    if (tensor_reader::is_handle(id)) return define(i, id);
    conclude(i, id);
  }
  /// Whether the value is true, which must be known before the network runs.
  [[gnu::cold]] constexpr bool truth(std::int32_t id, std::string_view what);

  /// What is known of a value; an empty desc of one that is missing.
  constexpr tensor_desc desc(std::int32_t id) const { return id == ir::none ? tensor_desc() : network_.desc(id); }
  /// What the file declares of output i.
  [[gnu::cold]] constexpr tensor_desc declared(std::size_t i) {
    if (i >= outputs_.size()) return {};
    auto found = tensors_.declared_result(outputs_[i]);
    if (found) return *found;
    refuse(found.error().code(), {found.error().letters()});
    return {};
  }

  /// The extents that the file writes down for output i, however unknown they are.
  [[gnu::cold]] constexpr shape_t written_shape(std::size_t i) const {
    return i < outputs_.size() ? tensors_.written_shape(outputs_[i]) : shape_t();
  }

  /// Refuses such numbers among those integers of input i that the file gives.
  ///
  /// \param name what a number of the input is
  [[gnu::cold]] constexpr void require_no(detail::forbidden what, std::size_t i, std::string_view name = "index");
  /// Refuses a number of operands that the options write down another time, and differently. Options that are missing
  /// say none.
  template <class Options> [[gnu::cold]] constexpr void check_counted(std::string_view what, std::size_t got) {
    const auto options = this->options<Options>();
    if (!options || options[Options::count] == static_cast<std::int64_t>(got)) return;
    refuse(error_code::invalid_file,
           {"options: got ", options[Options::count], " ", what, ", expected ", got, ", as many as the operator has"});
  }
  /// Refuses an element type of output 0 that the options write down another time, and differently; FLOAT32 says none.
  template <class Options> [[gnu::cold]] constexpr void check_result_type() {
    const std::int8_t type = options<Options>()[Options::type];
    if (type == 0 || !is_fine() || dtype_of_type(type) == declared(0).type) return;
    refuse(error_code::invalid_file, {"options: got an output of ", name_of_type(type),
                                      ", expected that of the tensor, ", name_of(declared(0).type)});
  }

  /// The integers of input i, which operators need to know before the network runs.
  [[gnu::cold]] constexpr pool<std::int64_t> integers(std::size_t i);
  [[gnu::cold]] constexpr std::int64_t integer(std::size_t i) {
    const pool<std::int64_t> found = integers(i);
    if (is_fine() && found.size() != 1)
      refuse(error_code::invalid_file, {"input ", i, ": got ", found.size(), " numbers, expected 1"});
    return is_fine() ? found[0] : 0;
  }
  /// Whether the elements of input i are known before the network runs.
  constexpr bool is_known(std::size_t i) {
    const std::int32_t id = input(i);
    return id != ir::none && network_.graph().at(id).is == ir::kind::constant;
  }
  /// Whether only a run knows the elements of a value, and not even the shapes of the network's inputs.
  constexpr bool is_computed(std::int32_t id) const {
    return id != ir::none && network_.readiness_of(id) == passes::readiness::computed;
  }
  /// Whether the elements of input i follow from extents of the network's inputs that are unknown until these have
  /// their shapes.
  constexpr bool is_awaited(std::size_t i) {
    const std::int32_t id = input(i);
    return id != ir::none && !is_known(i) && network_.readiness_of(id) == passes::readiness::evaluated;
  }
  /// The shape that the integers of input i are.
  [[gnu::cold]] constexpr shape_t shape(std::size_t i) {
    const pool<std::int64_t> extents = integers(i);
    if (extents.size() > max_rank)
      not_supported({"input ", i, ": got rank ", extents.size(), ", expected at most ", max_rank});
    shape_t made;
    for (const std::int64_t extent : extents) made.push_back(extent);
    return made;
  }
  /// The same with -1 for each extent that only a run knows; of rank 0 when nothing is known. Files put such lists
  /// together of single numbers.
  [[gnu::cold]] constexpr shape_t shape_as_far_as_known(std::size_t i);
  /// The real number that input i stands for.
  [[gnu::cold]] constexpr float real(std::size_t i);

  /// Integers as a constant: a shape, axes, a permutation.
  constexpr std::int32_t integer_list(array_ref<const std::int64_t> items) {
    return taken(network_.constant<std::int64_t>({i64, {static_cast<std::int64_t>(items.size())}}, items));
  }
  constexpr std::int32_t integer_list(std::initializer_list<std::int64_t> items) {
    return integer_list(std::span(items.begin(), items.size()));
  }
  /// One number as a constant [1].
  constexpr std::int32_t real_number(float value) { return real_list(std::span(&value, 1)); }
  constexpr std::int32_t real_list(array_ref<const float> items) {
    return taken(network_.constant<float>({f32, {static_cast<std::int64_t>(items.size())}}, items));
  }
  /// One number of a dtype as a constant without axes, which broadcasts to any shape; of a quantised one what is
  /// stored.
  [[gnu::cold]] constexpr std::int32_t scalar(dtype type, double value, const quantisation& quantised = {});

  /// Names of nodes, and constants that the reader makes, count as copies of input 0: they stay in proportion to the
  /// file's size.
  [[gnu::cold]] constexpr void count_copy(std::int64_t bytes) {
    if (!is_fine() || inputs_.empty()) return;
    check(tensors_.count_copy(inputs_[0], bytes));
  }

  /// The fused activation of this number. Those that our operators do not fuse become nodes behind the one that is the
  /// operator's output.
  [[gnu::cold]] constexpr activation fused(std::int8_t number);
  /// Padding of this number. Refused: numbers that mean nothing.
  [[gnu::cold]] constexpr pads padding(std::int8_t number);

  /// A node of our own, between the operator's inputs and its outputs; its first result.
  template <class Op>
  constexpr std::int32_t add(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs,
                             const tensor_desc& wanted = {}) {
    const pool<std::int32_t> made = apply<Op>(attrs, std::span(inputs.begin(), inputs.size()), std::span(&wanted, 1));
    return made.empty() ? ir::none : made[0];
  }
  /// The same for one whose result is what the file declares of output i.
  template <class Op>
  constexpr std::int32_t add_declared(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs,
                                      std::size_t i = 0) {
    pool<tensor_desc> wanted{declared(i)};
    const pool<std::int32_t> made = apply_declared<Op>(attrs, std::span(inputs.begin(), inputs.size()), wanted, i);
    return made.empty() ? ir::none : made[0];
  }
  /// The same for all its results.
  template <class Op>
  constexpr pool<std::int32_t> add_all(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs) {
    return apply<Op>(attrs, std::span(inputs.begin(), inputs.size()), {});
  }
  template <class Op>
  constexpr pool<std::int32_t> add_all(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs,
                                       const tensor_desc& wanted) {
    return apply<Op>(attrs, inputs, std::span(&wanted, 1));
  }
  /// The node whose results are the operator's outputs.
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
  /// Says that output i is this value.
  [[gnu::cold]] constexpr void define(std::size_t i, std::int32_t id);
  /// The same for a value of which no node has checked that it is what the file declares.
  [[gnu::cold]] constexpr void conclude(std::size_t i, std::int32_t id);

 private:
  /// Refuses the file for the kind of thing that input i is.
  [[gnu::cold]] constexpr void refuse_operand(std::size_t i, std::int32_t id, std::string_view expected) {
    const std::string_view got = id == ir::none                   ? "none"
                                 : tensor_reader::is_resource(id) ? "a resource"
                                 : tensor_reader::is_list(id)     ? "a list of tensors"
                                                                  : "a tensor with elements";
    refuse(error_code::invalid_file, {"input ", i, ": got ", got, ", expected ", expected});
  }
  /// Refuses, by its name, an operand that only a run knows where the operator wants a constant: the rule that says so
  /// knows no names.
  [[gnu::cold]] constexpr void require_constants(const operator_info& op, array_ref<const std::int32_t> inputs,
                                                 std::string_view name);
  [[gnu::cold]] constexpr pool<std::int32_t> apply(const operator_info& op, array_ref<const word> attrs,
                                                   array_ref<const std::int32_t> inputs,
                                                   array_ref<const tensor_desc> wanted,
                                                   array_ref<const tensor_desc> otherwise = {});
  /// Nothing when all of them bind.
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

  find_operator find_;
  const reading_steps& steps_;
  document& file_;
  tensor_reader& tensors_;
  graph_builder& network_;
  record<schema::node> node_;
  list<std::int32_t> inputs_, outputs_;  // indices of tensors
  std::int8_t activation_behind_ = 0;    // its number in the file
  error_code code_{};
  pool<char> message_;
};

// --- details ---------------------------------------------------------------
template <class Options> [[gnu::cold]] constexpr record<Options> node_reader::options() {
  const table_place found = node_[schema::node::builtin_options];
  // check_tables() refuses other kinds
  if (!found || node_[schema::node::builtin_options_type] != Options::tag) return {};
  if (file_.fits<Options>(found)) return record<Options>(found);
  refuse(error_code::invalid_file, {"its options lie outside of the file"});
  return {};
}

[[gnu::cold]] constexpr void node_reader::not_supported_beside(std::size_t i, std::int32_t id,
                                                               std::string_view expected) {
  if (id == ir::none) return not_supported({"input ", i, ": got none, expected ", expected});
  const tensor_desc got = desc(id);
  not_supported({"input ", i, ": got ", got.quantised ? "quantised " : "", piece(got.type, got.shape),
                 is_computed(id) ? " that a run computes or is given" : "", ", expected ", expected});
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

[[gnu::cold]] constexpr bool node_reader::truth(std::int32_t id, std::string_view what) {
  if (!is_fine()) return false;
  const tensor_desc got = desc(id);
  if (got.type != boolean || got.elements() != 1) {
    refuse(error_code::invalid_file, {what, ": got ", ir::letters_of(got), ", expected one truth value"});
    return false;
  }
  const ir::value& v = network_.graph().at(id);
  if (v.is == ir::kind::constant) return network_.graph().element<bool>(v, 0);
  const bool is_awaited = network_.readiness_of(id) == passes::readiness::evaluated;
  not_supported({what, " depends on ", is_awaited ? "extents that are unknown" : "numbers that only a run knows",
                 "; nnrt reads those that follow from shapes and constants"});
  return false;
}

[[gnu::cold]] constexpr void node_reader::require_no(detail::forbidden what, std::size_t i, std::string_view name) {
  if (!is_fine() || !has(i)) return;
  detail::found_integer found = tensors_.first_forbidden(inputs_[i], what);
  if (is_known(i)) {
    pool<std::int64_t> numbers;
    ir::append_integers(network_.graph(), network_.graph().at(input(i)), numbers);
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
  if (id != ir::none) ir::append_integers(network_.graph(), network_.graph().at(id), found);
  if (id == ir::none || static_cast<std::int64_t>(found.size()) != desc(id).elements())
    not_supported_beside(i, id, "integers that are known before the network runs");
  return found;
}

[[gnu::cold]] constexpr shape_t node_reader::shape_as_far_as_known(std::size_t i) {
  if (is_known(i)) return shape(i);
  const std::int32_t id = input(i);
  const ir::graph& g = network_.graph();
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
    if (desc(id).type == f32) return network_.graph().element<float>(network_.graph().at(id), 0);
    pool<std::int64_t> found;
    ir::append_integers(network_.graph(), network_.graph().at(id), found);
    if (!found.empty()) return static_cast<float>(found[0]);
  }
  not_supported_beside(i, is_constant(i) ? input(i) : id, "one number that is known before the network runs");
  return 0;
}

[[gnu::cold]] constexpr std::int32_t node_reader::scalar(dtype type, double value, const quantisation& quantised) {
  std::int32_t id = ir::none;
  if (!is_fine()) return id;
  with_element<types::any>(type, [&]<class T>(T) {
    const T element = math::convert<T>(value);
    id = taken(network_.constant<T>({type, format::nd, {}, quantised}, array_ref<const T>(&element, 1)));
  });
  return id;
}

[[gnu::cold]] constexpr void node_reader::conclude(std::size_t i, std::int32_t id) {
  const tensor_desc expected = declared(i);
  if (!is_fine()) return;
  tensor_desc made = desc(id);
  constexpr auto same = signature_rule::declared_output_quantisation_must_match;
  verdict v = nnrt::detail::settle_shape(made, expected);
  if (!v && !tensors_.is_output(outputs_[i]))
    v = nnrt::detail::settle_shape(made, {expected.type, expected.layout, {}});
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
    default: break;
  }
  not_supported({"fused activation ", name_in(activation_names, "number", number)});
  return activation::none;
}

[[gnu::cold]] constexpr pads node_reader::padding(std::int8_t number) {
  if (number == 0) return {.mode = pad_mode::same};
  if (number != 1) refuse(error_code::invalid_file, {"padding: got ", number, ", expected 0 (SAME) or 1 (VALID)"});
  return {.mode = pad_mode::valid};
}

[[gnu::cold]] constexpr void node_reader::require_constants(const operator_info& op,
                                                            array_ref<const std::int32_t> inputs,
                                                            std::string_view name) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t row = nnrt::detail::row_of(op.inputs, i);
    if (row == op.inputs.size() || !op.inputs[row].constant || !is_computed(inputs[i])) continue;
    refuse(error_code::rule_broken,
           {op.name, " ", piece::in_quotes(name), ": operand ", piece::in_quotes(op.inputs[row].role),
            " must be a constant: got what a run computes or is given, expected numbers that are known before"});
  }
}

[[gnu::cold]] constexpr pool<std::int32_t> node_reader::apply(const operator_info& op, array_ref<const word> attrs,
                                                              array_ref<const std::int32_t> inputs,
                                                              array_ref<const tensor_desc> wanted,
                                                              array_ref<const tensor_desc> otherwise) {
  // Of all nodes that the operator becomes.
  const std::string_view name = outputs_.empty() ? std::string_view() : tensors_.name(outputs_[0]);
  count_copy(static_cast<std::int64_t>(name.size()));
  if (is_fine()) require_constants(op, inputs, name);
  if (!is_fine()) return {};
  const std::size_t bytes_before = network_.graph().bytes.size();
  auto made = network_.apply(op, attrs, inputs, wanted, name);
  if (!made && !otherwise.empty()) made = network_.apply(op, attrs, inputs, otherwise, name);
  if (!made) {
    refuse(made.error().code(), {made.error().letters()});
    return {};
  }
  network_.evaluate_last();  // what files compute from shapes, other operators need to know
  count_copy(static_cast<std::int64_t>(network_.graph().bytes.size() - bytes_before));
  return *std::move(made);
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
