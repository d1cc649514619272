// weight_pages: pages of a .tflite file that hold elements of weights alone, which reading the network does not need.
// Flow: model_literal() leaves them out of the text that it writes of a large file.
#pragma once

#include <nnrt/io/tflite/document.hpp>
#include <nnrt/io/tflite/names.hpp>
#include <nnrt/ir/graph.hpp>

#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Whether reading a network may need the elements of such a tensor, however many there are: integers are extents, axes
/// and indices, booleans and sparse elements are checked.
inline bool is_read_by_value(record<schema::tensor> tensor) {
  constexpr dtype_set numbers = types::floating | types_of(i8, u8);
  const std::int32_t type = tensor[schema::tensor::type];
  return tensor[schema::tensor::sparsity] || !(type == type_of_four_bits || numbers.contains(dtype_of_type(type)));
}

/// For each buffer: 1 where all tensors that use it are weights whose elements are not read.
[[gnu::cold]] inline std::vector<char> find_weight_buffers(const document& file) {
  std::vector<char> has_weights(file.buffer_count(), 0), has_more(file.buffer_count(), 0);
  for (std::uint32_t g = 0; g < file.graph_count(); ++g) {
    const records<schema::tensor> tensors = file.graph(g)[schema::subgraph::tensors];
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (const std::uint32_t buffer = tensors[i][schema::tensor::buffer]; buffer < has_weights.size())
        (is_read_by_value(tensors[i]) ? has_more : has_weights)[buffer] = 1;
  }
  for (std::size_t i = 0; i < has_weights.size(); ++i) has_weights[i] = has_weights[i] != 0 && has_more[i] == 0;
  return has_weights;
}

}  // namespace detail

/// For each page of the file: 1 where a literal can leave it out, because all its bytes are elements of one weight.
/// Readers copy constants of up to ir::max_read_list elements into the graph: buffers of their size stay whole.
[[gnu::cold]] inline std::vector<char> find_weight_pages(const document& file) {
  constexpr std::size_t page = file_view::page_bytes, largest_copied = ir::max_read_list * sizeof(double);
  std::vector<char> found((file.size() + page - 1) / page, 0), kept = found;
  const std::vector<char> has_weights = detail::find_weight_buffers(file);
  for (std::uint32_t i = 0; i < has_weights.size(); ++i) {
    const byte_range bytes = file.buffer(i);
    const std::size_t end = bytes.at + bytes.size;
    const auto mark = [](std::vector<char>& pages, std::size_t first, std::size_t behind) {
      for (std::size_t p = first; p < behind; ++p) pages[p] = 1;
    };
    if (has_weights[i] != 0 && bytes.size > largest_copied) mark(found, (bytes.at + page - 1) / page, end / page);
    else if (!bytes.empty())
      mark(kept, bytes.at / page, (end + page - 1) / page);  // buffers of a file made by hand may overlap
  }
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = found[i] != 0 && kept[i] == 0;
  return found;
}

}}}  // namespace nnrt::NNRT_ISA::tflite
