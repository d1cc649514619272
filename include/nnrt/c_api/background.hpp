// background: a thread that does one job again and again, each time that it is asked to.
// Flow: executors run asynchronously in one.
#pragma once

#include <nnrt/c_api/awaited_number.hpp>
#include <nnrt/core/float_environment.hpp>
#include <nnrt/exec/forks.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// Does `job(context)` once for each begin(), in the floating-point environment of the thread that called begin(); the
/// thread starts with the first one. The job may itself begin the next one, or destroy this object, as the last thing
/// that it does. In a child process a job of the parent's is over, and the next begin() starts a thread there.
class background_thread {
 public:
  using job = void (*)(void* context) noexcept;

  background_thread(job does, void* context) : state_(std::make_shared<state>(does, context)) {}
  background_thread(const background_thread&) = delete;
  background_thread& operator=(const background_thread&) = delete;
  ~background_thread() {
    if (!home_.is_here() && thread_.joinable()) {
      forget_thread();
      return;
    }
    wait();
    state_->ends = true;
    state_->ask();
    if (is_this_one()) thread_.detach();
    else if (thread_.joinable()) thread_.join();
  }

  /// Until the last job has ended. Within a job: at once.
  void wait() {
    if (!home_.is_here()) return;
    if (!thread_.joinable() || is_this_one()) return;
    for (int ended = state_->ended.load(); ended != state_->asked.load(); ended = state_->ended.load())
      state_->ended.wait_while(ended);
  }
  /// After wait(), by one thread at a time. Throws std::system_error where there is no thread.
  void begin() {
    if (!home_.is_here()) {
      if (thread_.joinable()) {
        auto fresh = std::make_shared<state>(state_->does, state_->context);
        forget_thread();
        state_ = std::move(fresh);
      }
      home_.move_here();
    }
    state_->floats = float_environment::of_this_thread();
    const std::shared_ptr<state> kept = state_;  // the job may destroy this object before the call returns
    if (!thread_.joinable()) thread_ = std::thread([kept]() noexcept { kept->work(); });
    kept->ask();
  }

 private:
  /// Outlives the object where that is destroyed by the job.
  struct state {
    job does;
    void* context;
    float_environment floats;  // of who asked
    // Jobs so far; both begin again when they are at their end. Who waits looks for a while before it sleeps: a caller
    // that heard of the end from within the job asks again before the job has returned.
    awaited_number asked, ended;
    std::atomic<bool> ends{false};

    state(job the_job, void* with) : does(the_job), context(with) {}

    void ask() { asked.increment(); }
    void work() {
      for (;;) {
        asked.wait_while(ended.load());
        if (ends) return;
        floats.enter();
        does(context);
        ended.increment();
      }
    }
  };

  /// Jobs are done after the first begin() has returned, or by whoever was asked to wait: thread_ is written before the
  /// first one.
  bool is_this_one() const { return thread_.get_id() == std::this_thread::get_id(); }
  /// In a child process. The thread's own hold on the state keeps it for ever: what it waited with cannot be taken
  /// down.
  void forget_thread() { nnrt::detail::made_anew(thread_); }

  std::shared_ptr<state> state_;
  std::thread thread_;
  nnrt::detail::home_process home_;  // of the thread
};

}}}  // namespace nnrt::NNRT_ISA::c_api
