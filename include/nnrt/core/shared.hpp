// shared: a reference-counted handle of an object that several executors keep alive; objects that are never destroyed.
// Flow: used for weights files, bound and prepared weights, and programs. <memory> would cost 0.23 s for each
// translation unit.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/exchange.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {
namespace detail {
/// An object that is never destroyed, for static objects: clients' static objects may use it at the end of the program.
template <class T> union kept {
  T value;

  kept() : value() {}
  kept(const kept&) = delete;
  ~kept() {}
};

/// The object and the number of its handles, in one allocation. The count is atomic by compiler built-ins: `<atomic>`
/// would cost 0.04 s for each translation unit.
template <class T> struct shared_block {
  std::size_t handles = 1;
  T object;
  template <class... Arguments>
  explicit shared_block(Arguments&&... arguments) : object(std::forward<Arguments>(arguments)...) {}

  // Acquire-release: other threads' accesses to the object happen before its destructor. One function for handles of T
  // and const T.
  [[gnu::cold, gnu::noinline]] static void drop(shared_block* block) noexcept {
    if (__atomic_fetch_sub(&block->handles, 1, __ATOMIC_ACQ_REL) == 1) delete block;
  }
};
}  // namespace detail

/// A handle of an object that lives as long as one of its handles; a copy costs one atomic increment.
/// Several threads may copy and drop their own handles at once; access to the object is not synchronised. `shared<T>`
/// converts to `shared<const T>`. There are no weak handles and no conversions to base classes.
template <class T> class shared {
  using block = detail::shared_block<std::remove_const_t<T>>;

 public:
  /// Empty: converts to false.
  constexpr shared() noexcept = default;
  shared(const shared& other) noexcept : block_(retained(other.block_)) {}
  constexpr shared(shared&& other) noexcept : block_(detail::taken(other.block_)) {}
  template <class U>
    requires(std::is_same_v<const U, T> && !std::is_const_v<U>)
  shared(shared<U> other) noexcept : block_(detail::taken(other.block_)) {}
  shared& operator=(shared other) noexcept {
    detail::swap_values(block_, other.block_);
    return *this;
  }
  ~shared() {
    if (block_ != nullptr) block::drop(block_);
  }

  /// Makes an object from the arguments, with one handle.
  template <class... Arguments> static shared make(Arguments&&... made_of) {
    shared handle;
    handle.block_ = new block(std::forward<Arguments>(made_of)...);
    return handle;
  }

  /// The object; null for an empty handle.
  T* get() const noexcept { return block_ != nullptr ? &block_->object : nullptr; }
  T* operator->() const noexcept { return &block_->object; }
  T& operator*() const noexcept { return block_->object; }
  explicit operator bool() const noexcept { return block_ != nullptr; }
  /// Current number of handles; 0 for an empty one. Other threads may change it at any time.
  std::size_t handles() const noexcept {
    return block_ != nullptr ? __atomic_load_n(&block_->handles, __ATOMIC_RELAXED) : 0;
  }

  /// Whether both handles name one object, or both are empty.
  friend bool operator==(const shared& a, const shared& b) noexcept { return a.block_ == b.block_; }

 private:
  template <class U> friend class shared;

  static block* retained(block* counted) noexcept {
    if (counted != nullptr) __atomic_fetch_add(&counted->handles, 1, __ATOMIC_RELAXED);
    return counted;
  }

  block* block_ = nullptr;
};

}}  // namespace nnrt::NNRT_ISA
