// first: one of two translation units that include everything; see second.cpp.
#include <nnrt/nnrt.hpp>

const char* second_isa();

int main() { return nnrt::isa != nullptr && second_isa() != nullptr ? 0 : 1; }
