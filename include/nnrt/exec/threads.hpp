// threads: a small fork-join pool; the parts of one step run at the same time, then all wait for each other.
// Flow: executors and sessions make one when the options ask for threads; run_step() hands it parts.
#pragma once

#include <nnrt/exec/options.hpp>
#include <nnrt/exec/plan_view.hpp>

#include <atomic>
#include <cstring>
#include <pthread.h>
#include <vector>

namespace nnrt::inline NNRT_ISA {

/// A pool of threads - 1 workers beside the caller. One run() at a time; no allocation in run(). POSIX threads, because <thread> costs every
/// user 0.26 s of parsing.
class thread_pool final : public part_runner {
 public:
  thread_pool() = default;
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() { stop(); }

  /// Starts the workers. Errors: invalid_argument (fewer than 1 or more than 1024), out_of_memory (the system starts no more threads).
  [[gnu::cold]] result<void> start(int threads) {
    if (auto ok = check_options({.threads = threads}); !ok) return ok;
    workers_.reserve(static_cast<std::size_t>(threads));  // workers hold pointers into it
    threads_ = threads;
    for (int i = 1; i < threads; ++i) {
      workers_.push_back({this, i, {}});
      const int failed = pthread_create(&workers_.back().id, nullptr, &thread_pool::work, &workers_.back());
      if (failed == 0) continue;
      workers_.pop_back();
      stop();
      return fail(error_code::out_of_memory, joined({"thread ", i, " of ", threads, " did not start: ", std::strerror(failed)}));
    }
    return {};
  }

  int threads() const override { return threads_; }

  void run(void (*job)(void*, int), void* context, int parts) override {
    job_ = job;
    context_ = context;
    parts_ = parts;
    pending_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (int part = 0; part < parts; part += threads_) job(context, part);
    wait_until_zero();
  }

 private:
  struct worker {
    thread_pool* pool;
    int number;
    pthread_t id;
  };

  /// Steps follow each other within microseconds: looking a few thousand times costs less than sleeping and waking once.
  static constexpr int looks_before_sleep = 4000;

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  static void* work(void* argument) {
    const worker& me = *static_cast<worker*>(argument);
    thread_pool& pool = *me.pool;
    for (unsigned seen = 0;;) {
      seen = pool.next_round(seen);
      if (pool.stopping_.load(std::memory_order_relaxed)) return nullptr;
      for (int part = me.number; part < pool.parts_; part += pool.threads_) pool.job_(pool.context_, part);
      if (pool.pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pool.pending_.notify_one();
    }
  }
  unsigned next_round(unsigned seen) const {
    for (int look = 0; look < looks_before_sleep; ++look) {
      const unsigned now = round_.load(std::memory_order_acquire);
      if (now != seen) return now;
      pause();
    }
    round_.wait(seen, std::memory_order_acquire);
    return round_.load(std::memory_order_acquire);
  }
  void wait_until_zero() const {
    for (int look = 0;; ++look) {
      const int left = pending_.load(std::memory_order_acquire);
      if (left == 0) return;
      if (look < looks_before_sleep) pause();
      else pending_.wait(left, std::memory_order_acquire);
    }
  }
  void stop() {
    stopping_.store(true, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (const worker& w : workers_) pthread_join(w.id, nullptr);
    workers_.clear();
  }

  std::vector<worker> workers_;
  int threads_ = 1;
  void (*job_)(void*, int) = nullptr;
  void* context_ = nullptr;
  int parts_ = 0;
  std::atomic<unsigned> round_{0};
  std::atomic<int> pending_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace nnrt::inline NNRT_ISA
