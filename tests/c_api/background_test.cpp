// background_test: every job is done once, whoever waits sees what it wrote, and a job may ask for the next one or end its thread.
#include <nnrt/c_api/background.hpp>

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

}  // namespace
