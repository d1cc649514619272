// counted_rows: tracks tensors whose first rows are valid, where the number of valid rows is computed at run time.
// Flow: operators.hpp states each operator's use of such tensors; read.hpp checks it before it calls the reader, and
// then marks the output.
#pragma once

#include <nnrt/io/tflite/node_reader.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite::detail {

/// How an operator may use a tensor of which only the first rows are valid. The other rows hold values that no operator
/// fails on.
enum class use_of_rows {
  refused,     // the number of valid results is unknown
  in_order,    // one result for each row, in order
  if_as_many,  // as in_order, if the output has as many rows
  if_alike,    // as in_order, if the output has as many rows and the same rank
  as_table,    // a table of rows, read by valid indices only
};
/// The use of such a tensor as the first input, and as another input.
struct use_by_input {
  use_of_rows first = use_of_rows::refused, others = use_of_rows::refused;
};
/// For element-wise functions of one tensor, and of two tensors.
inline constexpr use_by_input by_elements{use_of_rows::in_order, use_of_rows::in_order},
    by_pairs{use_of_rows::if_alike, use_of_rows::if_alike};
inline constexpr use_by_input by_rows{use_of_rows::if_as_many, use_of_rows::refused};
/// For lookups of rows, with the table as the first input or as another input.
inline constexpr use_by_input by_index{use_of_rows::as_table, use_of_rows::in_order},
    by_list{use_of_rows::in_order, use_of_rows::as_table};

/// The operator's use of its input i, also considering its options.
[[gnu::cold]] constexpr use_of_rows use_of_counted(node_reader& node, std::string_view name, const use_by_input& by,
                                                   std::size_t i) {
  const use_of_rows use = i == 0 ? by.first : by.others;
  if (name == "GATHER") {
    using kind = schema::gather_options;
    const auto options = node.options<kind>();
    if (options[kind::batch_dims] != 0) return use_of_rows::refused;
    if (options[kind::axis] != 0) return i == 0 ? use_of_rows::if_as_many : use_of_rows::refused;
  }
  if (name == "STRIDED_SLICE") {  // allowed when each row is taken once
    using kind = schema::strided_slice_options;
    const auto options = node.options<kind>();
    const std::int32_t others = options[kind::ellipsis_mask] | options[kind::new_axis_mask];
    const bool takes_all = (options[kind::begin_mask] & options[kind::end_mask] & 1) != 0 &&
                           (options[kind::shrink_axis_mask] & 1) == 0 && others == 0;
    if (!takes_all || !node.is_known(3) || node.integers(3)[0] != 1) return use_of_rows::refused;
  }
  return use;
}

/// The valid rows that an operator reads, and what its output must have so that as many of its rows are valid.
struct counted_input {
  // value with the number of valid rows; none: all rows of the inputs are valid, or they are a table
  std::int32_t count = ir::none;
  std::int64_t rows = -1;  // number of rows that the output must have; -1: any
  int rank = -1;           // rank that the output must have; -1: any
};

/// Finds the inputs with a run-time number of valid rows. Refuses operators that would compute with invalid rows.
[[gnu::cold]] constexpr counted_input read_counted(node_reader& node, std::string_view name, const use_by_input& by) {
  counted_input found;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const std::int32_t count = node.count_of_input(i);
    if (count == ir::none) continue;
    const use_of_rows use = use_of_counted(node, name, by, i);
    const shape_t shape = node.desc(node.input(i)).shape;
    const bool depends = use == use_of_rows::if_as_many || use == use_of_rows::if_alike;
    // With at most one row, the axis of the rows in the output is ambiguous. Two inputs must share the count.
    bool is_told = depends ? shape[0] > 1 : use != use_of_rows::refused;
    if (use != use_of_rows::as_table && found.count != ir::none && found.count != count) is_told = false;
    if (!is_told)
      node.not_supported({"input ", i,
                          ": how many rows it has only a run knows; nnrt has as many as there may be, and counts those "
                          "that are, which gathers, "
                          "operators on elements and outputs of the network can take"});
    if (!is_told || use == use_of_rows::as_table) continue;
    found.count = count;
    if (depends) found.rows = shape[0];
    if (use == use_of_rows::if_alike) found.rank = shape.rank;
  }
  return found;
}
/// Marks the valid rows of the operator's output.
[[gnu::cold]] constexpr void conclude_counted(node_reader& node, const counted_input& read) {
  if (read.count == ir::none || !node.is_fine()) return;
  const shape_t made = node.output_desc().shape;
  if (read.rows >= 0 && (made.rank == 0 || made[0] != read.rows || (read.rank >= 0 && made.rank != read.rank)))
    return node.not_supported({"output 0: got ", made, " of ", read.rows,
                               " rows of which a run counts the first ones, expected as many rows"});
  node.count_output(read.count);
}

}}}  // namespace nnrt::NNRT_ISA::tflite::detail
