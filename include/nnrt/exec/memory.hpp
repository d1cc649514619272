// memory: memory of executors for intermediate results and prepared weights.
// Flow: executor has an arena_memory; executors of one network share its prepared_weights.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/core/exchange.hpp>
#include <nnrt/core/float_environment.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/shared.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/exec/fault.hpp>
#include <nnrt/io/bind_weights.hpp>
#include <nnrt/passes/plan_memory.hpp>

#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace nnrt { inline namespace NNRT_ISA {

/// Memory aligned to 64 bytes, zero at first, from the heap or, if large, from the system. Move only. Kernels load
/// whole vectors, and multiply elements past the end of a tensor by zero weights: these elements must be initialised.
class heap_block {
 public:
  heap_block() = default;
  heap_block(heap_block&& other) noexcept
      : block_(detail::taken(other.block_)),
        first_(detail::taken(other.first_)),
        mapped_(detail::taken(other.mapped_)) {}
  heap_block& operator=(heap_block&& other) noexcept {
    detail::swap_values(block_, other.block_);
    detail::swap_values(first_, other.first_);
    detail::swap_values(mapped_, other.mapped_);
    return *this;
  }
  ~heap_block() { release(); }

  /// Replaces its memory by a new block of at least one byte, so that data() is not null. Error: out_of_memory; the
  /// message says `what` it was for.
  [[gnu::cold]] result<void> allocate(std::int64_t bytes, const char* what) {
    release();
    const auto size = static_cast<std::size_t>(passes::aligned(bytes > 0 ? bytes : 1)), paged = in_large_pages(size),
               alignment = paged == 0 ? 64 : large_page;
    take((paged > size ? paged : size) + alignment, paged > 0);
    if (block_ == nullptr) return fail(error_code::out_of_memory, {what, ": no memory for ", bytes, " bytes"});
    first_ = static_cast<std::byte*>(block_) + (alignment - reinterpret_cast<std::uintptr_t>(block_) % alignment);
#if defined(MADV_HUGEPAGE)
    if (paged > 0) ::madvise(first_, paged, MADV_HUGEPAGE);
#endif
    return {};
  }
  std::byte* data() const { return first_; }

#if defined(MADV_HUGEPAGE)
  static constexpr std::size_t large_page = 2 << 20;
#else
  static constexpr std::size_t large_page = static_cast<std::size_t>(-1);
#endif
  /// How many of `bytes` are in large pages. A page fault takes 1 µs, packing 4 KiB of weights 0.5 µs, clearing a large
  /// page less than 50 µs. A rest of less than half a large page has small pages, which waste less.
  static constexpr std::size_t in_large_pages(std::size_t bytes) {
    const std::size_t left = bytes % large_page;
    return bytes - left + (left >= large_page / 2 ? large_page : 0);
  }

 private:
  /// Takes zeroed memory with room for alignment. calloc() does not clear new pages, and untouched pages use no memory.
  /// Large pages come from mmap(), because memory that calloc() reuses has small pages.
  void take(std::size_t bytes, [[maybe_unused]] bool from_system) {
#if defined(MADV_HUGEPAGE)
    if (from_system) {
      void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (mapped != MAP_FAILED) block_ = mapped, mapped_ = bytes;
      return;
    }
#endif
    block_ = std::calloc(bytes, 1);
  }
  void release() {
#if defined(MADV_HUGEPAGE)
    if (mapped_ != 0) ::munmap(detail::taken(block_), detail::taken(mapped_));
#endif
    std::free(detail::taken(block_));
    first_ = nullptr;
  }

  void* block_ = nullptr;
  std::byte* first_ = nullptr;
  std::size_t mapped_ = 0;  // bytes from mmap(); 0: block_ came from calloc()
};

/// Arenas up to this size are members of their executor; larger ones would overflow stacks.
inline constexpr std::int64_t largest_member_arena = 64 * 1024;

/// The arena of one executor.
template <std::int64_t Bytes, bool IsMember = (Bytes <= largest_member_arena)> class arena_memory {
 public:
  /// Bytes of external memory that it needs.
  static constexpr std::int64_t room = 0;
  /// Call it before the first use.
  static result<void> allocate(std::byte* /*given*/ = nullptr) { return {}; }
  std::byte* data() { return bytes_; }

 private:
  alignas(64) std::byte bytes_[Bytes > 0 ? static_cast<std::size_t>(Bytes) : 1] = {};  // zeros: see heap_block
};
template <std::int64_t Bytes> class arena_memory<Bytes, false> {
 public:
  static constexpr std::int64_t room = Bytes;
  arena_memory() = default;
  /// An arena that was moved away has no memory.
  arena_memory(arena_memory&& other) noexcept
      : block_(std::move(other.block_)), first_(std::exchange(other.first_, nullptr)) {}
  arena_memory& operator=(arena_memory&& other) noexcept {
    block_ = std::move(other.block_);
    first_ = std::exchange(other.first_, nullptr);
    return *this;
  }
  /// `given` has `room` bytes and must outlive the arena; null: the arena allocates.
  result<void> allocate(std::byte* given = nullptr) {
    first_ = given;
    if (given != nullptr) return {};
    if (auto ok = block_.allocate(Bytes, "arena"); !ok) return ok;
    first_ = block_.data();
    return {};
  }
  std::byte* data() { return first_; }

 private:
  heap_block block_;
  std::byte* first_ = nullptr;
};

/// Weights as the steps read them: bound to the caller's file, and packed or folded copies. Immutable once made, shared
/// by executors.
struct prepared_weights {
  shared<const bound_weights> bound;
  heap_block memory;                  // plan.prepared_bytes, then the room for an arena
  const std::byte* stored = nullptr;  // if not null, replaces `memory`: in bytes that `bound` keeps

  /// Address of the room for an arena after the prepared weights; null if there is no memory.
  std::byte* room(const plan_view& plan) const {
    return memory.data() == nullptr ? nullptr : memory.data() + passes::aligned(plan.prepared_bytes);
  }

  /// Sets the bases of prepared memory, constants and weights; the executor sets those of arena and inputs.
  void set_bases(const plan_view& plan, array_ref<std::byte*> bases) const {
    bases[in_prepared] = stored != nullptr ? const_cast<std::byte*>(stored) : memory.data();
    // const_cast, because kernels have one pointer type for operands and results. No step writes to constants or
    // weights.
    bases[in_constants] = const_cast<std::byte*>(plan.constants.data());
    for (std::size_t i = 0; i < plan.weights.size(); ++i)
      bases[first_input + plan.inputs.size() + i] = const_cast<std::byte*>(bound->pointers()[i]);
  }
};

/// Runs a plan's prepare steps; `made` has bound weights and memory. It uses the default floating-point environment, as
/// the compiler does for constants, because threads and processes share the result. Errors as prepare().
[[gnu::cold]] inline result<void> run_prepare_steps(const plan_view& plan, const prepared_weights& made,
                                                    time_limit limit = {}, fault_wording words = &error_of) {
  heap_block scratch;
  if (auto ok = scratch.allocate(plan.prepare_scratch_bytes, "folded weights"); !ok) return ok;
  pool<std::byte*> bases;
  bases.assign(plan.base_count(), nullptr);
  pool<view> views;
  views.assign(plan.slots.size(), {});
  made.set_bases(plan, bases);
  bases[in_prepare_scratch] = scratch.data();
  make_views(plan, bases, views);
  run_context context;
  context.bases = bases;
  context.views = views;
  run_fault fault;
  if (words != nullptr) context.fault = &fault;
  const float_scope usual{float_environment()};  // called through pointers, so the compiler moves no arithmetic out
  for (const step& next : plan.prepare) {
    if (limit.is_over())
      return fail(error_code::deadline_missed, "the weights were given less time than their preparation takes");
    if (const step* const failed = run_steps(plan, {&next, 1}, context)) return fail(words(plan, *failed, fault));
  }
  return {};
}

/// Prepares bound weights; `made` is empty before. With `room`, the memory has that many more bytes for the arena of
/// one executor; a common block needs fewer small pages than two. Errors: out_of_memory; invalid_argument (weights
/// whose values break an operator's rule); deadline_missed (checked before each step).
[[gnu::cold]] inline result<void> prepare(const plan_view& plan, shared<const bound_weights> bound,
                                          prepared_weights& made, time_limit limit = {},
                                          fault_wording words = &error_of, std::int64_t room = 0) {
  made.bound = std::move(bound);
  if (plan.prepare.empty()) return {};
  if (auto ok = made.memory.allocate(passes::aligned(plan.prepared_bytes) + room, "prepared weights"); !ok) return ok;
  return run_prepare_steps(plan, made, limit, words);
}

}}  // namespace nnrt::NNRT_ISA
