// counted_heap: operator new, counted over malloc.
#include "exec/counted_heap.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> calls{0};

void* counted(std::size_t bytes) {
  ++calls;
  return std::malloc(bytes > 0 ? bytes : 1);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* first) noexcept { std::free(first); }
void operator delete[](void* first) noexcept { std::free(first); }
void operator delete(void* first, std::size_t) noexcept { std::free(first); }
void operator delete[](void* first, std::size_t) noexcept { std::free(first); }

long nnrt_test::heap_calls() { return calls.load(); }
