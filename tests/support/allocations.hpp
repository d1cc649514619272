// allocations: how often this program asked the heap for memory.
// Flow: network_check.hpp compares the count before and after an inference; allocations.cpp stands before libc's
// malloc.
#pragma once

namespace nnrt_test {

/// Calls of malloc and its kin so far, from all threads; operator new of libstdc++ is one of them.
long allocations();

}  // namespace nnrt_test
