// test_matrix: a machine without vectors that has AMX's matrix registers in plain C++, for tests.
// Flow: chosen by simd/machine.hpp where NNRT_TEST_MATRIX_REGISTERS is defined.
#pragma once

#include <nnrt/kernels/simd/generic.hpp>

#if defined(NNRT_TEST_MACHINE)

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Registers of AVX-512's size and its output stage, in portable C++.
struct test_matrix_machine : generic_machine<test_matrix_machine, scalar_registers, 64> {
  static constexpr int vector_registers = 32;
  static constexpr bool has_lines = true, lines_round_once = true, lines_make_halves = true;

  /// fma(x, slope, offset) per lane, rounded once; all lanes hold the bits of floats.
  static i32 scaled_by_rising_line(i32 x, i32 slope, i32 offset) {
    i32 y{};
    for (int i = 0; i < i32_lanes; ++i) {
      const auto float_at = [i](i32 v) { return __builtin_bit_cast(float, v[i]); };
      y[i] = __builtin_bit_cast(std::int32_t, __builtin_fmaf(float_at(x), float_at(slope), float_at(offset)));
    }
    return y;
  }
};
using machine = test_matrix_machine;

}}}  // namespace nnrt::NNRT_ISA::kernels

#endif
