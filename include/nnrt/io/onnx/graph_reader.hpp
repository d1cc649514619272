// graph_reader: the values of one graph of an .onnx file while it is converted - inputs, constants and results by name.
// Flow: node_reader.hpp gets the values of a node's operands from it and defines its results.
#pragma once

#include <nnrt/io/node_maker.hpp>
#include <nnrt/io/onnx/attribute.hpp>
#include <nnrt/io/onnx/document.hpp>
#include <nnrt/io/onnx/tensor_proto.hpp>
#include <nnrt/io/weight_place.hpp>

#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// The shape of an input, given by name.
struct named_shape {
  std::string_view name;
  shape_t shape;
};
/// The elements of an input that shall be a constant: a shape, an axis or another number that the network depends on.
struct named_constant {
  std::string_view name;
  tensor_desc desc;
  array_ref<const std::byte> bytes;
};

/// Options for loading a file.
struct load_options {
  /// Shapes of inputs, in place of the file's. Extents that neither the file nor this list knows remain unknown until
  /// session::resize(). Unknown extents of one name (`dim_param`) get the same value.
  std::vector<named_shape> shapes = {};
  /// Inputs that become constants with these elements.
  std::vector<named_constant> constants = {};
  /// Computes quantised networks (QuantizeLinear, DequantizeLinear) as written, on real numbers. Otherwise operators
  /// between both are computed on the integers where nnrt can, with one rounding; results may differ by one step.
  bool exact = false;
};

/// The state of the values of one graph. Plain data that constant evaluation can store.
struct value_state {
  pool<std::int32_t> ids;           // value of each name; none: not yet known; failed: of a node that was refused
  pool<std::int32_t> weights;       // the weight of each name that is an initializer, or none
  pool<std::int32_t> initializers;  // index of the initializer of each name, or -1
};
/// The id of a value whose node was refused.
inline constexpr std::int32_t failed_value = ir::none - 1;
/// The id of a function's input that the calling node does not have.
inline constexpr std::int32_t missing_value = ir::none - 2;

/// A value of which only the first rows are valid, and the value with their number.
struct counted_value {
  std::int32_t value = ir::none, count = ir::none;
};

/// What all graphs of a file share while it is converted. Plain data.
struct network_state {
  pool<weight_place> places;      // of the graph's weights, in order
  pool<byte_range> file_names;    // of external data; places refer to them by index
  pool<counted_value> counted;    // values whose number of valid rows a run computes
  std::int64_t copied_bytes = 0;  // of constants and names
  std::int64_t called_nodes = 0;  // in functions and bodies, counted for each call
  std::int32_t weights_made = 0;
  bool is_for_compiler = false;  // unknown extents and external data are refused
};

/// The newest operator set that the readers know.
inline constexpr std::int64_t newest_opset = 26;

/// Checks the operator sets that a model or a function imports. Errors: not_supported (a version that is unknown),
/// invalid_file (two versions of one domain, or more domains than any file has).
[[gnu::cold]] constexpr result<void> check_opsets(const document& model, array_ref<const opset> imported) {
  constexpr std::size_t most = 256;
  if (imported.size() > most)
    return fail(error_code::invalid_file, {"opset: got ", imported.size(), " domains, expected at most ", most});
  for (const opset& one : imported) {
    const std::string_view domain = model.text(one.domain);
    if (detail::is_default_domain(domain) && (one.version < 1 || one.version > newest_opset))
      return fail(error_code::not_supported, {"opset: got ", one.version, ", expected 1 to ", newest_opset});
    for (const opset& other : imported)
      if (detail::is_same_domain(domain, model.text(other.domain)) && other.version != one.version)
        return fail(error_code::invalid_file, {"opset: got versions ", one.version, " and ", other.version,
                                               " of domain ", piece::in_quotes(domain)});
  }
  return {};
}

/// Limit of nodes in functions and bodies of loops, counted for each call.
inline constexpr std::int64_t max_called_nodes = 8192;
/// Limit of graphs within graphs.
inline constexpr int max_depth = 32;

/// Reads values of one graph. Errors name the value.
class graph_reader {
 public:
  /// `g` is one graph of `model`; the lists that it borrows must outlive the reader. `outer` is the graph with the node
  /// whose attribute or function it is.
  constexpr graph_reader(const document& model, const graph_document& g, graph_builder& network, network_state& all,
                         value_state& state, graph_reader* outer = nullptr)
      : model_(model), g_(g), network_(network), all_(all), state_(state), outer_(outer) {
    depth_ = outer == nullptr ? 0 : outer->depth_ + 1;
  }

  constexpr const document& model() const { return model_; }
  constexpr const graph_document& graph() const { return g_; }
  constexpr graph_builder& network() { return network_; }
  constexpr network_state& all() { return all_; }
  constexpr int depth() const { return depth_; }
  /// The number of valid rows of a value; ir::none: all are.
  [[gnu::cold]] constexpr std::int32_t count_of(std::int32_t id) const {
    for (const counted_value& one : all_.counted)
      if (one.value == id) return one.count;
    return ir::none;
  }
  constexpr copy_limit limit(std::string_view tensor = {}) { return {all_.copied_bytes, model_.file.size(), tensor}; }
  constexpr std::string_view text(const byte_range& place) const { return model_.text(place); }
  constexpr std::string_view name(std::int32_t index) const {
    return index == no_name ? std::string_view() : text(g_.names[static_cast<std::size_t>(index)]);
  }
  /// Whether names that this graph does not know are those of the outer graph: for bodies, not for functions.
  constexpr void see_outer_names() { sees_outer_ = true; }
  /// Versions of this graph's operators: the model's, or a function's own. 0: the domain is not imported.
  constexpr std::int64_t version_of(std::string_view domain) const {
    for (const opset& one : opsets())
      if (detail::is_same_domain(text(one.domain), domain)) return one.version;
    return 0;
  }
  constexpr array_ref<const opset> opsets() const {
    if (!g_.opsets.empty()) return g_.opsets;
    if (outer_ != nullptr) return outer_->opsets();
    return model_.opsets;
  }

  /// Prepares the lists of values. Call it first. Errors: not_supported (sparse initializers), invalid_file (two
  /// initializers of one name).
  [[gnu::cold]] constexpr result<void> begin() {
    if (g_.has_sparse) return fail(error_code::not_supported, "sparse initializers");
    state_.ids.assign(g_.names.size(), ir::none);
    state_.weights.assign(g_.names.size(), ir::none);
    state_.initializers.assign(g_.names.size(), -1);
    for (std::size_t i = 0; i < g_.initializers.size(); ++i) {
      const std::int32_t index = g_.initializers[i].name;
      if (index == no_name) continue;
      std::int32_t& known = state_.initializers[static_cast<std::size_t>(index)];
      if (known >= 0)
        return fail(error_code::invalid_file, {"two initializers are called ", piece::in_quotes(name(index))});
      known = static_cast<std::int32_t>(i);
    }
    return {};
  }

  /// QuantizeLinear makes values with a scale, for operators that compute with them; in the main graph only.
  constexpr void quantise_values() { quantises_ = true; }
  constexpr bool quantises() const { return quantises_; }

  /// The value of a name: defined before, or an initializer. Errors: invalid_file (no such value), and those of
  /// read_tensor(). failed_value for the result of a refused node.
  [[gnu::cold]] constexpr result<std::int32_t> value(std::int32_t index);
  /// The value of an initializer as a weight: its elements stay in the file. Other values as value().
  [[gnu::cold]] constexpr result<std::int32_t> weight(std::int32_t index);
  /// An initializer as a weight with this quantisation; `scales` is a value, if there are several. ir::none: its
  /// elements are not in the file as integers of 8 bits.
  [[gnu::cold]] constexpr result<std::int32_t> quantised_weight(std::int32_t index, const quantisation& q,
                                                                std::int32_t scales);
  /// True when the elements of a name are known, or an initializer that the file has.
  [[gnu::cold]] constexpr bool can_be_read(std::int32_t index);
  /// The value of a name as a constant whose elements the reader can see, whatever its size.
  [[gnu::cold]] constexpr result<std::int32_t> readable(std::int32_t index);
  /// True when the name is an initializer of this graph or of an outer one.
  constexpr bool is_initializer(std::int32_t index) const {
    if (index == no_name) return false;
    if (state_.initializers[static_cast<std::size_t>(index)] >= 0) return true;
    if (state_.ids[static_cast<std::size_t>(index)] != ir::none) return false;
    const std::int32_t theirs = in_outer(index);
    return theirs != no_name && outer_->is_initializer(theirs);
  }
  /// True when the name is an initializer whose elements have another type in the graph.
  [[gnu::cold]] constexpr bool is_widened(std::int32_t index) const {
    if (!is_initializer(index)) return false;
    if (state_.initializers[static_cast<std::size_t>(index)] < 0) return outer_->is_widened(in_outer(index));
    const auto t = initializer(index);
    return t && !t->is_in_form_outside();
  }
  /// True for an input of a function that the calling node does not have.
  constexpr bool is_missing(std::int32_t index) const {
    return index == no_name || state_.ids[static_cast<std::size_t>(index)] == missing_value;
  }
  /// Sets the value of a name. Error: invalid_file (it has one).
  [[gnu::cold]] constexpr result<void> define(std::int32_t index, std::int32_t id) {
    if (index == no_name) return {};
    if (state_.initializers[static_cast<std::size_t>(index)] >= 0 ||
        (state_.ids[static_cast<std::size_t>(index)] != ir::none && id != failed_value))
      return fail(error_code::invalid_file, {"value ", piece::in_quotes(name(index)), " is made twice"});
    state_.ids[static_cast<std::size_t>(index)] = id;
    return {};
  }
  /// Makes a name that is also an initializer an input or a bound constant.
  constexpr void bind(std::int32_t index, std::int32_t id) {
    if (index == no_name) return;
    state_.ids[static_cast<std::size_t>(index)] = id;
    state_.initializers[static_cast<std::size_t>(index)] = -1;
  }
  /// Forgets results, before the graph is converted again (bodies of loops). Constants are kept.
  constexpr void begin_again() {
    for (std::size_t i = 0; i < g_.names.size(); ++i)
      if (state_.initializers[i] < 0) state_.ids[i] = ir::none;
  }
  /// A constant of any tensor in the file. `stays_in_file`: as a weight. `is_read`: as a constant of the graph,
  /// whatever its size.
  [[gnu::cold]] constexpr result<std::int32_t> constant(const tensor_proto& t, bool stays_in_file, bool is_read);

 private:
  constexpr std::int32_t in_outer(std::int32_t index) const {
    if (!sees_outer_ || outer_ == nullptr) return no_name;
    const graph_document& theirs = outer_->g_;
    const std::string_view text = name(index);
    return theirs.lookup.find(text, [&](std::size_t i) { return outer_->text(theirs.names[i]); });
  }
  [[gnu::cold]] constexpr result<tensor_proto> initializer(std::int32_t index) const {
    const std::int32_t i = state_.initializers[static_cast<std::size_t>(index)];
    return read_tensor(model_.file, g_.initializers[static_cast<std::size_t>(i)].message);
  }
  [[gnu::cold]] constexpr error unknown(std::int32_t index) const {
    return {error_code::invalid_file,
            {"value ", piece::in_quotes(name(index)),
             " is read, but is neither an input nor an initializer nor made by a node"}};
  }
  [[gnu::cold]] constexpr result<std::int32_t> keep(const tensor_proto& t, const quantisation& q = {});

  const document& model_;
  graph_document g_;
  graph_builder& network_;
  network_state& all_;
  value_state& state_;
  graph_reader* outer_;
  int depth_ = 0;
  bool sees_outer_ = false, quantises_ = false;
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] constexpr result<std::int32_t> graph_reader::value(std::int32_t index) {
  std::int32_t& id = state_.ids[static_cast<std::size_t>(index)];
  if (id != ir::none) return id;
  if (state_.initializers[static_cast<std::size_t>(index)] >= 0) {
    const auto t = initializer(index);
    if (!t) return fail(t.error());
    // a list that is a weight, too, is also a constant, which rules can read
    const bool is_list = t->desc.elements() <= ir::max_read_list && !t->is_external;
    if (const std::int32_t known = state_.weights[static_cast<std::size_t>(index)]; known != ir::none && !is_list)
      return id = known;
    auto made = constant(*t, false, false);
    if (made) id = *made;
    return made;
  }
  if (const std::int32_t theirs = in_outer(index); theirs != no_name) return outer_->value(theirs);
  return fail(unknown(index));
}

[[gnu::cold]] constexpr result<std::int32_t> graph_reader::weight(std::int32_t index) {
  if (!is_initializer(index)) return value(index);
  if (state_.initializers[static_cast<std::size_t>(index)] < 0) return outer_->weight(in_outer(index));
  std::int32_t& id = state_.weights[static_cast<std::size_t>(index)];
  if (id != ir::none) return id;
  const std::int32_t read = state_.ids[static_cast<std::size_t>(index)];
  if (read != ir::none && network_.graph().at(read).is == ir::kind::weight) return id = read;
  const auto t = initializer(index);
  if (!t) return fail(t.error());
  auto made = constant(*t, true, false);
  if (made) id = *made;
  return made;
}

[[gnu::cold]] constexpr result<std::int32_t> graph_reader::quantised_weight(std::int32_t index, const quantisation& q,
                                                                            std::int32_t scales) {
  if (state_.initializers[static_cast<std::size_t>(index)] < 0) return ir::none;
  const auto t = initializer(index);
  if (!t) return fail(t.error());
  const bool is_fitting = t->is_external ? t->is_in_form_outside() : t->is_in_form();
  if (!is_fitting || !types_of(i8, u8).contains(t->desc.type) || t->desc.elements() < 1) return ir::none;
  const auto id = keep(*t, q);
  if (id && scales != ir::none)
    if (auto ok = network_.set_scales(*id, scales); !ok) return fail(ok.error());
  return id;
}

[[gnu::cold]] constexpr bool graph_reader::can_be_read(std::int32_t index) {
  if (!is_initializer(index) || state_.initializers[static_cast<std::size_t>(index)] < 0) {
    const auto id = value(index);
    return id && *id >= 0 && network_.graph().at(*id).is == ir::kind::constant;
  }
  const auto t = initializer(index);
  return t && !t->is_external && model_.file.has(t->raw.at, t->raw.size);
}

[[gnu::cold]] constexpr result<std::int32_t> graph_reader::readable(std::int32_t index) {
  if (!is_initializer(index)) return value(index);
  if (state_.initializers[static_cast<std::size_t>(index)] < 0) return outer_->readable(in_outer(index));
  const auto t = initializer(index);
  if (!t) return fail(t.error());
  if (t->desc.elements() <= ir::max_read_list) return value(index);
  return constant(*t, false, true);
}

[[gnu::cold]] constexpr result<std::int32_t> graph_reader::constant(const tensor_proto& t, bool stays_in_file,
                                                                    bool is_read) {
  const bool is_large = t.desc.elements() > ir::max_read_list;
  const bool can_stay = t.is_external || t.is_in_form();
  if (can_stay && t.desc.elements() > 0 && (t.is_external || stays_in_file || (is_large && !is_read))) {
    if (t.is_external && is_read)
      return fail(detail::tensor_error(model_.file, t, error_code::not_supported,
                                       {"its elements must be known when the file is read, and are external data"}));
    return keep(t);
  }
  if (!model_.file.has(t.raw.at, t.raw.size))
    return fail(detail::tensor_error(model_.file, t, error_code::not_supported,
                                     {"is computed with, and the literal of this file leaves out its elements"}));
  if (auto ok = limit(text(t.name)).count(t.desc.bytes()); !ok) return fail(std::move(ok.error()));
  pool<std::byte> elements;
  if (auto ok = append_elements(model_.file, t, elements); !ok) return fail(std::move(ok.error()));
  return network_.constant_bytes(t.desc, elements);
}

/// Adds a weight whose elements are read from the file, or from a file of external data.
[[gnu::cold]] constexpr result<std::int32_t> graph_reader::keep(const tensor_proto& t, const quantisation& q) {
  if (t.is_external && all_.is_for_compiler)
    return fail(
        detail::tensor_error(model_.file, t, error_code::not_supported,
                             {"its elements are in another file, ", piece::in_quotes(text(t.location)),
                              ", which the compiler does not have; save the model with all tensors in one file"}));
  if (t.is_external && !t.is_in_form_outside())
    return fail(detail::tensor_error(model_.file, t, error_code::not_supported,
                                     {"external data of type ", schema::element_type_of(t.element_type).name}));
  if (t.desc.type == boolean && !t.is_external && model_.file.has(t.raw.at, t.raw.size)) {
    const std::string_view bytes = text(t.raw);
    if (const std::size_t i = first_no_boolean(bytes); i != bytes.size())
      return fail(detail::tensor_error(model_.file, t, error_code::invalid_file,
                                       {"got a boolean that is neither 0 nor 1 at element ", i}));
  }
  pool<char> called = letters({text(t.name)});
  if (called.empty()) append(called, {"constant"});
  // inner graphs and attributes may repeat names, and a tensor may have several quantisations
  if (outer_ != nullptr || t.name.empty() || q) append(called, {"#", all_.weights_made});
  ++all_.weights_made;
  if (auto ok = limit(text(t.name)).count(static_cast<std::int64_t>(called.size())); !ok)
    return fail(std::move(ok.error()));
  tensor_desc desc = t.desc;
  desc.quantised = q;
  const auto id = network_.weight(letters_of(called), desc);
  if (!id) return id;
  weight_place place;
  place.value = *id;
  place.first = t.raw.at, place.size = t.raw.size;
  place.stored = t.desc;
  if (t.is_external) {
    place.first = static_cast<std::size_t>(t.offset), place.size = static_cast<std::size_t>(t.stored_bytes());
    all_.file_names.push_back(t.location);
    place.file = static_cast<std::int32_t>(all_.file_names.size());
  }
  all_.places.push_back(place);
  return id;
}

}}}  // namespace nnrt::NNRT_ISA::onnx
