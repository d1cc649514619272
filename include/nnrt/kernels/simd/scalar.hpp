// scalar: machines without vectors. Floats and the products of int8 tiles are computed one by one, other integers in
// the compilers' vectors of 16 bytes.
// Flow: chosen by simd/machine.hpp.
#pragma once

#include <nnrt/kernels/simd/generic.hpp>

#if defined(NNRT_SCALAR)

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Portable C++ alone.
struct scalar_machine : generic_machine<scalar_machine, scalar_registers, 16> {
  static constexpr bool has_integer_vectors = false;
};
using machine = scalar_machine;

}}}  // namespace nnrt::NNRT_ISA::kernels

#endif
