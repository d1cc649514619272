// file_view: the bytes of a model file as readers see them - all of them, or the pages of a large one in a literal.
// Flow: readers ask for numbers and bytes by their places in the file; NNRT_MODEL alone makes one with pages.
#pragma once

#include <nnrt/io/numbers_at.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// The bytes of a file, addressed by their offsets in the file. Borrows them. It does not hold the file's size, to stay
/// small: every table and list that is read holds one. Only constant evaluation can read files with pages left out.
class file_bytes {
 public:
  static constexpr std::size_t page_bytes = 512;
  /// What stands for a page that is left out.
  static constexpr std::int32_t no_page = -1;

  constexpr file_bytes() = default;
  /// `left_out` tells of each page how many bytes before it are not here, or no_page. Null: all bytes are here.
  constexpr explicit file_bytes(const char* letters, const std::int32_t* left_out = nullptr)
      : letters_(letters), left_out_(left_out) {}

  constexpr explicit operator bool() const { return letters_ != nullptr; }

  /// Whether these bytes of the file are here. At run time the answer is no for a file of which pages are left out.
  constexpr bool has(std::size_t at, std::size_t size) const {
    if (left_out_ == nullptr || size == 0) return true;
    if (!__builtin_is_constant_evaluated()) return false;
    for (std::size_t page = at / page_bytes; page <= (at + size - 1) / page_bytes; ++page)
      if (left_out_[page] == no_page) return false;
    return true;
  }
  /// Bytes of the file that are here.
  constexpr std::string_view bytes(std::size_t at, std::size_t size) const {
    return size == 0 ? std::string_view() : std::string_view(address(at), size);
  }
  /// A number that is here. Numbers in FlatBuffers lie at multiples of their size, hence in one page.
  template <class T> constexpr T number(std::size_t at) const { return number_at<T>(address(at), 0); }

 private:
  constexpr const char* address(std::size_t at) const {
    if (!__builtin_is_constant_evaluated() || left_out_ == nullptr) return letters_ + at;
    return letters_ + (at - static_cast<std::size_t>(left_out_[at / page_bytes]));
  }

  const char* letters_ = nullptr;
  const std::int32_t* left_out_ = nullptr;
};

/// A file: its bytes and its size.
class file_view : public file_bytes {
 public:
  constexpr file_view() = default;
  /// All bytes of a file.
  constexpr file_view(std::string_view all) : file_bytes(all.data()), size_(all.size()) {}
  /// A file of `size` bytes of which some pages are here, one after another: see file_bytes. `left_out` has one element
  /// more than there are pages, for what begins at the file's end.
  constexpr file_view(const char* pages, std::size_t size, const std::int32_t* left_out)
      : file_bytes(pages, left_out), size_(size) {}

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  /// The file cut after `size` bytes; the same file when it is not longer.
  constexpr file_view first(std::size_t size) const {
    file_view made = *this;
    made.size_ = size < size_ ? size : size_;
    return made;
  }

 private:
  std::size_t size_ = 0;
};

}}  // namespace nnrt::NNRT_ISA
