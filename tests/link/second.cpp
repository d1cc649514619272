// second: the other translation unit, compiled for another instruction set where the machine has one.
#include <nnrt/nnrt.hpp>

const char* second_isa();
const char* second_isa() { return nnrt::isa; }

void break_contract_in_second();
void break_contract_in_second() { nnrt::broken_contract("the other unit's"); }
