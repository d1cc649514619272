// bounds: index checks of the library's own lists, in builds that ask the standard library for its checks.
// Flow: array_ref, pool and shape_t check their indices by NNRT_CHECK_INDEX.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>

// NNRT_CHECK_INDEX(index, size) stops the program unless index < size, where _GLIBCXX_ASSERTIONS (libstdc++'s own
// checks) or NNRT_CHECK_BOUNDS is defined. Elsewhere it is nothing: a macro, since clang 16 counts each call of an
// empty function as a step of constant evaluation.
#if defined(_GLIBCXX_ASSERTIONS) || defined(NNRT_CHECK_BOUNDS)
#include <cstdio>
#include <cstdlib>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Prints index and size to stderr and aborts. No constant expression can call it, so the compiler refuses the index
/// there.
[[noreturn, gnu::cold, gnu::noinline]] inline void stop_at_index(std::size_t index, std::size_t size) {
  std::fprintf(stderr, "nnrt: index out of bounds (got %zu, expected less than %zu)\n", index, size);
  std::abort();
}

}}}  // namespace nnrt::NNRT_ISA::detail

#define NNRT_CHECK_INDEX(index, size) \
  if ((index) >= (size)) [[unlikely]] \
  ::nnrt::detail::stop_at_index(index, size)
#else
#define NNRT_CHECK_INDEX(index, size) static_cast<void>(0)
#endif
