// file_view: read access to a model file's bytes; pages may be missing when a large file is in a literal.
// Flow: readers address numbers and bytes by file offset; only NNRT_MODEL makes views with missing pages.
#pragma once

#include <nnrt/io/numbers_at.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// A byte range of a file.
struct byte_range {
  std::size_t at = 0, size = 0;
  constexpr bool empty() const { return size == 0; }
  constexpr std::size_t end() const { return at + size; }
};

/// The bytes of a file, addressed by file offset. Borrows them. It does not store the file's size, because every table
/// and list holds one of these. Files with missing pages can be read in constant evaluation only.
class file_bytes {
 public:
  static constexpr std::size_t page_bytes = 512;
  /// Marks a missing page in the table of pages.
  static constexpr std::int32_t no_page = -1;

  constexpr file_bytes() = default;
  /// `left_out` has one element for each page: the number of missing bytes before it, or no_page if it is missing
  /// itself. Null: no page is missing.
  constexpr explicit file_bytes(const char* letters, const std::int32_t* left_out = nullptr)
      : letters_(letters), left_out_(left_out) {}

  constexpr explicit operator bool() const { return letters_ != nullptr; }

  /// True when these bytes of the file are present. At run time always false for a file with missing pages.
  constexpr bool has(std::size_t at, std::size_t size) const {
    if (left_out_ == nullptr || size == 0) return true;
    if (!__builtin_is_constant_evaluated()) return false;
    for (std::size_t page = at / page_bytes; page <= (at + size - 1) / page_bytes; ++page)
      if (left_out_[page] == no_page) return false;
    return true;
  }
  /// Bytes at file offset `at`; they must be present.
  constexpr std::string_view bytes(std::size_t at, std::size_t size) const {
    return size == 0 ? std::string_view() : std::string_view(address(at), size);
  }
  /// The number at file offset `at`; it must be present. FlatBuffers align numbers to their size, so none spans two
  /// pages.
  template <class T> constexpr T number(std::size_t at) const { return number_at<T>(address(at), 0); }

 private:
  constexpr const char* address(std::size_t at) const {
    if (!__builtin_is_constant_evaluated() || left_out_ == nullptr) return letters_ + at;
    return letters_ + (at - static_cast<std::size_t>(left_out_[at / page_bytes]));
  }

  const char* letters_ = nullptr;
  const std::int32_t* left_out_ = nullptr;
};

/// A file's bytes and size.
class file_view : public file_bytes {
 public:
  constexpr file_view() = default;
  /// A file with all its bytes.
  constexpr file_view(std::string_view all) : file_bytes(all.data()), size_(all.size()) {}
  /// A file of `size` bytes with missing pages; `pages` has the others in sequence (see `file_bytes`). `left_out` has
  /// one element for each page, and one more for the end of the file.
  constexpr file_view(const char* pages, std::size_t size, const std::int32_t* left_out)
      : file_bytes(pages, left_out), size_(size) {}

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  /// This file cut after `size` bytes; unchanged if it is not longer.
  constexpr file_view first(std::size_t size) const {
    file_view made = *this;
    made.size_ = size < size_ ? size : size_;
    return made;
  }

 private:
  std::size_t size_ = 0;
};

}}  // namespace nnrt::NNRT_ISA
