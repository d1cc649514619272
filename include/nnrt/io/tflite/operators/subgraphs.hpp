// subgraphs: readers of operators of .tflite files that call subgraphs, and of variables, which live from run to run.
// Flow: operators.hpp lists them; a called_subgraph adds the nodes of each call, tensors.hpp keeps the variables.
#pragma once

#include <nnrt/io/tflite/called_subgraph.hpp>
#include <nnrt/io/tflite/operators/blocks.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// The inputs from the first on: values, resources, or lists.
[[gnu::cold]] constexpr pool<std::int32_t> operands_from(node_reader& node, std::size_t first) {
  pool<std::int32_t> ids;
  for (std::size_t i = first; i < node.input_count(); ++i) ids.push_back(node.operand(i));
  return ids;
}
/// Says that the outputs are these.
[[gnu::cold]] constexpr void pass_on_all(node_reader& node, const pool<std::int32_t>& ids) {
  if (node.is_fine() && ids.size() != node.output_count())
    node.refuse(error_code::invalid_file,
                {"outputs: got ", node.output_count(), ", expected ", ids.size(), ", as many as the subgraph has"});
  for (std::size_t i = 0; node.is_fine() && i < ids.size(); ++i) node.pass_on(i, ids[i]);
}

}  // namespace detail

/// The operators of a subgraph in the place of this one.
[[gnu::cold]] constexpr void read_call(node_reader& node) {
  called_subgraph callee(node, node.options<schema::call_options>()[schema::call_options::subgraph]);
  detail::pass_on_all(node, callee.call(detail::operands_from(node, 0)));
}

/// One of two subgraphs; which one must be known.
[[gnu::cold]] constexpr void read_if(node_reader& node) {
  using kind = schema::if_options;
  const auto options = node.options<kind>();
  const bool is_true = node.truth(node.input(0), "the condition");
  if (!node.is_fine()) return;
  called_subgraph callee(node, is_true ? options[kind::first] : options[kind::second]);
  detail::pass_on_all(node, callee.call(detail::operands_from(node, 1)));
}

/// The body as often as the condition holds of what it made, which must be known before the network runs: loops are
/// unrolled.
[[gnu::cold]] constexpr void read_while(node_reader& node) {
  using kind = schema::while_options;
  const auto options = node.options<kind>();
  called_subgraph condition(node, options[kind::first]), body(node, options[kind::second]);
  pool<std::int32_t> ids = detail::operands_from(node, 0);
  while (node.is_fine()) {
    const pool<std::int32_t> answer = condition.call(ids);
    if (node.is_fine() && (answer.size() != 1 || tensor_reader::is_handle(answer[0])))
      node.refuse(error_code::invalid_file,
                  {"the condition: got ", answer.size(), " outputs of its subgraph, expected one truth value"});
    if (!node.is_fine() || !node.truth(answer[0], "the number of trips")) break;
    ids = body.call(ids);
  }
  detail::pass_on_all(node, ids);
}

/// A subgraph that runs once and assigns what variables begin with.
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

/// What the variable is at this point. The same bytes get the scale that the output declares.
[[gnu::cold]] constexpr void read_read_variable(node_reader& node) {
  const std::int32_t from = node.resource(0);
  const tensor_desc declared = node.declared(0);
  if (!node.is_fine()) return;
  const std::int32_t value = node.taken(node.tensors().read_resource(from, declared));
  node.conclude(0, detail::moved_to(node, value, declared.quantised));
}

/// What the variable is from here on. The same bytes get the scale of the network's state.
[[gnu::cold]] constexpr void read_assign_variable(node_reader& node) {
  const std::int32_t to = node.resource(0), value = node.input(1);
  if (!node.is_fine()) return;
  const std::int32_t moved = detail::moved_to(node, value, node.tensors().scale_of_state(to));
  if (!node.is_fine()) return;
  node.check(node.tensors().assign_resource(to, moved));
}

}}}  // namespace nnrt::NNRT_ISA::tflite
