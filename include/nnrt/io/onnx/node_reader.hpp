// node_reader: access to one node of an .onnx file for its reader: operands, attributes, and the nodes to add.
// Flow: read.hpp makes one for each node and calls the reader of its operator in operators.hpp.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/io/onnx/graph_reader.hpp>
#include <nnrt/io/onnx/unread.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

class node_reader;
/// Functions of read.hpp that need the readers of all operators. They are pointers because compilers warn of functions
/// that are declared here but not defined.
struct reading_steps {
  /// Converts all nodes of a graph. The graph's inputs are bound.
  result<void> (*read_nodes)(graph_reader& graph, find_operator find, array_ref<const attribute> of_function);
  /// The integers of a quantised value, without its scale.
  std::int32_t (*plain_integers)(node_maker& node, std::int32_t quantised);
};

/// Reads a node and adds nodes to the network.
class node_reader : public node_maker {
 public:
  constexpr node_reader(graph_reader& graph, const node_entry& entry, find_operator forms, const reading_steps& steps,
                        std::int64_t version, array_ref<const attribute> of_function)
      : node_maker(graph.network(), forms, graph.limit(), name_in_network(graph, entry)),
        graph_(graph),
        entry_(entry),
        steps_(steps),
        inputs_(graph.graph().inputs_of(entry)),
        outputs_(graph.graph().outputs_of(entry)),
        version_(version) {
    read_attributes(of_function);
  }

  constexpr graph_reader& graph() { return graph_; }
  constexpr const file_view& file() const { return graph_.model().file; }
  constexpr const reading_steps& steps() const { return steps_; }
  constexpr const node_entry& entry() const { return entry_; }
  /// The version of the operator set of the node's domain.
  constexpr std::int64_t version() const { return version_; }
  /// All attributes, for functions of the model, whose bodies refer to them.
  constexpr const pool<attribute>& attributes() const { return attributes_; }

  // --- operands
  constexpr std::size_t input_count() const { return inputs_.size(); }
  constexpr std::size_t output_count() const { return outputs_.size(); }
  constexpr bool has(std::size_t i) const { return i < inputs_.size() && !graph_.is_missing(inputs_[i]); }
  /// True when somebody can read output i.
  constexpr bool has_output(std::size_t i) const { return i < outputs_.size() && outputs_[i] != no_name; }
  /// The value of input i; ir::none when it is missing. After a refused node, failed() is true.
  constexpr std::int32_t input(std::size_t i) { return get(i, &graph_reader::value); }
  /// As input(), with the scale that QuantizeLinear gave the value.
  constexpr std::int32_t quantised_input(std::size_t i) { return get(i, &graph_reader::value, true); }
  /// Input i, an initializer, as a weight with this quantisation; ir::none: that is not possible.
  constexpr std::int32_t quantised_weight(std::size_t i, const quantisation& q, std::int32_t scales) {
    return is_fine() && has(i) ? taken(graph_.quantised_weight(inputs_[i], q, scales)) : ir::none;
  }
  /// True when the reader can see the elements of input i.
  constexpr bool can_be_read(std::size_t i) { return is_fine() && has(i) && graph_.can_be_read(inputs_[i]); }
  /// The value of weights (input i): an initializer stays in the file.
  constexpr std::int32_t weight(std::size_t i) { return get(i, &graph_reader::weight); }
  constexpr bool is_initializer(std::size_t i) const { return has(i) && graph_.is_initializer(inputs_[i]); }
  /// True when input i is an initializer whose elements have another type in the graph, such as bfloat16.
  [[gnu::cold]] constexpr bool is_widened(std::size_t i) const { return has(i) && graph_.is_widened(inputs_[i]); }
  /// The value of input i as a constant whose elements the reader can see, whatever its size.
  constexpr std::int32_t readable(std::size_t i) { return get(i, &graph_reader::readable); }
  /// All inputs, in order.
  constexpr pool<std::int32_t> all_inputs() {
    pool<std::int32_t> ids;
    for (std::size_t i = 0; i < inputs_.size(); ++i) ids.push_back(input(i));
    return ids;
  }
  /// True when an operand is the result of a node that was refused: then this node is skipped without an error.
  constexpr bool has_failed() const { return has_failed_; }
  /// True when the elements of input i are known before the network runs.
  constexpr bool is_known(std::size_t i) { return has(i) && is_constant_value(get(i, &graph_reader::readable)); }
  /// True when input i is there and has elements: exporters write empty tensors for missing operands.
  constexpr bool has_elements(std::size_t i) { return has(i) && desc(input(i)).elements() != 0; }
  /// The integers of input i. They must be known before the network runs.
  [[gnu::cold]] constexpr pool<std::int64_t> integers(std::size_t i);
  /// The only integer of input i, a scalar or a list of one number.
  [[gnu::cold]] constexpr std::int64_t integer(std::size_t i);
  /// The numbers of input i, integers or reals. They must be known before the network runs.
  [[gnu::cold]] constexpr pool<double> reals(std::size_t i);
  [[gnu::cold]] constexpr double real(std::size_t i);
  constexpr int rank(std::int32_t id) const { return desc(id).rank(); }
  constexpr dtype type(std::int32_t id) const { return desc(id).type; }

  // --- attributes. The node remembers which ones its reader asks for: see refuse_unread().
  constexpr const attribute* find(std::string_view name) {
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      if (attributes_[i].name_in(file()) != name) continue;
      is_read_[inputs_.size() + i] = 1;
      return &attributes_[i];
    }
    return nullptr;
  }
  constexpr bool has_attribute(std::string_view name) { return find(name) != nullptr; }
  /// States that an attribute, if there is one, changes nothing, given the others of this node.
  constexpr void ignore_attribute(std::string_view name) { (void)find(name); }
  [[gnu::cold]] constexpr std::int64_t integer_attribute(std::string_view name, std::int64_t otherwise) {
    const attribute* const found = typed(name, attribute_kind::integer);
    return found != nullptr ? found->integer : otherwise;
  }
  [[gnu::cold]] constexpr float real_attribute(std::string_view name, float otherwise) {
    const attribute* const found = typed(name, attribute_kind::real);
    return found != nullptr ? found->real : otherwise;
  }
  [[gnu::cold]] constexpr std::string_view text_attribute(std::string_view name, std::string_view otherwise) {
    const attribute* const found = typed(name, attribute_kind::text);
    return found != nullptr ? found->text_in(file()) : otherwise;
  }
  [[gnu::cold]] constexpr pool<std::int64_t> integers_attribute(std::string_view name) {
    const attribute* const found = typed(name, attribute_kind::integers);
    if (found == nullptr) return {};  // no conditional operator, here and below: g++ 12 would destroy its result twice
    return found->integers_in(file());
  }
  [[gnu::cold]] constexpr pool<float> reals_attribute(std::string_view name) {
    const attribute* const found = typed(name, attribute_kind::reals);
    if (found == nullptr) return {};
    return found->reals_in(file());
  }
  [[gnu::cold]] constexpr pool<std::string_view> texts_attribute(std::string_view name) {
    pool<std::string_view> texts;
    if (const attribute* const found = typed(name, attribute_kind::texts); found != nullptr)
      for (const byte_range& place : found->texts_in(file())) texts.push_back(file().bytes(place.at, place.size));
    return texts;
  }
  /// The dtype that an attribute names; `otherwise` when it is missing or 0. Refuses element types that nnrt widens.
  [[gnu::cold]] constexpr dtype dtype_attribute(std::string_view name, dtype otherwise) {
    const std::int64_t number = integer_attribute(name, 0);
    if (number == 0 && otherwise != dtype::none) return otherwise;
    const schema::element_type declared = schema::element_type_of(number);
    if (!declared.is_kept()) not_supported({name, ": got ", declared.name, " (", number, ")"});
    return declared.type;
  }
  /// A tensor attribute as a constant; `is_read`: of the graph, whatever its size.
  [[gnu::cold]] constexpr std::int32_t tensor_attribute(std::string_view name, bool is_read = false);
  /// Refuses an attribute with another value than this one.
  [[gnu::cold]] constexpr void require_integer(std::string_view name, std::int64_t otherwise, std::int64_t expected) {
    const std::int64_t got = integer_attribute(name, otherwise);
    if (got != expected) not_supported({name, ": got ", got, ", expected ", expected});
  }
  /// An axis by attribute, from 0 on. Refuses axes that a tensor of this rank does not have.
  [[gnu::cold]] constexpr int axis_attribute(std::string_view name, std::int64_t otherwise, int rank) {
    return axis_in(integer_attribute(name, otherwise), rank);
  }
  /// Refuses attributes and inputs for which the reader has not asked: they would be ignored silently. `op` is the name
  /// of the operator.
  [[gnu::cold]] constexpr void refuse_unread(std::string_view op);
  [[gnu::cold]] constexpr int axis_in(std::int64_t axis, int rank) {
    const int found = normalise_axis(axis, rank);
    if (found >= 0) return found;
    refuse(error_code::invalid_file, {"axis: got ", axis, ", expected one of ", rank});
    return 0;
  }
  /// Axes from 0 on. Refuses a rank above the largest, and an axis that is listed twice.
  [[gnu::cold]] constexpr pool<std::int64_t> axes_in(pool<std::int64_t> axes, int rank) {
    bool is_listed[max_rank] = {};
    if (rank > max_rank) not_supported({"got rank ", rank, ", expected at most ", max_rank});
    for (std::size_t i = 0; is_fine() && i < axes.size(); ++i) {
      axes[i] = axis_in(axes[i], rank);
      if (is_fine() && is_listed[axes[i]]) refuse(error_code::invalid_file, {"axes: got ", axes[i], " twice"});
      if (is_fine()) is_listed[axes[i]] = true;
    }
    return axes;
  }

  // --- results
  /// Adds the node whose results are the node's outputs.
  template <class Op>
  constexpr void finish(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs) {
    finish<Op>(attrs, array_ref<const std::int32_t>(inputs.begin(), inputs.size()));
  }
  template <class Op> constexpr void finish(const typename Op::attrs& attrs, array_ref<const std::int32_t> inputs) {
    pool<word> words;
    pack(attrs, words);
    const pool<std::int32_t> made = apply(*find_(Op::code), words, inputs, {});
    for (std::size_t i = 0; i < made.size() && i < outputs_.size() && is_fine(); ++i) define(i, made[i]);
  }
  /// Sets output i to this value.
  [[gnu::cold]] constexpr void define(std::size_t i, std::int32_t id) {
    if (is_fine() && has_output(i)) check(graph_.define(outputs_[i], id));
  }
  /// The value of output i, after it was defined.
  [[gnu::cold]] constexpr std::int32_t defined(std::size_t i) {
    if (!is_fine() || !has_output(i)) return ir::none;
    return taken(graph_.value(outputs_[i]));
  }
  /// States that a run computes `count`, the number of valid rows of this value. If the value becomes an output of the
  /// network, the count becomes one, too, named "<output>_count".
  [[gnu::cold]] constexpr void count_rows(std::int32_t id, std::int32_t count) {
    if (is_fine() && count_of(id) == ir::none) graph_.all().counted.push_back({id, count});
  }
  /// The number of valid rows of a value; ir::none: all are.
  [[gnu::cold]] constexpr std::int32_t count_of(std::int32_t id) { return graph_.count_of(id); }
  /// Marks all outputs as results of a refused node.
  constexpr void fail_outputs() {
    for (const std::int32_t name : outputs_) (void)graph_.define(name, failed_value);
  }
  /// Refuses outputs from `first` on that somebody could read.
  [[gnu::cold]] constexpr void refuse_outputs(std::size_t first) {
    for (std::size_t i = first; i < outputs_.size(); ++i)
      if (has_output(i)) not_supported({"output ", i});
  }

 private:
  /// The name of the nodes in the network: the node's, else the one of its first output.
  static constexpr std::string_view name_in_network(const graph_reader& graph, const node_entry& entry) {
    if (!entry.name.empty()) return graph.text(entry.name);
    const auto outputs = graph.graph().outputs_of(entry);
    return outputs.empty() ? std::string_view() : graph.name(outputs[0]);
  }
  [[gnu::cold]] constexpr void read_attributes(array_ref<const attribute> of_function);
  [[gnu::cold]] constexpr const attribute* typed(std::string_view name, attribute_kind kind);
  [[gnu::cold]] constexpr std::int32_t get(std::size_t i, result<std::int32_t> (graph_reader::*lookup)(std::int32_t),
                                           bool keeps_scale = false) {
    if (!is_fine() || !has(i)) return ir::none;
    is_read_[i] = 1;
    const std::int32_t id = taken((graph_.*lookup)(inputs_[i]));
    if (id >= 0 && !keeps_scale && desc(id).quantised) return steps_.plain_integers(*this, id);
    if (id != failed_value) return id;
    has_failed_ = true;
    refuse(error_code::not_supported, {"an operand was refused"});
    return ir::none;
  }

  graph_reader& graph_;
  const node_entry& entry_;
  const reading_steps& steps_;
  array_ref<const std::int32_t> inputs_, outputs_;  // names
  pool<attribute> attributes_;
  pool<char> is_read_;  // of each input, then of each attribute
  std::int64_t version_;
  bool has_failed_ = false;
};

// --- details ---------------------------------------------------------------
/// Lists the attributes. In a function, references stand for attributes of the node that calls it; a reference to a
/// missing one leaves the attribute out.
[[gnu::cold]] constexpr void node_reader::read_attributes(array_ref<const attribute> of_function) {
  bool is_valid = true;
  for (message_fields field(file(), entry_.message); field.next();) {
    if (field.number() != schema::node::attribute || field.type() != wire::counted_bytes) continue;
    attribute made = read_attribute(file(), field.place(), is_valid);
    if (!made.reference.empty()) {
      const std::string_view wanted = file().bytes(made.reference.at, made.reference.size);
      const attribute* given = nullptr;
      for (const attribute& one : of_function)
        if (one.name_in(file()) == wanted) given = &one;
      if (given == nullptr) continue;
      const byte_range name = made.name;
      made = *given;
      made.name = name;
    }
    attributes_.push_back(made);
  }
  is_read_.assign(inputs_.size() + attributes_.size(), 0);
  if (!is_valid) refuse(error_code::invalid_file, {"byte ", entry_.message.at, ": no valid attributes"});
}

[[gnu::cold]] constexpr void node_reader::refuse_unread(std::string_view op) {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (has(i) && is_read_[i] == 0 && !has_no_meaning(op, i))
      not_supported({"input ", i, ": this version of the operator has no such input, or nnrt does not read it"});
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    const attribute& one = attributes_[i];
    const std::string_view name = one.name_in(file());
    if (is_read_[inputs_.size() + i] == 0 && !has_no_meaning(op, name, one))
      not_supported({"attribute ", name, ": this version of the operator has none, or nnrt does not read ",
                     one.kind == attribute_kind::integer ? "its value " : "it",
                     one.kind == attribute_kind::integer ? piece(one.integer) : piece("")});
  }
}

[[gnu::cold]] constexpr const attribute* node_reader::typed(std::string_view name, attribute_kind kind) {
  const attribute* const found = find(name);
  // an empty list has no bytes, and old files no kinds
  if (found == nullptr || found->kind == kind || found->kind == attribute_kind::undefined) return found;
  refuse(error_code::invalid_file,
         {"attribute ", name, ": got kind ", static_cast<int>(found->kind), ", expected ", static_cast<int>(kind)});
  return nullptr;
}

[[gnu::cold]] constexpr pool<std::int64_t> node_reader::integers(std::size_t i) {
  const std::int32_t id = get(i, &graph_reader::readable);
  if (!is_fine()) return {};
  pool<std::int64_t> found = integers_of(id);
  if (id == ir::none || static_cast<std::int64_t>(found.size()) != desc(id).elements())
    not_supported_beside(i, id, "integers that are known before the network runs");
  return found;
}

[[gnu::cold]] constexpr std::int64_t node_reader::integer(std::size_t i) {
  const pool<std::int64_t> found = integers(i);
  if (is_fine() && found.size() != 1)
    refuse(error_code::invalid_file, {"input ", i, ": got ", found.size(), " numbers, expected 1"});
  return is_fine() ? found[0] : 0;
}

[[gnu::cold]] constexpr pool<double> node_reader::reals(std::size_t i) {
  const std::int32_t id = get(i, &graph_reader::readable);
  pool<double> found;
  if (!is_fine()) return found;
  if (!is_constant_value(id)) {
    not_supported_beside(i, id, "numbers that are known before the network runs");
    return found;
  }
  const ir::value& v = network().graph().at(id);
  bool are_held = true;
  with_element<types::any>(v.desc.type, [&]<class T>(T) {
    for (std::int64_t k = 0; k < v.desc.elements(); ++k) {
      const T element = network().graph().element<T>(v, k);
      found.push_back(math::convert<double>(element));
      if constexpr (sizeof(T) == 8 && !std::is_floating_point_v<T>)
        are_held = are_held && math::convert<T>(found.back()) == element;
    }
  });
  if (!are_held) not_supported({"input ", i, ": integers above 2^53 that no float64 holds"});
  return found;
}

[[gnu::cold]] constexpr double node_reader::real(std::size_t i) {
  const pool<double> found = reals(i);
  if (is_fine() && found.size() != 1)
    refuse(error_code::invalid_file, {"input ", i, ": got ", found.size(), " numbers, expected 1"});
  return is_fine() ? found[0] : 0;
}

[[gnu::cold]] constexpr std::int32_t node_reader::tensor_attribute(std::string_view name, bool is_read) {
  const attribute* const found = typed(name, attribute_kind::tensor);
  if (found == nullptr) refuse(error_code::invalid_file, {"attribute ", name, " is missing"});
  if (!is_fine()) return ir::none;
  const auto t = read_tensor(file(), found->bytes);
  if (!t) {
    refuse(t.error().code(), {t.error().letters()});
    return ir::none;
  }
  return taken(graph_.constant(*t, false, is_read));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
