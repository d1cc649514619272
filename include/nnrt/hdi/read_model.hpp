// read_model: converts a model of HDI, from any implementation, to a graph with constants.
// Flow: hosts of drivers read models from other processes; compile() and hal::driver take the result.
#pragma once

// First: operators must find their kernels, and the same ones, in every translation unit of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/core/boolean_bytes.hpp>
#include <nnrt/hdi/operators.hpp>
#include <nnrt/hdi/tensors.hpp>
#include <nnrt/hdi/write_model.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/io/owned_fd.hpp>
#include <nnrt/passes/check_graph.hpp>
#include <nnrt/passes/node_order.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

/// Converts the model to a graph. Constants are copied; the caller keeps the file descriptors.
/// Nothing is trusted: types, ranks, indices, memory ranges and the graph (check_graph) are checked. Operators' rules
/// are left to compile() and drivers.
///
/// Errors name node or tensor and member, as `node 3 "Conv2D:3": padMode: got 7, expected 0 to 2`: invalid_argument
/// (indices, ranges, overlapping data, cycles), invalid_file (unreadable attributes), not_supported (a node type
/// unknown in this version, or control flow), io_failed (unreadable memory).
inline result<nnrt::model> read_model(const Model& from, version of = version::v2_1);

// --- details ---------------------------------------------------------------
namespace detail {

/// Byte range of a tensor's data in a file.
struct stretch {
  int fd = -1;
  std::uint64_t first = 0, end = 0;
  std::size_t tensor = 0;
};

class model_reader {
 public:
  model_reader(const Model& from, version of) : m_(from), version_(of) {}

  result<nnrt::model> run() {
    if (auto ok = check_indices(); !ok) return fail(std::move(ok.error()));
    if (auto ok = check_buffers(); !ok) return fail(std::move(ok.error()));
    if (auto ok = find_makers(); !ok) return fail(std::move(ok.error()));
    if (auto ok = add_values(); !ok) return fail(std::move(ok.error()));
    if (auto ok = add_nodes(); !ok) return fail(std::move(ok.error()));
    add_ends();
    if (auto ok = check_graph(made_.graph); !ok) return fail(std::move(ok.error()));
    return std::move(made_);
  }

 private:
  static constexpr std::uint32_t nobody = 0xffffffffU, the_caller = 0xfffffffeU;

  std::string tensor_at(std::size_t i) const {
    return joined({"tensor ", i, " ", piece::in_quotes(m_.allTensors[i].name)});
  }
  std::string node_at(std::size_t i) const { return joined({"node ", i, " ", piece::in_quotes(m_.nodes[i].name)}); }
  static failure wrong(pieces what) { return fail(error_code::invalid_argument, what); }

  // --- indices -----------------------------------------------------------------

  /// Why a list of indices is invalid; empty: it is valid.
  static std::string fault_of(std::string_view member, const std::vector<std::uint32_t>& list, std::size_t count,
                              bool may_miss = false) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] >= count && !(may_miss && list[i] == missing_operand))
        return joined({member, "[", i, "]: got ", list[i], " of ", count});
    return {};
  }
  result<void> check_indices() const {
    const std::size_t tensors = m_.allTensors.size();
    constexpr std::size_t most = std::size_t{1} << 30U;
    if (tensors > most || m_.nodes.size() > most) return wrong({"model: has more than ", most, " tensors or nodes"});
    if (std::string bad = fault_of("inputIndex", m_.inputIndex, tensors); !bad.empty()) return wrong({"model: ", bad});
    if (std::string bad = fault_of("outputIndex", m_.outputIndex, tensors); !bad.empty())
      return wrong({"model: ", bad});
    for (std::size_t i = 0; i < m_.nodes.size(); ++i) {
      const Node& n = m_.nodes[i];
      if (std::string bad = fault_of("inputIndex", n.inputIndex, tensors, true); !bad.empty())
        return wrong({node_at(i), ": ", bad});
      if (std::string bad = fault_of("outputIndex", n.outputIndex, tensors); !bad.empty())
        return wrong({node_at(i), ": ", bad});
      if (n.outputIndex.empty()) return wrong({node_at(i), ": outputIndex: is empty"});
      if (n.quantType != QUANT_TYPE_NONE && n.quantType != QUANT_TYPE_ALL)
        return wrong({node_at(i), ": quantType: got ", static_cast<std::int64_t>(n.quantType), ", expected 0 or 1"});
    }
    return check_subgraphs();
  }
  result<void> check_subgraphs() const {
    for (std::size_t i = 0; i < m_.subGraph.size(); ++i) {
      const SubGraph& s = m_.subGraph[i];
      std::string bad = fault_of("nodeIndices", s.nodeIndices, m_.nodes.size());
      if (bad.empty()) bad = fault_of("inputIndices", s.inputIndices, m_.allTensors.size());
      if (bad.empty()) bad = fault_of("outputIndices", s.outputIndices, m_.allTensors.size());
      const std::string where = joined({"subgraph ", i, " ", piece::in_quotes(s.name)});
      if (!bad.empty()) return wrong({where, ": ", bad});
      if (i > 0 && !s.nodeIndices.empty())
        return fail(error_code::not_supported,
                    joined({where, ": nodeIndices: has nodes; control flow is not supported"}));
    }
    return {};
  }

  // --- memory --------------------------------------------------------------------

  bool has_data(std::size_t tensor) const { return m_.allTensors[tensor].data.fd >= 0; }

  result<void> check_buffers() const {
    std::vector<stretch> all;
    for (std::size_t i = 0; i < m_.allTensors.size(); ++i) {
      const SharedBuffer& data = m_.allTensors[i].data;
      if (!has_data(i)) continue;
      const std::uint64_t first = data.offset, end = first + data.dataSize;
      if (end > data.bufferSize)
        return wrong({tensor_at(i), ": data: dataSize is ", data.dataSize, " from offset ", data.offset, " on, of ",
                      data.bufferSize, " bytes"});
      all.push_back({data.fd, first, end, i});
    }
    std::sort(all.begin(), all.end(), [](const stretch& a, const stretch& b) {
      return a.fd != b.fd ? a.fd < b.fd : a.first != b.first ? a.first < b.first : a.end < b.end;
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_other_file = i == 0 || all[i].fd != all[i - 1].fd;
      if (!is_other_file && all[i].first < all[i - 1].end)
        return wrong({tensor_at(all[i].tensor), ": data: offset ", all[i].first, " lies in the data of ",
                      tensor_at(all[i - 1].tensor)});
      if (is_other_file)
        if (auto ok = check_file(all[i].tensor); !ok) return ok;
      if (!is_other_file &&
          m_.allTensors[all[i].tensor].data.bufferSize != m_.allTensors[all[i - 1].tensor].data.bufferSize)
        return wrong({tensor_at(all[i].tensor), ": data: bufferSize is ", m_.allTensors[all[i].tensor].data.bufferSize,
                      ", but that of ", tensor_at(all[i - 1].tensor), " in the same memory is ",
                      m_.allTensors[all[i - 1].tensor].data.bufferSize});
    }
    return {};
  }
  result<void> check_file(std::size_t tensor) const {
    const SharedBuffer& data = m_.allTensors[tensor].data;
    struct ::stat status {};
    if (::fstat(data.fd, &status) != 0)
      return nnrt::detail::system_failure(tensor_at(tensor), "data: cannot ask for the size of its memory", errno);
    if (status.st_size < 0 || static_cast<std::uint64_t>(status.st_size) < data.bufferSize)
      return wrong({tensor_at(tensor), ": data: bufferSize is ", data.bufferSize, ", but the memory has ",
                    status.st_size, " bytes"});
    return {};
  }

  // --- values ----------------------------------------------------------------------

  /// Finds the maker of each tensor: the caller or a node.
  result<void> find_makers() {
    maker_.assign(m_.allTensors.size(), nobody);
    is_used_.assign(m_.allTensors.size(), 0);
    for (std::size_t i = 0; i < m_.inputIndex.size(); ++i) {
      const std::size_t t = m_.inputIndex[i];
      if (maker_[t] != nobody) return wrong({"model: inputIndex[", i, "]: ", tensor_at(t), " is an input already"});
      if (has_data(t)) return wrong({"model: inputIndex[", i, "]: ", tensor_at(t), " has data"});
      maker_[t] = the_caller, is_used_[t] = 1;
    }
    for (std::size_t n = 0; n < m_.nodes.size(); ++n)
      for (std::size_t i = 0; i < m_.nodes[n].outputIndex.size(); ++i) {
        const std::size_t t = m_.nodes[n].outputIndex[i];
        const std::string_view why = has_data(t)               ? " has data"
                                     : maker_[t] == the_caller ? " is an input"
                                                               : " is another node's, too";
        if (has_data(t) || maker_[t] != nobody)
          return wrong({node_at(n), ": outputIndex[", i, "]: ", tensor_at(t), why});
        maker_[t] = static_cast<std::uint32_t>(n), is_used_[t] = 1;
      }
    for (const Node& n : m_.nodes)
      for (const std::uint32_t t : n.inputIndex)
        if (t != missing_operand) is_used_[t] = 1;
    for (const std::uint32_t t : m_.outputIndex) is_used_[t] = 1;
    return {};
  }
  bool is_constant(std::size_t tensor) const { return maker_[tensor] == nobody; }

  /// Adds a value for each used tensor. Upstream's models contain unused ones.
  result<void> add_values() {
    ir::graph& g = made_.graph;
    ids_.assign(m_.allTensors.size(), ir::none);
    for (std::size_t i = 0; i < m_.allTensors.size(); ++i) {
      const Tensor& t = m_.allTensors[i];
      ir::value v;
      if (std::string bad = take_desc(t, v.desc); !bad.empty()) return wrong({tensor_at(i), ": ", bad});
      if (is_used_[i] == 0) continue;
      v.name = g.add_text(t.name);
      v.is = maker_[i] == the_caller ? ir::kind::input : is_constant(i) ? ir::kind::constant : ir::kind::result;
      if (v.desc.quantised.mode == quantisation::kind::per_channel) {
        std::vector<float> scales;
        scales.reserve(t.quantParams.size());
        for (const QuantParam& q : t.quantParams) scales.push_back(static_cast<float>(q.scale));
        v.scales = g.add_constant<float>({f32, {static_cast<std::int64_t>(scales.size())}}, scales);
      }
      if (v.is == ir::kind::constant)
        if (auto ok = read_data(i, v); !ok) return ok;
      ids_[i] = g.add_value(v);
    }
    return {};
  }

  /// Copies a constant into the graph. The file is read, not mapped: another process may truncate it at any time.
  result<void> read_data(std::size_t i, ir::value& v) {
    const SharedBuffer& data = m_.allTensors[i].data;
    pool<std::byte>& bytes = made_.graph.bytes;
    if (!has_data(i) && v.desc.elements() != 0)
      return wrong({tensor_at(i), ": has no data, is no input, and no node makes it"});
    if (v.desc.bytes() < 0) return wrong({tensor_at(i), ": dims: has data, and an unknown extent"});
    const std::uint32_t given = has_data(i) ? data.dataSize : 0;
    if (static_cast<std::uint64_t>(v.desc.bytes()) != given)
      return wrong({tensor_at(i),
                    ": data: dataSize is ",
                    given,
                    ", expected ",
                    v.desc.bytes(),
                    " for ",
                    {v.desc.type, v.desc.shape}});
    while (bytes.size() % 64 != 0) bytes.push_back(std::byte{});
    v.first_byte = static_cast<std::int64_t>(bytes.size());
    std::byte piece_of_it[16384];
    for (std::uint64_t done = 0; done < given;) {
      const std::size_t wanted = std::min<std::uint64_t>(sizeof piece_of_it, given - done);
      if (!nnrt::detail::read_at(data.fd, data.offset + done, {piece_of_it, wanted}))
        return fail(error_code::io_failed,
                    joined({tensor_at(i), ": data: cannot be read from ", data.offset + done, " on"}));
      bytes.insert(piece_of_it, piece_of_it + wanted);
      done += wanted;
    }
    return check_booleans(i, v);
  }
  /// Checks the graph's copy, as the file may change at any time.
  result<void> check_booleans(std::size_t i, const ir::value& v) const {
    if (v.desc.type != boolean) return {};
    const array_ref<const std::byte> bytes(made_.graph.bytes.data() + v.first_byte,
                                           static_cast<std::size_t>(v.desc.bytes()));
    const std::size_t k = first_no_boolean(bytes);
    if (k == bytes.size()) return {};
    return wrong({tensor_at(i), ": data: element ", k, ": got ", std::to_integer<int>(bytes[k]),
                  ", expected 0 or 1 for a boolean"});
  }

  // --- nodes -----------------------------------------------------------------------

  bool is_made_by_a_node(std::uint32_t t) const { return t != missing_operand && maker_[t] < the_caller; }
  /// Nodes in an order in which makers precede users: the model's order, if it is one.
  result<std::vector<std::size_t>> runnable_order() const {
    std::vector<std::size_t> order = passes::node_order(m_.nodes.size(), [&](std::size_t n, auto give) {
      for (const std::uint32_t t : m_.nodes[n].inputIndex)
        if (is_made_by_a_node(t)) give(std::size_t{maker_[t]});
    });
    if (order.size() < m_.nodes.size()) return fail(in_a_cycle(order));
    return order;
  }
  error in_a_cycle(const std::vector<std::size_t>& order) const {
    std::vector<char> waits(m_.nodes.size(), 1);
    for (const std::size_t n : order) waits[n] = 0;
    std::size_t n = 0;
    while (waits[n] == 0) ++n;
    std::size_t i = 0;  // the first input made by another node of the cycle
    const auto is_awaited = [&](std::uint32_t t) { return is_made_by_a_node(t) && waits[maker_[t]] != 0; };
    while (!is_awaited(m_.nodes[n].inputIndex[i])) ++i;
    return {error_code::invalid_argument,
            joined({node_at(n), ": inputIndex[", i, "]: ", tensor_at(m_.nodes[n].inputIndex[i]),
                    " is made by nodes that wait for each other in a cycle"})};
  }

  result<void> add_nodes() {
    auto order = runnable_order();
    if (!order) return fail(std::move(order.error()));
    for (const std::size_t i : *order)
      if (auto ok = add_node(i); !ok) return ok;
    return {};
  }
  result<void> add_node(std::size_t i) {
    ir::graph& g = made_.graph;
    const Node& n = m_.nodes[i];
    pool<std::int32_t> inputs, outputs;
    for (const std::uint32_t t : n.inputIndex) inputs.push_back(t == missing_operand ? ir::none : ids_[t]);
    for (const std::uint32_t t : n.outputIndex) outputs.push_back(ids_[t]);
    auto decoded = decode_node(version_, n.nodeType, n.nodeAttr, ir::operand_list(g, inputs).operands);
    if (!decoded) return fail(std::move(decoded.error()).in(node_at(i)));
    ir::node made;
    made.op = decoded->encoding->op;
    made.label = made.op->label;
    made.attrs = g.add_words(decoded->words);
    made.inputs = g.add_operands(inputs);
    made.outputs = g.add_operands(outputs);
    made.name = g.add_text(n.name);
    passes::infer_scale_axes(g, made);
    g.nodes.push_back(made);
    return {};
  }

  // --- inputs and outputs ------------------------------------------------------------

  /// Whether the subgraphs after the first one name the outputs.
  bool outputs_have_names() const {
    if (m_.subGraph.size() != m_.outputIndex.size() + 1) return false;
    for (std::size_t i = 0; i < m_.outputIndex.size(); ++i) {
      const SubGraph& s = m_.subGraph[i + 1];
      if (!s.inputIndices.empty() || s.outputIndices != std::vector<std::uint32_t>{m_.outputIndex[i]}) return false;
    }
    return true;
  }
  void add_ends() {
    ir::graph& g = made_.graph;
    for (const std::uint32_t t : m_.inputIndex) g.inputs.push_back(ids_[t]);
    const bool have_names = outputs_have_names();
    for (std::size_t i = 0; i < m_.outputIndex.size(); ++i) {
      const std::uint32_t t = m_.outputIndex[i];
      g.outputs.push_back({ids_[t], g.add_text(have_names ? m_.subGraph[i + 1].name : m_.allTensors[t].name)});
    }
  }

  const Model& m_;
  version version_;
  nnrt::model made_;
  std::vector<std::uint32_t> maker_;  // by tensor: a node, the_caller or nobody
  std::vector<char> is_used_;         // by tensor
  std::vector<std::int32_t> ids_;     // by tensor: its value
};

}  // namespace detail

inline result<nnrt::model> read_model(const Model& from, version of) { return detail::model_reader(from, of).run(); }

}}}  // namespace nnrt::NNRT_ISA::hdi
