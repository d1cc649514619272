// failing_memory: a heap which counts and, when it is told to, has nothing left.
// Flow: a test compares the count before and after, or arms the heap around a call of a C function and looks at the
// code that comes out; failing_memory.cpp stands before the allocations.
#pragma once

namespace nnrt_test {

/// Calls of operator new so far, from all threads.
long allocations();
/// Of these, the pieces that nobody has given back.
long living_allocations();
/// The most bytes that pieces had at once during the call, besides those from before it; of one thread at a time.
long begin_peak();
long end_peak(long before);
template <class Call> long peak_bytes_of(Call call) {
  const long before = begin_peak();
  call();
  return end_peak(before);
}

/// Which allocations fail while calls run inside lacking(): the one of this number, counted from 0, or that and all
/// after it.
struct shortage {
  long first;
  bool lasts;
};

/// Arms the heap, calls, disarms it; what the call returned. The count continues from call to call until
/// begin_shortage() starts it anew.
void begin_shortage(const shortage& which);
/// Whether an allocation has failed since.
bool has_failed();

/// What lacking() does before and after the call.
void arm_shortage();
void disarm_shortage();

template <class Call> auto lacking(Call call) {
  arm_shortage();
  const auto answered = call();
  disarm_shortage();
  return answered;
}

}  // namespace nnrt_test
