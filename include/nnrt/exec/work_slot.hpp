// work_slot: one thread's share of each phase of a pool - who claimed it, which pieces are left, whether it is done.
// Flow: thread_pool has one for each thread; threads communicate through them.
#pragma once

#include <nnrt/core/config.hpp>

#include <atomic>  // not an additional cost for threads.hpp, whose options.hpp includes it
#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// The pieces of a share that no thread has begun, numbered through all parts of the phase. They fit one 64-bit word,
/// which is changed atomically.
struct pieces_left {
  int epoch = 0;  // of the phase, counted over the pool's life
  int begin = 0, end = 0;

  static constexpr pieces_left of(std::uint64_t word) {
    return {static_cast<int>(word >> 32), static_cast<int>(word >> 16 & 0xffffU), static_cast<int>(word & 0xffffU)};
  }
  constexpr std::uint64_t word() const {
    return std::uint64_t{static_cast<unsigned>(epoch)} << 32 | static_cast<unsigned>(begin) << 16 |
           static_cast<unsigned>(end);
  }
  constexpr int count() const { return end - begin; }
};

/// Members that different threads write are in different cache lines.
class work_slot {
 public:
  /// Claims the share of an epoch; true for the first thread that asks. False for a thread that comes after the next
  /// epoch has begun.
  bool claim(int epoch) {
    int before = previous(epoch);
    return claimed_.compare_exchange_strong(before, epoch, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  /// Marks the claimed share as done.
  void finish(int epoch) { done_.store(epoch, std::memory_order_release); }
  bool is_done(int epoch) const {
    return static_cast<int>(static_cast<unsigned>(done_.load(std::memory_order_acquire)) -
                            static_cast<unsigned>(epoch)) >= 0;
  }
  /// Epochs wrap around.
  static constexpr int previous(int epoch) { return static_cast<int>(static_cast<unsigned>(epoch) - 1U); }
  static constexpr int following(int epoch) { return static_cast<int>(static_cast<unsigned>(epoch) + 1U); }

  /// Stores pieces for the claimer and for thieves. Earlier pieces must have been taken.
  void put(pieces_left left) { left_.store(left.word(), std::memory_order_release); }
  /// Takes the first piece of an epoch; -1: none.
  int take_first(int epoch) {
    for (std::uint64_t word = load();;) {
      pieces_left left = pieces_left::of(word);
      if (left.epoch != epoch || left.count() <= 0) return -1;
      ++left.begin;
      if (exchange(word, left)) return left.begin - 1;
    }
  }
  /// Takes the larger half of an epoch's pieces, the last ones; count() is 0 if there are none. There is no ABA
  /// problem: a thief begins the first piece that it takes, so no range is stored here twice.
  pieces_left steal_half(int epoch) {
    for (std::uint64_t word = load();;) {
      const pieces_left left = pieces_left::of(word);
      if (left.epoch != epoch || left.count() <= 0) return {};
      const int middle = left.begin + left.count() / 2;
      if (exchange(word, {epoch, left.begin, middle})) return {epoch, middle, left.end};
    }
  }

 private:
  std::uint64_t load() const { return left_.load(std::memory_order_acquire); }
  bool exchange(std::uint64_t& word, pieces_left left) {
    return left_.compare_exchange_strong(word, left.word(), std::memory_order_acq_rel, std::memory_order_acquire);
  }

  static constexpr std::size_t line_bytes = 64;

  // the last epoch of which this share is done; waiting threads poll it
  alignas(line_bytes) std::atomic<int> done_ = 0;
  // the last epoch in which this share was claimed; others read it only if its owner is late
  alignas(line_bytes) std::atomic<int> claimed_ = 0;
  alignas(line_bytes) std::atomic<std::uint64_t> left_ = 0;  // pieces_left
};

}}}  // namespace nnrt::NNRT_ISA::detail
