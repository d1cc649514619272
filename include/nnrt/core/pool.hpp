// pool: a growing array of trivially copyable elements with cheap constant evaluation.
// Flow: graphs, passes and plans keep their lists in pools. Per element, clang 16 needs 3 constexpr steps for it and 12
// for libstdc++'s vector; -fconstexpr-steps allows a million in all.
#pragma once

#include <nnrt/core/bounds.hpp>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <vector>  // std::allocator and std::construct_at, at a third of the cost of <memory>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {
/// Copies bytes to a larger allocation and frees the old one; all pools grow with it at run time.
[[gnu::noinline]] inline void* moved_to_larger(void* first, std::size_t bytes, std::size_t capacity_bytes) {
  void* const larger = ::operator new(capacity_bytes);
  if (bytes != 0) std::memcpy(larger, first, bytes);
  ::operator delete(first);
  return larger;
}
}  // namespace detail

/// A contiguous sequence of T with the interface of std::vector; converts to std::span. T is trivially copyable:
/// growing copies, and nothing is destroyed.
template <class T> class pool {
  // Compiler built-ins, here and in is_plain: each standard trait is a dozen classes for each T. Trivially copyable
  // implies trivially destructible.
  static_assert(__is_trivially_copyable(T) && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

 public:
  using value_type = T;

  constexpr pool() = default;
  constexpr pool(std::initializer_list<T> list) { insert(list.begin(), list.end()); }
  constexpr pool(const pool& other) { insert(other.begin(), other.end()); }
  constexpr pool(pool&& other) noexcept : first_(other.first_), size_(other.size_), capacity_(other.capacity_) {
    other.first_ = nullptr, other.size_ = 0, other.capacity_ = 0;
  }
  constexpr pool& operator=(const pool& other) {
    if (this != &other) {
      size_ = 0;
      insert(other.begin(), other.end());
    }
    return *this;
  }
  constexpr pool& operator=(pool&& other) noexcept {
    pool taken(static_cast<pool&&>(other));
    T* const first = first_;
    const std::size_t capacity = capacity_;
    first_ = taken.first_, size_ = taken.size_, capacity_ = taken.capacity_;
    taken.first_ = first, taken.capacity_ = capacity;
    return *this;
  }
  constexpr ~pool() {
    // First: clang 16 never calls a destructor that calls is_constant_evaluated() before it reads the object.
    if (first_ == nullptr) return;
    // The built-in: code guarded by std::is_constant_evaluated() is compiled first and removed later.
    if (!__builtin_is_constant_evaluated()) ::operator delete(first_);
    else if constexpr (is_plain) delete[] first_;
    else std::allocator<T>().deallocate(first_, capacity_);
  }

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* data() { return first_; }
  constexpr const T* data() const { return first_; }
  constexpr T* begin() { return first_; }
  constexpr T* end() { return first_ + size_; }
  constexpr const T* begin() const { return first_; }
  constexpr const T* end() const { return first_ + size_; }
  /// Indices are checked as core/bounds.hpp says.
  constexpr T& operator[](std::size_t i) {
    NNRT_CHECK_INDEX(i, size_);
    return first_[i];
  }
  constexpr const T& operator[](std::size_t i) const {
    NNRT_CHECK_INDEX(i, size_);
    return first_[i];
  }
  constexpr T& back() {
    NNRT_CHECK_INDEX(std::size_t{0}, size_);
    return first_[size_ - 1];
  }
  constexpr const T& back() const {
    NNRT_CHECK_INDEX(std::size_t{0}, size_);
    return first_[size_ - 1];
  }

  constexpr void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  constexpr void push_back(const T& element) {
    const T copy = element;  // it may be an element of this pool
    if (size_ == capacity_) grow(capacity_ < 8 ? 16 : 2 * capacity_);
    if constexpr (is_plain) first_[size_++] = copy;
    else std::construct_at(first_ + size_++, copy);
  }
  constexpr void pop_back() {
    NNRT_CHECK_INDEX(std::size_t{0}, size_);
    --size_;
  }
  constexpr void clear() { size_ = 0; }
  /// Appends [first, last), which must not be part of this pool.
  template <class Iterator> constexpr void insert(Iterator first, Iterator last) {
    const auto count = static_cast<std::size_t>(last - first);
    if (size_ + count > capacity_) grow(size_ + count > 2 * capacity_ ? size_ + count : 2 * capacity_);
    T* to = first_ + size_;
    size_ += count;
    if constexpr (is_plain && requires { static_cast<const T*>(first); }) {
      copy_all(first, count, to);
    } else {
      for (; first != last; ++first, ++to) {
        if constexpr (is_plain) *to = *first;
        else std::construct_at(to, *first);
      }
    }
  }
  constexpr void assign(std::size_t count, const T& element) {
    size_ = 0;
    reserve(count);
    for (T* to = first_; size_ < count; ++size_, ++to) {
      if constexpr (is_plain) *to = element;
      else std::construct_at(to, element);
    }
  }
  /// Removes the elements for which the predicate holds; the others keep their order.
  template <class Predicate> constexpr void erase_if(Predicate gone) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i)
      if (!gone(first_[i])) first_[kept++] = first_[i];
    size_ = kept;
  }

 private:
  /// Trivially constructible elements are created all at once and then assigned. construct_at for each would double the
  /// constexpr steps.
  static constexpr bool is_plain = __is_trivially_constructible(T);

  /// Copies plain elements. clang evaluates the built-in in one constexpr step; g++ has a step for each byte of it.
  static constexpr void copy_all(const T* from, std::size_t count, T* to) {
#ifdef __clang__
    if (count > 0) __builtin_memcpy(to, from, count * sizeof(T));
#else
    for (const T* const end = from + count; from != end; ++from, ++to) *to = *from;
#endif
  }
  // One function: it is compiled for about forty element types.
  constexpr void grow(std::size_t capacity) {
    if (__builtin_is_constant_evaluated()) {
      T* larger;
      if constexpr (is_plain) larger = new T[capacity];
      else larger = std::allocator<T>().allocate(capacity);
      if constexpr (is_plain) copy_all(first_, size_, larger);
      else
        for (std::size_t i = 0; i < size_; ++i) std::construct_at(larger + i, first_[i]);
      if (first_ != nullptr) {
        if constexpr (is_plain) delete[] first_;
        else std::allocator<T>().deallocate(first_, capacity_);
      }
      first_ = larger;
    } else {
      first_ = static_cast<T*>(detail::moved_to_larger(first_, size_ * sizeof(T), capacity * sizeof(T)));
    }
    capacity_ = capacity;
  }

  T* first_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}}  // namespace nnrt::NNRT_ISA
