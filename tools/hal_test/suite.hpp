// suite: cases that a driver passes or not - what a case sees, says, and how it is run.
// Flow: each <subject>_cases.cpp adds its own; main.cpp runs them all on one device,
// tests/hal_suite/wrong_driver_test.cpp on a wrong one.
#pragma once

#include <nnrt/hal/device.hpp>

#include <functional>
#include <string>
#include <vector>

namespace nnrt_hal_test {

using namespace nnrt;
using namespace nnrt::hal;

/// What a case has of the driver under test, and where it says what it found.
class probe {
 public:
  explicit probe(device of) : on(std::move(of)) {}

  device on;

  /// Something that the contract demands; in words what does not hold.
  void expect(bool holds, pieces otherwise) {
    if (!holds) diagnostics.push_back(joined(otherwise));
  }
  /// The device offers nothing that the case could test.
  void skip(pieces why) { skipped = joined(why); }

  std::vector<std::string> diagnostics;
  std::string skipped;
};

/// One promise. Names are `<subject>.<what>`.
struct test_case {
  std::string name;
  std::string promise;
  std::function<void(probe&)> run;
};
using case_list = std::vector<test_case>;

void add_identity_cases(case_list& to);
void add_model_cases(case_list& to);
void add_preparation_cases(case_list& to);
void add_cache_cases(case_list& to);
void add_run_cases(case_list& to);
void add_buffer_cases(case_list& to);
void add_operator_cases(case_list& to);

/// All of them, subject by subject.
case_list all_cases();

enum class mark { passed, failed, skipped };

/// How a case ended, and why.
struct ending {
  mark is = mark::passed;
  std::string reason;
};

/// The driver under test, a new one for each case.
using subject = std::function<device()>;

/// Runs a case in a child process, so that a driver that crashes, or does not come back within `seconds`, fails no
/// more than it.
ending run_apart(const test_case& one, const subject& make, int seconds);
/// Runs it in this process.
ending run_here(const test_case& one, const subject& make);

}  // namespace nnrt_hal_test
