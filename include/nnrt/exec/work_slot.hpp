// work_slot: one thread's share of each stage of the work that a pool runs - who has taken it, what is left of it,
// whether it is done.
// Flow: thread_pool has one for each of its threads; what threads say to each other goes through them.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// The pieces of a stage, counted through all of its parts, that nobody has begun of a share: in one word, to be
/// changed at once.
struct pieces_left {
  int round = 0;  // the stage's, among all that the pool has run
  int begin = 0, end = 0;

  static constexpr pieces_left of(std::uint64_t word) {
    return {static_cast<int>(word >> 32), static_cast<int>(word >> 16 & 0xffffU), static_cast<int>(word & 0xffffU)};
  }
  constexpr std::uint64_t word() const {
    return std::uint64_t{static_cast<unsigned>(round)} << 32 | static_cast<unsigned>(begin) << 16 |
           static_cast<unsigned>(end);
  }
  constexpr int count() const { return end - begin; }
};

/// What is written by different threads lies in different lines of the cache.
class work_slot {
 public:
  /// Whether this share of a round is the claimer's to run: it is whoever's who asks first. A thread that comes late,
  /// when the next round has begun, finds it taken.
  bool claim(int round) {
    int before = previous(round);
    return __atomic_compare_exchange_n(&claimed_, &before, round, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  /// Everything that was claimed with the share is done.
  void finish(int round) { __atomic_store_n(&done_, round, __ATOMIC_RELEASE); }
  bool is_done(int round) const {
    return static_cast<int>(static_cast<unsigned>(__atomic_load_n(&done_, __ATOMIC_ACQUIRE)) -
                            static_cast<unsigned>(round)) >= 0;
  }
  /// Rounds are counted in a circle.
  static constexpr int previous(int round) { return static_cast<int>(static_cast<unsigned>(round) - 1U); }
  static constexpr int following(int round) { return static_cast<int>(static_cast<unsigned>(round) + 1U); }

  /// Puts pieces here, for the claimer and for others. Those that were here before are taken.
  void put(pieces_left left) { __atomic_store_n(&left_, left.word(), __ATOMIC_RELEASE); }
  /// Takes the first piece of a round; -1: there is none.
  int take_first(int round) {
    for (std::uint64_t word = load();;) {
      pieces_left left = pieces_left::of(word);
      if (left.round != round || left.count() <= 0) return -1;
      ++left.begin;
      if (exchange(word, left)) return left.begin - 1;
    }
  }
  /// Takes the larger half of the pieces of a round, the last ones; their count is 0 where there are none. No range of
  /// pieces is ever put here twice, since who takes some begins the first of them: so a word that was read long ago is
  /// never mistaken for a new one.
  pieces_left steal_half(int round) {
    for (std::uint64_t word = load();;) {
      const pieces_left left = pieces_left::of(word);
      if (left.round != round || left.count() <= 0) return {};
      const int middle = left.begin + left.count() / 2;
      if (exchange(word, {round, left.begin, middle})) return {round, middle, left.end};
    }
  }

 private:
  std::uint64_t load() const { return __atomic_load_n(&left_, __ATOMIC_ACQUIRE); }
  bool exchange(std::uint64_t& word, pieces_left left) {
    return __atomic_compare_exchange_n(&left_, &word, left.word(), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }

  int done_ = 0;  // the last round of which this share is done; who waits for that looks at it all the time
  [[maybe_unused]] std::byte apart_[60];
  // the last round in which somebody took this share; nobody but its owner looks, as long as that one is quick
  int claimed_ = 0;
  [[maybe_unused]] std::byte apart_too_[60];
  std::uint64_t left_ = 0;  // pieces_left
  [[maybe_unused]] std::byte apart_three_[56];
};

}}}  // namespace nnrt::NNRT_ISA::detail
