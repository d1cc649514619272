// suite: see the header.
#include "hal_test/suite.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>

namespace nnrt_hal_test {

case_list all_cases() {
  case_list all;
  add_identity_cases(all);
  add_model_cases(all);
  add_preparation_cases(all);
  add_cache_cases(all);
  add_run_cases(all);
  add_buffer_cases(all);
  add_operator_cases(all);
  return all;
}

ending run_here(const test_case& one, const subject& make) {
  probe p(make());
  one.run(p);
  if (!p.diagnostics.empty()) {
    const std::size_t more = p.diagnostics.size() - 1;
    return {mark::failed, more == 0 ? p.diagnostics[0] : joined({p.diagnostics[0], " (and ", more, " more)"})};
  }
  if (!p.skipped.empty()) return {mark::skipped, p.skipped};
  return {};
}

namespace {

/// What the other process writes until it closes its end, or until the time is over.
bool read_all(int from, int seconds, std::string& text) {
  const std::int64_t deadline = steady_now() + std::int64_t{seconds} * 1'000'000'000;
  for (;;) {
    ::pollfd ready{from, POLLIN, 0};
    const std::int64_t left = (deadline - steady_now()) / 1'000'000;
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) return false;
    char some[512];
    const ::ssize_t got = ::read(from, some, sizeof some);
    if (got <= 0) return true;
    text.append(some, static_cast<std::size_t>(got));
  }
}

}  // namespace

ending run_apart(const test_case& one, const subject& make, int seconds) {
  int ends[2];
  if (::pipe(ends) != 0) return {mark::failed, "no pipe to another process"};
  const ::pid_t other = ::fork();
  if (other < 0) return {mark::failed, "no other process"};
  if (other == 0) {
    ::close(ends[0]);
    // without the handlers of the first process
    for (const int crash : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGTERM}) ::signal(crash, SIG_DFL);
    const ending how = run_here(one, make);
    const std::string text = static_cast<char>('0' + static_cast<int>(how.is)) + how.reason;
    const ::ssize_t wrote = ::write(ends[1], text.data(), text.size());
    ::_exit(wrote == static_cast<::ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  const bool came_back = read_all(ends[0], seconds, text);
  ::close(ends[0]);
  if (!came_back) ::kill(other, SIGKILL);
  int state = 0;
  ::waitpid(other, &state, 0);
  if (!came_back) return {mark::failed, joined({"did not come back within ", seconds, " s"})};
  if (WIFSIGNALED(state)) return {mark::failed, joined({"crashed: ", ::strsignal(WTERMSIG(state))})};
  if (text.empty()) return {mark::failed, "ended the process"};
  return {static_cast<mark>(text[0] - '0'), text.substr(1)};
}

}  // namespace nnrt_hal_test
