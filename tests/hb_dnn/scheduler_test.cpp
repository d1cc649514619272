// scheduler: jobs run in the order that they ask for, where they may, and end when their task is released.
#include <nnrt/hb_dnn/scheduler.hpp>

#include "support/child_process.hpp"
#include "support/failing_memory.hpp"
#include "support/float_environments.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <random>
#include <string>
#include <thread>

namespace {

using namespace nnrt::hb_dnn;
using nnrt::result;

/// Work that does nothing but wait until it is let go.
struct gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_reached = false, is_open = false;

  work closed() {
    return [this](const checkpoint&) -> result<void> {
      std::unique_lock lock(mutex);
      is_reached = true;
      changed.notify_all();
      changed.wait(lock, [this] { return is_open; });
      return {};
    };
  }
  void wait_until_reached() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return is_reached; });
  }
  void open() {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
};

/// The order in which jobs ran.
struct diary {
  std::mutex mutex;
  std::vector<int> entries;
  work entry(int number) {
    return [this, number](const checkpoint&) -> result<void> {
      const std::lock_guard lock(mutex);
      entries.push_back(number);
      return {};
    };
  }
};

std::shared_ptr<task> submitted(scheduler& to, const job_order& order, work does) {
  auto made = std::make_shared<task>(false);
  std::vector<work> jobs;
  jobs.push_back(std::move(does));
  REQUIRE(to.add(*made, order, std::move(jobs)) == HB_DNN_SUCCESS);
  to.submit(made);
  return made;
}

}  // namespace

TEST_CASE("scheduler: a task that is submitted while the number of cores changes runs") {
  scheduler cores;
  std::atomic<bool> is_over{false};
  std::thread changing([&] {
    for (int count = 1; !is_over; count = 3 - count) cores.use_cores(count);
  });
  int unended = 0;
  for (int i = 0; i < 3000 && unended == 0; ++i) {
    const auto one = submitted(cores, {}, [](const checkpoint&) -> result<void> { return {}; });
    if (cores.wait(*one, 5000) != HB_DNN_SUCCESS) ++unended;
  }
  is_over = true;
  changing.join();
  CHECK(unended == 0);
}

TEST_CASE("scheduler: on one core the higher priority comes first, then the lower customId, then who came first") {
  scheduler cores;
  REQUIRE(cores.use_cores(1));
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    gate g;
    diary d;
    auto first = submitted(cores, {.priority = 3}, g.closed());
    g.wait_until_reached();
    std::vector<job_order> orders;
    std::vector<std::shared_ptr<task>> tasks;
    for (int i = 0; i < 32; ++i) {
      orders.push_back({.cores = static_cast<int>(random() % 2),
                        .priority = static_cast<int>(random() % 5) * 63,
                        .custom_id = static_cast<std::int64_t>(random() % 3) - 1,
                        .arrival = static_cast<std::uint64_t>(i)});
      tasks.push_back(submitted(cores, orders.back(), d.entry(i)));
    }
    g.open();
    for (auto& each : tasks) CHECK(cores.wait(*each, 0) == HB_DNN_SUCCESS);
    std::vector<int> expected(32);
    for (int i = 0; i < 32; ++i) expected[static_cast<std::size_t>(i)] = i;
    std::sort(expected.begin(), expected.end(), [&](int a, int b) {
      return comes_first(orders[static_cast<std::size_t>(a)], orders[static_cast<std::size_t>(b)]);
    });
    CHECK(d.entries == expected);
    CHECK(cores.wait(*first, 0) == HB_DNN_SUCCESS);
  }
}

TEST_CASE(
    "scheduler: the highest priority pre-empts at a checkpoint, the next lower one does not, and nothing pre-empts "
    "it") {
  scheduler cores;
  REQUIRE(cores.use_cores(1));
  for (const int running : {0, 254, 255}) {
    CAPTURE(running);
    gate g;
    diary d;
    auto low = submitted(cores, {.priority = running}, [&](const checkpoint& goes_on) -> result<void> {
      (void)g.closed()(goes_on);
      CHECK(goes_on());
      return d.entry(1)(goes_on);
    });
    g.wait_until_reached();
    auto high = submitted(cores, {.priority = 254}, d.entry(2)),
         highest = submitted(cores, {.priority = 255}, d.entry(3));
    g.open();
    CHECK(cores.wait(*high, 0) == HB_DNN_SUCCESS);
    CHECK(d.entries == (running == 255 ? std::vector<int>{1, 3, 2} : std::vector<int>{3, 1, 2}));
  }
}

TEST_CASE("scheduler: a job runs on the cores of its mask") {
  scheduler cores;
  REQUIRE(cores.cores() == 2);
  gate g;
  diary d;
  auto blocks_core_1 = submitted(cores, {.cores = HB_BPU_CORE_1}, g.closed());
  g.wait_until_reached();
  auto on_1 = submitted(cores, {.cores = HB_BPU_CORE_1, .priority = 9}, d.entry(1));
  auto on_0 = submitted(cores, {.cores = HB_BPU_CORE_0}, d.entry(0)), on_any = submitted(cores, {}, d.entry(2)),
       on_both = submitted(cores, {.cores = 3}, d.entry(3));
  for (auto& each : {on_0, on_any, on_both}) CHECK(cores.wait(*each, 0) == HB_DNN_SUCCESS);
  CHECK(cores.wait(*on_1, 1) == HB_DNN_TIMEOUT);
  CHECK(d.entries == std::vector<int>{0, 2, 3});
  g.open();
  CHECK(cores.wait(*on_1, 0) == HB_DNN_SUCCESS);
  CHECK(d.entries == std::vector<int>{0, 2, 3, 1});
}

TEST_CASE("scheduler: a released task does not begin, and ends at its next checkpoint where it has begun") {
  scheduler cores;
  REQUIRE(cores.use_cores(1));
  gate g;
  bool went_on = true, has_ended = false;
  diary d;
  auto running = submitted(cores, {}, [&](const checkpoint& goes_on) -> result<void> {
    (void)g.closed()(goes_on);
    while (goes_on()) std::this_thread::yield();
    went_on = false;
    has_ended = true;
    return nnrt::fail(nnrt::error_code::deadline_missed, "");
  });
  g.wait_until_reached();
  auto waiting = submitted(cores, {}, d.entry(1));
  cores.release(*waiting);
  CHECK(cores.wait(*waiting, 0) == HB_DNN_INVALID_TASK_HANDLE);
  std::int32_t told = 0;
  std::thread waits([&] { told = cores.wait(*running, 0); });
  g.open();
  cores.release(*running);
  CHECK((has_ended && !went_on));  // release() has waited for it
  waits.join();
  CHECK(told == HB_DNN_INVALID_TASK_HANDLE);
  CHECK(d.entries.empty());
  CHECK(cores.use_cores(2));
}

TEST_CASE("scheduler: a released task ends before what would pre-empt it begins") {
  scheduler cores;
  REQUIRE(cores.use_cores(1));
  gate g;
  diary d;
  auto running = submitted(cores, {}, [&](const checkpoint& goes_on) -> result<void> {
    (void)g.closed()(goes_on);
    CHECK(!goes_on());
    return d.entry(1)(goes_on);
  });
  g.wait_until_reached();
  auto highest = submitted(cores, {.priority = HB_DNN_PRIORITY_PREEMP}, d.entry(2));
  std::thread releases([&] { cores.release(*running); });
  CHECK(cores.wait(*running, 0) == HB_DNN_INVALID_TASK_HANDLE);
  g.open();
  releases.join();
  CHECK(cores.wait(*highest, 0) == HB_DNN_SUCCESS);
  CHECK(d.entries == std::vector<int>{1, 2});
}

TEST_CASE("scheduler: what waits when the cores stop has failed, and nobody waits for it any more") {
  scheduler cores;
  REQUIRE(cores.use_cores(1));
  gate g;
  auto running = submitted(cores, {}, g.closed());
  g.wait_until_reached();
  auto waiting = submitted(cores, {}, g.closed());
  std::thread stops([&] { cores.stop(); });
  CHECK(cores.wait(*waiting, 0) == HB_DNN_RUN_TASK_FAILED);
  g.open();
  stops.join();
  CHECK(cores.wait(*running, 0) == HB_DNN_SUCCESS);
}

TEST_CASE("scheduler: a task of several jobs has ended when all of them have, and fails when one does") {
  scheduler cores;
  diary d;
  auto made = std::make_shared<task>(false);
  const work failing = [](const checkpoint&) -> result<void> {
    return nnrt::fail(nnrt::error_code::rule_broken, "on purpose");
  };
  CHECK(cores.wait(*made, 1) == HB_DNN_API_USE_ERROR);
  CHECK(cores.add(*made, {}, {d.entry(1), failing, d.entry(2)}) == HB_DNN_SUCCESS);
  CHECK(cores.add(*made, {}, std::vector<work>(253, d.entry(3))) == HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT);
  CHECK(cores.add(*made, {}, std::vector<work>(252, d.entry(3))) == HB_DNN_SUCCESS);
  CHECK(cores.add(*made, {}, {d.entry(3)}) == HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT);
  cores.submit(made);
  CHECK(cores.add(*made, {}, {}) == HB_DNN_API_USE_ERROR);
  CHECK(!cores.was_awaited(*made));
  CHECK(cores.wait(*made, 0) == HB_DNN_RUN_TASK_FAILED);
  CHECK(cores.was_awaited(*made));
  CHECK(d.entries.size() == 254);
}

TEST_CASE("scheduler: a task for which there was no memory or no thread has not been submitted, and may be once more") {
  constexpr std::int32_t long_enough = 20'000;
  int refused = 0;
  for (long number = 0;; ++number) {
    CAPTURE(number);
    scheduler cores;  // without threads as yet
    diary d;
    d.entries.reserve(4);
    auto made = std::make_shared<task>(false);
    REQUIRE(cores.add(*made, {}, {d.entry(1), d.entry(2), d.entry(3)}) == HB_DNN_SUCCESS);
    nnrt_test::begin_shortage({number, false});
    const bool is_refused = nnrt_test::lacking([&] {
      try {
        cores.submit(made);
      } catch (const std::exception&) {
        return true;
      }
      return false;
    });
    CHECK(is_refused == nnrt_test::has_failed());
    if (is_refused) {
      ++refused;
      CHECK(cores.wait(*made, 1) == HB_DNN_API_USE_ERROR);
      CHECK(d.entries.empty());
      cores.submit(made);
    }
    CHECK(cores.wait(*made, long_enough) == HB_DNN_SUCCESS);
    auto on_1 = submitted(cores, {.cores = HB_BPU_CORE_1}, d.entry(4));
    CHECK(cores.wait(*on_1, long_enough) == HB_DNN_SUCCESS);
    CHECK(d.entries.size() == 4);
    if (!is_refused) break;
  }
  CHECK(refused > 4);  // threads and places in the queue
}

TEST_CASE("scheduler: jobs that are taken back do not run") {
  scheduler cores;
  REQUIRE(cores.use_cores(1));
  diary d;
  auto made = std::make_shared<task>(false);
  REQUIRE(cores.add(*made, {}, {d.entry(1)}) == HB_DNN_SUCCESS);
  REQUIRE(cores.add(*made, {}, {d.entry(2), d.entry(3)}) == HB_DNN_SUCCESS);
  cores.take_back(*made, 2);
  REQUIRE(cores.add(*made, {}, {d.entry(4)}) == HB_DNN_SUCCESS);
  cores.submit(made);
  CHECK(cores.wait(*made, 0) == HB_DNN_SUCCESS);
  CHECK(d.entries == std::vector<int>{1, 4});
}

TEST_CASE("scheduler: what waits or runs when it is destroyed ends") {
  gate g;
  {
    scheduler cores;
    REQUIRE(cores.use_cores(1));
    auto running = submitted(cores, {}, [&](const checkpoint& goes_on) -> result<void> {
      (void)g.closed()(goes_on);
      while (goes_on()) std::this_thread::yield();
      return {};
    });
    g.wait_until_reached();
    CHECK(!cores.use_cores(2));
    auto waiting = submitted(cores, {}, g.closed());
    g.open();
  }
}

TEST_CASE("scheduler: NNRT_BPU_CORES=1 simulates one core, anything else two") {
  for (const char* const wanted : {"1", "2", "0", "many", ""}) {
    REQUIRE(setenv("NNRT_BPU_CORES", wanted, 1) == 0);
    CAPTURE(std::string(wanted));
    const scheduler cores;  // as a program that starts now
    CHECK(cores.cores() == (std::string(wanted) == "1" ? 1 : 2));
  }
  REQUIRE(unsetenv("NNRT_BPU_CORES") == 0);
}

TEST_CASE(
    "scheduler: a job computes in its client's floating-point environment, also in the thread of another one that it "
    "pre-empts") {
  scheduler cores;
  REQUIRE(cores.use_cores(1));
  for (const nnrt_test::named_environment& low : nnrt_test::float_environments())
    for (const nnrt_test::named_environment& high : nnrt_test::float_environments()) {
      CAPTURE(low.name);
      CAPTURE(high.name);
      gate g;
      nnrt::float_environment before, after, within;
      std::shared_ptr<task> first, second;
      {
        const nnrt::float_scope client(low.floats);
        first = submitted(cores, {}, [&](const checkpoint& goes_on) -> result<void> {
          before = nnrt::float_environment::of_this_thread();
          (void)g.closed()(goes_on);
          (void)goes_on();
          after = nnrt::float_environment::of_this_thread();
          return {};
        });
      }
      g.wait_until_reached();
      {
        const nnrt::float_scope client(high.floats);
        second = submitted(cores, {.priority = HB_DNN_PRIORITY_PREEMP}, [&](const checkpoint&) -> result<void> {
          within = nnrt::float_environment::of_this_thread();
          return {};
        });
      }
      g.open();
      CHECK(cores.wait(*first, 0) == HB_DNN_SUCCESS);
      CHECK(cores.wait(*second, 0) == HB_DNN_SUCCESS);
      CHECK((before == low.floats && within == high.floats && after == low.floats));
    }
}

TEST_CASE(
    "scheduler: in a child process its parent's tasks have failed, others run on cores of the child's, and the end "
    "waits for nobody") {
  int failed = 0;
  for (int i = 0; i < 60; ++i) {
    auto cores = std::make_unique<scheduler>();
    gate g;
    diary d;
    std::vector<std::shared_ptr<task>> tasks;
    if (i % 4 != 0) tasks.push_back(submitted(*cores, {.cores = HB_BPU_CORE_0}, i % 2 == 1 ? g.closed() : d.entry(1)));
    if (i % 2 == 1 && i % 4 != 0) g.wait_until_reached();
    if (i % 4 == 3) tasks.push_back(submitted(*cores, {.cores = HB_BPU_CORE_0}, d.entry(2)));  // waits
    failed += nnrt_test::in_child([&] {
                ::alarm(60);
                if (i % 3 != 0) {
                  if (i % 2 == 1)
                    for (const auto& each : tasks)
                      if (cores->wait(*each, 0) != HB_DNN_RUN_TASK_FAILED) return 1;
                  std::atomic<int> ran{0};
                  for (int k = 0; k < 3; ++k) {
                    auto own = std::make_shared<task>(false);
                    std::vector<work> jobs;
                    jobs.push_back([&](const checkpoint&) -> result<void> { return ++ran, result<void>(); });
                    if (cores->add(*own, {}, std::move(jobs)) != HB_DNN_SUCCESS) return 2;
                    cores->submit(own);
                    if (cores->wait(*own, 0) != HB_DNN_SUCCESS) return 3;
                  }
                  if (ran != 3) return 4;
                  for (const auto& each : tasks) cores->release(*each);
                }
                cores.reset();
                return 0;
              }) != 0;
    g.open();
    for (const auto& each : tasks) failed += cores->wait(*each, 0) != HB_DNN_SUCCESS;
  }
  CHECK(failed == 0);
}
