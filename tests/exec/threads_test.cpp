// threads_test: the pool runs every piece of every part once and phase after phase, for any numbers of them and of
// threads, and can be used at once again.
#include <nnrt/exec/threads.hpp>

#include "support/child_process.hpp"
#include "support/float_environments.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace nnrt;

struct parts_run {
  std::vector<std::atomic<int>> times;
  explicit parts_run(int parts) : times(static_cast<std::size_t>(parts)) {}
  static void run(void* context, int part) {
    ++static_cast<parts_run*>(context)->times[static_cast<std::size_t>(part)];
  }
  bool each_once() const {
    for (const std::atomic<int>& t : times)
      if (t.load() != 1) return false;
    return true;
  }
};

TEST_CASE("threads: every part runs exactly once") {
  for (const int threads : {1, 2, 3, 8}) {
    thread_pool pool;
    REQUIRE(pool.start(threads));
    CHECK(pool.threads() == threads);
    for (const int parts : {1, 2, 3, 7, 64}) {
      CAPTURE(threads);
      CAPTURE(parts);
      parts_run counted(parts);
      pool.run(&parts_run::run, &counted, parts);
      CHECK(counted.each_once());
    }
  }
}

TEST_CASE("threads: thousands of short jobs follow each other without losing one") {
  thread_pool pool;
  REQUIRE(pool.start(3));
  int lost = 0;
  for (int i = 0; i < 5000; ++i) {
    parts_run counted(1 + i % 5);
    pool.run(&parts_run::run, &counted, 1 + i % 5);
    lost += counted.each_once() ? 0 : 1;
  }
  CHECK(lost == 0);
}

TEST_CASE("threads: what a part writes is there when run returns") {
  thread_pool pool;
  REQUIRE(pool.start(2));
  struct sums {
    long of[2] = {};
  } s;  // no atomics: the pool orders the parts before its return
  const auto job = [](void* context, int part) {
    for (int i = 0; i < 1000; ++i) static_cast<sums*>(context)->of[part] += i;
  };
  for (int i = 0; i < 100; ++i) pool.run(job, &s, 2);
  CHECK(s.of[0] == 100 * 499'500L);
  CHECK(s.of[1] == 100 * 499'500L);
}

TEST_CASE("threads: workers that sleep wake up") {
  thread_pool pool;
  REQUIRE(pool.start(2));
  for (int i = 0; i < 3; ++i) {
    struct timespec pause {
      0, 20'000'000
    };
    nanosleep(&pause, nullptr);
    parts_run counted(2);
    pool.run(&parts_run::run, &counted, 2);
    CHECK(counted.each_once());
  }
}

TEST_CASE("threads: a share is run by one thread, the first by the caller") {
  thread_pool pool;
  REQUIRE(pool.start(3));
  struct runners {
    pthread_t of[7];
  } seen{};
  const auto job = [](void* context, int part) { static_cast<runners*>(context)->of[part] = pthread_self(); };
  for (int i = 0; i < 1000; ++i) {
    pool.run(job, &seen, 7);
    bool is_whole = pthread_equal(seen.of[0], pthread_self()) != 0;
    for (int part = 3; part < 7; ++part) is_whole = is_whole && pthread_equal(seen.of[part], seen.of[part - 3]) != 0;
    REQUIRE(is_whole);
  }
}

TEST_CASE("threads: more threads than cores take every part once") {
  thread_pool pool;
  REQUIRE(pool.start(64));  // more than there are cores: most shares are the caller's
  int lost = 0;
  for (int i = 0; i < 200; ++i) {
    parts_run counted(64);
    pool.run(&parts_run::run, &counted, 64);
    lost += counted.each_once() ? 0 : 1;
  }
  CHECK(lost == 0);
}

/// Phases of different numbers of parts and pieces, and what has been run of them.
class counted_phases final : public parallel_phases {
 public:
  struct extent {
    int parts, pieces;
  };
  explicit counted_phases(std::vector<extent> phases, int stops_after = -1)
      : phases_(std::move(phases)), stops_after_(stops_after) {
    for (const extent& s : phases_) runs_.emplace_back(static_cast<std::size_t>(total(s)));
    finished_ = std::vector<std::atomic<int>>(phases_.size());
  }
  phase at(int number) const override {
    const extent& s = phases_[static_cast<std::size_t>(number)];
    return {s.parts, s.pieces, number + 1};
  }
  bool run(int number, piece_source& pieces) override {
    const auto index = static_cast<std::size_t>(number);
    for (piece_of_part mine; pieces.next(mine);) {
      if (number > 0 && finished_[index - 1] != total(phases_[index - 1])) ++too_early;
      ++runs_[index][static_cast<std::size_t>(mine.part * phases_[index].pieces + mine.piece)];
      if (mine.part == 0 && mine.piece == 0 && (pieces.thread() != 0 || pthread_equal(caller_, pthread_self()) == 0))
        ++strangers;
      ++finished_[index];
    }
    return number != stops_after_;
  }
  void done(int number) override {
    told_.push_back(number);
    if (finished_[static_cast<std::size_t>(number)] != total(phases_[static_cast<std::size_t>(number)])) ++too_early;
  }

  bool each_once(int first, int end) const {
    bool all = true;
    for (int number = 0; number < static_cast<int>(phases_.size()); ++number)
      for (const std::atomic<int>& times : runs_[static_cast<std::size_t>(number)])
        all = all && times == (number >= first && number < end ? 1 : 0);
    return all;
  }
  const std::vector<int>& told() const { return told_; }

  std::atomic<int> too_early{0}, strangers{0};

 private:
  static int total(const extent& s) { return s.parts < 2 ? 1 : s.parts * s.pieces; }

  std::vector<extent> phases_;
  int stops_after_;
  std::vector<std::vector<std::atomic<int>>> runs_;
  std::vector<std::atomic<int>> finished_;
  std::vector<int> told_;
  pthread_t caller_ = pthread_self();
};

TEST_CASE("threads: every piece of every phase runs once, when all of the phase before are done") {
  for (const int threads : {1, 2, 3, 8, 40}) {
    CAPTURE(threads);
    thread_pool pool;
    REQUIRE(pool.start(threads));
    const int all = threads;
    for (int i = 0; i < 300; ++i) {
      counted_phases work(
          {{all, 1}, {all, 1}, {1, 1}, {all, 8}, {std::min(all, 2), 3}, {0, 1}, {0, 1}, {all, 2}, {all, 1}, {all, 8}});
      pool.run(work, 0, 10);
      REQUIRE(work.each_once(0, 10));
      REQUIRE(work.told() == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
      REQUIRE((work.too_early == 0 && work.strangers == 0));
    }
    counted_phases some({{all, 1}, {all, 4}, {1, 1}, {all, 1}});
    pool.run(some, 1, 3);
    CHECK(some.told() == std::vector<int>{1, 2});
  }
}

TEST_CASE("threads: the caller's part may end the work; what had begun is done then, and nothing else begins") {
  thread_pool pool;
  REQUIRE(pool.start(3));
  for (const int last : {0, 1, 2, 3}) {
    CAPTURE(last);
    for (int i = 0; i < 200; ++i) {
      counted_phases work({{3, 1}, {1, 1}, {3, 8}, {2, 1}, {3, 1}}, last);
      pool.run(work, 0, 5);
      REQUIRE(work.each_once(0, last + 1));
      REQUIRE(static_cast<int>(work.told().size()) == last);
    }
  }
}

/// Three threads, each of which runs its own part of the first phase; the last one is slow. Then the second phase.
struct one_is_slow final : parallel_phases {
  std::atomic<int> begun{0}, finished{0}, too_early{0};
  phase at(int number) const override { return {3, 1, number + 1}; }
  bool run(int number, piece_source& pieces) override {
    for (piece_of_part mine; pieces.next(mine);) {
      if (number == 1) {
        if (finished < 3) ++too_early;
        continue;
      }
      ++begun;
      while (begun < 3) {
      }
      struct timespec pause {
        0, mine.part == 2 ? 20'000'000 : 0
      };
      nanosleep(&pause, nullptr);
      ++finished;
    }
    return true;
  }
  void done(int) override {}
};

TEST_CASE("threads: workers that are done wait for others, too, and who waits for long sleeps until they are") {
  thread_pool pool;
  REQUIRE(pool.start(3));
  for (int i = 0; i < 5; ++i) {
    one_is_slow work;
    pool.run(work, 0, 2);
    CHECK(work.finished == 3);
    CHECK(work.too_early == 0);
  }
}

TEST_CASE("threads: who is done takes over what another one has not begun") {
  struct slow_caller final : parallel_phases {
    std::atomic<int> by_worker{0};
    phase at(int) const override { return {2, 8, 1}; }
    bool run(int, piece_source& pieces) override {
      piece_of_part mine;
      for (int ran = 0; pieces.next(mine); ++ran) {
        if (pieces.thread() != 0) ++by_worker;
        else
          while (ran == 0 && by_worker < 15) {  // of sixteen: its own eight, and seven of the caller's
          }
      }
      return true;
    }
    void done(int) override {}
  };
  thread_pool pool;
  REQUIRE(pool.start(2));
  for (int i = 0; i < 20; ++i) {
    slow_caller work;
    pool.run(work, 0, 1);
    CHECK(work.by_worker == 15);
  }
}

/// Phases whose parts take between no time and twice as long as threads look before they sleep.
struct random_phases final : parallel_phases {
  explicit random_phases(int threads) : threads_(threads), finished(16) {}
  phase at(int number) const override { return {threads_, 1, number + 1}; }
  bool run(int number, piece_source& pieces) override {
    for (piece_of_part mine; pieces.next(mine);) {
      if (number > 0 && finished[static_cast<std::size_t>(number) - 1] != threads_) ++too_early;
      std::uint32_t hash = (seed + static_cast<std::uint32_t>(number * 64 + mine.part)) * 2654435761U;
      hash ^= hash >> 15;
      for (std::uint32_t i = hash % (2 * detail::looks_before_sleep); i > 0; --i) detail::pause();
      ++finished[static_cast<std::size_t>(number)];
    }
    return true;
  }
  void done(int) override {}

  int threads_;
  std::uint32_t seed = 0;
  std::vector<std::atomic<int>> finished;
  std::atomic<int> too_early{0};
};

TEST_CASE("threads: no thread sleeps on, whenever those that it waits for are done") {
  for (const int threads : {2, 3, 4}) {
    CAPTURE(threads);
    thread_pool pool;
    REQUIRE(pool.start(threads));
    random_phases work(threads);
    for (work.seed = 1; work.seed < 100'000; work.seed += 1000) {
      for (std::atomic<int>& count : work.finished) count = 0;
      pool.run(work, 0, 16);
      REQUIRE(work.finished[15] == threads);
    }
    CHECK(work.too_early == 0);
  }
}

/// One part for each thread, none of which ends before all have begun: what each of them rounds, and sees of denormals.
struct seen_by_threads {
  struct numbers {
    float third = 0, of_minus_one = 0, of_denormal = 0, made_denormal = 0;
    bool operator==(const numbers&) const = default;
  };
  explicit seen_by_threads(int threads) : of(static_cast<std::size_t>(threads)), floats(of.size()) {}

  static void look(void* context, int part) {
    auto& all = *static_cast<seen_by_threads*>(context);
    const auto index = static_cast<std::size_t>(part);
    for (++all.begun; all.begun < static_cast<int>(all.of.size());) {
    }
    all.of[index] = look();
    all.floats[index] = float_environment::of_this_thread();
  }
  static numbers look() {
    volatile float one = 1, minus_one = -1, three = 3, denormal = 1e-39F, large = 1e10F, least = 1.2e-38F, half = 0.5F;
    volatile float made[] = {one / three, minus_one / three, denormal * large, least * half};
    return {made[0], made[1], made[2], made[3]};
  }
  std::atomic<int> begun{0};
  std::vector<numbers> of;
  std::vector<float_environment> floats;
};

TEST_CASE(
    "threads: workers compute in the floating-point environment that the caller has at each run, and give nothing "
    "back") {
  for (const int threads : {1, 2, 3, 4}) {
    thread_pool pool;
    REQUIRE(pool.start(threads));
    for (int round = 0; round < 20; ++round)
      for (const nnrt_test::named_environment& e : nnrt_test::float_environments()) {
        CAPTURE(threads);
        CAPTURE(e.name);
        const float_scope scope(e.floats);
        seen_by_threads seen(threads);
        pool.run(&seen_by_threads::look, &seen, threads);
        const auto mine = seen_by_threads::look();
        for (const auto& numbers : seen.of) REQUIRE(numbers == mine);
        for (const float_environment& floats : seen.floats) REQUIRE(floats == e.floats);
        REQUIRE(float_environment::of_this_thread() == e.floats);
      }
  }
}

TEST_CASE("threads: flags that workers raise are not the caller's") {
  thread_pool pool;
  REQUIRE(pool.start(2));
  std::feclearexcept(FE_ALL_EXCEPT);
  std::atomic<int> begun{0};
  const auto job = [](void* context, int part) {
    auto& count = *static_cast<std::atomic<int>*>(context);
    for (++count; count < 2;) {
    }
    if (part == 1) (void)seen_by_threads::look();
  };
  pool.run(job, &begun, 2);
  CHECK(std::fetestexcept(FE_INEXACT) == 0);
}

#if defined(__GLIBC__)
TEST_CASE("threads: an exception that the caller has unmasked traps in a worker as it traps in the caller") {
  const auto signal_of = [](int dividing) {
    return nnrt_test::last_words_of([&] {
             std::signal(SIGFPE, SIG_DFL);
             thread_pool pool;
             if (!pool.start(2)) return;
             struct division {
               int part;
               std::atomic<int> begun{0};
             } all{dividing, {}};
             feenableexcept(FE_DIVBYZERO);
             pool.run(
                 [](void* context, int part) {
                   auto& d = *static_cast<division*>(context);
                   for (++d.begun; d.begun < 2;) {
                   }
                   volatile float one = 1, zero = 0;
                   if (part == d.part) zero = one / zero;
                 },
                 &all, 2);
           })
        .signal;
  };
  CHECK(signal_of(-1) == 0);
  CHECK(signal_of(1) == signal_of(0));  // SIGFPE, where the processor traps
}
#endif

#if defined(__linux__)
TEST_CASE("threads: pinned workers stay on separate processors, the caller where it may be anyway") {
  cpu_set_t allowed;
  REQUIRE(pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) == 0);
  struct seen {
    pthread_t caller = pthread_self();
    std::atomic<int> begun{0}, pinned{0}, elsewhere{0};
  } all;
  const auto job = [](void* context, int) {
    seen& s = *static_cast<seen*>(context);
    ++s.begun;
    while (s.begun.load() < 2) {  // both threads take one part each: neither is left to the caller
    }
    if (pthread_equal(s.caller, pthread_self()) != 0) return;
    cpu_set_t mine;
    if (pthread_getaffinity_np(pthread_self(), sizeof mine, &mine) == 0 && CPU_COUNT(&mine) == 1) ++s.pinned;
    if (!CPU_ISSET(sched_getcpu(), &mine)) ++s.elsewhere;
  };
  thread_pool pool;
  REQUIRE(pool.start(2, true));
  pool.run(job, &all, 2);
  CHECK(all.pinned == 1);
  CHECK(all.elsewhere == 0);
  cpu_set_t after;
  REQUIRE(pthread_getaffinity_np(pthread_self(), sizeof after, &after) == 0);
  CHECK(CPU_EQUAL(&allowed, &after));

  // More threads than processors: some share one.
  thread_pool many;
  REQUIRE(many.start(CPU_COUNT(&allowed) + 3, true));
  parts_run counted(64);
  many.run(&parts_run::run, &counted, 64);
  CHECK(counted.each_once());
}

TEST_CASE("threads: pinned workers use no processor that the caller may not use") {
  cpu_set_t allowed, one;
  REQUIRE(pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) == 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  REQUIRE(pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0);
  thread_pool pool;
  REQUIRE(pool.start(3, true));
  REQUIRE(pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed) == 0);
  struct seen {
    cpu_set_t only;
    std::atomic<int> elsewhere{0};
  } all{one, {0}};
  const auto job = [](void* context, int part) {
    seen& s = *static_cast<seen*>(context);
    cpu_set_t mine;
    if (part > 0 && pthread_getaffinity_np(pthread_self(), sizeof mine, &mine) == 0 && CPU_COUNT(&mine) == 1 &&
        !CPU_EQUAL(&mine, &s.only))
      ++s.elsewhere;
  };
  for (int i = 0; i < 100; ++i) pool.run(job, &all, 3);
  CHECK(all.elsewhere == 0);
}
#endif

TEST_CASE("threads: a pool that never ran ends, and numbers that make no sense are refused") {
  thread_pool unused;
  REQUIRE(unused.start(4));
  for (const int threads : {0, -3, 1025}) {
    CAPTURE(threads);
    thread_pool pool;
    const auto started = pool.start(threads);
    REQUIRE(!started);
    CHECK(started.error().code() == error_code::invalid_argument);
    CHECK(started.error().message() == "threads: got " + std::to_string(threads) + ", expected 1 to 1024");
  }
}

}  // namespace
