// background_test: every job is done once, waiting threads see what it wrote, and a job may ask for the next one or end
// its thread.
#include <nnrt/c_api/background.hpp>

#include "support/child_process.hpp"
#include "support/float_environments.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <optional>

namespace {

using nnrt::c_api::background_thread;

/// Counts without atomics: the thread orders its jobs before what follows wait().
struct counted {
  int jobs = 0;
  static void add(void* context) noexcept { ++static_cast<counted*>(context)->jobs; }
};

TEST_CASE("background: a thread that was never asked ends") {
  counted none;
  { const background_thread idle(&counted::add, &none); }
  CHECK(none.jobs == 0);
}

TEST_CASE("background: jobs follow each other, and wait() returns when the last one has ended") {
  counted all;
  background_thread thread(&counted::add, &all);
  thread.wait();  // for nothing
  for (int i = 1; i <= 20'000; ++i) {
    thread.begin();
    thread.wait();
    if (all.jobs != i) FAIL_CHECK("job ", i, ": ", all.jobs);
  }
}

TEST_CASE("background: the end of the object waits for its job") {
  for (int i = 0; i < 200; ++i) {
    counted one;
    {
      background_thread thread(&counted::add, &one);
      thread.begin();
    }
    CHECK(one.jobs == 1);
  }
}

TEST_CASE("background: a job may ask for the next one") {
  struct chain {
    std::optional<background_thread> thread;
    std::atomic<int> jobs{0};
    static void next(void* context) noexcept {
      chain& c = *static_cast<chain*>(context);
      const int done = ++c.jobs;
      if (done < 1000) {
        c.thread->wait();  // within a job: at once
        c.thread->begin();
      }
      c.jobs.notify_all();
    }
  } c;
  c.thread.emplace(&chain::next, &c);
  c.thread->begin();
  for (int seen = c.jobs; seen < 1000; seen = c.jobs) c.jobs.wait(seen);
  c.thread.reset();
  CHECK(c.jobs == 1000);
}

TEST_CASE("background: a job may destroy its thread") {
  struct ending {
    std::unique_ptr<background_thread> thread;
    std::shared_ptr<std::atomic<int>> ended;
    static void end(void* context) noexcept {
      ending* const mine = static_cast<ending*>(context);
      const auto ended = mine->ended;
      delete mine;
      ended->store(1);
      ended->notify_all();
    }
  };
  for (int i = 0; i < 200; ++i) {
    const auto ended = std::make_shared<std::atomic<int>>(0);
    ending* const one = new ending{nullptr, ended};
    one->thread = std::make_unique<background_thread>(&ending::end, one);
    one->thread->begin();
    ended->wait(0);
    CHECK(*ended == 1);
  }
}

TEST_CASE("background: each job computes in the floating-point environment of the thread that asked for it") {
  struct seen {
    nnrt::float_environment floats;
    static void look(void* context) noexcept {
      static_cast<seen*>(context)->floats = nnrt::float_environment::of_this_thread();
    }
  } one;
  background_thread thread(&seen::look, &one);
  for (int round = 0; round < 3; ++round)
    for (const nnrt_test::named_environment& e : nnrt_test::float_environments()) {
      CAPTURE(e.name);
      const nnrt::float_scope scope(e.floats);
      thread.begin();
      thread.wait();
      CHECK(one.floats == e.floats);
    }
}

TEST_CASE("background: a child process waits for no job of its parent's, runs its own, and destroys the object") {
  int failed = 0;
  for (int i = 0; i < 60; ++i) {
    counted all;
    std::optional<background_thread> thread(std::in_place, &counted::add, &all);
    if (i % 3 != 0) thread->begin();
    if (i % 3 == 1) thread->wait();
    failed += nnrt_test::in_child([&] {
                ::alarm(60);
                if (i % 2 == 1) {
                  thread->wait();
                  all.jobs = 0;  // the thread that would have done the parent's is not here
                  for (int k = 1; k < 4; ++k) {
                    thread->begin();
                    thread->wait();
                    if (all.jobs != k) return 1;
                  }
                }
                thread.reset();
                return 0;
              }) != 0;
    thread->wait();
    failed += all.jobs != (i % 3 != 0 ? 1 : 0);
  }
  CHECK(failed == 0);
}

}  // namespace
