// float_environment: floating-point modes of a thread - rounding, denormals and traps.
// Flow: worker threads adopt the environment of the thread that they compute for (exec/threads.hpp and other users of
// threads). Preparation uses the default one (exec/memory.hpp, exec/program.hpp).
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>

#if !defined(NNRT_HAS_MXCSR) && !defined(NNRT_HAS_FPCR)
#include <fenv.h>
#endif

namespace nnrt { inline namespace NNRT_ISA {

/// Control bits of a thread's floating-point unit: rounding mode, denormal operands and results, trapped exceptions.
/// Exception flags are not included. x86: bits 6 to 15 of MXCSR. aarch64: FPCR. Other machines: the rounding mode of
/// `<fenv.h>`.
class float_environment {
 public:
  /// The default: rounds to nearest, keeps denormals, traps nothing.
  constexpr float_environment() = default;
  /// The calling thread's.
  static float_environment of_this_thread() { return float_environment(read() & control); }
  /// Another local process's environment, from its word(). Only rounding and denormal bits are used: a trap would end
  /// this process.
  static constexpr float_environment from_word(std::uint64_t bits) {
    return float_environment((bits & ~traps & control & ~refused) | (untrapped & traps));
  }

  constexpr std::uint64_t word() const { return word_; }
  /// Makes it the calling thread's environment. Exception flags are unchanged. Without a change it only reads the
  /// register.
  void enter() const {
    const std::uint64_t now = read();
    if (const std::uint64_t wanted = (now & ~control) | word_; wanted != now) write(wanted);
  }
  friend constexpr bool operator==(float_environment, float_environment) = default;

 private:
#if defined(NNRT_HAS_MXCSR)
  // Denormal operands are zeros: 0x40; masks: 0x1f80; rounding: 0x6000; flush to zero: 0x8000.
  static constexpr std::uint64_t control = 0xffc0, traps = 0x1f80, untrapped = 0x1f80, usual = 0x1f80, refused = 0;
  static std::uint64_t read() { return __builtin_ia32_stmxcsr(); }
  static void write(std::uint64_t bits) { __builtin_ia32_ldmxcsr(static_cast<unsigned>(bits)); }
#elif defined(NNRT_HAS_FPCR)
  // FZ16 bit 19, rounding 22 and 23, FZ 24, DN 25, AHP 26; traps 8 to 12 and 15. Other bits may have a meaning on newer
  // processors; threads adopt them, too.
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

/// Sets the calling thread's environment and restores the former one at the end. Computations in between must be in
/// functions that are not inlined: compilers move arithmetic across the change.
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

/// The result of f(), computed by the calling thread in the given environment.
template <class F> auto computed_in(float_environment wanted, F f) {
  const float_scope scope(wanted);
  return detail::called(f);
}

}}  // namespace nnrt::NNRT_ISA
