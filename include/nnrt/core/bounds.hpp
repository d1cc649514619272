// bounds: index checks of the library's lists, in builds that enable the standard library's checks.
// Flow: array_ref, pool and shape_t check their indices with NNRT_CHECK_INDEX.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>

// NNRT_CHECK_INDEX(index, size) aborts unless index < size, if _GLIBCXX_ASSERTIONS (libstdc++'s checks) or
// NNRT_CHECK_BOUNDS is defined. Otherwise it does nothing. It is a macro because clang 16 counts a call of an empty
// function as a step of constant evaluation.
#if defined(_GLIBCXX_ASSERTIONS) || defined(NNRT_CHECK_BOUNDS)
#include <cstdio>
#include <cstdlib>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Prints index and size to stderr and aborts. Not constexpr, so that the compiler rejects such an index in a constant
/// expression.
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
