// weight_pages: finds the pages of a .tflite file that contain only weight elements, which readers do not need.
// Flow: model_literal() omits them from the text of a large file.
#pragma once

#include <nnrt/io/omitted_pages.hpp>
#include <nnrt/io/tflite/document.hpp>
#include <nnrt/io/tflite/names.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// True when reading a network may need all elements of such a tensor. Integers are extents, axes and indices; booleans
/// and sparse elements are checked.
inline bool is_read_by_value(table_of<schema::tensor> tensor) {
  constexpr dtype_set numbers = types::floating | types_of(i8, u8);
  const std::int32_t type = tensor[schema::tensor::type];
  return tensor[schema::tensor::sparsity] || !(type == type_of_four_bits || numbers.contains(dtype_of_type(type)));
}

/// For each buffer: 1 when all tensors that use it are weights whose elements are not read.
[[gnu::cold]] inline std::vector<char> find_weight_buffers(const document& file) {
  std::vector<char> has_weights(file.buffer_count(), 0), has_more(file.buffer_count(), 0);
  for (std::uint32_t g = 0; g < file.graph_count(); ++g) {
    const tables_of<schema::tensor> tensors = file.graph(g)[schema::subgraph::tensors];
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (const std::uint32_t buffer = tensors[i][schema::tensor::buffer]; buffer < has_weights.size())
        (is_read_by_value(tensors[i]) ? has_more : has_weights)[buffer] = 1;
  }
  for (std::size_t i = 0; i < has_weights.size(); ++i) has_weights[i] = has_weights[i] != 0 && has_more[i] == 0 ? 1 : 0;
  return has_weights;
}

}  // namespace detail

/// For each page of the file: 1 when a literal can omit it.
[[gnu::cold]] inline std::vector<char> find_weight_pages(const document& file) {
  const std::vector<char> has_weights = detail::find_weight_buffers(file);
  omitted_pages made(file.size());
  for (std::uint32_t i = 0; i < has_weights.size(); ++i) {
    const byte_range bytes = file.buffer(i);
    if (has_weights[i] != 0) made.omit(bytes);
    else made.keep(bytes);
  }
  return made.pages();
}

}}}  // namespace nnrt::NNRT_ISA::tflite
