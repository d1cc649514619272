// subgraphs: readers of .tflite operators that call subgraphs, and of variables, which keep values between runs.
// Flow: operators.hpp lists them; called_subgraph adds the nodes of each call, tensors.hpp stores the variables.
#pragma once

#include <nnrt/io/tflite/called_subgraph.hpp>
#include <nnrt/io/tflite/operators/blocks.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// The inputs from `first` on: values, resources or lists.
[[gnu::cold]] constexpr pool<std::int32_t> operands_from(node_reader& node, std::size_t first) {
  pool<std::int32_t> ids;
  for (std::size_t i = first; i < node.input_count(); ++i) ids.push_back(node.operand(i));
  return ids;
}
/// Sets the outputs to these values, resources or lists.
[[gnu::cold]] constexpr void pass_on_all(node_reader& node, const pool<std::int32_t>& ids) {
  if (node.is_fine() && ids.size() != node.output_count())
    node.refuse(error_code::invalid_file,
                {"outputs: got ", node.output_count(), ", expected ", ids.size(), ", as many as the subgraph has"});
  for (std::size_t i = 0; node.is_fine() && i < ids.size(); ++i) node.pass_on(i, ids[i]);
}

}  // namespace detail

/// Inlines the operators of a subgraph.
[[gnu::cold]] constexpr void read_call(node_reader& node) {
  called_subgraph callee(node, node.options<schema::call_options>()[schema::call_options::subgraph]);
  detail::pass_on_all(node, callee.call(detail::operands_from(node, 0)));
}

/// Inlines one of two subgraphs. The condition must be known before the network runs.
[[gnu::cold]] constexpr void read_if(node_reader& node) {
  using kind = schema::if_options;
  const auto options = node.options<kind>();
  const bool is_true = node.boolean_of(node.input(0), "the condition");
  if (!node.is_fine()) return;
  called_subgraph callee(node, is_true ? options[kind::first] : options[kind::second]);
  detail::pass_on_all(node, callee.call(detail::operands_from(node, 1)));
}

/// Unrolls a loop: repeats the body while the condition is true, which must be known before the network runs.
[[gnu::cold]] constexpr void read_while(node_reader& node) {
  using kind = schema::while_options;
  const auto options = node.options<kind>();
  called_subgraph condition(node, options[kind::first]), body(node, options[kind::second]);
  pool<std::int32_t> ids = detail::operands_from(node, 0);
  while (node.is_fine()) {
    const pool<std::int32_t> answer = condition.call(ids);
    if (node.is_fine() && (answer.size() != 1 || tensor_reader::is_handle(answer[0])))
      node.refuse(error_code::invalid_file,
                  {"the condition: got ", answer.size(), " outputs of its subgraph, expected one boolean"});
    if (!node.is_fine() || !node.boolean_of(answer[0], "the number of trips")) break;
    ids = body.call(ids);
  }
  detail::pass_on_all(node, ids);
}

/// Reads a subgraph that runs once before the network and initialises variables.
[[gnu::cold]] constexpr void read_call_once(node_reader& node) {
  using kind = schema::call_once_options;
  const std::int32_t number = node.options<kind>()[kind::subgraph];
  node.check(node.tensors().count_called(1));
  pool<std::int32_t>& called = node.tensors().of_all().called_once;
  for (const std::int32_t other : called)
    if (other == number) return;
  called.push_back(number);
  called_subgraph callee(node, number, true);
  detail::pass_on_all(node, callee.call({}));
}

[[gnu::cold]] constexpr void read_var_handle(node_reader& node) {
  using kind = schema::var_handle_options;
  const auto options = node.options<kind>();
  if (node.is_fine())
    node.define(0, node.taken(node.tensors().named_resource(options[kind::container], options[kind::shared_name])));
}

/// The value of the variable at this point of the run. Its bytes get the output's quantisation.
[[gnu::cold]] constexpr void read_read_variable(node_reader& node) {
  const std::int32_t from = node.resource(0);
  const tensor_desc declared = node.declared(0);
  if (!node.is_fine()) return;
  const std::int32_t value = node.taken(node.tensors().read_resource(from, declared));
  node.conclude(0, detail::moved_to(node, value, declared.quantised));
}

/// Sets the variable from this point of the run on. The bytes get the quantisation of the network's state.
[[gnu::cold]] constexpr void read_assign_variable(node_reader& node) {
  const std::int32_t to = node.resource(0), value = node.input(1);
  if (!node.is_fine()) return;
  const std::int32_t moved = detail::moved_to(node, value, node.tensors().scale_of_state(to));
  if (!node.is_fine()) return;
  node.check(node.tensors().assign_resource(to, moved));
}

}}}  // namespace nnrt::NNRT_ISA::tflite
