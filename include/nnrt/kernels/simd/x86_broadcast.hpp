// x86_broadcast: loads that broadcast a float by the instructions for integers.
// Flow: AVX2 and AVX-512 load by these.
#pragma once

#include <nnrt/core/config.hpp>

// clang checks the operands of asm in templates that nobody uses, too: other machines must not see this one.
#if defined(NNRT_X86_AVX2) || defined(NNRT_X86_AVX512)

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

// On a Zen 4 the instructions for floats take a unit that products need, too, and a tile that broadcasts for each
// product a third longer; compilers turn either kind into that for floats. A sanitizer must be able to read the access.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool broadcasts_as_integers = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool broadcasts_as_integers = false;
#else
inline constexpr bool broadcasts_as_integers = true;
#endif
#else
inline constexpr bool broadcasts_as_integers = true;
#endif

/// x = *p in every lane.
template <class Register> [[gnu::always_inline]] inline void broadcast_as_integer(const float* p, Register& x) {
  asm("vpbroadcastd %1, %0" : "=v"(x) : "m"(*p));
}

}}}  // namespace nnrt::NNRT_ISA::kernels

#endif  // NNRT_X86_AVX2 || NNRT_X86_AVX512
