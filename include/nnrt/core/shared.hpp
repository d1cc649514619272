// shared: a reference-counted handle on one object, for what several executors keep alive together; objects that
// outlive the program.
// Flow: weights files, bound and prepared weights, programs; <memory> would cost 0.23 s per translation unit.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/exchange.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {
namespace detail {
/// An object that is never destroyed, for static ones: clients' own static objects may hand something back to it at the
/// program's very end.
template <class T> union kept {
  T value;

  kept() : value() {}
  kept(const kept&) = delete;
  ~kept() {}
};

/// The object and the number of handles on it, in one allocation (intrusive for any T).
/// The count is atomic through the compilers' own functions: <atomic> would cost 0.04 s per translation unit for these
/// three.
template <class T> struct shared_block {
  std::size_t handles = 1;
  T object;
  template <class... Arguments>
  explicit shared_block(Arguments&&... arguments) : object(std::forward<Arguments>(arguments)...) {}

  // Release on every decrement, acquire on the last: what the other threads did with the object happens before its
  // destructor. One function for handles on T and on const T.
  [[gnu::cold, gnu::noinline]] static void drop(shared_block* block) noexcept {
    if (__atomic_fetch_sub(&block->handles, 1, __ATOMIC_ACQ_REL) == 1) delete block;
  }
};
}  // namespace detail

/// A handle on an object that lives as long as one handle on it; copying costs one atomic increment.
/// Handles may be copied and dropped from several threads at once (each thread its own handle); access to the object is
/// not synchronised. A `shared<T>` converts to a `shared<const T>`. There are no weak handles and no conversions to
/// bases.
template <class T> class shared {
  using block = detail::shared_block<std::remove_const_t<T>>;

 public:
  /// Empty: false, and owns nothing.
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

  /// A new object, made from the arguments, with one handle.
  template <class... Arguments> static shared make(Arguments&&... made_of) {
    shared handle;
    handle.block_ = new block(std::forward<Arguments>(made_of)...);
    return handle;
  }

  /// The object, or null when the handle is empty.
  T* get() const noexcept { return block_ != nullptr ? &block_->object : nullptr; }
  T* operator->() const noexcept { return &block_->object; }
  T& operator*() const noexcept { return block_->object; }
  explicit operator bool() const noexcept { return block_ != nullptr; }
  /// Handles on this object at this moment, 0 for an empty one; other threads may change it at once.
  std::size_t handles() const noexcept {
    return block_ != nullptr ? __atomic_load_n(&block_->handles, __ATOMIC_RELAXED) : 0;
  }

  /// Whether both are handles on the same object (or both empty).
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
