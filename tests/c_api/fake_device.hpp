// fake_device: devices for tests that do what a test sets - refuse, fail, keep caches, die.
// Flow: tests register one, compile on it, and look at what the C functions make of its answers.
#pragma once

#include <cstddef>
#include <string>

namespace nnrt_test {

/// What a fake device can do and how it fails. Texts that are not empty are the errors of the function that they are
/// named after.
struct fake_behaviour {
  std::string name = "fake";
  bool float16 = false, performance = false, priority = false, caching = false, asynchronous = false,
       knows_ranges = true;
  bool forgets_axes = false;  // of ranges
  std::string type_fails, features_fail, refusals_fail, prepare_fails, run_fails;
  std::string refuses;  // the operator that it refuses, by name
  int exported_files = 2;
  int run_milliseconds = 0;  // that a run takes, unless its deadline comes first
  int* prepared = nullptr;   // counts prepare() and restore()
  int* restored = nullptr;
};

/// Adds the device to those of the process; returns its id.
std::size_t add_fake_device(const fake_behaviour& behaviour);
/// Takes it out again.
void remove_device(std::size_t id);

}  // namespace nnrt_test
