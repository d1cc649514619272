// contract_test: who is told of a broken contract, and what happens when nobody asked to be.
#include <nnrt/core/contract.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

namespace {

using namespace nnrt;

std::string told;
void remember(const std::string& message) { told = message; }

TEST_CASE("contract: a handler of the program's own is told the line, until it is taken back") {
  const contract_handler before = set_contract_handler(&remember);
  CHECK((before == &abort_on_broken_contract));
  broken_contract("input \"x\": got 3 elements, expected 4");
  CHECK(told == "input \"x\": got 3 elements, expected 4");
  CHECK((set_contract_handler(nullptr) == &remember));
  CHECK((set_contract_handler(nullptr) == &abort_on_broken_contract));
}

TEST_CASE("contract: without one the line is printed and the program aborts") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    std::signal(SIGABRT, SIG_DFL);
    broken_contract("the reason");
    _exit(0);
  }
  close(ends[1]);
  char printed[64] = {};
  const ssize_t length = read(ends[0], printed, sizeof(printed) - 1);
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  CHECK(length > 0);
  CHECK(std::string(printed) == "nnrt: the reason\n");
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
}

}  // namespace
