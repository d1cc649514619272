// counted_rows: what operators of .tflite files make of rows of which only a run knows how many count.
// Flow: operators.hpp says it of each operator; read.hpp asks before it calls the reader, and then counts the rows of
// the output.
#pragma once

#include <nnrt/io/tflite/node_reader.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite::detail {

/// What an operator makes of such rows. Those after the ones that count are such as could be there, so that nothing
/// ends a run.
enum class use_of_rows {
  refused,     // there is no telling how many results count
  in_order,    // a result for each row, in their order
  if_as_many,  // the same, if the result has as many rows
  if_alike,    // the same, if the result has as many rows, and as many axes
  as_table,    // a table of rows, in which indices pick those that count
};
/// By what an operator reads them: its first input, or another one.
struct use_by_input {
  use_of_rows first = use_of_rows::refused, others = use_of_rows::refused;
};
/// Of functions of one tensor, element by element, and of those of two.
inline constexpr use_by_input by_elements{use_of_rows::in_order, use_of_rows::in_order},
    by_pairs{use_of_rows::if_alike, use_of_rows::if_alike};
inline constexpr use_by_input by_rows{use_of_rows::if_as_many, use_of_rows::refused};
/// Of lookups of rows: in a table that is the first input, or another one.
inline constexpr use_by_input by_index{use_of_rows::as_table, use_of_rows::in_order},
    by_list{use_of_rows::in_order, use_of_rows::as_table};

/// The operator's use of its input i, by its options, too.
[[gnu::cold]] constexpr use_of_rows use_of_counted(node_reader& node, std::string_view name, const use_by_input& by,
                                                   std::size_t i) {
  const use_of_rows use = i == 0 ? by.first : by.others;
  if (name == "GATHER") {
    using kind = schema::gather_options;
    const auto options = node.options<kind>();
    if (options[kind::batch_dims] != 0) return use_of_rows::refused;
    if (options[kind::axis] != 0) return i == 0 ? use_of_rows::if_as_many : use_of_rows::refused;
  }
  if (name == "STRIDED_SLICE") {  // of all rows, each once
    using kind = schema::strided_slice_options;
    const auto options = node.options<kind>();
    const std::int32_t others = options[kind::ellipsis_mask] | options[kind::new_axis_mask];
    const bool takes_all = (options[kind::begin_mask] & options[kind::end_mask] & 1) != 0 &&
                           (options[kind::shrink_axis_mask] & 1) == 0 && others == 0;
    if (!takes_all || !node.is_known(3) || node.integers(3)[0] != 1) return use_of_rows::refused;
  }
  return use;
}

/// Rows that an operator reads, and what must be true of its output for as many to count there.
struct counted_input {
  std::int32_t count = ir::none;  // none: the operator reads no such rows, or only as a table
  std::int64_t rows = -1;         // how many there may be, and how many the output must have; -1: any number
  int rank = -1;                  // that of the output; -1: any rank
};

/// What the operator reads of such rows. Refused: what would compute with those, too, that do not count.
[[gnu::cold]] constexpr counted_input read_counted(node_reader& node, std::string_view name, const use_by_input& by) {
  counted_input found;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const std::int32_t count = node.count_of_input(i);
    if (count == ir::none) continue;
    const use_of_rows use = use_of_counted(node, name, by, i);
    const shape_t shape = node.desc(node.input(i)).shape;
    const bool depends = use == use_of_rows::if_as_many || use == use_of_rows::if_alike;
    // Of one row at most there is no telling which axis of the result has it. Two inputs must have the same rows.
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
/// Says how many rows of the operator's output count.
[[gnu::cold]] constexpr void conclude_counted(node_reader& node, const counted_input& read) {
  if (read.count == ir::none || !node.is_fine()) return;
  const shape_t made = node.output_desc().shape;
  if (read.rows >= 0 && (made.rank == 0 || made[0] != read.rows || (read.rank >= 0 && made.rank != read.rank)))
    return node.not_supported({"output 0: got ", made, " of ", read.rows,
                               " rows of which a run counts the first ones, expected as many rows"});
  node.count_output(read.count);
}

}}}  // namespace nnrt::NNRT_ISA::tflite::detail
