// counted_heap: how often the tests of this folder asked the heap for memory.
// Flow: heap_test compares the count before and after inferences; counted_heap.cpp defines operator new for all tests of the folder.
#pragma once

namespace nnrt_test {

/// Calls of operator new so far, from all threads.
long heap_calls();

}  // namespace nnrt_test
