// omitted_pages: the pages of a large model file that its literal can omit, because they contain only weight elements.
// Flow: weight_pages.hpp of each format says which bytes are elements; model_literal() omits the pages.
#pragma once

#include <nnrt/io/file_view.hpp>
#include <nnrt/ir/graph.hpp>

#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

/// Collects the byte ranges of a file that readers do not read and those that they may read.
class omitted_pages {
 public:
  explicit omitted_pages(std::size_t file_bytes)
      : omitted_((file_bytes + file_view::page_bytes - 1) / file_view::page_bytes, 0), kept_(omitted_) {}

  /// The elements of one weight: readers do not read them, unless there are few.
  [[gnu::cold]] void omit(const byte_range& elements) {
    // Readers copy constants of up to ir::max_read_list elements into the graph.
    if (elements.size <= ir::max_read_list * sizeof(double)) return keep(elements);
    mark(omitted_, (elements.at + page - 1) / page, elements.end() / page);
  }
  /// Bytes that readers may read. Ranges of a hand-made file may overlap.
  [[gnu::cold]] void keep(const byte_range& bytes) {
    if (!bytes.empty()) mark(kept_, bytes.at / page, (bytes.end() + page - 1) / page);
  }
  /// For each page of the file: 1 when a literal can omit it, because all its bytes are elements of one weight.
  [[gnu::cold]] std::vector<char> pages() const {
    std::vector<char> made = omitted_;
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = made[i] != 0 && kept_[i] == 0 ? 1 : 0;
    return made;
  }

 private:
  static constexpr std::size_t page = file_view::page_bytes;
  static void mark(std::vector<char>& pages, std::size_t first, std::size_t behind) {
    for (std::size_t p = first; p < behind; ++p) pages[p] = 1;
  }
  std::vector<char> omitted_, kept_;
};

}}  // namespace nnrt::NNRT_ISA
