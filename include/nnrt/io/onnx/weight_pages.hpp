// weight_pages: finds the pages of an .onnx file that contain only weight elements, which readers do not need.
// Flow: model_literal() omits them from the text of a large file.
#pragma once

#include <nnrt/io/omitted_pages.hpp>
#include <nnrt/io/onnx/document.hpp>
#include <nnrt/io/onnx/tensor_proto.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// For each page of the file: 1 when a literal can omit it. Only elements of the main graph's initializers are omitted.
/// Integers of more than 8 bits are kept, because they are extents, axes and indices; so are booleans, which are
/// checked, and types that are converted while a file is read. Error: invalid_file (malformed fields).
[[gnu::cold]] inline result<std::vector<char>> find_weight_pages(const document& model) {
  const auto graph = parse_graph(model.file, model.graph);
  if (!graph) return fail(graph.error());
  constexpr dtype_set numbers = types::floating | types_of(i8, u8);
  omitted_pages made(model.file.size());
  for (const named_entry& one : graph->initializers) {
    const auto t = read_tensor(model.file, one.message);  // errors belong to the reader
    if (t && !t->is_external && t->is_in_form() && numbers.contains(t->desc.type)) made.omit(t->raw);
  }
  return made.pages();
}

}}}  // namespace nnrt::NNRT_ISA::onnx
