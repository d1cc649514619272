// child_process: what a function does to the process that runs it, in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace nnrt_test {

/// A child that runs `act` and ends with what that returns, 0 to 255.
template <class Act> ::pid_t begin_child(Act act) {
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

}  // namespace nnrt_test
