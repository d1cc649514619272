// sparse: expands sparse constants of a .tflite file to dense tensors.
// Flow: tensors.hpp calls it when an operator needs such a constant.
#pragma once

#include <nnrt/core/text.hpp>
#include <nnrt/io/tflite/document.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// Expands a sparse tensor. An axis may be split into blocks; the axes inside the blocks come after the others. Storage
/// axes are nested, outermost first. A dense axis has every index. A compressed (CSR) axis has a segment of an index
/// list for each index of the preceding axis.
class sparse_elements {
 public:
  constexpr sparse_elements(const document& file, table_of<schema::sparsity> how, const shape_t& shape,
                            std::string_view stored, std::size_t element_bytes)
      : file_(file), how_(how), shape_(shape), quantised_(stored), element_bytes_(element_bytes) {}

  /// Reads and checks the description. Returns an error message; empty: no error so far.
  [[gnu::cold]] constexpr pool<char> read_axes();
  /// Writes shape.elements() elements into `dense`, which holds zeros. Returns an error message; empty: success.
  [[gnu::cold]] constexpr pool<char> write(pool<char>& dense);

 private:
  static constexpr int max_axes = 2 * max_rank;

  /// An element of a list of 32-bit, 16-bit or 8-bit integers.
  struct index_list {
    list<std::int32_t> wide;
    list<std::uint16_t> narrow;
    list<std::uint8_t> bytes;
    constexpr std::size_t size() const { return wide.size() + narrow.size() + bytes.size(); }
    constexpr std::int64_t operator[](std::size_t i) const {
      if (!wide.empty()) return wide[i];
      if (!narrow.empty()) return narrow[i];
      return bytes[i];
    }
  };
  struct axis {
    int of = 0;             // the axis of the tensor
    std::int64_t size = 0;  // number of indices
    bool is_dense = true;
    index_list segments, indices;
  };

  [[gnu::cold]] constexpr index_list numbers(std::uint8_t type, table_place from) const {
    index_list found;
    if (type == 1) found.wide = file_.numbers<std::int32_t>(from);
    if (type == 2) found.narrow = file_.numbers<std::uint16_t>(from);
    if (type == 3) found.bytes = file_.numbers<std::uint8_t>(from);
    return found;
  }
  [[gnu::cold]] constexpr pool<char> read_axis(int i, axis& found);
  [[gnu::cold]] constexpr bool put(pool<char>& dense, int level, std::size_t before);
  [[gnu::cold]] constexpr bool put_index(pool<char>& dense, int level, std::int64_t index, std::size_t number) {
    if (index < 0 || index >= axes_[level].size) return false;
    at_[level] = index;
    return put(dense, level + 1, number);
  }

  const document& file_;
  table_of<schema::sparsity> how_;
  shape_t shape_;
  std::string_view quantised_;
  std::size_t element_bytes_;
  axis axes_[max_axes] = {};
  int count_ = 0;
  std::int64_t at_[max_axes] = {};  // current index along each axis
  std::size_t next_ = 0;            // byte offset of the next stored element
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] constexpr pool<char> sparse_elements::read_axes() {
  using schema::sparsity;
  const auto order = how_[sparsity::traversal_order], blocks = how_[sparsity::block_map];
  const auto described = how_[sparsity::dim_metadata];
  const auto rank = static_cast<std::size_t>(shape_.rank);
  if (const int slot = how_.newer_field(); slot >= 0)
    return letters({"sparsity: field ", slot, " is newer than the schema that nnrt reads"});
  if (blocks.size() > rank || order.size() != rank + blocks.size() || described.size() != order.size())
    return letters({"sparsity: got ", order.size(), " axes and ", described.size(), " descriptions, expected ", rank,
                    " and one for each of ", blocks.size(), " axes of blocks"});
  count_ = static_cast<int>(order.size());
  bool is_named[max_axes] = {};
  for (int i = 0; i < count_; ++i) {
    const std::int64_t of = order[static_cast<std::size_t>(i)];
    const bool is_block = i >= shape_.rank;
    if (of < 0 || of >= count_ || is_named[of] || (is_block && of != i))
      return letters({"sparsity: axis ", i, ": got ", of,
                      is_block ? ", expected blocks in their order" : ", expected each axis once"});
    is_named[of] = true;
    axes_[i].of = static_cast<int>(is_block ? blocks[static_cast<std::size_t>(i - shape_.rank)] : of);
    if (axes_[i].of < 0 || axes_[i].of >= shape_.rank)
      return letters({"sparsity: blocks of axis ", axes_[i].of, ", expected one of ", shape_.rank});
    if (auto fault = read_axis(i, axes_[i]); !fault.empty()) return fault;
  }
  for (int of = 0; of < shape_.rank; ++of) {  // number of blocks times block size is the extent
    std::int64_t whole = shape_[of];
    for (int i = shape_.rank; i < count_; ++i)
      if (axes_[i].of == of) whole = axes_[i].size > 0 && whole % axes_[i].size == 0 ? whole / axes_[i].size : -1;
    for (int i = 0; i < shape_.rank; ++i) {
      if (axes_[i].of != of) continue;
      if (whole < 0 || (axes_[i].is_dense && axes_[i].size != whole))
        return letters({"sparsity: axis ", of, ": got ", axes_[i].size, " indices, which do not make ", shape_[of],
                        " with its blocks"});
      axes_[i].size = whole;
    }
  }
  return {};
}

[[gnu::cold]] constexpr pool<char> sparse_elements::read_axis(int i, axis& found) {
  using schema::dimension_metadata;
  const auto described = how_[schema::sparsity::dim_metadata][static_cast<std::size_t>(i)];
  const int format = described[dimension_metadata::format];
  if (const int slot = described.newer_field(); slot >= 0)
    return letters({"sparsity: axis ", i, ": field ", slot, " is newer than the schema that nnrt reads"});
  if (format != 0 && (format != 1 || i >= shape_.rank))
    return letters({"sparsity: axis ", i, ": got format ", format, ", expected DENSE",
                    i >= shape_.rank ? " for blocks" : " or SPARSE_CSR"});
  found.is_dense = format == 0;
  found.size = described[dimension_metadata::dense_size];
  if (found.is_dense) return {};
  found.segments = numbers(described[dimension_metadata::segments_type], described[dimension_metadata::segments]);
  found.indices = numbers(described[dimension_metadata::indices_type], described[dimension_metadata::indices]);
  std::int64_t last = 0;  // segments are consecutive, so no element is read twice
  for (std::size_t k = 0; k < found.segments.size(); ++k) {
    const std::int64_t end = found.segments[k];
    if (end < last || end > static_cast<std::int64_t>(found.indices.size()))
      return letters(
          {"sparsity: axis ", i, ": segment ", k, " ends at ", end, ", expected ", last, " to ", found.indices.size()});
    last = end;
  }
  return {};
}

[[gnu::cold]] constexpr pool<char> sparse_elements::write(pool<char>& dense) {
  if (dense.empty()) return {};
  if (!put(dense, 0, 0) || next_ != quantised_.size())
    return letters(
        {"sparsity: its axes do not lead to the ", quantised_.size() / element_bytes_, " elements that are stored"});
  return {};
}

/// Writes the elements under index number `before` of the preceding axes. Returns false when a segment, index or
/// element is missing.
[[gnu::cold]] constexpr bool sparse_elements::put(pool<char>& dense, int level, std::size_t before) {
  if (level < count_) {
    const axis& a = axes_[level];
    const auto size = static_cast<std::size_t>(a.size);
    for (std::size_t i = 0; a.is_dense && i < size; ++i)
      if (!put_index(dense, level, static_cast<std::int64_t>(i), before * size + i)) return false;
    if (a.is_dense) return true;
    if (before + 1 >= a.segments.size()) return false;
    for (std::int64_t i = a.segments[before]; i < a.segments[before + 1]; ++i)
      if (!put_index(dense, level, a.indices[static_cast<std::size_t>(i)], static_cast<std::size_t>(i))) return false;
    return true;
  }
  std::int64_t place[max_rank] = {};
  for (int i = 0; i < count_; ++i)
    place[axes_[i].of] = i < shape_.rank ? at_[i] : place[axes_[i].of] * axes_[i].size + at_[i];
  std::int64_t element = 0;
  for (int of = 0; of < shape_.rank; ++of) element = element * shape_[of] + place[of];
  if (next_ + element_bytes_ > quantised_.size()) return false;
  for (std::size_t k = 0; k < element_bytes_; ++k)
    dense[static_cast<std::size_t>(element) * element_bytes_ + k] = quantised_[next_++];
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::tflite
