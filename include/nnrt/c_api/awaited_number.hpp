// awaited_number: a number that only grows, and that threads wait for.
// Flow: background.hpp counts its jobs by two of them.
#pragma once

#include <nnrt/exec/event_count.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// Counts in a circle.
class awaited_number {
 public:
  int load() const { return __atomic_load_n(&value_, __ATOMIC_SEQ_CST); }
  /// One more; wakes all who wait.
  void increment() {
    __atomic_add_fetch(&value_, 1, __ATOMIC_SEQ_CST);
    sleepers_.wake_any();
  }
  /// Waits as long as the number is this one.
  void wait_while(int value) {
    const auto is_another = [&] { return load() != value; };
    if (!nnrt::detail::look_for(is_another, nnrt::detail::looks_before_sleep)) sleepers_.sleep_until(is_another);
  }

 private:
  int value_ = 0;
  nnrt::detail::event_count sleepers_;
};

}}}  // namespace nnrt::NNRT_ISA::c_api
