// called_subgraph: reads the operators of a called subgraph as nodes of the network, in place of the call.
// Flow: the readers of CALL, IF, WHILE and CALL_ONCE make one for each subgraph that they name.
#pragma once

#include <nnrt/io/tflite/node_reader.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// Largest depth of nested calls of subgraphs.
inline constexpr int max_nested_calls = 8;

/// A subgraph that an operator calls. Each call adds its operators to the network again; all calls share the constants.
/// Errors are stored in the node reader.
class called_subgraph {
 public:
  /// `is_once`: the subgraph runs once before the network and initialises variables (CALL_ONCE).
  constexpr called_subgraph(node_reader& node, std::int64_t number, bool is_once = false);
  /// Reads the subgraph with these operands as inputs and returns its outputs. Operands and outputs are values,
  /// resources or lists.
  [[gnu::cold]] constexpr pool<std::int32_t> call(array_ref<const std::int32_t> operands);

 private:
  [[gnu::cold]] constexpr result<void> begin();
  [[gnu::cold]] constexpr result<void> read(array_ref<const std::int32_t> operands, pool<std::int32_t>& results);
  constexpr bool is_fine(result<void> done) {
    if (!done) done = fail(std::move(done.error()).in(letters_of(letters({"subgraph ", number_}))));
    node_.check(done);
    return node_.is_fine();
  }

  node_reader& node_;
  std::int64_t number_;
  table_of<schema::subgraph> graph_;
  tensor_state state_;
  tensor_reader tensors_;
};

// --- details ---------------------------------------------------------------
namespace detail {

/// The number of the builtin operator in an entry of the file's operator list.
[[gnu::cold]] constexpr std::int32_t number_of(table_of<schema::operator_code> code) {
  // Numbers from 127 on do not fit into the older of the two fields, which is then 127.
  const std::int32_t older = code[schema::operator_code::deprecated_builtin_code];
  const std::int32_t newer = code[schema::operator_code::builtin_code];
  // negative numbers occur in Circle files, where one of the fields may be missing
  if (older < 0 || newer < 0) return newer < older ? newer : older;
  return newer > older ? newer : older;
}

/// Checks fields of a subgraph other than its tensors and operators. Returns an error message; empty: no error.
[[gnu::cold]] constexpr pool<char> fault_of_subgraph(const document& file, table_of<schema::subgraph> graph) {
  if (file.is_circle() && graph[schema::subgraph::data_format] != 0)
    return letters({"data format: got ", graph[schema::subgraph::data_format], ", expected 0 (channels last)"});
  return fault_of_fields(graph);
}

/// True when a QUANTIZE operator of the subgraph has an i32 input or output.
[[gnu::cold]] constexpr bool requantises_i32(const document& file, table_of<schema::subgraph> graph) {
  constexpr std::int32_t quantize = builtin_number("QUANTIZE");
  const auto tensors = graph[schema::subgraph::tensors];
  const auto operators = graph[schema::subgraph::operators];
  const auto has_i32 = [&](list<std::int32_t> ends) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto index = static_cast<std::uint32_t>(ends[i]);
      if (index < tensors.size() && dtype_of_type(tensors[index][schema::tensor::type]) == i32) return true;
    }
    return false;
  };
  for (std::uint32_t code = 0; code < file.code_count(); ++code) {
    if (number_of(file.code(code)) != quantize) continue;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const table_of<schema::node> found = operators[i];
      if (found[schema::node::opcode_index] == code &&
          (has_i32(found[schema::node::inputs]) || has_i32(found[schema::node::outputs])))
        return true;
    }
  }
  return false;
}

}  // namespace detail

constexpr called_subgraph::called_subgraph(node_reader& node, std::int64_t number, bool is_once)
    : node_(node),
      number_(number),
      graph_(number >= 0 ? node.file().graph(static_cast<std::uint32_t>(number)) : table_of<schema::subgraph>()),
      tensors_(node.file(), graph_, node.tensors().options(), node.network(), state_,
               {static_cast<std::int32_t>(number), &node.tensors(), is_once || node.tensors().place().is_once}) {
  if (!node.is_fine()) return;
  if (!graph_)
    node.refuse(error_code::invalid_file, {"subgraph: got ", number, ", expected one of ", node.file().graph_count()});
  else if (is_fine(begin()) && detail::requantises_i32(node.file(), graph_)) tensors_.keep_scales_of_i32();
}

/// Checks that need to run only once for all calls of the subgraph.
[[gnu::cold]] constexpr result<void> called_subgraph::begin() {
  int nested = 0;
  for (const tensor_reader* caller = &node_.tensors(); caller != nullptr; caller = caller->place().caller, ++nested)
    if (caller->place().number == number_) return fail(error_code::not_supported, "calls itself");
  if (nested > max_nested_calls)
    return fail(error_code::not_supported,
                {"is called by ", nested, " subgraphs, one in the other, expected at most ", max_nested_calls});
  // A reader needs more memory for a tensor than the file does, and subgraphs may share tensors.
  constexpr std::int64_t bytes_of_tensor = 64;
  const auto tensors = static_cast<std::int64_t>(graph_[schema::subgraph::tensors].size());
  if (auto ok = tensors_.count_copy(0, bytes_of_tensor * tensors); !ok) return ok;
  if (auto ok = tensors_.read_names(); !ok) return ok;
  if (auto fault = detail::fault_of_subgraph(node_.file(), graph_); !fault.empty())
    return fail(error_code::not_supported, fault);
  return node_.steps().check_operators(node_.file(), graph_[schema::subgraph::operators]);
}

[[gnu::cold]] constexpr pool<std::int32_t> called_subgraph::call(array_ref<const std::int32_t> operands) {
  pool<std::int32_t> results;
  if (node_.is_fine() && !is_fine(read(operands, results))) results.clear();
  return results;
}

[[gnu::cold]] constexpr result<void> called_subgraph::read(array_ref<const std::int32_t> operands,
                                                           pool<std::int32_t>& results) {
  const auto inputs = graph_[schema::subgraph::inputs], outputs = graph_[schema::subgraph::outputs];
  const auto operators = graph_[schema::subgraph::operators];
  if (inputs.size() != operands.size())
    return fail(error_code::invalid_file,
                {"inputs: got ", operands.size(), " of the operator that calls it, expected ", inputs.size()});
  // a call without operators takes time, too
  if (auto ok = tensors_.count_called(operators.size() + 1); !ok) return ok;
  tensors_.begin_call();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (auto ok = tensors_.bind(inputs[i], operands[i]); !ok) return ok;
  for (std::size_t i = 0; i < operators.size(); ++i)
    if (auto ok = node_.steps().read_operator(node_.file(), tensors_, node_.network(), node_.finder(), operators, i);
        !ok)
      return ok;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto id = tensors_.value_or_handle(outputs[i]);
    if (!id) return fail(id.error());
    results.push_back(*id);
  }
  return {};
}

}}}  // namespace nnrt::NNRT_ISA::tflite
