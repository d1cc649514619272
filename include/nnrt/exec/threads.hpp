// threads: a small fork-join pool; the parts of one step run at the same time, then all wait for each other.
// Flow: executors and sessions make one when the options ask for threads; run_step() hands it parts.
#pragma once

#include <nnrt/core/pool.hpp>
#include <nnrt/core/system_text.hpp>
#include <nnrt/exec/options.hpp>
#include <nnrt/exec/plan_view.hpp>

#include <errno.h>
#include <pthread.h>

namespace nnrt::inline NNRT_ISA {

namespace detail {

/// A number that threads wait for: they look at it for a while and then sleep. Atomic through the compilers' own
/// functions, and POSIX conditions to sleep on: <atomic> costs each translation unit 0.06 s of parsing.
class awaited_number {
 public:
  awaited_number() = default;
  awaited_number(const awaited_number&) = delete;
  awaited_number& operator=(const awaited_number&) = delete;
  ~awaited_number() {
    pthread_cond_destroy(&changed_);
    pthread_mutex_destroy(&mutex_);
  }

  int load() const { return __atomic_load_n(&value_, __ATOMIC_SEQ_CST); }
  /// Where nobody waits yet.
  void store(int value) { __atomic_store_n(&value_, value, __ATOMIC_SEQ_CST); }
  /// The sum. Sleepers stay asleep until wake().
  int add(int more) { return __atomic_add_fetch(&value_, more, __ATOMIC_SEQ_CST); }
  /// Wakes all who wait. Whoever is about to sleep has counted himself before he looked at the number for the last time: either
  /// he is seen here, or he sees what was added before.
  void wake() {
    if (__atomic_load_n(&sleepers_, __ATOMIC_SEQ_CST) == 0) return;
    pthread_mutex_lock(&mutex_);
    pthread_cond_broadcast(&changed_);
    pthread_mutex_unlock(&mutex_);
  }
  /// Waits as long as the number is this one.
  void wait_while(int value) {
    for (int look = 0; look < looks_before_sleep; ++look, pause())
      if (load() != value) return;
    pthread_mutex_lock(&mutex_);
    __atomic_add_fetch(&sleepers_, 1, __ATOMIC_SEQ_CST);
    while (load() == value) pthread_cond_wait(&changed_, &mutex_);
    __atomic_sub_fetch(&sleepers_, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  /// Steps follow each other within microseconds: looking a few thousand times costs less than sleeping and waking once.
  static constexpr int looks_before_sleep = 4000;

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  int value_ = 0;
  int sleepers_ = 0;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

/// The processors that a thread may use, from the one on which it runs on.
class processors {
 public:
  /// Those of the calling thread.
  [[gnu::cold]] processors() {
#if defined(__linux__)
    failed_ = pthread_getaffinity_np(pthread_self(), sizeof allowed_, &allowed_);
    first_ = sched_getcpu();
#endif
  }
  /// Keeps another thread on the one `number` further on, in a circle. An error's number, 0 if there is none.
  [[gnu::cold]] int keep_on(pthread_t thread, int number) const {
#if defined(__linux__)
    if (failed_ != 0) return failed_;
    int processor = first_;
    for (int left = number % CPU_COUNT(&allowed_); left > 0; --left) {
      do processor = (processor + 1) % CPU_SETSIZE;
      while (!CPU_ISSET(processor, &allowed_));
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return pthread_setaffinity_np(thread, sizeof one, &one);
#else
    return static_cast<void>(thread), static_cast<void>(number), ENOTSUP;
#endif
  }

#if defined(__linux__)
 private:
  cpu_set_t allowed_;
  int failed_, first_;
#endif
};

}  // namespace detail

/// A pool of threads - 1 workers beside the caller. One run() at a time; no allocation in run(). POSIX threads, because <thread> costs every
/// user 0.26 s of parsing.
///
/// Each round a thread has a share of the parts: always the same, so that what a step left in a core's cache is where the next one
/// reads it. A share belongs to whoever claims it first. The caller takes those that no worker has begun when its own is done: so a
/// run never waits for a worker to wake up, only for one that is at work.
class thread_pool final : public part_runner {
 public:
  thread_pool() = default;
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() { stop(); }

  /// Starts the workers; pinned ones stay on processors of their own, see options. Errors: invalid_argument (fewer than 1 or more than
  /// 1024), out_of_memory (the system starts no more threads), not_supported (it pins none).
  [[gnu::cold]] result<void> start(int threads, bool pinned = false) {
    if (auto ok = check_options({.threads = threads}); !ok) return ok;
    workers_.assign(static_cast<std::size_t>(threads - 1), {});  // threads hold pointers to them
    threads_ = threads, is_pinned_ = pinned;
    const detail::processors here;
    for (worker& w : workers_) {
      w.pool = this, w.number = started_ + 1;
      int failed = pthread_create(&w.id, nullptr, &thread_pool::work, &w);
      const bool has_started = failed == 0;
      if (has_started) ++started_;
      if (has_started && pinned) failed = here.keep_on(w.id, started_);
      if (failed == 0) continue;
      const int number = w.number;
      stop();
      return fail(has_started ? error_code::not_supported : error_code::out_of_memory,
                  {"thread ", number, " of ", threads, has_started ? " cannot be pinned: " : " did not start: ", system_text(failed).view()});
    }
    return {};
  }

  int threads() const override { return threads_; }
  /// As start() was told.
  bool is_pinned() const { return is_pinned_; }

  void run(void (*job)(void*, int), void* context, int parts) override {
    job_ = job;
    context_ = context;
    parts_ = parts;
    pending_.store(static_cast<int>(workers_.size()));
    const int round = round_.add(1);
    round_.wake();
    run_share(0);
    for (worker& w : workers_)
      if (w.claim(round)) {
        run_share(w.number);
        pending_.add(-1);
      }
    while (const int left = pending_.load()) pending_.wait_while(left);
  }

 private:
  struct worker {
    thread_pool* pool;
    int number;
    int claimed;  // the last round in which somebody took this worker's share
    pthread_t id;
    std::byte apart[64];  // claims of neighbours do not share a cache line

    /// Whether this share of a round is the caller's to run. A thread that comes late, when the next round has begun, finds it taken.
    bool claim(int round) {
      int before = static_cast<int>(static_cast<unsigned>(round) - 1U);  // rounds are counted in a circle
      return __atomic_compare_exchange_n(&claimed, &before, round, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
  };

  static void* work(void* argument) {
    worker& me = *static_cast<worker*>(argument);
    thread_pool& pool = *me.pool;
    for (int seen = 0;;) {
      pool.round_.wait_while(seen);
      seen = pool.round_.load();
      if (__atomic_load_n(&pool.stopping_, __ATOMIC_RELAXED)) return nullptr;
      if (!me.claim(seen)) continue;
      pool.run_share(me.number);
      if (pool.pending_.add(-1) == 0) pool.pending_.wake();
    }
  }
  /// The parts of one thread.
  void run_share(int thread) {
    for (int part = thread; part < parts_; part += threads_) job_(context_, part);
  }
  void stop() {
    __atomic_store_n(&stopping_, true, __ATOMIC_RELAXED);  // seen with the new round
    round_.add(1);
    round_.wake();
    for (int i = 0; i < started_; ++i) pthread_join(workers_[static_cast<std::size_t>(i)].id, nullptr);
    started_ = 0;
    workers_.clear();
  }

  nnrt::pool<worker> workers_;
  int threads_ = 1, started_ = 0;
  bool is_pinned_ = false;
  void (*job_)(void*, int) = nullptr;
  void* context_ = nullptr;
  int parts_ = 0;
  bool stopping_ = false;
  detail::awaited_number round_;       // a round begins when this is added to
  detail::awaited_number pending_;     // shares of this round that are not done, the caller's own aside
};

}  // namespace nnrt::inline NNRT_ISA
