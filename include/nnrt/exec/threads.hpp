// threads: a small thread pool; the parts of one phase run at the same time, then all threads wait for each other.
// Flow: executors and sessions make one if the options ask for threads; run_plan() gives it the steps.
#pragma once

#include <nnrt/core/float_environment.hpp>
#include <nnrt/core/system_text.hpp>
#include <nnrt/exec/event_count.hpp>
#include <nnrt/exec/forks.hpp>
#include <nnrt/exec/options.hpp>
#include <nnrt/exec/parallel_phases.hpp>
#include <nnrt/exec/processors.hpp>
#include <nnrt/exec/work_slot.hpp>

#include <pthread.h>
#include <span>
#include <utility>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

/// A pool of threads - 1 workers and the caller. One run() at a time; run() does not allocate. It uses POSIX threads,
/// because `<thread>` costs every user 0.26 s of parsing.
///
/// In each phase a thread has one part as its share. It is the same part in every phase, so that the next phase finds
/// its data in the core's cache. A share belongs to the thread that claims it first. When the caller has finished its
/// share, it claims those that no worker has begun. It does so at once if the worker took no part in the preceding
/// phase, otherwise after a short wait. So a run waits for busy workers only, not for sleeping ones. If parts have
/// pieces, an idle thread steals half of another thread's remaining pieces, since cores may differ in speed.
///
/// The caller posts a phase as soon as its share of the preceding phase is done; each thread then waits for the others.
/// So there is one message between cores for each phase, not two.
///
/// Workers compute in the caller's floating-point environment of each run: rounding, denormals, traps. In a forked
/// child process, which has no workers, the caller runs all shares; the pool may be destroyed there.
/// process, which has no workers, the caller runs all shares; the pool may be destroyed there.
class thread_pool final : public part_runner {
 public:
  thread_pool() = default;
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() { stop(); }

  /// Starts the workers; `pinned` ones are each bound to a processor, see options. Errors: invalid_argument (fewer than
  /// 1 or more than 1024), out_of_memory (the system cannot start more threads), not_supported (it cannot pin them).
  [[gnu::cold]] result<void> start(int threads, bool pinned = false) {
    if (auto ok = check_options({.threads = threads}); !ok) return ok;
    home_.move_here();
    members_ = std::vector<member>(static_cast<std::size_t>(threads));  // threads hold pointers to them
    threads_ = threads, is_pinned_ = pinned;
    const detail::processors here;
    for (int number = 1; number < threads; ++number) {
      member& m = members_[static_cast<std::size_t>(number)];
      m.pool = this, m.number = number;
      int failed = pthread_create(&m.id, nullptr, &thread_pool::work, &m);
      const bool has_started = failed == 0;
      if (has_started) ++started_;
      if (has_started && pinned) failed = here.keep_on(m.id, started_);
      if (failed == 0) continue;
      stop();
      return fail(has_started ? error_code::not_supported : error_code::out_of_memory,
                  {"thread ", number, " of ", threads,
                   has_started ? " cannot be pinned: " : " did not start: ", system_text(failed).view()});
    }
    return {};
  }

  int threads() const override { return threads_; }
  /// The value that start() was given.
  bool is_pinned() const { return is_pinned_; }

  void run(parallel_phases& work, int first, int end) override {
    if (!home_.is_here()) forget_workers();
    work_ = &work;  // published by the next post; nothing can be claimed before that
    environment_ = float_environment::of_this_thread();
    if (idle_.any()) forget_present();
    for (int number = first, posted = -1; number < end;) {
      const parallel_phases::phase phase = work.at(number);
      bool goes_on = true;
      if (phase.parts < 2) {
        only_piece alone;
        goes_on = work.run(number, alone);
      } else {
        if (posted != number) post(number, phase);
        const int epoch = epoch_;
        goes_on = run_share(members_[0], 0, number, epoch);
        take_from_absent(epoch, number);
        if (goes_on && phase.next < end)
          if (const parallel_phases::phase next = work.at(phase.next); next.parts > 1) post(posted = phase.next, next);
        for (member& m : workers()) wait_for(m, epoch, number);
      }
      if (!goes_on) return;
      work.done(number);
      number = phase.next;
    }
  }

  /// Calls job(context, part) for part = 0 … parts - 1 and returns when all are done. The caller runs part 0. If there
  /// are more parts than threads, thread t runs parts t, t + threads(), …
  void run(void (*job)(void*, int), void* context, int parts) {
    single_phase work(job, context, parts, threads_);
    run(work, 0, 1);
  }

 private:
  struct member {
    detail::work_slot slot;
    thread_pool* pool = nullptr;
    int number = 0;
    bool is_present = false;  // ran its share of the last epoch itself; only the caller uses this
    pthread_t id{};
  };
  using word = std::uint64_t;  // the epoch, and in its lower half the number of the phase

  /// The pieces of a claimed share, then pieces stolen from others.
  class pieces_of_share final : public piece_source {
   public:
    /// The share of member `of`, which `thread` runs.
    pieces_of_share(thread_pool& pool, member& of, int thread, int epoch, parallel_phases::phase phase)
        : pool_(pool),
          mine_(of.slot),
          first_(of.number < phase.parts ? of.number * phase.pieces : -1),
          pieces_(phase.pieces),
          thread_(thread),
          epoch_(epoch) {
      if (of.number != 0) put(of.number, phase, mine_, epoch);  // the caller's pieces are set by post()
    }
    /// Offers the pieces of a share except the first, which its thread runs.
    static void put(int number, parallel_phases::phase phase, detail::work_slot& slot, int epoch) {
      if (phase.pieces > 1 && number < phase.parts)
        slot.put({epoch, number * phase.pieces + 1, (number + 1) * phase.pieces});
    }
    int thread() const override { return thread_; }
    bool next(piece_of_part& found) override {
      int index = std::exchange(first_, -1);
      if (index < 0 && pieces_ > 1) index = further();
      found = {index / pieces_, index % pieces_};
      return index >= 0;
    }

   private:
    int further() {
      if (const int index = mine_.take_first(epoch_); index >= 0) return index;
      for (member& m : pool_.members_) {
        const detail::pieces_left half = m.slot.steal_half(epoch_);
        if (half.count() == 0) continue;
        mine_.put({epoch_, half.begin + 1, half.end});
        return half.begin;
      }
      return -1;
    }

    thread_pool& pool_;
    detail::work_slot& mine_;
    int first_, pieces_, thread_, epoch_;
  };
  class single_phase final : public parallel_phases {
   public:
    single_phase(void (*job)(void*, int), void* context, int parts, int threads)
        : job_(job), context_(context), parts_(parts), shares_(std::min(parts, threads)) {}
    phase at(int) const override { return {shares_, 1, 1}; }
    bool run(int, piece_source& source) override {
      for (piece_of_part mine; source.next(mine);)
        for (int part = mine.part; part < parts_; part += shares_) job_(context_, part);
      return true;
    }
    void done(int) override {}

   private:
    void (*job_)(void*, int);
    void* context_;
    int parts_, shares_;
  };

  /// Number of polls for which the caller waits for a worker that took part in the last phase to begin its share.
  static constexpr int patient_looks = 200;
  /// Number of polls after which a waiting thread checks for sleepers that wait for its own earlier writes. Its check
  /// at the time of the write may have come before the write was visible. A fence there would make each message wait
  /// for the preceding one.
  static constexpr int looks_before_waking = 50;

  std::span<member> workers() { return {members_.data() + 1, members_.size() - 1}; }

  static void* work(void* argument) {
    member& me = *static_cast<member*>(argument);
    thread_pool& pool = *me.pool;
    float_environment mine = float_environment::of_this_thread();
    for (word seen = 0;;) {
      pool.wait_until([&] { return pool.posted() != seen; }, pool.idle_, false);
      seen = pool.posted();
      if (__atomic_load_n(&pool.stopping_, __ATOMIC_RELAXED)) return nullptr;
      const int epoch = static_cast<int>(seen >> 32), before = detail::work_slot::previous(epoch);
      if (!me.slot.claim(epoch)) continue;
      for (member& m : pool.workers()) pool.wait_until([&] { return m.slot.is_done(before); }, pool.waiting_, false);
      if (mine != pool.environment_) (mine = pool.environment_).enter();
      pool.run_share(me, me.number, static_cast<int>(seen & 0xffffffffU), epoch);
      pool.finish(me, epoch);
    }
  }
  /// Runs a claimed share. Returns whether the work continues.
  bool run_share(member& of, int thread, int number, int epoch) {
    pieces_of_share source(*this, of, thread, epoch, work_->at(number));
    return work_->run(number, source);
  }

  word posted() const { return __atomic_load_n(&posted_, __ATOMIC_ACQUIRE); }
  void post(int number, parallel_phases::phase phase) {
    epoch_ = detail::work_slot::following(epoch_);
    pieces_of_share::put(0, phase, members_[0].slot, epoch_);
    __atomic_store_n(&posted_, word{static_cast<unsigned>(epoch_)} << 32 | static_cast<unsigned>(number),
                     __ATOMIC_RELEASE);
    if (idle_.any()) idle_.wake();
  }
  void finish(member& m, int epoch) {
    m.slot.finish(epoch);
    if (waiting_.any()) waiting_.wake();
  }
  /// Wakes threads that may wait for this thread's writes: finished shares, including claimed ones of other threads,
  /// and phases posted by the caller. The mutexes act as fences: a thread that falls asleep afterwards sees the writes.
  void wake_who_waits_for(bool is_caller) {
    waiting_.wake();
    if (is_caller) idle_.wake();
  }
  /// Polls is_there(), then sleeps on `here` until it is true.
  template <class IsThere> void wait_until(IsThere is_there, detail::event_count& here, bool is_caller) {
    if (detail::look_for(is_there, looks_before_waking)) return;
    if (waiting_.any() || (is_caller && idle_.any())) wake_who_waits_for(is_caller);
    if (detail::look_for(is_there, detail::looks_before_sleep)) return;
    wake_who_waits_for(is_caller);
    here.sleep_until(is_there);
  }

  void forget_present() {
    for (member& m : workers()) m.is_present = false;
  }
  /// Runs the shares of workers that did not run theirs in the last epoch and have not claimed them now.
  void take_from_absent(int epoch, int number) {
    for (member& m : workers())
      if (!m.is_present) m.is_present = !take(m, epoch, number);
  }
  bool take(member& m, int epoch, int number) {
    if (!m.slot.claim(epoch)) return false;
    run_share(m, 0, number, epoch);
    finish(m, epoch);
    return true;
  }
  void wait_for(member& m, int epoch, int number) {
    const auto is_done = [&] { return m.slot.is_done(epoch); };
    if (detail::look_for(is_done, patient_looks)) return;
    m.is_present = !take(m, epoch, number);
    wait_until(is_done, waiting_, true);
  }

  /// In a forked child: resets all state that lost threads were using, since nothing waits for them.
  [[gnu::cold]] void forget_workers() {
    home_.move_here();
    started_ = 0, epoch_ = 0, posted_ = 0;
    detail::made_anew(idle_), detail::made_anew(waiting_);
    for (member& m : members_) detail::made_anew(m.slot), m.is_present = false;
  }
  void stop() {
    if (!home_.is_here()) forget_workers();
    __atomic_store_n(&stopping_, true, __ATOMIC_RELAXED);  // published with the new epoch
    if (started_ > 0) post(0, {}), idle_.wake();
    for (int number = 1; number <= started_; ++number)
      pthread_join(members_[static_cast<std::size_t>(number)].id, nullptr);
    started_ = 0;
    members_.clear();
  }

  std::vector<member> members_;  // the first is the caller
  int threads_ = 1, started_ = 0;
  bool is_pinned_ = false;
  detail::home_process home_;             // of the workers
  [[maybe_unused]] std::byte apart_[64];  // separates shared read-only data from data that the caller writes
  word posted_ = 0;                       // workers wait for a change of it
  int epoch_ = 0;                         // the epoch of posted_
  parallel_phases* work_ = nullptr;
  float_environment environment_;  // of the run's caller
  bool stopping_ = false;
  [[maybe_unused]] std::byte apart_too_[64];
  detail::event_count idle_;     // workers without work
  detail::event_count waiting_;  // threads that wait for shares to be done
};

}}  // namespace nnrt::NNRT_ISA
