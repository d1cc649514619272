// allocations: malloc and its kin, counted, over glibc's own under their other names.
#include "allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {
std::atomic<long> calls{0};
}

extern "C" {
void* malloc(std::size_t bytes) { return ++calls, __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) { return ++calls, __libc_calloc(count, bytes); }
void* realloc(void* old, std::size_t bytes) { return ++calls, __libc_realloc(old, bytes); }
void* memalign(std::size_t alignment, std::size_t bytes) { return ++calls, __libc_memalign(alignment, bytes); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** made, std::size_t alignment, std::size_t bytes) {
  *made = memalign(alignment, bytes);
  return *made == nullptr ? ENOMEM : 0;
}
}

long nnrt_test::allocations() { return calls.load(); }
