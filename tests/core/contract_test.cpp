// contract_test: who is told of a broken contract, and what happens when nobody asked to be.
#include <nnrt/core/contract.hpp>

#include <doctest/doctest.h>

#include "support/child_process.hpp"

#include <csignal>

namespace {

using namespace nnrt;
using namespace nnrt_test;

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
  const last_words said = last_words_of([] { broken_contract("the reason"); });
  CHECK(said.printed == "nnrt: the reason\n");
  CHECK(said.signal == SIGABRT);
}

}  // namespace
