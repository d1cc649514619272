// fence: an event that one thread signals and others wait for.
// Flow: hal/prepared_model_handle.hpp starts runs after fences, and returns one for the end of the run.
#pragma once

#include <nnrt/core/deadline.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// An event that is signalled or fails, once. Copies share one event. Safe from any thread.
class fence {
 public:
  fence() : state_(std::make_shared<state>()) {}

  void signal() const { end(true); }
  void fail() const { end(false); }
  /// Waits until the event or `deadline`, nanoseconds of the steady clock. True: signalled; false: failed; empty:
  /// neither.
  std::optional<bool> wait_until(std::int64_t deadline) const {
    std::unique_lock lock(state_->mutex);
    const auto is_over = [&] { return state_->ended.has_value(); };
    if (deadline == no_deadline) state_->changed.wait(lock, is_over);
    else
      state_->changed.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline)),
                                 is_over);
    return state_->ended;
  }

 private:
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<bool> ended;
  };
  void end(bool has_happened) const {
    const std::lock_guard lock(state_->mutex);
    if (!state_->ended) state_->ended = has_happened;
    state_->changed.notify_all();
  }
  std::shared_ptr<state> state_;
};

}}}  // namespace nnrt::NNRT_ISA::hal
