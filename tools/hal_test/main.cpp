// nnrt-hal-test: holds a driver against the contract of NN HAL 1.3 and of this library, case by case.
// Flow: takes a device from hal::registry() by its name, runs the cases of suite.hpp, prints a line for each and how
// many did not hold.
#include "hal_test/devices.hpp"
#include "hal_test/suite.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace nnrt_hal_test;

bool is_chosen(const std::string& name, const std::vector<std::string>& filters) {
  return filters.empty() || std::any_of(filters.begin(), filters.end(),
                                        [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

struct choices {
  std::string device, socket;
  std::vector<std::string> filters;
  bool lists = false, lists_devices = false, stays_here = false, shows_failures_alone = false;
  int seconds = 120;
};

int run_all(const choices& chosen, const std::string& name, const subject& make) {
  std::size_t passed = 0, failed = 0, skipped = 0;
  for (const test_case& one : all_cases()) {
    if (!is_chosen(one.name, chosen.filters)) continue;
    const ending how = chosen.stays_here ? run_here(one, make) : run_apart(one, make, chosen.seconds);
    const char* const words[] = {"pass", "FAIL", "skip"};
    ++(how.is == mark::passed ? passed : how.is == mark::failed ? failed : skipped);
    if (how.is == mark::failed || !chosen.shows_failures_alone)
      std::printf("%s %s%s%s\n", words[static_cast<int>(how.is)], one.name.c_str(), how.reason.empty() ? "" : ": ",
                  how.reason.c_str());
    if (how.is == mark::failed) std::printf("     promised: %s\n", one.promise.c_str());
    std::fflush(stdout);
  }
  std::printf("%s: %zu passed, %zu failed, %zu skipped\n", name.c_str(), passed, failed, skipped);
  return failed != 0 ? 1 : passed == 0 ? 2 : 0;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): where memory is exhausted the program may end.
int main(int count, char** words) {
  choices chosen;
  CLI::App app(
      "Holds a driver against the contract of NN HAL 1.3 and of nnrt. Exit code: 0 some cases passed and none failed, "
      "1 some failed, 2 none passed or the arguments make no sense.");
  app.add_option("-d,--device", chosen.device, "Device by its name (see --devices); the first one when left out");
  app.add_option("--socket", chosen.socket,
                 "Test the device of a host in another process (nnrt-driverd) that listens here")
      ->excludes("--device");
  app.add_option("-f,--filter", chosen.filters, "Run the cases whose name contains this; may be given several times");
  app.add_option("-s,--seconds", chosen.seconds, "After which a case that does not come back has failed")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  app.add_flag("-l,--list", chosen.lists, "List the cases and what they hold the driver to");
  app.add_flag("--devices", chosen.lists_devices, "List the devices");
  app.add_flag("--here", chosen.stays_here, "Run all cases in this process, for a debugger: a crash ends it");
  app.add_flag("-q,--quiet", chosen.shows_failures_alone, "Print only what failed, and the summary");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  }
  if (chosen.lists) {
    for (const test_case& one : all_cases())
      if (is_chosen(one.name, chosen.filters)) std::printf("%-32s %s\n", one.name.c_str(), one.promise.c_str());
    return 0;
  }
  if (!chosen.socket.empty()) {
    std::string name;
    {
      const auto there = device_behind(chosen.socket);
      if (!there) return std::fprintf(stderr, "nnrt-hal-test: %s\n", there.error().message().c_str()), 2;
      name = there->name;
    }
    // Each case connects on its own: it may run in a separate process.
    return run_all(chosen, name, [&] { return device_behind(chosen.socket).value().device; });
  }
  const auto all = devices();
  if (chosen.lists_devices) {
    for (const named_device& one : all) std::printf("%s\n", one.name.c_str());
    return 0;
  }
  for (const named_device& one : all)
    if (chosen.device.empty() || chosen.device == one.name)
      return run_all(chosen, one.name, [&] { return one.device; });
  std::string names;
  for (const named_device& one : all) names += (names.empty() ? "" : ", ") + one.name;
  std::fprintf(stderr, "nnrt-hal-test: there is no device %s, expected one of %s\n", chosen.device.c_str(),
               names.c_str());
  return 2;
}
