// first: one of two translation units that include everything; see second.cpp.
#include <nnrt/nnrt.hpp>

#include <string>

const char* second_isa();
void break_contract_in_second();

static std::string told;

int main() {
  if (nnrt::isa == nullptr || second_isa() == nullptr) return 1;
  nnrt::set_contract_handler([](const std::string& message) { told = message; });  // the whole program's
  break_contract_in_second();
  return told == "the other unit's" ? 0 : 1;
}
