// child_process: what a function does to the process that runs it, in a child process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace nnrt_test {

/// A child that runs `act` and ends with what that returns, 0 to 255.
template <class Act>::pid_t begin_child(Act act) {
  const ::pid_t child = ::fork();
  if (child == 0) ::_exit(act());
  return child;
}
/// How a child ended: what it returned, or -1 where it was killed.
inline int end_of(::pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
template <class Act> int in_child(Act act) { return end_of(begin_child(act)); }

/// What a child printed on its standard error, and the signal that killed it; 0: it ended by itself.
struct last_words {
  std::string printed;
  int signal = 0;
};
/// Those of a child that runs `act`, where abort() is not caught by the tests' own handler.
template <class Act> last_words last_words_of(Act act) {
  int ends[2];
  if (::pipe(ends) != 0) return {"no pipe", 0};
  const ::pid_t child = begin_child([&] {
    ::dup2(ends[1], 2);
    std::signal(SIGABRT, SIG_DFL);
    act();
    return 0;
  });
  ::close(ends[1]);
  last_words said;
  char letters[256];
  for (::ssize_t length; (length = ::read(ends[0], letters, sizeof letters)) > 0;)
    said.printed.append(letters, static_cast<std::size_t>(length));
  ::close(ends[0]);
  int status = 0;
  if (::waitpid(child, &status, 0) == child && WIFSIGNALED(status)) said.signal = WTERMSIG(status);
  return said;
}

}  // namespace nnrt_test
