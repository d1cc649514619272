// awaited_number: a counter that threads can wait on.
// Flow: background.hpp counts its jobs with two of them.
#pragma once

#include <nnrt/exec/event_count.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// The counter wraps around. Safe from any thread.
class awaited_number {
 public:
  int load() const { return __atomic_load_n(&value_, __ATOMIC_SEQ_CST); }
  /// Adds one and wakes all waiting threads.
  void increment() {
    __atomic_add_fetch(&value_, 1, __ATOMIC_SEQ_CST);
    sleepers_.wake_any();
  }
  /// Waits until the counter differs from `value`.
  void wait_while(int value) {
    const auto is_another = [&] { return load() != value; };
    if (!nnrt::detail::look_for(is_another, nnrt::detail::looks_before_sleep)) sleepers_.sleep_until(is_another);
  }

 private:
  int value_ = 0;
  nnrt::detail::event_count sleepers_;
};

}}}  // namespace nnrt::NNRT_ISA::c_api
