// array_ref: a non-owning view of contiguous elements.
// Flow: internal interfaces pass lists as array_refs; public ones use std::span.
//
// std::span costs each translation unit 10 to 20 ms for every element type: concepts of its constructors instantiate
// iterators, sentinels and common references. The two convert into each other.
#pragma once

#include <nnrt/core/bounds.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

/// size() elements of type T at data(). Like std::span, with pointers as iterators. Indices are checked as
/// core/bounds.hpp says.
template <class T> class array_ref {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr array_ref() = default;
  constexpr array_ref(T* first, std::size_t size) : first_(first), size_(size) {}
  template <std::size_t N> constexpr array_ref(T (&array)[N]) : first_(array), size_(N) {}
  /// From anything with data() and size(): pool, std::vector, std::array, std::span, and array_ref of non-const
  /// elements.
  template <class Container, class = decltype(static_cast<T*>(std::declval<Container&>().data()))>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): a copy by this constructor is the same.
  constexpr array_ref(Container&& container) : first_(container.data()), size_(container.size()) {}

  constexpr T* data() const { return first_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return first_; }
  constexpr T* end() const { return first_ + size_; }
  constexpr T& operator[](std::size_t i) const {
    NNRT_CHECK_INDEX(i, size_);
    return first_[i];
  }
  constexpr T& front() const {
    NNRT_CHECK_INDEX(std::size_t{0}, size_);
    return first_[0];
  }
  constexpr T& back() const {
    NNRT_CHECK_INDEX(std::size_t{0}, size_);
    return first_[size_ - 1];
  }
  constexpr array_ref subspan(std::size_t from) const {
    NNRT_CHECK_INDEX(from, size_ + 1);
    return {first_ + from, size_ - from};
  }
  constexpr array_ref subspan(std::size_t from, std::size_t count) const {
    NNRT_CHECK_INDEX(from, size_ + 1);
    NNRT_CHECK_INDEX(count, size_ - from + 1);
    return {first_ + from, count};
  }
  constexpr array_ref first(std::size_t count) const {
    NNRT_CHECK_INDEX(count, size_ + 1);
    return {first_, count};
  }

 private:
  T* first_ = nullptr;
  std::size_t size_ = 0;
};

}}  // namespace nnrt::NNRT_ISA

// Iterators may outlive the array_ref: a std::span of a temporary array_ref is valid. (Doxygen knows no std::ranges.)
/// @cond
template <class T> inline constexpr bool std::ranges::enable_borrowed_range<nnrt::array_ref<T>> = true;
/// @endcond
