// counted_rows: tracks values whose first rows are valid, where a run computes the number of valid rows.
// Flow: read.hpp checks each node that reads such a value before it calls the reader, and then marks its output.
#pragma once

#include <nnrt/io/onnx/node_reader.hpp>

#include <algorithm>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx { namespace detail {

/// What a node may do with a value of which only the first rows are valid. The other rows hold 0.
enum class use_of_rows {
  refused,      // the number of valid results is unknown
  by_elements,  // one result for each element, in order; another operand broadcasts
  other_axes,   // moves or cuts along other axes than that of the rows
  as_index,     // input 1 selects rows of input 0, which is another value
};

[[gnu::cold]] constexpr use_of_rows use_of_counted(std::string_view name, std::size_t input) {
  constexpr std::string_view by_elements[] = {"Add", "Cast", "Div", "Identity", "Mul", "Sub"},
                             other_axes[] = {"Gather", "Reshape", "Slice", "Squeeze", "Unsqueeze"};
  for (const std::string_view one : by_elements)
    if (one == name) return use_of_rows::by_elements;
  if (input == 1) return name == "Gather" || name == "GatherND" ? use_of_rows::as_index : use_of_rows::refused;
  for (const std::string_view one : other_axes)
    if (one == name && input == 0) return use_of_rows::other_axes;
  return use_of_rows::refused;
}

/// True when the node's list of axes is known and does not have axis 0. `rank` is that in which axes count.
[[gnu::cold]] constexpr bool leaves_rows(node_reader& node, std::string_view name, int rank) {
  if (name == "Reshape") return true;  // the extents of the result decide
  if (name == "Gather") return node.axis_attribute("axis", 0, rank) != 0;
  const std::size_t operand = name == "Slice" ? 3 : 1;
  pool<std::int64_t> axes = node.integers_attribute("axes");
  if (axes.empty() && node.has_elements(operand)) axes = node.integers(operand);
  if (axes.empty()) return false;
  const int counted_in = name == "Unsqueeze" ? rank + static_cast<int>(axes.size()) : rank;
  for (const std::int64_t axis : axes)
    if (axis == 0 || axis == -counted_in) return false;
  return true;
}

/// The valid rows that a node reads. `count` is none when all rows of its inputs are valid.
struct counted_input {
  std::int32_t count = ir::none;
  std::int64_t rows = 0;
};

/// Finds the inputs of which only the first rows are valid. Refuses nodes that would compute with the others.
[[gnu::cold]] constexpr counted_input read_counted(node_reader& node, std::string_view name) {
  counted_input found;
  if (node.graph().all().counted.empty()) return found;
  for (std::size_t i = 0; node.is_fine() && i < node.input_count(); ++i) {
    if (!node.has(i)) continue;
    const std::int32_t id = node.input(i), count = node.count_of(id);
    if (count == ir::none || !node.is_fine()) continue;
    const shape_t shape = node.desc(id).shape;
    const use_of_rows use = use_of_counted(name, i);
    bool is_told = use != use_of_rows::refused && (found.count == ir::none || found.count == count);
    if (use == use_of_rows::other_axes) is_told = is_told && leaves_rows(node, name, shape.rank);
    if (use == use_of_rows::as_index)
      is_told = is_told && (name == "Gather" ? node.integer_attribute("axis", 0) == 0
                                             : shape.rank > 1 && node.integer_attribute("batch_dims", 0) == 0);
    if (use == use_of_rows::by_elements)  // another operand must not add axes or rows
      for (std::size_t k = 0; k < node.input_count(); ++k) is_told = is_told && node.rank(node.input(k)) <= shape.rank;
    if (!is_told)
      return node.not_supported({"input ", i, ": only a run knows how many of its ", shape[0],
                                 " rows are results; the first ones are, and an output of the network counts them. "
                                 "Lookups and operators on elements can read them"}),
             found;
    found.count = count, found.rows = shape[0];
  }
  return found;
}
/// Marks the valid rows of the node's output.
[[gnu::cold]] constexpr void mark_counted(node_reader& node, const counted_input& read) {
  if (read.count == ir::none || !node.is_fine()) return;
  const std::int32_t id = node.defined(0);
  const shape_t made = node.desc(id).shape;
  if (made.rank == 0 || made[0] != read.rows)
    return node.not_supported(
        {"output 0: got ", made, " of ", read.rows, " rows of which a run counts the first ones"});
  node.count_rows(id, read.count);
}

}}}}  // namespace nnrt::NNRT_ISA::onnx::detail
