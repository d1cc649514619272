// work_slot_test: a share is claimed once in each epoch, and its pieces are taken once, by any thread.
#include <nnrt/exec/work_slot.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <climits>
#include <thread>
#include <vector>

namespace {

using nnrt::detail::pieces_left;
using nnrt::detail::work_slot;

static_assert(alignof(work_slot) == 64 && sizeof(work_slot) == 3 * 64, "each of the three words has a cache line");

TEST_CASE("work_slot: a share belongs to who claims it first, and a thread that comes late finds it taken") {
  work_slot s;
  CHECK(s.claim(1));
  CHECK_FALSE(s.claim(1));
  CHECK_FALSE(s.claim(3));  // nobody has had epoch 2
  CHECK(s.claim(2));
  CHECK_FALSE(s.claim(1));
}

TEST_CASE("work_slot: a share is done in the epoch that says so and in all before, across the end of the circle") {
  work_slot s;
  CHECK(s.is_done(0));
  CHECK_FALSE(s.is_done(1));
  s.finish(1);
  CHECK((s.is_done(1) && s.is_done(0)));
  CHECK_FALSE(s.is_done(2));
  s.finish(INT_MAX);
  CHECK(work_slot::following(INT_MAX) == INT_MIN);
  CHECK(work_slot::previous(INT_MIN) == INT_MAX);
  CHECK_FALSE(s.is_done(INT_MIN));
  s.finish(INT_MIN);
  CHECK((s.is_done(INT_MIN) && s.is_done(INT_MAX)));
}

TEST_CASE("work_slot: pieces are taken from the front one by one, and from the back by halves") {
  work_slot s;
  CHECK(s.take_first(1) == -1);
  CHECK(s.steal_half(1).count() == 0);
  s.put({7, 16, 24});
  CHECK(s.take_first(6) == -1);  // of another epoch
  CHECK(s.steal_half(8).count() == 0);
  CHECK(s.take_first(7) == 16);
  const pieces_left half = s.steal_half(7);
  CHECK((half.begin == 20 && half.end == 24 && half.epoch == 7));
  CHECK(s.take_first(7) == 17);
  const pieces_left last = s.steal_half(7);
  CHECK((last.begin == 19 && last.end == 20));
  CHECK(s.steal_half(7).begin == 18);  // the only one
  CHECK(s.take_first(7) == -1);
  CHECK(s.steal_half(7).count() == 0);
}

TEST_CASE("work_slot: a word holds the largest numbers that a pool has") {
  constexpr pieces_left most{INT_MIN, 1023 * 8 + 1, 1024 * 8};
  constexpr pieces_left back = pieces_left::of(most.word());
  static_assert(back.epoch == most.epoch && back.begin == most.begin && back.end == most.end);
}

TEST_CASE("work_slot: threads that take pieces at the same time get each once") {
  constexpr int pieces = 8, epochs = 2000;
  work_slot s;
  std::vector<std::atomic<int>> taken(pieces * epochs);
  std::atomic<int> epoch{0}, arrived{0};
  const auto take_all = [&](int mine) {
    const auto count = [&](int index) { ++taken[static_cast<std::size_t>((mine - 1) * pieces + index)]; };
    for (int index; (index = s.take_first(mine)) >= 0;) count(index);
    for (;;) {
      const pieces_left half = s.steal_half(mine);
      if (half.count() == 0) break;
      for (int index = half.begin; index < half.end; ++index) count(index);
    }
  };
  std::thread other([&] {
    for (int mine = 1; mine <= epochs; ++mine) {
      while (epoch < mine) std::this_thread::yield();
      take_all(mine);
      ++arrived;
    }
  });
  for (int mine = 1; mine <= epochs; ++mine) {
    s.put({mine, 0, pieces});
    epoch = mine;
    take_all(mine);
    while (arrived < mine) std::this_thread::yield();
  }
  other.join();
  int wrong = 0;
  for (const std::atomic<int>& times : taken) wrong += times != 1;
  CHECK(wrong == 0);
}

}  // namespace
