// counted_steps: the function that instrumented code calls at each basic block, and an operator new that counts.
#include "support/counted_steps.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::uint64_t steps = 0;  // of one thread: tests of growth start no others

void* allocate(std::size_t bytes, std::size_t alignment) {
  steps += bytes / 64 + 1;
  void* const piece = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  if (piece == nullptr) throw std::bad_alloc();
  return piece;
}
}  // namespace

std::uint64_t nnrt_test::counted_steps() { return steps; }

extern "C" void __sanitizer_cov_trace_pc() { ++steps; }

void* operator new(std::size_t bytes) { return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* piece) noexcept { std::free(piece); }
void operator delete(void* piece, std::size_t) noexcept { std::free(piece); }
void operator delete(void* piece, std::align_val_t) noexcept { std::free(piece); }
void operator delete(void* piece, std::size_t, std::align_val_t) noexcept { std::free(piece); }
