// write_model: converts a model to HDI - nodes, tensors, and all constants in one shared memory.
// Flow: drivers in other processes, or of other implementations, receive the result; hdi/read_model.hpp converts it
// back.
#pragma once

// First: operators must find their kernels, and the same ones, in every translation unit of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/hal/memory.hpp>
#include <nnrt/hdi/operators.hpp>
#include <nnrt/hdi/tensors.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/passes/check_graph.hpp>

#include <algorithm>
#include <string>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

/// A model of HDI and the memory of its constants. `lossless` uses three extensions of this library:
/// - words for attributes that HDI lacks follow a node's attributes (encode_node);
/// - names of outputs that differ from their tensors' are further subgraphs without nodes;
/// - marks above the bits in quantParams hold the rounding and the axis (hdi/tensors.hpp).
struct written_model {
  Model model;
  hal::shared_memory constants;  // data() is null if there are none
};

/// Version and encoding of a written model.
struct write_options {
  version of = version::v2_1;
  encoder how = encoder::lossless;
};

/// Index of a missing optional operand that precedes a present one; only `lossless` writes it.
inline constexpr std::uint32_t missing_operand = 0xffffffffU;

/// Converts a model to HDI. `upstream` writes what NNRt's implementation passes to a device of this version: names are
/// `"Tensor: <i>"` and `"<Operation>:<i>"`, constants are packed without gaps, and its omissions are reproduced.
/// `lossless` writes everything and aligns constants to 64 bytes.
///
/// Errors: invalid_argument (check_graph, bind_weights; an extent or the total size of constants exceeds 32 bits),
/// not_supported (`upstream`: an operator that HDI lacks), out_of_memory and io_failed (the shared memory).
inline result<written_model> write_model(const nnrt::model& network, write_options options = {});

// --- details ---------------------------------------------------------------
namespace detail {

/// An operator's name as in NNRt's documents: "full_connection" is FullConnection.
inline std::string nnrt_name_of(const operator_encoding& encoding) {
  if (!encoding.numbers.nnrt_name.empty()) return std::string(encoding.numbers.nnrt_name);
  std::string name;
  bool is_first = true;
  for (const char c : encoding.op->name) {
    if (c != '_') name += is_first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    is_first = c == '_';
  }
  return name;
}

/// Whether nodes of an operator carry their result's quantisation. Operators after number 56 mostly do not.
inline bool tells_quantisation(const foreign_numbers& numbers) {
  return numbers.tells_quantisation >= 0 ? numbers.tells_quantisation != 0 : numbers.nnrt <= 56;
}

class model_writer {
 public:
  model_writer(const nnrt::model& network, write_options options)
      : g_(network.graph), weights_(network.weights), options_(options) {}

  result<written_model> run() {
    if (auto ok = check_graph(g_); !ok) return fail(std::move(ok.error()));
    if (!g_.states.empty())
      return fail(error_code::not_supported,
                  "HDI has no states: passes::open_states() makes inputs and outputs of them");
    auto bound = bind_weights(weights_, weight_specs_of(g_));
    if (!bound) return fail(std::move(bound.error()));
    find_data(*bound);
    number_tensors();
    if (auto ok = place_constants(); !ok) return fail(std::move(ok.error()));
    if (auto ok = add_tensors(); !ok) return fail(std::move(ok.error()));
    if (auto ok = add_nodes(); !ok) return fail(std::move(ok.error()));
    add_ends();
    return std::move(made_);
  }

 private:
  bool is_upstream() const { return options_.how == encoder::upstream; }
  static std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }
  std::string_view name_of(std::int32_t id) const { return g_.name_of(g_.at(id).name); }

  /// Finds the bytes of constants and weights, by value; null for others.
  void find_data(const bound_weights& bound) {
    std::size_t next = 0;
    for (const ir::value& v : g_.values) {
      if (v.is == ir::kind::weight) data_.push_back(bound.pointers()[next++]);
      else data_.push_back(v.is == ir::kind::constant ? g_.bytes.data() + v.first_byte : nullptr);
    }
  }
  bool has_data(std::int32_t id) const {
    return g_.at(id).is == ir::kind::constant || g_.at(id).is == ir::kind::weight;
  }

  /// Numbers the values that are inputs, outputs or operands. Scales and unused values are no tensors.
  void number_tensors() {
    number_.assign(g_.values.size(), missing_operand);
    const auto use = [&](std::int32_t id) {
      if (id != ir::none) number_[at(id)] = 0;
    };
    for (const std::int32_t id : g_.inputs) use(id);
    for (const ir::output& out : g_.outputs) use(out.value);
    for (const ir::node& n : g_.nodes) {
      for (const std::int32_t id : g_.inputs_of(n)) use(id);
      for (const std::int32_t id : g_.outputs_of(n)) use(id);
    }
    for (std::size_t id = 0; id < number_.size(); ++id) {
      if (number_[id] == missing_operand) continue;
      number_[id] = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(static_cast<std::int32_t>(id));
    }
  }

  result<void> place_constants() {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max(), alignment = 64;
    std::uint64_t end = 0;
    bool has_any = false;
    for (const std::int32_t id : ids_) {
      if (!is_upstream() && has_data(id)) end = (end + alignment - 1) / alignment * alignment;
      offsets_.push_back(end);
      has_any = has_any || has_data(id);
      if (has_data(id)) end += static_cast<std::uint64_t>(g_.at(id).desc.bytes());
      if (end > most)
        return fail(error_code::invalid_argument,
                    joined({"constants: have more than ", most, " bytes, which HDI cannot count"}));
    }
    if (!has_any || (is_upstream() && end == 0)) return {};
    auto memory = hal::shared_memory::allocate(end == 0 ? alignment : end);
    if (!memory) return fail(std::move(memory.error()));
    made_.constants = std::move(*memory);
    for (std::size_t i = 0; i < ids_.size(); ++i)
      if (const std::byte* from = data_[at(ids_[i])]; from != nullptr && has_data(ids_[i]))
        std::copy_n(from, g_.at(ids_[i]).desc.bytes(), made_.constants.data() + offsets_[i]);
    return {};
  }

  /// Scales of a per-channel quantised tensor.
  array_ref<const float> scales_of(const ir::value& v, std::vector<float>& copy) const {
    if (v.scales == ir::none) return {};
    copy.resize(static_cast<std::size_t>(g_.at(v.scales).desc.elements()));
    const auto* from = data_[at(v.scales)];
    if (!copy.empty() && from != nullptr) std::memcpy(copy.data(), from, copy.size() * sizeof(float));
    return copy;
  }
  /// Name of a value's tensor. Values from the C functions carry upstream's name, with a number of theirs; other values
  /// get their own id.
  std::string tensor_name(std::int32_t id) const {
    const std::string_view own = name_of(id);
    if (is_upstream()) return own.starts_with("Tensor: ") ? std::string(own) : joined({"Tensor: ", id});
    if (!own.empty()) return std::string(own);
    for (const ir::output& out : g_.outputs)
      if (out.value == id) return std::string(g_.name_of(out.name));
    return {};
  }
  /// Upstream writes nhwc for every layout but nchw.
  Format format_in_model(format layout) const {
    const Format made = format_of(layout);
    return is_upstream() && made == FORMAT_NONE ? FORMAT_NHWC : made;
  }
  SharedBuffer buffer_of(std::size_t i) const {
    const auto size = static_cast<std::uint32_t>(made_.constants.size()),
               offset = static_cast<std::uint32_t>(offsets_[i]);
    const auto bytes = static_cast<std::uint32_t>(has_data(ids_[i]) ? g_.at(ids_[i]).desc.bytes() : 0);
    if (has_data(ids_[i]) && (bytes != 0 || !is_upstream())) return {made_.constants.fd(), size, offset, bytes};
    return is_upstream() ? SharedBuffer{-1, size, offset, 0} : SharedBuffer{-1, 0, 0, 0};
  }
  result<void> add_tensors() {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const ir::value& v = g_.at(ids_[i]);
      Tensor t;
      t.name = tensor_name(ids_[i]);
      t.dataType = data_type_of(v.desc.type);
      t.format = format_in_model(v.desc.layout);
      for (const std::int64_t extent : v.desc.shape) {
        if (extent > std::numeric_limits<std::int32_t>::max())
          return fail(error_code::invalid_argument, joined({"tensor ", i, " ", piece::in_quotes(t.name),
                                                            ": dims: ", extent, " does not fit into HDI's 32 bits"}));
        t.dims.push_back(static_cast<std::int32_t>(extent));
      }
      t.data = buffer_of(i);
      std::vector<float> copy;
      t.quantParams = quant_params_of(v.desc, scales_of(v, copy), !is_upstream());
      made_.model.allTensors.push_back(std::move(t));
    }
    return {};
  }

  std::string node_name(const operator_encoding& encoding, std::size_t i) const {
    const std::string_view own = g_.name_of(g_.nodes[i].name);
    if (!is_upstream()) return std::string(own);
    const bool is_number = !own.empty() && own.find_first_not_of("0123456789") == own.npos;
    return is_number ? joined({nnrt_name_of(encoding), ":", own}) : joined({nnrt_name_of(encoding), ":", i});
  }
  QuantType quant_type(const operator_encoding& encoding, const ir::node& n) const {
    const bool is_quantised = static_cast<bool>(g_.at(g_.outputs_of(n)[0]).desc.quantised);
    return is_quantised && (!is_upstream() || tells_quantisation(encoding.numbers)) ? QUANT_TYPE_ALL : QUANT_TYPE_NONE;
  }
  result<void> add_nodes() {
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      const ir::node& n = g_.nodes[i];
      const operator_encoding* const encoding = find_encoding(n.op->code);
      Node node;
      if (encoding != nullptr) node.name = node_name(*encoding, i);
      const std::string where = joined({"node ", i, " ", piece::in_quotes(node.name)});
      if (encoding == nullptr)
        return fail(error_code::not_supported,
                    joined({where, ": ", n.op->name, " is none of this library's operators"}));
      auto encoded = encode_node(options_.of, options_.how, *encoding, g_.attrs_of(n),
                                 ir::operand_list(g_, g_.inputs_of(n)).operands);
      if (!encoded) return fail(std::move(encoded.error()).in(where));
      node.nodeType = static_cast<NodeType>(encoded->node_type);
      node.nodeAttr = std::move(encoded->node_attr);
      for (const std::int32_t id : g_.inputs_of(n))
        node.inputIndex.push_back(id == ir::none ? missing_operand : number_[at(id)]);
      while (!node.inputIndex.empty() && node.inputIndex.back() == missing_operand) node.inputIndex.pop_back();
      if (is_upstream() && std::count(node.inputIndex.begin(), node.inputIndex.end(), missing_operand) != 0)
        return fail(error_code::not_supported, joined({where, ": inputIndex: an operand in the middle is missing"}));
      if (is_upstream() && encoding->nnrt_inputs != 0 && node.inputIndex.size() > encoding->nnrt_inputs)
        return fail(error_code::not_supported,
                    joined({where, ": inputIndex: got ", node.inputIndex.size(), " operands, expected ",
                            encoding->nnrt_inputs, ", as HDI has them"}));
      for (const std::int32_t id : g_.outputs_of(n)) node.outputIndex.push_back(number_[at(id)]);
      node.quantType = quant_type(*encoding, n);
      made_.model.nodes.push_back(std::move(node));
    }
    return {};
  }

  void add_ends() {
    Model& m = made_.model;
    m.name = is_upstream() ? "NNR_Model" : "nnrt";
    for (const std::int32_t id : g_.inputs) m.inputIndex.push_back(number_[at(id)]);
    for (const ir::output& out : g_.outputs) m.outputIndex.push_back(number_[at(out.value)]);
    SubGraph all{"NNRt_SubGraph", m.inputIndex, m.outputIndex, {}};
    for (std::size_t i = 0; i < m.nodes.size(); ++i) all.nodeIndices.push_back(static_cast<std::uint32_t>(i));
    m.subGraph.push_back(std::move(all));
    if (is_upstream() || outputs_are_named()) return;
    for (std::size_t i = 0; i < m.outputIndex.size(); ++i)
      m.subGraph.push_back({std::string(g_.name_of(g_.outputs[i].name)), {}, {m.outputIndex[i]}, {}});
  }
  bool outputs_are_named() const {
    for (const ir::output& out : g_.outputs)
      if (made_.model.allTensors[number_[at(out.value)]].name != g_.name_of(out.name)) return false;
    return true;
  }

  const ir::graph& g_;
  const nnrt::weights& weights_;
  write_options options_;
  written_model made_;
  std::vector<const std::byte*> data_;  // by value
  std::vector<std::uint32_t> number_;   // by value: its tensor
  std::vector<std::int32_t> ids_;       // by tensor: its value
  std::vector<std::uint64_t> offsets_;  // by tensor
};

}  // namespace detail

inline result<written_model> write_model(const nnrt::model& network, write_options options) {
  return detail::model_writer(network, options).run();
}

}}}  // namespace nnrt::NNRT_ISA::hdi
