// float_environment: how a thread computes with floats - its rounding, denormals and traps.
// Flow: threads that compute for another one take over that one's (exec/threads.hpp and what else has threads); what is
// made before a network runs is computed in the usual one (exec/memory.hpp, exec/program.hpp).
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>

#if !defined(__SSE__) && !defined(__aarch64__)
#include <fenv.h>
#endif

namespace nnrt { inline namespace NNRT_ISA {

/// The control bits of a thread's floating-point unit: rounding mode, denormal operands and results, which exceptions
/// trap. The flags of exceptions that have happened are no part of it. x86: bits 6 to 15 of MXCSR. aarch64: FPCR.
/// Elsewhere: the rounding mode of <fenv.h>.
class float_environment {
 public:
  /// The usual one: rounds to nearest, keeps denormals, nothing traps.
  constexpr float_environment() = default;
  /// That of the thread which calls.
  static float_environment of_this_thread() { return float_environment(read() & control); }
  /// That of another process on this machine, by its word(). Other bits than those of rounding and denormals are left
  /// out: a trap would end this process.
  static constexpr float_environment from_word(std::uint64_t bits) {
    return float_environment((bits & ~traps & control & ~refused) | (untrapped & traps));
  }

  constexpr std::uint64_t word() const { return word_; }
  /// The calling thread computes in it from now on. Flags of exceptions stay. Costs a read of the register where
  /// nothing changes.
  void enter() const {
    const std::uint64_t now = read();
    if (const std::uint64_t wanted = (now & ~control) | word_; wanted != now) write(wanted);
  }
  friend constexpr bool operator==(float_environment, float_environment) = default;

 private:
#if defined(__SSE__)
  // Denormals are zeros 0x40, masks 0x1f80, rounding 0x6000, flush to zero 0x8000.
  static constexpr std::uint64_t control = 0xffc0, traps = 0x1f80, untrapped = 0x1f80, usual = 0x1f80, refused = 0;
  static std::uint64_t read() { return __builtin_ia32_stmxcsr(); }
  static void write(std::uint64_t bits) { __builtin_ia32_ldmxcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
  // FZ16 bit 19, rounding 22 and 23, FZ 24, DN 25, AHP 26; traps 8 to 12 and 15. Others may mean something on newer
  // processors, and are taken over between threads.
  static constexpr std::uint64_t control = 0xffffffff, traps = 0x9f00, untrapped = 0, usual = 0,
                                 refused = ~std::uint64_t{0x07c80000};
  static std::uint64_t read() {
    std::uint64_t bits;
    asm volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
  }
  static void write(std::uint64_t bits) { asm volatile("msr fpcr, %0" : : "r"(bits) : "memory"); }
#else
  static constexpr std::uint64_t control = 0xffffffff, traps = 0, untrapped = 0, usual = FE_TONEAREST, refused = 0;
  static std::uint64_t read() { return static_cast<std::uint64_t>(fegetround()); }
  static void write(std::uint64_t bits) { fesetround(static_cast<int>(bits)); }
#endif

  explicit constexpr float_environment(std::uint64_t bits) : word_(bits) {}

  std::uint64_t word_ = usual;
};

/// The calling thread computes in an environment as long as this lives, and in its former one afterwards. What is
/// computed meanwhile must lie in functions that are not inlined: compilers move arithmetic across the change.
class float_scope {
 public:
  explicit float_scope(float_environment wanted) : before_(float_environment::of_this_thread()) { wanted.enter(); }
  float_scope(const float_scope&) = delete;
  float_scope& operator=(const float_scope&) = delete;
  ~float_scope() { before_.enter(); }

 private:
  float_environment before_;
};

namespace detail {
template <class F> [[gnu::noinline]] auto called(F& f) { return f(); }
}  // namespace detail

/// What f() gives, computed in an environment by the calling thread.
template <class F> auto computed_in(float_environment wanted, F f) {
  const float_scope scope(wanted);
  return detail::called(f);
}

}}  // namespace nnrt::NNRT_ISA
