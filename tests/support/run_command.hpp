// run_command: the nnrt command, run with arguments, and what it said.
// Flow: tests of tests/command, which are compiled with its path in NNRT_COMMAND.
#pragma once

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <cstdio>
#include <string>

struct outcome {
  int exit_code = -1;
  std::string text;  // stdout and stderr
  bool says(const std::string& words) const { return text.find(words) != text.npos; }
};

inline outcome run_command(const std::string& arguments) {
  outcome made;
  std::FILE* const pipe = ::popen((NNRT_COMMAND " " + arguments + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (char letters[4096]; const std::size_t count = std::fread(letters, 1, sizeof letters, pipe);)
    made.text.append(letters, count);
  const int status = ::pclose(pipe);
  made.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return made;
}
