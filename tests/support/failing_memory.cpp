// failing_memory: operator new and calloc, which the library's blocks come from, counted over malloc.
#include "support/failing_memory.hpp"

#include "support/sanitized.hpp"

#include <malloc.h>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> made{0}, given_back{0};
std::atomic<long> living_bytes{0}, max_bytes{0};
std::atomic<bool> is_armed{false};
std::atomic<long> seen{0}, first{0}, failures{0};
std::atomic<bool> lasts{false};

bool must_fail() {
  if (!is_armed) return false;
  const long number = seen++;
  if (lasts ? number < first : number != first) return false;
  ++failures;
  return true;
}

void* counted(void* piece) {
  if (piece == nullptr) throw std::bad_alloc();
  ++made;
  const long bytes = living_bytes += static_cast<long>(::malloc_usable_size(piece));
  long most = max_bytes;
  while (bytes > most && !max_bytes.compare_exchange_weak(most, bytes)) {
  }
  return piece;
}
void* allocate(std::size_t bytes) {
  if (must_fail()) throw std::bad_alloc();
  return counted(std::malloc(bytes > 0 ? bytes : 1));
}
void* allocate(std::size_t bytes, std::align_val_t alignment) {
  if (must_fail()) throw std::bad_alloc();
  void* piece = nullptr;
  const int failed = ::posix_memalign(&piece, static_cast<std::size_t>(alignment), bytes > 0 ? bytes : 1);
  return counted(failed == 0 ? piece : nullptr);
}
void release(void* piece) noexcept {
  if (piece != nullptr) ++given_back, living_bytes -= static_cast<long>(::malloc_usable_size(piece));
  std::free(piece);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, alignment); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, alignment); }
// A sanitizer would answer these from its own heap, and find what comes back wrong.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocate(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  try {
    return allocate(bytes, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* piece) noexcept { release(piece); }
void operator delete[](void* piece) noexcept { release(piece); }
void operator delete(void* piece, std::size_t) noexcept { release(piece); }
void operator delete[](void* piece, std::size_t) noexcept { release(piece); }
void operator delete(void* piece, std::align_val_t) noexcept { release(piece); }
void operator delete[](void* piece, std::align_val_t) noexcept { release(piece); }
void operator delete(void* piece, std::size_t, std::align_val_t) noexcept { release(piece); }
void operator delete[](void* piece, std::size_t, std::align_val_t) noexcept { release(piece); }

// Sanitizers have another calloc, which only they may free.
#if !defined(NNRT_TEST_SANITIZED)
extern "C" void* __libc_calloc(std::size_t count, std::size_t bytes);
extern "C" void* calloc(std::size_t count, std::size_t bytes) {
  if (!must_fail()) return __libc_calloc(count, bytes);
  errno = ENOMEM;
  return nullptr;
}
#endif

namespace nnrt_test {

long allocations() { return made; }
long living_allocations() { return made - given_back; }
long begin_peak() { return max_bytes = living_bytes.load(); }
long end_peak(long before) { return max_bytes - before; }
bool has_failed() { return failures > 0; }
void begin_shortage(const shortage& which) {
  first = which.first;
  lasts = which.lasts;
  seen = failures = 0;
}
void arm_shortage() { is_armed = true; }
void disarm_shortage() { is_armed = false; }

}  // namespace nnrt_test
