// background: a thread that runs one job each time it is asked to.
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

/// Runs `job(context)` once for each begin(), with the floating-point environment of begin()'s caller. The first
/// begin() starts the thread.
/// A job may begin the next one, or destroy this object as its last action. In a child process the parent's jobs count
/// as ended, and the next begin() starts a new thread.
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

  /// Waits until the last job has ended. Inside a job it returns at once.
  void wait() {
    if (!home_.is_here()) return;
    if (!thread_.joinable() || is_this_one()) return;
    for (int ended = state_->ended.load(); ended != state_->asked.load(); ended = state_->ended.load())
      state_->ended.wait_while(ended);
  }
  /// Starts the job. Call it after wait(), from one thread at a time. Throws std::system_error if the system refuses a
  /// thread.
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
  /// Kept alive by the thread if a job destroys the object.
  struct state {
    job does;
    void* context;
    float_environment floats;  // of begin()'s caller
    // Numbers of jobs asked for and ended; both wrap around. A waiting thread polls before it sleeps: a caller that
    // learned of the end inside the job asks again before the job has returned.
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

  /// True inside a job. thread_ is written before the first job runs: jobs run after begin() has returned, or while
  /// wait() blocks.
  bool is_this_one() const { return thread_.get_id() == std::this_thread::get_id(); }
  /// For child processes. The thread's reference keeps the state for ever, as its synchronisation objects cannot be
  /// destroyed.
  void forget_thread() { nnrt::detail::made_anew(thread_); }

  std::shared_ptr<state> state_;
  std::thread thread_;
  nnrt::detail::home_process home_;  // the thread's process
};

}}}  // namespace nnrt::NNRT_ISA::c_api
